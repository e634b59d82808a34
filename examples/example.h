// What the larger examples share: error check, clock, and the row that each prints for `make demo`.
#ifndef KILN_EXAMPLES_EXAMPLE_H
#define KILN_EXAMPLES_EXAMPLE_H

#include <kiln/kiln.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void check(enum kiln_status status) {
  if (status != KILN_OK) {
    fprintf(stderr, "%s\n", kiln_last_error());
    exit(1);
  }
}

static inline double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Opens a context and compiles a program, or takes it from the cache. Returns the time to the launchable kernel.
static inline double start(const char *cache_mode, const char *name, const char *source, const char *kernel_name,
                           struct kiln_context **context, struct kiln_kernel **kernel,
                           enum kiln_cache_outcome *outcome) {
  double begin = now_ms();
  struct kiln_program *program;
  struct kiln_program_info info;
  check(kiln_context_open(&(struct kiln_context_desc){.cache_mode = cache_mode}, context));
  check(kiln_program_create(*context, &(struct kiln_program_desc){.source = source, .name = name}, &program));
  check(kiln_kernel_create(program, kernel_name, kernel));
  double end = now_ms();
  kiln_program_info(program, &info);
  *outcome = info.cache;
  kiln_program_release(program); // the kernel keeps what it needs
  return end - begin;
}

// Start-up times of one program: as the user's cache has it, compiled anew, and found in the cache.
struct start_times {
  double first_ms, cold_ms, warm_ms;
  enum kiln_cache_outcome first;
};

// Measures all three and leaves the last context and kernel open.
static inline struct start_times measure_start(const char *name, const char *source, const char *kernel_name,
                                               struct kiln_context **context, struct kiln_kernel **kernel) {
  struct start_times times;
  enum kiln_cache_outcome outcome;
  const char *modes[] = {NULL, "off", NULL};
  double *results[] = {&times.first_ms, &times.cold_ms, &times.warm_ms};
  for (int i = 0; i < 3; i++) {
    *results[i] = start(modes[i], name, source, kernel_name, context, kernel, i == 0 ? &times.first : &outcome);
    if (i < 2) {
      kiln_kernel_release(*kernel);
      kiln_context_close(*context);
    }
  }
  return times;
}

// The shortest of several runs, in milliseconds.
static inline double run_best(struct kiln_stream *stream, struct kiln_kernel *kernel,
                              const struct kiln_launch_desc *launch, int runs) {
  double best = 0;
  for (int run = 0; run < runs; run++) {
    double begin = now_ms();
    check(kiln_launch(stream, kernel, launch, NULL));
    check(kiln_stream_finish(stream));
    double ms = now_ms() - begin;
    best = run == 0 || ms < best ? ms : best;
  }
  return best;
}

// The larger of two errors; NaN is the largest.
static inline double worse(double error, double other) { return isnan(error) || error >= other ? error : other; }

static inline void print_row(const char *name, const char *size, struct start_times times, double kernel_ms,
                             double plain_ms, double error) {
  char first[32];
  snprintf(first, sizeof first, "%s %.2f", times.first >= KILN_CACHE_HIT_MEMORY ? "hit" : "miss", times.first_ms);
  printf("%-11s %-18s %11s %9.2f %9.2f %10.2f %10.2f %7.1fx   %.1e\n", name, size, first, times.cold_ms, times.warm_ms,
         kernel_ms, plain_ms, plain_ms / kernel_ms, error);
}

static inline void print_header(void) {
  printf("%-11s %-18s %11s %9s %9s %10s %10s %8s   %s\n", "kernel", "size", "first ms", "cold ms", "warm ms",
         "kernel ms", "plain C ms", "speed", "max error");
}

#endif
