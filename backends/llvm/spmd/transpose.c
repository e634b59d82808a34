// Transpositions in registers, by chunks of 16 bytes. They convert between the orders by lane and by component; and
// they load a multiple of 16 bytes per lane, at addresses far apart: a vector load per lane instead of a gather per
// element. Lanes that are off load from the address of the first lane that is on. Chunks of narrow elements are
// transposed as words of 32 bits, which are taken apart then.
#include "backends/llvm/spmd/spmd.h"

#define WORD 4 // the least bytes that are moved as one

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
static LLVMValueRef concatenate_chunks(struct kiln_ll *ll, LLVMValueRef *chunks, unsigned first, unsigned n,
                                       unsigned lanes) {
  LLVMValueRef parts[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < lanes / n; i++)
    parts[i] = chunks[first + i * n];
  return kiln_ll_concatenate(ll, parts, lanes / n);
}

// Vector k has chunks of lanes k, k + n, and so on, of n elements each; out[c] gets element c of all lanes. It is its
// own inverse.
static void transpose(struct kiln_ll *ll, LLVMValueRef *vectors, unsigned n, LLVMValueRef *out) {
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

// Loads one chunk of n elements per lane; out[c] is element c of all lanes.
static void load_chunks(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, LLVMValueRef *addresses, uint64_t offset,
                        unsigned align, LLVMValueRef *out) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef chunks[KILN_LL_MAX_LANES], vectors[4];
  for (unsigned l = 0; l < f->spmd->lanes; l++) {
    LLVMValueRef address = kiln_ll_address_at(ll, addresses[l], (int64_t)offset);
    chunks[l] = LLVMBuildLoad2(ll->b, LLVMVectorType(element, n), address, "");
    LLVMSetAlignment(chunks[l], align < KILN_LL_CHUNK ? align : KILN_LL_CHUNK);
  }
  for (unsigned k = 0; k < n; k++)
    vectors[k] = concatenate_chunks(ll, chunks, k, n, f->spmd->lanes);
  transpose(ll, vectors, n, out);
}

static LLVMValueRef load_all(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef *addresses, unsigned align) {
  unsigned size = kiln_ll_element_bytes(type), bytes = kiln_ll_word_bytes(size), n = KILN_LL_CHUNK / bytes,
           each = bytes / size;
  unsigned count = kiln_type_lanes(type);
  LLVMTypeRef element = kiln_ll_type(f->ll, kiln_type_element(type)), word = size < WORD ? f->ll->i32 : element;
  LLVMValueRef words[16], parts[16];
  for (unsigned w = 0; w < count / each; w += n)
    load_chunks(f, word, n, addresses, (uint64_t)w * bytes, align, words + w);
  for (unsigned w = 0; w < count / each; w++)
    kiln_ll_split_words(f, words[w], element, each, parts + w * each);
  return kiln_ll_join_components(f, parts, count);
}

LLVMValueRef kiln_ll_gather_transposed(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align) {
  LLVMValueRef addresses[KILN_LL_MAX_LANES];
  if (!kiln_ll_is_transposed_vector(f, type))
    return NULL;
  kiln_ll_lane_addresses(f, pointers, addresses);
  return load_all(f, type, addresses, align);
}

LLVMValueRef kiln_ll_load_transposed(struct kiln_ll_fn *f, kiln_value load) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  const kiln_value *x = kiln_operands(f->fn, pointer);
  int64_t stride = (int64_t)kiln_inst(f->fn, pointer)->imm;
  unsigned bytes = kiln_ll_element_bytes(in->type);
  LLVMValueRef bases = kiln_ll_wide(f, x[0]), shared = kiln_ll_held(f, x[1]);
  LLVMValueRef addresses[KILN_LL_MAX_LANES];
  for (unsigned l = 0; l < f->spmd->lanes; l++) {
    LLVMValueRef address = LLVMBuildExtractElement(ll->b, bases, kiln_ll_i32(ll, l), "");
    addresses[l] = kiln_ll_pointer_add(ll, address, shared, stride);
  }
  return load_all(f, in->type, addresses, in->imm2 ? in->imm2 : bytes);
}

// Registers of other sizes have shuffles of two registers, or are chunks themselves.
bool kiln_ll_shuffles_by_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned room) {
  return f->ll->lanes * 4 == 2 * KILN_LL_CHUNK && bytes >= WORD && kiln_ll_has_chunks(f, bytes, room);
}

// The elements of a chunk, and those of as many lanes as are transposed at a time: LLVM joins shuffles of more than a
// register to one that takes longer.
static unsigned chunk_size(const struct kiln_ll_fn *f, LLVMValueRef value, unsigned *lanes) {
  unsigned size = KILN_LL_CHUNK / (kiln_ll_bits(LLVMTypeOf(value)) / 8);
  *lanes = f->spmd->lanes < 2 * size ? f->spmd->lanes : 2 * size;
  return size;
}

LLVMValueRef kiln_ll_chunks_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  LLVMValueRef vectors[4], out[4], parts[16][KILN_LL_MAX_LANES], joined[16];
  unsigned lanes, size = chunk_size(f, value, &lanes), registers = f->spmd->lanes / lanes;
  int list[KILN_LL_MAX_LANES];
  for (unsigned r = 0; r < registers; r++)
    for (unsigned c = 0; c < room; c += size) {
      for (unsigned k = 0; k < size; k++) {
        for (unsigned i = 0; i < lanes; i++)
          list[i] = (int)((r * lanes + k + i / size * size) * room + c + i % size);
        vectors[k] = kiln_ll_shuffle(f->ll, value, NULL, list, lanes);
      }
      transpose(f->ll, vectors, size, out);
      for (unsigned k = 0; k < size; k++)
        parts[c + k][r] = out[k];
    }
  for (unsigned c = 0; c < n; c++)
    joined[c] = kiln_ll_concatenate(f->ll, parts[c], registers);
  return kiln_ll_join_components(f, joined, n);
}

LLVMValueRef kiln_ll_chunks_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room) {
  LLVMValueRef vectors[4], out[16], parts[16 * KILN_LL_MAX_LANES];
  unsigned lanes, size = chunk_size(f, value, &lanes), registers = f->spmd->lanes / lanes;
  int list[KILN_LL_MAX_LANES];
  for (unsigned r = 0; r < registers; r++) {
    for (unsigned c = 0; c < room; c += size) {
      for (unsigned k = 0; k < size; k++)
        vectors[k] = kiln_ll_slice(f->ll, value, (c + k < n ? c + k : 0) * f->spmd->lanes + r * lanes, lanes);
      transpose(f->ll, vectors, size, out + c);
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
