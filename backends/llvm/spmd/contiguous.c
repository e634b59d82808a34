// Contiguous accesses: one vector access, under a mask where lanes are off.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

// The mask with every lane repeated room times, of which the first n are set.
static LLVMValueRef element_mask(struct kiln_ll_fn *f, LLVMValueRef mask, unsigned n, unsigned room) {
  unsigned lanes = f->form->lanes;
  int list[16 * KILN_LL_MAX_LANES];
  if (room == 1)
    return mask;
  for (unsigned i = 0; i < room * lanes; i++)
    list[i] = (int)(i % room < n ? i / room : lanes);
  return kiln_ll_shuffle(f->ll, mask, LLVMConstNull(LLVMTypeOf(mask)), list, room * lanes);
}

// Whether the machine has no masked access to the elements. LLVM then tests and moves one lane after another.
static bool goes_by_lane(const struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef mask) {
  return mask && kiln_ll_bits(element) / 8 < f->ll->machine->cpu.mask_bytes && !LLVMIsConstant(mask);
}

// Whether stores test for a full mask first. It pays under control flow, where most masks are full. The masked tail of
// a row is never full.
static bool tests_for_full(const struct kiln_ll_fn *f, LLVMTypeRef element, LLVMValueRef mask) {
  return goes_by_lane(f, element, mask) && !f->at.base;
}

// Whether stores test for a full mask first on machines with AVX's masked stores, which take ten times as long on AMD
// processors.
static bool stores_test_for_full(const struct kiln_ll_fn *f, LLVMValueRef mask) {
  return mask && f->ll->machine->cpu.mask_bytes > 1 && !LLVMIsConstant(mask) && !f->at.base;
}

// Whether LLVM does not know the object that the address points into, so that it does not take a load outside of it for
// undefined behaviour.
static bool is_of_caller(LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address))
    address = LLVMGetOperand(address, 0);
  return LLVMIsALoadInst(address) || LLVMIsAArgument(address);
}

#define PAGE 4096 // or a multiple

// Whether a contiguous access lies within one page. If at least one lane is on, all of it may then be loaded.
static LLVMValueRef is_in_page(struct kiln_ll_fn *f, LLVMValueRef address, uint64_t bytes) {
  LLVMBuilderRef b = f->ll->b;
  LLVMTypeRef i64 = f->ll->i64;
  LLVMValueRef offset = LLVMBuildPtrToInt(b, address, i64, "");
  offset = LLVMBuildAnd(b, offset, LLVMConstInt(i64, PAGE - 1, false), "");
  return LLVMBuildICmp(b, LLVMIntULE, offset, LLVMConstInt(i64, PAGE - bytes, false), "");
}

static LLVMValueRef is_full(struct kiln_ll_fn *f, LLVMValueRef mask) {
  LLVMTypeRef bits = kiln_ll_int(f->ll, f->form->lanes);
  return LLVMBuildICmp(f->ll->b, LLVMIntEQ, LLVMBuildBitCast(f->ll->b, mask, bits, ""), LLVMConstAllOnes(bits), "full");
}

static LLVMValueRef load_whole(struct kiln_ll *ll, LLVMTypeRef type, LLVMValueRef address, unsigned align) {
  LLVMValueRef value = LLVMBuildLoad2(ll->b, type, address, "");
  LLVMSetAlignment(value, align);
  return value;
}

static LLVMValueRef load_part(struct kiln_ll *ll, LLVMTypeRef type, LLVMValueRef address, unsigned align,
                              LLVMValueRef mask) {
  LLVMTypeRef types[2] = {type, LLVMTypeOf(address)};
  LLVMValueRef args[4] = {address, kiln_ll_i32(ll, align), mask, LLVMConstNull(type)};
  return kiln_ll_intrinsic(ll, "llvm.masked.load", types, 2, args, 4);
}

static void store_part(struct kiln_ll *ll, LLVMValueRef value, LLVMValueRef address, unsigned align,
                       LLVMValueRef mask) {
  LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(address)};
  LLVMValueRef args[4] = {value, address, kiln_ll_i32(ll, align), mask};
  kiln_ll_intrinsic(ll, "llvm.masked.store", types, 2, args, 4);
}

// Whether the thread's own memory is accessed unmasked under a mask, since the machine has no masked access or a slow
// one. At least one lane is on, so the access stays within the thread's own memory and its padding.
static bool is_whole(const struct kiln_ll_fn *f, LLVMTypeRef type, bool own) {
  return own && f->ll->machine->cpu.mask_bytes > 1 && kiln_ll_bits(type) / 8 * LLVMGetVectorSize(type) <= KILN_CPU_ROOM;
}

LLVMValueRef kiln_ll_load_contiguous(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, unsigned room,
                                     LLVMValueRef address, unsigned align, LLVMValueRef mask, bool own) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef type = LLVMVectorType(element, room * f->form->lanes);
  LLVMValueRef values[2];
  struct kiln_ll_versions versions;
  if (!mask || is_whole(f, type, own))
    return kiln_ll_from_lanes(f, load_whole(ll, type, address, align), n, room);
  uint64_t bytes = (uint64_t)kiln_ll_bits(element) / 8 * room * f->form->lanes;
  bool in_page = goes_by_lane(f, element, mask) && is_of_caller(address) && bytes <= PAGE;
  if (own || (!in_page && !tests_for_full(f, element, mask))) // own: a branch may be impossible here
    return kiln_ll_from_lanes(f, load_part(ll, type, address, align, element_mask(f, mask, n, room)), n, room);
  kiln_ll_begin_versions(f, &versions, in_page ? is_in_page(f, address, bytes) : is_full(f, mask), "fast");
  values[0] = load_whole(ll, type, address, align);
  kiln_ll_other_version(f, &versions);
  values[1] = load_part(ll, type, address, align, element_mask(f, mask, n, room));
  kiln_ll_end_versions(f, &versions);
  return kiln_ll_from_lanes(f, kiln_ll_merge_versions(f, &versions, values), n, room);
}

void kiln_ll_store_contiguous(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, LLVMValueRef address,
                              unsigned align, LLVMValueRef mask, bool own) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_versions versions;
  value = kiln_ll_to_lanes(f, value, n, room);
  if (mask && is_whole(f, LLVMTypeOf(value), own)) { // lanes that are off keep their value
    LLVMValueRef old = load_whole(ll, LLVMTypeOf(value), address, align);
    value = LLVMBuildSelect(ll->b, element_mask(f, mask, n, room), value, old, "");
    mask = NULL;
  }
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  bool both = stores_test_for_full(f, mask);
  if (both)
    kiln_ll_begin_versions(f, &versions, is_full(f, mask), "fast");
  if (both || !mask)
    LLVMSetAlignment(LLVMBuildStore(ll->b, value, address), align);
  if (both)
    kiln_ll_other_version(f, &versions);
  if (goes_by_lane(f, element, mask))
    kiln_ll_store_contiguous_by_lane(f, value, n, room, kiln_ll_bits(element) / 8, address, align, mask);
  else if (mask)
    store_part(ll, value, address, align, element_mask(f, mask, n, room));
  if (both)
    kiln_ll_end_versions(f, &versions);
}
