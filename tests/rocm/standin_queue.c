// The functions of the stand-in that take time: signals, queues with a packet processor each, copies.
#include <fenv.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/rocm/standin.h"

#define EXPORT __attribute__((visibility("default")))
#define CPU 1
#define FIRST_GPU 16

void standin_check_signals(void);

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 100000000 + (uint64_t)t.tv_nsec / 10; // 100 MHz, as the real one
}

EXPORT hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value) {
  *(uint64_t *)value = attribute == HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY ? 100000000 : now();
  return HSA_STATUS_SUCCESS;
}

// ---- signals

#define SIGNAL_MAGIC UINT64_C(0x7369676e616c2121)
struct signal {
  uint64_t magic;
  int64_t value; // guarded by signal_lock
  uint64_t start, end;
  bool is_copy;
};
static pthread_mutex_t signal_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_changed = PTHREAD_COND_INITIALIZER;
static int signals;
static atomic_int queues; // streams are destroyed by several threads

static struct signal *signal_of(hsa_signal_t handle) {
  struct signal *signal = (struct signal *)(uintptr_t)handle.handle;
  CHECK(signal && signal->magic == SIGNAL_MAGIC, "this is no signal");
  return signal;
}

static int64_t get(struct signal *signal) {
  pthread_mutex_lock(&signal_lock);
  int64_t value = signal->value;
  pthread_mutex_unlock(&signal_lock);
  return value;
}

static void set(struct signal *signal, int64_t value) {
  pthread_mutex_lock(&signal_lock);
  signal->value = value;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
}

EXPORT hsa_status_t hsa_signal_create(hsa_signal_value_t initial, uint32_t count, const hsa_agent_t *agents,
                                      hsa_signal_t *result) {
  (void)agents;
  if (standin_fails(__func__))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  CHECK(count == 0, "consumers");
  struct signal *signal = calloc(1, sizeof *signal);
  signal->magic = SIGNAL_MAGIC;
  signal->value = initial;
  __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
  result->handle = (uintptr_t)signal;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_signal_destroy(hsa_signal_t handle) {
  struct signal *signal = signal_of(handle);
  signal->magic = 0;
  free(signal);
  __atomic_sub_fetch(&signals, 1, __ATOMIC_RELAXED);
  return HSA_STATUS_SUCCESS;
}

void standin_check_signals(void) {
  CHECK(!__atomic_load_n(&signals, __ATOMIC_RELAXED), "%d signals were not destroyed", signals);
  CHECK(!queues, "%d queues were not destroyed", (int)queues);
}

EXPORT hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t handle) { return get(signal_of(handle)); }
EXPORT void hsa_signal_store_relaxed(hsa_signal_t handle, hsa_signal_value_t value) { set(signal_of(handle), value); }
EXPORT void hsa_signal_store_screlease(hsa_signal_t handle, hsa_signal_value_t value) { set(signal_of(handle), value); }

EXPORT hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t handle, hsa_signal_condition_t condition,
                                                    hsa_signal_value_t compare, uint64_t timeout,
                                                    hsa_wait_state_t state) {
  (void)state;
  CHECK(condition == HSA_SIGNAL_CONDITION_LT, "condition %d", (int)condition);
  struct signal *signal = signal_of(handle);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  uint64_t ns = timeout > 1000000000 ? UINT64_C(10000000000) : timeout * 10;
  until.tv_sec += (time_t)((ns + (uint64_t)until.tv_nsec) / 1000000000);
  until.tv_nsec = (long)((ns + (uint64_t)until.tv_nsec) % 1000000000);
  pthread_mutex_lock(&signal_lock);
  while (signal->value >= compare && !pthread_cond_timedwait(&signal_changed, &signal_lock, &until))
    ;
  int64_t value = signal->value;
  pthread_mutex_unlock(&signal_lock);
  return value;
}

// A negative value is no 0: what waits goes on waiting.
static void await_zero(hsa_signal_t handle, const bool *stop) {
  struct signal *signal = signal_of(handle);
  pthread_mutex_lock(&signal_lock);
  while (signal->value != 0 && !(stop && *stop))
    pthread_cond_wait(&signal_changed, &signal_lock);
  pthread_mutex_unlock(&signal_lock);
}

// ---- commands that are held back

static bool held[STANDIN_KINDS];    // guarded by signal_lock,
static unsigned let[STANDIN_KINDS]; // … as is how many of those that are held may end

EXPORT void standin_hold(enum standin_kind kind, bool hold) {
  pthread_mutex_lock(&signal_lock);
  held[kind] = hold;
  let[kind] = 0;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
}

EXPORT void standin_let_one_end(enum standin_kind kind) {
  pthread_mutex_lock(&signal_lock);
  let[kind]++;
  pthread_cond_broadcast(&signal_changed);
  while (let[kind]) // otherwise one that is held back later could end in the place of this one
    pthread_cond_wait(&signal_changed, &signal_lock);
  pthread_mutex_unlock(&signal_lock);
}

static void await_release(enum standin_kind kind) {
  pthread_mutex_lock(&signal_lock);
  while (held[kind] && !let[kind])
    pthread_cond_wait(&signal_changed, &signal_lock);
  let[kind] -= let[kind] != 0;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
}

// ---- queues

struct queue {
  hsa_queue_t queue;    // first
  uint64_t read, write; // atomic
  hsa_agent_t agent;
  pthread_t thread;
  bool stop; // guarded by signal_lock
  bool failed;
  void (*callback)(hsa_status_t, hsa_queue_t *, void *);
  void *data;
};

static void end_packet(hsa_signal_t handle, uint64_t start) {
  if (!handle.handle)
    return;
  struct signal *signal = signal_of(handle);
  pthread_mutex_lock(&signal_lock);
  signal->start = start;
  signal->end = now();
  signal->value--;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
}

static const char *const kind_names[] = {"fault", "reset", "memory", "shutdown"};

// Runs the packet in the slot. False: the queue is out of order.
static bool run_packet(struct queue *q, char *slot, uint16_t header) {
  unsigned type = header & 0xff;
  uint64_t start = now();
  CHECK(header >> HSA_PACKET_HEADER_BARRIER & 1, "the packet does not wait for those before it");
  CHECK((header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3) == HSA_FENCE_SCOPE_SYSTEM &&
            (header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3) == HSA_FENCE_SCOPE_SYSTEM,
        "fences of the packet");
  if (type == HSA_PACKET_TYPE_BARRIER_AND) {
    hsa_barrier_and_packet_t packet;
    memcpy(&packet, slot, sizeof packet);
    CHECK(!packet.reserved0 && !packet.reserved1 && !packet.reserved2, "reserved fields");
    for (int i = 0; i < 5; i++)
      if (packet.dep_signal[i].handle)
        await_zero(packet.dep_signal[i], &q->stop);
    end_packet(packet.completion_signal, start);
    return true;
  }
  CHECK(type == HSA_PACKET_TYPE_KERNEL_DISPATCH, "packet of type %u", type);
  hsa_kernel_dispatch_packet_t packet;
  memcpy(&packet, slot, sizeof packet);
  CHECK(!packet.reserved0 && !packet.reserved2, "reserved fields");
  CHECK(packet.completion_signal.handle && get(signal_of(packet.completion_signal)) == 1, "completion signal");
  for (int kind = STANDIN_FAULT; kind <= STANDIN_SHUTDOWN; kind++)
    if (standin_fails(kind_names[kind])) {
      standin_event(kind, q->agent);
      if (kind == STANDIN_FAULT) // the queue tells as well, later
        usleep(50000), q->callback((hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT, &q->queue, q->data);
      if (standin_is_hung(q->agent))
        return false;
    }
  if (standin_fails("endless"))
    standin_hang();
  if (standin_fails("kernel")) {
    q->callback(HSA_STATUS_ERROR_EXCEPTION, &q->queue, q->data);
    return false;
  }
  await_release(STANDIN_KERNELS);
  standin_run(&packet, q->agent);
  end_packet(packet.completion_signal, start);
  return true;
}

static void *process(void *user) {
  fesetenv(FE_DFL_ENV); // a device knows nothing of how the host computes
  struct queue *q = user;
  struct signal *doorbell = signal_of(q->queue.doorbell_signal);
  for (;;) {
    pthread_mutex_lock(&signal_lock);
    while (!q->stop && (q->failed || doorbell->value < (int64_t)q->read))
      pthread_cond_wait(&signal_changed, &signal_lock);
    bool stop = q->stop;
    pthread_mutex_unlock(&signal_lock);
    if (stop)
      return NULL;
    char *slot = (char *)q->queue.base_address + (q->read & (q->queue.size - 1)) * 64;
    uint16_t header = (uint16_t)__atomic_load_n((uint32_t *)(void *)slot, __ATOMIC_ACQUIRE);
    // One thread writes at a time, so the doorbell says that the packet is whole.
    CHECK((header & 0xff) != HSA_PACKET_TYPE_INVALID, "the doorbell rang before the header was written");
    if (!run_packet(q, slot, header)) {
      q->failed = true;
      continue;
    }
    memset(slot, 0xee, 64);
    __atomic_store_n((uint32_t *)(void *)slot, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
    __atomic_add_fetch(&q->read, 1, __ATOMIC_RELEASE);
  }
}

EXPORT hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                     void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                     uint32_t private_size, uint32_t group_size, hsa_queue_t **result) {
  if (standin_fails(__func__))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  CHECK(size && size <= 64 && !(size & (size - 1)), "size %u", size);
  CHECK(callback && private_size == UINT32_MAX && group_size == UINT32_MAX && type == HSA_QUEUE_TYPE_MULTI,
        "arguments");
  struct queue *q = calloc(1, sizeof *q);
  q->queue = (hsa_queue_t){.type = type, .size = size, .base_address = aligned_alloc(64, size * 64)};
  for (uint32_t i = 0; i < size; i++) {
    memset((char *)q->queue.base_address + i * 64, 0xee, 64);
    *(uint32_t *)(void *)((char *)q->queue.base_address + i * 64) = HSA_PACKET_TYPE_INVALID;
  }
  CHECK(!hsa_signal_create(-1, 0, NULL, &q->queue.doorbell_signal), "no doorbell");
  q->agent = agent;
  q->callback = callback;
  q->data = data;
  queues++;
  pthread_create(&q->thread, NULL, process, q);
  *result = &q->queue;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_queue_destroy(hsa_queue_t *queue) {
  struct queue *q = (struct queue *)queue;
  if (standin_is_hung(q->agent))
    standin_hang();
  pthread_mutex_lock(&signal_lock);
  q->stop = true;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
  pthread_join(q->thread, NULL);
  CHECK(q->failed || q->read == q->write, "the queue was destroyed before it was empty");
  hsa_signal_destroy(queue->doorbell_signal);
  free(queue->base_address);
  free(q);
  queues--;
  return HSA_STATUS_SUCCESS;
}

EXPORT uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t *queue, uint64_t value) {
  CHECK(value == 1, "by %llu", (unsigned long long)value);
  return __atomic_fetch_add(&((struct queue *)(uintptr_t)queue)->write, 1, __ATOMIC_RELAXED);
}

EXPORT uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t *queue) {
  return __atomic_load_n(&((struct queue *)(uintptr_t)queue)->read, __ATOMIC_ACQUIRE);
}

// ---- copies

struct copy {
  void *dst;
  const void *src;
  size_t size;
  uint32_t count;
  hsa_signal_t deps[4], done;
  hsa_agent_t agent; // a GPU
};

static void *run_copy(void *user) {
  struct copy *copy = user;
  for (uint32_t i = 0; i < copy->count; i++)
    await_zero(copy->deps[i], NULL);
  if (!standin_copies_end(copy->agent))
    standin_hang();
  struct signal *signal = signal_of(copy->done);
  uint64_t start = now();
  await_release(STANDIN_COPIES);
  bool fails = standin_fails("copy");
  CHECK(standin_block(copy->src, copy->size) && standin_block(copy->dst, copy->size),
        "memory went away before it was copied");
  if (!fails)
    memmove(copy->dst, copy->src, copy->size);
  pthread_mutex_lock(&signal_lock);
  signal->start = start;
  signal->end = now();
  signal->is_copy = true;
  signal->value = fails ? -1 : signal->value - 1;
  pthread_cond_broadcast(&signal_changed);
  pthread_mutex_unlock(&signal_lock);
  free(copy);
  return NULL;
}

static void check_side(const void *address, hsa_agent_t agent, size_t size, uint64_t users) {
  const struct block *block = standin_block(address, size);
  CHECK(block, "%p with %zu bytes is not known", address, size);
  bool on_device = block->pool >= 200;
  CHECK((agent.handle == CPU) == !on_device, "%p is not memory of agent %llu", address,
        (unsigned long long)agent.handle);
  CHECK(!on_device || block->pool == 200 + agent.handle - FIRST_GPU, "%p is memory of another device than %llu",
        address, (unsigned long long)agent.handle);
  CHECK(!(users & ~block->agents), "the copying device cannot reach %p", address);
}

EXPORT hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
                                              size_t size, uint32_t count, const hsa_signal_t *deps,
                                              hsa_signal_t done) {
  if (standin_fails(__func__))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  CHECK(size && count <= 4 && (count == 0) == !deps, "arguments");
  CHECK(dst_agent.handle != CPU || src_agent.handle != CPU, "a copy without a device");
  uint64_t users = dst_agent.handle == CPU ? 0 : UINT64_C(1) << (dst_agent.handle - FIRST_GPU);
  users |= src_agent.handle == CPU ? 0 : UINT64_C(1) << (src_agent.handle - FIRST_GPU); // each must reach both places
  check_side(dst, dst_agent, size, users);
  check_side(src, src_agent, size, users);
  CHECK(get(signal_of(done)) == 1, "completion signal");
  struct copy *copy = calloc(1, sizeof *copy);
  *copy = (struct copy){.dst = dst,
                        .src = src,
                        .size = size,
                        .count = count,
                        .done = done,
                        .agent = dst_agent.handle == CPU ? src_agent : dst_agent};
  for (uint32_t i = 0; i < count; i++)
    copy->deps[i] = deps[i];
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, run_copy, copy), "no thread");
  pthread_detach(thread);
  return HSA_STATUS_SUCCESS;
}

// ---- times

static bool profiling_copies;

EXPORT hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable) {
  CHECK(queue && enable == 1, "arguments");
  return HSA_STATUS_SUCCESS;
}
EXPORT hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  profiling_copies = enable;
  return HSA_STATUS_SUCCESS;
}
EXPORT hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t handle,
                                                        hsa_amd_profiling_dispatch_time_t *time) {
  struct signal *signal = signal_of(handle);
  CHECK(agent.handle >= FIRST_GPU && !signal->is_copy, "no kernel");
  *time = (hsa_amd_profiling_dispatch_time_t){signal->start, signal->end};
  return signal->end ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
}
EXPORT hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t handle,
                                                          hsa_amd_profiling_async_copy_time_t *time) {
  struct signal *signal = signal_of(handle);
  CHECK(profiling_copies, "not enabled");
  *time = (hsa_amd_profiling_async_copy_time_t){signal->start, signal->end};
  return signal->end ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
}
