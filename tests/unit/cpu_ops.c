// Every pure operation on every type it takes, on special and random values: the code of each CPU target gives the
// bits that the interpreter gives (any NaN for a NaN).
#include "base/str.h"
#include "cpu_test.h"

#define COUNT 512 // work-items: one set of operands each

struct row {
  const char *name;   // with a rounding mode
  const char *result; // NULL: the type of the operands
  const char *from;   // kinds: letters i (integers), f (floats), or one type
  unsigned operands;
};

static const char *const int_types[] = {"i8", "i16", "i32", "i64"};
static const char *const float_types[] = {"f16", "f32", "f64"};

static unsigned bytes_of(const char *type) { return (unsigned)atoi(type + 1) / 8; }

static uint64_t special(const char *type, uint64_t *state) {
  static const double floats[] = {
      0.0,    -0.0,  1.0,     -1.0,    0.5,     1.5,          2.5,          -2.5,          3.0,          1e-3,
      -7.25,  100.0, 65504.0, 65520.0, 70000.0, 2147483647.0, 2147483648.0, -2147483649.0, 4294967296.0, 9.3e18,
      1.9e19, 1e-7,  6e-8,    1e-40,   3e38,    1e300,        INFINITY,     -INFINITY,     NAN};
  static const uint64_t ints[] = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  8,
                                  31,
                                  32,
                                  63,
                                  64,
                                  100,
                                  127,
                                  128,
                                  255,
                                  0x7fff,
                                  0x8000,
                                  0xffff,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  UINT64_MAX,
                                  UINT64_MAX - 1,
                                  UINT64_MAX - 6};
  uint64_t r = next_random(state);
  if (type[0] == 'i')
    return r % 3 ? ints[next_random(state) % (sizeof ints / sizeof *ints)] : next_random(state);
  if (r % 4 == 0) // any bits
    return next_random(state);
  double value = floats[next_random(state) % (sizeof floats / sizeof *floats)];
  if (r % 4 == 1)
    value = ldexp((double)(int64_t)next_random(state), -50 - (int)(next_random(state) % 16));
  uint64_t bits = 0;
  if (type[1] == '6') {
    memcpy(&bits, &value, 8);
  } else if (type[1] == '3') {
    float single = (float)value;
    memcpy(&bits, &single, 4);
  } else { // f16: bits at random, half of them of small exponents
    bits = next_random(state) & (r & 16 ? 0xffff : 0xbfff);
  }
  return bits;
}

static bool is_nan(const char *type, uint64_t bits) {
  if (type[0] != 'f')
    return false;
  if (type[1] == '1')
    return (bits & 0x7fff) > 0x7c00;
  return type[1] == '3' ? (bits & 0x7fffffff) > 0x7f800000 : (bits & INT64_MAX) > 0x7ff0000000000000;
}

static const struct row rows[] = {
    {"iadd", NULL, "i", 2},      {"isub", NULL, "i", 2},      {"imul", NULL, "i", 2},      {"sdiv", NULL, "i", 2},
    {"udiv", NULL, "i", 2},      {"srem", NULL, "i", 2},      {"urem", NULL, "i", 2},      {"smul_hi", NULL, "i", 2},
    {"umul_hi", NULL, "i", 2},   {"sadd_sat", NULL, "i", 2},  {"uadd_sat", NULL, "i", 2},  {"ssub_sat", NULL, "i", 2},
    {"usub_sat", NULL, "i", 2},  {"smin", NULL, "i", 2},      {"smax", NULL, "i", 2},      {"umin", NULL, "i", 2},
    {"umax", NULL, "i", 2},      {"and", NULL, "i", 2},       {"or", NULL, "i", 2},        {"xor", NULL, "i", 2},
    {"shl", NULL, "i", 2},       {"lshr", NULL, "i", 2},      {"ashr", NULL, "i", 2},      {"rotl", NULL, "i", 2},
    {"clz", NULL, "i", 1},       {"ctz", NULL, "i", 1},       {"popcount", NULL, "i", 1},  {"fadd", NULL, "f", 2},
    {"fsub", NULL, "f", 2},      {"fmul", NULL, "f", 2},      {"fdiv", NULL, "f", 2},      {"frem", NULL, "f", 2},
    {"fneg", NULL, "f", 1},      {"fabs", NULL, "f", 1},      {"fma", NULL, "f", 3},       {"fmin", NULL, "f", 2},
    {"fmax", NULL, "f", 2},      {"copysign", NULL, "f", 2},  {"sqrt", NULL, "f", 1},      {"floor", NULL, "f", 1},
    {"ceil", NULL, "f", 1},      {"truncf", NULL, "f", 1},    {"rint", NULL, "f", 1},      {"round", NULL, "f", 1},
    {"rsqrt", NULL, "f", 1},     {"cbrt", NULL, "f", 1},      {"sin", NULL, "f", 1},       {"cos", NULL, "f", 1},
    {"tan", NULL, "f", 1},       {"asin", NULL, "f", 1},      {"acos", NULL, "f", 1},      {"atan", NULL, "f", 1},
    {"atan2", NULL, "f", 2},     {"sinh", NULL, "f", 1},      {"cosh", NULL, "f", 1},      {"tanh", NULL, "f", 1},
    {"asinh", NULL, "f", 1},     {"acosh", NULL, "f", 1},     {"atanh", NULL, "f", 1},     {"exp", NULL, "f", 1},
    {"exp2", NULL, "f", 1},      {"exp10", NULL, "f", 1},     {"expm1", NULL, "f", 1},     {"log", NULL, "f", 1},
    {"log2", NULL, "f", 1},      {"log10", NULL, "f", 1},     {"log1p", NULL, "f", 1},     {"pow", NULL, "f", 2},
    {"hypot", NULL, "f", 2},     {"erf", NULL, "f", 1},       {"erfc", NULL, "f", 1},      {"tgamma", NULL, "f", 1},
    {"lgamma", NULL, "f", 1},    {"remainder", NULL, "f", 2}, {"nextafter", NULL, "f", 2}, {"logb", NULL, "f", 1},
    {"eq", "i32", "i", 2},       {"ne", "bool", "i", 2},      {"slt", "bool", "i", 2},     {"sle", "bool", "i", 2},
    {"ult", "bool", "i", 2},     {"ule", "bool", "i", 2},     {"feq", "bool", "f", 2},     {"fne", "bool", "f", 2},
    {"flt", "bool", "f", 2},     {"fle", "bool", "f", 2},     {"dot4.uu", NULL, "i32", 3}, {"dot4.us", NULL, "i32", 3},
    {"dot4.su", NULL, "i32", 3}, {"dot4.ss", NULL, "i32", 3},
};

static const char *const conversions[] = {"ftos", "ftou", "stof", "utof", "ftof"};
static const char *const modes[] = {"rte", "rtz", "rtp", "rtn"};

struct test_case {
  char name[64], op[32], from[8], to[8]; // to: in memory
  bool is_bool;
  unsigned operands, lanes;
};

static struct test_case cases[2000];
static unsigned case_count;

static void add_case(const char *op, const char *from, const char *to, bool is_bool, unsigned operands,
                     unsigned lanes) {
  struct test_case *c = &cases[case_count];
  snprintf(c->name, sizeof c->name, "k%u", case_count++);
  snprintf(c->op, sizeof c->op, "%s", op);
  snprintf(c->from, sizeof c->from, "%s", from);
  snprintf(c->to, sizeof c->to, "%s", to);
  c->is_bool = is_bool;
  c->operands = operands;
  c->lanes = lanes;
}

static void collect(unsigned lanes) {
  case_count = 0;
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    bool ints = rows[r].from[0] == 'i';
    if (rows[r].from[1]) { // one type
      add_case(rows[r].name, rows[r].from, rows[r].from, false, rows[r].operands, lanes);
      continue;
    }
    for (unsigned t = 0; t < (ints ? 4u : 3u); t++) {
      const char *type = ints ? int_types[t] : float_types[t];
      add_case(rows[r].name, type, rows[r].result ? "i32" : type, rows[r].result != NULL, rows[r].operands, lanes);
    }
  }
  for (size_t k = 0; k < 5; k++)
    for (unsigned m = 0; m < 4; m++)
      for (unsigned a = 0; a < 4; a++)
        for (unsigned b = 0; b < 4; b++) {
          char op[32];
          snprintf(op, sizeof op, "%s.%s", conversions[k], modes[m]);
          const char *from = k < 2 || k == 4 ? (a < 3 ? float_types[a] : NULL) : int_types[a];
          const char *to = k < 2 ? int_types[b] : (b < 3 ? float_types[b] : NULL);
          if (from && to && (k != 4 || from != to))
            add_case(op, from, to, false, 1, lanes);
        }
  for (unsigned a = 0; a < 4; a++)
    for (unsigned b = 0; b < 4; b++) {
      if (a > b)
        add_case("trunc", int_types[a], int_types[b], false, 1, lanes);
      if (a < b) {
        add_case("zext", int_types[a], int_types[b], false, 1, lanes);
        add_case("sext", int_types[a], int_types[b], false, 1, lanes);
      }
    }
}

// One kernel: out[i] = op(a[i], b[i], c[i]).
static void print_case(struct kiln_strbuf *out, const struct test_case *c) {
  char from[16], to[16];
  snprintf(from, sizeof from, c->lanes > 1 ? "%sx%u" : "%s", c->from, c->lanes);
  snprintf(to, sizeof to, c->lanes > 1 ? "%sx%u" : "%s", c->to, c->lanes);
  unsigned stride = bytes_of(c->from) * c->lanes, align = bytes_of(c->from);
  kiln_strbuf_printf(out, "kernel @%s(%%a: ptr.global, %%b: ptr.global, %%c: ptr.global, %%o: ptr.global) {\n",
                     c->name);
  kiln_strbuf_puts(out, "  %i = global_id 0 : i64\n");
  const char *const operands[3] = {"a", "b", "c"};
  for (unsigned k = 0; k < c->operands; k++)
    kiln_strbuf_printf(out, "  %%p%s = padd %%%s, %%i * %u\n  %%v%s = load %%p%s, align %u : %s\n", operands[k],
                       operands[k], stride, operands[k], operands[k], align, from);
  kiln_strbuf_printf(out, "  %%r = %s %%va%s%s", c->op, c->operands > 1 ? ", %vb" : "", c->operands > 2 ? ", %vc" : "");
  bool converts = (strchr(c->op, '.') && c->operands == 1) || !strcmp(c->op + 1, "ext") || !strcmp(c->op, "trunc");
  kiln_strbuf_printf(out, converts ? " : %s\n" : "\n", to);
  if (c->is_bool)
    kiln_strbuf_printf(out, "  %%s = zext %%r : %s\n", to);
  unsigned out_stride = bytes_of(c->to) * c->lanes;
  kiln_strbuf_printf(out, "  %%po = padd %%o, %%i * %u\n  store %%po, %%%s, align 1\n  return\n}\n", out_stride,
                     c->is_bool ? "s" : "r");
}

static void fill(unsigned char *to, const char *type, uint64_t seed) {
  uint64_t state = seed;
  for (unsigned i = 0; i < COUNT * 4; i++) {
    uint64_t bits = special(type, &state);
    memcpy(to + (size_t)i * bytes_of(type), &bits, bytes_of(type));
  }
}

static unsigned compare(const struct test_case *c, const char *machine, unsigned char *const *in,
                        const unsigned char *want, const unsigned char *got) {
  unsigned size = bytes_of(c->to), failures = 0;
  for (unsigned i = 0; i < COUNT * c->lanes; i++) {
    uint64_t x = 0, y = 0, a = 0, b = 0, z = 0;
    memcpy(&x, want + (size_t)i * size, size);
    memcpy(&y, got + (size_t)i * size, size);
    if (x == y || (!c->is_bool && is_nan(c->to, x) && is_nan(c->to, y)))
      continue;
    memcpy(&a, in[0] + (size_t)i * bytes_of(c->from), bytes_of(c->from));
    memcpy(&b, in[1] + (size_t)i * bytes_of(c->from), bytes_of(c->from));
    memcpy(&z, in[2] + (size_t)i * bytes_of(c->from), bytes_of(c->from));
    cr_expect(failures++ > 3, "%s x%u: %s %s(%#llx, %#llx, %#llx): %#llx, the interpreter gives %#llx as %s", machine,
              c->lanes, c->op, c->from, (unsigned long long)a, (unsigned long long)b, (unsigned long long)z,
              (unsigned long long)y, (unsigned long long)x, c->to);
  }
  return failures;
}

// Of so many tests, the quick ones take another part of the cases each: test 1 takes cases 1, 5, 9, ….
static void take_part(unsigned test) {
  enum { TESTS = 4 };
  unsigned count = 0;
  for (unsigned i = getenv("KILN_TEST_ALL") ? 0 : test; i < case_count; i += getenv("KILN_TEST_ALL") ? 1 : TESTS)
    cases[count++] = cases[i];
  case_count = count;
}

static void run_all(unsigned test, const char *arch, unsigned lanes) {
  collect(lanes);
  cr_assert_gt(case_count, 400, "only %u cases", case_count);
  take_part(test);
  struct machine m;
  if (!machine_open(&m, "cpu", arch))
    cr_skip_test("no machine for %s", arch);
  struct kiln_strbuf text = {0};
  kiln_strbuf_puts(&text, "kiln_ir 1\n");
  for (unsigned i = 0; i < case_count; i++)
    print_case(&text, &cases[i]);
  cr_assert(!text.failed);
  struct machine interp;
  machine_open(&interp, "interp", NULL);
  struct kiln_program *reference = machine_program(&interp, text.data, NULL);
  size_t sizes[4] = {COUNT * 32, COUNT * 32, COUNT * 32, COUNT * 32};
  unsigned char *buffers[4], *want = malloc(COUNT * 32);
  for (int i = 0; i < 4; i++)
    buffers[i] = malloc(COUNT * 32);
  struct kiln_program *program = machine_program(&m, text.data, NULL);
  for (unsigned i = 0; i < case_count; i++) {
    const uint64_t global[3] = {COUNT, 1, 1}, local[3] = {64, 1, 1};
    for (unsigned k = 0; k < 3; k++)
      fill(buffers[k], cases[i].from, 1 + k);
    memset(buffers[3], 0, COUNT * 32);
    machine_run(&interp, reference, cases[i].name, global, local, (void **)buffers, sizes, 4);
    memcpy(want, buffers[3], COUNT * 32);
    memset(buffers[3], 0, COUNT * 32);
    machine_run(&m, program, cases[i].name, global, local, (void **)buffers, sizes, 4);
    compare(&cases[i], m.name, buffers, want, buffers[3]);
  }
  kiln_program_release(program);
  machine_close(&m);
  for (int i = 0; i < 4; i++)
    free(buffers[i]);
  free(want);
  kiln_program_release(reference);
  machine_close(&interp);
  kiln_strbuf_free(&text);
}

Test(cpu_ops, scalars_of_x86_64, .timeout = 600) { run_all(0, "x86-64", 1); }
Test(cpu_ops, scalars, .timeout = 600) { run_all(1, "native", 1); }
Test(cpu_ops, vectors_of_three, .timeout = 600) { run_all(2, "x86-64-v2", 3); }
Test(cpu_ops, vectors_of_four, .timeout = 600) { run_all(3, "native", 4); }
