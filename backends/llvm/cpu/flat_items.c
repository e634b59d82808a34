// The code of a kernel whose lanes follow the flattened index (flatten.c).
//
// Positions in the dimensions of the launch are computed from the index. The row in which a warp begins and its
// position there take two scalar divisions. Lanes are at most 63 steps further on: how many rows that is, is the
// quotient of small numbers, which a multiplication of floats by a reciprocal gives exactly.
#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

// Lanes are at most KILN_LL_MAX_LANES steps further on than the first one. A row that is longer ends at most once.
#define LONG_ROW 1024

// Numbers below 2^31 are divided by a multiplication of doubles: half a step more than the number never rounds to the
// next quotient. A division takes several times as long.
static void divide(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef by, LLVMValueRef *quotient,
                   LLVMValueRef *remainder) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  if (!f->fn->module->small_ids) {
    *quotient = LLVMBuildUDiv(b, x, by, "");
  } else {
    LLVMValueRef reciprocal = LLVMBuildFDiv(b, LLVMConstReal(ll->f64, 1), LLVMBuildSIToFP(b, by, ll->f64, ""), "");
    LLVMValueRef middle = LLVMBuildFAdd(b, LLVMBuildSIToFP(b, x, ll->f64, ""), LLVMConstReal(ll->f64, 0.5), "");
    *quotient = LLVMBuildFPToSI(b, LLVMBuildFMul(b, middle, reciprocal, ""), ll->i64, "");
  }
  *remainder = LLVMBuildSub(b, x, LLVMBuildMul(b, *quotient, by, ""), "");
}

// By lane, as i32: how many ends of rows of the size lie between the position and the one that is steps further on.
static LLVMValueRef ends(struct kiln_ll_fn *f, LLVMValueRef position, LLVMValueRef size, LLVMValueRef steps) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef most = kiln_ll_i64(ll, LONG_ROW), ahead = LLVMBuildSub(b, size, position, "");
  size = kiln_ll_plain(ll, KILN_OP_UMIN, size, most);
  ahead = kiln_ll_plain(ll, KILN_OP_UMIN, ahead, size);
  LLVMValueRef first = LLVMBuildTrunc(b, LLVMBuildSub(b, size, ahead, ""), ll->i32, "");
  LLVMValueRef x = LLVMBuildAdd(b, kiln_ll_broadcast(f, first), steps, "");
  LLVMTypeRef type = kiln_ll_like(x, ll->f32);
  LLVMValueRef middle = LLVMBuildFAdd(b, LLVMBuildSIToFP(b, x, type, ""), kiln_ll_splat_float(type, 0.5), "");
  LLVMValueRef by = LLVMBuildSIToFP(b, LLVMBuildTrunc(b, size, ll->i32, ""), ll->f32, "");
  LLVMValueRef reciprocal = LLVMBuildFDiv(b, LLVMConstReal(ll->f32, 1), by, "");
  return LLVMBuildFPToSI(b, LLVMBuildFMul(b, middle, kiln_ll_broadcast(f, reciprocal), ""), LLVMTypeOf(x), "");
}

// position + steps - ends * size, by lane.
static LLVMValueRef moved(struct kiln_ll_fn *f, LLVMValueRef position, LLVMValueRef size, LLVMValueRef steps,
                          LLVMValueRef rows) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef wide = kiln_ll_like(steps, ll->i64), type = f->fn->module->small_ids ? ll->i32 : ll->i64;
  if (f->fn->module->small_ids) {
    position = LLVMBuildTrunc(b, position, type, "");
    size = LLVMBuildTrunc(b, size, type, "");
  } else {
    steps = LLVMBuildZExt(b, steps, wide, "");
    rows = LLVMBuildZExt(b, rows, wide, "");
  }
  LLVMValueRef at = LLVMBuildAdd(b, kiln_ll_broadcast(f, position), steps, "");
  at = LLVMBuildSub(b, at, LLVMBuildMul(b, rows, kiln_ll_broadcast(f, size), ""), "");
  return f->fn->module->small_ids ? LLVMBuildZExt(b, at, wide, "") : at;
}

static bool uses_positions(const struct kiln_ll_fn *f) {
  for (kiln_value v = 1; v < f->fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(f->fn, v);
    if (in->region && in->op == KILN_OP_GLOBAL_ID && in->imm != KILN_FLAT_DIMENSION)
      return true;
  }
  return false;
}

static LLVMValueRef flat_index(struct kiln_ll_fn *f) {
  return LLVMBuildAdd(f->ll->b, kiln_ll_word(f, KILN_LL_GROUP_BASE), f->cpu.local_id[0], "");
}

void kiln_ll_set_flat_warp(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  if (!uses_positions(f))
    return;
  LLVMValueRef sizes[2] = {kiln_ll_word(f, KILN_LL_GLOBAL_SIZE), kiln_ll_word(f, KILN_LL_GLOBAL_SIZE + 1)};
  LLVMValueRef *out = f->cpu.lane_id, steps = kiln_ll_iota(f, ll->i32, 1), row, plane, x, y;
  divide(f, flat_index(f), sizes[0], &row, &x);
  LLVMValueRef rows = ends(f, x, sizes[0], steps);
  out[0] = moved(f, x, sizes[0], steps, rows);
  if (f->cpu.flattened->planes) {
    out[1] = moved(f, row, kiln_ll_i64(ll, 0), rows, LLVMConstNull(LLVMTypeOf(rows)));
    out[2] = kiln_ll_broadcast(f, kiln_ll_word(f, KILN_LL_GROUP_BASE + 2));
    return;
  }
  divide(f, row, sizes[1], &plane, &y);
  LLVMValueRef planes = ends(f, y, sizes[1], rows);
  out[1] = moved(f, y, sizes[1], rows, planes);
  out[2] = moved(f, plane, kiln_ll_i64(ll, 0), planes, LLVMConstNull(LLVMTypeOf(planes)));
}

LLVMValueRef kiln_ll_flat_position(struct kiln_ll_fn *f, unsigned d) {
  LLVMValueRef size[2] = {kiln_ll_word(f, KILN_LL_GLOBAL_SIZE), kiln_ll_word(f, KILN_LL_GLOBAL_SIZE + 1)}, at[3];
  if (f->form)
    return f->cpu.lane_id[d];
  divide(f, flat_index(f), size[0], &at[1], &at[0]);
  at[2] = kiln_ll_word(f, KILN_LL_GROUP_BASE + 2);
  if (!f->cpu.flattened->planes)
    divide(f, at[1], size[1], &at[2], &at[1]);
  return at[d];
}

// ---- rows, for where the flattened index is not what addresses follow

// Sets words that describe a group of so many rows.
static void set_rows(struct kiln_ll_fn *f, LLVMValueRef size, LLVMValueRef rows, const LLVMValueRef at[3]) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef sizes[3] = {size, rows, kiln_ll_i64(f->ll, 1)};
  for (unsigned d = 0; d < (f->cpu.flattened->planes ? 2 : 3); d++) {
    f->cpu.part_base[d] = LLVMBuildAdd(b, kiln_ll_word(f, KILN_LL_OFFSET + d), at[d], "");
    f->cpu.part_size[d] = sizes[d];
  }
}

// Runs the work-items of the group in pieces, each of which is several whole rows of a plane, or a part of one row.
static void flat_rows(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  bool planes = f->cpu.flattened->planes;
  LLVMValueRef zero = kiln_ll_i64(ll, 0), one = kiln_ll_i64(ll, 1), row, first[3], at[3], next[3];
  LLVMValueRef sizes[2] = {kiln_ll_word(f, KILN_LL_GLOBAL_SIZE), kiln_ll_word(f, KILN_LL_GLOBAL_SIZE + 1)};
  divide(f, kiln_ll_word(f, KILN_LL_GROUP_BASE), sizes[0], &row, &first[0]);
  first[1] = row;
  first[2] = zero;
  if (!planes)
    divide(f, row, sizes[1], &first[2], &first[1]);
  LLVMValueRef count = kiln_ll_word(f, KILN_LL_LOCAL_SIZE);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b), body = kiln_ll_block(f, "rows");
  LLVMBuildBr(b, body);
  LLVMPositionBuilderAtEnd(b, body);
  LLVMValueRef remaining = LLVMBuildPhi(b, ll->i64, "remaining");
  for (unsigned d = 0; d < 3; d++)
    at[d] = LLVMBuildPhi(b, ll->i64, "position");
  LLVMValueRef size = LLVMBuildSub(b, sizes[0], at[0], ""), rows, ahead = LLVMBuildSub(b, sizes[1], at[1], "");
  LLVMValueRef is_whole = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, at[0], zero, ""),
                                       LLVMBuildICmp(b, LLVMIntULE, size, remaining, ""), "");
  size = kiln_ll_plain(ll, KILN_OP_UMIN, size, remaining);
  divide(f, remaining, sizes[0], &rows, &next[0]);
  rows = kiln_ll_plain(ll, KILN_OP_UMIN, rows, ahead);
  rows = LLVMBuildSelect(b, is_whole, rows, one, "");
  struct kiln_ll_fn part = *f;
  set_rows(&part, size, rows, at);
  part.cpu.flattened = NULL;
  part.cpu.one_row = false;
  kiln_ll_items(&part, kiln_ll_emit_body, NULL);
  LLVMValueRef rest = LLVMBuildSub(b, remaining, LLVMBuildMul(b, size, rows, ""), "");
  next[0] = zero;
  next[1] = LLVMBuildAdd(b, at[1], rows, "");
  next[2] = at[2];
  if (!planes) {
    LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntEQ, next[1], sizes[1], "");
    next[1] = LLVMBuildSelect(b, ends, zero, next[1], "");
    next[2] = LLVMBuildSelect(b, ends, LLVMBuildAdd(b, at[2], one, ""), at[2], "");
  }
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b), done = kiln_ll_block(f, "rows.end");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, rest, zero, ""), body, done);
  LLVMAddIncoming(remaining, (LLVMValueRef[]){count, rest}, (LLVMBasicBlockRef[]){before, here}, 2);
  for (unsigned d = 0; d < 3; d++)
    LLVMAddIncoming(at[d], (LLVMValueRef[]){first[d], next[d]}, (LLVMBasicBlockRef[]){before, here}, 2);
  LLVMPositionBuilderAtEnd(b, done);
}

// ---- the whole

// A value that is the same for the launch, before any loop over work-items.
static void emit_uniform(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (!in->region || f->values[v])
    return;
  for (uint32_t i = 0; i < in->operand_count; i++)
    emit_uniform(f, kiln_operands(f->fn, v)[i]);
  kiln_ll_inst(f, v);
}

void kiln_ll_flat_items(struct kiln_ll_fn *f) {
  const struct kiln_ll_flattened *flattened = f->cpu.flattened;
  LLVMValueRef holds = NULL;
  for (uint32_t i = 0; i < flattened->condition_count; i++) {
    emit_uniform(f, flattened->conditions[i]);
    LLVMValueRef condition = kiln_ll_held(f, flattened->conditions[i]);
    holds = holds ? LLVMBuildAnd(f->ll->b, holds, condition, "") : condition;
  }
  struct kiln_ll_versions versions;
  if (holds)
    kiln_ll_begin_versions(f, &versions, holds, "flat");
  kiln_ll_begin_warps(f);
  kiln_ll_items(f, kiln_ll_emit_body, NULL);
  if (!holds)
    return;
  kiln_ll_other_version(f, &versions);
  f->fn = flattened->rows;
  kiln_ll_begin_warps(f);
  flat_rows(f);
  f->fn = flattened->fn;
  kiln_ll_end_versions(f, &versions);
}
