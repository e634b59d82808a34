// Contexts.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

int icd_context_index(cl_context context, cl_device_id device) {
  for (uint32_t i = 0; i < context->device_count; i++)
    if (context->devices[i] == device)
      return (int)i;
  return -1;
}

// Counts the properties with their final 0 and checks them.
static cl_int check_properties(const cl_context_properties *properties, size_t *count) {
  bool has_platform = false, has_sync = false;
  *count = 0;
  if (!properties)
    return CL_SUCCESS;
  for (; properties[*count]; *count += 2) {
    cl_context_properties value = properties[*count + 1];
    switch (properties[*count]) {
    case CL_CONTEXT_PLATFORM:
      if (has_platform)
        return CL_INVALID_PROPERTY;
      if (!icd_is((void *)value, ICD_PLATFORM))
        return CL_INVALID_PLATFORM;
      has_platform = true;
      break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      if (has_sync || (value != CL_TRUE && value != CL_FALSE))
        return CL_INVALID_PROPERTY;
      has_sync = true;
      break;
    default:
      return CL_INVALID_PROPERTY;
    }
  }
  ++*count;
  return CL_SUCCESS;
}

// Devices that use host memory share buffers; another device has its context to itself.
static cl_int check_devices(cl_uint count, const cl_device_id *devices) {
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(devices[i], ICD_DEVICE))
      return CL_INVALID_DEVICE;
    if (count > 1 && !devices[i]->info.host_memory)
      return CL_INVALID_OPERATION;
  }
  return CL_SUCCESS;
}

static cl_context new_context(const cl_context_properties *properties, size_t property_count, cl_uint count,
                              const cl_device_id *devices) {
  struct _cl_context *context = icd_object_new(ICD_CONTEXT, sizeof *context + count * sizeof *context->devices);
  if (!context)
    return NULL;
  if (property_count) {
    context->properties = malloc(property_count * sizeof *properties);
    if (!context->properties) {
      icd_object_free(context);
      return NULL;
    }
    memcpy(context->properties, properties, property_count * sizeof *properties);
    context->property_count = property_count;
  }
  pthread_mutex_init(&context->lock, NULL);
  pthread_mutex_init(&context->event_lock, NULL);
  pthread_cond_init(&context->event_changed, NULL);
  for (cl_uint i = 0; i < count; i++)
    if (icd_context_index(context, devices[i]) < 0) {
      icd_device_retain(devices[i]);
      context->devices[context->device_count++] = devices[i];
    }
  return context;
}

typedef void(CL_CALLBACK notify_fn)(const char *, const void *, size_t, void *);

cl_context clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                           notify_fn *notify, void *user, cl_int *errcode_ret) {
  size_t property_count;
  cl_int status = check_properties(properties, &property_count);
  if (status == CL_SUCCESS && (!devices || !num_devices || (!notify && user)))
    status = CL_INVALID_VALUE;
  if (status == CL_SUCCESS)
    status = check_devices(num_devices, devices);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_context context = new_context(properties, property_count, num_devices, devices);
  return icd_give(context, context ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type, notify_fn *notify,
                                   void *user, cl_int *errcode_ret) {
  size_t property_count;
  cl_int status = check_properties(properties, &property_count);
  if (status == CL_SUCCESS && !notify && user)
    status = CL_INVALID_VALUE;
  if (status == CL_SUCCESS)
    status = icd_check_device_type(type);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_device_id devices[ICD_MAX_DEVICES];
  uint32_t count = icd_devices_of_type(type, ICD_MAX_DEVICES, devices);
  return count ? clCreateContext(properties, count, devices, notify, user, errcode_ret)
               : icd_give(NULL, CL_DEVICE_NOT_FOUND, errcode_ret);
}

void icd_context_release(cl_context context) {
  if (!icd_drop(context))
    return;
  icd_keep_dying(context);
  struct icd_destructor *destructor;
  while ((destructor = icd_destructor_take(&context->destructors, &context->lock))) {
    destructor->of_context(context, destructor->user);
    free(destructor);
  }
  while (context->svm_count) {
    const struct icd_svm *last = &context->svm[context->svm_count - 1];
    (void)icd_svm_free(context, last->memory, last->type != 0);
  }
  free(context->svm);
  pthread_cond_destroy(&context->event_changed);
  pthread_mutex_destroy(&context->event_lock);
  pthread_mutex_destroy(&context->lock);
  free(context->properties);
  for (uint32_t i = 0; i < context->device_count; i++)
    icd_device_release(context->devices[i]);
  icd_object_free(context);
}

cl_int clRetainContext(cl_context context) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  icd_retain(context);
  return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  icd_context_release(context);
  return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_CONTEXT_REFERENCE_COUNT, cl_uint, atomic_load(&context->object.refs))
    VALUE(CL_CONTEXT_NUM_DEVICES, cl_uint, context->device_count)
    BYTES(CL_CONTEXT_DEVICES, context->devices, context->device_count * sizeof *context->devices)
    BYTES(CL_CONTEXT_PROPERTIES, context->properties, context->property_count * sizeof *context->properties)
  }
  return CL_INVALID_VALUE;
}

cl_int clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK *fn)(cl_context, void *), void *user) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (!fn)
    return CL_INVALID_VALUE;
  struct icd_destructor *destructor = malloc(sizeof *destructor);
  if (!destructor)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_lock(&context->lock);
  *destructor = (struct icd_destructor){.next = context->destructors, .of_context = fn, .user = user};
  context->destructors = destructor;
  pthread_mutex_unlock(&context->lock);
  return CL_SUCCESS;
}
