// The device that CUDA would list first, by NVML: cuInit would make CUDA useless in children that are forked later.
//
// CUDA_VISIBLE_DEVICES is read as NVIDIA's driver reads it: numbers in the order of CUDA_DEVICE_ORDER, "GPU-" and the
// beginning of a UUID, "MIG-" and the UUID of a part of a GPU; the list ends at the first entry that means nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cuda/code/target.h"
#include "backends/cuda/driver/api.h"
#include "backends/cuda/driver/exports.h"
#include "base/c_locale.h"

#define MAX_DEVICES 64
#define UUID_BYTES 96

struct found {
  uint32_t capability;
  char uuid[UUID_BYTES];
};

static uint32_t capability_of(const struct kiln_nvml *nvml, kiln_nvml_device device) {
  int major = 0, minor = 0;
  return nvml->capability(device, &major, &minor) || major <= 0 ? 0 : (uint32_t)(10 * major + minor);
}

static int newer_first(const void *a, const void *b) {
  uint32_t x = ((const struct found *)a)->capability, y = ((const struct found *)b)->capability;
  return (x < y) - (x > y);
}

// All devices, in CUDA's order: by the bus where CUDA_DEVICE_ORDER says so, else the fastest first. Which is faster
// only CUDA knows: newer ones are taken for it.
static uint32_t list_devices(const struct kiln_nvml *nvml, struct found *out) {
  unsigned count = 0;
  uint32_t used = 0;
  if (nvml->count(&count))
    return 0;
  for (unsigned i = 0; i < count && used < MAX_DEVICES; i++) {
    kiln_nvml_device device;
    struct found *found = &out[used];
    *found = (struct found){0};
    if (nvml->by_index(i, &device) || !(found->capability = capability_of(nvml, device)))
      continue;
    if (!nvml->uuid || nvml->uuid(device, found->uuid, sizeof found->uuid))
      found->uuid[0] = 0;
    used++;
  }
  const char *order = getenv("CUDA_DEVICE_ORDER");
  if (!order || strcmp(order, "PCI_BUS_ID") != 0) {
    for (uint32_t i = 1; i < used; i++) // stable
      for (uint32_t k = i; k > 0 && newer_first(&out[k - 1], &out[k]) > 0; k--) {
        struct found moved = out[k];
        out[k] = out[k - 1];
        out[k - 1] = moved;
      }
  }
  return used;
}

static uint32_t by_uuid(const struct found *devices, uint32_t count, const char *uuid, size_t size) {
  for (uint32_t i = 0; i < count; i++)
    if (size > 4 && !strncmp(devices[i].uuid, uuid, size))
      return devices[i].capability;
  return 0;
}

// "MIG-<uuid>", or, of older drivers, "MIG-GPU-<uuid of the GPU>/1/0".
static uint32_t by_mig(const struct kiln_nvml *nvml, const struct found *devices, uint32_t count, const char *entry,
                       size_t size) {
  char uuid[UUID_BYTES];
  kiln_nvml_device part, whole;
  const char *slash = memchr(entry, '/', size);
  if (!strncmp(entry, "MIG-GPU-", 8))
    return by_uuid(devices, count, entry + 4, (slash ? (size_t)(slash - entry) : size) - 4);
  if (!nvml->by_uuid || !nvml->mig_parent || size >= sizeof uuid)
    return 0;
  memcpy(uuid, entry, size);
  uuid[size] = 0;
  return nvml->by_uuid(uuid, &part) || nvml->mig_parent(part, &whole) ? 0 : capability_of(nvml, whole);
}

// The first device of the list; 0: none.
static uint32_t first_visible(const struct kiln_nvml *nvml, const struct found *devices, uint32_t count,
                              const char *visible) {
  if (!visible)
    return count ? devices[0].capability : 0;
  visible += strspn(visible, " \t");
  size_t size = strcspn(visible, ", \t\n");
  char *end;
  if (!strncmp(visible, "GPU-", 4))
    return by_uuid(devices, count, visible, size);
  if (!strncmp(visible, "MIG-", 4))
    return by_mig(nvml, devices, count, visible, size);
  unsigned long number = kiln_is_digit(*visible) ? strtoul(visible, &end, 10) : MAX_DEVICES;
  return number < count && end == visible + size ? devices[number].capability : 0;
}

// Files of NVIDIA's kernel driver, on Linux and on Windows' (WSL).
static bool has_device_file(void) { return !access("/dev/nvidiactl", F_OK) || !access("/dev/dxg", F_OK); }

static enum kiln_status no_gpu(struct kiln_report *report) {
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "there is no NVIDIA GPU: /dev/nvidiactl does not exist");
}

static enum kiln_status open_nvml(struct kiln_nvml *nvml, struct kiln_report *report) {
  enum kiln_status status = kiln_nvml_library(nvml, NULL);
  if (status == KILN_ERR_UNAVAILABLE && !has_device_file())
    return no_gpu(report);
  if (status == KILN_ERR_UNAVAILABLE)
    return kiln_fail(report, status,
                     "there is an NVIDIA GPU, but libnvidia-ml.so.1, by which it is found, is not installed, or too "
                     "old; name its target (kiln targets -b cuda) to use it without");
  return status ? kiln_fail(report, status, "libnvidia-ml.so.1 cannot be opened for lack of memory or descriptors")
                : KILN_OK;
}

enum kiln_status kiln_cuda_detect(uint32_t *capability, struct kiln_report *report) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  struct kiln_nvml nvml;
  struct found devices[MAX_DEVICES];
  enum kiln_status status = open_nvml(&nvml, report);
  if (status)
    return status;
  kiln_nvml_result result = nvml.init();
  uint32_t count = 0;
  if (!result) {
    count = list_devices(&nvml, devices);
    *capability = first_visible(&nvml, devices, count, visible);
    nvml.shutdown();
  }
  if (result)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "there is no NVIDIA GPU, or its driver is not loaded (NVML error %d)", result);
  if (!count)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "NVML lists no GPU");
  if (!*capability)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "CUDA_VISIBLE_DEVICES hides the NVIDIA GPUs: it is '%.100s'",
                     visible);
  struct kiln_cuda cuda; // where there is a GPU its driver is needed anyway
  return kiln_cuda_library(&cuda, report);
}

enum kiln_status kiln_cuda_target_of(uint32_t capability, struct kiln_target *out, struct kiln_report *report) {
  const struct kiln_cuda_model *model = kiln_cuda_model_for(capability / 10, capability % 10);
  if (!model)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the GPU is an sm_%u, for which Kiln generates no code",
                     (unsigned)capability);
  kiln_cuda_to_target(model, out);
  return KILN_OK;
}

enum kiln_status kiln_cuda_detect_target(struct kiln_target *out, struct kiln_report *report) {
  uint32_t capability = 0;
  enum kiln_status status = kiln_cuda_detect(&capability, report);
  return status ? status : kiln_cuda_target_of(capability, out, report);
}

// Every process that leaves the choice open comes here: without a device no library is looked for.
enum kiln_status kiln_cuda_detect_automatic(struct kiln_target *out, struct kiln_report *report) {
  return has_device_file() ? kiln_cuda_detect_target(out, report) : no_gpu(report);
}
