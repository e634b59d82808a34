// Groups that end early: because the launch is being stopped, or because a trap or an assertion fails. The driver's
// function does not return (backends/cpu/abi.h).
#include <string.h>

#include "backends/cpu/abi.h"
#include "backends/llvm/core/emit.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/launch.h"

bool kiln_ll_may_fail(const struct kiln_ll *ll) {
  for (uint32_t i = 0; i < ll->ir->function_count; i++) {
    const struct kiln_function *fn = ll->ir->functions[i];
    for (kiln_value v = 1; v < fn->inst_count; v++)
      if (fn->insts[v].region && fn->insts[v].op == KILN_OP_PRINTF && fn->insts[v].flags & KILN_PRINT_FAIL)
        return true;
  }
  return false;
}

void kiln_ll_leave_group(struct kiln_ll_fn *f, LLVMValueRef failure) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef types[2] = {ll->ptr, ll->ptr}, type = LLVMFunctionType(ll->void_type, types, 2, false);
  LLVMValueRef args[2] = {f->cpu.group_block, failure},
               call = LLVMBuildCall2(ll->b, type, kiln_ll_word(f, KILN_LL_LEAVE), args, 2, "");
  static const char *const attributes[] = {"noreturn", "nounwind", "cold"};
  for (unsigned i = 0; i < 3; i++)
    kiln_ll_call_attribute(ll, call, attributes[i]);
}

void kiln_ll_cpu_poll(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMBasicBlockRef leave = kiln_ll_block(f, "stop"), go_on = kiln_ll_block(f, "go.on");
  LLVMValueRef stop = LLVMBuildLoad2(b, ll->i32, kiln_ll_word(f, KILN_LL_STOP), ""); // volatile: others write it
  LLVMSetVolatile(stop, true);
  LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, stop, kiln_ll_i32(ll, 0), ""), leave, go_on);
  kiln_ll_unlikely(ll->context, branch);
  LLVMPositionBuilderAtEnd(b, leave);
  kiln_ll_leave_group(f, LLVMConstNull(ll->ptr));
  LLVMBuildUnreachable(b);
  LLVMPositionBuilderAtEnd(b, go_on);
}
