// Streams. driver.h says how a stream works.
//
// Locks: stream->lock guards the list of pending commands, and is held while one is given to CUDA. No two streams are
// locked at a time. drv->streams_lock is taken before it, drv->host_lock and device->lock after it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"
#include "base/c_locale.h"
#include "base/file.h"

#define MAX_PENDING 1024 // commands of a stream that the host has not taken notice of
#define MARK_EVERY 64    // commands at least is one whose end can be asked for

// ---- commands that have ended

static void note_error(struct kiln_drv_stream *stream, const struct kiln_drv_event *event) {
  if (!event->status || stream->status)
    return;
  stream->status = event->status;
  snprintf(stream->message, sizeof stream->message, "%s", event->message ? event->message : "out of memory");
}

// The first pending command has ended, well or not.
static void retire(struct kiln_drv_stream *stream) {
  struct kiln_drv *drv = stream->drv;
  struct kiln_drv_event *event = stream->first, *other = event->waits_for;
  stream->first = event->next;
  if (!stream->first)
    stream->last = NULL;
  if (stream->kept == event) {
    stream->kept = event->next;
    if (!stream->kept)
      __atomic_sub_fetch(&drv->kept, 1, __ATOMIC_RELAXED);
  }
  stream->pending--;
  if (event->timed && !event->status)
    kiln_cuda_take_times(stream, event);
  if (stream->first && stream->first->limit_ns) // the next one begins now
    stream->first->began_ns = event->timed && !event->status ? event->times.ended_ns : kiln_now_ns();
  if (other && !event->status && kiln_cuda_has_ended(other) && other->status) {
    kiln_cuda_event_fail(event, other->status, other->message ? other->message : "out of memory");
    if (!stream->awaited)
      snprintf(stream->awaited_message, sizeof stream->awaited_message, "%s", event->message ? event->message : "");
    stream->awaited = stream->awaited ? stream->awaited : event->status;
  } else if (stream->awaited) { // what comes after the wait
    kiln_cuda_event_fail(event, stream->awaited, stream->awaited_message);
  }
  note_error(stream, event);
  kiln_cuda_transfer_ended(stream, event);
  if (!event->lost) {
    if (event->launch)
      kiln_cuda_launch_release(drv, event->launch);
    kiln_cuda_event_release(drv, other);
    event->launch = NULL;
    event->waits_for = NULL;
  }
  if (event->status)
    event->times.started_ns = event->times.ended_ns = kiln_now_ns();
  __atomic_store_n(&event->progress, KILN_CUDA_ENDED, __ATOMIC_RELEASE);
  kiln_cuda_event_release(drv, event);
}

void kiln_cuda_fail_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event, const char *message) {
  pthread_mutex_lock(&stream->lock);
  kiln_cuda_event_fail(event, KILN_ERR_DEVICE, message);
  note_error(stream, event);
  pthread_mutex_unlock(&stream->lock);
}

struct suspect {
  const char *kernel;
  bool others; // kernels that may have run at the time as well
  bool copies;
};

// What a stream may have been running: its commands up to a kernel whose end could have been seen, or one that waits.
static void suspect(const struct kiln_drv_stream *stream, struct suspect *found) {
  for (const struct kiln_drv_event *e = stream->first; e && e != stream->kept; e = e->next) {
    if (e->waits_for && !kiln_cuda_has_ended(e->waits_for))
      return;
    const char *name = e->launch ? e->launch->kernel->name : NULL;
    found->others |= name && found->kernel && strcmp(name, found->kernel) != 0;
    found->kernel = found->kernel ? found->kernel : name;
    found->copies |= e->command != KILN_CUDA_LAUNCH && e->command != KILN_CUDA_WAIT;
    if (name && e->ended)
      return;
  }
}

void kiln_cuda_blame(struct kiln_drv *drv, const struct kiln_cuda_device *device, struct kiln_drv_stream *stream,
                     char out[160]) {
  struct suspect found = {0};
  if (stream)
    suspect(stream, &found);
  bool all = !pthread_mutex_trylock(&drv->streams_lock); // else other streams are given commands right now
  for (struct kiln_drv_stream *other = all ? drv->streams : NULL; other; other = other->next)
    if (other != stream && other->device == device && !pthread_mutex_trylock(&other->lock)) {
      suspect(other, &found);
      pthread_mutex_unlock(&other->lock);
    }
  if (all)
    pthread_mutex_unlock(&drv->streams_lock);
  if (found.kernel)
    snprintf(out, 160, "kernel '%.100s'%s", found.kernel, found.others ? ", or one that ran beside or after it," : "");
  else
    snprintf(out, 160, found.copies ? "a copy" : "a kernel of another part of this process");
}

// The device failed: so did everything that is pending.
static void fail_all(struct kiln_drv_stream *stream) {
  while (stream->first) {
    kiln_cuda_event_fail(stream->first, KILN_ERR_DEVICE, stream->device->fault);
    retire(stream);
  }
}

// Nothing stops a kernel. What is pending fails; it may still run, so all that it uses stays, and the stream, too.
static void lose(struct kiln_drv_stream *stream, enum kiln_status status, const char *why) {
  const char *kernel = stream->first->launch ? stream->first->launch->kernel->name : NULL;
  snprintf(stream->lost_message, sizeof stream->lost_message,
           "%s%s%s %.200s; the device may still run it, and the stream is lost", kernel ? "kernel '" : "a command",
           kernel ? kernel : "", kernel ? "'" : "", why);
  __atomic_store_n(&stream->device->stuck, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&stream->lost, status, __ATOMIC_RELEASE);
  while (stream->first) {
    stream->first->lost = true;
    kiln_cuda_event_fail(stream->first, status, stream->lost_message);
    retire(stream);
  }
}

// The first command has not ended: whether it ever will, and has time left.
static void check_time(struct kiln_drv_stream *stream) {
  const struct kiln_drv_event *event = stream->first;
  uint64_t limit = event->limit_ns, now = limit ? kiln_now_ns() : 0;
  char why[64];
  for (const struct kiln_drv_event *e = event; e != stream->kept; e = e->next)
    if (e->waits_for && kiln_cuda_has_ended(e->waits_for) && e->waits_for->lost) {
      lose(stream, e->waits_for->status, "waits for a stream that is lost");
      return;
    }
  if (limit && limit != UINT64_MAX && now > event->began_ns && now - event->began_ns >= limit) {
    kiln_snprintf(why, sizeof why, "ran longer than its deadline of %g ms", (double)limit / 1e6);
    lose(stream, KILN_ERR_TIMEOUT, why);
  }
}

// The first command with CUDA whose end can be asked for.
static struct kiln_drv_event *first_marked(const struct kiln_drv_stream *stream) {
  struct kiln_drv_event *event = stream->first;
  while (event && event != stream->kept && !event->ended)
    event = event->next;
  return event != stream->kept ? event : NULL;
}

// All before end (NULL: all that CUDA has) have ended, as far as CUDA knows. False: one of them waits for a command
// whose end the host has not taken notice of, and it may have failed.
static bool retire_before(struct kiln_drv_stream *stream, const struct kiln_drv_event *end) {
  while (stream->first && stream->first != stream->kept && stream->first != end) {
    if (stream->first->waits_for && !kiln_cuda_has_ended(stream->first->waits_for))
      return false;
    retire(stream);
  }
  return true;
}

// Whether the first marked command, or without a mark the last one, has ended and could be retired.
static bool settle_some(struct kiln_drv_stream *stream) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  char message[KILN_CUDA_MESSAGE];
  struct kiln_drv_event *marked = first_marked(stream);
  kiln_cu_result result = marked ? cuda->event_query(marked->ended) : cuda->stream_query(stream->handle);
  if (result == KILN_CU_NOT_READY) {
    if (marked && marked->began && marked != stream->first && cuda->event_query(marked->began) == KILN_CU_SUCCESS)
      retire_before(stream, marked);
    check_time(stream);
    return false;
  }
  if (result != KILN_CU_SUCCESS) {
    enum kiln_status status =
        kiln_cuda_failure(stream->drv, stream->device, result, "a command of the stream", stream, message);
    kiln_cuda_event_fail(marked ? marked : stream->first, status, message);
    if (kiln_cuda_kind(result) == KILN_CUDA_STICKY) // all that is pending failed
      return true;
  }
  return retire_before(stream, marked ? marked->next : NULL);
}

static void settle(struct kiln_drv_stream *stream) {
  bool moves = true;
  while (moves && stream->first) {
    if (__atomic_load_n(&stream->device->dead, __ATOMIC_ACQUIRE))
      fail_all(stream);
    else
      moves = stream->first != stream->kept && settle_some(stream);
  }
}

static void settle_alone(struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  if (stream->first && kiln_cuda_enter(stream->drv, stream->device)) {
    settle(stream);
    kiln_cuda_leave(stream->drv);
  }
  pthread_mutex_unlock(&stream->lock);
}

// The first event that a pending command of the stream waits for, with a reference; NULL: none.
static struct kiln_drv_event *blocker(struct kiln_drv_stream *stream) {
  struct kiln_drv_event *other = NULL;
  pthread_mutex_lock(&stream->lock);
  for (struct kiln_drv_event *e = stream->first; e && !other; e = e->next)
    other = e->waits_for && !kiln_cuda_has_ended(e->waits_for) ? e->waits_for : NULL;
  if (other)
    kiln_cuda_ref(other);
  pthread_mutex_unlock(&stream->lock);
  return other;
}

void kiln_cuda_look(struct kiln_drv_stream *stream) {
  kiln_cuda_pump(stream->drv);
  struct kiln_drv_event *other = blocker(stream), *next;
  for (; other; other = next) { // it ends: events are there before what waits for them
    if (other->stream)
      settle_alone(other->stream);
    next = other->stream ? blocker(other->stream) : NULL;
    kiln_cuda_event_release(stream->drv, other);
  }
  settle_alone(stream);
}

// ---- giving commands to CUDA; the stream is locked, and the context current

// Whether what comes after a wait for this one can be given to CUDA.
static bool is_ready(const struct kiln_drv_event *other) {
  uint32_t progress = __atomic_load_n(&other->progress, __ATOMIC_ACQUIRE);
  return progress == KILN_CUDA_ENDED || (progress == KILN_CUDA_SUBMITTED && other->ended && !other->is_skipped);
}

static kiln_cu_result run(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  switch (event->command) {
  case KILN_CUDA_LAUNCH:
    return kiln_cuda_submit_launch(stream, event);
  case KILN_CUDA_WRITE:
  case KILN_CUDA_READ:
  case KILN_CUDA_COPY:
  case KILN_CUDA_FILL:
    return kiln_cuda_submit_transfer(stream, event);
  case KILN_CUDA_WAIT:
    if (kiln_cuda_has_ended(event->waits_for)) // what it ended with counts when this command is retired
      return KILN_CU_SUCCESS;
    return stream->drv->cuda.stream_wait(stream->handle, event->waits_for->ended, 0);
  case KILN_CUDA_USER:
    break;
  }
  return KILN_CU_SUCCESS;
}

// After a wait for a command that had failed, the stream runs nothing until kiln_stream_finish.
static kiln_cu_result submit(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_drv_event *other = event->waits_for;
  kiln_cu_result result = KILN_CU_SUCCESS;
  stream->skips = stream->skips || (other && kiln_cuda_has_ended(other) && other->status);
  event->is_skipped = stream->skips;
  if (event->timed)
    event->began = kiln_cuda_record(stream, &result);
  if (result == KILN_CU_SUCCESS && !stream->skips)
    result = run(stream, event);
  kiln_cu_result marking = KILN_CU_SUCCESS; // a command that made the device fail by now is enqueued all the same
  if (result == KILN_CU_SUCCESS && (event->timed || event->marked))
    event->ended = kiln_cuda_record(stream, &marking);
  __atomic_store_n(&event->progress, KILN_CUDA_SUBMITTED, __ATOMIC_RELEASE);
  return result == KILN_CU_SUCCESS && marking != KILN_CU_SUCCESS && kiln_cuda_kind(marking) != KILN_CUDA_STICKY
             ? marking
             : result;
}

static void name_command(const struct kiln_drv_event *event, char out[160]) {
  switch (event->command) {
  case KILN_CUDA_LAUNCH:
    snprintf(out, 160, "the launch of kernel '%.120s'", event->launch->kernel->name);
    return;
  case KILN_CUDA_WRITE:
  case KILN_CUDA_READ:
  case KILN_CUDA_COPY:
    snprintf(out, 160, "a copy of %zu bytes", event->size);
    return;
  case KILN_CUDA_FILL:
    snprintf(out, 160, "a fill of %zu bytes", event->size);
    return;
  case KILN_CUDA_WAIT:
  case KILN_CUDA_USER:
    break;
  }
  snprintf(out, 160, "waiting for an event");
}

static enum kiln_status failure(struct kiln_drv_stream *stream, const struct kiln_drv_event *event,
                                kiln_cu_result result, char *message) {
  char what[160];
  name_command(event, what);
  return kiln_cuda_failure(stream->drv, stream->device, result, what, stream, message);
}

static bool pump(struct kiln_drv_stream *stream) {
  struct kiln_drv_event *event;
  bool moved = false;
  char message[KILN_CUDA_MESSAGE];
  while ((event = stream->kept) && !(event->waits_for && !is_ready(event->waits_for))) {
    kiln_cu_result result = submit(stream, event);
    if (result != KILN_CU_SUCCESS) {
      enum kiln_status status = failure(stream, event, result, message);
      kiln_cuda_event_fail(event, status, message);
    }
    event->began_ns = kiln_now_ns();
    stream->kept = event->next;
    moved = true;
  }
  if (moved && !stream->kept)
    __atomic_sub_fetch(&stream->drv->kept, 1, __ATOMIC_RELAXED);
  return moved;
}

void kiln_cuda_pump(struct kiln_drv *drv) {
  if (!__atomic_load_n(&drv->kept, __ATOMIC_RELAXED))
    return;
  pthread_mutex_lock(&drv->streams_lock);
  for (bool moved = true; moved;) {
    moved = false;
    for (struct kiln_drv_stream *stream = drv->streams; stream; stream = stream->next) {
      pthread_mutex_lock(&stream->lock);
      if (stream->first && kiln_cuda_enter(drv, stream->device)) { // also where others wait for a failed one of these
        moved |= pump(stream);
        settle(stream);
        kiln_cuda_leave(drv);
      }
      pthread_mutex_unlock(&stream->lock);
    }
  }
  pthread_mutex_unlock(&drv->streams_lock);
}

// ---- enqueueing

// Takes notice where many are pending, and waits where too many are. What is kept has no limit: its event may be
// signalled by the very thread that enqueues.
static void make_room(struct kiln_drv_stream *stream) {
  bool fills = stream->ring_head - stream->ring_tail > KILN_CUDA_RING_BYTES / 2;
  if ((fills || stream->pending % MARK_EVERY == MARK_EVERY - 1) && kiln_cuda_enter(stream->drv, stream->device)) {
    settle(stream);
    kiln_cuda_leave(stream->drv);
  }
  for (uint32_t looks = 0; stream->pending >= MAX_PENDING && !stream->kept && !stream->lost; looks++) {
    pthread_mutex_unlock(&stream->lock);
    kiln_cuda_pause(looks);
    kiln_cuda_look(stream);
    pthread_mutex_lock(&stream->lock);
  }
}

static void append(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  if (stream->last)
    stream->last->next = event;
  else
    stream->first = event;
  stream->last = event;
  stream->pending++;
  event->began_ns = event->times.enqueued_ns;
}

// Takes back the last command, which CUDA did not take.
static void take_back(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  struct kiln_drv_event *before = stream->first;
  while (before && before != event && before->next != event)
    before = before->next;
  if (!before)
    return;
  if (before == event)
    stream->first = stream->last = NULL;
  else
    before->next = NULL, stream->last = before;
  stream->pending--;
  kiln_cuda_event_fail(event, KILN_ERR_DEVICE, "");
  event->staged_end = 0; // a part of it may have been taken: the next transfer frees it
  kiln_cuda_transfer_ended(stream, event);
  if (event->launch)
    kiln_cuda_launch_release(stream->drv, event->launch);
  kiln_cuda_event_release(stream->drv, event->waits_for);
}

static enum kiln_status check_stream(struct kiln_drv_stream *stream, struct kiln_report *report) {
  if (stream->lost)
    return kiln_fail(report, stream->lost, "%s", stream->lost_message);
  return kiln_cuda_alive(stream->drv, stream->device, report);
}

static void drop_new(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  if (event->launch)
    kiln_cuda_launch_release(stream->drv, event->launch);
  kiln_cuda_event_release(stream->drv, event->waits_for);
}

static enum kiln_status enqueue(struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report) {
  char message[KILN_CUDA_MESSAGE];
  enum kiln_status status = check_stream(stream, report);
  if (!status && !kiln_cuda_enter(stream->drv, stream->device))
    status = kiln_cuda_fail(stream->drv, stream->device, KILN_CU_NOT_INITIALIZED, report, "a command");
  if (status) {
    drop_new(stream, event);
    return status;
  }
  append(stream, event);
  if (stream->kept || (event->waits_for && !is_ready(event->waits_for))) {
    if (!stream->kept) {
      stream->kept = event;
      __atomic_add_fetch(&stream->drv->kept, 1, __ATOMIC_RELAXED);
    }
  } else {
    kiln_cu_result result = submit(stream, event);
    if (result != KILN_CU_SUCCESS) {
      status = failure(stream, event, result, message);
      kiln_fail(report, status, "%s", message);
      take_back(stream, event);
    }
  }
  kiln_cuda_leave(stream->drv);
  return status;
}

enum kiln_status kiln_cuda_enqueue(struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                   struct kiln_drv_event **out, struct kiln_report *report) {
  pthread_mutex_lock(&stream->lock);
  make_room(stream);
  if (event->command == KILN_CUDA_LAUNCH)
    event->limit_ns = stream->limit_ns;
  event->timed = out || event->limit_ns;
  event->marked = event->marked || stream->pending % MARK_EVERY == MARK_EVERY - 1;
  kiln_cuda_ref(event); // the stream's
  enum kiln_status status = enqueue(stream, event, report);
  pthread_mutex_unlock(&stream->lock);
  if (status)
    kiln_cuda_event_release(stream->drv, event); // which the stream did not take
  if (!status && out)
    *out = event;
  else
    kiln_cuda_event_release(stream->drv, event);
  return status;
}

enum kiln_status kiln_cuda_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report) {
  (void)drv;
  if (kiln_cuda_has_ended(event) && !event->status)
    return KILN_OK;
  struct kiln_drv_event *wait = kiln_cuda_event_new(stream, KILN_CUDA_WAIT);
  if (!wait)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  kiln_cuda_ref(event);
  wait->waits_for = event;
  return kiln_cuda_enqueue(stream, wait, NULL, report);
}

bool kiln_cuda_is_kept(struct kiln_drv_stream *stream) {
  kiln_cuda_pump(stream->drv);
  pthread_mutex_lock(&stream->lock);
  bool is_kept = stream->kept;
  pthread_mutex_unlock(&stream->lock);
  return is_kept;
}

// ---- streams

void kiln_cuda_drop_stream(struct kiln_drv_stream *stream) {
  if (__atomic_sub_fetch(&stream->refs, 1, __ATOMIC_ACQ_REL))
    return;
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

enum kiln_status kiln_cuda_stream_on(struct kiln_drv *drv, uint32_t device, kiln_cu_stream handle,
                                     struct kiln_drv_stream **out, struct kiln_report *report) {
  struct kiln_cuda_device *d = &drv->devices[device];
  enum kiln_status status = kiln_cuda_alive(drv, d, report);
  if (status)
    return status;
  struct kiln_drv_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a stream");
  *stream = (struct kiln_drv_stream){.drv = drv, .device = d, .refs = 1, .handle = handle, .is_hosts = handle};
  kiln_cu_result result = kiln_cuda_enter(drv, d) ? KILN_CU_SUCCESS : KILN_CU_NOT_INITIALIZED;
  if (result == KILN_CU_SUCCESS) {
    result =
        handle ? drv->cuda.stream_query(handle) : drv->cuda.stream_create(&stream->handle, KILN_CU_STREAM_NON_BLOCKING);
    result = result == KILN_CU_NOT_READY ? KILN_CU_SUCCESS : result;
    kiln_cuda_leave(drv);
  }
  if (result != KILN_CU_SUCCESS) {
    free(stream);
    if (handle && kiln_cuda_kind(result) == KILN_CUDA_CALL)
      return kiln_fail(report, KILN_ERR_INVALID, "%p is no stream of CUDA's on %s", (void *)handle, d->name);
    return kiln_cuda_fail(drv, d, result, report, "a new stream");
  }
  pthread_mutex_init(&stream->lock, NULL);
  pthread_mutex_lock(&drv->streams_lock);
  stream->next = drv->streams;
  drv->streams = stream;
  pthread_mutex_unlock(&drv->streams_lock);
  *out = stream;
  return KILN_OK;
}

enum kiln_status kiln_cuda_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report) {
  return kiln_cuda_stream_on(drv, device, NULL, out, report);
}

static void drain(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  struct kiln_drv_event *last = stream->last;
  if (last)
    kiln_cuda_ref(last);
  pthread_mutex_unlock(&stream->lock);
  if (last)
    kiln_cuda_event_wait(drv, last, NULL);
  kiln_cuda_event_release(drv, last);
}

void kiln_cuda_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  drain(drv, stream);
  pthread_mutex_lock(&drv->streams_lock);
  struct kiln_drv_stream **at = &drv->streams;
  while (*at != stream)
    at = &(*at)->next;
  *at = stream->next;
  pthread_mutex_unlock(&drv->streams_lock);
  bool is_idle = !stream->lost && !__atomic_load_n(&stream->device->dead, __ATOMIC_ACQUIRE);
  if (is_idle && kiln_cuda_enter(drv, stream->device)) {
    if (kiln_cuda_frees(stream->device))
      kiln_cuda_ring_free(stream);
    if (!stream->is_hosts)
      drv->cuda.stream_destroy(stream->handle);
    kiln_cuda_leave(drv);
  }
  kiln_cuda_drop_stream(stream);
}

enum kiln_status kiln_cuda_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  drain(drv, stream);
  pthread_mutex_lock(&stream->lock);
  enum kiln_status status = stream->status;
  stream->status = stream->awaited = KILN_OK;
  stream->skips = false;
  if (status)
    kiln_fail(report, status, "%s", stream->message);
  else if (stream->lost) // told each time
    status = kiln_fail(report, stream->lost, "%s", stream->lost_message);
  pthread_mutex_unlock(&stream->lock);
  return status;
}

// ---- deadlines

enum kiln_status kiln_cuda_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report) {
  (void)drv, (void)report;
  pthread_mutex_lock(&stream->lock);
  stream->limit_ns = ns;
  pthread_mutex_unlock(&stream->lock);
  return KILN_OK;
}

enum kiln_status kiln_cuda_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report) {
  (void)drv, (void)report;
  settle_alone(stream);
  pthread_mutex_lock(&stream->lock);
  if (stream->first && stream->first != stream->kept)
    lose(stream, KILN_ERR_CANCELLED, "was cancelled");
  while (stream->first) { // CUDA knows nothing of them
    kiln_cuda_event_fail(stream->first, KILN_ERR_CANCELLED, "a command was cancelled");
    retire(stream);
  }
  pthread_mutex_unlock(&stream->lock);
  return KILN_OK;
}

bool kiln_cuda_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  return __atomic_load_n(&stream->lost, __ATOMIC_ACQUIRE) != KILN_OK;
}
