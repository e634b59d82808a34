// Contexts, buffers and queues of a host that uses OpenCL itself, and what Kiln's own are.
#include <stdlib.h>

#include "backends/opencl/driver/driver.h"

enum { MAX_DEVICES = 64 };

enum kiln_status kiln_cl_take_context(struct kiln_drv *drv, cl_context context, struct kiln_report *report) {
  cl_device_id ids[MAX_DEVICES];
  size_t size = 0;
  cl_int code = drv->api.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof ids, ids, &size);
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "asking the cl_context for its devices");
  bool found = false;
  for (size_t i = 0; i < size / sizeof *ids; i++)
    found |= ids[i] == drv->devices[0].info.device;
  if (!found)
    return kiln_fail(report, KILN_ERR_INVALID, "the cl_context does not have the device '%s'",
                     drv->devices[0].info.name);
  code = drv->api.clRetainContext(context);
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "retaining the cl_context");
  drv->context = context;
  return KILN_OK;
}

void kiln_cl_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out) {
  const struct cl_device *info = &drv->devices[device].info;
  *out = (struct kiln_native_context){
      .runtime = KILN_RUNTIME_OPENCL, .platform = info->platform, .device = info->device, .context = drv->context};
}

// ---- buffers

enum kiln_status kiln_cl_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                     struct kiln_drv_memory **out, struct kiln_report *report) {
  const struct cl_api *api = &drv->api;
  cl_mem mem = native;
  cl_mem_object_type type = 0;
  cl_context context = NULL;
  cl_mem_flags flags = 0;
  size_t whole = 0;
  void *host = NULL;
  cl_int code = api->clGetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof(cl_context), &context, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof whole, &whole, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code == CL_SUCCESS && flags & CL_MEM_USE_HOST_PTR && drv->devices[device].host_memory)
    code = api->clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
  if (code == CL_INVALID_MEM_OBJECT)
    return kiln_fail(report, KILN_ERR_INVALID, "the handle is no cl_mem");
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "asking a cl_mem what it is");
  if (type != CL_MEM_OBJECT_BUFFER)
    return kiln_fail(report, KILN_ERR_INVALID, "the cl_mem is no buffer");
  if (context != drv->context)
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the cl_mem belongs to another cl_context (kiln_context_open_native takes that of the host)");
  if (*size > whole)
    return kiln_fail(report, KILN_ERR_INVALID, "the cl_mem has %zu bytes, not %zu", whole, *size);
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory || api->clRetainMemObject(mem) != CL_SUCCESS) {
    free(memory);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  }
  *size = *size ? *size : whole;
  *memory = (struct kiln_drv_memory){.mem = mem, .size = *size, .device = device, .host = host};
  *out = memory;
  return KILN_OK;
}

void *kiln_cl_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  return memory->mem;
}

// ---- queues

enum kiln_status kiln_cl_wrap_stream(struct kiln_drv *drv, uint32_t device, void *native, struct kiln_drv_stream **out,
                                     struct kiln_report *report) {
  const struct cl_api *api = &drv->api;
  cl_command_queue queue = native;
  cl_context context = NULL;
  cl_device_id of = NULL;
  cl_command_queue_properties properties = 0;
  cl_int code = api->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &of, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  if (code == CL_INVALID_COMMAND_QUEUE)
    return kiln_fail(report, KILN_ERR_INVALID, "the handle is no cl_command_queue");
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "asking a cl_command_queue what it is");
  if (context != drv->context || of != drv->devices[device].info.device)
    return kiln_fail(report, KILN_ERR_INVALID, "the cl_command_queue belongs to another %s",
                     context != drv->context ? "cl_context" : "device");
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "the cl_command_queue runs out of order, and a stream runs in order");
  code = api->clRetainCommandQueue(queue);
  if (code != CL_SUCCESS)
    return kiln_cl_report(report, code, "retaining the cl_command_queue");
  return kiln_cl_stream_on(drv, device, queue, out, report);
}

void *kiln_cl_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  return stream->queue;
}
