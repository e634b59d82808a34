// Streams and events of the host backends. host.h says how a stream works.
//
// stream->lock guards everything in a stream but what its owner uses (message). Commands are numbered by the order of
// their enqueueing: [completed, tail) are pending, and command n lies in slot n & mask of the ring, unless the thread
// that enqueued it runs it at once.
#include "backends/host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/floats.h"
#include "base/thread.h"

#define FIRST_RING 16            // commands; grows to
#define MANY_PENDING 1024        // commands: an enqueue that finds so many pending gives them time to run,
#define PATIENCE 10              // so often at most
#define PATIENCE_NS 100000       // this long
#define INLINE_BYTES 32768       // copies up to this size run on the enqueueing thread when the stream is idle
#define PARALLEL_BYTES (1 << 20) // copies from this size on run on the pool,
#define PARALLEL_CHUNK (1 << 18) // in pieces of this size (a multiple of every pattern size)
#define SPINS 200                // polls before a thread sleeps for a command that another one is running
#define PATTERN_MAX 128          // bytes

enum command_kind { COMMAND_LAUNCH, COMMAND_COPY, COMMAND_FILL, COMMAND_RECT, COMMAND_WAIT, COMMAND_HOST };

// Rows of bytes: from a row or plane to the next on each side.
struct rect {
  size_t region[3], src_row, src_plane, dst_row, dst_plane;
};

struct command {
  enum command_kind kind;
  uint32_t pattern_size;
  struct kiln_drv_event *event; // to complete; the queue holds a reference
  union {
    struct kiln_host_launch *launch;
    struct kiln_drv_event *wait_for;
    struct {
      void (*fn)(void *user);
      void *user;
    };
    struct {
      unsigned char *dst;
      const unsigned char *src;
    };
  };
  union {
    size_t size;
    uint64_t limit_ns; // of a launch
  };
  union { // last: the queue copies no more of it than the command uses (command_bytes)
    unsigned char pattern[PATTERN_MAX];
    struct rect rect;
  };
};

static size_t command_bytes(const struct command *command) {
  size_t bytes = offsetof(struct command, pattern);
  return command->kind == COMMAND_FILL   ? bytes + command->pattern_size
         : command->kind == COMMAND_RECT ? bytes + sizeof command->rect
                                         : bytes;
}

struct kiln_drv_stream {
  struct kiln_host_drv *drv;
  uint32_t refs; // atomic: the caller's, and one per event
  pthread_mutex_t lock;
  pthread_cond_t wake;     // for the worker: there is something to own
  pthread_cond_t progress; // for waiting threads: a command has ended
  struct command *ring;
  uint64_t capacity; // a power of two, or 0
  uint64_t tail;
  uint64_t many;      // pending commands are many
  uint64_t completed; // written under the lock; also read without it
  bool owned;         // a thread runs the command at completed
  bool worker_started, worker_stop;
  uint32_t waiters; // on progress
  pid_t worker_pid; // a forked child has no workers
  pthread_t worker;
  uint64_t limit_ns;          // of launches that are enqueued
  uint64_t cancelled;         // commands before this one do not run any more
  struct kiln_host_stop stop; // of the command at completed
  enum kiln_status status;    // first error since the last finish
  char error[KILN_HOST_MESSAGE_SIZE];
  char message[KILN_HOST_MESSAGE_SIZE]; // the owner's
};

struct kiln_drv_event {
  uint32_t refs; // atomic
  bool done;     // atomic: what follows is final
  enum kiln_status status;
  char *message; // NULL when there was no memory for it
  struct kiln_event_times times;
  struct kiln_drv_stream *stream; // NULL: an event of the host
  uint64_t number;                // of its command
};

static void drain_until(struct kiln_drv_stream *stream, uint64_t target);

// ---- references

static void stream_unref(struct kiln_drv_stream *stream) {
  if (__atomic_sub_fetch(&stream->refs, 1, __ATOMIC_ACQ_REL))
    return;
  pthread_cond_destroy(&stream->progress);
  pthread_cond_destroy(&stream->wake);
  pthread_mutex_destroy(&stream->lock);
  free(stream->ring);
  free(stream);
}

static void event_unref(struct kiln_drv_event *event) {
  if (__atomic_sub_fetch(&event->refs, 1, __ATOMIC_ACQ_REL))
    return;
  if (event->stream)
    stream_unref(event->stream);
  free(event->message);
  free(event);
}

// ---- running one command

struct bulk {
  unsigned char *dst;
  const unsigned char *src;
  size_t size;
  const unsigned char *pattern;
  size_t pattern_size;
};

static void bulk_run(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  (void)worker;
  const struct bulk *bulk = user;
  size_t from = (size_t)first * PARALLEL_CHUNK;
  size_t to = (size_t)end * PARALLEL_CHUNK < bulk->size ? (size_t)end * PARALLEL_CHUNK : bulk->size;
  unsigned char *dst = bulk->dst + from;
  size_t size = to - from;
  if (bulk->src) {
    memcpy(dst, bulk->src + from, size);
    return;
  }
  if (bulk->pattern_size == 1) {
    memset(dst, bulk->pattern[0], size);
    return;
  }
  // Doubles what is there; pieces begin at multiples of the pattern.
  size_t have = bulk->pattern_size < size ? bulk->pattern_size : size;
  memcpy(dst, bulk->pattern, have);
  while (have < size) {
    size_t more = have < size - have ? have : size - have;
    memcpy(dst + have, dst, more);
    have += more;
  }
}

static void run_bulk(struct kiln_pool *pool, const struct command *command) {
  if (!command->size)
    return;
  bool is_copy = command->kind == COMMAND_COPY;
  uintptr_t dst = (uintptr_t)command->dst, src = (uintptr_t)command->src;
  if (is_copy && (command->size < PARALLEL_BYTES || (dst < src + command->size && src < dst + command->size))) {
    memmove(command->dst, command->src, command->size);
    return;
  }
  struct bulk bulk = {command->dst, is_copy ? command->src : NULL, command->size, command->pattern,
                      command->pattern_size};
  uint64_t chunks = (command->size + PARALLEL_CHUNK - 1) / PARALLEL_CHUNK;
  if (command->size < PARALLEL_BYTES)
    bulk_run(&bulk, 0, 0, chunks);
  else
    kiln_pool_run(pool, chunks, 1, bulk_run, &bulk);
}

static void rect_run(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  (void)worker;
  const struct command *command = user;
  const struct rect *rect = &command->rect;
  for (uint64_t i = first; i < end; i++) {
    size_t y = (size_t)(i % rect->region[1]), z = (size_t)(i / rect->region[1]);
    // Buffers that wrap the same memory of the host may overlap.
    memmove(command->dst + z * rect->dst_plane + y * rect->dst_row,
            command->src + z * rect->src_plane + y * rect->src_row, rect->region[0]);
  }
}

static void run_rect(struct kiln_pool *pool, struct command *command) {
  uint64_t rows = (uint64_t)command->rect.region[1] * command->rect.region[2];
  if (command->size < PARALLEL_BYTES)
    rect_run(command, 0, 0, rows);
  else
    kiln_pool_run(pool, rows, PARALLEL_CHUNK / command->rect.region[0] + 1, rect_run, command);
}

// Waits for an event of the host. stop: of a stream that waits and may be cancelled; NULL: a thread waits.
static void await_signal(struct kiln_host_drv *drv, struct kiln_drv_event *event, const struct kiln_host_stop *stop) {
  pthread_mutex_lock(&drv->signal_lock);
  while (!event->done && !(stop && kiln_host_stops(stop)))
    pthread_cond_wait(&drv->signalled, &drv->signal_lock);
  pthread_mutex_unlock(&drv->signal_lock);
}

// Waits for an event without taking part in its errors.
static void await_event(struct kiln_host_drv *drv, struct kiln_drv_event *event, const struct kiln_host_stop *stop) {
  if (__atomic_load_n(&event->done, __ATOMIC_ACQUIRE))
    return;
  if (!event->stream) {
    await_signal(drv, event, stop);
    return;
  }
  struct kiln_drv_stream *stream = event->stream;
  pthread_mutex_lock(&stream->lock);
  drain_until(stream, event->number + 1);
  pthread_mutex_unlock(&stream->lock);
}

// A launch, with somebody to watch the time if it has a limit.
static enum kiln_status run_launch(struct kiln_drv_stream *stream, const struct command *command) {
  struct kiln_host_drv *drv = stream->drv;
  char *message = stream->message;
  struct kiln_host_deadline deadline;
  bool limited = command->limit_ns && command->limit_ns != UINT64_MAX;
  stream->stop.limit_ns = command->limit_ns;
  if (limited && !kiln_host_deadline_begin(&drv->watch, &deadline, &stream->stop)) {
    snprintf(message, sizeof stream->message, "no thread can be started to watch the deadline of a launch");
    return KILN_ERR_MEMORY;
  }
  cpu_set_t before;
  bool moved = drv->has_cpus && kiln_host_enter_cpus(drv, &before);
  struct kiln_floats floats = kiln_floats_enter(); // the pool's threads are in that state from their start
  enum kiln_status status = drv->ops->run(command->launch, drv->pool, &stream->stop, message, sizeof stream->message);
  kiln_floats_leave(floats);
  if (moved)
    kiln_host_leave_cpus(&before);
  if (limited)
    kiln_host_deadline_end(&drv->watch, &deadline);
  return status;
}

// Under the lock, by the owner of the command with this number.
static void begin_command(struct kiln_drv_stream *stream, uint64_t number) {
  uint32_t status = number < stream->cancelled ? KILN_ERR_CANCELLED : KILN_OK;
  __atomic_store_n(&stream->stop.status, status, __ATOMIC_RELAXED);
}

// Without the lock, by the owner. On failure the text is in stream->message.
static enum kiln_status run_command(struct kiln_drv_stream *stream, struct command *command) {
  struct kiln_host_drv *drv = stream->drv;
  enum kiln_status status = KILN_OK;
  stream->message[0] = 0;
  if (command->event)
    command->event->times.ended_ns = command->event->times.started_ns = kiln_host_now_ns();
  if (kiln_host_stops(&stream->stop)) {
    snprintf(stream->message, sizeof stream->message, "a command was cancelled before it began");
    return KILN_ERR_CANCELLED;
  }
  switch (command->kind) {
  case COMMAND_LAUNCH:
    status = run_launch(stream, command);
    break;
  case COMMAND_COPY:
  case COMMAND_FILL:
    run_bulk(drv->pool, command);
    break;
  case COMMAND_RECT:
    run_rect(drv->pool, command);
    break;
  case COMMAND_HOST:
    command->fn(command->user);
    break;
  case COMMAND_WAIT:
    await_event(drv, command->wait_for, &stream->stop);
    status = kiln_host_stops(&stream->stop);
    if (status)
      snprintf(stream->message, sizeof stream->message, "a wait for an event was cancelled");
    else if ((status = command->wait_for->status))
      snprintf(stream->message, sizeof stream->message, "%s",
               command->wait_for->message ? command->wait_for->message : "a stream that this one waits for failed");
    break;
  }
  if (command->event)
    command->event->times.ended_ns = kiln_host_now_ns();
  return status;
}

// Under the lock, by the owner, when its command has run: ends the ownership.
static void complete(struct kiln_drv_stream *stream, struct kiln_drv_event *event, enum kiln_status status) {
  if (status && !stream->status) {
    stream->status = status;
    memcpy(stream->error, stream->message, sizeof stream->error);
  }
  if (event) {
    event->status = status ? status : stream->status;
    if (event->status)
      event->message = strdup(status ? stream->message : stream->error);
    __atomic_store_n(&event->done, true, __ATOMIC_RELEASE);
  }
  stream->owned = false;
  __atomic_store_n(&stream->completed, stream->completed + 1, __ATOMIC_RELEASE);
  if (stream->waiters)
    pthread_cond_broadcast(&stream->progress);
}

// Under the lock, which is released meanwhile: owns and runs the command at the head of the queue.
static void run_head(struct kiln_drv_stream *stream) {
  // A copy, since the ring may be reallocated meanwhile.
  const struct command *slot = &stream->ring[stream->completed & (stream->capacity - 1)];
  struct command command;
  memcpy(&command, slot, command_bytes(slot));
  stream->owned = true;
  begin_command(stream, stream->completed);
  pthread_mutex_unlock(&stream->lock);
  enum kiln_status status = run_command(stream, &command);
  pthread_mutex_lock(&stream->lock);
  complete(stream, command.event, status);
  // The references that the queue held. The stream outlives its last event here, since its creator holds it until
  // stream_destroy has seen the queue empty, for which it needs the lock that we hold.
  if (command.event)
    event_unref(command.event);
  if (command.kind == COMMAND_LAUNCH)
    kiln_host_launch_release(NULL, (struct kiln_drv_launch *)command.launch);
  else if (command.kind == COMMAND_WAIT)
    event_unref(command.wait_for);
}

// ---- who runs the queue

static void *worker_main(void *user) {
  struct kiln_drv_stream *stream = user;
  pthread_mutex_lock(&stream->lock);
  while (!stream->worker_stop) {
    if (stream->owned || stream->completed == stream->tail)
      pthread_cond_wait(&stream->wake, &stream->lock);
    else
      run_head(stream);
  }
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

// In a forked child: threads of the parent are not there, but condition variables count them as waiting, and would
// give them what is signalled, or wait for them when they are destroyed.
static void forget_parent(struct kiln_drv_stream *stream) {
  if (!stream->worker_started || stream->worker_pid == getpid())
    return;
  stream->worker_started = false;
  pthread_cond_init(&stream->wake, NULL);
  kiln_host_condition_init(&stream->progress);
}

// Under the lock: sees to it that a queue without owner gets one. False when no thread can be started.
static bool wake_worker(struct kiln_drv_stream *stream) {
  forget_parent(stream);
  if (stream->worker_started) {
    pthread_cond_signal(&stream->wake);
    return true;
  }
  stream->worker_started = kiln_thread_start(&stream->worker, worker_main, stream);
  stream->worker_pid = getpid();
  return stream->worker_started;
}

// Under the lock: a queue that is left to itself goes to the worker, or is run here when no thread can be
// started. A queue that holds functions of the host always has its worker.
static void hand_over(struct kiln_drv_stream *stream) {
  while (!stream->owned && stream->completed != stream->tail && !wake_worker(stream))
    run_head(stream);
}

// Under the lock: until the owner has ended its command.
static void await_progress(struct kiln_drv_stream *stream) {
  uint64_t completed = stream->completed;
  pthread_mutex_unlock(&stream->lock);
  if (kiln_pool_size(stream->drv->pool) > 1) {
    for (int i = 0; i < SPINS && __atomic_load_n(&stream->completed, __ATOMIC_ACQUIRE) == completed; i++) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
  pthread_mutex_lock(&stream->lock);
  stream->waiters++;
  while (stream->completed == completed && stream->owned)
    pthread_cond_wait(&stream->progress, &stream->lock);
  stream->waiters--;
}

// Under the lock, which is released meanwhile: returns when the commands before target have run, having helped.
static void drain_until(struct kiln_drv_stream *stream, uint64_t target) {
  while (stream->completed < target) {
    if (stream->owned)
      await_progress(stream);
    else
      run_head(stream);
  }
  hand_over(stream);
}

// ---- waiting for a limited time

static struct timespec time_after(uint64_t ns) {
  uint64_t until;
  if (__builtin_add_overflow(kiln_host_now_ns(), ns, &until))
    until = UINT64_MAX;
  return (struct timespec){(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
}

#define BRIEF_BYTES ((uint64_t)16 << 20) // of a copy that a thread which waits for a limited time runs

static uint64_t rect_bytes(const uint64_t region[3]) {
  uint64_t bytes;
  if (__builtin_mul_overflow(region[0], region[1], &bytes) || __builtin_mul_overflow(bytes, region[2], &bytes))
    return UINT64_MAX;
  return bytes;
}

// Under the lock: whether the command at the head of a queue without owner ends soon.
static bool head_is_brief(const struct kiln_drv_stream *stream) {
  const struct command *head = &stream->ring[stream->completed & (stream->capacity - 1)];
  switch (head->kind) {
  case COMMAND_LAUNCH:
    return head->launch->brief;
  case COMMAND_COPY:
  case COMMAND_FILL:
    return head->size <= BRIEF_BYTES;
  case COMMAND_RECT:
    return rect_bytes(head->rect.region) <= BRIEF_BYTES;
  case COMMAND_WAIT:
  case COMMAND_HOST:
    break;
  }
  return false;
}

// Under the lock, which is released meanwhile. False: the commands before target have not all run in time.
static bool drain_within(struct kiln_drv_stream *stream, uint64_t target, uint64_t ns) {
  uint64_t began = kiln_host_now_ns();
  struct timespec until = time_after(ns);
  bool in_time = ns != 0;
  while (stream->completed < target && in_time) {
    if (!stream->owned && head_is_brief(stream)) {
      run_head(stream);
      in_time = kiln_host_now_ns() - began < ns;
      continue;
    }
    hand_over(stream);
    if (stream->completed >= target)
      break;
    stream->waiters++;
    in_time = pthread_cond_timedwait(&stream->progress, &stream->lock, &until) == 0;
    stream->waiters--;
  }
  hand_over(stream);
  return stream->completed >= target;
}

static bool await_signal_within(struct kiln_host_drv *drv, const struct kiln_drv_event *event, uint64_t ns) {
  struct timespec until = time_after(ns);
  pthread_mutex_lock(&drv->signal_lock);
  while (!event->done && pthread_cond_timedwait(&drv->signalled, &drv->signal_lock, &until) == 0) {
  }
  bool done = event->done;
  pthread_mutex_unlock(&drv->signal_lock);
  return done;
}

// ---- enqueueing

// Under the lock, which is released meanwhile: where many commands are pending, waits a little for half of them to run,
// so that a thread that enqueues faster than they run does not take all memory. Where none ends meanwhile, as when they
// wait for the host, twice as many are many from now on.
static void give_time(struct kiln_drv_stream *stream) {
  uint64_t completed = stream->completed;
  for (int i = 0; i < PATIENCE && stream->tail - stream->completed > stream->many / 2; i++) {
    pthread_mutex_unlock(&stream->lock);
    nanosleep(&(struct timespec){.tv_nsec = PATIENCE_NS}, NULL);
    pthread_mutex_lock(&stream->lock);
  }
  if (stream->completed == completed)
    stream->many *= 2;
}

// Under the lock: room for one more command in the ring. Runs no command, and waits for none but as give_time does: the
// calling thread may hold locks, or be what a command waits for.
static bool reserve(struct kiln_drv_stream *stream) {
  if (stream->tail - stream->completed < MANY_PENDING)
    stream->many = MANY_PENDING;
  else if (stream->tail - stream->completed >= stream->many)
    give_time(stream);
  uint64_t pending = stream->tail - stream->completed;
  if (pending < stream->capacity)
    return true;
  uint64_t capacity = stream->capacity ? stream->capacity * 2 : FIRST_RING;
  while (capacity <= pending) // others enqueued while the lock was released
    capacity *= 2;
  struct command *ring = malloc(capacity * sizeof *ring);
  if (!ring)
    return false;
  // An owner has its command already.
  for (uint64_t n = stream->completed + stream->owned; n != stream->tail; n++)
    ring[n & (capacity - 1)] = stream->ring[n & (stream->capacity - 1)];
  free(stream->ring);
  stream->ring = ring;
  stream->capacity = capacity;
  return true;
}

static enum kiln_status event_new(struct kiln_drv_stream *stream, struct kiln_drv_event **out,
                                  struct kiln_report *report) {
  struct kiln_drv_event *event = calloc(1, sizeof *event);
  if (!event)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  event->refs = 2; // the caller's and the queue's
  event->stream = stream;
  __atomic_add_fetch(&stream->refs, 1, __ATOMIC_RELAXED);
  event->times.enqueued_ns = kiln_host_now_ns();
  *out = event;
  return KILN_OK;
}

// Of a command that was not enqueued.
static void release_new(struct kiln_drv_event *event) {
  if (!event)
    return;
  event_unref(event);
  event_unref(event);
}

// Runs or queues a command. small: worth no thread switch. The references in the command go to the queue on success.
static enum kiln_status enqueue(struct kiln_drv_stream *stream, struct command *command, bool small,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  command->event = NULL;
  if (event) {
    enum kiln_status status = event_new(stream, &command->event, report);
    if (status)
      return status;
  }
  pthread_mutex_lock(&stream->lock);
  if (command->kind == COMMAND_HOST && !wake_worker(stream)) {
    pthread_mutex_unlock(&stream->lock);
    release_new(command->event);
    return kiln_fail(report, KILN_ERR_MEMORY, "no thread can be started to call a function of the host on");
  }
  if (small && !stream->owned && stream->completed == stream->tail) {
    if (command->event)
      command->event->number = stream->tail;
    begin_command(stream, stream->tail++);
    stream->owned = true;
    pthread_mutex_unlock(&stream->lock);
    enum kiln_status status = run_command(stream, command);
    pthread_mutex_lock(&stream->lock);
    complete(stream, command->event, status);
    hand_over(stream);
    pthread_mutex_unlock(&stream->lock);
    if (command->event) {
      *event = command->event;
      event_unref(command->event);
    }
    if (command->kind == COMMAND_LAUNCH)
      kiln_host_launch_release(NULL, (struct kiln_drv_launch *)command->launch);
    else if (command->kind == COMMAND_WAIT)
      event_unref(command->wait_for);
    return KILN_OK;
  }
  if (!reserve(stream)) {
    pthread_mutex_unlock(&stream->lock);
    release_new(command->event);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the commands of a stream");
  }
  if (command->event)
    command->event->number = stream->tail;
  struct command *slot = &stream->ring[stream->tail++ & (stream->capacity - 1)];
  memcpy(slot, command, command_bytes(command));
  if (event)
    *event = command->event;
  hand_over(stream);
  pthread_mutex_unlock(&stream->lock);
  return KILN_OK;
}

static enum kiln_status enqueue_copy(struct kiln_drv_stream *stream, unsigned char *dst, const unsigned char *src,
                                     size_t size, struct kiln_drv_event **event, struct kiln_report *report) {
  struct command command;
  command.kind = COMMAND_COPY;
  command.dst = dst;
  command.src = src;
  command.size = size;
  return enqueue(stream, &command, size <= INLINE_BYTES, event, report);
}

enum kiln_status kiln_host_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report) {
  (void)drv;
  return enqueue_copy(stream, dst->data + offset, src, size, event, report);
}

enum kiln_status kiln_host_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report) {
  (void)drv;
  return enqueue_copy(stream, dst, src->data + offset, size, event, report);
}

enum kiln_status kiln_host_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  (void)drv;
  return enqueue_copy(stream, dst->data + dst_offset, src->data + src_offset, size, event, report);
}

enum kiln_status kiln_host_copy_rect(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                     const struct kiln_drv_rect *rect, struct kiln_drv_event **event,
                                     struct kiln_report *report) {
  (void)drv;
  struct command command;
  command.kind = COMMAND_RECT;
  command.src = (rect->src ? rect->src->data : (const unsigned char *)rect->host_src) + rect->src_offset;
  command.dst = (rect->dst ? rect->dst->data : (unsigned char *)rect->host_dst) + rect->dst_offset;
  command.size = rect->region[0] * rect->region[1] * rect->region[2];
  command.rect = (struct rect){{rect->region[0], rect->region[1], rect->region[2]},
                               rect->src_row,
                               rect->src_plane,
                               rect->dst_row,
                               rect->dst_plane};
  return enqueue(stream, &command, command.size <= INLINE_BYTES, event, report);
}

enum kiln_status kiln_host_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  (void)drv;
  if (!pattern_size || pattern_size > PATTERN_MAX)
    return kiln_fail(report, KILN_ERR_INVALID, "a pattern of %zu bytes: 1 to %d are possible", pattern_size,
                     PATTERN_MAX);
  struct command command;
  command.kind = COMMAND_FILL;
  command.dst = dst->data + offset;
  command.src = NULL;
  command.size = size;
  command.pattern_size = (uint32_t)pattern_size;
  memcpy(command.pattern, pattern, pattern_size);
  return enqueue(stream, &command, size <= INLINE_BYTES, event, report);
}

enum kiln_status kiln_host_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report) {
  (void)drv;
  if (event->stream && event->stream == stream)
    return KILN_OK; // in order anyway
  bool done = __atomic_load_n(&event->done, __ATOMIC_ACQUIRE);
  if (done && !event->status)
    return KILN_OK;
  struct command command;
  command.kind = COMMAND_WAIT;
  command.wait_for = event;
  __atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
  enum kiln_status status = enqueue(stream, &command, done, NULL, report);
  if (status)
    event_unref(event);
  return status;
}

enum kiln_status kiln_host_call(struct kiln_drv *drv, struct kiln_drv_stream *stream, void (*fn)(void *user),
                                void *user, struct kiln_drv_event **event, struct kiln_report *report) {
  (void)drv;
  struct command command;
  command.kind = COMMAND_HOST;
  command.fn = fn;
  command.user = user;
  return enqueue(stream, &command, false, event, report);
}

enum kiln_status kiln_host_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report) {
  (void)drv;
  struct command command;
  command.kind = COMMAND_LAUNCH;
  command.launch = (struct kiln_host_launch *)launch;
  command.limit_ns = __atomic_load_n(&stream->limit_ns, __ATOMIC_RELAXED);
  __atomic_add_fetch(&command.launch->refs, 1, __ATOMIC_RELAXED);
  enum kiln_status status = enqueue(stream, &command, command.launch->tiny, event, report);
  if (status)
    kiln_host_launch_release(drv, launch);
  return status;
}

// ---- streams

enum kiln_status kiln_host_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report) {
  (void)device;
  struct kiln_drv_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a stream");
  stream->drv = (struct kiln_host_drv *)drv;
  stream->refs = 1;
  // These cannot fail on Linux with default attributes.
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->wake, NULL);
  kiln_host_condition_init(&stream->progress);
  *out = stream;
  return KILN_OK;
}

void kiln_host_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  if (!stream)
    return;
  pthread_mutex_lock(&stream->lock);
  drain_until(stream, stream->tail);
  forget_parent(stream);
  stream->worker_stop = true;
  bool join = stream->worker_started;
  pthread_cond_signal(&stream->wake);
  pthread_mutex_unlock(&stream->lock);
  if (join)
    pthread_join(stream->worker, NULL);
  stream_unref(stream);
}

enum kiln_status kiln_host_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report) {
  (void)drv, (void)report;
  __atomic_store_n(&stream->limit_ns, ns, __ATOMIC_RELAXED);
  return KILN_OK;
}

enum kiln_status kiln_host_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report) {
  (void)drv, (void)report;
  pthread_mutex_lock(&stream->lock);
  stream->cancelled = stream->tail;
  if (stream->owned)
    __atomic_store_n(&stream->stop.status, KILN_ERR_CANCELLED, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&stream->lock);
  struct kiln_host_drv *host = stream->drv;
  if (host->ops->interrupt)
    host->ops->interrupt(host, &stream->stop);
  pthread_mutex_lock(&host->signal_lock); // it may be waiting for the host
  pthread_cond_broadcast(&host->signalled);
  pthread_mutex_unlock(&host->signal_lock);
  return KILN_OK;
}

enum kiln_status kiln_host_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  (void)drv;
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&stream->lock);
  drain_until(stream, stream->tail);
  if (stream->status) {
    status = kiln_fail(report, stream->status, "%s", stream->error);
    stream->status = KILN_OK;
  }
  pthread_mutex_unlock(&stream->lock);
  return status;
}

// ---- events

enum kiln_status kiln_host_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report) {
  await_event((struct kiln_host_drv *)drv, event, NULL);
  if (event->status)
    return kiln_fail(report, event->status, "%s",
                     event->message ? event->message : "a command failed; there was no memory for its message");
  return KILN_OK;
}

bool kiln_host_event_done(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  return __atomic_load_n(&event->done, __ATOMIC_ACQUIRE);
}

bool kiln_host_wait_within(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                           uint64_t ns) {
  if (event && __atomic_load_n(&event->done, __ATOMIC_ACQUIRE))
    return true;
  if (event && !event->stream)
    return await_signal_within((struct kiln_host_drv *)drv, event, ns);
  stream = event ? event->stream : stream;
  pthread_mutex_lock(&stream->lock);
  bool done = drain_within(stream, event ? event->number + 1 : stream->tail, ns);
  pthread_mutex_unlock(&stream->lock);
  return done;
}

void kiln_host_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out) {
  await_event((struct kiln_host_drv *)drv, event, NULL);
  *out = event->times;
}

void kiln_host_event_release(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  if (event)
    event_unref(event);
}

enum kiln_event_state kiln_host_event_state(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  struct kiln_drv_stream *stream = event->stream;
  pthread_mutex_lock(&stream->lock);
  uint64_t completed = stream->completed;
  bool owned = stream->owned;
  pthread_mutex_unlock(&stream->lock);
  if (event->number > completed)
    return KILN_EVENT_QUEUED;
  return event->number == completed && !owned ? KILN_EVENT_SUBMITTED : KILN_EVENT_RUNNING;
}

// ---- events of the host

enum kiln_status kiln_host_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report) {
  struct kiln_drv_event *event = calloc(1, sizeof *event);
  if (!event)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  event->refs = 1;
  event->times.enqueued_ns = kiln_host_now_ns();
  (void)drv;
  *out = event;
  return KILN_OK;
}

void kiln_host_event_signal(struct kiln_drv *base, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message) {
  struct kiln_host_drv *drv = (struct kiln_host_drv *)base;
  pthread_mutex_lock(&drv->signal_lock);
  event->status = status;
  event->message = status ? strdup(message) : NULL;
  event->times.started_ns = event->times.ended_ns = kiln_host_now_ns();
  __atomic_store_n(&event->done, true, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&drv->signalled);
  pthread_mutex_unlock(&drv->signal_lock);
}
