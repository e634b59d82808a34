// What the tests of the driver share: a context on the stand-in with the kernels of driver.cl, and a stream.
#ifndef KILN_TESTS_ROCM_SESSION_H
#define KILN_TESTS_ROCM_SESSION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/support/expect.h"

struct session {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_kernel *add, *sizes, *sum;
};

static char *source; // driver.cl

static inline bool read_source(const char *path) {
  FILE *file = fopen(path, "r");
  source = calloc(1, 65536);
  bool good = file && source && fread(source, 1, 65535, file);
  if (file)
    fclose(file);
  return good;
}

static inline enum kiln_status begin(struct session *s) {
  memset(s, 0, sizeof *s);
  struct kiln_context_desc desc = {.backend = "rocm", .arch = "gfx1100", .cache_mode = "off"};
  struct kiln_program_desc program = {.source = source, .name = "driver.cl"};
  FINE(kiln_context_open(&desc, &s->ctx));
  enum kiln_status status = kiln_stream_create(s->ctx, 0, &s->stream);
  if (!status)
    status = kiln_program_create(s->ctx, &program, &s->program);
  if (status)
    return status;
  status = kiln_kernel_create(s->program, "add", &s->add);
  if (status)
    return status;
  FINE(kiln_kernel_create(s->program, "sizes", &s->sizes));
  FINE(kiln_kernel_create(s->program, "sum", &s->sum));
  return KILN_OK;
}

static inline void end(struct session *s) {
  kiln_kernel_release(s->add);
  kiln_kernel_release(s->sizes);
  kiln_kernel_release(s->sum);
  kiln_program_release(s->program);
  kiln_stream_release(s->stream);
  kiln_context_close(s->ctx);
}

static inline struct kiln_buffer *buffer(struct session *s, size_t size, void *host, uint32_t device) {
  struct kiln_buffer *result = NULL;
  FINE(kiln_buffer_create(s->ctx, &(struct kiln_buffer_desc){.size = size, .host = host, .device = device}, &result));
  return result;
}

static inline enum kiln_status add_one(struct session *s, struct kiln_stream *stream, struct kiln_buffer *b, uint64_t n,
                                       struct kiln_event **event) {
  int one = 1;
  struct kiln_arg args[] = {kiln_arg_buffer(b), kiln_arg_value(&one, sizeof one)};
  return kiln_launch(stream, s->add, &(struct kiln_launch_desc){.global = {n}, .args = args, .arg_count = 2}, event);
}

#endif
