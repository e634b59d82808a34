// User events hold commands back, in order and out of order; failures reach what waits; times are in order.
#include <time.h>

#include "icd_test.h"

static cl_int state_of(cl_event event) {
  cl_int state = 99;
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  return state;
}

static void held_in_order(const struct setup *s) {
  int x = 1, y = 0;
  cl_int status;
  cl_mem mem = buffer_of(s, CL_MEM_COPY_HOST_PTR, sizeof x, &x);
  cl_event gate = clCreateUserEvent(s->context, &status), read;
  CHECK_OK(status);
  int two = 2;
  CHECK_OK(clEnqueueWriteBuffer(s->queue, mem, CL_FALSE, 0, sizeof two, &two, 1, &gate, NULL));
  CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_FALSE, 0, sizeof y, &y, 0, NULL, &read)); // after the write
  CHECK(state_of(gate) == CL_SUBMITTED && state_of(read) == CL_QUEUED && y == 0);
  CHECK_CODE(clSetUserEventStatus(gate, CL_RUNNING), CL_INVALID_VALUE);
  CHECK_CODE(clSetUserEventStatus(read, CL_COMPLETE), CL_INVALID_EVENT);
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_CODE(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
  CHECK_OK(clWaitForEvents(1, &read));
  CHECK(y == 2 && state_of(read) == CL_COMPLETE);
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(read));
  CHECK_OK(clReleaseMemObject(mem));
}

static void passed_out_of_order(const struct setup *s) {
  cl_int status;
  cl_command_queue queue = clCreateCommandQueue(s->context, s->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  CHECK_OK(status);
  int x = 1, y = 0, z = 0, w = 0;
  cl_mem mem = buffer_of(s, CL_MEM_COPY_HOST_PTR, sizeof x, &x);
  cl_event gate = clCreateUserEvent(s->context, &status), held, all;
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof y, &y, 1, &gate, &held));
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof z, &z, 0, NULL, NULL)); // passes it
  CHECK(z == 1 && state_of(held) == CL_QUEUED);
  CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof w, &w, 0, NULL, NULL)); // after the barrier
  CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &all));
  CHECK(state_of(all) == CL_QUEUED && w == 0);
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clWaitForEvents(1, &all));
  CHECK(y == 1 && w == 1);
  CHECK_OK(clFinish(queue));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(held));
  CHECK_OK(clReleaseEvent(all));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseCommandQueue(queue));
}

// A user event that fails: the command does not run, and neither does what waits for it.
static void failure(const struct setup *s) {
  cl_int status;
  cl_command_queue other = clCreateCommandQueue(s->context, s->device, 0, &status);
  int x = 1, y = 0, z = 0;
  cl_mem mem = buffer_of(s, CL_MEM_COPY_HOST_PTR, sizeof x, &x);
  cl_event gate = clCreateUserEvent(s->context, &status), events[2];
  CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_FALSE, 0, sizeof y, &y, 1, &gate, &events[0]));
  CHECK_OK(clEnqueueReadBuffer(other, mem, CL_FALSE, 0, sizeof z, &z, 1, &events[0], &events[1]));
  CHECK_OK(clSetUserEventStatus(gate, -7));
  CHECK_CODE(clWaitForEvents(2, events), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(y == 0 && z == 0 && state_of(gate) == -7);
  CHECK(state_of(events[0]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(state_of(events[1]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK_OK(clFinish(s->queue));
  CHECK_OK(clFinish(other));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(events[0]));
  CHECK_OK(clReleaseEvent(events[1]));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseCommandQueue(other));
}

static void CL_CALLBACK count_states(cl_event event, cl_int state, void *user) {
  (void)event;
  __atomic_add_fetch((int *)user + (state < 0 ? 3 : state), 1, __ATOMIC_SEQ_CST);
}

static bool becomes(int *value, int wanted) {
  for (int i = 0; i < 5000 && __atomic_load_n(value, __ATOMIC_SEQ_CST) != wanted; i++)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  return __atomic_load_n(value, __ATOMIC_SEQ_CST) == wanted;
}

// counts: of the states complete, running, submitted, failed.
static void callbacks(const struct setup *s) {
  cl_int status;
  int x = 1, y = 0, counts[4] = {0};
  cl_mem mem = buffer_of(s, CL_MEM_COPY_HOST_PTR, sizeof x, &x);
  cl_event gate = clCreateUserEvent(s->context, &status), read;
  CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_FALSE, 0, sizeof y, &y, 1, &gate, &read));
  CHECK_CODE(clSetEventCallback(read, CL_QUEUED, count_states, counts), CL_INVALID_VALUE);
  CHECK_CODE(clSetEventCallback(read, CL_COMPLETE, NULL, counts), CL_INVALID_VALUE);
  CHECK_OK(clSetEventCallback(read, CL_SUBMITTED, count_states, counts));
  CHECK_OK(clSetEventCallback(read, CL_RUNNING, count_states, counts));
  CHECK_OK(clSetEventCallback(read, CL_COMPLETE, count_states, counts));
  CHECK_OK(clSetEventCallback(gate, CL_COMPLETE, count_states, counts));
  CHECK(!counts[0] && !counts[1] && !counts[2]);
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK(becomes(&counts[0], 2) && becomes(&counts[1], 1) && becomes(&counts[2], 1));
  CHECK_OK(clSetEventCallback(read, CL_COMPLETE, count_states, counts)); // after the end
  CHECK(becomes(&counts[0], 3) && counts[3] == 0);
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(read));
  // Many, released at once.
  for (int i = 0; i < 200; i++) {
    CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_FALSE, 0, sizeof y, &y, 0, NULL, &read));
    CHECK_OK(clSetEventCallback(read, CL_COMPLETE, count_states, counts));
    CHECK_OK(clReleaseEvent(read));
  }
  CHECK(becomes(&counts[0], 203));
  // A failure.
  gate = clCreateUserEvent(s->context, &status);
  CHECK_OK(clEnqueueReadBuffer(s->queue, mem, CL_FALSE, 0, sizeof y, &y, 1, &gate, &read));
  CHECK_OK(clSetEventCallback(read, CL_COMPLETE, count_states, counts));
  CHECK_OK(clSetUserEventStatus(gate, -1));
  CHECK(becomes(&counts[3], 1));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(read));
  CHECK_OK(clReleaseMemObject(mem));
}

static void times(const struct setup *s) {
  cl_int status;
  cl_command_queue queue = clCreateCommandQueue(s->context, s->device, CL_QUEUE_PROFILING_ENABLE, &status);
  CHECK_OK(status);
  char bytes[100] = {0};
  cl_mem mem = buffer_of(s, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
  cl_event event;
  CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, &event));
  cl_ulong at[4];
  for (cl_uint i = 0; i < 4; i++)
    CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *at, &at[i], NULL));
  CHECK(at[0] && at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3]);
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(clEnqueueWriteBuffer(s->queue, mem, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, &event));
  CHECK_CODE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof *at, at, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void) {
  struct setup s = setup_open(0);
  held_in_order(&s);
  passed_out_of_order(&s);
  failure(&s);
  callbacks(&s);
  times(&s);
  setup_close(&s);
  return failures != 0;
}
