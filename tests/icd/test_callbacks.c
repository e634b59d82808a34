// What callbacks may do: release what they are about, make any call, and wait for other threads that make any call.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "icd_test.h"

static const char source[] = "kernel void fill(global int *x, int n) { x[get_global_id(0)] = n; }";

static struct setup s;
static cl_command_queue other; // on which the calls of callbacks may wait
static atomic_int called;

// Until so many calls have come.
static void await(int wanted) {
  for (int i = 0; i < 60000 && atomic_load(&called) < wanted; i++)
    usleep(1000);
  CHECK(atomic_load(&called) == wanted);
}

// ---- every call

static void CL_CALLBACK no_event(cl_event event, cl_int state, void *user) { (void)event, (void)state, (void)user; }
static void CL_CALLBACK no_memory(cl_mem mem, void *user) { (void)mem, (void)user; }
static void CL_CALLBACK no_native(void *user) { (void)user; }

// The queues do not wait for each other: what they write does not overlap.
static void call_memory(void) {
  int zero = 0, seen;
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  cl_buffer_region region = {1024, 1024};
  cl_int status;
  cl_mem window = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CHECK_OK(status);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, no_memory, NULL));
  CHECK_OK(clEnqueueFillBuffer(s.queue, mem, &zero, sizeof zero, 0, 1024, 0, NULL, NULL));
  CHECK_OK(clEnqueueFillBuffer(other, window, &zero, sizeof zero, 0, 64, 0, NULL, NULL));
  CHECK_OK(clEnqueueReadBuffer(other, mem, CL_TRUE, 1024, sizeof seen, &seen, 0, NULL, NULL));
  CHECK(seen == 0);
  CHECK_OK(clReleaseMemObject(window));
  CHECK_OK(clReleaseMemObject(mem));
  cl_device_svm_capabilities svm = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  void *shared = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 64, 0);
  CHECK(!svm == !shared);
  clSVMFree(s.context, shared);
}

static void call_queues(void) {
  cl_int status;
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  CHECK_OK(status);
  cl_event gate = clCreateUserEvent(s.context, &status), held, native;
  CHECK_OK(status);
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, &held));
  CHECK_OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, NULL));
  CHECK_OK(clEnqueueNativeKernel(s.queue, no_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueNativeKernel(queue, no_native, NULL, 0, 0, NULL, NULL, 1, &held, &native));
  CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  CHECK_OK(clSetEventCallback(native, CL_COMPLETE, no_event, NULL));
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clWaitForEvents(1, &native));
  CHECK_OK(clFlush(s.queue));
  CHECK_OK(clFinish(queue));
  CHECK_OK(clFinish(other));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(held));
  CHECK_OK(clReleaseEvent(native));
  CHECK_OK(clReleaseCommandQueue(queue));
}

static void call_programs(void) {
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "fill");
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  int seven = 7;
  size_t global = 512, second = 512;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof seven, &seven));
  CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueNDRangeKernel(other, kernel, 1, &second, &global, NULL, 0, NULL, NULL));
  CHECK_OK(clFinish(other));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
}

static void *make_calls(void *user) {
  cl_uint refs;
  CHECK_OK(clGetContextInfo(s.context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
  CHECK_OK(clGetCommandQueueInfo(s.queue, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
  call_memory();
  call_queues();
  call_programs();
  return user;
}

// What each callback does: on its own thread, and by another one that it waits for.
static void call_all(void) {
  pthread_t thread;
  make_calls(NULL);
  CHECK(pthread_create(&thread, NULL, make_calls, NULL) == 0);
  pthread_join(thread, NULL);
  atomic_fetch_add(&called, 1);
}

// ---- which callbacks

static void CL_CALLBACK of_event(cl_event event, cl_int state, void *user) {
  (void)state, (void)user;
  call_all();
  CHECK_OK(clReleaseEvent(event));
}
static void CL_CALLBACK of_native(void *user) {
  (void)user;
  call_all();
}
static void CL_CALLBACK of_program(cl_program program, void *user) {
  (void)user;
  call_all();
  CHECK_OK(clReleaseProgram(program));
}
static void CL_CALLBACK of_memory(cl_mem mem, void *user) {
  (void)mem, (void)user;
  call_all();
}
static void CL_CALLBACK of_shared(cl_command_queue queue, cl_uint count, void *pointers[], void *user) {
  CHECK(count == 1 && queue == *(cl_command_queue *)user);
  call_all();
  clSVMFree(s.context, pointers[0]);
}

static void events(void) {
  static const cl_int states[] = {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED};
  cl_int status;
  atomic_store(&called, 0);
  for (int i = 0; i < 3; i++) {
    cl_event gate = clCreateUserEvent(s.context, &status), held, after;
    CHECK_OK(clEnqueueMarkerWithWaitList(s.queue, 1, &gate, &held));
    CHECK_OK(clEnqueueMarkerWithWaitList(other, 1, &held, &after));
    CHECK_OK(clSetEventCallback(held, states[i], of_event, NULL));
    CHECK_OK(clSetEventCallback(gate, CL_COMPLETE, of_event, NULL)); // whose thread waits for what waits for the event
    CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK_OK(clSetEventCallback(after, states[i], of_event, NULL)); // at its end, or after that
    await(3 * (i + 1));
  }
}

static void native_kernels(void) {
  atomic_store(&called, 0);
  for (int i = 0; i < 3; i++)
    CHECK_OK(clEnqueueNativeKernel(s.queue, of_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  await(3); // run by a thread of Kiln's
  CHECK_OK(clEnqueueNativeKernel(s.queue, of_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  CHECK_OK(clFinish(s.queue)); // or by this one
  await(4);
}

static void programs(void) {
  cl_int status;
  const char *text = source;
  atomic_store(&called, 0);
  cl_program program = clCreateProgramWithSource(s.context, 1, &text, NULL, &status);
  CHECK_OK(clRetainProgram(program));
  CHECK_OK(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, of_program, NULL));
  CHECK_OK(clRetainProgram(program));
  cl_program linked = clLinkProgram(s.context, 0, NULL, "-create-library", 1, &program, of_program, NULL, &status);
  CHECK(status == CL_SUCCESS && linked);
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clBuildProgram(program, 0, NULL, "", of_program, NULL)); // the last reference
  await(3);
}

static void memory(void) {
  int zero = 0;
  cl_buffer_region region = {0, 1024};
  cl_int status;
  atomic_store(&called, 0);
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  cl_mem window = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, of_memory, NULL));
  CHECK_OK(clSetMemObjectDestructorCallback(mem, of_memory, NULL));
  CHECK_OK(clSetMemObjectDestructorCallback(window, of_memory, NULL));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseMemObject(window));
  CHECK(atomic_load(&called) == 3); // nothing uses them
  mem = buffer_of(&s, 0, 4096, NULL);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, of_memory, NULL));
  CHECK_OK(clEnqueueNativeKernel(s.queue, of_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueFillBuffer(s.queue, mem, &zero, sizeof zero, 0, 1024, 0, NULL, NULL));
  CHECK_OK(clReleaseMemObject(mem));
  await(5);
}

static void shared_memory(void) {
  void *pointer = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 64, 0);
  cl_int status;
  if (!pointer)
    return;
  atomic_store(&called, 0);
  cl_event gate = clCreateUserEvent(s.context, &status);
  CHECK_OK(clEnqueueSVMFree(s.queue, 1, &pointer, of_shared, &s.queue, 1, &gate, NULL));
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clReleaseEvent(gate));
  await(1);
}

static void CL_CALLBACK of_context(cl_context context, void *user) {
  CHECK_OK(clRetainContext(context));
  CHECK_OK(clReleaseContext(context));
  if (*(int *)user == 0)
    call_all();
  ++*(int *)user;
}

static void contexts(void) {
  cl_int status, count = 0;
  atomic_store(&called, 0);
  cl_context context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
  CHECK_OK(clSetContextDestructorCallback(context, of_context, &count));
  CHECK_OK(clSetContextDestructorCallback(context, of_context, &count));
  CHECK_OK(clReleaseContext(context));
  CHECK(count == 2 && atomic_load(&called) == 1);
}

// ---- releases

// The callback releases the last reference and what it had may be another's at once.
static void CL_CALLBACK release(cl_event event, cl_int state, void *user) {
  (void)state, (void)user;
  CHECK_OK(clReleaseEvent(event));
  void *others[4];
  for (int i = 0; i < 4; i++)
    if ((others[i] = malloc(88 + 8 * (size_t)i)))
      memset(others[i], 0x41, 88);
  for (int i = 0; i < 4; i++)
    free(others[i]);
  atomic_fetch_add(&called, 1);
}

static void last_events(void) {
  cl_int status;
  cl_event event;
  atomic_store(&called, 0);
  for (int i = 0; i < 1000; i++) {
    CHECK_OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &event));
    if (i & 1)
      CHECK_OK(clWaitForEvents(1, &event));
    CHECK_OK(clSetEventCallback(event, CL_COMPLETE, release, NULL));
    event = clCreateUserEvent(s.context, &status);
    CHECK_OK(clSetEventCallback(event, CL_COMPLETE, release, NULL));
    CHECK_OK(clSetUserEventStatus(event, i & 2 ? CL_COMPLETE : -5));
  }
  await(2000);
}

// The second callback is set while the command ends and the first one is called.
static void second_callback(void) {
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "fill");
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  int n = 3;
  size_t global = 64;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof n, &n));
  atomic_store(&called, 0);
  for (int i = 0; i < 1000; i++) {
    cl_event event;
    CHECK_OK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    CHECK_OK(clSetEventCallback(event, CL_COMPLETE, no_event, NULL));
    for (volatile int w = 0; w < (i * 37) % 20000;)
      w++;
    CHECK_OK(clSetEventCallback(event, CL_COMPLETE, release, NULL));
  }
  await(1000);
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
}

static void CL_CALLBACK once_more(cl_mem mem, void *user) {
  if (*(int *)user == 0) // a destructor that sets another one
    CHECK_OK(clSetMemObjectDestructorCallback(mem, once_more, user));
  CHECK_OK(clRetainMemObject(mem));
  CHECK_OK(clReleaseMemObject(mem));
  ++*(int *)user;
}

static void CL_CALLBACK release_queue(void *user) {
  CHECK_OK(clReleaseCommandQueue(*(cl_command_queue *)user));
  atomic_fetch_add(&called, 1);
}

static void last_others(void) {
  cl_int status, count = 0;
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  CHECK_OK(clSetMemObjectDestructorCallback(mem, once_more, &count));
  CHECK_OK(clSetMemObjectDestructorCallback(mem, once_more, &count));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK(count == 3);
  // A native kernel releases the queue that it runs on, whose context goes with it.
  atomic_store(&called, 0);
  for (int i = 0; i < 20; i++) {
    cl_context context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, s.device, 0, &status);
    CHECK_OK(clEnqueueNativeKernel(queue, release_queue, &queue, sizeof queue, 0, NULL, NULL, 0, NULL, NULL));
    CHECK_OK(clReleaseContext(context));
  }
  await(20);
}

int main(void) {
  alarm(240); // instead of waiting for ever
  s = setup_open(0);
  cl_int status;
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  other = clCreateCommandQueue(s.context, s.device, 0, &status);
  CHECK_OK(status);
  events();
  native_kernels();
  programs();
  memory();
  shared_memory();
  contexts();
  last_events();
  second_callback();
  last_others();
  CHECK_OK(clFinish(s.queue));
  CHECK_OK(clReleaseCommandQueue(other));
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
