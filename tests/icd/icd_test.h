// Checks for the tests of the OpenCL driver: main returns 1 when one has failed.
#ifndef KILN_TESTS_ICD_TEST_H
#define KILN_TESTS_ICD_TEST_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                           \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define CHECK_CODE(call, code)                                                                                         \
  do {                                                                                                                 \
    cl_int got = (call);                                                                                               \
    if (got != (code)) {                                                                                               \
      printf("%s:%d: %s is %d, expected %s (%d)\n", __FILE__, __LINE__, #call, got, #code, (code));                    \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

#define CHECK_OK(call) CHECK_CODE(call, CL_SUCCESS)

struct setup {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
};

// The first device of the only platform, with a queue. Ends the program when there is none.
static inline struct setup setup_open(cl_command_queue_properties flags) {
  struct setup s = {0};
  cl_int status;
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &s.platform, &count) || count != 1 ||
      clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL)) {
    printf("no platform with a device\n");
    exit(1);
  }
  s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
  CHECK_OK(status);
  s.queue = clCreateCommandQueue(s.context, s.device, flags, &status);
  CHECK_OK(status);
  return s;
}

static inline void setup_close(struct setup *s) {
  CHECK_OK(clReleaseCommandQueue(s->queue));
  CHECK_OK(clReleaseContext(s->context));
}

static inline cl_program build(const struct setup *s, const char *source, const char *options) {
  cl_int status;
  cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
  CHECK_OK(status);
  status = clBuildProgram(program, 0, NULL, options, NULL, NULL);
  if (status) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    printf("build: %d\n%s\n", status, log);
    failures++;
  }
  return program;
}

static inline cl_kernel kernel_of(cl_program program, const char *name) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  CHECK_OK(status);
  return kernel;
}

static inline cl_mem buffer_of(const struct setup *s, cl_mem_flags flags, size_t size, void *host) {
  cl_int status;
  cl_mem mem = clCreateBuffer(s->context, flags, size, host, &status);
  CHECK_OK(status);
  return mem;
}

// How many objects of each kind the driver has (icd.h: CL_PLATFORM_OBJECTS_KILN).
enum {
  DEVICES,
  CONTEXTS,
  QUEUES,
  EVENTS,
  BUFFERS,
  PROGRAMS,
  KERNELS,
  SAMPLERS,
  COMMAND_BUFFERS,
  MUTABLE_COMMANDS,
  KINDS
};

static inline void count_objects(cl_platform_id platform, cl_uint objects[KINDS]) {
  memset(objects, 0, KINDS * sizeof *objects);
  CHECK_OK(clGetPlatformInfo(platform, 0x4b4c0001, KINDS * sizeof *objects, objects, NULL));
}

// Whether there are as many as before, once threads that call back have let go of theirs.
static inline bool same_objects(cl_platform_id platform, const cl_uint before[KINDS]) {
  cl_uint now[KINDS];
  for (int i = 0; i < 5000; i++) {
    count_objects(platform, now);
    if (memcmp(now, before, sizeof now) == 0)
      return true;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  for (int i = 0; i < KINDS; i++)
    printf("kind %d: %u objects, before %u\n", i, now[i], before[i]);
  return false;
}

#endif
