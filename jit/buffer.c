// Buffers and windows into them.
#include <stdlib.h>

#include "jit/stream.h"

#define SUB_BUFFER_ALIGN 128

void kiln_buffer_ref(struct kiln_buffer *buffer) { atomic_fetch_add(&buffer->refs, 1); }

static void count_memory(struct kiln_context *ctx, size_t size) {
  atomic_fetch_add(&ctx->buffers, 1);
  uint64_t now = atomic_fetch_add(&ctx->buffer_bytes, size) + size, peak = atomic_load(&ctx->peak_buffer_bytes);
  while (peak < now && !atomic_compare_exchange_weak(&ctx->peak_buffer_bytes, &peak, now)) {
  }
}

enum kiln_status kiln_buffer_create(struct kiln_context *ctx, const struct kiln_buffer_desc *desc,
                                    struct kiln_buffer **out) {
  if (!ctx || !desc || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_create: %s is NULL", !ctx ? "ctx" : !desc ? "desc" : "out");
  if (desc->size == 0)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_create: the size is 0; a buffer has at least 1 byte");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, desc->device, &drv);
  if (status != KILN_OK)
    return status;
  const struct kiln_device_info *device = &ctx->devices[desc->device];
  if (device->memory_bytes && desc->size > device->memory_bytes && !(desc->host && device->host_memory))
    return kiln_error(KILN_ERR_MEMORY, "kiln_buffer_create: %zu bytes are more than the %llu bytes of device %u ('%s')",
                      desc->size, (unsigned long long)device->memory_bytes, (unsigned)desc->device, device->name);
  if (!desc->host)
    kiln_retire_drain(ctx, desc->size, device->memory_bytes, false);
  struct kiln_drv_memory *memory = NULL;
  struct kiln_report report = kiln_context_report(ctx);
  const struct kiln_driver *driver = ctx->backend->driver;
  status = driver->alloc(drv, desc->device, desc->size, desc->host, &memory, &report);
  if (status == KILN_ERR_MEMORY && !desc->host && kiln_retire_drain(ctx, desc->size, 0, true)) {
    kiln_report_free(&report);
    report = kiln_context_report(ctx);
    status = driver->alloc(drv, desc->device, desc->size, desc->host, &memory, &report);
  }
  status = kiln_report_finish(&report, status, ctx->backend->name, "kiln_buffer_create");
  if (status == KILN_OK)
    status = kiln_buffer_new(ctx, desc->device, desc->size, memory, out);
  if (status == KILN_OK)
    (*out)->is_wrapped = desc->host && device->host_memory;
  return status;
}

enum kiln_status kiln_buffer_new(struct kiln_context *ctx, uint32_t device, size_t size, struct kiln_drv_memory *memory,
                                 struct kiln_buffer **out) {
  struct kiln_drv *drv = atomic_load(&ctx->drv);
  struct kiln_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer) {
    ctx->backend->driver->free(drv, memory);
    return kiln_error_memory();
  }
  buffer->refs = 1;
  buffer->ctx = ctx;
  buffer->root = buffer;
  buffer->size = size;
  buffer->device = device;
  buffer->memory = memory;
  buffer->host = ctx->backend->driver->host_pointer(drv, memory);
  count_memory(ctx, size);
  kiln_context_ref(ctx);
  *out = buffer;
  return KILN_OK;
}

enum kiln_status kiln_buffer_sub(struct kiln_buffer *parent, size_t offset, size_t size, struct kiln_buffer **out) {
  if (!parent || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_sub: %s is NULL", parent ? "out" : "parent");
  if (size == 0)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_sub: the size is 0; a buffer has at least 1 byte");
  if (offset % SUB_BUFFER_ALIGN)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_ALIGN, 0,
                              "kiln_buffer_sub: offset %zu is no multiple of %d", offset, SUB_BUFFER_ALIGN);
  if (offset > parent->size || size > parent->size - offset)
    return kiln_error_because(KILN_ERR_INVALID, KILN_REASON_RANGE, 0,
                              "kiln_buffer_sub: %zu bytes at offset %zu do not fit into %zu bytes", size, offset,
                              parent->size);
  struct kiln_buffer *buffer = calloc(1, sizeof *buffer);
  if (!buffer)
    return kiln_error_memory();
  buffer->refs = 1;
  buffer->ctx = parent->ctx;
  buffer->root = parent->root;
  buffer->offset = parent->offset + offset;
  buffer->size = size;
  buffer->device = parent->device;
  kiln_buffer_ref(buffer->root);
  kiln_context_ref(buffer->ctx);
  *out = buffer;
  return KILN_OK;
}

static void free_root(struct kiln_context *ctx, void *object) {
  struct kiln_buffer *buffer = object;
  ctx->backend->driver->free(atomic_load(&ctx->drv), buffer->memory);
  atomic_fetch_sub(&ctx->buffers, 1);
  atomic_fetch_sub(&ctx->buffer_bytes, buffer->size);
}

static void end_root(void *object) {
  struct kiln_buffer *buffer = object;
  if (buffer->released)
    buffer->released(buffer->released_user);
  free(buffer);
}

enum kiln_status kiln_buffer_on_release(struct kiln_buffer *buffer, void (*fn)(void *user), void *user) {
  if (!buffer || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_on_release: %s is NULL", buffer ? "fn" : "buffer");
  if (buffer->root != buffer)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_on_release: the buffer is a window; ask for the one it is of");
  if (buffer->released)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_on_release: it was called for this buffer before");
  buffer->released = fn;
  buffer->released_user = user;
  return KILN_OK;
}

void kiln_buffer_retain(struct kiln_buffer *buffer) {
  if (buffer)
    kiln_buffer_ref(buffer);
}

void kiln_buffer_release(struct kiln_buffer *buffer) {
  if (!buffer || atomic_fetch_sub(&buffer->refs, 1) != 1)
    return;
  struct kiln_context *ctx = buffer->ctx;
  static const struct kiln_retire_kind roots = {free_root, end_root};
  if (buffer->root == buffer) {
    kiln_retire(ctx, &buffer->uses, buffer->is_wrapped ? 0 : buffer->size, &roots, buffer);
  } else {
    kiln_buffer_release(buffer->root);
    free(buffer);
  }
  kiln_context_unref(ctx);
}

size_t kiln_buffer_size(const struct kiln_buffer *buffer) { return buffer ? buffer->size : 0; }

uint32_t kiln_buffer_align(const struct kiln_buffer *buffer) {
  uintptr_t at = buffer ? (uintptr_t)buffer->root->host + buffer->offset : 0;
  uintptr_t align = at & -at; // its lowest bit; 0: of no memory that the host sees
  return align && align < SUB_BUFFER_ALIGN ? (uint32_t)align : SUB_BUFFER_ALIGN;
}

void *kiln_buffer_host(struct kiln_buffer *buffer) {
  return buffer && buffer->root->host ? buffer->root->host + buffer->offset : NULL;
}
