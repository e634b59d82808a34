// Kernels that never end on the OpenCL backend, which cannot stop them: waiting gives up, the stream is lost, and
// closing returns. Each test lets its kernels go in the end.
#include <unistd.h>

#include "jit_test.h"

#define SECOND UINT64_C(1000000000)

static const char source[] = "kernel void spins(global volatile int *go) {\n"
                             "  while (go[0]) ;\n"
                             "  go[1] = 1;\n"
                             "}\n"
                             "kernel void spins_and_prints(global volatile int *go) {\n"
                             "  while (go[0]) ;\n"
                             "  printf(\"done\\n\");\n"
                             "  go[1] = 1;\n"
                             "}\n";

struct fixture {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *buffer;
};

static int *go; // stays until the process ends, as what a lost stream uses must

// False where no platform is installed, unless the tests must have one.
static bool begin(struct fixture *f, const char *kernel, uint64_t deadline) {
  memset(f, 0, sizeof *f);
  const char *required = getenv("KILN_TEST_REQUIRE");
  if (kiln_context_open(&(struct kiln_context_desc){.backend = "opencl", .arch = "0:0"}, &f->ctx) != KILN_OK) {
    cr_assert(!required || !strstr(required, "opencl"), "%s", kiln_last_error());
    return false;
  }
  cr_assert(!posix_memalign((void **)&go, 4096, 4096));
  go[0] = 1;
  go[1] = 0;
  OK(kiln_program_create(f->ctx, &(struct kiln_program_desc){.source = source, .name = "spins.cl"}, &f->program));
  OK(kiln_kernel_create(f->program, kernel, &f->kernel));
  OK(kiln_stream_create(f->ctx, 0, &f->stream));
  OK(kiln_buffer_create(f->ctx, &(struct kiln_buffer_desc){.size = 4096, .host = go}, &f->buffer));
  if (deadline)
    OK(kiln_stream_set_deadline(f->stream, deadline));
  return true;
}

static enum kiln_status launch(struct fixture *f, struct kiln_event **event) {
  struct kiln_arg arg = kiln_arg_buffer(f->buffer);
  struct kiln_launch_desc desc = {.global = {1}, .local = {1}, .args = &arg, .arg_count = 1};
  return kiln_launch(f->stream, f->kernel, &desc, event);
}

static void end(struct fixture *f) {
  kiln_buffer_release(f->buffer);
  kiln_kernel_release(f->kernel);
  kiln_program_release(f->program);
  kiln_stream_release(f->stream);
  kiln_context_close(f->ctx);
  bool spins = __atomic_exchange_n(&go[0], 0, __ATOMIC_SEQ_CST);
  // The process must not end in the middle of that: the platform's threads would run among its destructors.
  for (int i = 0; spins && i < 1000 && !__atomic_load_n(&go[1], __ATOMIC_SEQ_CST); i++)
    usleep(10000);
  usleep(10000);
}

Test(opencl_deadline, waiting_gives_up_and_the_stream_is_lost, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  struct kiln_event *event;
  int word = 0;
  if (!begin(&f, "spins", SECOND / 10))
    return;
  OK(launch(&f, &event));
  OK(launch(&f, NULL)); // pending behind it
  cr_assert(!kiln_event_done(event));
  FAILS(kiln_event_wait(event), KILN_ERR_TIMEOUT, "a command ran longer than its deadline of 100 ms");
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "the stream is lost");
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "the stream is lost"); // each time
  FAILS(launch(&f, NULL), KILN_ERR_TIMEOUT, "the stream is lost");
  FAILS(kiln_read(f.stream, f.buffer, 0, &word, sizeof word, NULL), KILN_ERR_TIMEOUT, "the stream is lost");
  FAILS(kiln_fill(f.stream, f.buffer, 0, 4, &word, 4, NULL), KILN_ERR_TIMEOUT, "the stream is lost");
  cr_assert(kiln_event_done(event));
  kiln_event_release(event);
  end(&f);
}

Test(opencl_deadline, closing_returns_while_a_kernel_never_ends, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  if (!begin(&f, "spins", SECOND / 10))
    return;
  OK(launch(&f, NULL));
  end(&f);
}

Test(opencl_deadline, a_kernel_that_prints_and_never_ends, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  if (!begin(&f, "spins_and_prints", SECOND / 10))
    return;
  FAILS(launch(&f, NULL), KILN_ERR_TIMEOUT, "deadline of 100 ms");
  end(&f);
}

Test(opencl_deadline, cancelling_loses_the_stream, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  if (!begin(&f, "spins", KILN_DEADLINE_CANCEL))
    return;
  OK(launch(&f, NULL));
  OK(kiln_stream_cancel(f.stream));
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "the stream is lost");
  end(&f);
}

Test(opencl_deadline, commands_in_time_are_left_alone, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  int word = 7, back = 0;
  if (!begin(&f, "spins", 0))
    return;
  FAILS(kiln_stream_cancel(f.stream), KILN_ERR_UNSUPPORTED, "only streams with a deadline");
  OK(kiln_stream_set_deadline(f.stream, 20 * SECOND));
  __atomic_store_n(&go[0], 0, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 100; i++)
    OK(launch(&f, NULL));
  OK(kiln_write(f.stream, f.buffer, 4, &word, sizeof word, NULL));
  OK(kiln_read(f.stream, f.buffer, 4, &back, sizeof back, NULL));
  OK(kiln_stream_finish(f.stream));
  cr_assert_eq(back, 7);
  OK(kiln_stream_cancel(f.stream)); // nothing is pending
  OK(launch(&f, NULL));
  OK(kiln_stream_finish(f.stream));
  end(&f);
}
