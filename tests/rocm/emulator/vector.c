// Vector operations: the rows of vector.def, run lane by lane.
#include <math.h>

#include "tests/rocm/emulator/machine.h"

enum { PACKED = 1, ACCUMULATES = 2, MASK_OUT = 4, MASK_IN = 8, VCC_IN = 16 };

struct lane {
  uint64_t source[3];
  uint32_t number;
  int32_t neg_lo;
  bool carry, clamp;
};

struct vector_operation {
  struct operation base;
  uint64_t (*lane)(struct lane *lane);
  enum type to, from[3];
  uint32_t sources, flags;
};

// ---- the functions of the rows

static U32 limit_U32(const struct lane *x, I64 value) {
  return (U32)(x->clamp ? clamp64(value, 0, UINT32_MAX) : value);
}
static I32 limit_I32(const struct lane *x, I64 value) {
  return (I32)(x->clamp ? clamp64(value, INT32_MIN, INT32_MAX) : value);
}
static U16 limit_U16(const struct lane *x, I64 value) {
  return (U16)(x->clamp ? clamp64(value, 0, UINT16_MAX) : value);
}
static I16 limit_I16(const struct lane *x, I64 value) {
  return (I16)(x->clamp ? clamp64(value, INT16_MIN, INT16_MAX) : value);
}

// Takes the carry out of bit 32; with clamp a carry gives the limit of the operation.
static uint64_t take_carry(struct lane *x, uint64_t value, bool subtracts) {
  x->carry = value >> 32 & 1;
  return x->clamp && x->carry ? (subtracts ? 0 : UINT32_MAX) : (uint32_t)value;
}

static F32 half_dot(U32 a, U32 b, F32 c) {
  return (F32)(get_F16(a) * get_F16(b) + get_F16(a >> 16) * get_F16(b >> 16) + (double)c);
}

#define V1(name, to, t0, value)                                                                                        \
  static uint64_t lane_##name(struct lane *x) {                                                                        \
    t0 a = get_##t0(x->source[0]);                                                                                     \
    return put_##to((to)(value));                                                                                      \
  }
#define V2F(name, flags, to, t0, t1, value)                                                                            \
  static uint64_t lane_##name(struct lane *x) {                                                                        \
    t0 a = get_##t0(x->source[0]);                                                                                     \
    t1 b = get_##t1(x->source[1]);                                                                                     \
    return put_##to((to)(value));                                                                                      \
  }
#define V3F(name, flags, to, t0, t1, t2, value)                                                                        \
  static uint64_t lane_##name(struct lane *x) {                                                                        \
    t0 a = get_##t0(x->source[0]);                                                                                     \
    t1 b = get_##t1(x->source[1]);                                                                                     \
    t2 c = get_##t2(x->source[2]);                                                                                     \
    return put_##to((to)(value));                                                                                      \
  }
#define V2(name, to, t0, t1, value) V2F(name, 0, to, t0, t1, value)
#define V3(name, to, t0, t1, t2, value) V3F(name, 0, to, t0, t1, t2, value)
#define CARRY2(name, value)                                                                                            \
  static uint64_t lane_##name(struct lane *x) {                                                                        \
    U32 a = get_U32(x->source[0]), b = get_U32(x->source[1]);                                                          \
    return take_carry(x, value, strncmp(#name, "v_sub", 5) == 0);                                                      \
  }
#define CARRY_IN2(name, value) CARRY2(name, value)
#include "tests/rocm/emulator/vector.def"

// ---- running them

// The halves of packed operands: op_sel chooses that of the low result, op_sel_hi that of the high one. Inline
// constants of 32 bits stand for both halves; of 16 bits they are a word, whose upper half may be zero.
static uint64_t packed_source(const struct wave *wave, const struct instruction *in, uint32_t operand, uint32_t source,
                              enum type type, uint32_t lane, bool high) {
  const struct operand *o = &in->operands[operand];
  unsigned bits = type_bits(type);
  bool is_register = o->kind <= OPERAND_AGPR, upper = (high ? in->mods.op_sel_hi : in->mods.op_sel) >> source & 1;
  uint64_t value;
  if (bits == 32)
    value = read_raw(wave, o, is_register ? T_U64 : type, lane, 0) >> (is_register && upper ? 32 : 0);
  else
    value = read_raw(wave, o, is_register || !is_float(type) ? T_U32 : type, lane, 0);
  if (bits == 16)
    value = upper ? value >> 16 & 65535 : value & 65535;
  else
    value &= UINT32_MAX;
  if (is_float(type) && (high ? in->mods.neg_hi : in->mods.neg_lo) >> source & 1)
    value ^= UINT64_C(1) << (bits - 1);
  return value;
}

static uint64_t run_packed(const struct wave *wave, const struct instruction *in, const struct vector_operation *op,
                           struct lane *x) {
  uint64_t result = 0;
  unsigned bits = type_bits(op->to);
  for (unsigned half = 0; half < 2; half++) {
    for (uint32_t s = 0; s < op->sources; s++)
      x->source[s] = packed_source(wave, in, s + 1, s, op->from[s], x->number, half);
    result |= finish(wave, in, op->to, op->lane(x)) << (half * bits);
  }
  return result;
}

// The result in each lane, and which lanes are written.
static uint64_t compute(struct wave *wave, const struct instruction *in, uint64_t result[LANES], uint64_t *carries) {
  const struct vector_operation *op = (const struct vector_operation *)in->operation;
  uint32_t first = op->flags & MASK_OUT ? 2 : 1, count = op->sources - !!(op->flags & ACCUMULATES);
  uint64_t written = 0, mask = 0;
  if (op->flags & MASK_IN && in->operand_count > first + count)
    mask = read_mask(wave, &in->operands[first + count]);
  else if (op->flags & (MASK_IN | VCC_IN))
    mask = read_vcc(wave);
  for (uint32_t l = 0; l < wave->size; l++) {
    if (!is_active(wave, l))
      continue;
    struct lane x = {.number = l, .neg_lo = in->mods.neg_lo, .carry = mask >> l & 1, .clamp = in->mods.clamp};
    if (op->flags & PACKED) {
      result[l] = run_packed(wave, in, op, &x);
    } else {
      bool writes = true;
      for (uint32_t s = 0; s < count && writes; s++)
        writes = read_source(wave, in, first + s, s, op->from[s], l, &x.source[s]);
      if (!writes)
        continue;
      if (op->flags & ACCUMULATES)
        x.source[count] = read_raw(wave, &in->operands[0], op->from[count], l, 0);
      result[l] = finish(wave, in, op->to, op->lane(&x));
    }
    written |= UINT64_C(1) << l;
    *carries |= (uint64_t)x.carry << l;
  }
  return written;
}

static void write_back(struct wave *wave, const struct instruction *in, uint64_t written,
                       const uint64_t result[LANES]) {
  const struct vector_operation *op = (const struct vector_operation *)in->operation;
  enum type to = op->to;
  if (op->flags & PACKED)
    to = type_bits(to) == 16 ? T_B32 : T_B64;
  for (uint32_t l = 0; l < wave->size && wave->state != WAVE_FAILED; l++)
    if (written >> l & 1)
      write_lane(wave, in, to, op->sources, l, result[l]);
}

static void run_vector(struct wave *wave, const struct instruction *in) {
  const struct vector_operation *op = (const struct vector_operation *)in->operation;
  uint64_t result[LANES], second[LANES], carries = 0, none = 0, also = 0;
  uint64_t written = compute(wave, in, result, &carries);
  if (in->second)
    also = compute(wave, in->second, second, &none);
  write_back(wave, in, written, result);
  if (in->second)
    write_back(wave, in->second, also, second);
  if (op->flags & MASK_OUT)
    write_mask(wave, &in->operands[1], carries);
}

static const struct vector_operation vector_rows[] = {
#define V1(name, to, t0, value) {{#name, run_vector}, lane_##name, T_##to, {T_##t0}, 1, 0},
#define V2F(name, flags, to, t0, t1, value) {{#name, run_vector}, lane_##name, T_##to, {T_##t0, T_##t1}, 2, flags},
#define V3F(name, flags, to, t0, t1, t2, value)                                                                        \
  {{#name, run_vector}, lane_##name, T_##to, {T_##t0, T_##t1, T_##t2}, 3, flags},
#define V2(name, to, t0, t1, value) V2F(name, 0, to, t0, t1, value)
#define V3(name, to, t0, t1, t2, value) V3F(name, 0, to, t0, t1, t2, value)
#define CARRY2(name, value) V2F(name, MASK_OUT, U32, U32, U32, 0)
#define CARRY_IN2(name, value) V2F(name, MASK_OUT | MASK_IN, U32, U32, U32, 0)
#include "tests/rocm/emulator/vector.def"
    {{NULL, NULL}}};
const struct table vector_table = {(const char *)vector_rows, sizeof *vector_rows};

// ---- comparisons

#define C(name, type, value)                                                                                           \
  static uint64_t compare_##name(struct lane *x) {                                                                     \
    type a = get_##type(x->source[0]), b = get_##type(x->source[1]);                                                   \
    (void)a, (void)b;                                                                                                  \
    return value;                                                                                                      \
  }
#define CLASS(name, type)                                                                                              \
  static uint64_t compare_##name(struct lane *x) {                                                                     \
    return class_of(x->source[0], type_bits(T_##type), get_U32(x->source[1]));                                         \
  }
#include "tests/rocm/emulator/compare.def"

static uint64_t compare(struct wave *wave, const struct instruction *in) {
  const struct vector_operation *op = (const struct vector_operation *)in->operation;
  uint32_t first = in->operand_count - 2; // v_cmpx of gfx10 has no destination
  uint64_t mask = 0;
  for (uint32_t l = 0; l < wave->size; l++) {
    struct lane x = {.number = l};
    if (is_active(wave, l) && read_source(wave, in, first, 0, op->from[0], l, &x.source[0]) &&
        read_source(wave, in, first + 1, 1, op->from[1], l, &x.source[1]))
      mask |= op->lane(&x) << l;
  }
  return mask;
}

static void run_compare(struct wave *wave, const struct instruction *in) {
  write_mask(wave, &in->operands[0], compare(wave, in));
}

static void run_compare_exec(struct wave *wave, const struct instruction *in) {
  uint64_t mask = compare(wave, in);
  if (in->operand_count == 3)
    write_mask(wave, &in->operands[0], mask);
  write_exec(wave, mask);
}

static const struct vector_operation compare_rows[] = {
#define C(name, type, value)                                                                                           \
  {{"v_cmp_" #name, run_compare}, compare_##name, T_U32, {T_##type, T_##type}, 2, 0},                                  \
      {{"v_cmpx_" #name, run_compare_exec}, compare_##name, T_U32, {T_##type, T_##type}, 2, 0},
#define CLASS(name, type)                                                                                              \
  {{"v_cmp_" #name, run_compare}, compare_##name, T_U32, {T_##type, T_U32}, 2, 0},                                     \
      {{"v_cmpx_" #name, run_compare_exec}, compare_##name, T_U32, {T_##type, T_U32}, 2, 0},
#include "tests/rocm/emulator/compare.def"
    {{NULL, NULL}}};
const struct table compare_table = {(const char *)compare_rows, sizeof *compare_rows};
