// COMPILE_OPENCL_DEVICE_TYPE: which types of devices programs find the device as.
#include "icd_test.h"

static cl_uint count_of(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 99;
  cl_int status = clGetDeviceIDs(platform, type, 0, NULL, &count);
  CHECK(status == CL_SUCCESS || (status == CL_DEVICE_NOT_FOUND && count == 0));
  return count;
}

// The type of the device, and of its context when it is made of that type.
static void check_device(cl_platform_id platform, cl_device_id device, cl_device_type type) {
  cl_device_type told = 0;
  cl_int status;
  cl_device_id of_context = NULL;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof told, &told, NULL));
  CHECK(told == type);
  cl_context context = clCreateContextFromType(properties, type, NULL, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof of_context, &of_context, NULL));
  CHECK(of_context == device);
  CHECK_OK(clReleaseContext(context));
}

int main(void) {
  const char *setting = getenv("COMPILE_OPENCL_DEVICE_TYPE");
  bool is_gpu = setting && strcmp(setting, "gpu") == 0;
  cl_platform_id platform;
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &platform, &count) || !count) {
    printf("there is no platform\n");
    return 1;
  }
  CHECK(count_of(platform, CL_DEVICE_TYPE_GPU) == is_gpu);
  CHECK(count_of(platform, CL_DEVICE_TYPE_CPU) == !is_gpu);
  CHECK(count_of(platform, CL_DEVICE_TYPE_ACCELERATOR) == 0);
  CHECK(count_of(platform, CL_DEVICE_TYPE_DEFAULT) == 1 && count_of(platform, CL_DEVICE_TYPE_ALL) == 1);
  cl_device_id device, subs[64];
  CHECK_OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_device_type type = is_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
  check_device(platform, device, type);
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  if (clCreateSubDevices(device, equally, 64, subs, &count) == CL_SUCCESS) {
    for (cl_uint i = 0; i < count; i++) {
      cl_device_type told = 0;
      CHECK_OK(clGetDeviceInfo(subs[i], CL_DEVICE_TYPE, sizeof told, &told, NULL));
      CHECK(told == type);
      CHECK_OK(clReleaseDevice(subs[i]));
    }
  }
  return failures != 0;
}
