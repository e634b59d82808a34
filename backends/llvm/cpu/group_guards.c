// Group guards: conditions such as x < width && y < height, on global positions, of a kernel with barriers. Groups in
// which they hold for all work-items, which are all but those at an edge, run a version of the kernel without them, in
// which no access has a mask and no work-item leaves early.
//
// The sides of a comparison are sums of ids, which have their least and greatest values at corners of the group. They
// are computed there in 64 bits, and must fit the type of the comparison.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): barrier_guards, blocked_guards.
#include <string.h>

#include "backends/llvm/core/tally.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/plan/width.h"
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

#define MAX_FACTOR (1 << 20) // of a term

// Whether a value is the same for the group and known where it begins: no loop carries it. *places: set if the value
// differs between groups.
static bool is_known(const struct kiln_ll_fn *f, kiln_value v, bool *places) {
  uint32_t depends = kiln_depends_on(f->fn, v);
  *places |= (depends & KILN_ON_GROUP_IDS) != 0;
  return f->group->uniform[v] && !(depends & KILN_ON_PHI);
}

struct guards {
  struct kiln_ll_fn *f;
  LLVMValueRef holds; // whether the conditions so far hold; NULL: conditions are only looked at, nothing is emitted
  struct kiln_worklist work; // conditions, by 2 * value + whether it is wanted
};

static void require(struct guards *g, LLVMValueRef condition) {
  g->holds = LLVMBuildAnd(g->f->ll->b, g->holds, condition, "");
}

static bool is_id(const struct kiln_ll_fn *f, kiln_value v) {
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, v));
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID;
}

// Whether the integer is a sum that has its extremes at corners of the group, with none inside that may wrap in a
// narrower type. *ids: set if the sum is not the same for the whole group.
static bool find_sum(const struct kiln_ll_fn *f, kiln_value v, struct kiln_affine *sum, bool *ids, bool *places) {
  kiln_type type = kiln_value_type(f->fn, v);
  unsigned bits = kiln_kind_bits(kiln_type_kind(type));
  if ((bits != 32 && bits != 64) || kiln_type_lanes(type) > 1)
    return false;
  kiln_affine_of(f->fn, v, bits < 64 ? KILN_AFFINE_EXTENDED | KILN_AFFINE_MAY_WRAP : 0, sum);
  for (uint32_t i = 0; i < sum->term_count; i++) {
    const struct kiln_term *term = &sum->terms[i];
    bool id = is_id(f, term->value);
    *ids |= id;
    *places |= kiln_inst(f->fn, term->value)->op == KILN_OP_GLOBAL_ID;
    if (term->factor < -MAX_FACTOR || term->factor > MAX_FACTOR || (!id && !is_known(f, term->value, places)))
      return false;
  }
  return sum->exact_bits >= bits && sum->constant >= INT32_MIN && sum->constant <= INT32_MAX;
}

// The greatest, or least, value of an id in the group.
static LLVMValueRef extreme_id(struct kiln_ll_fn *f, kiln_value id, bool greatest) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_inst *in = kiln_inst(f->fn, id);
  unsigned d = (unsigned)in->imm;
  uint64_t last = d == 1 && f->cpu.rows ? f->cpu.rows : 1;
  LLVMValueRef at = kiln_ll_i64(f->ll, 0);
  if (greatest)
    at = LLVMBuildSub(b, kiln_ll_word(f, KILN_LL_LOCAL_SIZE + d), kiln_ll_i64(f->ll, last), "");
  return in->op == KILN_OP_LOCAL_ID ? at : LLVMBuildAdd(b, at, kiln_ll_word(f, KILN_LL_GROUP_BASE + d), "");
}

// The greatest, or least, value of the sum in the group. Requires that values of 64 bits fit 32, so that none wraps.
static LLVMValueRef extreme(struct guards *g, const struct kiln_affine *sum, bool greatest) {
  struct kiln_ll_fn *f = g->f;
  struct kiln_ll *ll = f->ll;
  LLVMValueRef result = kiln_ll_i64(ll, (uint64_t)sum->constant);
  for (uint32_t i = 0; i < sum->term_count; i++) {
    const struct kiln_term *term = &sum->terms[i];
    LLVMValueRef value;
    if (is_id(f, term->value)) {
      value = extreme_id(f, term->value, greatest == (term->factor > 0));
    } else {
      value = kiln_ll_emit_ahead(f, term->value);
      bool is_wide = LLVMTypeOf(value) == ll->i64;
      LLVMValueRef narrow = is_wide ? LLVMBuildTrunc(ll->b, value, ll->i32, "") : value;
      LLVMValueRef wide = term->extension == KILN_OP_ZEXT && !is_wide ? LLVMBuildZExt(ll->b, value, ll->i64, "")
                                                                      : LLVMBuildSExt(ll->b, narrow, ll->i64, "");
      if (is_wide)
        require(g, LLVMBuildICmp(ll->b, LLVMIntEQ, wide, value, ""));
      value = wide;
    }
    result = LLVMBuildAdd(ll->b, result, LLVMBuildMul(ll->b, value, kiln_ll_i64(ll, (uint64_t)term->factor), ""), "");
  }
  return result;
}

// The greatest, or least, value of a side of a comparison, which must be the same in the type of the comparison.
static LLVMValueRef side(struct guards *g, kiln_value v, const struct kiln_affine *sum, bool is_signed, bool greatest) {
  struct kiln_ll *ll = g->f->ll;
  LLVMValueRef ends[2] = {extreme(g, sum, false), extreme(g, sum, true)};
  bool is_narrow = kiln_kind_bits(kiln_type_kind(kiln_value_type(g->f->fn, v))) == 32;
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef narrow = is_narrow ? LLVMBuildTrunc(ll->b, ends[i], ll->i32, "") : NULL;
    if (is_narrow)
      require(g, LLVMBuildICmp(ll->b, LLVMIntEQ, ends[i],
                               is_signed ? LLVMBuildSExt(ll->b, narrow, ll->i64, "")
                                         : LLVMBuildZExt(ll->b, narrow, ll->i64, ""),
                               ""));
    else if (!is_signed)
      require(g, LLVMBuildICmp(ll->b, LLVMIntSGE, ends[i], kiln_ll_i64(ll, 0), ""));
  }
  return ends[greatest];
}

static bool look_at_comparison(struct guards *g, kiln_value v, bool wanted) {
  const struct kiln_ll_fn *f = g->f;
  struct kiln_inequality order;
  bool ids = false, places = false;
  struct kiln_affine sums[2];
  if (!kiln_inequality_of(f->fn, v, wanted, &order) || !find_sum(f, order.low, &sums[0], &ids, &places) ||
      !find_sum(f, order.high, &sums[1], &ids, &places) || (ids && !places))
    return false;
  if (g->holds) { // for all work-items
    LLVMValueRef low = side(g, order.low, &sums[0], order.is_signed, true),
                 high = side(g, order.high, &sums[1], order.is_signed, false);
    require(g, LLVMBuildICmp(g->f->ll->b, order.is_strict ? LLVMIntSLT : LLVMIntSLE, low, high, ""));
  }
  return true;
}

// Whether a test for the whole group can say that the condition has the wanted value for all of its work-items. Emits
// the test if g->holds is set.
static bool look_at(struct guards *g, kiln_value condition, bool wanted) {
  const struct kiln_function *fn = g->f->fn;
  struct kiln_worklist *work = &g->work;
  kiln_worklist_begin(work, &g->f->ll->arena, 2 * fn->inst_count);
  kiln_worklist_add(work, 2 * condition + wanted);
  for (uint32_t item; kiln_worklist_take(work, &item);) {
    kiln_value v = item / 2;
    const kiln_value *x = kiln_operands(fn, v);
    wanted = item % 2;
    if (kiln_type_lanes(fn->insts[v].type) > 1)
      return false;
    if (fn->insts[v].op == (wanted ? KILN_OP_BAND : KILN_OP_BOR)) {
      kiln_worklist_add(work, 2 * x[1] + wanted);
      kiln_worklist_add(work, 2 * x[0] + wanted);
    } else if (fn->insts[v].op == KILN_OP_BNOT) {
      kiln_worklist_add(work, 2 * x[0] + !wanted);
    } else if (!look_at_comparison(g, v, wanted)) {
      return false;
    }
  }
  return true;
}

static bool leaves(const struct kiln_function *fn, uint32_t region) {
  return kiln_op_leaves(fn->insts[fn->regions[region].last].op);
}

// Whether work-items still leave nodes of the group by themselves.
static bool still_exits(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || !kiln_op_leaves(in->op))
      continue;
    kiln_value owner = kiln_owner(fn, v);
    if (f->group->is_group[kiln_inst(fn, (kiln_value)in->imm)->node] &&
        !f->group->is_group[kiln_inst(fn, owner)->node] && !kiln_ll_is_guarded_off(f, in->region))
      return true;
  }
  return false;
}

uint8_t *kiln_ll_find_group_guards(const struct kiln_ll_fn *from) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  const struct kiln_function *fn = f->fn;
  struct guards g = {.f = f};
  bool some = false;
  uint32_t size = kiln_ll_instruction_count(fn);
  if (!kiln_ll_may(f->ll, KILN_LL_GROUP_GUARD) || !fn->module->small_ids || size > KILN_COST_TWICE ||
      (f->ll->machine->cpu.has_avx512 && f->group->exit_slot == UINT32_MAX))
    return NULL;
  f->cpu.decided = KILN_NEW_ARRAY(&f->ll->arena, uint8_t, fn->node_count + 1);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || in->op != KILN_OP_IF)
      continue;
    uint32_t first = fn->nodes[in->node].region_first;
    unsigned chosen = leaves(fn, first) || fn->regions[first].first == fn->regions[first].last;
    if (!look_at(&g, kiln_operands(fn, v)[0], !chosen))
      continue;
    f->cpu.decided[in->node] = (uint8_t)(1 + chosen);
    some |= fn->nodes[in->node].divergent;
  }
  return some && kiln_ll_may_version(f, size) ? f->cpu.decided : NULL;
}

LLVMValueRef kiln_ll_group_guards_hold(struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  struct guards g = {.f = f, .holds = kiln_ll_i1(f->ll, true)};
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && fn->insts[v].op == KILN_OP_IF && f->cpu.decided[fn->insts[v].node]) {
      look_at(&g, kiln_operands(fn, v)[0], f->cpu.decided[fn->insts[v].node] == 1);
      kiln_ll_tally(f, v, KILN_LL_GROUP_GUARD);
    }
  return g.holds;
}

void kiln_ll_guarded_group_body(const struct kiln_ll_fn *f) {
  struct kiln_ll_fn version = *f;
  struct kiln_ll_group group = *f->group;
  version.group = &group;
  if (!still_exits(f)) {
    group.exit_slot = UINT32_MAX;
    group.breaks = KILN_NEW_ARRAY(&f->ll->arena, bool, f->fn->node_count + 1);
    group.continues = KILN_NEW_ARRAY(&f->ll->arena, bool, f->fn->node_count + 1);
  }
  kiln_ll_group_body(&version);
}
