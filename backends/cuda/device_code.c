// Device code: cubins, by ptxas where no driver is there, or by the driver that has loaded a program. docs/cuda.md
// describes it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/code/target.h"
#include "backends/cuda/driver/exports.h"
#include "backends/cuda/tool.h"

// ---- the tools

// "12.9.86" of what ptxas --version prints: "… release 12.9, V12.9.86".
static enum kiln_status read_version(const char *path, char *out, size_t size, struct kiln_report *report) {
  static const char *const arguments[] = {"--version", NULL};
  struct kiln_cuda_said said;
  enum kiln_status status = kiln_cuda_run_tool(path, arguments, (struct kiln_str){"", 0}, &said, report);
  const char *at = status ? NULL : strstr(said.made, ", V");
  size_t length = at ? strspn(at + 3, "0123456789.") : 0;
  if (length && length < size)
    snprintf(out, size, "%.*s", (int)length, at + 3);
  else if (!status)
    status = kiln_fail(report, KILN_ERR_COMPILE, "%s does not say which version it has", path);
  kiln_cuda_said_free(&said);
  return status;
}

// Whether a ptxas is too old for the PTX or the target, or so new that it has dropped the target.
static bool is_of_another_age(const char *text) {
  return text && (strstr(text, "Unsupported .version") || strstr(text, "is not defined for option 'gpu-name'"));
}

enum kiln_status kiln_cuda_assemble(const char *arch, struct kiln_str ptx, struct kiln_cuda_said *said,
                                    struct kiln_report *report) {
  const char *const arguments[] = {"-v", "-arch", arch, "<", "-o", ">", NULL};
  char *path;
  memset(said, 0, sizeof *said);
  enum kiln_status status = kiln_cuda_find_tool("ptxas", &path, report);
  if (!status)
    status = kiln_cuda_run_tool(path, arguments, ptx, said, report);
  if (status == KILN_ERR_COMPILE && is_of_another_age(said->text))
    status = KILN_ERR_UNAVAILABLE;
  if (!status && !said->made_size)
    status = kiln_fail(report, KILN_ERR_COMPILE, "%s made nothing of the PTX", path);
  free(path);
  return status;
}

enum kiln_status kiln_cuda_disassemble(struct kiln_str cubin, struct kiln_cuda_said *said, struct kiln_report *report) {
  static const char *const arguments[] = {"-c", "<", NULL};
  char *path;
  memset(said, 0, sizeof *said);
  enum kiln_status status = kiln_cuda_find_tool("nvdisasm", &path, report);
  if (!status)
    status = kiln_cuda_run_tool(path, arguments, cubin, said, report);
  free(path);
  return status;
}

// ---- what ptxas says of kernels

// The number before words in a part of a text; 0: it does not say.
static uint32_t number_before(const char *from, const char *end, const char *words) {
  const char *at = strstr(from, words), *digits = at;
  if (!at || (end && at > end))
    return 0;
  while (digits > from && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  return (uint32_t)strtoul(digits, NULL, 10);
}

static uint32_t group_size_of(const struct kiln_kernel_info *info, const struct kiln_cuda_meta_kernel *kernel) {
  const uint32_t *required = info->required_group_size;
  uint32_t size = required[0] ? required[0] * required[1] * required[2] : kernel->max_group_size;
  return size ? size : KILN_CUDA_COMMON_GROUP;
}

static void read_kernel(const struct kiln_cuda_model *model, const struct kiln_cuda_meta_kernel *kernel,
                        const struct kiln_kernel_info *info, const char *text, struct kiln_kernel_resources *out) {
  *out = (struct kiln_kernel_resources){
      .local_bytes = info->local_bytes, .private_bytes = info->private_bytes, .max_group_size = info->max_group_size};
  struct kiln_strbuf head = {0};
  kiln_strbuf_printf(&head, "entry function '%.*s'", (int)kernel->name.size, kernel->name.data);
  const char *from = head.data ? strstr(text, head.data) : NULL;
  kiln_strbuf_free(&head);
  if (!from)
    return;
  const char *end = strstr(from + 1, "entry function '"), *used = strstr(from, "Used ");
  out->private_bytes = number_before(from, end, " bytes stack frame");
  out->spills = (number_before(from, end, " bytes spill stores") + 3) / 4;
  out->vgprs = used && (!end || used < end) ? (uint32_t)strtoul(used + 5, NULL, 10) : 0;
  out->local_bytes = number_before(from, end, " bytes smem");
  uint32_t group = group_size_of(info, kernel);
  uint32_t warps = kiln_cuda_occupancy(model, group, out->vgprs, out->local_bytes);
  out->waves_per_simd = warps / 4;
  snprintf(out->remark, sizeof out->remark, "%u of %u warps on a multiprocessor, in groups of %u", (unsigned)warps,
           (unsigned)model->warps, (unsigned)group);
}

static enum kiln_status read_kernels(const struct kiln_cuda_model *model, const struct kiln_code *code,
                                     const char *text, struct kiln_artifact *out, struct kiln_report *report) {
  struct kiln_cuda_meta meta;
  const char *fault = kiln_cuda_meta_read(code->meta, code->meta_size, &meta);
  enum kiln_status status = KILN_OK;
  out->kernels = calloc(code->kernel_count + 1, sizeof *out->kernels);
  if (!out->kernels)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  else if (fault || meta.kernel_count != code->kernel_count)
    status = kiln_fail(report, KILN_ERR_INTERNAL, "the metadata cannot be read: %s", fault ? fault : "other kernels");
  for (uint32_t k = 0; k < code->kernel_count && !status; k++)
    read_kernel(model, &meta.kernels[k], &code->kernels[k], text, &out->kernels[k]);
  kiln_cuda_meta_free(&meta);
  return status;
}

// ---- slots

enum kiln_status kiln_cuda_device_identity(struct kiln_drv *drv, uint32_t device, const struct kiln_target *target,
                                           char *out, size_t size, struct kiln_report *report) {
  char *path, version[32];
  if (drv) {
    kiln_cuda_driver_identity(drv, device, out, size);
    return KILN_OK;
  }
  enum kiln_status status = kiln_cuda_find_tool("ptxas", &path, report);
  if (!status)
    status = read_version(path, version, sizeof version, report);
  if (!status)
    snprintf(out, size, "%s, ptxas %s", target->arch, version);
  free(path);
  return status;
}

enum kiln_status kiln_cuda_device_code(struct kiln_drv *drv, uint32_t device, struct kiln_drv_module *module,
                                       const struct kiln_target *target, const struct kiln_code *code,
                                       struct kiln_artifact *out, struct kiln_report *report) {
  struct kiln_cuda_said said;
  memset(out, 0, sizeof *out);
  if (drv)
    return kiln_cuda_take_cubin(module, device, &out->data, &out->size);
  enum kiln_status status = kiln_cuda_assemble(target->arch, (struct kiln_str){code->data, code->size}, &said, report);
  if (!status)
    status = read_kernels(kiln_cuda_model_of(target), code, said.text, out, report);
  if (!status) {
    out->data = said.made;
    out->size = said.made_size;
    said.made = NULL;
  } else {
    free(out->kernels);
    memset(out, 0, sizeof *out);
  }
  kiln_cuda_said_free(&said);
  return status;
}
