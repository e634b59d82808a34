// Casts, conversions and operators on floats, of constants and of values from memory, at the edges of each type and in
// each rounding mode. What they give is computed here: in doubles and in integers of 128 bits, in which it is exact,
// and rounded from there to a grid of the result's precision. Conversions of what is out of range saturate.
#include "tests/unit/lower_test.h"

#include <math.h>

#include "base/str.h"

enum class { SIGNED, UNSIGNED, BOOL, FLOAT };

struct type {
  const char *name, *bits_in; // bits_in: the integer that has them, of a float
  unsigned bits;
  enum class class;
  int digits, min_exponent; // of a float: of its mantissa, of the smallest subnormal number
};
static const struct type types[] = {
    {"char", NULL, 8, SIGNED},
    {"uchar", NULL, 8, UNSIGNED},
    {"short", NULL, 16, SIGNED},
    {"ushort", NULL, 16, UNSIGNED},
    {"int", NULL, 32, SIGNED},
    {"uint", NULL, 32, UNSIGNED},
    {"long", NULL, 64, SIGNED},
    {"ulong", NULL, 64, UNSIGNED},
    {"half", "ushort", 16, FLOAT, 11, -24},
    {"float", "uint", 32, FLOAT, 24, -149},
    {"double", "ulong", 64, FLOAT, 53, -1074},
    {"bool", NULL, 1, BOOL},
};
enum { INTS = 8, HALF = 8, SINGLE = 9, DOUBLE = 10, TYPES = 12 };

enum mode { TO_EVEN, TO_ZERO, UP, DOWN, DEFAULT };
static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn", ""};

// A number: exact, as a double or as an integer.
struct number {
  double real;
  __int128 whole;
  bool is_whole;
};

// ---- bits -----------------------------------------------------------------------------------------------------------

static uint64_t encode(const struct type *t, double value) { // value is one of the type
  float single = (float)value;
  uint64_t bits = 0;
  if (value != value)
    return t->bits == 16 ? 0x7e00 : t->bits == 32 ? 0x7fc00000 : 0x7ff8000000000000;
  if (t->bits == 64) {
    memcpy(&bits, &value, 8);
  } else if (t->bits == 32) {
    memcpy(&bits, &single, 4);
  } else { // the mantissa below the exponent, with the leading bit carried into it
    double a = fabs(value);
    int e = a ? ilogb(a) : -15;
    bits = isinf(a)      ? 0x7c00
           : a < 0x1p-14 ? (uint64_t)ldexp(a, 24)
                         : (uint64_t)(e + 14) * 1024 + (uint64_t)ldexp(a, 10 - e);
    bits |= signbit(value) ? 0x8000 : 0;
  }
  return bits;
}

static double largest(const struct type *t) {
  return t->bits == 16 ? 65504 : t->bits == 32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
}

// ---- rounding -------------------------------------------------------------------------------------------------------

// A whole number of steps, where twice the rest (0, 1 or 2 for less than, just and more than a half) is given.
static bool rounds_away(enum mode mode, bool negative, bool odd, bool any, int half) {
  switch (mode) {
  case TO_ZERO:
    return false;
  case UP:
    return any && !negative;
  case DOWN:
    return any && negative;
  case TO_EVEN:
  case DEFAULT:
    break;
  }
  return half > 0 || (half == 0 && odd);
}

static double real_to_whole(double x, enum mode mode) {
  double a = fabs(x), low = floor(a), rest = a - low;
  bool away = rounds_away(mode, x<0, fmod(low, 2) == 1, rest> 0, rest < 0.5 ? -1 : rest > 0.5);
  return copysign(low + away, x);
}

static double real_to_real(const struct type *t, double x, enum mode mode) {
  if (x == 0 || isinf(x) || isnan(x))
    return x;
  int e = ilogb(x) - t->digits + 1;
  e = e < t->min_exponent ? t->min_exponent : e;
  double rounded = t->bits == 64 ? x : ldexp(real_to_whole(ldexp(x, -e), mode), e);
  if (fabs(rounded) <= largest(t))
    return rounded;
  bool stays = mode == TO_ZERO || (mode == UP && x < 0) || (mode == DOWN && x > 0);
  return copysign(stays ? largest(t) : (double)INFINITY, x);
}

static double whole_to_real(const struct type *t, __int128 x, enum mode mode) {
  unsigned __int128 a = x < 0 ? -(unsigned __int128)x : (unsigned __int128)x;
  int drop = 0;
  while (a >> drop >> t->digits)
    drop++;
  unsigned __int128 low = a >> drop, rest = a - (low << drop), half = drop ? (unsigned __int128)1 << (drop - 1) : 0;
  bool away = drop && rounds_away(mode, x<0, low & 1, rest> 0, rest < half ? -1 : rest > half);
  double value = ldexp((double)(low + away), drop);
  return real_to_real(t, x < 0 ? -value : value, mode); // of a half: to infinity or the largest number
}

// What a conversion gives. wraps: an integer is taken modulo the width, as by a cast and by convert_ without _sat.
static uint64_t convert(const struct type *t, struct number n, enum mode mode, bool wraps) {
  if (t->class == FLOAT)
    return encode(t, n.is_whole ? whole_to_real(t, n.whole, mode) : real_to_real(t, n.real, mode));
  if (t->class == BOOL)
    return n.is_whole ? n.whole != 0 : n.real != 0;
  uint64_t ones = t->bits == 64 ? UINT64_MAX : ((uint64_t)1 << t->bits) - 1;
  if (n.is_whole && wraps)
    return (uint64_t)n.whole & ones;
  __int128 max = t->class == SIGNED ? ones / 2 : ones, min = t->class == SIGNED ? -max - 1 : 0;
  if (!n.is_whole) {
    if (n.real != n.real)
      return 0;
    double whole = real_to_whole(n.real, mode);
    n.whole = whole >= 0x1p100 ? max : whole <= -0x1p100 ? min : (__int128)whole;
  }
  return (uint64_t)(n.whole > max ? max : n.whole < min ? min : n.whole) & ones;
}

// ---- numbers at the edges -------------------------------------------------------------------------------------------

static const double reals[] = {0,
                               1,
                               0.5,
                               1.5,
                               2.5,
                               0.49999999999999994,
                               3.75,
                               127.5,
                               128,
                               128.5,
                               129,
                               255.5,
                               256,
                               32767.5,
                               65504,
                               65519.9,
                               65520,
                               65535.5,
                               2147483647,
                               2147483647.5,
                               2147483648,
                               4294967295,
                               4294967295.5,
                               4294967296,
                               0x1.fffffep30,
                               0x1.fffffffffffffp62,
                               0x1p63,
                               0x1.fffffffffffffp63,
                               0x1p64,
                               1e30,
                               16777217,
                               0x1.000001p0,
                               0x1.0000010000001p0,
                               0x1.001p0,
                               0x1.0018p0,
                               0x1p-14,
                               0x1.ffcp-15,
                               0x1.8p-15,
                               0x1.54p-18,
                               0x1p-24,
                               0x1p-25,
                               0x1.8p-25,
                               0x1p-126,
                               0x1p-149,
                               0x1p-150,
                               0x1.8p-150,
                               0x1.fffffep127,
                               0x1.ffffffp127,
                               0x1p-1022,
                               0x1p-1074,
                               0x1.fffffffffffffp1023,
                               INFINITY,
                               NAN};
enum { REALS = sizeof reals / sizeof *reals };

static const int64_t wholes[] = {0,
                                 1,
                                 -1,
                                 127,
                                 128,
                                 -128,
                                 -129,
                                 255,
                                 32767,
                                 -32768,
                                 65519,
                                 65520,
                                 65535,
                                 2049,
                                 2051,
                                 16777217,
                                 16777219,
                                 INT32_MAX,
                                 INT32_MIN,
                                 UINT32_MAX,
                                 0x7fffff4000000000,
                                 0x7fffffc000000000,
                                 0x0020000000000001,
                                 0x0020000000000003,
                                 INT64_MAX,
                                 INT64_MIN,
                                 INT64_MIN + 1,
                                 0x4000004000000001,
                                 0x400000bfffffffff,
                                 (int64_t)0x8000008000000001,
                                 -2,
                                 (int64_t)0xfffffbffffffffff,
                                 (int64_t)0xfffffffffffffbff,
                                 (int64_t)0xffffff8000000000};
enum { WHOLES = sizeof wholes / sizeof *wholes };

// The bits of edge number k of a type, and which number that is. False: there are no more.
static bool edge(const struct type *t, unsigned k, uint64_t *bits, struct number *n) {
  *n = (struct number){.is_whole = t->class != FLOAT};
  if (t->class == FLOAT) {
    if (k >= 2 * REALS)
      return false;
    n->real = real_to_real(t, k & 1 ? -reals[k / 2] : reals[k / 2], TO_EVEN);
    *bits = encode(t, n->real);
    return true;
  }
  if (k >= WHOLES || t->class == BOOL)
    return false;
  uint64_t unused = 64 - t->bits, value = (uint64_t)wholes[k] << unused;
  *bits = value >> unused;
  n->whole = t->class == SIGNED ? (__int128)((int64_t)value >> unused) : (__int128)*bits;
  return true;
}

// ---- cases ----------------------------------------------------------------------------------------------------------

enum { PART = 1500 };

struct one {
  char before[40], after[40]; // around the operands
  const struct type *from, *to;
  unsigned operands;
  uint64_t bits[2], expect;
};
static struct one cases[PART];
static unsigned case_count;
static unsigned long total;

// The float of these bits, or an integer. input: of the buffer; -1: a constant, in a way that initialisers may have.
static void write_operand(struct kiln_strbuf *out, const struct one *c, unsigned k, int input) {
  const struct type *t = c->from;
  if (t->bits_in)
    kiln_strbuf_printf(out, input >= 0 ? "as_%s((%s)" : "__builtin_bit_cast(%s, (%s)", t->name, t->bits_in);
  else
    kiln_strbuf_printf(out, "(%s)", t->name);
  if (input >= 0)
    kiln_strbuf_printf(out, "in[%d]", input);
  else
    kiln_strbuf_printf(out, "0x%llxUL", (unsigned long long)c->bits[k]);
  kiln_strbuf_printf(out, t->bits_in ? ")" : "");
}

static void write_case(struct kiln_strbuf *out, unsigned i, bool constant) {
  const struct one *c = &cases[i];
  if (c->to->bits_in)
    kiln_strbuf_printf(out, "__builtin_bit_cast(%s, %s", c->to->bits_in, c->before);
  else
    kiln_strbuf_printf(out, "(ulong)(%s", c->before);
  for (unsigned k = 0; k < c->operands; k++) {
    kiln_strbuf_printf(out, "%s(", k ? c->after : "");
    write_operand(out, c, k, constant ? -1 : (int)(2 * i + k));
    kiln_strbuf_printf(out, ")");
  }
  kiln_strbuf_printf(out, "%s)", c->operands == 1 ? c->after : "");
}

enum place { IN_FUNCTION, IN_INITIALISER, FROM_MEMORY, PLACES };

static void run_place(enum place place) {
  static const char *const names[] = {"in a function", "in an initialiser", "from memory"};
  struct kiln_strbuf source = {0};
  uint64_t in[2 * PART], out[PART] = {0};
  kiln_strbuf_printf(&source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n%s\n",
                     place == IN_INITIALISER ? "constant ulong t[] = {"
                                             : "kernel void k(global ulong *in, global ulong *out) {");
  for (unsigned i = 0; i < case_count; i++) {
    in[2 * i] = cases[i].bits[0];
    in[2 * i + 1] = cases[i].bits[1];
    if (place != IN_INITIALISER)
      kiln_strbuf_printf(&source, "out[%u] = ", i);
    write_case(&source, i, place != FROM_MEMORY);
    kiln_strbuf_printf(&source, place == IN_INITIALISER ? ",\n" : ";\n");
  }
  if (place == IN_INITIALISER)
    kiln_strbuf_printf(&source,
                       "};\nkernel void k(global ulong *in, global ulong *out) {\n"
                       "for (int i = 0; i < %u; i++) out[i] = t[i];\n",
                       case_count);
  kiln_strbuf_printf(&source, "}\n");
  struct lower_test test;
  lower_test_open(&test, source.data, "-w");
  lower_test_run(&test, "k", 1, in, sizeof in, out, sizeof out);
  for (unsigned i = 0; i < case_count; i++) {
    uint64_t got = out[i] & (cases[i].to->bits == 64 ? UINT64_MAX : ((uint64_t)1 << cases[i].to->bits) - 1);
    cr_assert_eq(got, cases[i].expect, "%s: %s (%s)0x%llx%s 0x%llx gives the %s 0x%llx, not 0x%llx", names[place],
                 cases[i].before, cases[i].from->name, (unsigned long long)cases[i].bits[0], cases[i].after,
                 (unsigned long long)cases[i].bits[1], cases[i].to->name, (unsigned long long)got,
                 (unsigned long long)cases[i].expect);
  }
  lower_test_close(&test);
  kiln_strbuf_free(&source);
}

static void run_cases(void) {
  for (unsigned place = 0; place < PLACES && case_count; place++)
    if (place != IN_INITIALISER || !strchr(cases[0].before, '_')) // which calls no function
      run_place((enum place)place);
  total += case_count;
  case_count = 0;
}

static struct one *new_case(const struct type *from, const struct type *to, unsigned operands) {
  if (case_count == PART)
    run_cases();
  struct one *c = &cases[case_count++];
  *c = (struct one){.from = from, .to = to, .operands = operands};
  return c;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

Test(lang_fold_floats, casts, .timeout = 120) {
  for (unsigned from = 0; from < TYPES; from++)
    for (unsigned to = 0; to < TYPES; to++) {
      struct number n;
      uint64_t bits;
      for (unsigned k = 0; edge(&types[from], k, &bits, &n); k++) {
        struct one *c = new_case(&types[from], &types[to], 1);
        snprintf(c->before, sizeof c->before, "(%s)", types[to].name);
        c->bits[0] = bits;
        c->expect = convert(&types[to], n, types[to].class == FLOAT ? TO_EVEN : TO_ZERO, true);
      }
    }
  run_cases();
  cr_assert_gt(total, 5000, "%lu", total);
}

Test(lang_fold_floats, conversions, .timeout = 120) {
  for (unsigned from = 0; from < DOUBLE + 1; from++)
    for (unsigned to = 0; to < DOUBLE + 1; to++)
      for (unsigned mode = TO_EVEN; mode <= DEFAULT; mode++) {
        struct number n;
        uint64_t bits;
        bool to_float = types[to].class == FLOAT, sat = !to_float && (types[from].class == FLOAT || mode % 2 == 0);
        if (from < INTS && to < INTS && mode < UP)
          continue;
        for (unsigned k = mode & 1; edge(&types[from], k, &bits, &n); k += from < INTS || to_float ? 1 : 2) {
          struct one *c = new_case(&types[from], &types[to], 1);
          snprintf(c->before, sizeof c->before, "convert_%s%s%s(", types[to].name, sat ? "_sat" : "", modes[mode]);
          snprintf(c->after, sizeof c->after, ")");
          c->bits[0] = bits;
          c->expect = convert(&types[to], n, mode == DEFAULT && !to_float ? TO_ZERO : (enum mode)mode, !sat);
        }
      }
  run_cases();
  cr_assert_gt(total, 10000, "%lu", total);
}

// The operators of C, in float and double as C computes them.
static uint64_t operate(const struct type *t, unsigned op, double x, double y) {
  float a = (float)x, b = (float)y;
  const bool truths[] = {x == y, x != y, x<y, x> y, x <= y, x >= y, x && y, x || y};
  const float singles[] = {a + b, a - b, a * b, a / b};
  const double doubles[] = {x + y, x - y, x * y, x / y};
  return op >= 4 ? truths[op - 4] : encode(t, t->bits == 64 ? doubles[op] : (double)singles[op]);
}

Test(lang_fold_floats, operators, .timeout = 120) {
  static const char *const operators[] = {"+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">=", "&&", "||"};
  for (unsigned t = SINGLE; t <= DOUBLE; t++)
    for (unsigned op = 0; op < 12; op++)
      for (unsigned i = 0; i < 2 * REALS * 2 * REALS; i += i % 2 ? 22 : 15) {
        struct number x, y;
        uint64_t bits[2];
        edge(&types[t], i % (2 * REALS), &bits[0], &x);
        edge(&types[t], i / (2 * REALS), &bits[1], &y);
        struct one *c = new_case(&types[t], op < 4 ? &types[t] : &types[4], 2);
        snprintf(c->after, sizeof c->after, "%s", operators[op]);
        memcpy(c->bits, bits, sizeof bits);
        c->expect = operate(&types[t], op, x.real, y.real);
      }
  for (unsigned t = HALF; t <= DOUBLE; t++)
    for (unsigned k = 0; k < 2 * REALS - 2; k++) { // a sign, of what is no NaN; a negation
      struct number x;
      uint64_t bits;
      edge(&types[t], k, &bits, &x);
      struct one *c = new_case(&types[t], &types[t], 1);
      snprintf(c->before, sizeof c->before, "-");
      c->bits[0] = bits;
      c->expect = bits ^ (uint64_t)1 << (types[t].bits - 1);
      c = new_case(&types[t], &types[4], 1);
      snprintf(c->before, sizeof c->before, "!");
      c->bits[0] = bits;
      c->expect = x.real == 0;
    }
  run_cases();
  cr_assert_gt(total, 5000, "%lu", total);
}

// What is computed of constants is rounded at each step.
Test(lang_fold_floats, each_step, .timeout = 120) {
  static const struct {
    const char *text;
    unsigned by, to;
  } ways[] = {{"(double)(float)", SINGLE, DOUBLE}, {"(double)(half)", HALF, DOUBLE}, {"(float)(half)", HALF, SINGLE}};
  for (unsigned way = 0; way < 3; way++)
    for (unsigned from = ways[way].to; from <= DOUBLE; from++) {
      struct number x;
      uint64_t bits;
      for (unsigned k = 0; edge(&types[from], k, &bits, &x); k++) {
        struct one *c = new_case(&types[from], &types[ways[way].to], 1);
        snprintf(c->before, sizeof c->before, "%s", ways[way].text);
        c->bits[0] = bits;
        c->expect = encode(&types[ways[way].to], real_to_real(&types[ways[way].by], x.real, TO_EVEN));
      }
    }
  for (unsigned i = 0; i < 2 * REALS * 2 * REALS; i += 7) {
    struct number x, y;
    struct one *c = new_case(&types[SINGLE], &types[SINGLE], 2);
    edge(&types[SINGLE], i % (2 * REALS), &c->bits[0], &x);
    edge(&types[SINGLE], i / (2 * REALS), &c->bits[1], &y);
    snprintf(c->before, sizeof c->before, "0.1f - ");
    snprintf(c->after, sizeof c->after, " - ");
    volatile float difference = 0.1f - (float)x.real;
    c->expect = encode(&types[SINGLE], difference - (float)y.real);
  }
  run_cases();
}
