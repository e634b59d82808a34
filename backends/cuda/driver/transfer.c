// Commands that move bytes. What is small goes by way of the stream's ring of pinned memory: a write is copied in when
// it is given to CUDA, a read is copied on when it has ended. Larger host memory is registered for as long as the
// transfer runs; where that cannot be, CUDA copies from or to it as it is, which may take until the end of the
// transfer.
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"

#define RING_ALIGN 64
#define PAGE 4096                      // what is registered are whole ones
#define FIRST_BLOCK ((size_t)16 << 10) // bytes of patterns that fills begin with

// ---- the ring; the stream is locked

void kiln_cuda_ring_free(struct kiln_drv_stream *stream) {
  if (stream->ring)
    stream->drv->cuda.host_free(stream->ring);
  stream->ring = NULL;
}

// NULL: it is full, or there is no memory for it.
static char *take_part(struct kiln_drv_stream *stream, struct kiln_drv_event *event, size_t size) {
  size = (size + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
  void *ring = NULL;
  if (!stream->ring && stream->drv->cuda.host_alloc(&ring, KILN_CUDA_RING_BYTES, KILN_CU_HOST_PORTABLE))
    return NULL;
  stream->ring = stream->ring ? stream->ring : ring;
  uint64_t at = stream->ring_head % KILN_CUDA_RING_BYTES;
  uint64_t from = stream->ring_head + (at + size > KILN_CUDA_RING_BYTES ? KILN_CUDA_RING_BYTES - at : 0);
  if (size > KILN_CUDA_SMALL || from + size - stream->ring_tail > KILN_CUDA_RING_BYTES)
    return NULL;
  event->staged_end = stream->ring_head = from + size;
  event->marked = true;
  return stream->ring + from % KILN_CUDA_RING_BYTES;
}

// ---- reads that have not ended; drv->host_lock guards the list

// staged NULL: the device writes to where the read goes.
static void add_read(struct kiln_drv *drv, struct kiln_drv_event *event, const char *staged) {
  pthread_mutex_lock(&drv->host_lock);
  event->is_listed = true;
  event->read_from = staged;
  event->next_read = drv->reads;
  drv->reads = event;
  pthread_mutex_unlock(&drv->host_lock);
}

static void remove_read(struct kiln_drv *drv, struct kiln_drv_event *event) {
  struct kiln_drv_event **at = &drv->reads;
  while (*at != event)
    at = &(*at)->next_read;
  *at = event->next_read;
  event->is_listed = false;
}

static struct kiln_drv_event *find_read(struct kiln_drv *drv, const char *host, size_t size, bool staged_alone) {
  struct kiln_drv_event *event = drv->reads;
  while (event && !((const char *)event->read_to < host + size && host < (const char *)event->read_to + event->size &&
                    (event->read_from || !staged_alone)))
    event = event->next_read;
  return event;
}

// A write is about to read host memory that earlier reads write to: waits for these. Any thread may copy them on.
static void await_reads(struct kiln_drv_stream *stream, const void *host, size_t size, bool staged_alone) {
  struct kiln_drv *drv = stream->drv;
  struct kiln_drv_event *event;
  pthread_mutex_lock(&drv->host_lock);
  for (uint32_t looks = 0; (event = find_read(drv, host, size, staged_alone));) {
    kiln_cu_result result = event->ended              ? drv->cuda.event_query(event->ended)
                            : event->stream == stream ? KILN_CU_UNKNOWN // it failed
                                                      : KILN_CU_NOT_READY;
    if (result == KILN_CU_NOT_READY) {
      pthread_mutex_unlock(&drv->host_lock);
      kiln_cuda_pause(looks++);
      pthread_mutex_lock(&drv->host_lock);
      continue;
    }
    if (result == KILN_CU_SUCCESS && event->read_from)
      memcpy(event->read_to, event->read_from, event->size);
    remove_read(drv, event);
  }
  pthread_mutex_unlock(&drv->host_lock);
}

// ---- registered host memory

static bool is_pinned(const struct kiln_cuda *cuda, const char *host) {
  int type = 0;
  return cuda->pointer_attribute &&
         cuda->pointer_attribute(&type, KILN_CU_POINTER_MEMORY_TYPE, (kiln_cu_pointer)(uintptr_t)host) ==
             KILN_CU_SUCCESS &&
         type == KILN_CU_MEMORY_HOST;
}

static bool overlaps(const struct kiln_cuda_pin *pin, const char *base, size_t size) {
  return pin->base < base + size + PAGE && base < pin->base + pin->size + PAGE;
}

// Registers the memory for the event. True: the device uses it as it is, also where the host has pinned it with CUDA
// itself; else the call that transfers it may return when that has been read or written. Where a part of it is
// registered for other transfers, none of these registrations ends before the event has.
static bool pin(struct kiln_drv *drv, struct kiln_drv_event *event, void *host, size_t size) {
  const struct kiln_cuda *cuda = &drv->cuda;
  char *base = host;
  event->marked = true;
  if (!cuda->host_register || !cuda->host_unregister)
    return false;
  pthread_mutex_lock(&drv->host_lock);
  struct kiln_cuda_pin *found = NULL;
  for (struct kiln_cuda_pin *at = drv->pins; at && !found; at = at->next) {
    event->holds_pins |= overlaps(at, base, size);
    if (base >= at->base && base + size <= at->base + at->size)
      found = at;
  }
  struct kiln_cuda_pin *made = found || event->holds_pins ? NULL : malloc(sizeof *made);
  kiln_cu_result result = made ? cuda->host_register(host, size, KILN_CU_HOST_PORTABLE) : KILN_CU_OUT_OF_MEMORY;
  if (result == KILN_CU_SUCCESS) {
    *made = (struct kiln_cuda_pin){.next = drv->pins, .base = base, .size = size};
    drv->pins = found = made;
  } else {
    free(made);
  }
  if (found) {
    event->holds_pins = false;
    event->pin = found;
    found->users++;
  }
  drv->pin_holders += event->holds_pins;
  pthread_mutex_unlock(&drv->host_lock);
  return found || (!event->holds_pins && is_pinned(cuda, base) && is_pinned(cuda, base + size - 1));
}

// The event has ended. frees: registrations that nothing uses any more may end.
static void unpin(struct kiln_drv *drv, struct kiln_drv_event *event, bool frees) {
  if (!event->pin && !event->holds_pins)
    return;
  pthread_mutex_lock(&drv->host_lock);
  if (event->pin)
    event->pin->users--;
  drv->pin_holders -= event->holds_pins;
  for (struct kiln_cuda_pin **at = &drv->pins, *pin; (pin = *at) && !drv->pin_holders;) {
    if (pin->users) {
      at = &pin->next;
      continue;
    }
    *at = pin->next;
    if (frees)
      drv->cuda.host_unregister(pin->base);
    free(pin);
  }
  pthread_mutex_unlock(&drv->host_lock);
  event->pin = NULL;
  event->holds_pins = false;
}

// ---- giving them to CUDA

static kiln_cu_result submit_write(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  bool direct =
      event->size > KILN_CUDA_SMALL && pin(stream->drv, event, (void *)(uintptr_t)event->write_from, event->size);
  await_reads(stream, event->write_from, event->size, direct);
  char *staged = event->size <= KILN_CUDA_SMALL ? take_part(stream, event, event->size) : NULL;
  if (!staged)
    return cuda->write(event->dst, event->write_from, event->size, stream->handle);
  memcpy(staged, event->write_from, event->size);
  return cuda->write(event->dst, staged, event->size, stream->handle);
}

static kiln_cu_result submit_read(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  if (event->size > KILN_CUDA_SMALL)
    pin(stream->drv, event, event->read_to, event->size);
  char *staged = event->size <= KILN_CUDA_SMALL ? take_part(stream, event, event->size) : NULL;
  kiln_cu_result result = cuda->read(staged ? staged : event->read_to, event->src, event->size, stream->handle);
  if (result == KILN_CU_SUCCESS) {
    add_read(stream->drv, event, staged);
    event->marked = true;
  }
  return result;
}

// Whether the pattern is one number of so many bytes again and again.
static bool repeats(const struct kiln_drv_event *event, size_t bytes) {
  return event->pattern_size % bytes == 0 && event->dst % bytes == 0 && event->size % bytes == 0 &&
         !memcmp(event->pattern, event->pattern + bytes, event->pattern_size - bytes);
}

// Writes a block of repeated patterns to the beginning, then doubles the filled part by copies within the buffer.
static kiln_cu_result fill_by_copies(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  char fallback[4096]; // CUDA has read what is not pinned when the call returns
  char *staged = take_part(stream, event, FIRST_BLOCK), *block = staged ? staged : fallback;
  size_t done = staged ? FIRST_BLOCK : sizeof fallback;
  done = event->size < done ? event->size : done;
  for (size_t at = 0; at < done; at += event->pattern_size)
    memcpy(block + at, event->pattern, event->pattern_size);
  kiln_cu_result result = cuda->write(event->dst, block, done, stream->handle);
  while (done < event->size && result == KILN_CU_SUCCESS) {
    size_t piece = event->size - done < done ? event->size - done : done;
    result = cuda->copy(event->dst + done, event->dst, piece, stream->handle);
    done += piece;
  }
  return result;
}

static kiln_cu_result submit_fill(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  uint16_t half;
  uint32_t word;
  if (repeats(event, 1))
    return cuda->fill8(event->dst, event->pattern[0], event->size, stream->handle);
  if (repeats(event, 2)) {
    memcpy(&half, event->pattern, sizeof half);
    return cuda->fill16(event->dst, half, event->size / sizeof half, stream->handle);
  }
  if (repeats(event, 4)) {
    memcpy(&word, event->pattern, sizeof word);
    return cuda->fill32(event->dst, word, event->size / sizeof word, stream->handle);
  }
  return fill_by_copies(stream, event);
}

kiln_cu_result kiln_cuda_submit_transfer(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_cuda *cuda = &stream->drv->cuda;
  if (event->command == KILN_CUDA_WRITE)
    return submit_write(stream, event);
  if (event->command == KILN_CUDA_READ)
    return submit_read(stream, event);
  if (event->command == KILN_CUDA_FILL)
    return submit_fill(stream, event);
  if (!event->dst_context)
    return cuda->copy(event->dst, event->src, event->size, stream->handle);
  return cuda->copy_peer(event->dst, event->dst_context, event->src, event->src_context, event->size, stream->handle);
}

void kiln_cuda_transfer_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  struct kiln_drv *drv = stream->drv;
  if (event->command == KILN_CUDA_READ) {
    pthread_mutex_lock(&drv->host_lock);
    if (event->is_listed) { // else a write has taken it out
      if (!event->status && event->read_from)
        memcpy(event->read_to, event->read_from, event->size);
      remove_read(drv, event);
    }
    pthread_mutex_unlock(&drv->host_lock);
  }
  if (event->lost) { // the device may still use it
    stream->ring = event->staged_end ? NULL : stream->ring;
    return;
  }
  if (event->staged_end)
    stream->ring_tail = event->staged_end;
  unpin(drv, event, kiln_cuda_frees(stream->device));
  event->staged_end = 0;
}

// ---- the commands

// A new transfer. NULL: no memory.
static struct kiln_drv_event *begin(struct kiln_drv_stream *stream, enum kiln_cuda_command command, size_t size,
                                    struct kiln_report *report) {
  struct kiln_drv_event *event = kiln_cuda_event_new(stream, command);
  if (event)
    event->size = size;
  else
    kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  return event;
}

enum kiln_status kiln_cuda_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report) {
  (void)drv;
  struct kiln_drv_event *write = begin(stream, KILN_CUDA_WRITE, size, report);
  if (!write)
    return KILN_ERR_MEMORY;
  write->dst = dst->address + offset;
  write->write_from = src;
  return kiln_cuda_enqueue(stream, write, event, report);
}

enum kiln_status kiln_cuda_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report) {
  (void)drv;
  struct kiln_drv_event *read = begin(stream, KILN_CUDA_READ, size, report);
  if (!read)
    return KILN_ERR_MEMORY;
  read->src = src->address + offset;
  read->read_to = dst;
  return kiln_cuda_enqueue(stream, read, event, report);
}

enum kiln_status kiln_cuda_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  struct kiln_drv_event *copy = begin(stream, KILN_CUDA_COPY, size, report);
  if (!copy)
    return KILN_ERR_MEMORY;
  copy->src = src->address + src_offset;
  copy->dst = dst->address + dst_offset;
  if (src->device != dst->device && drv->cuda.copy_peer) { // else one address space has to do
    copy->src_context = drv->devices[src->device].context;
    copy->dst_context = drv->devices[dst->device].context;
  }
  return kiln_cuda_enqueue(stream, copy, event, report);
}

enum kiln_status kiln_cuda_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report) {
  struct kiln_drv_event *fill = begin(stream, KILN_CUDA_FILL, size, report);
  if (!fill)
    return KILN_ERR_MEMORY;
  fill->pattern = malloc(pattern_size);
  if (!fill->pattern) {
    kiln_cuda_event_release(drv, fill);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a pattern");
  }
  memcpy(fill->pattern, pattern, pattern_size);
  fill->pattern_size = pattern_size;
  fill->dst = dst->address + offset;
  return kiln_cuda_enqueue(stream, fill, event, report);
}
