// Contiguous accesses whose elements belong to the lanes in another order: reversed (x[n - i]), or with bits of the
// lane number flipped (x[i ^ j] with a uniform j, as in sorting networks and transforms). Lane l accesses element l ^
// flip, so a contiguous access and one permutation replace a gather or scatter.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): strides, positions_falling.
#include "backends/llvm/plan/find.h"
#include "backends/llvm/plan/group.h"

bool kiln_ll_has_operands(const struct kiln_ll_fn *f, kiln_value inst, kiln_value v) {
  const struct kiln_ll_group *g = f->group;
  return kiln_inst(f->fn, v)->region && (!g || g->recomputed[v] || g->item_region[v] == g->item_region[inst]);
}

// Whether the operations from an address down to its term have their operands at hand.
static bool has_chain(const struct kiln_ll_fn *f, kiln_value access, kiln_value v, kiln_value term) {
  struct kiln_worklist *work = kiln_ll_worklist(f->ll, f->fn, v);
  while (kiln_worklist_take(work, &v)) {
    if (kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING)
      continue;
    if (!kiln_ll_has_operands(f, access, v))
      return false;
    if (v != term)
      kiln_worklist_add_all(work, kiln_operands(f->fn, v), kiln_inst(f->fn, v)->operand_count);
  }
  return true;
}

static bool find_flipped(const struct kiln_ll_fn *f, kiln_value access, unsigned bytes, struct kiln_ll_flipped *out) {
  const struct kiln_ll_form *s = f->form;
  kiln_value pointer = kiln_operands(f->fn, access)[0], flips = 0;
  struct kiln_affine form;
  kiln_affine_of(f->fn, pointer, 0, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    if (s->shapes[term->value].kind == KILN_SHAPE_UNIFORM)
      continue;
    if (flips || term->factor != (int64_t)bytes || kiln_inst(f->fn, term->value)->op != KILN_OP_XOR)
      return false;
    flips = term->value;
  }
  if (!flips || s->shapes[form.base].kind != KILN_SHAPE_UNIFORM ||
      kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, flips))) < 32 || !has_chain(f, access, pointer, flips))
    return false;
  const kiln_value *x = kiln_operands(f->fn, flips);
  bool second = s->shapes[x[0]].kind == KILN_SHAPE_UNIFORM;
  *out = (struct kiln_ll_flipped){x[second], x[!second]};
  return s->shapes[out->x].kind == KILN_SHAPE_LINEAR && s->shapes[out->x].stride == 1 && !s->conditional[out->x] &&
         s->shapes[out->flip].kind == KILN_SHAPE_UNIFORM;
}

bool kiln_ll_find_order(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_flipped *out) {
  kiln_type type = kiln_access_type(f->fn, access);
  struct kiln_shape shape = kiln_ll_shape(f, kiln_operands(f->fn, access)[0]);
  unsigned bytes = kiln_ll_element_bytes(type);
  if (kiln_type_lanes(type) > 1)
    return false;
  if (shape.kind == KILN_SHAPE_LINEAR)
    return shape.stride == -(int64_t)bytes;
  return find_flipped(f, access, bytes, out);
}
