// The words of the launch and its group that the driver passes to a kernel.
#include "backends/llvm/spmd/launch.h"

_Static_assert(KILN_LL_ITEM_COUNT < KILN_LL_WORDS, "room for all words");
_Static_assert(offsetof(struct kiln_cpu_launch, work_dim) == 8 * KILN_LL_WORK_DIM, "as the members lie");
_Static_assert(offsetof(struct kiln_cpu_launch, noalias) == 8 * KILN_LL_NOALIAS, "as the members lie");
_Static_assert(offsetof(struct kiln_cpu_launch, large) == 8 * KILN_LL_LARGE, "as the members lie");
_Static_assert(offsetof(struct kiln_cpu_launch, stop) == 8 * KILN_LL_STOP, "as the members lie");
_Static_assert(offsetof(struct kiln_cpu_launch, leave) == 8 * KILN_LL_LEAVE, "as the members lie");
_Static_assert(offsetof(struct kiln_cpu_group, plane) == 8 * (KILN_LL_PLANE - KILN_LL_GROUP_ID), "as the members lie");

static LLVMValueRef make_word(struct kiln_ll_fn *f, unsigned number, LLVMBuilderRef b) {
  struct kiln_ll *ll = f->ll;
  bool of_group = number >= KILN_LL_GROUP_ID;
  if (number == KILN_LL_ITEM_COUNT) {
    LLVMValueRef plane =
        LLVMBuildMul(b, kiln_ll_word(f, KILN_LL_FULL_LOCAL), kiln_ll_word(f, KILN_LL_FULL_LOCAL + 1), "");
    if (f->cpu.rows)
      plane = LLVMBuildUDiv(b, plane, kiln_ll_i64(ll, f->cpu.rows), "");
    return LLVMBuildMul(b, plane, kiln_ll_word(f, KILN_LL_FULL_LOCAL + 2), "item.count");
  }
  bool is_pointer =
      (number >= KILN_LL_ARGS && number <= KILN_LL_PRINT_USER) || (number >= KILN_LL_STOP && number <= KILN_LL_STATE);
  LLVMTypeRef type = number == KILN_LL_WORK_DIM ? ll->i32 : is_pointer ? ll->ptr : ll->i64;
  LLVMValueRef index = kiln_ll_i64(ll, of_group ? number - KILN_LL_GROUP_ID : number);
  LLVMValueRef address = LLVMBuildGEP2(b, ll->i64, of_group ? f->cpu.group_block : f->cpu.launch, &index, 1, "");
  LLVMValueRef load = LLVMBuildLoad2(b, type, address, "");
  LLVMSetAlignment(load, 8);
  return load;
}

// The size that groups are known to have in a dimension; NULL: any. The driver chooses the group size of flat kernels.
static LLVMValueRef known_size(struct kiln_ll_fn *f, unsigned d) {
  uint32_t size = f->fn->required_group_size[d];
  if (f->fn->merged_groups && d == 0)
    return kiln_ll_i64(f->ll, f->fn->merged_groups);
  bool is_required = f->fn->is_kernel && !f->fn->is_flat && f->fn->required_group_size[0];
  return is_required ? kiln_ll_i64(f->ll, size ? size : 1) : NULL;
}

// Loads the word at the end of the entry block on first use.
LLVMValueRef kiln_ll_word(struct kiln_ll_fn *f, unsigned number) {
  LLVMValueRef known = NULL;
  bool full_row = number == KILN_LL_LOCAL_SIZE && f->fn->merged_groups && f->cpu.whole_rows;
  if (number >= KILN_LL_FULL_LOCAL && number < KILN_LL_FULL_LOCAL + 3)
    known = known_size(f, number - KILN_LL_FULL_LOCAL);
  else if (full_row || (f->cpu.full_groups && number >= KILN_LL_LOCAL_SIZE && number < KILN_LL_LOCAL_SIZE + 3))
    known = known_size(f, number - KILN_LL_LOCAL_SIZE);
  else if (number >= KILN_LL_GROUP_BASE && number < KILN_LL_GROUP_BASE + 3)
    known = f->cpu.part_base[number - KILN_LL_GROUP_BASE];
  if (!known && number >= KILN_LL_LOCAL_SIZE && number < KILN_LL_LOCAL_SIZE + 3)
    known = f->cpu.part_size[number - KILN_LL_LOCAL_SIZE];
  if (known)
    return known;
  if (f->made->words[number])
    return f->made->words[number];
  LLVMBuilderRef b = LLVMCreateBuilderInContext(f->ll->context);
  LLVMPositionBuilderAtEnd(b, f->entry);
  LLVMValueRef value = f->made->words[number] = make_word(f, number, b);
  LLVMDisposeBuilder(b);
  return value;
}

LLVMValueRef kiln_ll_live_items(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef plane =
      LLVMBuildMul(b, kiln_ll_word(f, KILN_LL_LOCAL_SIZE), kiln_ll_word(f, KILN_LL_LOCAL_SIZE + 1), "");
  if (f->cpu.rows)
    plane = LLVMBuildUDiv(b, plane, kiln_ll_i64(f->ll, f->cpu.rows), "");
  return LLVMBuildMul(b, plane, kiln_ll_word(f, KILN_LL_LOCAL_SIZE + 2), "items");
}
