// A stand-in for libnvidia-ml.so.1: the devices that the stand-in for libcuda.so.1 would have (standin.h), by the same
// settings. KILN_STANDIN_DRIVER=none: NVML finds no driver.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_DEVICES 8
enum { SUCCESS = 0, INVALID = 2, DRIVER_NOT_LOADED = 9 };

static int devices, sm[MAX_DEVICES];

typedef struct {
  int number;
} * device_handle;
static int numbers[2 * MAX_DEVICES]; // of devices, and of a part of each

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetCount_v2(unsigned *count);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_handle *out);
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, device_handle *out);
EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(device_handle part, device_handle *out);
EXPORT int nvmlDeviceGetUUID(device_handle device, char *uuid, unsigned size);
EXPORT int nvmlDeviceGetCudaComputeCapability(device_handle device, int *major, int *minor);

int nvmlInit_v2(void) {
  const char *gpus = getenv("KILN_STANDIN_GPUS"), *list = getenv("KILN_STANDIN_SM"),
             *driver = getenv("KILN_STANDIN_DRIVER"), *end;
  devices = gpus ? atoi(gpus) : 1;
  if (devices > MAX_DEVICES || (driver && !strcmp(driver, "none")))
    return DRIVER_NOT_LOADED;
  for (int i = 0; i < MAX_DEVICES; i++) {
    sm[i] = list && *list ? atoi(list) : i ? sm[i - 1] : 90;
    list = list && (end = strchr(list, ',')) ? end + 1 : NULL;
    numbers[i] = i;
    numbers[MAX_DEVICES + i] = MAX_DEVICES + i;
  }
  return SUCCESS;
}

int nvmlShutdown(void) { return SUCCESS; }

int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = (unsigned)devices;
  return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_handle *out) {
  *out = (device_handle)(void *)&numbers[index];
  return (int)index < devices ? SUCCESS : INVALID;
}

// The UUIDs of parts (MIG) end in another digit.
int nvmlDeviceGetHandleByUUID(const char *uuid, device_handle *out) {
  int number = 0;
  if (sscanf(uuid, "MIG-%d-standin", &number) != 1 || number < 0 || number >= devices)
    return INVALID;
  *out = (device_handle)(void *)&numbers[MAX_DEVICES + number];
  return SUCCESS;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(device_handle part, device_handle *out) {
  *out = (device_handle)(void *)&numbers[part->number - MAX_DEVICES];
  return part->number >= MAX_DEVICES ? SUCCESS : INVALID;
}

int nvmlDeviceGetUUID(device_handle device, char *uuid, unsigned size) {
  snprintf(uuid, size, "GPU-%d0000000-0000-0000-0000-000000000000", device->number);
  return SUCCESS;
}

int nvmlDeviceGetCudaComputeCapability(device_handle device, int *major, int *minor) {
  if (device->number >= devices)
    return INVALID;
  *major = sm[device->number] / 10;
  *minor = sm[device->number] % 10;
  return SUCCESS;
}
