// Launches: arguments are set once, when a launch is prepared; running it is one call of OpenCL.
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/driver/driver.h"
#include "base/file.h"

// ---- kernel objects

static enum kiln_status take_object(struct kiln_drv *drv, struct kiln_drv_kernel *kernel, uint32_t device,
                                    struct cl_kernel_object **out, struct kiln_report *report) {
  pthread_mutex_lock(&drv->lock);
  struct cl_kernel_object *object = kernel->idle[device];
  if (object)
    kernel->idle[device] = object->next;
  pthread_mutex_unlock(&drv->lock);
  if (object) {
    *out = object;
    return KILN_OK;
  }
  cl_program program;
  enum kiln_status status = kiln_cl_module_program(kernel->module, device, &program, report);
  if (status)
    return status;
  object = calloc(1, sizeof *object);
  if (!object)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  cl_int code;
  object->kernel = drv->api.clCreateKernel(program, kernel->name, &code);
  if (!object->kernel) {
    free(object);
    status = kiln_cl_report(report, code, "creating a kernel");
    kiln_fail(report, status, "the kernel is '%s'", kernel->name);
    return status;
  }
  *out = object;
  return KILN_OK;
}

static void give_object(struct kiln_drv *drv, struct kiln_drv_kernel *kernel, uint32_t device,
                        struct cl_kernel_object *object) {
  pthread_mutex_lock(&drv->lock);
  object->next = kernel->idle[device];
  kernel->idle[device] = object;
  pthread_mutex_unlock(&drv->lock);
}

// ---- arguments

static enum kiln_status set_args(struct kiln_drv *drv, const struct kiln_drv_launch *launch, cl_kernel kernel,
                                 struct kiln_report *report) {
  for (uint32_t i = 0; i < launch->arg_count; i++) {
    const struct cl_launch_arg *arg = &launch->args[i];
    const void *value = arg->sampler                   ? &arg->sampler
                        : arg->kind == KILN_ARG_VALUE  ? arg->data
                        : arg->kind == KILN_ARG_BUFFER ? &arg->mem
                                                       : NULL;
    size_t size = arg->sampler ? sizeof arg->sampler : arg->kind == KILN_ARG_BUFFER ? sizeof arg->mem : arg->size;
    cl_int code = drv->api.clSetKernelArg(kernel, i, size, value);
    if (code == CL_SUCCESS)
      continue;
    enum kiln_status status = kiln_cl_report(report, code, "setting an argument");
    kiln_fail(report, status, "it is argument %u of the kernel '%s'", (unsigned)i, launch->kernel->name);
    return status;
  }
  return KILN_OK;
}

static enum kiln_status copy_arg(struct kiln_drv *drv, const struct kiln_drv_arg *from, char letter,
                                 struct cl_launch_arg *to, struct kiln_report *report) {
  *to = (struct cl_launch_arg){.kind = from->kind, .size = from->size};
  if (letter == KILN_CL_ARG_SAMPLER) {
    uint32_t word;
    memcpy(&word, from->data, sizeof word);
    return kiln_cl_sampler_of(drv, word, &to->sampler, report);
  }
  if (from->kind == KILN_ARG_VALUE) {
    to->data = malloc(from->size ? from->size : 1);
    if (!to->data)
      return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
    memcpy(to->data, from->data, from->size);
  } else if (from->kind == KILN_ARG_BUFFER && from->memory) {
    to->mem = from->memory->mem;
    if (from->offset) {
      cl_buffer_region region = {from->offset, from->memory->size - from->offset};
      cl_int code = CL_SUCCESS;
      to->mem = drv->api.clCreateSubBuffer(from->memory->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
      if (!to->mem)
        return kiln_cl_report(report, code, "passing a part of a buffer");
      to->owned = true;
    }
  }
  return KILN_OK;
}

// ---- sizes

static uint32_t device_of(const struct kiln_drv_launch_desc *desc) {
  for (uint32_t i = 0; i < desc->arg_count; i++)
    if (desc->args[i].kind == KILN_ARG_BUFFER && desc->args[i].memory)
      return desc->args[i].memory->device;
  return 0;
}

// NVIDIA's driver takes an offset for a number of 32 bits with a sign: the ids would be wrong.
static enum kiln_status check_offset(const struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                     uint32_t device, struct kiln_report *report) {
  const struct cl_device *info = &drv->devices[device].info;
  for (unsigned d = 0; d < 3 && info->is_nvidia; d++)
    if (desc->offset[d] > INT32_MAX)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                       "the driver of '%s' computes wrong ids with an offset above 2147483647, as in dimension %u",
                       info->name, d);
  return KILN_OK;
}

// ---- slots

void kiln_cl_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch) {
  for (uint32_t d = 0; launch->objects && d < drv->device_count; d++)
    if (launch->objects[d])
      give_object(drv, launch->kernel, d, launch->objects[d]);
  for (uint32_t i = 0; i < launch->arg_count; i++) {
    if (launch->args[i].owned)
      drv->api.clReleaseMemObject(launch->args[i].mem);
    free(launch->args[i].data);
  }
  pthread_mutex_destroy(&launch->lock);
  free(launch->objects);
  free(launch);
}

static enum kiln_status object_for(struct kiln_drv *drv, struct kiln_drv_launch *launch, uint32_t device,
                                   struct kiln_report *report) {
  enum kiln_status status = take_object(drv, launch->kernel, device, &launch->objects[device], report);
  return status ? status : set_args(drv, launch, launch->objects[device]->kernel, report);
}

enum kiln_status kiln_cl_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                 struct kiln_drv_launch **out, struct kiln_report *report) {
  struct kiln_drv_launch *launch = calloc(1, sizeof *launch + desc->arg_count * sizeof *launch->args);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  launch->drv = drv;
  launch->kernel = desc->kernel;
  launch->work_dim = desc->work_dim;
  pthread_mutex_init(&launch->lock, NULL);
  launch->objects = calloc(drv->device_count, sizeof *launch->objects);
  enum kiln_status status =
      launch->objects ? KILN_OK : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  // The records of images follow the arguments: images of the device know their sizes.
  const char *letters = desc->kernel->args;
  uint32_t arg_count = letters ? (uint32_t)strlen(letters) : desc->arg_count;
  for (uint32_t i = 0; i < arg_count && !status; i++) {
    status = copy_arg(drv, &desc->args[i], letters ? letters[i] : KILN_CL_ARG_PLAIN, &launch->args[i], report);
    launch->arg_count = i + 1;
  }
  for (int d = 0; d < 3; d++) {
    launch->global[d] = desc->global[d];
    launch->local[d] = desc->local[d];
    launch->offset[d] = desc->offset[d];
    launch->has_offset |= desc->offset[d] != 0;
  }
  launch->has_local = !desc->local_free; // else the device's driver knows best
  uint32_t device = device_of(desc);
  if (!status)
    status = check_offset(drv, desc, device, report);
  if (!status)
    status = object_for(drv, launch, device, report);
  if (status) {
    kiln_cl_launch_release(drv, launch);
    return status;
  }
  *out = launch;
  return KILN_OK;
}

static enum kiln_status enqueue(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                KILN_CL_EVENT_ARGS) {
  enum kiln_status status = KILN_OK;
  cl_event handle = NULL;
  uint64_t start = event ? kiln_now_ns() : 0;
  cl_int code = CL_SUCCESS;
  // An event doubles what a launch costs on NVIDIA's driver, where finishing the queue tells that a kernel failed.
  bool is_seen =
      event || !drv->devices[stream->device].info.is_nvidia || __atomic_load_n(&stream->watch->on, __ATOMIC_RELAXED);
  status = kiln_cl_watch_check(stream->watch, report);
  if (status)
    return status;
  pthread_mutex_lock(&launch->lock);
  if (!launch->objects[stream->device])
    status = object_for(drv, launch, stream->device, report);
  cl_kernel kernel = status ? NULL : launch->objects[stream->device]->kernel;
  if (!status && launch->kernel->prints)
    code = drv->api.clSetKernelArg(kernel, launch->arg_count, sizeof(cl_mem), &drv->devices[stream->device].prints);
  if (!status && code == CL_SUCCESS)
    code = drv->api.clEnqueueNDRangeKernel(stream->queue, kernel, launch->work_dim,
                                           launch->has_offset ? launch->offset : NULL, launch->global,
                                           launch->has_local ? launch->local : NULL, 0, NULL, is_seen ? &handle : NULL);
  pthread_mutex_unlock(&launch->lock);
  if (status)
    return status;
  if (code != CL_SUCCESS) {
    status = kiln_cl_report(report, code, "launching a kernel");
    kiln_fail(report, status, "the kernel is '%s'", launch->kernel->name);
    return status;
  }
  return kiln_cl_enqueued(drv, stream, handle, start, event, report);
}

// Waits for a kernel that prints, then prints.
static enum kiln_status print(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                              struct kiln_drv_event *event, struct kiln_report *report) {
  enum kiln_status status = kiln_cl_watch_wait(drv, stream->watch, event->event, report);
  if (status)
    drv->devices[stream->device].prints = NULL; // the kernel may still write to it
  else
    status = kiln_cl_print_end(drv, stream, launch->kernel, &event->failure, report);
  if (status || !event->failure)
    return status;
  pthread_mutex_lock(&stream->lock);
  if (!stream->failure)
    stream->failure = strdup(event->failure);
  bool noted = stream->failure;
  pthread_mutex_unlock(&stream->lock);
  return noted ? KILN_OK : kiln_fail(report, KILN_ERR_MEMORY, "%s", event->failure);
}

// A kernel that may print runs alone, and its text is out when this returns.
static enum kiln_status launch_printing(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                        struct kiln_drv_launch *launch, KILN_CL_EVENT_ARGS) {
  struct kiln_drv_event *made = NULL;
  pthread_mutex_lock(&drv->print_lock);
  enum kiln_status status = kiln_cl_await_stream(drv, stream, report);
  if (!status)
    status = kiln_cl_print_begin(drv, stream, report);
  if (!status)
    status = enqueue(drv, stream, launch, &made, report);
  if (!status)
    status = print(drv, stream, launch, made, report);
  if (made && (status || !event))
    kiln_cl_event_release(drv, made);
  else if (made)
    *event = made;
  pthread_mutex_unlock(&drv->print_lock);
  return status;
}

enum kiln_status kiln_cl_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                KILN_CL_EVENT_ARGS) {
  if (launch->kernel->prints)
    return launch_printing(drv, stream, launch, event, report);
  return enqueue(drv, stream, launch, event, report);
}
