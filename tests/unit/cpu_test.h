// Runs kernels in the text form of the IR on two targets through the host API and compares what they leave in memory.
#ifndef KILN_TESTS_UNIT_CPU_TEST_H
#define KILN_TESTS_UNIT_CPU_TEST_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/backend.h"
#include "kiln/kiln.h"

struct machine {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  const char *name;
};

static inline bool machine_open(struct machine *m, const char *backend, const char *arch) {
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off", .num_threads = 2};
  memset(m, 0, sizeof *m);
  m->name = arch ? arch : backend;
  enum kiln_status status = kiln_context_open(&desc, &m->ctx);
  cr_assert_eq(status, KILN_OK, "%s: %s", m->name, kiln_last_error());
  status = kiln_stream_create(m->ctx, 0, &m->stream);
  if (status == KILN_ERR_UNAVAILABLE && arch) { // a target that this machine cannot run
    kiln_context_close(m->ctx);
    return false;
  }
  cr_assert_eq(status, KILN_OK, "%s: %s", m->name, kiln_last_error());
  return true;
}

static inline void machine_close(struct machine *m) {
  kiln_stream_release(m->stream);
  kiln_context_close(m->ctx);
}

static inline struct kiln_program *machine_program(struct machine *m, const char *text, const char *options) {
  struct kiln_program_desc desc = {.source = text, .name = "test.kir", .kind = KILN_SOURCE_IR_TEXT, .options = options};
  struct kiln_program *program = NULL;
  enum kiln_status status = kiln_program_create(m->ctx, &desc, &program);
  cr_assert_eq(status, KILN_OK, "%s: %s\n%.2000s", m->name, kiln_last_error(), text);
  return program;
}

// Runs a kernel of one-dimensional or larger range on buffers that are host memory, in place.
static inline void machine_run(struct machine *m, struct kiln_program *program, const char *kernel,
                               const uint64_t global[3], const uint64_t local[3], void **buffers, const size_t *sizes,
                               uint32_t count) {
  struct kiln_kernel *k = NULL;
  struct kiln_buffer *handles[8] = {NULL};
  struct kiln_arg args[8];
  enum kiln_status status = kiln_kernel_create(program, kernel, &k);
  cr_assert_eq(status, KILN_OK, "%s: %s: %s", m->name, kernel ? kernel : "-", kiln_last_error());
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_buffer_desc desc = {.size = sizes[i], .host = buffers[i]};
    status = kiln_buffer_create(m->ctx, &desc, &handles[i]);
    cr_assert_eq(status, KILN_OK, "%s: %s", m->name, kiln_last_error());
    args[i] = kiln_arg_buffer(handles[i]);
  }
  struct kiln_launch_desc launch = {.args = args, .arg_count = count};
  memcpy(launch.global, global, sizeof launch.global);
  memcpy(launch.local, local, sizeof launch.local);
  status = kiln_launch(m->stream, k, &launch, NULL);
  cr_assert_eq(status, KILN_OK, "%s: %s: %s", m->name, kernel ? kernel : "-", kiln_last_error());
  status = kiln_stream_finish(m->stream);
  cr_assert_eq(status, KILN_OK, "%s: %s: %s", m->name, kernel ? kernel : "-", kiln_last_error());
  for (uint32_t i = 0; i < count; i++)
    kiln_buffer_release(handles[i]);
  kiln_kernel_release(k);
}

// Reproducible numbers (SplitMix64).
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

#endif
