// The driver on the stand-in: copies of all kinds, events and their times, streams that wait for each other, partial
// groups, offsets, local arguments, several devices, and every failure that the stand-in can inject. Each case is a
// process of its own, since the stand-in reads its settings once.
//
//   rocm_driver FILE [CASE]  FILE: driver.cl; without CASE: all of them; needs LD_LIBRARY_PATH
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/rocm/session.h"

// ---- what works

static void copies(void) {
  struct session s;
  FINE(begin(&s));
  enum { N = 300000 };
  int *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  for (int i = 0; i < N; i++)
    a[i] = i;
  struct kiln_buffer *x = buffer(&s, N * sizeof *a, NULL, 0), *y = buffer(&s, N * sizeof *a, a, 0);
  FINE(kiln_write(s.stream, x, 0, a, N * sizeof *a, NULL)); // pinned
  FINE(kiln_write(s.stream, x, 400, a, 40, NULL));          // staged
  FINE(add_one(&s, s.stream, x, N, NULL));
  FINE(kiln_copy(s.stream, x, 0, y, 4000, 8000, NULL));
  int pattern = 77;
  FINE(kiln_fill(s.stream, x, 0, N * sizeof *a, &pattern, sizeof pattern, NULL)); // in two pieces
  FINE(add_one(&s, s.stream, x, 10, NULL));
  FINE(kiln_read(s.stream, y, 0, b, N * sizeof *b, NULL));
  FINE(kiln_read(s.stream, x, 0, a, N * sizeof *a, NULL));
  FINE(kiln_stream_finish(s.stream));
  for (int i = 0; i < N; i++) {
    int from = i - 1000, y_is = i < 1000 || i >= 3000 ? i : from >= 100 && from < 110 ? from - 100 + 1 : from + 1;
    EXPECT(b[i] == y_is, "y[%d] is %d, not %d", i, b[i], y_is);
    EXPECT(a[i] == (i < 10 ? 78 : 77), "x[%d] is %d", i, a[i]);
  }
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  free(a);
  free(b);
  end(&s);
}

static void events(void) {
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *other;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  enum { ROUNDS = 300 }; // more than a queue and the list of pending commands hold
  int zero = 0, result = -1;
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  struct kiln_event *event = NULL, *last = NULL;
  struct kiln_event_times times;
  FINE(kiln_fill(s.stream, x, 0, 4096, &zero, 4, &event));
  for (int i = 0; i < ROUNDS; i++) {
    struct kiln_stream *stream = i % 2 ? s.stream : other;
    FINE(kiln_stream_wait(stream, event));
    kiln_event_release(event);
    FINE(add_one(&s, stream, x, 64, &event));
  }
  FINE(kiln_stream_wait(other, event));
  FINE(kiln_read(other, x, 0, &result, 4, &last));
  FINE(kiln_event_wait(last));
  EXPECT(result == ROUNDS, "%d", result);
  EXPECT(kiln_event_done(event) && kiln_event_done(last), "done");
  FINE(kiln_event_times(event, &times));
  EXPECT(times.enqueued_ns <= times.ended_ns && times.started_ns <= times.ended_ns && times.started_ns > 0,
         "%llu %llu %llu", (unsigned long long)times.enqueued_ns, (unsigned long long)times.started_ns,
         (unsigned long long)times.ended_ns);
  FINE(kiln_event_times(last, &times));
  EXPECT(times.started_ns <= times.ended_ns && times.ended_ns - times.enqueued_ns < 60000000000u, "times of a copy");
  for (int i = 0; i < 2000; i++)
    FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_finish(s.stream));
  FINE(kiln_read(s.stream, x, 252, &result, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == ROUNDS + 2000, "%d", result);
  kiln_event_release(event);
  kiln_event_release(last);
  kiln_buffer_release(x);
  kiln_stream_release(other);
  end(&s);
}

static void shapes(void) {
  struct session s;
  FINE(begin(&s));
  uint64_t out[16] = {0};
  int sums[4] = {0};
  struct kiln_buffer *b = buffer(&s, sizeof out, NULL, 0), *c = buffer(&s, sizeof sums, NULL, 0);
  struct kiln_arg args[] = {kiln_arg_buffer(b)};
  struct kiln_launch_desc desc = {
      .global = {10, 7, 3}, .local = {4, 2, 1}, .offset = {UINT64_C(1) << 40, 5, 0}, .args = args, .arg_count = 1};
  FINE(kiln_launch(s.stream, s.sizes, &desc, NULL));
  FINE(kiln_read(s.stream, b, 0, out, sizeof out, NULL));
  struct kiln_arg local[] = {kiln_arg_buffer(c), kiln_arg_local(64 * 4), kiln_arg_local(4)};
  FINE(kiln_launch(s.stream, s.sum,
                   &(struct kiln_launch_desc){.global = {256}, .local = {64}, .args = local, .arg_count = 3}, NULL));
  FINE(kiln_read(s.stream, c, 0, sums, sizeof sums, NULL));
  FINE(kiln_stream_finish(s.stream));
  // The last work-item: a partial group in dimensions 0 and 1.
  static const uint64_t expected[12] = {(UINT64_C(1) << 40) + 9, 5 + 6, 2, 10, 7, 3, 2, 1, 1, 3, 4, 3};
  for (int i = 0; i < 12; i++)
    EXPECT(out[i] == expected[i], "value %d is %llu", i, (unsigned long long)out[i]);
  for (int g = 0; g < 4; g++)
    EXPECT(sums[g] == 64 * (64 * g) + 63 * 32, "group %d: %d", g, sums[g]);
  // Larger groups than the program is compiled for at first, and larger ones than any device has.
  struct kiln_launch_desc wide = {.global = {2048}, .local = {512}, .args = args, .arg_count = 1};
  FINE(kiln_launch(s.stream, s.sizes, &wide, NULL));
  FINE(kiln_read(s.stream, b, 0, out, sizeof out, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(out[0] == 2047 && out[6] == 512 && out[9] == 4, "id %llu, group size %llu, groups %llu",
         (unsigned long long)out[0], (unsigned long long)out[6], (unsigned long long)out[9]);
  struct kiln_launch_desc widest = {.global = {4096}, .local = {2048}, .args = args, .arg_count = 1};
  EXPECT(kiln_launch(s.stream, s.sizes, &widest, NULL) != KILN_OK, "a group of 2048");
  EXPECT(strstr(kiln_last_error(), "a work-group of 2048 x 1 x 1 is larger than the 1024"), "%s", kiln_last_error());
  struct kiln_arg much[] = {kiln_arg_buffer(c), kiln_arg_local(65536), kiln_arg_local(4)};
  struct kiln_launch_desc large = {.global = {64}, .local = {64}, .args = much, .arg_count = 3};
  EXPECT(kiln_launch(s.stream, s.sum, &large, NULL) != KILN_OK, "65540 bytes of local memory");
  EXPECT(strstr(kiln_last_error(), "'sum' needs 65540 bytes of local memory"), "%s", kiln_last_error());
  kiln_buffer_release(b);
  kiln_buffer_release(c);
  end(&s);
}

static void prepared(void) {
  struct session s;
  FINE(begin(&s));
  int one = 1, result = 0, zero = 0;
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  struct kiln_arg args[] = {kiln_arg_buffer(x), kiln_arg_value(&one, sizeof one)};
  struct kiln_prepared *launch;
  FINE(kiln_fill(s.stream, x, 0, 4096, &zero, 4, NULL));
  FINE(
      kiln_prepare(s.stream, s.add, &(struct kiln_launch_desc){.global = {64}, .args = args, .arg_count = 2}, &launch));
  for (int i = 0; i < 50; i++)
    FINE(kiln_run_prepared(launch, NULL));
  kiln_prepared_release(launch); // pending runs keep it alive
  FINE(kiln_read(s.stream, x, 0, &result, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == 50, "%d", result);
  kiln_buffer_release(x);
  end(&s);
}

static char printed[256];
static void on_print(void *user, const char *text, size_t size) {
  (void)user;
  strncat(printed, text, size < sizeof printed - strlen(printed) - 1 ? size : 0);
}

static void printing(void) {
  static const char text[] = "kernel void say(int n, float2 v) { printf(\"%d|%s|%v2hlf\\n\", n, \"ten\", v); }";
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_stream *stream;
  struct kiln_kernel *say;
  struct kiln_context_desc desc = {.backend = "rocm", .arch = "gfx1100", .cache_mode = "off", .print = on_print};
  FINE(kiln_context_open(&desc, &ctx));
  FINE(kiln_program_create(ctx, &(struct kiln_program_desc){.source = text}, &program));
  FINE(kiln_stream_create(ctx, 0, &stream));
  FINE(kiln_kernel_create(program, "say", &say));
  int n = 42;
  float v[2] = {1.5f, -2};
  struct kiln_arg args[] = {kiln_arg_value(&n, sizeof n), kiln_arg_value(v, sizeof v)};
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 2};
  for (int i = 0; i < 2; i++)
    FINE(kiln_launch(stream, say, &launch, NULL));
  FINE(kiln_stream_finish(stream));
  static const char line[] = "42|ten|1.500000,-2.000000\n";
  EXPECT(!strncmp(printed, line, strlen(line)) && !strcmp(printed + strlen(line), line), "%s", printed);
  kiln_kernel_release(say);
  kiln_program_release(program);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
}

static void devices(void) {
  setenv("KILN_STANDIN_GPUS", "3", 1);
  struct session s;
  FINE(begin(&s));
  uint32_t count = 0;
  struct kiln_device_info info;
  FINE(kiln_device_count(s.ctx, &count));
  EXPECT(count == 3, "%u", count);
  FINE(kiln_device_info(s.ctx, 2, &info));
  EXPECT(!strcmp(info.name, "Stand-in 2") && info.local_bytes == 65536 && info.compute_units == 60, "%s", info.name);
  struct kiln_stream *streams[3] = {s.stream};
  struct kiln_buffer *buffers[3];
  struct kiln_event *event = NULL;
  int zero = 0, results[3] = {0};
  for (uint32_t d = 0; d < 3; d++) {
    if (d)
      FINE(kiln_stream_create(s.ctx, d, &streams[d]));
    buffers[d] = buffer(&s, 4096, NULL, d);
    if (d) {
      FINE(kiln_stream_wait(streams[d], event)); // of the device before
      kiln_event_release(event);
    }
    FINE(kiln_fill(streams[d], buffers[d], 0, 4096, &zero, 4, NULL));
    for (uint32_t k = 0; k <= d; k++)
      FINE(add_one(&s, streams[d], buffers[d], 1024, d < 2 && k == d ? &event : NULL));
    FINE(kiln_read(streams[d], buffers[d], 4092, &results[d], 4, NULL));
  }
  for (int d = 2; d >= 0; d--)
    FINE(kiln_stream_finish(streams[d]));
  // Between devices, by a stream of either, but not by that of a third one.
  int moved[2] = {0};
  FINE(kiln_copy(streams[2], buffers[2], 0, buffers[0], 8, 4, &event));
  FINE(kiln_stream_wait(streams[1], event));
  kiln_event_release(event);
  FINE(kiln_copy(streams[1], buffers[0], 8, buffers[1], 16, 4, NULL));
  FINE(kiln_read(streams[1], buffers[1], 12, moved, 8, NULL));
  FINE(kiln_stream_finish(streams[1]));
  EXPECT(moved[0] == 2 && moved[1] == 3, "%d %d", moved[0], moved[1]);
  enum kiln_status third = kiln_copy(streams[1], buffers[2], 0, buffers[0], 0, 4, NULL);
  EXPECT(third == KILN_ERR_INVALID && strstr(kiln_last_error(), "device 2"), "%s", kiln_last_error());
  EXPECT(results[0] == 1 && results[1] == 2 && results[2] == 3, "%d %d %d", results[0], results[1], results[2]);
  for (uint32_t d = 0; d < 3; d++) {
    kiln_buffer_release(buffers[d]);
    if (d)
      kiln_stream_release(streams[d]);
  }
  end(&s);
}

// ---- what fails

static void fails(const char *where, enum kiln_status status, const char *says) {
  setenv("KILN_STANDIN_FAIL", where, 1);
  struct session s;
  struct kiln_buffer *x = NULL;
  static int data[100000];
  enum kiln_status got = begin(&s);
  if (!got)
    got = kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = sizeof data}, &x);
  if (!got)
    got = kiln_write(s.stream, x, 0, data, sizeof data, NULL);
  if (!got)
    got = add_one(&s, s.stream, x, 100, NULL);
  if (!got)
    got = kiln_read(s.stream, x, 0, data, sizeof data, NULL);
  if (!got)
    got = kiln_stream_finish(s.stream);
  EXPECT(got == status, "%s: %s (%s)", where, kiln_status_name(got), kiln_last_error());
  EXPECT(strstr(kiln_last_error(), says), "%s: %s", where, kiln_last_error());
  if (s.stream)
    kiln_stream_finish(s.stream);
  kiln_buffer_release(x);
  end(&s);
}

static const struct {
  const char *where;
  enum kiln_status status;
  const char *says;
} failures[] = {
    {"hsa_init:1", KILN_ERR_UNAVAILABLE, "GPU"},
    {"hsa_iterate_agents:1", KILN_ERR_UNAVAILABLE, "does not list its devices"},
    {"hsa_queue_create:1", KILN_ERR_DEVICE, "no queue on Stand-in 0"},
    {"hsa_signal_create:2", KILN_ERR_DEVICE, "no signal"},
    {"hsa_signal_create:3", KILN_ERR_DEVICE, "no signal"},
    {"hsa_code_object_reader_create_from_memory:1", KILN_ERR_DEVICE, "does not read the code object"},
    {"hsa_executable_create_alt:1", KILN_ERR_DEVICE, "does not load the code object"},
    {"hsa_executable_load_agent_code_object:1", KILN_ERR_DEVICE, "does not load the code object"},
    {"hsa_executable_freeze:1", KILN_ERR_DEVICE, "does not load the code object"},
    {"hsa_executable_get_symbol_by_name:2", KILN_ERR_DEVICE, "does not find the kernel 'sizes'"},
    {"hsa_executable_symbol_get_info:1", KILN_ERR_DEVICE, "does not find the kernel 'add'"},
    {"hsa_amd_memory_pool_allocate:1", KILN_ERR_MEMORY, "no buffer of 400000 bytes on Stand-in 0"},
    {"hsa_amd_memory_pool_allocate:2", KILN_ERR_MEMORY, "no memory for the arguments of 'add'"},
    {"hsa_amd_agents_allow_access:1", KILN_ERR_MEMORY, "no memory for the arguments of 'add'"},
    {"hsa_amd_memory_async_copy:1", KILN_ERR_DEVICE, "a copy of 400000 bytes cannot be started"},
    {"hsa_amd_memory_async_copy:2", KILN_ERR_DEVICE, "a copy of 400000 bytes cannot be started"},
    {"copy:1", KILN_ERR_DEVICE, "a copy failed on the device"},
    {"copy:2", KILN_ERR_DEVICE, "a copy failed on the device"},
    {"kernel:1", KILN_ERR_DEVICE, "kernel 'add' failed: stand-in: exception"},
    {"fault:1", KILN_ERR_DEVICE, "kernel 'add' failed: memory fault of the GPU Stand-in 0"},
    {"reset:1", KILN_ERR_DEVICE, "kernel 'add' failed: reset of the GPU Stand-in 0: it hung"},
    {"memory:1", KILN_ERR_DEVICE, "kernel 'add' failed: memory error of the GPU Stand-in 0"},
    {"shutdown:1", KILN_OK, ""},
};
#define FAILURE_COUNT (sizeof failures / sizeof *failures)

static void other_gpu(void) {
  setenv("KILN_STANDIN_ISA", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", 1);
  struct session s;
  EXPECT(begin(&s) == KILN_ERR_UNAVAILABLE, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "no GPU here runs code for 'gfx1100': there is gfx906:sramecc+:xnack-"), "%s",
         kiln_last_error());
  end(&s);
}

static void no_gpu(void) {
  setenv("KILN_STANDIN_GPUS", "0", 1);
  struct session s;
  EXPECT(begin(&s) == KILN_ERR_UNAVAILABLE, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "lists no GPU"), "%s", kiln_last_error());
  end(&s);
}

// A kernel fails on one stream while another one waits for it; afterwards both streams work again.
static void failure_spreads(void) {
  setenv("KILN_STANDIN_FAIL", "kernel:1", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *other;
  struct kiln_event *event;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  int zero = 0, result = 0;
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(add_one(&s, s.stream, x, 64, &event));
  FINE(kiln_stream_wait(other, event));
  EXPECT(kiln_stream_finish(other) == KILN_ERR_DEVICE, "the waiting stream");
  EXPECT(strstr(kiln_last_error(), "kernel 'add' failed"), "%s", kiln_last_error());
  EXPECT(kiln_event_wait(event) == KILN_ERR_DEVICE, "the event");
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_DEVICE, "the stream");
  FINE(kiln_fill(s.stream, x, 0, 4096, &zero, 4, NULL));
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_read(s.stream, x, 0, &result, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == 1, "%d", result);
  FINE(kiln_stream_finish(other));
  kiln_event_release(event);
  kiln_buffer_release(x);
  kiln_stream_release(other);
  end(&s);
}

static void a_kernel_that_never_ends_loses_its_stream(void) {
  setenv("KILN_STANDIN_FAIL", "endless:2", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *other, *third;
  struct kiln_event *event;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  FINE(kiln_stream_create(s.ctx, 0, &third));
  FINE(kiln_stream_set_deadline(s.stream, 20000000000));
  int zero = 0, result = 5;
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0), *y = buffer(&s, 4096, NULL, 0);
  FINE(add_one(&s, s.stream, x, 64, NULL)); // in time
  FINE(kiln_stream_finish(s.stream));
  FINE(kiln_stream_set_deadline(s.stream, 100000000));
  FINE(add_one(&s, s.stream, x, 64, &event));
  FINE(kiln_read(s.stream, x, 0, &result, 4, NULL)); // behind it
  FINE(kiln_stream_wait(other, event));
  EXPECT(kiln_event_wait(event) == KILN_ERR_TIMEOUT, "the event");
  EXPECT(strstr(kiln_last_error(), "kernel 'add' ran longer than its deadline of 100 ms"), "%s", kiln_last_error());
  for (int i = 0; i < 2; i++) {
    EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_TIMEOUT, "the stream: %s", kiln_last_error());
    EXPECT(add_one(&s, s.stream, x, 64, NULL) == KILN_ERR_TIMEOUT, "enqueueing: %s", kiln_last_error());
  }
  EXPECT(result == 5, "the read was made: %d", result);
  EXPECT(kiln_stream_finish(other) == KILN_ERR_TIMEOUT, "the stream that waits: %s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "waits for a stream that is lost"), "%s", kiln_last_error());
  FINE(kiln_fill(third, y, 0, 4096, &zero, 4, NULL)); // the others go on
  FINE(add_one(&s, third, y, 64, NULL));
  FINE(kiln_read(third, y, 0, &result, 4, NULL));
  FINE(kiln_stream_finish(third));
  EXPECT(result == 1, "%d", result);
  kiln_event_release(event);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  kiln_stream_release(other);
  kiln_stream_release(third);
  end(&s);
}

static void closing_returns_while_a_kernel_never_ends(void) {
  setenv("KILN_STANDIN_FAIL", "endless:1", 1);
  struct session s;
  FINE(begin(&s));
  FINE(kiln_stream_set_deadline(s.stream, 50000000));
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(add_one(&s, s.stream, x, 64, NULL));
  kiln_buffer_release(x);
  end(&s);
}

static void cancelling_loses_the_stream(void) {
  setenv("KILN_STANDIN_FAIL", "endless:1", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(kiln_stream_cancel(s.stream)); // nothing is pending
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_cancel(s.stream));
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "kernel 'add' was cancelled"), "%s", kiln_last_error());
  kiln_buffer_release(x);
  end(&s);
}

// The runtime forgets handlers of events when its last user shuts it down.
static void fault_after_all_contexts_were_closed(void) {
  struct session s;
  FINE(begin(&s));
  end(&s);
  fails("fault:1", KILN_ERR_DEVICE, "memory fault");
}

static void failed_device_is_not_used_again(void) {
  fails("reset:1", KILN_ERR_DEVICE, "reset");
  struct session s;
  EXPECT(begin(&s) == KILN_ERR_UNAVAILABLE, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "not to be used any more in this process: reset of the GPU Stand-in 0: it hung"),
         "%s", kiln_last_error());
  end(&s);
}

// A stream that had nothing to do when the device failed cannot destroy its queue either.
static void fault_beside_an_idle_stream(void) {
  setenv("KILN_STANDIN_FAIL", "fault:1", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *idle;
  FINE(kiln_stream_create(s.ctx, 0, &idle));
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(add_one(&s, s.stream, x, 64, NULL));
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_DEVICE, "the stream that failed");
  EXPECT(add_one(&s, idle, x, 64, NULL) == KILN_ERR_DEVICE, "a launch on the other stream");
  EXPECT(strstr(kiln_last_error(), "the device cannot be used any more"), "%s", kiln_last_error());
  kiln_stream_release(idle);
  kiln_buffer_release(x);
  end(&s);
}

static void memory_that_cannot_be_pinned(void) {
  setenv("KILN_STANDIN_FAIL", "hsa_amd_memory_lock:1+", 1);
  struct session s;
  FINE(begin(&s));
  enum { N = 100000 };
  static int a[N], b[N];
  for (int i = 0; i < N; i++)
    a[i] = i;
  struct kiln_buffer *x = buffer(&s, sizeof a, NULL, 0);
  FINE(kiln_write(s.stream, x, 0, a, sizeof a, NULL));
  FINE(add_one(&s, s.stream, x, N, NULL));
  FINE(kiln_read(s.stream, x, 0, b, sizeof b, NULL));
  FINE(kiln_stream_finish(s.stream));
  for (int i = 0; i < N; i++)
    EXPECT(b[i] == i + 1, "element %d is %d", i, b[i]);
  kiln_buffer_release(x);
  end(&s);
}

// Small reads and writes pin nothing (the stand-in refuses) and take no memory of their own: the buffer is the first
// allocation, the stream's staging memory the second and last.
static void small_transfers_use_one_staging_buffer(void) {
  setenv("KILN_STANDIN_FAIL", "hsa_amd_memory_pool_allocate:3+", 1);
  struct session s;
  FINE(begin(&s));
  enum { ROUNDS = 2000, N = 3000 }; // 12,000 bytes each, far more than the buffer in all
  static int sent[N], got[ROUNDS][N];
  struct kiln_buffer *x = buffer(&s, sizeof sent, NULL, 0);
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < N; k++)
      sent[k] = i * N + k;
    int size = 4 * (1 + i % N);
    FINE(kiln_write(s.stream, x, 0, sent, (size_t)size, NULL));
    FINE(kiln_read(s.stream, x, 0, got[i], (size_t)size, NULL));
    if (i % 8 == 7) // it holds some of the largest
      FINE(kiln_stream_finish(s.stream));
  }
  FINE(kiln_stream_finish(s.stream));
  for (int i = 0; i < ROUNDS; i++)
    for (int k = 0; k <= i % N; k++)
      EXPECT(got[i][k] == i * N + k, "round %d, element %d: %d", i, k, got[i][k]);
  kiln_buffer_release(x);
  end(&s);
}

// What a read brings is there for the write that follows, of this stream or of one that waits for it.
static void write_of_what_a_read_brings(void) {
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *other;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  enum { N = 100000 };
  static int a[N], b[N];
  int seven = 7;
  struct kiln_event *event;
  struct kiln_buffer *x = buffer(&s, sizeof a, NULL, 0), *y = buffer(&s, sizeof a, NULL, 0);
  FINE(kiln_fill(s.stream, x, 0, sizeof a, &seven, sizeof seven, NULL));
  FINE(kiln_read(s.stream, x, 0, a, 400, NULL));
  FINE(kiln_write(s.stream, y, 0, a, sizeof a, NULL));
  FINE(kiln_read(s.stream, y, 0, a + 200, 400, &event));
  FINE(kiln_stream_wait(other, event));
  FINE(kiln_write(other, x, 0, a, sizeof a, NULL));
  FINE(kiln_read(other, x, 0, b, sizeof b, NULL));
  FINE(kiln_stream_finish(other));
  FINE(kiln_stream_finish(s.stream));
  for (int i = 0; i < N; i++)
    EXPECT(b[i] == (i < 100 || (i >= 200 && i < 300) ? 7 : 0), "element %d is %d", i, b[i]);
  kiln_event_release(event);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  kiln_stream_release(other);
  end(&s);
}

// The signal of a copy that failed is negative, and barriers wait for 0: two streams wait, one for the other, while
// nobody looks at that of the copy, and more is enqueued than a stream holds.
static void failed_copy_stops_nobody(void) {
  setenv("KILN_STANDIN_FAIL", "copy:1", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *second, *third;
  struct kiln_event *failed, *later;
  FINE(kiln_stream_create(s.ctx, 0, &second));
  FINE(kiln_stream_create(s.ctx, 0, &third));
  int data[4] = {0};
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(kiln_write(s.stream, x, 0, data, sizeof data, &failed));
  FINE(kiln_stream_wait(second, failed));
  FINE(add_one(&s, second, x, 64, &later));
  FINE(kiln_stream_wait(third, later));
  for (int i = 0; i < 1000; i++)
    FINE(add_one(&s, third, x, 64, NULL));
  kiln_stream_finish(third);
  EXPECT(kiln_stream_finish(second) == KILN_ERR_DEVICE, "the stream that waited for the copy");
  EXPECT(strstr(kiln_last_error(), "a copy failed on the device"), "%s", kiln_last_error());
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_DEVICE, "the stream of the copy");
  kiln_event_release(failed);
  kiln_event_release(later);
  kiln_buffer_release(x);
  kiln_stream_release(second);
  kiln_stream_release(third);
  end(&s);
}

// Memory that the host allocated with HSA, as HIP does, and a context on the host's own agent.
static void native_handles(void) {
  setenv("KILN_STANDIN_GPUS", "2", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_native_context native, again;
  FINE(kiln_context_native(s.ctx, 1, &native));
  EXPECT(native.runtime == KILN_RUNTIME_HSA && native.agent && strcmp(native.pci, "0000:c2:00.0") == 0,
         "agent %llx '%s'", (unsigned long long)native.agent, native.pci);
  struct kiln_context *on_second;
  FINE(kiln_context_open_native(NULL, &native, &on_second));
  uint32_t count = 0;
  FINE(kiln_device_count(on_second, &count));
  FINE(kiln_context_native(on_second, 0, &again));
  EXPECT(count == 1 && again.agent == native.agent, "%u devices", (unsigned)count);
  EXPECT(strcmp(kiln_context_target(on_second)->arch, kiln_context_target(s.ctx)->arch) == 0, "arch");
  kiln_context_close(on_second);
  native.agent = 0;
  FINE(kiln_context_open_native(NULL, &native, &on_second));
  FINE(kiln_context_native(on_second, 0, &again));
  EXPECT(strcmp(again.pci, native.pci) == 0, "'%s'", again.pci);
  kiln_context_close(on_second);
  strcpy(native.pci, "0000:ff:00.0");
  EXPECT(kiln_context_open_native(NULL, &native, &on_second) == KILN_ERR_INVALID &&
             strstr(kiln_last_error(), "no GPU at the PCI address '0000:ff:00.0'"),
         "%s", kiln_last_error());
  native.agent = 5;
  EXPECT(kiln_context_open_native(NULL, &native, &on_second) == KILN_ERR_INVALID, "%s", kiln_last_error());

  // What another owner holds on the device is wrapped, used and left alone.
  struct kiln_buffer *owner = buffer(&s, 4096, NULL, 0), *whole, *part, *none = NULL;
  void *address = NULL, *queue = NULL;
  size_t offset = 1;
  FINE(kiln_buffer_native(owner, &address, &offset));
  EXPECT(address && offset == 0, "%p + %zu", address, offset);
  FINE(kiln_buffer_wrap_native(s.ctx, 0, address, 0, &whole));
  FINE(kiln_buffer_wrap_native(s.ctx, 0, (char *)address + 400, 400, &part));
  EXPECT(kiln_buffer_size(whole) == 4096 && kiln_buffer_size(part) == 400, "%zu", kiln_buffer_size(whole));
  int zero = 0, values[1024];
  FINE(kiln_fill(s.stream, whole, 0, 4096, &zero, 4, NULL));
  FINE(add_one(&s, s.stream, whole, 1024, NULL));
  FINE(add_one(&s, s.stream, part, 100, NULL));
  FINE(kiln_read(s.stream, owner, 0, values, 4096, NULL));
  FINE(kiln_stream_finish(s.stream));
  for (int i = 0; i < 1024; i++)
    EXPECT(values[i] == (i >= 100 && i < 200 ? 2 : 1), "%d: %d", i, values[i]);
  FINE(kiln_stream_native(s.stream, &queue));
  EXPECT(queue, "no queue");
  kiln_buffer_release(whole);
  kiln_buffer_release(part);
  FINE(add_one(&s, s.stream, owner, 10, NULL)); // its memory is still there
  FINE(kiln_stream_finish(s.stream));
#define REFUSED(call, says)                                                                                            \
  EXPECT((call) == KILN_ERR_INVALID && strstr(kiln_last_error(), says), "%s", kiln_last_error())
  REFUSED(kiln_buffer_wrap_native(s.ctx, 0, values, 0, &none), "is no memory that HSA or HIP allocated");
  REFUSED(kiln_buffer_wrap_native(s.ctx, 0, (char *)address + 4000, 97, &none), "96 bytes are left");
  REFUSED(kiln_buffer_wrap_native(s.ctx, 1, address, 0, &none), "does not lie on device 1");
  struct kiln_stream *stream;
  EXPECT(kiln_stream_wrap_native(s.ctx, 0, queue, &stream) == KILN_ERR_UNSUPPORTED, "%s", kiln_last_error());
  kiln_buffer_release(owner);
  end(&s);
}

static const struct {
  const char *name;
  void (*run)(void);
  bool keeps_memory; // that a kernel which never ends, or a failed device, may still use
} cases[] = {
    {"copies", copies},
    {"events", events},
    {"shapes", shapes},
    {"prepared", prepared},
    {"printing", printing},
    {"devices", devices},
    {"native-handles", native_handles},
    {"other-gpu", other_gpu},
    {"no-gpu", no_gpu},
    {"failure-spreads", failure_spreads, .keeps_memory = true},
    {"kernel-that-never-ends", a_kernel_that_never_ends_loses_its_stream, .keeps_memory = true},
    {"closing-while-a-kernel-never-ends", closing_returns_while_a_kernel_never_ends, .keeps_memory = true},
    {"cancelling", cancelling_loses_the_stream, .keeps_memory = true},
    {"fault-after-all-contexts-were-closed", fault_after_all_contexts_were_closed, .keeps_memory = true},
    {"failed-device-is-not-used-again", failed_device_is_not_used_again, .keeps_memory = true},
    {"fault-beside-an-idle-stream", fault_beside_an_idle_stream, .keeps_memory = true},
    {"memory-that-cannot-be-pinned", memory_that_cannot_be_pinned},
    {"small-transfers-use-one-staging-buffer", small_transfers_use_one_staging_buffer},
    {"write-of-what-a-read-brings", write_of_what_a_read_brings},
    {"failed-copy-stops-nobody", failed_copy_stops_nobody},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

static bool run_apart(const char *name, size_t index) {
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    if (index < CASE_COUNT)
      cases[index].run();
    else
      fails(failures[index - CASE_COUNT].where, failures[index - CASE_COUNT].status, failures[index - CASE_COUNT].says);
    bool keeps_memory =
        index < CASE_COUNT ? cases[index].keeps_memory : failures[index - CASE_COUNT].status == KILN_ERR_DEVICE;
    fflush(NULL);
    if (keeps_memory)
      _exit(0); // without the leak checker
    exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status)
    fprintf(stderr, "case %s: status 0x%x\n", name, status);
  return status == 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || !read_source(argv[1])) {
    fprintf(stderr, "usage: rocm_driver FILE [CASE]\n");
    return 2;
  }
  unsigned passed = 0, ran = 0;
  for (size_t i = 0; i < CASE_COUNT + FAILURE_COUNT; i++) {
    const char *name = i < CASE_COUNT ? cases[i].name : failures[i - CASE_COUNT].where;
    if (argc > 2 && strcmp(argv[2], name))
      continue;
    ran++;
    passed += run_apart(name, i);
  }
  free(source);
  printf("%u of %u cases passed\n", passed, ran);
  return passed == ran && ran ? 0 : 1;
}
