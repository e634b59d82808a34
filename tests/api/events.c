// Events of the host, states of events, and functions that are called when one is reached.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/api/api_test.h"

static struct kiln_buffer *x;
static struct kiln_stream *other;

static int value(void) {
  int v = 0;
  FINE(kiln_read(stream, x, 0, &v, sizeof v, NULL));
  FINE(kiln_stream_finish(stream));
  return v;
}

static enum kiln_status set(struct kiln_stream *on, int v, struct kiln_event **event) {
  return kiln_fill(on, x, 0, 4, &v, 4, event);
}

struct told {
  atomic_int calls, state, status;
};
static void note(void *user, enum kiln_event_state state, enum kiln_status status) {
  struct told *told = user;
  told->state = (int)state;
  told->status = (int)status;
  atomic_fetch_add(&told->calls, 1);
}
static void await_call(struct told *told) {
  for (int i = 0; i < 20000 && !told->calls; i++)
    usleep(1000);
  EXPECT(told->calls == 1, "%d calls", (int)told->calls);
}

static void streams_wait_for_the_host(void) {
  struct kiln_event *go, *first, *second, *chained;
  struct kiln_event_times times;
  FINE(set(stream, 1, NULL));
  FINE(kiln_stream_finish(stream));
  FINE(kiln_event_create_user(ctx, &go));
  EXPECT(kiln_event_state(go, NULL) == KILN_EVENT_SUBMITTED && !kiln_event_done(go), "state");
  FINE(kiln_stream_wait(stream, go));
  FINE(set(stream, 2, &first));
  FINE(kiln_stream_wait(other, first)); // by way of another stream
  FINE(set(other, 3, &chained));
  FINE(kiln_stream_record(stream, &second));
  usleep(20000);
  enum kiln_event_state state = kiln_event_state(first, NULL);
  EXPECT(state < KILN_EVENT_RUNNING, "%d", (int)state);
  EXPECT(kiln_event_state(chained, NULL) < KILN_EVENT_RUNNING && !kiln_event_done(chained), "chained");
  struct told early = {0}, middle = {0}, late = {0}, of_host = {0}, of_chained = {0};
  FINE(kiln_event_notify(first, KILN_EVENT_QUEUED, note, &early));
  EXPECT(early.calls == 1 && early.state < KILN_EVENT_RUNNING, "%d", (int)early.state);
  FINE(kiln_event_notify(second, KILN_EVENT_DONE, note, &late));
  FINE(kiln_event_notify(first, KILN_EVENT_RUNNING, note, &middle)); // of an earlier command than the one before
  FINE(kiln_event_notify(chained, KILN_EVENT_DONE, note, &of_chained));
  FINE(kiln_event_notify(go, KILN_EVENT_DONE, note, &of_host));
  EXPECT(!late.calls && !of_host.calls && !of_chained.calls, "too early");
  FINE(kiln_event_signal(go, KILN_OK));
  EXPECT(of_host.calls == 1 && of_host.state == KILN_EVENT_DONE && of_host.status == KILN_OK, "the host's");
  FAILS(kiln_event_signal(go, KILN_OK), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FINE(kiln_event_wait(chained));
  await_call(&late);
  await_call(&middle);
  await_call(&of_chained);
  EXPECT(late.state == KILN_EVENT_DONE && of_chained.state == KILN_EVENT_DONE, "states");
  FINE(kiln_event_wait(go));
  FINE(kiln_event_times(go, &times));
  EXPECT(times.enqueued_ns && times.enqueued_ns <= times.ended_ns, "times");
  FINE(kiln_stream_finish(other));
  EXPECT(value() == 3, "%d", value());
  struct told at_once = {0};
  FINE(kiln_event_notify(first, KILN_EVENT_DONE, note, &at_once));
  EXPECT(at_once.calls == 1 && at_once.state == KILN_EVENT_DONE, "at once");
  FINE(kiln_stream_wait(stream, go)); // which has been signalled
  FINE(kiln_stream_finish(stream));
  kiln_event_release(go);
  kiln_event_release(first);
  kiln_event_release(second);
  kiln_event_release(chained);
}

// What is told of an event that goes, whose last reference it was, may still hold on to it for a while.
static void touch(void *user, enum kiln_event_state state, enum kiln_status status) {
  struct kiln_event *event = *(struct kiln_event **)user;
  kiln_event_retain(event);
  EXPECT(state == KILN_EVENT_FAILED && status == KILN_ERR_CANCELLED, "%d", (int)status);
  EXPECT(kiln_event_state(event, NULL) == KILN_EVENT_FAILED, "state");
  kiln_event_release(event);
}

static void released_in_a_callback(void) {
  struct kiln_event *event;
  FINE(kiln_event_create_user(ctx, &event));
  FINE(kiln_event_notify(event, KILN_EVENT_DONE, touch, &event));
  kiln_event_release(event);
}

// What waits for an event that has failed fails, too.
static void failures(void) {
  for (int i = 0; i < 2; i++) {
    struct kiln_event *go, *after;
    struct told told = {0}, of_host = {0};
    enum kiln_status status, want = i ? KILN_ERR_CANCELLED : KILN_ERR_IO;
    FINE(kiln_event_create_user(ctx, &go));
    FINE(kiln_stream_wait(stream, go));
    FINE(set(stream, 5, &after));
    FINE(kiln_event_notify(after, KILN_EVENT_DONE, note, &told));
    FINE(kiln_event_notify(go, KILN_EVENT_DONE, note, &of_host));
    if (i) { // released without a signal
      kiln_event_release(go);
    } else {
      FINE(kiln_event_signal(go, KILN_ERR_IO));
      EXPECT(kiln_event_wait(go) == KILN_ERR_IO && strstr(kiln_last_error(), "input/output error"), "%s",
             kiln_last_error());
      EXPECT(kiln_event_state(go, &status) == KILN_EVENT_FAILED && status == KILN_ERR_IO, "%d", (int)status);
      kiln_event_release(go);
    }
    EXPECT(of_host.calls == 1 && of_host.state == KILN_EVENT_FAILED && of_host.status == (int)want, "%d",
           (int)of_host.status);
    status = kiln_event_wait(after);
    EXPECT(status == want, "%d: %s", (int)status, kiln_last_error());
    EXPECT(kiln_event_state(after, NULL) == KILN_EVENT_FAILED, "state");
    await_call(&told);
    EXPECT(told.state == KILN_EVENT_FAILED && told.status == (int)status, "%d", (int)told.status);
    kiln_event_release(after);
    EXPECT(kiln_stream_finish(stream) == status, "%s", kiln_last_error());
    FINE(set(stream, 6, NULL));
    EXPECT(value() == 6, "%d", value());
  }
}

// One thread enqueues more than a stream has room for, releases more than is kept without waiting, then signals.
static void many_commands_are_held_back(void) {
  const bool has_room = !api_is("rocm"); // a queue of the device's
  struct kiln_event *go;
  int n = has_room ? 3000 : 20;
  FINE(kiln_event_create_user(ctx, &go));
  FINE(kiln_stream_wait(stream, go));
  for (int i = 0; i < n; i++) {
    FINE(set(stream, i, NULL));
    if (i % 8)
      continue;
    struct kiln_buffer *gone = api_buffer(16, NULL);
    FINE(kiln_fill(stream, gone, 0, 16, &i, 4, NULL));
    kiln_buffer_release(gone);
  }
  FINE(kiln_event_signal(go, KILN_OK));
  kiln_event_release(go);
  EXPECT(value() == n - 1, "%d", value());
  if (has_room)
    return;
  enum kiln_status status = KILN_OK;
  FINE(kiln_event_create_user(ctx, &go));
  FINE(kiln_stream_wait(stream, go));
  for (int i = 0; i < 2000 && status == KILN_OK; i++)
    status = set(stream, i, NULL);
  EXPECT(status == KILN_ERR_UNSUPPORTED && strstr(kiln_last_error(), "event of the host"), "%s", kiln_last_error());
  FINE(kiln_event_signal(go, KILN_OK));
  kiln_event_release(go);
  FINE(kiln_stream_finish(stream));
}

static void *signal_later(void *user) {
  usleep(20000);
  FINE(kiln_event_signal(user, KILN_OK));
  return NULL;
}

// From another thread, while this one waits: for the event, and for a stream that it holds back.
static void threads_wait_for_the_host(void) {
  for (int i = 0; i < 2; i++) {
    struct kiln_event *go;
    pthread_t thread;
    FINE(kiln_event_create_user(ctx, &go));
    FINE(kiln_stream_wait(stream, go));
    FINE(set(stream, 70 + i, NULL));
    EXPECT(pthread_create(&thread, NULL, signal_later, go) == 0, "a thread");
    FINE(i ? kiln_event_wait(go) : kiln_stream_finish(stream));
    EXPECT(kiln_event_done(go), "done");
    pthread_join(thread, NULL);
    EXPECT(value() == 70 + i, "%d", value());
    kiln_event_release(go);
  }
}

static void signal_next(void *user, enum kiln_event_state state, enum kiln_status status) {
  EXPECT(state == KILN_EVENT_DONE, "%d", (int)status);
  FINE(kiln_event_signal(user, KILN_OK));
}

// The function that an event calls may enqueue and signal.
static void functions_signal(void) {
  struct kiln_event *first, *second, *end;
  FINE(kiln_event_create_user(ctx, &first));
  FINE(kiln_event_create_user(ctx, &second));
  struct kiln_event *after;
  FINE(kiln_stream_wait(stream, first));
  FINE(set(stream, 80, &after));
  FINE(kiln_stream_wait(stream, second));
  FINE(set(stream, 81, &end));
  struct told told = {0};
  FINE(kiln_event_notify(end, KILN_EVENT_DONE, note, &told)); // the later one first
  FINE(kiln_event_notify(after, KILN_EVENT_DONE, signal_next, second));
  FINE(kiln_event_signal(first, KILN_OK));
  FINE(kiln_event_wait(end));
  await_call(&told);
  EXPECT(value() == 81, "%d", value());
  kiln_event_release(first);
  kiln_event_release(second);
  kiln_event_release(after);
  kiln_event_release(end);
}

static void misuse(void) {
  struct kiln_event *event;
  FINE(kiln_stream_record(stream, &event));
  FAILS(kiln_event_signal(event, KILN_OK), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_event_signal(NULL, KILN_OK), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_event_notify(event, KILN_EVENT_DONE, NULL, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_event_notify(NULL, KILN_EVENT_DONE, note, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_event_create_user(ctx, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  kiln_event_release(event);
  FINE(kiln_event_create_user(ctx, &event));
  FAILS(kiln_event_signal(event, (enum kiln_status)99), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  kiln_event_retain(event);
  kiln_event_release(event); // not the last owner
  EXPECT(kiln_event_state(event, NULL) == KILN_EVENT_SUBMITTED, "state");
  FINE(kiln_event_signal(event, KILN_OK));
  kiln_event_release(event);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  FINE(kiln_stream_create(ctx, 0, &other));
  x = api_buffer(4, NULL);
  streams_wait_for_the_host();
  failures();
  released_in_a_callback();
  many_commands_are_held_back();
  threads_wait_for_the_host();
  functions_signal();
  misuse();
  kiln_buffer_release(x);
  kiln_stream_release(other);
  api_close();
  return 0;
}
