// Cancelling streams, and waiting for a limited time.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/api/api_test.h"

#define ITEMS 4096
#define MS UINT64_C(1000000)

static struct kiln_kernel *kernel;
static struct kiln_buffer *x;
static int out[ITEMS];

// Else a cancelled stream is lost. The device may still run what it had, which writes to a buffer of its own.
static bool goes_on(void) { return api_is("cpu") || api_is("interp"); }

static struct kiln_stream *new_stream(void) {
  struct kiln_stream *made;
  FINE(kiln_stream_create(ctx, 0, &made));
  FINE(kiln_stream_set_deadline(made, KILN_DEADLINE_CANCEL)); // opencl cancels no others
  return made;
}

static void launch_with(struct kiln_stream *on, struct kiln_buffer *buffer, int value) {
  struct kiln_arg args[2] = {kiln_arg_buffer(buffer), kiln_arg_value(&value, sizeof value)};
  FINE(kiln_launch(on, kernel, &(struct kiln_launch_desc){.global = {ITEMS}, .args = args, .arg_count = 2}, NULL));
}

static void launch(struct kiln_stream *on, int value) { launch_with(on, x, value); }

// Launches on the stream run from their beginning to their end.
static void runs(struct kiln_stream *on, int value) {
  launch(on, value);
  FINE(kiln_read(on, x, 0, out, sizeof out, NULL));
  FINE(kiln_stream_finish(on));
  for (int i = 0; i < ITEMS && !api_is("rocm"); i++) // whose stand-in runs no kernels
    EXPECT(out[i] == value + i, "[%d] is %d", i, out[i]);
}

static void an_idle_stream(void) {
  struct kiln_stream *idle = new_stream();
  FINE(kiln_stream_cancel(idle));
  runs(idle, 1);
  for (int i = 0; i < 3; i++)
    FINE(kiln_stream_cancel(idle));
  FINE(kiln_stream_finish(idle));
  runs(idle, 2);
  kiln_stream_release(idle);
}

static void what_is_held_back(void) {
  struct kiln_event *go, *held;
  struct kiln_stream *waits = new_stream();
  struct kiln_buffer *own = api_buffer(sizeof out, NULL);
  FINE(kiln_event_create_user(ctx, &go));
  FINE(kiln_stream_wait(waits, go));
  launch_with(waits, own, 3);
  FINE(kiln_stream_record(waits, &held));
  FINE(kiln_stream_cancel(waits));
  EXPECT(kiln_stream_finish(waits) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  EXPECT(kiln_event_wait(held) == KILN_ERR_CANCELLED, "%s", kiln_last_error());
  FINE(kiln_event_signal(go, KILN_OK));
  if (goes_on())
    runs(waits, 4);
  kiln_event_release(held);
  kiln_event_release(go);
  kiln_buffer_release(own);
  kiln_stream_release(waits);
  runs(stream, 5);
}

static void *cancel(void *user) {
  for (int i = 0; i < 50; i++)
    FINE(kiln_stream_cancel(user));
  return NULL;
}

// Whatever had begun, the call waits for nothing, and all ends.
static void another_thread_cancels(void) {
  struct kiln_buffer *own = api_buffer(sizeof out, NULL);
  for (int round = 0; round < (goes_on() ? 30 : 3); round++) {
    struct kiln_stream *busy = new_stream();
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, cancel, busy) == 0, "thread");
    int value = 0;
    struct kiln_arg args[2] = {kiln_arg_buffer(own), kiln_arg_value(&value, sizeof value)};
    struct kiln_launch_desc desc = {.global = {ITEMS}, .args = args, .arg_count = 2};
    enum kiln_status status = KILN_OK;
    for (int i = 0; i < 20 && status == KILN_OK; i++) // a lost stream refuses launches
      status = kiln_launch(busy, kernel, &desc, NULL);
    EXPECT(status == KILN_OK || (status == KILN_ERR_CANCELLED && !goes_on()), "%s", kiln_last_error());
    status = kiln_stream_finish(busy);
    EXPECT(status == KILN_OK || status == KILN_ERR_CANCELLED, "%s", kiln_last_error());
    pthread_join(thread, NULL);
    kiln_stream_finish(busy);
    if (goes_on())
      runs(busy, round);
    kiln_stream_release(busy);
  }
  kiln_buffer_release(own);
  runs(stream, 6);
}

static void *signal_soon(void *user) {
  usleep(30000);
  FINE(kiln_event_signal(user, KILN_OK));
  return NULL;
}

static void waiting_for_a_limited_time(void) {
  struct kiln_event *go, *held;
  pthread_t thread;
  bool done = true;
  FINE(kiln_event_create_user(ctx, &go));
  FINE(kiln_stream_wait(stream, go));
  launch(stream, 7);
  FINE(kiln_stream_record(stream, &held));
  for (int i = 0; i < 3; i++) {
    FINE(kiln_stream_finish_within(stream, (uint64_t)i * MS, &done));
    EXPECT(!done, "the stream is held back");
    FINE(kiln_event_wait_within(held, (uint64_t)i * MS, &done));
    EXPECT(!done, "the event is held back");
    FINE(kiln_event_wait_within(go, (uint64_t)i * MS, &done));
    EXPECT(!done, "it was not signalled");
  }
  EXPECT(pthread_create(&thread, NULL, signal_soon, go) == 0, "thread");
  FINE(kiln_event_wait_within(go, UINT64_MAX, &done));
  EXPECT(done, "signalled");
  FINE(kiln_event_wait_within(held, UINT64_MAX, &done));
  EXPECT(done && kiln_event_done(held), "run");
  FINE(kiln_stream_finish_within(stream, 20000 * MS, &done));
  EXPECT(done, "all has run");
  pthread_join(thread, NULL);
  FINE(kiln_stream_finish(stream));
  FINE(kiln_stream_finish_within(stream, 0, &done));
  EXPECT(done || !goes_on(), "nothing is left");
  kiln_event_release(held);
  kiln_event_release(go);
}

static void misuse(void) {
  bool done;
  FAILS(kiln_stream_finish_within(NULL, 0, &done), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_stream_finish_within(stream, 0, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_event_wait_within(NULL, 0, &done), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  kernel = api_kernel("kernel void k(global int *x, int value) { int i = get_global_id(0); x[i] = value + i; }");
  x = api_buffer(sizeof out, NULL);
  an_idle_stream();
  waiting_for_a_limited_time();
  another_thread_cancels();
  what_is_held_back();
  misuse();
  kiln_buffer_release(x);
  kiln_kernel_release(kernel);
  api_close();
  return 0;
}
