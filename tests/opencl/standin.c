// A libOpenCL.so.1 that hands every call on to the real loader (KILN_STANDIN_REAL, a path) until one is to fail. Never
// installed.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/opencl/standin.h"

#define EXPORT __attribute__((visibility("default")))

enum symbol {
#define CL_SYMBOL(name) AT_##name,
#include "backends/opencl/print/symbols.def"
  SYMBOL_COUNT
};

static const char *const symbols[SYMBOL_COUNT] = {
#define CL_SYMBOL(name) [AT_##name] = #name,
#include "backends/opencl/print/symbols.def"
};

// What fails when the device is lost.
static bool reaches_device(enum symbol symbol) {
  static const char *const prefixes[] = {"clEnqueue", "clFinish", "clFlush", "clWait", "clCreate", "clBuild"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(symbols[symbol], prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned calls[SYMBOL_COUNT];
static int failing = -1; // the symbol
static unsigned failing_call;
static cl_int failing_code;
static enum standin_mode failing_mode;
static bool lost;
static cl_event failed_command;

EXPORT void standin_fail(const char *function, unsigned call, int code, enum standin_mode mode) {
  pthread_mutex_lock(&lock);
  failing = -1;
  for (int i = 0; i < SYMBOL_COUNT; i++)
    if (strcmp(symbols[i], function) == 0) {
      failing = i;
      failing_call = calls[i] + call;
    }
  if (failing < 0) {
    fprintf(stderr, "stand-in: no function %s\n", function);
    abort();
  }
  failing_code = code;
  failing_mode = mode;
  pthread_mutex_unlock(&lock);
}

EXPORT void standin_reset(void) {
  pthread_mutex_lock(&lock);
  memset(calls, 0, sizeof calls);
  failing = -1;
  lost = false;
  failed_command = NULL;
  pthread_mutex_unlock(&lock);
}

EXPORT unsigned standin_calls(const char *function) {
  for (int i = 0; i < SYMBOL_COUNT; i++)
    if (strcmp(symbols[i], function) == 0)
      return calls[i];
  return 0;
}

// The error that the call is to give; CL_SUCCESS: it goes on. command: the call's command is to fail.
static cl_int next(enum symbol symbol, bool *command) {
  pthread_mutex_lock(&lock);
  unsigned call = ++calls[symbol];
  cl_int code = CL_SUCCESS;
  *command = false;
  if (lost && reaches_device(symbol))
    code = failing_code;
  if (failing == (int)symbol && (call == failing_call || (call > failing_call && failing_mode == STANDIN_FOREVER))) {
    code = failing_code;
    lost |= failing_mode == STANDIN_LOST;
    *command = failing_mode == STANDIN_COMMAND;
  }
  pthread_mutex_unlock(&lock);
  return *command ? CL_SUCCESS : code;
}

static void *real(const char *name) {
  static void *library;
  if (!library) {
    const char *path = getenv("KILN_STANDIN_REAL");
    library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
      fprintf(stderr, "stand-in: KILN_STANDIN_REAL does not lead to a loader\n");
      abort();
    }
  }
  return dlsym(library, name);
}

#define REAL(name) ((__typeof__(&name))real(#name))

// A function that returns its error.
#define STATUS(name, params, args)                                                                                     \
  EXPORT cl_int CL_API_CALL name params {                                                                              \
    bool command;                                                                                                      \
    cl_int code = next(AT_##name, &command);                                                                           \
    return code != CL_SUCCESS ? code : REAL(name) args;                                                                \
  }

// One that returns an object; the last parameter is the place of the error.
#define OBJECT(type, name, params, args)                                                                               \
  EXPORT type CL_API_CALL name params {                                                                                \
    bool command;                                                                                                      \
    cl_int failure = next(AT_##name, &command);                                                                        \
    if (failure == CL_SUCCESS)                                                                                         \
      return REAL(name) args;                                                                                          \
    if (code)                                                                                                          \
      *code = failure;                                                                                                 \
    return NULL;                                                                                                       \
  }

// One that enqueues a command: event is its last parameter.
#define ENQUEUE(name, params, args)                                                                                    \
  EXPORT cl_int CL_API_CALL name params {                                                                              \
    bool command;                                                                                                      \
    cl_int code = next(AT_##name, &command);                                                                           \
    if (code != CL_SUCCESS)                                                                                            \
      return code;                                                                                                     \
    code = REAL(name) args;                                                                                            \
    if (command && event)                                                                                              \
      failed_command = *event;                                                                                         \
    return code;                                                                                                       \
  }

STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *out, cl_uint *count), (n, out, count))
// KILN_STANDIN_PLATFORM is the name of every platform.
EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id o, cl_platform_info what, size_t n, void *out,
                                            size_t *size) {
  bool command;
  cl_int code = next(AT_clGetPlatformInfo, &command);
  const char *name = what == CL_PLATFORM_NAME ? getenv("KILN_STANDIN_PLATFORM") : NULL;
  if (code != CL_SUCCESS || !name)
    return code != CL_SUCCESS ? code : REAL(clGetPlatformInfo)(o, what, n, out, size);
  if (out && n <= strlen(name))
    return CL_INVALID_VALUE;
  if (out)
    strcpy(out, name);
  if (size)
    *size = strlen(name) + 1;
  return CL_SUCCESS;
}
STATUS(clGetDeviceIDs, (cl_platform_id o, cl_device_type type, cl_uint n, cl_device_id *out, cl_uint *count),
       (o, type, n, out, count))
STATUS(clGetDeviceInfo, (cl_device_id o, cl_device_info what, size_t n, void *out, size_t *size),
       (o, what, n, out, size))
typedef void(CL_CALLBACK *notify_fn)(const char *, const void *, size_t, void *);
OBJECT(cl_context, clCreateContext,
       (const cl_context_properties *p, cl_uint n, const cl_device_id *devices, notify_fn notify, void *user,
        cl_int *code),
       (p, n, devices, notify, user, code))
STATUS(clReleaseContext, (cl_context o), (o))
OBJECT(cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), (c, d, p, code))
STATUS(clReleaseCommandQueue, (cl_command_queue o), (o))
OBJECT(cl_program, clCreateProgramWithSource,
       (cl_context c, cl_uint n, const char **texts, const size_t *sizes, cl_int *code), (c, n, texts, sizes, code))
OBJECT(cl_program, clCreateProgramWithBinary,
       (cl_context c, cl_uint n, const cl_device_id *d, const size_t *sizes, const unsigned char **data,
        cl_int *accepted, cl_int *code),
       (c, n, d, sizes, data, accepted, code))
STATUS(clBuildProgram,
       (cl_program o, cl_uint n, const cl_device_id *d, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (o, n, d, options, notify, user))
STATUS(clGetProgramInfo, (cl_program o, cl_program_info what, size_t n, void *out, size_t *size),
       (o, what, n, out, size))
STATUS(clGetProgramBuildInfo,
       (cl_program o, cl_device_id d, cl_program_build_info what, size_t n, void *out, size_t *size),
       (o, d, what, n, out, size))
STATUS(clReleaseProgram, (cl_program o), (o))
OBJECT(cl_kernel, clCreateKernel, (cl_program o, const char *name, cl_int *code), (o, name, code))
STATUS(clReleaseKernel, (cl_kernel o), (o))
STATUS(clSetKernelArg, (cl_kernel o, cl_uint index, size_t n, const void *data), (o, index, n, data))
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel o, cl_device_id d, cl_kernel_work_group_info what, size_t n, void *out, size_t *size),
       (o, d, what, n, out, size))
OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t n, void *host, cl_int *code),
       (c, f, n, host, code))
OBJECT(cl_mem, clCreateSubBuffer,
       (cl_mem o, cl_mem_flags f, cl_buffer_create_type type, const void *info, cl_int *code), (o, f, type, info, code))
OBJECT(cl_mem, clCreateImage,
       (cl_context c, cl_mem_flags f, const cl_image_format *format, const cl_image_desc *desc, void *host,
        cl_int *code),
       (c, f, format, desc, host, code))
STATUS(clGetSupportedImageFormats,
       (cl_context c, cl_mem_flags f, cl_mem_object_type type, cl_uint n, cl_image_format *out, cl_uint *count),
       (c, f, type, n, out, count))
OBJECT(cl_sampler, clCreateSampler,
       (cl_context c, cl_bool normalized, cl_addressing_mode mode, cl_filter_mode filter, cl_int *code),
       (c, normalized, mode, filter, code))
STATUS(clReleaseSampler, (cl_sampler o), (o))
STATUS(clReleaseMemObject, (cl_mem o), (o))
STATUS(clSetMemObjectDestructorCallback, (cl_mem o, void(CL_CALLBACK *notify)(cl_mem, void *), void *user),
       (o, notify, user))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem o, cl_bool wait, size_t at, size_t n, void *out, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, o, wait, at, n, out, waits, list, event))
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem o, cl_bool wait, size_t at, size_t n, const void *data, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, o, wait, at, n, data, waits, list, event))
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem from, cl_mem to, size_t at, size_t to_at, size_t n, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, from, to, at, to_at, n, waits, list, event))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem o, const void *pattern, size_t size, size_t at, size_t n, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, o, pattern, size, at, n, waits, list, event))
ENQUEUE(clEnqueueReadImage,
        (cl_command_queue q, cl_mem o, cl_bool wait, const size_t *at, const size_t *n, size_t row, size_t plane,
         void *out, cl_uint waits, const cl_event *list, cl_event *event),
        (q, o, wait, at, n, row, plane, out, waits, list, event))
ENQUEUE(clEnqueueWriteImage,
        (cl_command_queue q, cl_mem o, cl_bool wait, const size_t *at, const size_t *n, size_t row, size_t plane,
         const void *data, cl_uint waits, const cl_event *list, cl_event *event),
        (q, o, wait, at, n, row, plane, data, waits, list, event))
ENQUEUE(clEnqueueCopyImage,
        (cl_command_queue q, cl_mem from, cl_mem to, const size_t *at, const size_t *to_at, const size_t *n,
         cl_uint waits, const cl_event *list, cl_event *event),
        (q, from, to, at, to_at, n, waits, list, event))
ENQUEUE(clEnqueueCopyImageToBuffer,
        (cl_command_queue q, cl_mem from, cl_mem to, const size_t *at, const size_t *n, size_t to_at, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, from, to, at, n, to_at, waits, list, event))
ENQUEUE(clEnqueueCopyBufferToImage,
        (cl_command_queue q, cl_mem from, cl_mem to, size_t at, const size_t *to_at, const size_t *n, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, from, to, at, to_at, n, waits, list, event))
ENQUEUE(clEnqueueFillImage,
        (cl_command_queue q, cl_mem o, const void *pixel, const size_t *at, const size_t *n, cl_uint waits,
         const cl_event *list, cl_event *event),
        (q, o, pixel, at, n, waits, list, event))
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
         cl_uint waits, const cl_event *list, cl_event *event),
        (q, k, dims, offset, global, local, waits, list, event))
ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint waits, const cl_event *list, cl_event *event),
        (q, waits, list, event))
STATUS(clFlush, (cl_command_queue o), (o))
STATUS(clFinish, (cl_command_queue o), (o))
OBJECT(cl_event, clCreateUserEvent, (cl_context c, cl_int *code), (c, code))
STATUS(clSetUserEventStatus, (cl_event o, cl_int state), (o, state))
STATUS(clRetainEvent, (cl_event o), (o))
STATUS(clRetainContext, (cl_context o), (o))
STATUS(clRetainCommandQueue, (cl_command_queue o), (o))
STATUS(clRetainMemObject, (cl_mem o), (o))
STATUS(clGetContextInfo, (cl_context o, cl_context_info what, size_t n, void *out, size_t *size),
       (o, what, n, out, size))
STATUS(clGetCommandQueueInfo, (cl_command_queue o, cl_command_queue_info what, size_t n, void *out, size_t *size),
       (o, what, n, out, size))
STATUS(clGetMemObjectInfo, (cl_mem o, cl_mem_info what, size_t n, void *out, size_t *size), (o, what, n, out, size))
STATUS(clReleaseEvent, (cl_event o), (o))
STATUS(clGetEventProfilingInfo, (cl_event o, cl_profiling_info what, size_t n, void *out, size_t *size),
       (o, what, n, out, size))

EXPORT cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *list) {
  bool command;
  cl_int code = next(AT_clWaitForEvents, &command);
  if (code != CL_SUCCESS)
    return code;
  code = REAL(clWaitForEvents)(n, list);
  for (cl_uint i = 0; i < n; i++)
    if (list[i] == failed_command)
      return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return code;
}

EXPORT cl_int CL_API_CALL clGetEventInfo(cl_event o, cl_event_info what, size_t n, void *out, size_t *size) {
  bool command;
  cl_int code = next(AT_clGetEventInfo, &command);
  if (code != CL_SUCCESS)
    return code;
  code = REAL(clGetEventInfo)(o, what, n, out, size);
  if (o == failed_command && what == CL_EVENT_COMMAND_EXECUTION_STATUS && code == CL_SUCCESS && n >= sizeof(cl_int))
    memcpy(out, &failing_code, sizeof failing_code);
  return code;
}
