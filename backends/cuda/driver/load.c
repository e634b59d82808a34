// Programs on devices: PTX becomes one module of CUDA's per device, whose functions are loaded at once, so that no
// launch waits for that.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/state.h"
#include "backends/cuda/driver/driver.h"

#define LOG_BYTES 4096
#define SMALL_SHARED 49152u // bytes of shared memory that a function can use without being asked

// ---- before CUDA is asked

static const struct {
  uint32_t ptx;
  int cuda;
} versions[] = {
#define KILN_PTX(version, cuda) {version, cuda},
#include "backends/cuda/driver/versions.def"
};

static enum kiln_status too_old(const struct kiln_drv *drv, uint32_t ptx, struct kiln_report *report) {
  char needs[32] = "a newer one";
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    if (versions[i].ptx == ptx)
      snprintf(needs, sizeof needs, "CUDA %d.%d", versions[i].cuda / 1000, versions[i].cuda % 1000 / 10);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                   "the driver is too old for the code (PTX %u.%u): it needs a driver for %s, and this one is for %s",
                   (unsigned)ptx / 10, (unsigned)ptx % 10, needs, drv->version_text);
}

static void target_name(uint32_t target, char out[16]) {
  snprintf(out, 16, "sm_%u%s", (unsigned)target & 0xffff, target & KILN_CUDA_META_FEATURES ? "a" : "");
}

static enum kiln_status check_target(const struct kiln_drv *drv, const struct kiln_cuda_meta *meta,
                                     struct kiln_report *report) {
  uint32_t model = meta->target & 0xffff;
  char name[16];
  target_name(meta->target, name);
  for (uint32_t i = 0; i < drv->device_count; i++) {
    const struct kiln_cuda_device *device = &drv->devices[i];
    bool fits = meta->target & KILN_CUDA_META_FEATURES ? device->capability == model : device->capability >= model;
    if (!fits)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "the code is for %s, and %s is an sm_%u", name, device->name,
                       (unsigned)device->capability);
  }
  return KILN_OK;
}

static bool knows_ptx(const struct kiln_drv *drv, uint32_t ptx) {
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    if (versions[i].ptx == ptx && versions[i].cuda > drv->version)
      return false;
  return true;
}

static enum kiln_status check_kernel(const struct kiln_cuda_meta *meta, const struct kiln_drv_kernel *kernel,
                                     struct kiln_report *report) {
  uint32_t limit = meta->version >= 81 && (meta->target & 0xffff) >= 70 ? 32764 : 4352;
  if (kernel->meta->parameter_bytes > limit)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "kernel '%s' has %u bytes of arguments; %u are possible",
                     kernel->name, (unsigned)kernel->meta->parameter_bytes, (unsigned)limit);
  return KILN_OK;
}

static enum kiln_status read_meta(struct kiln_drv *drv, struct kiln_drv_module *module, const struct kiln_code *code,
                                  struct kiln_report *report) {
  module->meta_data = malloc(code->meta_size ? code->meta_size : 1);
  if (!module->meta_data)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  if (code->meta_size)
    memcpy(module->meta_data, code->meta, code->meta_size);
  const char *fault = kiln_cuda_meta_read(module->meta_data, code->meta_size, &module->meta);
  if (!fault && module->meta.kernel_count != code->kernel_count)
    fault = "it has another number of kernels than the program";
  if (fault)
    return kiln_fail(report, KILN_ERR_DEVICE, "the code cannot be loaded: %s", fault);
  enum kiln_status status = check_target(drv, &module->meta, report);
  for (uint32_t k = 0; k < code->kernel_count && !status; k++) {
    struct kiln_drv_kernel *kernel = &module->kernels[k];
    kernel->module = module;
    kernel->meta = &module->meta.kernels[k];
    kernel->name = strdup(code->kernels[k].name);
    status = kernel->name ? check_kernel(&module->meta, kernel, report)
                          : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  }
  return status;
}

// ---- variables of program scope; the context of the device is current

static kiln_cu_result find_variable(struct kiln_drv *drv, kiln_cu_module module, struct kiln_str name,
                                    kiln_cu_pointer *out) {
  char *text = strndup(name.data, name.size);
  size_t size;
  kiln_cu_result result = text ? drv->cuda.module_global(out, &size, module, text) : KILN_CU_OUT_OF_MEMORY;
  free(text);
  return result;
}

// State variables are those of the program whose variant the module is.
static kiln_cu_result address_of(struct kiln_drv *drv, const struct kiln_drv_module *module, uint32_t device,
                                 uint32_t variable, kiln_cu_pointer *out) {
  const struct kiln_drv_module *owner =
      module->variant_of && variable < module->meta.state_count ? module->variant_of : module;
  if (variable >= owner->meta.variable_count)
    return KILN_CU_NOT_FOUND;
  return find_variable(drv, owner->modules[device], owner->meta.variables[variable], out);
}

static kiln_cu_result fill_table(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device) {
  uint32_t count = module->meta.state_count;
  kiln_cu_pointer table, *addresses = calloc(count, sizeof *addresses);
  size_t size;
  kiln_cu_result result = addresses ? KILN_CU_SUCCESS : KILN_CU_OUT_OF_MEMORY;
  for (uint32_t k = 0; k < count && result == KILN_CU_SUCCESS; k++)
    result = address_of(drv, module, device, k, &addresses[k]);
  if (result == KILN_CU_SUCCESS)
    result = drv->cuda.module_global(&table, &size, module->modules[device], KILN_STATE_TABLE);
  if (result == KILN_CU_SUCCESS && size < count * sizeof *addresses)
    result = KILN_CU_INVALID_IMAGE;
  if (result == KILN_CU_SUCCESS)
    result = kiln_cuda_write_now(drv, &drv->devices[device], table, addresses, count * sizeof *addresses);
  free(addresses);
  return result;
}

static kiln_cu_result fill_pointer(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                   const struct kiln_cuda_meta_pointer *pointer) {
  kiln_cu_pointer holder, target;
  if (module->variant_of && pointer->variable < module->meta.state_count)
    return KILN_CU_SUCCESS; // which has it
  kiln_cu_result result = address_of(drv, module, device, pointer->variable, &holder);
  if (result == KILN_CU_SUCCESS)
    result = address_of(drv, module, device, pointer->target, &target);
  if (result != KILN_CU_SUCCESS)
    return result;
  target += pointer->addend;
  return kiln_cuda_write_now(drv, &drv->devices[device], holder + pointer->offset, &target, sizeof target);
}

static enum kiln_status fill_variables(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                       struct kiln_report *report) {
  const struct kiln_cuda_meta *meta = &module->meta;
  bool has_table = meta->flags & KILN_CUDA_META_TABLE && meta->state_count;
  if (!has_table && !meta->pointer_count)
    return KILN_OK;
  if (!drv->cuda.module_global)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libcuda.so.1 is too old: it has no function cuModuleGetGlobal_v2");
  if (module->variant_of && module->variant_of->meta.state_count != meta->state_count)
    return kiln_fail(report, KILN_ERR_DEVICE, "the code cannot be loaded: it has other variables than its program");
  kiln_cu_result result = has_table ? fill_table(drv, module, device) : KILN_CU_SUCCESS;
  for (uint32_t i = 0; i < meta->pointer_count && result == KILN_CU_SUCCESS; i++)
    result = fill_pointer(drv, module, device, &meta->pointers[i]);
  if (result == KILN_CU_SUCCESS)
    return KILN_OK;
  return kiln_cuda_fail(drv, &drv->devices[device], result, report, "filling in the variables of a program");
}

// ---- loading; the context of the device is current

static kiln_cu_result load_function(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                    struct kiln_drv_kernel *kernel) {
  const struct kiln_cuda *cuda = &drv->cuda;
  struct kiln_cuda_entry *entry = &kernel->entries[device];
  char *name = strndup(kernel->meta->name.data, kernel->meta->name.size);
  kiln_cu_result result =
      name ? cuda->module_function(&entry->function, module->modules[device], name) : KILN_CU_OUT_OF_MEMORY;
  free(name);
  if (result == KILN_CU_SUCCESS && cuda->function_load)
    result = cuda->function_load(entry->function);
  int items = 0, shared = 0; // asking is what loads it where there is no function_load
  if (result == KILN_CU_SUCCESS)
    result = cuda->function_attribute(&items, KILN_CU_FUNCTION_MAX_THREADS, entry->function);
  if (result == KILN_CU_SUCCESS)
    result = cuda->function_attribute(&shared, KILN_CU_FUNCTION_SHARED, entry->function);
  entry->max_group_size = (uint32_t)items;
  uint32_t all = drv->devices[device].shared_bytes;
  if (result == KILN_CU_SUCCESS && all > SMALL_SHARED && cuda->function_set)
    result = cuda->function_set(entry->function, KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED, (int)all - shared);
  return result;
}

static enum kiln_status refused(struct kiln_drv *drv, struct kiln_drv_module *module, struct kiln_cuda_device *device,
                                kiln_cu_result result, const char *log, struct kiln_report *report) {
  const char *text = kiln_cuda_text(&drv->cuda, result);
  if (result == KILN_CU_UNSUPPORTED_PTX_VERSION)
    return too_old(drv, module->meta.version, report);
  if (result == KILN_CU_JIT_COMPILER_NOT_FOUND || result == KILN_CU_JIT_COMPILATION_DISABLED)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the driver does not compile PTX: %s", text);
  if (result == KILN_CU_NO_BINARY_FOR_GPU)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "the driver does not take the code for %s: %s", device->name, text);
  if (kiln_cuda_kind(result) != KILN_CUDA_CALL || !*log)
    return kiln_cuda_fail(drv, device, result, report, "loading a program");
  return kiln_fail(report, KILN_ERR_DEVICE, "the driver does not take the code for %s: %s: %.400s", device->name, text,
                   log);
}

// A cubin that is kept needs no driver that knows the PTX.
static enum kiln_status load_image(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                   const struct kiln_code *code, const char *ptx, struct kiln_report *report) {
  char log[LOG_BYTES] = "";
  if (kiln_cuda_load_kept(drv, module, device, code, report))
    return KILN_OK;
  if (!knows_ptx(drv, module->meta.version))
    return too_old(drv, module->meta.version, report);
  kiln_cu_result result = kiln_cuda_load_ptx(drv, module, device, ptx, log, sizeof log - 1);
  return result == KILN_CU_SUCCESS ? KILN_OK : refused(drv, module, &drv->devices[device], result, log, report);
}

static enum kiln_status load_on(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                const struct kiln_code *code, const char *ptx, struct kiln_report *report) {
  struct kiln_cuda_device *d = &drv->devices[device];
  char what[160];
  enum kiln_status status = load_image(drv, module, device, code, ptx, report);
  if (status)
    return status;
  module->loaded++;
  kiln_cu_result result;
  for (uint32_t k = 0; k < module->kernel_count; k++) {
    result = load_function(drv, module, device, &module->kernels[k]);
    if (result != KILN_CU_SUCCESS) {
      snprintf(what, sizeof what, "loading kernel '%.100s'", module->kernels[k].name);
      return kiln_cuda_fail(drv, d, result, report, what);
    }
  }
  return fill_variables(drv, module, device, report);
}

static enum kiln_status load_all(struct kiln_drv *drv, struct kiln_drv_module *module, const struct kiln_code *code,
                                 struct kiln_report *report) {
  char *ptx = malloc(code->size + 1); // with a 0 at its end
  if (!ptx)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program of %zu bytes", code->size);
  memcpy(ptx, code->data, code->size);
  ptx[code->size] = 0;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < drv->device_count && !status; i++) {
    status = kiln_cuda_alive(drv, &drv->devices[i], report);
    if (!status && !kiln_cuda_enter(drv, &drv->devices[i]))
      status = kiln_cuda_fail(drv, &drv->devices[i], KILN_CU_NOT_INITIALIZED, report, "loading a program");
    if (status)
      break;
    status = load_on(drv, module, i, code, ptx, report);
    kiln_cuda_leave(drv);
  }
  free(ptx);
  return status;
}

enum kiln_status kiln_cuda_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                struct kiln_report *report) {
  struct kiln_drv_module *module = calloc(1, sizeof *module + code->kernel_count * sizeof *module->kernels);
  if (!module)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a program");
  module->refs = 1;
  module->kernel_count = code->kernel_count;
  module->variant_of = code->variant_of;
  if (module->variant_of)
    __atomic_add_fetch(&module->variant_of->refs, 1, __ATOMIC_RELAXED);
  enum kiln_status status = read_meta(drv, module, code, report);
  if (!status)
    status = load_all(drv, module, code, report);
  if (status)
    kiln_cuda_unload(drv, module);
  else
    *out = module;
  return status;
}

void kiln_cuda_unload(struct kiln_drv *drv, struct kiln_drv_module *module) {
  if (__atomic_sub_fetch(&module->refs, 1, __ATOMIC_ACQ_REL)) // variants use its variables
    return;
  for (uint32_t i = 0; i < module->loaded; i++) {
    struct kiln_cuda_device *device = &drv->devices[i];
    if (kiln_cuda_frees(device) && kiln_cuda_enter(drv, device)) {
      drv->cuda.module_unload(module->modules[i]);
      kiln_cuda_leave(drv);
    }
  }
  if (module->variant_of)
    kiln_cuda_unload(drv, module->variant_of);
  for (uint32_t k = 0; k < module->kernel_count; k++)
    free((void *)(uintptr_t)module->kernels[k].name);
  for (uint32_t i = 0; i < KILN_CUDA_MAX_DEVICES; i++)
    free(module->made[i].data);
  kiln_cuda_meta_free(&module->meta);
  free(module->meta_data);
  free(module);
}

enum kiln_status kiln_cuda_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                  struct kiln_drv_kernel **out, struct kiln_report *report) {
  (void)drv, (void)report;
  *out = &module->kernels[index];
  return KILN_OK;
}
