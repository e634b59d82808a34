// The types of operands, and arithmetic on them that C does not have. A register holds bits in a uint64_t; get_T reads
// them as a T and put_T gives them back. F16 and BF16 are computed as doubles and rounded once, by put_T.
#ifndef KILN_TESTS_CUDA_EMULATOR_VALUES_H
#define KILN_TESTS_CUDA_EMULATOR_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum type_class { CLASS_PREDICATE, CLASS_BITS, CLASS_UNSIGNED, CLASS_SIGNED, CLASS_FLOAT };
enum type {
#define TYPE(name, text, bits, class) T_##name,
#include "tests/cuda/emulator/types.def"
#undef TYPE
  T_NONE
};
const char *type_text(enum type type);
unsigned type_bits(enum type type);
enum type_class type_class(enum type type);
enum type type_of_text(const char *text, size_t size); // T_NONE: none has it
// The bits of a register that hold a value of the type.
static inline uint64_t type_mask(unsigned bits) { return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

typedef bool PRED;
typedef uint8_t U8, B8;
typedef int8_t S8;
typedef uint16_t U16, B16;
typedef int16_t S16;
typedef double F16, BF16;
typedef uint32_t U32, B32;
typedef int32_t S32;
typedef float F32;
typedef uint64_t U64, B64;
typedef int64_t S64;
typedef double F64;

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NONE };
int c_rounding(enum rounding rounding);                             // as <fenv.h> names it
enum { NAN_F16 = 0x7fff, NAN_BF16 = 0x7fff, NAN_F32 = 0x7fffffff }; // the ones that operations make

// ---- small floats

struct float_format {
  int precision;    // with the hidden bit
  int max_exponent; // values are below 2 to its power
};
extern const struct float_format format_f16, format_bf16;
long double small_float_value(const struct float_format *format, uint16_t bits);
uint16_t round_small_float(const struct float_format *format, long double value, enum rounding rounding);
// Exact enough that rounding the sum again to a small float rounds once.
double fma_small(double a, double b, double c);

// ---- registers

static inline PRED get_PRED(uint64_t bits) { return bits & 1; }
static inline U16 get_U16(uint64_t bits) { return (U16)bits; }
static inline B16 get_B16(uint64_t bits) { return (B16)bits; }
static inline S16 get_S16(uint64_t bits) { return (S16)bits; }
static inline F16 get_F16(uint64_t bits) { return (double)small_float_value(&format_f16, (uint16_t)bits); }
static inline U32 get_U32(uint64_t bits) { return (U32)bits; }
static inline B32 get_B32(uint64_t bits) { return (B32)bits; }
static inline S32 get_S32(uint64_t bits) { return (S32)bits; }
static inline U64 get_U64(uint64_t bits) { return bits; }
static inline B64 get_B64(uint64_t bits) { return bits; }
static inline S64 get_S64(uint64_t bits) { return (S64)bits; }
static inline BF16 get_BF16(uint64_t bits) { return (double)small_float_value(&format_bf16, (uint16_t)bits); }
static inline F32 get_F32(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}
static inline F64 get_F64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint64_t put_PRED(PRED value) { return value; }
static inline uint64_t put_U16(U16 value) { return value; }
static inline uint64_t put_B16(B16 value) { return value; }
static inline uint64_t put_S16(S16 value) { return (uint16_t)value; }
static inline uint64_t put_F16(F16 value) { return round_small_float(&format_f16, (long double)value, ROUND_NEAREST); }
static inline uint64_t put_U32(U32 value) { return value; }
static inline uint64_t put_B32(B32 value) { return value; }
static inline uint64_t put_S32(S32 value) { return (uint32_t)value; }
static inline uint64_t put_U64(U64 value) { return value; }
static inline uint64_t put_B64(B64 value) { return value; }
static inline uint64_t put_S64(S64 value) { return (uint64_t)value; }
static inline uint64_t put_BF16(BF16 value) {
  return round_small_float(&format_bf16, (long double)value, ROUND_NEAREST);
}
static inline uint64_t put_F32(F32 value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return isnan(value) ? NAN_F32 : word;
}
static inline uint64_t put_F64(F64 value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// ---- floating point

static inline F32 flush_F32(F32 a) { return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a; }
static inline F64 flush_F64(F64 a) { return a; } // there is no .ftz for it
static inline F16 flush_F16(F16 a) { return fabs(a) < 0x1p-14 ? copysign(0, a) : a; }
static inline BF16 flush_BF16(BF16 a) { return fabs(a) < 0x1p-126 ? copysign(0, a) : a; }
F64 minimum(F64 a, F64 b); // a NaN loses; -0 is less than +0
F64 maximum(F64 a, F64 b);
F64 saturate(F64 a); // into 0 to 1; a NaN becomes +0

// Near an exact value, off in the direction of lean (-1 to 1) by as much as an error up to bound allows.
F32 near_f32(double exact, double bound, double lean);
double ulp_f32(double value); // of single precision
F16 near_f16(double exact, double bound, double lean);
F32 rcp_approx(F32 a, double lean);
F32 rsqrt_approx(F32 a, double lean);
F32 div_approx(F32 a, F32 b, double lean);
F32 div_full(F32 a, F32 b, double lean);
F32 sin_approx(F32 a, double lean);
F32 cos_approx(F32 a, double lean);
F32 lg2_approx(F32 a, double lean);
F32 ex2_approx(F32 a, double lean);
F32 relative_f32(double exact, double error, double lean); // off by that part of the value
F64 relative_f64(double exact, double error, double lean);
F64 upper_half(F64 a); // without the low 32 bits, and without denormals

// ---- integers

U32 bit_field_U32(U32 a, U32 position, U32 length);
S32 bit_field_S32(S32 a, U32 position, U32 length);
U64 bit_field_U64(U64 a, U32 position, U32 length);
S64 bit_field_S64(S64 a, U32 position, U32 length);
U64 insert_bits(U64 from, U64 into, U32 position, U32 length, unsigned bits);
U64 reverse_bits(U64 a, unsigned bits);
U32 top_bit(U64 a, bool shift_amount, unsigned bits); // of its highest set bit, or all ones
U32 sign_top_bit(S64 a, bool shift_amount, unsigned bits);
U32 permute_bytes(U32 a, U32 b, U32 selector);
U32 permute_mode(U32 a, U32 b, U32 c, unsigned mode); // 0 f4e, 1 b4e, 2 rc8, 3 ecl, 4 ecr, 5 rc16
U32 logic3(U32 a, U32 b, U32 c, U32 table);
U32 bit_mask(U32 position, U32 length);
U32 dot4(U32 a, bool signed_a, U32 b, bool signed_b, U32 c);
U32 dot2(U32 a, bool signed_a, U32 b, bool signed_b, U32 c, bool high);
S64 shift_right(S64 a, U32 count, unsigned bits);

#endif
