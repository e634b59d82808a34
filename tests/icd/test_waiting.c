// Calls that do not wait for commands: the first command of each case ends only after the calls, which would otherwise
// never return.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "icd_test.h"

static struct setup s;
static atomic_int called;

static bool becomes(atomic_int *value, int wanted) {
  for (int i = 0; i < 20000 && atomic_load(value) != wanted; i++)
    usleep(1000);
  return atomic_load(value) == wanted;
}

// ---- a command that waits for the host

struct gate {
  atomic_int begun, open, ended;
};

static void CL_CALLBACK wait_at(void *user) {
  struct gate *gate = *(struct gate **)user;
  atomic_store(&gate->begun, 1);
  while (!atomic_load(&gate->open))
    usleep(200);
  atomic_store(&gate->ended, 1);
}

static void shut(struct gate *gate, cl_command_queue queue, cl_event *event) {
  *gate = (struct gate){0};
  CHECK_OK(clEnqueueNativeKernel(queue, wait_at, &gate, sizeof gate, 0, NULL, NULL, 0, NULL, event));
  CHECK_OK(clFlush(queue));
  CHECK(becomes(&gate->begun, 1));
}

static void fill(cl_command_queue queue, cl_mem mem) {
  int x = 1;
  CHECK_OK(clEnqueueFillBuffer(queue, mem, &x, sizeof x, 0, 64, 0, NULL, NULL));
}

static void CL_CALLBACK count_memory(cl_mem mem, void *user) {
  (void)mem, (void)user;
  atomic_fetch_add(&called, 1);
}

// ---- cases

static void enqueues(void) {
  struct gate gate;
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  shut(&gate, s.queue, NULL);
  for (int i = 0; i < 150000; i++)
    fill(s.queue, mem);
  atomic_store(&gate.open, 1);
  CHECK_OK(clFinish(s.queue));
  CHECK_OK(clReleaseMemObject(mem));
}

// Native kernels that enqueue on their own queue, when many commands are pending.
static void CL_CALLBACK enqueue_more(void *user) {
  cl_event event;
  CHECK_OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &event));
  CHECK_OK(clReleaseEvent(event));
  (void)user;
}

static void native_enqueues(void) {
  struct gate gate;
  shut(&gate, s.queue, NULL);
  for (int i = 0; i < 3000; i++)
    CHECK_OK(clEnqueueNativeKernel(s.queue, enqueue_more, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  atomic_store(&gate.open, 1);
  CHECK_OK(clFinish(s.queue));
}

static void buffers(void) {
  enum { COUNT = 1000 };
  static cl_mem used[COUNT];
  struct gate gate;
  cl_int status;
  cl_buffer_region region = {0, 64};
  atomic_store(&called, 0);
  cl_mem unused = buffer_of(&s, 0, 4096, NULL), parent = buffer_of(&s, 0, 4096, NULL);
  cl_mem window = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CHECK_OK(clSetMemObjectDestructorCallback(unused, count_memory, NULL));
  CHECK_OK(clSetMemObjectDestructorCallback(parent, count_memory, NULL));
  CHECK_OK(clSetMemObjectDestructorCallback(window, count_memory, NULL));
  shut(&gate, s.queue, NULL);
  fill(s.queue, window);
  for (int i = 0; i < COUNT; i++) {
    used[i] = buffer_of(&s, 0, 64, NULL);
    if (i % 10 == 0)
      CHECK_OK(clSetMemObjectDestructorCallback(used[i], count_memory, NULL));
    fill(s.queue, used[i]);
  }
  CHECK_OK(clReleaseMemObject(unused));
  CHECK(atomic_load(&called) == 1); // no command uses it
  CHECK_OK(clReleaseMemObject(window));
  CHECK_OK(clReleaseMemObject(parent));
  for (int i = 0; i < COUNT; i++)
    CHECK_OK(clReleaseMemObject(used[i]));
  CHECK(atomic_load(&called) == 1);
  atomic_store(&gate.open, 1); // nobody waits for the queue
  CHECK(becomes(&called, 3 + COUNT / 10));
}

// A destructor is called though a queue that has not used its buffer goes on.
static void other_queue(void) {
  struct gate gate, own;
  cl_int status;
  atomic_store(&called, 0);
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, 0, &status);
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, count_memory, NULL));
  shut(&gate, s.queue, NULL);
  shut(&own, queue, NULL);
  fill(queue, mem);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK(atomic_load(&called) == 0);
  atomic_store(&own.open, 1);
  CHECK(becomes(&called, 1));
  atomic_store(&gate.open, 1);
  CHECK_OK(clFinish(s.queue));
  CHECK_OK(clReleaseCommandQueue(queue));
}

static void queues(void) {
  struct gate gate;
  cl_int status;
  for (cl_command_queue_properties flags = 0; flags < 2; flags++) { // in order and out of order
    cl_context context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, s.device, flags, &status);
    cl_event event;
    shut(&gate, queue, &event);
    CHECK_OK(clReleaseEvent(event));
    CHECK_OK(clReleaseCommandQueue(queue));
    CHECK_OK(clReleaseContext(context));
    atomic_store(&gate.open, 1);
    CHECK(becomes(&gate.ended, 1));
  }
}

// A native kernel allocates while another thread releases a buffer with a destructor.
static void *release_memory(void *user) {
  CHECK_OK(clReleaseMemObject(user));
  return NULL;
}

static void CL_CALLBACK allocate(void *user) {
  atomic_store((atomic_int *)*(void **)user, 1);
  usleep(20000);
  clSVMFree(s.context, clSVMAlloc(s.context, 0, 64, 0));
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  CHECK_OK(clReleaseMemObject(mem));
}

static void native_allocates(void) {
  atomic_int begun = 0, *at = &begun;
  pthread_t thread;
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  atomic_store(&called, 0);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, count_memory, NULL));
  fill(s.queue, mem);
  CHECK_OK(clEnqueueNativeKernel(s.queue, allocate, &at, sizeof at, 0, NULL, NULL, 0, NULL, NULL));
  CHECK(becomes(&begun, 1));
  CHECK(pthread_create(&thread, NULL, release_memory, mem) == 0);
  pthread_join(thread, NULL);
  CHECK_OK(clFinish(s.queue));
  CHECK(becomes(&called, 1));
}

// ---- sub-devices, which have a Kiln context each

static void sub_devices(void) {
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id subs[64];
  cl_uint count = 0;
  cl_int status;
  if (clCreateSubDevices(s.device, equally, 64, subs, &count) != CL_SUCCESS || count < 2)
    return;
  cl_context context = clCreateContext(NULL, 2, subs, NULL, NULL, &status);
  cl_command_queue queues[3];
  for (int i = 0; i < 3; i++) // the third one is out of order
    queues[i] =
        clCreateCommandQueue(context, subs[i % 2], i == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
  cl_mem mem = clCreateBuffer(context, 0, 4096, NULL, &status);
  struct gate gate;
  cl_event first, second, third;
  shut(&gate, queues[0], &first);
  int x = 5, y = 0, z = 0;
  CHECK_OK(clEnqueueFillBuffer(queues[1], mem, &x, sizeof x, 0, 64, 1, &first, &second));
  CHECK_OK(clEnqueueReadBuffer(queues[2], mem, CL_FALSE, 0, sizeof y, &y, 1, &second, &third));
  CHECK_OK(clEnqueueReadBuffer(queues[1], mem, CL_FALSE, 0, sizeof z, &z, 0, NULL, NULL));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseEvent(first));
  atomic_store(&gate.open, 1);
  CHECK_OK(clWaitForEvents(1, &third));
  CHECK_OK(clFinish(queues[1]));
  CHECK(y == 5 && z == 5);
  CHECK_OK(clReleaseEvent(second));
  CHECK_OK(clReleaseEvent(third));
  for (int i = 0; i < 3; i++)
    CHECK_OK(clReleaseCommandQueue(queues[i]));
  CHECK_OK(clReleaseContext(context));
  for (cl_uint i = 0; i < count; i++)
    CHECK_OK(clReleaseDevice(subs[i]));
}

// ---- a kernel that waits for the host, on devices that can

static void kernels(void) {
  int *flag = clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
  if (!flag)
    return;
  cl_program program = build(&s, "kernel void spin(volatile global int *flag) { while (!*flag); flag[1] = 7; }", "");
  cl_kernel kernel = kernel_of(program, "spin");
  size_t one = 1;
  flag[0] = flag[1] = 0;
  atomic_store(&called, 0);
  CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, flag));
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  for (int i = 0; i < 3000; i++) {
    cl_mem mem = buffer_of(&s, 0, 64, NULL);
    if (i % 100 == 0)
      CHECK_OK(clSetMemObjectDestructorCallback(mem, count_memory, NULL));
    fill(s.queue, mem);
    CHECK_OK(clReleaseMemObject(mem));
  }
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  CHECK_OK(clFinish(s.queue));
  CHECK(flag[1] == 7 && becomes(&called, 30));
  clSVMFree(s.context, flag);
}

int main(void) {
  alarm(120); // instead of waiting for ever
  s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  enqueues();
  native_enqueues();
  buffers();
  other_queue();
  queues();
  native_allocates();
  sub_devices();
  kernels();
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
