// Contiguous loads at an edge: those of full warps whose position is clamped, where a clamp acts in some lanes. In the
// others the address is the contiguous one, so they are loaded by one masked access; those below the lower bound have
// the element of lane 0, those above the upper one that of the last lane. Reads nothing that no lane reads.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): positions.
#include "backends/llvm/spmd/spmd.h"

struct edge {
  struct kiln_term term; // of the address: the clamped position, in elements
  kiln_value position;   // without clamps, exact in all lanes
};

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
    bool is_id = op == KILN_OP_LOCAL_ID || (op == KILN_OP_GLOBAL_ID && f->ll->ir->small_ids);
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
    bool second = kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_LINEAR;
    if (kiln_ll_shape(f, x[second]).kind != KILN_SHAPE_LINEAR ||
        kiln_ll_shape(f, x[!second]).kind != KILN_SHAPE_UNIFORM)
      return 0;
    v = x[second];
  }
  return some && is_exact(f, v) ? v : 0;
}

static bool find_edge(const struct kiln_ll_fn *f, kiln_value load, struct edge *out) {
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  kiln_type type = kiln_value_type(f->fn, load);
  struct kiln_affine form;
  kiln_affine_of(f->fn, pointer, 0, &form);
  out->position = 0;
  if (form.wrap_count || kiln_ll_shape(f, form.base).kind != KILN_SHAPE_UNIFORM || kiln_type_lanes(type) > 1)
    return false;
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    if (kiln_ll_shape(f, term->value).kind == KILN_SHAPE_UNIFORM)
      continue;
    if (out->position || term->scale || term->extension == KILN_OP_ZEXT ||
        kiln_ll_shape(f, term->value).stride * term->factor != kiln_type_bytes(type))
      return false;
    out->term = *term;
    out->position = without_clamps(f, term->value);
    if (!out->position)
      return false;
  }
  return out->position && kiln_value_type(f->fn, out->position) == kiln_scalar_type(KILN_I32);
}

// The address so many positions further on.
static LLVMValueRef address_at(struct kiln_ll_fn *f, LLVMValueRef from, LLVMValueRef here, LLVMValueRef there,
                               int64_t factor) {
  LLVMValueRef a = kiln_ll_extended(f->ll, here, KILN_OP_SEXT), b = kiln_ll_extended(f->ll, there, KILN_OP_SEXT);
  return kiln_ll_pointer_add(f->ll, from, LLVMBuildSub(f->ll->b, b, a, ""), factor);
}

LLVMValueRef kiln_ll_load_at_edge(struct kiln_ll_fn *f, kiln_value load) {
  LLVMBuilderRef b = f->ll->b;
  struct edge edge;
  kiln_type type = kiln_value_type(f->fn, load);
  if (f->spmd->mask || f->group || f->spmd->split_masks || !f->ll->machine->wide_vectors ||
      kiln_inst(f->fn, load)->flags & KILN_MEM_VOLATILE || !find_edge(f, load, &edge))
    return NULL;
  LLVMTypeRef element = kiln_ll_type(f->ll, type);
  unsigned align = kiln_ll_known_align(kiln_inst(f->fn, load), type);
  LLVMValueRef positions = kiln_ll_wide(f, edge.position), clamped = kiln_ll_wide(f, edge.term.value);
  LLVMValueRef first = kiln_ll_held(f, edge.term.value);
  LLVMValueRef last = LLVMBuildExtractElement(b, clamped, kiln_ll_i32(f->ll, f->spmd->lanes - 1), "");
  LLVMValueRef low = kiln_ll_held(f, kiln_operands(f->fn, load)[0]);
  LLVMValueRef ends[2] = {LLVMBuildLoad2(b, element, low, ""),
                          LLVMBuildLoad2(b, element, address_at(f, low, first, last, edge.term.factor), "")};
  for (unsigned i = 0; i < 2; i++)
    LLVMSetAlignment(ends[i], align);
  LLVMValueRef from = address_at(f, low, first, kiln_ll_held(f, edge.position), edge.term.factor);
  LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntEQ, positions, clamped, "");
  LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLT, positions, clamped, "");
  LLVMValueRef some = kiln_ll_load_contiguous(f, element, 1, 1, from, align, inside, false);
  LLVMValueRef others = LLVMBuildSelect(b, below, kiln_ll_broadcast(f, ends[0]), kiln_ll_broadcast(f, ends[1]), "");
  return LLVMBuildSelect(b, inside, some, others, "");
}
