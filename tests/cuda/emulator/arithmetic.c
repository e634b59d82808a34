// Runs the operations of arithmetic.def: a function for each row, and one more for rows of floats that some modifier
// applies to.
#include <fenv.h>
#include <stdlib.h>

#include "tests/cuda/emulator/machine.h"

// ---- modifiers of floats

static double modify_result(const struct instruction *in, double value, double (*flush)(double)) {
  if (in->saturates)
    value = saturate(value);
  return in->flushes ? flush(value) : value;
}
static double flush_single(double value) { return (double)flush_F32((F32)value); }
#define FLUSH_F32 flush_single
#define FLUSH_F64 flush_F64
#define FLUSH_F16 flush_F16
#define FLUSH_BF16 flush_BF16
#define ROUNDED(T, value) ((T)modify_result(in, (double)(value), FLUSH_##T))
#define OPERAND(T, bits) (in->flushes ? flush_##T(get_##T(bits)) : get_##T(bits))

// What small floats are computed as is rounded before .ftz looks at it.
static F16 round_F16(double value) { return get_F16(put_F16(value)); }
static BF16 round_BF16(double value) { return get_BF16(put_BF16(value)); }
static F32 round_F32(F32 value) { return value; }
static F64 round_F64(F64 value) { return value; }

// ---- carries

static U32 carry32(struct item *item, U32 a, U32 b, bool carry, bool keeps) {
  U64 sum = (U64)a + b + carry;
  if (keeps)
    item->carry = sum >> 32;
  return (U32)sum;
}
static U64 carry64(struct item *item, U64 a, U64 b, bool carry, bool keeps) {
  U64 sum, whole;
  bool first = __builtin_add_overflow(a, b, &sum), second = __builtin_add_overflow(sum, (U64)carry, &whole);
  if (keeps)
    item->carry = first | second;
  return whole;
}

// ---- the functions of the rows

#define SOURCE(n) item->r[in->from[n]]
#define RESULT item->r[in->to[0]]

#define X1(name, version, sm, to, t0, value)                                                                           \
  static void run_##name(struct item *item, struct instruction *in) {                                                  \
    t0 a = get_##t0(SOURCE(0));                                                                                        \
    RESULT = put_##to((to)(value));                                                                                    \
  }
#define X2(name, version, sm, to, t0, t1, value)                                                                       \
  static void run_##name(struct item *item, struct instruction *in) {                                                  \
    t0 a = get_##t0(SOURCE(0));                                                                                        \
    t1 b = get_##t1(SOURCE(1));                                                                                        \
    RESULT = put_##to((to)(value));                                                                                    \
  }
#define X3(name, version, sm, to, t0, t1, t2, value)                                                                   \
  static void run_##name(struct item *item, struct instruction *in) {                                                  \
    t0 a = get_##t0(SOURCE(0));                                                                                        \
    t1 b = get_##t1(SOURCE(1));                                                                                        \
    t2 c = get_##t2(SOURCE(2));                                                                                        \
    RESULT = put_##to((to)(value));                                                                                    \
  }
#define X4(name, version, sm, to, t0, t1, t2, t3, value)                                                               \
  static void run_##name(struct item *item, struct instruction *in) {                                                  \
    t0 a = get_##t0(SOURCE(0));                                                                                        \
    t1 b = get_##t1(SOURCE(1));                                                                                        \
    t2 c = get_##t2(SOURCE(2));                                                                                        \
    t3 d = get_##t3(SOURCE(3));                                                                                        \
    RESULT = put_##to((to)(value));                                                                                    \
  }
// Operands and result are volatile, so that the operation stays between the changes of the rounding mode.
#define FLOATS(name, T, value, shift, sources, volatile_sources)                                                       \
  static uint64_t plain_##name##_##T##shift(struct item *item, struct instruction *in) {                               \
    (void)in;                                                                                                          \
    sources;                                                                                                           \
    return put_##T((T)(value));                                                                                        \
  }                                                                                                                    \
  static uint64_t modified_##name##_##T##shift(struct item *item, struct instruction *in) {                            \
    (void)item;                                                                                                        \
    volatile_sources;                                                                                                  \
    bool is_directed = in->rounding != ROUND_NEAREST && in->rounding != ROUND_NONE;                                    \
    if (is_directed)                                                                                                   \
      fesetround(c_rounding((enum rounding)in->rounding));                                                             \
    volatile T result = (T)(value);                                                                                    \
    if (is_directed)                                                                                                   \
      fesetround(FE_TONEAREST);                                                                                        \
    T rounded = round_##T(result);                                                                                     \
    return put_##T(ROUNDED(T, rounded));                                                                               \
  }
#define SOURCES1(T, shift) T a = get_##T(SOURCE(0) >> shift)
#define SOURCES2(T, shift) T a = get_##T(SOURCE(0) >> shift), b = get_##T(SOURCE(1) >> shift)
#define SOURCES3(T, shift)                                                                                             \
  T a = get_##T(SOURCE(0) >> shift), b = get_##T(SOURCE(1) >> shift), c = get_##T(SOURCE(2) >> shift)
#define VOLATILE1(T, shift) volatile T a = OPERAND(T, SOURCE(0) >> shift)
#define VOLATILE2(T, shift) volatile T a = OPERAND(T, SOURCE(0) >> shift), b = OPERAND(T, SOURCE(1) >> shift)
#define VOLATILE3(T, shift)                                                                                            \
  volatile T a = OPERAND(T, SOURCE(0) >> shift), b = OPERAND(T, SOURCE(1) >> shift), c = OPERAND(T, SOURCE(2) >> shift)
#define SCALAR(n, name, T, value)                                                                                      \
  FLOATS(name, T, value, 0, SOURCES##n(T, 0), VOLATILE##n(T, 0))                                                       \
  static void run_##name##_##T(struct item *item, struct instruction *in) {                                            \
    RESULT = plain_##name##_##T##0(item, in);                                                                          \
  }                                                                                                                    \
  static void run_modified_##name##_##T(struct item *item, struct instruction *in) {                                   \
    RESULT = modified_##name##_##T##0(item, in);                                                                       \
  }
#define PACKED(n, name, T, value)                                                                                      \
  FLOATS(name, T, value, 16, SOURCES##n(T, 16), VOLATILE##n(T, 16))                                                    \
  static void run_##name##_##T##X2(struct item *item, struct instruction *in) {                                        \
    RESULT = plain_##name##_##T##0(item, in) | plain_##name##_##T##16(item, in) << 16;                                 \
  }                                                                                                                    \
  static void run_modified_##name##_##T##X2(struct item *item, struct instruction *in) {                               \
    RESULT = modified_##name##_##T##0(item, in) | modified_##name##_##T##16(item, in) << 16;                           \
  }
#define F1(name, T, version, sm, modifiers, value) SCALAR(1, name, T, value)
#define F2(name, T, version, sm, modifiers, value) SCALAR(2, name, T, value)
#define F3(name, T, version, sm, modifiers, value) SCALAR(3, name, T, value)
#define P1(name, T, version, sm, modifiers, value) PACKED(1, name, T, value)
#define P2(name, T, version, sm, modifiers, value) PACKED(2, name, T, value)
#define P3(name, T, version, sm, modifiers, value) PACKED(3, name, T, value)
#include "tests/cuda/emulator/arithmetic.def"

// ---- the table

#undef X1
#undef X2
#undef X3
#undef X4
#undef F1
#undef F2
#undef F3
#undef P1
#undef P2
#undef P3
#define X1(name, version, sm, to, t0, value) {#name, version, sm, 0, run_##name, NULL, T_##to, {T_##t0}, 1},
#define X2(name, version, sm, to, t0, t1, value) {#name, version, sm, 0, run_##name, NULL, T_##to, {T_##t0, T_##t1}, 2},
#define X3(name, version, sm, to, t0, t1, t2, value)                                                                   \
  {#name, version, sm, 0, run_##name, NULL, T_##to, {T_##t0, T_##t1, T_##t2}, 3},
#define X4(name, version, sm, to, t0, t1, t2, t3, value)                                                               \
  {#name, version, sm, 0, run_##name, NULL, T_##to, {T_##t0, T_##t1, T_##t2, T_##t3}, 4},
#define ROW(n, name, T, version, sm, modifiers)                                                                        \
  {#name "_" #T, version, sm, modifiers, run_##name##_##T, run_modified_##name##_##T, T_##T, {T_##T, T_##T, T_##T}, n},
#define F1(name, T, version, sm, modifiers, value) ROW(1, name, T, version, sm, modifiers)
#define F2(name, T, version, sm, modifiers, value) ROW(2, name, T, version, sm, modifiers)
#define F3(name, T, version, sm, modifiers, value) ROW(3, name, T, version, sm, modifiers)
#define P1(name, T, version, sm, modifiers, value) ROW(1, name, T##X2, version, sm, modifiers)
#define P2(name, T, version, sm, modifiers, value) ROW(2, name, T##X2, version, sm, modifiers)
#define P3(name, T, version, sm, modifiers, value) ROW(3, name, T##X2, version, sm, modifiers)
static const struct operation operations[] = {
#include "tests/cuda/emulator/arithmetic.def"
};

// Rows of floats have the names of their types as C writes them.
static bool matches(const char *row, const char *name) {
  for (; *row && *name; row++, name++) {
    char c = *row == '_' ? '.' : *row >= 'A' && *row <= 'Z' ? (char)(*row - 'A' + 'a') : *row;
    if (c != *name)
      return false;
  }
  return *row == *name;
}

const struct operation *arithmetic_find(const char *name) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (matches(operations[i].name, name))
      return &operations[i];
  return NULL;
}
