// Every command with every kind of wait list, on queues in order and out of order: lists that the standard refuses,
// events that have not happened, that have failed and that are of another queue; what the command's event tells.
#include <stdatomic.h>
#include <unistd.h>

#include "command_buffer.h"
#include "usm.h"

#define SIZE 256

static const char source[] = "kernel void f(global int *x) { *x = 1; }";

static struct setup s, other;
static cl_command_queue q;
static cl_mem m, to, image;
static cl_kernel kernel;
static cl_command_buffer_khr recorded;
static char bytes[2 * SIZE];
static char *shared;
static void *mapped;
static const size_t zero[3], one[] = {1, 1, 1}, second[] = {1, 0, 0};
static cl_int status;

static void CL_CALLBACK native(void *user) { (void)user; }

// The mapping that the next unmap takes back: one that is refused takes none.
static cl_int unmap_it(cl_uint count, const cl_event *events, cl_event *event) {
  if (!mapped)
    mapped = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 8, 4, 0, NULL, NULL, &status);
  cl_int code = clEnqueueUnmapMemObject(q, m, mapped, count, events, event);
  if (code == CL_SUCCESS)
    mapped = NULL;
  return code;
}

static cl_uint map_count(cl_mem of) {
  cl_uint count = 99;
  CHECK_OK(clGetMemObjectInfo(of, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
  return count;
}

// A map that is refused is none.
static cl_int map_it(cl_uint count, const cl_event *events, cl_event *event) {
  cl_uint before = map_count(m);
  void *pointer = clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 4, count, events, event, &status);
  CHECK(!pointer == (status != CL_SUCCESS) && map_count(m) == before + (status == CL_SUCCESS));
  return status;
}

static cl_int map_image(cl_uint count, const cl_event *events, cl_event *event) {
  cl_uint before = map_count(image);
  size_t row = 0;
  void *pointer =
      clEnqueueMapImage(q, image, CL_FALSE, CL_MAP_READ, zero, one, &row, NULL, count, events, event, &status);
  CHECK(!pointer == (status != CL_SUCCESS) && map_count(image) == before + (status == CL_SUCCESS));
  return status;
}

#define LIST count, events, event
#define COMMAND(name, type, call)                                                                                      \
  static cl_int enqueue_##name(cl_uint count, const cl_event *events, cl_event *event) { return call; }
#define SHARED COMMAND
#include "commands.def"

static const struct command {
  const char *name;
  cl_command_type type;
  cl_int (*enqueue)(cl_uint count, const cl_event *events, cl_event *event);
  bool is_shared; // needs shared virtual memory
} commands[] = {
#define COMMAND(name, type, call) {#name, type, enqueue_##name, false},
#define SHARED(name, type, call) {#name, type, enqueue_##name, true},
#include "commands.def"
};

static cl_int state_of(cl_event event) {
  cl_int state = 99;
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
  return state;
}

static cl_event user_event(cl_context context) {
  cl_event event = clCreateUserEvent(context, &status);
  CHECK_OK(status);
  return event;
}

// ---- lists that are refused: no command, no event

static void refused(const struct command *c) {
  cl_event gate = user_event(s.context), foreign = user_event(other.context), none = NULL;
  cl_event mark = (cl_event)(void *)bytes, event = mark;
  CHECK_CODE(c->enqueue(1, NULL, &event), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(c->enqueue(0, &gate, &event), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(c->enqueue(1, &none, &event), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(c->enqueue(2, (cl_event[]){gate, (cl_event)(void *)m}, &event), CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(c->enqueue(1, &foreign, &event), CL_INVALID_CONTEXT);
  CHECK_CODE(c->enqueue(2, (cl_event[]){gate, foreign}, &event), CL_INVALID_CONTEXT);
  CHECK(event == mark);
  CHECK_OK(clFinish(q));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(foreign));
}

// ---- what the event tells

static void check_told(const struct command *c, cl_event event) {
  cl_command_type type = 0;
  cl_command_queue queue = NULL;
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
  CHECK(type == c->type && queue == q);
}

// ---- events that have not happened yet, in each place of the list; state: what the user makes of it

static void held(const struct command *c, cl_int state) {
  cl_event gate = user_event(s.context), done = user_event(s.context), event;
  CHECK_OK(clSetUserEventStatus(done, CL_COMPLETE));
  CHECK_OK(c->enqueue(2, state ? (cl_event[]){gate, done} : (cl_event[]){done, gate}, &event));
  CHECK(state_of(event) == CL_QUEUED);
  check_told(c, event);
  CHECK_OK(clSetUserEventStatus(gate, state));
  CHECK_CODE(clWaitForEvents(1, &event), state ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
  CHECK(state ? state_of(event) < 0 : state_of(event) == CL_COMPLETE);
  CHECK_OK(clFinish(q));
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseEvent(done));
}

// ---- events that have happened: of the user, failed or not, and of another queue

static void passed(const struct command *c) {
  cl_event failed = user_event(s.context), away, event;
  CHECK_OK(clSetUserEventStatus(failed, -7));
  CHECK_OK(clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &away));
  CHECK_OK(c->enqueue(1, &away, NULL));
  CHECK_OK(c->enqueue(2, (cl_event[]){away, away}, &event));
  check_told(c, event);
  CHECK_OK(clWaitForEvents(1, &event));
  CHECK(state_of(event) == CL_COMPLETE && state_of(away) == CL_COMPLETE);
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(c->enqueue(2, (cl_event[]){away, failed}, &event));
  CHECK_CODE(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(c->enqueue(0, NULL, &event));
  CHECK_OK(clWaitForEvents(1, &event));
  CHECK_OK(clReleaseEvent(event));
  CHECK_OK(c->enqueue(0, NULL, NULL));
  CHECK_OK(clFinish(q));
  CHECK_OK(clReleaseEvent(away));
  CHECK_OK(clReleaseEvent(failed));
}

// ---- commands that run at the same time: what waits for both comes after both

static atomic_int may_end[2], ended[2], early;

static void CL_CALLBACK run_on(void *user) {
  int i = *(int *)user;
  while (!atomic_load(&may_end[i]))
    usleep(100);
  atomic_store(&ended[i], 1);
}

static void CL_CALLBACK look(void *user) {
  (void)user;
  if (!atomic_load(&ended[0]) || !atomic_load(&ended[1]))
    atomic_store(&early, 1);
}

// first: which of them ends first; swapped: the order of the list.
static void after_both(int first, bool swapped) {
  cl_command_queue queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  cl_event running[2], list[2], last;
  for (int i = 0; i < 2; i++) {
    atomic_store(&may_end[i], 0);
    atomic_store(&ended[i], 0);
    CHECK_OK(clEnqueueNativeKernel(queue, run_on, &i, sizeof i, 0, NULL, NULL, 0, NULL, &running[i]));
    list[swapped ? 1 - i : i] = running[i];
  }
  CHECK_OK(clEnqueueNativeKernel(queue, look, NULL, 0, 0, NULL, NULL, 2, list, &last));
  atomic_store(&may_end[first], 1);
  CHECK_OK(clWaitForEvents(1, &running[first]));
  usleep(5000); // so that a command that does not wait for the other one has the time to come
  atomic_store(&may_end[1 - first], 1);
  CHECK_OK(clWaitForEvents(1, &last));
  CHECK(!atomic_load(&early));
  CHECK_OK(clReleaseEvent(running[0]));
  CHECK_OK(clReleaseEvent(running[1]));
  CHECK_OK(clReleaseEvent(last));
  CHECK_OK(clReleaseCommandQueue(queue));
}

static void all_commands(cl_command_queue_properties flags) {
  cl_device_svm_capabilities caps = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_SVM_CAPABILITIES, sizeof caps, &caps, NULL));
  q = clCreateCommandQueue(s.context, s.device, flags, &status);
  CHECK_OK(status);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    int before = failures;
    if (commands[i].is_shared && !caps)
      continue;
    refused(&commands[i]);
    held(&commands[i], CL_COMPLETE);
    held(&commands[i], -1);
    passed(&commands[i]);
    if (failures != before)
      printf("the command was %s\n", commands[i].name);
  }
  CHECK_OK(clReleaseCommandQueue(q));
}

int main(void) {
  alarm(100); // a command that never ends
  s = setup_open(0);
  usm_find(s.platform);
  command_buffer_find(s.platform);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  other = setup_open(0);
  m = buffer_of(&s, 0, SIZE, NULL);
  to = buffer_of(&s, 0, SIZE, NULL);
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  image = clCreateImage(s.context, 0, &(cl_image_format){CL_RGBA, CL_UNORM_INT8}, &desc, NULL, &status);
  CHECK_OK(status);
  cl_program program = build(&s, source, "");
  kernel = kernel_of(program, "f");
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof m, &m));
  recorded = clCreateCommandBufferKHR_(1, &s.queue, NULL, &status);
  CHECK_OK(clCommandNDRangeKernelKHR_(recorded, NULL, NULL, kernel, 1, NULL, one, NULL, PLAIN));
  CHECK_OK(clCommandCopyBufferKHR_(recorded, NULL, NULL, m, to, 0, 0, SIZE, PLAIN));
  CHECK_OK(clFinalizeCommandBufferKHR_(recorded));
  shared = clSVMAlloc(s.context, CL_MEM_READ_WRITE, SIZE, 0);
  all_commands(0);
  all_commands(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (int i = 0; i < 4; i++)
    after_both(i & 1, i & 2);
  clSVMFree(s.context, shared);
  CHECK_OK(clReleaseCommandBufferKHR_(recorded));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseMemObject(m));
  CHECK_OK(clReleaseMemObject(to));
  CHECK_OK(clReleaseMemObject(image));
  setup_close(&other);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
