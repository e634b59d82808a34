// What OpSpecConstantOp gives. The types of its operands are right (operands.c).
#include "jit/spirv/module.h"

#define MOST_PARTS 4096 // of an aggregate that a part is put into

struct fold {
  struct kiln_spv *spv;
  const struct kiln_spv_inst *inst;
  const struct kiln_spv_type *type; // of the result
  uint32_t op;
  const uint32_t *operands; // of that instruction
  uint32_t count;
};

static const struct kiln_spv_constant *operand(const struct fold *f, uint32_t k) {
  return kiln_spv_constant_of(f->spv, f->inst, f->operands[k]);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

enum how { PLAIN, SWAPPED, INVERTED }; // the operands, the result

static const struct {
  uint16_t op, ir, how;
} rows[] = {
    {KILN_SPV_OpFNegate, KILN_OP_FNEG, PLAIN},
    {KILN_SPV_OpIAdd, KILN_OP_IADD, PLAIN},
    {KILN_SPV_OpISub, KILN_OP_ISUB, PLAIN},
    {KILN_SPV_OpIMul, KILN_OP_IMUL, PLAIN},
    {KILN_SPV_OpUDiv, KILN_OP_UDIV, PLAIN},
    {KILN_SPV_OpSDiv, KILN_OP_SDIV, PLAIN},
    {KILN_SPV_OpUMod, KILN_OP_UREM, PLAIN},
    {KILN_SPV_OpSRem, KILN_OP_SREM, PLAIN},
    {KILN_SPV_OpFAdd, KILN_OP_FADD, PLAIN},
    {KILN_SPV_OpFSub, KILN_OP_FSUB, PLAIN},
    {KILN_SPV_OpFMul, KILN_OP_FMUL, PLAIN},
    {KILN_SPV_OpFDiv, KILN_OP_FDIV, PLAIN},
    {KILN_SPV_OpFRem, KILN_OP_FREM, PLAIN},
    {KILN_SPV_OpShiftLeftLogical, KILN_OP_SHL, PLAIN},
    {KILN_SPV_OpShiftRightLogical, KILN_OP_LSHR, PLAIN},
    {KILN_SPV_OpShiftRightArithmetic, KILN_OP_ASHR, PLAIN},
    {KILN_SPV_OpBitwiseAnd, KILN_OP_AND, PLAIN},
    {KILN_SPV_OpBitwiseOr, KILN_OP_OR, PLAIN},
    {KILN_SPV_OpBitwiseXor, KILN_OP_XOR, PLAIN},
    {KILN_SPV_OpLogicalAnd, KILN_OP_BAND, PLAIN},
    {KILN_SPV_OpLogicalOr, KILN_OP_BOR, PLAIN},
    {KILN_SPV_OpLogicalNotEqual, KILN_OP_BXOR, PLAIN},
    {KILN_SPV_OpLogicalEqual, KILN_OP_BXOR, INVERTED},
    {KILN_SPV_OpLogicalNot, KILN_OP_BNOT, PLAIN},
    {KILN_SPV_OpIEqual, KILN_OP_EQ, PLAIN},
    {KILN_SPV_OpINotEqual, KILN_OP_NE, PLAIN},
    {KILN_SPV_OpULessThan, KILN_OP_ULT, PLAIN},
    {KILN_SPV_OpULessThanEqual, KILN_OP_ULE, PLAIN},
    {KILN_SPV_OpUGreaterThan, KILN_OP_ULT, SWAPPED},
    {KILN_SPV_OpUGreaterThanEqual, KILN_OP_ULE, SWAPPED},
    {KILN_SPV_OpSLessThan, KILN_OP_SLT, PLAIN},
    {KILN_SPV_OpSLessThanEqual, KILN_OP_SLE, PLAIN},
    {KILN_SPV_OpSGreaterThan, KILN_OP_SLT, SWAPPED},
    {KILN_SPV_OpSGreaterThanEqual, KILN_OP_SLE, SWAPPED},
    {KILN_SPV_OpSelect, KILN_OP_SELECT, PLAIN},
};

struct numbers { // of operands
  union kiln_lanes lanes[3];
  kiln_type types[3];
  uint32_t count;
};

// In place of the zeros above an odd width.
static void add_sign(const struct kiln_spv_type *type, uint64_t lanes[16]) {
  uint64_t mask = kiln_bits_mask(kiln_kind_bits(kiln_type_kind(type->ir)));
  for (unsigned i = 0; i < kiln_type_lanes(type->ir); i++)
    lanes[i] = (uint64_t)kiln_sign_extend(lanes[i], type->odd_bits) & mask;
}

static struct numbers numbers_of(const struct fold *f) {
  uint8_t signs = kiln_spv_signs(kiln_spv_op_row(f->op));
  struct numbers x = {.count = f->count < 3 ? f->count : 3};
  for (uint32_t i = 0; i < x.count; i++) {
    const struct kiln_spv_constant *constant = operand(f, i);
    if (!kiln_spv_constant_lanes(constant, x.lanes[i].bits))
      kiln_spv_fail(f->spv, f->inst, "%s depends on an address", kiln_spv_id_text(f->spv, f->operands[i]));
    x.types[i] = constant->type->ir;
    if (constant->type->odd_bits && signs >> i & 1)
      add_sign(constant->type, x.lanes[i].bits);
  }
  return x;
}

static union kiln_lanes eval(const struct fold *f, enum kiln_op op, kiln_type type, uint64_t imm,
                             const struct numbers *x) {
  union kiln_lanes result = {{0}};
  const union kiln_lanes *lanes[] = {&x->lanes[0], &x->lanes[1], &x->lanes[2]};
  if (!kiln_eval(op, type, imm, 0, NULL, x->types, lanes, x->count, &result))
    kiln_spv_fail(f->spv, f->inst, "the constant cannot be computed");
  return result;
}

static const struct kiln_spv_constant *number(const struct fold *f, const union kiln_lanes *lanes) {
  return kiln_spv_number(f->spv, f->type, lanes->bits);
}

// With an operand before the others: the same in all lanes.
static struct numbers with_first(const struct fold *f, uint64_t first) {
  struct numbers x = numbers_of(f);
  x.lanes[1] = x.lanes[0];
  x.types[1] = x.types[0];
  x.count = 2;
  for (unsigned i = 0; i < 16; i++)
    x.lanes[0].bits[i] = first;
  return x;
}

// SMod and FMod: the remainder with the sign of the divisor.
static const struct kiln_spv_constant *modulo(const struct fold *f) {
  bool floats = f->op == KILN_SPV_OpFMod;
  struct numbers x = numbers_of(f);
  union kiln_lanes rest = eval(f, floats ? KILN_OP_FREM : KILN_OP_SREM, f->type->ir, 0, &x);
  struct numbers sum = x;
  sum.lanes[0] = rest;
  union kiln_lanes other = eval(f, floats ? KILN_OP_FADD : KILN_OP_IADD, f->type->ir, 0, &sum);
  unsigned bits = kiln_kind_bits(kiln_type_kind(f->type->ir));
  uint64_t sign = (uint64_t)1 << (bits - 1), size = floats ? sign - 1 : kiln_bits_mask(bits);
  for (unsigned i = 0; i < kiln_type_lanes(f->type->ir); i++)
    if (rest.bits[i] & size && (rest.bits[i] ^ x.lanes[1].bits[i]) & sign)
      rest.bits[i] = other.bits[i];
  return number(f, &rest);
}

static const struct kiln_spv_constant *convert(const struct fold *f) {
  struct numbers x = numbers_of(f);
  unsigned from = kiln_kind_bits(kiln_type_kind(x.types[0])), to = kiln_kind_bits(kiln_type_kind(f->type->ir));
  enum kiln_op op;
  uint64_t imm = KILN_ROUND_EVEN;
  switch (f->op) {
  case KILN_SPV_OpUConvert:
  case KILN_SPV_OpSConvert:
    if (from == to)
      return number(f, &x.lanes[0]);
    op = from > to ? KILN_OP_TRUNC : f->op == KILN_SPV_OpUConvert ? KILN_OP_ZEXT : KILN_OP_SEXT;
    break;
  case KILN_SPV_OpConvertFToU:
  case KILN_SPV_OpConvertFToS:
    op = f->op == KILN_SPV_OpConvertFToU ? KILN_OP_FTOU : KILN_OP_FTOS;
    imm = KILN_ROUND_ZERO;
    break;
  case KILN_SPV_OpConvertSToF:
    op = KILN_OP_STOF;
    break;
  case KILN_SPV_OpConvertUToF:
    op = KILN_OP_UTOF;
    break;
  case KILN_SPV_OpQuantizeToF16: {
    kiln_type half = kiln_vec_type(KILN_F16, kiln_type_lanes(f->type->ir));
    x.lanes[0] = eval(f, KILN_OP_FTOF, half, imm, &x);
    x.types[0] = half;
    op = KILN_OP_FTOF;
    break;
  }
  default:
    if (from == to)
      return number(f, &x.lanes[0]);
    op = KILN_OP_FTOF;
    break;
  }
  union kiln_lanes result = eval(f, op, f->type->ir, imm, &x);
  return number(f, &result);
}

// Of operands that are wider than the result, the lower bits.
static void take_lower(const struct kiln_spv_type *type, struct numbers *x) {
  for (unsigned i = 0; i < 2; i++) {
    x->types[i] = type->ir;
    for (unsigned k = 0; k < 16; k++)
      x->lanes[i].bits[k] &= kiln_bits_mask(kiln_spv_bits(type));
  }
}

static const struct kiln_spv_constant *compute(const struct fold *f) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op != f->op)
      continue;
    struct numbers x = numbers_of(f);
    if (rows[i].how == SWAPPED) {
      union kiln_lanes first = x.lanes[0];
      x.lanes[0] = x.lanes[1];
      x.lanes[1] = first;
    }
    if (f->op >= KILN_SPV_OpShiftRightLogical && f->op <= KILN_SPV_OpShiftLeftLogical)
      x.types[1] = x.types[0]; // of any width
    if (f->op == KILN_SPV_OpBitwiseAnd || f->op == KILN_SPV_OpBitwiseOr || f->op == KILN_SPV_OpBitwiseXor)
      take_lower(f->type, &x);
    if (f->op == KILN_SPV_OpIEqual || f->op == KILN_SPV_OpINotEqual) // of floats, too: their bits
      x.types[0] = x.types[1] = kiln_vec_type(KILN_I64, kiln_type_lanes(x.types[0]));
    union kiln_lanes result = eval(f, (enum kiln_op)rows[i].ir, f->type->ir, 0, &x);
    for (unsigned k = 0; k < 16 && rows[i].how == INVERTED; k++)
      result.bits[k] ^= 1;
    return number(f, &result);
  }
  kiln_spv_fail(f->spv, f->inst, "constants of Op%s are not supported", kiln_spv_op_name(f->op));
}

// ---- addresses -----------------------------------------------------------------------------------------------------

static bool is_address(const struct kiln_spv_constant *constant) {
  return constant->form == KILN_SPV_ADDRESS && constant->variable;
}

// A pointer or an integer, from what is one of these, too.
static const struct kiln_spv_constant *moved(const struct fold *f, const struct kiln_spv_constant *base,
                                             int64_t offset) {
  uint64_t lanes[16] = {0};
  uint32_t variable = is_address(base) ? base->variable : 0;
  if (variable)
    lanes[0] = (uint64_t)base->offset;
  else if (!kiln_spv_constant_lanes(base, lanes))
    kiln_spv_fail(f->spv, f->inst, "the constant cannot be computed");
  lanes[0] += (uint64_t)offset;
  if (f->type->kind != KILN_SPV_POINTER && !variable)
    return kiln_spv_number(f->spv, f->type, lanes);
  if (f->type->size != 8 || f->type->odd_bits || kiln_type_lanes(f->type->ir) != 1 || f->type->kind == KILN_SPV_FLOAT)
    kiln_spv_fail(f->spv, f->inst, "an address as %s", kiln_spv_type_text(f->spv, f->type));
  struct kiln_spv_constant *constant = kiln_spv_new_constant(f->spv, f->type, KILN_SPV_ADDRESS);
  constant->variable = variable;
  constant->offset = (int64_t)lanes[0];
  return constant;
}

static const struct kiln_spv_constant *chain(const struct fold *f) {
  bool element = f->op == KILN_SPV_OpPtrAccessChain || f->op == KILN_SPV_OpInBoundsPtrAccessChain;
  const struct kiln_spv_constant *base = operand(f, 0);
  const struct kiln_spv_type *type;
  int64_t offset;
  if (!kiln_spv_chain(f->spv, f->inst, (uint32_t)(f->operands - f->inst->operands) + 1, element, base->type->element,
                      &type, &offset))
    kiln_spv_fail(f->spv, f->inst, "an index is not constant");
  return moved(f, base, offset);
}

// Lanes of at most 64 bits altogether as those of the result: the first one is lowest.
static const struct kiln_spv_constant *repacked(const struct fold *f, const struct kiln_spv_type *from,
                                                const uint64_t *lanes) {
  uint64_t word = 0, result[16] = {0};
  unsigned bits = kiln_spv_bits(from), to = kiln_spv_bits(f->type);
  for (unsigned i = 0; i < kiln_type_lanes(from->ir); i++)
    word |= lanes[i] << i * bits;
  for (unsigned i = 0; i < kiln_type_lanes(f->type->ir); i++)
    result[i] = word >> i * to; // kiln_spv_number cuts it
  return kiln_spv_number(f->spv, f->type, result);
}

static const struct kiln_spv_constant *bitcast(const struct fold *f) {
  const struct kiln_spv_constant *from = operand(f, 0);
  if (from->type->kind == KILN_SPV_POINTER || f->type->kind == KILN_SPV_POINTER || is_address(from))
    return moved(f, from, 0);
  struct numbers x = numbers_of(f);
  if (from->type->odd_bits || f->type->odd_bits || kiln_type_kind(from->type->ir) == KILN_BOOL ||
      kiln_type_kind(f->type->ir) == KILN_BOOL)
    return repacked(f, from->type, x.lanes[0].bits);
  union kiln_lanes result = eval(f, KILN_OP_BITCAST, f->type->ir, 0, &x);
  return number(f, &result);
}

static const struct kiln_spv_constant *sum(const struct fold *f) {
  const struct kiln_spv_constant *x = operand(f, 0), *y = operand(f, 1);
  uint64_t lanes[16];
  if (is_address(x) && kiln_spv_constant_lanes(y, lanes))
    return moved(f, x, (int64_t)(f->op == KILN_SPV_OpISub ? -lanes[0] : lanes[0]));
  if (is_address(y) && f->op == KILN_SPV_OpIAdd && kiln_spv_constant_lanes(x, lanes))
    return moved(f, y, (int64_t)lanes[0]);
  return compute(f);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

static const struct kiln_spv_constant *extract(const struct fold *f) {
  const struct kiln_spv_constant *constant = operand(f, 0);
  for (uint32_t i = 1; i < f->count; i++)
    constant = kiln_spv_constant_part(f->spv, constant, f->operands[i]);
  return constant;
}

// The constant with part k replaced.
static const struct kiln_spv_constant *with_part(const struct fold *f, const struct kiln_spv_constant *constant,
                                                 uint32_t k, const struct kiln_spv_constant *part) {
  struct kiln_spv *spv = f->spv;
  const struct kiln_spv_type *type = constant->type;
  if (type->kind == KILN_SPV_VECTOR) {
    uint64_t lanes[16], of_part[16];
    if (!kiln_spv_constant_lanes(constant, lanes) || !kiln_spv_constant_lanes(part, of_part))
      kiln_spv_fail(spv, f->inst, "the constant cannot be computed");
    lanes[k] = of_part[0];
    return kiln_spv_number(spv, type, lanes);
  }
  if (type->count > MOST_PARTS)
    kiln_spv_limit(spv, f->inst, "a part is put into a constant of %u", type->count);
  const struct kiln_spv_constant **parts = KILN_NEW_ARRAY(&spv->arena, const struct kiln_spv_constant *, type->count);
  for (uint32_t i = 0; i < type->count; i++)
    parts[i] = i == k ? part : kiln_spv_constant_part(spv, constant, i);
  struct kiln_spv_constant *result = kiln_spv_new_constant(spv, type, KILN_SPV_PARTS);
  result->parts = parts;
  return result;
}

static const struct kiln_spv_constant *insert(const struct fold *f) {
  const struct kiln_spv_constant *part = operand(f, 0);
  const struct kiln_spv_constant *around[256]; // types are nested no deeper
  uint32_t depth = f->count - 2;
  if (depth > 256)
    kiln_spv_fail(f->spv, f->inst, "too many indices");
  const struct kiln_spv_constant *at = operand(f, 1);
  for (uint32_t i = 0; i < depth; i++) {
    around[i] = at;
    at = kiln_spv_constant_part(f->spv, at, f->operands[i + 2]);
  }
  for (uint32_t i = depth; i-- > 0;)
    part = with_part(f, around[i], f->operands[i + 2], part);
  return part;
}

static const struct kiln_spv_constant *shuffle(const struct fold *f) {
  uint64_t lanes[16] = {0}, x[16], y[16];
  const struct kiln_spv_constant *first = operand(f, 0), *second = operand(f, 1);
  if (!kiln_spv_constant_lanes(first, x) || !kiln_spv_constant_lanes(second, y))
    kiln_spv_fail(f->spv, f->inst, "the constant cannot be computed");
  for (uint32_t i = 0; i + 2 < f->count && i < 16; i++) {
    uint32_t from = f->operands[i + 2], count = first->type->count;
    lanes[i] = from < count ? x[from] : from - count < second->type->count ? y[from - count] : 0; // undefined: 0
  }
  return kiln_spv_number(f->spv, f->type, lanes);
}

static const struct kiln_spv_constant *choose(const struct fold *f) {
  const struct kiln_spv_constant *condition = operand(f, 0);
  uint64_t lanes[16];
  if (condition->type->kind != KILN_SPV_BOOL || !kiln_spv_constant_lanes(condition, lanes))
    return compute(f);
  return operand(f, lanes[0] ? 1 : 2);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static const struct kiln_spv_constant *fold(const struct fold *f) {
  switch (f->op) {
  case KILN_SPV_OpSNegate: {
    struct numbers x = with_first(f, 0);
    union kiln_lanes result = eval(f, KILN_OP_ISUB, f->type->ir, 0, &x);
    return number(f, &result);
  }
  case KILN_SPV_OpNot: {
    struct numbers x = with_first(f, ~(uint64_t)0);
    union kiln_lanes result = eval(f, KILN_OP_XOR, f->type->ir, 0, &x);
    return number(f, &result);
  }
  case KILN_SPV_OpSMod:
  case KILN_SPV_OpFMod:
    return modulo(f);
  case KILN_SPV_OpUConvert:
  case KILN_SPV_OpSConvert:
  case KILN_SPV_OpFConvert:
  case KILN_SPV_OpConvertFToU:
  case KILN_SPV_OpConvertFToS:
  case KILN_SPV_OpConvertSToF:
  case KILN_SPV_OpConvertUToF:
  case KILN_SPV_OpQuantizeToF16:
    return convert(f);
  case KILN_SPV_OpConvertPtrToU:
  case KILN_SPV_OpConvertUToPtr:
  case KILN_SPV_OpPtrCastToGeneric:
  case KILN_SPV_OpGenericCastToPtr:
    return moved(f, operand(f, 0), 0);
  case KILN_SPV_OpBitcast:
    return bitcast(f);
  case KILN_SPV_OpAccessChain:
  case KILN_SPV_OpInBoundsAccessChain:
  case KILN_SPV_OpPtrAccessChain:
  case KILN_SPV_OpInBoundsPtrAccessChain:
    return chain(f);
  case KILN_SPV_OpIAdd:
  case KILN_SPV_OpISub:
    return sum(f);
  case KILN_SPV_OpCompositeExtract:
    return extract(f);
  case KILN_SPV_OpCompositeInsert:
    return insert(f);
  case KILN_SPV_OpVectorShuffle:
    return shuffle(f);
  case KILN_SPV_OpSelect:
    return choose(f);
  default:
    return compute(f);
  }
}

const struct kiln_spv_constant *kiln_spv_fold(struct kiln_spv *spv, const struct kiln_spv_inst *inst,
                                              const struct kiln_spv_type *type) {
  struct kiln_spv_inst inner = *inst; // as it would stand in a function
  inner.op = (uint16_t)inst->operands[0];
  inner.row = (uint16_t)kiln_spv_op_row(inner.op);
  inner.operands++;
  inner.count--;
  inner.kinds++;
  kiln_spv_check_types(spv, &inner, NULL);
  struct fold f = {spv, inst, type, inner.op, inner.operands, inner.count};
  const struct kiln_spv_constant *constant = fold(&f);
  if (constant->type == type)
    return constant;
  struct kiln_spv_constant *copy = kiln_spv_new_constant(spv, type, constant->form); // of a type that looks the same
  *copy = *constant;
  copy->type = type;
  return copy;
}
