// Commands that are held back: however many there are, each costs about the same; and their order is that of the queue.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "icd_test.h"

#define MANY 20000

static cl_command_queue queue_of(const struct setup *s, bool in_order) {
  cl_int status;
  cl_command_queue queue =
      clCreateCommandQueue(s->context, s->device, in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  CHECK_OK(status);
  return queue;
}

// All wait for one event; barriers: every 100th one holds back the others.
static void many_for_one(const struct setup *s, bool in_order, bool barriers) {
  cl_int status, x = 1, y = 0;
  cl_command_queue queue = queue_of(s, in_order);
  cl_mem mem = buffer_of(s, 0, 4096, NULL);
  cl_event gate = clCreateUserEvent(s->context, &status), event;
  for (int i = 0; i < MANY; i++) {
    if (barriers && i % 100 == 0)
      CHECK_OK(clEnqueueBarrierWithWaitList(queue, i % 200 == 0, i % 200 == 0 ? &gate : NULL, NULL));
    CHECK_OK(clEnqueueFillBuffer(queue, mem, &x, sizeof x, 0, 64, 1, &gate, &event));
    CHECK_OK(clReleaseEvent(event));
  }
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
  CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 60, sizeof y, &y, 0, NULL, NULL));
  CHECK(y == 1);
  CHECK_OK(clReleaseEvent(gate));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseCommandQueue(queue));
}

// Each waits for the one before, on another queue; the first one for the user.
static void chain(const struct setup *s, const struct setup *other, bool in_order) {
  cl_int status;
  cl_command_queue queues[] = {queue_of(s, in_order), queue_of(other, in_order)};
  cl_event gate = clCreateUserEvent(s->context, &status), last = gate, event;
  CHECK_OK(clRetainEvent(gate));
  for (int i = 0; i < MANY; i++) {
    CHECK_OK(clEnqueueMarkerWithWaitList(queues[i & 1], 1, &last, &event));
    CHECK_OK(clReleaseEvent(last));
    last = event;
  }
  CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  CHECK_OK(clWaitForEvents(1, &last));
  CHECK_OK(clReleaseEvent(last));
  CHECK_OK(clReleaseEvent(gate));
  for (int i = 0; i < 2; i++)
    CHECK_OK(clReleaseCommandQueue(queues[i]));
}

// On queues of two sub-devices, so that each event is waited for until its command has ended.
static void chain_of_parts(const struct setup *s) {
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id subs[64];
  cl_uint count = 0;
  cl_int status;
  if (clCreateSubDevices(s->device, equally, 64, subs, &count) != CL_SUCCESS || count < 2)
    return;
  struct setup parts[2] = {{.device = subs[0]}, {.device = subs[1]}};
  parts[0].context = parts[1].context = clCreateContext(NULL, 2, subs, NULL, NULL, &status);
  CHECK_OK(status);
  chain(&parts[0], &parts[1], true);
  chain(&parts[0], &parts[1], false);
  CHECK_OK(clReleaseContext(parts[0].context));
  for (cl_uint i = 0; i < count; i++)
    CHECK_OK(clReleaseDevice(subs[i]));
}

// ---- order: native kernels take the time

#define COMMANDS 60
#define GATES 4

struct run {
  int first, last; // the time when it began and when it ended; 0: not yet
};

static atomic_int clock_now;
static struct run runs[COMMANDS];

static void CL_CALLBACK run(void *user) {
  struct run *own = *(struct run **)user;
  own->first = atomic_fetch_add(&clock_now, 1) + 1;
  own->last = atomic_fetch_add(&clock_now, 1) + 1;
}

static unsigned draw(unsigned *state, unsigned below) {
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % below;
}

// What command i must come after, and the events that tell of it.
struct plan {
  bool after[COMMANDS];
  int gate; // -1: none
};

static void check_order(const struct plan *plans) {
  for (int i = 0; i < COMMANDS; i++)
    for (int k = 0; k < i; k++)
      if (plans[i].after[k] && runs[k].last > runs[i].first)
        CHECK(!"a command has begun before the end of one that it waits for");
}

// Random commands, barriers and wait lists; the gates open in another order.
static void random_order(const struct setup *s, unsigned seed) {
  static struct plan plans[COMMANDS];
  cl_int status;
  unsigned state = seed;
  cl_event gates[GATES], events[COMMANDS];
  cl_command_queue queues[] = {queue_of(s, false), queue_of(s, false), queue_of(s, true)};
  memset(plans, 0, sizeof plans);
  memset(runs, 0, sizeof runs);
  int where[COMMANDS], barrier[3] = {-1, -1, -1};
  for (int i = 0; i < GATES; i++)
    gates[i] = clCreateUserEvent(s->context, &status);
  for (int i = 0; i < COMMANDS; i++) {
    int q = where[i] = (int)draw(&state, 3);
    struct run *own = &runs[i];
    cl_event list[3];
    cl_uint count = 0;
    if (i && draw(&state, 3) == 0) {
      int k = (int)draw(&state, (unsigned)i);
      plans[i].after[k] = true;
      list[count++] = events[k];
    }
    if (draw(&state, 3) == 0)
      list[count++] = gates[draw(&state, GATES)];
    for (int k = 0; k < i; k++)
      plans[i].after[k] |= where[k] == q && (q == 2 || k <= barrier[q]);
    if (draw(&state, 8) == 0) { // a barrier before the command
      CHECK_OK(clEnqueueBarrierWithWaitList(queues[q], count, count ? list : NULL, NULL));
      for (int k = 0; k < i && !count; k++)
        plans[i].after[k] |= where[k] == q;
      barrier[q] = count ? barrier[q] : i - 1;
    }
    CHECK_OK(
        clEnqueueNativeKernel(queues[q], run, &own, sizeof own, 0, NULL, NULL, count, count ? list : NULL, &events[i]));
  }
  for (int i = 0; i < GATES; i++)
    CHECK_OK(clSetUserEventStatus(gates[(i * 3 + (int)seed) % GATES], CL_COMPLETE));
  for (int i = 0; i < 3; i++)
    CHECK_OK(clFinish(queues[i]));
  for (int i = 0; i < COMMANDS; i++)
    CHECK(runs[i].last > 0);
  check_order(plans);
  for (int i = 0; i < COMMANDS; i++)
    CHECK_OK(clReleaseEvent(events[i]));
  for (int i = 0; i < GATES; i++)
    CHECK_OK(clReleaseEvent(gates[i]));
  for (int i = 0; i < 3; i++)
    CHECK_OK(clReleaseCommandQueue(queues[i]));
}

int main(void) {
  alarm(100); // where each cost more than the one before, an hour would not do
  struct setup s = setup_open(0);
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  for (int i = 0; i < 4; i++)
    many_for_one(&s, i & 1, i & 2);
  chain(&s, &s, false);
  chain(&s, &s, true);
  chain_of_parts(&s);
  for (unsigned seed = 0; seed < 40; seed++)
    random_order(&s, seed);
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
