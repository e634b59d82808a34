// The table, and references that MPFR does not have as such.
#include "tests/math/functions.h"

#include <math.h>

static int ref_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  mpfr_sqrt(r, x, round);
  return mpfr_ui_div(r, 1, r, round);
}
static int ref_tgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_gamma(r, x, round); }
static int ref_lgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  int sign;
  return mpfr_lgamma(r, &sign, x, round);
}
static int ref_recip(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_ui_div(r, 1, x, round); }
static int ref_fract(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { // without the limit below 1
  if (mpfr_inf_p(x) || mpfr_zero_p(x)) {
    mpfr_set_zero(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  mpfr_floor(r, x);
  return mpfr_sub(r, x, r, round);
}
static int ref_degrees(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  mpfr_t pi;
  mpfr_init2(pi, 200);
  mpfr_const_pi(pi, round);
  mpfr_mul_ui(r, x, 180, round);
  int ternary = mpfr_div(r, r, pi, round);
  mpfr_clear(pi);
  return ternary;
}
static int ref_radians(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  mpfr_t pi;
  mpfr_init2(pi, 200);
  mpfr_const_pi(pi, round);
  mpfr_div_ui(pi, pi, 180, round);
  int ternary = mpfr_mul(r, x, pi, round);
  mpfr_clear(pi);
  return ternary;
}
// IEEE 754 says 1 for powr(1, NaN), OpenCL NaN.
static int ref_powr(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round) {
  if (!mpfr_nan_p(y))
    return mpfr_powr(r, x, y, round);
  mpfr_set_nan(r);
  return 0;
}
static int ref_pown(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t round) { return mpfr_pow_si(r, x, n, round); }
static int ref_rootn(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t round) { return mpfr_rootn_si(r, x, n, round); }
static int ref_ldexp(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t round) { return mpfr_mul_2si(r, x, n, round); }
static int ref_rint(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) {
  (void)round;
  return mpfr_rint(r, x, MPFR_RNDN);
}
static int ref_floor(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_rint_floor(r, x, round); }
static int ref_ceil(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_rint_ceil(r, x, round); }
static int ref_trunc(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_rint_trunc(r, x, round); }
static int ref_round(mpfr_t r, const mpfr_t x, mpfr_rnd_t round) { return mpfr_rint_round(r, x, round); }

#define ONE(name, ref, f, d, h, low, high)                                                                             \
  {#name, NULL, MATH_ONE, ref, NULL, NULL, {f, d, h}, low, high, false, false, false, PAIR_ANY},
#define TWO(name, ref, f, d, h, low, high, pair)                                                                       \
  {#name, NULL, MATH_TWO, NULL, ref, NULL, {f, d, h}, low, high, false, false, false, pair},
#define INT(name, ref, f, d, h, low, high, pair)                                                                       \
  {#name, NULL, MATH_INT, NULL, NULL, ref, {f, d, h}, low, high, false, false, false, pair},
#define BOUND(name, ref, f, low, high)                                                                                 \
  {#name, NULL, MATH_ONE, ref, NULL, NULL, {f, -1, -1}, low, high, false, false, true, PAIR_ANY},
#define ABSOLUTE(name, ref, f, low, high)                                                                              \
  {#name, NULL, MATH_ONE, ref, NULL, NULL, {f, -1, -1}, low, high, true, true, true, PAIR_ANY},
// clang-format off
const struct math_function math_functions[] = {
    ONE(acos, mpfr_acos, 4, 4, 2, -1, 1)
    ONE(acosh, mpfr_acosh, 4, 4, 2, 1, 100)
    ONE(acospi, mpfr_acospi, 5, 5, 2, -1, 1)
    ONE(asin, mpfr_asin, 4, 4, 2, -1, 1)
    ONE(asinh, mpfr_asinh, 4, 4, 2, -10, 10)
    ONE(asinpi, mpfr_asinpi, 5, 5, 2, -1, 1)
    ONE(atan, mpfr_atan, 5, 5, 2, -10, 10)
    TWO(atan2, mpfr_atan2, 6, 6, 2, -10, 10, PAIR_NEAR)
    TWO(atan2pi, mpfr_atan2pi, 6, 6, 2, -10, 10, PAIR_NEAR)
    ONE(atanh, mpfr_atanh, 5, 5, 2, -1, 1)
    ONE(atanpi, mpfr_atanpi, 5, 5, 2, -10, 10)
    ONE(cbrt, mpfr_cbrt, 2, 2, 2, -10, 10)
    ONE(ceil, ref_ceil, 0, 0, 0, -10, 10)
    ONE(cos, mpfr_cos, 4, 4, 2, -100, 100)
    ONE(cosh, mpfr_cosh, 4, 4, 2, -20, 20)
    ONE(cospi, mpfr_cospi, 4, 4, 2, -10, 10)
    ONE(degrees, ref_degrees, 2, 2, 2, -10, 10)
    ONE(erf, mpfr_erf, 16, 16, 4, -5, 5)
    ONE(erfc, mpfr_erfc, 16, 16, 4, -5, 12)
    ONE(exp, mpfr_exp, 3, 3, 2, -100, 90)
    ONE(exp10, mpfr_exp10, 3, 3, 2, -45, 39)
    ONE(exp2, mpfr_exp2, 3, 3, 2, -150, 128)
    ONE(expm1, mpfr_expm1, 3, 3, 2, -5, 5)
    TWO(fdim, mpfr_dim, 0.5, 0.5, 0.5, -10, 10, PAIR_NEAR)
    ONE(floor, ref_floor, 0, 0, 0, -10, 10)
    TWO(fmod, mpfr_fmod, 0, 0, 0, -100, 100, PAIR_NEAR)
    {"fract", "fract(x, &p)", MATH_ONE, ref_fract, NULL, NULL, {1, 1, 1}, -10, 10, false, false, false, PAIR_ANY},
    BOUND(half_cos, mpfr_cos, 8192, -65536, 65536)
    BOUND(half_exp, mpfr_exp, 8192, -87, 88)
    BOUND(half_exp10, mpfr_exp10, 8192, -37, 38)
    BOUND(half_exp2, mpfr_exp2, 8192, -126, 127)
    ONE(half_log, mpfr_log, 8192, -1, -1, 0, 10)
    ONE(half_log10, mpfr_log10, 8192, -1, -1, 0, 10)
    ONE(half_log2, mpfr_log2, 8192, -1, -1, 0, 10)
    TWO(half_powr, ref_powr, 8192, -1, -1, 0, 10, PAIR_POWER)
    ONE(half_recip, ref_recip, 8192, -1, -1, -10, 10)
    ONE(half_rsqrt, ref_rsqrt, 8192, -1, -1, 0, 10)
    BOUND(half_sin, mpfr_sin, 8192, -65536, 65536)
    ONE(half_sqrt, mpfr_sqrt, 8192, -1, -1, 0, 10)
    BOUND(half_tan, mpfr_tan, 8192, -65536, 65536)
    TWO(hypot, mpfr_hypot, 4, 4, 2, -10, 10, PAIR_NEAR)
    INT(ldexp, ref_ldexp, 0.5, 0.5, 0.5, -10, 10, PAIR_SCALE)
    ONE(lgamma, ref_lgamma, INFINITY, INFINITY, INFINITY, -10, 10)
    ONE(log, mpfr_log, 3, 3, 2, 0, 3)
    ONE(log10, mpfr_log10, 3, 3, 2, 0, 3)
    ONE(log1p, mpfr_log1p, 2, 2, 2, -1, 2)
    ONE(log2, mpfr_log2, 3, 3, 2, 0, 3)
    BOUND(native_exp, mpfr_exp, 128, -87.33, 88.72)
    BOUND(native_exp10, mpfr_exp10, 128, -37, 38)
    BOUND(native_exp2, mpfr_exp2, 8, -126, 127.99)
    BOUND(native_rsqrt, ref_rsqrt, 16, 1e-37, 1e38)
    ABSOLUTE(native_cos, mpfr_cos, 512, -1000, 1000)
    ABSOLUTE(native_log, mpfr_log, 2, 1e-3, 1e3)
    ABSOLUTE(native_log10, mpfr_log10, 4, 1e-3, 1e3)
    ABSOLUTE(native_log2, mpfr_log2, 2, 1e-3, 1e3)
    ABSOLUTE(native_sin, mpfr_sin, 512, -1000, 1000)
    BOUND(native_tan, mpfr_tan, 512, -1.5, 1.5)
    TWO(pow, mpfr_pow, 16, 16, 4, 0, 30, PAIR_POWER)
    INT(pown, ref_pown, 16, 16, 4, -3, 3, PAIR_POWER)
    TWO(powr, ref_powr, 16, 16, 4, 0, 30, PAIR_POWER)
    ONE(radians, ref_radians, 2, 2, 2, -10, 10)
    TWO(remainder, mpfr_remainder, 0, 0, 0, -100, 100, PAIR_NEAR)
    ONE(rint, ref_rint, 0, 0, 0, -10, 10)
    INT(rootn, ref_rootn, 16, 16, 4, -10, 10, PAIR_ROOT)
    ONE(round, ref_round, 0, 0, 0, -10, 10)
    ONE(rsqrt, ref_rsqrt, 2, 2, 1, 0, 10)
    ONE(sin, mpfr_sin, 4, 4, 2, -100, 100)
    {"sincos", "sincos(x, &p)", MATH_ONE, mpfr_sin, NULL, NULL, {4, 4, 2}, -100, 100, false, false, false, PAIR_ANY},
    {"sincos.cos", "(sincos(x, &p), p)", MATH_ONE, mpfr_cos, NULL, NULL, {4, 4, 2}, -100, 100, false, false, false, PAIR_ANY},
    ONE(sinh, mpfr_sinh, 4, 4, 2, -20, 20)
    ONE(sinpi, mpfr_sinpi, 4, 4, 2, -10, 10)
    ONE(sqrt, mpfr_sqrt, 0.5, 0.5, 0.5, 0, 10)
    ONE(tan, mpfr_tan, 5, 5, 2, -100, 100)
    ONE(tanh, mpfr_tanh, 5, 5, 2, -10, 10)
    ONE(tanpi, mpfr_tanpi, 6, 6, 2, -10, 10)
    ONE(tgamma, ref_tgamma, 16, 16, 4, -10, 35)
    ONE(trunc, ref_trunc, 0, 0, 0, -10, 10)
};
// clang-format on
const unsigned math_function_count = sizeof math_functions / sizeof *math_functions;
