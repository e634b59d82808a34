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

// How many sub-devices a partition makes, and which.
struct plan {
  cl_device_partition_property *properties; // as the sub-devices tell them, with the final 0
  size_t property_count;
  cl_uint count;
  cpu_set_t *cpus; // by affinity: of each; else NULL
};

static cl_uint units_of(const struct plan *plan, cl_uint index) {
  if (plan->cpus)
    return (cl_uint)CPU_COUNT(&plan->cpus[index]);
  return (cl_uint)plan->properties[plan->properties[0] == CL_DEVICE_PARTITION_EQUALLY ? 1 : 1 + index];
}

static cl_int new_sub_device(cl_device_id parent, const struct plan *plan, cl_uint index, cl_device_id *out) {
  cl_uint units = units_of(plan, index);
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
  size_t size = plan->property_count * sizeof *plan->properties;
  device->partition = malloc(size);
  // Sub-devices by counts share the CPUs of their parent.
  const cpu_set_t *cpus = plan->cpus ? &plan->cpus[index] : parent->parent ? &parent->cpus : NULL;
  char *list = cpus && CPU_COUNT(cpus) ? icd_affinity_list(cpus) : NULL;
  struct kiln_context_desc desc = {.backend = device->own.name, .num_threads = units, .cpus = list};
  bool has_memory = device->partition && (list || !plan->cpus);
  enum kiln_status status = has_memory ? kiln_context_open(&desc, &device->own.kiln) : KILN_ERR_MEMORY;
  free(list);
  if (status == KILN_OK)
    status = icd_describe(device->own.kiln, 0, &device->info);
  if (status != KILN_OK) {
    icd_device_release(device);
    return icd_error(status);
  }
  memcpy(device->partition, plan->properties, size);
  device->partition_count = plan->property_count;
  device->info.compute_units = units;
  if (plan->cpus)
    device->cpus = *cpus;
  *out = device;
  return CL_SUCCESS;
}

// ---- partitions

static cl_int plan_equally(cl_uint units, const cl_device_partition_property *properties, struct plan *plan) {
  if (properties[1] <= 0 || properties[2])
    return CL_INVALID_VALUE;
  plan->property_count = 3;
  plan->count = properties[1] <= (cl_device_partition_property)units ? units / (cl_uint)properties[1] : 0;
  return plan->count ? CL_SUCCESS : CL_DEVICE_PARTITION_FAILED;
}

static cl_int plan_counts(cl_uint units, const cl_device_partition_property *properties, struct plan *plan) {
  cl_uint total = 0;
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

static cl_int plan_affinity(cl_device_id device, const cl_device_partition_property *properties, struct plan *plan) {
  cl_device_affinity_domain domain = (cl_device_affinity_domain)properties[1];
  if (!domain || domain & (domain - 1) || domain > CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE || properties[2])
    return CL_INVALID_VALUE;
  plan->property_count = 3;
  plan->count = icd_affinity_parts(device, &domain, 0, NULL);
  if (!plan->count)
    return CL_DEVICE_PARTITION_FAILED;
  plan->cpus = calloc(plan->count, sizeof *plan->cpus);
  if (!plan->cpus)
    return CL_OUT_OF_HOST_MEMORY;
  icd_affinity_parts(device, &domain, plan->count, plan->cpus);
  return CL_SUCCESS;
}

static cl_int make_plan(cl_device_id device, const cl_device_partition_property *properties, struct plan *plan) {
  cl_uint units = device->info.compute_units;
  cl_int status = CL_INVALID_VALUE;
  if (properties[0] == CL_DEVICE_PARTITION_EQUALLY)
    status = plan_equally(units, properties, plan);
  else if (properties[0] == CL_DEVICE_PARTITION_BY_COUNTS)
    status = plan_counts(units, properties, plan);
  else if (properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && icd_affinity_domains(device))
    status = plan_affinity(device, properties, plan);
  if (status != CL_SUCCESS)
    return status;
  plan->properties = malloc(plan->property_count * sizeof *properties);
  if (!plan->properties)
    return CL_OUT_OF_HOST_MEMORY;
  memcpy(plan->properties, properties, plan->property_count * sizeof *properties);
  if (plan->cpus) { // NEXT_PARTITIONABLE became one of the others
    cl_device_affinity_domain domain = (cl_device_affinity_domain)properties[1];
    icd_affinity_parts(device, &domain, 0, NULL);
    plan->properties[1] = (cl_device_partition_property)domain;
  }
  return CL_SUCCESS;
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint num_devices,
                          cl_device_id *devices, cl_uint *num_devices_ret) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  if (!properties || !icd_can_be_parted(device))
    return CL_INVALID_VALUE;
  struct plan plan = {0};
  cl_int status = make_plan(device, properties, &plan);
  if (status == CL_SUCCESS && devices && num_devices < plan.count)
    status = CL_INVALID_VALUE;
  cl_uint made = 0;
  for (; devices && status == CL_SUCCESS && made < plan.count; made += status == CL_SUCCESS)
    status = new_sub_device(device, &plan, made, &devices[made]);
  if (status != CL_SUCCESS)
    while (made > 0)
      icd_device_release(devices[--made]);
  else if (num_devices_ret)
    *num_devices_ret = plan.count;
  free(plan.properties);
  free(plan.cpus);
  return status;
}
