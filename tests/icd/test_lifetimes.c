// Who keeps whom: an object whose last reference of the program is gone stays as long as another one, or a command that
// is held back, needs it, and no longer. Kiln tells how many there are of each kind.
#include "icd_test.h"

#define SIZE 1024

static const char source[] = "kernel void f(global int *x, local int *t) { t[0] = 1; x[get_global_id(0)] = t[0]; }";

static struct setup s;
static cl_int status;
static const size_t one = 1;

static cl_uint count_of(int kind) {
  cl_uint counts[KINDS];
  count_objects(s.platform, counts);
  return counts[kind];
}

// Threads that call back may hold an object a moment longer.
static bool becomes(int kind, cl_uint wanted) {
  for (int i = 0; i < 5000 && count_of(kind) != wanted; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return count_of(kind) == wanted;
}

// A row: objects of a kind that releases leave until the keeper goes.
#define KEEPS(kind, count, releases, keeper)                                                                           \
  {                                                                                                                    \
    cl_uint before = count_of(kind);                                                                                   \
    releases;                                                                                                          \
    CHECK(count_of(kind) == before);                                                                                   \
    CHECK_OK(keeper);                                                                                                  \
    CHECK(becomes(kind, before - (count)));                                                                            \
  }

static cl_context new_context(void) {
  cl_context context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
  CHECK_OK(status);
  return context;
}

// ---- a context, by each object of it

static void contexts(void) {
  struct setup own = s;
  const char *lines = source;
  own.context = new_context();
  cl_command_queue queue = clCreateCommandQueue(own.context, s.device, 0, &status);
  KEEPS(CONTEXTS, 1, CHECK_OK(clReleaseContext(own.context)), clReleaseCommandQueue(queue))
  own.context = new_context();
  queue = clCreateCommandQueueWithProperties(own.context, s.device, NULL, &status);
  KEEPS(CONTEXTS, 1, CHECK_OK(clReleaseContext(own.context)), clReleaseCommandQueue(queue))
  own.context = new_context();
  cl_mem mem = buffer_of(&own, 0, SIZE, NULL);
  KEEPS(CONTEXTS, 1, CHECK_OK(clReleaseContext(own.context)), clReleaseMemObject(mem))
  own.context = new_context();
  cl_event event = clCreateUserEvent(own.context, &status);
  KEEPS(CONTEXTS, 1, CHECK_OK(clReleaseContext(own.context)), clReleaseEvent(event))
  own.context = new_context();
  cl_program program = clCreateProgramWithSource(own.context, 1, &lines, NULL, &status);
  CHECK_OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  cl_program linked = clLinkProgram(own.context, 0, NULL, "", 1, &program, NULL, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clReleaseProgram(program));
  KEEPS(CONTEXTS, 1, CHECK_OK(clReleaseContext(own.context)), clReleaseProgram(linked))
  // Shared memory does not keep its context alive; what the program has not freed is freed with the context. A leak
  // checker reports it otherwise.
  own.context = new_context();
  cl_uint contexts_now = count_of(CONTEXTS);
  for (int i = 0; i < 3; i++)
    clSVMAlloc(own.context, CL_MEM_READ_WRITE, SIZE, 0);
  CHECK_OK(clReleaseContext(own.context));
  CHECK(count_of(CONTEXTS) == contexts_now - 1);
}

// ---- programs by kernels, buffers by sub-buffers, queues by events

static void parents(void) {
  cl_kernel made[1];
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "f"), copy = clCloneKernel(kernel, &status);
  CHECK_OK(status);
  CHECK_OK(clCreateKernelsInProgram(program, 1, made, NULL));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseKernel(made[0]));
  KEEPS(PROGRAMS, 1, CHECK_OK(clReleaseProgram(program)), clReleaseKernel(copy))
  // A program without kernels can be built again.
  program = build(&s, source, "");
  kernel = kernel_of(program, "f");
  copy = clCloneKernel(kernel, &status);
  CHECK(!clCreateKernel(program, "none", &status));
  for (int i = 0; i < 2; i++) {
    CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    CHECK_OK(clReleaseKernel(i ? copy : kernel));
  }
  CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
  CHECK_OK(clReleaseProgram(program));

  cl_mem mem = buffer_of(&s, 0, SIZE, NULL);
  cl_buffer_region region = {128, 128};
  cl_mem sub = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CHECK_OK(status);
  KEEPS(BUFFERS, 2, CHECK_OK(clReleaseMemObject(mem)), clReleaseMemObject(sub))

  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, 0, &status);
  cl_event event;
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
  CHECK_OK(clWaitForEvents(1, &event));
  KEEPS(QUEUES, 1, CHECK_OK(clReleaseCommandQueue(queue)), clReleaseEvent(event))
}

// ---- what a command that is held back needs

static void CL_CALLBACK native(void *user) { (void)user; }

// bytes: SIZE that nothing else accesses, since nobody waits for the command that reads into them.
static void held_commands(cl_command_queue_properties flags, char *bytes) {
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "f");
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, flags, &status);
  cl_event gate = clCreateUserEvent(s.context, &status), waiting;
  cl_mem mems[6];
  for (int i = 0; i < 6; i++)
    mems[i] = buffer_of(&s, 0, SIZE, NULL);
  struct {
    void *at;
  } args = {NULL};
  const void *place = &args.at;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mems[0], &mems[0]));
  CHECK_OK(clSetKernelArg(kernel, 1, 64, NULL));
  CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
  CHECK_OK(clEnqueueCopyBuffer(queue, mems[1], mems[2], 0, 0, SIZE, 1, &gate, NULL));
  CHECK_OK(clEnqueueReadBuffer(queue, mems[3], CL_FALSE, 0, SIZE, bytes, 1, &gate, NULL));
  CHECK_OK(clEnqueueFillBuffer(queue, mems[4], bytes, 4, 0, SIZE, 1, &gate, NULL));
  CHECK_OK(clEnqueueNativeKernel(queue, native, &args, sizeof args, 1, &mems[5], &place, 1, &gate, &waiting));
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &waiting, NULL));
  cl_uint buffers = count_of(BUFFERS), kernels = count_of(KERNELS), queues = count_of(QUEUES),
          programs = count_of(PROGRAMS), events = count_of(EVENTS);
  for (int i = 0; i < 6; i++)
    CHECK_OK(clReleaseMemObject(mems[i]));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseEvent(waiting));
  CHECK_OK(clReleaseCommandQueue(queue));
  CHECK(count_of(BUFFERS) == buffers && count_of(KERNELS) == kernels && count_of(PROGRAMS) == programs);
  CHECK(count_of(EVENTS) == events && count_of(QUEUES) == queues);
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clReleaseEvent(gate));
  CHECK(becomes(BUFFERS, buffers - 6) && becomes(KERNELS, kernels - 1) && becomes(PROGRAMS, programs - 1));
  CHECK(becomes(QUEUES, queues - 1));
}

// ---- what keeps nothing

// A kernel keeps no buffer that is its argument, as the standard has it, nor does the program of a binary keep another.
static void not_kept(void) {
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "f");
  cl_mem mem = buffer_of(&s, 0, SIZE, NULL);
  cl_uint buffers = count_of(BUFFERS);
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK(count_of(BUFFERS) == buffers - 1);
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  // Commands that have run keep nothing either.
  int x = 0;
  mem = buffer_of(&s, 0, SIZE, NULL);
  CHECK_OK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, sizeof x, &x, 0, NULL, NULL));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK(becomes(BUFFERS, buffers - 1));
}

// ---- sub-devices by contexts and by their own parts

static void devices(void) {
  cl_device_partition_property all[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2, 0, 0},
                               halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id sub, parts[2];
  cl_uint count = 0;
  if (clCreateSubDevices(s.device, all, 1, &sub, NULL) != CL_SUCCESS)
    return;
  cl_context context = clCreateContext(NULL, 1, &sub, NULL, NULL, &status);
  CHECK_OK(status);
  KEEPS(DEVICES, 1, CHECK_OK(clReleaseDevice(sub)), clReleaseContext(context))
  CHECK_OK(clCreateSubDevices(s.device, all, 1, &sub, NULL));
  CHECK_OK(clCreateSubDevices(sub, halves, 2, parts, &count));
  CHECK(count == 2);
  CHECK_OK(clReleaseDevice(parts[0]));
  KEEPS(DEVICES, 2, CHECK_OK(clReleaseDevice(sub)), clReleaseDevice(parts[1]))
}

int main(void) {
  s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  contexts();
  parents();
  static char bytes[2][SIZE];
  held_commands(0, bytes[0]);
  held_commands(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, bytes[1]);
  not_kept();
  devices();
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
