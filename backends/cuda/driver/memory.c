// Memory of devices. What is freed is kept for the next buffer of the same size, since freeing with CUDA waits for the
// whole device; where memory runs out, all of it is given back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"

#define CACHED_BYTES ((uint64_t)64 << 20) // of a device, at most

// ---- memory that was freed

kiln_cu_result kiln_cuda_take(struct kiln_drv *drv, struct kiln_cuda_device *device, size_t size,
                              kiln_cu_pointer *out) {
  *out = 0;
  pthread_mutex_lock(&device->lock);
  for (uint32_t i = device->cached_count; i-- > 0 && !*out;)
    if (device->cached[i].size == size) {
      *out = device->cached[i].address;
      device->cached[i] = device->cached[--device->cached_count];
      device->cached_bytes -= size;
    }
  pthread_mutex_unlock(&device->lock);
  if (*out)
    return KILN_CU_SUCCESS;
  kiln_cu_result result = drv->cuda.alloc(out, size);
  if (result != KILN_CU_OUT_OF_MEMORY || !kiln_cuda_frees(device))
    return result;
  kiln_cuda_give_back_all(drv, device);
  return drv->cuda.alloc(out, size);
}

static void give_back(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_pointer address, size_t size) {
  bool is_kept = false;
  pthread_mutex_lock(&device->lock);
  if (device->cached_count < sizeof device->cached / sizeof *device->cached &&
      size <= CACHED_BYTES - device->cached_bytes) {
    device->cached[device->cached_count++] = (struct kiln_cuda_block){address, size};
    device->cached_bytes += size;
    is_kept = true;
  }
  pthread_mutex_unlock(&device->lock);
  if (!is_kept && kiln_cuda_frees(device) && kiln_cuda_enter(drv, device)) {
    drv->cuda.free(address);
    kiln_cuda_leave(drv);
  }
}

void kiln_cuda_give_back_all(struct kiln_drv *drv, struct kiln_cuda_device *device) {
  pthread_mutex_lock(&device->lock);
  while (device->cached_count)
    drv->cuda.free(device->cached[--device->cached_count].address);
  device->cached_bytes = 0;
  pthread_mutex_unlock(&device->lock);
}

// ---- buffers

kiln_cu_result kiln_cuda_write_now(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_pointer dst,
                                   const void *src, size_t size) {
  kiln_cu_result result = drv->cuda.write(dst, src, size, device->side);
  return result == KILN_CU_SUCCESS ? drv->cuda.stream_synchronize(device->side) : result;
}

kiln_cu_result kiln_cuda_read_now(struct kiln_drv *drv, struct kiln_cuda_device *device, void *dst, kiln_cu_pointer src,
                                  size_t size) {
  kiln_cu_result result = drv->cuda.read(dst, src, size, device->side);
  return result == KILN_CU_SUCCESS ? drv->cuda.stream_synchronize(device->side) : result;
}

static enum kiln_status alloc_on(struct kiln_drv *drv, struct kiln_cuda_device *device, struct kiln_drv_memory *memory,
                                 const void *host, struct kiln_report *report) {
  char what[64];
  snprintf(what, sizeof what, "a buffer of %zu bytes", memory->size);
  if (!kiln_cuda_enter(drv, device))
    return kiln_cuda_fail(drv, device, KILN_CU_NOT_INITIALIZED, report, what);
  kiln_cu_result result = kiln_cuda_take(drv, device, memory->size, &memory->address);
  if (result == KILN_CU_SUCCESS && host)
    result = kiln_cuda_write_now(drv, device, memory->address, host, memory->size);
  kiln_cuda_leave(drv);
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(drv, device, result, report, what);
}

enum kiln_status kiln_cuda_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report) {
  struct kiln_cuda_device *d = &drv->devices[device];
  enum kiln_status status = kiln_cuda_alive(drv, d, report);
  if (status)
    return status;
  if (size > d->memory_bytes)
    return kiln_fail(report, KILN_ERR_MEMORY, "no buffer of %zu bytes on %s, which has %llu", size, d->name,
                     (unsigned long long)d->memory_bytes);
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  *memory = (struct kiln_drv_memory){.device = device, .size = size};
  status = alloc_on(drv, d, memory, host, report);
  if (status)
    kiln_cuda_free(drv, memory);
  else
    *out = memory;
  return status;
}

void kiln_cuda_free(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  struct kiln_cuda_device *device = &drv->devices[memory->device];
  if (memory->address && !memory->is_hosts && !__atomic_load_n(&device->dead, __ATOMIC_ACQUIRE))
    give_back(drv, device, memory->address, memory->size);
  free(memory);
}

void *kiln_cuda_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv, (void)memory;
  return NULL;
}
