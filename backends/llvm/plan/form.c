// Makes a form of a warp: the shapes of values as they are held, what is found from them, and the access plan.

#include <string.h>

#include "backends/llvm/plan/find.h"
#include "backends/llvm/plan/group.h"
#include "kiln/op_cases.h"

static bool is_cross(const struct kiln_inst *in) {
  return kiln_op_table[in->op].effect == KILN_EFFECT_CROSS && in->op != KILN_OP_SUB_GROUP_SHUFFLE;
}

static const struct kiln_shape *analysed(const struct kiln_ll_fn *f) {
  return f->form->assumes && f->fn->assumed_shapes ? f->fn->assumed_shapes : f->fn->shapes;
}

bool kiln_ll_cancels(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (f->form->shapes[v].kind != KILN_SHAPE_UNIFORM || kiln_op_table[in->op].effect != KILN_EFFECT_PURE ||
      f->form->element[v])
    return false;
  bool some = false;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    kiln_value x = kiln_operands(f->fn, v)[i];
    bool varying = f->form->shapes[x].kind == KILN_SHAPE_VARYING;
    if (varying && (analysed(f)[x].kind != KILN_SHAPE_LINEAR || f->form->conditional[x]))
      return false;
    some |= varying;
  }
  return some;
}

// Corrects shapes where the emitter holds a value in another form than the analysis assumes: addresses of private
// variables, and linear values that cross a barrier or a phi under a guard. Clamps are tested against their bounds,
// which takes scalars alone, only in full warps, since tests would make masked code longer; elsewhere they are vectors,
// of which loads at an edge need no test (edge.c). Uniform values computed from values that are held otherwise stay
// uniform, since divergence was decided by them.
static bool adjust(const struct kiln_ll_fn *f, struct kiln_shape *shapes, kiln_value v) {
  const struct kiln_ll_form *s = f->form;
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  struct kiln_shape *shape = &shapes[v];
  if (shape->kind == KILN_SHAPE_VARYING || kiln_op_table[in->op].effect == KILN_EFFECT_FLOW || is_cross(in) ||
      in->op == KILN_OP_AGREE || (f->group && f->group->uniform[v]))
    return false;
  bool varying = (in->op == KILN_OP_VAR && !s->element[v]) ||
                 (s->conditional[v] && kiln_ll_is_clamp((enum kiln_op)in->op) && !s->full);
  uint32_t count =
      in->op == KILN_OP_SUB_GROUP_SHUFFLE ? 1 : in->operand_count; // of the value; which lane is the same for all
  for (uint32_t i = 0; i < count; i++)
    varying |= shapes[kiln_operands(f->fn, v)[i]].kind == KILN_SHAPE_VARYING ||
               (s->element[v] && shapes[kiln_operands(f->fn, v)[i]].kind != KILN_SHAPE_UNIFORM);
  if (shape->kind == KILN_SHAPE_LINEAR && f->group && f->group->slot[v] != UINT32_MAX)
    varying = true;
  if (varying && kiln_ll_cancels(f, v))
    return false;
  if (varying)
    shape->kind = KILN_SHAPE_VARYING;
  return varying;
}

// A phi gets at most the shape of each of its operands.
static bool adjust_phis(const struct kiln_ll_fn *f, struct kiln_shape *shapes, const struct kiln_value_list *phis,
                        kiln_value from) {
  bool changed = false;
  for (uint32_t i = 0; i < phis->count; i++) {
    kiln_value phi = phis->items[i], x = kiln_operands(f->fn, from)[i];
    bool worse =
        shapes[x].kind == KILN_SHAPE_VARYING || (shapes[x].kind == KILN_SHAPE_LINEAR && f->form->conditional[x]);
    if (!worse || shapes[phi].kind == KILN_SHAPE_VARYING || (f->group && f->group->uniform[phi]))
      continue;
    shapes[phi].kind = KILN_SHAPE_VARYING;
    changed = true;
  }
  return changed;
}

static void make_varying(const struct kiln_ll_fn *f, struct kiln_shape *shapes, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++)
    if (!f->group || !f->group->uniform[phis->items[i]])
      shapes[phis->items[i]].kind = KILN_SHAPE_VARYING;
}

// A condition that the analysis found uniform but that is held as a vector makes its node divergent: the results of the
// node, and the operands of the jumps out of it, vary.
static bool part(const struct kiln_ll_fn *f, struct kiln_shape *shapes, bool *divergent, uint32_t n) {
  const struct kiln_function *fn = f->fn;
  kiln_value node = fn->nodes[n].inst;
  const struct kiln_inst *in = kiln_inst(fn, node);
  if ((in->op != KILN_OP_IF && in->op != KILN_OP_SWITCH) || divergent[n] || kiln_ll_decided(f, n) ||
      shapes[kiln_operands(fn, node)[0]].kind == KILN_SHAPE_UNIFORM)
    return false;
  divergent[n] = true;
  make_varying(f, shapes, &fn->nodes[n].results);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *jump = kiln_inst(fn, v);
    if (!jump->region || !kiln_op_leaves(jump->op))
      continue;
    kiln_value owner = kiln_owner(fn, v);
    while (owner && owner != (kiln_value)jump->imm && owner != node)
      owner = kiln_owner(fn, owner);
    if (owner == node && owner != (kiln_value)jump->imm) {
      make_varying(f, shapes, &kiln_node(fn, (kiln_value)jump->imm)->results);
      make_varying(f, shapes, &kiln_node(fn, (kiln_value)jump->imm)->header);
    }
  }
  return true;
}

static void adjust_all(const struct kiln_ll_fn *f, struct kiln_shape *shapes, bool *divergent) {
  const struct kiln_function *fn = f->fn;
  for (bool changed = true; changed;) {
    changed = false;
    for (kiln_value v = 1; v < fn->inst_count; v++) {
      const struct kiln_value_list *phis = kiln_inst(fn, v)->region ? kiln_ll_target_phis(fn, v) : NULL;
      changed |= adjust(f, shapes, v);
      if (phis)
        changed |= adjust_phis(f, shapes, phis, v);
    }
    for (uint32_t n = 0; n < fn->node_count; n++)
      changed |= part(f, shapes, divergent, n);
  }
}

static const bool *find_used(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *used = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count);
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (uint32_t i = 0; fn->insts[v].region && i < fn->insts[v].operand_count; i++)
      used[kiln_operands(fn, v)[i]] = true;
  return used;
}

static struct kiln_ll_form_made *make_room(const struct kiln_ll_fn *f) {
  struct kiln_arena *arena = &f->ll->arena;
  uint32_t values = f->fn->inst_count;
  struct kiln_ll_form_made *made = KILN_NEW(arena, struct kiln_ll_form_made);
  made->guards = KILN_NEW_ARRAY(arena, LLVMValueRef, values);
  made->slots = KILN_NEW_ARRAY(arena, LLVMValueRef, values);
  made->arrivals = KILN_NEW_ARRAY(arena, LLVMValueRef, f->fn->node_count + 1);
  made->wide = KILN_NEW_ARRAY(arena, LLVMValueRef, values);
  made->wide_block = KILN_NEW_ARRAY(arena, LLVMBasicBlockRef, values);
  made->prefetched = KILN_NEW_ARRAY(arena, bool, values);
  return made;
}

struct kiln_ll_form *kiln_ll_begin_form(const struct kiln_ll_fn *from, unsigned lanes, bool full) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  struct kiln_arena *arena = &f->ll->arena;
  const struct kiln_function *fn = f->fn;
  struct kiln_ll_form *s = KILN_NEW(arena, struct kiln_ll_form);
  struct kiln_shape *shapes = KILN_NEW_ARRAY(arena, struct kiln_shape, fn->inst_count);
  bool *divergent = KILN_NEW_ARRAY(arena, bool, fn->node_count + 1);
  uint8_t *element = KILN_NEW_ARRAY(arena, uint8_t, fn->inst_count);
  f->form = s;
  *s = (struct kiln_ll_form){.lanes = lanes,
                             .full = full,
                             .assumes = full && kiln_ll_may_assume(fn),
                             .large_strides_by_lane = kiln_ll_large_strides_go_by_lane(f->ll, fn),
                             .shapes = shapes,
                             .divergent = divergent,
                             .element = element,
                             .used = find_used(f),
                             .made = make_room(f)};
  bool better = s->assumes && fn->assumed_shapes;
  memcpy(shapes, analysed(f), fn->shape_count * sizeof *shapes);
  for (uint32_t n = 0; n < fn->node_count; n++)
    divergent[n] = !kiln_ll_decided(f, n) && (better ? fn->assumed_divergent[n] : fn->nodes[n].divergent);
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (f->group && f->group->uniform[v])
      shapes[v] = (struct kiln_shape){.kind = KILN_SHAPE_UNIFORM};
  s->array = kiln_ll_find_arrays(f, element, shapes);
  s->conditional = kiln_ll_find_conditional(f);
  adjust_all(f, shapes, divergent);
  s->loses = kiln_ll_find_losses(f, divergent);
  kiln_ll_share_arrays(f, element);
  s->merges = kiln_ll_find_merging_loops(f);
  s->prefetches = kiln_ll_find_prefetches(f);
  s->nontemporal = kiln_ll_find_nontemporal(f);
  s->likely = kiln_ll_likely_strides(f->ll, fn, shapes);
  s->ordered = kiln_ll_find_memory_order(f);
  s->plan = kiln_ll_plan_accesses(f);
  return s;
}

bool kiln_ll_is_row_id(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  bool extends = in->op == KILN_OP_TRUNC || in->op == KILN_OP_ZEXT || in->op == KILN_OP_SEXT;
  if (extends && kiln_kind_bits(kiln_type_kind(in->type)) >= 32)
    return kiln_ll_is_row_id(f, kiln_operands(f->fn, v)[0]);
  return in->op == KILN_OP_LOCAL_ID && in->imm == 0 && kiln_ll_shape(f, v).kind == KILN_SHAPE_LINEAR;
}
