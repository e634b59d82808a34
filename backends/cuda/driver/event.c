// Events: CUDA events and the times that they tell, waiting, events of the host.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/cuda/driver/driver.h"
#include "base/file.h"
#include "base/floats.h"

#define YIELDS 2000                  // looks before a waiting thread sleeps between them
#define LONGEST_SLEEP_NS 200000      // between two looks
#define BASE_NS UINT64_C(1000000000) // how long times are told from one event: they come as a float of milliseconds

// ---- life

struct kiln_drv_event *kiln_cuda_event_new(struct kiln_drv_stream *stream, enum kiln_cuda_command command) {
  struct kiln_drv_event *event = calloc(1, sizeof *event);
  if (!event)
    return NULL;
  event->refs = 1;
  event->command = command;
  event->stream = stream;
  event->times.enqueued_ns = kiln_now_ns();
  if (stream)
    __atomic_add_fetch(&stream->refs, 1, __ATOMIC_RELAXED);
  return event;
}

// CUDA events are used again, unless the device may still record them.
static void recycle(struct kiln_drv_event *event) {
  struct kiln_cuda_device *device = event->stream->device;
  kiln_cu_event used[2] = {event->began, event->ended};
  struct kiln_drv *drv = event->stream->drv;
  if (event->lost || __atomic_load_n(&device->dead, __ATOMIC_ACQUIRE))
    return;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&device->lock);
    bool fits = used[i] && device->spare_count < sizeof device->spare / sizeof *device->spare;
    if (fits)
      device->spare[device->spare_count++] = used[i];
    pthread_mutex_unlock(&device->lock);
    if (used[i] && !fits && kiln_cuda_enter(drv, device)) {
      drv->cuda.event_destroy(used[i]);
      kiln_cuda_leave(drv);
    }
  }
}

void kiln_cuda_event_release(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  if (!event || __atomic_sub_fetch(&event->refs, 1, __ATOMIC_ACQ_REL))
    return;
  if (event->stream) {
    if (event->began || event->ended)
      recycle(event);
    kiln_cuda_drop_stream(event->stream);
  }
  free(event->pattern);
  free(event->message);
  free(event);
}

void kiln_cuda_event_fail(struct kiln_drv_event *event, enum kiln_status status, const char *message) {
  if (event->status)
    return;
  event->status = status;
  event->message = strdup(message);
}

static const char *message_of(const struct kiln_drv_event *event) {
  return event->message ? event->message : "a command of the stream failed";
}

// ---- CUDA events

kiln_cu_event kiln_cuda_record(struct kiln_drv_stream *stream, kiln_cu_result *result) {
  struct kiln_cuda_device *device = stream->device;
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  kiln_cu_event event = NULL;
  pthread_mutex_lock(&device->lock);
  if (device->spare_count)
    event = device->spare[--device->spare_count];
  pthread_mutex_unlock(&device->lock);
  *result = event ? KILN_CU_SUCCESS : cuda->event_create(&event, 0);
  if (*result != KILN_CU_SUCCESS)
    return NULL;
  *result = cuda->event_record(event, stream->handle);
  if (*result == KILN_CU_SUCCESS)
    return event;
  cuda->event_destroy(event);
  return NULL;
}

// The host's time of a CUDA event; device->lock is held. CUDA tells it as a number with a fraction, which must raise no
// signal where the host has asked for those.
static bool time_of(struct kiln_drv *drv, const struct kiln_cuda_device *device, kiln_cu_event event, uint64_t *ns) {
  float ms = 0;
  struct kiln_floats floats = kiln_floats_enter();
  bool known = device->base && drv->cuda.event_elapsed(&ms, device->base, event) == KILN_CU_SUCCESS;
  *ns = known ? device->base_ns + (uint64_t)(int64_t)((double)ms * 1e6) : 0;
  kiln_floats_leave(floats);
  return known;
}

static uint64_t between(uint64_t low, uint64_t value, uint64_t high) {
  return value < low ? low : value > high ? high : value;
}

void kiln_cuda_take_times(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  struct kiln_cuda_device *device = stream->device;
  uint64_t first = event->times.enqueued_ns, now = kiln_now_ns(), began, ended;
  event->times.started_ns = first;
  event->times.ended_ns = now;
  if (!event->began || !event->ended)
    return;
  pthread_mutex_lock(&device->lock);
  if (time_of(stream->drv, device, event->began, &began) && time_of(stream->drv, device, event->ended, &ended)) {
    event->times.started_ns = between(first, began, now);
    event->times.ended_ns = between(event->times.started_ns, ended, now);
    if (ended - device->base_ns > BASE_NS && ended > device->base_ns) {
      kiln_cu_event base = device->base; // its place is taken by the one that is known to have ended
      device->base = event->ended;
      device->base_ns = ended;
      event->ended = base;
    }
  }
  pthread_mutex_unlock(&device->lock);
}

// ---- waiting

void kiln_cuda_pause(uint32_t looks) {
  uint64_t ns = looks < YIELDS ? 0 : (looks - YIELDS + 1) * UINT64_C(2000);
  struct timespec time = {.tv_nsec = (long)(ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS)};
  if (ns)
    nanosleep(&time, NULL);
  else
    sched_yield();
}

static void look(struct kiln_drv *drv, struct kiln_drv_event *event) {
  if (event->stream)
    kiln_cuda_look(event->stream);
  else
    kiln_cuda_pump(drv);
}

enum kiln_status kiln_cuda_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report) {
  for (uint32_t looks = 0; !kiln_cuda_has_ended(event); looks++) {
    look(drv, event);
    if (!kiln_cuda_has_ended(event))
      kiln_cuda_pause(looks);
  }
  return event->status ? kiln_fail(report, event->status, "%s", message_of(event)) : KILN_OK;
}

bool kiln_cuda_event_done(struct kiln_drv *drv, struct kiln_drv_event *event) {
  if (!kiln_cuda_has_ended(event))
    look(drv, event);
  return kiln_cuda_has_ended(event);
}

void kiln_cuda_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out) {
  kiln_cuda_event_wait(drv, event, NULL);
  *out = event->times;
}

enum kiln_event_state kiln_cuda_event_state(struct kiln_drv *drv, struct kiln_drv_event *event) {
  (void)drv;
  struct kiln_drv_stream *stream = event->stream;
  if (!stream)
    return KILN_EVENT_SUBMITTED;
  pthread_mutex_lock(&stream->lock);
  bool is_kept = event->progress == KILN_CUDA_KEPT, is_first = stream->first == event;
  pthread_mutex_unlock(&stream->lock);
  return is_kept ? KILN_EVENT_QUEUED : is_first ? KILN_EVENT_RUNNING : KILN_EVENT_SUBMITTED;
}

// ---- events of the host

enum kiln_status kiln_cuda_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report) {
  (void)drv;
  *out = kiln_cuda_event_new(NULL, KILN_CUDA_USER);
  return *out ? KILN_OK : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
}

void kiln_cuda_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message) {
  if (status)
    kiln_cuda_event_fail(event, status, message);
  event->times.started_ns = event->times.ended_ns = kiln_now_ns();
  __atomic_store_n(&event->progress, KILN_CUDA_ENDED, __ATOMIC_RELEASE);
  kiln_cuda_pump(drv);
}
