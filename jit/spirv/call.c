// Calls: of functions of the module, of built-in functions, of those of other objects.
#include "jit/spirv/function.h"

// A copy of what a pointer leads to, which the function may change.
static kiln_value copy_of(struct kiln_spv_fn *f, kiln_value pointer, const struct kiln_spv_type *type) {
  kiln_value var = kiln_spv_var(f, type, 0, "");
  kiln_spv_copy(f, var, pointer, type->size, type->align ? type->align : 1, 0);
  return var;
}

// Operand k as what the parameter of the IR takes.
static kiln_value argument(struct kiln_spv_fn *f, const struct kiln_spv_function *callee, uint32_t param, uint32_t k,
                           kiln_type wanted) {
  struct kiln_spv_value v = kiln_spv_operand(f, k);
  if (!kiln_spv_same_type(v.type, callee->type->members[param]))
    kiln_spv_wrong(f, "argument %u has another type than the parameter", param + 1);
  if (v.parts) {
    kiln_value var = kiln_spv_var(f, v.type, 0, "");
    kiln_spv_store(f, var, &v, v.type->align ? v.type->align : 1, 0);
    return var;
  }
  if (kiln_spv_is_byval(f->spv, &callee->params[param]))
    return copy_of(f, v.value, v.type->element);
  return kiln_type_kind(wanted) == KILN_PTR ? kiln_spv_cast(f, v.value, wanted) : v.value;
}

static struct kiln_spv_value call_defined(struct kiln_spv_fn *f, const struct kiln_spv_function *callee) {
  const struct kiln_function *fn = callee->fn;
  const struct kiln_spv_type *result = kiln_spv_result(f);
  bool in_memory = kiln_spv_is_aggregate(callee->type->element);
  if (callee->param_count + 1 != f->at->count || !kiln_spv_same_type(result, callee->type->element))
    kiln_spv_wrong(f, "the call has another type than the function");
  uint32_t count = callee->param_count + in_memory;
  kiln_value *args = KILN_NEW_ARRAY(&f->spv->arena, kiln_value, count + 1);
  if (in_memory)
    args[0] = kiln_spv_var(f, result, 0, "");
  for (uint32_t i = 0; i < callee->param_count; i++)
    args[in_memory + i] = argument(f, callee, i, i + 1, fn->params[in_memory + i].type);
  kiln_value v = kiln_build_call(f->b, callee->index, args, count);
  if (in_memory)
    return kiln_spv_load(f, result, args[0], result->align ? result->align : 1, 0);
  return kiln_spv_of(result, v);
}

// Operands and results of built-in functions have bools as they are in memory.
static kiln_value builtin_argument(struct kiln_spv_fn *f, uint32_t id, bool with_sign, kiln_type wanted) {
  struct kiln_spv_value v = kiln_spv_use(f, id);
  if (v.parts || kiln_type_kind(kiln_spv_ir(f, v.value)) == KILN_VOID)
    kiln_spv_wrong(f, "%s is no number, vector or pointer", kiln_spv_id_text(f->spv, id));
  kiln_value value = with_sign ? kiln_spv_with_sign(f, v.value, v.type) : v.value;
  if (kiln_type_kind(kiln_spv_ir(f, value)) == KILN_BOOL && kiln_type_kind(wanted) == KILN_I8)
    value = kiln_build1(f->b, KILN_OP_ZEXT, v.type->stored, value);
  if (kiln_type_kind(wanted) == KILN_PTR)
    value = kiln_spv_cast(f, value, wanted);
  if (wanted && kiln_spv_ir(f, value) != wanted)
    kiln_spv_wrong(f, "%s has a type that does not fit", kiln_spv_id_text(f->spv, id));
  return value;
}

// The result of an operation on integers that may be of an odd width: zeros count as far as the width goes.
static kiln_value in_width(struct kiln_spv_fn *f, kiln_value v, enum kiln_op op, const struct kiln_spv_type *type) {
  if (!type->odd_bits)
    return v;
  if (op == KILN_OP_CLZ) {
    unsigned above = kiln_kind_bits(kiln_type_kind(type->ir)) - type->odd_bits;
    v = kiln_spv_op2(f, KILN_OP_ISUB, v, kiln_const(f->fn, type->ir, above));
  } else if (op == KILN_OP_CTZ) {
    v = kiln_spv_op2(f, KILN_OP_UMIN, v, kiln_const(f->fn, type->ir, type->odd_bits));
  }
  return kiln_spv_cut(f, v, type);
}

struct kiln_spv_value kiln_spv_call_builtin(struct kiln_spv_fn *f, const struct kiln_spv_builtin *how) {
  const struct kiln_spv_type *result = f->at->type ? kiln_spv_result(f) : NULL;      // OpImageWrite has none
  kiln_value *args = KILN_NEW_ARRAY(&f->spv->arena, kiln_value, how->arg_count + 1); // room for by_one
  const struct kiln_function *fn = how->is_call ? f->spv->module->functions[how->function] : NULL;
  if (fn && fn->param_count != how->arg_count)
    kiln_spv_wrong(f, "%u is no number of operands for it", how->arg_count);
  for (uint32_t i = 0; i < how->arg_count; i++)
    args[i] = builtin_argument(f, how->args[i], how->with_sign, fn ? fn->params[i].type : 0);
  if (!fn) {
    f->b->fp_flags &= (uint16_t)~how->without;
    if (how->is_apart)
      return kiln_spv_of(result,
                         kiln_build2(f->b, KILN_OP_FADD, kiln_build2(f->b, KILN_OP_FMUL, args[0], args[1]), args[2]));
    if (how->by_one)
      args[how->arg_count] = kiln_spv_const(f, kiln_spv_result_ir(f), 1);
    kiln_value v = kiln_spv_build(f, (enum kiln_op)how->op, kiln_spv_result_ir(f), args, how->arg_count + how->by_one,
                                  how->imm, how->flags);
    return kiln_spv_of(result, in_width(f, v, (enum kiln_op)how->op, result));
  }
  kiln_value v = kiln_build_call(f->b, how->function, args, how->arg_count);
  if (!result)
    return (struct kiln_spv_value){0};
  v = kiln_spv_cut(f, v, result);
  if (kiln_type_kind(result->ir) == KILN_BOOL && kiln_spv_ir(f, v) == result->stored)
    v = kiln_build2(f->b, KILN_OP_NE, v, kiln_const(f->fn, result->stored, 0));
  return kiln_spv_of(result, v);
}

struct kiln_spv_value kiln_spv_call(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                    const struct kiln_spv_lowering *how) {
  (void)how;
  const struct kiln_spv_id *id = inst->count ? &f->spv->ids[inst->operands[0]] : NULL;
  if (!id || id->what != KILN_SPV_IS_FUNCTION)
    kiln_spv_wrong(f, "it calls what is no function");
  const struct kiln_spv_function *callee = &f->spv->functions[id->number];
  if (callee->fn)
    return call_defined(f, callee);
  if (callee->block_count)
    kiln_spv_wrong(f, "it calls an entry point");
  struct kiln_spv_builtin builtin = kiln_spv_builtin_of(f->spv, inst);
  if (builtin.is_import)
    return call_defined(f, kiln_spv_declare(f->spv, callee));
  return kiln_spv_call_builtin(f, &builtin);
}

struct kiln_spv_value kiln_spv_extended_call(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)how;
  if (!kiln_spv_is_ext(inst))
    return (struct kiln_spv_value){0};
  struct kiln_spv_builtin builtin = kiln_spv_builtin_of(f->spv, inst);
  return kiln_spv_call_builtin(f, &builtin);
}
