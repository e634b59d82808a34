// Events of commands that are held back one by one: whom they tell and when, and what is freed once they have ended. On
// interp; functions of the host in the streams are the gates.
#include <stdatomic.h>

#include "jit_test.h"

static struct kiln_context *ctx;
static struct kiln_stream *first, *second; // in the order of their slots
static atomic_bool is_gone;                // the context: a thread that tells of events may hold it a moment longer

static void note_gone(void *user) { atomic_store((atomic_bool *)user, true); }

static void open_all(void) {
  set_up();
  ctx = open_interp();
  OK(kiln_context_on_close(ctx, note_gone, &is_gone));
  OK(kiln_stream_create(ctx, 0, &first));
  OK(kiln_stream_create(ctx, 0, &second));
}

static void close_all(void) {
  kiln_stream_release(first);
  kiln_stream_release(second);
  kiln_context_close(ctx);
  for (int i = 0; i < 100000 && !atomic_load(&is_gone); i++)
    usleep(100);
  tear_down();
}

struct gate {
  atomic_bool is_open;
};

static void stay(void *user) {
  struct gate *gate = user;
  while (!atomic_load(&gate->is_open))
    usleep(100);
}

static void open_gate(struct gate *gate) { atomic_store(&gate->is_open, true); }

// A gate and the event of what comes behind it.
static struct kiln_event *gated(struct kiln_stream *stream, struct gate *gate) {
  struct kiln_event *event;
  OK(kiln_stream_host(stream, stay, gate, NULL));
  OK(kiln_stream_record(stream, &event));
  return event;
}

struct told {
  atomic_int calls, state, status;
  atomic_int *order; // counts all that are told; NULL: nobody asks
  int place;         // among them
};

static void note(void *user, enum kiln_event_state state, enum kiln_status status) {
  struct told *told = user;
  told->state = (int)state;
  told->status = (int)status;
  if (told->order)
    told->place = atomic_fetch_add(told->order, 1);
  atomic_fetch_add(&told->calls, 1);
}

static bool is_told(const struct told *told) {
  for (int i = 0; i < 100000 && !told->calls; i++)
    usleep(100);
  return told->calls == 1;
}

// Nobody waits for the event of another stream, nor for a later one of its own, however the calls come.
Test(stream_events, each_is_told_when_it_has_ended, .init = open_all, .fini = close_all, .timeout = 100) {
  static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 3, 1, 2}, {2, 0, 3, 1}, {1, 3, 2, 0}};
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
    struct gate gates[4] = {{false}}, other = {false};
    struct told told[4] = {{0}}, elsewhere = {0};
    struct kiln_event *events[4], *of_second = gated(second, &other);
    for (int i = 0; i < 4; i++)
      events[i] = gated(first, &gates[i]);
    for (int i = 0; i < 4; i++)
      OK(kiln_event_notify(events[orders[o][i]], KILN_EVENT_DONE, note, &told[orders[o][i]]));
    OK(kiln_event_notify(of_second, KILN_EVENT_DONE, note, &elsewhere));
    kiln_event_release(of_second); // who is to be told keeps it
    open_gate(&other);
    cr_expect(is_told(&elsewhere), "%zu", o);
    for (int i = 0; i < 4; i++) {
      cr_expect_eq(told[i].calls, 0, "%zu: %d is told too early", o, i);
      open_gate(&gates[i]);
      cr_assert(is_told(&told[i]), "%zu: %d", o, i);
      kiln_event_release(events[i]);
    }
    OK(kiln_stream_finish(first));
  }
}

// One that is asked for while a thread already waits for a later one.
Test(stream_events, an_earlier_one_is_asked_for_later, .init = open_all, .fini = close_all, .timeout = 60) {
  struct gate gates[3] = {{false}};
  struct told told[3] = {{0}};
  struct kiln_event *events[3];
  for (int i = 0; i < 3; i++)
    events[i] = gated(first, &gates[i]);
  OK(kiln_event_notify(events[0], KILN_EVENT_DONE, note, &told[0]));
  OK(kiln_event_notify(events[2], KILN_EVENT_DONE, note, &told[2]));
  open_gate(&gates[0]);
  cr_assert(is_told(&told[0]));
  usleep(20000); // the thread goes on to the last one
  OK(kiln_event_notify(events[1], KILN_EVENT_DONE, note, &told[1]));
  open_gate(&gates[1]);
  cr_expect(is_told(&told[1]));
  cr_expect_eq(told[2].calls, 0);
  open_gate(&gates[2]);
  cr_expect(is_told(&told[2]));
  for (int i = 0; i < 3; i++)
    kiln_event_release(events[i]);
}

// Those of one event are called in the order in which they were asked for.
Test(stream_events, calls_of_one_event_have_an_order, .init = open_all, .fini = close_all, .timeout = 60) {
  struct gate gate = {false};
  atomic_int order = 0;
  struct told told[2][5] = {{{0}}};
  struct kiln_event *events[2] = {gated(first, &gate), NULL};
  OK(kiln_event_create_user(ctx, &events[1]));
  for (int e = 0; e < 2; e++) {
    for (int i = 0; i < 5; i++) {
      told[e][i].order = &order;
      OK(kiln_event_notify(events[e], KILN_EVENT_DONE, note, &told[e][i]));
    }
    if (e)
      OK(kiln_event_signal(events[e], KILN_OK));
    else
      open_gate(&gate);
    for (int i = 0; i < 5; i++) {
      cr_assert(is_told(&told[e][i]));
      cr_expect_eq(told[e][i].place, 5 * e + i, "%d, %d: %d", e, i, told[e][i].place);
    }
    kiln_event_release(events[e]);
  }
}

// What has the state already is told of at once, on the calling thread.
Test(stream_events, states_that_are_reached_are_told_at_once, .init = open_all, .fini = close_all, .timeout = 60) {
  struct kiln_event *event;
  OK(kiln_event_create_user(ctx, &event)); // SUBMITTED until it is signalled
  struct told told[5] = {{0}};
  for (int s = KILN_EVENT_QUEUED; s <= KILN_EVENT_FAILED; s++) {
    OK(kiln_event_notify(event, (enum kiln_event_state)s, note, &told[s]));
    cr_expect_eq(told[s].calls, s <= KILN_EVENT_SUBMITTED, "state %d", s);
  }
  FAILS(kiln_event_notify(event, (enum kiln_event_state)(KILN_EVENT_FAILED + 1), note, &told[0]), KILN_ERR_INVALID,
        "is no state");
  OK(kiln_event_signal(event, KILN_ERR_CANCELLED)); // the last status that there is
  for (int s = KILN_EVENT_QUEUED; s <= KILN_EVENT_FAILED; s++) {
    cr_expect_eq(told[s].calls, 1, "state %d", s);
    if (s > KILN_EVENT_SUBMITTED)
      cr_expect(told[s].state == KILN_EVENT_FAILED && told[s].status == KILN_ERR_CANCELLED, "state %d", s);
  }
  struct told late = {0};
  OK(kiln_event_notify(event, KILN_EVENT_FAILED, note, &late));
  cr_expect(late.calls == 1 && late.state == KILN_EVENT_FAILED && late.status == KILN_ERR_CANCELLED);
  kiln_event_release(event);
}

Test(stream_events, a_signal_is_the_only_one, .init = open_all, .fini = close_all, .timeout = 60) {
  struct kiln_event *event;
  enum kiln_status status;
  OK(kiln_event_create_user(ctx, &event));
  FAILS(kiln_event_signal(event, (enum kiln_status)(KILN_ERR_CANCELLED + 1)), KILN_ERR_INVALID, "is no status");
  OK(kiln_event_signal(event, KILN_OK));
  FAILS(kiln_event_signal(event, KILN_ERR_IO), KILN_ERR_INVALID, "signalled before");
  cr_expect_eq(kiln_event_state(event, &status), KILN_EVENT_DONE);
  cr_expect_eq(status, KILN_OK);
  kiln_event_release(event);
  OK(kiln_event_create_user(ctx, &event)); // nobody is to be told of it, and a stream waits
  OK(kiln_stream_wait(first, event));
  kiln_event_release(event);
  FAILS(kiln_stream_finish(first), KILN_ERR_CANCELLED, "without being signalled");
}

static void linger(void *user) { usleep(*(unsigned *)user); }

// How a command stands: behind others, under way, at its end. A wait for a limited time ends with the command itself.
Test(stream_events, states_of_commands, .init = open_all, .fini = close_all, .timeout = 60) {
  struct gate gate = {false};
  struct kiln_event *events[3];
  unsigned a_while = 30000;
  bool done = true;
  OK(kiln_stream_host(first, stay, &gate, &events[0]));
  OK(kiln_stream_host(first, linger, &a_while, &events[1]));
  OK(kiln_stream_record(first, &events[2]));
  while (kiln_event_state(events[0], NULL) != KILN_EVENT_RUNNING)
    usleep(100);
  cr_expect_eq(kiln_event_state(events[1], NULL), KILN_EVENT_QUEUED);
  cr_expect_eq(kiln_event_state(events[2], NULL), KILN_EVENT_QUEUED);
  OK(kiln_event_wait_within(events[0], 1000, &done));
  cr_expect_not(done);
  open_gate(&gate);
  OK(kiln_event_wait_within(events[1], UINT64_C(60000000000), &done));
  cr_expect(done);
  cr_expect_eq(kiln_event_state(events[1], NULL), KILN_EVENT_DONE);
  OK(kiln_stream_finish(first));
  for (int i = 0; i < 3; i++)
    kiln_event_release(events[i]);
}

// A stream that waits for what has failed fails, whether it had failed before or not.
Test(stream_events, streams_wait_for_what_has_failed, .init = open_all, .fini = close_all, .timeout = 60) {
  for (int before = 0; before < 2; before++) {
    struct kiln_event *go, *after;
    OK(kiln_event_create_user(ctx, &go));
    OK(kiln_stream_wait(first, go));
    OK(kiln_stream_record(first, &after));
    if (!before)
      OK(kiln_stream_wait(second, after));
    OK(kiln_event_signal(go, KILN_ERR_IO));
    cr_expect_eq(kiln_stream_finish(first), KILN_ERR_IO);
    if (before)
      OK(kiln_stream_wait(second, after));
    cr_expect_eq(kiln_stream_finish(second), KILN_ERR_IO, "%d", before);
    OK(kiln_stream_finish(second));
    kiln_event_release(go);
    kiln_event_release(after);
  }
}

// ---- what is freed

static uint64_t buffers_now(void) {
  struct kiln_context_stats stats;
  kiln_context_stats(ctx, &stats);
  return stats.buffers;
}

static struct kiln_buffer *buffer_of_four(void) {
  struct kiln_buffer *buffer;
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4}, &buffer));
  return buffer;
}

static void use(struct kiln_stream *stream, struct kiln_buffer *buffer, struct kiln_event **event) {
  char zero = 0;
  OK(kiln_fill(stream, buffer, 0, 4, &zero, 1, event));
}

static void wait_for(struct kiln_event *event, int way) {
  bool done = true;
  if (way == 0)
    OK(kiln_event_wait(event));
  else if (way == 1)
    OK(kiln_event_wait_within(event, UINT64_C(60000000000), &done));
  else
    while (!kiln_event_done(event))
      usleep(100);
  cr_assert(done);
}

// Whoever has seen the end of a command in any way frees what it used, and nothing that a later one uses.
Test(stream_events, what_has_ended_is_free, .init = open_all, .fini = close_all, .timeout = 60) {
  for (int way = 0; way < 3; way++)
    for (int before = 0; before < 2; before++) { // released before it has ended, or after
      struct gate early = {false}, late = {false};
      struct kiln_buffer *a = buffer_of_four(), *b = buffer_of_four();
      struct kiln_event *event;
      OK(kiln_stream_host(first, stay, &early, NULL));
      use(first, a, &event);
      if (before)
        kiln_buffer_release(a);
      OK(kiln_stream_host(first, stay, &late, NULL));
      use(first, b, NULL);
      kiln_buffer_release(b);
      cr_expect_eq(buffers_now(), 2, "%d, %d", way, before);
      open_gate(&early);
      wait_for(event, way);
      if (before)
        cr_expect_eq(buffers_now(), 1, "%d, %d", way, before);
      open_gate(&late);
      OK(kiln_stream_finish(first));
      if (!before) {
        cr_expect_eq(buffers_now(), 1);
        kiln_buffer_release(a);
      }
      cr_expect_eq(buffers_now(), 0, "%d, %d", way, before);
      kiln_event_release(event);
    }
}

// A buffer is used until it has ended, however its last use is asked for: by the event of its last command alone.
Test(stream_events, the_last_command_counts, .init = open_all, .fini = close_all, .timeout = 60) {
  for (int way = 0; way < 3; way++) {
    struct kiln_buffer *a = buffer_of_four();
    struct kiln_event *event;
    use(first, a, NULL);
    use(first, a, &event);
    wait_for(event, way);
    kiln_buffer_release(a);
    cr_expect_eq(buffers_now(), 0, "%d", way);
    kiln_event_release(event);
  }
}

// A failed command has ended, too.
Test(stream_events, what_has_failed_is_free, .init = open_all, .fini = close_all, .timeout = 60) {
  struct kiln_event *go, *event;
  struct kiln_buffer *a = buffer_of_four();
  OK(kiln_event_create_user(ctx, &go));
  OK(kiln_stream_wait(first, go));
  use(first, a, &event);
  kiln_buffer_release(a);
  OK(kiln_event_signal(go, KILN_ERR_IO));
  cr_expect_eq(kiln_event_wait(event), KILN_ERR_IO);
  cr_expect_eq(buffers_now(), 0);
  cr_expect_eq(kiln_stream_finish(first), KILN_ERR_IO);
  kiln_event_release(event);
  kiln_event_release(go);
}

// Of two streams that use it the last one decides, and what waited for the first does not wait behind what came later.
Test(stream_events, what_two_streams_use, .init = open_all, .fini = close_all, .timeout = 60) {
  struct gate of_first = {false}, early = {false}, late = {false};
  struct kiln_buffer *x = buffer_of_four(), *y = buffer_of_four();
  struct kiln_event *event;
  OK(kiln_stream_host(first, stay, &of_first, NULL));
  use(first, x, NULL);
  OK(kiln_stream_host(second, stay, &early, NULL));
  use(second, x, &event);
  kiln_buffer_release(x);
  OK(kiln_stream_host(second, stay, &late, NULL));
  use(second, y, NULL);
  kiln_buffer_release(y);
  cr_expect_eq(buffers_now(), 2);
  open_gate(&of_first);
  OK(kiln_stream_finish(first));
  cr_expect_eq(buffers_now(), 2, "the second stream has it");
  open_gate(&early);
  OK(kiln_event_wait(event));
  cr_expect_eq(buffers_now(), 1);
  open_gate(&late);
  OK(kiln_stream_finish(second));
  cr_expect_eq(buffers_now(), 0);
  kiln_event_release(event);
}

// A launch uses its buffers as other commands do.
Test(stream_events, what_a_launch_uses, .init = open_all, .fini = close_all, .timeout = 60) {
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_kernel *kernel;
  struct gate gate = {false};
  struct kiln_buffer *x = buffer_of_four(), *y = buffer_of_four();
  int n = 1;
  float a = 2;
  OK(kiln_kernel_create(program, NULL, &kernel));
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&a, 4), kiln_arg_buffer(x), kiln_arg_buffer(y)};
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 4};
  OK(kiln_stream_host(first, stay, &gate, NULL));
  OK(kiln_launch(first, kernel, &launch, NULL));
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  cr_expect_eq(buffers_now(), 2);
  open_gate(&gate);
  OK(kiln_stream_finish(first));
  cr_expect_eq(buffers_now(), 0);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
}

// One of more streams than a word has bits.
Test(stream_events, what_a_late_stream_uses, .init = open_all, .fini = close_all, .timeout = 60) {
  enum { STREAMS = 150 };
  struct kiln_stream *streams[STREAMS];
  struct gate gate = {false};
  for (int i = 0; i < STREAMS; i++)
    OK(kiln_stream_create(ctx, 0, &streams[i]));
  for (int i = 60; i < STREAMS; i += 7) {
    atomic_store(&gate.is_open, false);
    struct kiln_buffer *x = buffer_of_four();
    OK(kiln_stream_host(streams[i], stay, &gate, NULL));
    use(streams[i], x, NULL);
    kiln_buffer_release(x);
    cr_expect_eq(buffers_now(), 1, "%d", i);
    open_gate(&gate);
    OK(kiln_stream_finish(streams[i]));
    cr_expect_eq(buffers_now(), 0, "%d", i);
  }
  for (int i = 0; i < STREAMS; i++)
    kiln_stream_release(streams[i]);
}

Test(stream_events, windows_keep_their_buffer, .init = open_all, .fini = close_all) {
  struct kiln_buffer *root, *window, *inner;
  OK(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 512}, &root));
  OK(kiln_buffer_sub(root, 128, 256, &window));
  OK(kiln_buffer_sub(window, 128, 128, &inner));
  kiln_buffer_release(root);
  cr_expect_eq(buffers_now(), 1);
  kiln_buffer_release(window);
  cr_expect_eq(buffers_now(), 1);
  memset(kiln_buffer_host(inner), 1, 128);
  kiln_buffer_release(inner);
  cr_expect_eq(buffers_now(), 0);
}

// Of prepared launches, the buffers stay as long as those.
Test(stream_events, prepared_launches_keep_their_buffers, .init = open_all, .fini = close_all) {
  struct kiln_program *program = make_program(ctx, SAXPY);
  struct kiln_kernel *kernel;
  struct kiln_prepared *prepared;
  struct kiln_buffer *x = buffer_of_four(), *y = buffer_of_four();
  int n = 1;
  float a = 2;
  OK(kiln_kernel_create(program, NULL, &kernel));
  struct kiln_arg args[] = {kiln_arg_value(&n, 4), kiln_arg_value(&a, 4), kiln_arg_buffer(x), kiln_arg_buffer(y)};
  struct kiln_launch_desc launch = {.global = {1}, .args = args, .arg_count = 4};
  OK(kiln_prepare(first, kernel, &launch, &prepared));
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  cr_expect_eq(buffers_now(), 2);
  OK(kiln_run_prepared(prepared, NULL));
  OK(kiln_stream_finish(first));
  kiln_prepared_release(prepared);
  cr_expect_eq(buffers_now(), 0);
}
