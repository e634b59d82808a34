// Calls of built-ins that are operations of the IR, or a few of them. Everywhere in the lowering, operands that build
// something are variables first: the order in which C evaluates arguments must not show in the IR.
#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/lower/lower.h"

enum { MOST_ARGS = 6 };

struct call {
  const struct kiln_expr *e;
  const struct kiln_builtin_call *how;
  const struct kiln_ctype *type; // of the result
  kiln_type ir;
  kiln_value args[MOST_ARGS];
};

static const struct kiln_ctype *arg_type(const struct call *c, unsigned i) { return c->e->args[i]->type.type; }

bool kiln_lower_builtin_is_cheap(const struct kiln_builtin_call *call) {
  if (call->how == KILN_HOW_OP)
    return (call->code >= KILN_OP_IADD && call->code <= KILN_OP_POPCOUNT && call->code != KILN_OP_SDIV &&
            call->code != KILN_OP_UDIV) ||
           (call->code >= KILN_OP_FNEG && call->code <= KILN_OP_COPYSIGN);
  if (call->how == KILN_HOW_ITEM)
    return true;
  return call->how == KILN_HOW_SPECIAL &&
         ((call->code <= KILN_SP_SELECT && call->code != KILN_SP_DOT) || call->code == KILN_SP_BITS ||
          call->code == KILN_SP_FIRST || call->code == KILN_SP_BITCOUNT);
}

// ---- helpers -------------------------------------------------------------------------------------------------------

static enum kiln_kind int_kind(unsigned bits) {
  return bits == 8 ? KILN_I8 : bits == 16 ? KILN_I16 : bits == 32 ? KILN_I32 : KILN_I64;
}

// An integer or float as integer bits.
static kiln_value as_bits(struct kiln_lower *L, kiln_value v) {
  enum kiln_kind kind = kiln_type_kind(kiln_value_type(L->fn, v));
  if (!kiln_kind_is_float(kind))
    return v;
  return kiln_build1(&L->b, KILN_OP_BITCAST, kiln_lower_lanes_like(L, int_kind(kiln_kind_bits(kind)), v), v);
}

// What is != 0, or less than 0, as bool.
static kiln_value is_negative(struct kiln_lower *L, kiln_value v) {
  return kiln_build2(&L->b, KILN_OP_SLT, v, kiln_const(L->fn, kiln_value_type(L->fn, v), 0));
}

// bool to the result of a relational function: 1 for scalars, -1 per lane for vectors.
static kiln_value relation(struct kiln_lower *L, const struct call *c, kiln_value v) {
  return kiln_build1(&L->b, kiln_type_lanes(c->ir) > 1 ? KILN_OP_SEXT : KILN_OP_ZEXT, c->ir, v);
}

// ---- work-items ----------------------------------------------------------------------------------------------------

static kiln_value item(struct kiln_lower *L, const struct call *c) {
  enum kiln_op op = (enum kiln_op)c->how->code;
  kiln_value other = kiln_lower_const_int(L, KILN_I64, c->how->imm);
  const struct kiln_inst *inst = kiln_inst(L->fn, c->args[0]);
  if (inst->op == KILN_OP_CONST)
    return inst->imm < 3 ? kiln_build_item(&L->b, op, (unsigned)inst->imm) : other;
  kiln_value v = other;
  for (unsigned d = 3; d-- > 0;) {
    kiln_value is = kiln_build2(&L->b, KILN_OP_EQ, c->args[0], kiln_lower_const_int(L, KILN_I32, d));
    v = kiln_build3(&L->b, KILN_OP_SELECT, is, kiln_build_item(&L->b, op, d), v);
  }
  return v;
}

uint32_t kiln_lower_fence_bits(struct kiln_lower *L, kiln_value flags) {
  const struct kiln_inst *inst = kiln_inst(L->fn, flags);
  return inst->op == KILN_OP_CONST ? (uint32_t)inst->imm & 7 : KILN_FENCE_LOCAL | KILN_FENCE_GLOBAL;
}

static kiln_value fence(struct kiln_lower *L, const struct call *c) {
  uint32_t bits = kiln_lower_fence_bits(L, c->args[0]);
  enum kiln_scope scope = bits & KILN_FENCE_GLOBAL ? KILN_SCOPE_DEVICE : KILN_SCOPE_GROUP;
  return kiln_build(&L->b, KILN_OP_FENCE, KILN_VOID, NULL, 0, kiln_atomic((enum kiln_order)c->how->imm, scope), bits,
                    0);
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

static kiln_value product_and_sum(struct kiln_lower *L, kiln_value x, kiln_value y, kiln_value z, bool fused) {
  if (fused)
    return kiln_build3(&L->b, KILN_OP_FMA, x, y, z);
  return kiln_build2(&L->b, KILN_OP_FADD, kiln_build2(&L->b, KILN_OP_FMUL, x, y), z);
}

// x * y + z, rounded once where the target does that as fast.
static kiln_value mad(struct kiln_lower *L, const struct call *c) {
  return product_and_sum(L, c->args[0], c->args[1], c->args[2], kiln_lower_has_fma(L, c->ir));
}

static kiln_value larger(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  return kiln_build3(&L->b, KILN_OP_SELECT, kiln_build2(&L->b, KILN_OP_FLT, x, y), y, x);
}

static kiln_value smaller(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  return kiln_build3(&L->b, KILN_OP_SELECT, kiln_build2(&L->b, KILN_OP_FLT, y, x), y, x);
}

static kiln_value absolute(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0];
  if (!kiln_ctype_is_signed(arg_type(c, 0)))
    return x;
  kiln_value v = kiln_build2(&L->b, KILN_OP_ISUB, kiln_const(L->fn, kiln_value_type(L->fn, x), 0), x);
  return kiln_build2(&L->b, KILN_OP_SMAX, x, v);
}

static kiln_value distance(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  bool is_signed = kiln_ctype_is_signed(arg_type(c, 0));
  kiln_value v = kiln_build2(&L->b, is_signed ? KILN_OP_SMAX : KILN_OP_UMAX, x, y);
  return kiln_build2(&L->b, KILN_OP_ISUB, v, kiln_build2(&L->b, is_signed ? KILN_OP_SMIN : KILN_OP_UMIN, x, y));
}

static kiln_value upsample(struct kiln_lower *L, const struct call *c) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(c->ir)) / 2;
  kiln_value x = kiln_build1(&L->b, KILN_OP_ZEXT, c->ir, c->args[0]);
  x = kiln_build2(&L->b, KILN_OP_SHL, x, kiln_const(L->fn, c->ir, bits));
  return kiln_build2(&L->b, KILN_OP_OR, x, kiln_build1(&L->b, KILN_OP_ZEXT, c->ir, c->args[1]));
}

static kiln_value count_bits(struct kiln_lower *L, const struct call *c) {
  kiln_value v = kiln_build1(&L->b, (enum kiln_op)c->how->imm, 0, c->args[0]);
  return kiln_lower_number(L, v, arg_type(c, 0), c->type, KILN_ROUND_EVEN);
}

static kiln_value dot_of_bytes(struct kiln_lower *L, const struct call *c) {
  return kiln_build(&L->b, KILN_OP_DOT4, c->ir, c->args, 3, c->how->imm, 0, 0);
}

static kiln_value dot(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  unsigned lanes = kiln_type_lanes(kiln_value_type(L->fn, x));
  if (lanes == 1)
    return kiln_build2(&L->b, KILN_OP_FMUL, x, y);
  bool fuses = kiln_lower_may_fuse(L, c->e, c->ir);
  kiln_value sum = 0;
  for (unsigned i = 0; i < lanes; i++) {
    kiln_value a = kiln_lower_extract(L, x, i), b = kiln_lower_extract(L, y, i);
    sum = i ? product_and_sum(L, a, b, sum, fuses) : kiln_build2(&L->b, KILN_OP_FMUL, a, b);
  }
  return sum;
}

// ---- relations -----------------------------------------------------------------------------------------------------

static kiln_value compare(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  uint16_t flags = L->b.fp_flags;
  L->b.fp_flags &= (uint16_t) ~(KILN_FP_NNAN | KILN_FP_NINF); // these ask about just that
  enum kiln_op op = (enum kiln_op)(c->how->imm & KILN_COMPARE_OP);
  kiln_value v =
      kiln_build2(&L->b, op, c->how->imm & KILN_COMPARE_SWAPPED ? y : x, c->how->imm & KILN_COMPARE_SWAPPED ? x : y);
  if (c->how->imm & KILN_COMPARE_EITHER)
    v = kiln_build2(&L->b, KILN_OP_BOR, v, kiln_build2(&L->b, op, y, x));
  L->b.fp_flags = flags;
  return relation(L, c, v);
}

static kiln_value ordered(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1];
  uint16_t flags = L->b.fp_flags;
  L->b.fp_flags &= (uint16_t) ~(KILN_FP_NNAN | KILN_FP_NINF);
  kiln_value v = kiln_build2(&L->b, KILN_OP_FEQ, x, x);
  v = kiln_build2(&L->b, KILN_OP_BAND, v, kiln_build2(&L->b, KILN_OP_FEQ, y, y));
  if (c->how->code == KILN_SP_ISUNORDERED)
    v = kiln_build1(&L->b, KILN_OP_BNOT, 0, v);
  L->b.fp_flags = flags;
  return relation(L, c, v);
}

static kiln_value classify(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0];
  // On the bits, which no floating-point option touches: without the sign, in order of magnitude.
  enum kiln_kind kind = kiln_type_kind(kiln_value_type(L->fn, x));
  unsigned bits = kiln_kind_bits(kind), digits = kind == KILN_F16 ? 10 : kind == KILN_F32 ? 23 : 52;
  uint64_t all = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1, least = UINT64_C(1) << digits;
  uint64_t infinity = (all >> 1) - (least - 1);
  kiln_value v = as_bits(L, x);
  kiln_type type = kiln_value_type(L->fn, v);
  if (c->how->code == KILN_SP_SIGNBIT)
    return relation(L, c, is_negative(L, v));
  v = kiln_build2(&L->b, KILN_OP_AND, v, kiln_const(L->fn, type, all >> 1));
  kiln_value limit = kiln_const(L->fn, type, infinity);
  if (c->how->code == KILN_SP_ISNORMAL) {
    v = kiln_build2(&L->b, KILN_OP_ISUB, v, kiln_const(L->fn, type, least));
    v = kiln_build2(&L->b, KILN_OP_ULT, v, kiln_const(L->fn, type, infinity - least));
  } else if (c->how->code == KILN_SP_ISNAN) {
    v = kiln_build2(&L->b, KILN_OP_SLT, limit, v);
  } else {
    v = kiln_build2(&L->b, c->how->code == KILN_SP_ISINF ? KILN_OP_EQ : KILN_OP_SLT, v, limit);
  }
  return relation(L, c, v);
}

static kiln_value any_or_all(struct kiln_lower *L, const struct call *c) {
  kiln_value v = is_negative(L, c->args[0]);
  if (kiln_type_lanes(kiln_value_type(L->fn, v)) > 1)
    v = kiln_build1(&L->b, c->how->code == KILN_SP_ANY ? KILN_OP_ANY : KILN_OP_ALL, kiln_scalar_type(KILN_BOOL), v);
  return kiln_build1(&L->b, KILN_OP_ZEXT, c->ir, v);
}

static kiln_value choose(struct kiln_lower *L, const struct call *c) {
  kiln_value x = c->args[0], y = c->args[1], mask = c->args[2];
  if (c->how->code == KILN_SP_SELECT) {
    bool is_vector = kiln_type_lanes(c->ir) > 1;
    mask = is_vector ? is_negative(L, mask) : kiln_lower_to_bool(L, mask);
    return kiln_build3(&L->b, KILN_OP_SELECT, mask, y, x);
  }
  kiln_value a = as_bits(L, x), b = as_bits(L, y), m = as_bits(L, mask);
  kiln_value v = kiln_build2(&L->b, KILN_OP_AND, kiln_build2(&L->b, KILN_OP_XOR, a, b), m);
  v = kiln_build2(&L->b, KILN_OP_XOR, v, a);
  return kiln_value_type(L->fn, v) == c->ir ? v : kiln_build1(&L->b, KILN_OP_BITCAST, c->ir, v);
}

// ---- conversions ---------------------------------------------------------------------------------------------------

// Brings an integer into the range of a narrower or differently signed one, in its own type.
static kiln_value saturate(struct kiln_lower *L, kiln_value v, const struct kiln_ctype *from,
                           const struct kiln_ctype *to) {
  kiln_type type = kiln_value_type(L->fn, v);
  unsigned have = kiln_kind_bits(kiln_type_kind(type)), want = kiln_kind_bits(kiln_type_kind(kiln_ctype_ir(to)));
  bool from_signed = kiln_ctype_is_signed(from), to_signed = kiln_ctype_is_signed(to);
  uint64_t mask = have == 64 ? ~UINT64_C(0) : (UINT64_C(1) << have) - 1;
  unsigned value_bits = to_signed ? want - 1 : want; // bits of the largest value
  if (from_signed && !to_signed) {
    v = kiln_build2(&L->b, KILN_OP_SMAX, v, kiln_const(L->fn, type, 0));
  } else if (from_signed && want < have) {
    uint64_t least = (~UINT64_C(0) << value_bits) & mask;
    v = kiln_build2(&L->b, KILN_OP_SMAX, v, kiln_const(L->fn, type, least));
  }
  if (value_bits < (from_signed ? have - 1 : have)) {
    kiln_value most = kiln_const(L->fn, type, (UINT64_C(1) << value_bits) - 1);
    v = kiln_build2(&L->b, from_signed ? KILN_OP_SMIN : KILN_OP_UMIN, v, most);
  }
  return v;
}

static kiln_value convert(struct kiln_lower *L, const struct call *c) {
  const struct kiln_ctype *from = arg_type(c, 0), *to = c->type;
  bool is_bfloat = from->kind == KILN_CT_BFLOAT;
  kiln_value v = is_bfloat ? kiln_lower_from_bfloat(L, c->args[0]) : c->args[0];
  from = is_bfloat ? kiln_ctype_scalar(KILN_CT_FLOAT) : from;
  bool from_float = kiln_ctype_is_float(kiln_ctype_element(from)),
       to_float = kiln_ctype_is_float(kiln_ctype_element(to));
  unsigned mode = (unsigned)(c->how->imm >> 1);
  static const enum kiln_round rounds[] = {KILN_ROUND_EVEN, KILN_ROUND_EVEN, KILN_ROUND_ZERO, KILN_ROUND_UP,
                                           KILN_ROUND_DOWN};
  enum kiln_round round = mode ? rounds[mode] : from_float && !to_float ? KILN_ROUND_ZERO : KILN_ROUND_EVEN;
  if ((c->how->imm & 1) && !from_float && !to_float)
    v = saturate(L, v, from, to);
  return kiln_lower_number(L, v, from, to, round);
}

static kiln_value from_bfloat(struct kiln_lower *L, const struct call *c) {
  return kiln_lower_from_bfloat(L, c->args[0]);
}

static kiln_value to_bfloat(struct kiln_lower *L, const struct call *c) { return kiln_lower_to_bfloat(L, c->args[0]); }

// ---- memory --------------------------------------------------------------------------------------------------------

static kiln_value vector_address(struct kiln_lower *L, const struct call *c, unsigned pointer, unsigned *align) {
  const struct kiln_ctype *element = arg_type(c, pointer)->base.type;
  unsigned step = (unsigned)c->how->imm & 0xff, bytes = (unsigned)element->size;
  bool aligned = c->how->code == KILN_SP_VLOAD_ALIGNED || c->how->code == KILN_SP_VSTORE_ALIGNED;
  *align = aligned ? step * bytes : bytes;
  return kiln_build_padd(&L->b, c->args[pointer], c->args[pointer - 1], (int64_t)step * bytes);
}

static uint16_t volatile_flag(const struct kiln_ctype *pointer) {
  return pointer->base.quals & KILN_QUAL_VOLATILE ? KILN_MEM_VOLATILE : 0;
}

static kiln_value vload(struct kiln_lower *L, const struct call *c) {
  unsigned align;
  kiln_value ptr = vector_address(L, c, 1, &align);
  const struct kiln_ctype *element = arg_type(c, 1)->base.type;
  kiln_type memory = kiln_type_with_lanes(kiln_ctype_ir(element), kiln_type_lanes(c->ir));
  kiln_value v = kiln_build_load(&L->b, memory, ptr, align, volatile_flag(arg_type(c, 1)));
  return kiln_lower_number(L, v, element, c->type, KILN_ROUND_EVEN);
}

static kiln_value vstore(struct kiln_lower *L, const struct call *c) {
  unsigned align;
  const struct kiln_ctype *element = arg_type(c, 2)->base.type;
  enum kiln_round round = (enum kiln_round)(c->how->imm >> 8);
  kiln_value v = kiln_lower_number(L, c->args[0], arg_type(c, 0), element, round);
  kiln_value ptr = vector_address(L, c, 2, &align);
  kiln_build_store(&L->b, ptr, v, align, volatile_flag(arg_type(c, 2)));
  return 0;
}

static kiln_value atomic(struct kiln_lower *L, const struct call *c) {
  uint64_t order = kiln_atomic(KILN_RELAXED, KILN_SCOPE_DEVICE);
  if (c->how->code == KILN_SP_ATOMIC_CMPXCHG)
    return kiln_build(&L->b, KILN_OP_ATOMIC_CAS, c->ir, c->args, 3, order, 0, 0);
  kiln_value operand = c->how->code == KILN_SP_ATOMIC_STEP ? kiln_const(L->fn, c->ir, 1) : c->args[1];
  return kiln_build(&L->b, KILN_OP_ATOMIC_RMW, c->ir, (kiln_value[]){c->args[0], operand}, 2, order, 0,
                    (uint16_t)c->how->imm);
}

// Null where the pointer leads elsewhere. What is no local memory is fenced as global memory.
static kiln_value pointer_space(struct kiln_lower *L, const struct call *c) {
  bool is_fence = c->how->code == KILN_SP_GET_FENCE;
  enum kiln_space wanted = is_fence ? KILN_LOCAL : (enum kiln_space)c->how->imm;
  kiln_value space = kiln_build1(&L->b, KILN_OP_PSPACE, kiln_scalar_type(KILN_I32), c->args[0]);
  kiln_value is = kiln_build2(&L->b, KILN_OP_EQ, space, kiln_lower_const_int(L, KILN_I32, wanted));
  if (is_fence)
    return kiln_build3(&L->b, KILN_OP_SELECT, is, kiln_const(L->fn, c->ir, KILN_FENCE_LOCAL),
                       kiln_const(L->fn, c->ir, KILN_FENCE_GLOBAL));
  kiln_value cast = kiln_build1(&L->b, KILN_OP_PCAST, c->ir, c->args[0]);
  return kiln_build3(&L->b, KILN_OP_SELECT, is, cast, kiln_const(L->fn, c->ir, 0));
}

// ---- shuffle, printf -----------------------------------------------------------------------------------------------

// Lane numbers of a constant mask, modulo the lanes there are. False when the mask is not constant.
static bool constant_lanes(struct kiln_lower *L, kiln_value mask, unsigned lanes, unsigned sources, uint8_t *out) {
  const struct kiln_inst *inst = kiln_inst(L->fn, mask);
  if (inst->op != KILN_OP_CONST_VEC)
    return false;
  for (uint32_t i = 0; i < inst->operand_count; i++)
    out[i] = (uint8_t)(kiln_inst(L->fn, kiln_operands(L->fn, mask)[i])->imm & (lanes * sources - 1));
  return true;
}

static kiln_value shuffle(struct kiln_lower *L, const struct call *c) {
  unsigned sources = c->how->code == KILN_SP_SHUFFLE2 ? 2 : 1;
  kiln_value x = c->args[0], y = c->args[sources - 1], mask = c->args[sources];
  unsigned lanes = kiln_type_lanes(kiln_value_type(L->fn, x)), count = kiln_type_lanes(c->ir);
  uint8_t list[16];
  if (constant_lanes(L, mask, lanes, sources, list))
    return kiln_build_shuffle(&L->b, x, y, list, count);
  kiln_type element = kiln_type_element(c->ir);
  kiln_value out[16];
  for (unsigned i = 0; i < count; i++) {
    kiln_value lane = kiln_lower_extract(L, mask, i); // EXTRACT takes it modulo the lanes
    kiln_type type = kiln_value_type(L->fn, lane);
    out[i] = kiln_build(&L->b, KILN_OP_EXTRACT, element, (kiln_value[]){x, lane}, 2, 0, 0, 0);
    if (sources == 1)
      continue;
    kiln_value second = kiln_build(&L->b, KILN_OP_EXTRACT, element, (kiln_value[]){y, lane}, 2, 0, 0, 0);
    kiln_value side = kiln_build2(&L->b, KILN_OP_AND, lane, kiln_const(L->fn, type, lanes));
    out[i] = kiln_build3(&L->b, KILN_OP_SELECT, kiln_lower_to_bool(L, side), second, out[i]);
  }
  return kiln_build(&L->b, KILN_OP_VEC, c->ir, out, count, 0, 0, 0);
}

static kiln_value print(struct kiln_lower *L, const struct call *c) {
  const struct kiln_expr *e = c->e;
  const struct kiln_expr *format = kiln_string_of(e->args[0]);
  if (!format) {
    kiln_lower_error(L, e->args[0]->location, "the first argument of 'printf' must be a string literal");
    return kiln_undef(L->fn, kiln_scalar_type(KILN_I32));
  }
  kiln_value *args = KILN_NEW_ARRAY(L->arena, kiln_value, e->arg_count + 1);
  for (uint32_t i = 1; i < e->arg_count; i++)
    args[i - 1] = kiln_lower_value(L, e->args[i]);
  kiln_lower_at(L, e->location);
  uint32_t global = kiln_lower_string(L, format->location, format->text, format->text_size);
  return kiln_build(&L->b, KILN_OP_PRINTF, kiln_scalar_type(KILN_I32), args, e->arg_count - 1, global, 0, 0);
}

// ---- all -----------------------------------------------------------------------------------------------------------

static kiln_value work_dim(struct kiln_lower *L, const struct call *c) {
  (void)c;
  return kiln_build_item(&L->b, KILN_OP_WORK_DIM, 0);
}

static kiln_value has_fma(struct kiln_lower *L, const struct call *c) {
  return kiln_const(L->fn, c->ir, L->lang->options->fma);
}

static kiln_value barrier(struct kiln_lower *L, const struct call *c) {
  kiln_lower_scoped_barrier(L, c->args[0], c->e->arg_count > 1 ? c->args[1] : 0);
  return 0;
}

static kiln_value c11_atomic(struct kiln_lower *L, const struct call *c) { return kiln_lower_atomic(L, c->e, c->args); }

static kiln_value nothing(struct kiln_lower *L, const struct call *c) {
  (void)L;
  (void)c;
  return 0;
}

static kiln_value first(struct kiln_lower *L, const struct call *c) {
  (void)L;
  return c->args[0];
}

static kiln_value assume(struct kiln_lower *L, const struct call *c) {
  kiln_build(&L->b, KILN_OP_ASSUME, KILN_VOID, &(kiln_value){kiln_lower_to_bool(L, c->args[0])}, 1, 0, 0, 0);
  return 0;
}

static kiln_value unreachable(struct kiln_lower *L, const struct call *c) {
  (void)c;
  kiln_build(&L->b, KILN_OP_ASSUME, KILN_VOID, &(kiln_value){kiln_const(L->fn, kiln_scalar_type(KILN_BOOL), 0)}, 1, 0,
             0, 0);
  return 0;
}

// The call as it stands in the source, to its closing parenthesis or the end of the line.
static int call_size(const char *text, int size) {
  int depth = 0;
  for (int i = 0; i < size; i++) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] == ')' && depth <= 0)
      return i + 1;
  }
  return size;
}

// "file.cl:3:5: assert(i < n)" as a format. The name of the file is in the code, as with __FILE__.
static uint32_t failure_text(struct kiln_lower *L, kiln_location location) {
  struct kiln_position p = kiln_sources_position(L->lang->sources, location);
  int rest = (int)(p.line_size - (p.column - 1));
  const char *call = p.line_text + p.column - 1;
  const char *text =
      kiln_arena_printf(L->arena, "%s:%u:%u: %.*s", p.file, p.line, p.column, call_size(call, rest), call);
  char *format = kiln_arena_alloc(L->arena, 2 * strlen(text) + 1, 1), *end = format;
  for (; *text; *end++ = *text++)
    if (*text == '%')
      *end++ = '%';
  L->lang->names_file = true;
  return kiln_lower_string(L, location, format, (uint32_t)(end - format));
}

static kiln_value trap(struct kiln_lower *L, const struct call *c) {
  kiln_build(&L->b, KILN_OP_PRINTF, kiln_scalar_type(KILN_I32), NULL, 0, failure_text(L, c->e->location), 0,
             KILN_PRINT_FAIL);
  return 0;
}

static kiln_value assertion(struct kiln_lower *L, const struct call *c) {
  uint32_t outer = L->b.region;
  kiln_value node = kiln_build_if(&L->b, kiln_lower_to_bool(L, c->args[0]));
  kiln_lower_enter(L, kiln_lower_region(L, node, 0));
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, kiln_lower_region(L, node, 1));
  trap(L, c);
  kiln_lower_yield(L, NULL, 0);
  kiln_lower_enter(L, outer);
  return 0;
}

static kiln_value bits(struct kiln_lower *L, const struct call *c) { return kiln_lower_bits(L, c->args[0], c->type); }

static kiln_value group(struct kiln_lower *L, const struct call *c) { return kiln_lower_group(L, c->e, c->args); }

static kiln_value image(struct kiln_lower *L, const struct call *c) { return kiln_lower_image_op(L, c->e, c->args); }

static kiln_value (*const special[])(struct kiln_lower *L, const struct call *c) = {
#define SPECIAL(NAME, LOWERING) LOWERING,
#include "jit/lang/ast/special.def"
};

kiln_value kiln_lower_builtin(struct kiln_lower *L, const struct kiln_expr *e) {
  struct call c = {.e = e, .how = e->builtin, .type = e->type.type, .ir = kiln_ctype_ir(e->type.type)};
  if (c.how->how == KILN_HOW_SPECIAL && c.how->code == KILN_SP_PRINTF)
    return print(L, &c); // which lowers its arguments itself
  if (c.how->how == KILN_HOW_SPECIAL && c.how->code == KILN_SP_ASSERT && kiln_pp_has_macro(L->lang->pp, "NDEBUG"))
    return 0;
  for (uint32_t i = 0; i < e->arg_count && i < MOST_ARGS; i++)
    c.args[i] = kiln_lower_value(L, e->args[i]);
  kiln_lower_at(L, e->location);
  kiln_lower_fp(L, e);
  switch (c.how->how) {
  case KILN_HOW_OP:
    if (c.how->code == KILN_OP_FMA) // that is rounded once, whatever may be done to sums
      L->b.fp_flags &= (uint16_t)~KILN_FP_CONTRACT;
    return kiln_build(&L->b, (enum kiln_op)c.how->code, c.ir, c.args, e->arg_count, 0, 0, (uint16_t)c.how->imm);
  case KILN_HOW_ITEM:
    return item(L, &c);
  case KILN_HOW_SPECIAL:
    return special[c.how->code](L, &c);
  case KILN_HOW_LIBRARY: // the parser made a call of it
    break;
  }
  return 0;
}
