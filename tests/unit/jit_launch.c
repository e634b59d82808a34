// Launches, buffers, streams and events: checks, order of releases, threads. On interp, with kernels as IR text.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "jit_test.h"

#define N 64

struct fixture {
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *x, *y;
  int32_t n;
  float a;
  struct kiln_arg args[4];
  struct kiln_launch_desc launch;
};
static struct fixture f;
static atomic_bool is_gone; // the context: a thread that frees what was released may hold it a moment longer

static void note_gone(void *user) { atomic_store((atomic_bool *)user, true); }

static void open_all(void) {
  set_up();
  f = (struct fixture){.n = N, .a = 2};
  f.ctx = open_interp();
  OK(kiln_context_on_close(f.ctx, note_gone, &is_gone));
  f.program = make_program(f.ctx, SAXPY);
  OK(kiln_kernel_create(f.program, NULL, &f.kernel));
  OK(kiln_stream_create(f.ctx, 0, &f.stream));
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N}, &f.x));
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N}, &f.y));
  float one = 1;
  OK(kiln_fill(f.stream, f.x, 0, 4 * N, &one, 4, NULL));
  OK(kiln_fill(f.stream, f.y, 0, 4 * N, &one, 4, NULL));
  f.args[0] = kiln_arg_value(&f.n, 4);
  f.args[1] = kiln_arg_value(&f.a, 4);
  f.args[2] = kiln_arg_buffer(f.x);
  f.args[3] = kiln_arg_buffer(f.y);
  f.launch = (struct kiln_launch_desc){.global = {N}, .arg_count = 4, .args = f.args};
}
static void close_all(void) {
  kiln_buffer_release(f.x);
  kiln_buffer_release(f.y);
  kiln_stream_release(f.stream);
  kiln_kernel_release(f.kernel);
  kiln_program_release(f.program);
  kiln_context_close(f.ctx);
  for (int i = 0; i < 100000 && !atomic_load(&is_gone); i++)
    usleep(100);
  tear_down();
}

static void expect(struct kiln_buffer *buffer, float value) {
  float got[N];
  OK(kiln_read(f.stream, buffer, 0, got, sizeof got, NULL));
  OK(kiln_stream_finish(f.stream));
  for (int i = 0; i < N; i++)
    cr_assert_eq(got[i], value, "[%d] = %g instead of %g", i, (double)got[i], (double)value);
}

Test(launch, runs, .init = open_all, .fini = close_all) {
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  expect(f.y, 3);
  f.launch.local[0] = 7; // partial last group
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  expect(f.y, 5);
}

Test(launch, wrong_arguments_are_named, .init = open_all, .fini = close_all) {
  float four[4] = {0};
  f.args[0] = kiln_arg_value(four, 8);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID,
        "kernel 'saxpy': argument 0 ('n'): expected 4 bytes for 'int', got 8");
  f.args[0] = kiln_arg_value(NULL, 4);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID, "argument 0 ('n'): the pointer");
  f.args[0] = kiln_arg_buffer(f.x);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID,
        "argument 0 ('n'): expected a value for 'int', got a buffer");
  f.args[0] = kiln_arg_value(&f.n, 4);
  f.args[3] = kiln_arg_local(16);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID,
        "argument 3 ('y'): expected a buffer for 'float*', got local memory");
  f.args[3] = kiln_arg_value(four, 8);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID, "argument 3 ('y')");
  f.args[3] = kiln_arg_buffer(f.y);
  f.launch.arg_count = 3;
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID, "kernel 'saxpy' takes 4 arguments, got 3");
  f.launch.arg_count = 4;
  f.launch.args = NULL;
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID, "args is NULL");

  struct kiln_context *other = open_interp();
  struct kiln_buffer *foreign;
  OK(kiln_buffer_create(other, &(struct kiln_buffer_desc){.size = 4 * N}, &foreign));
  f.launch.args = f.args;
  f.args[2] = kiln_arg_buffer(foreign);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID, "argument 2 ('x'): the buffer belongs to");
  kiln_buffer_release(foreign);
  kiln_context_close(other);
  f.args[2] = kiln_arg_buffer(f.x);
  expect(f.y, 1);
}

// Compiled code would fault on it.
Test(launch, misaligned_host_memory_is_named, .init = open_all, .fini = close_all) {
  _Alignas(128) static char memory[4 * N + 128];
  struct kiln_buffer *wrapped, *window;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N, .host = memory + 2}, &wrapped));
  f.args[3] = kiln_arg_buffer(wrapped);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID,
        "kernel 'saxpy': argument 3 ('y'): the buffer's host memory is not aligned to 4 bytes, as 'float*' needs");
  OK(kiln_buffer_sub(wrapped, 128, 128, &window));
  f.args[3] = kiln_arg_buffer(window);
  FAILS(kiln_launch(f.stream, f.kernel, &f.launch, NULL), KILN_ERR_INVALID,
        "argument 3 ('y'): the buffer's host memory");
  kiln_buffer_release(window);
  kiln_buffer_release(wrapped);
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N, .host = memory + 4}, &wrapped));
  f.args[3] = kiln_arg_buffer(wrapped);
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  OK(kiln_stream_finish(f.stream));
  kiln_buffer_release(wrapped);
}

Test(launch, sizes, .init = open_all, .fini = close_all) {
  static const struct {
    uint64_t global[3], local[3], offset[3];
    uint32_t work_dim;
    const char *message; // NULL: fine
  } cases[] = {
      {{N}, {0}, {0}, 0, NULL},
      {{N, 0, 0}, {0}, {0}, 3, NULL},
      {{0}, {0}, {0}, 0, NULL}, // runs nothing
      {{N}, {16, 1, 1}, {0}, 0, NULL},
      {{N, 1}, {16, 1}, {0}, 0, NULL}, // two rows would race for y
      {{N}, {0}, {0}, 4, "work_dim is 4"},
      {{N, 2}, {0}, {0}, 1, "dimension 1, but work_dim is 1"},
      {{N}, {16, 2}, {0}, 0, "the local size is 2 in dimension 1"},
      {{N, 2}, {0, 2}, {0}, 0, "the local size is 0 in dimension 0"},
      {{N}, {1 << 20}, {0}, 0, "is larger than"},
      {{N, N, N}, {UINT64_C(1) << 32, UINT64_C(1) << 32, 2}, {0}, 0, "is larger than"},
      {{UINT64_MAX}, {0}, {0}, 0, "is too large"},
      {{UINT64_C(1) << 40, UINT64_C(1) << 40}, {0}, {0}, 0, "is too large"},
      {{N}, {0}, {INT64_MAX}, 0, "is too large"},
      {{N}, {0}, {UINT64_MAX}, 0, "is too large"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memcpy(f.launch.global, cases[i].global, sizeof f.launch.global);
    memcpy(f.launch.local, cases[i].local, sizeof f.launch.local);
    memcpy(f.launch.offset, cases[i].offset, sizeof f.launch.offset);
    f.launch.work_dim = cases[i].work_dim;
    enum kiln_status status = kiln_launch(f.stream, f.kernel, &f.launch, NULL);
    cr_assert_eq(status, cases[i].message ? KILN_ERR_INVALID : KILN_OK, "case %zu: %s", i, kiln_last_error());
    if (cases[i].message)
      cr_assert(strstr(kiln_last_error(), cases[i].message), "case %zu: %s", i, kiln_last_error());
  }
  OK(kiln_stream_finish(f.stream));
}

Test(launch, required_group_size, .init = open_all, .fini = close_all) {
  struct kiln_program *program = make_program(f.ctx, "kiln_ir 1\nkernel @k() reqd 8 2 1 {\n  return\n}\n");
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, "k", &kernel));
  struct kiln_launch_desc launch = {.global = {16, 4}};
  OK(kiln_launch(f.stream, kernel, &launch, NULL));
  launch.local[0] = 8;
  launch.local[1] = 2;
  OK(kiln_launch(f.stream, kernel, &launch, NULL));
  launch.local[1] = 4;
  FAILS(kiln_launch(f.stream, kernel, &launch, NULL), KILN_ERR_INVALID, "requires a local size of 8 x 2 x 1");
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

Test(launch, local_memory, .init = open_all, .fini = close_all) {
  struct kiln_program *program =
      make_program(f.ctx, "kiln_ir 1\nkernel @k(%p: ptr.local \"int*\", %q: ptr.local \"int*\") {\n  return\n}\n");
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, "k", &kernel));
  struct kiln_arg args[2] = {kiln_arg_local(64), kiln_arg_local(64)};
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 2};
  OK(kiln_launch(f.stream, kernel, &launch, NULL));
  args[1] = kiln_arg_local(0);
  FAILS(kiln_launch(f.stream, kernel, &launch, NULL), KILN_ERR_INVALID, "argument 1 ('q'): local memory of 0 bytes");
  args[1] = kiln_arg_local(SIZE_MAX);
  FAILS(kiln_launch(f.stream, kernel, &launch, NULL), KILN_ERR_INVALID, "argument 1 ('q'): local memory of");
  args[1] = kiln_arg_local((size_t)1 << 40);
  FAILS(kiln_launch(f.stream, kernel, &launch, NULL), KILN_ERR_INVALID, "bytes of local memory, and device 0");
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

Test(launch, prepared, .init = open_all, .fini = close_all) {
  struct kiln_prepared *prepared;
  OK(kiln_prepare(f.stream, f.kernel, &f.launch, &prepared));
  f.n = 0; // arguments were copied
  f.a = 100;
  for (int i = 0; i < 10; i++)
    OK(kiln_run_prepared(prepared, NULL));
  struct kiln_event *event;
  OK(kiln_run_prepared(prepared, &event));
  OK(kiln_event_wait(event));
  cr_assert(kiln_event_done(event));
  struct kiln_event_times t;
  OK(kiln_event_times(event, &t));
  cr_assert(t.enqueued_ns <= t.started_ns && t.started_ns <= t.ended_ns && t.ended_ns > 0);
  kiln_event_release(event);
  expect(f.y, 23);
  kiln_prepared_release(prepared);
}

Test(launch, nothing_to_run_gives_an_event, .init = open_all, .fini = close_all) {
  struct kiln_event *event = NULL;
  f.launch.global[0] = 0;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, &event));
  OK(kiln_event_wait(event));
  kiln_event_release(event);
  OK(kiln_write(f.stream, f.x, 4 * N, NULL, 0, &event));
  OK(kiln_event_wait(event));
  kiln_event_release(event);
  expect(f.y, 1);
}

Test(launch, kernels_are_found_by_name, .init = open_all, .fini = close_all) {
  struct kiln_kernel *kernel;
  struct kiln_program *program =
      make_program(f.ctx, "kiln_ir 1\nkernel @one() {\n  return\n}\nkernel @two() {\n  return\n}\n");
  FAILS(kiln_kernel_create(program, NULL, &kernel), KILN_ERR_NOT_FOUND,
        "has 2 kernels, so one must be named: one, two");
  FAILS(kiln_kernel_create(program, "three", &kernel), KILN_ERR_NOT_FOUND, "no kernel 'three'; it has: one, two");
  OK(kiln_kernel_create(program, "two", &kernel));
  cr_assert_str_eq(kiln_kernel_info(kernel)->name, "two");
  cr_assert_str_eq(kiln_program_kernel_name(program, 0), "one");
  cr_assert_null(kiln_program_kernel_name(program, 2));
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  program = make_program(f.ctx, "kiln_ir 1\n");
  FAILS(kiln_kernel_create(program, NULL, &kernel), KILN_ERR_NOT_FOUND, "has no kernel");
  kiln_program_release(program);
}

Test(launch, order_of_releases_does_not_matter, .init = open_all, .fini = close_all) {
  struct kiln_prepared *prepared;
  struct kiln_event *event;
  struct kiln_context *ctx = open_interp();
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *buffer, *window;
  OK(kiln_kernel_create(program, NULL, &kernel));
  OK(kiln_stream_create(ctx, 0, &stream));
  kiln_context_close(ctx);
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 1024}, &buffer));
  OK(kiln_buffer_sub(buffer, 256, 256, &window));
  f.args[2] = f.args[3] = kiln_arg_buffer(window);
  float one = 1;
  OK(kiln_fill(stream, buffer, 0, 1024, &one, 4, NULL));
  kiln_program_release(program);
  kiln_buffer_release(buffer);
  OK(kiln_prepare(stream, kernel, &f.launch, &prepared));
  kiln_kernel_release(kernel);
  kiln_buffer_release(window);
  OK(kiln_run_prepared(prepared, NULL));
  OK(kiln_run_prepared(prepared, &event));
  kiln_stream_release(stream);
  OK(kiln_run_prepared(prepared, NULL));
  kiln_prepared_release(prepared);
  OK(kiln_event_wait(event));
  kiln_event_release(event);
}

// What "noalias" says in a kernel that writes its first buffer and reads the others.
static int32_t noalias(struct kiln_kernel *kernel, struct kiln_buffer *out, struct kiln_buffer *a,
                       struct kiln_buffer *b) {
  const struct kiln_arg args[] = {kiln_arg_buffer(out), kiln_arg_buffer(a), kiln_arg_buffer(b)};
  int32_t value = -1;
  OK(kiln_launch(f.stream, kernel, &(struct kiln_launch_desc){.global = {1}, .arg_count = 3, .args = args}, NULL));
  OK(kiln_read(f.stream, out, 0, &value, sizeof value, NULL));
  OK(kiln_stream_finish(f.stream));
  return value;
}

Test(launch, tells_whether_what_is_written_is_apart, .init = open_all, .fini = close_all) {
  struct kiln_program *program =
      make_program(f.ctx, "kiln_ir 1\n"
                          "kernel @k(%o: ptr.global, %a: ptr.global, %b: ptr.global) {\n"
                          "  %p = eq %a, null:ptr.global\n  if %p {\n    yield\n  } else {\n"
                          "    %x = load %a, align 4 : i32\n    %y = load %b, align 4 : i32\n    yield\n  }\n"
                          "  %c = noalias : bool\n  %v = zext %c : i32\n  store %o, %v, align 4\n  return\n}\n");
  struct kiln_kernel *kernel;
  OK(kiln_kernel_create(program, NULL, &kernel));
  cr_expect_eq(noalias(kernel, f.x, f.y, f.y), 1, "what is only read may be the same");
  cr_expect_eq(noalias(kernel, f.x, f.y, f.x), 0);
  cr_expect_eq(noalias(kernel, f.x, NULL, NULL), 1);

  struct kiln_buffer *whole, *first, *second, *middle;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 512}, &whole));
  OK(kiln_buffer_sub(whole, 0, 256, &first));
  OK(kiln_buffer_sub(whole, 256, 256, &second));
  OK(kiln_buffer_sub(whole, 128, 256, &middle));
  cr_expect_eq(noalias(kernel, first, second, f.x), 1);
  cr_expect_eq(noalias(kernel, second, first, f.x), 1);
  cr_expect_eq(noalias(kernel, second, f.x, middle), 0);
  cr_expect_eq(noalias(kernel, middle, second, f.x), 0);
  cr_expect_eq(noalias(kernel, f.x, middle, second), 1);
  cr_expect_eq(noalias(kernel, second, whole, f.x), 0);

  int32_t memory[64] = {0}; // of the host, in two buffers
  struct kiln_buffer *wrapped, *again, *beside;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 128, .host = memory}, &wrapped));
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 64, .host = memory + 30}, &again));
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 128, .host = memory + 32}, &beside));
  cr_expect_eq(noalias(kernel, wrapped, f.x, again), 0);
  cr_expect_eq(noalias(kernel, wrapped, f.x, beside), 1);

  struct kiln_buffer *all[] = {first, second, middle, whole, wrapped, again, beside};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    kiln_buffer_release(all[i]);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

// The same where the last buffer is written, and where it is read as well.
Test(launch, tells_whether_what_is_read_and_written_is_apart, .init = open_all, .fini = close_all) {
  static const char *const kernels[] = {
      "kiln_ir 1\nkernel @k(%a: ptr.global, %b: ptr.global, %o: ptr.global) {\n"
      "  %x = load %a, align 4 : i32\n  %y = load %b, align 4 : i32\n  store %b, %y, align 4\n"
      "  %c = noalias : bool\n  %v = zext %c : i32\n  store %o, %v, align 4\n  return\n}\n",
      "kiln_ir 1\nkernel @k(%a: ptr.global, %b: ptr.global, %o: ptr.global) {\n"
      "  %x = load %a, align 4 : i32\n  %y = load %b, align 4 : i32\n  %z = load %o, align 4 : i32\n"
      "  %c = noalias : bool\n  %v = zext %c : i32\n  %s = iadd %z, %v\n  store %o, %s, align 4\n  return\n}\n"};
  struct kiln_buffer *z;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 512}, &z));
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    struct kiln_program *program = make_program(f.ctx, kernels[i]);
    struct kiln_kernel *kernel;
    OK(kiln_kernel_create(program, NULL, &kernel));
    struct kiln_buffer *const cases[][3] = {{f.x, f.y, z}, {z, f.y, z}, {f.x, z, z}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const struct kiln_arg args[] = {kiln_arg_buffer(cases[k][0]), kiln_arg_buffer(cases[k][1]),
                                      kiln_arg_buffer(cases[k][2])};
      int32_t value = 0;
      OK(kiln_write(f.stream, z, 0, &value, sizeof value, NULL)); // to which the second one adds
      OK(kiln_launch(f.stream, kernel, &(struct kiln_launch_desc){.global = {1}, .arg_count = 3, .args = args}, NULL));
      OK(kiln_read(f.stream, z, 0, &value, sizeof value, NULL));
      OK(kiln_stream_finish(f.stream));
      cr_expect_eq(value, k == 0, "kernel %zu, case %zu", i, k);
    }
    kiln_kernel_release(kernel);
    kiln_program_release(program);
  }
  kiln_buffer_release(z);
}

Test(stream, buffers_are_checked, .init = open_all, .fini = close_all) {
  struct kiln_buffer *b;
  char bytes[64] = {0};
  FAILS(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 0}, &b), KILN_ERR_INVALID, "size is 0");
  FAILS(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = SIZE_MAX}, &b), KILN_ERR_MEMORY,
        "bytes of device");
  FAILS(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 1, .device = 9}, &b), KILN_ERR_NOT_FOUND,
        "there is no device 9");
  FAILS(kiln_buffer_sub(f.x, 4, 4, &b), KILN_ERR_INVALID, "no multiple of 128");
  FAILS(kiln_buffer_sub(f.x, 128, 4 * N, &b), KILN_ERR_INVALID, "do not fit");
  FAILS(kiln_buffer_sub(f.x, 0, 0, &b), KILN_ERR_INVALID, "size is 0");
  FAILS(kiln_write(f.stream, f.x, 4 * N, bytes, 1, NULL), KILN_ERR_INVALID, "1 bytes at offset 256 do not fit");
  FAILS(kiln_read(f.stream, f.x, SIZE_MAX, bytes, 2, NULL), KILN_ERR_INVALID, "do not fit");
  FAILS(kiln_read(f.stream, NULL, 0, bytes, 2, NULL), KILN_ERR_INVALID, "src is NULL");
  FAILS(kiln_write(f.stream, f.x, 0, NULL, 2, NULL), KILN_ERR_INVALID, "src is NULL");
  FAILS(kiln_copy(f.stream, f.x, 0, f.x, 8, 16, NULL), KILN_ERR_INVALID, "overlap");
  OK(kiln_copy(f.stream, f.x, 0, f.x, 16, 16, NULL));
  FAILS(kiln_fill(f.stream, f.x, 0, 12, bytes, 3, NULL), KILN_ERR_INVALID, "pattern of 3 bytes");
  FAILS(kiln_fill(f.stream, f.x, 2, 12, bytes, 4, NULL), KILN_ERR_INVALID, "multiples");
  cr_assert_eq(kiln_buffer_size(f.x), 4 * N);
}

Test(stream, wrapped_memory_and_windows, .init = open_all, .fini = close_all) {
  _Alignas(128) static float memory[N];
  struct kiln_buffer *b, *window;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = sizeof memory, .host = memory}, &b));
  cr_assert_eq(kiln_buffer_host(b), memory);
  OK(kiln_buffer_sub(b, 128, 128, &window));
  cr_assert_eq(kiln_buffer_host(window), (void *)((char *)memory + 128));
  float three = 3;
  OK(kiln_fill(f.stream, window, 0, 128, &three, 4, NULL));
  OK(kiln_stream_finish(f.stream));
  cr_assert(memory[31] == 0 && memory[32] == 3 && memory[63] == 3);
  kiln_buffer_release(b);
  kiln_buffer_release(window);
}

Test(stream, a_failed_kernel_is_told_once, .init = open_all, .fini = close_all) {
  f.n = N + 1;
  f.launch.global[0] = N + 1;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_DEVICE, "saxpy");
  OK(kiln_stream_finish(f.stream));
}

Test(stream, waits_for_events_of_its_context, .init = open_all, .fini = close_all) {
  struct kiln_stream *second;
  struct kiln_event *event;
  OK(kiln_stream_create(f.ctx, 0, &second));
  for (int i = 0; i < 50; i++) {
    OK(kiln_launch(f.stream, f.kernel, &f.launch, &event));
    OK(kiln_stream_wait(second, event));
    kiln_event_release(event);
    OK(kiln_launch(second, f.kernel, &f.launch, &event));
    OK(kiln_stream_wait(f.stream, event));
    kiln_event_release(event);
  }
  expect(f.y, 201);
  struct kiln_context *other = open_interp();
  struct kiln_stream *foreign;
  OK(kiln_stream_create(other, 0, &foreign));
  OK(kiln_fill(f.stream, f.x, 0, 4, &f.a, 4, &event));
  FAILS(kiln_stream_wait(foreign, event), KILN_ERR_INVALID, "another context");
  kiln_event_release(event);
  kiln_stream_release(foreign);
  kiln_context_close(other);
  kiln_stream_release(second);
}

Test(stream, releases_wait_for_work_in_flight, .init = open_all, .fini = close_all) {
  // Buffers, and a program, go right after their use was enqueued.
  for (int i = 0; i < 400; i++) {
    struct kiln_buffer *b;
    struct kiln_program *program = NULL;
    struct kiln_kernel *kernel = f.kernel;
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 1 << 16}, &b));
    if (i % 8 == 0) {
      program = make_program(f.ctx, SAXPY);
      OK(kiln_kernel_create(program, NULL, &kernel));
    }
    OK(kiln_fill(f.stream, b, 0, 1 << 16, &f.a, 4, NULL));
    f.args[2] = kiln_arg_buffer(b);
    OK(kiln_launch(f.stream, kernel, &f.launch, NULL));
    kiln_buffer_release(b);
    if (program) {
      kiln_kernel_release(kernel);
      kiln_program_release(program);
    }
  }
  expect(f.y, 1 + 400 * 4);
}

Test(stream, record_and_state, .init = open_all, .fini = close_all) {
  struct kiln_event *event;
  enum kiln_status status = KILN_ERR_INTERNAL;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  OK(kiln_stream_record(f.stream, &event));
  OK(kiln_event_wait(event));
  cr_assert_eq(kiln_event_state(event, &status), KILN_EVENT_DONE);
  cr_assert_eq(status, KILN_OK);
  cr_assert_eq(kiln_event_state(NULL, NULL), KILN_EVENT_DONE);
  kiln_event_retain(event);
  kiln_event_release(event);
  cr_assert(kiln_event_done(event));
  kiln_event_release(event);
  FAILS(kiln_stream_record(f.stream, NULL), KILN_ERR_INVALID, "event is NULL");
  FAILS(kiln_stream_record(NULL, &event), KILN_ERR_INVALID, "stream is NULL");
}

static void count_call(void *user) { atomic_fetch_add((atomic_int *)user, 1); }

struct seen {
  const float *y;
  float first;
};
static void see(void *user) {
  struct seen *seen = user;
  seen->first = seen->y[0];
}

Test(stream, function_of_the_host, .init = open_all, .fini = close_all) {
  struct kiln_event *event;
  struct seen seen = {.y = kiln_buffer_host(f.y)};
  float zero = 0;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  OK(kiln_stream_host(f.stream, see, &seen, &event));
  OK(kiln_fill(f.stream, f.y, 0, 4 * N, &zero, 4, NULL));
  OK(kiln_event_wait(event));
  cr_assert_eq(seen.first, 3, "%g", (double)seen.first);
  kiln_event_release(event);
  expect(f.y, 0);
  // After a failure it is called all the same, and the failure is told.
  atomic_int calls = 0;
  f.n = 2 * N;
  f.launch.global[0] = 2 * N;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  for (int i = 0; i < 3; i++)
    OK(kiln_stream_host(f.stream, count_call, &calls, NULL));
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_DEVICE, "saxpy");
  cr_assert_eq(calls, 3);
  FAILS(kiln_stream_host(f.stream, NULL, NULL, NULL), KILN_ERR_INVALID, "fn is NULL");
  FAILS(kiln_stream_host(NULL, see, NULL, NULL), KILN_ERR_INVALID, "stream is NULL");
}

struct gate {
  atomic_bool is_open, has_begun;
};
static void stay(void *user) {
  struct gate *gate = user;
  atomic_store(&gate->has_begun, true);
  while (!atomic_load(&gate->is_open))
    usleep(100);
}

Test(stream, enqueues_do_not_wait_for_commands, .init = open_all, .fini = close_all) {
  struct gate gate = {false, false};
  float one = 1;
  OK(kiln_stream_host(f.stream, stay, &gate, NULL));
  while (!atomic_load(&gate.has_begun)) // on a thread of Kiln's: nobody waits for the stream
    usleep(100);
  for (int i = 0; i < 150000; i++) // more than are pending before enqueues take their time
    OK(kiln_fill(f.stream, f.y, 0, 4, &one, 4, NULL));
  atomic_store(&gate.is_open, true);
  OK(kiln_stream_finish(f.stream));
}

static void enqueue_there(void *user) {
  atomic_int *calls = user;
  if (atomic_fetch_add(calls, 1) < 3000)
    kiln_stream_host(f.stream, enqueue_there, calls, NULL);
}

Test(stream, functions_of_the_host_enqueue_on_their_stream, .init = open_all, .fini = close_all) {
  struct gate gate = {false, false};
  atomic_int calls = 0;
  OK(kiln_stream_host(f.stream, stay, &gate, NULL));
  for (int i = 0; i < 3000; i++)
    OK(kiln_stream_host(f.stream, enqueue_there, &calls, NULL));
  atomic_store(&gate.is_open, true);
  while (atomic_load(&calls) < 6000)
    usleep(100);
  OK(kiln_stream_finish(f.stream));
}

static uint64_t buffers_of(struct kiln_context *ctx) {
  struct kiln_context_stats stats;
  kiln_context_stats(ctx, &stats);
  return stats.buffers;
}

static bool becomes_at_most(struct kiln_context *ctx, uint64_t buffers) {
  for (int i = 0; i < 200000 && buffers_of(ctx) > buffers; i++)
    usleep(100);
  return buffers_of(ctx) <= buffers;
}

// Their memory is given back while the stream goes on, without being waited for.
Test(stream, releases_do_not_wait_for_commands, .init = open_all, .fini = close_all) {
  struct gate first = {false, false}, second = {false, false};
  struct kiln_stream *other;
  float one = 1;
  uint64_t before = buffers_of(f.ctx);
  OK(kiln_stream_create(f.ctx, 0, &other));
  OK(kiln_stream_host(f.stream, stay, &first, NULL));
  for (int i = 0; i < 5000; i++) {
    struct kiln_buffer *buffer;
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4}, &buffer));
    if (i % 2)
      OK(kiln_fill(other, buffer, 0, 4, &one, 4, NULL));
    OK(kiln_fill(f.stream, buffer, 0, 4, &one, 4, NULL));
    kiln_buffer_release(buffer);
  }
  cr_assert_eq(buffers_of(f.ctx), before + 5000);
  OK(kiln_stream_host(f.stream, stay, &second, NULL));
  atomic_store(&first.is_open, true);
  cr_assert(becomes_at_most(f.ctx, before + 600));
  atomic_store(&second.is_open, true);
  OK(kiln_stream_finish(f.stream));
  kiln_stream_release(other);
  cr_assert(becomes_at_most(f.ctx, before)); // the thread may be about to free some
}

static void linger(void *user) { usleep(*(unsigned *)user); }

// Where what was released and is in use has a quarter of all memory.
Test(stream, allocations_wait_for_released_memory, .init = open_all, .fini = close_all) {
  struct kiln_device_info info;
  float one = 1;
  unsigned long_time = 20000;
  OK(kiln_device_info(f.ctx, 0, &info));
  uint64_t before = buffers_of(f.ctx);
  for (int i = 0; i < 4; i++) { // memory that nothing touches, but for a few bytes
    struct kiln_buffer *buffer;
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = info.memory_bytes / 6}, &buffer));
    cr_assert_eq(buffers_of(f.ctx), before + 1);
    OK(kiln_stream_host(f.stream, linger, &long_time, NULL));
    OK(kiln_fill(f.stream, buffer, 0, 4, &one, 4, NULL));
    kiln_buffer_release(buffer);
  }
  OK(kiln_stream_finish(f.stream)); // which reads long_time
}

Test(stream, state_of_what_failed, .init = open_all, .fini = close_all) {
  struct kiln_event *event;
  enum kiln_status status;
  f.n = 2 * N; // beyond the buffers
  f.launch.global[0] = 2 * N;
  OK(kiln_launch(f.stream, f.kernel, &f.launch, &event));
  while (kiln_event_state(event, NULL) < KILN_EVENT_DONE)
    ;
  cr_assert_eq(kiln_event_state(event, &status), KILN_EVENT_FAILED);
  cr_assert_eq(status, KILN_ERR_DEVICE);
  cr_assert(strstr(kiln_last_error(), "saxpy"), "%s", kiln_last_error());
  kiln_event_release(event);
  cr_assert_eq(kiln_stream_finish(f.stream), KILN_ERR_DEVICE);
}

static void count_release(void *user) { ++*(int *)user; }

Test(stream, released_buffers_are_told_of, .init = open_all, .fini = close_all) {
  int released = 0;
  float memory[64] = {0}, two = 2;
  struct kiln_buffer *buffer, *window;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = sizeof memory, .host = memory}, &buffer));
  OK(kiln_buffer_on_release(buffer, count_release, &released));
  FAILS(kiln_buffer_on_release(buffer, count_release, &released), KILN_ERR_INVALID, "before");
  OK(kiln_buffer_sub(buffer, 128, 128, &window));
  FAILS(kiln_buffer_on_release(window, count_release, &released), KILN_ERR_INVALID, "window");
  kiln_buffer_retain(buffer);
  kiln_buffer_release(buffer);
  OK(kiln_fill(f.stream, window, 0, 128, &two, sizeof two, NULL));
  kiln_buffer_release(buffer);
  cr_assert_eq(released, 0);
  kiln_buffer_release(window);
  OK(kiln_stream_finish(f.stream));
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4}, &buffer)); // a later call
  cr_assert_eq(released, 1);
  cr_assert_eq(memory[31], 0);
  cr_assert_eq(memory[32], 2);
  kiln_buffer_release(buffer);
}

Test(context, tells_when_all_that_keeps_it_is_released) {
  int closed = 0;
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cache_mode = "off"}, &ctx));
  FAILS(kiln_context_on_close(ctx, NULL, NULL), KILN_ERR_INVALID, "fn is NULL");
  FAILS(kiln_context_on_close(NULL, count_release, &closed), KILN_ERR_INVALID, "ctx is NULL");
  OK(kiln_context_on_close(ctx, count_release, &closed));
  FAILS(kiln_context_on_close(ctx, count_release, &closed), KILN_ERR_INVALID, "before");
  OK(kiln_stream_create(ctx, 0, &stream));
  kiln_context_close(ctx);
  cr_assert_eq(closed, 0);
  kiln_stream_release(stream);
  cr_assert_eq(closed, 1);
}

Test(stream, retained_objects_have_several_owners, .init = open_all, .fini = close_all) {
  kiln_context_retain(f.ctx);
  kiln_program_retain(f.program);
  kiln_kernel_retain(f.kernel);
  kiln_stream_retain(f.stream);
  kiln_context_close(f.ctx);
  kiln_program_release(f.program);
  kiln_kernel_release(f.kernel);
  kiln_stream_release(f.stream);
  OK(kiln_launch(f.stream, f.kernel, &f.launch, NULL));
  expect(f.y, 3);
  kiln_context_retain(NULL);
  kiln_program_retain(NULL);
  kiln_kernel_retain(NULL);
  kiln_stream_retain(NULL);
  kiln_buffer_retain(NULL);
  kiln_event_retain(NULL);
}

Test(stream, number_is_limited, .init = open_all, .fini = close_all) {
  static struct kiln_stream *streams[5000];
  int count = 0;
  while (count < 5000 && kiln_stream_create(f.ctx, 0, &streams[count]) == KILN_OK)
    count++;
  cr_assert(count == 4095 && strstr(kiln_last_error(), "4096 streams"), "%d: %s", count, kiln_last_error());
  // What many streams use, one after another, and its release while they do.
  struct kiln_event *last;
  OK(kiln_stream_record(f.stream, &last));
  for (int i = 0; i < count; i += 100) {
    OK(kiln_stream_wait(streams[i], last));
    kiln_event_release(last);
    OK(kiln_launch(streams[i], f.kernel, &f.launch, &last));
  }
  kiln_event_release(last);
  struct kiln_buffer *y = f.y;
  OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N}, &f.y));
  atomic_int gone = 0;
  OK(kiln_buffer_on_release(y, count_call, &gone));
  kiln_buffer_release(y);
  for (int i = 0; i < count; i++)
    kiln_stream_release(streams[i]);
  cr_assert_eq(gone, 0); // f.stream may still fill it
  OK(kiln_stream_finish(f.stream));
  cr_assert_eq(gone, 1);
  OK(kiln_stream_create(f.ctx, 0, &streams[0]));
  kiln_stream_release(streams[0]);
}

Test(context, cpus, .init = set_up, .fini = tear_down) {
  static const char *const wrong[] = {"", "x", "1-0", "0,", "0-", "0;1", "1000000"};
  struct kiln_context *ctx;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    FAILS(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cpus = wrong[i]}, &ctx), KILN_ERR_INVALID,
          "kiln_context_desc.cpus is");
  cpu_set_t mine, after;
  cr_assert_eq(sched_getaffinity(0, sizeof mine, &mine), 0);
  unsigned last = CPU_SETSIZE;
  while (!CPU_ISSET(--last, &mine))
    ;
  char text[40];
  snprintf(text, sizeof text, "%u-%u,%u", last, last, last);
  OK(kiln_context_open(&(struct kiln_context_desc){.backend = "interp", .cpus = text}, &ctx));
  struct kiln_device_info info;
  OK(kiln_device_info(ctx, 0, &info));
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *x;
  OK(kiln_kernel_create(program, NULL, &kernel));
  OK(kiln_stream_create(ctx, 0, &stream));
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4 * N}, &x));
  int32_t n = N;
  float two = 2;
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&two, 4), kiln_arg_buffer(x), kiln_arg_buffer(x)};
  float zero = 0;
  OK(kiln_fill(stream, x, 0, 4 * N, &zero, 4, NULL));
  OK(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {N}, .arg_count = 4, .args = args}, NULL));
  OK(kiln_stream_finish(stream));
  cr_assert_eq(sched_getaffinity(0, sizeof after, &after), 0);
  cr_assert(CPU_EQUAL(&mine, &after)); // the caller is where it was
  kiln_buffer_release(x);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(ctx);
}

static void *work(void *user) {
  int *failures = user;
  for (int i = 0; i < 30; i++) {
    struct kiln_stream *stream;
    struct kiln_buffer *b;
    struct kiln_program *program;
    struct kiln_kernel *kernel;
    struct kiln_arg args[4] = {f.args[0], f.args[1], f.args[2], f.args[3]};
    struct kiln_program_desc desc = {.source = SAXPY, .kind = KILN_SOURCE_IR_TEXT};
    float got[N], zero = 0;
    *failures += kiln_program_create(f.ctx, &desc, &program) != KILN_OK;
    *failures += kiln_kernel_create(program, "saxpy", &kernel) != KILN_OK;
    *failures += kiln_stream_create(f.ctx, 0, &stream) != KILN_OK;
    *failures += kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = 4 * N}, &b) != KILN_OK;
    args[3] = kiln_arg_buffer(b);
    struct kiln_launch_desc launch = {.global = {N}, .args = args, .arg_count = 4};
    *failures += kiln_fill(stream, b, 0, 4 * N, &zero, 4, NULL) != KILN_OK;
    *failures += kiln_launch(stream, i % 2 ? kernel : f.kernel, &launch, NULL) != KILN_OK;
    *failures += kiln_read(stream, b, 0, got, sizeof got, NULL) != KILN_OK;
    kiln_buffer_release(b);
    kiln_program_release(program);
    kiln_kernel_release(kernel);
    *failures += kiln_stream_finish(stream) != KILN_OK;
    kiln_stream_release(stream);
    for (int k = 0; k < N; k++)
      *failures += got[k] != 2;
  }
  return NULL;
}

Test(stream, threads_share_a_context, .init = open_all, .fini = close_all) {
  pthread_t threads[4];
  int failures[4] = {0};
  OK(kiln_stream_finish(f.stream));
  for (int i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, work, &failures[i]), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    cr_assert_eq(failures[i], 0, "thread %d: %d", i, failures[i]);
  }
}
