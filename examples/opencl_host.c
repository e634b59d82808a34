// A program that uses OpenCL itself, and gets a kernel from Kiln in two ways: run by Kiln on the program's own queue
// and buffer, and as OpenCL C text that the program builds and runs without Kiln. Checks both.
//
//   opencl_host     on the device that COMPILE_ARCH names, else the best one
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void smooth(global const float *x, global float *y, int n) {\n"
                             "  int i = get_global_id(0);\n"
                             "  float left = x[max(i - 1, 0)], right = x[min(i + 1, n - 1)];\n"
                             "  y[i] = 0.25f * left + 0.5f * x[i] + 0.25f * right;\n"
                             "}\n";

enum { N = 1 << 20 };

static int fail(const char *what, int code) {
  fprintf(stderr, "%s: %s (%d)\n", what, kiln_last_error(), code);
  return code == KILN_ERR_UNAVAILABLE || code == KILN_ERR_NOT_FOUND ? 77 : 1;
}

static int check(const char *who, const float *x, const float *y) {
  for (int i = 0; i < N; i++) {
    float left = x[i ? i - 1 : 0], right = x[i < N - 1 ? i + 1 : N - 1];
    float wanted = 0.25f * left + 0.5f * x[i] + 0.25f * right;
    if (!(y[i] >= wanted - 1e-4f && y[i] <= wanted + 1e-4f))
      return fprintf(stderr, "%s: y[%d] is %g, not %g\n", who, i, y[i], wanted), 1;
  }
  printf("%s: right\n", who);
  return 0;
}

// Kiln enqueues its kernel on the program's queue, between the program's own commands.
static int by_kiln(struct kiln_context *ctx, struct kiln_program *program, cl_command_queue queue, cl_mem x, cl_mem y,
                   float *out) {
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *bx, *by;
  int n = N, status;
  if ((status = kiln_kernel_create(program, "smooth", &kernel)) ||
      (status = kiln_stream_wrap_native(ctx, 0, queue, &stream)) ||
      (status = kiln_buffer_wrap_native(ctx, 0, x, 0, &bx)) || (status = kiln_buffer_wrap_native(ctx, 0, y, 0, &by)))
    return fail("wrapping", status);
  struct kiln_arg args[] = {kiln_arg_buffer(bx), kiln_arg_buffer(by), kiln_arg_value(&n, sizeof n)};
  status = kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {N}, .args = args, .arg_count = 3}, NULL);
  int code = clEnqueueReadBuffer(queue, y, CL_TRUE, 0, N * sizeof(float), out, 0, NULL, NULL);
  kiln_buffer_release(bx);
  kiln_buffer_release(by);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  return status || code ? fail("launching", status ? status : code) : 0;
}

// The text is compiled and run by OpenCL alone.
static int by_text(struct kiln_program *program, cl_context context, cl_device_id device, cl_command_queue queue,
                   cl_mem x, cl_mem y, float *out) {
  void *text;
  size_t size, global = N;
  int n = N;
  cl_int code;
  int status = kiln_program_stage(program, "cl", &text, &size);
  if (status)
    return fail("printing", status);
  cl_program built = clCreateProgramWithSource(context, 1, (const char *[]){text}, &size, &code);
  kiln_free(text);
  if (code || (code = clBuildProgram(built, 1, &device, "", NULL, NULL)))
    return fail("building the text", code);
  cl_kernel kernel = clCreateKernel(built, "smooth", &code);
  if (code || clSetKernelArg(kernel, 0, sizeof x, &x) || clSetKernelArg(kernel, 1, sizeof y, &y) ||
      clSetKernelArg(kernel, 2, sizeof n, &n) ||
      (code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL)) ||
      (code = clEnqueueReadBuffer(queue, y, CL_TRUE, 0, N * sizeof(float), out, 0, NULL, NULL)))
    return fail("running the text", code ? code : 1);
  clReleaseKernel(kernel);
  clReleaseProgram(built);
  return 0;
}

int main(void) {
  // The device that Kiln would choose; a program that has a device of its own begins with that.
  struct kiln_context *chooser, *ctx;
  struct kiln_native_context native;
  int status = kiln_context_open(&(struct kiln_context_desc){.backend = "opencl"}, &chooser);
  if (!status)
    status = kiln_context_native(chooser, 0, &native);
  if (status)
    return fail("no device", status);
  cl_device_id device = native.device;
  kiln_context_close(chooser);

  cl_int code;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  float *values = malloc(N * sizeof *values), *out = malloc(N * sizeof *out);
  for (int i = 0; i < N; i++)
    values[i] = (float)(i % 1000);
  cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, N * sizeof *values, values, &code);
  cl_mem y = clCreateBuffer(context, CL_MEM_WRITE_ONLY, N * sizeof *out, NULL, &code);

  native = (struct kiln_native_context){.runtime = KILN_RUNTIME_OPENCL, .device = device, .context = context};
  struct kiln_program *program;
  if ((status = kiln_context_open_native(NULL, &native, &ctx)) ||
      (status = kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .name = "smooth.cl"}, &program)))
    return fail("compiling", status);
  int failed = by_kiln(ctx, program, queue, x, y, out) || check("Kiln on the program's queue", values, out) ||
               by_text(program, context, device, queue, x, y, out) || check("the text without Kiln", values, out);
  kiln_program_release(program);
  kiln_context_close(ctx);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  free(values);
  free(out);
  return failed;
}
