// Handles of other runtimes on a backend whose device is the process: they are pointers.
#include "jit_test.h"

TestSuite(jit_native, .init = set_up, .fini = tear_down, .timeout = 60);

Test(jit_native, pointers_are_the_handles_of_the_host) {
  struct kiln_context *ctx = open_interp();
  struct kiln_native_context native = {.runtime = KILN_RUNTIME_HSA};
  OK(kiln_context_native(ctx, 0, &native));
  cr_assert_eq(native.runtime, KILN_RUNTIME_HOST);

  _Alignas(128) int values[64] = {0};
  struct kiln_buffer *whole, *part;
  struct kiln_stream *stream;
  void *memory = NULL, *queue = NULL;
  size_t offset = 1;
  int seven = 7;
  OK(kiln_buffer_wrap_native(ctx, 0, values, sizeof values, &whole));
  OK(kiln_buffer_sub(whole, 128, 64, &part));
  OK(kiln_buffer_native(part, &memory, &offset));
  cr_assert(memory == values && offset == 128);
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_fill(stream, part, 0, 64, &seven, 4, NULL));
  OK(kiln_stream_finish(stream));
  cr_assert(values[31] == 0 && values[32] == 7 && values[47] == 7 && values[48] == 0);

  FAILS(kiln_buffer_wrap_native(ctx, 0, values, 0, &whole), KILN_ERR_INVALID, "size is 0");
  FAILS(kiln_stream_wrap_native(ctx, 0, values, &stream), KILN_ERR_UNSUPPORTED, "backend 'interp' has no queues");
  FAILS(kiln_stream_native(stream, &queue), KILN_ERR_UNSUPPORTED, "backend 'interp' has no queues");
  FAILS(kiln_stream_native(NULL, &queue), KILN_ERR_INVALID, "stream is NULL");
  FAILS(kiln_buffer_native(part, &memory, NULL), KILN_ERR_INVALID, "offset is NULL");
  kiln_stream_release(stream);
  kiln_buffer_release(part);
  kiln_buffer_release(whole);
  kiln_context_close(ctx);
}

Test(jit_native, backends_that_take_no_handles_say_so) {
  struct kiln_context *ctx;
  struct kiln_native_context native = {.runtime = KILN_RUNTIME_HSA, .agent = 1};
  FAILS(kiln_context_open_native(&(struct kiln_context_desc){.backend = "interp"}, &native, &ctx), KILN_ERR_UNSUPPORTED,
        "backend 'interp' takes no handles of HSA");
  native.runtime = KILN_RUNTIME_HOST;
  FAILS(kiln_context_open_native(NULL, &native, &ctx), KILN_ERR_INVALID, "handles of the host are pointers");
}
