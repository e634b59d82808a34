// Checked accesses: contiguous ones where the lanes of a warp turn out to have neighbouring addresses. Most warps do if
// the address is a clamped, mirrored or wrapped position, as at the border of an image, and the warp lies inside, or if
// it is made of bits of ids (stride.c). The address is taken apart; its one term that varies is compared with that of
// lane 0.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): positions.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/find.h"

// The one term of the address that varies, if the lanes have neighbouring elements when it grows by a stride.
static bool find_term(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  int64_t rest = kiln_type_bytes(kiln_access_type(f->fn, access));
  struct kiln_affine form;
  kiln_affine_of(f->fn, pointer, 0, &form);
  if (form.wrap_count || kiln_ll_shape(f, form.base).kind != KILN_SHAPE_UNIFORM)
    return false;
  struct kiln_term varying = {0};
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    struct kiln_shape shape = kiln_ll_shape(f, term->value);
    if (shape.kind == KILN_SHAPE_UNIFORM)
      continue;
    if (shape.kind == KILN_SHAPE_LINEAR || varying.value)
      return false;
    varying = *term;
  }
  if (!varying.value || rest % varying.factor)
    return false;
  int64_t stride = rest / varying.factor;
  *out = (struct kiln_ll_neighbours){varying, stride};
  uint64_t span = (uint64_t)(stride < 0 ? -stride : stride) * f->form->lanes;
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, varying.value)));
  return bits == 64 || span >> bits == 0;
}

bool kiln_ll_find_neighbours(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out) {
  // A gather of wide elements is one vector access for each lane, which is nearly as fast.
  if (f->form->lanes == 1 || kiln_type_bytes(kiln_access_type(f->fn, access)) >= KILN_COST_VECTOR_BYTES ||
      kiln_inst(f->fn, access)->flags & KILN_MEM_VOLATILE || !find_term(f, access, out))
    return false;
  struct kiln_ll_stride likely = f->form->likely[out->term.value];
  return likely.known && likely.step == out->stride;
}
