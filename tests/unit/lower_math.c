// Built-in functions that the library makes out of others: accuracy against the C library at double or long double
// precision, and exact results where the specification names them.
#include "tests/unit/lower_test.h"

#include <float.h>
#include <math.h>

enum { MAX = 4096 };

// ---- reference functions in long double ----------------------------------------------------------------------------

typedef long double real;
static const real PI = 3.14159265358979323846264338327950288L;

static real ref_acospi(real x) { return acosl(x) / PI; }
static real ref_asinpi(real x) { return asinl(x) / PI; }
static real ref_atanpi(real x) { return atanl(x) / PI; }
static real ref_atan2pi(real y, real x) { return atan2l(y, x) / PI; }
static real ref_sinpi(real x) {
  real r = fmodl(fabsl(x), 2), s = r > 1 ? -1 : 1;
  r = r > 1 ? r - 1 : r;
  real v = r == 0 ? 0 : sinl(PI * (r > 0.5L ? 1 - r : r));
  return isinf(x) ? NAN : v == 0 ? copysignl(0, x) : (x < 0 ? -s : s) * v;
}
static real ref_cospi(real x) {
  real r = fmodl(fabsl(x), 2);
  r = r > 1 ? 2 - r : r;
  return isinf(x) ? NAN : r == 0.5L ? 0 : r > 0.5L ? -cosl(PI * (1 - r)) : cosl(PI * r);
}
static real ref_tanpi(real x) { return ref_sinpi(x) / ref_cospi(x); }
static real ref_fdim(real x, real y) { return fdiml(x, y); }
static real ref_maxmag(real x, real y) { return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y); }
static real ref_minmag(real x, real y) { return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y); }
static real ref_powr(real x, real y) {
  if (x < 0 || isnan(x) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
    return NAN;
  return powl(fabsl(x), y);
}
static real ref_pown(real x, real n) { return powl(x, n); }
static real ref_rootn(real x, real n) {
  bool odd = fmodl(n, 2) != 0;
  if (n == 0 || isnan(x) || (x < 0 && !odd))
    return NAN;
  real r = powl(fabsl(x), 1 / n);
  return odd ? copysignl(r, x) : r;
}
static real ref_ldexp(real x, real n) { return ldexpl(x, (int)n); }
static real ref_sign(real x) { return isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x; }
static real ref_degrees(real x) { return x * 180 / PI; }
static real ref_radians(real x) { return x * PI / 180; }

// ---- numbers to try ------------------------------------------------------------------------------------------------

static const double edges[] = {0.0,  -0.0,  1.0,  -1.0,   0.5,   -0.5,    1.5,   -1.5,   2.0,        -2.0,
                               2.5,  -2.5,  3.0,  -3.0,   0.25,  -0.75,   4.0,   100.0,  -101.0,     1e10,
                               -1e9, 1e-10, 1e-3, -1e-20, 1e-40, -1e-44,  1e-38, 1e38,   -3.4e38,    INFINITY,
                               NAN,  1e-45, 0.1,  -7.25,  65536, 8388609, 0.999, 1.0001, 16777216.0, -INFINITY};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t random_state = 88172645463325252u;
static double random_number(unsigned which) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  double u = (double)(random_state >> 11) / 9007199254740992.0; // [0, 1)
  switch (which % 4) {
  case 0:
    return u * 2 - 1;
  case 1:
    return u * 40 - 20;
  case 2:
    return ldexp(u * 2 - 1, (int)(random_state % 240) - 120);
  default:
    return u * 2000 - 1000;
  }
}

// Distance in units of the last place of the float or double nearest to the reference.
static double ulps(double got, real expected, bool is_double) {
  if (isnan(expected) || isnan(got))
    return isnan(expected) && isnan(got) ? 0 : INFINITY;
  double rounded = is_double ? (double)expected : (float)expected;
  if (got == rounded)
    return signbit(got) == signbit(rounded) || rounded != 0 || expected != 0 ? 0 : INFINITY; // exact zeros keep signs
  if (isinf(got) || isinf(rounded))
    return INFINITY;
  int exponent;
  frexp(rounded, &exponent);
  int digits = is_double ? DBL_MANT_DIG : FLT_MANT_DIG, least = is_double ? DBL_MIN_EXP : FLT_MIN_EXP;
  if (exponent < least || rounded == 0)
    exponent = least;
  return (double)(fabsl((real)got - expected) / ldexpl(1, exponent - digits));
}

// ---- functions of one or two numbers -------------------------------------------------------------------------------

struct function {
  const char *name;
  real (*one)(real);
  real (*two)(real, real);
  bool int_second;
  double ulps;
  bool any_zero; // the sign of a zero is not specified
};
static const struct function functions[] = {
    {"acospi", ref_acospi, .ulps = 5},
    {"asinpi", ref_asinpi, .ulps = 5},
    {"atanpi", ref_atanpi, .ulps = 5},
    {"atan2pi", .two = ref_atan2pi, .ulps = 6},
    {"sinpi", ref_sinpi, .ulps = 4},
    {"cospi", ref_cospi, .ulps = 4},
    {"tanpi", ref_tanpi, .ulps = 6},
    {"fdim", .two = ref_fdim, .ulps = 0.5},
    {"maxmag", .two = ref_maxmag, .any_zero = true},
    {"minmag", .two = ref_minmag, .any_zero = true},
    {"powr", .two = ref_powr, .ulps = 16},
    {"pown", .two = ref_pown, .int_second = true, .ulps = 16},
    {"rootn", .two = ref_rootn, .int_second = true, .ulps = 16},
    {"ldexp", .two = ref_ldexp, .int_second = true, .ulps = 0.5},
    {"sign", ref_sign},
    {"degrees", ref_degrees, .ulps = 2},
    {"radians", ref_radians, .ulps = 2},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const types[] = {"float", "float4", "double", "double2"};

static unsigned fill(bool is_double, bool int_second, double (*in)[2]) {
  unsigned count = 0;
  for (unsigned i = 0; i < EDGES; i++)
    for (unsigned k = 0; k < EDGES; k++, count++)
      in[count][0] = edges[i], in[count][1] = edges[k];
  while (count < MAX) {
    in[count][0] = random_number(count);
    in[count][1] = random_number(count / 4);
    count++;
  }
  for (unsigned i = 0; i < MAX; i++) {
    if (int_second) {
      double n = in[i][1];
      in[i][1] = isnan(n) ? 7 : n > 2147483647 ? 2147483647 : n < -2147483648.0 ? -2147483648.0 : trunc(n);
    }
    for (unsigned k = 0; k < 2 && !is_double; k++)
      in[i][k] = k && int_second ? in[i][k] : (float)in[i][k];
  }
  return MAX;
}

static void check(const struct function *f, const char *type) {
  bool is_double = type[0] == 'd';
  unsigned lanes = type[strlen(type) - 1] == '4' ? 4 : type[strlen(type) - 1] == '2' ? 2 : 1;
  static double in[MAX][2], out[MAX];
  fill(is_double, f->int_second, in);
  char source[1024], second[64] = "", n[4] = "";
  if (lanes > 1)
    snprintf(n, sizeof n, "%u", lanes);
  if (f->two)
    snprintf(second, sizeof second, ", convert_%s%s(y)", f->int_second ? "int" : is_double ? "double" : "float", n);
  snprintf(source, sizeof source,
           "typedef double%s D;\n"
           "kernel void k(global const double *in, global double *out) {\n"
           "  size_t i = get_global_id(0) * %u; D x, y;\n"
           "  double *px = (double *)&x, *py = (double *)&y;\n"
           "  for (int l = 0; l < %u; l++) { px[l] = in[(i + l) * 2]; py[l] = in[(i + l) * 2 + 1]; }\n"
           "  x = convert_double%s(%s(convert_%s(x)%s));\n"
           "  for (int l = 0; l < %u; l++) out[i + l] = px[l];\n"
           "}\n",
           n, lanes, lanes, n, f->name, type, second, lanes);
  struct lower_test t;
  lower_test_open(&t, source, NULL);
  lower_test_run(&t, "k", MAX / lanes, in, sizeof in, out, sizeof out);
  for (unsigned i = 0; i < MAX; i++) {
    real expected = f->two ? f->two(in[i][0], in[i][1]) : f->one(in[i][0]);
    double distance = ulps(out[i], expected, is_double);
    if (f->any_zero && out[i] == 0 && expected == 0)
      continue;
    cr_assert(distance <= f->ulps, "%s(%a, %a) of %s: %a instead of %La, %g ulps", f->name, in[i][0], in[i][1], type,
              out[i], expected, distance);
  }
  lower_test_close(&t);
}

Test(math, accuracy) {
  unsigned count = 0;
  for (unsigned i = 0; i < FUNCTIONS; i++)
    for (unsigned k = 0; k < 4; k++, count++)
      check(&functions[i], types[k]);
  cr_assert(count == 17 * 4, "%u cases", count);
}

// ---- functions with a second result --------------------------------------------------------------------------------

struct pair {
  double value, other;
};

static struct pair ref_frexp(double x, double y, bool is_double) {
  (void)y, (void)is_double;
  int e = 0;
  double m = frexp(x, &e);
  return (struct pair){m, isfinite(x) ? e : 0};
}
static struct pair ref_modf(double x, double y, bool is_double) {
  (void)y, (void)is_double;
  double whole, part = modf(x, &whole);
  return (struct pair){part, whole};
}
static struct pair ref_fract(double x, double y, bool is_double) {
  (void)y;
  double f = floor(x), top = is_double ? 0x1.fffffffffffffp-1 : 0x1.fffffep-1;
  double r = is_double ? x - f : (float)((float)x - (float)f);
  if (isinf(x))
    return (struct pair){copysign(0, x), x};
  return (struct pair){isnan(x) ? x : x == 0 ? x : fmin(r, top), f};
}
static struct pair ref_remquo(double x, double y, bool is_double) {
  (void)is_double;
  int q = 0;
  double r = remquo(x, y, &q);
  if (isnan(r))
    return (struct pair){r, 0};
  // at least the low three bits, which is what the C library promises
  return (struct pair){r, copysign(abs(q) & 7, (double)q)};
}
static struct pair ref_lgamma_r(double x, double y, bool is_double) {
  (void)y, (void)is_double;
  int s = 1;
  double r = lgamma_r(x, &s);
  bool whole = x < 0 && floor(x) == x;
  return (struct pair){r, whole || isnan(x) ? 1 : s};
}
static struct pair ref_sincos(double x, double y, bool is_double) {
  (void)y, (void)is_double;
  return (struct pair){sin(x), cos(x)};
}

static const struct {
  const char *name, *call;
  struct pair (*reference)(double, double, bool);
  bool int_other;
  double ulps;
} pairs[] = {
    {"frexp", "frexp(x, &n)", ref_frexp, true, 0},          {"modf", "modf(x, &p)", ref_modf, false, 0},
    {"fract", "fract(x, &p)", ref_fract, false, 0},         {"remquo", "remquo(x, y, &n)", ref_remquo, true, 0},
    {"lgamma_r", "lgamma_r(x, &n)", ref_lgamma_r, true, 8}, {"sincos", "sincos(x, &p)", ref_sincos, false, 4},
};

static void check_pair(unsigned k, const char *type) {
  bool is_double = type[0] == 'd', is_remquo = strcmp(pairs[k].name, "remquo") == 0;
  static double in[MAX][2], out[MAX][2];
  fill(is_double, false, in);
  char source[1024];
  snprintf(source, sizeof source,
           "kernel void k(global const double *in, global double *out) {\n"
           "  size_t i = get_global_id(0); %s x = in[i * 2], y = in[i * 2 + 1], p = 0; int n = 0;\n"
           "  out[i * 2] = %s;\n"
           "  out[i * 2 + 1] = %s;\n"
           "}\n",
           type, pairs[k].call,
           is_remquo            ? "n < 0 ? -(-n & 7) : n & 7"
           : pairs[k].int_other ? "n"
                                : "p");
  struct lower_test t;
  lower_test_open(&t, source, NULL);
  lower_test_run(&t, "k", MAX, in, sizeof in, out, sizeof out);
  for (unsigned i = 0; i < MAX; i++) {
    struct pair expected = pairs[k].reference(in[i][0], in[i][1], is_double);
    double first = ulps(out[i][0], (real)expected.value, is_double);
    double second = pairs[k].int_other ? out[i][1] != expected.other : ulps(out[i][1], (real)expected.other, is_double);
    bool near_zero = fabs(expected.value) < 1e-3 && strcmp(pairs[k].name, "lgamma_r") == 0;
    cr_assert((first <= pairs[k].ulps || near_zero) && second <= pairs[k].ulps,
              "%s(%a, %a) of %s: %a, %g instead of %a, %g", pairs[k].name, in[i][0], in[i][1], type, out[i][0],
              out[i][1], expected.value, expected.other);
  }
  lower_test_close(&t);
}

Test(math, second_results) {
  unsigned count = 0;
  for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++, count++) {
    check_pair(k, "float");
    check_pair(k, "double");
  }
  cr_assert(count == 6, "%u cases", count);
}

// ---- single results ------------------------------------------------------------------------------------------------

static const struct {
  const char *expression;
  double expected;
} exact[] = {
    {"ilogb(8.0f)", 3},
    {"ilogb(0.0f)", -2147483648.0},
    {"ilogb(-INFINITY)", 2147483647.0},
    {"ilogb(NAN)", 2147483647.0},
    {"ilogb(0x1p-140f)", -140},
    {"ilogb(0x1p-1060)", -1060},
    {"as_int(nan(5u))", 0x7fc00005},
    {"as_long(nan(5ul)) == 0x7ff8000000000005l", 1},
    {"length((float4)(1e30f, 1e30f, 1e30f, 1e30f)) == 2e30f", 1},
    {"length((float2)(3e-30f, 4e-30f)) > 4.9999e-30f", 1},
    {"length((float3)(3.f, 4.f, 12.f))", 13},
    {"length(-3.0f)", 3},
    {"length((double2)(3e300, 4e300)) == 5e300", 1},
    {"distance((float2)(1.f, 2.f), (float2)(4.f, 6.f))", 5},
    {"normalize((float2)(0.f, 0.f)).x", 0},
    {"normalize((float2)(INFINITY, 1.f)).x", 1},
    {"normalize((float2)(3e30f, 4e30f)).x > 0.59999f", 1},
    {"normalize((float2)(3e-30f, 4e-30f)).y > 0.79999f", 1},
    {"normalize(-7.0f)", -1},
    {"fast_length((float2)(3.f, 4.f))", 5},
    {"dot((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8))", 70},
    {"cross((float3)(1, 0, 0), (float3)(0, 1, 0)).z", 1},
    {"cross((float4)(0, 1, 0, 9), (float4)(0, 0, 1, 9)).w", 0},
    {"step(0.5f, 0.5f)", 1},
    {"step(0.5f, (float2)(0.4f, 0.6f)).x", 0},
    {"smoothstep(0.0f, 2.0f, 1.0f)", 0.5},
    {"mix(1.0f, 3.0f, 0.25f)", 1.5},
    {"clamp(7, 0, 5)", 5},
    {"mad_sat((int)2147483647, 2, 5)", 2147483647},
    {"mad_sat((int)-2147483648, 2, 5)", -2147483648.0},
    {"mad_sat((int)1000, 1000, -2000000)", -1000000},
    {"mad_sat((char)100, (char)2, (char)-80)", 120},
    {"mad_sat((char)100, (char)2, (char)-70)", 127},
    {"mad_sat((uchar)200, (uchar)2, (uchar)3)", 255},
    {"mad_sat((uint)65536, 65535u, 65535u)", 4294967295.0},
    {"mad_sat((uint)65536, 65536u, 0u)", 4294967295.0},
    {"mad_sat((long)1 << 62, 2l, -1l) == 0x7fffffffffffffffl", 1},
    {"mad_sat((short4)(30000), (short4)(2), (short4)(-30000)).z", 30000},
    {"mad_sat((short4)(-30000), (short4)(2), (short4)(-30000)).z", -32768},
    {"mad_hi(0x40000000, 8, 5)", 7},
    {"hadd((uchar)255, (uchar)254)", 254},
    {"rhadd((uchar)255, (uchar)254)", 255},
    {"hadd((int)-3, (int)0)", -2},
    {"rhadd((int)-3, (int)0)", -1},
    {"hadd((long)0x7fffffffffffffff, (long)0x7fffffffffffffff) == 0x7fffffffffffffffl", 1},
    {"abs((char)-128)", 128},
    {"abs_diff((char)-128, (char)127)", 255},
    {"abs_diff(3u, 5u)", 2},
    {"add_sat((char)100, (char)100)", 127},
    {"sub_sat(3u, 5u)", 0},
    {"mul_hi((ushort)65535, (ushort)65535)", 65534},
    {"upsample((char)-1, (uchar)2)", -254},
    {"upsample((uint)1, (uint)2) == 0x100000002ul", 1},
    {"rotate(0x80000001u, 4u)", 24},
    {"rotate((uchar)0x81, (uchar)9)", 3},
    {"clz((uchar)1)", 7},
    {"ctz(0)", 32},
    {"popcount((short)-1)", 16},
    {"mad24(-3, 4, 5)", -7},
    {"isinf(-INFINITY)", 1},
    {"isnan((float4)(NAN)).w", -1},
    {"isnormal(1e-40f)", 0},
    {"isnormal((double)1e-40)", 1},
    {"isfinite(NAN)", 0},
    {"signbit(-0.0f)", 1},
    {"isunordered(1.0f, NAN)", 1},
    {"islessgreater(1.0, 2.0)", 1},
    {"any((int2)(0, -5))", 1},
    {"any((int2)(0, 5))", 0},
    {"all((char2)(-1, -2))", 1},
    {"bitselect((uchar)0xf0, (uchar)0x0f, (uchar)0x3c)", 0xcc},
    {"bitselect(1.0f, -2.0f, as_float(0x80000000))", -1},
    {"select(1, 2, 4)", 2},
    {"select((int2)(1, 1), (int2)(2, 2), (int2)(4, -4)).x", 1},
    {"convert_uchar_sat(-5)", 0},
    {"convert_uchar_sat(300.7f)", 255},
    {"convert_char_sat(200u)", 127},
    {"convert_int_rte(2.5f)", 2},
    {"convert_int_rtp(2.1f)", 3},
    {"convert_int_rtn(-2.1f)", -3},
    {"convert_int(-2.9f)", -2},
    {"convert_uint_sat(-3l)", 0},
    {"convert_int_sat(5000000000l)", 2147483647},
    {"convert_short_sat((uint)4000000000u)", 32767},
    {"convert_ulong_sat((char)-1) == 0", 1},
    {"convert_float_rtz(16777217)", 16777216},
    {"convert_float_rtp(16777217)", 16777218},
    {"convert_char2((float2)(3.9f, -3.9f)).y", -3},
    {"shuffle((int4)(10, 20, 30, 40), (uint2)(7, 1)).x", 40},
    {"shuffle2((int2)(10, 20), (int2)(30, 40), (uint4)(3, 0, 2, 5)).w", 20},
    {"as_int(as_float3((int4)(1, 2, 3, 4)).z)", 3},
    {"amd_bitalign(0x12345678u, 0x9abcdef0u, 8u) == 0x789abcdeu", 1},
    {"amd_bytealign(0x12345678u, 0x9abcdef0u, 3u) == 0x3456789au", 1},
    {"amd_bfe(0xabcd1234u, 8u, 8u)", 0x12},
    {"amd_bfe(0x80, 4, 4)", -8},
    {"get_global_size(7)", 1},
    {"get_local_id(3)", 0},
    {"get_global_id(get_work_dim() + 2u)", 0},
    {"get_num_groups(get_work_dim() + 5u)", 1},
};

Test(math, exact_results) {
  unsigned count = 0;
  static char source[32768];
  size_t size = (size_t)snprintf(source, sizeof source, "kernel void k(global double *o) {\n");
  for (unsigned i = 0; i < sizeof exact / sizeof *exact; i++)
    size += (size_t)snprintf(source + size, sizeof source - size, "  o[%u] = %s;\n", i, exact[i].expression);
  snprintf(source + size, sizeof source - size, "}\n");
  double out[sizeof exact / sizeof *exact] = {0};
  struct lower_test t;
  lower_test_open(&t, source, "-cl-std=CL2.0"); // ctz
  lower_test_run(&t, "k", 1, NULL, 0, out, sizeof out);
  for (unsigned i = 0; i < sizeof exact / sizeof *exact; i++, count++)
    cr_assert(out[i] == exact[i].expected, "%s: %.17g instead of %.17g", exact[i].expression, out[i],
              exact[i].expected);
  cr_assert(count == 99, "%u cases", count);
  lower_test_close(&t);
}
