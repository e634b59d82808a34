// Devices: what they can do.
#include "icd/icd.h"
#include "icd/tables.h"

#define ICD_FP (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)
#define ICD_ATOMIC_ORDERS                                                                                              \
  (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP)

static const cl_name_version icd_extensions[] = {
#define EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), name},
#define FEATURE(name)
#include "icd/extensions.def"
};

static const cl_name_version icd_c_features[] = {
#define EXTENSION(name, major, minor, patch)
#define FEATURE(name) {CL_MAKE_VERSION(3, 0, 0), name},
#include "icd/extensions.def"
};

static const cl_name_version icd_c_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}, {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const char extension_names[] =
#define EXTENSION(name, major, minor, patch) " " name
#define FEATURE(name)
#include "icd/extensions.def"
    ;

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  const struct icd_answer answer = {size, value, size_ret};
  const struct kiln_device_info *info = &device->info;
  const bool parts = icd_can_be_parted(device);
  const cl_device_partition_property partitions[] = {parts ? CL_DEVICE_PARTITION_EQUALLY : 0,
                                                     parts ? CL_DEVICE_PARTITION_BY_COUNTS : 0,
                                                     CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};
  switch (name) {
    STRING(CL_DEVICE_EXTENSIONS, extension_names + 1)
#include "icd/device.def"
  }
  return CL_INVALID_VALUE;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue) {
  (void)queue;
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  return icd_is(device, ICD_DEVICE) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
