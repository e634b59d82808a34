// Which bits of a result are undefined, of operations on operands some of whose bits are. Exact for what moves, masks
// and merges bits, so that parts of unions, records and packed words do not taint one another; where arithmetic mixes
// bits it errs on the side of undefined, but for the bits below the lowest undefined one of a sum or product. As in
// "MemorySanitizer: fast detector of uninitialized memory use in C++" (Stepanov and Serebryany, CGO 2015).
#include "backends/interp/interp.h"

// That bit and all above it: where a carry may go.
static uint64_t from_lowest(uint64_t bits) { return bits | (0 - bits); }

static uint64_t product(uint64_t x, uint64_t y, uint64_t undefined_x, uint64_t undefined_y) {
  if (undefined_x && undefined_y)
    return from_lowest(undefined_x | undefined_y);
  uint64_t known = undefined_x ? y : x, other = undefined_x | undefined_y;
  return known ? from_lowest(other << __builtin_ctzll(known)) : 0;
}

static uint64_t shifted(enum kiln_op op, unsigned bits, uint64_t undefined, uint64_t count) {
  count &= bits - 1;
  if (op == KILN_OP_SHL)
    return undefined << count;
  if (op == KILN_OP_ASHR)
    return (uint64_t)(interp_sext(undefined, bits) >> count);
  if (op == KILN_OP_ROTL && count)
    return undefined << count | undefined >> (bits - count);
  return undefined >> count;
}

// Whether an order holds depends on the undefined bits: not when it is the same for the ends of both ranges.
static bool order_depends(enum kiln_op op, unsigned bits, uint64_t x, uint64_t y, uint64_t undefined_x,
                          uint64_t undefined_y) {
  if (op == KILN_OP_SLT || op == KILN_OP_SLE) { // as unsigned ones
    uint64_t sign = (uint64_t)1 << (bits - 1);
    x ^= sign;
    y ^= sign;
  }
  uint64_t least_x = x & ~undefined_x, most_x = x | undefined_x;
  uint64_t least_y = y & ~undefined_y, most_y = y | undefined_y;
  if (op == KILN_OP_SLE || op == KILN_OP_ULE)
    return (most_x <= least_y) != (least_x <= most_y);
  return (most_x < least_y) != (least_x < most_y);
}

static uint64_t int_lane(unsigned op, unsigned bits, uint64_t x, uint64_t y, uint64_t undefined_x,
                         uint64_t undefined_y) {
  uint64_t either = undefined_x | undefined_y;
  switch (op) {
  case KILN_OP_AND:
  case KILN_OP_BAND:
    return either & (x | undefined_x) & (y | undefined_y);
  case KILN_OP_OR:
  case KILN_OP_BOR:
    return either & (~x | undefined_x) & (~y | undefined_y);
  case KILN_OP_XOR:
  case KILN_OP_BXOR:
  case KILN_OP_BNOT:
    return either;
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
    return from_lowest(either);
  case KILN_OP_IMUL:
    return product(x, y, undefined_x, undefined_y);
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_ASHR:
  case KILN_OP_ROTL:
    return undefined_y & (bits - 1) ? interp_mask(bits) : shifted(op, bits, undefined_x, y);
  case KILN_OP_EQ:
  case KILN_OP_NE:
    return either && !((x ^ y) & ~either);
  case KILN_OP_SLT:
  case KILN_OP_SLE:
  case KILN_OP_ULT:
  case KILN_OP_ULE:
    return order_depends(op, bits, x, y, undefined_x, undefined_y);
  }
  return either ? interp_mask(bits) : 0;
}

void kiln_interp_int_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y) {
  bool unary = inst->op == KILN_OP_BNOT;
  dst[0] = 0;
  for (unsigned i = 0; i < inst->lanes; i++) {
    uint64_t undefined = int_lane(inst->op, inst->bits, x[i + 1], unary ? 0 : y[i + 1],
                                  interp_undefined(x, inst->lanes, i), unary ? 0 : interp_undefined(y, inst->lanes, i));
    interp_set_undefined(dst, inst->lanes, i, undefined & interp_mask(inst->bits));
  }
}

void kiln_interp_lanes_undefined(const struct interp_inst *inst, uint64_t *dst, uint64_t lanes) {
  dst[0] = 0;
  for (unsigned i = 0; i < inst->lanes; i++)
    interp_set_undefined(dst, inst->lanes, i, lanes >> i & 1 ? interp_mask(inst->bits) : 0);
}

void kiln_interp_eval_undefined(const struct interp_inst *inst, uint64_t *dst, kiln_type from, const uint64_t *x,
                                const uint64_t *y) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(from));
  if (inst->op == KILN_OP_ROTL) {
    kiln_interp_int_undefined(inst, dst, x, y);
    return;
  }
  if (inst->op != KILN_OP_TRUNC && inst->op != KILN_OP_ZEXT && inst->op != KILN_OP_SEXT) {
    kiln_interp_lanes_undefined(inst, dst, dst[0]);
    return;
  }
  dst[0] = 0;
  for (unsigned i = 0; i < inst->lanes; i++) {
    uint64_t undefined = interp_undefined(x, inst->lanes, i);
    if (inst->op == KILN_OP_SEXT)
      undefined = (uint64_t)interp_sext(undefined, bits);
    interp_set_undefined(dst, inst->lanes, i, undefined & interp_mask(inst->bits));
  }
}

void kiln_interp_select_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *condition,
                                  const uint64_t *x, const uint64_t *y) {
  bool pointer = inst->words == INTERP_POINTER_WORDS;
  unsigned lanes = pointer ? 1 : (inst->words - 1) / 2;
  for (unsigned i = 0; i < lanes; i++) {
    if (!(condition[0] >> (inst->lanes == 1 ? 0 : i) & 1))
      continue;
    uint64_t differ = (x[i + 1] ^ y[i + 1]) | interp_undefined(x, lanes, i) | interp_undefined(y, lanes, i);
    dst[0] &= ~((uint64_t)1 << i);
    interp_set_undefined(dst, lanes, i, differ);
  }
}

void kiln_interp_any_all_undefined(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x) {
  bool decides = inst->op == KILN_OP_ANY; // a lane of this value does, whatever the others are
  bool decided = false;
  for (unsigned i = 0; i < inst->imm; i++)
    decided |= !(x[0] >> i & 1) && (x[i + 1] & 1) == decides;
  interp_set_undefined(dst, 1, 0, !decided);
}
