// Contiguous loads at an edge, whose position is clamped: in[clamp(x - 1, 0, n - 1)], where a clamp acts in some lanes.
// In the others the address is the contiguous one, so they are loaded by one masked access. Where positions rise from
// lane to lane, those below the lower bound have the element of the first active lane, and those above the upper one
// that of the last active lane; where they fall, as in in[n - clamp(m - x, 0, n)], it is the other way round. With n =
// 20 and x = 16 in lane 0 lanes 0 to 4 load in[15] to in[19], and lanes 5 and more have in[19]. The code reads only
// elements that some lane reads.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): positions.
#include "backends/llvm/plan/find.h"

// Whether the lanes' values are those of lane 0 and a multiple of the stride, without a wrap: sums that fit, of ids and
// uniform values.
static bool is_exact(const struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_affine sum;
  kiln_affine_of(f->fn, v, KILN_AFFINE_EXTENDED, &sum);
  if (sum.wrap_count)
    return false;
  for (uint32_t i = 0; i < sum.term_count; i++) {
    kiln_value term = sum.terms[i].value;
    bool is_cut = kiln_inst(f->fn, term)->op == KILN_OP_TRUNC;
    enum kiln_op op = kiln_op_of(kiln_inst(f->fn, is_cut ? kiln_operands(f->fn, term)[0] : term));
    bool is_id = op == KILN_OP_LOCAL_ID || (op == KILN_OP_GLOBAL_ID && f->fn->module->small_ids);
    if (sum.terms[i].scale || (kiln_ll_shape(f, term).kind != KILN_SHAPE_UNIFORM && !is_id))
      return false;
  }
  return true;
}

// The position that signed minima and maxima with uniform values clamp; 0: v is no such clamp.
static kiln_value without_clamps(const struct kiln_ll_fn *f, kiln_value v) {
  bool some = false;
  for (enum kiln_op op; op = kiln_op_of(kiln_inst(f->fn, v)), op == KILN_OP_SMIN || op == KILN_OP_SMAX; some = true) {
    const kiln_value *x = kiln_operands(f->fn, v);
    bool second = f->fn->shapes[x[1]].kind == KILN_SHAPE_LINEAR;
    if (f->fn->shapes[x[second]].kind != KILN_SHAPE_LINEAR || kiln_ll_shape(f, x[!second]).kind != KILN_SHAPE_UNIFORM)
      return 0;
    v = x[second];
  }
  return some && kiln_ll_shape(f, v).kind == KILN_SHAPE_LINEAR && is_exact(f, v) ? v : 0;
}

// Masked warps hold a clamped position as a vector, so the shapes asked for are those of the analysis.
static bool find_term(const struct kiln_ll_fn *f, kiln_value load, struct kiln_ll_edge *out) {
  const struct kiln_shape *shapes = f->fn->shapes;
  kiln_type type = kiln_value_type(f->fn, load);
  struct kiln_affine form;
  kiln_affine_of(f->fn, kiln_operands(f->fn, load)[0], 0, &form);
  out->position = 0;
  if (form.wrap_count || shapes[form.base].kind != KILN_SHAPE_UNIFORM || kiln_type_lanes(type) > 1)
    return false;
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    if (shapes[term->value].kind == KILN_SHAPE_UNIFORM)
      continue;
    if (out->position || term->scale || term->extension == KILN_OP_ZEXT ||
        shapes[term->value].stride * term->factor != kiln_type_bytes(type))
      return false;
    out->term = *term;
    out->position = without_clamps(f, term->value);
    if (!out->position)
      return false;
  }
  return out->position && kiln_value_type(f->fn, out->position) == kiln_scalar_type(KILN_I32);
}

// Wide vectors of words keep masks in parts, without masked accesses to what is narrower (split_masks in cpu/kernel.c).
static bool has_masked_load(const struct kiln_ll_fn *f, unsigned bytes) {
  const struct kiln_llvm_machine *machine = f->ll->machine;
  return bytes >= 4 ? machine->cpu.mask_bytes <= 4
                    : bytes >= machine->cpu.mask_bytes && !kiln_ll_only_moves_narrow(f->fn);
}

bool kiln_ll_find_edge(const struct kiln_ll_fn *f, kiln_value load, struct kiln_ll_edge *out) {
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  if (in->op == KILN_OP_LOAD && !(in->flags & KILN_MEM_VOLATILE) && !f->group && find_term(f, load, out) &&
      has_masked_load(f, kiln_type_bytes(in->type)))
    return true;
  out->position = 0;
  return false;
}
