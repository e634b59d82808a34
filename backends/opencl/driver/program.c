// Building programs.
#include "backends/opencl/driver/program.h"

#include <stdlib.h>
#include <string.h>

// ---- metadata

static char *put(char *at, const void *data, size_t size) {
  if (size)
    memcpy(at, data, size);
  return at + size;
}

bool kiln_cl_meta_write(const struct cl_printed *printed, uint32_t kernel_count, const char *options, void **out,
                        size_t *out_size) {
  const struct kiln_strbuf *names = &printed->names, *prints = &printed->prints, *args = &printed->args;
  struct cl_meta meta = {.magic = CL_META_MAGIC,
                         .kernel_count = kernel_count,
                         .prints_size = (uint32_t)prints->size,
                         .names_size = (uint32_t)names->size,
                         .options_size = (uint32_t)strlen(options) + 1,
                         .args_size = (uint32_t)args->size};
  size_t size = sizeof meta + meta.prints_size + meta.names_size + meta.args_size + meta.options_size;
  char *data = malloc(size);
  if (!data || names->failed || prints->failed || args->failed) {
    free(data);
    return false;
  }
  char *at = put(data, &meta, sizeof meta);
  at = put(at, prints->data, prints->size);
  at = put(at, names->data, names->size);
  at = put(at, args->data, args->size);
  put(at, options, meta.options_size);
  *out = data;
  *out_size = size;
  return true;
}

// Whether there are so many texts, each with its NUL.
static bool has_texts(const char *data, uint32_t size, uint32_t wanted) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < size; i++)
    count += data[i] == 0;
  return count == wanted && (!size || !data[size - 1]);
}

bool kiln_cl_meta_read(const void *data, size_t size, struct cl_meta_view *out) {
  struct cl_meta meta;
  if (!data || size < sizeof meta)
    return false;
  memcpy(&meta, data, sizeof meta);
  uint64_t total = (uint64_t)sizeof meta + meta.prints_size + meta.names_size + meta.args_size + meta.options_size;
  if (memcmp(meta.magic, CL_META_MAGIC, sizeof meta.magic) || total != size || !meta.options_size ||
      meta.prints_size % 4 || meta.zero)
    return false;
  const char *prints = (const char *)data + sizeof meta, *names = prints + meta.prints_size;
  const char *args = names + meta.names_size, *options = args + meta.args_size;
  if (!has_texts(names, meta.names_size, meta.kernel_count) ||
      (meta.args_size && !has_texts(args, meta.args_size, meta.kernel_count)) || options[meta.options_size - 1] ||
      (meta.prints_size && meta.prints_size / 4 < (uint64_t)meta.kernel_count + 2))
    return false;
  *out = (struct cl_meta_view){.prints = meta.prints_size ? (const uint32_t *)(const void *)prints : NULL,
                               .prints_size = meta.prints_size,
                               .names = names,
                               .args = meta.args_size ? args : NULL,
                               .options = options,
                               .kernel_count = meta.kernel_count};
  return true;
}

bool kiln_cl_meta_prints(const struct cl_meta_view *meta, uint32_t index) {
  return meta->prints && meta->prints[2 + index];
}

static const char *text_at(const char *texts, uint32_t index) {
  while (index--)
    texts += strlen(texts) + 1;
  return texts;
}

const char *kiln_cl_meta_name(const struct cl_meta_view *meta, uint32_t index) { return text_at(meta->names, index); }

const char *kiln_cl_meta_args(const struct cl_meta_view *meta, uint32_t index) {
  return meta->args ? text_at(meta->args, index) : NULL;
}

// ---- building

static enum kiln_status build_failed(const struct cl_api *api, cl_program program, cl_device_id device, cl_int code,
                                     struct kiln_report *report) {
  size_t size = 0;
  api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = calloc(1, size + 1);
  if (log && size)
    api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  while (log && size && (log[size - 1] == 0 || log[size - 1] == '\n'))
    log[--size] = 0;
  enum kiln_status status = kiln_cl_error_status(code);
  if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS)
    status = kiln_fail(report, KILN_ERR_COMPILE, "the device's compiler refused the OpenCL C text%s%s",
                       log && *log ? ":\n" : " and gave no reason", log ? log : "");
  else
    status = kiln_cl_report(report, code, "building the OpenCL program");
  free(log);
  return status;
}

enum kiln_status kiln_cl_build_source(const struct cl_api *api, cl_context context, cl_device_id device,
                                      const char *source, const char *options, cl_program *out,
                                      struct kiln_report *report) {
  cl_int code;
  cl_program program = api->clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (!program)
    return kiln_cl_report(report, code, "creating the OpenCL program");
  code = api->clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (code != CL_SUCCESS) {
    enum kiln_status status = build_failed(api, program, device, code, report);
    api->clReleaseProgram(program);
    return status;
  }
  *out = program;
  return KILN_OK;
}

enum kiln_status kiln_cl_build_binary(const struct cl_api *api, cl_context context, cl_device_id device,
                                      const void *data, size_t size, const char *options, cl_program *out) {
  cl_int code, accepted = CL_SUCCESS;
  const unsigned char *bytes = data;
  if (!size)
    return KILN_ERR_INVALID;
  cl_program program = api->clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &accepted, &code);
  if (!program)
    return KILN_ERR_INVALID;
  if (code != CL_SUCCESS || accepted != CL_SUCCESS ||
      api->clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
    api->clReleaseProgram(program);
    return KILN_ERR_INVALID;
  }
  *out = program;
  return KILN_OK;
}

// A program may be one for several devices: what is wanted of the others has no place to go.
enum kiln_status kiln_cl_read_binary(const struct cl_api *api, cl_program program, cl_device_id device, void **data,
                                     size_t *size, struct kiln_report *report) {
  cl_uint count = 0;
  cl_int code = api->clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL);
  cl_device_id *devices = calloc(count + 1, sizeof *devices);
  size_t *sizes = calloc(count + 1, sizeof *sizes);
  unsigned char **binaries = calloc(count + 1, sizeof *binaries);
  enum kiln_status status = KILN_OK;
  uint32_t at = 0;
  if (!devices || !sizes || !binaries)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the device's binary");
  if (!status && code == CL_SUCCESS)
    code = api->clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof *devices, devices, NULL);
  if (!status && code == CL_SUCCESS)
    code = api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL);
  while (!status && at < count && devices[at] != device)
    at++;
  if (!status && code == CL_SUCCESS && at < count && sizes[at]) {
    binaries[at] = malloc(sizes[at]);
    if (!binaries[at])
      status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the device's binary");
    else
      code = api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL);
  }
  if (!status && code != CL_SUCCESS)
    status = kiln_cl_report(report, code, "reading the device's binary");
  if (status && binaries)
    free(binaries[at]);
  *data = status ? NULL : binaries[at];
  *size = status ? 0 : sizes[at];
  free(devices);
  free(sizes);
  free(binaries);
  return status;
}
