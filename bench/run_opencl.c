// Runs the kernels of the set on the OpenCL platform that is installed, given the same source.
#define CL_TARGET_OPENCL_VERSION 120
#include "bench/kernels.h"

#include <CL/cl.h>
#include <string.h>

struct state {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem buffers[BENCH_MAX_ARGS];
  const struct bench *bench;
  char name[128];
};

static bool complain(const struct state *s, cl_int error, const char *what) {
  if (error != CL_SUCCESS)
    fprintf(stderr, "kiln-bench: %s: OpenCL: %s: error %d\n", s->bench ? s->bench->name : "start", what, error);
  return error == CL_SUCCESS;
}

static cl_mem make_image(struct state *s, const struct bench_arg *arg, void *memory, cl_int *error) {
  static const cl_channel_order orders[] = {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) number,
#include "kiln/pixel.def"
  };
  static const cl_channel_type types[] = {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) number,
#include "kiln/pixel.def"
  };
  const struct kiln_image_desc *image = &arg->image;
  cl_image_format format = {orders[image->format.order], types[image->format.type]};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                        .image_width = image->width,
                        .image_height = image->height,
                        .image_depth = image->depth};
  if (image->dimension == KILN_IMAGE_3D)
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  if (image->dimension == KILN_IMAGE_1D_BUFFER) {
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    desc.buffer = clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, bench_arg_bytes(arg), memory, error);
    cl_mem out = *error == CL_SUCCESS ? clCreateImage(s->context, 0, &format, &desc, NULL, error) : NULL;
    if (desc.buffer)
      clReleaseMemObject(desc.buffer); // the image keeps it
    return out;
  }
  return clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &format, &desc, memory, error);
}

static bool read_output(struct state *s, unsigned k, struct bench_data *data) {
  const struct bench_arg *arg = &s->bench->args[k];
  size_t origin[3] = {0}, region[3] = {arg->image.width, arg->image.height, arg->image.depth};
  cl_int error = arg->image.width ? clEnqueueReadImage(s->queue, s->buffers[k], CL_TRUE, origin, region, 0, 0,
                                                       data->args[k], 0, NULL, NULL)
                                  : clEnqueueReadBuffer(s->queue, s->buffers[k], CL_TRUE, 0, bench_arg_bytes(arg),
                                                        data->args[k], 0, NULL, NULL);
  return complain(s, error, "read");
}

static bool set_args(struct state *s, const struct bench_data *data) {
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++) {
    const struct bench_arg *arg = &s->bench->args[k];
    cl_int error = CL_SUCCESS;
    if (arg->fill == BENCH_SCALAR) {
      error = clSetKernelArg(s->kernel, k, 4, data->args[k]);
    } else {
      s->buffers[k] = arg->image.width ? make_image(s, arg, data->args[k], &error)
                                       : clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                                        bench_arg_bytes(arg), data->args[k], &error);
      if (error == CL_SUCCESS)
        error = clSetKernelArg(s->kernel, k, sizeof(cl_mem), &s->buffers[k]);
    }
    if (!complain(s, error, "arguments"))
      return false;
  }
  return true;
}

static void unload(void *state) {
  struct state *s = state;
  for (unsigned k = 0; k < BENCH_MAX_ARGS; k++) {
    if (s->buffers[k])
      clReleaseMemObject(s->buffers[k]);
    s->buffers[k] = NULL;
  }
  if (s->kernel)
    clReleaseKernel(s->kernel);
  if (s->program)
    clReleaseProgram(s->program);
  s->kernel = NULL;
  s->program = NULL;
}

// PoCL 3.1 aborts in kernels with images of this kind.
static bool has_line(const struct bench *bench) {
  for (unsigned k = 0; k < bench_arg_count(bench); k++)
    if (bench->args[k].image.dimension == KILN_IMAGE_1D_BUFFER)
      return true;
  return false;
}

static bool load(void *state, const struct bench *bench, const struct bench_data *data) {
  struct state *s = state;
  cl_int error;
  if (has_line(bench))
    return false;
  s->bench = bench;
  s->program = clCreateProgramWithSource(s->context, 1, (const char *[]){bench->source}, NULL, &error);
  if (!complain(s, error, "program") ||
      !complain(s, clBuildProgram(s->program, 1, &s->device, "", NULL, NULL), "build"))
    return false;
  s->kernel = clCreateKernel(s->program, bench->name, &error);
  return complain(s, error, "kernel") && set_args(s, data);
}

static bool run(void *state) {
  struct state *s = state;
  const size_t *local = s->bench->local[0] ? s->bench->local : NULL;
  return complain(s,
                  clEnqueueNDRangeKernel(s->queue, s->kernel, s->bench->dimensions, NULL, s->bench->global, local, 0,
                                         NULL, NULL),
                  "launch") &&
         complain(s, clFinish(s->queue), "finish");
}

static bool fetch(void *state, struct bench_data *data) {
  struct state *s = state;
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++)
    if (s->bench->args[k].output && !read_output(s, k, data))
      return false;
  return true;
}

bool bench_opencl_open(struct bench_runner *out) {
  static struct state state;
  struct state *s = &state;
  cl_platform_id platform;
  cl_int error;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL) != CL_SUCCESS)
    return false;
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof s->name, s->name, NULL);
  s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &error);
  if (!complain(s, error, "context"))
    return false;
  s->queue = clCreateCommandQueue(s->context, s->device, 0, &error);
  if (!complain(s, error, "queue"))
    return false;
  *out = (struct bench_runner){s->name, s, load, run, fetch, unload};
  return true;
}
