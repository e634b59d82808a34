// The test of a uniform-loop version (plan/uniform_loop.c): one scalar comparison says whether all lanes stay in the
// loop.
#include "backends/llvm/spmd/spmd.h"

bool kiln_ll_uniform_loop_fits(const struct kiln_ll_fn *f, kiln_value extension) {
  const struct kiln_inst *in = kiln_inst(f->fn, extension);
  return f->at.uniform_test && in->op == (f->at.tested_signed ? KILN_OP_SEXT : KILN_OP_ZEXT) &&
         kiln_operands(f->fn, extension)[0] == f->at.tested_id;
}

// Whether lane 0 stays in the loop and the linear value does not wrap: all other lanes then stay, too.
static LLVMValueRef first_lane_stays(struct kiln_ll_fn *f, const struct kiln_ll_loop_test *loop_test) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef low = kiln_ll_held(f, loop_test->low), high = kiln_ll_held(f, loop_test->high);
  uint64_t span = (uint64_t)kiln_ll_shape(f, loop_test->high).stride * (f->form->lanes - 1);
  LLVMValueRef last = LLVMBuildAdd(b, high, LLVMConstInt(LLVMTypeOf(high), span, false), "");
  LLVMIntPredicate less = kiln_ll_less(loop_test->is_signed, !loop_test->strict);
  LLVMValueRef fits = LLVMBuildICmp(b, kiln_ll_less(loop_test->is_signed, true), high, last, "");
  return LLVMBuildAnd(b, fits, LLVMBuildICmp(b, less, low, high, ""), "all.stay");
}

// Whether the last lane stays in the loop. Its distance from lane 0 is subtracted from the bound, which is
// loop-invariant. If the difference does not fit the type, not even lane 0 stays.
static LLVMValueRef last_lane_stays(struct kiln_ll_fn *f, const struct kiln_ll_loop_test *loop_test) {
  bool counts_up = loop_test->linear == loop_test->low;
  int64_t stride = kiln_ll_shape(f, loop_test->linear).stride;
  uint64_t span = (uint64_t)(counts_up ? stride : -stride) * (f->form->lanes - 1) - !loop_test->strict;
  LLVMValueRef low = kiln_ll_held(f, loop_test->low), high = kiln_ll_held(f, loop_test->high);
  LLVMValueRef args[2] = {counts_up ? high : low, LLVMConstInt(LLVMTypeOf(low), span, false)};
  const char *name = counts_up ? (loop_test->is_signed ? "llvm.ssub.sat" : "llvm.usub.sat")
                               : (loop_test->is_signed ? "llvm.sadd.sat" : "llvm.uadd.sat");
  LLVMValueRef bound = kiln_ll_intrinsic_same(f->ll, name, args, 2);
  return LLVMBuildICmp(f->ll->b, kiln_ll_less(loop_test->is_signed, false), counts_up ? low : bound,
                       counts_up ? bound : high, "all.stay");
}

void kiln_ll_uniform_loop_test(struct kiln_ll_fn *f, kiln_value test) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_function *fn = f->fn;
  struct kiln_ll_loop_test loop_test;
  uint32_t first = fn->nodes[kiln_inst(fn, test)->node].region_first;
  kiln_ll_find_loop_test(f, kiln_operands(fn, test)[0], kiln_inst(fn, fn->regions[first].first)->op == KILN_OP_YIELD,
                         &loop_test);
  f->at.tested_id = loop_test.linear;
  f->at.tested_signed = loop_test.is_signed;
  LLVMValueRef all = loop_test.first ? first_lane_stays(f, &loop_test) : last_lane_stays(f, &loop_test);
  if (f->form->conditional[f->at.tested_id] && f->form->made->guards[f->at.tested_id]) { // tested here only
    all = LLVMBuildAnd(ll->b, all, f->form->made->guards[f->at.tested_id], "");
    f->form->made->guards[f->at.tested_id] = NULL;
  }
  LLVMBasicBlockRef body = kiln_ll_block(f, "full.body");
  LLVMBuildCondBr(ll->b, all, body, f->at.remainder);
  LLVMPositionBuilderAtEnd(ll->b, body);
}
