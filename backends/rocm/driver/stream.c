// Streams and events. driver.h says how a stream works.
//
// Locks: stream->lock guards the queue and the list of pending events. No two streams are locked at a time.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/driver/driver.h"
#include "backends/rocm/driver/exports.h"
#include "base/c_locale.h"
#include "base/file.h"

#define MAX_PENDING 512     // commands of a stream that the host has not taken notice of
#define LOST_NS 5000000000u // after a failure: how long a copy may take to end
#define WAIT_NS 20000000u   // how long to sleep between looks at failed queues

// ---- events

static void drop_stream(struct kiln_drv_stream *stream) {
  if (__atomic_sub_fetch(&stream->refs, 1, __ATOMIC_ACQ_REL))
    return;
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

void kiln_rocm_event_release(struct kiln_drv *drv, struct kiln_drv_event *event) {
  if (!event || __atomic_sub_fetch(&event->refs, 1, __ATOMIC_ACQ_REL))
    return;
  if (!event->lost)
    drv->hsa.hsa_signal_destroy(event->signal);
  if (event->stream)
    drop_stream(event->stream);
  free(event);
}

// What a command needed while it ran.
static void release_parts(struct kiln_drv *drv, struct kiln_drv_event *event, bool abandoned) {
  kiln_rocm_unstage(event->stream, event, abandoned);
  if (event->lost) // the device may still use all of it
    return;
  if (event->locked)
    drv->hsa.hsa_amd_memory_unlock(event->locked);
  if (event->staging)
    drv->hsa.hsa_amd_memory_pool_free(event->staging);
  if (event->launch)
    kiln_rocm_launch_release(drv, event->launch);
  kiln_rocm_event_release(drv, event->after);
  kiln_rocm_event_release(drv, event->waits_for);
  event->locked = event->staging = NULL;
  event->launch = NULL;
  event->after = event->waits_for = NULL;
}

static uint64_t to_host_clock(const struct kiln_drv *drv, uint64_t ticks) {
  __int128 distance = (int64_t)(ticks - drv->tick_base);
  return drv->ns_base + (uint64_t)(distance * NS_PER_SECOND / drv->ticks_per_second);
}

static void take_times(struct kiln_drv *drv, struct kiln_drv_event *event) {
  event->times.started_ns = event->times.enqueued_ns;
  event->times.ended_ns = kiln_now_ns();
  uint64_t start = 0, end = 0;
  if (event->kind == KILN_ROCM_KERNEL) {
    hsa_amd_profiling_dispatch_time_t time;
    if (!drv->hsa.hsa_amd_profiling_get_dispatch_time(event->stream->device->agent, event->signal, &time)) {
      start = time.start;
      end = time.end;
    }
  } else if (event->kind == KILN_ROCM_COPY) {
    hsa_amd_profiling_async_copy_time_t time;
    if (!drv->hsa.hsa_amd_profiling_get_async_copy_time(event->signal, &time)) {
      start = time.start;
      end = time.end;
    }
  }
  if (start && end >= start) {
    event->times.started_ns = to_host_clock(drv, start);
    event->times.ended_ns = to_host_clock(drv, end);
  }
}

static void note_error(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  if (!event->status || stream->status)
    return;
  stream->status = event->status;
  memcpy(stream->message, event->message, sizeof stream->message);
}

// The first pending event has ended, well or not.
static void retire(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  struct kiln_drv *drv = stream->drv;
  stream->first = event->next;
  if (!stream->first)
    stream->last = NULL;
  stream->pending--;
  take_times(drv, event);
  if (stream->first && stream->first->began_ns < event->times.ended_ns)
    stream->first->began_ns = event->times.ended_ns;
  if (event->waits_for && !event->status && event->waits_for->status) {
    event->status = event->waits_for->status;
    memcpy(event->message, event->waits_for->message, sizeof event->message);
    if (!stream->awaited) {
      stream->awaited = event->waits_for;
      __atomic_add_fetch(&stream->awaited->refs, 1, __ATOMIC_RELAXED);
    }
  } else if (!event->status && stream->awaited) { // what comes after the wait
    event->status = stream->awaited->status;
    memcpy(event->message, stream->awaited->message, sizeof event->message);
  }
  note_error(stream, event);
  kiln_rocm_read_ended(event);
  release_parts(drv, event, false);
  __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
  kiln_rocm_event_release(drv, event);
}

void kiln_rocm_fail_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event, const char *message) {
  pthread_mutex_lock(&stream->lock);
  event->status = KILN_ERR_DEVICE;
  snprintf(event->message, sizeof event->message, "%s", message);
  note_error(stream, event);
  pthread_mutex_unlock(&stream->lock);
}

static const char *failed_kernel(const struct kiln_drv_stream *stream) {
  for (const struct kiln_drv_event *e = stream->first; e; e = e->next)
    if (e->launch)
      return e->launch->kernel->name;
  return NULL;
}

bool kiln_rocm_ends_before(struct kiln_drv *drv, hsa_signal_t signal, uint64_t time_ns) {
  uint64_t ticks = WAIT_NS * drv->ticks_per_second / NS_PER_SECOND + 1;
  while (drv->hsa.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, ticks, HSA_WAIT_STATE_BLOCKED) > 0)
    if (kiln_now_ns() > time_ns)
      return false;
  return true;
}

uint64_t kiln_rocm_patience(const struct kiln_drv *drv) {
  return __atomic_load_n(&drv->faulted, __ATOMIC_ACQUIRE) == KILN_ROCM_RESET ? 0 : kiln_now_ns() + LOST_NS;
}

// Destroying the queue of a device that has failed may take for ever: it is given up, with the stream, which the
// runtime may still call about it.
static void close_queue(struct kiln_drv_stream *stream) {
  const struct kiln_drv *drv = stream->drv;
  if (!stream->queue)
    return;
  if (__atomic_load_n(&drv->faulted, __ATOMIC_ACQUIRE) ||
      stream->queue_status == (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT)
    __atomic_add_fetch(&stream->refs, 1, __ATOMIC_RELAXED);
  else
    drv->hsa.hsa_queue_destroy(stream->queue);
  __atomic_store_n(&stream->queue, NULL, __ATOMIC_RELEASE);
}

// The queue or the device failed: so did everything that is pending.
static void fail_all(struct kiln_drv_stream *stream) {
  struct kiln_drv *drv = stream->drv;
  char message[KILN_ROCM_MESSAGE];
  const char *kernel = failed_kernel(stream), *reason = NULL;
  bool faulted = __atomic_load_n(&drv->faulted, __ATOMIC_ACQUIRE);
  reason = faulted ? drv->fault : kiln_hsa_text(&drv->hsa, stream->queue_status);
  if (kernel)
    snprintf(message, sizeof message, "kernel '%s' failed: %.400s", kernel, reason);
  else
    snprintf(message, sizeof message, "the device failed: %.400s", reason);
  close_queue(stream);
  __atomic_store_n(&stream->queue_failed, 0, __ATOMIC_RELEASE);
  uint64_t until = kiln_rocm_patience(drv);
  while (stream->first) {
    struct kiln_drv_event *event = stream->first;
    if (drv->hsa.hsa_signal_load_scacquire(event->signal) != 0) {
      event->status = KILN_ERR_DEVICE;
      memcpy(event->message, message, sizeof event->message);
      if (event->kind == KILN_ROCM_COPY) // the engine runs it, now that nothing before it is pending
        event->lost = !kiln_rocm_ends_before(drv, event->signal, until);
      if (!event->lost)
        drv->hsa.hsa_signal_store_screlease(event->signal, 0); // those that wait for it go on
    }
    retire(stream, event);
  }
}

static bool has_failed(struct kiln_drv_stream *stream) {
  return __atomic_load_n(&stream->queue_failed, __ATOMIC_ACQUIRE) ||
         __atomic_load_n(&stream->drv->faulted, __ATOMIC_ACQUIRE);
}

// Nothing stops a kernel. What is pending fails; it may still run, so all that it uses stays, and the queue, too.
static void lose(struct kiln_drv_stream *stream, enum kiln_status status, const char *why) {
  const char *kernel = stream->first->launch ? stream->first->launch->kernel->name : NULL;
  snprintf(stream->lost_message, sizeof stream->lost_message,
           "%s%s%s %.200s; the device may still run it, and the stream is lost", kernel ? "kernel '" : "a command",
           kernel ? kernel : "", kernel ? "'" : "", why);
  __atomic_store_n(&stream->lost, status, __ATOMIC_RELEASE);
  while (stream->first) {
    struct kiln_drv_event *event = stream->first;
    event->status = status;
    event->lost = true;
    memcpy(event->message, stream->lost_message, sizeof event->message);
    retire(stream, event);
  }
}

// The first command has not ended: whether it ever will, and has time left.
static void check_time(struct kiln_drv_stream *stream) {
  const struct kiln_drv_event *event = stream->first, *other = event->waits_for;
  uint64_t limit = event->limit_ns, now = limit ? kiln_now_ns() : 0;
  char why[64];
  if (other && __atomic_load_n(&other->done, __ATOMIC_ACQUIRE) && other->lost) {
    lose(stream, other->status, "waits for a stream that is lost");
  } else if (limit && limit != UINT64_MAX && now > event->began_ns && now - event->began_ns >= limit) {
    kiln_snprintf(why, sizeof why, "ran longer than its deadline of %g ms", (double)limit / 1e6);
    lose(stream, KILN_ERR_TIMEOUT, why);
  }
}

// Takes notice of what has ended. The lock is held.
static void settle(struct kiln_drv_stream *stream) {
  while (stream->first) {
    struct kiln_drv_event *event = stream->first;
    hsa_signal_value_t value = stream->drv->hsa.hsa_signal_load_scacquire(event->signal);
    if (value > 0) {
      if (has_failed(stream))
        fail_all(stream);
      else
        check_time(stream);
      return;
    }
    if (value < 0) {
      event->status = KILN_ERR_DEVICE;
      snprintf(event->message, sizeof event->message, "%s failed on the device",
               event->kind == KILN_ROCM_COPY ? "a copy"
               : event->launch               ? event->launch->kernel->name
                                             : "a command");
      // What comes after it waits for 0, in this stream and in others.
      stream->drv->hsa.hsa_signal_store_screlease(event->signal, 0);
    }
    retire(stream, event);
  }
}

static void settle_alone(struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  settle(stream);
  pthread_mutex_unlock(&stream->lock);
}

// The event that the first pending command of a stream waits for, with a reference; NULL: none.
static struct kiln_drv_event *blocker(struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  struct kiln_drv_event *other = stream->first ? stream->first->waits_for : NULL;
  if (other && __atomic_load_n(&other->done, __ATOMIC_ACQUIRE))
    other = NULL;
  if (other)
    __atomic_add_fetch(&other->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&stream->lock);
  return other;
}

// Sleeps until the event has ended, or for a while, then takes notice. Streams that nobody looks at may have failed,
// and this one waits for them.
static void look(struct kiln_drv *drv, struct kiln_drv_event *event) {
  struct kiln_drv_stream *stream = event->stream;
  uint64_t ticks = WAIT_NS * drv->ticks_per_second / NS_PER_SECOND + 1;
  drv->hsa.hsa_signal_wait_scacquire(event->signal, HSA_SIGNAL_CONDITION_LT, 1, ticks, HSA_WAIT_STATE_BLOCKED);
  if (!stream) // an event of the host
    return;
  settle_alone(stream);
  struct kiln_drv_event *other = blocker(stream), *next;
  for (; other; other = next) { // it ends: events are there before what waits for them
    if (other->stream)
      settle_alone(other->stream);
    next = other->stream ? blocker(other->stream) : NULL;
    kiln_rocm_event_release(drv, other);
  }
}

static void await(struct kiln_drv *drv, struct kiln_drv_event *event) {
  while (!__atomic_load_n(&event->done, __ATOMIC_ACQUIRE))
    look(drv, event);
}

bool kiln_rocm_is_held(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  bool is_held = false;
  struct kiln_drv_event *other = blocker(stream), *next;
  for (; other; other = next) {
    is_held = !other->stream;
    next = other->stream ? blocker(other->stream) : NULL;
    kiln_rocm_event_release(drv, other);
  }
  return is_held;
}

enum kiln_status kiln_rocm_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report) {
  await(drv, event);
  return event->status ? kiln_fail(report, event->status, "%s", event->message) : KILN_OK;
}

bool kiln_rocm_event_done(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  if (!__atomic_load_n(&event->done, __ATOMIC_ACQUIRE) && event->stream)
    settle_alone(event->stream);
  return __atomic_load_n(&event->done, __ATOMIC_ACQUIRE);
}

void kiln_rocm_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out) {
  await(drv, event);
  *out = event->times;
}

enum kiln_event_state kiln_rocm_event_state(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  struct kiln_drv_stream *stream = event->stream;
  pthread_mutex_lock(&stream->lock);
  bool runs = stream->first == event && !event->waits_for;
  pthread_mutex_unlock(&stream->lock);
  return runs ? KILN_EVENT_RUNNING : KILN_EVENT_SUBMITTED;
}

// ---- events of the host: signals that packets wait for, which no packet completes

enum kiln_status kiln_rocm_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report) {
  struct kiln_drv_event *event = calloc(1, sizeof *event);
  if (!event)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  hsa_status_t made = drv->hsa.hsa_signal_create(1, 0, NULL, &event->signal);
  if (made != HSA_STATUS_SUCCESS) {
    free(event);
    return kiln_fail(report, KILN_ERR_DEVICE, "no signal: %s", kiln_hsa_text(&drv->hsa, made));
  }
  event->refs = 1;
  event->kind = KILN_ROCM_USER;
  event->times.enqueued_ns = kiln_now_ns();
  *out = event;
  return KILN_OK;
}

void kiln_rocm_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message) {
  event->status = status;
  snprintf(event->message, sizeof event->message, "%s", message);
  event->times.started_ns = event->times.ended_ns = kiln_now_ns();
  __atomic_store_n(&event->done, 1, __ATOMIC_RELEASE);
  drv->hsa.hsa_signal_store_screlease(event->signal, 0);
}

// ---- enqueueing; the lock is held

static void on_queue_error(hsa_status_t status, hsa_queue_t *queue, void *user) {
  struct kiln_drv_stream *stream = user;
  if (status == HSA_STATUS_SUCCESS || queue != __atomic_load_n(&stream->queue, __ATOMIC_ACQUIRE))
    return; // the second: it was given up
  stream->queue_status = status;
  __atomic_store_n(&stream->queue_failed, 1, __ATOMIC_RELEASE);
}

static enum kiln_status open_queue(struct kiln_drv_stream *stream, struct kiln_report *report) {
  if (stream->queue)
    return KILN_OK;
  const struct kiln_hsa *hsa = &stream->drv->hsa;
  hsa_queue_t *queue = NULL;
  hsa_status_t status = hsa->hsa_queue_create(stream->device->agent, stream->device->queue_size, HSA_QUEUE_TYPE_MULTI,
                                              on_queue_error, stream, UINT32_MAX, UINT32_MAX, &queue);
  if (status != HSA_STATUS_SUCCESS)
    return kiln_fail(report, KILN_ERR_DEVICE, "no queue on %s: %s", stream->device->name, kiln_hsa_text(hsa, status));
  hsa->hsa_amd_profiling_set_profiler_enabled(queue, 1);
  stream->queue_status = HSA_STATUS_SUCCESS;
  __atomic_store_n(&stream->queue, queue, __ATOMIC_RELEASE);
  return KILN_OK;
}

struct kiln_drv_event *kiln_rocm_begin(struct kiln_drv_stream *stream, enum kiln_status *status,
                                       struct kiln_report *report) {
  struct kiln_drv *drv = stream->drv;
  settle(stream);
  while (stream->pending >= MAX_PENDING || stream->pending >= stream->device->queue_size / 2) { // two packets each
    struct kiln_drv_event *first = stream->first;
    __atomic_add_fetch(&first->refs, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&stream->lock);
    bool is_held = kiln_rocm_is_held(drv, stream); // its thread may be the one that will signal
    if (!is_held)
      look(drv, first);
    kiln_rocm_event_release(drv, first);
    pthread_mutex_lock(&stream->lock);
    settle(stream);
    if (is_held && stream->first == first) {
      *status = kiln_fail(report, KILN_ERR_UNSUPPORTED,
                          "no more than %u commands of a stream can wait for an event of the host", stream->pending);
      return NULL;
    }
  }
  if (stream->lost) {
    *status = kiln_fail(report, stream->lost, "%s", stream->lost_message);
    return NULL;
  }
  if (__atomic_load_n(&drv->faulted, __ATOMIC_ACQUIRE)) {
    *status = kiln_fail(report, KILN_ERR_DEVICE, "%s; the device cannot be used any more",
                        stream->status ? stream->message : drv->fault);
    return NULL;
  }
  *status = open_queue(stream, report);
  struct kiln_drv_event *event = *status ? NULL : calloc(1, sizeof *event);
  if (!event) {
    if (!*status)
      *status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
    return NULL;
  }
  hsa_status_t made = drv->hsa.hsa_signal_create(1, 0, NULL, &event->signal);
  if (made != HSA_STATUS_SUCCESS) {
    free(event);
    *status = kiln_fail(report, KILN_ERR_DEVICE, "no signal: %s", kiln_hsa_text(&drv->hsa, made));
    return NULL;
  }
  event->refs = 1;
  event->stream = stream;
  event->times.enqueued_ns = kiln_now_ns();
  __atomic_add_fetch(&stream->refs, 1, __ATOMIC_RELAXED);
  event->after = stream->last;
  if (event->after)
    __atomic_add_fetch(&event->after->refs, 1, __ATOMIC_RELAXED);
  return event;
}

void kiln_rocm_enqueued(struct kiln_drv_stream *stream, struct kiln_drv_event *event, struct kiln_drv_event **out) {
  if (stream->last)
    stream->last->next = event;
  else
    stream->first = event;
  event->began_ns = event->times.enqueued_ns;
  stream->last = event;
  stream->pending++;
  if (out) {
    __atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
    *out = event;
  }
}

void kiln_rocm_abandon(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  release_parts(stream->drv, event, true);
  kiln_rocm_event_release(stream->drv, event);
}

bool kiln_rocm_submit(struct kiln_drv_stream *stream, const void *packet, uint16_t header) {
  const struct kiln_hsa *hsa = &stream->drv->hsa;
  hsa_queue_t *queue = stream->queue;
  uint64_t index = hsa->hsa_queue_add_write_index_relaxed(queue, 1);
  while (index - hsa->hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
    if (has_failed(stream))
      return false;
    sched_yield();
  }
  char *slot = (char *)queue->base_address + (index & (queue->size - 1)) * 64;
  uint32_t first;
  memcpy(slot + 4, (const char *)packet + 4, 60);
  memcpy(&first, packet, 4);
  // The packet processor reads the packet once its type is no longer invalid: so the head comes last.
  __atomic_store_n((uint32_t *)(void *)slot, (first & 0xffff0000u) | header, __ATOMIC_RELEASE);
  hsa->hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
  return true;
}

#define BARRIER_HEADER                                                                                                 \
  (HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |                            \
   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |                                                 \
   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE)

bool kiln_rocm_order(struct kiln_drv_stream *stream, const struct kiln_drv_event *event) {
  if (!event->after || event->after->kind != KILN_ROCM_COPY)
    return true;
  hsa_barrier_and_packet_t packet = {0};
  packet.dep_signal[0] = event->after->signal;
  return kiln_rocm_submit(stream, &packet, BARRIER_HEADER);
}

bool kiln_rocm_barrier(struct kiln_drv_stream *stream, struct kiln_drv_event *event, struct kiln_drv_event *other) {
  hsa_barrier_and_packet_t packet = {0};
  unsigned count = 0;
  event->kind = KILN_ROCM_BARRIER;
  if (event->after && event->after->kind == KILN_ROCM_COPY)
    packet.dep_signal[count++] = event->after->signal;
  if (other) {
    packet.dep_signal[count++] = other->signal;
    event->waits_for = other;
    __atomic_add_fetch(&other->refs, 1, __ATOMIC_RELAXED);
  }
  packet.completion_signal = event->signal;
  return kiln_rocm_submit(stream, &packet, BARRIER_HEADER);
}

enum kiln_status kiln_rocm_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report) {
  (void)drv;
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&stream->lock);
  struct kiln_drv_event *barrier = kiln_rocm_begin(stream, &status, report);
  if (barrier && kiln_rocm_barrier(stream, barrier, event)) {
    kiln_rocm_enqueued(stream, barrier, NULL);
  } else if (barrier) {
    kiln_rocm_abandon(stream, barrier);
    status = kiln_fail(report, KILN_ERR_DEVICE, "the queue of the device failed");
  }
  pthread_mutex_unlock(&stream->lock);
  return status;
}

// ---- streams

enum kiln_status kiln_rocm_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report) {
  struct kiln_drv_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a stream");
  stream->drv = drv;
  stream->device = &drv->devices[device];
  stream->refs = 1;
  enum kiln_status status = open_queue(stream, report);
  if (status) {
    free(stream);
    return status;
  }
  pthread_mutex_init(&stream->lock, NULL);
  *out = stream;
  return KILN_OK;
}

static void drain(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  pthread_mutex_lock(&stream->lock);
  struct kiln_drv_event *last = stream->last;
  if (last)
    __atomic_add_fetch(&last->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&stream->lock);
  if (last)
    await(drv, last);
  kiln_rocm_event_release(drv, last);
}

void kiln_rocm_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  drain(drv, stream);
  kiln_rocm_event_release(drv, stream->awaited);
  close_queue(stream);
  kiln_rocm_staging_free(stream);
  drop_stream(stream);
}

enum kiln_status kiln_rocm_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  drain(drv, stream);
  pthread_mutex_lock(&stream->lock);
  enum kiln_status status = stream->status;
  stream->status = KILN_OK;
  struct kiln_drv_event *awaited = stream->awaited;
  stream->awaited = NULL;
  if (status)
    kiln_fail(report, status, "%s", stream->message);
  else if (stream->lost) // told each time
    status = kiln_fail(report, stream->lost, "%s", stream->lost_message);
  pthread_mutex_unlock(&stream->lock);
  kiln_rocm_event_release(drv, awaited);
  return status;
}

// ---- deadlines

enum kiln_status kiln_rocm_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report) {
  (void)drv, (void)report;
  pthread_mutex_lock(&stream->lock);
  stream->limit_ns = ns;
  pthread_mutex_unlock(&stream->lock);
  return KILN_OK;
}

enum kiln_status kiln_rocm_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report) {
  (void)drv, (void)report;
  pthread_mutex_lock(&stream->lock);
  settle(stream);
  if (stream->first)
    lose(stream, KILN_ERR_CANCELLED, "was cancelled");
  pthread_mutex_unlock(&stream->lock);
  return KILN_OK;
}

bool kiln_rocm_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  return __atomic_load_n(&stream->lost, __ATOMIC_ACQUIRE) != KILN_OK;
}
