// Conformance: running a kernel on the backend and on the interpreter, and comparing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

struct kiln_program *program_of(struct kiln_context *ctx, const char *source, enum kiln_source_kind kind,
                                const char *options, enum kiln_status *status) {
  struct kiln_program_desc desc = {.source = source, .kind = kind, .options = options, .name = "case"};
  struct kiln_program *program = NULL;
  *status = kiln_program_create(ctx, &desc, &program);
  return program;
}

// ---- inputs --------------------------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static const double special[] = {0.0,  -0.0, 1.0,  -1.0,    0.5,  1.5,   2.5,     -2.5,     3.0,       -7.25,
                                 10.0, 0.1,  1e-3, 100.0,   1e10, -1e10, 1.0 / 3, INFINITY, -INFINITY, NAN,
                                 2.0,  4.0,  -4.0, 0.99999, 1e-9, 1e-20, 3.14159, 65504.0,  -0.25,     8388609.0};
enum { SPECIAL_COUNT = sizeof special / sizeof *special };

static double float_input(uint64_t *state, size_t i, bool plain) {
  uint64_t r = next_random(state);
  if (plain) // nothing on which an imprecise function may do as it likes
    return 0.1 + 3.9 * (double)(r >> 11) / 9007199254740992.0;
  if ((r & 3) == 0)
    return special[(r >> 2) % SPECIAL_COUNT];
  (void)i;
  return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * 16;
}

static uint32_t integer_input(uint64_t *state) {
  static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 31, 32, 255, 0x80, 0x8000, 0xffff7fff};
  uint64_t r = next_random(state);
  return (r & 3) == 0 ? edges[(r >> 2) % 12] : (uint32_t)(r >> 32) >> ((r & 4) ? r >> 8 & 31 : 0);
}

static void fill_in(enum element element, unsigned char *data, size_t size) {
  uint64_t state = 42;
  for (size_t i = 0; i < size; i += 8) {
    uint32_t words[2] = {integer_input(&state), integer_input(&state)};
    if (element == EL_F64) {
      double value = float_input(&state, i, false);
      memcpy(words, &value, 8);
    }
    for (int k = 0; k < 2 && (element == EL_F32 || element == EL_PLAIN); k++) {
      float value = (float)float_input(&state, i, element == EL_PLAIN);
      memcpy(&words[k], &value, 4);
    }
    for (int k = 0; k < 2 && element == EL_F16; k++) // random halves; infinities and NaNs are among them
      words[k] = (uint32_t)next_random(&state) & 0xbfffbfff;
    memcpy(data + i, words, 8);
  }
}

// ---- comparison ----------------------------------------------------------------------------------------------------

struct number {
  int64_t order; // numbers in order, one apart per unit in the last place
  bool nan;
};

static struct number read_number(enum element element, const unsigned char *at) {
  uint64_t bits = 0;
  unsigned size = element == EL_F64 ? 8 : element == EL_F16 ? 2 : 4, mantissa = size == 8 ? 52 : size == 2 ? 10 : 23;
  memcpy(&bits, at, size);
  uint64_t sign = bits >> (8 * size - 1), magnitude = bits & ~(UINT64_C(1) << (8 * size - 1));
  uint64_t infinity = ((UINT64_C(1) << (8 * size - 1 - mantissa)) - 1) << mantissa;
  return (struct number){sign ? -(int64_t)magnitude : (int64_t)magnitude, magnitude > infinity};
}

static bool differs(const struct tolerance *t, const unsigned char *a, const unsigned char *b, size_t size) {
  if (memcmp(a, b, size) == 0)
    return false;
  if (t->element == EL_BITS)
    return true;
  struct number x = read_number(t->element, a), y = read_number(t->element, b);
  if (x.nan || y.nan)
    return x.nan != y.nan;
  // As whole numbers: a double does not tell neighbours of 64 bits apart. Numbers of different sign are far apart.
  bool far = (x.order < 0) != (y.order < 0) &&
             (x.order > 1000000000 || y.order > 1000000000 || x.order < -1000000000 || y.order < -1000000000);
  return t->ulp == 0 || far || fabs((double)(x.order - y.order)) > t->ulp;
}

static bool compare(struct suite *s, const char *kernel, const struct tolerance *t, const unsigned char *got,
                    const unsigned char *want) {
  size_t size = t->element == EL_F64 ? 8 : t->element == EL_BITS ? 1 : t->element == EL_F16 ? 2 : 4;
  for (size_t at = 0; at < CASE_BYTES; at += size) {
    if (!differs(t, got + at, want + at, size))
      continue;
    uint64_t a = 0, b = 0;
    memcpy(&a, got + at, size);
    memcpy(&b, want + at, size);
    return expect(s, false, "%s: work-item %zu, byte %zu: 0x%llx instead of 0x%llx", kernel, at / 128, at % 128,
                  (unsigned long long)a, (unsigned long long)b);
  }
  return expect(s, true, "%s", kernel);
}

// ---- running -------------------------------------------------------------------------------------------------------

static enum kiln_status run(struct kiln_context *ctx, struct kiln_stream *stream, struct kiln_program *program,
                            const char *name, uint32_t local, const unsigned char *in, unsigned char *out) {
  struct kiln_kernel *kernel = NULL;
  struct kiln_buffer *buffers[2] = {NULL, NULL};
  enum kiln_status status = kiln_kernel_create(program, name, &kernel);
  if (status == KILN_OK)
    status = kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 3 * CASE_BYTES}, &buffers[0]);
  if (status == KILN_OK)
    status = kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = CASE_BYTES}, &buffers[1]);
  if (status == KILN_OK)
    status = kiln_write(stream, buffers[0], 0, in, 3 * CASE_BYTES, NULL);
  if (status == KILN_OK)
    status = kiln_fill(stream, buffers[1], 0, CASE_BYTES, "\xa5", 1, NULL);
  struct kiln_arg args[] = {kiln_arg_buffer(buffers[0]), kiln_arg_buffer(buffers[1])};
  struct kiln_launch_desc desc = {.global = {CASE_ITEMS}, .local = {local}, .args = args, .arg_count = 2};
  if (status == KILN_OK)
    status = kiln_launch(stream, kernel, &desc, NULL);
  if (status == KILN_OK)
    status = kiln_read(stream, buffers[1], 0, out, CASE_BYTES, NULL);
  enum kiln_status end = kiln_stream_finish(stream);
  kiln_buffer_release(buffers[0]);
  kiln_buffer_release(buffers[1]);
  kiln_kernel_release(kernel);
  return status == KILN_OK ? end : status;
}

bool compare_kernel(struct suite *s, struct kiln_program *program, struct kiln_program *oracle, const char *kernel,
                    const char *what, enum element in, uint32_t local, const struct tolerance *tolerance) {
  if (!s->stream)
    return true;
  unsigned char *data = malloc(5 * CASE_BYTES);
  if (!expect(s, data, "out of memory"))
    return false;
  unsigned char *got = data + 3 * CASE_BYTES, *want = got + CASE_BYTES;
  fill_in(in, data, 3 * CASE_BYTES);
  s->printed[0][0] = s->printed[1][0] = 0;
  enum kiln_status status = run(s->oracle, s->oracle_stream, oracle, kernel, local, data, want);
  bool ok = expect(s, status == KILN_OK, "%s on the interpreter: %s", what, kiln_last_error());
  if (ok) {
    status = run(s->ctx, s->stream, program, kernel, local, data, got);
    if (status == KILN_ERR_UNSUPPORTED)
      skip(s, "%s: %s", what, kiln_last_error());
    else
      ok = expect(s, status == KILN_OK, "%s: %s", what, kiln_last_error()) && compare(s, what, tolerance, got, want);
    if (ok && status == KILN_OK)
      ok = expect(s, strcmp(s->printed[0], s->printed[1]) == 0, "%s prints '%s' instead of '%s'", what, s->printed[0],
                  s->printed[1]);
  }
  free(data);
  return ok;
}
