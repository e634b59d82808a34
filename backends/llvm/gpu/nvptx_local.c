// Local variables of NVIDIA's kernels. ptxas and the driver refuse more than 48 KiB of static shared memory in a
// kernel, whatever the device has. In a program with a larger kernel, the local variables of all kernels lie at the
// beginning of the dynamic array instead, each kernel's from offset 0:
//
//   kernel void k() { local int a[15000], b[100]; … }     a at 0, b at 60,000; k's local arguments from 60,416 on
//
// A variable that two kernels use has one offset, which is free in both.
#include "backends/llvm/gpu/nvptx.h"

enum { MAX_STATIC = 49152 };

LLVMValueRef kiln_ll_nvptx_dynamic_memory(struct kiln_ll *ll) {
  LLVMValueRef memory = LLVMGetNamedGlobal(ll->module, "kiln_dynamic");
  if (memory)
    return memory;
  memory =
      LLVMAddGlobalInAddressSpace(ll->module, LLVMArrayType2(ll->i8, 0), "kiln_dynamic", ll->hooks->spaces[KILN_LOCAL]);
  LLVMSetAlignment(memory, 128); // of the largest type
  return memory;
}

static void mark_local(const struct kiln_module *ir, const struct kiln_function *fn, uint8_t *used) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    if (fn->insts[v].op == KILN_OP_GLOBAL && ir->globals[fn->insts[v].imm].space == KILN_LOCAL)
      used[fn->insts[v].imm] = true;
    if (fn->insts[v].op == KILN_OP_CALL && fn->insts[v].region)
      mark_local(ir, ir->functions[fn->insts[v].imm], used);
  }
}

static uint64_t end_of(const struct kiln_global *global, uint64_t begin) {
  return kiln_ll_align_up(begin, global->align ? global->align : 1) + global->size;
}

uint32_t kiln_ll_nvptx_local_bytes(struct kiln_ll *ll, const struct kiln_function *fn) {
  const struct kiln_ll_nvptx *own = ll->nvptx;
  uint8_t *used = KILN_NEW_ARRAY(&ll->arena, uint8_t, ll->ir->global_count + 1);
  uint64_t bytes = 0;
  mark_local(ll->ir, fn, used);
  for (uint32_t i = 0; i < ll->ir->global_count; i++)
    if (used[i])
      bytes = end_of(&ll->ir->globals[i], own->local_offsets ? own->local_offsets[i] : bytes);
  return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

// Offset of each local variable: where the largest of the kernels that use it has room.
static void place(struct kiln_ll *ll) {
  const struct kiln_module *ir = ll->ir;
  uint8_t **used = KILN_NEW_ARRAY(&ll->arena, uint8_t *, ir->function_count + 1);
  uint64_t *ends = KILN_NEW_ARRAY(&ll->arena, uint64_t, ir->function_count + 1);
  uint64_t *offsets = KILN_NEW_ARRAY(&ll->arena, uint64_t, ir->global_count + 1);
  for (uint32_t k = 0; k < ir->function_count; k++) {
    used[k] = KILN_NEW_ARRAY(&ll->arena, uint8_t, ir->global_count + 1);
    if (ir->functions[k]->is_kernel)
      mark_local(ir, ir->functions[k], used[k]);
  }
  for (uint32_t i = 0; i < ir->global_count; i++) {
    const struct kiln_global *global = &ir->globals[i];
    uint64_t begin = 0;
    for (uint32_t k = 0; k < ir->function_count; k++)
      if (used[k][i] && ends[k] > begin)
        begin = ends[k];
    offsets[i] = end_of(global, begin) - global->size;
    for (uint32_t k = 0; k < ir->function_count; k++)
      if (used[k][i])
        ends[k] = offsets[i] + global->size;
  }
  ll->nvptx->local_offsets = offsets;
}

void kiln_ll_nvptx_place_local(struct kiln_ll *ll) {
  const struct kiln_module *ir = ll->ir;
  for (uint32_t k = 0; k < ir->function_count && !ll->nvptx->local_offsets; k++)
    if (ir->functions[k]->is_kernel && kiln_ll_nvptx_local_bytes(ll, ir->functions[k]) > MAX_STATIC)
      place(ll);
}

LLVMValueRef kiln_ll_nvptx_local(struct kiln_ll_fn *f, uint32_t index) {
  struct kiln_ll *ll = f->ll;
  if (!ll->nvptx->local_offsets)
    return kiln_ll_gpu_local(f, index);
  LLVMValueRef offset = LLVMConstInt(ll->i64, ll->nvptx->local_offsets[index], false);
  return LLVMConstGEP2(ll->i8, kiln_ll_nvptx_dynamic_memory(ll), &offset, 1);
}
