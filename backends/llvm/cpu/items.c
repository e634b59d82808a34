// Loops over the work-items of a group: one work-item at a time, or warps along rows or along the linear id. Dimension
// 0 is innermost, so that ids are induction variables.
#include <string.h>

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

struct loops {
  LLVMValueRef id[3]; // by dimension: the phi in the loop's body
  int outermost;
};

// The headers of the loops over dimensions 2 to last. A kernel that runs planes has no loop over dimension 2, and a
// kernel that runs rows has no loop over dimension 1 either.
static void begin_loops(struct kiln_ll_fn *f, struct loops *loops, int last) {
  struct kiln_ll *ll = f->ll;
  static const char *const names[3] = {"item.x", "item.y", "item.z"};
  loops->outermost = f->cpu.one_row ? 0 : f->cpu.plane ? 1 : 2;
  f->cpu.local_id[2] = f->cpu.plane;
  f->cpu.local_id[1] = f->cpu.one_row ? kiln_ll_i64(ll, 0) : NULL;
  for (int d = loops->outermost; d >= last; d--) {
    loops->id[d] = kiln_ll_begin_loop(f, names[d], kiln_ll_i64(ll, 0), "local.id");
    f->cpu.local_id[d] = loops->id[d];
  }
}

// Sets the work-item's number where it is needed.
static void set_item(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  if (!f->group && !f->fn->has_sub_groups)
    return;
  LLVMValueRef row = LLVMBuildMul(b, f->cpu.local_id[2], kiln_ll_word(f, KILN_LL_LOCAL_SIZE + 1), "");
  row = LLVMBuildAdd(b, row, f->cpu.local_id[1], "");
  if (f->cpu.rows) // those that run together share a number
    row = LLVMBuildUDiv(b, row, kiln_ll_i64(f->ll, f->cpu.rows), "");
  row = LLVMBuildMul(b, row, kiln_ll_word(f, KILN_LL_LOCAL_SIZE), "");
  f->cpu.item = LLVMBuildAdd(b, row, f->cpu.local_id[0], "item");
}

static void end_loops(struct kiln_ll_fn *f, struct loops *loops, int first, LLVMMetadataRef access_group) {
  struct kiln_ll *ll = f->ll;
  for (int d = first; d <= loops->outermost; d++) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b), next = kiln_ll_block(f, "items.end");
    bool by_rows = d == 1 && f->cpu.rows;
    LLVMValueRef id = LLVMBuildNUWAdd(ll->b, loops->id[d], kiln_ll_i64(ll, by_rows ? f->cpu.rows : 1), "");
    LLVMValueRef size = kiln_ll_word(f, KILN_LL_LOCAL_SIZE + (unsigned)d);
    LLVMValueRef done = LLVMBuildICmp(ll->b, by_rows ? LLVMIntUGE : LLVMIntEQ, id, size, "");
    LLVMValueRef branch = LLVMBuildCondBr(ll->b, done, next, LLVMGetInstructionParent(loops->id[d]));
    kiln_ll_add_incoming(loops->id[d], id, here);
    if (d == 0 && access_group)
      kiln_ll_mark_loop(ll->context, branch, access_group, ll->machine->cpu.has_avx512);
    else
      kiln_ll_never_unroll(ll->context, branch);
    LLVMPositionBuilderAtEnd(ll->b, next);
  }
}

// Emits one work-item; the builder ends after it.
static void emit_item(struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll_fn item = *f;
  item.walker = &kiln_ll_plain_walker;
  item.end = kiln_ll_block(f, "item.end");
  emit(&item, user);
  kiln_ll_continue_at(f, item.end);
}

#define MAX_LISTED 64 // accesses: where there are more, they are not compared

// Lists loads and stores in the order in which they run; private memory is not marked as parallel.
static void list_accesses(const struct kiln_function *fn, uint32_t region, kiln_value *list, uint32_t *count) {
  for (kiln_value v = fn->regions[region].first; v && *count < MAX_LISTED; v = fn->insts[v].next) {
    const struct kiln_inst *in = &fn->insts[v];
    for (uint32_t r = 0; kiln_op_is_node(in->op) && r < kiln_node(fn, v)->region_count; r++)
      list_accesses(fn, kiln_node(fn, v)->region_first + r, list, count);
    if (*count < MAX_LISTED && kiln_op_is_access(in->op) &&
        kiln_type_space(kiln_value_type(fn, kiln_operands(fn, v)[0])) != KILN_PRIVATE)
      list[(*count)++] = v;
  }
}

// Whether a work-item may access again what it has stored. LLVM's vectoriser takes the accesses of a parallel loop for
// independent within an iteration, too: it would load the members of a record together, before the store.
static bool accesses_what_it_stores(const struct kiln_function *fn) {
  kiln_value list[MAX_LISTED];
  uint32_t count = 0;
  list_accesses(fn, fn->body, list, &count);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = i + 1; k < count && fn->insts[list[i]].op == KILN_OP_STORE; k++)
      if (!kiln_affine_disjoint(fn, kiln_operands(fn, list[i])[0], kiln_type_bytes(kiln_access_type(fn, list[i])),
                                kiln_operands(fn, list[k])[0], kiln_type_bytes(kiln_access_type(fn, list[k]))))
        return true;
  return count == MAX_LISTED;
}

// One work-item at a time.
static void single_items(struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll *ll = f->ll;
  struct loops loops;
  LLVMMetadataRef access_group = kiln_ll_distinct_node(ll->context);
  bool parallel = !accesses_what_it_stores(f->fn);
  f->cpu.access_group = parallel ? LLVMMetadataAsValue(ll->context, access_group) : NULL;
  begin_loops(f, &loops, 0);
  set_item(f);
  emit_item(f, emit, user);
  end_loops(f, &loops, 0, parallel ? access_group : NULL);
}

// The mask of the lanes below remaining.
static LLVMValueRef lanes_below(struct kiln_ll_fn *f, LLVMValueRef remaining) {
  struct kiln_ll *ll = f->ll;
  return LLVMBuildICmp(ll->b, LLVMIntULT, kiln_ll_iota(f, ll->i32, 1),
                       kiln_ll_broadcast(f, LLVMBuildTrunc(ll->b, remaining, ll->i32, "")), "");
}

// Emits one warp, masked or full; the builder ends after it.
static void emit_warp(struct kiln_ll_fn *f, LLVMValueRef mask, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll_frame frame = {.node = UINT32_MAX};
  struct kiln_ll_fn warp = *f;
  warp.end = frame.resume = kiln_ll_block(f, "warp.end");
  warp.walker = &kiln_ll_lanes_walker;
  warp.at.mask = warp.at.base = mask;
  warp.at.frame = &frame;
  emit(&warp, user);
  kiln_ll_continue_at(f, warp.end);
}

// The quotient of integers below 2^24, through floats: rounding cannot reach the next integer.
static LLVMValueRef small_quotient(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef type = kiln_ll_like(x, ll->f32);
  LLVMValueRef q = LLVMBuildFDiv(ll->b, LLVMBuildSIToFP(ll->b, x, type, ""), LLVMBuildSIToFP(ll->b, y, type, ""), "");
  return LLVMBuildFPToSI(ll->b, q, LLVMTypeOf(x), "");
}

// Sets the local ids of lanes whose linear ids start at f->cpu.item.
static void set_lane_ids(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef v = kiln_ll_broadcast(f, LLVMBuildTrunc(b, f->cpu.item, ll->i32, "")), size[2], row, plane;
  v = LLVMBuildAdd(b, v, kiln_ll_iota(f, ll->i32, 1), "");
  for (unsigned d = 0; d < 2; d++)
    size[d] = kiln_ll_broadcast(f, LLVMBuildTrunc(b, kiln_ll_word(f, KILN_LL_LOCAL_SIZE + d), ll->i32, ""));
  row = small_quotient(ll, v, size[0]);
  plane = small_quotient(ll, row, size[1]);
  LLVMValueRef ids[3] = {LLVMBuildSub(b, v, LLVMBuildMul(b, row, size[0], ""), ""),
                         LLVMBuildSub(b, row, LLVMBuildMul(b, plane, size[1], ""), ""), plane};
  for (unsigned d = 0; d < 3; d++)
    f->cpu.lane_id[d] = LLVMBuildZExt(b, ids[d], kiln_ll_like(ids[d], ll->i64), "local.id");
}

// Sets the warp that begins at x: a position in the row, or a linear id.
static void set_warp(struct kiln_ll_fn *f, LLVMValueRef x) {
  if (f->cpu.packed) {
    f->cpu.item = x;
    set_lane_ids(f);
    return;
  }
  f->cpu.local_id[0] = x;
  if (f->cpu.flattened)
    kiln_ll_set_flat_warp(f);
  set_item(f);
}

// A loop over the warps of a row from first to end, which is a multiple of the lanes after first unless the warps have
// a mask. Continues at done. Whole rows have at least one warp.
static void warp_loop(struct kiln_ll_fn *f, LLVMValueRef first, LLVMValueRef end, bool masked, LLVMBasicBlockRef done,
                      kiln_ll_emit_fn *emit, void *user) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef lanes = kiln_ll_i64(f->ll, f->form->lanes);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b), body = kiln_ll_block(f, "warps");
  if (f->cpu.whole_rows && !f->cpu.row_end)
    LLVMBuildBr(b, body);
  else
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, end, first, ""), body, done);
  LLVMPositionBuilderAtEnd(b, body);
  LLVMValueRef x = LLVMBuildPhi(b, f->ll->i64, "local.id");
  kiln_ll_add_incoming(x, first, before);
  set_warp(f, x);
  LLVMValueRef remaining = LLVMBuildSub(b, end, x, "");
  emit_warp(f, masked ? lanes_below(f, kiln_ll_plain(f->ll, KILN_OP_UMIN, remaining, lanes)) : NULL, emit, user);
  LLVMValueRef next = LLVMBuildNUWAdd(b, x, lanes, "");
  kiln_ll_add_incoming(x, next, LLVMGetInsertBlock(b));
  LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, end, ""), body, done);
  (f->cpu.rows ? kiln_ll_never_hoist : kiln_ll_never_unroll)(f->ll->context, branch);
}

// The dispatch between the kinds of warps of one row.
struct warps {
  LLVMBasicBlockRef next;    // the first work-item that has not run
  LLVMValueRef x, remaining; // next as a phi, and the number of work-items from there on
  LLVMValueRef run;          // for how many of them the assumptions of full warps hold
  kiln_ll_emit_fn *emit;
  void *user;
};

// Continues with the dispatch: the work-items before end have run.
static void go_on(struct kiln_ll_fn *f, const struct warps *w, LLVMValueRef end) {
  kiln_ll_add_incoming(w->x, end, LLVMGetInsertBlock(f->ll->b));
  LLVMBuildBr(f->ll->b, w->next);
}

// The number of work-items that full warps run next. Full warps begin at multiples of their lanes; narrower ones lead
// up to those.
static LLVMValueRef full_count(struct kiln_ll_fn *f, const struct warps *w) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef count = w->run, whole = kiln_ll_i64(ll, ~(uint64_t)(f->form->lanes - 1));
  if (f->cpu.full[1]) {
    LLVMValueRef wide = kiln_ll_i64(ll, f->cpu.full[0]->lanes), zero = kiln_ll_i64(ll, 0);
    LLVMValueRef past = LLVMBuildAnd(b, w->x, kiln_ll_i64(ll, f->cpu.full[0]->lanes - 1), "");
    LLVMValueRef at_begin = LLVMBuildICmp(b, LLVMIntEQ, past, zero, "");
    LLVMValueRef ahead = LLVMBuildSub(b, wide, past, "");
    LLVMValueRef to_begin = kiln_ll_plain(ll, KILN_OP_UMIN, count, ahead);
    count = LLVMBuildSelect(b, at_begin, count, f->form == f->cpu.full[0] ? zero : to_begin, "");
  }
  return LLVMBuildAnd(b, count, whole, "full.count");
}

// A loop of full warps, as far as there are enough work-items for which their assumptions hold; the builder ends where
// fewer remain.
static void full_warps(const struct kiln_ll_fn *from, const struct kiln_ll_form *form, struct warps *w) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  f->form = form;
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef count = full_count(f, w), end = LLVMBuildAdd(b, w->x, count, "full.end");
  LLVMBasicBlockRef full = kiln_ll_block(f, "full"), other = kiln_ll_block(f, "rest"), after;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, count, kiln_ll_i64(ll, 0), ""), full, other);
  LLVMPositionBuilderAtEnd(b, full);
  LLVMValueRef x = LLVMBuildPhi(b, ll->i64, "local.id");
  kiln_ll_add_incoming(x, w->x, before);
  set_warp(f, x);
  emit_warp(f, NULL, w->emit, w->user);
  LLVMValueRef next = LLVMBuildNUWAdd(b, x, kiln_ll_i64(ll, f->form->lanes), "");
  kiln_ll_add_incoming(x, next, LLVMGetInsertBlock(b));
  after = kiln_ll_block(f, "full.end");
  LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, end, ""), full, after);
  kiln_ll_never_unroll(ll->context, branch);
  LLVMPositionBuilderAtEnd(b, after);
  go_on(f, w, end);
  kiln_ll_continue_at(f, other);
}

// A full warp that assumes nothing, if there are enough work-items; the builder ends where there are fewer.
static void plain_warp(struct kiln_ll_fn *f, struct warps *w) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef lanes = kiln_ll_i64(ll, f->form->lanes);
  LLVMBasicBlockRef plain = kiln_ll_block(f, "plain"), other = kiln_ll_block(f, "part");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGE, w->remaining, lanes, ""), plain, other);
  LLVMPositionBuilderAtEnd(b, plain);
  set_warp(f, w->x);
  emit_warp(f, NULL, w->emit, w->user);
  go_on(f, w, LLVMBuildNUWAdd(b, w->x, lanes, ""));
  kiln_ll_continue_at(f, other);
}

// For how many work-items the assumptions of full warps hold. may_hold: a condition of the launch without which they
// hold for none; NULL: they may hold in any launch.
static LLVMValueRef run_of(const struct kiln_ll_fn *from, const struct warps *w, LLVMValueRef may_hold) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  struct kiln_ll_versions versions;
  f->form = f->cpu.full[0];
  set_warp(f, w->x);
  LLVMValueRef runs[2] = {NULL, kiln_ll_i64(f->ll, 0)};
  if (!may_hold)
    return kiln_ll_assumed_items(f, w->remaining);
  kiln_ll_begin_versions(f, &versions, may_hold, "may.hold");
  runs[0] = kiln_ll_assumed_items(f, w->remaining);
  kiln_ll_other_version(f, &versions);
  kiln_ll_end_versions(f, &versions);
  return kiln_ll_merge_versions(f, &versions, runs);
}

// A condition of the launch without which the assumptions of full warps hold for no warp; NULL: they may hold in any
// launch.
static LLVMValueRef launch_condition(const struct kiln_ll_fn *from) {
  struct kiln_ll_fn copy = *from;
  copy.form = from->cpu.full[from->cpu.full[1] != NULL];
  return kiln_ll_assumptions_may_hold(&copy);
}

// Warps along rows: full ones as far as their assumptions hold, masked ones between.
static void chosen_warps(struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  struct loops loops;
  LLVMValueRef lanes = kiln_ll_i64(ll, f->form->lanes), zero = kiln_ll_i64(ll, 0), condition = launch_condition(f);
  begin_loops(f, &loops, 1);
  LLVMBasicBlockRef done = kiln_ll_block(f, "row.end"), some = kiln_ll_block(f, "some");
  struct warps w = {.emit = emit, .user = user};
  w.x = kiln_ll_begin_loop(f, "warps", zero, "local.id");
  w.next = LLVMGetInsertBlock(b);
  w.remaining = LLVMBuildSub(b, kiln_ll_word(f, KILN_LL_LOCAL_SIZE), w.x, "");
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, w.remaining, zero, ""), done, some);
  LLVMPositionBuilderAtEnd(b, some);
  w.run = run_of(f, &w, condition);
  for (unsigned i = 0; i < 2 && f->cpu.full[i]; i++)
    full_warps(f, f->cpu.full[i], &w);
  if (kiln_ll_assumes_divisions(f->fn))
    plain_warp(f, &w);
  LLVMValueRef count = kiln_ll_plain(ll, KILN_OP_UMIN, w.remaining, lanes);
  set_warp(f, w.x);
  emit_warp(f, lanes_below(f, count), emit, user);
  go_on(f, &w, LLVMBuildAdd(b, w.x, count, ""));
  kiln_ll_continue_at(f, done);
  end_loops(f, &loops, 1, NULL);
}

// A form of so many lanes that assumes nothing.
static const struct kiln_ll_form *masked_form(const struct kiln_ll_fn *f, unsigned lanes) {
  struct kiln_ll_form *form = kiln_ll_begin_form(f, lanes, false);
  kiln_ll_plan_conditions(f, form);
  return form;
}

// Work-items from x on, fewer than the lanes of a warp, by warps of half the lanes, a quarter, and so on down to one.
// They need no mask, so that the next item region may load what this one stores directly from the store buffer.
static void narrow_warps(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef count, LLVMBasicBlockRef done,
                         kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef zero = kiln_ll_i64(ll, 0);
  unsigned form = 0;
  for (unsigned lanes = f->form->lanes / 2; lanes; lanes /= 2, form++) {
    LLVMValueRef bit = LLVMBuildAnd(b, count, kiln_ll_i64(ll, lanes), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef some = kiln_ll_block(f, "narrow"), next = kiln_ll_block(f, "narrower");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, bit, zero, ""), some, next);
    LLVMPositionBuilderAtEnd(b, some);
    if (lanes > 1 && !f->cpu.narrow[form])
      f->cpu.narrow[form] = masked_form(f, lanes);
    struct kiln_ll_fn warp = *f;
    warp.form = lanes > 1 ? f->cpu.narrow[form] : NULL;
    warp.cpu.local_id[0] = x;
    set_item(&warp);
    if (warp.form)
      emit_warp(&warp, NULL, emit, user);
    else
      emit_item(&warp, emit, user);
    LLVMValueRef starts[2] = {x, LLVMBuildAdd(b, x, kiln_ll_i64(ll, lanes), "")};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, next);
    kiln_ll_continue_at(f, next);
    x = LLVMBuildPhi(b, ll->i64, "local.id");
    LLVMAddIncoming(x, starts, from, 2);
  }
  LLVMBuildBr(b, done);
}

// Continues at done, with the next row, where no work-item of this row runs.
static void test_row(struct kiln_ll_fn *f, LLVMBasicBlockRef done) {
  if (!f->cpu.tests_rows)
    return;
  LLVMBasicBlockRef some = kiln_ll_block(f, "some");
  LLVMBuildCondBr(f->ll->b, f->ll->hooks->groups->row_test(f), some, done);
  LLVMPositionBuilderAtEnd(f->ll->b, some);
}

// The warps of a row that is a multiple of the lanes. An "and" with the size shows LLVM that it is.
static void whole_warps(struct kiln_ll_fn *f, LLVMValueRef size, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll *ll = f->ll;
  struct loops loops;
  LLVMValueRef end = LLVMBuildAnd(ll->b, size, kiln_ll_i64(ll, ~(uint64_t)(f->form->lanes - 1)), "whole");
  begin_loops(f, &loops, 1);
  LLVMBasicBlockRef done = kiln_ll_block(f, "row.end");
  test_row(f, done);
  warp_loop(f, kiln_ll_i64(ll, 0), end, false, done, emit, user);
  kiln_ll_continue_at(f, done);
  end_loops(f, &loops, 1, NULL);
}

// Warps along rows (packed: along the linear id): full ones without a mask, then the masked remainder of the row. What
// is the same in every row is emitted before the loops over rows.
static void warps(struct kiln_ll_fn *f, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  struct loops loops;
  bool packed = f->cpu.packed;
  const struct kiln_ll_form *masked = f->form, *full = f->cpu.full[0];
  LLVMValueRef size = packed           ? kiln_ll_live_items(f)
                      : f->cpu.row_end ? f->cpu.row_end
                                       : kiln_ll_word(f, KILN_LL_LOCAL_SIZE);
  LLVMValueRef zero = kiln_ll_i64(ll, 0);
  if (f->cpu.whole_rows && !f->cpu.row_end) {
    whole_warps(f, size, emit, user);
    return;
  }
  unsigned lanes = full ? full->lanes : masked->lanes;
  LLVMValueRef whole = LLVMBuildAnd(b, size, kiln_ll_i64(ll, ~(uint64_t)(lanes - 1)), "whole");
  LLVMValueRef count = LLVMBuildSub(b, size, whole, "");
  LLVMValueRef mask = full ? lanes_below(f, count) : NULL;
  LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, count, zero, "");
  if (!packed)
    begin_loops(f, &loops, 1);
  LLVMBasicBlockRef done = kiln_ll_block(f, "row.end");
  test_row(f, done);
  if (full) {
    LLVMBasicBlockRef remaining = kiln_ll_block(f, "rest");
    struct kiln_ll_fn warp = *f;
    warp.form = full;
    warp_loop(&warp, zero, whole, false, remaining, emit, user);
    kiln_ll_continue_at(f, remaining);
    if (f->cpu.by_halves && lanes == masked->lanes) {
      narrow_warps(f, whole, count, done, emit, user);
    } else if (lanes > masked->lanes) {
      warp_loop(f, whole, size, true, done, emit, user);
    } else {
      LLVMBasicBlockRef part = kiln_ll_block(f, "part");
      LLVMBuildCondBr(b, some, part, done);
      LLVMPositionBuilderAtEnd(b, part);
      set_warp(f, whole);
      emit_warp(f, mask, emit, user);
      LLVMBuildBr(b, done);
    }
  } else {
    warp_loop(f, zero, size, true, done, emit, user);
  }
  kiln_ll_continue_at(f, done);
  if (!packed)
    end_loops(f, &loops, 1, NULL);
}

// A version of fewer lanes for launches whose strides share cache sets.
static void either_version(struct kiln_ll_fn *f, const struct kiln_ll_shared_sets *sets, kiln_ll_emit_fn *emit,
                           void *user) {
  struct kiln_ll_fn few = *f;
  struct kiln_ll_versions versions;
  kiln_ll_begin_versions(f, &versions, kiln_ll_strides_share_sets(f, sets), "few.lanes");
  few.form = few.cpu.full[0] = sets->lanes > 1 ? masked_form(f, sets->lanes) : NULL;
  few.cpu.full[1] = NULL;
  (few.form ? warps : single_items)(&few, emit, user);
  kiln_ll_other_version(f, &versions);
  (f->cpu.assumes ? chosen_warps : warps)(f, emit, user);
  kiln_ll_end_versions(f, &versions);
}

void kiln_ll_items(const struct kiln_ll_fn *from, kiln_ll_emit_fn *emit, void *user) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  if (f->cpu.grid_stride && !f->cpu.distance) {
    kiln_ll_grid_stride_items(f, emit, user);
    return;
  }
  bool may_split = f->form && !f->group && !f->cpu.packed && !f->cpu.flattened && !f->fn->has_sub_groups &&
                   f->ll->machine->cpu.interleave && kiln_ll_instruction_count(f->fn) <= KILN_COST_TWICE;
  struct kiln_ll_shared_sets sets;
  if (may_split && kiln_ll_find_shared_sets(f, &sets) && kiln_ll_may_version(f, kiln_ll_instruction_count(f->fn)))
    either_version(f, &sets, emit, user);
  else
    (!f->form ? single_items : f->cpu.assumes ? chosen_warps : warps)(f, emit, user);
}
