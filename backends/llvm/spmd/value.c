// The kernel's values at many lanes, as they are held and as vectors.
#include "backends/llvm/spmd/spmd.h"

LLVMTypeRef kiln_ll_held_type(struct kiln_ll_fn *f, kiln_value v) {
  kiln_type type = kiln_value_type(f->fn, v);
  if (kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING)
    return kiln_ll_type(f->ll, type);
  return kiln_ll_vector(kiln_ll_type(f->ll, kiln_type_element(type)), kiln_type_lanes(type) * f->form->lanes);
}

LLVMValueRef kiln_ll_linear_vector(struct kiln_ll_fn *f, LLVMValueRef base, int64_t stride) {
  LLVMTypeRef type = LLVMTypeOf(base);
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return kiln_ll_pointer_add(f->ll, base, kiln_ll_iota(f, f->ll->i64, (uint64_t)stride), 1);
  return LLVMBuildAdd(f->ll->b, kiln_ll_broadcast(f, base), kiln_ll_iota(f, type, (uint64_t)stride), "");
}

LLVMValueRef kiln_ll_widen(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef held) {
  struct kiln_shape shape = kiln_ll_shape(f, v);
  if (shape.kind == KILN_SHAPE_UNIFORM)
    return kiln_ll_broadcast(f, held);
  return shape.kind == KILN_SHAPE_LINEAR ? kiln_ll_linear_vector(f, held, shape.stride) : held;
}

// Makes the vector form where the value is used, once per block. LLVM merges equal vectors.
LLVMValueRef kiln_ll_wide(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_ll_form *s = f->form;
  struct kiln_ll_fn by_components = *f;
  by_components.at.in_memory_order = false; // what is computed or loaded for this has an order of its own
  LLVMValueRef held = kiln_ll_held(&by_components, v);
  if (s->shapes[v].kind == KILN_SHAPE_VARYING)
    return held;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(f->ll->b);
  if (f->at.in_memory_order && kiln_type_lanes(kiln_value_type(f->fn, v)) > 1)
    return kiln_ll_widen(f, v, held);
  if (s->made->wide[v] && s->made->wide_block[v] == here)
    return s->made->wide[v];
  LLVMValueRef result = s->conditional[v] && s->shapes[v].kind == KILN_SHAPE_LINEAR
                            ? f->ll->hooks->lanes->compute_wide(f, v)
                            : kiln_ll_widen(f, v, held);
  s->made->wide[v] = result;
  s->made->wide_block[v] = here;
  return result;
}

LLVMValueRef kiln_ll_spmd_get(struct kiln_ll_fn *f, kiln_value v) {
  if (f->at.is_wide)
    return kiln_ll_wide(f, v);
  if (kiln_ll_shape(f, v).kind == KILN_SHAPE_VARYING) {
    kiln_ll_fail(f->ll, KILN_ERR_INTERNAL, "emitter: varying value %%%u of '%s' (%s) is taken for uniform", v,
                 f->fn->name, kiln_op_table[kiln_inst(f->fn, v)->op].name);
    return LLVMConstNull(kiln_ll_type(f->ll, kiln_value_type(f->fn, v)));
  }
  return kiln_ll_held(f, v);
}

LLVMValueRef kiln_ll_slot_value(struct kiln_ll_fn *f, kiln_value phi, kiln_value value) {
  if (kiln_ll_shape(f, phi).kind != KILN_SHAPE_VARYING)
    return kiln_ll_held(f, value);
  struct kiln_ll_fn ordered = kiln_ll_in_order_of(f, phi);
  return kiln_ll_wide(&ordered, value);
}

LLVMValueRef kiln_ll_hold(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef wide) {
  if (kiln_ll_shape(f, v).kind == KILN_SHAPE_VARYING)
    return wide;
  return kiln_ll_of_lane(f, kiln_value_type(f->fn, v), wide, kiln_ll_first_lane(f));
}
