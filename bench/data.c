// The table of kernels, their data, and the comparison of results.
#include "bench/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BENCH(NAME, ...) bench_plain_fn bench_plain_##NAME;
#define REFERENCE BENCH
#include "bench/kernels.def"
#define IMAGES(NAME, ...) bench_plain_fn bench_plain_##NAME;
#include "bench/images.def"

// bench_source_NAME: the text of kernels/NAME.cl or images/NAME.cl
#include "bench_sources.h"

#define G1(x)                                                                                                          \
  1, { x, 1 }
#define G2(x, y)                                                                                                       \
  2, { x, y }
#define NONE                                                                                                           \
  { 0, 0 }
#define L1(x)                                                                                                          \
  { x, 1 }
#define L2(x, y)                                                                                                       \
  { x, y }
#define F32(v) {'f', BENCH_SCALAR, false, 0, v, 0},
#define I32(v) {'i', BENCH_SCALAR, false, 0, v, 0},
#define IN_F(n, a, b) {'f', BENCH_RANDOM, false, n, a, b},
#define IN_I(n, b) {'i', BENCH_RANDOM, false, n, 0, b},
#define IN_C(n, b) {'c', BENCH_RANDOM, false, n, 0, b},
#define INOUT_F(n, a, b) {'f', BENCH_RANDOM, true, n, a, b},
#define OUT_F(n) {'f', BENCH_ZERO, true, n, 0, 0},
#define OUT_I(n) {'i', BENCH_ZERO, true, n, 0, 0},
#define OUT_C(n) {'c', BENCH_ZERO, true, n, 0, 0},
#define ROWS(n) {'i', BENCH_ROWS, false, (n) + 1, 0, 0},
#define COLS(n) {'i', BENCH_COLUMNS, false, (n)*32, 0, n},
#define ROOTS(n) {'f', BENCH_ROOTS, false, 2 * (n), 0, n},
#define SPHERES(n) {'f', BENCH_SPHERES, false, 4 * (n), 0, 0},
#define PLACES(w, h) {'f', BENCH_PLACES, false, 2 * (w) * (h), 0, w},

enum {
#define KILN_CHANNEL_ORDER(NAME, text, channels, ...) CHANNELS_##NAME = channels,
#include "kiln/pixel.def"
};
// The type of the channels in memory, and random ones below a limit.
#define OF_UNORM8 'c', 256
#define OF_UNORM16 's', 65536
#define OF_U32 'i', 1u << 31
#define OF_F16 'h', 1
#define OF_F32 'f', 1
#define IMAGE(DIMENSION, FILL, OUTPUT, ORDER, TYPE, OF, w, h, d)                                                       \
  IMAGE_OF(DIMENSION, FILL, OUTPUT, ORDER, TYPE, OF, w, h, d)
#define IMAGE_OF(DIMENSION, FILL, OUTPUT, ORDER, TYPE, LETTER, LIMIT, w, h, d)                                         \
  {LETTER,                                                                                                             \
   BENCH_##FILL,                                                                                                       \
   OUTPUT,                                                                                                             \
   (size_t)(w) * (h) * (d)*CHANNELS_##ORDER,                                                                           \
   0,                                                                                                                  \
   LIMIT,                                                                                                              \
   {KILN_IMAGE_##DIMENSION, {KILN_ORDER_##ORDER, KILN_CHANNEL_##TYPE}, w, h, d}},
#define IN_IMAGE(ORDER, TYPE, w, h) IMAGE(2D, RANDOM, false, ORDER, TYPE, OF_##TYPE, w, h, 1)
#define OUT_IMAGE(ORDER, TYPE, w, h) IMAGE(2D, ZERO, true, ORDER, TYPE, OF_##TYPE, w, h, 1)
#define LINE(ORDER, TYPE, w) IMAGE(1D_BUFFER, RANDOM, false, ORDER, TYPE, OF_##TYPE, w, 1, 1)
#define TABLE(ORDER, TYPE, n) IMAGE(3D, RANDOM, false, ORDER, TYPE, OF_##TYPE, n, n, n)

static const struct bench kernels[] = {
#define BENCH(NAME, GLOBAL, LOCAL, TOLERANCE, SHARE, ARGS)                                                             \
  {#NAME, bench_source_##NAME, GLOBAL, LOCAL, TOLERANCE, SHARE, bench_plain_##NAME, {ARGS}},
#define REFERENCE BENCH
#include "bench/kernels.def"
};
const struct bench_set bench_kernels = {kernels, sizeof kernels / sizeof *kernels};

static const struct bench images[] = {
#define IMAGES(NAME, GLOBAL, TOLERANCE, SHARE, ARGS)                                                                   \
  {#NAME, bench_source_##NAME, GLOBAL, NONE, TOLERANCE, SHARE, bench_plain_##NAME, {ARGS}},
#include "bench/images.def"
};
const struct bench_set bench_images = {images, sizeof images / sizeof *images};

size_t bench_arg_bytes(const struct bench_arg *arg) {
  return arg->count * (arg->type == 'c' ? 1 : arg->type == 's' || arg->type == 'h' ? 2 : 4);
}

unsigned bench_arg_count(const struct bench *bench) {
  unsigned count = 0;
  while (count < BENCH_MAX_ARGS && bench->args[count].type)
    count++;
  return count;
}

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 32);
}

static uint32_t row_length(size_t row) { return 4 + (uint32_t)(row * 2654435761u >> 16) % 25; }

static void fill_item(const struct bench_arg *arg, void *memory, size_t i, uint64_t *state) {
  float *f = memory;
  int32_t *n = memory;
  uint32_t bits = next_random(state);
  switch (arg->fill) {
  case BENCH_SCALAR:
  case BENCH_ZERO:
    break;
  case BENCH_RANDOM:
    if (arg->type == 'f')
      f[i] = (float)(arg->low + (arg->high - arg->low) * bits * 0x1p-32);
    else if (arg->type == 'i')
      n[i] = (int32_t)(bits % (uint32_t)arg->high);
    else if (arg->type == 's')
      ((uint16_t *)memory)[i] = (uint16_t)(bits % (uint32_t)arg->high);
    else if (arg->type == 'h')
      ((bench_half *)memory)[i] = (bench_half)(arg->high * bits * 0x1p-32);
    else
      ((uint8_t *)memory)[i] = (uint8_t)(bits % (uint32_t)arg->high);
    break;
  case BENCH_ROWS:
    n[i] = i ? n[i - 1] + (int32_t)row_length(i) : 0;
    break;
  case BENCH_COLUMNS:
    n[i] = (int32_t)(bits % (uint32_t)arg->high);
    break;
  case BENCH_ROOTS: {
    double angle = -6.283185307179586 * (double)(i / 2) / arg->high;
    f[i] = (float)(i % 2 ? sin(angle) : cos(angle));
    break;
  }
  case BENCH_SPHERES: {
    static const float low[] = {-4, -3, 4, 0.2f}, range[] = {8, 6, 6, 0.8f};
    f[i] = low[i % 4] + range[i % 4] * (float)bits * 0x1p-32f;
    break;
  }
  case BENCH_PLACES: {
    float x = (float)(i / 2 % (size_t)arg->high), y = (float)(i / 2 / (size_t)arg->high);
    f[i] = i % 2 ? 0.98f * y - 0.1f * x + 30 : 0.95f * x + 0.15f * y - 10;
    break;
  }
  }
}

bool bench_data_make(const struct bench *bench, struct bench_data *out) {
  *out = (struct bench_data){{NULL}};
  uint64_t state = 88172645463325252u;
  for (unsigned k = 0; k < bench_arg_count(bench); k++) {
    const struct bench_arg *arg = &bench->args[k];
    size_t bytes = (bench_arg_bytes(arg) + 127) / 64 * 64;
    void *memory = out->args[k] = aligned_alloc(64, bytes);
    if (!memory) {
      bench_data_free(out);
      return false;
    }
    memset(memory, 0, bytes);
    if (arg->fill == BENCH_SCALAR && arg->type == 'f')
      *(float *)memory = (float)arg->low;
    else if (arg->fill == BENCH_SCALAR)
      *(int32_t *)memory = (int32_t)arg->low;
    for (size_t i = 0; i < arg->count && arg->fill != BENCH_ZERO; i++)
      fill_item(arg, memory, i, &state);
  }
  return true;
}

void bench_data_free(struct bench_data *data) {
  for (unsigned k = 0; k < BENCH_MAX_ARGS; k++)
    free(data->args[k]);
  *data = (struct bench_data){{NULL}};
}

static double item(const struct bench_arg *arg, const void *memory, size_t i) {
  double scale = arg->image.width ? 1 / (arg->high - 1) : 1;
  return arg->type == 'f'   ? (double)((const float *)memory)[i]
         : arg->type == 'h' ? (double)((const bench_half *)memory)[i]
         : arg->type == 'i' ? (double)((const int32_t *)memory)[i]
         : arg->type == 's' ? (double)((const uint16_t *)memory)[i] * scale
                            : (double)((const uint8_t *)memory)[i] * scale;
}

bool bench_data_equal(const struct bench *bench, const struct bench_data *expected, const struct bench_data *data,
                      const char *who) {
  for (unsigned k = 0; k < bench_arg_count(bench); k++) {
    const struct bench_arg *arg = &bench->args[k];
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < arg->count && arg->output; i++) {
      double a = item(arg, expected->args[k], i), b = item(arg, data->args[k], i);
      if (fabs(a - b) <= bench->tolerance * fmax(1, fmax(fabs(a), fabs(b))))
        continue;
      if (wrong++ == 0)
        first = i;
    }
    if (wrong > bench->share * (double)arg->count) {
      fprintf(stderr, "kiln-bench: %s: %s: %zu of %zu values of argument %u are wrong; number %zu is %g and not %g\n",
              bench->name, who, wrong, arg->count, k, first, item(arg, data->args[k], first),
              item(arg, expected->args[k], first));
      return false;
    }
  }
  return true;
}
