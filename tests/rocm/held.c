// What waits for a command does so for as long as the command takes: the stand-in holds copies or kernels back, so that
// what does not wait overtakes them.
//
//   rocm_held FILE    FILE: driver.cl; needs LD_LIBRARY_PATH
#include <pthread.h>
#include <unistd.h>

#include "tests/rocm/session.h"
#include "tests/rocm/standin.h"

enum { ITEMS = 64, BYTES = ITEMS * sizeof(int), FIVE = 5 };

// So long has what does not wait to overtake. A slow machine may miss it, and says nothing wrong then.
static void give_time(void) { usleep(20000); }

static enum kiln_status add(struct session *s, struct kiln_stream *stream, struct kiln_buffer *b, int n,
                            struct kiln_event **event) {
  struct kiln_arg args[] = {kiln_arg_buffer(b), kiln_arg_value(&n, sizeof n)};
  return kiln_launch(stream, s->add, &(struct kiln_launch_desc){.global = {ITEMS}, .args = args, .arg_count = 2},
                     event);
}

// ---- one command after another: x gets fives, and what follows meets them -------------------------------------------

struct work {
  struct session *s;
  struct kiln_stream *other;
  struct kiln_buffer *x, *y;
  int *read; // ITEMS values
};

static const int fives[ITEMS] = {[0 ... ITEMS - 1] = FIVE};

static void write_fives(struct work *w) { FINE(kiln_write(w->s->stream, w->x, 0, fives, BYTES, NULL)); }
static void fill_fives(struct work *w) {
  static const int five = FIVE;
  FINE(kiln_fill(w->s->stream, w->x, 0, BYTES, &five, sizeof five, NULL));
}
static void copy_fives(struct work *w) { // x holds zeros, y fives
  FINE(kiln_copy(w->s->stream, w->y, 0, w->x, 0, BYTES, NULL));
}
static void add_fives(struct work *w) { FINE(add(w->s, w->s->stream, w->x, FIVE, NULL)); }

static const struct first {
  const char *name;
  enum standin_kind held;
  void (*run)(struct work *w);
} firsts[] = {
    {"a write", STANDIN_COPIES, write_fives},
    {"a fill", STANDIN_COPIES, fill_fives},
    {"a copy", STANDIN_COPIES, copy_fives},
    {"a kernel", STANDIN_KERNELS, add_fives},
};

static struct kiln_event *kernel_after(struct work *w) {
  struct kiln_event *event;
  FINE(add(w->s, w->s->stream, w->x, 0, &event));
  FINE(kiln_read(w->s->stream, w->x, 0, w->read, BYTES, NULL));
  return event;
}
static struct kiln_event *read_after(struct work *w) {
  struct kiln_event *event;
  FINE(kiln_read(w->s->stream, w->x, 0, w->read, BYTES, &event));
  return event;
}
static struct kiln_event *copy_after(struct work *w) {
  struct kiln_event *event;
  FINE(kiln_copy(w->s->stream, w->x, 0, w->y, 0, BYTES, &event));
  FINE(kiln_read(w->s->stream, w->y, 0, w->read, BYTES, NULL));
  return event;
}
static struct kiln_event *record_after(struct work *w) {
  struct kiln_event *event;
  FINE(kiln_stream_record(w->s->stream, &event));
  FINE(kiln_read(w->s->stream, w->x, 0, w->read, BYTES, NULL));
  return event;
}
static struct kiln_event *empty_write_after(struct work *w) {
  struct kiln_event *event;
  FINE(kiln_write(w->s->stream, w->x, 0, fives, 0, &event));
  FINE(kiln_read(w->s->stream, w->x, 0, w->read, BYTES, NULL));
  return event;
}
// On another stream that waits.
static struct kiln_event *other_stream_after(struct work *w) {
  struct kiln_event *mark, *event;
  FINE(kiln_stream_record(w->s->stream, &mark));
  FINE(kiln_stream_wait(w->other, mark));
  kiln_event_release(mark);
  FINE(kiln_read(w->other, w->x, 0, w->read, BYTES, &event));
  return event;
}
static struct kiln_event *other_kernel_after(struct work *w) {
  struct kiln_event *mark, *event;
  FINE(kiln_stream_record(w->s->stream, &mark));
  FINE(kiln_stream_wait(w->other, mark));
  kiln_event_release(mark);
  FINE(add(w->s, w->other, w->x, 0, &event));
  FINE(kiln_read(w->other, w->x, 0, w->read, BYTES, NULL));
  return event;
}

// Behind a wait for something else, which has ended.
static struct kiln_event *kernel_behind_wait(struct work *w) {
  struct kiln_event *mark, *event;
  FINE(kiln_stream_record(w->other, &mark));
  FINE(kiln_stream_wait(w->s->stream, mark));
  kiln_event_release(mark);
  FINE(add(w->s, w->s->stream, w->x, 0, &event));
  FINE(kiln_read(w->s->stream, w->x, 0, w->read, BYTES, NULL));
  return event;
}

static const struct then {
  const char *name;
  struct kiln_event *(*run)(struct work *w);
} thens[] = {
    {"a kernel", kernel_after},
    {"a read", read_after},
    {"a copy", copy_after},
    {"a record", record_after},
    {"an empty write", empty_write_after},
    {"a read of a stream that waits", other_stream_after},
    {"a kernel behind a wait", kernel_behind_wait},
    {"a kernel of a stream that waits", other_kernel_after},
};

static void follow(struct work *w, const struct first *first, const struct then *then) {
  int zero = 0;
  FINE(kiln_fill(w->s->stream, w->x, 0, BYTES, &zero, sizeof zero, NULL));
  FINE(kiln_write(w->s->stream, w->y, 0, fives, BYTES, NULL));
  FINE(kiln_stream_finish(w->s->stream));
  standin_hold(first->held, true);
  first->run(w);
  struct kiln_event *event = then->run(w);
  give_time();
  EXPECT(!kiln_event_done(event), "%s after %s that is held has ended", then->name, first->name);
  standin_hold(first->held, false);
  FINE(kiln_stream_finish(w->s->stream));
  FINE(kiln_stream_finish(w->other));
  EXPECT(kiln_event_done(event), "%s after %s", then->name, first->name);
  for (int i = 0; i < ITEMS; i++)
    EXPECT(w->read[i] == FIVE, "%s after %s: element %d is %d", then->name, first->name, i, w->read[i]);
  kiln_event_release(event);
}

static void commands_wait_for_those_before(struct session *s) {
  int read[ITEMS];
  struct work w = {.s = s, .x = buffer(s, BYTES, NULL, 0), .y = buffer(s, BYTES, NULL, 0), .read = read};
  FINE(kiln_stream_create(s->ctx, 0, &w.other));
  for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
    for (size_t k = 0; k < sizeof thens / sizeof *thens; k++)
      follow(&w, &firsts[i], &thens[k]);
  kiln_stream_release(w.other);
  kiln_buffer_release(w.x);
  kiln_buffer_release(w.y);
}

static void states_are_those_of_the_commands(struct session *s) {
  struct kiln_buffer *x = buffer(s, BYTES, NULL, 0);
  struct kiln_event *first, *second;
  FINE(kiln_stream_finish(s->stream));
  standin_hold(STANDIN_KERNELS, true);
  FINE(add(s, s->stream, x, 1, &first));
  FINE(add(s, s->stream, x, 1, &second));
  EXPECT(kiln_event_state(first, NULL) == KILN_EVENT_RUNNING, "%d", (int)kiln_event_state(first, NULL));
  EXPECT(kiln_event_state(second, NULL) < KILN_EVENT_RUNNING, "%d", (int)kiln_event_state(second, NULL));
  standin_hold(STANDIN_KERNELS, false);
  FINE(kiln_event_wait(second));
  EXPECT(kiln_event_state(first, NULL) == KILN_EVENT_DONE, "%d", (int)kiln_event_state(first, NULL));
  kiln_event_release(first);
  kiln_event_release(second);
  kiln_buffer_release(x);
}

// ---- host memory and buffers while commands use them ----------------------------------------------------------------

// What was given to a write may change at once, also when the stream's staging memory is full.
static void writes_keep_what_they_were_given(struct session *s) {
  enum { COUNT = 24, PIECE = 5000 }; // 480,000 bytes in all
  static int sent[PIECE], got[COUNT][PIECE];
  struct kiln_buffer *x = buffer(s, sizeof got, NULL, 0);
  standin_hold(STANDIN_COPIES, true);
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < PIECE; k++)
      sent[k] = i * PIECE + k;
    FINE(kiln_write(s->stream, x, (size_t)i * sizeof sent, sent, sizeof sent, NULL));
  }
  memset(sent, 0, sizeof sent);
  standin_hold(STANDIN_COPIES, false);
  FINE(kiln_read(s->stream, x, 0, got, sizeof got, NULL));
  FINE(kiln_stream_finish(s->stream));
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < PIECE; k++)
      EXPECT(got[i][k] == i * PIECE + k, "write %d, element %d: %d", i, k, got[i][k]);
  kiln_buffer_release(x);
}

// The stand-in looks whether memory is there when it copies.
static void released_buffers_stay_while_they_are_used(struct session *s) {
  struct kiln_buffer *x = buffer(s, 1 << 20, NULL, 0), *y = buffer(s, 1 << 20, NULL, 0);
  static int data[1 << 18];
  standin_hold(STANDIN_COPIES, true);
  FINE(kiln_write(s->stream, x, 0, data, sizeof data, NULL)); // pinned
  FINE(kiln_copy(s->stream, x, 0, y, 0, sizeof data, NULL));
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  give_time();
  standin_hold(STANDIN_COPIES, false);
  FINE(kiln_stream_finish(s->stream));
}

static void *release_copies(void *user) {
  (void)user;
  give_time();
  standin_hold(STANDIN_COPIES, false);
  return NULL;
}

// Two calls wait on the host: a write of what a read is to bring, and a command when the stream holds as many as it
// can.
static void calls_wait_on_the_host(struct session *s) {
  enum { MANY = 100 };
  int read[ITEMS] = {0}, back[ITEMS] = {0};
  pthread_t thread;
  struct kiln_buffer *x = buffer(s, BYTES, (void *)(uintptr_t)fives, 0), *y = buffer(s, BYTES, NULL, 0);
  struct kiln_stream *other;
  FINE(kiln_stream_create(s->ctx, 0, &other));
  standin_hold(STANDIN_COPIES, true);
  FINE(kiln_read(s->stream, x, 0, read, BYTES, NULL));
  EXPECT(pthread_create(&thread, NULL, release_copies, NULL) == 0, "no thread");
  FINE(kiln_write(other, y, 0, read, BYTES, NULL));
  pthread_join(thread, NULL);
  FINE(kiln_read(other, y, 0, back, BYTES, NULL));
  FINE(kiln_stream_finish(other));
  for (int i = 0; i < ITEMS; i++)
    EXPECT(back[i] == FIVE, "element %d is %d", i, back[i]);
  standin_hold(STANDIN_COPIES, true);
  FINE(kiln_write(s->stream, x, 0, fives, BYTES, NULL));
  EXPECT(pthread_create(&thread, NULL, release_copies, NULL) == 0, "no thread");
  for (int i = 0; i < MANY; i++)
    FINE(add(s, s->stream, x, 1, NULL));
  pthread_join(thread, NULL);
  FINE(kiln_read(s->stream, x, 0, back, BYTES, NULL));
  FINE(kiln_stream_finish(s->stream));
  EXPECT(back[0] == FIVE + MANY, "%d", back[0]);
  kiln_stream_release(other);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
}

// ---- deadlines ------------------------------------------------------------------------------------------------------

// A deadline is for the time that a kernel runs: not for the time that it waits for a kernel or a copy before it, of
// its own stream or of another. What is before takes longer than the deadline, and is seen to end while the kernel
// runs.
static void deadlines_count_no_time_in_the_queue(struct session *s) {
  enum { AFTER_COPY, AFTER_KERNEL, AFTER_OTHER_STREAM, STREAMS, DEADLINE_MS = 1500 };
  struct kiln_stream *streams[STREAMS];
  struct kiln_event *events[STREAMS], *before[STREAMS];
  struct kiln_buffer *x[STREAMS];
  for (int i = 0; i < STREAMS; i++) {
    FINE(kiln_stream_create(s->ctx, 0, &streams[i]));
    x[i] = buffer(s, BYTES, (void *)(uintptr_t)fives, 0);
  }
  standin_hold(STANDIN_COPIES, true);
  standin_hold(STANDIN_KERNELS, true);
  FINE(kiln_write(streams[AFTER_COPY], x[AFTER_COPY], 0, fives, BYTES, &before[AFTER_COPY]));
  FINE(add(s, streams[AFTER_KERNEL], x[AFTER_KERNEL], 0, &before[AFTER_KERNEL]));
  FINE(kiln_write(s->stream, x[AFTER_OTHER_STREAM], 0, fives, BYTES, &before[AFTER_OTHER_STREAM]));
  FINE(kiln_stream_wait(streams[AFTER_OTHER_STREAM], before[AFTER_OTHER_STREAM]));
  for (int i = 0; i < STREAMS; i++) {
    FINE(kiln_stream_set_deadline(streams[i], DEADLINE_MS * UINT64_C(1000000)));
    FINE(add(s, streams[i], x[i], 1, &events[i]));
  }
  usleep((DEADLINE_MS + 200) * 1000);
  standin_let_one_end(STANDIN_KERNELS); // the only one that has begun
  standin_hold(STANDIN_COPIES, false);
  for (int i = 0; i < STREAMS; i++) {
    FINE(kiln_event_wait(before[i]));
    kiln_event_release(before[i]);
  }
  give_time();
  for (int i = 0; i < STREAMS; i++)
    EXPECT(!kiln_event_done(events[i]), "stream %d", i);
  standin_hold(STANDIN_KERNELS, false);
  for (int i = 0; i < STREAMS; i++) {
    int values[ITEMS];
    FINE(kiln_event_wait(events[i]));
    FINE(kiln_read(streams[i], x[i], 0, values, BYTES, NULL));
    FINE(kiln_stream_finish(streams[i]));
    EXPECT(values[0] == FIVE + 1, "stream %d: %d", i, values[0]);
    kiln_event_release(events[i]);
    kiln_stream_release(streams[i]);
    kiln_buffer_release(x[i]);
  }
  FINE(kiln_stream_finish(s->stream));
}

// A read of much memory is written there by the device. A write of a part of it is copied when it is enqueued.
static void a_small_write_waits_for_what_the_device_writes(struct session *s) {
  enum { MANY = 100000 };
  static int values[MANY], read[MANY];
  int back[ITEMS] = {0};
  pthread_t thread;
  for (int i = 0; i < MANY; i++)
    values[i] = i + 1;
  struct kiln_buffer *x = buffer(s, sizeof values, values, 0), *y = buffer(s, BYTES, NULL, 0);
  standin_hold(STANDIN_COPIES, true);
  FINE(kiln_read(s->stream, x, 0, read, sizeof read, NULL));
  EXPECT(pthread_create(&thread, NULL, release_copies, NULL) == 0, "no thread");
  FINE(kiln_write(s->stream, y, 0, read + MANY - ITEMS, BYTES, NULL));
  pthread_join(thread, NULL);
  FINE(kiln_read(s->stream, y, 0, back, BYTES, NULL));
  FINE(kiln_stream_finish(s->stream));
  for (int i = 0; i < ITEMS; i++)
    EXPECT(back[i] == MANY - ITEMS + i + 1, "element %d is %d", i, back[i]);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
}

static void deadlines_count_the_time_of_the_kernel(struct session *s) {
  struct kiln_buffer *x = buffer(s, BYTES, NULL, 0);
  struct kiln_event *event;
  FINE(kiln_stream_set_deadline(s->stream, 50000000));
  standin_hold(STANDIN_KERNELS, true);
  FINE(add(s, s->stream, x, 1, &event));
  EXPECT(kiln_event_wait(event) == KILN_ERR_TIMEOUT, "%s", kiln_last_error());
  standin_hold(STANDIN_KERNELS, false);
  kiln_event_release(event);
  kiln_buffer_release(x);
}

static void (*const cases[])(struct session *s) = {
    commands_wait_for_those_before,
    states_are_those_of_the_commands,
    writes_keep_what_they_were_given,
    released_buffers_stay_while_they_are_used,
    calls_wait_on_the_host,
    a_small_write_waits_for_what_the_device_writes,
    deadlines_count_no_time_in_the_queue,
    deadlines_count_the_time_of_the_kernel, // the last one: it loses the stream
};

int main(int argc, char **argv) {
  struct session s;
  if (argc != 2 || !read_source(argv[1])) {
    fprintf(stderr, "usage: rocm_held FILE\n");
    return 2;
  }
  alarm(100);
  FINE(begin(&s));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cases[i](&s);
  end(&s);
  fflush(NULL);
  _exit(0); // without the leak checker: a kernel that was given up keeps its memory
}
