// Loads of a multiple of 16 bytes per lane, at addresses far apart: a vector load per lane, and a transposition in
// registers, instead of a gather per element. Lanes that are off load from the address of the first lane that is on.
// Chunks of narrow elements are transposed as words of 32 bits, which are taken apart then.
#include "backends/llvm/spmd/spmd.h"

#define WORD 4 // the least bytes that are moved as one

// Loads one chunk of n elements per lane; out[c] is element c of all lanes.
static void load_chunks(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, LLVMValueRef *addresses, uint64_t offset,
                        unsigned align, LLVMValueRef *out) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef chunks[KILN_LL_MAX_LANES], vectors[4];
  for (unsigned l = 0; l < f->form->lanes; l++) {
    LLVMValueRef address = kiln_ll_address_at(ll, addresses[l], (int64_t)offset);
    chunks[l] = LLVMBuildLoad2(ll->b, LLVMVectorType(element, n), address, "");
    LLVMSetAlignment(chunks[l], align < KILN_LL_CHUNK ? align : KILN_LL_CHUNK);
  }
  for (unsigned k = 0; k < n; k++)
    vectors[k] = kiln_ll_concatenate_chunks(ll, chunks, k, n, f->form->lanes);
  kiln_ll_transpose_chunks(ll, vectors, n, out);
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
  for (unsigned l = 0; l < f->form->lanes; l++) {
    LLVMValueRef address = LLVMBuildExtractElement(ll->b, bases, kiln_ll_i32(ll, l), "");
    addresses[l] = kiln_ll_pointer_add(ll, address, shared, stride);
  }
  return load_all(f, in->type, addresses, in->imm2 ? in->imm2 : bytes);
}
