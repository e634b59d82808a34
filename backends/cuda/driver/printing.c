// printf and checks that fail: the device's buffer (backends/common/prints.h).
#include <stdlib.h>
#include <string.h>

#include "backends/common/prints.h"
#include "backends/cuda/driver/driver.h"

#define STRING_BYTES 4096 // of a %s argument, at most

enum kiln_status kiln_cuda_print_begin(struct kiln_drv *drv, struct kiln_cuda_device *device,
                                       struct kiln_report *report) {
  struct kiln_prints_head head = kiln_prints_begin();
  enum kiln_status status = kiln_cuda_alive(drv, device, report);
  if (status)
    return status;
  kiln_cu_result result = KILN_CU_NOT_INITIALIZED;
  if (kiln_cuda_enter(drv, device)) {
    result = KILN_CU_SUCCESS;
    if (!device->print_buffer)
      result = kiln_cuda_take(drv, device, KILN_PRINTS_HEAD + KILN_PRINTS_BYTES, &device->print_buffer);
    if (result == KILN_CU_SUCCESS)
      result = kiln_cuda_write_now(drv, device, device->print_buffer, &head, sizeof head);
    kiln_cuda_leave(drv);
  }
  return result == KILN_CU_SUCCESS ? KILN_OK : kiln_cuda_fail(drv, device, result, report, "a buffer for printf");
}

struct reader {
  struct kiln_drv *drv;
  struct kiln_cuda_device *device;
  char text[STRING_BYTES];
};

static bool read_buffer(void *user, uint64_t offset, void *to, size_t size) {
  struct reader *r = user;
  return kiln_cuda_read_now(r->drv, r->device, to, r->device->print_buffer + offset, size) == KILN_CU_SUCCESS;
}

// A string in device memory: what of it lies in one allocation or variable.
static const char *read_string(void *user, uint64_t address, size_t *size) {
  struct reader *r = user;
  kiln_cu_pointer base = 0;
  size_t whole = 0;
  if (!r->drv->cuda.address_range || r->drv->cuda.address_range(&base, &whole, address) != KILN_CU_SUCCESS ||
      address - base >= whole)
    return NULL;
  size_t rest = whole - (address - base), bytes = rest < STRING_BYTES ? rest : STRING_BYTES;
  if (kiln_cuda_read_now(r->drv, r->device, r->text, address, bytes) != KILN_CU_SUCCESS)
    return NULL;
  const char *end = memchr(r->text, 0, bytes);
  *size = end ? (size_t)(end - r->text) : bytes;
  return r->text;
}

enum kiln_status kiln_cuda_print_end(struct kiln_drv *drv, struct kiln_cuda_device *device,
                                     const struct kiln_drv_kernel *kernel, bool *failed,
                                     char message[KILN_CUDA_MESSAGE], struct kiln_report *report) {
  struct reader *reader = calloc(1, sizeof *reader);
  *failed = false;
  if (!reader)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
  reader->drv = drv;
  reader->device = device;
  struct kiln_prints prints = {.config = &drv->config,
                               .places = kernel->module->meta.prints,
                               .places_size = kernel->module->meta.prints_size,
                               .kernel = kernel->name,
                               .read = read_buffer,
                               .string = read_string,
                               .user = reader};
  enum kiln_status status = KILN_OK;
  if (kiln_cuda_enter(drv, device)) {
    status = kiln_prints_end(&prints, failed, message, KILN_CUDA_MESSAGE, report);
    kiln_cuda_leave(drv);
  }
  free(reader);
  return status;
}
