// The compile side of the cuda backend: identity of the compiler without loading it, compiles by way of kiln-llvm.so,
// and what the metadata says about the kernels. No device, no driver and no toolkit is needed.
#include "backends/cuda/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/identity.h"
#include "backends/common/llvm.h"
#include "backends/cuda/code/meta.h"
#include "backends/cuda/code/target.h"
#include "backends/cuda/tool.h"
#include "base/str.h"

// Raised when generated code changes for a reason that no build id shows.
#define CODE_VERSION "1"

enum { HIDDEN_BYTES = 96, HIDDEN_ALIGN = 8 };

const struct kiln_option kiln_cuda_options[KILN_CUDA_OPTION_COUNT] = {
    [KILN_CUDA_LAUNCHES] = {"launches", KILN_OPTION_STRING, "common",
                            "any: code also for launches with an offset, partial groups or ids of 2^31 and more; "
                            "common: they get it when there is one",
                            true},
    [KILN_CUDA_MAX_GROUP_SIZE] =
        {"max-group-size", KILN_OPTION_INT, "0",
         "largest work-group of kernels that do not say (1 to 1024): smaller leaves more registers; "
         "0: 256, and once more for launches with larger groups",
         true},
    [KILN_CUDA_MAX_REGISTERS] = {"max-registers", KILN_OPTION_INT, "0",
                                 "most registers of a work-item (16 to 255); 0: as many as the group leaves", true},
};

// ---- stages

static const char *const pipelines[4] = {
#define KILN_PIPELINE(level, text) [level] = text,
#include "backends/common/nvptx_pipelines.def"
};

// The last two are made of the artifact, when they are asked for.
#define FRAGMENT_COUNT 4
static const struct kiln_fragment fragments[4][FRAGMENT_COUNT] = {
#define KILN_PIPELINE(level, text)                                                                                     \
  [level] = {{"ll", text, "ll"}, {"ptx", "codegen", "ptx"}, {"bin", "ptxas", "cubin"}, {"dis", "nvdisasm", "dis"}},
#include "backends/common/nvptx_pipelines.def"
};

uint32_t kiln_cuda_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                      const struct kiln_fragment **out) {
  (void)target;
  *out = fragments[options->optimize & 3];
  return FRAGMENT_COUNT;
}

uint32_t kiln_cuda_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target, (void)out, (void)capacity;
  return 0;
}

enum kiln_status kiln_cuda_hash(const struct kiln_target *target, const struct kiln_options *options,
                                struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf record = {0};
  enum kiln_status status = kiln_llvm_identity(&record, report);
  if (status)
    return status;
  kiln_identity_add(&record, "code", CODE_VERSION);
  kiln_identity_add(&record, "passes", pipelines[options->optimize & 3]);
  kiln_identity_add_request(&record, target, options, KILN_CUDA_OPTION_COUNT);
  return kiln_identity_end(&record, out, report);
}

// ---- parameters

static uint64_t align_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

// Bytes of the parameters of a kernel, with the hidden block.
static uint64_t parameter_bytes(const struct kiln_function *fn) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    uint64_t lanes = kiln_type_lanes(param->type) == 3 ? 4 : kiln_type_lanes(param->type);
    uint64_t size = kiln_type_bytes(kiln_type_element(param->type)) * lanes, align = size;
    if (param->byval_bytes) {
      size = param->byval_bytes;
      align = param->align ? param->align : 8;
    } else if (kiln_type_kind(param->type) == KILN_PTR) {
      size = align = kiln_type_space(param->type) == KILN_LOCAL ? 4 : 8;
    }
    bytes = align_up(bytes, align ? align : 1) + size;
  }
  return align_up(bytes, HIDDEN_ALIGN) + HIDDEN_BYTES;
}

// The most that a kernel of the module has.
static enum kiln_status check_parameters(const struct kiln_compile_job *job, const struct kiln_cuda_model *model,
                                         uint64_t *most, struct kiln_report *report) {
  uint32_t limit = kiln_cuda_max_parameters(model);
  for (uint32_t i = 0; i < job->module->function_count; i++) {
    const struct kiln_function *fn = job->module->functions[i];
    uint64_t bytes = fn->is_kernel ? parameter_bytes(fn) : 0;
    if (bytes > limit)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                       "'%s' has %llu bytes of arguments, with %d hidden ones; %s takes at most %u", fn->name,
                       (unsigned long long)bytes, HIDDEN_BYTES, model->name, limit);
    *most = bytes > *most ? bytes : *most;
  }
  return KILN_OK;
}

// ---- what was made

// The stack frame of the entry: what LLVM declares as its depot.
static uint32_t frame_bytes(const struct kiln_artifact *artifact, struct kiln_str entry) {
  const char *text = artifact->data;
  struct kiln_strbuf pattern = {0};
  kiln_strbuf_printf(&pattern, ".entry %.*s(", (int)entry.size, entry.data);
  const char *from = pattern.data ? strstr(text, pattern.data) : NULL;
  kiln_strbuf_free(&pattern);
  const char *end = from ? strstr(from, "\n}") : NULL, *depot = from ? strstr(from, "__local_depot") : NULL;
  const char *bracket = depot && end && depot < end ? strchr(depot, '[') : NULL;
  return bracket ? (uint32_t)strtoul(bracket + 1, NULL, 10) : 0;
}

static enum kiln_status describe(const struct kiln_compile_job *job, bool any_group, struct kiln_artifact *out,
                                 struct kiln_report *report) {
  const struct kiln_module *ir = job->module;
  struct kiln_cuda_meta meta;
  const char *fault = kiln_cuda_meta_read(out->meta, out->meta_size, &meta);
  out->kernels = calloc(ir->function_count + 1, sizeof *out->kernels);
  enum kiln_status status = KILN_OK;
  if (fault)
    status = kiln_fail(report, KILN_ERR_INTERNAL, "the metadata cannot be read: %s", fault);
  else if (!out->kernels)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  uint32_t k = 0;
  for (uint32_t i = 0; i < ir->function_count && !status; i++) {
    if (!ir->functions[i]->is_kernel || k == meta.kernel_count)
      continue;
    const struct kiln_cuda_meta_kernel *kernel = &meta.kernels[k];
    out->kernels[k++] = (struct kiln_kernel_resources){
        .local_bytes = kernel->local_bytes,
        .private_bytes = frame_bytes(out, kernel->name),
        .max_group_size = any_group && !ir->functions[i]->required_group_size[0] ? 0 : kernel->max_group_size,
    };
  }
  kiln_cuda_meta_free(&meta);
  return status;
}

// ---- beyond the artifact

static enum kiln_status tell_device_code(const struct kiln_compile_job *job, const struct kiln_artifact *artifact,
                                         struct kiln_report *report) {
  const char *wanted = job->stop_after ? job->stop_after : "";
  bool dis = strcmp(wanted, "dis") == 0;
  if (!job->stage || (!dis && strcmp(wanted, "bin") != 0))
    return KILN_OK;
  struct kiln_cuda_said cubin, text = {.made = NULL};
  enum kiln_status status =
      kiln_cuda_assemble(job->target.arch, (struct kiln_str){artifact->data, artifact->size}, &cubin, report);
  if (!status)
    job->stage(job->stage_user, "bin", cubin.made, cubin.made_size);
  if (!status && dis)
    status = kiln_cuda_disassemble((struct kiln_str){cubin.made, cubin.made_size}, &text, report);
  if (!status && dis)
    job->stage(job->stage_user, "dis", text.made, text.made_size);
  kiln_cuda_said_free(&cubin);
  kiln_cuda_said_free(&text);
  return status;
}

// ---- compiling

static enum kiln_status number_option(const struct kiln_options *options, enum kiln_cuda_option option, long least,
                                      long most, uint32_t *out, struct kiln_report *report) {
  long value = strtol(options->values[option], NULL, 10);
  if (value && (value < least || value > most))
    return kiln_fail(report, KILN_ERR_INVALID, "--kiln-%s must be 0, or from %ld to %ld",
                     kiln_cuda_options[option].name, least, most);
  *out = (uint32_t)value;
  return KILN_OK;
}

static enum kiln_status launches_option(const struct kiln_options *options, bool *any, struct kiln_report *report) {
  const char *value = options->values[KILN_CUDA_LAUNCHES];
  *any = !strcmp(value, "any");
  if (!*any && strcmp(value, "common"))
    return kiln_fail(report, KILN_ERR_INVALID, "--kiln-launches must be common or any");
  return KILN_OK;
}

enum kiln_status kiln_cuda_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                   struct kiln_report *report) {
  const struct kiln_llvm_api *api;
  const struct kiln_cuda_model *model = kiln_cuda_model_of(&job->target);
  uint32_t max_group = 0, registers = 0;
  uint64_t parameters = 0;
  bool any = false;
  memset(out, 0, sizeof *out);
  enum kiln_status status = launches_option(&job->options, &any, report);
  if (!status)
    status = number_option(&job->options, KILN_CUDA_MAX_GROUP_SIZE, 1, KILN_CUDA_MAX_GROUP, &max_group, report);
  if (!status)
    status = number_option(&job->options, KILN_CUDA_MAX_REGISTERS, 16, 255, &registers, report);
  if (!status)
    status = check_parameters(job, model, &parameters, report);
  if (!status)
    status = kiln_llvm_load(&api, report);
  if (status)
    return status;
  uint32_t version = kiln_cuda_version_for(model, (uint32_t)parameters, job->options.flags & KILN_BUILD_DEBUG_INFO);
  char features[16];
  snprintf(features, sizeof features, "+ptx%u", version);
  struct kiln_llvm_machine machine = {
      .family = KILN_LLVM_NVPTX,
      .triple = "nvptx64-nvidia-cuda",
      .processor = model->name,
      .features = features,
      .lanes = 1,
      .half_conversion = true,
      .native_half = model->number >= 53,
      .dot_signs = model->number >= 61 ? 0xf : 0,
      .nvptx =
          {
              .sm = model->number,
              .own = model->features,
              .version = version,
              .any_launch = any,
              .shares_state = any || max_group,
              .max_group_size = max_group ? max_group : KILN_CUDA_COMMON_GROUP,
              .max_registers = registers,
          },
  };
  status = api->compile(&machine, job, out, report);
  if (!status && out->data)
    status = describe(job, !max_group, out, report);
  if (!status && out->data)
    status = tell_device_code(job, out, report);
  if (status) {
    free(out->data);
    free(out->meta);
    free(out->kernels);
    memset(out, 0, sizeof *out);
  }
  return status;
}
