// IR to OpenCL C, which is the artifact; the driver's binary is device code.
#include "backends/opencl/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/identity.h"
#include "backends/opencl/driver/driver.h"
#include "backends/opencl/print/print.h"

#define PRINTER_VERSION 6 // changes with the text that the printer makes

enum { NVIDIA_GROUP = 256 }; // what NVIDIA's driver says of every kernel, whatever groups it can run

static const struct kiln_fragment fragments[] = {{"cl", "print", "cl"}, {"bin", "build", "bin"}};

const struct kiln_option kiln_cl_options[KILN_CL_OPTION_COUNT] = {
    {"line", KILN_OPTION_BOOL, "0",
     "write #line into the OpenCL C text, so that the driver's messages name your source", true},
    {"driver-options", KILN_OPTION_STRING, "", "appended to the build options that the device's compiler gets", true},
};

void kiln_cl_caps(const struct kiln_target *target, struct kiln_caps *out) {
  struct cl_features f;
  kiln_cl_features_parse(target->features, &f);
  *out = (struct kiln_caps){
      .fma = f.fma,
      .half_fma = f.fma && f.fp16,
      .fp16 = true, // computed in float where the device only stores it
      .fp64 = f.fp64,
      .int64_atomics = f.int64_base && f.int64_extended,
      .generic_space = f.generic,
      .keep_calls = true,
      .partial_groups = f.partial_groups,
      // OpenCL does not say which work-items make a sub-group, nor how many: each is one of its own.
      .sub_groups = KILN_SUB_GROUPS_SINGLE,
      .max_sub_groups = f.group_size,
      .images = f.images,
  };
}

uint32_t kiln_cl_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                    const struct kiln_fragment **out) {
  (void)options;
  *out = fragments;
  return kiln_cl_is_text(target) ? 1 : sizeof fragments / sizeof *fragments;
}

// ---- identity

enum kiln_status kiln_cl_hash(const struct kiln_target *target, const struct kiln_options *options,
                              struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "opencl %d.%d.%d;printer %d;arch %s;features %s", KILN_VERSION_MAJOR, KILN_VERSION_MINOR,
                     KILN_VERSION_PATCH, PRINTER_VERSION, target->arch, target->features);
  for (uint32_t i = 0; i < KILN_CL_OPTION_COUNT; i++)
    kiln_strbuf_printf(&text, ";%s=%s", kiln_cl_options[i].name, options->values[i]);
  return kiln_identity_end(&text, out, report);
}

void kiln_cl_describe_compiler(const struct kiln_target *target, char *out, size_t size) {
  struct cl_device_list list;
  uint32_t count;
  *out = 0;
  if (kiln_cl_is_text(target) || kiln_cl_target_devices(target, &list, &count, NULL))
    return;
  const struct cl_device *d = &list.items[0];
  snprintf(out, size, "%s, %s, driver %s", d->platform_name, d->platform_version, d->driver);
  kiln_cl_devices_free(&list);
}

// ---- compiling

struct work {
  const struct kiln_compile_job *job;
  struct kiln_report *report;
  struct cl_features features;
  struct cl_printed printed;
  struct kiln_strbuf options;
  uint32_t kernel_count;
  struct kiln_artifact artifact;
};

static void write_options(struct work *w, unsigned version) {
  uint32_t flags = w->job->options.flags;
  const char *standard = version < 200 ? "CL1.2" : w->features.version >= 300 ? "CL3.0" : "CL2.0";
  if (w->features.version < 120)
    standard = "CL1.1";
  kiln_strbuf_printf(&w->options, "-cl-std=%s", standard);
  if (flags & KILN_BUILD_FAST_MATH)
    kiln_strbuf_puts(&w->options, " -cl-fast-relaxed-math");
  if (flags & KILN_BUILD_FTZ)
    kiln_strbuf_puts(&w->options, " -cl-denorms-are-zero");
  if (flags & KILN_BUILD_EXACT_DIV)
    kiln_strbuf_puts(&w->options, " -cl-fp32-correctly-rounded-divide-sqrt");
  if (w->job->options.optimize == 0)
    kiln_strbuf_puts(&w->options, " -cl-opt-disable");
  const char *own = w->job->options.values[KILN_CL_OPTION_DRIVER];
  if (*own)
    kiln_strbuf_printf(&w->options, " %s", own);
}

static enum kiln_status print(struct work *w) {
  const struct kiln_compile_job *job = w->job;
  const char *line = job->options.values[KILN_CL_OPTION_LINES];
  struct cl_print_options options = {
      .features = w->features,
      .device = job->target.arch,
      .lines = strcmp(line, "0") != 0 && strcmp(line, "false") != 0,
      .print_buffer = !kiln_cl_is_text(&job->target),
  };
  enum kiln_status status = kiln_cl_print_module(job->module, &options, &w->printed, w->report);
  if (status)
    return status;
  if (job->start_stage) { // "cl", the only one
    free(w->printed.source);
    w->printed.source = strdup(job->start_data);
    if (!w->printed.source)
      return kiln_fail(w->report, KILN_ERR_MEMORY, "out of memory");
  }
  write_options(w, w->printed.version);
  for (uint32_t i = 0; i < job->module->function_count; i++)
    w->kernel_count += job->module->functions[i]->is_kernel;
  w->artifact.kernels = calloc(w->kernel_count + 1, sizeof *w->artifact.kernels);
  if (!w->artifact.kernels || w->options.failed)
    return kiln_fail(w->report, KILN_ERR_MEMORY, "out of memory");
  if (job->stage)
    job->stage(job->stage_user, fragments[0].name, w->printed.source, strlen(w->printed.source));
  return KILN_OK;
}

static void read_resources(struct work *w, const struct cl_api *api, cl_program program, const struct cl_device *d) {
  cl_device_id device = d->device;
  const char *name = w->printed.names.data;
  for (uint32_t i = 0; i < w->kernel_count; i++, name += strlen(name) + 1) {
    cl_kernel kernel = api->clCreateKernel(program, name, NULL);
    if (!kernel)
      continue;
    cl_ulong local = 0, private = 0;
    size_t group = 0;
    api->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    api->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, NULL);
    api->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (d->is_nvidia && group == NVIDIA_GROUP)
      group = 0;
    w->artifact.kernels[i] = (struct kiln_kernel_resources){
        .local_bytes = (uint32_t)local, .private_bytes = (uint32_t) private, .max_group_size = (uint32_t)group};
    api->clReleaseKernel(kernel);
  }
}

// A program of the text on a context of the target's first device.
struct built {
  struct cl_api api;
  struct cl_device_list list;
  cl_context context;
  cl_program program;
};

static enum kiln_status build_text(struct built *b, const struct kiln_target *target, const char *text,
                                   const char *options, struct kiln_report *report) {
  uint32_t count;
  memset(b, 0, sizeof *b);
  enum kiln_status status = kiln_cl_target_devices(target, &b->list, &count, report);
  if (!status)
    status = kiln_cl_api_open(&b->api, KILN_CL_LIBRARY, report);
  if (status)
    return status;
  const struct cl_device *d = &b->list.items[0];
  cl_int code;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
  b->context = b->api.clCreateContext(properties, 1, &d->device, NULL, NULL, &code);
  return b->context ? kiln_cl_build_source(&b->api, b->context, d->device, text, options, &b->program, report)
                    : kiln_cl_report(report, code, "opening the OpenCL device");
}

static void built_free(struct built *b) {
  if (b->program)
    b->api.clReleaseProgram(b->program);
  if (b->context)
    b->api.clReleaseContext(b->context);
  kiln_cl_devices_free(&b->list);
}

// The driver is asked here already: for its messages, the resources of the kernels, and its binary, which is kept.
static enum kiln_status build(struct work *w) {
  const struct kiln_compile_job *job = w->job;
  struct built b;
  void *binary = NULL;
  size_t size = 0;
  enum kiln_status status = build_text(&b, &job->target, w->printed.source, w->options.data, w->report);
  if (!status && (job->stage || job->device_code))
    status = kiln_cl_read_binary(&b.api, b.program, b.list.items[0].device, &binary, &size, w->report);
  if (!status)
    read_resources(w, &b.api, b.program, &b.list.items[0]);
  if (!status && job->stage)
    job->stage(job->stage_user, fragments[1].name, binary, size);
  if (!status && job->device_code && size) {
    char identity[KILN_CL_IDENTITY];
    kiln_cl_binary_identity(&b.list.items[0], identity, sizeof identity);
    job->device_code(job->device_code_user, &(struct kiln_device_code){identity, binary, size});
  }
  free(binary);
  built_free(&b);
  return status;
}

enum kiln_status kiln_cl_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                 struct kiln_report *report) {
  struct work w = {.job = job, .report = report};
  kiln_cl_features_parse(job->target.features, &w.features);
  enum kiln_status status = print(&w);
  bool text_only = job->stop_after && strcmp(job->stop_after, fragments[0].name) == 0;
  if (!status && !text_only && !kiln_cl_is_text(&job->target))
    status = build(&w);
  if (!status) {
    w.artifact.data = strdup(w.printed.source);
    w.artifact.size = strlen(w.printed.source);
    if (!w.artifact.data)
      status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  }
  if (!status &&
      !kiln_cl_meta_write(&w.printed, w.kernel_count, w.options.data, &w.artifact.meta, &w.artifact.meta_size))
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  if (status) {
    free(w.artifact.data);
    free(w.artifact.kernels);
  } else {
    *out = w.artifact;
  }
  kiln_cl_printed_free(&w.printed);
  kiln_strbuf_free(&w.options);
  return status;
}

// ---- device code

enum kiln_status kiln_cl_device_identity(struct kiln_drv *drv, uint32_t device, const struct kiln_target *target,
                                         char *out, size_t size, struct kiln_report *report) {
  struct cl_device_list list = {0};
  uint32_t count;
  if (!drv && kiln_cl_is_text(target))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the text is for every driver");
  enum kiln_status status = drv ? KILN_OK : kiln_cl_target_devices(target, &list, &count, report);
  if (!status)
    kiln_cl_binary_identity(drv ? &drv->devices[device].info : &list.items[0], out, size);
  kiln_cl_devices_free(&list);
  return status;
}

enum kiln_status kiln_cl_device_code(struct kiln_drv *drv, uint32_t device, struct kiln_drv_module *module,
                                     const struct kiln_target *target, const struct kiln_code *code,
                                     struct kiln_artifact *out, struct kiln_report *report) {
  memset(out, 0, sizeof *out);
  if (drv)
    return kiln_cl_module_binary(module, device, &out->data, &out->size, report);
  char identity[KILN_CL_IDENTITY];
  enum kiln_status status = kiln_cl_device_identity(NULL, 0, target, identity, sizeof identity, report);
  for (uint32_t i = 0; i < code->device_code_count && !status; i++)
    if (strcmp(code->device_codes[i].identity, identity) == 0) // compile has said all of the kernels
      return KILN_OK;
  if (status)
    return status;
  struct cl_meta_view meta;
  struct built b = {.program = NULL};
  char *text = strndup(code->data, code->size);
  if (!text)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  status = kiln_cl_meta_read(code->meta, code->meta_size, &meta)
               ? build_text(&b, target, text, meta.options, report)
               : kiln_fail(report, KILN_ERR_INTERNAL, "the metadata of an OpenCL program is damaged");
  if (!status)
    status = kiln_cl_read_binary(&b.api, b.program, b.list.items[0].device, &out->data, &out->size, report);
  built_free(&b);
  free(text);
  return status;
}
