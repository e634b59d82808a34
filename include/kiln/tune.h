// Tuning: which values of a kernel's parameters are the fastest (docs/tune.md). Part of kiln.h, which includes it.
#ifndef KILN_TUNE_H
#define KILN_TUNE_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// The value of one parameter; a point is a value of each.
struct kiln_tune_value {
  char name[64];
  int64_t value;
};

enum kiln_tune_flags {
  KILN_TUNE_ALL = 1,  // measure every point, whatever time that takes
  KILN_TUNE_WARM = 2, // leave the caches of the device as they are between the last launches
};

enum kiln_tune_event_kind {
  KILN_TUNE_EVENT_MEASURED,
  KILN_TUNE_EVENT_BEST,   // it is the fastest so far
  KILN_TUNE_EVENT_WRONG,  // its results differ from the default's
  KILN_TUNE_EVENT_FAILED, // it does not compile, launch, or end in time; message says why
};
struct kiln_tune_event { // of one point
  enum kiln_tune_event_kind kind;
  const struct kiln_tune_value *point;
  uint32_t value_count;
  double us, best_us; // microseconds; 0: not known
  uint64_t points;    // measured so far
  const char *message;
};
// Called after each point, on the calling thread. False: the search ends, and what it has found is stored.
typedef bool kiln_tune_fn(void *user, const struct kiln_tune_event *event);

struct kiln_tune_desc {
  struct kiln_program_desc program;
  const char *kernel;             // NULL: the only one of the program
  struct kiln_launch_desc launch; // as for a tuned launch; buffers have the same contents afterwards as before
  uint64_t budget_ns;             // 0: 10 s
  uint64_t max_points;            // 0: as many as the budget allows
  uint64_t seed;                  // of random points; 0: 1
  double tolerance;               // of floating-point results, relative to the largest of a buffer; 0: 1e-3
  uint64_t deadline_ns;           // a launch that runs longer is stopped; 0: none
  uint32_t flags;                 // enum kiln_tune_flags
  kiln_tune_fn *progress;         // NULL: no call
  void *user;
};
struct kiln_tune_result {
  struct kiln_tune_value point[16]; // the best one
  uint32_t value_count;
  double default_us, best_us;               // of a launch
  uint64_t points, compiles, wrong, failed; // of this call; points: those that were measured or known, and are right
  double seconds;
  char message[512]; // of the first point that was wrong or failed; ""
  bool stored;       // tuned launches of other processes find it; false: the cache is off or cannot be written
};

// Searches for the fastest point of a kernel, for launches of this size on this device, and stores it in the cache,
// where tuned launches find it (kiln_launch_desc.tuned). Waits while another thread or process tunes the same.
// INVALID: nothing is tuned of the kernel, or the arguments do not fit. Else errors of kiln_program_create and of the
// launch of the default point: then nothing is stored.
KILN_API enum kiln_status kiln_tune(struct kiln_context *ctx, const struct kiln_tune_desc *desc,
                                    struct kiln_tune_result *result);

// One record: what is known of a kernel for launches of one size class.
struct kiln_tune_record_info {
  const char *kernel;
  const char *size_class; // "M=512 N=512"; "" of a kernel without keys
  struct kiln_tune_value point[16];
  uint32_t value_count;
  double default_us, best_us;
  uint64_t points;    // measured
  const char *device; // that it was measured on: a line of its name, compute units, threads and caches
};
typedef bool kiln_tune_record_fn(void *user, const struct kiln_tune_record_info *record); // false: stop
// The records of a program's kernels (kernel NULL: all of them) that the cache has for the context's target, of any
// device. No device is needed.
KILN_API enum kiln_status kiln_tune_list(struct kiln_context *ctx, const struct kiln_program_desc *program,
                                         const char *kernel, kiln_tune_record_fn *fn, void *user);
// Removes them from the cache folder. removed: how many; may be NULL.
KILN_API enum kiln_status kiln_tune_forget(struct kiln_context *ctx, const struct kiln_program_desc *program,
                                           const char *kernel, uint64_t *removed);

#ifdef __cplusplus
}
#endif

#endif
