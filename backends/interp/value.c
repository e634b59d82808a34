// Pure operations. The common ones on scalars are done here, so that tests run in reasonable time; kiln_eval does all
// others, and is what these must agree with to the bit (a test compares them).
#include "backends/interp/interp.h"

#include <math.h>
#include <string.h>

enum interp_code kiln_interp_fast_code(enum kiln_op op, enum kiln_kind kind) {
  if (kind == KILN_PTR)
    return op == KILN_OP_EQ || op == KILN_OP_NE || op == KILN_OP_ULT || op == KILN_OP_ULE ? CODE_INT : CODE_EVAL;
  if (kind <= KILN_I64) {
    if ((op >= KILN_OP_IADD && op <= KILN_OP_UREM) || (op >= KILN_OP_SMIN && op <= KILN_OP_ASHR) ||
        (op >= KILN_OP_BAND && op <= KILN_OP_BNOT) || (op >= KILN_OP_EQ && op <= KILN_OP_ULE))
      return CODE_INT;
    return CODE_EVAL;
  }
  if ((op >= KILN_OP_FADD && op <= KILN_OP_FDIV) || (op >= KILN_OP_FNEG && op <= KILN_OP_FMAX) || op == KILN_OP_SQRT ||
      (op >= KILN_OP_FEQ && op <= KILN_OP_FLE))
    return kind == KILN_F32 ? CODE_F32 : kind == KILN_F64 ? CODE_F64 : CODE_EVAL;
  return CODE_EVAL;
}

static uint64_t int_division(enum kiln_op op, unsigned bits, uint64_t x, uint64_t y) {
  if (y == 0)
    return 0;
  if (op == KILN_OP_UDIV)
    return x / y;
  if (op == KILN_OP_UREM)
    return x % y;
  int64_t sx = interp_sext(x, bits), sy = interp_sext(y, bits);
  if (sy == -1) // also MIN / -1
    return op == KILN_OP_SDIV ? 0 - (uint64_t)sx : 0;
  return (uint64_t)(op == KILN_OP_SDIV ? sx / sy : sx % sy);
}

static inline uint64_t int_lane(unsigned op, unsigned bits, uint64_t x, uint64_t y) {
  switch (op) {
  case KILN_OP_IADD:
    return x + y;
  case KILN_OP_ISUB:
    return x - y;
  case KILN_OP_IMUL:
    return x * y;
  case KILN_OP_SDIV:
  case KILN_OP_UDIV:
  case KILN_OP_SREM:
  case KILN_OP_UREM:
    return int_division(op, bits, x, y);
  case KILN_OP_SMIN:
    return interp_sext(x, bits) < interp_sext(y, bits) ? x : y;
  case KILN_OP_SMAX:
    return interp_sext(x, bits) > interp_sext(y, bits) ? x : y;
  case KILN_OP_UMIN:
    return x < y ? x : y;
  case KILN_OP_UMAX:
    return x > y ? x : y;
  case KILN_OP_AND:
  case KILN_OP_BAND:
    return x & y;
  case KILN_OP_OR:
  case KILN_OP_BOR:
    return x | y;
  case KILN_OP_XOR:
  case KILN_OP_BXOR:
    return x ^ y;
  case KILN_OP_BNOT:
    return ~x;
  case KILN_OP_SHL:
    return x << (y & (bits - 1));
  case KILN_OP_LSHR:
    return x >> (y & (bits - 1));
  case KILN_OP_ASHR:
    return (uint64_t)(interp_sext(x, bits) >> (y & (bits - 1)));
  case KILN_OP_EQ:
    return x == y;
  case KILN_OP_NE:
    return x != y;
  case KILN_OP_SLT:
    return interp_sext(x, bits) < interp_sext(y, bits);
  case KILN_OP_SLE:
    return interp_sext(x, bits) <= interp_sext(y, bits);
  case KILN_OP_ULT:
    return x < y;
  case KILN_OP_ULE:
    return x <= y;
  }
  return 0;
}

void kiln_interp_int(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y) {
  uint64_t mask = interp_mask(inst->bits);
  bool unary = inst->op == KILN_OP_BNOT;
  dst[0] = unary ? x[0] : x[0] | y[0];
  for (unsigned i = 1; i <= inst->lanes; i++)
    dst[i] = int_lane(inst->op, inst->bits, x[i], unary ? 0 : y[i]) & mask;
  if (dst[0])
    kiln_interp_int_undefined(inst, dst, x, y);
}

static inline float as_f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}
static inline uint64_t from_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? 0x7fc00000u : bits; // a NaN that is computed is canonical
}
static inline double as_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t from_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? 0x7ff8000000000000u : bits;
}

static inline uint64_t f32_lane(unsigned op, uint64_t x, uint64_t y, uint64_t z) {
  switch (op) {
  case KILN_OP_FADD:
    return from_f32(as_f32(x) + as_f32(y));
  case KILN_OP_FSUB:
    return from_f32(as_f32(x) - as_f32(y));
  case KILN_OP_FMUL:
    return from_f32(as_f32(x) * as_f32(y));
  case KILN_OP_FDIV:
    return from_f32(as_f32(x) / as_f32(y));
  case KILN_OP_FNEG:
    return x ^ 0x80000000u;
  case KILN_OP_FABS:
    return x & 0x7fffffffu;
  case KILN_OP_FMA:
    return from_f32(fmaf(as_f32(x), as_f32(y), as_f32(z)));
  case KILN_OP_FMIN:
    return from_f32(isnan(as_f32(x)) || as_f32(y) < as_f32(x) ? as_f32(y) : as_f32(x));
  case KILN_OP_FMAX:
    return from_f32(isnan(as_f32(x)) || as_f32(y) > as_f32(x) ? as_f32(y) : as_f32(x));
  case KILN_OP_SQRT:
    return from_f32(sqrtf(as_f32(x)));
  case KILN_OP_FEQ:
    return as_f32(x) == as_f32(y);
  case KILN_OP_FNE:
    return as_f32(x) != as_f32(y);
  case KILN_OP_FLT:
    return as_f32(x) < as_f32(y);
  case KILN_OP_FLE:
    return as_f32(x) <= as_f32(y);
  }
  return 0;
}

static inline uint64_t f64_lane(unsigned op, uint64_t x, uint64_t y, uint64_t z) {
  switch (op) {
  case KILN_OP_FADD:
    return from_f64(as_f64(x) + as_f64(y));
  case KILN_OP_FSUB:
    return from_f64(as_f64(x) - as_f64(y));
  case KILN_OP_FMUL:
    return from_f64(as_f64(x) * as_f64(y));
  case KILN_OP_FDIV:
    return from_f64(as_f64(x) / as_f64(y));
  case KILN_OP_FNEG:
    return x ^ (uint64_t)1 << 63;
  case KILN_OP_FABS:
    return x & ~((uint64_t)1 << 63);
  case KILN_OP_FMA:
    return from_f64(fma(as_f64(x), as_f64(y), as_f64(z)));
  case KILN_OP_FMIN:
    return from_f64(isnan(as_f64(x)) || as_f64(y) < as_f64(x) ? as_f64(y) : as_f64(x));
  case KILN_OP_FMAX:
    return from_f64(isnan(as_f64(x)) || as_f64(y) > as_f64(x) ? as_f64(y) : as_f64(x));
  case KILN_OP_SQRT:
    return from_f64(sqrt(as_f64(x)));
  case KILN_OP_FEQ:
    return as_f64(x) == as_f64(y);
  case KILN_OP_FNE:
    return as_f64(x) != as_f64(y);
  case KILN_OP_FLT:
    return as_f64(x) < as_f64(y);
  case KILN_OP_FLE:
    return as_f64(x) <= as_f64(y);
  }
  return 0;
}

// How many operands an operation of CODE_F32 and CODE_F64 has.
static inline unsigned float_arity(enum kiln_op op) {
  return op == KILN_OP_FNEG || op == KILN_OP_FABS || op == KILN_OP_SQRT ? 1 : op == KILN_OP_FMA ? 3 : 2;
}

void kiln_interp_f32(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y,
                     const uint64_t *z) {
  unsigned arity = float_arity(inst->op);
  dst[0] = x[0] | (arity > 1 ? y[0] : 0) | (arity > 2 ? z[0] : 0);
  for (unsigned i = 1; i <= inst->lanes; i++)
    dst[i] = f32_lane(inst->op, x[i], arity > 1 ? y[i] : 0, arity > 2 ? z[i] : 0);
  if (dst[0])
    kiln_interp_lanes_undefined(inst, dst, dst[0]);
}

void kiln_interp_f64(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x, const uint64_t *y,
                     const uint64_t *z) {
  unsigned arity = float_arity(inst->op);
  dst[0] = x[0] | (arity > 1 ? y[0] : 0) | (arity > 2 ? z[0] : 0);
  for (unsigned i = 1; i <= inst->lanes; i++)
    dst[i] = f64_lane(inst->op, x[i], arity > 1 ? y[i] : 0, arity > 2 ? z[i] : 0);
  if (dst[0])
    kiln_interp_lanes_undefined(inst, dst, dst[0]);
}

// ---- vectors

// Makes a lane of dst one of a value that has so many, undefined bits included.
static void set_lane(const struct interp_inst *inst, uint64_t *dst, unsigned i, const uint64_t *from, unsigned lanes,
                     unsigned lane) {
  dst[i + 1] = from[lane + 1];
  interp_set_undefined(dst, inst->lanes, i, interp_undefined(from, lanes, lane));
}

static void select_op(const struct interp_inst *inst, uint64_t *dst, const uint64_t *condition, const uint64_t *x,
                      const uint64_t *y) {
  if (inst->lanes == 1) {
    memcpy(dst, condition[1] & 1 ? x : y, inst->words * sizeof *dst);
  } else {
    dst[0] = 0;
    for (unsigned i = 0; i < inst->lanes; i++)
      set_lane(inst, dst, i, condition[i + 1] & 1 ? x : y, inst->lanes, i);
  }
  if (condition[0])
    kiln_interp_select_undefined(inst, dst, condition, x, y);
}

static void shuffle_op(const struct interp_function *fn, const struct interp_inst *inst, uint64_t *dst,
                       const uint64_t *x, const uint64_t *y) {
  const uint8_t *chosen = fn->fn->shuffles[fn->fn->insts[inst->value].node];
  unsigned first = (unsigned)inst->imm; // lanes of an operand
  dst[0] = 0;
  for (unsigned i = 0; i < inst->lanes; i++) {
    unsigned lane = chosen[i];
    const uint64_t *from = lane < first ? x : y;
    if (lane >= 2 * first) {
      dst[i + 1] = 0;
      interp_set_undefined(dst, inst->lanes, i, interp_mask(inst->bits));
      continue;
    }
    set_lane(inst, dst, i, from, first, lane % first);
  }
}

// imm: lanes of the operand; imm2: bits of its elements.
static void bitcast_op(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x) {
  unsigned char bytes[128] = {0}, undefined[128] = {0};
  unsigned from = inst->imm2 / 8, to = inst->bits / 8;
  for (unsigned i = 0; i < inst->imm; i++) {
    uint64_t bits = interp_undefined(x, (unsigned)inst->imm, i);
    memcpy(bytes + (size_t)i * from, &x[i + 1], from);
    memcpy(undefined + (size_t)i * from, &bits, from);
  }
  dst[0] = 0;
  for (unsigned i = 0; i < inst->lanes; i++) {
    uint64_t bits = 0;
    dst[i + 1] = 0;
    memcpy(&dst[i + 1], bytes + (size_t)i * to, to);
    memcpy(&bits, undefined + (size_t)i * to, to);
    interp_set_undefined(dst, inst->lanes, i, bits);
  }
}

static void any_all_op(const struct interp_inst *inst, uint64_t *dst, const uint64_t *x) {
  unsigned set = 0;
  for (unsigned i = 1; i <= inst->imm; i++)
    set += x[i] & 1;
  dst[0] = 0;
  dst[1] = inst->op == KILN_OP_ANY ? set > 0 : set == inst->imm;
  if (x[0])
    kiln_interp_any_all_undefined(inst, dst, x);
}

static void insert_op(const struct interp_inst *inst, uint64_t *dst, const uint64_t *vector, const uint64_t *scalar,
                      const uint64_t *lane) {
  unsigned lanes = inst->lanes, at = (unsigned)(lane[1] % lanes);
  memmove(dst, vector, inst->words * sizeof *dst);
  dst[0] &= ~((uint64_t)1 << at);
  set_lane(inst, dst, at, scalar, 1, 0);
  if (lane[0])
    kiln_interp_lanes_undefined(inst, dst, interp_mask(lanes));
}

void kiln_interp_vector(const struct interp_worker *worker, const struct interp_function *fn,
                        const struct interp_inst *inst, uint64_t *words) {
  uint64_t *dst = words + inst->dst;
  if (inst->code == CODE_VEC) {
    dst[0] = 0;
    for (unsigned i = 0; i < inst->lanes; i++)
      set_lane(inst, dst, i, interp_ref(worker, words, fn->refs[inst->a + i]), 1, 0);
    return;
  }
  const uint64_t *x = interp_ref(worker, words, inst->a), *y = interp_ref(worker, words, inst->b);
  const uint64_t *z = interp_ref(worker, words, inst->c);
  if (inst->code == CODE_SELECT)
    select_op(inst, dst, x, y, z);
  else if (inst->code == CODE_SPLAT) {
    dst[0] = 0;
    for (unsigned i = 0; i < inst->lanes; i++)
      set_lane(inst, dst, i, x, 1, 0);
  } else if (inst->code == CODE_EXTRACT) {
    unsigned at = (unsigned)(y[1] % inst->imm);
    dst[0] = 0;
    dst[1] = x[at + 1];
    interp_set_undefined(dst, 1, 0, y[0] ? interp_mask(inst->bits) : interp_undefined(x, (unsigned)inst->imm, at));
  } else if (inst->code == CODE_INSERT)
    insert_op(inst, dst, x, y, z);
  else if (inst->code == CODE_SHUFFLE)
    shuffle_op(fn, inst, dst, x, y);
  else if (inst->code == CODE_BITCAST)
    bitcast_op(inst, dst, x);
  else
    any_all_op(inst, dst, x);
}

// ---- everything else

bool kiln_interp_eval(const struct interp_worker *worker, const struct interp_function *fn,
                      const struct interp_inst *inst, uint64_t *words) {
  const struct kiln_inst *source = kiln_inst(fn->fn, inst->value);
  const kiln_value *values = kiln_operands(fn->fn, inst->value);
  const uint32_t refs[3] = {inst->a, inst->b, inst->c};
  kiln_type types[3] = {0};
  const union kiln_lanes *operands[3] = {0};
  uint64_t undefined = 0;
  for (uint32_t i = 0; i < source->operand_count && i < 3; i++) {
    const uint64_t *x = interp_ref(worker, words, refs[i]);
    types[i] = kiln_value_type(fn->fn, values[i]);
    operands[i] = (const union kiln_lanes *)(x + 1);
    undefined |= x[0];
  }
  uint64_t *dst = words + inst->dst;
  dst[0] = 0;
  if (!kiln_eval(source->op, source->type, source->imm, source->flags, NULL, types, operands, source->operand_count,
                 (union kiln_lanes *)(dst + 1)))
    return false;
  if (undefined) {
    dst[0] = undefined;
    kiln_interp_eval_undefined(inst, dst, types[0], interp_ref(worker, words, refs[0]),
                               interp_ref(worker, words, refs[1]));
  }
  return true;
}
