// What 100 small launches cost through the OpenCL driver, enqueued one by one or recorded in a command buffer once, in
// processor time of the process: the median of many times. Run both alternately, with OCL_ICD_VENDORS naming kiln.icd.
//   graph-opencl each|buffer
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "icd/command_buffer.h"

#define LAUNCHES 100
#define TIMES 2001
#define ITEMS 64

static const char source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                             "  size_t i = get_global_id(0); y[i] = a * x[i] + y[i];\n"
                             "}";

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(cl_int status, const char *what) {
  if (status) {
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
  }
}

#define ENTRY(result, name, parameters) static result(CL_API_CALL *name##_) parameters;
#include "icd/command_buffer.def"

static void find_calls(cl_platform_id platform) {
#define ENTRY(result, name, parameters)                                                                                \
  name##_ = (result(CL_API_CALL *) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name);               \
  must(!name##_, #name);
#include "icd/command_buffer.def"
}

static cl_command_queue queue;
static cl_kernel kernel;

static void open_driver(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  const char *text = source;
  must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  find_calls(platform);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  must(status, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  must(status, "clCreateCommandQueueWithProperties");
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  must(status, "clCreateProgramWithSource");
  must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
  kernel = clCreateKernel(program, "saxpy", &status);
  must(status, "clCreateKernel");
  const float a = 0.5f;
  must(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
  for (cl_uint i = 1; i < 3; i++) {
    cl_mem mem = clCreateBuffer(context, 0, ITEMS * sizeof(float), NULL, &status);
    must(status, "clCreateBuffer");
    must(clSetKernelArg(kernel, i, sizeof mem, &mem), "clSetKernelArg");
  }
}

static cl_command_buffer_khr record(void) {
  const size_t items = ITEMS;
  cl_int status;
  cl_command_buffer_khr buffer = clCreateCommandBufferKHR_(1, &queue, NULL, &status);
  must(status, "clCreateCommandBufferKHR");
  for (int i = 0; i < LAUNCHES; i++)
    must(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, NULL),
         "clCommandNDRangeKernelKHR");
  must(clFinalizeCommandBufferKHR_(buffer), "clFinalizeCommandBufferKHR");
  return buffer;
}

static uint64_t spent(cl_command_buffer_khr buffer) {
  const size_t items = ITEMS;
  uint64_t begin = now_ns();
  if (buffer)
    must(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
  else
    for (int i = 0; i < LAUNCHES; i++)
      must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  must(clFinish(queue), "clFinish");
  return now_ns() - begin;
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  bool in_buffer = argc == 2 && strcmp(argv[1], "buffer") == 0;
  if (argc != 2 || (!in_buffer && strcmp(argv[1], "each") != 0)) {
    fprintf(stderr, "usage: %s each|buffer\n", argv[0]);
    return 2;
  }
  static uint64_t times[TIMES];
  open_driver();
  cl_command_buffer_khr buffer = in_buffer ? record() : NULL;
  for (int i = 0; i < TIMES / 10; i++)
    spent(buffer);
  for (int i = 0; i < TIMES; i++)
    times[i] = spent(buffer);
  qsort(times, TIMES, sizeof *times, compare);
  printf("%d launches, %s: %.1f us\n", LAUNCHES, argv[1], times[TIMES / 2] / 1e3);
  return 0;
}
