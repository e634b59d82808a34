// Which bits of integers are zero whatever is computed, in every component of a vector:
//
//   i = local_id(0) * 12    the 2 lower bits
//   b = zext i8 to i32      the 24 upper bits
//   b << 4 | 1              the 20 upper bits, and bits 1 to 3
#include "jit/facts/facts.h"

static unsigned bits_of(const struct kiln_function *fn, kiln_value v) {
  return kiln_kind_bits(kiln_type_kind(fn->insts[v].type));
}

static unsigned low_zeros(uint64_t zeros) { return ~zeros ? (unsigned)__builtin_ctzll(~zeros) : 64; }

// Of a shift by a constant.
static uint64_t of_shift(const struct kiln_function *fn, kiln_value v, uint64_t x) {
  uint64_t count, mask = kiln_bits_mask(bits_of(fn, v));
  if (!kiln_const_splat(fn, kiln_operands(fn, v)[1], &count))
    return 0;
  count &= bits_of(fn, v) - 1;
  return fn->insts[v].op == KILN_OP_SHL ? x << count | kiln_bits_mask((unsigned)count) : x >> count | ~(mask >> count);
}

uint64_t kiln_zeros_find(const struct kiln_function *fn, kiln_value v, const uint64_t *zeros) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  uint64_t mask = kiln_bits_mask(bits_of(fn, v)), constant;
  switch (inst->op) {
  case KILN_OP_CONST:
  case KILN_OP_CONST_VEC:
    return kiln_const_splat(fn, v, &constant) ? ~constant & mask : 0;
  case KILN_OP_AND:
    return zeros[x[0]] | zeros[x[1]];
  case KILN_OP_OR:
  case KILN_OP_XOR:
    return zeros[x[0]] & zeros[x[1]];
  case KILN_OP_SELECT:
    return zeros[x[1]] & zeros[x[2]];
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
    return of_shift(fn, v, zeros[x[0]]) & mask;
  case KILN_OP_TRUNC:
    return zeros[x[0]] & mask;
  case KILN_OP_ZEXT:
    return zeros[x[0]] | (mask & ~kiln_bits_mask(bits_of(fn, x[0])));
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
    return kiln_bits_mask(low_zeros(zeros[x[0]] & zeros[x[1]])) & mask;
  case KILN_OP_IMUL:
    return kiln_bits_mask(low_zeros(zeros[x[0]]) + low_zeros(zeros[x[1]])) & mask;
  }
  return 0;
}

uint64_t kiln_known_zeros(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  return v < priv->facts_count ? priv->zeros[v] : fn->insts[v].op == KILN_OP_CONST ? kiln_zeros_find(fn, v, NULL) : 0;
}
