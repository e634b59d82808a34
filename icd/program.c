// Programs: from source and from binaries, built, compiled and linked; queries.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

// ---- life

cl_program icd_program_new(cl_context context) {
  cl_program program = icd_object_new(ICD_PROGRAM, sizeof *program + context->device_count * sizeof *program->builds);
  if (!program)
    return NULL;
  program->context = context;
  for (uint32_t i = 0; i < context->device_count; i++)
    program->builds[i].status = CL_BUILD_NONE;
  pthread_mutex_init(&program->lock, NULL);
  icd_retain(context);
  return program;
}

// What a build has made. That it is for a device stays, which is read without the lock.
static void clear_build(struct icd_build *build) {
  kiln_program_release(build->program);
  kiln_object_release(build->object);
  free(build->options);
  free(build->log);
  build->program = NULL;
  build->object = NULL;
  build->options = build->log = NULL;
  build->type = CL_PROGRAM_BINARY_TYPE_NONE;
  build->status = CL_BUILD_NONE;
}

void icd_program_release(cl_program program) {
  if (!icd_drop(program))
    return;
  cl_context context = program->context;
  for (uint32_t i = 0; i < context->device_count; i++)
    clear_build(&program->builds[i]);
  free(program->source);
  free(program->specs);
  pthread_mutex_destroy(&program->lock);
  icd_object_free(program);
  icd_context_release(context);
}

// All sources, one after the other, with a final NUL.
static char *join_sources(cl_uint count, const char **strings, const size_t *lengths) {
  size_t total = 0;
  for (cl_uint i = 0; i < count; i++)
    total += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
  char *source = malloc(total + 1), *at = source;
  for (cl_uint i = 0; source && i < count; i++) {
    size_t size = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    memcpy(at, strings[i], size);
    at += size;
  }
  if (source)
    *at = 0;
  return source;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                                     cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  bool is_valid = count && strings;
  for (cl_uint i = 0; is_valid && i < count; i++)
    is_valid = strings[i] != NULL;
  if (!is_valid)
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  cl_program program = icd_program_new(context);
  if (program)
    program->source = join_sources(count, strings, lengths);
  if (!program || !program->source) {
    if (program)
      icd_program_release(program);
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  }
  for (uint32_t i = 0; i < context->device_count; i++)
    program->builds[i].is_for = true;
  return icd_give(program, CL_SUCCESS, errcode_ret);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *binary_status,
                                     cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  if (!count || !devices || !lengths || !binaries)
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(devices[i], ICD_DEVICE) || icd_context_index(context, devices[i]) < 0)
      return icd_give(NULL, CL_INVALID_DEVICE, errcode_ret);
    cl_int one = lengths[i] && binaries[i] ? CL_SUCCESS : CL_INVALID_VALUE;
    if (binary_status)
      binary_status[i] = one;
    status = one == CL_SUCCESS ? status : one;
  }
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_program program = icd_program_new(context);
  if (!program)
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  for (cl_uint i = 0; i < count; i++) {
    struct icd_build *build = &program->builds[icd_context_index(context, devices[i])];
    clear_build(build);
    build->is_for = true;
    cl_int one = icd_binary_load(devices[i]->backend->kiln, binaries[i], lengths[i], build);
    if (build->object)
      build->status = CL_BUILD_SUCCESS; // an object, ready to be linked
    if (binary_status)
      binary_status[i] = one;
    status = one == CL_SUCCESS ? status : one;
  }
  if (status != CL_SUCCESS) {
    icd_program_release(program);
    program = NULL;
  }
  return icd_give(program, status, errcode_ret);
}

cl_int clRetainProgram(cl_program program) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  icd_retain(program);
  return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  icd_program_release(program);
  return CL_SUCCESS;
}

// ---- building

// What one device's build is asked for.
struct request {
  const char *options; // never NULL
  const struct kiln_header *headers;
  uint32_t header_count;
  bool compiles; // makes an object
};

static void take_log(struct icd_build *build, enum kiln_status status) {
  const char *text = status != KILN_OK ? kiln_last_error()
                     : build->object   ? kiln_object_log(build->object)
                                       : kiln_program_log(build->program);
  build->log = strdup(text);
}

// The status of the call for what Kiln told. refused: what it is that a wrong argument means.
static cl_int finish_build(struct icd_build *build, enum kiln_status status, const char *options,
                           cl_program_binary_type type, cl_int failure, cl_int refused) {
  take_log(build, status);
  build->options = strdup(options);
  build->status = status == KILN_OK ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  build->type = status == KILN_OK ? type : CL_PROGRAM_BINARY_TYPE_NONE;
  if (!build->log || !build->options || status == KILN_ERR_MEMORY)
    return CL_OUT_OF_HOST_MEMORY;
  if (status == KILN_ERR_UNAVAILABLE)
    return CL_COMPILER_NOT_AVAILABLE;
  return status == KILN_OK ? CL_SUCCESS : status == KILN_ERR_INVALID ? refused : failure;
}

// cl_khr_subgroups promises that the sub-groups of a group progress independently, which they do not: it is not among
// the driver's extensions. The language has its functions without it.
#define HIDDEN_MACROS "-Ucl_khr_subgroups "

static cl_int compile(cl_program program, uint32_t index, const struct request *request, const char *options) {
  struct icd_build *build = &program->builds[index];
  struct kiln_context *kiln = program->context->devices[index]->backend->kiln;
  struct kiln_program_desc desc = {.source = program->source,
                                   .name = "<program>",
                                   .options = options,
                                   .headers = request->headers,
                                   .header_count = request->header_count};
  struct kiln_spec_constant *constants = NULL;
  if (program->il_size) {
    icd_il_describe(program, &desc, &constants);
    if (program->spec_count && !constants)
      return CL_OUT_OF_HOST_MEMORY;
  }
  enum kiln_status status = request->compiles ? kiln_object_create(kiln, &desc, &build->object)
                                              : kiln_program_create(kiln, &desc, &build->program);
  free(constants);
  return request->compiles ? finish_build(build, status, request->options, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                                          CL_COMPILE_PROGRAM_FAILURE, CL_INVALID_COMPILER_OPTIONS)
                           : finish_build(build, status, request->options, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                                          CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS);
}

static cl_int build_one(cl_program program, uint32_t index, const struct request *request) {
  struct icd_build *build = &program->builds[index];
  if (!program->source) { // loaded already
    if (!build->program)
      return CL_INVALID_BINARY;
    free(build->options);
    free(build->log);
    return finish_build(build, KILN_OK, request->options, build->type, 0, 0);
  }
  clear_build(build);
  char *options = malloc(strlen(request->options) + sizeof HIDDEN_MACROS);
  if (!options)
    return CL_OUT_OF_HOST_MEMORY;
  strcpy(stpcpy(options, HIDDEN_MACROS), request->options);
  cl_int result = compile(program, index, request, options);
  free(options);
  return result;
}

// Checks the list of devices of a build.
static cl_int check_devices(cl_program program, cl_uint count, const cl_device_id *devices) {
  if (!count != !devices)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    int index = icd_is(devices[i], ICD_DEVICE) ? icd_context_index(program->context, devices[i]) : -1;
    if (index < 0 || !program->builds[index].is_for)
      return CL_INVALID_DEVICE;
  }
  return CL_SUCCESS;
}

// Whether the device is meant: it is in the list, or a sub-device of one that is, or the list is empty.
static bool is_listed(cl_uint count, const cl_device_id *devices, cl_device_id device) {
  for (; count && device; device = device->parent)
    for (cl_uint i = 0; i < count; i++)
      if (devices[i] == device)
        return true;
  return !count;
}

typedef void(CL_CALLBACK build_fn)(cl_program, void *);

static cl_int build_all(cl_program program, cl_uint count, const cl_device_id *devices, const struct request *request,
                        build_fn *notify, void *user) {
  cl_int status = check_devices(program, count, devices);
  if (status == CL_SUCCESS && !notify && user)
    status = CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  pthread_mutex_lock(&program->lock);
  if (atomic_load(&program->kernel_count)) {
    pthread_mutex_unlock(&program->lock);
    return CL_INVALID_OPERATION;
  }
  for (uint32_t i = 0; i < program->context->device_count; i++) {
    if (!program->builds[i].is_for || !is_listed(count, devices, program->context->devices[i]))
      continue;
    cl_int one = build_one(program, i, request);
    status = status == CL_SUCCESS ? one : status;
  }
  pthread_mutex_unlock(&program->lock);
  if (notify)
    notify(program, user);
  return status;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      build_fn *notify, void *user) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (program->is_linked)
    return CL_INVALID_OPERATION;
  struct request request = {.options = options ? options : ""};
  return build_all(program, count, devices, &request, notify, user);
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                        cl_uint header_count, const cl_program *headers, const char **names, build_fn *notify,
                        void *user) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (!program->source)
    return CL_INVALID_OPERATION;
  if (!header_count != !headers || !header_count != !names)
    return CL_INVALID_VALUE;
  struct kiln_header *list = header_count ? calloc(header_count, sizeof *list) : NULL;
  if (header_count && !list)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < header_count && status == CL_SUCCESS; i++) {
    if (!icd_is(headers[i], ICD_PROGRAM) || !icd_program_text(headers[i]))
      status = CL_INVALID_PROGRAM;
    else if (headers[i]->context != program->context)
      status = CL_INVALID_CONTEXT;
    else
      list[i] = (struct kiln_header){.name = names[i], .text = headers[i]->source};
  }
  struct request request = {options ? options : "", list, header_count, true};
  if (status == CL_SUCCESS)
    status = build_all(program, count, devices, &request, notify, user);
  free(list);
  return status;
}

// ---- linking

// Takes -create-library and -enable-link-options out of the options: Kiln knows the others.
static char *link_options(const char *options, bool *makes_library) {
  static const char *const ours[] = {"-create-library", "-enable-link-options"};
  char *rest = strdup(options ? options : "");
  *makes_library = false;
  for (size_t i = 0; rest && i < sizeof ours / sizeof *ours; i++) {
    char *at = strstr(rest, ours[i]);
    if (!at)
      continue;
    *makes_library |= i == 0;
    memset(at, ' ', strlen(ours[i]));
  }
  return rest;
}

// CL_SUCCESS and *has when every program has an object for the device; none has: *has is false.
static cl_int collect(cl_uint count, const cl_program *programs, uint32_t index, struct kiln_object **objects,
                      bool *has) {
  cl_uint found = 0;
  for (cl_uint i = 0; i < count; i++) {
    pthread_mutex_lock(&programs[i]->lock);
    objects[i] = programs[i]->builds[index].object;
    if (objects[i])
      kiln_object_retain(objects[i]);
    pthread_mutex_unlock(&programs[i]->lock);
    found += objects[i] != NULL;
  }
  *has = found == count;
  return found == 0 || found == count ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static cl_int link_one(struct kiln_context *kiln, struct kiln_object *const *objects, cl_uint count,
                       const char *options, bool makes_library, struct icd_build *build) {
  enum kiln_status status;
  if (makes_library) {
    status = kiln_object_join(kiln, objects, count, NULL, &build->object);
  } else {
    const struct kiln_link_desc desc = {.objects = objects, .object_count = count, .options = options};
    status = kiln_program_link(kiln, &desc, &build->program);
  }
  return finish_build(build, status, options,
                      makes_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                      CL_LINK_PROGRAM_FAILURE, CL_INVALID_LINKER_OPTIONS);
}

static cl_int link_all(cl_program out, cl_uint device_count, const cl_device_id *devices, const char *options,
                       cl_uint count, const cl_program *programs) {
  bool makes_library;
  char *rest = link_options(options, &makes_library);
  struct kiln_object **objects = calloc(count, sizeof *objects);
  cl_int status = rest && objects ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  bool any = false;
  for (uint32_t i = 0; i < out->context->device_count && status == CL_SUCCESS; i++) {
    cl_device_id device = out->context->devices[i];
    if (!is_listed(device_count, devices, device))
      continue;
    bool has;
    status = collect(count, programs, i, objects, &has);
    if (status == CL_SUCCESS && has) {
      out->builds[i].is_for = any = true;
      status = link_one(device->backend->kiln, objects, count, rest, makes_library, &out->builds[i]);
    }
    for (cl_uint k = 0; k < count; k++)
      kiln_object_release(objects[k]);
  }
  free(objects);
  free(rest);
  return status == CL_SUCCESS && !any ? CL_INVALID_OPERATION : status;
}

cl_program clLinkProgram(cl_context context, cl_uint device_count, const cl_device_id *devices, const char *options,
                         cl_uint count, const cl_program *programs, build_fn *notify, void *user, cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  if (!device_count != !devices || !count || !programs || (!notify && user))
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(programs[i], ICD_PROGRAM))
      return icd_give(NULL, CL_INVALID_PROGRAM, errcode_ret);
    if (programs[i]->context != context)
      return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  }
  for (cl_uint i = 0; i < device_count; i++)
    if (!icd_is(devices[i], ICD_DEVICE) || icd_context_index(context, devices[i]) < 0)
      return icd_give(NULL, CL_INVALID_DEVICE, errcode_ret);
  cl_program program = icd_program_new(context);
  if (!program)
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  program->is_linked = true;
  cl_int status = link_all(program, device_count, devices, options, count, programs);
  if (status != CL_SUCCESS && status != CL_LINK_PROGRAM_FAILURE) {
    icd_program_release(program);
    return icd_give(NULL, status, errcode_ret);
  }
  if (notify)
    notify(program, user);
  return icd_give(program, status, errcode_ret); // with a log, when it failed
}

// ---- queries

// Devices that the program is for.
static cl_uint count_devices(cl_program program) {
  cl_uint count = 0;
  for (uint32_t i = 0; i < program->context->device_count; i++)
    count += program->builds[i].is_for;
  return count;
}

static cl_int put_devices(cl_program program, const struct icd_answer *answer) {
  cl_device_id *devices = calloc(program->context->device_count, sizeof *devices);
  cl_uint count = 0;
  if (!devices)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < program->context->device_count; i++)
    if (program->builds[i].is_for)
      devices[count++] = program->context->devices[i];
  cl_int status = icd_put(answer, devices, count * sizeof *devices);
  free(devices);
  return status;
}

// The sizes of the binaries, or the binaries themselves into memory of the caller.
static cl_int put_binaries(cl_program program, const struct icd_answer *answer, bool only_sizes) {
  unsigned char **out = only_sizes ? NULL : answer->value;
  size_t count = count_devices(program), wanted = count * (only_sizes ? sizeof(size_t) : sizeof *out);
  if (!only_sizes && (!out || answer->size < wanted))
    return icd_put(answer, out, wanted);
  size_t *sizes = calloc(count + 1, sizeof *sizes);
  if (!sizes)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_lock(&program->lock);
  size_t at = 0;
  for (uint32_t i = 0; i < program->context->device_count; i++) {
    if (!program->builds[i].is_for)
      continue;
    unsigned char *bytes = icd_binary_make(&program->builds[i], &sizes[at]);
    if (bytes && out && out[at])
      memcpy(out[at], bytes, sizes[at]);
    free(bytes);
    at++;
  }
  pthread_mutex_unlock(&program->lock);
  cl_int status = CL_SUCCESS;
  if (only_sizes)
    status = icd_put(answer, sizes, wanted);
  else if (answer->size_ret)
    *answer->size_ret = wanted;
  free(sizes);
  return status;
}

static cl_int put_kernels(cl_program program, const struct icd_answer *answer, bool only_count) {
  cl_int status = CL_INVALID_PROGRAM_EXECUTABLE;
  pthread_mutex_lock(&program->lock);
  for (uint32_t i = 0; i < program->context->device_count; i++) {
    const struct icd_build *build = &program->builds[i];
    if (!build->program || build->status != CL_BUILD_SUCCESS)
      continue;
    struct kiln_program_info info;
    kiln_program_info(build->program, &info);
    size_t count = info.kernel_count, size = 1;
    for (uint32_t k = 0; k < count; k++)
      size += strlen(kiln_program_kernel_name(build->program, k)) + 1;
    char *names = calloc(1, size);
    for (uint32_t k = 0; names && k < count; k++) {
      strcat(names, k ? ";" : "");
      strcat(names, kiln_program_kernel_name(build->program, k));
    }
    status = !names       ? CL_OUT_OF_HOST_MEMORY
             : only_count ? icd_put(answer, &count, sizeof count)
                          : icd_put_string(answer, names);
    free(names);
    break;
  }
  pthread_mutex_unlock(&program->lock);
  return status;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_PROGRAM_REFERENCE_COUNT, cl_uint, atomic_load(&program->object.refs))
    VALUE(CL_PROGRAM_CONTEXT, cl_context, program->context)
    STRING(CL_PROGRAM_SOURCE, icd_program_text(program) ? icd_program_text(program) : "")
    BYTES(CL_PROGRAM_IL, program->source, program->il_size)
    VALUE(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool, CL_FALSE)
    VALUE(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool, CL_FALSE)
    VALUE(CL_PROGRAM_NUM_DEVICES, cl_uint, count_devices(program))
  case CL_PROGRAM_DEVICES:
    return put_devices(program, &answer);
  case CL_PROGRAM_BINARY_SIZES:
  case CL_PROGRAM_BINARIES:
    return put_binaries(program, &answer, name == CL_PROGRAM_BINARY_SIZES);
  case CL_PROGRAM_NUM_KERNELS:
  case CL_PROGRAM_KERNEL_NAMES:
    return put_kernels(program, &answer, name == CL_PROGRAM_NUM_KERNELS);
  }
  return CL_INVALID_VALUE;
}

#define HEAD "global $"
#define SPACE "\" global size "

// The bytes of variables in global memory, which the IR tells: global $0 "x" global size 4 ...
static size_t variable_bytes(struct kiln_program *program) {
  void *data;
  size_t size, sum = 0;
  if (!program || kiln_program_stage(program, "ir", &data, &size) != KILN_OK)
    return 0;
  const char *end = (const char *)data + size;
  for (const char *line = data, *next; line < end; line = next) {
    next = memchr(line, '\n', (size_t)(end - line));
    next = next ? next + 1 : end;
    const char *at = NULL;
    if ((size_t)(next - line) > sizeof HEAD && memcmp(line, HEAD, sizeof HEAD - 1) == 0)
      at = memmem(line, (size_t)(next - line), SPACE, sizeof SPACE - 1);
    size_t bytes = 0;
    for (at = at ? at + sizeof SPACE - 1 : next; at < next && *at >= '0' && *at <= '9'; at++)
      bytes = bytes * 10 + (size_t)(*at - '0');
    sum += bytes;
  }
  kiln_free(data);
  return sum;
}

static cl_int put_build(const struct icd_build *build, cl_program_build_info name, struct icd_answer answer) {
  switch (name) {
    VALUE(CL_PROGRAM_BUILD_STATUS, cl_build_status, build->status)
    VALUE(CL_PROGRAM_BINARY_TYPE, cl_program_binary_type, build->type)
    VALUE(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t, variable_bytes(build->program))
    STRING(CL_PROGRAM_BUILD_OPTIONS, build->options ? build->options : "")
    STRING(CL_PROGRAM_BUILD_LOG, build->log ? build->log : "")
  }
  return CL_INVALID_VALUE;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name, size_t size,
                             void *value, size_t *size_ret) {
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  int index = icd_is(device, ICD_DEVICE) ? icd_context_index(program->context, device) : -1;
  if (index < 0 || !program->builds[index].is_for)
    return CL_INVALID_DEVICE;
  pthread_mutex_lock(&program->lock);
  cl_int status = put_build(&program->builds[index], name, (struct icd_answer){size, value, size_ret});
  pthread_mutex_unlock(&program->lock);
  return status;
}
