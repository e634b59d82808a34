// accuracy [--backend B] [--arch A] [--options "…"] [--count N] [--seed N] [--only text] [--without text]
//          [--part K/N] [--table]
//          [--equal B | --lanes | --equal-options "…"]
//
// Runs every mathematical built-in function through the public API on edge cases and N random values of each type, and
// measures the error against MPFR: prints the worst, and fails where the specification allows less. half is tried on
// all of its values where there is one parameter. --table prints it for docs/language.md.
//
// With --equal, the results must have the same bits on another backend (B may be B:ARCH); with --equal-options, under
// other build options; with --lanes, when the function is called with vectors.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/math/functions.h"

enum type { FLOAT, DOUBLE, HALF, TYPES };
static const char *const type_names[] = {"float", "double", "half"};
static const int type_digits[] = {24, 53, 11}, type_least[] = {-125, -1021, -13}, type_most[] = {128, 1024, 16};

enum { BATCH = 1 << 13 };

struct run { // one backend with options
  struct kiln_context *context;
  struct kiln_stream *stream;
  const char *options;
};

struct test {
  struct run main, other;
  bool has_other;
  bool lanes, table;
  const char *only, *without; // parts of names; NULL: any
  uint64_t count, state;
  unsigned failures;
  unsigned part, parts;
  double (*x)[2];
  double *out, *again;
  double worst[2]; // the arguments with the largest error so far; both 0: none
  mpfr_t mx, my, expected, difference;
};

static void check_ok(enum kiln_status status, const char *what) {
  if (status == KILN_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, kiln_last_error());
  exit(2);
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static uint64_t next_random(struct test *t) {
  t->state += 0x9e3779b97f4a7c15u;
  uint64_t z = t->state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double half_value(unsigned bits) {
  unsigned exponent = bits >> 10 & 31;
  double m = bits & 1023;
  double value = exponent == 31 ? (m != 0 ? (double)NAN : (double)INFINITY)
                 : exponent     ? ldexp(m + 1024, (int)exponent - 25)
                                : ldexp(m, -24);
  return bits & 0x8000 ? -value : value;
}

static uint64_t half_bits(double value) { // of a value that is one
  uint64_t sign = signbit(value) ? 0x8000 : 0;
  value = fabs(value);
  if (isnan(value))
    return 0x7e00;
  if (isinf(value))
    return sign | 0x7c00;
  if (value < 0x1p-14)
    return sign | (uint64_t)(value * 0x1p24);
  int e;
  double m = frexp(value, &e);
  return sign | (uint64_t)(e + 14) << 10 | ((uint64_t)(m * 2048) & 1023);
}

static double from_bits(enum type type, uint64_t bits) {
  float f;
  double d;
  uint32_t low = (uint32_t)bits;
  memcpy(&f, &low, sizeof f);
  memcpy(&d, &bits, sizeof d);
  return type == FLOAT ? (double)f : type == DOUBLE ? d : half_value((unsigned)bits & 0xffff);
}

static double round_to(enum type type, double value) {
  if (type == FLOAT)
    return (float)value;
  if (type == DOUBLE || isnan(value) || isinf(value))
    return value;
  if (fabs(value) > 65504)
    return copysign(65504, value);
  int e;
  frexp(value, &e);
  double unit = ldexp(1, (e < -13 ? -13 : e) - 11);
  return rint(value / unit) * unit;
}

static double uniform(struct test *t, double low, double high) {
  return low + (high - low) * ((double)(next_random(t) >> 11) / 0x1p53);
}

static const double edges[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               2,
                               -2,
                               0.5,
                               -0.5,
                               0.25,
                               3,
                               -3,
                               1.5,
                               -1.5,
                               10,
                               100,
                               0x1p-10,
                               0x1p10,
                               -0x1p10,
                               88.0,
                               88.7228,
                               88.75,
                               -87.3,
                               -87.4,
                               -103.9,
                               -104.1,
                               127.5,
                               -126.5,
                               -149.5,
                               -150.5,
                               38.5,
                               -44.9,
                               -45.2,
                               709.5,
                               -745.2,
                               1023.9,
                               -1074.5,
                               308.2,
                               -323.5,
                               89.4,
                               -89.4,
                               89.5,
                               90.5,
                               9.1,
                               10.05,
                               0.7853982,
                               1.5707964,
                               3.1415927,
                               4.712389,
                               6.2831855,
                               105614.9,
                               105615.1,
                               6000.5,
                               0x1p22,
                               0x1p23,
                               0x1p24,
                               -0x1p24,
                               0x1p25,
                               0x1p31,
                               0x1p52,
                               0x1p53,
                               0x1p54,
                               1e10,
                               1e20,
                               -1e20,
                               1e37,
                               3.4e38,
                               -3.4e38,
                               0x1p-126,
                               0x1p-127,
                               0x1p-149,
                               -0x1p-149,
                               0x1.8p-148,
                               0x1p-1022,
                               0x1p-1074,
                               1e-30,
                               -1e-30,
                               1e300,
                               1e-300,
                               DBL_MAX,
                               FLT_MAX,
                               -FLT_MAX,
                               65504,
                               0x1p-14,
                               0x1p-24,
                               0.99999994,
                               1.0000001,
                               0.9999,
                               1.0001,
                               0x1.fffffffffffffp-1,
                               0x1.0000000000001p0,
                               0.41421357,
                               0.70710677,
                               1.4142135,
                               0.6666667,
                               1.3333334,
                               0.55,
                               0.375,
                               1e22,
                               0x1.6ac5b262ca1ffp+849,
                               7,
                               -7,
                               0x1.fffffep23,
                               8388607.5,
                               4194303.5,
                               -4194303.5,
                               INFINITY,
                               -INFINITY,
                               NAN};
enum { EDGES = sizeof edges / sizeof *edges };

static const int ints[] = {0,    1,   -1,  2,    -2,       3,          -3,          5,        7,
                           -7,   10,  31,  100,  101,      -101,       1000,        1001,     -149,
                           -150, 127, 128, -126, 16777217, 2147483647, -2147483647, INT32_MIN};
enum { INTS = sizeof ints / sizeof *ints };

// A value near another: the same but for the last k of its bits.
static double near(struct test *t, double value) {
  return value * (1 + ldexp(uniform(t, -1, 1), -(int)(next_random(t) % 53)));
}

static double random_value(struct test *t, const struct math_function *f, enum type type) {
  uint64_t r = next_random(t);
  if (f->bounded)
    return f->low > 0 && r & 1 ? exp(uniform(t, log(f->low), log(f->high))) : uniform(t, f->low, f->high);
  switch (r >> 8 & 7) {
  case 0:
  case 1:
    return from_bits(type, next_random(t));
  case 2:
    return uniform(t, 0.5, 2);
  case 3:
    return r & 1 ? ldexp(uniform(t, -1, 1), (int)(r >> 1 & 31) - 24) : near(t, edges[(r >> 1) % EDGES]);
  default:
    return uniform(t, f->low, f->high);
  }
}

static double random_int(struct test *t) {
  uint64_t r = next_random(t);
  switch (r & 3) {
  case 0:
    return (int32_t)(r >> 32);
  case 1:
    return (double)((int64_t)(r >> 32 & 255) - 128);
  default:
    return (double)((int64_t)(r >> 32 & 15) - 7);
  }
}

// An exponent that a result may have: any, near the ends of the range half of the time.
static double random_exponent(struct test *t, enum type type) {
  double least = type_least[type] - type_digits[type], most = type_most[type];
  uint64_t r = next_random(t);
  double any = uniform(t, least - 2, most + 2);
  return r & 1 ? any : near(t, r & 2 ? most : r & 4 ? type_least[type] : least);
}

// The second argument that goes with a.
static double random_second(struct test *t, const struct math_function *f, enum type type, double a) {
  uint64_t r = next_random(t);
  if (f->kind == MATH_ONE)
    return 0;
  double any = f->kind == MATH_INT ? random_int(t) : random_value(t, f, type);
  if (f->kind == MATH_TWO && (r & 15) == 0)
    any = rint(any);
  if (f->pair == PAIR_ANY || r & 16)
    return any;
  double second = any;
  if (f->pair == PAIR_POWER)
    second = random_exponent(t, type) / log2(fabs(a));
  else if (f->pair == PAIR_SCALE)
    second = random_exponent(t, type) - log2(fabs(a));
  else if (f->pair == PAIR_NEAR)
    second = r & 32 ? near(t, a) : ldexp(near(t, a), (int)(r >> 32 & 127) - 64);
  else if (f->pair == PAIR_ROOT)
    second = (double)(r >> 32 & 127) - 63;
  if (f->kind == MATH_INT)
    second = fabs(second) <= INT32_MAX ? rint(second) : any; // false for a NaN, too
  return second;
}

// Fills x with the batch that begins at the given case: edges, random values, and some near the worst so far.
static unsigned fill(struct test *t, const struct math_function *f, enum type type, uint64_t first) {
  unsigned seconds = f->kind == MATH_ONE ? 1 : f->kind == MATH_TWO ? EDGES : INTS;
  uint64_t edge_count = f->bounded ? 0 : (uint64_t)EDGES * seconds;
  bool every = type == HALF && f->kind == MATH_ONE;
  uint64_t total = every ? 1 << 16 : edge_count + t->count;
  unsigned n = 0;
  for (; n < BATCH && first + n < total; n++) {
    uint64_t k = first + n;
    double a, b = 0;
    if (every) {
      a = half_value((unsigned)k);
    } else if (k < edge_count) {
      a = edges[k / seconds];
      b = f->kind == MATH_TWO ? edges[k % seconds] : f->kind == MATH_INT ? ints[k % seconds] : 0;
    } else {
      bool again = (t->worst[0] != 0 || t->worst[1] != 0) && (next_random(t) & 3) == 0;
      a = again ? near(t, t->worst[0]) : random_value(t, f, type);
      b = again ? t->worst[1] : random_second(t, f, type, a);
      if (again && f->kind == MATH_TWO)
        b = near(t, b);
      if (f->bounded) // near() may leave the range
        a = fmin(fmax(a, f->low), f->high);
    }
    t->x[n][0] = round_to(type, a);
    t->x[n][1] = f->kind == MATH_INT ? b : round_to(type, b);
  }
  return n;
}

// ---- running -------------------------------------------------------------------------------------------------------

static void make_source(char *source, size_t size, const struct math_function *f, enum type type, unsigned lanes) {
  char call[64], n[16] = "", load[80], load_y[80], store[96];
  if (lanes > 1)
    snprintf(n, sizeof n, "%u", lanes);
  snprintf(call, sizeof call, f->kind == MATH_ONE ? "%s(x)" : "%s(x, y)", f->name);
  snprintf(load, sizeof load, lanes > 1 ? "vload%s(i, in)" : "in[i]", n);
  snprintf(load_y, sizeof load_y, lanes > 1 ? "vload%s(i, second)" : "second[i]", n);
  snprintf(store, sizeof store, lanes > 1 ? "vstore%s(v, i, out)" : "out[i] = v", n);
  const char *name = type_names[type];
  snprintf(source, size,
           "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
           "kernel void k(global const %s *in, global const %s *second, global %s *out) {\n"
           "  size_t i = get_global_id(0);\n"
           "  %s%s x = %s, p; %s%s y = %s;\n"
           "  %s%s v = %s;\n"
           "  %s;\n"
           "}\n",
           name, f->kind == MATH_INT ? "int" : name, name, name, n, load, f->kind == MATH_INT ? "int" : name, n, load_y,
           name, n, f->call ? f->call : call, store);
}

static void put(enum type type, bool as_int, void *to, unsigned index, double value) {
  if (as_int)
    ((int32_t *)to)[index] = (int32_t)value;
  else if (type == FLOAT)
    ((float *)to)[index] = (float)value;
  else if (type == DOUBLE)
    ((double *)to)[index] = value;
  else
    ((uint16_t *)to)[index] = (uint16_t)half_bits(value);
}

struct program {
  const struct run *run;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *in, *second, *out;
  unsigned lanes;
};

static bool open_program(struct program *p, const struct run *run, const struct math_function *f, enum type type,
                         unsigned lanes) {
  char source[1024];
  make_source(source, sizeof source, f, type, lanes);
  *p = (struct program){.run = run, .lanes = lanes};
  struct kiln_program_desc desc = {.source = source, .name = f->name, .options = run->options};
  check_ok(kiln_program_create(run->context, &desc, &p->program), f->name);
  check_ok(kiln_kernel_create(p->program, "k", &p->kernel), f->name);
  struct kiln_buffer_desc size = {.size = BATCH * sizeof(double)};
  check_ok(kiln_buffer_create(run->context, &size, &p->in), "buffer");
  check_ok(kiln_buffer_create(run->context, &size, &p->second), "buffer");
  check_ok(kiln_buffer_create(run->context, &size, &p->out), "buffer");
  return true;
}

static void close_program(struct program *p) {
  kiln_buffer_release(p->in);
  kiln_buffer_release(p->second);
  kiln_buffer_release(p->out);
  kiln_kernel_release(p->kernel);
  kiln_program_release(p->program);
}

// Rounds n up to whole vectors; what is behind is not looked at.
static void run_batch(struct test *t, struct program *p, const struct math_function *f, enum type type, unsigned n,
                      double *results) {
  static union {
    double d[BATCH];
    float f[BATCH];
    uint16_t h[BATCH];
  } a, b, c;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  for (unsigned i = 0; i < n; i++) {
    put(type, false, &a, i, t->x[i][0]);
    put(type, f->kind == MATH_INT, &b, i, t->x[i][1]);
  }
  struct kiln_stream *stream = p->run->stream;
  check_ok(kiln_write(stream, p->in, 0, &a, sizeof a, NULL), "write");
  check_ok(kiln_write(stream, p->second, 0, &b, sizeof b, NULL), "write");
  struct kiln_arg args[] = {kiln_arg_buffer(p->in), kiln_arg_buffer(p->second), kiln_arg_buffer(p->out)};
  struct kiln_launch_desc launch = {.global = {(n + p->lanes - 1) / p->lanes}, .args = args, .arg_count = 3};
  check_ok(kiln_launch(stream, p->kernel, &launch, NULL), f->name);
  check_ok(kiln_read(stream, p->out, 0, &c, sizeof c, NULL), f->name);
  check_ok(kiln_stream_finish(stream), f->name);
  for (unsigned i = 0; i < n; i++)
    results[i] = type == FLOAT ? (double)c.f[i] : type == DOUBLE ? c.d[i] : half_value(c.h[i]);
}

// ---- errors --------------------------------------------------------------------------------------------------------

static void reference(struct test *t, const struct math_function *f, const double *x) {
  mpfr_set_d(t->mx, x[0], MPFR_RNDN);
  mpfr_set_d(t->my, x[1], MPFR_RNDN);
  switch (f->kind) {
  case MATH_ONE:
    f->one(t->expected, t->mx, MPFR_RNDN);
    break;
  case MATH_TWO:
    f->two(t->expected, t->mx, t->my, MPFR_RNDN);
    break;
  case MATH_INT:
    f->with_int(t->expected, t->mx, (long)x[1], MPFR_RNDN);
    break;
  }
}

// Error of got against t->expected in units of the last place.
static double error_of(struct test *t, const struct math_function *f, enum type type, double got) {
  if (mpfr_nan_p(t->expected) || isnan(got))
    return mpfr_nan_p(t->expected) && isnan(got) ? 0 : INFINITY;
  if (mpfr_zero_p(t->expected) && got == 0)
    return f->any_zero || !signbit(got) == !mpfr_signbit(t->expected) ? 0 : INFINITY;
  if (mpfr_inf_p(t->expected))
    return isinf(got) && !signbit(got) == !mpfr_signbit(t->expected) ? 0 : INFINITY;
  int digits = type_digits[type], least = type_least[type], most = type_most[type];
  long exponent = mpfr_zero_p(t->expected) ? least : mpfr_get_exp(t->expected);
  bool over = exponent > most;
  exponent = exponent < least ? least : over ? most : exponent;
  if (f->absolute && exponent < 1)
    exponent = 1;
  if (isinf(got)) { // counts as the number behind the largest
    if (over && !signbit(got) == !mpfr_signbit(t->expected))
      return 0;
    mpfr_set_ui_2exp(t->difference, 1, most, MPFR_RNDN);
    if (got < 0)
      mpfr_neg(t->difference, t->difference, MPFR_RNDN);
    mpfr_sub(t->difference, t->difference, t->expected, MPFR_RNDN);
    if (mpfr_cmp_d(t->expected, type == FLOAT ? FLT_MAX : type == DOUBLE ? DBL_MAX : 65504) > 0 && got > 0)
      return 0.5;
  } else {
    mpfr_d_sub(t->difference, got, t->expected, MPFR_RNDN);
  }
  mpfr_mul_2si(t->difference, t->difference, digits - exponent, MPFR_RNDN);
  return fabs(mpfr_get_d(t->difference, MPFR_RNDN));
}

struct worst {
  double error, x[2], got, expected;
};

static void measure(struct test *t, const struct math_function *f, enum type type, struct worst *worst) {
  *worst = (struct worst){.error = 0};
  t->worst[0] = t->worst[1] = 0;
  mpfr_prec_t precision = type == DOUBLE ? 128 : 64; // one word is much faster than two
  mpfr_set_prec(t->expected, precision);
  mpfr_set_prec(t->difference, precision);
  struct program p;
  open_program(&p, &t->main, f, type, 1);
  uint64_t first = 0;
  for (unsigned n; (n = fill(t, f, type, first)) > 0; first += n) {
    run_batch(t, &p, f, type, n, t->out);
    for (unsigned i = 0; i < n; i++) {
      reference(t, f, t->x[i]);
      double error = error_of(t, f, type, t->out[i]);
      if (error > worst->error)
        *worst = (struct worst){error, {t->x[i][0], t->x[i][1]}, t->out[i], mpfr_get_d(t->expected, MPFR_RNDN)};
    }
    memcpy(t->worst, worst->x, sizeof t->worst);
  }
  close_program(&p);
  if (worst->error > f->ulps[type]) {
    t->failures++;
    printf("FAIL %s of %s: %g ulp, %g allowed: at %a, %a is %a instead of %a\n", f->name, type_names[type],
           worst->error, f->ulps[type], worst->x[0], worst->x[1], worst->got, worst->expected);
  }
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

static void compare(struct test *t, const struct math_function *f, enum type type, const struct run *other,
                    unsigned lanes) {
  struct program p, q;
  open_program(&p, &t->main, f, type, 1);
  open_program(&q, other, f, type, lanes);
  uint64_t first = 0;
  bool differs = false;
  for (unsigned n; !differs && (n = fill(t, f, type, first)) > 0; first += n) {
    run_batch(t, &p, f, type, n, t->out);
    run_batch(t, &q, f, type, n, t->again);
    for (unsigned i = 0; i < n && !differs; i++) {
      if (same(t->out[i], t->again[i]))
        continue;
      differs = true;
      t->failures++;
      printf("FAIL %s of %s%u: at %a, %a is %a, and %a of the other\n", f->name, type_names[type], lanes, t->x[i][0],
             t->x[i][1], t->out[i], t->again[i]);
    }
  }
  close_program(&p);
  close_program(&q);
}

// ---- all -----------------------------------------------------------------------------------------------------------

static void cell(double limit, double error) {
  if (limit < 0)
    printf(" – |");
  else if (isinf(limit))
    printf(" %.3g |", error);
  else
    printf(" %.3g (%g) |", error, limit);
}

static unsigned run_all(struct test *t) {
  unsigned count = 0;
  if (t->table)
    printf("| function | float | double | half |\n|---|---|---|---|\n");
  for (unsigned k = 0; k < math_function_count; k++) {
    const struct math_function *f = &math_functions[k];
    if ((t->only && !strstr(f->name, t->only)) || (t->without && strstr(f->name, t->without)) ||
        k % t->parts != t->part)
      continue;
    struct worst worst[TYPES] = {{0}};
    for (unsigned type = 0; type < TYPES; type++) {
      if (f->ulps[type] < 0)
        continue;
      count++;
      if (t->lanes) {
        static const unsigned widths[] = {2, 4, 8, 16};
        for (unsigned w = 0; w < 4; w++)
          compare(t, f, (enum type)type, &t->main, widths[w]);
      } else if (t->has_other) {
        compare(t, f, (enum type)type, &t->other, 1);
      } else {
        measure(t, f, (enum type)type, &worst[type]);
        if (!t->table)
          printf("%-12s %-6s %9.4g ulp of %-5g at %a, %a\n", f->name, type_names[type], worst[type].error,
                 f->ulps[type], worst[type].x[0], worst[type].x[1]);
      }
    }
    if (t->table) {
      printf("| %s |", f->name);
      for (unsigned type = 0; type < TYPES; type++)
        cell(f->ulps[type], worst[type].error);
      printf("\n");
    }
    fflush(stdout);
  }
  return count;
}

static void open_run(struct run *run, const char *backend, const char *arch, const char *options) {
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off"};
  check_ok(kiln_context_open(&desc, &run->context), "context");
  check_ok(kiln_stream_create(run->context, 0, &run->stream), "stream");
  run->options = options;
}

static void close_run(struct run *run) {
  kiln_stream_release(run->stream);
  kiln_context_close(run->context);
}

static int usage(void) {
  fprintf(stderr, "usage: accuracy [--backend B] [--arch A] [--options O] [--count N] [--seed N] [--only TEXT] "
                  "[--without TEXT] [--part K/N] [--table] [--equal B[:ARCH] | --lanes | --equal-options O]\n");
  return 2;
}

int main(int argc, char **argv) {
  struct test t = {.count = 20000, .state = 1, .parts = 1};
  const char *backend = "interp", *arch = NULL, *options = "", *equal = NULL, *equal_options = NULL;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--lanes") == 0) {
      t.lanes = true;
      continue;
    }
    if (strcmp(argv[i], "--table") == 0) {
      t.table = true;
      continue;
    }
    if (!value)
      return usage();
    if (strcmp(argv[i], "--backend") == 0)
      backend = value;
    else if (strcmp(argv[i], "--arch") == 0)
      arch = value;
    else if (strcmp(argv[i], "--options") == 0)
      options = value;
    else if (strcmp(argv[i], "--count") == 0)
      t.count = strtoull(value, NULL, 10);
    else if (strcmp(argv[i], "--seed") == 0)
      t.state = strtoull(value, NULL, 10);
    else if (strcmp(argv[i], "--part") == 0 && sscanf(value, "%u/%u", &t.part, &t.parts) == 2 && t.parts)
      ;
    else if (strcmp(argv[i], "--only") == 0)
      t.only = value;
    else if (strcmp(argv[i], "--without") == 0)
      t.without = value;
    else if (strcmp(argv[i], "--equal") == 0)
      equal = value;
    else if (strcmp(argv[i], "--equal-options") == 0)
      equal_options = value;
    else
      return usage();
    i++;
  }
  open_run(&t.main, backend, arch, options);
  if (equal || equal_options) {
    char name[64];
    snprintf(name, sizeof name, "%s", equal ? equal : backend);
    char *colon = strchr(name, ':');
    if (colon)
      *colon = 0;
    open_run(&t.other, name, equal ? (colon ? colon + 1 : NULL) : arch, equal_options ? equal_options : options);
    t.has_other = true;
  }
  t.x = malloc(BATCH * sizeof *t.x);
  t.out = malloc(BATCH * sizeof *t.out);
  t.again = malloc(BATCH * sizeof *t.again);
  if (!t.x || !t.out || !t.again)
    return 2;
  mpfr_inits2(53, t.mx, t.my, t.expected, t.difference, (mpfr_ptr)0);
  unsigned count = run_all(&t);
  mpfr_clears(t.mx, t.my, t.expected, t.difference, (mpfr_ptr)0);
  mpfr_free_cache();
  free(t.x);
  free(t.out);
  free(t.again);
  close_run(&t.main);
  if (t.has_other)
    close_run(&t.other);
  if (!t.table)
    printf("%u functions, %u failures\n", count, t.failures);
  return t.failures || !count;
}
