// The calls that record a command in a command buffer. Each has checks of its own, and then enqueues the command on the
// queue that records (command_buffer.c). Commands run in the order of their recording, so that synchronization points
// are only checked.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

// Every point is the number of a command, from 1 on.
static cl_int check_points(const struct icd_recording *recording, cl_uint count, const cl_sync_point_khr *points) {
  if (!count != !points)
    return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
  for (cl_uint i = 0; i < count; i++)
    if (!points[i] || points[i] > recording->count)
      return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
  return CL_SUCCESS;
}

// On success the recorder's lock is held, until end().
static cl_int begin(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint count,
                    const cl_sync_point_khr *points) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  if (queue)
    return CL_INVALID_COMMAND_QUEUE; // without cl_khr_command_buffer_multi_device
  pthread_mutex_lock(&buffer->recorder.lock);
  cl_int status = buffer->is_final ? CL_INVALID_OPERATION : check_points(buffer->recording, count, points);
  if (status != CL_SUCCESS)
    pthread_mutex_unlock(&buffer->recorder.lock);
  return status;
}

// Of commands that cannot be changed.
static cl_int begin_plain(cl_command_buffer_khr buffer, cl_command_queue queue,
                          const cl_command_properties_khr *properties, cl_uint count, const cl_sync_point_khr *points,
                          const cl_mutable_command_khr *handle) {
  if (icd_is(buffer, ICD_COMMAND_BUFFER) && ((properties && properties[0]) || handle))
    return CL_INVALID_VALUE;
  return begin(buffer, queue, count, points);
}

static cl_int end(cl_command_buffer_khr buffer, cl_int status, cl_sync_point_khr *point) {
  if (status == CL_SUCCESS && point)
    *point = buffer->recording->count;
  pthread_mutex_unlock(&buffer->recorder.lock);
  return status;
}

cl_int icd_clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                           const cl_command_properties_khr *properties, cl_uint count,
                                           const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                           cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  return end(buffer, clEnqueueBarrierWithWaitList(&buffer->recorder, 0, NULL, NULL), point);
}

cl_int icd_clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, cl_mem src, cl_mem dst,
                                  size_t src_offset, size_t dst_offset, size_t size, cl_uint count,
                                  const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                  cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueCopyBuffer(&buffer->recorder, src, dst, src_offset, dst_offset, size, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandCopyBufferRectKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                      const cl_command_properties_khr *properties, cl_mem src, cl_mem dst,
                                      const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                                      size_t src_row, size_t src_slice, size_t dst_row, size_t dst_slice, cl_uint count,
                                      const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                      cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueCopyBufferRect(&buffer->recorder, src, dst, src_origin, dst_origin, region, src_row, src_slice,
                                   dst_row, dst_slice, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandCopyBufferToImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, cl_mem src, cl_mem dst,
                                         size_t offset, const size_t *origin, const size_t *region, cl_uint count,
                                         const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                         cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueCopyBufferToImage(&buffer->recorder, src, dst, offset, origin, region, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                 const cl_command_properties_khr *properties, cl_mem src, cl_mem dst,
                                 const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                                 cl_uint count, const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                 cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueCopyImage(&buffer->recorder, src, dst, src_origin, dst_origin, region, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandCopyImageToBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr *properties, cl_mem src, cl_mem dst,
                                         const size_t *origin, const size_t *region, size_t offset, cl_uint count,
                                         const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                         cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueCopyImageToBuffer(&buffer->recorder, src, dst, origin, region, offset, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, cl_mem mem, const void *pattern,
                                  size_t pattern_size, size_t offset, size_t size, cl_uint count,
                                  const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                  cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueFillBuffer(&buffer->recorder, mem, pattern, pattern_size, offset, size, 0, NULL, NULL);
  return end(buffer, status, point);
}

cl_int icd_clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                 const cl_command_properties_khr *properties, cl_mem image, const void *color,
                                 const size_t *origin, const size_t *region, cl_uint count,
                                 const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                 cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  return end(buffer, clEnqueueFillImage(&buffer->recorder, image, color, origin, region, 0, NULL, NULL), point);
}

cl_int icd_clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                 const cl_command_properties_khr *properties, void *dst, const void *src, size_t size,
                                 cl_uint count, const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                 cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  return end(buffer, clEnqueueSVMMemcpy(&buffer->recorder, CL_FALSE, dst, src, size, 0, NULL, NULL), point);
}

cl_int icd_clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, void *pointer, const void *pattern,
                                  size_t pattern_size, size_t size, cl_uint count, const cl_sync_point_khr *points,
                                  cl_sync_point_khr *point, cl_mutable_command_khr *handle) {
  cl_int status = begin_plain(buffer, queue, properties, count, points, handle);
  if (status != CL_SUCCESS)
    return status;
  status = clEnqueueSVMMemFill(&buffer->recorder, pointer, pattern, pattern_size, size, 0, NULL, NULL);
  return end(buffer, status, point);
}

// ---- launches

// Properties of a launch, and how many they are with their final 0.
struct traits {
  cl_mutable_dispatch_fields_khr fields;
  cl_mutable_dispatch_asserts_khr asserts;
  bool has_fields, has_asserts;
  size_t count;
};

static cl_int read_properties(const cl_command_properties_khr *properties, struct traits *out) {
  *out = (struct traits){.fields = ICD_MUTABLE_FIELDS};
  if (!properties)
    return CL_SUCCESS;
  for (; properties[out->count]; out->count += 2) {
    cl_command_properties_khr name = properties[out->count], value = properties[out->count + 1];
    if (name == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR && !out->has_fields && !(value & ~ICD_MUTABLE_FIELDS)) {
      out->has_fields = true;
      out->fields = value;
    } else if (name == CL_MUTABLE_DISPATCH_ASSERTS_KHR && !out->has_asserts &&
               !(value & ~CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)) {
      out->has_asserts = true;
      out->asserts = value;
    } else {
      return CL_INVALID_VALUE;
    }
  }
  out->count++;
  return CL_SUCCESS;
}

static cl_mutable_command_khr new_handle(cl_command_buffer_khr buffer, const cl_command_properties_khr *properties,
                                         const struct traits *traits) {
  cl_mutable_command_khr handle = icd_object_new(ICD_MUTABLE_COMMAND, sizeof *handle);
  if (!handle)
    return NULL;
  handle->buffer = buffer;
  handle->fields = traits->fields;
  handle->property_count = traits->count;
  if (traits->count) {
    handle->properties = malloc(traits->count * sizeof *properties);
    if (!handle->properties) {
      icd_mutable_free(handle);
      return NULL;
    }
    memcpy(handle->properties, properties, traits->count * sizeof *properties);
  }
  return handle;
}

static void take_range(struct icd_range *range, cl_uint dims, const size_t *offset, const size_t *global,
                       const size_t *local) {
  range->dims = dims;
  for (cl_uint d = 0; d < dims; d++) {
    range->offset[d] = offset ? offset[d] : 0;
    range->global[d] = global ? global[d] : 0;
    range->local[d] = local ? local[d] : 0;
  }
}

// The command that was recorded last is the handle's.
static void give_handle(cl_command_buffer_khr buffer, cl_mutable_command_khr handle, cl_kernel kernel) {
  handle->position = buffer->recording->count - 1;
  handle->kernel = kernel;
  handle->next = buffer->handles;
  buffer->handles = handle;
  buffer->recording->steps[handle->position].handle = handle;
}

cl_int icd_clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                     const cl_command_properties_khr *properties, cl_kernel kernel, cl_uint dims,
                                     const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                                     const cl_sync_point_khr *points, cl_sync_point_khr *point,
                                     cl_mutable_command_khr *handle) {
  struct traits traits;
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  cl_int status = read_properties(properties, &traits);
  if (status == CL_SUCCESS && (traits.asserts | buffer->asserts) && !local)
    status = CL_INVALID_VALUE;
  if (status == CL_SUCCESS)
    status = begin(buffer, queue, count, points);
  if (status != CL_SUCCESS)
    return status;
  cl_mutable_command_khr made = handle ? new_handle(buffer, properties, &traits) : NULL;
  bool may_lack = buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR && traits.has_fields &&
                  traits.fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
  status = handle && !made ? CL_OUT_OF_HOST_MEMORY
                           : icd_launch(&buffer->recorder, kernel, dims, offset, global, local, may_lack,
                                        &(struct icd_wait_list){0});
  if (made && status == CL_SUCCESS) {
    take_range(&made->range, dims, offset, global, local);
    give_handle(buffer, made, kernel);
    *handle = made;
  } else if (made) {
    icd_mutable_free(made);
  }
  return end(buffer, status, point);
}
