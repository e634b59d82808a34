// Staging memory: pinned host memory through which small transfers go, as pinning costs more than copying, and larger
// ones whose memory cannot be pinned. A write is copied in when it is enqueued, a read is copied on when it has ended.
#include <string.h>

#include "backends/rocm/driver/driver.h"

#define RING_BYTES ((size_t)256 << 10)
#define RING_LARGEST ((size_t)64 << 10)
#define RING_ALIGN 64

// ---- the stream's buffer; its lock is held

static void *take_part(struct kiln_drv_stream *stream, struct kiln_drv_event *event, size_t size) {
  hsa_status_t status;
  size = (size + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
  if (!stream->staging)
    stream->staging = kiln_rocm_host_alloc(stream->drv, RING_BYTES, &status);
  if (!stream->staging)
    return NULL;
  uint64_t at = stream->staging_head % RING_BYTES, skipped = at + size > RING_BYTES ? RING_BYTES - at : 0;
  uint64_t from = stream->staging_head + skipped;
  if (from + size - stream->staging_tail > RING_BYTES)
    return NULL;
  event->staged_from = stream->staging_head;
  event->staged_end = stream->staging_head = from + size;
  return stream->staging + from % RING_BYTES;
}

void *kiln_rocm_stage(struct kiln_drv_stream *stream, struct kiln_drv_event *event, size_t size, hsa_status_t *status) {
  void *part = size <= RING_LARGEST ? take_part(stream, event, size) : NULL;
  if (!part)
    part = event->staging = kiln_rocm_host_alloc(stream->drv, size, status);
  return part;
}

void kiln_rocm_unstage(struct kiln_drv_stream *stream, struct kiln_drv_event *event, bool abandoned) {
  if (event->staged_from == event->staged_end)
    return;
  if (event->lost) { // the device may still use it
    stream->staging = NULL;
    stream->staging_head = stream->staging_tail = 0;
  } else if (stream->staging && abandoned) {
    stream->staging_head = event->staged_from;
  } else if (stream->staging) {
    stream->staging_tail = event->staged_end;
  }
  event->staged_from = event->staged_end = 0;
}

void kiln_rocm_staging_free(struct kiln_drv_stream *stream) {
  if (stream->staging)
    stream->drv->hsa.hsa_amd_memory_pool_free(stream->staging);
  stream->staging = NULL;
}

// ---- reads

void kiln_rocm_read_begun(struct kiln_drv_event *event, void *host, const void *staged, size_t size) {
  struct kiln_drv *drv = event->stream->drv;
  event->read_to = host;
  event->read_from = staged;
  event->read_size = size;
  pthread_mutex_lock(&drv->reads_lock);
  event->next_read = drv->reads;
  drv->reads = event;
  pthread_mutex_unlock(&drv->reads_lock);
}

void kiln_rocm_read_ended(struct kiln_drv_event *event) {
  struct kiln_drv *drv = event->stream->drv;
  if (!event->read_to)
    return;
  if (!event->status && event->read_from)
    memcpy(event->read_to, event->read_from, event->read_size);
  pthread_mutex_lock(&drv->reads_lock);
  struct kiln_drv_event **at = &drv->reads;
  while (*at != event)
    at = &(*at)->next_read;
  *at = event->next_read;
  pthread_mutex_unlock(&drv->reads_lock);
  event->read_to = NULL;
}

// The newest read that has not ended and writes to this memory, with a reference.
static struct kiln_drv_event *find_read(struct kiln_drv *drv, const char *host, size_t size, bool staged_alone) {
  pthread_mutex_lock(&drv->reads_lock);
  struct kiln_drv_event *event = drv->reads;
  while (event && !((const char *)event->read_to < host + size &&
                    host < (const char *)event->read_to + event->read_size && (event->read_from || !staged_alone)))
    event = event->next_read;
  if (event)
    __atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&drv->reads_lock);
  return event;
}

void kiln_rocm_await_reads(struct kiln_drv *drv, const void *host, size_t size, bool staged_alone) {
  struct kiln_drv_event *event;
  while ((event = find_read(drv, host, size, staged_alone))) {
    kiln_rocm_event_wait(drv, event, NULL);
    kiln_rocm_event_release(drv, event);
  }
}
