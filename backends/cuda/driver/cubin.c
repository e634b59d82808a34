// What CUDA loads of a program: a cubin that is kept for it, or one that is made of the PTX now and handed over.
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/driver.h"
#include "backends/cuda/driver/exports.h"

// ---- identities

// "550.54.14" of libcuda.so.550.54.14, which libcuda.so.1 is a link to; else the version of CUDA.
void kiln_cuda_read_driver_version(struct kiln_drv *drv) {
  static const char prefix[] = "libcuda.so.";
  Dl_info info;
  char path[PATH_MAX];
  bool found = dladdr((void *)(uintptr_t)drv->cuda.init, &info) && info.dli_fname && realpath(info.dli_fname, path);
  const char *slash = found ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : "";
  const char *version = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : "";
  if (strchr(version, '.'))
    snprintf(drv->driver_text, sizeof drv->driver_text, "driver %.40s", version);
  else
    snprintf(drv->driver_text, sizeof drv->driver_text, "driver for %s", drv->version_text);
}

void kiln_cuda_driver_identity(const struct kiln_drv *drv, uint32_t device, char *out, size_t size) {
  snprintf(out, size, "sm_%u, %s", (unsigned)drv->devices[device].capability, drv->driver_text);
}

// Whether a cubin of ptxas runs on devices of the capability: sm_80's on 8.0, 8.6 …, sm_90a's on 9.0 alone.
static bool fits(const char *identity, uint32_t capability) {
  if (strncmp(identity, "sm_", 3))
    return false;
  char *rest;
  unsigned long number = strtoul(identity + 3, &rest, 10);
  bool is_exact = *rest == 'a';
  if (strncmp(rest + is_exact, ", ptxas ", 8))
    return false;
  return is_exact ? number == capability : number / 10 == capability / 10 && number % 10 <= capability % 10;
}

// CUDA does not ask for the number of bytes: everything that the file's head names must be there.
static bool is_whole(const void *data, size_t size) {
  Elf64_Ehdr head;
  if (size < sizeof head)
    return false;
  memcpy(&head, data, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  bool whole = head.e_shoff <= size && head.e_phoff <= size &&
               (!head.e_shnum || head.e_shentsize == sizeof(Elf64_Shdr)) &&
               (uint64_t)head.e_shnum * sizeof(Elf64_Shdr) <= size - head.e_shoff &&
               (uint64_t)head.e_phnum * head.e_phentsize <= size - head.e_phoff;
  for (uint32_t i = 0; i < head.e_shnum && whole; i++) {
    Elf64_Shdr section;
    memcpy(&section, (const char *)data + head.e_shoff + i * sizeof section, sizeof section);
    whole = section.sh_type == SHT_NOBITS || (section.sh_offset <= size && section.sh_size <= size - section.sh_offset);
  }
  return whole;
}

// ---- loading; the context of the device is current

static kiln_cu_result load_cubin(struct kiln_drv *drv, kiln_cu_module *module, const void *data, size_t size) {
  if (!is_whole(data, size))
    return KILN_CU_INVALID_IMAGE;
  void *copy = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!copy)
    return KILN_CU_OUT_OF_MEMORY;
  memcpy(copy, data, size);
  kiln_cu_result result = drv->cuda.module_load(module, copy, 0, NULL, NULL);
  free(copy);
  return result;
}

// Whether the module could be loaded from the cubin. What is wrong with that is no fault of the program; a context that
// is of no use shows in what comes next.
static bool takes(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                  const struct kiln_device_code *kept, struct kiln_report *report) {
  kiln_cu_result result = load_cubin(drv, &module->modules[device], kept->data, kept->size);
  if (result != KILN_CU_SUCCESS)
    kiln_report_log(report, KILN_LOG_INFO, "%s does not take the cubin that is kept for it (%s): %s",
                    drv->devices[device].name, kept->identity, kiln_cuda_text(&drv->cuda, result));
  return result == KILN_CU_SUCCESS;
}

bool kiln_cuda_load_kept(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                         const struct kiln_code *code, struct kiln_report *report) {
  uint32_t capability = drv->devices[device].capability;
  char identity[128];
  kiln_cuda_driver_identity(drv, device, identity, sizeof identity);
  for (uint32_t i = 0; i < device; i++) { // another of its kind
    const struct kiln_cuda_made *made = &module->made[i];
    if (made->size && drv->devices[i].capability == capability &&
        takes(drv, module, device, &(struct kiln_device_code){identity, made->data, made->size}, report))
      return true;
  }
  for (uint32_t i = 0; i < code->device_code_count; i++)
    if (!strcmp(code->device_codes[i].identity, identity) && takes(drv, module, device, &code->device_codes[i], report))
      return true;
  for (uint32_t i = 0; i < code->device_code_count; i++)
    if (fits(code->device_codes[i].identity, capability) && takes(drv, module, device, &code->device_codes[i], report))
      return true;
  return false;
}

// What is made belongs to the link until that is destroyed.
static kiln_cu_result link_ptx(struct kiln_drv *drv, kiln_cu_link link, const char *ptx, struct kiln_cuda_made *out) {
  void *cubin;
  size_t size;
  kiln_cu_result result = drv->cuda.link_add(link, KILN_CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, strlen(ptx) + 1,
                                             "program", 0, NULL, NULL);
  if (result == KILN_CU_SUCCESS)
    result = drv->cuda.link_complete(link, &cubin, &size);
  if (result != KILN_CU_SUCCESS)
    return result;
  out->data = malloc(size + 1);
  out->size = out->data ? size : 0;
  if (out->data)
    memcpy(out->data, cubin, size);
  return out->data ? KILN_CU_SUCCESS : KILN_CU_OUT_OF_MEMORY;
}

kiln_cu_result kiln_cuda_load_ptx(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                  const char *ptx, char *log, size_t log_size) {
  const struct kiln_cuda *cuda = &drv->cuda;
  struct kiln_cuda_made *made = &module->made[device];
  int names[] = {KILN_CU_JIT_ERROR_LOG, KILN_CU_JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)log_size};
  if (!cuda->link_create || !cuda->link_add || !cuda->link_complete || !cuda->link_destroy)
    return cuda->module_load(&module->modules[device], ptx, 2, names, values);
  kiln_cu_link link;
  kiln_cu_result result = cuda->link_create(2, names, values, &link);
  if (result == KILN_CU_SUCCESS) {
    result = link_ptx(drv, link, ptx, made);
    cuda->link_destroy(link);
  }
  if (result == KILN_CU_SUCCESS)
    result = load_cubin(drv, &module->modules[device], made->data, made->size);
  if (result != KILN_CU_SUCCESS) {
    free(made->data);
    *made = (struct kiln_cuda_made){NULL, 0};
  }
  return result;
}

enum kiln_status kiln_cuda_take_cubin(struct kiln_drv_module *module, uint32_t device, void **data, size_t *size) {
  struct kiln_cuda_made *made = &module->made[device];
  *data = made->data;
  *size = made->size;
  *made = (struct kiln_cuda_made){NULL, 0};
  return KILN_OK;
}
