// Devices, memory and streams of a host that uses CUDA itself. Its runtime has the primary contexts, as this driver
// has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"
#include "backends/cuda/driver/exports.h"

// ---- devices

static enum kiln_status find_device(const struct kiln_cuda *cuda, const struct kiln_native_context *native,
                                    kiln_cu_device *out, struct kiln_report *report) {
  kiln_cu_context context = native->context, popped;
  kiln_cu_result result = KILN_CU_NOT_FOUND;
  if (!context && !native->pci[0])
    return kiln_fail(report, KILN_ERR_INVALID, "the handles name neither a context nor a PCI address");
  if (!context) {
    if (cuda->device_by_pci)
      result = cuda->device_by_pci(out, native->pci);
    return result == KILN_CU_SUCCESS
               ? KILN_OK
               : kiln_fail(report, KILN_ERR_INVALID, "CUDA lists no GPU at the PCI address '%.15s'", native->pci);
  }
  if (cuda->context_device && cuda->push(context) == KILN_CU_SUCCESS) {
    result = cuda->context_device(out);
    cuda->pop(&popped);
  }
  return result == KILN_CU_SUCCESS
             ? KILN_OK
             : kiln_fail(report, KILN_ERR_INVALID, "CUDA does not know the context %p", (void *)context);
}

enum kiln_status kiln_cuda_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                         struct kiln_report *report) {
  struct kiln_cuda cuda;
  kiln_cu_device device = 0;
  int major = 0, minor = 0;
  enum kiln_status status = kiln_cuda_start(&cuda, report);
  if (!status)
    status = find_device(&cuda, native, &device, report);
  if (status)
    return status;
  cuda.device_attribute(&major, KILN_CU_CAPABILITY_MAJOR, device);
  cuda.device_attribute(&minor, KILN_CU_CAPABILITY_MINOR, device);
  return kiln_cuda_target_of((uint32_t)(10 * major + minor), out, report);
}

enum kiln_status kiln_cuda_open_native(const struct kiln_driver_config *config,
                                       const struct kiln_native_context *native, struct kiln_drv **out,
                                       struct kiln_report *report) {
  struct kiln_cuda cuda;
  kiln_cu_device device = 0;
  enum kiln_status status = kiln_cuda_start(&cuda, report);
  if (!status)
    status = find_device(&cuda, native, &device, report);
  struct kiln_drv *drv;
  if (!status)
    status = kiln_cuda_open_on(config, device, &drv, report);
  if (status)
    return status;
  if (native->context && native->context != drv->devices[0].context) {
    kiln_cuda_driver.close(drv);
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the context %p is not the primary context of its device, which Kiln and CUDA's runtime use",
                     native->context);
  }
  *out = drv;
  return KILN_OK;
}

void kiln_cuda_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out) {
  const struct kiln_cuda_device *d = &drv->devices[device];
  *out =
      (struct kiln_native_context){.runtime = KILN_RUNTIME_CUDA, .context = d->context, .agent = (uint64_t)d->ordinal};
  if (drv->cuda.device_pci && drv->cuda.device_pci(out->pci, sizeof out->pci, d->ordinal) != KILN_CU_SUCCESS)
    out->pci[0] = 0;
}

// ---- memory and streams

struct place {
  int type; // enum kiln_cu_memory_type; 0: CUDA does not know it
  int device;
};

static struct place place_of(struct kiln_drv *drv, kiln_cu_pointer address) {
  struct place place = {0, -1};
  const struct kiln_cuda *cuda = &drv->cuda;
  if (!cuda->pointer_attribute ||
      cuda->pointer_attribute(&place.type, KILN_CU_POINTER_MEMORY_TYPE, address) != KILN_CU_SUCCESS)
    return (struct place){0, -1};
  if (cuda->pointer_attribute(&place.device, KILN_CU_POINTER_DEVICE, address) != KILN_CU_SUCCESS)
    place.device = -1;
  return place;
}

enum kiln_status kiln_cuda_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                       struct kiln_drv_memory **out, struct kiln_report *report) {
  struct kiln_cuda_device *d = &drv->devices[device];
  kiln_cu_pointer address = (kiln_cu_pointer)(uintptr_t)native, base = 0;
  size_t whole = 0;
  enum kiln_status status = kiln_cuda_alive(drv, d, report);
  if (status)
    return status;
  struct place place = place_of(drv, address);
  if (place.type != KILN_CU_MEMORY_DEVICE && place.type != KILN_CU_MEMORY_UNIFIED)
    return kiln_fail(report, KILN_ERR_INVALID, "%p is no memory of a device that CUDA allocated", native);
  if (place.device != d->ordinal)
    return kiln_fail(report, KILN_ERR_INVALID, "the memory at %p does not lie on device %u ('%s')", native,
                     (unsigned)device, d->name);
  bool is_known = false;
  if (drv->cuda.address_range && kiln_cuda_enter(drv, d)) {
    is_known = drv->cuda.address_range(&base, &whole, address) == KILN_CU_SUCCESS;
    kiln_cuda_leave(drv);
  }
  if (!is_known)
    return kiln_fail(report, KILN_ERR_INVALID, "CUDA does not say how much memory there is at %p", native);
  size_t rest = (size_t)(base + whole - address);
  if (*size > rest)
    return kiln_fail(report, KILN_ERR_INVALID, "%zu bytes are left at %p, not %zu", rest, native, *size);
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  *size = *size ? *size : rest;
  *memory = (struct kiln_drv_memory){.device = device, .address = address, .is_hosts = true, .size = *size};
  *out = memory;
  return KILN_OK;
}

// Memory of the device, managed memory, and pinned memory of the host.
bool kiln_cuda_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer) {
  struct place place = place_of(drv, (kiln_cu_pointer)(uintptr_t)pointer);
  return place.type && (place.type != KILN_CU_MEMORY_DEVICE || place.device == drv->devices[device].ordinal);
}

void *kiln_cuda_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  return (void *)(uintptr_t)memory->address;
}

enum kiln_status kiln_cuda_wrap_stream(struct kiln_drv *drv, uint32_t device, void *native,
                                       struct kiln_drv_stream **out, struct kiln_report *report) {
  return kiln_cuda_stream_on(drv, device, native, out, report);
}

void *kiln_cuda_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  return stream->handle;
}
