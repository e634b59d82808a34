// Kernels that never end: deadlines of streams and cancelling, on the backends whose device is the host. Every test
// ends by itself where that works, and hangs (the runner's time limit) where it does not.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include "jit_test.h"

#define SECOND UINT64_C(1000000000)

// Each never ends when it is started with 1, and sets data[gid] to 2 otherwise.
static const char *const never_end[][2] = {
    {"a uniform loop", "kernel void k(global volatile int *go, global int *data) {\n"
                       "  while (*go) ;\n"
                       "  data[get_global_id(0)] = 2;\n"
                       "}\n"},
    {"a divergent loop", "kernel void k(global volatile int *go, global int *data) {\n"
                         "  int i = get_global_id(0), n = 0;\n"
                         "  while (go[0] * (i + 1) > (n & 1)) n += data[i] + 2;\n"
                         "  data[i] = 2;\n"
                         "}\n"},
    {"a loop with nothing in it", "kernel void k(global int *go, global int *data) {\n"
                                  "  if (*go) for (;;) ;\n"
                                  "  data[get_global_id(0)] = 2;\n"
                                  "}\n"},
    {"a barrier in a loop", "kernel void k(global volatile int *go, global int *data) {\n"
                            "  local int sum[64];\n"
                            "  int l = get_local_id(0);\n"
                            "  sum[l] = 2;\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  do {\n"
                            "    int x = sum[(l + 1) % get_local_size(0)];\n"
                            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    sum[l] = x;\n"
                            "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  } while (*go);\n"
                            "  data[get_global_id(0)] = sum[l];\n"
                            "}\n"},
    {"a loop in a function", "__attribute__((noinline)) int wait(global volatile int *go, int x) {\n"
                             "  while (*go) x += 2;\n"
                             "  return x;\n"
                             "}\n"
                             "kernel void k(global volatile int *go, global int *data) {\n"
                             "  data[get_global_id(0)] = wait(go, 2);\n"
                             "}\n"},
    {"a lock that is never released", "kernel void k(global volatile int *go, global int *data) {\n"
                                      "  while (atomic_cmpxchg(go, 0, 0)) ;\n"
                                      "  data[get_global_id(0)] = 2;\n"
                                      "}\n"},
    {"goto", "kernel void k(global volatile int *go, global int *data) {\n"
             "  int n = 0;\n"
             "again:\n"
             "  n++;\n"
             "  if (*go) goto again;\n"
             "  data[get_global_id(0)] = n + 1;\n"
             "}\n"},
};
enum { KERNELS = sizeof never_end / sizeof *never_end, ITEMS = 64 * 40 };

struct fixture {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_buffer *go, *data;
  struct kiln_arg args[2];
  int start, out[ITEMS];
};

static void open_with(struct fixture *f, const struct kiln_context_desc *desc, const char *source,
                      const char *options) {
  memset(f, 0, sizeof *f);
  OK(kiln_context_open(desc, &f->ctx));
  OK(kiln_stream_create(f->ctx, 0, &f->stream));
  OK(kiln_program_create(f->ctx, &(struct kiln_program_desc){.source = source, .name = "never.cl", .options = options},
                         &f->program));
  OK(kiln_kernel_create(f->program, "k", &f->kernel));
  OK(kiln_buffer_create(f->ctx, &(struct kiln_buffer_desc){.size = sizeof f->start, .host = &f->start}, &f->go));
  OK(kiln_buffer_create(f->ctx, &(struct kiln_buffer_desc){.size = sizeof f->out, .host = f->out}, &f->data));
  f->args[0] = kiln_arg_buffer(f->go);
  f->args[1] = kiln_arg_buffer(f->data);
}

static void open_kernel(struct fixture *f, const char *backend, const char *source, const char *options) {
  open_with(f, &(struct kiln_context_desc){.backend = backend, .num_threads = 2}, source, options);
}

static void close_kernel(struct fixture *f) {
  kiln_buffer_release(f->go);
  kiln_buffer_release(f->data);
  kiln_kernel_release(f->kernel);
  kiln_program_release(f->program);
  kiln_stream_release(f->stream);
  kiln_context_close(f->ctx);
}

static void launch(struct fixture *f, struct kiln_event **event) {
  struct kiln_launch_desc desc = {.global = {ITEMS}, .local = {64}, .args = f->args, .arg_count = 2};
  OK(kiln_launch(f->stream, f->kernel, &desc, event));
}

// The next launch on the stream runs as if nothing had been.
static void runs_again(struct fixture *f, const char *name) {
  __atomic_store_n(&f->start, 0, __ATOMIC_SEQ_CST);
  memset(f->out, 0, sizeof f->out);
  launch(f, NULL);
  enum kiln_status status = kiln_stream_finish(f->stream);
  cr_assert_eq(status, KILN_OK, "%s: %s", name, kiln_last_error());
  for (int i = 0; i < ITEMS; i++)
    cr_assert_eq(f->out[i], 2, "%s: [%d] is %d", name, i, f->out[i]);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void deadline_on(const char *backend, const char *options) {
  for (int i = 0; i < KERNELS; i++) {
    struct fixture f;
    open_kernel(&f, backend, never_end[i][1], options);
    OK(kiln_stream_set_deadline(f.stream, 20 * SECOND));
    runs_again(&f, never_end[i][0]); // compiles what can be stopped
    OK(kiln_stream_set_deadline(f.stream, SECOND / 10));
    f.start = 1;
    double begin = now();
    struct kiln_event *event;
    launch(&f, &event);
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "kernel 'k' ran longer than its deadline of 100 ms");
    double time = now() - begin;
    cr_assert(time > 0.09 && time < 10, "%s: %g s", never_end[i][0], time);
    FAILS(kiln_event_wait(event), KILN_ERR_TIMEOUT, "kernel 'k'");
    kiln_event_release(event);
    OK(kiln_stream_finish(f.stream)); // told once
    OK(kiln_stream_set_deadline(f.stream, 20 * SECOND));
    runs_again(&f, never_end[i][0]);
    close_kernel(&f);
  }
}

Test(stream_deadline, a_kernel_that_never_ends_is_stopped_on_interp, .init = set_up, .fini = tear_down, .timeout = 60) {
  deadline_on("interp", NULL);
}

#ifdef KILN_LLVM
Test(stream_deadline, a_kernel_that_never_ends_is_stopped_on_cpu, .init = set_up, .fini = tear_down, .timeout = 60) {
  deadline_on("cpu", NULL);
}
Test(stream_deadline, a_kernel_that_never_ends_is_stopped_on_cpu_at_one_lane, .init = set_up, .fini = tear_down,
     .timeout = 60) {
  deadline_on("cpu", "--kiln-lanes=1");
}
#define BACKENDS "interp", "cpu"
#else
#define BACKENDS "interp"
#endif

static const char *const backends[] = {BACKENDS};
enum { BACKEND_COUNT = sizeof backends / sizeof *backends };

// Of two that run, the one that began first is stopped in its time, though the other has much more, and a third one has
// come and gone.
Test(stream_deadline, the_deadline_of_each_counts, .init = set_up, .fini = tear_down, .timeout = 60) {
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    struct kiln_stream *second, *third;
    struct kiln_event *events[2];
    static int no, out;
    open_kernel(&f, backends[b], never_end[0][1], NULL);
    OK(kiln_stream_create(f.ctx, 0, &second));
    struct kiln_stream *const streams[] = {f.stream, second};
    OK(kiln_stream_set_deadline(f.stream, SECOND / 2));
    OK(kiln_stream_set_deadline(second, 3600 * SECOND));
    f.start = 1;
    for (int i = 0; i < 2; i++) {
      struct kiln_launch_desc desc = {.global = {1}, .local = {1}, .args = f.args, .arg_count = 2};
      OK(kiln_launch(streams[i], f.kernel, &desc, &events[i]));
      while (kiln_event_state(events[i], NULL) < KILN_EVENT_RUNNING && !kiln_event_done(events[0]))
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    struct kiln_buffer *stop, *data;
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = sizeof no, .host = &no}, &stop));
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = sizeof out, .host = &out}, &data));
    const struct kiln_arg args[] = {kiln_arg_buffer(stop), kiln_arg_buffer(data)};
    const struct kiln_launch_desc once = {.global = {1}, .local = {1}, .args = args, .arg_count = 2};
    OK(kiln_stream_create(f.ctx, 0, &third));
    OK(kiln_stream_set_deadline(third, 3600 * SECOND));
    OK(kiln_launch(third, f.kernel, &once, NULL));
    OK(kiln_stream_finish(third));
    cr_expect_eq(out, 2);
    kiln_stream_release(third);
    kiln_buffer_release(stop);
    kiln_buffer_release(data);
    FAILS(kiln_event_wait(events[0]), KILN_ERR_TIMEOUT, "its deadline of 500 ms");
    cr_expect_not(kiln_event_done(events[1]), "%s", backends[b]);
    OK(kiln_stream_cancel(second));
    FAILS(kiln_event_wait(events[1]), KILN_ERR_CANCELLED, "cancelled");
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "kernel 'k'");
    FAILS(kiln_stream_finish(second), KILN_ERR_CANCELLED, "cancelled");
    for (int i = 0; i < 2; i++)
      kiln_event_release(events[i]);
    kiln_stream_release(second);
    close_kernel(&f);
  }
}

static void *cancel_soon(void *user) {
  struct fixture *f = user;
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  OK(kiln_stream_cancel(f->stream));
  return NULL;
}

Test(stream_deadline, cancelling_stops_what_runs_and_what_waits, .init = set_up, .fini = tear_down, .timeout = 60) {
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    struct kiln_event *events[3];
    pthread_t thread;
    open_kernel(&f, backends[b], never_end[0][1], NULL);
    OK(kiln_stream_set_deadline(f.stream, KILN_DEADLINE_CANCEL));
    f.start = 1;
    for (int i = 0; i < 3; i++)
      launch(&f, &events[i]);
    cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &f), 0);
    FAILS(kiln_event_wait(events[0]), KILN_ERR_CANCELLED, "kernel 'k' was cancelled while it ran");
    for (int i = 1; i < 3; i++)
      FAILS(kiln_event_wait(events[i]), KILN_ERR_CANCELLED, "before it began");
    pthread_join(thread, NULL);
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "cancelled");
    for (int i = 0; i < 3; i++)
      kiln_event_release(events[i]);
    runs_again(&f, backends[b]); // what is enqueued after the call runs
    close_kernel(&f);
  }
}

// No deadline, so the code cannot be interrupted: the groups that run end, and no others begin.
Test(stream_deadline, cancelling_begins_no_further_groups, .init = set_up, .fini = tear_down, .timeout = 60) {
#ifdef KILN_TSAN
  cr_skip_test("the kernel reads what the host writes meanwhile");
#endif
  static const char source[] = "kernel void k(global volatile int *go, global int *data) {\n"
                               "  if (get_local_id(0) == 0) atomic_inc((global volatile int *)data);\n"
                               "  while (*go) ;\n"
                               "}\n";
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    open_kernel(&f, backends[b], source, NULL);
    f.start = 1;
    launch(&f, NULL);
    while (!__atomic_load_n(&f.out[0], __ATOMIC_SEQ_CST))
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    OK(kiln_stream_cancel(f.stream));
    __atomic_store_n(&f.start, 0, __ATOMIC_SEQ_CST);
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "kernel 'k'");
    cr_assert_leq(f.out[0], 2, "%s: %d work-groups ran on two threads", backends[b], f.out[0]);
    close_kernel(&f);
  }
}

#ifdef KILN_LLVM
// Code without any test of whether to stop is interrupted where faults are reported, on the pool's threads as well.
Test(stream_deadline, cancelling_interrupts_plain_code_where_faults_are_reported, .init = set_up, .fini = tear_down,
     .timeout = 60) {
  for (int i = 0; i < KERNELS; i++) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
      struct fixture f;
      struct kiln_event *events[2];
      pthread_t thread;
      open_with(&f, &(struct kiln_context_desc){.backend = "cpu", .num_threads = threads, .faults = "report"},
                never_end[i][1], NULL);
      f.start = 1;
      for (int k = 0; k < 2; k++)
        launch(&f, &events[k]);
      cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &f), 0);
      FAILS(kiln_event_wait(events[0]), KILN_ERR_CANCELLED, "kernel 'k' was cancelled while it ran");
      FAILS(kiln_event_wait(events[1]), KILN_ERR_CANCELLED, "before it began");
      pthread_join(thread, NULL);
      FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "cancelled");
      for (int k = 0; k < 2; k++)
        kiln_event_release(events[k]);
      runs_again(&f, never_end[i][0]);
      close_kernel(&f);
    }
  }
}

static void print_slowly(void *user, const char *text, size_t size) {
  (void)text, (void)size;
  atomic_int *calls = user;
  atomic_fetch_add(calls, 1);
  nanosleep(&(struct timespec){0, 2000000}, NULL);
}

// The interrupt comes while the thread is in the callback, and is not forgotten.
Test(stream_deadline, cancelling_interrupts_a_kernel_that_prints, .init = set_up, .fini = tear_down, .timeout = 60) {
  atomic_int calls = 0;
  struct fixture f;
  pthread_t thread;
  open_with(&f,
            &(struct kiln_context_desc){
                .backend = "cpu", .num_threads = 2, .faults = "report", .print = print_slowly, .print_user = &calls},
            "kernel void k(global volatile int *go, global int *data) {\n"
            "  while (*go) printf(\"x\");\n"
            "  data[get_global_id(0)] = 2;\n"
            "}\n",
            NULL);
  for (int i = 0; i < 3; i++) {
    f.start = 1;
    launch(&f, NULL);
    cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, &f), 0);
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "cancelled");
    pthread_join(thread, NULL);
    cr_assert_gt(calls, 0);
    runs_again(&f, "printing");
  }
  close_kernel(&f);
}

static void *cancel_often(void *user) {
  struct fixture *f = user;
  while (__atomic_load_n(&f->go, __ATOMIC_SEQ_CST))
    OK(kiln_stream_cancel(f->stream));
  return NULL;
}

// Each launch ends, whole or cancelled, and no interrupt reaches anything else: what runs on other streams of the
// context, and the threads after their launches.
Test(stream_deadline, cancelling_races_with_launches_that_end, .init = set_up, .fini = tear_down, .timeout = 60) {
#ifdef KILN_TSAN
  cr_skip_test("so many interrupts make the sanitizer's runtime wait for itself");
#endif
  for (int b = 0; b < 2; b++) {
    struct fixture f;
    struct kiln_stream *other;
    pthread_t threads[2];
    open_with(&f, &(struct kiln_context_desc){.backend = b ? "cpu" : "interp", .num_threads = 3, .faults = "report"},
              "kernel void k(global int *go, global int *data) {\n"
              "  int n = 0;\n"
              "  for (int i = 0; i < 20 + go[0]; i++) n += i;\n"
              "  data[get_global_id(0)] = n == 190 ? 2 : 1;\n"
              "}\n",
              NULL);
    struct kiln_buffer *go = f.go, *data;
    static int out[ITEMS];
    OK(kiln_stream_create(f.ctx, 0, &other));
    OK(kiln_buffer_create(f.ctx, &(struct kiln_buffer_desc){.size = sizeof out, .host = out}, &data));
    struct kiln_arg args[2] = {kiln_arg_buffer(go), kiln_arg_buffer(data)};
    struct kiln_launch_desc desc = {.global = {ITEMS}, .local = {64}, .args = args, .arg_count = 2};
    for (int i = 0; i < 2; i++)
      cr_assert_eq(pthread_create(&threads[i], NULL, cancel_often, &f), 0);
    int cancelled = 0, rounds = b ? 500 : 5;
    for (int i = 0; i < rounds || !cancelled; i++) {
      launch(&f, NULL);
      enum kiln_status status = kiln_stream_finish(f.stream);
      cr_assert(status == KILN_OK || status == KILN_ERR_CANCELLED, "%d: %s", (int)status, kiln_last_error());
      cancelled += status != KILN_OK;
      memset(out, 0, sizeof out);
      OK(kiln_launch(other, f.kernel, &desc, NULL));
      OK(kiln_stream_finish(other));
      for (int k = 0; k < ITEMS; k++)
        cr_assert_eq(out[k], 2);
    }
    __atomic_store_n(&f.go, NULL, __ATOMIC_SEQ_CST); // the threads end
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
    f.go = go;
    OK(kiln_stream_cancel(f.stream)); // nothing runs
    runs_again(&f, b ? "cpu" : "interp");
    kiln_buffer_release(data);
    kiln_stream_release(other);
    close_kernel(&f);
  }
}

static void host_handler(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  abort(); // an interrupt went to the host
}

// Handlers that the host has set later get no interrupts: the launch ends at its next group.
Test(stream_deadline, a_handler_of_the_hosts_sees_no_interrupts, .init = set_up, .fini = tear_down, .timeout = 60) {
  struct fixture f;
  open_with(&f, &(struct kiln_context_desc){.backend = "cpu", .num_threads = 2, .faults = "report"}, never_end[0][1],
            NULL);
  struct sigaction before, action = {.sa_sigaction = host_handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, &before);
  f.start = 1;
  launch(&f, NULL);
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  OK(kiln_stream_cancel(f.stream));
  __atomic_store_n(&f.start, 0, __ATOMIC_SEQ_CST);
  FAILS(kiln_stream_finish(f.stream), KILN_ERR_CANCELLED, "kernel 'k'");
  sigaction(SIGSEGV, &before, NULL);
  runs_again(&f, "handler");
  close_kernel(&f);
}
#endif

Test(stream_deadline, closing_returns_while_kernels_never_end, .init = set_up, .fini = tear_down, .timeout = 60) {
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    open_kernel(&f, backends[b], never_end[0][1], NULL);
    kiln_stream_release(f.stream);
    OK(kiln_context_set_deadline(f.ctx, SECOND / 20));
    OK(kiln_stream_create(f.ctx, 0, &f.stream));
    f.start = 1;
    launch(&f, NULL);
    launch(&f, NULL);
    close_kernel(&f);
  }
}

Test(stream_deadline, a_launch_in_time_is_left_alone, .init = set_up, .fini = tear_down, .timeout = 60) {
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    open_kernel(&f, backends[b], never_end[0][1], NULL);
    OK(kiln_stream_set_deadline(f.stream, 20 * SECOND));
    for (int i = 0; i < 200; i++)
      launch(&f, NULL);
    OK(kiln_stream_finish(f.stream));
    runs_again(&f, backends[b]);
    close_kernel(&f);
  }
}

Test(stream_deadline, a_prepared_launch_keeps_the_code_that_it_was_prepared_with, .init = set_up, .fini = tear_down,
     .timeout = 60) {
  for (int b = 0; b < BACKEND_COUNT; b++) {
    struct fixture f;
    struct kiln_prepared *before, *after;
    open_kernel(&f, backends[b], never_end[0][1], NULL);
    struct kiln_launch_desc desc = {.global = {ITEMS}, .local = {64}, .args = f.args, .arg_count = 2};
    OK(kiln_prepare(f.stream, f.kernel, &desc, &before));
    OK(kiln_stream_set_deadline(f.stream, SECOND / 20));
    FAILS(kiln_run_prepared(before, NULL), KILN_ERR_INVALID, "'k' was prepared before its stream got a deadline");
    OK(kiln_prepare(f.stream, f.kernel, &desc, &after));
    f.start = 1;
    OK(kiln_run_prepared(after, NULL));
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "kernel 'k'");
    OK(kiln_stream_set_deadline(f.stream, 0));
    f.start = 0;
    OK(kiln_run_prepared(before, NULL));
    OK(kiln_run_prepared(after, NULL));
    OK(kiln_stream_finish(f.stream));
    kiln_prepared_release(before);
    kiln_prepared_release(after);
    close_kernel(&f);
  }
}

// Threads of the parent that sleep are not there in the child, and nobody may wait for them.
static int in_child(struct fixture *f, bool launches) {
  alarm(20);
  if (launches) {
    f->start = 1;
    launch(f, NULL);
    if (kiln_stream_finish(f->stream) != KILN_ERR_TIMEOUT)
      return 1;
    __atomic_store_n(&f->start, 0, __ATOMIC_SEQ_CST);
    launch(f, NULL);
    if (kiln_stream_finish(f->stream) != KILN_OK)
      return 2;
  }
  close_kernel(f);
  return 0;
}

Test(stream_deadline, a_forked_child_launches_and_closes, .init = set_up, .fini = tear_down, .timeout = 120) {
#ifdef KILN_TSAN
  cr_skip_test("needs threads after a fork");
#endif
  for (int b = 0; b < 2 * BACKEND_COUNT; b++) {
    struct fixture f;
    int status = -1;
    open_kernel(&f, backends[b / 2], never_end[0][1], NULL);
    OK(kiln_stream_set_deadline(f.stream, SECOND / 20));
    f.start = 1;
    launch(&f, NULL);
    FAILS(kiln_stream_finish(f.stream), KILN_ERR_TIMEOUT, "kernel 'k'");
    nanosleep(&(struct timespec){0, 50000000}, NULL); // the threads sleep
    pid_t child = fork();
    if (!child)
      _exit(in_child(&f, b % 2));
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "%s, launches %d: status 0x%x", backends[b / 2], b % 2, status);
    close_kernel(&f);
  }
}

Test(stream_deadline, wrong_arguments, .init = set_up, .fini = tear_down) {
  FAILS(kiln_stream_set_deadline(NULL, 1), KILN_ERR_INVALID, "stream is NULL");
  FAILS(kiln_stream_cancel(NULL), KILN_ERR_INVALID, "stream is NULL");
  FAILS(kiln_context_set_deadline(NULL, 1), KILN_ERR_INVALID, "ctx is NULL");
  cr_assert_str_eq(kiln_status_name(KILN_ERR_TIMEOUT), "timeout");
  cr_assert_str_eq(kiln_status_name(KILN_ERR_CANCELLED), "cancelled");
}
