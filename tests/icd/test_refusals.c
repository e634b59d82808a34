// What the standard refuses and with which code, next to the nearest that it accepts: the tables in refusals/, by entry
// points. Codes are those of the OpenCL 3.0 API specification; wrong handles are those of test_handles.c.
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "refusals.h"

#include <CL/cl_icd.h>

#define SIZE 256
#define BIG 1024
#define KERNELS 3
#define LAUNCH(kernel, dims, global, local) clEnqueueNDRangeKernel(s.queue, kernel, dims, NULL, global, local, NOW)

#define MAPPED(mem, call) MADE(unmap_##mem, call)
#define SHARED(flags, size, alignment)                                                                                 \
  {                                                                                                                    \
    void *made = clSVMAlloc(s.context, flags, size, alignment);                                                        \
    CHECK(made && (uintptr_t)made % (alignment ? alignment : 1) == 0);                                                 \
    clSVMFree(s.context, made);                                                                                        \
  }
#define SHARED_AT(offset) ((const void *[]){(char *)shared + (offset)})

static const char source[] = "#ifdef BROKEN\n#error broken\n#endif\n"
                             "struct pair { int x, y; };\n"
                             "int helper(int x) { return x; }\n"
                             "kernel void plain(void) {}\n"
                             "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(void) {}\n"
                             "kernel void all(global int *b, int v, local int *t, struct pair p, float4 f) { *t = "
                             "helper(v); if (b) *b = *t; }\n";
static const char writes_source[] = "kernel void writes(global int *x) { *x = 1; }\n"
                                    "kernel void number(global int *x, int n) { *x = n; }\n"
                                    "kernel void wide(global float8 *x) { *x = 1; }";

static struct setup s, other;
static size_t align, limit, most;
static const size_t zero[3], one[] = {1, 1, 1};
static char bytes[2 * SIZE], text[2 * SIZE];
static cl_mem m, big, part, next, both, read_only, write_only, host_reads, host_writes, host_none, foreign, written;
static cl_program program, fresh, object, library, linked, loaded, loaded_object, foreign_program;
static cl_kernel plain, fixed, all;
static void *binary;
static size_t binary_size;

static void CL_CALLBACK on_error(const char *why, const void *data, size_t size, void *user) {
  (void)why, (void)data, (void)size, (void)user;
}
static void CL_CALLBACK on_build(cl_program of, void *user) { (void)of, (void)user; }
static void CL_CALLBACK native(void *user) { (void)user; }
static void CL_CALLBACK on_event(cl_event event, cl_int state, void *user) { (void)event, (void)state, (void)user; }

// ---- what the tables are about

static cl_mem sub_of(cl_mem parent, size_t origin, size_t size) {
  cl_mem mem = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){origin, size}, &status);
  CHECK_OK(status);
  return mem;
}

static void open_buffers(void) {
  m = buffer_of(&s, 0, SIZE, NULL);
  big = buffer_of(&s, 0, BIG, NULL);
  part = sub_of(big, align, align);
  next = sub_of(big, 2 * align, align);
  both = sub_of(big, align, 2 * align);
  read_only = buffer_of(&s, CL_MEM_READ_ONLY, SIZE, NULL);
  write_only = buffer_of(&s, CL_MEM_WRITE_ONLY, SIZE, NULL);
  host_reads = buffer_of(&s, CL_MEM_HOST_READ_ONLY, SIZE, NULL);
  host_writes = buffer_of(&s, CL_MEM_HOST_WRITE_ONLY, SIZE, NULL);
  host_none = buffer_of(&s, CL_MEM_HOST_NO_ACCESS, SIZE, NULL);
  foreign = buffer_of(&other, 0, SIZE, NULL);
  written = buffer_of(&s, CL_MEM_COPY_HOST_PTR, 4, &(int){0});
}

static cl_program load(cl_program of, bool is_object) {
  size_t size = 0;
  CHECK_OK(clGetProgramInfo(of, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  unsigned char *data = malloc(size);
  CHECK_OK(clGetProgramInfo(of, CL_PROGRAM_BINARIES, sizeof data, &data, NULL));
  const unsigned char *made = data;
  cl_program program_of = clCreateProgramWithBinary(s.context, 1, &s.device, &size, &made, NULL, &status);
  CHECK_OK(status);
  if (is_object) {
    free(data);
  } else {
    binary = data;
    binary_size = size;
  }
  return program_of;
}

static cl_program compiled(void) {
  const char *lines = source;
  cl_program made = clCreateProgramWithSource(s.context, 1, &lines, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clCompileProgram(made, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  return made;
}

static void open_programs(void) {
  const char *lines = source;
  program = build(&s, source, "");
  fresh = clCreateProgramWithSource(s.context, 1, &lines, NULL, &status);
  object = compiled();
  library = clLinkProgram(s.context, 0, NULL, "-create-library", 1, &object, NULL, NULL, &status);
  CHECK_OK(status);
  linked = clLinkProgram(s.context, 0, NULL, "", 1, &library, NULL, NULL, &status);
  CHECK_OK(status);
  loaded = load(program, false);
  loaded_object = load(object, true);
  foreign_program = clCreateProgramWithSource(other.context, 1, &lines, NULL, &status);
  plain = kernel_of(program, "plain");
  fixed = kernel_of(program, "fixed");
  all = kernel_of(program, "all");
}

static void close_all(void) {
  cl_mem mems[] = {m,          big,        part,        next,      both,    read_only,
                   write_only, host_reads, host_writes, host_none, foreign, written};
  for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
    CHECK_OK(clReleaseMemObject(mems[i]));
  cl_kernel kernels[] = {plain, fixed, all};
  for (int i = 0; i < 3; i++)
    CHECK_OK(clReleaseKernel(kernels[i]));
  cl_program programs[] = {program, fresh, object, library, linked, loaded, loaded_object, foreign_program};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    CHECK_OK(clReleaseProgram(programs[i]));
  free(binary);
}

// ---- the tables

static void platforms(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_uint count;
  cl_ulong time;
  // The loader answers clGetPlatformIDs itself: the driver's own, which any of its handles begins with.
  cl_api_clGetPlatformIDs get_platforms = (*(const cl_icd_dispatch **)s.platform)->clGetPlatformIDs;
#include "refusals/platform.def"
}

static void parts_of_device(void) {
  cl_uint units = 0, count;
  cl_device_partition_property kinds[3] = {0};
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, NULL));
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
  cl_device_id parts[2];
  if (!kinds[0]) {
    REFUSED(CL_INVALID_VALUE, clCreateSubDevices(s.device, equally, 0, NULL, &count))
    return;
  }
#include "refusals/parts.def"
}

static cl_program compiled_in(cl_context context, cl_uint count, const cl_device_id *devices, const char *lines) {
  cl_program made = clCreateProgramWithSource(context, 1, &lines, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clCompileProgram(made, count, devices, "", 0, NULL, NULL, NULL, NULL));
  return made;
}

#define TELLS(name, program, type, expected)                                                                           \
  {                                                                                                                    \
    type answer[2] = {0};                                                                                              \
    CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_##name, sizeof answer, answer, NULL));                               \
    CHECK(answer[0] == (expected));                                                                                    \
  }
#define TELLS_BUILD(program, device, expected)                                                                         \
  {                                                                                                                    \
    cl_build_status answer = 99;                                                                                       \
    CHECK_OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof answer, &answer, NULL));           \
    CHECK(answer == (expected));                                                                                       \
  }

// What a part has of its parent.
static void inherited(cl_device_id part) {
  static const cl_device_info names[] = {CL_DEVICE_TYPE, CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                                         CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_EXECUTION_CAPABILITIES};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    cl_ulong of_part = 1, of_parent = 2;
    CHECK_OK(clGetDeviceInfo(part, names[i], sizeof of_part, &of_part, NULL));
    CHECK_OK(clGetDeviceInfo(s.device, names[i], sizeof of_parent, &of_parent, NULL));
    CHECK(of_part == of_parent);
  }
}

static void two_devices(void) {
  static const char *const lines = "kernel void f(void) {}";
  cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
  cl_device_id devices[2];
  cl_command_queue queues[2];
  cl_int codes[2];
  const size_t size[] = {1};
  size_t sizes[2] = {0}, binary_of;
  unsigned char *code = NULL;
  if (clCreateSubDevices(s.device, by_counts, 2, devices, NULL) != CL_SUCCESS)
    return;
  inherited(devices[0]);
  inherited(devices[1]);
  cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &status);
  CHECK_OK(status);
  for (int i = 0; i < 2; i++)
    queues[i] = clCreateCommandQueue(context, devices[i], 0, &status);
  cl_program partly = clCreateProgramWithSource(context, 1, (const char **)&lines, NULL, &status),
             compiled_for_one = compiled_in(context, 1, devices, lines),
             compiled_for_both = compiled_in(context, 0, NULL, "kernel void g(void) {}");
  CHECK_OK(clBuildProgram(partly, 1, devices, "", NULL, NULL));
  cl_kernel kernel = kernel_of(partly, "f");
  CHECK_OK(clGetProgramInfo(partly, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
  CHECK(sizes[0] > 0 && sizes[1] == 0);
  binary_of = sizes[0];
  code = malloc(binary_of);
  CHECK_OK(clGetProgramInfo(partly, CL_PROGRAM_BINARIES, 2 * sizeof code, ((unsigned char *[]){code, NULL}), NULL));
  cl_program half = clCreateProgramWithBinary(context, 1, devices, sizes, (const unsigned char **)&code, NULL, &status);
  CHECK_OK(status);
#include "refusals/two_devices.def"
  free(code);
  CHECK_OK(clReleaseKernel(kernel));
  cl_program programs[] = {partly, half, compiled_for_one, compiled_for_both};
  for (int i = 0; i < 4; i++)
    CHECK_OK(clReleaseProgram(programs[i]));
  for (int i = 0; i < 2; i++) {
    CHECK_OK(clReleaseCommandQueue(queues[i]));
    CHECK_OK(clReleaseDevice(devices[i]));
  }
  CHECK_OK(clReleaseContext(context));
}

static void buffers(void) {
#include "refusals/buffers.def"
}

// The maps are counted up and down.
static cl_int unmap(cl_mem mem, void *pointer, cl_uint maps) {
  cl_uint count = 0;
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  CHECK(count == maps);
  cl_int code = clEnqueueUnmapMemObject(s.queue, mem, pointer, NOW);
  CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  CHECK(count == maps - 1);
  return code;
}
static cl_int unmap_m(void *pointer) { return unmap(m, pointer, 1); }
static cl_int unmap_second(void *pointer) { return unmap(m, pointer, 2); }
static cl_int unmap_part(void *pointer) { return unmap(part, pointer, 1); }
static cl_int unmap_host_reads(void *pointer) { return unmap(host_reads, pointer, 1); }
static cl_int unmap_host_writes(void *pointer) { return unmap(host_writes, pointer, 1); }

// Regions that are mapped for writing do not overlap; others may.
static void overlapping_maps(void) {
  void *first = clEnqueueMapBuffer(s.queue, m, CL_TRUE, CL_MAP_WRITE, 8, 8, NOW, &status);
  CHECK_OK(status);
#define MAP(flags, offset, size) clEnqueueMapBuffer(s.queue, m, CL_TRUE, flags, offset, size, NOW, &status)
  NOT_MADE(CL_INVALID_OPERATION, MAP(CL_MAP_WRITE, 8, 8))
  NOT_MADE(CL_INVALID_OPERATION, MAP(CL_MAP_WRITE, 15, 1))
  NOT_MADE(CL_INVALID_OPERATION, MAP(CL_MAP_READ | CL_MAP_WRITE, 0, 9))
  NOT_MADE(CL_INVALID_OPERATION, MAP(CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE))
  MADE(unmap_second, MAP(CL_MAP_WRITE, 16, 8))
  MADE(unmap_second, MAP(CL_MAP_WRITE_INVALIDATE_REGION, 0, 8))
  MADE(unmap_second, MAP(CL_MAP_READ, 0, SIZE))
#undef MAP
  CHECK_OK(unmap_m(first));
  MAPPED(m, clEnqueueMapBuffer(s.queue, m, CL_TRUE, CL_MAP_WRITE, 8, 8, NOW, &status))
}

static void absent(void) {
#include "refusals/absent.def"
}

static void transfers(void) {
#include "refusals/transfers.def"
}

static void launches(cl_kernel uneven, cl_kernel uniform, cl_kernel foreign_kernel) {
  size_t factor = 2; // of one more than the largest group
  while ((limit + 1) % factor)
    factor++;
#include "refusals/launches.def"
}

static void close_gate(void) {
  gate = clCreateUserEvent(s.context, &status);
  CHECK_OK(status);
}

// What was held back runs.
static void open_gate(void) {
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clReleaseEvent(gate));
  gate = NULL;
  CHECK_OK(clFinish(s.queue));
}

static cl_program_binary_type type_of(cl_program of) {
  cl_program_binary_type type = 99;
  CHECK_OK(clGetProgramBuildInfo(of, s.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  return type;
}

// What options of the linker make, and what is made otherwise.
static void types_of_programs(void) {
  static const struct {
    const char *options;
    cl_program_binary_type type;
  } links[] = {
      {NULL, CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
      {"-enable-link-options", CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
      {"-create-library", CL_PROGRAM_BINARY_TYPE_LIBRARY},
      {"-create-library -enable-link-options", CL_PROGRAM_BINARY_TYPE_LIBRARY},
      {"-enable-link-options -create-library", CL_PROGRAM_BINARY_TYPE_LIBRARY},
  };
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    cl_program made = clLinkProgram(s.context, 0, NULL, links[i].options, 1, &object, NULL, NULL, &status);
    CHECK_OK(status);
    CHECK(type_of(made) == links[i].type);
    CHECK_OK(clReleaseProgram(made));
  }
  CHECK(type_of(program) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  CHECK(type_of(object) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  CHECK(type_of(loaded) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  CHECK(type_of(loaded_object) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  // Where there is no memory for a binary, none is written.
  unsigned char *nowhere = NULL;
  CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof nowhere, &nowhere, NULL));
  CHECK_CODE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof nowhere - 1, &nowhere, NULL), CL_INVALID_VALUE);
}

// Of each string as many characters as its length says, and all of it where that is 0. The first one has no final NUL,
// and no memory behind it.
static void lengths(void) {
  static const char first[] = "kernel void first(void) {}";
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = sizeof first - 1;
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
  memcpy(pages + page - size, first, size);
  const char *strings[] = {pages + page - size, "kernel void second(void) {}", "\n", "more no code"};
  const size_t sizes[] = {size, 0, 1, 4};
  cl_program made = clCreateProgramWithSource(s.context, 4, strings, sizes, &status);
  CHECK_OK(status);
  CHECK_OK(clGetProgramInfo(made, CL_PROGRAM_SOURCE, sizeof text, text, NULL));
  CHECK(strcmp(text, "kernel void first(void) {}kernel void second(void) {}\nmore") == 0);
  CHECK_OK(clReleaseProgram(made));
  munmap(pages, 2 * page);
}

static void programs(void) {
  cl_uint count;
  cl_kernel kernels[KERNELS];
  const char *name = "header.h";
#include "refusals/programs.def"
}

// A clone has the arguments that were set; what is set later is of one alone.
static void clones(cl_program writing) {
  cl_kernel number = kernel_of(writing, "number");
  cl_mem target = buffer_of(&s, 0, 4, NULL);
  int values[] = {5, 6}, result = 0;
  CHECK_OK(clSetKernelArg(number, 0, sizeof target, &target));
  CHECK_OK(clSetKernelArg(number, 1, 4, &values[0]));
  cl_kernel clone = clCloneKernel(number, &status);
  CHECK_OK(status);
  CHECK_OK(clSetKernelArg(number, 1, 4, &values[1]));
  for (int i = 0; i < 2; i++) {
    CHECK_OK(LAUNCH(i ? number : clone, 1, one, one));
    CHECK_OK(clEnqueueReadBuffer(s.queue, target, CL_TRUE, 0, 4, &result, NOW));
    CHECK(result == values[i]);
  }
  CHECK_OK(clReleaseKernel(clone));
  CHECK_OK(clReleaseKernel(number));
  CHECK_OK(clReleaseMemObject(target));
}

// Memory of the application is as it is: a kernel of wide vectors may need it better aligned.
static void alignments(cl_program writing) {
  static char memory[128] __attribute__((aligned(64)));
  cl_kernel wide = kernel_of(writing, "wide");
  for (size_t offset = 0; offset <= 32; offset += 16) {
    cl_mem mem = buffer_of(&s, CL_MEM_USE_HOST_PTR, 64, memory + offset);
    CHECK_OK(clSetKernelArg(wide, 0, sizeof mem, &mem));
    CHECK_CODE(LAUNCH(wide, 1, one, one), offset == 16 ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS);
    CHECK_OK(clFinish(s.queue));
    CHECK_OK(clReleaseMemObject(mem));
  }
  CHECK_OK(clReleaseKernel(wide));
}

static void kernels(void) {
  int number;
  cl_program writing = build(&s, writes_source, ""), newer = build(&s, source, "-cl-std=CL3.0"),
             even = build(&s, source, "-cl-std=CL3.0 -cl-uniform-work-group-size"), away = build(&other, source, "");
  cl_kernel writes = kernel_of(writing, "writes"), uneven = kernel_of(newer, "plain"),
            uniform = kernel_of(even, "plain"), foreign_kernel = kernel_of(away, "plain");
  CHECK_OK(clSetKernelArg(writes, 0, sizeof written, &written));
#include "refusals/kernels.def"
  clones(writing);
  alignments(writing);
  launches(uneven, uniform, foreign_kernel);
  close_gate();
  launches(uneven, uniform, foreign_kernel);
  open_gate();
  cl_kernel kernels[] = {writes, uneven, uniform, foreign_kernel};
  cl_program programs[] = {writing, newer, even, away};
  for (int i = 0; i < 4; i++) {
    CHECK_OK(clReleaseKernel(kernels[i]));
    CHECK_OK(clReleaseProgram(programs[i]));
  }
}

// A command that runs until it is told to end.
static atomic_bool may_end;
static void CL_CALLBACK run_on(void *user) {
  (void)user;
  while (!atomic_load(&may_end))
    usleep(100);
}

static void events(void) {
  cl_ulong time;
  cl_event held_by = clCreateUserEvent(s.context, &status), failed = clCreateUserEvent(s.context, &status), ran, timed,
           foreign_event = clCreateUserEvent(other.context, &status), held, running;
  cl_command_queue with_times = clCreateCommandQueue(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, &status);
  CHECK_OK(clSetUserEventStatus(failed, -5));
  CHECK_OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, 4, bytes, 0, NULL, &ran));
  CHECK_OK(clEnqueueReadBuffer(with_times, m, CL_TRUE, 0, 4, bytes, 0, NULL, &timed));
  CHECK_OK(clEnqueueNativeKernel(with_times, run_on, NULL, 0, 0, NULL, NULL, 0, NULL, &running));
  CHECK_OK(clEnqueueReadBuffer(with_times, m, CL_FALSE, 0, 4, bytes, 1, &held_by, &held));
#include "refusals/events.def"
  CHECK_OK(clSetUserEventStatus(held_by, CL_COMPLETE));
  CHECK_CODE(clSetUserEventStatus(held_by, CL_COMPLETE), CL_INVALID_OPERATION);
  atomic_store(&may_end, true);
  CHECK_OK(clFinish(with_times));
  CHECK_OK(TIMES(held, CL_PROFILING_COMMAND_QUEUED));
  cl_event made[] = {held_by, failed, ran, timed, foreign_event, held, running};
  for (int i = 0; i < 7; i++)
    CHECK_OK(clReleaseEvent(made[i]));
  CHECK_OK(clReleaseCommandQueue(with_times));
}

// Memory that a command frees is none of the context's any more, once a thread was told of its end.
static void freed_by_command(void) {
  void *pointers[3];
  for (int i = 0; i < 3; i++)
    CHECK((pointers[i] = clSVMAlloc(s.context, CL_MEM_READ_WRITE, SIZE, 0)));
  CHECK_OK(clEnqueueSVMFree(s.queue, 3, pointers, NULL, NULL, NOW));
  for (int i = 0; i < 3; i++) {
    const void *gone = pointers[i];
    cl_int code = CL_SUCCESS;
    for (int k = 0; k < 5000 && code == CL_SUCCESS; k++) {
      code = clEnqueueSVMMigrateMem(s.queue, 1, &gone, NULL, 0, NOW);
      usleep(1000);
    }
    CHECK_CODE(code, CL_INVALID_VALUE);
  }
}

static void shared_memory(void) {
  cl_device_svm_capabilities caps = 0;
  cl_bool yes = CL_TRUE, no = CL_FALSE;
  void *none = NULL;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
  if (!caps) {
    void *shared = bytes;
#include "refusals/no_svm.def"
    return;
  }
  char *shared = clSVMAlloc(s.context, CL_MEM_READ_WRITE, SIZE, 0);
  CHECK(shared);
#include "refusals/svm.def"
  (void)no;
  freed_by_command();
  // The last of a buffer and a pointer holds.
  int number = 7, zeros[] = {0, 0};
  CHECK_OK(clEnqueueWriteBuffer(s.queue, m, CL_TRUE, 0, sizeof zeros, zeros, NOW));
  memset(shared, 0, SIZE);
  CHECK_OK(clSetKernelArg(all, 1, sizeof number, &number));
  CHECK_OK(clSetKernelArg(all, 0, sizeof m, &m));
  CHECK_OK(clSetKernelArgSVMPointer(all, 0, shared + 4));
  CHECK_OK(LAUNCH(all, 1, one, one));
  CHECK_OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, sizeof zeros, zeros, NOW));
  CHECK(zeros[0] == 0 && shared[0] == 0 && shared[4] == 7);
  shared[4] = 0;
  CHECK_OK(clSetKernelArg(all, 0, sizeof m, &m));
  CHECK_OK(LAUNCH(all, 1, one, one));
  CHECK_OK(clEnqueueReadBuffer(s.queue, m, CL_TRUE, 0, sizeof zeros, zeros, NOW));
  CHECK(zeros[0] == 7 && shared[4] == 0);
  CHECK_OK(clFinish(s.queue));
  clSVMFree(s.context, shared);
}

int main(void) {
  alarm(100); // a call that waits for what it should have refused
  s = setup_open(0);
  cl_uint before[KINDS], bits = 0;
  cl_ulong alloc = 0;
  count_objects(s.platform, before);
  other = setup_open(0);
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof alloc, &alloc, NULL));
  align = bits / 8;
  most = alloc;
  CHECK(align == BIG / 8);
  open_buffers();
  open_programs();
  CHECK_OK(clGetKernelWorkGroupInfo(plain, s.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
  platforms();
  parts_of_device();
  two_devices();
  buffers();
  absent();
  transfers();
  close_gate();
  transfers();
  open_gate();
  overlapping_maps();
  programs();
  lengths();
  types_of_programs();
  kernels();
  events();
  shared_memory();
  close_all();
  setup_close(&other);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
