// The loops of a kernel that was a grid-stride loop (arrange/grid_stride.c): over the parts of a row, and over the
// iterations of each part.
#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"

// The value of the row's first work-item, in 64 bits.
static LLVMValueRef of_first_item(const struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll_fn first = *f;
  first.form = NULL;
  first.cpu.local_id[0] = first.cpu.local_id[1] = kiln_ll_i64(f->ll, 0);
  first.cpu.local_id[2] = f->cpu.plane;
  LLVMValueRef value = kiln_ll_emit_ahead(&first, v);
  return kiln_ll_extended(f->ll, value, f->cpu.grid_stride->is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT);
}

// Whether the indices of a row of so many work-items follow one another without a wrap: those of the first iteration,
// and those of the iteration after each index that is below the bound.
static LLVMValueRef row_fits(struct kiln_ll_fn *f, LLVMValueRef size) {
  const struct kiln_ll_grid_stride *loop = f->cpu.grid_stride;
  LLVMBuilderRef b = f->ll->b;
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, loop->index)));
  LLVMValueRef most = kiln_ll_i64(f->ll, UINT64_MAX >> (64 - bits + loop->is_signed));
  LLVMValueRef step = of_first_item(f, loop->step), last = LLVMBuildSub(b, most, step, "");
  LLVMIntPredicate le = kiln_ll_less(loop->is_signed, true);
  LLVMValueRef fits =
      LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULE, size, step, ""), LLVMBuildICmp(b, LLVMIntULE, step, most, ""), "");
  fits = LLVMBuildAnd(b, fits, LLVMBuildICmp(b, le, of_first_item(f, loop->index), last, ""), "");
  return LLVMBuildAnd(b, fits, LLVMBuildICmp(b, le, of_first_item(f, loop->bound), last, ""), "");
}

// Whether the row's first work-item has the iteration; if it has not, no work-item of the row has.
static LLVMValueRef goes_on(struct kiln_ll_fn *f) {
  const struct kiln_ll_grid_stride *loop = f->cpu.grid_stride;
  LLVMValueRef index = of_first_item(f, loop->index);
  LLVMIntPredicate less = kiln_ll_less(loop->is_signed, loop->reaches_bound);
  return LLVMBuildICmp(f->ll->b, less, index, of_first_item(f, loop->bound), "");
}

// The iterations of a row.
static void iterations(struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef distance = kiln_ll_begin_loop(f, "iterations", kiln_ll_i64(f->ll, 0), "distance");
  LLVMBasicBlockRef body = kiln_ll_block(f, "iteration"), done = kiln_ll_block(f, "iterations.end");
  f->cpu.distance = distance;
  LLVMBuildCondBr(b, goes_on(f), body, done);
  LLVMPositionBuilderAtEnd(b, body);
  kiln_ll_items(f, emit, user);
  LLVMValueRef next = LLVMBuildAdd(b, distance, of_first_item(f, f->cpu.grid_stride->step), "");
  kiln_ll_add_incoming(distance, next, LLVMGetInsertBlock(b));
  kiln_ll_never_unroll(f->ll->context, LLVMBuildBr(b, LLVMGetInstructionParent(distance)));
  LLVMPositionBuilderAtEnd(b, done);
}

// Ends a loop by steps to the size.
static void end_loop(struct kiln_ll_fn *f, LLVMValueRef phi, LLVMValueRef step, LLVMValueRef size) {
  LLVMBuilderRef b = f->ll->b;
  LLVMBasicBlockRef done = kiln_ll_block(f, "loop.end");
  LLVMValueRef next = LLVMBuildAdd(b, phi, step, "");
  kiln_ll_add_incoming(phi, next, LLVMGetInsertBlock(b));
  LLVMValueRef goes_on = LLVMBuildICmp(b, LLVMIntULT, next, size, "");
  kiln_ll_never_unroll(f->ll->context, LLVMBuildCondBr(b, goes_on, LLVMGetInstructionParent(phi), done));
  LLVMPositionBuilderAtEnd(b, done);
}

// A flat kernel does not ask about its group. So words may say that the group is a row, or one work-item.
void kiln_ll_grid_stride_items(const struct kiln_ll_fn *from, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef zero = kiln_ll_i64(f->ll, 0), one = kiln_ll_i64(f->ll, 1), row = NULL, base[2], size[2];
  bool one_row = f->cpu.one_row;
  for (unsigned d = 0; d < 2; d++) {
    base[d] = kiln_ll_word(f, KILN_LL_GROUP_BASE + d);
    size[d] = kiln_ll_word(f, KILN_LL_LOCAL_SIZE + d);
  }
  if (!one_row) {
    row = kiln_ll_begin_loop(f, "rows", zero, "row");
    f->cpu.part_base[1] = LLVMBuildAdd(b, base[1], row, "");
    f->cpu.part_size[1] = one;
    f->cpu.one_row = true;
  }
  f->cpu.distance = zero;
  LLVMValueRef count = LLVMBuildSelect(b, row_fits(f, size[0]), size[0], one, "together");
  LLVMValueRef first = kiln_ll_begin_loop(f, "row.parts", zero, "first");
  f->cpu.part_base[0] = LLVMBuildAdd(b, base[0], first, "");
  f->cpu.part_size[0] = count;
  iterations(f, emit, user);
  end_loop(f, first, count, size[0]);
  if (!one_row)
    end_loop(f, row, one, size[1]);
}
