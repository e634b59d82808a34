// For the lower_*.c tests: runs a kernel on the interpreter.
#ifndef KILN_TESTS_LOWER_TEST_H
#define KILN_TESTS_LOWER_TEST_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"

struct lower_test {
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_stream *stream;
};

static inline void lower_test_open(struct lower_test *t, const char *source, const char *options) {
  memset(t, 0, sizeof *t);
  struct kiln_context_desc desc = {.backend = "interp", .cache_mode = "off"};
  cr_assert(kiln_context_open(&desc, &t->context) == KILN_OK, "%s", kiln_last_error());
  struct kiln_program_desc program = {.source = source, .name = "test.cl", .options = options};
  cr_assert(kiln_program_create(t->context, &program, &t->program) == KILN_OK, "%s", kiln_last_error());
  cr_assert(kiln_stream_create(t->context, 0, &t->stream) == KILN_OK, "%s", kiln_last_error());
}

static inline void lower_test_close(struct lower_test *t) {
  kiln_stream_release(t->stream);
  kiln_program_release(t->program);
  kiln_context_close(t->context);
}

// Runs a kernel with two buffers, input (first) and output, over count work-items. input may be NULL.
static inline void lower_test_run(struct lower_test *t, const char *name, uint64_t count, const void *input,
                                  size_t input_size, void *output, size_t output_size) {
  struct kiln_kernel *kernel;
  struct kiln_buffer *in = NULL, *out;
  cr_assert(kiln_kernel_create(t->program, name, &kernel) == KILN_OK, "%s: %s", name, kiln_last_error());
  struct kiln_arg args[2];
  uint32_t arg_count = 0;
  if (input) {
    cr_assert(kiln_buffer_create(t->context, &(struct kiln_buffer_desc){.size = input_size}, &in) == KILN_OK);
    cr_assert(kiln_write(t->stream, in, 0, input, input_size, NULL) == KILN_OK);
    args[arg_count++] = kiln_arg_buffer(in);
  }
  cr_assert(kiln_buffer_create(t->context, &(struct kiln_buffer_desc){.size = output_size}, &out) == KILN_OK);
  cr_assert(kiln_write(t->stream, out, 0, output, output_size, NULL) == KILN_OK);
  args[arg_count++] = kiln_arg_buffer(out);
  struct kiln_launch_desc launch = {.global = {count}, .args = args, .arg_count = arg_count};
  cr_assert(kiln_launch(t->stream, kernel, &launch, NULL) == KILN_OK, "%s: %s", name, kiln_last_error());
  cr_assert(kiln_read(t->stream, out, 0, output, output_size, NULL) == KILN_OK, "%s: %s", name, kiln_last_error());
  cr_assert(kiln_stream_finish(t->stream) == KILN_OK, "%s: %s", name, kiln_last_error());
  kiln_buffer_release(out);
  kiln_buffer_release(in);
  kiln_kernel_release(kernel);
}

#endif
