// Memory of devices and copies. Copies are asynchronous; host memory is pinned for as long as one runs, except for what
// is small or cannot be pinned, which goes by way of staging memory.
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/driver/driver.h"

#define SMALL 65536             // bytes of transfers that are staged
#define STAGING_BYTES (1 << 20) // of copies that wait, and of fills

// ---- memory

static hsa_status_t allow_all(struct kiln_drv *drv, const void *memory) {
  hsa_agent_t agents[KILN_ROCM_MAX_DEVICES];
  for (uint32_t i = 0; i < drv->device_count; i++)
    agents[i] = drv->devices[i].agent;
  return drv->hsa.hsa_amd_agents_allow_access(drv->device_count, agents, NULL, memory);
}

void *kiln_rocm_host_alloc(struct kiln_drv *drv, size_t size, hsa_status_t *status) {
  void *memory = NULL;
  *status = drv->hsa.hsa_amd_memory_pool_allocate(drv->kernarg, size, 0, &memory);
  if (*status != HSA_STATUS_SUCCESS)
    return NULL;
  *status = allow_all(drv, memory);
  if (*status == HSA_STATUS_SUCCESS)
    return memory;
  drv->hsa.hsa_amd_memory_pool_free(memory);
  return NULL;
}

// *ended is false where the device failed and may still copy.
static hsa_status_t copy_piece(struct kiln_drv *drv, uint32_t device, void *dst, const void *src, size_t size,
                               bool to_device, hsa_signal_t signal, bool *ended) {
  const struct kiln_hsa *hsa = &drv->hsa;
  hsa_agent_t agent = drv->devices[device].agent;
  hsa->hsa_signal_store_relaxed(signal, 1);
  hsa_status_t status = hsa->hsa_amd_memory_async_copy(dst, to_device ? agent : drv->cpu, src,
                                                       to_device ? drv->cpu : agent, size, 0, NULL, signal);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  *ended = false;
  while (!*ended && !__atomic_load_n(&drv->faulted, __ATOMIC_ACQUIRE))
    *ended = kiln_rocm_ends_before(drv, signal, 0);
  *ended = *ended || kiln_rocm_ends_before(drv, signal, kiln_rocm_patience(drv));
  return *ended && !hsa->hsa_signal_load_scacquire(signal) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
}

hsa_status_t kiln_rocm_copy_now(struct kiln_drv *drv, uint32_t device, void *dst, const void *src, size_t size,
                                bool to_device) {
  hsa_status_t status;
  hsa_signal_t signal;
  bool ended = true;
  char *staging = kiln_rocm_host_alloc(drv, size < STAGING_BYTES ? size : STAGING_BYTES, &status);
  if (!staging)
    return status;
  status = drv->hsa.hsa_signal_create(1, 0, NULL, &signal);
  bool has_signal = status == HSA_STATUS_SUCCESS;
  for (size_t at = 0; at < size && status == HSA_STATUS_SUCCESS; at += STAGING_BYTES) {
    size_t piece = size - at < STAGING_BYTES ? size - at : STAGING_BYTES;
    if (to_device)
      memcpy(staging, (const char *)src + at, piece);
    status = copy_piece(drv, device, to_device ? (char *)dst + at : staging,
                        to_device ? staging : (const char *)src + at, piece, to_device, signal, &ended);
    if (!to_device && status == HSA_STATUS_SUCCESS)
      memcpy((char *)dst + at, staging, piece);
    if (at + piece >= size)
      break;
  }
  if (!ended) // they stay the device's
    return status;
  if (has_signal)
    drv->hsa.hsa_signal_destroy(signal);
  drv->hsa.hsa_amd_memory_pool_free(staging);
  return status;
}

enum kiln_status kiln_rocm_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report) {
  const struct kiln_rocm_device *d = &drv->devices[device];
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  *memory = (struct kiln_drv_memory){.drv = drv, .device = device, .size = size};
  size_t whole = (size + d->memory_granule - 1) / d->memory_granule * d->memory_granule;
  hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (whole >= size)
    status = drv->hsa.hsa_amd_memory_pool_allocate(d->memory, whole, 0, (void **)&memory->address);
  if (status == HSA_STATUS_SUCCESS && drv->device_count > 1)
    status = allow_all(drv, memory->address);
  if (status == HSA_STATUS_SUCCESS && host)
    status = kiln_rocm_copy_now(drv, device, memory->address, host, size, true);
  if (status == HSA_STATUS_SUCCESS) {
    *out = memory;
    return KILN_OK;
  }
  kiln_fail(report, KILN_ERR_MEMORY, "no buffer of %zu bytes on %s: %s", size, d->name,
            kiln_hsa_text(&drv->hsa, status));
  kiln_rocm_free(drv, memory);
  return KILN_ERR_MEMORY;
}

void kiln_rocm_free(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  if (memory->address && !memory->is_hosts)
    drv->hsa.hsa_amd_memory_pool_free(memory->address);
  free(memory);
}

void *kiln_rocm_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  (void)memory;
  return NULL;
}

// ---- copies; the stream is locked

struct transfer {
  void *dst; // NULL: staging memory, as of src
  const void *src;
  hsa_agent_t dst_agent, src_agent;
  size_t size;
  void *staging, *locked; // released when it has ended
  const void *write_from; // host memory, of writes and reads
  void *read_to;
};

static void drop(struct kiln_drv_stream *stream, const struct transfer *t) {
  if (t->locked)
    stream->drv->hsa.hsa_amd_memory_unlock(t->locked);
  if (t->staging)
    stream->drv->hsa.hsa_amd_memory_pool_free(t->staging);
}

static hsa_status_t start(struct kiln_drv_stream *stream, struct kiln_drv_event *event, const struct transfer *t,
                          void *staged) {
  if (!t->size)
    return kiln_rocm_barrier(stream, event, NULL) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
  void *dst = t->dst ? t->dst : staged;
  const void *src = t->src ? t->src : memcpy(staged, t->write_from, t->size);
  hsa_status_t status =
      stream->drv->hsa.hsa_amd_memory_async_copy(dst, t->dst_agent, src, t->src_agent, t->size, event->after != NULL,
                                                 event->after ? &event->after->signal : NULL, event->signal);
  if (status == HSA_STATUS_SUCCESS && t->read_to)
    kiln_rocm_read_begun(event, t->read_to, t->dst ? NULL : staged, t->size);
  return status;
}

static enum kiln_status enqueue(struct kiln_drv_stream *stream, const struct transfer *t, struct kiln_drv_event **out,
                                struct kiln_report *report) {
  const struct kiln_hsa *hsa = &stream->drv->hsa;
  enum kiln_status status = KILN_OK;
  struct kiln_drv_event *event = kiln_rocm_begin(stream, &status, report);
  if (!event) {
    drop(stream, t);
    return status;
  }
  event->kind = KILN_ROCM_COPY;
  event->staging = t->staging;
  event->locked = t->locked;
  hsa_status_t made = HSA_STATUS_SUCCESS;
  void *staged = NULL;
  if (t->size && (!t->src || !t->dst) && !(staged = kiln_rocm_stage(stream, event, t->size, &made))) {
    kiln_rocm_abandon(stream, event);
    return kiln_fail(report, KILN_ERR_MEMORY, "no memory for a copy of %zu bytes: %s", t->size,
                     kiln_hsa_text(hsa, made));
  }
  made = start(stream, event, t, staged);
  if (made == HSA_STATUS_SUCCESS) {
    kiln_rocm_enqueued(stream, event, out);
    return KILN_OK;
  }
  kiln_rocm_abandon(stream, event);
  return kiln_fail(report, KILN_ERR_DEVICE, "a copy of %zu bytes cannot be started: %s", t->size,
                   kiln_hsa_text(hsa, made));
}

static enum kiln_status enqueue_locked(struct kiln_drv_stream *stream, const struct transfer *t,
                                       struct kiln_drv_event **out, struct kiln_report *report) {
  pthread_mutex_lock(&stream->lock);
  enum kiln_status status = enqueue(stream, t, out, report);
  pthread_mutex_unlock(&stream->lock);
  return status;
}

// Makes host memory reachable for the device. The result is where the device finds it.
static void *pin(struct kiln_drv *drv, const struct kiln_rocm_device *device, void *host, size_t size) {
  hsa_agent_t agent = device->agent;
  void *mapped = NULL;
  if (drv->hsa.hsa_amd_memory_lock(host, size, &agent, 1, &mapped) != HSA_STATUS_SUCCESS)
    return NULL;
  return mapped;
}

enum kiln_status kiln_rocm_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report) {
  struct transfer t = {
      .dst = dst->address + offset, .dst_agent = drv->devices[dst->device].agent, .src_agent = drv->cpu, .size = size};
  if (size > SMALL)
    t.src = pin(drv, &drv->devices[dst->device], (void *)(uintptr_t)src, size);
  t.locked = t.src ? (void *)(uintptr_t)src : NULL;
  t.write_from = src;
  kiln_rocm_await_reads(drv, src, size, t.src != NULL);
  return enqueue_locked(stream, &t, event, report);
}

enum kiln_status kiln_rocm_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report) {
  struct transfer t = {
      .src = src->address + offset, .src_agent = drv->devices[src->device].agent, .dst_agent = drv->cpu, .size = size};
  if (size > SMALL)
    t.dst = pin(drv, &drv->devices[src->device], dst, size);
  t.locked = t.dst ? dst : NULL;
  t.read_to = dst;
  return enqueue_locked(stream, &t, event, report);
}

enum kiln_status kiln_rocm_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  struct transfer t = {.dst = dst->address + dst_offset,
                       .dst_agent = drv->devices[dst->device].agent,
                       .src = src->address + src_offset,
                       .src_agent = drv->devices[src->device].agent,
                       .size = size};
  return enqueue_locked(stream, &t, event, report);
}

// Copies a block of patterns as often as needed; the last copy gives the block back.
enum kiln_status kiln_rocm_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  hsa_status_t made;
  size_t block = STAGING_BYTES / pattern_size * pattern_size;
  block = size < block ? size : block;
  char *staging = kiln_rocm_host_alloc(drv, block ? block : 1, &made);
  if (!staging)
    return kiln_fail(report, KILN_ERR_MEMORY, "no memory to fill from: %s", kiln_hsa_text(&drv->hsa, made));
  for (size_t at = 0; at < block; at += pattern_size)
    memcpy(staging + at, pattern, block - at < pattern_size ? block - at : pattern_size);
  enum kiln_status status = KILN_OK;
  struct kiln_drv_event *previous = NULL;
  bool last = false;
  pthread_mutex_lock(&stream->lock);
  for (size_t at = 0; !last && !status; at += block) {
    size_t piece = size - at < block ? size - at : block;
    last = at + piece >= size;
    struct transfer t = {.dst = dst->address + offset + at,
                         .dst_agent = drv->devices[dst->device].agent,
                         .src = staging,
                         .src_agent = drv->cpu,
                         .size = piece,
                         .staging = last ? staging : NULL};
    struct kiln_drv_event *made = NULL;
    status = enqueue(stream, &t, last ? event : &made, report);
    if (status && !last && previous && !previous->done)
      previous->staging = staging; // it still reads from it
    else if (status && !last)
      drv->hsa.hsa_amd_memory_pool_free(staging);
    kiln_rocm_event_release(drv, previous);
    previous = made;
  }
  kiln_rocm_event_release(drv, previous);
  pthread_mutex_unlock(&stream->lock);
  return status;
}
