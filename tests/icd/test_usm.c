// Unified shared memory: its three kinds, what is told of a pointer, commands, kernels that get pointers as arguments
// and find more in memory, and releases that wait.
#include "usm.h"

static const char source[] =
    "kernel void add(global const int *a, global const int *b, global int *to) {\n"
    "  size_t i = get_global_id(0); to[i] = a[i] + b[i];\n"
    "}\n"
    "struct pair { global int *first, *second; };\n"
    "kernel void swap(global struct pair *p) {\n"
    "  size_t i = get_global_id(0); int x = p->first[i]; p->first[i] = p->second[i]; p->second[i] = x;\n"
    "}\n"
    "kernel void slow(global int *to, int n) { for (int i = 0; i < n; i++) *(volatile global int *)to += 1; }\n";

static void check_info(cl_context context, const void *pointer, cl_unified_shared_memory_type_intel type,
                       const void *base, size_t size, cl_device_id device) {
  cl_unified_shared_memory_type_intel type_is = 0;
  const void *base_is = &type_is;
  size_t size_is = 99, bytes = 0;
  cl_device_id device_is = (cl_device_id)&type_is;
  CHECK_OK(clGetMemAllocInfoINTEL_(context, pointer, CL_MEM_ALLOC_TYPE_INTEL, sizeof type_is, &type_is, &bytes));
  CHECK(type_is == type && bytes == sizeof type_is);
  CHECK_OK(clGetMemAllocInfoINTEL_(context, pointer, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base_is, &base_is, NULL));
  CHECK(base_is == base);
  CHECK_OK(clGetMemAllocInfoINTEL_(context, pointer, CL_MEM_ALLOC_SIZE_INTEL, sizeof size_is, &size_is, NULL));
  CHECK(size_is == size);
  CHECK_OK(clGetMemAllocInfoINTEL_(context, pointer, CL_MEM_ALLOC_DEVICE_INTEL, sizeof device_is, &device_is, NULL));
  CHECK(device_is == device);
}

// What a refused allocation says.
static void check_refusals(const struct setup *s) {
  cl_int status = 0;
  const cl_mem_properties_intel unknown[] = {0x4711, 1, 0}, flags[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1 << 20, 0};
  const cl_mem_properties_intel both[] = {
      CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
      0};
#define REFUSED(call, code) CHECK(!(call) && status == (code))
  REFUSED(clHostMemAllocINTEL_(NULL, NULL, 64, 0, &status), CL_INVALID_CONTEXT);
  REFUSED(clHostMemAllocINTEL_(s->context, unknown, 64, 0, &status), CL_INVALID_PROPERTY);
  REFUSED(clHostMemAllocINTEL_(s->context, flags, 64, 0, &status), CL_INVALID_PROPERTY);
  REFUSED(clSharedMemAllocINTEL_(s->context, NULL, both, 64, 0, &status), CL_INVALID_PROPERTY);
  REFUSED(clHostMemAllocINTEL_(s->context, NULL, 64, 3, &status), CL_INVALID_VALUE);
  REFUSED(clHostMemAllocINTEL_(s->context, NULL, 0, 0, &status), CL_INVALID_BUFFER_SIZE);
  REFUSED(clHostMemAllocINTEL_(s->context, NULL, (size_t)1 << 62, 0, &status), CL_INVALID_BUFFER_SIZE);
  REFUSED(clDeviceMemAllocINTEL_(s->context, NULL, NULL, 64, 0, &status), CL_INVALID_DEVICE);
  int own;
  CHECK_CODE(clMemFreeINTEL_(s->context, &own), CL_INVALID_VALUE);
  CHECK_CODE(clMemBlockingFreeINTEL_(s->context, &own), CL_INVALID_VALUE);
  void *svm = clSVMAlloc(s->context, CL_MEM_READ_WRITE, 64, 0);
  CHECK_CODE(clMemFreeINTEL_(s->context, svm), CL_INVALID_VALUE);
  check_info(s->context, svm, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL);
  clSVMFree(s->context, svm);
  CHECK_OK(clMemFreeINTEL_(s->context, NULL));
}

enum { COUNT = 256, BYTES = COUNT * sizeof(int) };

static void check_kernels(const struct setup *s, cl_program program) {
  cl_int status;
  size_t n = COUNT;
  int *host = clHostMemAllocINTEL_(s->context, NULL, BYTES, 64, &status);
  int *device = clDeviceMemAllocINTEL_(s->context, s->device, NULL, BYTES, 0, &status);
  int *shared = clSharedMemAllocINTEL_(s->context, s->device, NULL, BYTES, 0, &status), pattern = 7, out[COUNT];
  struct pair {
    int *first, *second;
  } *pair = clSharedMemAllocINTEL_(s->context, NULL, NULL, sizeof *pair, 0, &status);
  CHECK(host && device && shared && pair && (uintptr_t)host % 64 == 0);
  check_info(s->context, host + 3, CL_MEM_TYPE_HOST_INTEL, host, BYTES, NULL);
  check_info(s->context, device, CL_MEM_TYPE_DEVICE_INTEL, device, BYTES, s->device);
  check_info(s->context, shared + COUNT - 1, CL_MEM_TYPE_SHARED_INTEL, shared, BYTES, s->device);
  check_info(s->context, out, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL);
  cl_kernel add = kernel_of(program, "add"), swap = kernel_of(program, "swap");
  for (int i = 0; i < COUNT; i++)
    host[i] = i;
  CHECK_OK(clEnqueueMemFillINTEL_(s->queue, device, &pattern, sizeof pattern, BYTES, 0, NULL, NULL));
  CHECK_OK(clSetKernelArgMemPointerINTEL_(add, 0, host));
  CHECK_OK(clSetKernelArgMemPointerINTEL_(add, 1, device));
  CHECK_OK(clSetKernelArgMemPointerINTEL_(add, 2, shared));
  CHECK_CODE(clSetKernelArgMemPointerINTEL_(add, 3, shared), CL_INVALID_ARG_INDEX);
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, add, 1, NULL, &n, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueMemcpyINTEL_(s->queue, CL_TRUE, out, shared, BYTES, 0, NULL, NULL));
  for (int i = 0; i < COUNT; i++)
    CHECK(out[i] == i + 7);
  // Pointers that the kernel finds in memory.
  const cl_bool yes = CL_TRUE;
  *pair = (struct pair){host, shared};
  CHECK_OK(clSetKernelArgMemPointerINTEL_(swap, 0, pair));
  CHECK_OK(clSetKernelExecInfo(swap, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes));
  CHECK_OK(clSetKernelExecInfo(swap, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof *pair, pair));
  CHECK_OK(clSetKernelExecInfo(swap, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, NULL));
  CHECK_OK(clEnqueueMigrateMemINTEL_(s->queue, host, BYTES, 0, 0, NULL, NULL));
  CHECK_OK(clEnqueueMemAdviseINTEL_(s->queue, host, BYTES, 0, 0, NULL, NULL));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, swap, 1, NULL, &n, NULL, 0, NULL, NULL));
  cl_event event;
  CHECK_OK(clEnqueueMemsetINTEL_(s->queue, device, 0x01, BYTES, 0, NULL, &event));
  CHECK_OK(clWaitForEvents(1, &event));
  cl_command_type type = 0;
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_MEMFILL_INTEL);
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(clFinish(s->queue));
  for (int i = 0; i < COUNT; i++)
    CHECK(host[i] == i + 7 && shared[i] == i && device[i] == 0x01010101);
  CHECK_OK(clReleaseKernel(add));
  CHECK_OK(clReleaseKernel(swap));
  CHECK_OK(clMemFreeINTEL_(s->context, host));
  CHECK_CODE(clMemFreeINTEL_(s->context, host), CL_INVALID_VALUE);
  CHECK_OK(clMemBlockingFreeINTEL_(s->context, device));
  CHECK_OK(clMemFreeINTEL_(s->context, pair));
  check_info(s->context, host, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL);
  // shared is left to the context.
}

// The release waits for what runs, in a queue that has gone, too.
static void check_blocking_free(const struct setup *s, cl_program program) {
  cl_int status;
  cl_command_queue queues[] = {clCreateCommandQueue(s->context, s->device, 0, &status),
                               clCreateCommandQueue(s->context, s->device, 0, &status)};
  cl_kernel slow = kernel_of(program, "slow");
  int *memory = clSharedMemAllocINTEL_(s->context, NULL, NULL, 4096, 0, &status), n = 20000000;
  cl_event events[2];
  size_t one = 1;
  for (int i = 0; i < 2; i++) {
    CHECK_OK(clSetKernelArgMemPointerINTEL_(slow, 0, memory + 256 * i));
    CHECK_OK(clSetKernelArg(slow, 1, sizeof n, &n));
    CHECK_OK(clEnqueueNDRangeKernel(queues[i], slow, 1, NULL, &one, NULL, 0, NULL, &events[i]));
  }
  CHECK_OK(clReleaseCommandQueue(queues[0]));
  CHECK_OK(clMemBlockingFreeINTEL_(s->context, memory));
  for (int i = 0; i < 2; i++) {
    cl_int state = 1;
    CHECK_OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CHECK(state == CL_COMPLETE);
    CHECK_OK(clReleaseEvent(events[i]));
  }
  CHECK_OK(clReleaseCommandQueue(queues[1]));
  CHECK_OK(clReleaseKernel(slow));
}

int main(void) {
  struct setup s = setup_open(0);
  static const cl_device_info kinds[] = {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
                                         CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                                         CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                                         CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL};
  cl_device_svm_capabilities svm = 0;
  char extensions[4096];
  usm_find(s.platform);
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
  CHECK((strstr(extensions, "cl_intel_unified_shared_memory") != NULL) == (svm != 0));
  for (int i = 0; i < 5; i++) {
    cl_device_unified_shared_memory_capabilities_intel caps = 99;
    CHECK_OK(clGetDeviceInfo(s.device, kinds[i], sizeof caps, &caps, NULL));
    CHECK(svm ? caps & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL : !caps);
  }
  if (svm) {
    cl_program program = build(&s, source, "-cl-std=CL3.0");
    check_refusals(&s);
    check_kernels(&s, program);
    check_blocking_free(&s, program);
    CHECK_OK(clReleaseProgram(program));
  } else { // the interpreter: told, not met
    cl_int status = 0;
    CHECK(!clHostMemAllocINTEL_(s.context, NULL, 64, 0, &status) && status == CL_INVALID_OPERATION);
    CHECK(!clDeviceMemAllocINTEL_(s.context, s.device, NULL, 64, 0, &status) && status == CL_INVALID_OPERATION);
  }
  setup_close(&s);
  return failures != 0;
}
