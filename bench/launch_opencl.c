// What a launch costs through the OpenCL driver and through the host API, in processor time of the calling thread: the
// least of several rounds that alternate. Run it with OCL_ICD_VENDORS naming kiln.icd.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kiln/kiln.h"

#define LAUNCHES 5000
#define ROUNDS 21

static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(int status, const char *what) {
  if (status) {
    fprintf(stderr, "%s: %d %s\n", what, status, kiln_last_error());
    exit(1);
  }
}

struct host {
  struct kiln_stream *stream;
  struct kiln_kernel *kernel;
  struct kiln_arg args[2];
};

struct driver {
  cl_command_queue queue;
  cl_kernel kernel;
};

static const int32_t n = 1;

static struct host open_host(void) {
  struct host h = {0};
  struct kiln_context *ctx;
  struct kiln_program *program;
  struct kiln_buffer *buffer;
  must(kiln_context_open(&(struct kiln_context_desc){.backend = "cpu"}, &ctx), "kiln_context_open");
  must(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program), "kiln_program_create");
  must(kiln_kernel_create(program, "add", &h.kernel), "kiln_kernel_create");
  must(kiln_stream_create(ctx, 0, &h.stream), "kiln_stream_create");
  must(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 4096}, &buffer), "kiln_buffer_create");
  h.args[0] = kiln_arg_buffer(buffer);
  h.args[1] = kiln_arg_value(&n, sizeof n);
  return h;
}

static struct driver open_driver(void) {
  struct driver d;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  const char *text = source;
  must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  must(status, "clCreateContext");
  d.queue = clCreateCommandQueue(context, device, 0, &status);
  must(status, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  must(status, "clCreateProgramWithSource");
  must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
  d.kernel = clCreateKernel(program, "add", &status);
  must(status, "clCreateKernel");
  cl_mem mem = clCreateBuffer(context, 0, 4096, NULL, &status);
  must(status, "clCreateBuffer");
  must(clSetKernelArg(d.kernel, 0, sizeof mem, &mem), "clSetKernelArg");
  must(clSetKernelArg(d.kernel, 1, sizeof n, &n), "clSetKernelArg");
  return d;
}

static uint64_t by_host(const struct host *h) {
  struct kiln_launch_desc desc = {.global = {64}, .local = {64}, .work_dim = 1, .arg_count = 2, .args = h->args};
  uint64_t begin = now_ns();
  for (int i = 0; i < LAUNCHES; i++)
    kiln_launch(h->stream, h->kernel, &desc, NULL);
  uint64_t spent = now_ns() - begin;
  must(kiln_stream_finish(h->stream), "kiln_stream_finish");
  return spent;
}

static uint64_t by_driver(const struct driver *d) {
  size_t global = 64, local = 64;
  uint64_t begin = now_ns();
  for (int i = 0; i < LAUNCHES; i++)
    clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  uint64_t spent = now_ns() - begin;
  must(clFinish(d->queue), "clFinish");
  return spent;
}

int main(void) {
  struct host h = open_host();
  struct driver d = open_driver();
  uint64_t host = UINT64_MAX, driver = UINT64_MAX;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t a = by_host(&h), b = by_driver(&d);
    host = a < host ? a : host;
    driver = b < driver ? b : driver;
  }
  printf("launch: host API %.3f us, OpenCL driver %.3f us, difference %.3f us\n", host / 1e3 / LAUNCHES,
         driver / 1e3 / LAUNCHES, ((double)driver - (double)host) / 1e3 / LAUNCHES);
  return 0;
}
