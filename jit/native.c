// Handles of other runtimes: contexts, buffers and streams of a host that uses OpenCL or HSA (HIP) itself.
#include "jit/native.h"

#include <string.h>

#include "jit/stream.h"
#include "jit/target.h"

static const char *runtime_name(enum kiln_runtime runtime) {
  switch (runtime) {
  case KILN_RUNTIME_HOST:
    return "the host";
  case KILN_RUNTIME_HSA:
    return "HSA";
  case KILN_RUNTIME_OPENCL:
    return "OpenCL";
  case KILN_RUNTIME_CUDA:
    return "CUDA";
  }
  return "an unknown runtime";
}

// Of a backend whose device is the process itself, pointers are the handles.
static bool shares_memory(const struct kiln_context *ctx, uint32_t device) { return ctx->devices[device].host_memory; }

static enum kiln_status unsupported(const struct kiln_context *ctx, const char *call, const char *what) {
  return kiln_error(KILN_ERR_UNSUPPORTED, "%s: backend '%s' has no %s of another runtime", call, ctx->backend->name,
                    what);
}

// ---- contexts ------------------------------------------------------------------------------------------------------

static bool takes(const struct kiln_base_backend *backend, enum kiln_runtime runtime) {
  const struct kiln_driver *driver = backend ? backend->driver : NULL;
  return driver && driver->native_target && driver->open_native && driver->runtime == runtime;
}

enum kiln_status kiln_native_target(struct kiln_context *ctx, const struct kiln_context_desc *desc,
                                    const struct kiln_native_context *native, struct kiln_report *report) {
  if (native->runtime == KILN_RUNTIME_HOST)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_open_native: handles of the host are pointers: use "
                                        "kiln_context_open");
  if (desc->arch && *desc->arch)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_open_native: desc->arch is '%s', but the handles say the device",
                      desc->arch);
  const struct kiln_base_backend *backend = NULL;
  enum kiln_status status = KILN_OK;
  if (desc->backend && *desc->backend)
    status = kiln_registry_find(&ctx->registry, desc->backend, &backend);
  for (uint32_t i = 0; status == KILN_OK && !backend && i < ctx->registry.count; i++)
    backend = takes(ctx->registry.entries[i].backend, native->runtime) ? ctx->registry.entries[i].backend : NULL;
  if (status != KILN_OK)
    return status;
  if (!backend)
    return kiln_error(KILN_ERR_UNSUPPORTED, "kiln_context_open_native: no backend here takes handles of %s",
                      runtime_name(native->runtime));
  if (!takes(backend, native->runtime))
    return kiln_error(KILN_ERR_UNSUPPORTED, "kiln_context_open_native: backend '%s' takes no handles of %s",
                      backend->name, runtime_name(native->runtime));
  status = kiln_report_finish(report, backend->driver->native_target(native, &ctx->target, report), backend->name,
                              "kiln_context_open_native");
  if (status == KILN_OK)
    status = kiln_target_check(backend, &ctx->target);
  ctx->backend = backend;
  return status;
}

enum kiln_status kiln_context_native(struct kiln_context *ctx, uint32_t device, struct kiln_native_context *out) {
  if (!ctx || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_context_native: %s is NULL", ctx ? "out" : "ctx");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status != KILN_OK)
    return status;
  struct kiln_native_context native = {.runtime = KILN_RUNTIME_HOST};
  if (ctx->backend->driver->device_native)
    ctx->backend->driver->device_native(drv, device, &native);
  else if (!shares_memory(ctx, device))
    return unsupported(ctx, "kiln_context_native", "handles");
  *out = native;
  return KILN_OK;
}

// ---- buffers -------------------------------------------------------------------------------------------------------

enum kiln_status kiln_buffer_wrap_native(struct kiln_context *ctx, uint32_t device, void *memory, size_t size,
                                         struct kiln_buffer **out) {
  if (!ctx || !memory || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_wrap_native: %s is NULL",
                      !ctx      ? "ctx"
                      : !memory ? "memory"
                                : "out");
  struct kiln_drv *drv;
  enum kiln_status status = kiln_context_device(ctx, device, &drv);
  if (status != KILN_OK)
    return status;
  if (!ctx->backend->driver->wrap_memory) {
    if (!shares_memory(ctx, device))
      return unsupported(ctx, "kiln_buffer_wrap_native", "memory");
    return kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = size, .host = memory, .device = device}, out);
  }
  struct kiln_report report = kiln_context_report(ctx);
  struct kiln_drv_memory *wrapped = NULL;
  status = ctx->backend->driver->wrap_memory(drv, device, memory, &size, &wrapped, &report);
  status = kiln_report_finish(&report, status, ctx->backend->name, "kiln_buffer_wrap_native");
  if (status == KILN_OK)
    status = kiln_buffer_new(ctx, device, size, wrapped, out);
  if (status == KILN_OK)
    (*out)->is_wrapped = true;
  return status;
}

enum kiln_status kiln_buffer_native(struct kiln_buffer *buffer, void **memory, size_t *offset) {
  if (!buffer || !memory || !offset)
    return kiln_error(KILN_ERR_INVALID, "kiln_buffer_native: %s is NULL",
                      !buffer   ? "buffer"
                      : !memory ? "memory"
                                : "offset");
  struct kiln_context *ctx = buffer->ctx;
  const struct kiln_driver *driver = ctx->backend->driver;
  void *native = driver->memory_native ? driver->memory_native(atomic_load(&ctx->drv), buffer->root->memory)
                                       : (void *)buffer->root->host;
  if (!native)
    return unsupported(ctx, "kiln_buffer_native", "memory");
  *memory = native;
  *offset = buffer->offset;
  return KILN_OK;
}

// ---- streams -------------------------------------------------------------------------------------------------------

enum kiln_status kiln_stream_wrap_native(struct kiln_context *ctx, uint32_t device, void *queue,
                                         struct kiln_stream **out) {
  if (!ctx || !queue || !out)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_wrap_native: %s is NULL", !ctx ? "ctx" : !queue ? "queue" : "out");
  if (!ctx->backend->driver || !ctx->backend->driver->wrap_stream)
    return unsupported(ctx, "kiln_stream_wrap_native", "queues that it could enqueue on");
  return kiln_stream_new(ctx, device, queue, out);
}

enum kiln_status kiln_stream_native(struct kiln_stream *stream, void **queue) {
  if (!stream || !queue)
    return kiln_error(KILN_ERR_INVALID, "kiln_stream_native: %s is NULL", stream ? "queue" : "stream");
  enum kiln_status status = kiln_stream_check_runs("kiln_stream_native", stream);
  if (status != KILN_OK)
    return status;
  struct kiln_context *ctx = stream->ctx;
  if (!ctx->backend->driver->stream_native)
    return unsupported(ctx, "kiln_stream_native", "queues");
  void *native = ctx->backend->driver->stream_native(atomic_load(&ctx->drv), stream->drv_stream);
  if (!native)
    return kiln_error(KILN_ERR_DEVICE, "kiln_stream_native: the stream has no queue after a failure of its device");
  *queue = native;
  return KILN_OK;
}
