// The orders of a flat vector: component by component, and lane by lane. Between them lies a shuffle, or a
// transposition in registers, by chunks of 16 bytes.
#include "backends/llvm/spmd/spmd.h"

// Interleaves the first or second halves of x and y, in each chunk of n elements.
static LLVMValueRef zip(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, unsigned n, unsigned step, bool second) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
  int list[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < lanes; i++) {
    unsigned chunk = i / n * n, at = i % n, part = at / step, of_y = part % 2, from = part / 2 * step + at % step;
    list[i] = (int)(chunk + from + (second ? n / 2 : 0) + (of_y ? lanes : 0));
  }
  return kiln_ll_shuffle(ll, x, y, list, lanes);
}

// Concatenates the chunks of lanes first, first + n, and so on.
LLVMValueRef kiln_ll_concatenate_chunks(struct kiln_ll *ll, LLVMValueRef *chunks, unsigned first, unsigned n,
                                        unsigned lanes) {
  LLVMValueRef parts[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < lanes / n; i++)
    parts[i] = chunks[first + i * n];
  return kiln_ll_concatenate(ll, parts, lanes / n);
}

// Vector k has chunks of lanes k, k + n, and so on, of n elements each; out[c] gets element c of all lanes. The
// function is its own inverse.
void kiln_ll_transpose_chunks(struct kiln_ll *ll, LLVMValueRef *vectors, unsigned n, LLVMValueRef *out) {
  LLVMValueRef half[4];
  if (n == 2) {
    out[0] = zip(ll, vectors[0], vectors[1], 2, 1, false);
    out[1] = zip(ll, vectors[0], vectors[1], 2, 1, true);
    return;
  }
  for (unsigned k = 0; k < 4; k++) // elements 0 and 1 of vectors 0 and 1, then of 2 and 3; then elements 2 and 3
    half[k] = zip(ll, vectors[2 * (k & 1)], vectors[2 * (k & 1) + 1], 4, 1, k >= 2);
  for (unsigned c = 0; c < 4; c++)
    out[c] = zip(ll, half[c & 2], half[(c & 2) + 1], 4, 2, c & 1);
}

// Registers of other sizes have shuffles of two registers, or are chunks themselves.
bool kiln_ll_shuffles_by_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned room) {
  return f->ll->lanes * 4 == 2 * KILN_LL_CHUNK && bytes == kiln_ll_word_bytes(bytes) &&
         kiln_ll_has_chunks(f, bytes, room);
}

// The elements of a chunk. *lanes: how many lanes are transposed at a time: LLVM joins shuffles of more than a register
// to one that takes longer.
static unsigned chunk_size(const struct kiln_ll_fn *f, LLVMValueRef value, unsigned *lanes) {
  unsigned size = KILN_LL_CHUNK / (kiln_ll_bits(LLVMTypeOf(value)) / 8);
  *lanes = f->form->lanes < 2 * size ? f->form->lanes : 2 * size;
  return size;
}

static LLVMValueRef chunks_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  LLVMValueRef vectors[4], out[4], parts[16][KILN_LL_MAX_LANES], joined[16];
  unsigned lanes, size = chunk_size(f, value, &lanes), registers = f->form->lanes / lanes;
  int list[KILN_LL_MAX_LANES];
  for (unsigned r = 0; r < registers; r++)
    for (unsigned c = 0; c < room; c += size) {
      for (unsigned k = 0; k < size; k++) {
        for (unsigned i = 0; i < lanes; i++)
          list[i] = (int)((r * lanes + k + i / size * size) * room + c + i % size);
        vectors[k] = kiln_ll_shuffle(f->ll, value, NULL, list, lanes);
      }
      kiln_ll_transpose_chunks(f->ll, vectors, size, out);
      for (unsigned k = 0; k < size; k++)
        parts[c + k][r] = out[k];
    }
  for (unsigned c = 0; c < n; c++)
    joined[c] = kiln_ll_concatenate(f->ll, parts[c], registers);
  return kiln_ll_join_components(f, joined, n);
}

static LLVMValueRef chunks_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  LLVMValueRef vectors[4], out[16], parts[16 * KILN_LL_MAX_LANES];
  unsigned lanes, size = chunk_size(f, value, &lanes), registers = f->form->lanes / lanes;
  int list[KILN_LL_MAX_LANES];
  for (unsigned r = 0; r < registers; r++) {
    for (unsigned c = 0; c < room; c += size) {
      for (unsigned k = 0; k < size; k++)
        vectors[k] = kiln_ll_slice(f->ll, value, (c + k < n ? c + k : 0) * f->form->lanes + r * lanes, lanes);
      kiln_ll_transpose_chunks(f->ll, vectors, size, out + c);
    }
    for (unsigned j = 0; j < room; j++) {
      LLVMValueRef from[2]; // of the first chunk, or the only one, and of the second
      for (unsigned i = 0; i < lanes; i++) {
        unsigned c = (j * lanes + i) % room, lane = (j * lanes + i) / room, of_last = i >= size;
        from[of_last] = out[c / size * size + lane % size];
        list[i] = (int)(of_last * lanes + lane / size * size + c % size);
      }
      parts[r * room + j] = kiln_ll_shuffle(f->ll, from[0], lanes > size ? from[1] : NULL, list, lanes);
    }
  }
  return kiln_ll_concatenate(f->ll, parts, registers * room);
}

LLVMValueRef kiln_ll_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  int list[16 * KILN_LL_MAX_LANES];
  unsigned lanes = f->form->lanes;
  if (room == 1 || (f->at.in_memory_order && room == n))
    return value;
  if (kiln_ll_shuffles_by_chunks(f, kiln_ll_bits(LLVMTypeOf(value)) / 8, room))
    return chunks_to_lanes(f, value, n, room);
  for (unsigned i = 0; i < room * lanes; i++)
    list[i] = (int)((i % room < n ? i % room : 0) * lanes + i / room);
  return kiln_ll_shuffle(f->ll, value, NULL, list, room * lanes);
}

LLVMValueRef kiln_ll_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  int list[16 * KILN_LL_MAX_LANES];
  unsigned lanes = f->form->lanes;
  if (room == 1 || (f->at.in_memory_order && room == n))
    return value;
  if (kiln_ll_shuffles_by_chunks(f, kiln_ll_bits(LLVMTypeOf(value)) / 8, room))
    return chunks_from_lanes(f, value, n, room);
  for (unsigned i = 0; i < n * lanes; i++)
    list[i] = (int)(i % lanes * room + i / lanes);
  return kiln_ll_shuffle(f->ll, value, NULL, list, n * lanes);
}

void kiln_ll_split_words(struct kiln_ll_fn *f, LLVMValueRef words, LLVMTypeRef element, unsigned n, LLVMValueRef *out) {
  if (n == 1) {
    out[0] = words;
    return;
  }
  words = LLVMBuildBitCast(f->ll->b, words, LLVMVectorType(element, n * f->form->lanes), "");
  words = kiln_ll_from_lanes(f, words, n, n);
  for (unsigned i = 0; i < n; i++)
    out[i] = kiln_ll_component(f, words, i);
}
