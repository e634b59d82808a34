// Code objects on devices: one executable per device, and the kernels that are found in it by name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/state.h"
#include "backends/rocm/driver/driver.h"

// ---- variables of program scope

static hsa_status_t find_variable(struct kiln_drv *drv, const struct kiln_drv_module *module, uint32_t device,
                                  const char *name, uint64_t *address) {
  hsa_executable_symbol_t symbol;
  hsa_status_t status = drv->hsa.hsa_executable_get_symbol_by_name(module->executables[device], name,
                                                                   &drv->devices[device].agent, &symbol);
  return status == HSA_STATUS_SUCCESS
             ? drv->hsa.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, address)
             : status;
}

static hsa_status_t find_state(struct kiln_drv *drv, const struct kiln_drv_module *module, uint32_t device,
                               uint32_t number, uint64_t *address) {
  char name[KILN_STATE_NAME_SIZE];
  snprintf(name, sizeof name, KILN_STATE_NAME, number);
  return find_variable(drv, module, device, name, address);
}

// Fills in the table of code for a variant. Other code has no table.
static enum kiln_status fill_table(struct kiln_drv *drv, const struct kiln_drv_module *module, uint32_t device,
                                   struct kiln_report *report) {
  const struct kiln_drv_module *owner = module->variant_of ? module->variant_of : module;
  uint64_t table, address;
  uint32_t count = 0;
  if (find_variable(drv, module, device, KILN_STATE_TABLE, &table) != HSA_STATUS_SUCCESS)
    return KILN_OK;
  while (find_state(drv, module, device, count, &address) == HSA_STATUS_SUCCESS)
    count++;
  uint64_t *addresses = malloc((count + 1) * sizeof *addresses);
  if (!addresses)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the addresses of %u variables", count);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for (uint32_t k = 0; k < count && status == HSA_STATUS_SUCCESS; k++)
    status = find_state(drv, owner, device, k, &addresses[k]);
  if (status == HSA_STATUS_SUCCESS)
    status = kiln_rocm_copy_now(drv, device, (void *)(uintptr_t)table, addresses, count * sizeof *addresses, true);
  free(addresses);
  if (status == HSA_STATUS_SUCCESS)
    return KILN_OK;
  return kiln_fail(report, KILN_ERR_DEVICE, "the variables of a program cannot be filled in: %s",
                   kiln_hsa_text(&drv->hsa, status));
}

// ---- loading

static enum kiln_status load_on(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                hsa_code_object_reader_t reader, struct kiln_report *report) {
  const struct kiln_hsa *hsa = &drv->hsa;
  hsa_executable_t *executable = &module->executables[device];
  hsa_agent_t agent = drv->devices[device].agent;
  hsa_status_t status =
      hsa->hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, executable);
  if (status == HSA_STATUS_SUCCESS) {
    module->loaded++;
    status = hsa->hsa_executable_load_agent_code_object(*executable, agent, reader, NULL, NULL);
  }
  if (status == HSA_STATUS_SUCCESS)
    status = hsa->hsa_executable_freeze(*executable, NULL);
  if (status != HSA_STATUS_SUCCESS)
    return kiln_fail(report, KILN_ERR_DEVICE, "libhsa-runtime64 does not load the code object for %s on %s: %s",
                     module->object.target, drv->devices[device].isa, kiln_hsa_text(hsa, status));
  for (uint32_t k = 0; k < module->kernel_count && status == HSA_STATUS_SUCCESS; k++) {
    struct kiln_drv_kernel *kernel = &module->kernels[k];
    struct kiln_rocm_entry *entry = &kernel->entries[device];
    hsa_executable_symbol_t symbol;
    status = hsa->hsa_executable_get_symbol_by_name(*executable, kernel->code->symbol, &agent, &symbol);
    if (status == HSA_STATUS_SUCCESS)
      status = hsa->hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &entry->object);
    if (status == HSA_STATUS_SUCCESS)
      status = hsa->hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                                   &entry->local_bytes);
    if (status == HSA_STATUS_SUCCESS)
      status = hsa->hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                                   &entry->private_bytes);
    if (status != HSA_STATUS_SUCCESS)
      return kiln_fail(report, KILN_ERR_DEVICE, "libhsa-runtime64 does not find the kernel '%s': %s", kernel->name,
                       kiln_hsa_text(hsa, status));
  }
  return fill_table(drv, module, device, report);
}

static enum kiln_status read_code(struct kiln_drv_module *module, const struct kiln_code *code,
                                  struct kiln_report *report) {
  module->code = malloc(code->size ? code->size : 1);
  module->prints = code->meta_size ? malloc(code->meta_size) : NULL;
  if (!module->code || (code->meta_size && !module->prints))
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program of %zu bytes", code->size);
  memcpy(module->code, code->data, code->size);
  if (code->meta_size)
    memcpy(module->prints, code->meta, code->meta_size);
  module->prints_size = code->meta_size;
  const char *fault = kiln_rocm_object_read(module->code, code->size, &module->object);
  if (fault)
    return kiln_fail(report, module->object.no_memory ? KILN_ERR_MEMORY : KILN_ERR_DEVICE,
                     "the code object cannot be loaded: %s", fault);
  for (uint32_t k = 0; k < code->kernel_count; k++) {
    struct kiln_drv_kernel *kernel = &module->kernels[k];
    kernel->module = module;
    kernel->code = kiln_rocm_object_find(&module->object, code->kernels[k].name);
    if (!kernel->code)
      return kiln_fail(report, KILN_ERR_DEVICE, "the code object has no kernel '%s'", code->kernels[k].name);
    kernel->name = kernel->code->name;
  }
  return KILN_OK;
}

enum kiln_status kiln_rocm_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                struct kiln_report *report) {
  struct kiln_drv_module *module = calloc(1, sizeof *module + code->kernel_count * sizeof *module->kernels);
  if (!module)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  module->refs = 1;
  module->kernel_count = code->kernel_count;
  module->variant_of = code->variant_of;
  if (module->variant_of)
    __atomic_add_fetch(&module->variant_of->refs, 1, __ATOMIC_RELAXED);
  enum kiln_status status = read_code(module, code, report);
  hsa_code_object_reader_t reader;
  if (!status) {
    hsa_status_t made = drv->hsa.hsa_code_object_reader_create_from_memory(module->code, code->size, &reader);
    if (made != HSA_STATUS_SUCCESS)
      status = kiln_fail(report, KILN_ERR_DEVICE, "libhsa-runtime64 does not read the code object: %s",
                         kiln_hsa_text(&drv->hsa, made));
    for (uint32_t i = 0; i < drv->device_count && !status; i++)
      status = load_on(drv, module, i, reader, report);
    if (made == HSA_STATUS_SUCCESS)
      drv->hsa.hsa_code_object_reader_destroy(reader);
  }
  if (status) {
    kiln_rocm_unload(drv, module);
    return status;
  }
  *out = module;
  return KILN_OK;
}

void kiln_rocm_unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  if (__atomic_sub_fetch(&module->refs, 1, __ATOMIC_ACQ_REL)) // variants use its variables
    return;
  for (uint32_t i = 0; i < module->loaded; i++)
    drv->hsa.hsa_executable_destroy(module->executables[i]);
  if (module->variant_of)
    kiln_rocm_unload(drv, module->variant_of);
  kiln_rocm_object_free(&module->object);
  free(module->prints);
  free(module->code);
  free(module);
}

enum kiln_status kiln_rocm_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                  struct kiln_drv_kernel **out, struct kiln_report *report) {
  (void)drv;
  (void)report;
  *out = &module->kernels[index];
  return KILN_OK;
}
