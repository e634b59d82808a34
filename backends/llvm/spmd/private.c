// Private variables that are arrays of lanes, or that lanes share (plan/private.c).
#include "backends/llvm/spmd/spmd.h"

LLVMValueRef kiln_ll_private_array(struct kiln_ll_fn *f, kiln_value var) {
  const struct kiln_inst *in = kiln_inst(f->fn, var);
  uint64_t element = f->form->element[var], size = (in->imm + element - 1) / element * element * f->form->lanes;
  return kiln_ll_alloca(f, LLVMArrayType2(f->ll->i8, size ? size : 1), (unsigned)element * f->form->lanes,
                        kiln_value_name(f->fn, var));
}

// The alignment of a row of an array: one element of all lanes.
static unsigned row_align(const struct kiln_ll_fn *f, unsigned bytes) {
  return bytes * f->form->lanes < KILN_CPU_ALIGN ? bytes * f->form->lanes : KILN_CPU_ALIGN;
}

// The address of component c: of lane 0 if the pointer is uniform, else of every lane.
static LLVMValueRef element_address(struct kiln_ll_fn *f, kiln_value pointer, unsigned c) {
  struct kiln_ll *ll = f->ll;
  uint64_t element = f->form->element[pointer];
  LLVMValueRef address = kiln_ll_held(f, pointer);
  address = kiln_ll_address_at(ll, address, (int64_t)(c * element * f->form->lanes));
  if (kiln_ll_shape(f, pointer).kind == KILN_SHAPE_UNIFORM)
    return address;
  return kiln_ll_pointer_add(ll, address, kiln_ll_iota(f, ll->i64, element), 1);
}

LLVMValueRef kiln_ll_load_array(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value pointer = kiln_operands(f->fn, inst)[0];
  kiln_type element = kiln_type_element(in->type);
  unsigned bytes = f->form->element[pointer], n = kiln_type_lanes(in->type);
  LLVMValueRef parts[16];
  for (unsigned c = 0; c < n; c++) {
    LLVMValueRef address = element_address(f, pointer, c);
    if (kiln_ll_shape(f, pointer).kind == KILN_SHAPE_UNIFORM) // lanes that are off have memory, too
      parts[c] =
          kiln_ll_load_contiguous(f, kiln_ll_type(f->ll, element), 1, 1, address, row_align(f, bytes), NULL, true);
    else
      parts[c] = kiln_ll_gather(f, element, address, bytes);
  }
  return kiln_ll_join_components(f, parts, n);
}

LLVMValueRef kiln_ll_store_array(struct kiln_ll_fn *f, kiln_value inst) {
  const kiln_value *x = kiln_operands(f->fn, inst);
  kiln_type type = kiln_value_type(f->fn, x[1]);
  unsigned bytes = f->form->element[x[0]];
  LLVMValueRef value = kiln_ll_wide(f, x[1]);
  for (unsigned c = 0; c < kiln_type_lanes(type); c++) {
    LLVMValueRef address = element_address(f, x[0], c), part = kiln_ll_component(f, value, c);
    if (kiln_ll_shape(f, x[0]).kind == KILN_SHAPE_UNIFORM)
      kiln_ll_store_contiguous(f, part, 1, 1, address, row_align(f, bytes), f->at.mask, true);
    else
      kiln_ll_scatter(f, kiln_type_element(type), part, address, bytes);
  }
  return NULL;
}
