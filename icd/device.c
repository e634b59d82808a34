// Devices: what they can do.
#include "icd/icd.h"
#include "icd/tables.h"

#define ICD_ATOMIC_ORDERS                                                                                              \
  (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP)

// Programs take as much local memory as there is to hold what they work on. On the CPU it should stay in the
// second-level cache; this is more than any GPU has, too.
#define ICD_HOST_LOCAL_BYTES (256u << 10)

enum kiln_status icd_describe(struct kiln_context *kiln, uint32_t index, struct kiln_device_info *out) {
  enum kiln_status status = kiln_device_info(kiln, index, out);
  if (status == KILN_OK && out->host_memory && out->local_bytes > ICD_HOST_LOCAL_BYTES)
    out->local_bytes = ICD_HOST_LOCAL_BYTES;
  return status;
}

// Those of devices that reach the memory of the host come last.
static const cl_name_version icd_extensions[] = {
#define EXTENSION(name, major, minor, patch) {CL_MAKE_VERSION(major, minor, patch), name},
#define SVM_EXTENSION EXTENSION
#define FEATURE(name)
#include "icd/extensions.def"
};

enum {
  SVM_EXTENSIONS = 0
#define EXTENSION(name, major, minor, patch)
#define SVM_EXTENSION(name, major, minor, patch) +1
#define FEATURE(name)
#include "icd/extensions.def"
};

static const cl_name_version icd_c_features[] = {
#define EXTENSION(name, major, minor, patch)
#define SVM_EXTENSION EXTENSION
#define FEATURE(name) {CL_MAKE_VERSION(3, 0, 0), name},
#include "icd/extensions.def"
};

static const cl_name_version icd_c_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"}, {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"}, {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const cl_name_version icd_ils[] = {
    {CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"},
    {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"},
};

static const char extension_names[] =
#define EXTENSION(name, major, minor, patch) " " name
#define SVM_EXTENSION(name, major, minor, patch)
#define FEATURE(name)
#include "icd/extensions.def"
    ;

static const char svm_extension_names[] =
#define EXTENSION(name, major, minor, patch) " " name
#define SVM_EXTENSION EXTENSION
#define FEATURE(name)
#include "icd/extensions.def"
    ;

static size_t extensions_size(const struct _cl_device_id *device) {
  return sizeof icd_extensions - (device->svm ? 0 : SVM_EXTENSIONS * sizeof *icd_extensions);
}

static struct kiln_device_traits traits_of(const struct _cl_device_id *device) {
  struct kiln_device_traits traits = {0};
  kiln_device_traits(device->backend->kiln, device->index, &traits);
  return traits;
}

static struct kiln_image_limits limits_of(const struct _cl_device_id *device, enum kiln_image_dimension dimension) {
  struct kiln_image_limits limits = {0};
  kiln_image_limits(device->backend->kiln, device->index, dimension, &limits);
  return limits;
}

// What a device may do with unified shared memory of any kind: a device that reaches all memory of the process may do
// all.
static cl_device_unified_shared_memory_capabilities_intel usm_of(const struct _cl_device_id *device) {
  return device->svm ? CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                           CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
                           CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
                     : 0;
}

// Elements that a vector register holds; 1 where there is none.
static cl_uint native_width(const struct _cl_device_id *device, uint32_t bytes) {
  uint32_t elements = traits_of(device).register_bytes / bytes;
  return elements ? elements : 1;
}

static cl_device_fp_config float_config(uint32_t flags) {
  static const struct {
    uint32_t flag;
    cl_device_fp_config config;
  } names[] = {
      {KILN_FLOAT_DENORMS, CL_FP_DENORM},
      {KILN_FLOAT_INF_NAN, CL_FP_INF_NAN},
      {KILN_FLOAT_ROUND_NEAREST, CL_FP_ROUND_TO_NEAREST},
      {KILN_FLOAT_ROUND_ZERO, CL_FP_ROUND_TO_ZERO},
      {KILN_FLOAT_ROUND_INF, CL_FP_ROUND_TO_INF},
      {KILN_FLOAT_FMA, CL_FP_FMA},
      {KILN_FLOAT_EXACT_DIVIDE, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
  };
  cl_device_fp_config config = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    config |= flags & names[i].flag ? names[i].config : 0;
  return config;
}

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
    STRING(CL_DEVICE_EXTENSIONS, device->svm ? svm_extension_names + 1 : extension_names + 1)
#include "icd/device.def"
  }
  return CL_INVALID_VALUE;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue) {
  (void)queue;
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  bool has_device = icd_is(device, ICD_DEVICE) && icd_context_index(context, device) >= 0;
  return has_device ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
