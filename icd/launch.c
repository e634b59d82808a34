// clEnqueueNDRangeKernel and clEnqueueTask, and changes of launches that command buffers keep.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

#define STACK_ARGS 32

struct launch {
  struct icd_command command;
  cl_kernel kernel;
  struct kiln_launch_desc desc; // without the arguments
  // Of a copy: arguments of its own; else NULL, and they are the kernel's.
  struct icd_arg *args;
  unsigned char *values;
};

// ---- running

// The arguments for the device of the queue.
static cl_int make_args(const struct launch *l, cl_command_queue queue, struct kiln_arg *out) {
  const struct icd_arg *args = l->args ? l->args : l->kernel->args;
  const unsigned char *values = l->args ? l->values : l->kernel->values;
  for (uint32_t i = 0; i < l->kernel->info->arg_count; i++) {
    const struct icd_arg *arg = &args[i];
    out[i] = (struct kiln_arg){arg->kind, arg->kind == KILN_ARG_VALUE ? values + arg->offset : arg->pointer, arg->size,
                               NULL};
    if (!arg->mem)
      continue;
    if (arg->kind == KILN_ARG_IMAGE)
      out[i].data = icd_image_use(arg->mem, queue);
    else
      out[i].buffer = icd_mem_use(arg->mem, queue);
    if (!out[i].data && !out[i].buffer)
      return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  }
  return CL_SUCCESS;
}

// What the checks below leave: the codes of wrong launches by their reason.
static cl_int launch_error(enum kiln_status status) {
  static const cl_int codes[] = {
      [KILN_REASON_ARG_ALIGN] = CL_MISALIGNED_SUB_BUFFER_OFFSET, // memory of the application
      [KILN_REASON_GLOBAL_SIZE] = CL_INVALID_GLOBAL_WORK_SIZE,   [KILN_REASON_LOCAL_SIZE] = CL_INVALID_WORK_GROUP_SIZE,
      [KILN_REASON_LOCAL_MEMORY] = CL_OUT_OF_RESOURCES,          [KILN_REASON_FORMAT] = CL_IMAGE_FORMAT_NOT_SUPPORTED,
  };
  if (status == KILN_OK)
    return CL_SUCCESS;
  enum kiln_reason reason = kiln_last_reason(NULL);
  return reason < sizeof codes / sizeof *codes && codes[reason] ? codes[reason] : icd_error(status);
}

// Launches, or replaces the launch at index of the graph, where there is one.
static cl_int put_launch(const struct launch *l, cl_command_queue queue, struct kiln_graph *graph, uint32_t index,
                         struct kiln_event **event) {
  cl_kernel kernel = l->kernel;
  uint32_t count = kernel->info->arg_count;
  struct kiln_arg stack_args[STACK_ARGS];
  struct kiln_arg *args = count <= STACK_ARGS ? stack_args : malloc(count * sizeof *args);
  if (!args)
    return CL_OUT_OF_HOST_MEMORY;
  memset(args, 0, count * sizeof *args);
  if (!l->args)
    pthread_mutex_lock(&kernel->lock);
  cl_int status = make_args(l, queue, args);
  if (status == CL_SUCCESS) {
    struct kiln_launch_desc desc = l->desc;
    desc.args = args;
    desc.arg_count = count;
    status = launch_error(graph ? kiln_graph_update(graph, index, &desc)
                                : kiln_launch(queue->lane->stream, kernel->kernels[queue->index], &desc, event));
  }
  if (!l->args)
    pthread_mutex_unlock(&kernel->lock);
  if (args != stack_args)
    free(args);
  return status;
}

static cl_int run_launch(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  return put_launch((const struct launch *)command, queue, NULL, 0, event);
}

static bool keep_launch(struct icd_command *copy) {
  struct launch *l = (struct launch *)copy;
  cl_kernel kernel = l->kernel;
  size_t size = (kernel->info->arg_count + 1) * sizeof *l->args;
  const struct icd_arg *args = l->args ? l->args : kernel->args;
  const unsigned char *values = l->args ? l->values : kernel->values;
  l->args = malloc(size);
  l->values = malloc(kernel->values_size + 1);
  if (!l->args || !l->values) {
    free(l->args);
    free(l->values);
    return false;
  }
  pthread_mutex_lock(&kernel->lock);
  memcpy(l->args, args, size);
  memcpy(l->values, values, kernel->values_size);
  pthread_mutex_unlock(&kernel->lock);
  for (uint32_t i = 0; i < kernel->info->arg_count; i++)
    if (l->args[i].mem)
      icd_retain(l->args[i].mem);
  icd_retain(kernel);
  return true;
}

static void drop_launch(struct icd_command *copy) {
  struct launch *l = (struct launch *)copy;
  for (uint32_t i = 0; i < l->kernel->info->arg_count; i++)
    if (l->args[i].mem)
      icd_mem_release(l->args[i].mem);
  free(l->args);
  free(l->values);
  icd_kernel_release(l->kernel);
}

static void use_launch(const struct icd_command *copy, const struct _cl_command_queue *queue) {
  const struct launch *l = (const struct launch *)copy;
  for (uint32_t i = 0; i < l->kernel->info->arg_count; i++)
    if (l->args[i].mem)
      icd_mem_note(l->args[i].mem, queue);
}

static const struct icd_command_ops launch_ops = {
    .size = sizeof(struct launch), .run = run_launch, .keep = keep_launch, .drop = drop_launch, .use = use_launch};

// ---- checks

static cl_int check_kernel(cl_command_queue queue, cl_kernel kernel) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  if (kernel->program->context != queue->context)
    return CL_INVALID_CONTEXT;
  return kernel->kernels[queue->index] ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

// All arguments are set, unless some may be lacking, and their local memory is there.
static cl_int check_args(cl_command_queue queue, const struct icd_arg *args, const struct kiln_kernel_info *info,
                         bool may_lack) {
  cl_int status = CL_SUCCESS;
  size_t local_bytes = info->local_bytes;
  for (uint32_t i = 0; i < info->arg_count && status == CL_SUCCESS; i++) {
    if (!args[i].is_set)
      status = may_lack ? CL_SUCCESS : CL_INVALID_KERNEL_ARGS;
    else if (args[i].kind == KILN_ARG_LOCAL && __builtin_add_overflow(local_bytes, args[i].size, &local_bytes))
      status = CL_OUT_OF_RESOURCES;
  }
  return status == CL_SUCCESS && local_bytes > queue->device->info.local_bytes ? CL_OUT_OF_RESOURCES : status;
}

static cl_int check_global(cl_uint dims, const size_t *offset, const size_t *global, struct kiln_launch_desc *desc) {
  bool is_empty = !global;
  for (cl_uint d = 0; d < dims; d++) {
    desc->global[d] = global ? global[d] : 0;
    desc->offset[d] = offset ? offset[d] : 0;
    is_empty |= !desc->global[d];
    if (desc->offset[d] + desc->global[d] < desc->global[d])
      return CL_INVALID_GLOBAL_OFFSET;
  }
  if (is_empty)
    desc->global[0] = 0; // to Kiln, a size of 0 in another dimension is 1
  return CL_SUCCESS;
}

static cl_int check_local(cl_command_queue queue, cl_kernel kernel, const struct kiln_kernel_info *info, cl_uint dims,
                          const size_t *local, struct kiln_launch_desc *desc) {
  const uint32_t *required = info->required_group_size;
  uint64_t limit = info->max_group_size ? info->max_group_size : queue->device->info.max_group_size, total = 1;
  if (!local && !required[0])
    return CL_SUCCESS;
  for (cl_uint d = 0; d < 3; d++) {
    uint64_t size = d >= dims ? 1 : local ? local[d] : required[d];
    if (!size)
      return CL_INVALID_WORK_GROUP_SIZE;
    if (size > queue->device->info.max_group_size)
      return CL_INVALID_WORK_ITEM_SIZE;
    total *= size;
    if (total > limit || (required[0] && size != required[d]))
      return CL_INVALID_WORK_GROUP_SIZE;
    if (d < dims && kernel->uniform_groups && desc->global[d] % size)
      return CL_INVALID_WORK_GROUP_SIZE;
    desc->local[d] = size;
  }
  return CL_SUCCESS;
}

static cl_int check_kernel_args(cl_command_queue queue, cl_kernel kernel, const struct kiln_kernel_info *info,
                                bool may_lack) {
  pthread_mutex_lock(&kernel->lock);
  cl_int status = check_args(queue, kernel->args, info, may_lack);
  pthread_mutex_unlock(&kernel->lock);
  return status;
}

cl_int icd_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                  const size_t *local, bool may_lack, const struct icd_wait_list *list) {
  cl_int status = check_kernel(queue, kernel);
  if (status != CL_SUCCESS)
    return status;
  if (dims < 1 || dims > 3)
    return CL_INVALID_WORK_DIMENSION;
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel->kernels[queue->index]);
  struct launch l = {{&launch_ops, CL_COMMAND_NDRANGE_KERNEL}, kernel, {.work_dim = dims}};
  status = check_kernel_args(queue, kernel, info, may_lack);
  if (status == CL_SUCCESS)
    status = check_global(dims, offset, global, &l.desc);
  if (status == CL_SUCCESS)
    status = check_local(queue, kernel, info, dims, local, &l.desc);
  return status == CL_SUCCESS ? icd_enqueue(queue, &l.command, list, false) : status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                              cl_event *event) {
  return icd_launch(queue, kernel, dims, offset, global, local, false, &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *events, cl_event *event) {
  cl_int status = check_kernel(queue, kernel);
  if (status != CL_SUCCESS)
    return status;
  const struct kiln_kernel_info *info = kiln_kernel_info(kernel->kernels[queue->index]);
  struct launch l = {{&launch_ops, CL_COMMAND_TASK}, kernel, {.global = {1, 1, 1}, .local = {1, 1, 1}, .work_dim = 1}};
  status = check_kernel_args(queue, kernel, info, false);
  const uint32_t *required = info->required_group_size;
  if (status == CL_SUCCESS && required[0] && required[0] * required[1] * required[2] != 1)
    status = CL_INVALID_WORK_GROUP_SIZE;
  return status == CL_SUCCESS ? icd_enqueue(queue, &l.command, &(struct icd_wait_list){count, events, event}, false)
                              : status;
}

// ---- changes

static struct launch *launch_of(struct icd_command *copy) { return (struct launch *)copy; }

bool icd_launch_lacks(const struct icd_command *command) {
  if (command->ops != &launch_ops)
    return false;
  const struct launch *l = (const struct launch *)command;
  const struct icd_arg *args = l->args ? l->args : l->kernel->args;
  bool lacks = false;
  for (uint32_t i = 0; i < l->kernel->info->arg_count; i++)
    lacks |= !args[i].is_set;
  return lacks;
}

// Lets go of the memory object that an argument was, once that is another.
static cl_int exchange(struct launch *l, cl_uint index, cl_mem before, cl_int status) {
  if (status != CL_SUCCESS)
    return status;
  if (l->args[index].mem)
    icd_retain(l->args[index].mem);
  if (before)
    icd_mem_release(before);
  return CL_SUCCESS;
}

static cl_mem mem_of(const struct launch *l, cl_uint index) {
  return index < l->kernel->info->arg_count ? l->args[index].mem : NULL;
}

cl_int icd_launch_set_arg(struct icd_command *copy, cl_uint index, size_t size, const void *value) {
  struct launch *l = launch_of(copy);
  cl_mem before = mem_of(l, index);
  return exchange(l, index, before, icd_arg_set(l->kernel, l->args, l->values, index, size, value));
}

cl_int icd_launch_set_pointer(struct icd_command *copy, cl_uint index, const void *pointer) {
  struct launch *l = launch_of(copy);
  cl_mem before = mem_of(l, index);
  return exchange(l, index, before, icd_arg_set_pointer(l->kernel, l->args, index, pointer));
}

cl_int icd_launch_set_range(struct icd_command *copy, cl_command_queue queue, const struct icd_range *range) {
  struct launch *l = launch_of(copy);
  const struct kiln_kernel_info *info = kiln_kernel_info(l->kernel->kernels[queue->index]);
  l->desc = (struct kiln_launch_desc){.work_dim = range->dims};
  cl_int status = check_args(queue, l->args, info, true);
  if (status == CL_SUCCESS)
    status = check_global(range->dims, range->offset, range->global, &l->desc);
  if (status == CL_SUCCESS)
    status = check_local(queue, l->kernel, info, range->dims, range->local[0] ? range->local : NULL, &l->desc);
  return status;
}

cl_int icd_launch_replace(const struct icd_command *copy, cl_command_queue queue, struct kiln_graph *graph,
                          uint32_t index) {
  return put_launch((const struct launch *)copy, queue, graph, index, NULL);
}
