// Native kernels; commands of a queue out of order that run at the same time, and those that wait for each other.
#include <stdatomic.h>
#include <unistd.h>

#include "icd_test.h"

#define N 256

static const char source[] = "kernel void fill(global int *x, int n) { x[get_global_id(0)] = n; }";

static int state_of(cl_event event) {
  cl_int state = 99;
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  return state;
}

// ---- native kernels

struct sum_args {
  int *x, *y; // of buffers
  int count, *out;
};

static void CL_CALLBACK sum(void *user) {
  const struct sum_args *args = user;
  *args->out = args->y ? -1 : 0;
  for (int i = 0; i < args->count; i++)
    *args->out += args->x[i];
}

static void native(const struct setup *s, cl_kernel kernel) {
  cl_int status, out = 0, three = 3, five = 5;
  size_t global = N;
  cl_mem mem = buffer_of(s, 0, N * sizeof(int), NULL), mems[] = {mem, NULL};
  struct sum_args args = {.count = N, .out = &out};
  const void *places[] = {&args.x, &args.y};
  cl_event done, gate = clCreateUserEvent(s->context, &status);
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof three, &three));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  CHECK_OK(clEnqueueNativeKernel(s->queue, sum, &args, sizeof args, 2, mems, places, 0, NULL, &done));
  CHECK(args.x == NULL); // the copy has the pointers
  CHECK_OK(clWaitForEvents(1, &done));
  CHECK(out == 3 * N);
  cl_command_type type = 0;
  CHECK_OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK(type == CL_COMMAND_NATIVE_KERNEL);
  CHECK_OK(clReleaseEvent(done));
  // Held back: with the arguments of the call.
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof five, &five));
  CHECK_OK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 1, &gate, NULL));
  CHECK_OK(clEnqueueNativeKernel(s->queue, sum, &args, sizeof args, 2, mems, places, 0, NULL, NULL));
  args.count = 0;
  CHECK_OK(clReleaseMemObject(mem)); // the command keeps it
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clFinish(s->queue));
  CHECK(out == 5 * N);
  CHECK_OK(clReleaseEvent(gate));
}

static void wrong(const struct setup *s) {
  struct sum_args args = {0};
  cl_mem mem = buffer_of(s, 0, N, NULL), none = (cl_mem)(void *)s->queue;
  const void *place = &args.x, *away = &args + 1;
#define NATIVE(...) clEnqueueNativeKernel(s->queue, __VA_ARGS__, 0, NULL, NULL)
  CHECK_CODE(clEnqueueNativeKernel(NULL, sum, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
  CHECK_CODE(NATIVE(NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, NULL, 8, 0, NULL, NULL), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, NULL, 0, 1, &mem, &place), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, sizeof args, 1, NULL, &place), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, sizeof args, 1, &mem, NULL), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, sizeof args, 0, &mem, NULL), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, sizeof args, 1, &mem, &away), CL_INVALID_VALUE);
  CHECK_CODE(NATIVE(sum, &args, sizeof args, 1, &none, &place), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clEnqueueNativeKernel(s->queue, sum, &args, sizeof args, 0, NULL, NULL, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
  CHECK_OK(clReleaseMemObject(mem));
  cl_device_exec_capabilities can = 0;
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
  CHECK(can == (CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL));
}

// ---- at the same time

struct meeting {
  atomic_int here;
  atomic_bool open, given_up;
};

// Until there are two, or the meeting is open.
static void CL_CALLBACK meet(void *user) {
  struct meeting *meeting = *(struct meeting **)user;
  atomic_fetch_add(&meeting->here, 1);
  for (int i = 0; i < 20000 && atomic_load(&meeting->here) < 2 && !atomic_load(&meeting->open); i++)
    usleep(500);
  if (atomic_load(&meeting->here) < 2 && !atomic_load(&meeting->open))
    atomic_store(&meeting->given_up, true);
}

static void at_once(cl_command_queue queue) {
  struct meeting meeting = {0}, *at = &meeting;
  cl_event done[2];
  for (int i = 0; i < 2; i++)
    CHECK_OK(clEnqueueNativeKernel(queue, meet, &at, sizeof at, 0, NULL, NULL, 0, NULL, &done[i]));
  while (atomic_load(&meeting.here) < 2) // nobody helps by waiting
    usleep(100);
  CHECK_OK(clWaitForEvents(2, done));
  CHECK(!atomic_load(&meeting.given_up));
  CHECK_OK(clReleaseEvent(done[0]));
  CHECK_OK(clReleaseEvent(done[1]));
}

static void overtaken(const struct setup *s, cl_command_queue queue, cl_kernel kernel) {
  struct meeting meeting = {0}, *at = &meeting;
  int bytes[2][N] = {{0}}, more[20][N] = {{0}}, seven = 7;
  size_t global = N;
  cl_mem mem = buffer_of(s, 0, N * sizeof(int), NULL);
  cl_event blocked, launched, read[3];
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  CHECK_OK(clSetKernelArg(kernel, 1, sizeof seven, &seven));
  CHECK_OK(clEnqueueNativeKernel(queue, meet, &at, sizeof at, 0, NULL, NULL, 0, NULL, &blocked));
  CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &launched));
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof bytes[0], bytes[0], 1, &launched, &read[0]));
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof bytes[1], bytes[1], 1, &blocked, &read[1]));
  CHECK_OK(clWaitForEvents(1, &read[0]));
  CHECK(bytes[0][0] == 7 && bytes[0][N - 1] == 7);
  CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  for (int i = 0; i < 20; i++) // more than there are lanes
    CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof more[i], more[i], 0, NULL, i ? NULL : &read[2]));
  usleep(10000);
  CHECK(state_of(blocked) != CL_COMPLETE && state_of(read[1]) != CL_COMPLETE && state_of(read[2]) != CL_COMPLETE);
  CHECK(bytes[1][0] == 0 && more[0][0] == 0);
  atomic_store(&meeting.open, true);
  CHECK_OK(clFinish(queue));
  CHECK(!atomic_load(&meeting.given_up));
  CHECK(state_of(read[1]) == CL_COMPLETE && bytes[1][0] == 7 && more[19][N - 1] == 7);
  CHECK_OK(clReleaseEvent(blocked));
  CHECK_OK(clReleaseEvent(launched));
  for (int i = 0; i < 3; i++)
    CHECK_OK(clReleaseEvent(read[i]));
  CHECK_OK(clReleaseMemObject(mem));
}

// A marker with a wait list waits for that alone, one without for all.
static void markers(cl_command_queue queue) {
  struct meeting meeting = {0}, *at = &meeting;
  cl_event blocked, quick, some, all;
  CHECK_OK(clEnqueueNativeKernel(queue, meet, &at, sizeof at, 0, NULL, NULL, 0, NULL, &blocked));
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &all));
  struct meeting open = {.open = true}, *other = &open;
  CHECK_OK(clEnqueueNativeKernel(queue, meet, &other, sizeof other, 0, NULL, NULL, 0, NULL, &quick));
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 1, &quick, &some));
  CHECK_OK(clWaitForEvents(1, &some));
  CHECK(state_of(quick) == CL_COMPLETE && state_of(all) != CL_COMPLETE);
  atomic_store(&meeting.open, true);
  CHECK_OK(clWaitForEvents(1, &all));
  CHECK(state_of(blocked) == CL_COMPLETE && !atomic_load(&meeting.given_up));
  cl_event events[] = {blocked, quick, some, all};
  for (int i = 0; i < 4; i++)
    CHECK_OK(clReleaseEvent(events[i]));
}

// Callbacks come when their command has ended, not in the order of the calls.
static void CL_CALLBACK open_meeting(cl_event event, cl_int state, void *user) {
  CHECK(event && state == CL_COMPLETE);
  atomic_store((atomic_bool *)user, true);
}
static void callbacks(cl_command_queue queue) {
  struct meeting meeting = {0}, *at = &meeting, open = {.open = true}, *other = &open;
  cl_event blocked, quick;
  atomic_bool called = false;
  CHECK_OK(clEnqueueNativeKernel(queue, meet, &at, sizeof at, 0, NULL, NULL, 0, NULL, &blocked));
  CHECK_OK(clSetEventCallback(blocked, CL_COMPLETE, open_meeting, &called));
  CHECK_OK(clEnqueueNativeKernel(queue, meet, &other, sizeof other, 0, NULL, NULL, 0, NULL, &quick));
  CHECK_OK(clSetEventCallback(quick, CL_COMPLETE, open_meeting, &meeting.open)); // ends the first one
  CHECK_OK(clFinish(queue));
  for (int i = 0; i < 10000 && !atomic_load(&called); i++)
    usleep(1000);
  CHECK(atomic_load(&called) && !atomic_load(&meeting.given_up));
  CHECK_OK(clReleaseEvent(blocked));
  CHECK_OK(clReleaseEvent(quick));
}

int main(void) {
  struct setup s = setup_open(0);
  cl_int status;
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "fill");
  native(&s, kernel);
  wrong(&s);
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  CHECK_OK(status);
  at_once(queue);
  overtaken(&s, queue, kernel);
  markers(queue);
  callbacks(queue);
  CHECK_OK(clReleaseCommandQueue(queue));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
