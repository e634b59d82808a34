// Identities of single operations that hold exactly (or that the flags of the operation allow).
#include "jit/pass/simplify.h"

#include <math.h>

#define MAKE(s, id, op, type, ...)                                                                                     \
  kiln_simplify_make(s, id, op, type, (kiln_value[]){__VA_ARGS__},                                                     \
                     sizeof((kiln_value[]){__VA_ARGS__}) / sizeof(kiln_value), 0, 0)

static const struct kiln_inst *inst_of(const struct kiln_simplify *s, kiln_value value) { return &s->fn->insts[value]; }
static unsigned op_of(const struct kiln_simplify *s, kiln_value value) { return s->fn->insts[value].op; }
static kiln_type type_of(const struct kiln_simplify *s, kiln_value value) { return s->fn->insts[value].type; }
static kiln_value operand(const struct kiln_simplify *s, kiln_value value, uint32_t index) {
  return kiln_operands(s->fn, value)[index];
}
static unsigned bits_of(kiln_type type) { return kiln_kind_bits(kiln_type_kind(type)); }

bool kiln_op_is_commutative(enum kiln_op op) {
  static const bool commutative[KILN_OP_COUNT] = {
      [KILN_OP_IADD] = true,     [KILN_OP_IMUL] = true,     [KILN_OP_SMUL_HI] = true, [KILN_OP_UMUL_HI] = true,
      [KILN_OP_SADD_SAT] = true, [KILN_OP_UADD_SAT] = true, [KILN_OP_SMIN] = true,    [KILN_OP_SMAX] = true,
      [KILN_OP_UMIN] = true,     [KILN_OP_UMAX] = true,     [KILN_OP_AND] = true,     [KILN_OP_OR] = true,
      [KILN_OP_XOR] = true,      [KILN_OP_BAND] = true,     [KILN_OP_BOR] = true,     [KILN_OP_BXOR] = true,
      [KILN_OP_FADD] = true,     [KILN_OP_FMUL] = true,     [KILN_OP_EQ] = true,      [KILN_OP_NE] = true,
      [KILN_OP_FEQ] = true,      [KILN_OP_FNE] = true};
  return commutative[op];
}

// ---- integers and bools ---------------------------------------------------------------------------------------------

static bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }

// Flags of x + (a + b) for those of (x + a) + b: they stay if a + b does not wrap.
static uint16_t sum_flags(uint16_t flags, unsigned bits, uint64_t a, uint64_t b) {
  uint64_t sum = a + b, wrapped = (sum ^ a) & (sum ^ b);
  return wrapped >> (bits - 1) & 1 ? 0 : flags;
}

// x op c, where c is a constant.
static kiln_value int_with_const(struct kiln_simplify *s, kiln_value id, kiln_value x, uint64_t c) {
  kiln_type type = type_of(s, id);
  uint64_t ones = kiln_bits_mask(bits_of(type)), count = c & (bits_of(type) - 1);
  kiln_value zero = kiln_const(s->fn, type, 0);
  switch (op_of(s, id)) {
  case KILN_OP_IADD: {
    uint64_t inner;
    if (c == 0)
      return x;
    if (op_of(s, x) == KILN_OP_IADD && kiln_const_splat(s->fn, operand(s, x, 1), &inner)) {
      uint16_t flags = sum_flags(inst_of(s, id)->flags & inst_of(s, x)->flags, bits_of(type), c, inner);
      kiln_value operands[] = {operand(s, x, 0), kiln_const(s->fn, type, c + inner)};
      return kiln_simplify_make(s, id, KILN_OP_IADD, type, operands, 2, 0, flags);
    }
    return 0;
  }
  case KILN_OP_ISUB: { // the smallest number has no opposite
    uint16_t flags = (c & ones) == (ones >> 1) + 1 ? 0 : inst_of(s, id)->flags;
    kiln_value operands[] = {x, kiln_const(s->fn, type, -c)};
    return c == 0 ? x : kiln_simplify_make(s, id, KILN_OP_IADD, type, operands, 2, 0, flags);
  }
  case KILN_OP_IMUL:
    return c == 1 ? x : c == 0 ? zero : 0;
  case KILN_OP_AND:
    return c == ones ? x : c == 0 ? zero : 0;
  case KILN_OP_OR:
    return c == 0 ? x : c == ones ? kiln_const(s->fn, type, ones) : 0;
  case KILN_OP_XOR:
  case KILN_OP_UADD_SAT:
  case KILN_OP_SADD_SAT:
  case KILN_OP_USUB_SAT:
  case KILN_OP_SSUB_SAT:
  case KILN_OP_UMAX:
    return c == 0 ? x : 0;
  case KILN_OP_UMIN:
    return c == 0 ? zero : c == ones ? x : 0;
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_ASHR:
  case KILN_OP_ROTL:
    return count == 0 ? x : 0;
  case KILN_OP_SDIV:
    return c == 1 ? x : c == 0 ? zero : 0;
  case KILN_OP_UDIV:
    if (c <= 1)
      return c ? x : zero;
    return is_power_of_two(c)
               ? MAKE(s, id, KILN_OP_LSHR, type, x, kiln_const(s->fn, type, (uint64_t)__builtin_ctzll(c)))
               : 0;
  case KILN_OP_UREM:
    if (c <= 1)
      return zero;
    return is_power_of_two(c) ? MAKE(s, id, KILN_OP_AND, type, x, kiln_const(s->fn, type, c - 1)) : 0;
  case KILN_OP_SREM:
    return c <= 1 ? zero : 0;
  }
  return 0;
}

// x op x.
static kiln_value int_with_itself(struct kiln_simplify *s, kiln_value id, kiln_value x) {
  kiln_type type = type_of(s, id);
  switch (op_of(s, id)) {
  case KILN_OP_ISUB:
  case KILN_OP_XOR:
  case KILN_OP_BXOR:
  case KILN_OP_USUB_SAT:
  case KILN_OP_SSUB_SAT:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
  case KILN_OP_NE:
  case KILN_OP_SLT:
  case KILN_OP_ULT:
    return kiln_const(s->fn, type, 0);
  case KILN_OP_AND:
  case KILN_OP_OR:
  case KILN_OP_BAND:
  case KILN_OP_BOR:
  case KILN_OP_SMIN:
  case KILN_OP_SMAX:
  case KILN_OP_UMIN:
  case KILN_OP_UMAX:
    return x;
  case KILN_OP_EQ:
  case KILN_OP_SLE:
  case KILN_OP_ULE:
    return kiln_const(s->fn, type, 1);
  }
  return 0;
}

static kiln_value bool_not(struct kiln_simplify *s, kiln_value id, kiln_value x) {
  static const struct {
    uint16_t op, inverse;
    bool swap;
  } inverses[] = {{KILN_OP_EQ, KILN_OP_NE, false},   {KILN_OP_NE, KILN_OP_EQ, false},  {KILN_OP_SLT, KILN_OP_SLE, true},
                  {KILN_OP_SLE, KILN_OP_SLT, true},  {KILN_OP_ULT, KILN_OP_ULE, true}, {KILN_OP_ULE, KILN_OP_ULT, true},
                  {KILN_OP_FEQ, KILN_OP_FNE, false}, {KILN_OP_FNE, KILN_OP_FEQ, false}};
  if (op_of(s, x) == KILN_OP_BNOT)
    return operand(s, x, 0);
  for (unsigned i = 0; i < sizeof inverses / sizeof *inverses; i++)
    if (op_of(s, x) == inverses[i].op) {
      bool swap = inverses[i].swap;
      kiln_value operands[] = {operand(s, x, swap), operand(s, x, !swap)};
      return kiln_simplify_make(s, id, (enum kiln_op)inverses[i].inverse, type_of(s, id), operands, 2, 0,
                                inst_of(s, x)->flags);
    }
  return 0;
}

static kiln_value bool_with_const(struct kiln_simplify *s, kiln_value id, kiln_value x, bool c) {
  switch (op_of(s, id)) {
  case KILN_OP_BAND:
    return c ? x : kiln_const(s->fn, type_of(s, id), 0);
  case KILN_OP_BOR:
    return c ? kiln_const(s->fn, type_of(s, id), 1) : x;
  case KILN_OP_BXOR:
    return c ? MAKE(s, id, KILN_OP_BNOT, type_of(s, id), x) : x;
  }
  return 0;
}

// A comparison of an extended bool, or of what a choice between constants gives, with a constant.
static kiln_value compare_with_const(struct kiln_simplify *s, kiln_value id, kiln_value x, uint64_t c) {
  unsigned op = op_of(s, id);
  kiln_type type = type_of(s, id);
  uint64_t yes, no, ones = kiln_bits_mask(bits_of(type_of(s, x)));
  kiln_value condition = op_of(s, x) == KILN_OP_SELECT || op_of(s, x) == KILN_OP_ZEXT || op_of(s, x) == KILN_OP_SEXT
                             ? operand(s, x, 0)
                             : 0;
  if (op == KILN_OP_ULT && c == 0)
    return kiln_const(s->fn, type, 0);
  if (op == KILN_OP_ULE && c == ones)
    return kiln_const(s->fn, type, 1);
  if (!condition || (op != KILN_OP_EQ && op != KILN_OP_NE) || type_of(s, condition) != type)
    return 0;
  if (op_of(s, x) == KILN_OP_SELECT) {
    if (!kiln_const_splat(s->fn, operand(s, x, 1), &yes) || !kiln_const_splat(s->fn, operand(s, x, 2), &no))
      return 0;
  } else {
    yes = op_of(s, x) == KILN_OP_ZEXT ? 1 : ones;
    no = 0;
  }
  bool if_yes = (yes == c) == (op == KILN_OP_EQ), if_no = (no == c) == (op == KILN_OP_EQ);
  if (if_yes == if_no)
    return kiln_const(s->fn, type, if_yes);
  return if_yes ? condition : MAKE(s, id, KILN_OP_BNOT, type, condition);
}

// The smaller or larger of what is compared.
static kiln_value choose_smaller(struct kiln_simplify *s, kiln_value id, kiln_value c, kiln_value x, kiln_value y) {
  bool is_signed = kiln_op_is_signed_order(op_of(s, c));
  if (!kiln_op_is_order(op_of(s, c)))
    return 0;
  bool same = operand(s, c, 0) == x && operand(s, c, 1) == y, swapped = operand(s, c, 0) == y && operand(s, c, 1) == x;
  if (!same && !swapped)
    return 0;
  return MAKE(s, id, same ? (is_signed ? KILN_OP_SMIN : KILN_OP_UMIN) : (is_signed ? KILN_OP_SMAX : KILN_OP_UMAX),
              type_of(s, id), x, y);
}

static kiln_value select_op(struct kiln_simplify *s, kiln_value id) {
  kiln_value c = operand(s, id, 0), x = operand(s, id, 1), y = operand(s, id, 2);
  kiln_type type = type_of(s, id);
  uint64_t bits, other;
  if (x == y)
    return x;
  if (kiln_const_splat(s->fn, c, &bits))
    return bits & 1 ? x : y;
  if (op_of(s, c) == KILN_OP_BNOT)
    return MAKE(s, id, KILN_OP_SELECT, type, operand(s, c, 0), y, x);
  if (kiln_kind_is_int(kiln_type_kind(type)))
    return choose_smaller(s, id, c, x, y);
  if (kiln_type_kind(type) != KILN_BOOL || type_of(s, c) != type)
    return 0;
  bool x_const = kiln_const_splat(s->fn, x, &bits), y_const = kiln_const_splat(s->fn, y, &other);
  if (x_const && y_const)
    return bits ? c : MAKE(s, id, KILN_OP_BNOT, type, c);
  if (x_const && bits)
    return MAKE(s, id, KILN_OP_BOR, type, c, y);
  if (y_const && !other)
    return MAKE(s, id, KILN_OP_BAND, type, c, x);
  return 0;
}

static bool is_of(const struct kiln_simplify *s, kiln_value id, enum kiln_op op, kiln_value x, kiln_value y) {
  return op_of(s, id) == op &&
         ((operand(s, id, 0) == x && operand(s, id, 1) == y) || (operand(s, id, 0) == y && operand(s, id, 1) == x));
}

static uint32_t age_of(const struct kiln_simplify *s, kiln_value id) { // 0: a constant or parameter
  return id < s->replaced.count ? s->position[id] : 0;
}

// The bits that two of x, y and z have, as y ^ ((x ^ y) & (y ^ z)), where y is neither the oldest nor the newest: in a
// hash function, the next round has x ^ y again. differ: x ^ y is there already, and may have other uses.
static kiln_value majority_of(struct kiln_simplify *s, kiln_value id, kiln_value x, kiln_value y, kiln_value z,
                              bool differ) {
  kiln_type type = type_of(s, id);
  if (z == x || z == y)
    return z;
  kiln_value newer = age_of(s, x) < age_of(s, y) ? y : x, older = newer == y ? x : y;
  kiln_value middle = age_of(s, z) < age_of(s, older) ? older : age_of(s, z) > age_of(s, newer) ? newer : z;
  if (differ && middle == z)
    return 0;
  kiln_value other = middle == newer ? older : newer, last = middle == z ? older : z;
  return MAKE(s, id, KILN_OP_XOR, type, middle,
              MAKE(s, id, KILN_OP_AND, type, MAKE(s, id, KILN_OP_XOR, type, other, middle),
                   MAKE(s, id, KILN_OP_XOR, type, middle, last)));
}

// (x & y) | (z & (x ^ y)), (x & y) | (z & (x | y)), (x & y) | (x & z) | (y & z), and the same with ^ for | between
// terms that have no bits in common, or all three.
static kiln_value majority(struct kiln_simplify *s, kiln_value id) {
  enum kiln_op op = (enum kiln_op)op_of(s, id);
  for (unsigned i = 0; i < 4; i++) {
    kiln_value both = operand(s, id, i & 1), rest = operand(s, id, !(i & 1));
    if (op_of(s, both) != KILN_OP_AND || (op_of(s, rest) != KILN_OP_AND && op_of(s, rest) != op))
      continue;
    kiln_value x = operand(s, both, 0), y = operand(s, both, 1);
    kiln_value first = operand(s, rest, i >> 1), second = operand(s, rest, !(i >> 1));
    if (op_of(s, rest) == KILN_OP_AND) {
      bool differ = is_of(s, first, KILN_OP_XOR, x, y);
      if (differ || (op == KILN_OP_OR && is_of(s, first, KILN_OP_OR, x, y)))
        return majority_of(s, id, x, y, second, differ);
    } else if (op_of(s, first) == KILN_OP_AND) {
      for (unsigned k = 0; k < 2; k++) {
        kiln_value z = operand(s, first, k);
        if (operand(s, first, !k) == x && is_of(s, second, KILN_OP_AND, y, z))
          return majority_of(s, id, x, y, z, false);
      }
    }
  }
  return 0;
}

// ---- floats ---------------------------------------------------------------------------------------------------------

static bool fits_normal(enum kiln_kind kind, double value) {
  double smallest = kind == KILN_F16 ? 0x1p-14 : kind == KILN_F32 ? 0x1p-126 : 0x1p-1022;
  return fabs(value) >= smallest && fabs(value) <= 1 / smallest;
}

// Whether 1 / value is exact.
static bool has_exact_reciprocal(enum kiln_kind kind, double value) {
  int exponent;
  return fits_normal(kind, value) && fabs(frexp(value, &exponent)) == 0.5;
}

// Whether x + c is x.
static bool is_no_addend(double c, uint16_t flags) { return c == 0 && (signbit(c) || flags & KILN_FP_NSZ); }

static kiln_value float_with_const(struct kiln_simplify *s, kiln_value id, kiln_value x, uint64_t bits) {
  kiln_type type = type_of(s, id);
  enum kiln_kind kind = kiln_type_kind(type);
  uint16_t flags = inst_of(s, id)->flags;
  double c = kiln_float_value(kind, bits);
  switch (op_of(s, id)) {
  case KILN_OP_FADD:
    return is_no_addend(c, flags) ? x : 0;
  case KILN_OP_FSUB:
    return c == 0 && (!signbit(c) || flags & KILN_FP_NSZ) ? x : 0;
  case KILN_OP_FMUL:
    if (c == 0 && flags & KILN_FP_NNAN && flags & KILN_FP_NSZ)
      return kiln_const(s->fn, type, 0);
    if (c == -1)
      return MAKE(s, id, KILN_OP_FNEG, type, x);
    return c == 1 ? x : 0;
  case KILN_OP_FDIV:
    if (c == 1)
      return x;
    if (has_exact_reciprocal(kind, c) || (flags & KILN_FP_ARCP && isnormal(c) && fits_normal(kind, 1 / c))) {
      kiln_value operands[] = {x, kiln_const_float(s->fn, type, 1 / c)};
      return kiln_simplify_make(s, id, KILN_OP_FMUL, type, operands, 2, 0, flags);
    }
    return 0;
  }
  return 0;
}

// The value without its sign, if it has one.
static bool take_sign(struct kiln_simplify *s, kiln_value *value) {
  kiln_type type = type_of(s, *value);
  uint64_t bits, sign = (uint64_t)1 << (bits_of(type) - 1);
  if (op_of(s, *value) == KILN_OP_FNEG) {
    *value = operand(s, *value, 0);
    return true;
  }
  if (!kiln_const_splat(s->fn, *value, &bits) || !(bits & sign))
    return false;
  *value = kiln_const(s->fn, type, bits ^ sign);
  return true;
}

// Signs move out of products and quotients, and into sums, so that equal magnitudes are found to be equal.
static kiln_value move_signs(struct kiln_simplify *s, kiln_value id) {
  kiln_type type = type_of(s, id);
  uint16_t flags = inst_of(s, id)->flags;
  kiln_value operands[2] = {operand(s, id, 0), operand(s, id, 1)};
  enum kiln_op op = (enum kiln_op)op_of(s, id);
  if (op == KILN_OP_FMUL || op == KILN_OP_FDIV) {
    bool x = take_sign(s, &operands[0]), y = take_sign(s, &operands[1]);
    if (!x && !y)
      return 0;
    kiln_value product = kiln_simplify_make(s, id, op, type, operands, 2, 0, flags);
    return x != y ? kiln_simplify_make(s, id, KILN_OP_FNEG, type, &product, 1, 0, flags) : product;
  }
  bool negative[2] = {op_of(s, operands[0]) == KILN_OP_FNEG, op_of(s, operands[1]) == KILN_OP_FNEG};
  if (op == KILN_OP_FADD && negative[0] && !negative[1]) {
    kiln_value x = operands[0];
    operands[0] = operands[1];
    operands[1] = x;
    negative[1] = true;
  }
  if ((op != KILN_OP_FADD && op != KILN_OP_FSUB) || !negative[1])
    return 0;
  operands[1] = operand(s, operands[1], 0);
  return kiln_simplify_make(s, id, op == KILN_OP_FADD ? KILN_OP_FSUB : KILN_OP_FADD, type, operands, 2, 0, flags);
}

// An FMA by 1 or -1 is a sum, and one that adds -0, or a zero whose sign does not matter, is a product. Where both
// factors are negated, both signs go.
static kiln_value fma_op(struct kiln_simplify *s, kiln_value id) {
  kiln_type type = type_of(s, id);
  enum kiln_kind kind = kiln_type_kind(type);
  uint16_t flags = inst_of(s, id)->flags;
  kiln_value x = operand(s, id, 0), y = operand(s, id, 1), z = operand(s, id, 2);
  uint64_t bits;
  if (kiln_const_splat(s->fn, z, &bits) && is_no_addend(kiln_float_value(kind, bits), flags))
    return kiln_simplify_make(s, id, KILN_OP_FMUL, type, (kiln_value[]){x, y}, 2, 0, flags);
  for (unsigned k = 0; k < 2; k++) {
    kiln_value factor = k ? y : x, rest = k ? x : y;
    double c = kiln_const_splat(s->fn, factor, &bits) ? kiln_float_value(kind, bits) : 0;
    if (c == 1)
      return kiln_simplify_make(s, id, KILN_OP_FADD, type, (kiln_value[]){rest, z}, 2, 0, flags);
    if (c == -1)
      return kiln_simplify_make(s, id, KILN_OP_FSUB, type, (kiln_value[]){z, rest}, 2, 0, flags);
  }
  return take_sign(s, &x) && take_sign(s, &y)
             ? kiln_simplify_make(s, id, KILN_OP_FMA, type, (kiln_value[]){x, y, z}, 3, 0, flags)
             : 0;
}

static kiln_value float_op(struct kiln_simplify *s, kiln_value id) {
  kiln_value x = operand(s, id, 0);
  uint64_t bits;
  if (op_of(s, id) >= KILN_OP_FADD && op_of(s, id) <= KILN_OP_FDIV) {
    kiln_value moved = move_signs(s, id);
    if (moved)
      return moved;
  }
  switch (op_of(s, id)) {
  case KILN_OP_FNEG:
    return op_of(s, x) == KILN_OP_FNEG ? operand(s, x, 0) : 0;
  case KILN_OP_FABS:
    if (op_of(s, x) == KILN_OP_FABS)
      return x;
    if (op_of(s, x) != KILN_OP_FNEG)
      return 0;
    return kiln_simplify_make(s, id, KILN_OP_FABS, type_of(s, id), (kiln_value[]){operand(s, x, 0)}, 1, 0,
                              inst_of(s, id)->flags);
  case KILN_OP_FSUB: // -0 - y
    if (kiln_const_splat(s->fn, x, &bits) && bits == (uint64_t)1 << (bits_of(type_of(s, id)) - 1))
      return MAKE(s, id, KILN_OP_FNEG, type_of(s, id), operand(s, id, 1));
    break;
  }
  if (inst_of(s, id)->operand_count == 2 && kiln_const_splat(s->fn, operand(s, id, 1), &bits))
    return float_with_const(s, id, x, bits);
  return 0;
}

// ---- conversions and addresses --------------------------------------------------------------------------------------

// An extension or truncation of an extension or truncation.
static kiln_value resize(struct kiln_simplify *s, kiln_value id) {
  kiln_value x = operand(s, id, 0);
  unsigned outer = op_of(s, id), inner = op_of(s, x);
  if (inner != KILN_OP_TRUNC && inner != KILN_OP_ZEXT && inner != KILN_OP_SEXT)
    return 0;
  kiln_value source = operand(s, x, 0);
  kiln_type type = type_of(s, id), from = type_of(s, source);
  if (outer == KILN_OP_TRUNC && inner != KILN_OP_TRUNC) {
    if (type == from)
      return source;
    bool narrower = bits_of(type) < bits_of(from);
    return MAKE(s, id, narrower ? KILN_OP_TRUNC : (enum kiln_op)inner, type, source);
  }
  if (outer != KILN_OP_TRUNC && inner == KILN_OP_TRUNC && op_of(s, source) == KILN_OP_LOCAL_ID && type == from &&
      bits_of(type_of(s, x)) >= 32)
    return source; // groups are smaller than 2^31
  if (outer == inner || (outer == KILN_OP_SEXT && inner == KILN_OP_ZEXT))
    return MAKE(s, id, (enum kiln_op)inner, type, source);
  return 0;
}

static kiln_value convert_op(struct kiln_simplify *s, kiln_value id) {
  kiln_value x = operand(s, id, 0);
  kiln_type type = type_of(s, id), from = type_of(s, x);
  switch (op_of(s, id)) {
  case KILN_OP_TRUNC:
  case KILN_OP_ZEXT:
  case KILN_OP_SEXT:
    return resize(s, id);
  case KILN_OP_FTOF: // widened and back
    if (op_of(s, x) == KILN_OP_FTOF && type_of(s, operand(s, x, 0)) == type && bits_of(from) > bits_of(type))
      return operand(s, x, 0);
    return 0;
  case KILN_OP_BITCAST:
    if (type == from)
      return x;
    return op_of(s, x) == KILN_OP_BITCAST ? MAKE(s, id, KILN_OP_BITCAST, type, operand(s, x, 0)) : 0;
  case KILN_OP_PTOI:
    return op_of(s, x) == KILN_OP_ITOP ? operand(s, x, 0) : 0;
  case KILN_OP_ITOP:
    return op_of(s, x) == KILN_OP_PTOI && type_of(s, operand(s, x, 0)) == type ? operand(s, x, 0) : 0;
  }
  return 0;
}

// Constant offsets become one: pointer + offset * 1.
static kiln_value padd(struct kiln_simplify *s, kiln_value id) {
  kiln_value base = operand(s, id, 0);
  uint64_t index, inner, stride = inst_of(s, id)->imm;
  if (stride == 0)
    return base;
  if (!kiln_const_splat(s->fn, operand(s, id, 1), &index))
    return 0;
  uint64_t offset = index * stride;
  if (offset == 0)
    return base;
  bool nested = op_of(s, base) == KILN_OP_PADD && kiln_const_splat(s->fn, operand(s, base, 1), &inner);
  if (nested) {
    offset += inner * inst_of(s, base)->imm;
    base = operand(s, base, 0);
  } else if (stride == 1) {
    return 0;
  }
  if (offset == 0)
    return base;
  kiln_value operands[] = {base, kiln_const(s->fn, kiln_scalar_type(KILN_I64), offset)};
  return kiln_simplify_make(s, id, KILN_OP_PADD, type_of(s, id), operands, 2, 1, 0);
}

// ---- vectors --------------------------------------------------------------------------------------------------------

// The scalar that a lane of a vector is; 0: not known without an instruction. May follow a chain of inserts, of which
// it looks at so many.
#define MAX_CHAIN 32
static kiln_value lane_of(const struct kiln_simplify *s, kiln_value vector, uint32_t lane) {
  for (unsigned i = 0; i < MAX_CHAIN; i++) {
    const struct kiln_inst *inst = inst_of(s, vector);
    uint64_t index;
    if (inst->op == KILN_OP_UNDEF)
      return kiln_undef(s->fn, kiln_type_element(inst->type));
    if (inst->op == KILN_OP_VEC || inst->op == KILN_OP_CONST_VEC)
      return operand(s, vector, lane);
    if (inst->op == KILN_OP_SPLAT)
      return operand(s, vector, 0);
    if (inst->op == KILN_OP_INSERT) {
      if (!kiln_const_splat(s->fn, operand(s, vector, 2), &index))
        return 0;
      if (index % kiln_type_lanes(inst->type) == lane)
        return operand(s, vector, 1);
      vector = operand(s, vector, 0);
    } else if (inst->op == KILN_OP_SHUFFLE) {
      uint8_t from = s->fn->shuffles[inst->node][lane];
      unsigned lanes = kiln_type_lanes(type_of(s, operand(s, vector, 0)));
      if (from == 0xff)
        return kiln_undef(s->fn, kiln_type_element(inst->type));
      vector = operand(s, vector, from >= lanes);
      lane = from >= lanes ? from - lanes : from;
      if (lanes == 1)
        return vector;
    } else {
      return 0;
    }
  }
  return 0;
}

static kiln_value extract(struct kiln_simplify *s, kiln_value id) {
  kiln_value vector = operand(s, id, 0);
  unsigned lanes = kiln_type_lanes(type_of(s, vector));
  uint64_t index;
  if (!kiln_const_splat(s->fn, operand(s, id, 1), &index))
    return op_of(s, vector) == KILN_OP_SPLAT ? operand(s, vector, 0) : 0;
  index %= lanes;
  kiln_value known = lane_of(s, vector, (uint32_t)index);
  if (known)
    return known;
  // Past what does not touch the lane.
  kiln_value source = vector;
  for (unsigned i = 0; i < MAX_CHAIN; i++) {
    uint64_t at;
    if (op_of(s, source) == KILN_OP_INSERT && kiln_const_splat(s->fn, operand(s, source, 2), &at)) {
      source = operand(s, source, 0); // another lane, else it were known
    } else if (op_of(s, source) == KILN_OP_SHUFFLE) {
      uint8_t from = s->fn->shuffles[inst_of(s, source)->node][index];
      unsigned from_lanes = kiln_type_lanes(type_of(s, operand(s, source, 0)));
      source = operand(s, source, from >= from_lanes);
      index = from % from_lanes;
    } else {
      break;
    }
  }
  if (source == vector)
    return 0;
  return MAKE(s, id, KILN_OP_EXTRACT, type_of(s, id), source, kiln_const(s->fn, kiln_scalar_type(KILN_I32), index));
}

// The vector that all lanes are extracted from, in order.
static kiln_value vec(struct kiln_simplify *s, kiln_value id) {
  uint32_t count = inst_of(s, id)->operand_count;
  kiln_value source = 0, first = operand(s, id, 0);
  bool same = true;
  for (uint32_t i = 0; i < count; i++)
    same &= operand(s, id, i) == first;
  if (same)
    return MAKE(s, id, KILN_OP_SPLAT, type_of(s, id), first);
  for (uint32_t i = 0; i < count; i++) {
    kiln_value lane = operand(s, id, i);
    uint64_t index;
    if (op_of(s, lane) != KILN_OP_EXTRACT || !kiln_const_splat(s->fn, operand(s, lane, 1), &index) || index != i ||
        type_of(s, operand(s, lane, 0)) != type_of(s, id) || (source && source != operand(s, lane, 0)))
      return 0;
    source = operand(s, lane, 0);
  }
  return source;
}

// A chain of inserts that sets every lane.
static kiln_value insert(struct kiln_simplify *s, kiln_value id) {
  unsigned lanes = kiln_type_lanes(type_of(s, id));
  kiln_value values[16] = {0}, cursor = id;
  unsigned known = 0;
  for (unsigned i = 0; i < MAX_CHAIN && known < lanes && op_of(s, cursor) == KILN_OP_INSERT; i++) {
    uint64_t index;
    if (!kiln_const_splat(s->fn, operand(s, cursor, 2), &index))
      return 0;
    index %= lanes;
    known += values[index] == 0;
    if (!values[index])
      values[index] = operand(s, cursor, 1);
    cursor = operand(s, cursor, 0);
  }
  if (known < lanes)
    return 0;
  return kiln_simplify_make(s, id, KILN_OP_VEC, type_of(s, id), values, lanes, 0, 0);
}

static kiln_value shuffle(struct kiln_simplify *s, kiln_value id) {
  const struct kiln_inst *inst = inst_of(s, id);
  const uint8_t *list = s->fn->shuffles[inst->node];
  kiln_value x = operand(s, id, 0), y = operand(s, id, 1);
  unsigned lanes = kiln_type_lanes(inst->type), source = kiln_type_lanes(type_of(s, x));
  bool all_x = source == lanes, all_y = source == lanes;
  for (unsigned i = 0; i < lanes; i++) {
    all_x &= list[i] == i || list[i] == 0xff || (x == y && list[i] == i + source);
    all_y &= list[i] == i + source || list[i] == 0xff;
  }
  return all_x ? x : all_y ? y : 0;
}

// ---- all together ---------------------------------------------------------------------------------------------------

// Whether the pointer is into a variable, and so not null.
static bool is_of_variable(struct kiln_simplify *s, kiln_value pointer) {
  while (op_of(s, pointer) == KILN_OP_PADD || op_of(s, pointer) == KILN_OP_PCAST)
    pointer = operand(s, pointer, 0);
  return op_of(s, pointer) == KILN_OP_VAR || op_of(s, pointer) == KILN_OP_GLOBAL;
}

static kiln_value binary(struct kiln_simplify *s, kiln_value id) {
  kiln_value x = operand(s, id, 0), y = operand(s, id, 1);
  unsigned op = op_of(s, id);
  uint64_t c;
  if (x == y) {
    kiln_value known = int_with_itself(s, id, x);
    if (known)
      return known;
  }
  if (!kiln_const_splat(s->fn, y, &c))
    return op == KILN_OP_OR || op == KILN_OP_XOR ? majority(s, id) : 0;
  if (op >= KILN_OP_BAND && op <= KILN_OP_BXOR)
    return bool_with_const(s, id, x, c & 1);
  if ((op == KILN_OP_EQ || op == KILN_OP_NE) && kiln_type_kind(type_of(s, y)) == KILN_PTR && is_of_variable(s, x))
    return kiln_const(s->fn, type_of(s, id), op == KILN_OP_NE);
  if (op >= KILN_OP_EQ && op <= KILN_OP_ULE)
    return compare_with_const(s, id, x, c);
  return int_with_const(s, id, x, c);
}

// Where a generic pointer was made is often in sight.
static kiln_value pointer_space(struct kiln_simplify *s, kiln_value id) {
  kiln_value p = operand(s, id, 0);
  while (op_of(s, p) == KILN_OP_PADD)
    p = operand(s, p, 0);
  enum kiln_space space = KILN_GLOBAL;
  if (op_of(s, p) == KILN_OP_PCAST)
    space = kiln_type_space(type_of(s, operand(s, p, 0)));
  else if (op_of(s, p) != KILN_OP_CONST)
    return 0;
  return kiln_const(s->fn, kiln_scalar_type(KILN_I32), space);
}

kiln_value kiln_simplify_algebra(struct kiln_simplify *s, kiln_value id) {
  unsigned op = op_of(s, id);
  if ((op >= KILN_OP_IADD && op <= KILN_OP_ROTL) || (op >= KILN_OP_BAND && op <= KILN_OP_BXOR) ||
      (op >= KILN_OP_EQ && op <= KILN_OP_ULE))
    return binary(s, id);
  if (op >= KILN_OP_FADD && op <= KILN_OP_FABS)
    return float_op(s, id);
  if (op == KILN_OP_FMA)
    return fma_op(s, id);
  if (op != KILN_OP_PSPACE && kiln_op_family(op) == KILN_FAMILY_CONVERT)
    return convert_op(s, id);
  switch (op) {
  case KILN_OP_BNOT:
    return bool_not(s, id, operand(s, id, 0));
  case KILN_OP_PSPACE:
    return pointer_space(s, id);
  case KILN_OP_SELECT:
    return select_op(s, id);
  case KILN_OP_PADD:
    return padd(s, id);
  case KILN_OP_EXTRACT:
    return extract(s, id);
  case KILN_OP_INSERT:
    return insert(s, id);
  case KILN_OP_VEC:
    return vec(s, id);
  case KILN_OP_SHUFFLE:
    return shuffle(s, id);
  }
  return 0;
}
