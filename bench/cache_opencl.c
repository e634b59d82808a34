// The same as cache.c on an OpenCL platform: a program that its cache has, from source to a kernel with its arguments
// set.
//   cache-opencl [REPETITIONS]
#define CL_TARGET_OPENCL_VERSION 120
#include "bench/start.h"

#include <CL/cl.h>
#include <stdlib.h>

static void check(cl_int error) {
  if (error != CL_SUCCESS) {
    fprintf(stderr, "OpenCL error %d\n", error);
    exit(1);
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 101;
  double *times = calloc((size_t)(count > 0 ? count : 1), sizeof *times);
  cl_int error;
  cl_platform_id platform;
  cl_device_id device;
  if (count < 1 || !times)
    return 1;
  check(clGetPlatformIDs(1, &platform, NULL));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error);
  check(error);
  for (int i = -1; i < count; i++) { // the first fills the cache
    const char *text = start_source;
    float a = 2;
    double begin = start_now_ms();
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "saxpy", &error);
    check(error);
    check(clSetKernelArg(kernel, 0, sizeof a, &a));
    check(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    check(clSetKernelArg(kernel, 2, sizeof buffer, &buffer));
    if (i >= 0)
      times[i] = (start_now_ms() - begin) * 1e3;
    check(clReleaseKernel(kernel));
    check(clReleaseProgram(program));
  }
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("opencl  launchable %8.2f us (median of %d)\n", times[count / 2], count);
  free(times);
  return 0;
}
