// Runs a program on a backend of Kiln, or on an OpenCL implementation, and compares the outputs.
#ifndef KILN_TESTS_GEN_RUN_H
#define KILN_TESTS_GEN_RUN_H

#include "tests/gen/gen.h"

struct gen_result {
  bool ok;
  char message[2048];                // why not
  unsigned char *data[GEN_MAX_ARGS]; // contents of the buffers afterwards
};

struct gen_device; // where programs run

// NULL, with a message, when the backend or platform cannot be used. arch and options, of every build,
// may be NULL.
struct gen_device *gen_open_kiln(const char *backend, const char *arch, const char *options, char *message,
                                 size_t size);
struct gen_device *gen_open_opencl(char *message, size_t size);
// Prints programs as OpenCL C for any device and runs the text on interp.
struct gen_device *gen_open_round_trip(char *message, size_t size);
void gen_close_device(struct gen_device *device);
// Of one of Kiln: the size of sub-groups, and whether products and sums are fused.
uint32_t gen_warp_size(const struct gen_device *device);
bool gen_fuses(const struct gen_device *device);
const char *gen_device_name(const struct gen_device *device);

void gen_run(struct gen_device *device, const struct gen_program *program, struct gen_result *out);
void gen_result_free(struct gen_result *result);

// A description of the first difference; false when there is none.
bool gen_differ(const struct gen_program *program, const struct gen_result *a, const struct gen_result *b, char *text,
                size_t size);

#endif
