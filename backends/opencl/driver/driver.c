// Opening devices, memory, loading programs.
#include "backends/opencl/driver/driver.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_ALIGN = 4096 };

// ---- open and close

static void describe(struct kiln_drv *drv, struct cl_open_device *d) {
  const struct cl_api *api = &drv->api;
  cl_ulong memory = 0, local = 0;
  size_t group = 0;
  cl_uint units = 0;
  api->clGetDeviceInfo(d->info.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  api->clGetDeviceInfo(d->info.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
  api->clGetDeviceInfo(d->info.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  api->clGetDeviceInfo(d->info.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  d->host_memory = (d->info.type & CL_DEVICE_TYPE_CPU) != 0;
  d->described = (struct kiln_device_info){
      .name = d->info.name,
      .vendor = d->info.vendor,
      .driver = d->info.driver,
      .memory_bytes = memory,
      .local_bytes = local,
      .max_group_size = group,
      .compute_units = units,
      .warp_size = d->info.warp_size,
      .host_memory = d->host_memory,
  };
}

static void close_driver(struct kiln_drv *drv) {
  for (uint32_t i = 0; drv->devices && i < drv->device_count; i++)
    if (drv->devices[i].prints)
      drv->api.clReleaseMemObject(drv->devices[i].prints);
  for (size_t i = 0; i < KILN_CL_SAMPLERS; i++)
    if (drv->samplers[i])
      drv->api.clReleaseSampler(drv->samplers[i]);
  kiln_cl_formats_free(drv);
  if (drv->context)
    drv->api.clReleaseContext(drv->context);
  pthread_mutex_destroy(&drv->lock);
  pthread_mutex_destroy(&drv->print_lock);
  kiln_cl_devices_free(&drv->list);
  free(drv->devices);
  free(drv);
}

static enum kiln_status make_context(struct kiln_drv *drv, struct kiln_report *report) {
  cl_device_id *ids = calloc(drv->device_count, sizeof *ids);
  if (!ids)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the OpenCL devices");
  for (uint32_t i = 0; i < drv->device_count; i++)
    ids[i] = drv->devices[i].info.device;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)drv->devices[0].info.platform, 0};
  cl_int code;
  drv->context = drv->api.clCreateContext(properties, drv->device_count, ids, NULL, NULL, &code);
  free(ids);
  return drv->context ? KILN_OK : kiln_cl_report(report, code, "opening the OpenCL device");
}

static enum kiln_status open_on(const struct kiln_driver_config *config, const struct kiln_native_context *native,
                                struct kiln_drv **out, struct kiln_report *report) {
  struct kiln_drv *drv = calloc(1, sizeof *drv);
  if (!drv)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the OpenCL driver");
  drv->config = *config;
  pthread_mutex_init(&drv->lock, NULL);
  pthread_mutex_init(&drv->print_lock, NULL);
  enum kiln_status status = kiln_cl_api_open(&drv->api, KILN_CL_LIBRARY, report);
  if (!status && native) {
    status = kiln_cl_native_device(native, &drv->list, report);
    drv->device_count = 1;
  } else if (!status) {
    status = kiln_cl_target_devices(&config->target, &drv->list, &drv->device_count, report);
  }
  if (!status) {
    drv->devices = calloc(drv->device_count, sizeof *drv->devices);
    if (!drv->devices)
      status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the OpenCL devices");
  }
  for (uint32_t i = 0; i < drv->device_count && !status; i++) {
    drv->devices[i].info = drv->list.items[i];
    describe(drv, &drv->devices[i]);
  }
  if (!status)
    status = native ? kiln_cl_take_context(drv, native->context, report) : make_context(drv, report);
  if (status) {
    close_driver(drv);
    return status;
  }
  *out = drv;
  return KILN_OK;
}

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  return open_on(config, NULL, out, report);
}

enum kiln_status kiln_cl_open_native(const struct kiln_driver_config *config, const struct kiln_native_context *native,
                                     struct kiln_drv **out, struct kiln_report *report) {
  return open_on(config, native, out, report);
}

static uint32_t device_count(struct kiln_drv *drv) { return drv->device_count; }

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  *out = drv->devices[device].described;
}

// ---- memory

// Called by the OpenCL driver when nothing uses the buffer any more: commands may outlive their buffer's handle.
static void CL_CALLBACK free_host(cl_mem mem, void *allocated) {
  (void)mem;
  free(allocated);
}

static enum kiln_status alloc_memory(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                     struct kiln_drv_memory **out, struct kiln_report *report) {
  uint64_t limit = drv->devices[device].described.memory_bytes;
  if (limit && size > limit)
    return kiln_fail(report, KILN_ERR_MEMORY, "a buffer of %zu bytes is larger than the %llu bytes that '%s' has", size,
                     (unsigned long long)limit, drv->devices[device].info.name);
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  memory->device = device;
  memory->size = size;
  cl_mem_flags flags = CL_MEM_READ_WRITE;
  if (drv->devices[device].host_memory) {
    if (!host && posix_memalign(&memory->allocated, HOST_ALIGN, size ? size : 1))
      memory->allocated = NULL;
    memory->host = host ? host : memory->allocated;
    if (!memory->host) {
      free(memory);
      return kiln_fail(report, KILN_ERR_MEMORY, "no memory for a buffer of %zu bytes", size);
    }
    flags |= CL_MEM_USE_HOST_PTR;
  } else if (host) {
    flags |= CL_MEM_COPY_HOST_PTR;
  }
  cl_int code;
  memory->mem = drv->api.clCreateBuffer(drv->context, flags, size, memory->host ? memory->host : host, &code);
  if (!memory->mem) {
    free(memory->allocated);
    free(memory);
    enum kiln_status status = kiln_cl_report(report, code, "allocating a buffer");
    kiln_fail(report, status, "the buffer has %zu bytes", size);
    return status;
  }
  if (memory->allocated && drv->api.clSetMemObjectDestructorCallback(memory->mem, free_host, memory->allocated) == 0)
    memory->allocated = NULL;
  *out = memory;
  return KILN_OK;
}

static void free_memory(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  drv->api.clReleaseMemObject(memory->mem);
  if (memory->under)
    drv->api.clReleaseMemObject(memory->under);
  free(memory->allocated);
  free(memory);
}

static void *host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  return memory->host;
}

// ---- programs

enum kiln_status kiln_cl_module_program(struct kiln_drv_module *module, uint32_t device, cl_program *out,
                                        struct kiln_report *report) {
  struct kiln_drv *drv = module->drv;
  cl_device_id id = drv->devices[device].info.device;
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&drv->lock);
  if (!module->programs[device]) {
    status = kiln_cl_build_binary(&drv->api, drv->context, id, module->binary, module->binary_size,
                                  module->meta.options, &module->programs[device]);
    if (status) {
      if (module->binary_size)
        kiln_report_log(report, KILN_LOG_INFO, "opencl: the driver does not accept its binary; building from the text");
      module->from_source[device] = true;
      status = kiln_cl_build_source(&drv->api, drv->context, id, module->source, module->meta.options,
                                    &module->programs[device], report);
    }
  }
  *out = module->programs[device];
  pthread_mutex_unlock(&drv->lock);
  return status;
}

enum kiln_status kiln_cl_module_binary(const struct kiln_drv_module *module, uint32_t device, void **data, size_t *size,
                                       struct kiln_report *report) {
  struct kiln_drv *drv = module->drv;
  cl_program program = module->from_source[device] ? module->programs[device] : NULL;
  return program ? kiln_cl_read_binary(&drv->api, program, drv->devices[device].info.device, data, size, report)
                 : KILN_OK;
}

static void unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  for (uint32_t k = 0; module->kernels && k < module->meta.kernel_count; k++) {
    for (uint32_t d = 0; module->kernels[k].idle && d < drv->device_count; d++) {
      struct cl_kernel_object *next, *object = module->kernels[k].idle[d];
      for (; object; object = next) {
        next = object->next;
        drv->api.clReleaseKernel(object->kernel);
        free(object);
      }
    }
    free(module->kernels[k].idle);
  }
  for (uint32_t d = 0; module->programs && d < drv->device_count; d++)
    if (module->programs[d])
      drv->api.clReleaseProgram(module->programs[d]);
  free(module->programs);
  free(module->from_source);
  free(module->source);
  free(module->kernels);
  free(module->binary);
  free(module->meta_data);
  free(module);
}

// With a NUL after the end.
static void *copy_bytes(const void *data, size_t size) {
  char *copy = malloc(size + 1);
  if (copy && size)
    memcpy(copy, data, size);
  if (copy)
    copy[size] = 0;
  return copy;
}

// What the driver made of the text earlier. All devices are of one target, and its binaries are those of the first.
static bool take_binary(struct kiln_drv_module *module, const struct kiln_code *code) {
  char identity[KILN_CL_IDENTITY];
  kiln_cl_binary_identity(&module->drv->devices[0].info, identity, sizeof identity);
  for (uint32_t i = 0; i < code->device_code_count && !module->binary; i++) {
    const struct kiln_device_code *kept = &code->device_codes[i];
    if (strcmp(kept->identity, identity))
      continue;
    module->binary = copy_bytes(kept->data, kept->size);
    module->binary_size = kept->size;
    if (!module->binary)
      return false;
  }
  return true;
}

static bool make_kernels(struct kiln_drv_module *module) {
  struct kiln_drv *drv = module->drv;
  module->kernels = calloc(module->meta.kernel_count + 1, sizeof *module->kernels);
  for (uint32_t i = 0; module->kernels && i < module->meta.kernel_count; i++) {
    module->kernels[i] = (struct kiln_drv_kernel){.module = module,
                                                  .index = i,
                                                  .name = kiln_cl_meta_name(&module->meta, i),
                                                  .args = kiln_cl_meta_args(&module->meta, i),
                                                  .prints = kiln_cl_meta_prints(&module->meta, i)};
    module->kernels[i].idle = calloc(drv->device_count, sizeof *module->kernels[i].idle);
    if (!module->kernels[i].idle)
      return false;
  }
  return module->kernels != NULL;
}

// Whether the letters of arguments are those of the kernels: one for each, the records of images not counted.
static bool args_fit(const struct kiln_drv_module *module, const struct kiln_code *code) {
  for (uint32_t i = 0; i < code->kernel_count; i++) {
    const char *letters = kiln_cl_meta_args(&module->meta, i);
    uint32_t count = 0;
    for (const char *at = letters; at && *at; at++)
      count += *at == KILN_CL_ARG_IMAGE ? 2 : 1;
    if (letters && count != code->kernels[i].arg_count)
      return false;
  }
  return true;
}

static enum kiln_status load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                             struct kiln_report *report) {
  struct kiln_drv_module *module = calloc(1, sizeof *module);
  if (!module)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  enum kiln_status status = KILN_OK;
  module->drv = drv;
  module->source = copy_bytes(code->data, code->size);
  bool copied = module->source && take_binary(module, code);
  module->meta_data = copy_bytes(code->meta, code->meta_size);
  module->programs = calloc(drv->device_count, sizeof *module->programs);
  module->from_source = calloc(drv->device_count, sizeof *module->from_source);
  if (!copied || !module->meta_data || !module->programs || !module->from_source)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  else if (!kiln_cl_meta_read(module->meta_data, code->meta_size, &module->meta) ||
           module->meta.kernel_count != code->kernel_count || !args_fit(module, code))
    status = kiln_fail(report, KILN_ERR_INTERNAL, "the metadata of an OpenCL program is damaged");
  else if (!make_kernels(module))
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  cl_program program;
  if (!status)
    status = kiln_cl_module_program(module, 0, &program, report);
  if (status) {
    unload(drv, module);
    return status;
  }
  *out = module;
  return KILN_OK;
}

static enum kiln_status kernel_of(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                  struct kiln_drv_kernel **out, struct kiln_report *report) {
  (void)drv, (void)report;
  *out = &module->kernels[index];
  return KILN_OK;
}

const struct kiln_driver kiln_cl_driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_driver),
    .open = open_driver,
    .close = close_driver,
    .device_count = device_count,
    .device_info = device_info,
    .device_traits = kiln_cl_device_traits,
    .alloc = alloc_memory,
    .free = free_memory,
    .host_pointer = host_pointer,
    .load = load,
    .unload = unload,
    .kernel = kernel_of,
    .stream_create = kiln_cl_stream_create,
    .stream_destroy = kiln_cl_stream_destroy,
    .finish = kiln_cl_finish,
    .stream_deadline = kiln_cl_stream_deadline,
    .stream_cancel = kiln_cl_stream_cancel,
    .stream_lost = kiln_cl_stream_lost,
    .write = kiln_cl_write,
    .read = kiln_cl_read,
    .copy = kiln_cl_copy_buffer,
    .fill = kiln_cl_fill,
    .wait = kiln_cl_wait,
    .prepare = kiln_cl_prepare,
    .launch_release = kiln_cl_launch_release,
    .launch = kiln_cl_launch,
    .event_wait = kiln_cl_event_wait,
    .event_done = kiln_cl_event_done,
    .event_times = kiln_cl_event_times,
    .event_release = kiln_cl_event_release,
    .event_state = kiln_cl_event_state,
    .event_create = kiln_cl_event_create,
    .event_signal = kiln_cl_event_signal,
    .runtime = KILN_RUNTIME_OPENCL,
    .native_target = kiln_cl_native_target,
    .open_native = kiln_cl_open_native,
    .device_native = kiln_cl_device_native,
    .wrap_memory = kiln_cl_wrap_memory,
    .memory_native = kiln_cl_memory_native,
    .wrap_stream = kiln_cl_wrap_stream,
    .stream_native = kiln_cl_stream_native,
    .image_formats = kiln_cl_image_formats,
    .image_limits = kiln_cl_image_limits,
    .image_create = kiln_cl_image_create,
    .image_copy = kiln_cl_image_copy,
    .image_fill = kiln_cl_image_fill,
};
