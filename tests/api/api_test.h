// What the tests of the host API share: checks of calls, and a context of the backend that main was given.
#ifndef KILN_TESTS_API_H
#define KILN_TESTS_API_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/support/expect.h"

// The call fails with this status and reason, about this argument or dimension.
#define FAILS(call, want_status, want_reason, want_index)                                                              \
  do {                                                                                                                 \
    enum kiln_status got_ = (call);                                                                                    \
    uint32_t index_ = 99;                                                                                              \
    enum kiln_reason reason_ = kiln_last_reason(&index_);                                                              \
    EXPECT(got_ == (want_status) && reason_ == (want_reason) && index_ == (want_index),                                \
           "%s: status %d, reason %d, index %u: %s", #call, (int)got_, (int)reason_, (unsigned)index_,                 \
           kiln_last_error());                                                                                         \
  } while (0)

static struct kiln_context *ctx;
static struct kiln_stream *stream;
static struct kiln_device_info device;
static const char *backend;

// Exits with 77 where the backend has no device.
static inline void api_open(int argc, char **argv) {
  EXPECT(argc == 2, "usage: %s BACKEND", argv[0]);
  backend = argv[1];
  uint32_t count = 0;
  if (kiln_context_open(&(struct kiln_context_desc){.backend = backend}, &ctx) != KILN_OK ||
      kiln_device_count(ctx, &count) != KILN_OK) {
    fprintf(stderr, "skipped: %s\n", kiln_last_error());
    exit(77);
  }
  FINE(kiln_device_info(ctx, 0, &device));
  FINE(kiln_stream_create(ctx, 0, &stream));
}

static inline void api_close(void) {
  kiln_stream_release(stream);
  kiln_context_close(ctx);
}

static inline bool api_is(const char *name) { return strcmp(backend, name) == 0; }

// The program's only kernel.
static inline struct kiln_kernel *api_kernel(const char *source) {
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  FINE(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program));
  FINE(kiln_kernel_create(program, NULL, &kernel));
  kiln_program_release(program);
  return kernel;
}

static inline struct kiln_buffer *api_buffer(size_t size, void *host) {
  struct kiln_buffer *buffer;
  FINE(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = size, .host = host}, &buffer));
  return buffer;
}

#endif
