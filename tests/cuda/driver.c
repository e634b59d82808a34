// The driver on the stand-in: copies of all kinds, events and their times, streams that wait for each other, partial
// groups, offsets, local arguments, several devices, and every failure that the stand-in can inject. Each case is a
// process of its own, since the stand-in reads its settings once.
//
//   cuda_driver FILE PTX [CASE]  FILE: driver.cl, PTX: driver.ptx; without CASE: all of them; needs LD_LIBRARY_PATH
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/hand.h"

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
  struct kiln_arg much[] = {kiln_arg_buffer(c), kiln_arg_local(232448), kiln_arg_local(4)};
  struct kiln_launch_desc large = {.global = {64}, .local = {64}, .args = much, .arg_count = 3};
  EXPECT(kiln_launch(s.stream, s.sum, &large, NULL) != KILN_OK, "232452 bytes of local memory");
  EXPECT(strstr(kiln_last_error(), "'sum' needs 232452 bytes of local memory"), "%s", kiln_last_error());
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

static void devices(void) {
  setenv("KILN_STANDIN_GPUS", "3", 1);
  struct session s;
  FINE(begin(&s));
  uint32_t count = 0;
  struct kiln_device_info info;
  FINE(kiln_device_count(s.ctx, &count));
  EXPECT(count == 3, "%u", count);
  FINE(kiln_device_info(s.ctx, 2, &info));
  EXPECT(!strcmp(info.name, "Stand-in 2") && info.local_bytes == 232448 && info.compute_units == 60, "%s", info.name);
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
    {"cuInit:1", KILN_ERR_UNAVAILABLE, "libcuda.so.1 does not start: an unknown error"},
    {"cuDeviceGetCount:1", KILN_ERR_UNAVAILABLE, "does not list its devices"},
    {"cuDevicePrimaryCtxRetain:1", KILN_ERR_UNAVAILABLE, "no context on Stand-in 0"},
    {"cuDevicePrimaryCtxRetain:1:2", KILN_ERR_MEMORY, "no context on Stand-in 0: memory is exhausted"},
    {"cuStreamCreate:1", KILN_ERR_DEVICE, "a stream for copies failed on Stand-in 0"},
    {"cuStreamCreate:2", KILN_ERR_DEVICE, "a new stream failed on Stand-in 0: stand-in: invalid argument"},
    {"cuModuleLoadDataEx:1", KILN_ERR_DEVICE, "loading a program failed"},
    {"cuModuleLoadDataEx:1:222", KILN_ERR_UNAVAILABLE,
     "too old for the code (PTX 6.0): it needs a driver for CUDA 9.0"},
    {"cuModuleLoadDataEx:1:221", KILN_ERR_UNAVAILABLE, "libnvidia-ptxjitcompiler.so.1"},
    {"cuModuleLoadDataEx:1:209", KILN_ERR_UNSUPPORTED, "the code is for other devices"},
    {"cuModuleLoadDataEx:1:2", KILN_ERR_MEMORY, "memory is exhausted"},
    {"cuModuleGetFunction:2", KILN_ERR_DEVICE, "loading kernel 'sizes' failed"},
    {"cuFuncLoad:1", KILN_ERR_DEVICE, "loading kernel 'add' failed"},
    {"cuFuncGetAttribute:1", KILN_ERR_DEVICE, "loading kernel 'add' failed"},
    {"cuFuncSetAttribute:3", KILN_ERR_DEVICE, "loading kernel 'sum' failed"},
    {"cuMemAlloc_v2:1+", KILN_ERR_MEMORY, "a buffer of 400000 bytes failed on Stand-in 0: memory is exhausted"},
    {"cuMemcpyHtoDAsync_v2:1", KILN_ERR_DEVICE, "a copy of 400000 bytes failed"},
    {"cuMemcpyDtoHAsync_v2:1", KILN_ERR_DEVICE, "a copy of 400000 bytes failed"},
    {"cuLaunchKernel:1", KILN_ERR_DEVICE, "the launch of kernel 'add' failed on Stand-in 0: it needs more registers"},
    {"cuEventQuery:1", KILN_ERR_DEVICE, "a command of the stream failed on Stand-in 0: stand-in: invalid argument"},
    {"copy:1", KILN_ERR_DEVICE, "failed on Stand-in 0: an access to memory that is not there (CUDA error 700)"},
    {"fault:1", KILN_ERR_DEVICE, "kernel 'add' failed on Stand-in 0: an access to memory that is not there"},
    {"fault:1:716", KILN_ERR_DEVICE, "kernel 'add' failed on Stand-in 0: an access that is not aligned"},
    {"fault:1:719", KILN_ERR_DEVICE, "kernel 'add' failed on Stand-in 0: an exception on the device"},
    {"fault:1:214", KILN_ERR_DEVICE, "kernel 'add' failed on Stand-in 0: an error in memory that cannot be corrected"},
};
#define FAILURE_COUNT (sizeof failures / sizeof *failures)

static void other_gpu(void) {
  setenv("KILN_STANDIN_SM", "52", 1);
  struct session s;
  EXPECT(begin(&s) == KILN_ERR_UNAVAILABLE, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "no GPU here runs code for 'sm_60': there is sm_52"), "%s", kiln_last_error());
  end(&s);
}

// Of several devices, those that run the code are used.
static void other_gpu_beside_one_that_fits(void) {
  setenv("KILN_STANDIN_GPUS", "3", 1);
  setenv("KILN_STANDIN_SM", "52,75", 1);
  struct session s;
  FINE(begin(&s));
  uint32_t count = 0;
  struct kiln_device_info info;
  FINE(kiln_device_count(s.ctx, &count));
  FINE(kiln_device_info(s.ctx, 0, &info));
  EXPECT(count == 2 && !strcmp(info.name, "Stand-in 1") && info.local_bytes == 65536, "%u, %s", count, info.name);
  end(&s);
}

static void no_gpu(void) {
  setenv("KILN_STANDIN_GPUS", "0", 1);
  struct session s;
  EXPECT(begin(&s) == KILN_ERR_UNAVAILABLE, "%s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "lists no GPU"), "%s", kiln_last_error());
  end(&s);
}

static void driver_is_too_old(void) {
  setenv("KILN_STANDIN_DRIVER", "8.0", 1);
  struct session s;
  EXPECT(begin(&s) == KILN_OK, "%s", kiln_last_error());
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  EXPECT(add_one(&s, s.stream, x, 64, NULL) == KILN_ERR_UNAVAILABLE, "a launch");
  EXPECT(strstr(kiln_last_error(), "the driver is too old for the code (PTX 6.0): it needs a driver for CUDA 9.0, and "
                                   "this one is for CUDA 8.0"),
         "%s", kiln_last_error());
  kiln_buffer_release(x);
  end(&s);
}

// A child of a fork after cuInit.
static void forked(void) {
  struct session s;
  FINE(begin(&s));
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_finish(s.stream));
  pid_t child = fork();
  if (child == 0) {
    EXPECT(add_one(&s, s.stream, x, 64, NULL) == KILN_ERR_UNAVAILABLE, "a launch: %s", kiln_last_error());
    EXPECT(strstr(kiln_last_error(), "start it by exec"), "%s", kiln_last_error());
    struct session t;
    EXPECT(begin(&t) == KILN_ERR_UNAVAILABLE, "a new context: %s", kiln_last_error());
    EXPECT(strstr(kiln_last_error(), "start it by exec"), "%s", kiln_last_error());
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0, "status 0x%x", status);
  FINE(add_one(&s, s.stream, x, 64, NULL)); // the parent goes on
  FINE(kiln_stream_finish(s.stream));
  kiln_buffer_release(x);
  end(&s);
}

// A stream waits for another one whose kernel fails; then nothing of the device works any more, for any context, and
// every call names the kernel.
static void failure_spreads(void) {
  setenv("KILN_STANDIN_FAIL", "fault:2", 1);
  struct session s, t;
  FINE(begin(&s));
  struct kiln_stream *other;
  struct kiln_event *event;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0), *y = NULL;
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_finish(s.stream));
  FINE(begin(&t));
  FINE(add_one(&s, s.stream, x, 64, &event));
  bool is_known = kiln_stream_wait(other, event); // by now
  EXPECT(is_known || kiln_stream_finish(other) == KILN_ERR_DEVICE, "the waiting stream");
  EXPECT(strstr(kiln_last_error(), "kernel 'add' failed"), "%s", kiln_last_error());
  EXPECT(kiln_event_wait(event) == KILN_ERR_DEVICE, "the event");
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_DEVICE, "the stream");
#define DEAD(call)                                                                                                     \
  EXPECT((call) == KILN_ERR_DEVICE && strstr(kiln_last_error(), "kernel 'add' failed on Stand-in 0"), "%s: %s", #call, \
         kiln_last_error())
  int zero = 0;
  DEAD(kiln_fill(s.stream, x, 0, 4096, &zero, 4, NULL));
  DEAD(kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = 100}, &y));
  DEAD(add_one(&s, other, x, 64, NULL));
  DEAD(kiln_buffer_create(t.ctx, &(struct kiln_buffer_desc){.size = 100}, &y)); // another context
  kiln_event_release(event);
  kiln_buffer_release(x);
  kiln_stream_release(other);
  end(&s);
  end(&t);
  EXPECT(begin(&t) == KILN_ERR_UNAVAILABLE, "a new context: %s", kiln_last_error());
  EXPECT(strstr(kiln_last_error(), "not to be used any more in this process, since kernel 'add' failed"), "%s",
         kiln_last_error());
  end(&t);
}

// The buffer that is too large fails, and nothing else does.
static void memory_is_exhausted(void) {
  struct session s;
  FINE(begin(&s));
  struct kiln_buffer *half = buffer(&s, (size_t)600 << 20, NULL, 0), *x = buffer(&s, 4096, NULL, 0), *none = NULL;
  EXPECT(kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = (size_t)600 << 20}, &none) == KILN_ERR_MEMORY,
         "%s", kiln_last_error());
  EXPECT(kiln_buffer_create(s.ctx, &(struct kiln_buffer_desc){.size = (size_t)2 << 30}, &none) == KILN_ERR_MEMORY, "%s",
         kiln_last_error());
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_finish(s.stream));
  kiln_buffer_release(half);
  half = buffer(&s, (size_t)600 << 20, NULL, 0);
  kiln_buffer_release(half);
  kiln_buffer_release(x);
  end(&s);
}

// What is freed serves the next buffer of its size: the stand-in gives memory twice only.
static void freed_memory_is_used_again(void) {
  setenv("KILN_STANDIN_FAIL", "cuMemAlloc_v2:3+", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_buffer *other = buffer(&s, 8192, NULL, 0);
  for (int i = 0; i < 100; i++) {
    struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
    FINE(add_one(&s, s.stream, x, 64, NULL));
    kiln_buffer_release(x);
    FINE(kiln_stream_finish(s.stream));
  }
  kiln_buffer_release(other);
  end(&s);
}

// Kept commands: a stream waits for an event of the host, another one for the first.
static void events_of_the_host(void) {
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *other;
  struct kiln_event *user, *later;
  FINE(kiln_stream_create(s.ctx, 0, &other));
  int zero = 0, result = -1;
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(kiln_fill(s.stream, x, 0, 4096, &zero, 4, NULL));
  FINE(kiln_event_create_user(s.ctx, &user));
  FINE(kiln_stream_wait(s.stream, user));
  for (int i = 0; i < 2000; i++) // more than a stream has room for
    FINE(add_one(&s, s.stream, x, 64, i == 1999 ? &later : NULL));
  FINE(kiln_stream_wait(other, later));
  FINE(kiln_read(other, x, 0, &result, 4, NULL));
  usleep(20000);
  EXPECT(!kiln_event_done(later) && result == -1, "nothing waits: %d", result);
  FINE(kiln_event_signal(user, KILN_OK));
  FINE(kiln_stream_finish(other));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == 2000, "%d", result);
  kiln_event_release(user);
  kiln_event_release(later);
  // One that fails: what waits fails with it, and does not run.
  FINE(kiln_event_create_user(s.ctx, &user));
  FINE(kiln_stream_wait(s.stream, user));
  FINE(add_one(&s, s.stream, x, 64, &later));
  FINE(kiln_stream_wait(other, later));
  FINE(kiln_read(other, x, 0, &result, 4, NULL));
  result = -1;
  FINE(kiln_event_signal(user, KILN_ERR_CANCELLED));
  EXPECT(kiln_event_wait(later) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  EXPECT(kiln_stream_finish(other) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  EXPECT(result == -1, "the read was made: %d", result);
  FINE(kiln_read(s.stream, x, 0, &result, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == 2000, "%d", result);
  kiln_event_release(user);
  kiln_event_release(later);
  // Cancelled while it is kept: the stream goes on.
  FINE(kiln_event_create_user(s.ctx, &user));
  FINE(kiln_stream_wait(s.stream, user));
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_stream_cancel(s.stream));
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  FINE(kiln_event_signal(user, KILN_OK));
  FINE(add_one(&s, s.stream, x, 64, NULL));
  FINE(kiln_read(s.stream, x, 0, &result, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(result == 2001, "%d", result);
  kiln_event_release(user);
  kiln_buffer_release(x);
  kiln_stream_release(other);
  end(&s);
}

// Patterns of all sizes, at offsets that only the smaller ones allow.
static void fills(void) {
  struct session s;
  FINE(begin(&s));
  enum { SIZE = 100352 };
  static unsigned char pattern[128], got[SIZE];
  struct kiln_buffer *x = buffer(&s, SIZE, NULL, 0);
  for (size_t size = 1; size <= 128; size *= 2)
    for (int kind = 0; kind < 3; kind++) { // all bytes differ, words are the same, all are the same
      for (size_t i = 0; i < size; i++)
        pattern[i] = (unsigned char)(kind == 0 ? 3 * i + size : kind == 1 ? i % 4 + 1 : 9);
      size_t whole = SIZE / size * size - 2 * size;
      uint8_t zero = 0;
      FINE(kiln_fill(s.stream, x, 0, SIZE, &zero, 1, NULL));
      FINE(kiln_fill(s.stream, x, size, whole, pattern, size, NULL));
      FINE(kiln_read(s.stream, x, 0, got, SIZE, NULL));
      FINE(kiln_stream_finish(s.stream));
      for (size_t i = 0; i < SIZE; i++) {
        unsigned expected = i < size || i >= size + whole ? 0 : pattern[i % size];
        EXPECT(got[i] == expected, "size %zu, byte %zu: %u, not %u", size, i, got[i], expected);
      }
    }
  kiln_buffer_release(x);
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
  setenv("KILN_STANDIN_FAIL", "cuMemHostRegister_v2:1+", 1);
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

// Small reads and writes register nothing (the stand-in refuses) and take no memory of their own: the stream's staging
// memory is the first and last pinned one.
static void small_transfers_use_one_staging_buffer(void) {
  setenv("KILN_STANDIN_FAIL", "cuMemHostAlloc:2+", 1);
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

// A copy fails while two streams wait, one for the other, and no thread waits for that of the copy.
static void failed_copy_stops_nobody(void) {
  setenv("KILN_STANDIN_FAIL", "copy:1", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_stream *second, *third;
  struct kiln_event *failed, *later = NULL;
  FINE(kiln_stream_create(s.ctx, 0, &second));
  FINE(kiln_stream_create(s.ctx, 0, &third));
  int data[4] = {0};
  struct kiln_buffer *x = buffer(&s, 4096, NULL, 0);
  FINE(kiln_write(s.stream, x, 0, data, sizeof data, &failed));
  bool known = kiln_stream_wait(second, failed) || add_one(&s, second, x, 64, &later) || kiln_stream_wait(third, later);
  for (int i = 0; i < 3000 && !known; i++)
    known = add_one(&s, third, x, 64, NULL);
  kiln_stream_finish(third);
  kiln_stream_finish(second);
  EXPECT(kiln_stream_finish(s.stream) == KILN_ERR_DEVICE, "the stream of the copy");
  EXPECT(strstr(kiln_last_error(), "a copy failed on Stand-in 0: an access to memory that is not there"), "%s",
         kiln_last_error());
  EXPECT(add_one(&s, third, x, 64, NULL) == KILN_ERR_DEVICE, "the device works on");
  kiln_event_release(failed);
  kiln_event_release(later);
  kiln_buffer_release(x);
  kiln_stream_release(second);
  kiln_stream_release(third);
  end(&s);
}

// Memory that the host allocated with CUDA, and a context on the host's own one.
static void native_handles(void) {
  setenv("KILN_STANDIN_GPUS", "2", 1);
  struct session s;
  FINE(begin(&s));
  struct kiln_native_context native, again;
  FINE(kiln_context_native(s.ctx, 1, &native));
  EXPECT(native.runtime == KILN_RUNTIME_CUDA && native.context && native.agent == 1 &&
             strcmp(native.pci, "0000:c2:00.0") == 0,
         "agent %llx '%s'", (unsigned long long)native.agent, native.pci);
  struct kiln_context *on_second;
  static const struct kiln_base_backend *const backends[] = {&hand_backend};
  struct kiln_context_desc desc = {.backend = "hand", .cache_mode = "off", .backends = backends, .backend_count = 1};
  FINE(kiln_context_open_native(&desc, &native, &on_second));
  uint32_t count = 0;
  FINE(kiln_device_count(on_second, &count));
  FINE(kiln_context_native(on_second, 0, &again));
  EXPECT(count == 1 && again.agent == native.agent, "%u devices", (unsigned)count);
  EXPECT(strcmp(kiln_context_target(on_second)->arch, "sm_90") == 0, "%s", kiln_context_target(on_second)->arch);
  kiln_context_close(on_second);
  native.context = NULL;
  FINE(kiln_context_open_native(&desc, &native, &on_second));
  FINE(kiln_context_native(on_second, 0, &again));
  EXPECT(strcmp(again.pci, native.pci) == 0, "'%s'", again.pci);
  kiln_context_close(on_second);
  strcpy(native.pci, "0000:ff:00.0");
  EXPECT(kiln_context_open_native(&desc, &native, &on_second) == KILN_ERR_INVALID &&
             strstr(kiln_last_error(), "CUDA lists no GPU at the PCI address '0000:ff:00.0'"),
         "%s", kiln_last_error());
  native.pci[0] = 0;
  EXPECT(kiln_context_open_native(&desc, &native, &on_second) == KILN_ERR_INVALID, "%s", kiln_last_error());

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
  REFUSED(kiln_buffer_wrap_native(s.ctx, 0, values, 0, &none), "is no memory of a device that CUDA allocated");
  REFUSED(kiln_buffer_wrap_native(s.ctx, 0, (char *)address + 4000, 97, &none), "96 bytes are left");
  REFUSED(kiln_buffer_wrap_native(s.ctx, 1, address, 0, &none), "does not lie on device 1");
  // The host's stream: what both enqueue on it runs in order.
  struct kiln_stream *stream;
  FINE(kiln_stream_wrap_native(s.ctx, 0, queue, &stream));
  FINE(add_one(&s, stream, owner, 10, NULL));
  FINE(kiln_read(s.stream, owner, 0, values, 4, NULL));
  FINE(kiln_stream_finish(s.stream));
  EXPECT(values[0] == 3, "%d", values[0]);
  kiln_stream_release(stream);
  REFUSED(kiln_stream_wrap_native(s.ctx, 0, values, &stream) ? KILN_ERR_INVALID : KILN_OK, "is no stream of CUDA's");
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
    {"devices", devices},
    {"native-handles", native_handles},
    {"other-gpu", other_gpu},
    {"no-gpu", no_gpu},
    {"failure-spreads", failure_spreads, .keeps_memory = true},
    {"kernel-that-never-ends", a_kernel_that_never_ends_loses_its_stream, .keeps_memory = true},
    {"closing-while-a-kernel-never-ends", closing_returns_while_a_kernel_never_ends, .keeps_memory = true},
    {"cancelling", cancelling_loses_the_stream, .keeps_memory = true},
    {"fault-beside-an-idle-stream", fault_beside_an_idle_stream, .keeps_memory = true},
    {"memory-that-cannot-be-pinned", memory_that_cannot_be_pinned},
    {"small-transfers-use-one-staging-buffer", small_transfers_use_one_staging_buffer},
    {"write-of-what-a-read-brings", write_of_what_a_read_brings},
    {"failed-copy-stops-nobody", failed_copy_stops_nobody, .keeps_memory = true},
    {"fills", fills},
    {"events-of-the-host", events_of_the_host},
    {"freed-memory-is-used-again", freed_memory_is_used_again},
    {"memory-is-exhausted", memory_is_exhausted},
    {"forked", forked},
    {"driver-is-too-old", driver_is_too_old},
    {"other-gpu-beside-one-that-fits", other_gpu_beside_one_that_fits},
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
  if (argc < 3) {
    fprintf(stderr, "usage: cuda_driver FILE PTX [CASE]\n");
    return 2;
  }
  begin_tests(argv[1], argv[2]);
  unsigned passed = 0, ran = 0;
  for (size_t i = 0; i < CASE_COUNT + FAILURE_COUNT; i++) {
    const char *name = i < CASE_COUNT ? cases[i].name : failures[i - CASE_COUNT].where;
    if (argc > 3 && strcmp(argv[3], name))
      continue;
    ran++;
    passed += run_apart(name, i);
  }
  free(source);
  free(hand_ptx);
  printf("%u of %u cases passed\n", passed, ran);
  return passed == ran && ran ? 0 : 1;
}
