// Tuned launches: which point of a kernel runs, by the records in the cache, and of what sizes the launch is.
#ifndef KILN_JIT_TUNED_H
#define KILN_JIT_TUNED_H

#include "jit/lang/ast/tuning.h"
#include "jit/program.h"
#include "jit/tune_record.h"
#include "jit/tune_search.h"

enum kiln_tune_mode { KILN_TUNE_MODE_ON, KILN_TUNE_MODE_OFF, KILN_TUNE_MODE_REQUIRE, KILN_TUNE_MODE_AUTO };

// What tuned launches of one kernel of a program share: its description, and the records and variants that were needed
// so far. Lives as long as the program.
struct kiln_tuned;

// What a launch runs.
struct kiln_tuned_launch {
  struct kiln_kernel kernel; // of the program, or of a variant, which the program keeps
  bool has_sizes;            // the kernel has a problem_size: global and local take the place of the caller's
  uint64_t global[3], local[3];
  uint32_t work_dim;
};

// Reads COMPILE_TUNE.
enum kiln_status kiln_tuned_mode(const struct kiln_context *ctx, enum kiln_tune_mode *out);

// NOT_FOUND (no error is set): nothing is tuned of the kernel.
enum kiln_status kiln_tuned_of(struct kiln_kernel *kernel, struct kiln_tuned **out);
void kiln_tuned_free(struct kiln_program *program);
const struct kiln_tuning *kiln_tuned_description(const struct kiln_tuned *tuned);

// The point that a launch with desc->tuned takes. NOT_CACHED: COMPILE_TUNE=require, and it has no record.
enum kiln_status kiln_tuned_choose(struct kiln_kernel *kernel, struct kiln_stream *stream,
                                   const struct kiln_launch_desc *desc, struct kiln_tuned_launch *out);

// ---- for the search

// The integer arguments that expressions name. False: the launch has other arguments than the kernel.
bool kiln_tuned_args(const struct kiln_tuned *tuned, const struct kiln_launch_desc *desc, int64_t *out);
// The size class of these arguments, an exponent of two per key.
enum kiln_status kiln_tuned_class(const struct kiln_tuned *tuned, const int64_t *args, uint8_t size_class[16]);
// The point that runs where nothing is known. INVALID: the restrictions leave none with these arguments.
enum kiln_status kiln_tuned_default(const struct kiln_kernel *kernel, const struct kiln_tuned *tuned,
                                    const int64_t *args, int64_t *values);
// What a launch of a point runs; compiles the variant where that is needed.
enum kiln_status kiln_tuned_point(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const int64_t *values,
                                  const int64_t *args, struct kiln_tuned_launch *out);
// Compiles the variant of a point where that is needed; several threads may do that at the same time. is_launched: for
// launches, which need the program's own kernel, too. *out: its program, which lives as long as the kernel's; that one
// where the point needs no other; out may be NULL.
enum kiln_status kiln_tuned_compile(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const int64_t *values,
                                    bool is_launched, struct kiln_program **out);
// Appends a class as people write it: "M=512 N=512", or nothing for a kernel without keys.
void kiln_tuned_put_class(const struct kiln_tuning *tuning, const uint8_t *exponents, struct kiln_strbuf *out);
// The key of a record; false where programs have none (the cache is off), or memory is exhausted.
bool kiln_tuned_key(struct kiln_kernel *kernel, uint32_t device, const uint8_t size_class[16],
                    struct kiln_tune_key *out);
// A line about a device, for keys and for people.
void kiln_tuned_device(struct kiln_context *ctx, uint32_t device, struct kiln_strbuf *out);
// Where each parameter is among those of a record, by parameter. False: the record lacks one.
bool kiln_tuned_map(const struct kiln_tuning *tuning, const struct kiln_tune_record *record, uint32_t *map);

// As the public header has a point. Returns how many values that are.
uint32_t kiln_tuned_put_point(const struct kiln_tuning *tuning, const int64_t *values, struct kiln_tune_value *out);

// ---- tune_list.c

// A record of a kernel, of any device of the program's target.
struct kiln_tuned_record {
  const struct kiln_tune_key *key;
  const struct kiln_tune_record *record; // NULL: its text cannot be read
  const int64_t *best;                   // by parameter; NULL: it has no best point with all parameters
};
typedef bool kiln_tuned_record_fn(void *user, const struct kiln_tuned_record *record); // false: stop
// Calls fn with those that the cache has on this machine. Needs no device.
void kiln_tuned_records(struct kiln_kernel *kernel, const struct kiln_tuned *tuned, kiln_tuned_record_fn *fn,
                        void *user);

// tune.c: the search that COMPILE_TUNE=auto makes before the first launch of a size class.
enum kiln_status kiln_tune_first_launch(struct kiln_kernel *kernel, struct kiln_stream *stream,
                                        const struct kiln_launch_desc *desc);

#endif
