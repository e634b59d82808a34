// Measuring points of a kernel: launches that are timed, on buffers that each begins with the same contents of, and
// whose results are compared with the default's.
#ifndef KILN_JIT_TUNE_MEASURE_H
#define KILN_JIT_TUNE_MEASURE_H

#include "jit/tuned.h"

struct kiln_measure_desc {
  struct kiln_kernel *kernel;
  struct kiln_tuned *tuned;
  const int64_t *args;
  const struct kiln_launch_desc *launch;
  double tolerance;
  uint64_t deadline_ns;   // 0: none
  bool stays_warm;        // caches are not flushed for the last rounds
  double flush_budget_ns; // nor are they where that would take longer
};
enum { KILN_MEASURE_LAST = 4 * 5 }; // launches of the last rounds

struct kiln_measure;
enum kiln_status kiln_measure_begin(const struct kiln_measure_desc *desc, struct kiln_measure **out);
// Gives the buffers their contents back. NULL does nothing.
void kiln_measure_end(struct kiln_measure *measure);
// As struct kiln_search_ops wants it. The first point that is measured is what others are compared with.
enum kiln_search_state kiln_measure_point(struct kiln_measure *measure, struct kiln_search_point *point,
                                          uint32_t launches, double limit_ns, int round);
// Compiles points by several threads.
void kiln_measure_prepare(struct kiln_measure *measure, struct kiln_search_point *const *points, uint32_t count);
// What went wrong with the point that was measured last, and how: "" and KILN_OK when nothing did.
const char *kiln_measure_message(const struct kiln_measure *measure, enum kiln_status *status);
// What flushing the caches takes.
double kiln_measure_flush_ns(const struct kiln_measure *measure);

// The device of the buffers that a launch has; 0 where it has none.
uint32_t kiln_launch_device(const struct kiln_launch_desc *launch);

#endif
