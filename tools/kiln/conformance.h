// The conformance suite: what its parts share.
#ifndef KILN_TOOL_CONFORMANCE_H
#define KILN_TOOL_CONFORMANCE_H

#include <kiln/backend.h>

#include "json.h"
#include "tool.h"

// The run of one area of checks. A check counts as passed unless something is told against it.
struct area {
  const char *name;
  uint32_t passed, failed, skipped;
};

struct suite {
  const struct common *common;
  struct kiln_context *ctx, *oracle; // on the backend, and on the interpreter
  const struct kiln_base_backend *backend;
  struct kiln_target target;
  struct kiln_stream *stream, *oracle_stream; // NULL: there is no device
  char no_device[512];                        // why
  bool sub_groups;                            // the oracle has sub-groups of the size of the target
  char printed[2][4096];                      // by kernels, on the backend and on the interpreter
  struct area *area;
  uint32_t notes; // printed so far
  bool verbose;
};

// One check. Returns ok, so that what depends on it can be left out.
__attribute__((format(printf, 3, 4))) bool expect(struct suite *s, bool ok, const char *format, ...);
// A check that cannot be made here, and why.
__attribute__((format(printf, 2, 3))) void skip(struct suite *s, const char *format, ...);
// A call that must return OK.
bool expect_ok(struct suite *s, enum kiln_status status, const char *what);
// A call that must fail with a status and a message.
bool expect_failure(struct suite *s, enum kiln_status status, enum kiln_status wanted, const char *what);

// ---- areas ----------------------------------------------------------------------------------------------------------

void check_registration(struct suite *s);
void check_targets(struct suite *s);
void check_hash(struct suite *s);
void check_stages(struct suite *s);
void check_determinism(struct suite *s);
void check_cache(struct suite *s);
void check_operations(struct suite *s);
void check_builtins(struct suite *s);
void check_images(struct suite *s);
void check_arguments(struct suite *s);
void check_memory(struct suite *s);
void check_streams(struct suite *s);
void check_errors(struct suite *s);
void check_unload(struct suite *s);

// ---- running kernels ------------------------------------------------------------------------------------------------

enum { CASE_ITEMS = 64, CASE_BYTES = 16 * 8 * CASE_ITEMS }; // room for vectors of 16 elements of 8 bytes per work-item

enum element { EL_BITS, EL_F16, EL_F32, EL_F64, EL_PLAIN }; // PLAIN: floats between 0.1 and 4
struct tolerance {
  enum element element;
  double ulp; // 0: the same bits, but that all NaNs are equal
};

// Runs a kernel with two buffers, in (three operands of CASE_BYTES) and out, on both backends over CASE_ITEMS
// work-items and compares what is in out afterwards, and what was printed. what: for messages. Nothing when there is no
// device.
bool compare_kernel(struct suite *s, struct kiln_program *program, struct kiln_program *oracle, const char *kernel,
                    const char *what, enum element in, uint32_t local, const struct tolerance *tolerance);
struct kiln_program *program_of(struct kiln_context *ctx, const char *source, enum kiln_source_kind kind,
                                const char *options, enum kiln_status *status);
// y = a * x + y as OpenCL C.
extern const char saxpy_source[];

#endif
