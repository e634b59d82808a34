// IR to OpenCL C to the device's binary.
#include "backends/opencl/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/identity.h"
#include "backends/opencl/driver/program.h"
#include "backends/opencl/print/print.h"

#define PRINTER_VERSION 5 // changes with the text that the printer makes

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
  (void)target, (void)options;
  *out = fragments;
  return sizeof fragments / sizeof *fragments;
}

// ---- identity

enum kiln_status kiln_cl_hash(const struct kiln_target *target, const struct kiln_options *options,
                              struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "opencl %d.%d.%d;printer %d;arch %s;features %s", KILN_VERSION_MAJOR, KILN_VERSION_MINOR,
                     KILN_VERSION_PATCH, PRINTER_VERSION, target->arch, target->features);
  for (uint32_t i = 0; i < KILN_CL_OPTION_COUNT; i++)
    kiln_strbuf_printf(&text, ";%s=%s", kiln_cl_options[i].name, options->values[i]);
  if (!kiln_cl_is_text(target)) {
    struct cl_device_list list;
    uint32_t count;
    enum kiln_status status = kiln_cl_target_devices(target, &list, &count, report);
    if (status) {
      kiln_strbuf_free(&text);
      return status;
    }
    const struct cl_device *d = &list.items[0];
    char identity[80];
    kiln_cl_driver_identity(d, identity, sizeof identity);
    kiln_strbuf_printf(&text, ";platform %s;version %s;device %s;driver %s;library %s", d->platform_name,
                       d->platform_version, d->name, d->driver, identity);
    kiln_cl_devices_free(&list);
  }
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

static enum kiln_status read_binary(struct work *w, const struct cl_api *api, cl_program program) {
  size_t size = 0;
  cl_int code = api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  unsigned char *data = malloc(size + 1);
  if (!data)
    return kiln_fail(w->report, KILN_ERR_MEMORY, "out of memory for the device's binary");
  if (code == CL_SUCCESS && size)
    code = api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL);
  if (code != CL_SUCCESS) {
    free(data);
    return kiln_cl_report(w->report, code, "reading the device's binary");
  }
  w->artifact.data = data;
  w->artifact.size = size;
  return KILN_OK;
}

static enum kiln_status build(struct work *w) {
  struct cl_api api;
  struct cl_device_list list;
  uint32_t count;
  enum kiln_status status = kiln_cl_target_devices(&w->job->target, &list, &count, w->report);
  if (!status)
    status = kiln_cl_api_open(&api, KILN_CL_LIBRARY, w->report);
  if (status)
    return status;
  const struct cl_device *d = &list.items[0];
  cl_int code;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)d->platform, 0};
  cl_context context = api.clCreateContext(properties, 1, &d->device, NULL, NULL, &code);
  cl_program program = NULL;
  if (!context)
    status = kiln_cl_report(w->report, code, "opening the OpenCL device");
  if (!status)
    status = kiln_cl_build_source(&api, context, d->device, w->printed.source, w->options.data, &program, w->report);
  if (!status)
    status = read_binary(w, &api, program);
  if (!status)
    read_resources(w, &api, program, d);
  if (program)
    api.clReleaseProgram(program);
  if (context)
    api.clReleaseContext(context);
  kiln_cl_devices_free(&list);
  if (!status && w->job->stage)
    w->job->stage(w->job->stage_user, fragments[1].name, w->artifact.data, w->artifact.size);
  return status;
}

enum kiln_status kiln_cl_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                 struct kiln_report *report) {
  struct work w = {.job = job, .report = report};
  kiln_cl_features_parse(job->target.features, &w.features);
  enum kiln_status status = print(&w);
  bool text_only = job->stop_after && strcmp(job->stop_after, fragments[0].name) == 0;
  if (!status && kiln_cl_is_text(&job->target)) { // the text is all there is to make
    w.artifact.data = strdup(w.printed.source);
    w.artifact.size = strlen(w.printed.source);
    if (!w.artifact.data)
      status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  } else if (!status && !text_only) {
    status = build(&w);
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
