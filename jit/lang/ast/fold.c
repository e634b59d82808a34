// Operators on constant integers, for the preprocessor and for the program.
#include "jit/lang/ast/ast.h"
#include "jit/lang/lex/token.h"

const struct kiln_binary kiln_binary_operators[KILN_TOKEN_KIND_COUNT] = {
#define KILN_OPERATOR(TOKEN, precedence, KIND) [KILN_TOKEN_##TOKEN] = {precedence, KILN_EX_##KIND},
#include "jit/lang/lex/operators.def"
};

bool kiln_fold_int(enum kiln_expr_kind kind, bool is_signed, unsigned bits, uint64_t a, uint64_t b, uint64_t *out) {
  bool minus_one = is_signed && b == UINT64_MAX;
  int64_t sa = (int64_t)a, sb = (int64_t)b;
  if (kind < KILN_EX_ADD || kind > KILN_EX_LOGOR)
    return false;
  if ((kind == KILN_EX_DIV && (!b || (minus_one && sa == INT64_MIN))) || (kind == KILN_EX_REM && (!b || minus_one)))
    return false;
  uint64_t count = b & (bits - 1), divisor = kind == KILN_EX_DIV || kind == KILN_EX_REM ? b : 1;
  uint64_t quotient = is_signed ? (uint64_t)(sa / (int64_t)divisor) : a / divisor;
  bool less = is_signed ? sa < sb : a < b;
  const uint64_t results[] = {// in the order of enum kiln_expr_kind
                              a + b,
                              a - b,
                              a * b,
                              quotient,
                              a - quotient * divisor,
                              a << count,
                              is_signed ? (uint64_t)(sa >> count) : a >> count,
                              a & b,
                              a | b,
                              a ^ b,
                              a == b,
                              a != b,
                              less,
                              !less && a != b,
                              less || a == b,
                              !less,
                              a && b,
                              a || b};
  *out = results[kind - KILN_EX_ADD];
  return true;
}

uint64_t kiln_fold_shift(uint64_t a, bool a_is_unsigned, uint64_t count, bool count_is_unsigned, bool to_left) {
  if (!count_is_unsigned && (int64_t)count < 0) {
    to_left = !to_left;
    count = -count;
  }
  bool negative = !a_is_unsigned && (int64_t)a < 0;
  if (count >= 64)
    return !to_left && negative ? UINT64_MAX : 0;
  if (to_left)
    return a << count;
  uint64_t result = a >> count;
  return negative && count > 0 ? result | UINT64_MAX << (64 - count) : result;
}

bool kiln_fold_overflows(enum kiln_expr_kind kind, unsigned bits, int64_t a, int64_t b) {
  int64_t result;
  bool over = kind == KILN_EX_ADD   ? __builtin_add_overflow(a, b, &result)
              : kind == KILN_EX_SUB ? __builtin_sub_overflow(a, b, &result)
              : kind == KILN_EX_MUL ? __builtin_mul_overflow(a, b, &result)
                                    : (result = 0, kind == KILN_EX_DIV && a == INT64_MIN && b == -1);
  return over || (bits == 32 && result != (int32_t)result);
}
