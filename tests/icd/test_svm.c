// Shared virtual memory: pointers as arguments, lists of pointers, copies, fills, deferred release.
#include "icd_test.h"

static const char source[] =
    "struct node { int value; global struct node *next; };\n"
    "kernel void walk(global struct node *first, global int *sum) {\n"
    "  *sum = 0;\n"
    "  for (global struct node *at = first; at; at = at->next) { *sum += at->value; at->value = -at->value; }\n"
    "}\n"
    "kernel void scale(global int *x, int factor) { x[get_global_id(0)] *= factor; }\n";

struct node {
  int value;
  struct node *next;
};

static int freed;
static void CL_CALLBACK release(cl_command_queue queue, cl_uint count, void *pointers[], void *user) {
  (void)queue;
  for (cl_uint i = 0; i < count; i++)
    clSVMFree(user, pointers[i]);
  __atomic_add_fetch(&freed, (int)count, __ATOMIC_SEQ_CST);
}

int main(void) {
  struct setup s = setup_open(0);
  cl_device_svm_capabilities caps = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
  cl_program program = build(&s, source, "-cl-std=CL3.0");
  cl_kernel walk = kernel_of(program, "walk"), scale = kernel_of(program, "scale");
  if (!caps) { // the interpreter: told, not met
    CHECK(!clSVMAlloc(s.context, CL_MEM_READ_WRITE, 64, 0));
    CHECK_CODE(clSetKernelArgSVMPointer(scale, 0, &s), CL_INVALID_OPERATION);
    goto out;
  }
  cl_int status;
  void *some = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 256, 0);
  CHECK(!clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, 512, some, &status) && status == CL_INVALID_BUFFER_SIZE);
  CHECK_OK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof some, &some));
  CHECK_OK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
  CHECK_CODE(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof some, NULL), CL_INVALID_VALUE);
  clSVMFree(s.context, some);
  enum { COUNT = 20 };
  struct node *nodes[COUNT];
  for (int i = 0; i < COUNT; i++)
    CHECK((nodes[i] = clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof **nodes, 0)));
  for (int i = 0; i < COUNT; i++)
    *nodes[i] = (struct node){i, i + 1 < COUNT ? nodes[i + 1] : NULL};
  int *ints = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 64 * sizeof *ints, 64);
  CHECK(ints && (uintptr_t)ints % 64 == 0);
  CHECK_OK(clSetKernelArgSVMPointer(walk, 0, nodes[0]));
  CHECK_OK(clSetKernelArgSVMPointer(walk, 1, ints + 3)); // in the middle
  CHECK_OK(clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes));
  size_t one = 1;
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, walk, 1, NULL, &one, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueSVMMap(s.queue, CL_TRUE, CL_MAP_READ, ints, 64 * sizeof *ints, 0, NULL, NULL));
  CHECK(ints[3] == 190 && nodes[7]->value == -7);
  CHECK_OK(clEnqueueSVMUnmap(s.queue, ints, 0, NULL, NULL));

  int pattern = 5, out[64];
  size_t n = 64;
  CHECK_OK(clEnqueueSVMMemFill(s.queue, ints, &pattern, sizeof pattern, 64 * sizeof *ints, 0, NULL, NULL));
  CHECK_OK(clSetKernelArgSVMPointer(scale, 0, ints));
  int factor = 3;
  CHECK_OK(clSetKernelArg(scale, 1, sizeof factor, &factor));
  CHECK_CODE(clSetKernelArgSVMPointer(scale, 1, ints), CL_INVALID_ARG_VALUE);
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, scale, 1, NULL, &n, NULL, 0, NULL, NULL));
  CHECK_CODE(clEnqueueSVMMemcpy(s.queue, CL_TRUE, ints, ints + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  CHECK_OK(clEnqueueSVMMemcpy(s.queue, CL_TRUE, out, ints, sizeof out, 0, NULL, NULL));
  for (int i = 0; i < 64; i++)
    CHECK(out[i] == 15);

  cl_event done;
  CHECK_OK(clEnqueueSVMFree(s.queue, COUNT, (void **)nodes, release, s.context, 0, NULL, &done));
  CHECK_OK(clWaitForEvents(1, &done));
  for (int i = 0; i < 100000000 && __atomic_load_n(&freed, __ATOMIC_SEQ_CST) != COUNT; i++) {
  }
  CHECK(freed == COUNT);
  CHECK_OK(clReleaseEvent(done));
  clSVMFree(s.context, ints);
out:
  CHECK_OK(clReleaseKernel(walk));
  CHECK_OK(clReleaseKernel(scale));
  CHECK_OK(clReleaseProgram(program));
  setup_close(&s);
  return failures != 0;
}
