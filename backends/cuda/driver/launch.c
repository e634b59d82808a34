// Launches: their arguments and hidden blocks (docs/cuda.md), and the pieces that they are cut into.
#include <stdlib.h>
#include <string.h>

#include "backends/common/local_size.h"
#include "backends/cuda/driver/driver.h"

#define LOCAL_ALIGN 128 // of the arguments that are local memory
#define VALUE_ALIGN 16
#define COMMON_ITEMS (UINT64_C(1) << 31) // of a common launch, in each dimension
#define MAX_X 0x7fffffffu                // blocks of a launch of CUDA's
#define MAX_YZ 65535u
#define MAX_BLOCK_Z 64
#define MAX_PIECES 65536u
#define USUAL_ITEMS 256 // of a group, where the launch does not say

// ---- sizes

static uint64_t group_limit(const struct kiln_drv *drv, const struct kiln_drv_kernel *kernel) {
  uint64_t limit = kernel->meta->max_group_size ? kernel->meta->max_group_size : 1024;
  for (uint32_t i = 0; i < drv->device_count; i++) {
    uint64_t items = kernel->entries[i].max_group_size;
    limit = items && items < limit ? items : limit;
  }
  return limit;
}

static void settle_local(const struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc, uint64_t local[3]) {
  static const uint64_t most[3] = {1024, 1024, MAX_BLOCK_Z};
  uint64_t limit = group_limit(drv, desc->kernel);
  memcpy(local, desc->local, 3 * sizeof *local);
  if (desc->local_free)
    kiln_choose_local_size(desc->global, limit < USUAL_ITEMS ? limit : USUAL_ITEMS, most, local);
}

static uint64_t groups_of(uint64_t global, uint64_t local) { return global / local + (global % local != 0); }

// What the kernel that is compiled first runs.
static bool is_common(const struct kiln_drv_launch_desc *desc, const uint64_t local[3]) {
  for (int d = 0; d < 3; d++)
    if (desc->offset[d] || desc->global[d] % local[d] || desc->global[d] > COMMON_ITEMS ||
        desc->global[d] / local[d] > (d ? MAX_YZ : MAX_X))
      return false;
  return true;
}

struct kiln_variant kiln_cuda_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc) {
  static const char *const options[2][2] = {{NULL, "--kiln-max-group-size=1024"},
                                            {"--kiln-launches=any", "--kiln-launches=any --kiln-max-group-size=1024"}};
  const struct kiln_cuda_meta_kernel *meta = desc->kernel->meta;
  uint64_t local[3], limit = meta->max_group_size;
  settle_local(drv, desc, local);
  bool any = !(meta->flags & KILN_CUDA_KERNEL_ANY) && !is_common(desc, local);
  bool large = limit && local[0] * local[1] * local[2] > limit;
  return (struct kiln_variant){.options = options[any][large]};
}

static enum kiln_status check_sizes(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                    const uint64_t local[3], struct kiln_report *report) {
  const struct kiln_drv_kernel *kernel = desc->kernel;
  uint64_t limit = group_limit(drv, kernel), items = 1;
  for (int d = 0; d < 3; d++) {
    if (groups_of(desc->global[d], local[d]) > UINT32_MAX)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s': %llu work-groups in dimension %d; %llu are possible",
                       kernel->name, (unsigned long long)groups_of(desc->global[d], local[d]), d,
                       (unsigned long long)UINT32_MAX);
    items = local[d] > limit ? limit + 1 : items * local[d];
    if (items > limit)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                       "'%s': work-groups of %llu x %llu x %llu are more than the %llu work-items that it can have "
                       "(--kiln-max-group-size, or reqd_work_group_size in the source)",
                       kernel->name, (unsigned long long)local[0], (unsigned long long)local[1],
                       (unsigned long long)local[2], (unsigned long long)limit);
  }
  if (local[2] > MAX_BLOCK_Z)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "'%s': work-groups of %llu work-items in dimension 2; %d are possible", kernel->name,
                     (unsigned long long)local[2], MAX_BLOCK_Z);
  if (!(kernel->meta->flags & KILN_CUDA_KERNEL_ANY) && !is_common(desc, local))
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "'%s' is not compiled for launches with an offset, partial groups or so many groups "
                     "(--kiln-launches=any)",
                     kernel->name);
  return KILN_OK;
}

// ---- pieces

struct segments { // of a dimension: full groups as far as the hardware allows them in one launch, and a partial one
  uint64_t full, most, local, rest;
};

static uint64_t segment_count(const struct segments *s) {
  return s->full / s->most + (s->full % s->most != 0) + (s->rest != 0);
}

static void put_segment(const struct segments *s, uint64_t number, unsigned d, struct kiln_cuda_piece *piece) {
  uint64_t base = number * s->most;
  bool is_partial = base >= s->full;
  uint64_t left = s->full - (is_partial ? s->full : base);
  piece->hidden.group_base[d] = (uint32_t)(is_partial ? s->full : base);
  piece->groups[d] = (uint32_t)(is_partial ? 1 : left < s->most ? left : s->most);
  piece->block[d] = (uint32_t)(is_partial ? s->rest : s->local);
}

// The segments of a launch; returns how many pieces they make.
static uint64_t cut(const struct kiln_drv_launch_desc *desc, const uint64_t local[3], struct segments s[3]) {
  uint64_t count = 1;
  for (unsigned d = 0; d < 3; d++) {
    s[d] = (struct segments){desc->global[d] / local[d], d ? MAX_YZ : MAX_X, local[d], desc->global[d] % local[d]};
    count *= segment_count(&s[d]);
  }
  return count;
}

static void put_pieces(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                       const struct segments s[3]) {
  struct kiln_cuda_hidden hidden = {.work_dim = desc->work_dim};
  for (unsigned d = 0; d < 3; d++) {
    hidden.offset[d] = desc->offset[d];
    hidden.num_groups[d] = (uint32_t)(s[d].full + (s[d].rest != 0));
    hidden.full_size[d] = (uint32_t)s[d].local;
    hidden.global_size[d] = desc->global[d];
  }
  for (uint32_t i = 0; i < launch->piece_count; i++) {
    launch->pieces[i].hidden = hidden;
    uint64_t rest = i;
    for (unsigned d = 0; d < 3; d++) {
      put_segment(&s[d], rest % segment_count(&s[d]), d, &launch->pieces[i]);
      rest /= segment_count(&s[d]);
    }
  }
}

// ---- arguments

static size_t slot_bytes(const struct kiln_drv_arg *arg) {
  size_t size = arg->kind == KILN_ARG_VALUE ? arg->size : sizeof(uint64_t);
  return (size + VALUE_ALIGN - 1) / VALUE_ALIGN * VALUE_ALIGN;
}

static enum kiln_status put_local(struct kiln_drv_launch *launch, const struct kiln_drv_arg *arg, uint64_t *used,
                                  unsigned char *slot, struct kiln_report *report) {
  *used = (*used + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
  uint32_t at = (uint32_t)*used;
  memcpy(slot, &at, sizeof at);
  *used = arg->size > UINT32_MAX ? UINT32_MAX : *used + arg->size;
  return *used < UINT32_MAX ? KILN_OK
                            : kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s' is launched with %zu bytes of local memory",
                                        launch->kernel->name, arg->size);
}

static bool is_dynamic(const struct kiln_drv_kernel *kernel) { return kernel->meta->flags & KILN_CUDA_KERNEL_DYNAMIC; }

static enum kiln_status put_args(struct kiln_drv_launch *launch, const struct kiln_drv_launch_desc *desc,
                                 struct kiln_report *report) {
  size_t count = launch->parameter_count;
  unsigned char *slot = launch->arguments;
  uint64_t used = is_dynamic(desc->kernel) ? desc->kernel->meta->local_bytes : 0, address;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < desc->arg_count && !status; i++) {
    const struct kiln_drv_arg *arg = &desc->args[i];
    switch (arg->kind) {
    case KILN_ARG_VALUE:
      memcpy(slot, arg->data, arg->size);
      break;
    case KILN_ARG_BUFFER:
      address = arg->memory ? arg->memory->address + arg->offset : (uint64_t)(uintptr_t)arg->data;
      memcpy(slot, &address, sizeof address);
      break;
    case KILN_ARG_LOCAL:
      status = put_local(launch, arg, &used, slot, report);
      break;
    case KILN_ARG_IMAGE: // drivers get buffers and values in their place
    case KILN_ARG_SAMPLER:
      break;
    }
    launch->parameters[i] = slot;
    slot += slot_bytes(arg);
  }
  launch->dynamic_shared = (uint32_t)used;
  for (uint32_t p = 0; p < launch->piece_count; p++) {
    memcpy(launch->parameters + p * count, launch->parameters, (count - 1) * sizeof *launch->parameters);
    launch->parameters[p * count + count - 1] = &launch->pieces[p].hidden;
  }
  return status;
}

static enum kiln_status check_local(struct kiln_drv *drv, const struct kiln_drv_launch *launch,
                                    struct kiln_report *report) {
  uint64_t bytes = launch->dynamic_shared;
  if (!is_dynamic(launch->kernel))
    bytes += launch->kernel->meta->local_bytes;
  for (uint32_t i = 0; i < drv->device_count; i++)
    if (bytes > drv->devices[i].shared_bytes)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s' needs %llu bytes of local memory; %s has %u",
                       launch->kernel->name, (unsigned long long)bytes, drv->devices[i].name,
                       (unsigned)drv->devices[i].shared_bytes);
  return KILN_OK;
}

// A launch with room for its pieces, for the pointers to its parameters, and for its arguments. NULL: no memory.
static struct kiln_drv_launch *new_launch(const struct kiln_drv_launch_desc *desc, uint32_t pieces) {
  struct kiln_drv_launch *launch = NULL;
  size_t count = desc->arg_count + (size_t)1, bytes = 0;
  for (uint32_t i = 0; i < desc->arg_count; i++)
    bytes += slot_bytes(&desc->args[i]);
  size_t head = (sizeof *launch + VALUE_ALIGN - 1) / VALUE_ALIGN * VALUE_ALIGN;
  size_t body = bytes + pieces * sizeof *launch->pieces + pieces * count * sizeof *launch->parameters;
  launch = calloc(1, head + body);
  if (!launch)
    return NULL;
  launch->arguments = (unsigned char *)launch + head;
  launch->pieces = (void *)(launch->arguments + bytes);
  launch->parameters = (void *)(launch->pieces + pieces);
  launch->piece_count = pieces;
  launch->parameter_count = (uint32_t)count;
  launch->kernel = desc->kernel;
  launch->refs = 1;
  return launch;
}

enum kiln_status kiln_cuda_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                   struct kiln_drv_launch **out, struct kiln_report *report) {
  uint64_t local[3];
  struct segments segments[3];
  settle_local(drv, desc, local);
  enum kiln_status status = check_sizes(drv, desc, local, report);
  if (status)
    return status;
  uint64_t pieces = cut(desc, local, segments);
  if (pieces > MAX_PIECES)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s': the launch would be %llu launches of CUDA's; %u are possible",
                     desc->kernel->name, (unsigned long long)pieces, MAX_PIECES);
  struct kiln_drv_launch *launch = new_launch(desc, (uint32_t)pieces);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch of '%s'", desc->kernel->name);
  put_pieces(launch, desc, segments);
  status = put_args(launch, desc, report);
  if (!status)
    status = check_local(drv, launch, report);
  if (status)
    kiln_cuda_launch_release(drv, launch);
  else
    *out = launch;
  return status;
}

void kiln_cuda_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch) {
  (void)drv;
  if (!__atomic_sub_fetch(&launch->refs, 1, __ATOMIC_ACQ_REL))
    free(launch);
}

// ---- running

kiln_cu_result kiln_cuda_submit_launch(struct kiln_drv_stream *stream, struct kiln_drv_event *event) {
  const struct kiln_drv_launch *launch = event->launch;
  kiln_cu_function function = launch->kernel->entries[stream->device - stream->drv->devices].function;
  kiln_cu_result result = KILN_CU_SUCCESS;
  for (uint32_t i = 0; i < launch->piece_count && result == KILN_CU_SUCCESS; i++) {
    const struct kiln_cuda_piece *p = &launch->pieces[i];
    result = stream->drv->cuda.launch(function, p->groups[0], p->groups[1], p->groups[2], p->block[0], p->block[1],
                                      p->block[2], launch->dynamic_shared, stream->handle,
                                      launch->parameters + (size_t)i * launch->parameter_count, NULL);
  }
  return result;
}

static enum kiln_status enqueue(struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                struct kiln_drv_event **out, struct kiln_report *report) {
  struct kiln_drv_event *event = kiln_cuda_event_new(stream, KILN_CUDA_LAUNCH);
  if (!event)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for an event");
  __atomic_add_fetch(&launch->refs, 1, __ATOMIC_RELAXED);
  event->launch = launch;
  return kiln_cuda_enqueue(stream, event, out, report);
}

// A kernel that may print, or fail by itself, has ended.
static enum kiln_status print(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                              const struct kiln_drv_kernel *kernel, struct kiln_report *report) {
  char message[KILN_CUDA_MESSAGE];
  bool failed;
  enum kiln_status status = kiln_cuda_print_end(drv, stream->device, kernel, &failed, message, report);
  if (failed)
    kiln_cuda_fail_ended(stream, event, message);
  return status;
}

// A kernel that may print runs alone, and its text is out when this returns.
static enum kiln_status launch_printing(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                        struct kiln_drv_launch *launch, struct kiln_drv_event **out,
                                        struct kiln_report *report) {
  struct kiln_drv_event *event = NULL;
  if (kiln_cuda_is_kept(stream))
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "'%s' prints, and its stream waits for an event of the host, which is not signalled",
                     launch->kernel->name);
  pthread_mutex_lock(&drv->print_lock);
  enum kiln_status status = kiln_cuda_print_begin(drv, stream->device, report);
  if (!status) {
    for (uint32_t p = 0; p < launch->piece_count; p++)
      launch->pieces[p].hidden.print_buffer = stream->device->print_buffer;
    status = enqueue(stream, launch, &event, report);
  }
  if (!status) {
    bool ended = kiln_cuda_event_wait(drv, event, NULL) == KILN_OK;
    if (event->lost)
      stream->device->print_buffer = 0; // the kernel may still write to it
    if (ended)
      status = print(drv, stream, event, launch->kernel, report);
    if (out && !status)
      *out = event;
    else
      kiln_cuda_event_release(drv, event);
  }
  pthread_mutex_unlock(&drv->print_lock);
  return status;
}

enum kiln_status kiln_cuda_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report) {
  if (launch->kernel->meta->flags & KILN_CUDA_KERNEL_PRINTS)
    return launch_printing(drv, stream, launch, event, report);
  return enqueue(stream, launch, event, report);
}
