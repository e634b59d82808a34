// The platform, and which devices it has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

static struct _cl_platform_id platform = {
    .object = {&icd_dispatch, ICD_PLATFORM, 1},
    .backends = {{.name = "cpu"}, {.name = "rocm"}, {.name = "cuda"}, {.name = "interp"}},
};

_Atomic cl_uint *icd_objects(enum icd_kind kind) { return &platform.objects[kind - ICD_PLATFORM]; }

// ---- devices

// What the environment says.
struct settings {
  const char *list; // COMPILE_OPENCL_DEVICES: backends
  const char *type; // COMPILE_OPENCL_DEVICE_TYPE: of devices on the host
};

static void take_setting(void *user, const struct kiln_env_info *info) {
  struct settings *settings = user;
  const char *value = info->value ? info->value : info->default_value;
  if (strcmp(info->name, "COMPILE_OPENCL_DEVICES") == 0)
    settings->list = value;
  else if (strcmp(info->name, "COMPILE_OPENCL_DEVICE_TYPE") == 0)
    settings->type = value;
}

// A setting is wrong: no call of the standard can tell what it is.
static void complain(const char *message) { fprintf(stderr, "Kiln's OpenCL driver: %s\n", message); }

// 0: the setting is wrong.
static cl_device_type read_type(const char *type) {
  if (!*type || strcmp(type, "cpu") == 0)
    return CL_DEVICE_TYPE_CPU;
  if (strcmp(type, "gpu") == 0)
    return CL_DEVICE_TYPE_GPU;
  complain("COMPILE_OPENCL_DEVICE_TYPE must be cpu or gpu");
  return 0;
}

static bool names(const char *list, const char *backend) {
  size_t size = strlen(backend);
  for (const char *at = list; *at; at += strcspn(at, ", "), at += strspn(at, ", "))
    if (strncmp(at, backend, size) == 0 && strchr(", ", at[size]))
      return true;
  return false;
}

static void add_device(struct icd_backend *backend, uint32_t index, cl_device_type on_host) {
  struct _cl_device_id *device = icd_object_new(ICD_DEVICE, sizeof *device);
  if (!device)
    return;
  device->backend = backend;
  device->index = index;
  if (icd_describe(backend->kiln, index, &device->info) != KILN_OK) {
    icd_object_free(device);
    return;
  }
  device->type = device->info.host_memory ? on_host : CL_DEVICE_TYPE_GPU;
  // Of host memory a buffer may take all; the standard asks for at least a quarter.
  uint64_t memory = device->info.memory_bytes;
  device->max_alloc = (size_t)(device->info.host_memory ? memory / 2 : memory / 4);
  // Kernels on the CPU follow any pointer of the process. The interpreter knows the memory of arguments alone.
  if (strcmp(backend->name, "cpu") == 0)
    device->svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                  CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  if (strcmp(backend->name, "cpu") || sched_getaffinity(0, sizeof device->cpus, &device->cpus) ||
      CPU_COUNT(&device->cpus) != (int)device->info.compute_units)
    CPU_ZERO(&device->cpus);
  platform.devices[platform.device_count++] = device;
}

static void find_devices(void) {
  struct settings settings = {"", ""};
  kiln_list_env(take_setting, &settings);
  cl_device_type on_host = read_type(settings.type);
  bool is_told = false;
  if (!on_host)
    return;
  for (size_t i = 0; i < sizeof platform.backends / sizeof *platform.backends; i++) {
    struct icd_backend *backend = &platform.backends[i];
    struct kiln_context_desc desc = {.backend = backend->name};
    uint32_t count;
    if (!names(settings.list, backend->name))
      continue;
    enum kiln_status status = kiln_context_open(&desc, &backend->kiln);
    if (status == KILN_ERR_INVALID && !is_told) { // a setting, which is wrong for the next one, too
      complain(kiln_last_error());
      is_told = true;
    }
    if (status != KILN_OK)
      continue;
    if (kiln_device_count(backend->kiln, &count) != KILN_OK)
      count = 0;
    for (uint32_t k = 0; k < count && platform.device_count < ICD_MAX_DEVICES; k++)
      add_device(backend, k, on_host);
  }
}

cl_platform_id icd_platform(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_devices);
  return &platform;
}

cl_int icd_check_device_type(cl_device_type type) {
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known)) ? CL_SUCCESS : CL_INVALID_DEVICE_TYPE;
}

uint32_t icd_devices_of_type(cl_device_type type, uint32_t max, cl_device_id *out) {
  cl_platform_id all = icd_platform();
  uint32_t count = 0;
  for (uint32_t i = 0; i < all->device_count; i++) {
    bool is_default = i == 0 && (type & CL_DEVICE_TYPE_DEFAULT);
    if (!is_default && !(all->devices[i]->type & type))
      continue;
    if (out && count < max)
      out[count] = all->devices[i];
    count++;
  }
  return count;
}

// ---- calls

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  if ((!platforms && !num_platforms) || (platforms && !num_entries))
    return CL_INVALID_VALUE;
  if (icd_platform()->device_count == 0) {
    if (num_platforms)
      *num_platforms = 0;
    return CL_PLATFORM_NOT_FOUND_KHR;
  }
  if (platforms)
    platforms[0] = icd_platform();
  if (num_platforms)
    *num_platforms = 1;
  return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id id, cl_platform_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(id, ICD_PLATFORM))
    return CL_INVALID_PLATFORM;
  const struct icd_answer answer = {size, value, size_ret};
  cl_uint objects[ICD_KINDS - 1]; // without platforms
  for (size_t i = 0; i < ICD_KINDS - 1; i++)
    objects[i] = atomic_load(&id->objects[i + 1]);
  switch (name) {
    BYTES(CL_PLATFORM_OBJECTS_KILN, objects, sizeof objects)
#include "icd/platform.def"
  }
  return CL_INVALID_VALUE;
}

cl_int clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint num_entries, cl_device_id *devices,
                      cl_uint *num_devices) {
  if (!icd_is(id, ICD_PLATFORM))
    return CL_INVALID_PLATFORM;
  cl_int status = icd_check_device_type(type);
  if (status != CL_SUCCESS)
    return status;
  if ((!devices && !num_devices) || (devices && !num_entries))
    return CL_INVALID_VALUE;
  uint32_t count = icd_devices_of_type(type, num_entries, devices);
  if (num_devices)
    *num_devices = count;
  return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int clUnloadPlatformCompiler(cl_platform_id id) {
  return icd_is(id, ICD_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int clUnloadCompiler(void) { return CL_SUCCESS; }

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  if (!host_timestamp)
    return CL_INVALID_VALUE;
  *host_timestamp = icd_now_ns();
  return CL_SUCCESS;
}

// Events are timed by the clock of the host.
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp, cl_ulong *host_timestamp) {
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  if (!device_timestamp || !host_timestamp)
    return CL_INVALID_VALUE;
  *device_timestamp = *host_timestamp = icd_now_ns();
  return CL_SUCCESS;
}
