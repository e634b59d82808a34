// A vector addition, buffers mapped and copied, a build that fails, and codes of errors.
#include "icd_test.h"

#define N 1000

static const char source[] = "kernel void add(global const int *a, global const int *b, global int *c, int n) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  if (i < n) c[i] = a[i] + b[i];\n"
                             "}\n"
                             "kernel void sum(global int *x, local int *tmp) {\n"
                             "  size_t l = get_local_id(0);\n"
                             "  tmp[l] = x[get_global_id(0)];\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  int s = 0;\n"
                             "  for (size_t k = 0; k < get_local_size(0); k++) s += tmp[k];\n"
                             "  x[get_global_id(0)] = s;\n"
                             "}\n";

static void vector_add(const struct setup *s, cl_program program) {
  int a[N], b[N], c[N];
  for (int i = 0; i < N; i++) {
    a[i] = 3 * i;
    b[i] = 7 - i;
  }
  cl_kernel kernel = kernel_of(program, "add");
  cl_mem ma = buffer_of(s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
  cl_mem mb = buffer_of(s, CL_MEM_READ_ONLY, sizeof b, NULL);
  cl_mem mc = buffer_of(s, CL_MEM_WRITE_ONLY, sizeof c, NULL);
  int n = N;
  size_t global = 1024, local = 64;
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof ma, &ma));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof mb, &mb));
  CHECK_OK(clSetKernelArg(kernel, 2, sizeof mc, &mc));
  CHECK_OK(clSetKernelArg(kernel, 3, sizeof n, &n));
  cl_event written, ran;
  CHECK_OK(clEnqueueWriteBuffer(s->queue, mb, CL_FALSE, 0, sizeof b, b, 0, NULL, &written));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 1, &written, &ran));
  CHECK_OK(clEnqueueReadBuffer(s->queue, mc, CL_TRUE, 0, sizeof c, c, 1, &ran, NULL));
  for (int i = 0; i < N; i++)
    CHECK(c[i] == 2 * i + 7);
  cl_int state = 1;
  CHECK_OK(clGetEventInfo(ran, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  CHECK(state == CL_COMPLETE);

  static const cl_kernel_arg_address_qualifier spaces[] = {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                           CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};
  for (cl_uint i = 0; i < 4; i++) {
    cl_kernel_arg_address_qualifier space = 0;
    CHECK_OK(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    CHECK(space == spaces[i]);
  }
  CHECK_CODE(clSetKernelArg(kernel, 4, sizeof n, &n), CL_INVALID_ARG_INDEX);
  CHECK_CODE(clSetKernelArg(kernel, 3, 8, &n), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clSetKernelArg(kernel, 3, sizeof n, NULL), CL_INVALID_ARG_VALUE);
  CHECK_CODE(clSetKernelArg(kernel, 0, 4, &ma), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 4, NULL, &global, &local, 0, NULL, NULL),
             CL_INVALID_WORK_DIMENSION);
  local = 100; // does not divide 1024
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_INVALID_WORK_GROUP_SIZE);
  local = (size_t)1 << 40;
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_INVALID_WORK_ITEM_SIZE);
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(clEnqueueReadBuffer(s->queue, mc, CL_TRUE, 0, sizeof c + 1, c, 0, NULL, NULL), CL_INVALID_VALUE);
  CHECK_CODE(clEnqueueReadBuffer(s->queue, mc, CL_TRUE, 0, sizeof c, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
  global = 0;
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  CHECK_OK(clFinish(s->queue));
  CHECK_OK(clReleaseEvent(written));
  CHECK_OK(clReleaseEvent(ran));
  CHECK_OK(clReleaseMemObject(ma));
  CHECK_OK(clReleaseMemObject(mb));
  CHECK_OK(clReleaseMemObject(mc));
  CHECK_OK(clReleaseKernel(kernel));
}

static void local_memory(const struct setup *s, cl_program program) {
  int x[64];
  for (int i = 0; i < 64; i++)
    x[i] = i;
  cl_kernel kernel = kernel_of(program, "sum");
  cl_mem mem = buffer_of(s, CL_MEM_USE_HOST_PTR, sizeof x, x);
  size_t global = 64, local = 16;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_CODE(clSetKernelArg(kernel, 1, 0, NULL), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clSetKernelArg(kernel, 1, 64, x), CL_INVALID_ARG_VALUE);
  CHECK_OK(clSetKernelArg(kernel, 1, 64, NULL));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  cl_int status;
  int *y = clEnqueueMapBuffer(s->queue, mem, CL_TRUE, CL_MAP_READ, 64, 128, 0, NULL, NULL, &status);
  CHECK_OK(status);
  CHECK(y == x + 16 && y[0] == 376 && y[15] == 376 && y[16] == 632);
  cl_uint count = 0;
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  CHECK(count == 1);
  CHECK_CODE(clEnqueueUnmapMemObject(s->queue, mem, x, 0, NULL, NULL), CL_INVALID_VALUE);
  CHECK_OK(clEnqueueUnmapMemObject(s->queue, mem, y, 0, NULL, NULL));
  CHECK_CODE(clEnqueueUnmapMemObject(s->queue, mem, y, 0, NULL, NULL), CL_INVALID_VALUE);
  cl_ulong bytes = 0;
  CHECK_OK(clGetKernelWorkGroupInfo(kernel, s->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
  CHECK(bytes == 64);
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
  CHECK(bytes == 256 << 10);
  CHECK_OK(clSetKernelArg(kernel, 1, bytes, NULL));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  CHECK_OK(clSetKernelArg(kernel, 1, bytes + 4, NULL));
  CHECK_CODE(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
  CHECK_OK(clFinish(s->queue));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
}

static void log_of(const struct setup *s, const char *source, const char *options, char log[2000]) {
  cl_program program = build(s, source, options);
  *log = 0;
  CHECK_OK(clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, 2000, log, NULL));
  CHECK_OK(clReleaseProgram(program));
}

// A log that is not empty is a warning to PyOpenCL and others: unused variables and their like are told where asked
// for.
static void warnings(const struct setup *s) {
  static const char unused[] = "static int never(int x) { return x; }\n"
                               "kernel void f(global int *x) { int unused, set; set = 1; *x = 0; label:; }";
  char log[2000];
  log_of(s, unused, "", log);
  CHECK(!*log);
  log_of(s, unused, "-Wextra -Wno-unused-value", log);
  CHECK(!*log);
  log_of(s, unused, "-Wall", log);
  CHECK(strstr(log, "[-Wunused-variable]") && strstr(log, "[-Wunused-function]") && strstr(log, "4 warnings"));
  log_of(s, unused, "-Wall -Wno-unused", log);
  CHECK(!*log);
  log_of(s, unused, "-Wunused -w", log);
  CHECK(!*log);
  log_of(s, "kernel void f(global int *x) { *x = 1 / 0; }", "", log);
  CHECK(strstr(log, "[-Wdivision-by-zero]"));
}

static void failing_build(const struct setup *s) {
  const char *text = "kernel void f(global int *x) { *x = nothing; }";
  cl_int status;
  cl_program program = clCreateProgramWithSource(s->context, 1, &text, NULL, &status);
  CHECK_OK(status);
  CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
  char log[2000] = "";
  CHECK_OK(clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  CHECK(strstr(log, "nothing"));
  cl_build_status built = 1;
  CHECK_OK(clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL));
  CHECK(built == CL_BUILD_ERROR);
  CHECK(!clCreateKernel(program, "f", &status));
  CHECK_CODE(status, CL_INVALID_PROGRAM_EXECUTABLE);
  CHECK_CODE(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  CHECK_OK(clReleaseProgram(program));
}

static void codes(const struct setup *s, cl_program program) {
  cl_int status;
  CHECK(!clCreateBuffer(s->context, 0, 0, NULL, &status));
  CHECK_CODE(status, CL_INVALID_BUFFER_SIZE);
  CHECK(!clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &status));
  CHECK_CODE(status, CL_INVALID_VALUE);
  CHECK(!clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, 4, NULL, &status));
  CHECK_CODE(status, CL_INVALID_HOST_PTR);
  CHECK(!clCreateKernel(program, "no_such", &status));
  CHECK_CODE(status, CL_INVALID_KERNEL_NAME);
  // A handle of another kind.
  CHECK_CODE(clReleaseMemObject((cl_mem)program), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clFinish((cl_command_queue)program), CL_INVALID_COMMAND_QUEUE);
  CHECK_CODE(clRetainEvent((cl_event)s->queue), CL_INVALID_EVENT);
  cl_kernel kernel = kernel_of(program, "add");
  CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION); // it has kernels
  char name[3];
  CHECK_CODE(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL), CL_INVALID_VALUE);
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_CODE(clGetDeviceInfo(s->device, 0, 0, NULL, NULL), CL_INVALID_VALUE);
}

static void variables(const struct setup *s) {
  cl_program program = build(s,
                             "global int a[100] = {1}; global float b; constant int c[5] = {1, 2};\n"
                             "kernel void k(global int *o) { *o = a[*o & 3]++ + c[*o & 1]; b += 1; }",
                             "-cl-std=CL3.0");
  size_t bytes = 0;
  CHECK_OK(clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes,
                                 NULL));
  CHECK(bytes == 404);
  CHECK_OK(clReleaseProgram(program));
}

// Names that are longer than any buffer.
static void long_name(const struct setup *s) {
  char source[1200], name[600];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  snprintf(source, sizeof source, "kernel void %s(global int *o) { *o = 1; }", name);
  cl_program program = build(s, source, "");
  cl_kernel kernel = kernel_of(program, name);
  cl_mem mem = buffer_of(s, 0, 4, NULL);
  size_t one = 1;
  int x = 0;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, sizeof x, &x, 0, NULL, NULL));
  CHECK(x == 1);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
}

static void attributes(const struct setup *s) {
  cl_program program = build(s,
                             "__attribute__((work_group_size_hint(8, 1, 1))) kernel "
                             "__attribute__((reqd_work_group_size(4, 2, 1), vec_type_hint(uchar3))) void a(void) {}\n"
                             "typedef double8 wide; kernel __attribute__((vec_type_hint(wide))) void b(void) {}\n"
                             "kernel __attribute__((vec_type_hint(int))) void c(void) {}\nkernel void d(void) {}",
                             "");
  static const char *const expected[] = {
      "vec_type_hint(uchar3) reqd_work_group_size(4,2,1) work_group_size_hint(8,1,1)", "vec_type_hint(double8)",
      "vec_type_hint(int)", ""};
  for (int i = 0; i < 4; i++) {
    char text[200] = "?";
    cl_kernel kernel = kernel_of(program, (char[]){(char)('a' + i), 0});
    CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
    CHECK(strcmp(text, expected[i]) == 0);
    CHECK_OK(clReleaseKernel(kernel));
  }
  CHECK_OK(clReleaseProgram(program));
}

// The size that a module in SPIR-V requires is no attribute, but holds.
static void attributes_of_il(const struct setup *s) {
  static const uint32_t module[] = {0x07230203,
                                    0x10000,
                                    0,
                                    6,
                                    0,
                                    2 << 16 | 17,
                                    6,
                                    2 << 16 | 17,
                                    4, // OpCapability Kernel, Addresses
                                    3 << 16 | 14,
                                    2,
                                    2, // OpMemoryModel Physical64 OpenCL
                                    4 << 16 | 15,
                                    6,
                                    1,
                                    'k', // OpEntryPoint Kernel %1 "k"
                                    6 << 16 | 16,
                                    1,
                                    17,
                                    4,
                                    2,
                                    1, // OpExecutionMode %1 LocalSize 4 2 1
                                    2 << 16 | 19,
                                    2,
                                    3 << 16 | 33,
                                    3,
                                    2, // OpTypeVoid, OpTypeFunction
                                    5 << 16 | 54,
                                    2,
                                    1,
                                    0,
                                    3,
                                    2 << 16 | 248,
                                    4,
                                    1 << 16 | 253,
                                    1 << 16 | 56};
  cl_int status;
  cl_program program = clCreateProgramWithIL(s->context, module, sizeof module, &status);
  CHECK_OK(status);
  CHECK_OK(clBuildProgram(program, 1, &s->device, "", NULL, NULL));
  cl_kernel kernel = kernel_of(program, "k");
  char text[200] = "?";
  size_t required[3];
  CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
  CHECK(strcmp(text, "") == 0);
  CHECK_OK(
      clGetKernelWorkGroupInfo(kernel, s->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL));
  CHECK(required[0] == 4 && required[1] == 2 && required[2] == 1);
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
}

// What the device reports is what the compiler defines; functions of sub-groups need no name for that.
static void extensions(const struct setup *s) {
  // Of the driver, not of the language:
  static const char others[] = " cl_khr_icd cl_khr_image2d_from_buffer cl_khr_il_program cl_khr_spirv_linkonce_odr "
                               "cl_khr_command_buffer cl_khr_command_buffer_mutable_dispatch "
                               "cl_khr_spirv_no_integer_wrap_decoration cl_intel_unified_shared_memory ";
  char names[4096], text[8192] = "kernel void f(global int *o) { o[0] = sub_group_reduce_add(o[0]); }\n"
                                 "#ifdef cl_khr_subgroups\n#error defined\n#endif\n";
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
  size_t size = strlen(text);
  int count = 0;
  for (char *rest, *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest), count++) {
    CHECK(strcmp(name, "cl_khr_subgroups") != 0);
    char word[128];
    snprintf(word, sizeof word, " %s ", name);
    if (!strstr(others, word))
      size += (size_t)snprintf(text + size, sizeof text - size, "#ifndef %s\n#error %s\n#endif\n", name, name);
  }
  CHECK(count > 10 && size < sizeof text);
  CHECK_OK(clReleaseProgram(build(s, text, "-cl-std=CL1.2")));
  CHECK_OK(clReleaseProgram(build(s, text, "-cl-std=CL3.0")));
}

// A warp has a register's elements of 32 bits; the interpreter has neither.
static void native_widths(const struct setup *s) {
  size_t warp;
  cl_uint bytes, ints, doubles;
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof warp, &warp, NULL));
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, sizeof bytes, &bytes, NULL));
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, sizeof ints, &ints, NULL));
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof doubles, &doubles, NULL));
  bool registers = strcmp(getenv("COMPILE_OPENCL_DEVICES"), "cpu") == 0;
  CHECK(bytes == (registers ? 4 * warp : 1) && ints == (registers ? warp : 1) && doubles == (registers ? warp / 2 : 1));
}

// FFmpeg's tonemap_opencl counts frames in a buffer that nothing sets, and writes where these counts say.
static void small_buffers_begin_as_zeros(const struct setup *s) {
  static const size_t sizes[] = {4, 532, 4096, 65536};
  static unsigned char bytes[65536];
  for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
    cl_int status;
    size_t size = sizes[i / 2], set = 0;
    cl_mem mem = clCreateBuffer(s->context, CL_MEM_READ_WRITE, size, NULL, &status);
    CHECK_OK(status);
    CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
    for (size_t k = 0; k < size; k++)
      set += bytes[k] != 0;
    CHECK(set == 0);
    // The next one may get the memory of this one.
    CHECK_OK(clEnqueueFillBuffer(s->queue, mem, "\377", 1, 0, size, 0, NULL, NULL));
    CHECK_OK(clFinish(s->queue));
    CHECK_OK(clReleaseMemObject(mem));
  }
}

int main(void) {
  struct setup s = setup_open(0);
  cl_program program = build(&s, source, "");
  vector_add(&s, program);
  local_memory(&s, program);
  failing_build(&s);
  warnings(&s);
  attributes(&s);
  attributes_of_il(&s);
  extensions(&s);
  native_widths(&s);
  small_buffers_begin_as_zeros(&s);
  variables(&s);
  long_name(&s);
  codes(&s, program);
  CHECK_OK(clReleaseProgram(program));
  setup_close(&s);
  return failures != 0;
}
