// Indices that are sums of 32 bits, which the source says to fit (nsw), become sums of 64 bits: the terms are extended
// instead of their sum. The index is then linear wherever its linear term does not wrap, and needs no guard.
//
//   sext(y * n + x) -> sext(y * n) + sext(x)
//
// Kernels with barriers only, where the terms may be in different work-item regions; for others the emitter does it.
// An index is used for addresses only, and has one linear term beside uniform ones; varying terms are cheaper in 32
// bits. Requires shapes (kiln_function_analyse), which are invalid afterwards. Linear.
#include "jit/pass/common.h"

#define MAX_TERMS 7 // of a sum that are looked at

struct widen {
  struct kiln_function *fn;
  bool *is_index; // by value: used as indices of PADD only
  uint32_t count; // of values before the pass
};

struct term {
  kiln_value value;
  bool is_negative;
};

static bool is_sum(const struct widen *w, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(w->fn, v);
  return (in->op == KILN_OP_IADD || in->op == KILN_OP_ISUB) && in->flags & KILN_INT_NSW;
}

// The terms of a sum, the linear one last. 0: v is no such sum.
static uint32_t find_terms(const struct widen *w, kiln_value v, struct term terms[MAX_TERMS]) {
  const struct kiln_shape *shapes = w->fn->shapes;
  uint32_t count = 0;
  bool is_negative = false;
  for (; is_sum(w, v) && count + 1 < MAX_TERMS; count++) {
    const kiln_value *x = kiln_operands(w->fn, v);
    bool second = shapes[x[1]].kind == KILN_SHAPE_LINEAR;
    if (shapes[x[second]].kind != KILN_SHAPE_LINEAR || shapes[x[!second]].kind != KILN_SHAPE_UNIFORM)
      break;
    bool subtracts = kiln_inst(w->fn, v)->op == KILN_OP_ISUB;
    terms[count] = (struct term){x[!second], is_negative != (subtracts && !second)};
    is_negative ^= subtracts && second;
    v = x[second];
  }
  terms[count] = (struct term){v, is_negative};
  return count ? count + 1 : 0;
}

static bool widens(const struct widen *w, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(w->fn, v);
  return in->op == KILN_OP_SEXT && in->region && w->is_index[v] && in->type == kiln_scalar_type(KILN_I64) &&
         w->fn->shapes[v].kind == KILN_SHAPE_LINEAR && w->fn->shapes[v].guarded &&
         kiln_value_type(w->fn, kiln_operands(w->fn, v)[0]) == kiln_scalar_type(KILN_I32);
}

// The extension becomes the last of the additions.
static bool widen(struct widen *w, kiln_value v) {
  struct term terms[MAX_TERMS];
  uint32_t count = find_terms(w, kiln_operands(w->fn, v)[0], terms);
  kiln_type type = kiln_scalar_type(KILN_I64);
  struct kiln_builder b = kiln_builder_before(w->fn, v);
  b.loc = kiln_inst(w->fn, v)->loc;
  kiln_value total = 0;
  for (uint32_t i = 0; i < count; i++) {
    kiln_value wide = kiln_build1(&b, KILN_OP_SEXT, type, terms[i].value);
    if (!total && terms[i].is_negative)
      total = kiln_const(w->fn, type, 0);
    enum kiln_op op = terms[i].is_negative ? KILN_OP_ISUB : KILN_OP_IADD;
    if (i + 1 == count) {
      w->fn->insts[v].op = op;
      kiln_set_operands(w->fn, v, (kiln_value[]){total, wide}, 2);
    } else {
      total = total ? kiln_build2(&b, op, total, wide) : wide;
    }
  }
  return count > 0;
}

static void find_indices(struct widen *w) {
  for (kiln_value v = 1; v < w->count; v++)
    w->is_index[v] = true;
  for (kiln_value v = 1; v < w->count; v++)
    for (uint32_t i = 0; w->fn->insts[v].region && i < w->fn->insts[v].operand_count; i++)
      w->is_index[kiln_operands(w->fn, v)[i]] &= w->fn->insts[v].op == KILN_OP_PADD && i == 1;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct widen w = {.fn = subject};
  w.count = w.fn->inst_count;
  w.is_index = KILN_NEW_ARRAY(arena, bool, w.count);
  find_indices(&w);
  bool changed = false;
  for (kiln_value v = 1; v < w.count; v++)
    if (widens(&w, v))
      changed |= widen(&w, v);
  return changed;
}

bool kiln_pass_widen(struct kiln_function *fn) {
  if (!fn->is_kernel || !fn->shapes || !fn->has_barrier || fn->has_sub_groups)
    return false;
  return kiln_pass_scratch(fn->module, fn, run);
}
