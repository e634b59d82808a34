// Text of printf: the device's buffer (prints.h) is read back and formatted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/host/printf.h"
#include "backends/rocm/code/prints.h"
#include "backends/rocm/driver/driver.h"

#define STRING_BYTES 4096 // of a %s argument, at most

enum kiln_status kiln_rocm_print_begin(struct kiln_drv *drv, uint32_t device, struct kiln_report *report) {
  void **buffer = &drv->print_buffers[device];
  hsa_status_t status = HSA_STATUS_SUCCESS;
  size_t size = KILN_ROCM_PRINT_HEAD + KILN_ROCM_PRINT_BYTES, granule = drv->devices[device].memory_granule;
  if (!*buffer)
    status = drv->hsa.hsa_amd_memory_pool_allocate(drv->devices[device].memory,
                                                   (size + granule - 1) / granule * granule, 0, buffer);
  uint64_t head[KILN_ROCM_PRINT_HEAD / 8] = {0, KILN_ROCM_PRINT_BYTES};
  if (status == HSA_STATUS_SUCCESS)
    status = kiln_rocm_copy_now(drv, device, *buffer, head, sizeof head, true);
  if (status == HSA_STATUS_SUCCESS)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_MEMORY, "no buffer for printf: %s", kiln_hsa_text(&drv->hsa, status));
}

struct strings {
  struct kiln_drv *drv;
  uint32_t device;
  char text[STRING_BYTES];
};

// A string in device memory: what of it lies in one allocation.
static const char *read_string(void *user, uint64_t address, size_t *size) {
  struct strings *strings = user;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  const void *place = (const void *)(uintptr_t)address;
  if (strings->drv->hsa.hsa_amd_pointer_info(place, &info, NULL, NULL, NULL) != HSA_STATUS_SUCCESS ||
      !info.agentBaseAddress)
    return NULL;
  uint64_t offset = address - (uint64_t)(uintptr_t)info.agentBaseAddress;
  if (offset >= info.sizeInBytes)
    return NULL;
  size_t bytes = info.sizeInBytes - offset < STRING_BYTES ? info.sizeInBytes - offset : STRING_BYTES;
  if (kiln_rocm_copy_now(strings->drv, strings->device, strings->text, place, bytes, false) != HSA_STATUS_SUCCESS)
    return NULL;
  const char *end = memchr(strings->text, 0, bytes);
  *size = end ? (size_t)(end - strings->text) : bytes;
  return strings->text;
}

// The description of a place; false: the metadata is damaged.
static bool find_place(const struct kiln_drv_module *module, uint32_t number, struct kiln_printf_call *call) {
  const unsigned char *data = module->prints;
  size_t at = 8;
  uint32_t head[2], place[2];
  if (module->prints_size < at)
    return false;
  memcpy(head, data, sizeof head);
  if (head[0] != KILN_ROCM_PRINT_MAGIC || number >= head[1])
    return false;
  for (uint32_t i = 0;; i++) {
    if (module->prints_size - at < sizeof place)
      return false;
    memcpy(place, data + at, sizeof place);
    at += sizeof place;
    uint64_t types = 4 * (uint64_t)place[0], format = ((uint64_t)place[1] + 3) / 4 * 4;
    if (types + format > module->prints_size - at)
      return false;
    if (i == number) {
      call->types = (const kiln_type *)(const void *)(data + at);
      call->count = place[0];
      call->format = (const char *)data + at + types;
      call->format_size = place[1];
      return true;
    }
    at += types + format;
  }
}

// False: there was no memory for the text, and nothing was printed.
static bool print_records(struct strings *strings, const struct kiln_drv_module *module, const unsigned char *data,
                          uint64_t size) {
  struct kiln_strbuf text = {0};
  for (uint64_t at = 0; size - at >= 8;) {
    uint32_t record[2];
    struct kiln_printf_call call = {.string = read_string, .user = strings, .args = data + at + 8};
    memcpy(record, data + at, sizeof record);
    if (record[0] < 8 || record[0] > size - at || !find_place(module, record[1], &call) ||
        kiln_printf_args_bytes(&call) > record[0] - 8)
      break;
    kiln_printf_format(&text, &call);
    at += record[0];
  }
  return kiln_printf_put(&strings->drv->config, &text);
}

// Why the kernel failed. The text of a place is a format without arguments.
static bool tell_failure(const struct kiln_drv_kernel *kernel, uint64_t place, char *message, size_t size) {
  struct kiln_printf_call call = {0};
  struct kiln_strbuf text = {0};
  if (!place || place > UINT32_MAX || !find_place(kernel->module, (uint32_t)(place - 1), &call))
    return false;
  call.count = 0;
  kiln_printf_format(&text, &call);
  snprintf(message, size, "kernel '%s' failed: %.400s", kernel->name, text.failed || !text.size ? "" : text.data);
  kiln_strbuf_free(&text);
  return true;
}

enum kiln_status kiln_rocm_print_end(struct kiln_drv *drv, uint32_t device, const struct kiln_drv_kernel *kernel,
                                     bool *failed, char *message, size_t message_size, struct kiln_report *report) {
  const struct kiln_drv_module *module = kernel->module;
  unsigned char *buffer = drv->print_buffers[device];
  uint64_t head[KILN_ROCM_PRINT_HEAD / 8];
  *failed = false;
  if (kiln_rocm_copy_now(drv, device, head, buffer, sizeof head, false) != HSA_STATUS_SUCCESS)
    return KILN_OK;
  *failed = tell_failure(kernel, head[KILN_ROCM_PRINT_FAILED / 8], message, message_size);
  if (!head[0])
    return KILN_OK;
  uint64_t size = head[0] < KILN_ROCM_PRINT_BYTES ? head[0] : KILN_ROCM_PRINT_BYTES;
  unsigned char *data = calloc(1, size);
  struct strings *strings = calloc(1, sizeof *strings);
  bool ok = data && strings;
  if (ok && kiln_rocm_copy_now(drv, device, data, buffer + KILN_ROCM_PRINT_HEAD, size, false) == HSA_STATUS_SUCCESS) {
    strings->drv = drv;
    strings->device = device;
    ok = print_records(strings, module, data, size);
    if (head[0] > KILN_ROCM_PRINT_BYTES && drv->config.log)
      drv->config.log(drv->config.log_user, KILN_LOG_WARNING,
                      "printf: the buffer of 1 MiB was full, and text was lost");
  }
  free(data);
  free(strings);
  return ok ? KILN_OK : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
}
