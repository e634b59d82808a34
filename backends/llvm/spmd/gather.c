// Gathers and scatters: each lane has an address of its own.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"

static LLVMValueRef component_address(struct kiln_ll_fn *f, LLVMValueRef pointers, unsigned c, unsigned bytes) {
  int64_t offset = (int64_t)c * bytes;
  if (c && LLVMIsAGetElementPtrInst(pointers) && LLVMGetNumOperands(pointers) == 2 &&
      LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(pointers, 0))) == LLVMPointerTypeKind) { // keeps the base scalar
    LLVMValueRef base = kiln_ll_address_at(f->ll, LLVMGetOperand(pointers, 0), offset);
    LLVMValueRef index = LLVMGetOperand(pointers, 1);
    return LLVMBuildGEP2(f->ll->b, LLVMGetGEPSourceElementType(pointers), base, &index, 1, "");
  }
  return kiln_ll_address_at(f->ll, pointers, offset);
}

static unsigned component_align(unsigned align, unsigned bytes) { return align < bytes ? align : bytes; }

static LLVMValueRef gather_vector(struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef pointers, unsigned align) {
  LLVMTypeRef vector = LLVMVectorType(element, f->form->lanes), types[2] = {vector, LLVMTypeOf(pointers)};
  LLVMValueRef args[4] = {pointers, kiln_ll_i32(f->ll, align), kiln_ll_mask(f), LLVMConstNull(vector)};
  return kiln_ll_intrinsic(f->ll, "llvm.masked.gather", types, 2, args, 4);
}

static void scatter_vector(struct kiln_ll_fn *f, LLVMValueRef value, LLVMValueRef pointers, unsigned align) {
  LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(pointers)};
  LLVMValueRef args[4] = {value, pointers, kiln_ll_i32(f->ll, align), kiln_ll_mask(f)};
  kiln_ll_intrinsic(f->ll, "llvm.masked.scatter", types, 2, args, 4);
}

// How many elements of a lane are accessed as one word, from component c of n on: narrow elements if they fill words,
// wider ones in pairs. An access costs the same, however wide it is.
static unsigned per_word(unsigned n, unsigned c, unsigned bytes) {
  unsigned size = n * bytes;
  if (bytes < 4)
    return size == 4 ? n : size % 8 == 0 ? 8 / bytes : 1;
  return bytes == 4 && c + 1 < n ? 2 : 1;
}

// Gathers of elements narrower than 32 bits, which no machine has: gathers the words that hold them, which cross no
// page.
static LLVMValueRef gather_narrow(struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef pointers, unsigned bytes) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef types[2] = {LLVMTypeOf(pointers), LLVMVectorType(ll->i64, f->form->lanes)};
  LLVMValueRef args[2] = {pointers, kiln_ll_splat(types[1], ~UINT64_C(3))};
  LLVMValueRef words = gather_vector(f, ll->i32, kiln_ll_intrinsic(ll, "llvm.ptrmask", types, 2, args, 2), 4);
  LLVMValueRef offset = LLVMBuildTrunc(ll->b, LLVMBuildPtrToInt(ll->b, pointers, types[1], ""), LLVMTypeOf(words), "");
  offset = LLVMBuildAnd(ll->b, offset, kiln_ll_splat(LLVMTypeOf(words), 3), "");
  offset = LLVMBuildShl(ll->b, offset, kiln_ll_splat(LLVMTypeOf(words), 3), "");
  LLVMValueRef bits = LLVMBuildLShr(ll->b, words, offset, "");
  bits = LLVMBuildTrunc(ll->b, bits, LLVMVectorType(kiln_ll_int(ll, bytes * 8), f->form->lanes), "");
  return LLVMBuildBitCast(ll->b, bits, LLVMVectorType(element, f->form->lanes), "");
}

// The type of the words that vectors in the order of memory are gathered or scattered as; NULL: they go lane by lane.
static LLVMTypeRef word_in_memory_order(struct kiln_ll_fn *f, unsigned size) {
  return (size == 4 || size == 8) && !kiln_ll_gathers_by_lane(f) ? kiln_ll_int(f->ll, 8 * size) : NULL;
}

LLVMValueRef kiln_ll_gather(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned n = kiln_type_lanes(type), bytes = kiln_ll_element_bytes(type);
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  LLVMValueRef parts[16];
  ll->gathers_emitted++;
  LLVMTypeRef whole = f->at.in_memory_order ? word_in_memory_order(f, n * bytes) : NULL;
  if (whole) {
    LLVMValueRef words = gather_vector(f, whole, pointers, component_align(align, n * bytes));
    return LLVMBuildBitCast(ll->b, words, LLVMVectorType(element, n * f->form->lanes), "");
  }
  LLVMValueRef transposed = f->at.in_memory_order ? NULL : kiln_ll_gather_transposed(f, type, pointers, align);
  if (transposed)
    return transposed;
  if (f->at.in_memory_order || kiln_ll_gathers_by_lane(f))
    return kiln_ll_load_by_lane(f, element, n, pointers, align);
  for (unsigned c = 0, some; c < n; c += some) {
    LLVMValueRef address = component_address(f, pointers, c, bytes);
    some = per_word(n, c, bytes);
    if (some == 1) {
      bool in_words = bytes < 4 && align >= bytes && ll->machine->cpu.has_avx512;
      parts[c] = in_words ? gather_narrow(f, element, address, bytes)
                          : gather_vector(f, element, address, component_align(align, bytes));
      continue;
    }
    LLVMValueRef word =
        gather_vector(f, kiln_ll_int(ll, 8 * some * bytes), address, component_align(align, some * bytes));
    kiln_ll_split_words(f, word, element, some, parts + c);
  }
  return kiln_ll_join_components(f, parts, n);
}

void kiln_ll_scatter(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef pointers, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned n = kiln_type_lanes(type), bytes = kiln_ll_element_bytes(type);
  LLVMTypeRef whole = f->at.in_memory_order ? word_in_memory_order(f, n * bytes) : NULL;
  ll->gathers_emitted++;
  if (whole) {
    value = LLVMBuildBitCast(ll->b, value, LLVMVectorType(whole, f->form->lanes), "");
    scatter_vector(f, value, pointers, component_align(align, n * bytes));
    return;
  }
  // Whole chunks are stored as they are loaded: several scatters of their parts take longer.
  if (f->at.in_memory_order || kiln_ll_gathers_by_lane(f) || kiln_ll_is_transposed_vector(f, type)) {
    kiln_ll_store_by_lane(f, value, n, pointers, align);
    return;
  }
  for (unsigned c = 0, some; c < n; c += some) {
    LLVMValueRef address = component_address(f, pointers, c, bytes), parts[8];
    some = per_word(n, c, bytes);
    for (unsigned i = 0; i < some; i++)
      parts[i] = kiln_ll_component(f, value, c + i);
    LLVMValueRef word = parts[0];
    if (some > 1) {
      word = kiln_ll_to_lanes(f, kiln_ll_join_components(f, parts, some), some, some);
      word = LLVMBuildBitCast(ll->b, word, LLVMVectorType(kiln_ll_int(ll, 8 * some * bytes), f->form->lanes), "");
    }
    scatter_vector(f, word, address, component_align(align, some * bytes));
  }
}
