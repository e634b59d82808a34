// The functions of the stand-in that take time: streams with a thread each, events, copies, launches.
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/cuda/standin.h"

#define STREAM_MAGIC UINT64_C(0x73747265616d2121)
#define EVENT_MAGIC UINT64_C(0x6576656e74212121)

enum op_kind { OP_WRITE, OP_READ, OP_COPY, OP_FILL, OP_LAUNCH, OP_RECORD, OP_WAIT };

struct op {
  struct op *next;
  enum op_kind kind;
  uint64_t dst, src;
  size_t size;
  void *copied; // of host memory that is not pinned
  bool is_pinned;
  unsigned pattern, pattern_size;
  struct kiln_cu_event_data *event;
  uint64_t generation; // of the event
  kiln_cu_function function;
  uint32_t grid[3], block[3], dynamic;
  unsigned char *parameters;
  int src_device, dst_device;
};

struct kiln_cu_stream_data {
  uint64_t magic;
  kiln_cu_context context;
  pthread_t thread;
  struct op *first, *last; // guarded by queue_lock, as is all below
  uint32_t pending;
  bool stop;
  struct kiln_cu_stream_data *next; // of all
};

struct kiln_cu_event_data {
  uint64_t magic;
  kiln_cu_context context;
  uint64_t recorded, done; // generations; guarded by queue_lock
  uint64_t time_ns;
  int users; // commands that are enqueued; it goes with the last one
  bool destroyed;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct kiln_cu_stream_data *streams;
static bool held[STANDIN_KINDS];    // guarded by queue_lock,
static unsigned let[STANDIN_KINDS]; // … as is how many of those that are held may end

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// ---- commands that are held back

EXPORT void standin_hold(enum standin_kind kind, bool hold) {
  pthread_mutex_lock(&queue_lock);
  held[kind] = hold;
  let[kind] = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&queue_lock);
}

EXPORT void standin_let_one_end(enum standin_kind kind) {
  pthread_mutex_lock(&queue_lock);
  let[kind]++;
  pthread_cond_broadcast(&changed);
  while (let[kind]) // otherwise one that is held back later could end in the place of this one
    pthread_cond_wait(&changed, &queue_lock);
  pthread_mutex_unlock(&queue_lock);
}

static void await_release(enum standin_kind kind) {
  pthread_mutex_lock(&queue_lock);
  while (held[kind] && !let[kind])
    pthread_cond_wait(&changed, &queue_lock);
  let[kind] -= let[kind] != 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&queue_lock);
}

// ---- what runs on the device

static void check_device_range(uint64_t address, size_t size, int device) {
  const struct block *block = standin_block(address, size);
  CHECK(block && block->kind != BLOCK_REGISTERED && block->kind != BLOCK_PINNED,
        "%p with %zu bytes is no memory of a device", (void *)(uintptr_t)address, size);
  CHECK(block->device == device, "%p is memory of device %d, not %d", (void *)(uintptr_t)address, block->device,
        device);
}

static void check_host_range(const struct op *op, uint64_t address) {
  const struct block *block = standin_block(address, op->size);
  CHECK(!op->is_pinned || (block && (block->kind == BLOCK_PINNED || block->kind == BLOCK_REGISTERED)),
        "host memory at %p is not pinned any more", (void *)(uintptr_t)address);
}

static kiln_cu_result run_copy(const struct op *op) {
  await_release(STANDIN_COPIES);
  kiln_cu_result failure = standin_fails("copy", KILN_CU_ILLEGAL_ADDRESS);
  if (failure != KILN_CU_SUCCESS)
    return failure;
  pthread_mutex_lock(&standin_lock);
  if (op->kind == OP_READ)
    check_host_range(op, op->dst);
  else
    check_device_range(op->dst, op->size, op->dst_device);
  if (op->kind == OP_WRITE && !op->copied)
    check_host_range(op, op->src);
  else if (op->kind == OP_READ || op->kind == OP_COPY)
    check_device_range(op->src, op->size, op->src_device);
  char *dst = (char *)(uintptr_t)op->dst;
  if (op->kind == OP_FILL)
    for (size_t i = 0; i < op->size; i += op->pattern_size)
      memcpy(dst + i, &op->pattern, op->pattern_size); // little-endian
  else
    memcpy(dst, op->copied ? op->copied : (const void *)(uintptr_t)op->src, op->size);
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

static kiln_cu_result result_of(enum ptx_kind kind) {
  switch (kind) {
  case PTX_ADDRESS:
    return KILN_CU_ILLEGAL_ADDRESS;
  case PTX_MISALIGNED:
    return KILN_CU_MISALIGNED_ADDRESS;
  case PTX_TRAP:
    return KILN_CU_LAUNCH_FAILED;
  case PTX_OK:
  case PTX_SYNTAX:
  case PTX_UNKNOWN_OPERATION:
  case PTX_TOO_NEW:
  case PTX_BAD_LAUNCH:
  case PTX_DEADLOCK:
  case PTX_TIMEOUT:
  case PTX_MISUSE:
  case PTX_NO_MEMORY:
    break;
  }
  return KILN_CU_UNKNOWN;
}

static kiln_cu_result run_launch(kiln_cu_context context, const struct op *op) {
  if (standin_fails("endless", KILN_CU_UNKNOWN))
    for (;;)
      pause();
  await_release(STANDIN_KERNELS);
  kiln_cu_result failure = standin_fails("fault", KILN_CU_ILLEGAL_ADDRESS);
  if (failure != KILN_CU_SUCCESS)
    return failure;
  const struct ptx_entry *entry = op->function->entry;
  struct ptx_launch launch = {.dynamic_shared_bytes = op->dynamic,
                              .parameters = op->parameters,
                              .parameter_bytes = entry->parameter_bytes,
                              .memory = context->memory,
                              .sm = (uint32_t)standin.sm[context->device],
                              .seed = standin.seed,
                              .rounds_approximations = standin.rounds};
  memcpy(launch.grid, op->grid, sizeof launch.grid);
  memcpy(launch.block, op->block, sizeof launch.block);
  struct ptx_error error = {0};
  pthread_mutex_lock(&standin_lock);
  bool good = ptx_run(op->function->module->ptx, entry, &launch, &error);
  pthread_mutex_unlock(&standin_lock);
  if (good)
    return KILN_CU_SUCCESS;
  if (standin.log)
    fprintf(standin.log, "cuda stand-in: %s\n", error.text), fflush(standin.log);
  kiln_cu_result result = result_of(error.kind);
  CHECK(result != KILN_CU_UNKNOWN, "%s", error.text);
  return result;
}

// ---- events

static void drop_event(struct kiln_cu_event_data *event) { // queue_lock is held
  if (!event->destroyed || event->users)
    return;
  event->magic = 0;
  free(event);
}

static void run_record(const struct op *op) { // queue_lock is held: the event has come when the command has ended
  op->event->time_ns = now();
  op->event->done = op->generation;
  op->event->users--;
  drop_event(op->event);
}

static bool is_sticky(kiln_cu_context context) { return __atomic_load_n(&context->sticky, __ATOMIC_ACQUIRE); }

static void run_wait(const struct op *op, const struct kiln_cu_stream_data *stream) {
  pthread_mutex_lock(&queue_lock);
  while (op->event->done < op->generation && !stream->stop && !is_sticky(op->event->context))
    pthread_cond_wait(&changed, &queue_lock);
  op->event->users--;
  drop_event(op->event);
  pthread_mutex_unlock(&queue_lock);
}

// ---- streams

static void run(struct kiln_cu_stream_data *stream, const struct op *op) {
  kiln_cu_result result = KILN_CU_SUCCESS;
  if (op->kind == OP_WAIT)
    run_wait(op, stream);
  else if (!is_sticky(stream->context))
    result = op->kind == OP_LAUNCH ? run_launch(stream->context, op) : run_copy(op);
  if (result == KILN_CU_SUCCESS)
    return;
  kiln_cu_result none = KILN_CU_SUCCESS;
  __atomic_compare_exchange_n(&stream->context->sticky, &none, result, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void *process(void *user) {
  fesetenv(FE_DFL_ENV); // a device knows nothing of how the host computes
  struct kiln_cu_stream_data *stream = user;
  pthread_mutex_lock(&queue_lock);
  for (;;) {
    while (!stream->first && !stream->stop)
      pthread_cond_wait(&changed, &queue_lock);
    struct op *op = stream->first;
    if (!op)
      break;
    if (op->kind == OP_RECORD) {
      run_record(op);
    } else {
      pthread_mutex_unlock(&queue_lock);
      run(stream, op);
      pthread_mutex_lock(&queue_lock);
    }
    stream->first = op->next;
    if (!stream->first)
      stream->last = NULL;
    stream->pending--;
    free(op->copied);
    free(op->parameters);
    free(op);
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&queue_lock);
  return NULL;
}

static void check_stream(kiln_cu_stream stream, kiln_cu_context context) {
  CHECK(stream && stream->magic == STREAM_MAGIC, "no stream");
  CHECK(stream->context == context, "the stream's context is not current");
}

static void enqueue(kiln_cu_stream stream, struct op op) {
  struct op *copy = malloc(sizeof *copy);
  *copy = op;
  pthread_mutex_lock(&queue_lock);
  if (stream->last)
    stream->last->next = copy;
  else
    stream->first = copy;
  stream->last = copy;
  stream->pending++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&queue_lock);
}

static void await_stream(kiln_cu_stream stream) {
  pthread_mutex_lock(&queue_lock);
  while (stream->pending && !is_sticky(stream->context))
    pthread_cond_wait(&changed, &queue_lock);
  pthread_mutex_unlock(&queue_lock);
}

void standin_await_context(kiln_cu_context context) {
  pthread_mutex_lock(&queue_lock);
  for (bool busy = true; busy && !is_sticky(context);) {
    busy = false;
    for (const struct kiln_cu_stream_data *stream = streams; stream; stream = stream->next)
      busy |= stream->context == context && stream->pending;
    if (busy)
      pthread_cond_wait(&changed, &queue_lock);
  }
  pthread_mutex_unlock(&queue_lock);
}

EXPORT kiln_cu_result cuStreamCreate(kiln_cu_stream *out, unsigned flags) {
  ENTER(KILN_CU_INVALID_VALUE);
  CHECK(flags == KILN_CU_STREAM_NON_BLOCKING, "the stream waits for the legacy default stream");
  struct kiln_cu_stream_data *stream = calloc(1, sizeof *stream);
  *stream = (struct kiln_cu_stream_data){.magic = STREAM_MAGIC, .context = context};
  pthread_mutex_lock(&queue_lock);
  stream->next = streams;
  streams = stream;
  context->streams++;
  pthread_mutex_unlock(&queue_lock);
  CHECK(!pthread_create(&stream->thread, NULL, process, stream), "no thread");
  *out = stream;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuStreamDestroy_v2(kiln_cu_stream stream) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_stream(stream, context);
  pthread_mutex_lock(&queue_lock);
  CHECK(!stream->pending, "%u commands of the stream have not ended", stream->pending);
  stream->stop = true;
  struct kiln_cu_stream_data **at = &streams;
  while (*at != stream)
    at = &(*at)->next;
  *at = stream->next;
  context->streams--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&queue_lock);
  pthread_join(stream->thread, NULL);
  stream->magic = 0;
  free(stream);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuStreamQuery(kiln_cu_stream stream) {
  ENTER(KILN_CU_INVALID_VALUE);
  pthread_mutex_lock(&queue_lock);
  const struct kiln_cu_stream_data *known = streams;
  while (known && known != stream)
    known = known->next;
  uint32_t pending = known ? stream->pending : 0;
  pthread_mutex_unlock(&queue_lock);
  if (is_sticky(context)) // by now
    return context->sticky;
  return !known || known->context != context ? 400 : pending ? KILN_CU_NOT_READY : KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuStreamSynchronize(kiln_cu_stream stream) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_stream(stream, context);
  await_stream(stream);
  return __atomic_load_n(&context->sticky, __ATOMIC_ACQUIRE);
}

// ---- events

static void check_event(kiln_cu_event event) { CHECK(event && event->magic == EVENT_MAGIC, "no event"); }

EXPORT kiln_cu_result cuEventCreate(kiln_cu_event *out, unsigned flags) {
  ENTER(KILN_CU_INVALID_VALUE);
  CHECK(!flags, "events need times");
  struct kiln_cu_event_data *event = calloc(1, sizeof *event);
  *event = (struct kiln_cu_event_data){.magic = EVENT_MAGIC, .context = context};
  __atomic_add_fetch(&context->events, 1, __ATOMIC_RELAXED);
  *out = event;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuEventDestroy_v2(kiln_cu_event event) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_event(event);
  CHECK(!event->destroyed, "twice");
  pthread_mutex_lock(&queue_lock);
  event->destroyed = true;
  __atomic_sub_fetch(&event->context->events, 1, __ATOMIC_RELAXED);
  drop_event(event);
  pthread_mutex_unlock(&queue_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuEventRecord(kiln_cu_event event, kiln_cu_stream stream) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_stream(stream, context);
  check_event(event);
  CHECK(event->context == context, "the event is another context's");
  pthread_mutex_lock(&queue_lock);
  CHECK(event->done == event->recorded, "the event is recorded again before it has come");
  uint64_t generation = ++event->recorded;
  event->users++;
  pthread_mutex_unlock(&queue_lock);
  enqueue(stream, (struct op){.kind = OP_RECORD, .event = event, .generation = generation});
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuStreamWaitEvent(kiln_cu_stream stream, kiln_cu_event event, unsigned flags) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_stream(stream, context);
  check_event(event);
  CHECK(!flags, "flags");
  pthread_mutex_lock(&queue_lock);
  CHECK(event->recorded, "the event was never recorded: nothing is waited for");
  uint64_t generation = event->recorded;
  event->users++;
  pthread_mutex_unlock(&queue_lock);
  enqueue(stream, (struct op){.kind = OP_WAIT, .event = event, .generation = generation});
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuEventQuery(kiln_cu_event event) {
  ENTER(KILN_CU_INVALID_VALUE);
  (void)context;
  check_event(event);
  pthread_mutex_lock(&queue_lock);
  bool done = event->done == event->recorded;
  pthread_mutex_unlock(&queue_lock);
  if (is_sticky(event->context))
    return event->context->sticky;
  return done ? KILN_CU_SUCCESS : KILN_CU_NOT_READY;
}

EXPORT kiln_cu_result cuEventElapsedTime(float *ms, kiln_cu_event start, kiln_cu_event end) {
  ENTER(KILN_CU_INVALID_VALUE);
  (void)context;
  check_event(start);
  check_event(end);
  CHECK(start->context == end->context, "events of two contexts");
  pthread_mutex_lock(&queue_lock);
  CHECK(start->recorded && end->recorded, "an event that was never recorded");
  bool done = start->done == start->recorded && end->done == end->recorded;
  *ms = (float)((double)((int64_t)end->time_ns - (int64_t)start->time_ns) / 1e6);
  pthread_mutex_unlock(&queue_lock);
  return done ? KILN_CU_SUCCESS : KILN_CU_NOT_READY;
}

// ---- copies

#define COPY(what)                                                                                                     \
  ENTER(KILN_CU_INVALID_VALUE);                                                                                        \
  check_stream(stream, context);                                                                                       \
  CHECK(size, "no bytes");                                                                                             \
  struct op op = {.kind = what, .size = size, .src_device = context->device, .dst_device = context->device}

EXPORT kiln_cu_result cuMemcpyHtoDAsync_v2(kiln_cu_pointer dst, const void *src, size_t size, kiln_cu_stream stream) {
  COPY(OP_WRITE);
  op.dst = dst;
  op.src = (uintptr_t)src;
  op.is_pinned = standin_is_pinned(src, size);
  if (!op.is_pinned)
    op.copied = memcpy(malloc(size), src, size);
  enqueue(stream, op);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemcpyDtoHAsync_v2(void *dst, kiln_cu_pointer src, size_t size, kiln_cu_stream stream) {
  COPY(OP_READ);
  op.dst = (uintptr_t)dst;
  op.src = src;
  op.is_pinned = standin_is_pinned(dst, size);
  enqueue(stream, op);
  if (!op.is_pinned)
    await_stream(stream);
  return is_sticky(context) ? context->sticky : KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemcpyDtoDAsync_v2(kiln_cu_pointer dst, kiln_cu_pointer src, size_t size,
                                           kiln_cu_stream stream) {
  COPY(OP_COPY);
  op.dst = dst;
  op.src = src;
  enqueue(stream, op);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemcpyPeerAsync(kiln_cu_pointer dst, kiln_cu_context dst_context, kiln_cu_pointer src,
                                        kiln_cu_context src_context, size_t size, kiln_cu_stream stream) {
  COPY(OP_COPY);
  CHECK(dst_context->magic == CONTEXT_MAGIC && src_context->magic == CONTEXT_MAGIC, "no contexts");
  op.dst = dst;
  op.src = src;
  op.dst_device = dst_context->device;
  op.src_device = src_context->device;
  enqueue(stream, op);
  return KILN_CU_SUCCESS;
}

static kiln_cu_result fill(const char *function, kiln_cu_pointer dst, unsigned value, unsigned bytes, size_t count,
                           kiln_cu_stream stream) {
  kiln_cu_result failure;
  kiln_cu_context context = standin_enter(function, KILN_CU_INVALID_VALUE, &failure);
  if (!context)
    return failure;
  check_stream(stream, context);
  CHECK(count && dst % bytes == 0, "%zu elements at %p", count, (void *)(uintptr_t)dst);
  enqueue(stream, (struct op){.kind = OP_FILL,
                              .dst = dst,
                              .size = count * bytes,
                              .pattern = value,
                              .pattern_size = bytes,
                              .dst_device = context->device});
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemsetD8Async(kiln_cu_pointer dst, unsigned char value, size_t count, kiln_cu_stream stream) {
  return fill(__func__, dst, value, 1, count, stream);
}
EXPORT kiln_cu_result cuMemsetD16Async(kiln_cu_pointer dst, unsigned short value, size_t count, kiln_cu_stream stream) {
  return fill(__func__, dst, value, 2, count, stream);
}
EXPORT kiln_cu_result cuMemsetD32Async(kiln_cu_pointer dst, unsigned value, size_t count, kiln_cu_stream stream) {
  return fill(__func__, dst, value, 4, count, stream);
}

// ---- launches

static void check_sizes(const struct op *op, int sm) {
  const struct ptx_entry *entry = op->function->entry;
  uint64_t items = (uint64_t)op->block[0] * op->block[1] * op->block[2];
  const uint32_t *most = entry->max_threads, *need = entry->need_threads;
  CHECK(op->grid[0] && op->grid[1] && op->grid[2] && items, "empty");
  CHECK(op->grid[0] <= 0x7fffffff && op->grid[1] <= 65535 && op->grid[2] <= 65535, "%u x %u x %u blocks", op->grid[0],
        op->grid[1], op->grid[2]);
  CHECK(items <= 1024 && op->block[2] <= 64, "blocks of %u x %u x %u", op->block[0], op->block[1], op->block[2]);
  CHECK(!most[0] || items <= (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1),
        "blocks of %llu are more than .maxntid", (unsigned long long)items);
  CHECK(!need[0] || (op->block[0] == need[0] && op->block[1] == (need[1] ? need[1] : 1) &&
                     op->block[2] == (need[2] ? need[2] : 1)),
        "blocks of %u x %u x %u are not .reqntid", op->block[0], op->block[1], op->block[2]);
  CHECK(op->dynamic <= op->function->max_dynamic, "%u bytes of dynamic shared memory; %u are allowed", op->dynamic,
        op->function->max_dynamic);
  CHECK(op->dynamic + entry->shared_bytes <= standin_shared_bytes(sm), "too much shared memory");
}

EXPORT kiln_cu_result cuLaunchKernel(kiln_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     kiln_cu_stream stream, void **parameters, void **extra) {
  ENTER(KILN_CU_LAUNCH_OUT_OF_RESOURCES);
  check_stream(stream, context);
  CHECK(function && function->magic == FUNCTION_MAGIC && function->module->context == context,
        "no function of the context");
  CHECK(function->loaded, "the launch has to load the function");
  const struct ptx_entry *entry = function->entry;
  CHECK(!extra && (parameters || !entry->parameter_count), "parameters");
  struct op op = {.kind = OP_LAUNCH,
                  .function = function,
                  .grid = {grid_x, grid_y, grid_z},
                  .block = {block_x, block_y, block_z},
                  .dynamic = shared};
  check_sizes(&op, standin.sm[context->device]);
  op.parameters = calloc(1, entry->parameter_bytes + 1);
  for (uint32_t i = 0; i < entry->parameter_count; i++) {
    CHECK(parameters[i], "parameter %u", i);
    memcpy(op.parameters + entry->parameters[i].offset, parameters[i], entry->parameters[i].size);
  }
  enqueue(stream, op);
  return KILN_CU_SUCCESS;
}
