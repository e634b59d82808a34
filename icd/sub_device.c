// Sub-devices of the CPU: Kiln contexts with a part of its threads. They share its memory, so that they share buffers.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

bool icd_can_be_parted(const struct _cl_device_id *device) {
  return strcmp(device->backend->name, "cpu") == 0 && device->info.compute_units > 1;
}

// ---- life: devices of the platform are not counted

void icd_device_retain(cl_device_id device) {
  if (device->parent)
    icd_retain(device);
}

void icd_device_release(cl_device_id device) {
  while (device && device->parent && icd_drop(device)) {
    cl_device_id parent = device->parent;
    kiln_context_close(device->own.kiln);
    free(device->partition);
    icd_object_free(device);
    device = parent;
  }
}

cl_int clRetainDevice(cl_device_id device) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  icd_device_retain(device);
  return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  icd_device_release(device);
  return CL_SUCCESS;
}

static cl_int new_sub_device(cl_device_id parent, cl_uint units, const cl_device_partition_property *properties,
                             size_t property_count, cl_device_id *out) {
  struct _cl_device_id *device = icd_object_new(ICD_DEVICE, sizeof *device);
  if (!device)
    return CL_OUT_OF_HOST_MEMORY;
  device->own.name = parent->backend->name;
  device->backend = &device->own;
  device->type = parent->type;
  device->max_alloc = parent->max_alloc;
  device->svm = parent->svm;
  device->parent = parent;
  icd_device_retain(parent);
  device->partition = malloc(property_count * sizeof *properties);
  struct kiln_context_desc desc = {.backend = device->own.name, .num_threads = units};
  enum kiln_status status = device->partition ? kiln_context_open(&desc, &device->own.kiln) : KILN_ERR_MEMORY;
  if (status == KILN_OK)
    status = kiln_device_info(device->own.kiln, 0, &device->info);
  if (status != KILN_OK) {
    icd_device_release(device);
    return icd_error(status);
  }
  memcpy(device->partition, properties, property_count * sizeof *properties);
  device->partition_count = property_count;
  device->info.compute_units = units;
  *out = device;
  return CL_SUCCESS;
}

// ---- partitions

// How many sub-devices the properties ask for, and how many units the one with this index has.
struct plan {
  size_t property_count; // with the final 0
  cl_uint count;
  bool equally;
};

static cl_int read_plan(cl_uint units, const cl_device_partition_property *properties, struct plan *plan) {
  cl_uint total = 0;
  *plan = (struct plan){.equally = properties[0] == CL_DEVICE_PARTITION_EQUALLY};
  if (plan->equally) {
    if (properties[1] <= 0 || properties[2])
      return CL_INVALID_VALUE;
    plan->property_count = 3;
    plan->count = properties[1] <= (cl_device_partition_property)units ? units / (cl_uint)properties[1] : 0;
    return plan->count ? CL_SUCCESS : CL_DEVICE_PARTITION_FAILED;
  }
  if (properties[0] != CL_DEVICE_PARTITION_BY_COUNTS)
    return CL_INVALID_VALUE;
  while (properties[1 + plan->count] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END) {
    cl_device_partition_property one = properties[1 + plan->count++];
    if (one < 0 || one > (cl_device_partition_property)(units - total))
      return CL_INVALID_DEVICE_PARTITION_COUNT;
    total += (cl_uint)one;
  }
  plan->property_count = plan->count + 3;
  if (properties[plan->count + 2])
    plan->property_count = plan->count + 2; // without the 0 that some leave out
  return plan->count ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint num_devices,
                          cl_device_id *devices, cl_uint *num_devices_ret) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  if (!properties || !icd_can_be_parted(device))
    return CL_INVALID_VALUE;
  struct plan plan;
  cl_int status = read_plan(device->info.compute_units, properties, &plan);
  if (status != CL_SUCCESS)
    return status;
  if (devices && num_devices < plan.count)
    return CL_INVALID_VALUE;
  cl_uint made = 0;
  for (; devices && status == CL_SUCCESS && made < plan.count; made += status == CL_SUCCESS) {
    cl_uint units = (cl_uint)(plan.equally ? properties[1] : properties[1 + made]);
    status = new_sub_device(device, units, properties, plan.property_count, &devices[made]);
  }
  if (status != CL_SUCCESS)
    while (made > 0)
      icd_device_release(devices[--made]);
  else if (num_devices_ret)
    *num_devices_ret = plan.count;
  return status;
}
