// What the start-up programs share: saxpy on 1,024 elements, from nothing to the first result.
#ifndef KILN_BENCH_START_H
#define KILN_BENCH_START_H

#include <stdio.h>
#include <time.h>

enum { START_COUNT = 1024 };

static const char start_source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                                   "  size_t i = get_global_id(0);\n"
                                   "  y[i] = a * x[i] + y[i];\n"
                                   "}\n";

static inline double start_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Fills x with the index and y with ones.
static inline void start_fill(float *x, float *y) {
  for (int i = 0; i < START_COUNT; i++)
    x[i] = (float)i, y[i] = 1;
}

// Whether y is 2 * x + 1.
static inline int start_right(const float *y) {
  for (int i = 0; i < START_COUNT; i++)
    if (y[i] != 2 * (float)i + 1)
      return 0;
  return 1;
}

#endif
