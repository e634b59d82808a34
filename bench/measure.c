// Runs the kernel set: each result is checked against plain C, then kiln and its peers take turns, and the medians
// count.
#include "bench/kernels.h"
#include "bench/start.h"

#include <stdlib.h>
#include <string.h>

struct series {
  double ms[BENCH_MAX_RUNS];
  unsigned count;
  bool ok;
};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Loads the kernel, runs it once and compares what comes out.
static bool prepare(struct bench_runner *runner, const struct bench *bench, const struct bench_data *inputs,
                    const struct bench_data *expected, bool *right) {
  struct bench_data data;
  bool ok = runner->load(runner->state, bench, inputs) && runner->run(runner->state) && bench_data_make(bench, &data);
  if (!ok)
    return false;
  *right = runner->fetch(runner->state, &data) && bench_data_equal(bench, expected, &data, runner->name);
  bench_data_free(&data);
  return true;
}

// The least time of a build and the first launch.
static double start_of(struct bench_runner *runner, const struct bench *bench, const struct bench_data *inputs,
                       unsigned starts, clockid_t clock) {
  double least = 0;
  for (unsigned i = 0; i < starts; i++) {
    double begin = start_clock_ms(clock);
    bool ok = runner->load(runner->state, bench, inputs) && runner->run(runner->state);
    double ms = start_clock_ms(clock) - begin;
    runner->unload(runner->state);
    if (!ok)
      return 0;
    least = i == 0 || ms < least ? ms : least;
  }
  return least;
}

static double middle(struct series *series) {
  if (!series->ok || !series->count)
    return 0;
  qsort(series->ms, series->count, sizeof *series->ms, compare);
  return series->ms[series->count / 2];
}

// One run; negative: it failed.
static double time_of(struct bench_runner *runner, clockid_t clock) {
  double begin = start_clock_ms(clock);
  return runner->run(runner->state) ? start_clock_ms(clock) - begin : -1;
}

static struct bench_result measure(const struct bench *bench, unsigned runs, unsigned starts, clockid_t clock,
                                   struct bench_runner *runners[BENCH_SIDES]) {
  struct bench_result result = {.bench = bench};
  struct bench_data inputs, expected = {{NULL}};
  struct series series[BENCH_SIDES] = {{.count = 0}};
  if (!bench_data_make(bench, &inputs) || !bench_data_make(bench, &expected)) {
    bench_data_free(&inputs);
    return result;
  }
  bench->plain(expected.args);
  for (int r = 0; r < BENCH_SIDES; r++) {
    bool right = false;
    if (!runners[r])
      continue;
    if (r == BENCH_KILN || r == BENCH_BUFFERS)
      result.start[r] = start_of(runners[r], bench, &inputs, starts, clock);
    series[r].ok = prepare(runners[r], bench, &inputs, &expected, &right);
    if (r == BENCH_KILN)
      result.ok = series[r].ok && right;
    else if (r == BENCH_BUFFERS)
      result.ok &= series[r].ok && right;
    if (r == BENCH_HAND)
      series[r].ok &= right;
  }
  for (unsigned run = 0; run < runs; run++)
    for (int i = 0; i < BENCH_SIDES; i++) {
      int r = run % 2 ? BENCH_SIDES - 1 - i : i; // so that no side always finds the caches as another one leaves them
      if (!series[r].ok)
        continue;
      double ms = time_of(runners[r], clock);
      series[r].ok = ms >= 0;
      series[r].ms[series[r].count++] = ms;
    }
  for (int r = 0; r < BENCH_SIDES; r++)
    if (runners[r])
      runners[r]->unload(runners[r]->state);
  for (int r = 0; r < BENCH_SIDES; r++) {
    result.ms[r] = middle(&series[r]); // sorts
    result.best[r] = result.ms[r] > 0 ? series[r].ms[0] : 0;
  }
  const struct series *kiln = &series[BENCH_KILN];
  if (result.ms[BENCH_KILN] > 0)
    result.spread = (kiln->ms[kiln->count - 1] - kiln->ms[0]) / result.ms[BENCH_KILN];
  bench_data_free(&inputs);
  bench_data_free(&expected);
  return result;
}

unsigned bench_measure(struct bench_result *results, const struct bench_set *set, const char *filter, unsigned runs,
                       unsigned starts, clockid_t clock, struct bench_runner *runners[BENCH_SIDES]) {
  unsigned count = 0;
  for (unsigned i = 0; i < set->count; i++)
    if (!filter || strstr(set->kernels[i].name, filter))
      results[count++] =
          measure(&set->kernels[i], runs < BENCH_MAX_RUNS ? runs : BENCH_MAX_RUNS, starts, clock, runners);
  return count;
}
