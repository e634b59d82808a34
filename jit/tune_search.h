// The search for the fastest point: which points are measured, in what order and how often. It knows nothing of
// devices: it asks for measurements, so that tests run it on recorded times. Equal seeds and measurements give equal
// results.
#ifndef KILN_JIT_TUNE_SEARCH_H
#define KILN_JIT_TUNE_SEARCH_H

#include "jit/lang/ast/tuning.h"

enum kiln_search_state { // numbers of records
  KILN_SEARCH_GOOD,
  KILN_SEARCH_WRONG,  // its results differ from the default's
  KILN_SEARCH_FAILED, // it does not compile, launch, or end
  KILN_SEARCH_SLOW,   // given up: more than ten times as slow as the best
};

struct kiln_search_point {
  uint64_t number;                        // among all points
  int64_t values[KILN_TUNING_MAX_PARAMS]; // by parameter
  enum kiln_search_state state;
  double ns, spread_ns; // median of a launch; 0: not measured yet
  bool is_known;        // from a record: it is not measured again but in the last rounds
};

struct kiln_search_ops {
  // The points that will be measured next, so that they can be compiled together; optional.
  void (*prepare)(void *user, struct kiln_search_point *const *points, uint32_t count);
  // Launches the point so many times, fewer where that takes more than 50 ms, and writes ns and spread_ns. limit_ns: a
  // launch that takes longer is given up (SLOW); 0: no limit. round: of the last rounds, in which each rival is
  // launched once; -1: before them.
  enum kiln_search_state (*measure)(void *user, struct kiln_search_point *point, uint32_t launches, double limit_ns,
                                    int round);
  // After each new point. False: the search ends. reserve_ns: what the last rounds are going to take.
  bool (*goes_on)(void *user, const struct kiln_search_point *point, const struct kiln_search_point *best,
                  uint64_t points, double reserve_ns);
  void *user;
};

struct kiln_search_desc {
  const struct kiln_tuning *tuning;
  const int64_t *args;
  uint64_t seed, max_points; // 0: any number
  bool all;                  // every point, in order
  // Where to begin, beside the default: values by parameter, so many points; what is not allowed is left out.
  const int64_t (*starts)[KILN_TUNING_MAX_PARAMS];
  uint32_t start_count;
  const struct kiln_search_point *known; // number is not set
  uint32_t known_count;
  struct kiln_search_ops ops;
};

struct kiln_search_result {
  struct kiln_search_point *points; // that were measured, in the order in which they were; freed with free()
  uint32_t count;
  uint32_t best, by_default; // among points
  double best_ns, default_ns;
};

// False when memory is exhausted, or the default is not GOOD: then the result has the default alone, if anything.
bool kiln_search_run(const struct kiln_search_desc *desc, struct kiln_search_result *out);

// Whether each value of a point is in its list.
bool kiln_search_has_values(const struct kiln_tuning *tuning, const int64_t *values);
// Whether a point is one of the tuning's: each value is in its list, and the restrictions hold.
bool kiln_search_is_point(const struct kiln_tuning *tuning, const int64_t *values, const int64_t *args);

// The point that runs where nothing is known: the first value of each parameter; where the restrictions do not hold for
// that, the first point for which they do, the values of the last parameter changing fastest. False: none is found.
bool kiln_search_default(const struct kiln_tuning *tuning, const int64_t *args, int64_t *values);

#endif
