// Launches: the argument block, laid out as the code object's metadata says, the dispatch packet, and enqueueing it.
#include <stdlib.h>
#include <string.h>

#include "backends/common/local_size.h"
#include "backends/rocm/code/implicit.h"
#include "backends/rocm/driver/driver.h"
#include "backends/rocm/driver/exports.h"

#define KERNARG_ALIGN 64

static void put(unsigned char *block, const struct kiln_rocm_arg *arg, uint64_t value) {
  memcpy(block + arg->offset, &value, arg->size < 8 ? arg->size : 8);
}

// The implicit arguments that the kernel has, by the names of their kinds; those that are not here stay 0.
static void put_hidden(unsigned char *block, const struct kiln_rocm_arg *arg, const struct kiln_drv_launch_desc *desc,
                       const uint64_t local[3], uint32_t dynamic_local) {
  static const char *const axes = "xyz";
  const char *name = arg->value_kind + strlen("hidden_");
  size_t length = strlen(name);
  const char *axis = length ? strchr(axes, name[length - 1]) : NULL;
  unsigned d = axis && *axis ? (unsigned)(axis - axes) : 0;
  if (!strncmp(name, "block_count_", 12))
    put(block, arg, desc->global[d] / local[d]);
  else if (!strncmp(name, "group_size_", 11))
    put(block, arg, local[d]);
  else if (!strncmp(name, "remainder_", 10))
    put(block, arg, desc->global[d] % local[d]);
  else if (!strncmp(name, "global_offset_", 14))
    put(block, arg, desc->offset[d]);
  else if (!strcmp(name, "grid_dims"))
    put(block, arg, desc->work_dim);
  else if (!strcmp(name, "dynamic_lds_size"))
    put(block, arg, dynamic_local);
}

static enum kiln_status put_args(unsigned char *block, const struct kiln_drv_launch_desc *desc, const uint64_t local[3],
                                 uint32_t *dynamic_local, struct kiln_report *report) {
  const struct kiln_rocm_kernel *code = desc->kernel->code;
  uint64_t used = code->local_bytes;
  uint32_t given = 0;
  for (uint32_t i = 0; i < code->arg_count && given < desc->arg_count; i++) {
    const struct kiln_rocm_arg *arg = &code->args[i];
    if (arg->kind == KILN_ROCM_ARG_HIDDEN)
      continue;
    const struct kiln_drv_arg *from = &desc->args[given++];
    if (arg->offset > code->kernarg_bytes || arg->size > code->kernarg_bytes - arg->offset)
      return kiln_fail(report, KILN_ERR_DEVICE, "argument %u of '%s' is outside of the block", i, code->name);
    switch (from->kind) {
    case KILN_ARG_VALUE:
      memcpy(block + arg->offset, from->data, from->size < arg->size ? from->size : arg->size);
      break;
    case KILN_ARG_BUFFER:
      put(block, arg,
          from->memory ? (uint64_t)(uintptr_t)from->memory->address + from->offset : (uint64_t)(uintptr_t)from->data);
      break;
    case KILN_ARG_LOCAL: { // an offset in local memory, after what the kernel has by itself
      uint64_t align = arg->pointee_align > 16 ? arg->pointee_align : 16;
      used = (used + align - 1) / align * align;
      put(block, arg, used);
      used += from->size;
      break;
    }
    case KILN_ARG_IMAGE: // drivers get buffers and values in their place
    case KILN_ARG_SAMPLER:
      break;
    }
    if (used > UINT32_MAX)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s' is launched with %llu bytes of local memory", code->name,
                       (unsigned long long)used);
  }
  *dynamic_local = (uint32_t)used - code->local_bytes;
  for (uint32_t i = 0; i < code->arg_count; i++)
    if (code->args[i].kind == KILN_ROCM_ARG_HIDDEN && code->args[i].size <= 8 &&
        code->args[i].offset + code->args[i].size <= code->kernarg_bytes)
      put_hidden(block, &code->args[i], desc, local, *dynamic_local);
  return KILN_OK;
}

// Kernels that do not limit their groups are compiled for small ones, which leaves each work-item more registers.
struct kiln_variant kiln_rocm_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc) {
  (void)drv;
  uint32_t limit = desc->kernel->code->max_group_size;
  bool fits = desc->local_free || !limit || desc->local[0] * desc->local[1] * desc->local[2] <= limit;
  return (struct kiln_variant){.options = fits ? NULL : "--kiln-max-group-size=1024"};
}

static enum kiln_status check_sizes(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc, uint64_t local[3],
                                    struct kiln_report *report) {
  const struct kiln_rocm_kernel *code = desc->kernel->code;
  uint64_t limit = code->max_group_size ? code->max_group_size : 1024, items = 1;
  for (uint32_t i = 0; i < drv->device_count; i++)
    limit = drv->devices[i].max_group_size < limit ? drv->devices[i].max_group_size : limit;
  memcpy(local, desc->local, 3 * sizeof *local);
  if (desc->local_free)
    kiln_choose_local_size(desc->global, limit < 256 ? limit : 256, (const uint64_t[]){limit, limit, limit}, local);
  for (int d = 0; d < 3; d++) {
    if (desc->global[d] > UINT32_MAX)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s': a global size of %llu is more than AMD GPUs can run",
                       code->name, (unsigned long long)desc->global[d]);
    items = local[d] > limit ? limit + 1 : items * local[d];
    if (items > limit)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                       "'%s': work-groups of %llu x %llu x %llu are more than the %llu work-items that it is compiled "
                       "for (--kiln-max-group-size, or reqd_work_group_size in the source)",
                       code->name, (unsigned long long)local[0], (unsigned long long)local[1],
                       (unsigned long long)local[2], (unsigned long long)limit);
  }
  return KILN_OK;
}

static enum kiln_status check_local(struct kiln_drv *drv, const struct kiln_drv_launch *launch,
                                    struct kiln_report *report) {
  uint64_t bytes = (uint64_t)launch->kernel->code->local_bytes + launch->dynamic_local;
  for (uint32_t i = 0; i < drv->device_count; i++)
    if (bytes > drv->devices[i].local_bytes)
      return kiln_fail(report, KILN_ERR_UNSUPPORTED, "'%s' needs %llu bytes of local memory; %s has %u",
                       launch->kernel->name, (unsigned long long)bytes, drv->devices[i].name,
                       drv->devices[i].local_bytes);
  return KILN_OK;
}

enum kiln_status kiln_rocm_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                   struct kiln_drv_launch **out, struct kiln_report *report) {
  uint64_t local[3];
  enum kiln_status status = check_sizes(drv, desc, local, report);
  if (status)
    return status;
  struct kiln_drv_launch *launch = calloc(1, sizeof *launch);
  if (!launch)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a launch");
  launch->drv = drv;
  launch->kernel = desc->kernel;
  launch->refs = 1;
  hsa_status_t made = HSA_STATUS_SUCCESS;
  size_t bytes = desc->kernel->code->kernarg_bytes;
  void *block = kiln_rocm_host_alloc(drv, bytes ? bytes : KERNARG_ALIGN, &made);
  if (!block) {
    free(launch);
    return kiln_fail(report, KILN_ERR_MEMORY, "no memory for the arguments of '%s': %s", desc->kernel->name,
                     kiln_hsa_text(&drv->hsa, made));
  }
  memset(block, 0, bytes);
  hsa_kernel_dispatch_packet_t *packet = &launch->packet;
  packet->kernarg_address = block;
  packet->setup = (uint16_t)(desc->work_dim << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  packet->workgroup_size_x = (uint16_t)local[0];
  packet->workgroup_size_y = (uint16_t)local[1];
  packet->workgroup_size_z = (uint16_t)local[2];
  packet->grid_size_x = (uint32_t)desc->global[0];
  packet->grid_size_y = (uint32_t)desc->global[1];
  packet->grid_size_z = (uint32_t)desc->global[2];
  status = put_args(block, desc, local, &launch->dynamic_local, report);
  if (!status)
    status = check_local(drv, launch, report);
  if (status)
    kiln_rocm_launch_release(drv, launch);
  else
    *out = launch;
  return status;
}

void kiln_rocm_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch) {
  if (__atomic_sub_fetch(&launch->refs, 1, __ATOMIC_ACQ_REL))
    return;
  drv->hsa.hsa_amd_memory_pool_free(launch->packet.kernarg_address);
  free(launch);
}

// ---- running

static enum kiln_status enqueue(struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                struct kiln_drv_event **out, struct kiln_report *report) {
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&stream->lock);
  struct kiln_drv_event *event = kiln_rocm_begin(stream, &status, report);
  if (event) {
    const struct kiln_rocm_entry *entry = &launch->kernel->entries[stream->device - stream->drv->devices];
    hsa_kernel_dispatch_packet_t packet = launch->packet;
    packet.kernel_object = entry->object;
    packet.group_segment_size = entry->local_bytes + launch->dynamic_local;
    packet.private_segment_size = entry->private_bytes;
    packet.completion_signal = event->signal;
    event->kind = KILN_ROCM_KERNEL;
    event->limit_ns = stream->limit_ns;
    event->launch = launch;
    __atomic_add_fetch(&launch->refs, 1, __ATOMIC_RELAXED);
    uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    if (kiln_rocm_order(stream, event) && kiln_rocm_submit(stream, &packet, header)) {
      kiln_rocm_enqueued(stream, event, out);
    } else {
      kiln_rocm_abandon(stream, event);
      status = kiln_fail(report, KILN_ERR_DEVICE, "'%s' cannot be launched: the queue of the device failed",
                         launch->kernel->name);
    }
  }
  pthread_mutex_unlock(&stream->lock);
  return status;
}

static void set_print_buffer(void *buffer, struct kiln_drv_launch *launch) {
  const struct kiln_rocm_kernel *code = launch->kernel->code;
  for (uint32_t i = 0; i < code->arg_count; i++)
    if (code->args[i].kind == KILN_ROCM_ARG_HIDDEN) { // the first one begins the implicit arguments
      uint64_t at = (uint64_t)code->args[i].offset + KILN_ROCM_PRINT_ARGUMENT;
      if (at + sizeof buffer <= code->kernarg_bytes)
        memcpy((char *)launch->packet.kernarg_address + at, &buffer, sizeof buffer);
      return;
    }
}

// A kernel that may print, or fail by itself, has ended.
static enum kiln_status print(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                              const struct kiln_drv_kernel *kernel, struct kiln_report *report) {
  uint32_t device = (uint32_t)(stream->device - drv->devices);
  char message[KILN_ROCM_MESSAGE];
  bool failed;
  enum kiln_status status = kiln_rocm_print_end(drv, device, kernel, &failed, message, sizeof message, report);
  if (failed)
    kiln_rocm_fail_ended(stream, event, message);
  return status;
}

// A kernel that may print runs alone, and its text is out when this returns.
static enum kiln_status launch_printing(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                        struct kiln_drv_launch *launch, struct kiln_drv_event **out,
                                        struct kiln_report *report) {
  struct kiln_drv_event *event = NULL;
  if (kiln_rocm_is_held(drv, stream))
    return kiln_fail(report, KILN_ERR_UNSUPPORTED,
                     "'%s' prints, and its stream waits for an event of the host, which is not signalled",
                     launch->kernel->name);
  pthread_mutex_lock(&drv->print_lock);
  uint32_t device = (uint32_t)(stream->device - drv->devices);
  enum kiln_status status = kiln_rocm_print_begin(drv, device, report);
  if (!status) {
    set_print_buffer(drv->print_buffers[device], launch);
    status = enqueue(stream, launch, &event, report);
  }
  if (!status) {
    bool ended = kiln_rocm_event_wait(drv, event, NULL) == KILN_OK;
    if (event->lost)
      drv->print_buffers[device] = NULL; // the kernel may still write to it
    if (ended)
      status = print(drv, stream, event, launch->kernel, report);
    if (out && !status)
      *out = event;
    else
      kiln_rocm_event_release(drv, event);
  }
  pthread_mutex_unlock(&drv->print_lock);
  return status;
}

enum kiln_status kiln_rocm_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report) {
  if (launch->kernel->module->prints)
    return launch_printing(drv, stream, launch, event, report);
  return enqueue(stream, launch, event, report);
}
