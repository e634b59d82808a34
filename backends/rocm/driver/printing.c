// printf and checks that fail: the device's buffer (backends/common/prints.h).
#include <stdlib.h>
#include <string.h>

#include "backends/common/prints.h"
#include "backends/rocm/driver/driver.h"

#define STRING_BYTES 4096 // of a %s argument, at most

enum kiln_status kiln_rocm_print_begin(struct kiln_drv *drv, uint32_t device, struct kiln_report *report) {
  void **buffer = &drv->print_buffers[device];
  hsa_status_t status = HSA_STATUS_SUCCESS;
  size_t size = KILN_PRINTS_HEAD + KILN_PRINTS_BYTES, granule = drv->devices[device].memory_granule;
  if (!*buffer)
    status = drv->hsa.hsa_amd_memory_pool_allocate(drv->devices[device].memory,
                                                   (size + granule - 1) / granule * granule, 0, buffer);
  struct kiln_prints_head head = kiln_prints_begin();
  if (status == HSA_STATUS_SUCCESS)
    status = kiln_rocm_copy_now(drv, device, *buffer, &head, sizeof head, true);
  if (status == HSA_STATUS_SUCCESS)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_MEMORY, "no buffer for printf: %s", kiln_hsa_text(&drv->hsa, status));
}

struct reader {
  struct kiln_drv *drv;
  uint32_t device;
  char text[STRING_BYTES];
};

static bool read_buffer(void *user, uint64_t offset, void *to, size_t size) {
  struct reader *r = user;
  const unsigned char *buffer = r->drv->print_buffers[r->device];
  return kiln_rocm_copy_now(r->drv, r->device, to, (void *)(buffer + offset), size, false) == HSA_STATUS_SUCCESS;
}

// A string in device memory: what of it lies in one allocation.
static const char *read_string(void *user, uint64_t address, size_t *size) {
  struct reader *r = user;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  const void *place = (const void *)(uintptr_t)address;
  if (r->drv->hsa.hsa_amd_pointer_info(place, &info, NULL, NULL, NULL) != HSA_STATUS_SUCCESS || !info.agentBaseAddress)
    return NULL;
  uint64_t offset = address - (uint64_t)(uintptr_t)info.agentBaseAddress;
  if (offset >= info.sizeInBytes)
    return NULL;
  size_t bytes = info.sizeInBytes - offset < STRING_BYTES ? info.sizeInBytes - offset : STRING_BYTES;
  if (kiln_rocm_copy_now(r->drv, r->device, r->text, place, bytes, false) != HSA_STATUS_SUCCESS)
    return NULL;
  const char *end = memchr(r->text, 0, bytes);
  *size = end ? (size_t)(end - r->text) : bytes;
  return r->text;
}

enum kiln_status kiln_rocm_print_end(struct kiln_drv *drv, uint32_t device, const struct kiln_drv_kernel *kernel,
                                     bool *failed, char *message, size_t message_size, struct kiln_report *report) {
  struct reader *reader = calloc(1, sizeof *reader);
  *failed = false;
  if (!reader)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
  reader->drv = drv;
  reader->device = device;
  struct kiln_prints prints = {.config = &drv->config,
                               .places = kernel->module->prints,
                               .places_size = kernel->module->prints_size,
                               .kernel = kernel->name,
                               .read = read_buffer,
                               .string = read_string,
                               .user = reader};
  enum kiln_status status = kiln_prints_end(&prints, failed, message, message_size, report);
  free(reader);
  return status;
}
