// Command queues.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

// ---- life

static cl_int open_device(cl_command_queue queue) {
  struct kiln_context *kiln = queue->device->backend->kiln;
  struct kiln_buffer_desc desc = {.size = ICD_ALIGN, .device = queue->device->index};
  cl_int status = icd_lanes_open(queue);
  return status == CL_SUCCESS ? icd_error(kiln_buffer_create(kiln, &desc, &queue->mark)) : status;
}

// The queue has nothing to run any more.
static void free_queue(cl_command_queue queue) {
  icd_lanes_close(queue);
  kiln_buffer_release(queue->mark);
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
  free(queue->properties);
  icd_object_free(queue);
}

static cl_command_queue new_queue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                                  cl_int *status) {
  cl_command_queue queue = icd_object_new(ICD_QUEUE, sizeof *queue);
  *status = CL_OUT_OF_HOST_MEMORY;
  if (!queue)
    return NULL;
  queue->context = context;
  queue->device = device;
  queue->index = (uint32_t)icd_context_index(context, device);
  queue->flags = flags;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->changed, NULL);
  *status = open_device(queue);
  if (*status != CL_SUCCESS) {
    free_queue(queue);
    return NULL;
  }
  icd_retain(context);
  pthread_mutex_lock(&context->lock);
  queue->bit = (uint64_t)1 << (context->queue_number++ % 64);
  queue->next = context->queues;
  context->queues = queue;
  pthread_mutex_unlock(&context->lock);
  return queue;
}

static void lane_done(void *user, enum kiln_event_state state, enum kiln_status status) {
  (void)state, (void)status;
  cl_command_queue queue = user;
  if (atomic_fetch_sub(&queue->left, 1) != 1)
    return;
  cl_context context = queue->context;
  pthread_mutex_lock(&context->lock);
  struct _cl_command_queue **at = &context->queues;
  while (*at != queue)
    at = &(*at)->next;
  *at = queue->next;
  pthread_mutex_unlock(&context->lock);
  free_queue(queue);
  icd_context_release(context);
}

// The queue is freed when what is enqueued has run.
void icd_queue_release(cl_command_queue queue) {
  if (!icd_drop(queue))
    return;
  atomic_store(&queue->left, 1);
  struct kiln_event *untold;
  while (!icd_lanes_watch(queue, &queue->left, lane_done, queue, &untold))
    icd_wait_untold(untold);
  lane_done(queue, KILN_EVENT_DONE, KILN_OK);
}

// ---- calls

static cl_int check_place(cl_context context, cl_device_id device) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (!icd_is(device, ICD_DEVICE) || icd_context_index(context, device) < 0)
    return CL_INVALID_DEVICE;
  return CL_SUCCESS;
}

static cl_int check_flags(cl_command_queue_properties flags) {
  const cl_command_queue_properties on_host = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  const cl_command_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
  if (flags & ~(on_host | on_device))
    return CL_INVALID_VALUE;
  return flags & on_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                                      cl_int *errcode_ret) {
  cl_int status = check_place(context, device);
  if (status == CL_SUCCESS)
    status = check_flags(flags);
  cl_command_queue queue = status == CL_SUCCESS ? new_queue(context, device, flags, &status) : NULL;
  return icd_give(queue, status, errcode_ret);
}

// Counts the properties with their final 0.
static cl_int read_properties(const cl_queue_properties *properties, cl_command_queue_properties *flags,
                              size_t *count) {
  *flags = 0;
  *count = 0;
  if (!properties)
    return CL_SUCCESS;
  bool has_size = false;
  for (; properties[*count]; *count += 2) {
    if (properties[*count] == CL_QUEUE_PROPERTIES)
      *flags = properties[*count + 1];
    else if (properties[*count] == CL_QUEUE_SIZE)
      has_size = true;
    else
      return CL_INVALID_VALUE;
  }
  ++*count;
  cl_int status = check_flags(*flags);
  return status == CL_SUCCESS && has_size ? CL_INVALID_VALUE : status; // only queues on the device have one
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties, cl_int *errcode_ret) {
  cl_command_queue_properties flags;
  size_t count;
  cl_int status = check_place(context, device);
  if (status == CL_SUCCESS)
    status = read_properties(properties, &flags, &count);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_queue_properties *copy = NULL;
  if (count) {
    copy = malloc(count * sizeof *copy);
    if (!copy)
      return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    memcpy(copy, properties, count * sizeof *copy);
  }
  cl_command_queue queue = new_queue(context, device, flags, &status);
  if (queue) {
    queue->properties = copy;
    queue->property_count = count;
  } else {
    free(copy);
  }
  return icd_give(queue, status, errcode_ret);
}

cl_int clRetainCommandQueue(cl_command_queue queue) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  icd_retain(queue);
  return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  icd_queue_release(queue);
  return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
                             size_t *size_ret) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_QUEUE_CONTEXT, cl_context, queue->context)
    VALUE(CL_QUEUE_DEVICE, cl_device_id, queue->device)
    VALUE(CL_QUEUE_REFERENCE_COUNT, cl_uint, atomic_load(&queue->object.refs))
    VALUE(CL_QUEUE_PROPERTIES, cl_command_queue_properties, queue->flags)
    BYTES(CL_QUEUE_PROPERTIES_ARRAY, queue->properties, queue->property_count * sizeof *queue->properties)
    VALUE(CL_QUEUE_DEVICE_DEFAULT, cl_command_queue, NULL)
  case CL_QUEUE_SIZE:
    return CL_INVALID_COMMAND_QUEUE; // of queues on the device
  }
  return CL_INVALID_VALUE;
}

cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
                                 cl_command_queue_properties *old) {
  (void)flags, (void)enable, (void)old;
  return icd_is(queue, ICD_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

// What is enqueued runs without being asked.
cl_int clFlush(cl_command_queue queue) { return icd_is(queue, ICD_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }

cl_int clFinish(cl_command_queue queue) {
  return icd_is(queue, ICD_QUEUE) ? icd_queue_finish(queue) : CL_INVALID_COMMAND_QUEUE;
}
