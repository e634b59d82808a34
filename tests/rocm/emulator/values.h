// The types of operands, and arithmetic on them that C does not have. A register holds bits in a uint64_t; get_T reads
// them as a T and put_T gives them back. Halves are computed as doubles and rounded once, by put_F16.
#ifndef KILN_TESTS_ROCM_EMULATOR_VALUES_H
#define KILN_TESTS_ROCM_EMULATOR_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// B types are bits: float modifiers apply to them, but neither flushing of denormals nor rounding does.
enum type { T_U16, T_I16, T_F16, T_B16, T_U32, T_I32, T_F32, T_B32, T_U64, T_I64, T_F64, T_B64 };
typedef uint16_t U16, B16;
typedef int16_t I16;
typedef double F16;
typedef uint32_t U32, B32;
typedef int32_t I32;
typedef float F32;
typedef uint64_t U64, B64;
typedef int64_t I64;
typedef double F64;

static inline unsigned type_bits(enum type type) { return type < T_U32 ? 16 : type < T_U64 ? 32 : 64; }
static inline bool is_float(enum type type) { return type == T_F16 || type == T_F32 || type == T_F64; }
static inline bool takes_float_modifiers(enum type type) { return type % 4 >= 2; }

double half_value(uint16_t bits);
uint16_t round_to_half(double value); // to nearest even

static inline U16 get_U16(uint64_t bits) { return (U16)bits; }
static inline B16 get_B16(uint64_t bits) { return (B16)bits; }
static inline I16 get_I16(uint64_t bits) { return (I16)bits; }
static inline F16 get_F16(uint64_t bits) { return half_value((uint16_t)bits); }
static inline U32 get_U32(uint64_t bits) { return (U32)bits; }
static inline B32 get_B32(uint64_t bits) { return (B32)bits; }
static inline I32 get_I32(uint64_t bits) { return (I32)bits; }
static inline U64 get_U64(uint64_t bits) { return bits; }
static inline B64 get_B64(uint64_t bits) { return bits; }
static inline I64 get_I64(uint64_t bits) { return (I64)bits; }
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
static inline uint64_t put_U16(U16 value) { return value; }
static inline uint64_t put_B16(B16 value) { return value; }
static inline uint64_t put_I16(I16 value) { return (uint16_t)value; }
static inline uint64_t put_F16(F16 value) { return round_to_half(value); }
static inline uint64_t put_U32(U32 value) { return value; }
static inline uint64_t put_B32(B32 value) { return value; }
static inline uint64_t put_I32(I32 value) { return (uint32_t)value; }
static inline uint64_t put_U64(U64 value) { return value; }
static inline uint64_t put_B64(B64 value) { return value; }
static inline uint64_t put_I64(I64 value) { return (uint64_t)value; }
static inline uint64_t put_F32(F32 value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}
static inline uint64_t put_F64(F64 value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// ---- floating point

F32 flush_f32(F32 a);               // denormals become zeros of the same sign
double minimum(double a, double b); // IEEE-754 minNum: a NaN loses, -0 is less than +0
double maximum(double a, double b);
double median3(double a, double b, double c);
F16 fma_f16(F16 a, F16 b, F16 c); // exact enough that put_F16 rounds once
F32 fract_f32(F32 a);             // below 1
F64 fract_f64(F64 a);
F16 fract_f16(F16 a);
// The approximations of the hardware: these are correctly rounded, without denormals. Those of F64 have about 26 bits,
// as the hardware's, so that code without refinement shows.
F32 rcp_f32(F32 a);
F32 rsq_f32(F32 a);
F32 sqrt_f32(F32 a);
F32 exp_f32(F32 a);
F32 log_f32(F32 a);
F64 rcp_f64(F64 a);
F64 rsq_f64(F64 a);
F64 sqrt_f64(F64 a);
double sin_turns(double a); // 0 outside of ±256 turns, as the hardware's
double cos_turns(double a); // 1 outside of it
double mantissa(double a);  // of v_frexp_mant: in [0.5, 1)
int32_t exponent(double a); // of v_frexp_exp: 0 for zeros, infinities and NaN
I32 to_i32(double a);       // towards zero, saturating; NaN is 0
U32 to_u32(double a);
I16 to_i16(double a);
U16 to_u16(double a);
U16 half_toward_zero(F32 a);
bool class_of(uint64_t bits, unsigned width, uint32_t mask); // v_cmp_class
// Division: v_div_scale, v_div_fmas, v_div_fixup of (quotient, denominator, numerator).
F32 div_scale_f32(F32 a, F32 denominator, F32 numerator, bool *scaled);
F64 div_scale_f64(F64 a, F64 denominator, F64 numerator, bool *scaled);
F32 div_fmas_f32(F32 a, F32 b, F32 c, bool scaled);
F64 div_fmas_f64(F64 a, F64 b, F64 c, bool scaled);
double div_fixup(double quotient, double denominator, double numerator);
F64 trig_preop(F64 a, uint32_t segment); // 53 bits of 2/π

// ---- integers

uint64_t bit_field(uint64_t a, uint32_t offset, uint32_t width);
int64_t signed_bit_field(int64_t a, uint32_t offset, uint32_t width, uint32_t bits);
uint32_t reverse32(uint32_t a);
uint64_t reverse64(uint64_t a);
uint32_t sign_bits32(uint32_t a); // place of the first bit that differs from the sign, from the top; ~0: none does
uint32_t sign_bits64(uint64_t a);
uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selectors);
uint32_t sum_of_differences(uint32_t a, uint32_t b, unsigned width);
// c + the products of the fields of a and b, which have width bits.
uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned width, bool signed_a, bool signed_b, bool clamp);
uint64_t mad_u64(uint32_t a, uint32_t b, uint64_t c, bool *carry);
int64_t mad_i64(int32_t a, int32_t b, int64_t c, bool *carry);
static inline int32_t low24(uint32_t a) { return (int32_t)(a << 8) >> 8; }
static inline int64_t clamp64(int64_t a, int64_t low, int64_t high) { return a < low ? low : a > high ? high : a; }

#endif
