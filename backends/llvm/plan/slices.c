// Loops in which each work-item reduces a slice of memory of its own, element by element:
//
//   for (k = id * n; k < id * n + n; k++) sum += a[k];
//
// Across work-items that is a gather, within one work-item it is contiguous: so one work-item runs at a time, and LLVM
// vectorises its loop. It can do so if all that an iteration takes from the one before is a counter and results of
// integer operations that are associative.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/width.h"

// Whether the value is that of an earlier iteration, the phi, or computed from it. What is loaded is not: addresses of
// slices are made of counters alone (is_in_slice). made_of: by value, the last phi that it was found to be made of.
static bool depends_on(const struct kiln_function *fn, uint32_t region, kiln_value value, kiln_value phi,
                       kiln_value *made_of) {
  made_of[phi] = phi;
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next)
    for (uint32_t i = 0; kiln_inst(fn, v)->op != KILN_OP_LOAD && i < kiln_inst(fn, v)->operand_count; i++)
      if (made_of[kiln_operands(fn, v)[i]] == phi)
        made_of[v] = phi;
  return made_of[value] == phi;
}

static bool is_only_used_by(const struct kiln_function *fn, uint32_t region, kiln_value v, kiln_value user) {
  for (kiln_value id = fn->regions[region].first; id; id = kiln_inst(fn, id)->next)
    for (uint32_t i = 0; i < kiln_inst(fn, id)->operand_count && id != user; i++)
      if (kiln_operands(fn, id)[i] == v)
        return false;
  return true;
}

static bool is_counter(const struct kiln_function *fn, kiln_value phi, kiln_value next) {
  const struct kiln_inst *in = kiln_inst(fn, next);
  const kiln_value *x = kiln_operands(fn, next);
  return in->op == KILN_OP_IADD && x[0] == phi && kiln_inst(fn, x[1])->op == KILN_OP_CONST &&
         kiln_inst(fn, x[1])->imm == 1;
}

static bool is_reduction(const struct kiln_function *fn, uint32_t region, kiln_value phi, kiln_value next,
                         kiln_value *made_of) {
  const struct kiln_inst *in = kiln_inst(fn, next);
  const kiln_value *x = kiln_operands(fn, next);
  if (!kiln_op_is_associative(kiln_op_of(in)) || kiln_type_lanes(in->type) > 1 || (x[0] != phi && x[1] != phi))
    return false;
  return !depends_on(fn, region, x[x[0] == phi], phi, made_of) && is_only_used_by(fn, region, phi, next);
}

// Whether the address goes from one element to the next with each iteration, and from work-item to work-item by a
// distance that is large or unknown.
static bool is_in_slice(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value loop, kiln_value load) {
  struct kiln_affine form;
  kiln_value pointer = kiln_operands(fn, load)[0];
  kiln_type type = kiln_inst(fn, load)->type;
  uint32_t index;
  bool moves = false, is_far = false;
  if (kiln_type_lanes(type) > 1 || fn->shapes[pointer].kind != KILN_SHAPE_VARYING)
    return false;
  kiln_affine_of(fn, pointer, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    if (kiln_ll_header_of(fn, term->value, &index) != loop)
      continue;
    if (moves || term->scale || term->factor != (int64_t)kiln_type_bytes(type))
      return false;
    moves = true;
    is_far = kiln_ll_has_large_stride(ll, fn, term->value, KILN_COST_FAR / kiln_type_bytes(type));
  }
  return moves && (is_far || kiln_ll_has_large_stride(ll, fn, pointer, KILN_COST_FAR));
}

static bool reduces_slices(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value loop, kiln_value *made_of) {
  const struct kiln_node *node = kiln_node(fn, loop);
  uint32_t region = node->region_first, loads = 0, reductions = 0, exits = 0;
  const struct kiln_inst *last = kiln_inst(fn, fn->regions[region].last);
  if (last->op != KILN_OP_CONTINUE || last->imm != loop)
    return false;
  for (kiln_value v = fn->regions[region].first; v != fn->regions[region].last; v = kiln_inst(fn, v)->next) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (kiln_leaving_side(fn, v, loop, true) < 2)
      exits++;
    else if (in->op == KILN_OP_LOAD && !(in->flags & KILN_MEM_VOLATILE) && is_in_slice(ll, fn, loop, v))
      loads++;
    else if (kiln_op_table[in->op].effect != KILN_EFFECT_PURE || kiln_op_family(kiln_op_of(in)) == KILN_FAMILY_MATH)
      return false;
  }
  for (uint32_t i = 0; i < node->header.count; i++) {
    kiln_value phi = node->header.items[i], next = kiln_operands(fn, fn->regions[region].last)[i];
    bool reduces = is_reduction(fn, region, phi, next, made_of);
    if (!is_counter(fn, phi, next) && !reduces)
      return false;
    reductions += reduces;
  }
  return exits == 1 && loads && reductions;
}

bool kiln_ll_reduces_slices(struct kiln_ll *ll, const struct kiln_function *fn) {
  kiln_value *made_of = KILN_NEW_ARRAY(&ll->arena, kiln_value, fn->inst_count);
  bool any = false;
  for (uint32_t n = 0; n < fn->node_count; n++) {
    kiln_value v = fn->nodes[n].inst;
    if (!kiln_inst(fn, v)->region || kiln_inst(fn, v)->op != KILN_OP_LOOP ||
        kiln_ll_has_loop(fn, fn->nodes[n].region_first))
      continue;
    if (!reduces_slices(ll, fn, v, made_of))
      return false;
    any = true;
  }
  return any && !fn->has_barrier;
}
