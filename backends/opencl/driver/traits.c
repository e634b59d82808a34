// What the device's driver tells of it beyond what launches need.
#include "backends/opencl/driver/driver.h"

#include <CL/cl_ext.h>

// 0: it does not know.
static uint64_t number(struct kiln_drv *drv, uint32_t device, cl_device_info what) {
  uint64_t value = 0; // cl_uint and cl_ulong alike, on machines that begin with the low byte
  if (drv->api.clGetDeviceInfo(drv->devices[device].info.device, what, sizeof value, &value, NULL) != CL_SUCCESS)
    return 0;
  return value;
}

static uint32_t float_flags(uint64_t config) {
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
  uint32_t flags = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    flags |= config & names[i].config ? names[i].flag : 0;
  return flags;
}

void kiln_cl_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out) {
  out->max_alloc_bytes = number(drv, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  out->cache_bytes = number(drv, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  out->cache_line_bytes = (uint32_t)number(drv, device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  out->clock_mhz = (uint32_t)number(drv, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  if (drv->devices[device].info.features.fp16) // else it is computed in float
    out->half_flags = float_flags(number(drv, device, CL_DEVICE_HALF_FP_CONFIG));
  out->float_flags = float_flags(number(drv, device, CL_DEVICE_SINGLE_FP_CONFIG));
  out->double_flags = float_flags(number(drv, device, CL_DEVICE_DOUBLE_FP_CONFIG));
  out->char_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR);
  out->short_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT);
  out->int_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT);
  out->long_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG);
  out->half_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF);
  out->float_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
  out->double_width = (uint32_t)number(drv, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE);
  out->own_local_memory = number(drv, device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
}
