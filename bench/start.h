// What the start-up programs share: saxpy on 1,024 elements, from nothing to the first result.
#ifndef KILN_BENCH_START_H
#define KILN_BENCH_START_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { START_COUNT = 1024 };

static const char start_source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                                   "  size_t i = get_global_id(0);\n"
                                   "  y[i] = a * x[i] + y[i];\n"
                                   "}\n";

// The source of compile i of the further ones: of saxpy, or of the file that argument 2 names. Each is another text.
// Returns 0 when the file cannot be read.
static inline int start_further(int argc, char **argv, int i, char *text, size_t size) {
  size_t used = 0;
  FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
  if (file) {
    used = fread(text, 1, size - 1, file);
    fclose(file);
    text[used] = 0;
  }
  snprintf(text + used, size - used, "%s// %d\n", argc > 2 ? "" : start_source, i);
  return argc <= 2 || used > 0;
}

#define START_CPU_TIME "KILN_BENCH_CPU_TIME" // variable: the start programs measure processor time of all threads

static inline double start_clock_ms(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline double start_now_ms(void) {
  return start_clock_ms(getenv(START_CPU_TIME) ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
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
