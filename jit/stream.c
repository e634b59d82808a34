// Streams: commands are enqueued one at a time, counted, and handed to the driver.
#include "jit/stream.h"

#include <stdlib.h>
#include <string.h>

#include "jit/graph.h"
#include "jit/trace.h"

// ---- life ----------------------------------------------------------------------------------------------------------

void kiln_stream_ref(struct kiln_stream *stream) { atomic_fetch_add(&stream->refs, 1); }

bool kiln_stream_try_ref(struct kiln_stream *stream) {
  uint32_t refs = atomic_load(&stream->refs);
  while (refs && !atomic_compare_exchange_weak(&stream->refs, &refs, refs + 1)) {
  }
  return refs != 0;
}

void kiln_stream_unref(struct kiln_stream *stream) {
  if (atomic_fetch_sub(&stream->refs, 1) != 1)
    return;
  if (stream->graph) {
    kiln_graph_free(stream->graph);
    return;
  }
  struct kiln_context *ctx = stream->ctx;
  if (kiln_stream_is_lost(stream)) {
    kiln_trace_harvest(ctx, stream->slot); // all of it has failed
    kiln_slot_lose(ctx, stream->slot);
  } else {
    ctx->backend->driver->stream_destroy(atomic_load(&ctx->drv), stream->drv_stream); // waits
    kiln_trace_harvest(ctx, stream->slot);
    kiln_slot_give(ctx, stream->slot);
  }
  pthread_mutex_destroy(&stream->lock);
  free(stream->failure);
  free(stream);
  kiln_context_unref(ctx);
}

enum kiln_status kiln_stream_create(struct kiln_context *ctx, uint32_t device, struct kiln_stream **out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_create: %s is NULL", ctx ? "out" : "ctx");
  return kiln_stream_new(ctx, device, NULL, out);
}

enum kiln_status kiln_stream_new(struct kiln_context *ctx, uint32_t device, void *queue, struct kiln_stream **out) {
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status != KILN_OK)
    return status;
  struct kiln_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return kiln_error_memory();
  stream->refs = 1;
  stream->ctx = ctx;
  stream->device = device;
  stream->slot = kiln_slot_take(ctx, stream);
  if (stream->slot < 0) {
    free(stream);
    return kiln_error(KILN_ERR_MEMORY, "a context can have %d streams at the same time", KILN_STREAM_SLOTS);
  }
  struct kiln_report report = kiln_context_report(ctx);
  status = queue ? ctx->backend->driver->wrap_stream(drv, device, queue, &stream->drv_stream, &report)
                 : ctx->backend->driver->stream_create(drv, device, &stream->drv_stream, &report);
  status = kiln_report_finish(&report, status, ctx->backend->name, queue ? "kiln_stream_wrap_native" : NULL);
  if (status != KILN_OK) {
    kiln_slot_give(ctx, stream->slot);
    free(stream);
    return status;
  }
  pthread_mutex_init(&stream->lock, NULL);
  kiln_context_ref(ctx);
  uint64_t deadline = atomic_load(&ctx->deadline);
  status = deadline ? kiln_stream_set_deadline(stream, deadline) : KILN_OK;
  if (status != KILN_OK) {
    kiln_stream_unref(stream);
    return status;
  }
  *out = stream;
  return KILN_OK;
}

void kiln_stream_retain(struct kiln_stream *stream) {
  if (stream)
    kiln_stream_ref(stream);
}

void kiln_stream_release(struct kiln_stream *stream) {
  if (!stream)
    return;
  if (!stream->graph)
    kiln_stream_drain(stream); // even if a prepared launch keeps the stream
  kiln_stream_unref(stream);
}

// ---- waiting -------------------------------------------------------------------------------------------------------

// Returns with the driver's message in the report.
static enum kiln_status finish(struct kiln_stream *stream, struct kiln_report *report) {
  struct kiln_context *ctx = stream->ctx;
  uint64_t count = atomic_load(&ctx->retire.slots[stream->slot].enqueued), start = kiln_trace_begin(ctx);
  enum kiln_status status = ctx->backend->driver->finish(atomic_load(&ctx->drv), stream->drv_stream, report);
  if (!kiln_stream_is_lost(stream))
    kiln_slot_completed(ctx, stream->slot, count);
  if (start)
    kiln_trace_wait(ctx, stream->slot, "kiln_stream_finish", start);
  return status;
}

void kiln_stream_drain(struct kiln_stream *stream) {
  struct kiln_report report = kiln_context_report(stream->ctx);
  enum kiln_status status = finish(stream, &report);
  if (status != KILN_OK) {
    pthread_mutex_lock(&stream->lock);
    if (stream->failed == KILN_OK) {
      stream->failed = status;
      stream->failure = strdup(kiln_report_text(&report));
    }
    pthread_mutex_unlock(&stream->lock);
  }
  kiln_report_free(&report);
}

enum kiln_status kiln_stream_finish(struct kiln_stream *stream) {
  if (!stream)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_finish: stream is NULL");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_finish", stream);
  if (status != KILN_OK)
    return status;
  struct kiln_report report = kiln_context_report(stream->ctx);
  status = finish(stream, &report);
  pthread_mutex_lock(&stream->lock);
  enum kiln_status earlier = stream->failed;
  char *failure = stream->failure;
  stream->failed = KILN_OK;
  stream->failure = NULL;
  pthread_mutex_unlock(&stream->lock);
  if (earlier != KILN_OK) {
    kiln_report_free(&report);
    kiln_fail(&report, earlier, "%s", failure ? failure : "");
    status = earlier;
  }
  free(failure);
  return kiln_report_finish(&report, status, stream->ctx->backend->name, NULL);
}

// ---- commands ------------------------------------------------------------------------------------------------------

enum kiln_status kiln_submit_begin(struct kiln_submit *submit, struct kiln_stream *stream,
                                   const struct kiln_command *command, bool want_event) {
  submit->stream = stream;
  submit->command = command;
  submit->event = NULL;
  submit->drv_event = NULL;
  submit->report = kiln_context_report(stream->ctx);
  if (stream->graph) {
    enum kiln_status status = kiln_graph_begin(stream->graph, want_event);
    if (status != KILN_OK)
      return status;
  } else if (want_event || (command && kiln_traces(stream->ctx) && command->kind != KILN_COMMAND_MARK)) {
    submit->started = kiln_trace_begin(stream->ctx);
    submit->event = calloc(1, sizeof *submit->event);
    if (!submit->event)
      return kiln_error_memory();
  }
  pthread_mutex_lock(&stream->lock);
  return KILN_OK;
}

static enum kiln_status call_driver(const struct kiln_stream *stream, const struct kiln_command *c,
                                    struct kiln_drv_event **event, struct kiln_report *report) {
  const struct kiln_driver *driver = stream->ctx->backend->driver;
  struct kiln_drv *drv = atomic_load_explicit(&stream->ctx->drv, memory_order_relaxed);
  struct kiln_drv_stream *to = stream->drv_stream;
  switch (c->operation) {
  case KILN_DO_LAUNCH:
    return driver->launch(drv, to, c->launch.launch, event, report);
  case KILN_DO_WRITE:
    return driver->write(drv, to, c->copy.dst, c->copy.dst_offset, c->copy.host_src, c->copy.size, event, report);
  case KILN_DO_READ:
    return driver->read(drv, to, c->copy.src, c->copy.src_offset, c->copy.host_dst, c->copy.size, event, report);
  case KILN_DO_COPY:
    return driver->copy(drv, to, c->copy.src, c->copy.src_offset, c->copy.dst, c->copy.dst_offset, c->copy.size, event,
                        report);
  case KILN_DO_COPY_RECT:
    return driver->copy_rect(drv, to, c->rect, event, report);
  case KILN_DO_FILL:
    return driver->fill(drv, to, c->fill.memory, c->fill.offset, c->fill.size, c->fill.pattern, c->fill.pattern_size,
                        event, report);
  case KILN_DO_IMAGE_COPY:
    return driver->image_copy(drv, to, c->image.copy, event, report);
  case KILN_DO_IMAGE_FILL:
    return driver->image_fill(drv, to, c->image.copy->dst.image, c->image.copy->dst.origin, c->image.copy->region,
                              c->image.pixel, event, report);
  case KILN_DO_HOST:
    return driver->stream_host(drv, to, c->host.fn, c->host.user, event, report);
  case KILN_DO_WAIT:
    return driver->wait(drv, to, c->wait, report);
  }
  return KILN_ERR_INTERNAL;
}

enum kiln_status kiln_issue(struct kiln_submit *submit, const struct kiln_command *command,
                            struct kiln_drv_event **event) {
  struct kiln_stream *stream = submit->stream;
  return stream->graph ? kiln_graph_record(stream->graph, command, &submit->report)
                       : call_driver(stream, command, event, &submit->report);
}

static inline void add(_Atomic uint64_t *counter, uint64_t more) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

void kiln_stream_count(struct kiln_stream *stream, enum kiln_command_kind kind, uint64_t count, uint64_t bytes) {
  add(&stream->commands.count[kind], count);
  add(&stream->commands.bytes[kind], bytes);
}

// The command has been enqueued: its event becomes the caller's, and a trace hears of it.
static void give_event(struct kiln_submit *submit, uint64_t count, struct kiln_event **event) {
  struct kiln_context *ctx = submit->stream->ctx;
  *submit->event = (struct kiln_event){1, ctx, submit->drv_event, NULL, submit->stream->slot, count};
  kiln_context_ref(ctx);
  if (submit->started && submit->command && submit->command->kind != KILN_COMMAND_MARK)
    kiln_trace_command(submit, count);
  if (event)
    *event = submit->event;
  else
    kiln_event_release(submit->event);
}

// The command's number in its stream. What was enqueued uses its buffers, also where more failed.
static uint64_t count_command(const struct kiln_submit *submit, enum kiln_status status, bool some) {
  struct kiln_stream *stream = submit->stream;
  const struct kiln_command *command = submit->command;
  if (status != KILN_OK && !some)
    return 0;
  if (status == KILN_OK && command)
    kiln_stream_count(stream, command->kind, 1, command->bytes);
  return atomic_fetch_add_explicit(&stream->ctx->retire.slots[stream->slot].enqueued, 1, memory_order_release) + 1;
}

enum kiln_status kiln_submit_end(struct kiln_submit *submit, enum kiln_status status, bool some, const char *call,
                                 struct kiln_event **event) {
  struct kiln_stream *stream = submit->stream;
  uint64_t count = stream->graph ? 0 : count_command(submit, status, some);
  pthread_mutex_unlock(&stream->lock);
  if (status != KILN_OK) {
    free(submit->event);
    return kiln_report_finish(&submit->report, status, stream->ctx->backend->name, call);
  }
  kiln_report_free(&submit->report);
  if (submit->event)
    give_event(submit, count, event);
  return KILN_OK;
}

enum kiln_status kiln_enqueue(struct kiln_stream *stream, const struct kiln_command *command, const char *call,
                              struct kiln_event **event) {
  struct kiln_submit submit;
  enum kiln_status status = kiln_submit_begin(&submit, stream, command, event);
  if (status != KILN_OK)
    return status;
  return kiln_submit_end(&submit, kiln_issue(&submit, command, kiln_submit_event(&submit)), false, call, event);
}

enum kiln_status kiln_stream_check_runs(const char *call, const struct kiln_stream *stream) {
  return stream->graph ? kiln_error(KILN_ERR_INVALID, "%s: the stream is a graph's, which records commands", call)
                       : KILN_OK;
}

#define MARKER_SIZE 4 // bytes of it that are a stream's own

// Memory on the device that empty commands write to.
static enum kiln_status marker(struct kiln_stream *stream, struct kiln_drv_memory **out) {
  struct kiln_context *ctx = stream->ctx;
  enum kiln_status status = KILN_OK;
  struct kiln_report report = kiln_context_report(ctx);
  pthread_mutex_lock(&ctx->driver_lock);
  struct kiln_drv_memory **memory = &ctx->markers[stream->device];
  if (!*memory)
    status = ctx->backend->driver->alloc(atomic_load(&ctx->drv), stream->device, MARKER_SIZE * KILN_STREAM_SLOTS, NULL,
                                         memory, &report);
  *out = *memory;
  pthread_mutex_unlock(&ctx->driver_lock);
  return kiln_report_finish(&report, status, ctx->backend->name, NULL);
}

enum kiln_status kiln_submit_nothing(struct kiln_stream *stream, struct kiln_event **event) {
  if (stream->graph)
    return kiln_graph_begin(stream->graph, event);
  if (!event)
    return KILN_OK;
  static const uint8_t zero = 0;
  struct kiln_command command = {.operation = KILN_DO_FILL, .kind = KILN_COMMAND_MARK};
  command.fill.offset = MARKER_SIZE * (size_t)stream->slot;
  command.fill.size = command.fill.pattern_size = 1;
  command.fill.pattern = &zero;
  enum kiln_status status = marker(stream, &command.fill.memory);
  return status == KILN_OK ? kiln_enqueue(stream, &command, NULL, event) : status;
}

enum kiln_status kiln_stream_check_range(const char *call, const char *role, struct kiln_stream *stream,
                                         struct kiln_buffer *buffer, size_t offset, size_t size, bool any_device) {
  if (!buffer)
    return kiln_error(KILN_ERR_INVALID, "%s: %s is NULL", call, role);
  if (buffer->ctx != stream->ctx)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PLACE, 0,
                              "%s: %s belongs to another context than the stream", call, role);
  if (buffer->device != stream->device && !any_device)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PLACE, 0,
                              "%s: %s is on device %u and the stream on device %u", call, role,
                              (unsigned)buffer->device, (unsigned)stream->device);
  if (offset > buffer->size || size > buffer->size - offset)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
                              "%s: %zu bytes at offset %zu do not fit into %s, which has %zu bytes", call, size, offset,
                              role, buffer->size);
  kiln_stream_mark(stream, &buffer->root->uses);
  return KILN_OK;
}

// Enqueues a command on a range of one buffer of the stream's device, if the range is not empty.
static enum kiln_status enqueue_on(struct kiln_stream *stream, const struct kiln_command *command, const char *call,
                                   const char *role, struct kiln_buffer *buffer, size_t offset,
                                   struct kiln_event **event) {
  enum kiln_status status = kiln_stream_check_range(call, role, stream, buffer, offset, command->bytes, false);
  if (status != KILN_OK)
    return status;
  return command->bytes ? kiln_enqueue(stream, command, call, event) : kiln_submit_nothing(stream, event);
}

static struct kiln_drv_memory *memory_of(const struct kiln_buffer *buffer) {
  return buffer ? buffer->root->memory : NULL;
}

static size_t place_in(const struct kiln_buffer *buffer, size_t offset) {
  return buffer ? buffer->offset + offset : offset;
}

enum kiln_status kiln_write(struct kiln_stream *stream, struct kiln_buffer *dst, size_t offset, const void *src,
                            size_t size, struct kiln_event **event) {
  if (!stream || (!src && size))
    return kiln_error(KILN_ERR_INVALID, "kiln_write: %s is NULL", stream ? "src" : "stream");
  struct kiln_command command = {KILN_DO_WRITE, KILN_COMMAND_WRITE, size, {dst}, .copy.dst = memory_of(dst)};
  command.copy.host_src = src;
  command.copy.dst_offset = place_in(dst, offset);
  command.copy.size = size;
  return enqueue_on(stream, &command, "kiln_write", "dst", dst, offset, event);
}

enum kiln_status kiln_read(struct kiln_stream *stream, struct kiln_buffer *src, size_t offset, void *dst, size_t size,
                           struct kiln_event **event) {
  if (!stream || (!dst && size))
    return kiln_error(KILN_ERR_INVALID, "kiln_read: %s is NULL", stream ? "dst" : "stream");
  struct kiln_command command = {KILN_DO_READ, KILN_COMMAND_READ, size, {src}, .copy.src = memory_of(src)};
  command.copy.host_dst = dst;
  command.copy.src_offset = place_in(src, offset);
  command.copy.size = size;
  return enqueue_on(stream, &command, "kiln_read", "src", src, offset, event);
}

enum kiln_status kiln_copy(struct kiln_stream *stream, struct kiln_buffer *src, size_t src_offset,
                           struct kiln_buffer *dst, size_t dst_offset, size_t size, struct kiln_event **event) {
  if (!stream)
    return kiln_error(KILN_ERR_INVALID, "kiln_copy: stream is NULL");
  // Where the driver can, one of them may be on another device than the stream.
  bool between = stream->ctx->backend->driver->copies_between_devices;
  bool src_away = between && dst && dst->device == stream->device;
  bool dst_away = between && src && src->device == stream->device;
  enum kiln_status status = kiln_stream_check_range("kiln_copy", "src", stream, src, src_offset, size, src_away);
  if (status == KILN_OK)
    status = kiln_stream_check_range("kiln_copy", "dst", stream, dst, dst_offset, size, dst_away);
  if (status != KILN_OK)
    return status;
  if (size == 0)
    return kiln_submit_nothing(stream, event);
  size_t from = src->offset + src_offset, to = dst->offset + dst_offset;
  if (src->root == dst->root && from < to + size && to < from + size)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_OVERLAP, 0,
                              "kiln_copy: source and destination overlap in the same buffer");
  struct kiln_command command = {KILN_DO_COPY, KILN_COMMAND_COPY, size, {src, dst}, .copy.src = src->root->memory};
  command.copy.dst = dst->root->memory;
  command.copy.src_offset = from;
  command.copy.dst_offset = to;
  command.copy.size = size;
  return kiln_enqueue(stream, &command, "kiln_copy", event);
}

enum kiln_status kiln_fill(struct kiln_stream *stream, struct kiln_buffer *dst, size_t offset, size_t size,
                           const void *pattern, size_t pattern_size, struct kiln_event **event) {
  if (!stream || !pattern)
    return kiln_error(KILN_ERR_INVALID, "kiln_fill: %s is NULL", stream ? "pattern" : "stream");
  if (pattern_size == 0 || pattern_size > 128 || (pattern_size & (pattern_size - 1)))
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PATTERN, 0,
                              "kiln_fill: a pattern of %zu bytes; 1, 2, 4, 8, 16, 32, 64 or 128 are possible",
                              pattern_size);
  if (offset % pattern_size || size % pattern_size)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_PATTERN, 0,
                              "kiln_fill: offset %zu and size %zu must be multiples of the pattern's %zu bytes", offset,
                              size, pattern_size);
  struct kiln_command command = {KILN_DO_FILL, KILN_COMMAND_FILL, size, {dst}, .fill.memory = memory_of(dst)};
  command.fill.offset = place_in(dst, offset);
  command.fill.size = size;
  command.fill.pattern = pattern;
  command.fill.pattern_size = pattern_size;
  return enqueue_on(stream, &command, "kiln_fill", "dst", dst, offset, event);
}

enum kiln_status kiln_stream_host(struct kiln_stream *stream, void (*fn)(void *user), void *user,
                                  struct kiln_event **event) {
  if (!stream || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_host: %s is NULL", stream ? "fn" : "stream");
  const struct kiln_context *ctx = stream->ctx;
  if (!ctx->backend->driver->stream_host && stream->graph)
    return kiln_error(KILN_ERR_UNSUPPORTED, "kiln_stream_host: graphs of backend '%s' cannot call the host",
                      ctx->backend->name);
  if (!ctx->backend->driver->stream_host) {
    kiln_stream_drain(stream);
    fn(user);
    return kiln_submit_nothing(stream, event);
  }
  struct kiln_command command = {KILN_DO_HOST, KILN_COMMAND_MARK, .host.fn = fn};
  command.host.user = user;
  return kiln_enqueue(stream, &command, "kiln_stream_host", event);
}

enum kiln_status kiln_stream_record(struct kiln_stream *stream, struct kiln_event **event) {
  if (!stream || !event)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_record: %s is NULL", stream ? "event" : "stream");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_record", stream);
  return status == KILN_OK ? kiln_submit_nothing(stream, event) : status;
}

enum kiln_status kiln_stream_wait(struct kiln_stream *stream, struct kiln_event *event) {
  if (!stream || !event)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_wait: %s is NULL", stream ? "event" : "stream");
  if (event->ctx != stream->ctx)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_wait: the event belongs to another context than the stream");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_wait", stream);
  if (status != KILN_OK)
    return status;
  struct kiln_command command = {KILN_DO_WAIT, KILN_COMMAND_MARK, .wait = event->drv_event};
  return kiln_enqueue(stream, &command, "kiln_stream_wait", NULL);
}
