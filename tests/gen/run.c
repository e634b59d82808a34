#include "tests/gen/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "tests/gen/pages.h"

#ifdef GEN_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

struct gen_device {
  char name[128];
  const char *options;
  struct kiln_context *context;
  struct kiln_stream *stream;
  struct kiln_context *printer; // of a round trip; else NULL
#ifdef GEN_OPENCL
  cl_context cl;
  cl_device_id cl_device;
  cl_command_queue queue;
#endif
};

const char *gen_device_name(const struct gen_device *device) { return device->name; }

struct gen_device *gen_open_kiln(const char *backend, const char *arch, const char *options, char *message,
                                 size_t size) {
  struct gen_device *device = calloc(1, sizeof *device);
  struct kiln_context_desc desc = {.backend = backend, .arch = arch, .cache_mode = "off", .num_threads = 1};
  if (!device)
    exit(3);
  snprintf(device->name, sizeof device->name, "%s", backend);
  device->options = options;
  if (kiln_context_open(&desc, &device->context) == KILN_OK &&
      kiln_stream_create(device->context, 0, &device->stream) == KILN_OK)
    return device;
  snprintf(message, size, "%s", kiln_last_error());
  gen_close_device(device);
  return NULL;
}

uint32_t gen_warp_size(const struct gen_device *device) { return kiln_context_target(device->context)->warp_size; }

bool gen_fuses(const struct gen_device *device) {
  static const char source[] = "#ifndef FP_FAST_FMAF\n#error it does not\n#endif\nkernel void k() {}";
  struct kiln_program *program = NULL;
  enum kiln_status status =
      kiln_program_create(device->context, &(struct kiln_program_desc){.source = source}, &program);
  kiln_program_release(program);
  return status == KILN_OK;
}

void gen_close_device(struct gen_device *device) {
  if (!device)
    return;
  kiln_stream_release(device->stream);
  kiln_context_close(device->context);
  kiln_context_close(device->printer);
#ifdef GEN_OPENCL
  if (device->queue)
    clReleaseCommandQueue(device->queue);
  if (device->cl)
    clReleaseContext(device->cl);
#endif
  free(device);
}

struct gen_device *gen_open_round_trip(char *message, size_t size) {
  struct gen_device *device = gen_open_kiln("interp", NULL, NULL, message, size);
  struct kiln_context_desc desc = {.backend = "opencl", .arch = "text", .cache_mode = "off"};
  if (device && kiln_context_open(&desc, &device->printer) == KILN_OK)
    return device;
  if (device)
    snprintf(message, size, "%s", kiln_last_error());
  gen_close_device(device);
  return NULL;
}

static void fill(const struct gen_arg *arg, unsigned char **data) {
  *data = calloc(arg->count, gen_base_size(arg->base));
  if (!*data)
    exit(3);
  gen_fill(arg, *data);
}

static size_t bytes_of(const struct gen_arg *arg) { return (size_t)arg->count * gen_base_size(arg->base); }

// ---- Kiln -----------------------------------------------------------------------------------------------------------

// The memory of a launch.
struct memory {
  struct kiln_buffer *buffers[GEN_MAX_ARGS];
  struct gen_pages pages[GEN_MAX_ARGS]; // where buffers are memory of the host
};

static void release(struct memory *memory) {
  for (uint32_t i = 0; i < GEN_MAX_ARGS; i++) {
    kiln_buffer_release(memory->buffers[i]);
    gen_pages_free(&memory->pages[i]);
  }
}

static bool is_on_host(const struct gen_device *device) {
  return strcmp(device->name, "cpu") == 0 || strcmp(device->name, "interp") == 0;
}

// Programs read elements of other types through casts, at offsets that suit these.
enum { LEAST_ALIGN = 16 };

// Buffer i, with its first contents.
static enum kiln_status make_buffer(struct gen_device *device, const struct gen_arg *arg, uint32_t i, uint32_t align,
                                    enum gen_side side, struct memory *memory, const void *contents) {
  struct gen_pages *pages = &memory->pages[i];
  struct kiln_buffer_desc desc = {.size = bytes_of(arg)};
  if (arg->is_alias)
    desc.host = memory->pages[0].data + (size_t)arg->shift * gen_base_size(arg->base);
  else if (is_on_host(device))
    gen_pages_make(pages, desc.size, align > LEAST_ALIGN ? align : LEAST_ALIGN, side), desc.host = pages->data;
  enum kiln_status status = kiln_buffer_create(device->context, &desc, &memory->buffers[i]);
  if (!status && !arg->is_alias)
    status = kiln_write(device->stream, memory->buffers[i], 0, contents, desc.size, NULL);
  return status;
}

static enum kiln_status launch(struct gen_device *device, const struct gen_program *p, struct kiln_kernel *kernel,
                               enum gen_side side, struct memory *memory, struct gen_result *out) {
  struct kiln_arg args[GEN_MAX_ARGS];
  struct kiln_buffer **buffers = memory->buffers;
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel);
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < p->arg_count && !status; i++) {
    const struct gen_arg *arg = &p->args[i];
    if (arg->kind == GEN_ARG_VALUE) {
      args[i] = kiln_arg_value(&arg->seed, gen_base_size(arg->base));
    } else if (arg->kind == GEN_ARG_LOCAL) {
      args[i] = kiln_arg_local(bytes_of(arg));
    } else {
      fill(arg, &out->data[i]);
      status = make_buffer(device, arg, i, info->args[i].align, side, memory, out->data[i]);
      args[i] = kiln_arg_buffer(buffers[i]);
    }
  }
  struct kiln_launch_desc desc = {.work_dim = p->work_dim, .arg_count = p->arg_count, .args = args};
  bool divides = true;
  for (uint32_t d = 0; d < p->work_dim; d++) {
    desc.global[d] = p->global[d], desc.local[d] = p->local[d], desc.offset[d] = p->offset[d];
    divides &= p->global[d] % p->local[d] == 0;
  }
  // On a device without partial groups only programs run that any local size suits.
  if (!divides && strcmp(device->name, "opencl") == 0)
    memset(desc.local, 0, sizeof desc.local);
  if (!status)
    status = kiln_launch(device->stream, kernel, &desc, NULL);
  for (uint32_t i = 0; i < p->arg_count && !status; i++)
    if (buffers[i])
      status = kiln_read(device->stream, buffers[i], 0, out->data[i], bytes_of(&p->args[i]), NULL);
  enum kiln_status finished = kiln_stream_finish(device->stream);
  return status ? status : finished;
}

// The text that the OpenCL printer makes of the program, to be freed with kiln_free.
static enum kiln_status print(struct gen_device *device, const struct gen_program *p, char **out) {
  struct kiln_program_desc desc = {.source = p->source, .name = "gen.cl", .options = p->options};
  struct kiln_program *program = NULL;
  void *text = NULL;
  size_t size;
  enum kiln_status status = kiln_program_create(device->printer, &desc, &program);
  if (!status)
    status = kiln_program_stage(program, "cl", &text, &size);
  kiln_program_release(program);
  *out = text;
  return status;
}

static void fail(struct gen_result *out, enum kiln_status status) {
  out->ok = false;
  snprintf(out->message, sizeof out->message, "%s: %s", kiln_status_name(status), kiln_last_error());
}

// One launch, whose results are those of out.
static void run_once(struct gen_device *device, const struct gen_program *p, struct kiln_kernel *kernel,
                     enum gen_side side, struct gen_result *out) {
  struct memory memory = {0};
  enum kiln_status status = launch(device, p, kernel, side, &memory, out);
  out->ok = status == KILN_OK;
  if (status)
    fail(out, status);
  for (uint32_t i = 0; i < p->arg_count && out->ok; i++)
    if (memory.pages[i].data && !gen_pages_are_intact(&memory.pages[i])) {
      out->ok = false;
      snprintf(out->message, sizeof out->message, "the memory beside %s has changed", p->args[i].name);
    }
  release(&memory);
}

// On the CPU the results are those of two launches, whose buffers lie at either edge of the memory around them.
static void run_kernel(struct gen_device *device, const struct gen_program *p, struct kiln_kernel *kernel,
                       struct gen_result *out) {
  char text[256];
  struct gen_result other = {0};
  run_once(device, p, kernel, GEN_AT_END, out);
  if (!out->ok || strcmp(device->name, "cpu") != 0)
    return;
  run_once(device, p, kernel, GEN_AT_START, &other);
  if (!other.ok || gen_differ(p, out, &other, text, sizeof text)) {
    out->ok = false;
    snprintf(out->message, sizeof out->message, "at the start of its pages: %.300s", other.ok ? text : other.message);
  }
  gen_result_free(&other);
}

static void run_kiln(struct gen_device *device, const struct gen_program *p, struct gen_result *out) {
  struct kiln_program *program = NULL;
  struct kiln_kernel *kernel = NULL;
  char *text = NULL;
  enum kiln_status status = device->printer ? print(device, p, &text) : KILN_OK;
  char options[256];
  const char *native = p->native_options && strcmp(device->name, "cpu") == 0 ? p->native_options : "";
  snprintf(options, sizeof options, "%s %s %s", text ? "" : p->options, device->options ? device->options : "", native);
  struct kiln_program_desc desc = {.source = text ? text : p->source, .name = "gen.cl", .options = options};
  if (!status)
    status = kiln_program_create(device->context, &desc, &program);
  if (!status)
    status = kiln_kernel_create(program, "k", &kernel);
  if (status)
    fail(out, status);
  else
    run_kernel(device, p, kernel, out);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_free(text);
}

// ---- OpenCL ---------------------------------------------------------------------------------------------------------

#ifdef GEN_OPENCL

struct gen_device *gen_open_opencl(char *message, size_t size) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  struct gen_device *device = calloc(1, sizeof *device);
  cl_int status = clGetPlatformIDs(8, platforms, &count);
  if (!device)
    exit(3);
  for (cl_uint i = 0; i < count && i < 8 && status == CL_SUCCESS; i++) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device->cl_device, NULL) != CL_SUCCESS)
      continue;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof device->name, device->name, NULL);
    device->cl = clCreateContext(NULL, 1, &device->cl_device, NULL, NULL, &status);
    if (status == CL_SUCCESS)
      device->queue = clCreateCommandQueue(device->cl, device->cl_device, 0, &status);
    if (status == CL_SUCCESS)
      return device;
  }
  snprintf(message, size, "no OpenCL platform with a device (status %d, %u platforms)", (int)status, (unsigned)count);
  gen_close_device(device);
  return NULL;
}

static cl_int launch_opencl(struct gen_device *device, const struct gen_program *p, cl_kernel kernel, cl_mem *buffers,
                            struct gen_result *out) {
  cl_int status = CL_SUCCESS;
  for (uint32_t i = 0; i < p->arg_count && status == CL_SUCCESS; i++) {
    const struct gen_arg *arg = &p->args[i];
    if (arg->kind == GEN_ARG_VALUE) {
      status = clSetKernelArg(kernel, i, gen_base_size(arg->base), &arg->seed);
    } else if (arg->kind == GEN_ARG_LOCAL) {
      status = clSetKernelArg(kernel, i, bytes_of(arg), NULL);
    } else {
      fill(arg, &out->data[i]);
      buffers[i] = clCreateBuffer(device->cl, CL_MEM_COPY_HOST_PTR, bytes_of(arg), out->data[i], &status);
      if (status == CL_SUCCESS)
        status = clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]);
    }
  }
  size_t global[3], local[3], offset[3];
  bool divides = true;
  for (int d = 0; d < 3; d++) {
    global[d] = p->global[d], local[d] = p->local[d], offset[d] = p->offset[d];
    divides &= global[d] % local[d] == 0;
  }
  if (status == CL_SUCCESS)
    status = clEnqueueNDRangeKernel(device->queue, kernel, p->work_dim, offset, global, divides ? local : NULL, 0, NULL,
                                    NULL);
  for (uint32_t i = 0; i < p->arg_count && status == CL_SUCCESS; i++)
    if (buffers[i])
      status = clEnqueueReadBuffer(device->queue, buffers[i], CL_TRUE, 0, bytes_of(&p->args[i]), out->data[i], 0, NULL,
                                   NULL);
  cl_int finished = clFinish(device->queue);
  return status == CL_SUCCESS ? finished : status;
}

// PoCL's abs and abs_diff are wrong where the difference needs the sign bit (docs/peer-faults.md): these are not.
static const char exact_abs[] =
    "#define OF(T, U, n)                                                              \\\n"
    "  U##n __attribute__((overloadable)) exact_abs_diff(T##n x, T##n y) {            \\\n"
    "    U##n a = as_##U##n(x), b = as_##U##n(y);                                     \\\n"
    "    return x > y ? (U##n)(a - b) : (U##n)(b - a);                                \\\n"
    "  }                                                                              \\\n"
    "  U##n __attribute__((overloadable)) exact_abs(T##n x) { return exact_abs_diff(x, (T##n)0); }\n"
    "#define EACH(T, U) OF(T, U, ) OF(T, U, 2) OF(T, U, 3) OF(T, U, 4) OF(T, U, 8) OF(T, U, 16)\n"
    "#define BOTH(T) EACH(T, u##T) EACH(u##T, u##T)\n"
    "BOTH(char) BOTH(short) BOTH(int) BOTH(long)\n"
    "#define abs exact_abs\n"
    "#define abs_diff exact_abs_diff\n"
    "#undef OF\n"
    "#undef EACH\n"
    "#undef BOTH\n";

static void run_opencl(struct gen_device *device, const struct gen_program *p, struct gen_result *out) {
  cl_int status;
  cl_mem buffers[GEN_MAX_ARGS] = {0};
  const char *sources[] = {strstr(p->source, "abs") ? exact_abs : "", p->source}, *stage = "build";
  cl_program program = clCreateProgramWithSource(device->cl, 2, sources, NULL, &status);
  cl_kernel kernel = NULL;
  if (status == CL_SUCCESS)
    status = clBuildProgram(program, 1, &device->cl_device, "-cl-std=CL1.2 -w -cl-opt-disable", NULL, NULL);
  if (status != CL_SUCCESS && program)
    clGetProgramBuildInfo(program, device->cl_device, CL_PROGRAM_BUILD_LOG, sizeof out->message - 64, out->message,
                          NULL);
  if (status == CL_SUCCESS) {
    stage = "launch";
    kernel = clCreateKernel(program, "k", &status);
    if (status == CL_SUCCESS)
      status = launch_opencl(device, p, kernel, buffers, out);
  }
  out->ok = status == CL_SUCCESS;
  if (!out->ok) {
    size_t size = strlen(out->message);
    snprintf(out->message + size, sizeof out->message - size, "%s: status %d", stage, (int)status);
  }
  for (uint32_t i = 0; i < p->arg_count; i++)
    if (buffers[i])
      clReleaseMemObject(buffers[i]);
  if (kernel)
    clReleaseKernel(kernel);
  if (program)
    clReleaseProgram(program);
}

#else

struct gen_device *gen_open_opencl(char *message, size_t size) {
  snprintf(message, size, "built without the OpenCL ICD loader");
  return NULL;
}

#endif

// ---- both -----------------------------------------------------------------------------------------------------------

void gen_run(struct gen_device *device, const struct gen_program *program, struct gen_result *out) {
  *out = (struct gen_result){0};
#ifdef GEN_OPENCL
  if (device->cl) {
    run_opencl(device, program, out);
    return;
  }
#endif
  run_kiln(device, program, out);
}

void gen_result_free(struct gen_result *result) {
  for (int i = 0; i < GEN_MAX_ARGS; i++)
    free(result->data[i]);
  *result = (struct gen_result){0};
}

bool gen_differ(const struct gen_program *program, const struct gen_result *a, const struct gen_result *b, char *text,
                size_t size) {
  for (uint32_t i = 0; i < program->arg_count; i++) {
    const struct gen_arg *arg = &program->args[i];
    uint32_t element = gen_base_size(arg->base);
    for (uint32_t k = 0; arg->output && k < arg->count; k++) {
      uint64_t x = 0, y = 0;
      if (arg->padded && k % 4 == 3)
        continue;
      memcpy(&x, a->data[i] + (size_t)k * element, element);
      memcpy(&y, b->data[i] + (size_t)k * element, element);
      if (x == y)
        continue;
      snprintf(text, size, "%s[%u]: 0x%llx and 0x%llx", arg->name, k, (unsigned long long)x, (unsigned long long)y);
      return true;
    }
  }
  return false;
}
