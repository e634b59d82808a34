// A host that uses OpenCL itself: its context, buffers and queue in Kiln, and Kiln's in OpenCL. On any device.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"

static int failures;

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, kiln_last_error());                                   \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)
#define FINE(call) EXPECT((call) == KILN_OK)
#define FAILS(call, status, text) EXPECT((call) == (status) && strstr(kiln_last_error(), text))

enum { N = 1000 };

struct host {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context, other_context;
  cl_command_queue queue;
};

static cl_uint references(cl_context context) {
  cl_uint count = 0;
  clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
  return count;
}

static cl_mem memory_of(cl_context context, cl_mem_flags flags, size_t size, void *host) {
  cl_int code;
  cl_mem mem = clCreateBuffer(context, flags, size, host, &code);
  EXPECT(code == CL_SUCCESS);
  return mem;
}

static enum kiln_status add(struct kiln_stream *stream, struct kiln_kernel *kernel, struct kiln_buffer *x, int n) {
  struct kiln_arg args[] = {kiln_arg_buffer(x), kiln_arg_value(&n, sizeof n)};
  return kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {N}, .args = args, .arg_count = 2}, NULL);
}

static struct kiln_kernel *make_kernel(struct kiln_context *ctx) {
  static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";
  struct kiln_program *program;
  struct kiln_kernel *kernel = NULL;
  FINE(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program));
  FINE(kiln_kernel_create(program, "add", &kernel));
  kiln_program_release(program);
  return kernel;
}

// The host's commands and Kiln's take turns on one queue and one buffer, without waiting.
static void turns_on_one_queue(const struct host *h, struct kiln_context *ctx, struct kiln_kernel *kernel) {
  int values[N], before = 0;
  cl_mem mem = memory_of(h->context, CL_MEM_READ_WRITE, sizeof values, NULL);
  struct kiln_buffer *x, *part;
  struct kiln_stream *stream;
  FINE(kiln_buffer_wrap_native(ctx, 0, mem, 0, &x));
  FINE(kiln_stream_wrap_native(ctx, 0, h->queue, &stream));
  EXPECT(kiln_buffer_size(x) == sizeof values);
  clEnqueueFillBuffer(h->queue, mem, &before, sizeof before, 0, sizeof values, 0, NULL, NULL);
  FINE(add(stream, kernel, x, 5));
  before = 100;
  clEnqueueFillBuffer(h->queue, mem, &before, sizeof before, 0, 512, 0, NULL, NULL);
  FINE(add(stream, kernel, x, 2));
  clEnqueueReadBuffer(h->queue, mem, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
  EXPECT(values[0] == 102 && values[127] == 102 && values[128] == 7 && values[N - 1] == 7);

  void *native = NULL;
  size_t offset = 1;
  FINE(kiln_stream_native(stream, &native));
  EXPECT(native == (void *)h->queue);
  FINE(kiln_buffer_native(x, &native, &offset));
  EXPECT(native == (void *)mem && offset == 0);
  FINE(kiln_buffer_sub(x, 256, 128, &part));
  FINE(kiln_buffer_native(part, &native, &offset));
  EXPECT(native == (void *)mem && offset == 256);
  kiln_buffer_release(part);
  // Kiln keeps what the host lets go.
  clReleaseMemObject(mem);
  FINE(add(stream, kernel, x, 1));
  FINE(kiln_read(stream, x, 0, values, sizeof values, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(values[0] == 103 && values[N - 1] == 8);
  kiln_buffer_release(x);
  kiln_stream_release(stream);
}

// A cl_mem over the host's own bytes is host memory of Kiln's as well, where the device shares it.
static void bytes_of_the_host(const struct host *h, struct kiln_context *ctx, struct kiln_kernel *kernel) {
  int *values = aligned_alloc(4096, 4096);
  cl_mem mem = memory_of(h->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 4096, values);
  struct kiln_buffer *x;
  struct kiln_stream *stream;
  struct kiln_device_info info;
  FINE(kiln_device_info(ctx, 0, &info));
  FINE(kiln_buffer_wrap_native(ctx, 0, mem, 4000, &x));
  EXPECT(kiln_buffer_host(x) == (info.host_memory ? (void *)values : NULL) && kiln_buffer_size(x) == 4000);
  FINE(kiln_stream_create(ctx, 0, &stream));
  int zero = 0, first = -1;
  FINE(kiln_fill(stream, x, 0, 4000, &zero, 4, NULL));
  FINE(add(stream, kernel, x, 3));
  FINE(kiln_read(stream, x, 0, &first, 4, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(first == 3);
  kiln_stream_release(stream);
  kiln_buffer_release(x);
  clReleaseMemObject(mem);
  free(values);
}

static void wrong_handles(const struct host *h, struct kiln_context *ctx) {
  struct kiln_buffer *x = NULL;
  struct kiln_stream *stream = NULL;
  cl_int code;
  cl_mem foreign = memory_of(h->other_context, CL_MEM_READ_WRITE, 64, NULL);
  cl_mem mine = memory_of(h->context, CL_MEM_READ_WRITE, 64, NULL);
  FAILS(kiln_buffer_wrap_native(ctx, 0, foreign, 0, &x), KILN_ERR_INVALID, "belongs to another cl_context");
  FAILS(kiln_buffer_wrap_native(ctx, 0, mine, 65, &x), KILN_ERR_INVALID, "has 64 bytes, not 65");
  FAILS(kiln_buffer_wrap_native(ctx, 0, NULL, 0, &x), KILN_ERR_INVALID, "memory is NULL");
  FAILS(kiln_buffer_wrap_native(ctx, 1, mine, 0, &x), KILN_ERR_NOT_FOUND, "no device 1");
  cl_command_queue queue = clCreateCommandQueue(h->other_context, h->device, 0, &code);
  FAILS(kiln_stream_wrap_native(ctx, 0, queue, &stream), KILN_ERR_INVALID, "belongs to another cl_context");
  clReleaseCommandQueue(queue);
  queue = clCreateCommandQueue(h->context, h->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_SUCCESS) {
    FAILS(kiln_stream_wrap_native(ctx, 0, queue, &stream), KILN_ERR_UNSUPPORTED, "runs out of order");
    clReleaseCommandQueue(queue);
  }
  EXPECT(!x && !stream);
  clReleaseMemObject(foreign);
  clReleaseMemObject(mine);

  struct kiln_context *none = NULL;
  struct kiln_native_context native = {.runtime = KILN_RUNTIME_OPENCL, .device = h->device, .context = h->context};
  FAILS(kiln_context_open_native(&(struct kiln_context_desc){.arch = "x"}, &native, &none), KILN_ERR_INVALID,
        "the handles say the device");
  FAILS(kiln_context_open_native(&(struct kiln_context_desc){.backend = "interp"}, &native, &none),
        KILN_ERR_UNSUPPORTED, "takes no handles of OpenCL");
  native.context = NULL;
  FAILS(kiln_context_open_native(NULL, &native, &none), KILN_ERR_INVALID, "the cl_context is NULL");
  native.context = h->context;
  native.device = &native;
  FAILS(kiln_context_open_native(NULL, &native, &none), KILN_ERR_INVALID, "none of those");
  native.runtime = KILN_RUNTIME_HOST;
  FAILS(kiln_context_open_native(NULL, &native, &none), KILN_ERR_INVALID, "kiln_context_open");
  FAILS(kiln_context_open_native(NULL, NULL, &none), KILN_ERR_INVALID, "native is NULL");
}

// The other way round: the host enqueues on what Kiln opened.
static void handles_of_kilns_own(void) {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_buffer *x;
  struct kiln_native_context native;
  FINE(kiln_context_open(&(struct kiln_context_desc){.backend = "opencl"}, &ctx));
  FINE(kiln_context_native(ctx, 0, &native));
  EXPECT(native.runtime == KILN_RUNTIME_OPENCL && native.platform && native.device && native.context);
  struct kiln_kernel *kernel = make_kernel(ctx);
  FINE(kiln_stream_create(ctx, 0, &stream));
  FINE(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = N * sizeof(int)}, &x));
  void *queue, *mem;
  size_t offset;
  FINE(kiln_stream_native(stream, &queue));
  FINE(kiln_buffer_native(x, &mem, &offset));
  int value = 20, values[N];
  EXPECT(clEnqueueFillBuffer(queue, mem, &value, sizeof value, 0, sizeof values, 0, NULL, NULL) == CL_SUCCESS);
  FINE(add(stream, kernel, x, 1));
  EXPECT(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL) == CL_SUCCESS);
  EXPECT(values[0] == 21 && values[N - 1] == 21);
  kiln_buffer_release(x);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(ctx);
}

int main(void) {
  struct host h;
  cl_uint count = 0;
  struct kiln_context *probe;
  struct kiln_native_context found;
  // The device that Kiln would choose.
  if (kiln_context_open(&(struct kiln_context_desc){.backend = "opencl"}, &probe) ||
      kiln_context_native(probe, 0, &found) || clGetPlatformIDs(1, &h.platform, &count) != CL_SUCCESS) {
    printf("skipped: %s\n", kiln_last_error());
    return 77;
  }
  h.platform = found.platform;
  h.device = found.device;
  kiln_context_close(probe);
  cl_int code;
  h.context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &code);
  h.other_context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &code);
  h.queue = clCreateCommandQueue(h.context, h.device, 0, &code);
  struct kiln_native_context native = {.runtime = KILN_RUNTIME_OPENCL, .device = h.device, .context = h.context};
  struct kiln_context *ctx = NULL;
  cl_uint before = references(h.context);
  if (kiln_context_open_native(NULL, &native, &ctx)) {
    printf("%s\n", kiln_last_error());
    return 1;
  }
  EXPECT(references(h.context) > before);
  EXPECT(strcmp(kiln_context_target(ctx)->backend, "opencl") == 0);
  FINE(kiln_context_native(ctx, 0, &native));
  EXPECT(native.context == h.context && native.device == h.device && native.platform == h.platform);
  struct kiln_kernel *kernel = make_kernel(ctx);
  turns_on_one_queue(&h, ctx, kernel);
  bytes_of_the_host(&h, ctx, kernel);
  wrong_handles(&h, ctx);
  handles_of_kilns_own();
  kiln_kernel_release(kernel);
  kiln_context_close(ctx);
  EXPECT(references(h.context) == before);
  clReleaseCommandQueue(h.queue);
  clReleaseContext(h.context);
  clReleaseContext(h.other_context);
  if (!failures)
    printf("fine\n");
  return failures != 0;
}
