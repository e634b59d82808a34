// The device side: every slot of the driver, handed on to the interpreter. What is checked here is what Kiln promises.
#include "passthrough.h"

#include <string.h>

static const struct kiln_driver *inner(void) { return kiln_interpreter()->driver; }

// ---- life ----------------------------------------------------------------------------------------------------------

// Called on first use of a device, not when a context is opened. There may be several at the same time.
static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  if (strcmp(config->target.backend, NAME) != 0 || !config->print || !config->log)
    return kiln_fail(report, KILN_ERR_INTERNAL, "the driver of " NAME " was opened for something else");
  struct kiln_driver_config behind = *config;
  enum kiln_status status = kiln_interpreter()->detect_target(&behind.target, report);
  return status == KILN_OK ? inner()->open(&behind, out, report) : status;
}

static void close_driver(struct kiln_drv *drv) { inner()->close(drv); }

static uint32_t device_count(struct kiln_drv *drv) { return inner()->device_count(drv); }

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  inner()->device_info(drv, device, out);
  out->name = "Kiln interpreter, passed through";
}

// ---- programs ------------------------------------------------------------------------------------------------------

// The bytes come from compile or from a cache, perhaps of an earlier version: check them. A refusal makes Kiln compile
// once more.
static enum kiln_status load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                             struct kiln_report *report) {
  const char *data = code->data, *end = NULL;
  if (code->size > MAGIC_SIZE && memcmp(data, MAGIC, MAGIC_SIZE) == 0)
    end = memchr(data + MAGIC_SIZE, '\n', code->size - MAGIC_SIZE);
  if (!end)
    return kiln_fail(report, KILN_ERR_DEVICE, "this is no code of " NAME);
  struct kiln_code behind = *code;
  behind.data = end + 1;
  behind.size = code->size - (size_t)(end + 1 - data);
  behind.path = NULL; // the file begins with our header
  return inner()->load(drv, &behind, out, report);
}

static void unload(struct kiln_drv *drv, struct kiln_drv_module *module) { inner()->unload(drv, module); }

static enum kiln_status kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                               struct kiln_drv_kernel **out, struct kiln_report *report) {
  return inner()->kernel(drv, module, index, out, report);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static enum kiln_status alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                              struct kiln_drv_memory **out, struct kiln_report *report) {
  if (!size || device >= inner()->device_count(drv))
    return kiln_fail(report, KILN_ERR_INTERNAL, "memory of %zu bytes on device %u was asked for", size,
                     (unsigned)device);
  return inner()->alloc(drv, device, size, host, out, report);
}

static void free_memory(struct kiln_drv *drv, struct kiln_drv_memory *memory) { inner()->free(drv, memory); }

static void *host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  return inner()->host_pointer(drv, memory);
}

// ---- streams: what is enqueued on one runs in order, asynchronously -------------------------------------------------

static enum kiln_status stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                      struct kiln_report *report) {
  return inner()->stream_create(drv, device, out, report);
}

static void stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  inner()->stream_destroy(drv, stream);
}

static enum kiln_status finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  return inner()->finish(drv, stream, report);
}

static enum kiln_status write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                              size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                              struct kiln_report *report) {
  return inner()->write(drv, stream, dst, offset, src, size, event, report);
}

static enum kiln_status read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                             size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                             struct kiln_report *report) {
  return inner()->read(drv, stream, src, offset, dst, size, event, report);
}

static enum kiln_status copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                             size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                             struct kiln_drv_event **event, struct kiln_report *report) {
  return inner()->copy(drv, stream, src, src_offset, dst, dst_offset, size, event, report);
}

static enum kiln_status fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                             size_t offset, size_t size, const void *pattern, size_t pattern_size,
                             struct kiln_drv_event **event, struct kiln_report *report) {
  if (!pattern_size || pattern_size > 128 || size % pattern_size || offset % pattern_size)
    return kiln_fail(report, KILN_ERR_INTERNAL, "a fill of %zu bytes by %zu was asked for", size, pattern_size);
  return inner()->fill(drv, stream, dst, offset, size, pattern, pattern_size, event, report);
}

static enum kiln_status wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                             struct kiln_report *report) {
  return inner()->wait(drv, stream, event, report);
}

// ---- launches ------------------------------------------------------------------------------------------------------

static enum kiln_status prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                struct kiln_drv_launch **out, struct kiln_report *report) {
  if (desc->work_dim < 1 || desc->work_dim > 3)
    return kiln_fail(report, KILN_ERR_INTERNAL, "a launch has %u dimensions", (unsigned)desc->work_dim);
  for (int d = 0; d < 3; d++) {
    if (!desc->global[d] || (!desc->local[d] && !desc->local_free))
      return kiln_fail(report, KILN_ERR_INTERNAL, "a launch has size 0 in dimension %d", d);
  }
  for (uint32_t i = 0; i < desc->arg_count; i++) {
    const struct kiln_drv_arg *arg = &desc->args[i];
    if (arg->kind == KILN_ARG_VALUE && (!arg->data || !arg->size))
      return kiln_fail(report, KILN_ERR_INTERNAL, "argument %u has no value", (unsigned)i);
  }
  return inner()->prepare(drv, desc, out, report);
}

static void launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launched) {
  inner()->launch_release(drv, launched);
}

static enum kiln_status launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *prepared,
                               struct kiln_drv_event **event, struct kiln_report *report) {
  return inner()->launch(drv, stream, prepared, event, report);
}

// ---- events --------------------------------------------------------------------------------------------------------

static enum kiln_status event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report) {
  return inner()->event_wait(drv, event, report);
}

static bool event_done(struct kiln_drv *drv, struct kiln_drv_event *event) { return inner()->event_done(drv, event); }

static void event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out) {
  inner()->event_times(drv, event, out);
}

static void event_release(struct kiln_drv *drv, struct kiln_drv_event *event) { inner()->event_release(drv, event); }

const struct kiln_driver passthrough_driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof passthrough_driver,
    .open = open_driver,
    .close = close_driver,
    .device_count = device_count,
    .device_info = device_info,
    .alloc = alloc,
    .free = free_memory,
    .host_pointer = host_pointer,
    .load = load,
    .unload = unload,
    .kernel = kernel,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .finish = finish,
    .write = write,
    .read = read,
    .copy = copy,
    .fill = fill,
    .wait = wait,
    .prepare = prepare,
    .launch_release = launch_release,
    .launch = launch,
    .event_wait = event_wait,
    .event_done = event_done,
    .event_times = event_times,
    .event_release = event_release,
};
