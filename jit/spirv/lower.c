// Which function makes an instruction; and what holds of all: flags of floats, the type of the result.
#include "jit/spirv/function.h"

enum {
  NO_MAKER,
#define KILN_SPV_MAKER(function) MAKER_##function,
#include "jit/spirv/lower.def"
};
static kiln_spv_make *const makers[] = {
    NULL,
#define KILN_SPV_MAKER(function) kiln_spv_##function,
#include "jit/spirv/lower.def"
};
static const struct kiln_spv_lowering rows[KILN_SPV_ROWS] = {
#define KILN_SPV_LOWER(name, function, op, detail) [KILN_SPV_ROW_##name] = {MAKER_##function, (op), (detail)},
#include "jit/spirv/lower.def"
};

// What FPFastMathMode permits, beside what is permitted to all.
static uint16_t float_flags(const struct kiln_spv_fn *f, const struct kiln_spv_inst *inst) {
  uint16_t flags = f->fp_flags;
  if (!inst->id || !f->spv->decorations[inst->id])
    return flags;
  const struct kiln_spv_decoration *says = kiln_spv_decoration(f->spv, inst->id, KILN_SPV_Decoration_FPFastMathMode);
  if (!says || !says->count)
    return flags;
  uint32_t mode = says->operands[0];
  static const struct {
    uint32_t bit;
    uint16_t flags;
  } modes[] = {
      {KILN_SPV_FPFastMathMode_NotNaN, KILN_FP_NNAN},
      {KILN_SPV_FPFastMathMode_NotInf, KILN_FP_NINF},
      {KILN_SPV_FPFastMathMode_NSZ, KILN_FP_NSZ},
      {KILN_SPV_FPFastMathMode_AllowRecip, KILN_FP_ARCP},
      {KILN_SPV_FPFastMathMode_Fast,
       KILN_FP_CONTRACT | KILN_FP_NNAN | KILN_FP_NINF | KILN_FP_NSZ | KILN_FP_ARCP | KILN_FP_REASSOC | KILN_FP_APPROX},
      {KILN_SPV_FPFastMathMode_AllowContractFastINTEL, KILN_FP_CONTRACT},
      {KILN_SPV_FPFastMathMode_AllowReassocINTEL, KILN_FP_REASSOC},
  };
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (mode & modes[i].bit)
      flags |= modes[i].flags;
  return flags;
}

struct kiln_spv_value kiln_spv_lower(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst) {
  f->at = inst;
  const struct kiln_spv_lowering *row = &rows[inst->row];
  if (row->maker == NO_MAKER)
    kiln_spv_wrong(f, "this instruction is not supported");
  f->b->fp_flags = float_flags(f, inst);
  f->signs = kiln_spv_signs(inst->row);
  struct kiln_spv_value v = makers[row->maker](f, inst, row);
  f->b->fp_flags = 0;
  f->signs = 0;
  if (!inst->id || !inst->type)
    return v;
  const struct kiln_spv_type *type = f->spv->ids[inst->type].type;
  if (!type || type->kind == KILN_SPV_VOID || type->kind == KILN_SPV_SAMPLED_IMAGE)
    return v;
  if (v.parts ? !kiln_spv_same_type(v.type, type) : !v.value)
    kiln_spv_wrong(f, "the result has another type than its operands lead to");
  if (!v.parts && kiln_spv_ir(f, v.value) != type->ir &&
      (kiln_type_kind(type->ir) != KILN_PTR || kiln_type_kind(kiln_spv_ir(f, v.value)) != KILN_PTR))
    kiln_spv_wrong(f, "the result has another type than its operands lead to");
  if (type->odd_bits && kiln_spv_must_cut(inst->row))
    v.value = kiln_spv_cut(f, v.value, type);
  v.type = type;
  return v;
}
