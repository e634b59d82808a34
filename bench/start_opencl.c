// The same as start_kiln.c on an OpenCL platform through the ICD loader: fresh process to first result, then further
// compiles of a changed kernel.
#define CL_TARGET_OPENCL_VERSION 120
#include "bench/start.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdlib.h>

static void check(cl_int error) {
  if (error != CL_SUCCESS) {
    fprintf(stderr, "OpenCL error %d\n", error);
    exit(1);
  }
}

int main(int argc, char **argv) {
  static float x[START_COUNT], y[START_COUNT];
  start_fill(x, y);
  double begin = start_now_ms();
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  check(clGetPlatformIDs(1, &platform, NULL));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error);
  const char *text = start_source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error);
  check(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "saxpy", &error);
  check(error);
  cl_mem bx = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof x, NULL, &error);
  check(error);
  cl_mem by = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof y, NULL, &error);
  check(error);
  check(clEnqueueWriteBuffer(queue, bx, CL_FALSE, 0, sizeof x, x, 0, NULL, NULL));
  check(clEnqueueWriteBuffer(queue, by, CL_FALSE, 0, sizeof y, y, 0, NULL, NULL));
  float a = 2;
  size_t global = START_COUNT;
  check(clSetKernelArg(kernel, 0, sizeof a, &a));
  check(clSetKernelArg(kernel, 1, sizeof bx, &bx));
  check(clSetKernelArg(kernel, 2, sizeof by, &by));
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  check(clEnqueueReadBuffer(queue, by, CL_FALSE, 0, sizeof y, y, 0, NULL, NULL));
  check(clFinish(queue));
  double end = start_now_ms();
  if (!start_right(y))
    return 1;
  printf("%.4f - -\n", end - begin);
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++) {
    char source[4096];
    bool tiled = argc > 2; // sgemm_tiled
    if (!start_further(argc, argv, i, source, sizeof source))
      return 1;
    text = source;
    begin = start_now_ms();
    cl_program again = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(again, 1, &device, "", NULL, NULL));
    // PoCL compiles for a local size at the first launch.
    cl_kernel k = clCreateKernel(again, tiled ? "sgemm_tiled" : "saxpy", &error);
    check(error);
    int n = 16;
    check(tiled ? clSetKernelArg(k, 0, sizeof bx, &bx) : clSetKernelArg(k, 0, sizeof a, &a));
    check(clSetKernelArg(k, 1, sizeof bx, &bx));
    check(clSetKernelArg(k, 2, sizeof by, &by));
    if (tiled)
      check(clSetKernelArg(k, 3, sizeof n, &n));
    size_t tile[2] = {16, 16};
    check(tiled ? clEnqueueNDRangeKernel(queue, k, 2, NULL, tile, tile, 0, NULL, NULL)
                : clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    check(clFinish(queue));
    printf("%.4f\n", start_now_ms() - begin);
    clReleaseKernel(k);
    clReleaseProgram(again);
  }
  return 0;
}
