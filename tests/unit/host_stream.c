// Streams, events and memory of the host backends, driven by a fake backend whose kernels are C functions.
#include "backends/host/host.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jit/report.h"

struct fake_launch {
  struct kiln_host_launch host;
  void (*fn)(void *user);
  void *user;
  enum kiln_status status;
};

static int freed_launches; // atomic

static enum kiln_status fake_run(struct kiln_host_launch *host, struct kiln_pool *pool,
                                 const struct kiln_host_stop *stop, char *message, size_t message_size) {
  (void)pool, (void)stop;
  struct fake_launch *launch = (struct fake_launch *)host;
  if (launch->fn)
    launch->fn(launch->user);
  if (launch->status)
    snprintf(message, message_size, "kernel 'fake' failed with %d", launch->status);
  return launch->status;
}

static void fake_free(struct kiln_host_launch *host) {
  __atomic_add_fetch(&freed_launches, 1, __ATOMIC_RELAXED);
  free(host);
}

static const struct kiln_host_ops fake_ops = {fake_run, fake_free};

static void no_print(void *user, const char *text, size_t size) { (void)user, (void)text, (void)size; }
static void no_log(void *user, enum kiln_log_level level, const char *message) {
  (void)user, (void)level, (void)message;
}

struct fixture {
  struct kiln_host_drv host;
  struct kiln_drv *drv;
  struct kiln_report report;
};

static void setup(struct fixture *f) {
  memset(f, 0, sizeof *f);
  freed_launches = 0;
  struct kiln_driver_config config = {.num_threads = 2, .print = no_print, .log = no_log};
  cr_assert_eq(kiln_host_init(&f->host, &fake_ops, &config, &f->report), KILN_OK);
  f->drv = (struct kiln_drv *)&f->host;
}

static void teardown(struct fixture *f) {
  kiln_host_fini(&f->host);
  kiln_report_free(&f->report);
}

static struct kiln_drv_stream *stream_new(struct fixture *f) {
  struct kiln_drv_stream *stream;
  cr_assert_eq(kiln_host_stream_create(f->drv, 0, &stream, &f->report), KILN_OK);
  return stream;
}

static struct kiln_drv_launch *launch_new(struct fixture *f, void (*fn)(void *), void *user, bool tiny) {
  struct fake_launch *launch = calloc(1, sizeof *launch);
  kiln_host_launch_init(&launch->host, &f->host, tiny);
  launch->fn = fn;
  launch->user = user;
  return (struct kiln_drv_launch *)launch;
}

static void enqueue(struct fixture *f, struct kiln_drv_stream *stream, void (*fn)(void *), void *user, bool tiny,
                    struct kiln_drv_event **event) {
  struct kiln_drv_launch *launch = launch_new(f, fn, user, tiny);
  cr_assert_eq(kiln_host_launch(f->drv, stream, launch, event, &f->report), KILN_OK);
  kiln_host_launch_release(f->drv, launch);
}

// A gate that a kernel waits at until the test opens it.
struct gate {
  bool open;
  bool reached;
};
static void at_gate(void *user) {
  struct gate *gate = user;
  __atomic_store_n(&gate->reached, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&gate->open, __ATOMIC_ACQUIRE))
    usleep(100);
}
static void open_gate(struct gate *gate) { __atomic_store_n(&gate->open, true, __ATOMIC_RELEASE); }
static void increment(void *user) { ++*(int *)user; }

struct order {
  int next;
  bool ok;
};
struct step {
  struct order *order;
  int number;
};
static void check_step(void *user) {
  struct step *step = user;
  if (step->order->next++ != step->number)
    step->order->ok = false;
}

Test(host_memory, alignment_and_wrapping) {
  struct fixture f;
  setup(&f);
  for (size_t size = 1; size < 200; size += 7) {
    struct kiln_drv_memory *memory;
    cr_assert_eq(kiln_host_alloc(f.drv, 0, size, NULL, &memory, &f.report), KILN_OK);
    cr_expect_eq((uintptr_t)kiln_host_host_pointer(f.drv, memory) % 128, 0, "size %zu", size);
    kiln_host_free(f.drv, memory);
  }
  char own[10];
  struct kiln_drv_memory *memory;
  cr_assert_eq(kiln_host_alloc(f.drv, 0, sizeof own, own, &memory, &f.report), KILN_OK);
  cr_expect_eq(kiln_host_host_pointer(f.drv, memory), own);
  kiln_host_free(f.drv, memory);
  kiln_host_free(f.drv, NULL);
  cr_assert_eq(kiln_host_alloc(f.drv, 0, (size_t)1 << 60, NULL, &memory, &f.report), KILN_ERR_MEMORY);
  teardown(&f);
}

Test(host_stream, a_tiny_launch_on_an_idle_stream_runs_inline) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *stream = stream_new(&f);
  int count = 0;
  enqueue(&f, stream, increment, &count, true, NULL);
  cr_expect_eq(count, 1);
  cr_expect_eq(freed_launches, 1);
  cr_expect_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK);
  kiln_host_stream_destroy(f.drv, stream);
  teardown(&f);
}

Test(host_stream, other_launches_do_not_block_the_host) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *stream = stream_new(&f);
  struct gate gate = {0};
  struct kiln_drv_event *event;
  enqueue(&f, stream, at_gate, &gate, false, &event);
  cr_expect_not(kiln_host_event_done(f.drv, event));
  // The worker takes it without anybody waiting.
  for (int i = 0; i < 20000 && !__atomic_load_n(&gate.reached, __ATOMIC_ACQUIRE); i++)
    usleep(100);
  cr_expect(__atomic_load_n(&gate.reached, __ATOMIC_ACQUIRE));
  int count = 0;
  enqueue(&f, stream, increment, &count, true, NULL); // in order, so not inline
  cr_expect_eq(count, 0);
  open_gate(&gate);
  cr_expect_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK);
  cr_expect_eq(count, 1);
  cr_expect(kiln_host_event_done(f.drv, event));
  struct kiln_event_times times;
  kiln_host_event_times(f.drv, event, &times);
  cr_expect(times.enqueued_ns <= times.started_ns && times.started_ns <= times.ended_ns && times.enqueued_ns > 0);
  kiln_host_stream_destroy(f.drv, stream);
  kiln_host_event_release(f.drv, event); // an event may outlive its stream
  teardown(&f);
}

Test(host_stream, commands_run_in_order) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *stream = stream_new(&f);
  enum { COUNT = 5000 }; // more than may be pending
  struct order order = {0, true};
  struct step *steps = calloc(COUNT, sizeof *steps);
  for (int i = 0; i < COUNT; i++) {
    steps[i] = (struct step){&order, i};
    enqueue(&f, stream, check_step, &steps[i], i % 3 == 0, NULL);
  }
  cr_expect_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK);
  cr_expect_eq(order.next, COUNT);
  cr_expect(order.ok);
  cr_expect_eq(freed_launches, COUNT);
  kiln_host_stream_destroy(f.drv, stream);
  free(steps);
  teardown(&f);
}

Test(host_stream, copies_and_fills) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *stream = stream_new(&f);
  static const size_t sizes[] = {0, 1, 100, 32768, 100000, 3 << 20, (5 << 20) + 12};
  int cases = 0;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    size_t size = sizes[k];
    unsigned char *in = malloc(size + 128), *out = calloc(1, size + 1);
    for (size_t i = 0; i < size + 128; i++)
      in[i] = (unsigned char)(i * 7 + (i >> 8));
    struct kiln_drv_memory *a, *b;
    cr_assert_eq(kiln_host_alloc(f.drv, 0, size + 64, NULL, &a, &f.report), KILN_OK);
    cr_assert_eq(kiln_host_alloc(f.drv, 0, size + 64, NULL, &b, &f.report), KILN_OK);
    cr_assert_eq(kiln_host_write(f.drv, stream, a, 3, in, size, NULL, &f.report), KILN_OK);
    cr_assert_eq(kiln_host_copy(f.drv, stream, a, 3, b, 5, size, NULL, &f.report), KILN_OK);
    cr_assert_eq(kiln_host_copy(f.drv, stream, b, 5, b, 1, size, NULL, &f.report), KILN_OK); // overlaps, as does
    cr_assert_eq(kiln_host_copy(f.drv, stream, b, 1, b, 9, size, NULL, &f.report), KILN_OK); // what goes upwards
    cr_assert_eq(kiln_host_read(f.drv, stream, b, 9, out, size, NULL, &f.report), KILN_OK);
    cr_assert_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK);
    cr_expect_eq(memcmp(in, out, size), 0, "copy of %zu bytes", size);
    for (size_t pattern = 1; pattern <= 128; pattern *= 2) {
      size_t fill = size / pattern * pattern;
      memset(a->data, 0xee, size + 64);
      cr_assert_eq(kiln_host_fill(f.drv, stream, a, 0, fill, in, size ? pattern : 1, NULL, &f.report), KILN_OK);
      cr_assert_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK);
      size_t bad = 0;
      for (size_t i = 0; i < fill; i++)
        bad += a->data[i] != in[i % pattern];
      cr_expect_eq(bad, 0, "fill of %zu bytes with a pattern of %zu", fill, pattern);
      cr_expect_eq(a->data[fill], 0xee, "fill of %zu bytes with a pattern of %zu goes too far", fill, pattern);
      cases++;
    }
    kiln_host_free(f.drv, a);
    kiln_host_free(f.drv, b);
    free(in);
    free(out);
  }
  cr_expect_eq(cases, 56);
  kiln_host_stream_destroy(f.drv, stream);
  teardown(&f);
}

static void fail_launch(struct fixture *f, struct kiln_drv_stream *stream, enum kiln_status status, bool tiny,
                        struct kiln_drv_event **event) {
  struct kiln_drv_launch *launch = launch_new(f, NULL, NULL, tiny);
  ((struct fake_launch *)launch)->status = status;
  cr_assert_eq(kiln_host_launch(f->drv, stream, launch, event, &f->report), KILN_OK);
  kiln_host_launch_release(f->drv, launch);
}

Test(host_stream, the_first_error_is_reported_once) {
  for (int tiny = 0; tiny < 2; tiny++) {
    struct fixture f;
    setup(&f);
    struct kiln_drv_stream *stream = stream_new(&f);
    int count = 0;
    struct kiln_drv_event *event, *later;
    fail_launch(&f, stream, KILN_ERR_DEVICE, tiny, NULL);
    fail_launch(&f, stream, KILN_ERR_MEMORY, tiny, &event);
    enqueue(&f, stream, increment, &count, tiny, &later);
    cr_expect_eq(kiln_host_event_wait(f.drv, event, &f.report), KILN_ERR_MEMORY, "tiny %d", tiny);
    cr_expect_eq(kiln_host_event_wait(f.drv, later, &f.report), KILN_ERR_DEVICE, "tiny %d", tiny);
    kiln_report_free(&f.report);
    memset(&f.report, 0, sizeof f.report);
    cr_expect_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_ERR_DEVICE, "tiny %d", tiny);
    cr_expect(strstr(kiln_report_text(&f.report), "kernel 'fake' failed with 8"), "tiny %d: %s", tiny,
              kiln_report_text(&f.report));
    cr_expect_eq(count, 1);
    cr_expect_eq(kiln_host_finish(f.drv, stream, &f.report), KILN_OK, "tiny %d: cleared", tiny);
    kiln_host_event_release(f.drv, event);
    kiln_host_event_release(f.drv, later);
    kiln_host_stream_destroy(f.drv, stream);
    teardown(&f);
  }
}

Test(host_stream, streams_wait_for_each_other) {
  struct fixture f;
  setup(&f);
  enum { STREAMS = 8, ROUNDS = 200 };
  struct kiln_drv_stream *streams[STREAMS];
  for (int i = 0; i < STREAMS; i++)
    streams[i] = stream_new(&f);
  // One chain through all streams, in changing order: without the waits, the steps would race.
  struct order order = {0, true};
  struct step *steps = calloc(STREAMS * ROUNDS, sizeof *steps);
  struct kiln_drv_event *event = NULL;
  for (int i = 0; i < STREAMS * ROUNDS; i++) {
    struct kiln_drv_stream *stream = streams[(i * 5 + i / 7) % STREAMS];
    steps[i] = (struct step){&order, i};
    if (event) {
      cr_assert_eq(kiln_host_wait(f.drv, stream, event, &f.report), KILN_OK);
      kiln_host_event_release(f.drv, event);
    }
    enqueue(&f, stream, check_step, &steps[i], i % 4 == 0, &event);
  }
  cr_expect_eq(kiln_host_event_wait(f.drv, event, &f.report), KILN_OK);
  kiln_host_event_release(f.drv, event);
  cr_expect_eq(order.next, STREAMS * ROUNDS);
  cr_expect(order.ok);
  for (int i = 0; i < STREAMS; i++)
    kiln_host_stream_destroy(f.drv, streams[i]);
  free(steps);
  teardown(&f);
}

Test(host_stream, a_failed_event_fails_the_waiting_stream) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *a = stream_new(&f), *b = stream_new(&f);
  struct kiln_drv_event *event;
  fail_launch(&f, a, KILN_ERR_DEVICE, false, &event);
  cr_assert_eq(kiln_host_wait(f.drv, b, event, &f.report), KILN_OK);
  cr_expect_eq(kiln_host_finish(f.drv, b, &f.report), KILN_ERR_DEVICE);
  cr_expect(strstr(kiln_report_text(&f.report), "kernel 'fake'"));
  kiln_host_event_release(f.drv, event);
  kiln_host_stream_destroy(f.drv, a);
  kiln_host_stream_destroy(f.drv, b);
  teardown(&f);
}

struct many {
  struct fixture *f;
  struct kiln_drv_stream *stream;
  struct kiln_drv_launch *launch;
};

static void *enqueue_many(void *user) {
  struct many *many = user;
  struct kiln_report report = {0};
  for (int i = 0; i < 500; i++) {
    struct kiln_drv_event *event = NULL;
    cr_assert_eq(kiln_host_launch(many->f->drv, many->stream, many->launch, i % 5 ? NULL : &event, &report), KILN_OK);
    if (event) {
      if (i % 2)
        cr_assert_eq(kiln_host_event_wait(many->f->drv, event, &report), KILN_OK);
      kiln_host_event_release(many->f->drv, event);
    }
    if (i % 50 == 0)
      cr_assert_eq(kiln_host_finish(many->f->drv, many->stream, &report), KILN_OK);
  }
  return NULL;
}

Test(host_stream, many_threads_share_a_stream) {
  for (int tiny = 0; tiny < 2; tiny++) {
    struct fixture f;
    setup(&f);
    int count = 0; // not atomic: a stream runs one command at a time
    struct many many = {&f, stream_new(&f), launch_new(&f, increment, &count, tiny)};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, enqueue_many, &many);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
    cr_expect_eq(kiln_host_finish(f.drv, many.stream, &f.report), KILN_OK);
    cr_expect_eq(count, 2000, "tiny %d: %d", tiny, count);
    kiln_host_launch_release(f.drv, many.launch);
    kiln_host_stream_destroy(f.drv, many.stream);
    teardown(&f);
  }
}

Test(host_stream, destroy_waits) {
  struct fixture f;
  setup(&f);
  struct kiln_drv_stream *stream = stream_new(&f);
  int count = 0;
  for (int i = 0; i < 100; i++)
    enqueue(&f, stream, increment, &count, false, NULL);
  kiln_host_stream_destroy(f.drv, stream);
  cr_expect_eq(count, 100);
  teardown(&f);
}

Test(host_launch, local_size_divides_the_global_size) {
  static const uint64_t globals[][3] = {{1, 1, 1},  {1000, 1, 1}, {1024, 1024, 1}, {7, 3, 5},
                                        {97, 1, 1}, {6, 100, 9},  {0, 1, 1}};
  int cases = 0;
  for (size_t k = 0; k < sizeof globals / sizeof *globals; k++) {
    uint64_t local[3];
    kiln_host_choose_local(globals[k], 64, local);
    uint64_t items = local[0] * local[1] * local[2];
    cr_expect(items >= 1 && items <= 64, "case %zu: %llu items", k, (unsigned long long)items);
    for (int d = 0; d < 3; d++)
      cr_expect_eq(globals[k][d] % local[d], 0, "case %zu, dimension %d", k, d);
    cases++;
  }
  cr_expect_eq(cases, 7);
}
