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

static bool set_args(struct state *s, const struct bench_data *data) {
  for (unsigned k = 0; k < bench_arg_count(s->bench); k++) {
    const struct bench_arg *arg = &s->bench->args[k];
    cl_int error = CL_SUCCESS;
    if (arg->fill == BENCH_SCALAR) {
      error = clSetKernelArg(s->kernel, k, 4, data->args[k]);
    } else {
      s->buffers[k] = clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bench_arg_bytes(arg),
                                     data->args[k], &error);
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

static bool load(void *state, const struct bench *bench, const struct bench_data *data) {
  struct state *s = state;
  cl_int error;
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
    if (s->bench->args[k].output &&
        !complain(s,
                  clEnqueueReadBuffer(s->queue, s->buffers[k], CL_TRUE, 0, bench_arg_bytes(&s->bench->args[k]),
                                      data->args[k], 0, NULL, NULL),
                  "read"))
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
