// Unified shared memory (cl_intel_unified_shared_memory): memory of the process, as shared virtual memory is. Which
// kind was asked for is remembered alone.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

// ---- allocation

static cl_int read_properties(const cl_mem_properties_intel *properties, bool is_shared,
                              cl_mem_alloc_flags_intel *flags) {
  const cl_mem_alloc_flags_intel placements =
      CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
  bool was_given = false;
  *flags = 0;
  for (; properties && properties[0]; properties += 2) {
    if (properties[0] != CL_MEM_ALLOC_FLAGS_INTEL || was_given)
      return CL_INVALID_PROPERTY;
    was_given = true;
    *flags = properties[1];
  }
  if (*flags & ~(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | (is_shared ? placements : 0)) ||
      (*flags & placements) == placements)
    return CL_INVALID_PROPERTY;
  return CL_SUCCESS;
}

// The largest allocation of a device, or of any of the context's for device NULL.
static cl_ulong most_bytes(cl_context context, cl_device_id device) {
  cl_ulong most = device ? device->max_alloc : 0;
  for (uint32_t i = 0; i < context->device_count && !device; i++)
    if (context->devices[i]->max_alloc > most)
      most = context->devices[i]->max_alloc;
  return most;
}

static void *allocate(cl_context context, const struct icd_svm *of, const cl_mem_properties_intel *properties,
                      size_t size, cl_uint alignment, cl_int *errcode_ret) {
  struct icd_svm made = *of;
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  if (of->device && (!icd_is(of->device, ICD_DEVICE) || icd_context_index(context, of->device) < 0))
    return icd_give(NULL, CL_INVALID_DEVICE, errcode_ret);
  if (of->device ? !of->device->svm : !icd_has_svm(context))
    return icd_give(NULL, CL_INVALID_OPERATION, errcode_ret);
  cl_int status = read_properties(properties, of->type == CL_MEM_TYPE_SHARED_INTEL, &made.flags);
  if (status == CL_SUCCESS && (alignment & (alignment - 1) || alignment > ICD_ALIGN))
    status = CL_INVALID_VALUE;
  if (status == CL_SUCCESS && (!size || size > most_bytes(context, of->device)))
    status = CL_INVALID_BUFFER_SIZE;
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  void *memory = icd_svm_new(context, size, &made);
  return icd_give(memory, memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

void *clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties, size_t size, cl_uint alignment,
                          cl_int *errcode_ret) {
  return allocate(context, &(struct icd_svm){.type = CL_MEM_TYPE_HOST_INTEL}, properties, size, alignment, errcode_ret);
}

void *clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                            size_t size, cl_uint alignment, cl_int *errcode_ret) {
  if (icd_is(context, ICD_CONTEXT) && !device)
    return icd_give(NULL, CL_INVALID_DEVICE, errcode_ret);
  return allocate(context, &(struct icd_svm){.type = CL_MEM_TYPE_DEVICE_INTEL, .device = device}, properties, size,
                  alignment, errcode_ret);
}

void *clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                            size_t size, cl_uint alignment, cl_int *errcode_ret) {
  return allocate(context, &(struct icd_svm){.type = CL_MEM_TYPE_SHARED_INTEL, .device = device}, properties, size,
                  alignment, errcode_ret);
}

cl_int clMemFreeINTEL(cl_context context, void *pointer) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  return !pointer || icd_svm_free(context, pointer, true) ? CL_SUCCESS : CL_INVALID_VALUE;
}

// What clMemBlockingFreeINTEL waits for: lanes of queues that their owners have released.
struct drain {
  _Atomic uint32_t left;
  pthread_mutex_t lock;
  pthread_cond_t done;
  bool is_done;
};

static void lane_done(void *user, enum kiln_event_state state, enum kiln_status status) {
  (void)state, (void)status;
  struct drain *drain = user;
  pthread_mutex_lock(&drain->lock);
  if (atomic_fetch_sub(&drain->left, 1) == 1) {
    drain->is_done = true;
    pthread_cond_signal(&drain->done);
  }
  pthread_mutex_unlock(&drain->lock);
}

// A reference to a queue, unless its last one is gone.
static bool try_retain(cl_command_queue queue) {
  uint32_t refs = atomic_load(&queue->object.refs);
  while (refs && !atomic_compare_exchange_weak(&queue->object.refs, &refs, refs + 1))
    ;
  return refs != 0;
}

// Under the lock of the context: takes references to its queues into queues, which has room for all, and has drain told
// of the others.
static uint32_t take_queues(cl_context context, cl_command_queue *queues, struct drain *drain) {
  uint32_t count = 0;
  for (cl_command_queue queue = context->queues; queue; queue = queue->next) {
    struct kiln_event *untold;
    if (try_retain(queue))
      queues[count++] = queue;
    else
      while (!icd_lanes_watch(queue, &drain->left, lane_done, drain, &untold))
        icd_wait_untold(untold);
  }
  return count;
}

// Waits for all that is enqueued in the context.
static cl_int finish_queues(cl_context context) {
  struct drain drain = {.left = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
  uint32_t count = 0;
  pthread_mutex_lock(&context->lock);
  for (cl_command_queue queue = context->queues; queue; queue = queue->next)
    count++;
  cl_command_queue *queues = calloc(count + 1, sizeof *queues);
  count = queues ? take_queues(context, queues, &drain) : 0;
  pthread_mutex_unlock(&context->lock);
  if (!queues)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < count; i++) {
    (void)icd_queue_finish(queues[i]); // that a command has failed is no reason to keep memory
    icd_queue_release(queues[i]);
  }
  free(queues);
  lane_done(&drain, KILN_EVENT_DONE, KILN_OK);
  pthread_mutex_lock(&drain.lock);
  while (!drain.is_done)
    pthread_cond_wait(&drain.done, &drain.lock);
  pthread_mutex_unlock(&drain.lock);
  pthread_cond_destroy(&drain.done);
  pthread_mutex_destroy(&drain.lock);
  return CL_SUCCESS;
}

cl_int clMemBlockingFreeINTEL(cl_context context, void *pointer) {
  struct icd_svm svm;
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (!pointer)
    return CL_SUCCESS;
  if (!icd_svm_find(context, pointer, &svm) || svm.memory != pointer || !svm.type)
    return CL_INVALID_VALUE;
  cl_int status = finish_queues(context);
  return status == CL_SUCCESS ? clMemFreeINTEL(context, pointer) : status;
}

cl_int clGetMemAllocInfoINTEL(cl_context context, const void *pointer, cl_mem_info_intel name, size_t size, void *value,
                              size_t *size_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  const struct icd_answer answer = {size, value, size_ret};
  struct icd_svm svm = {0};
  if (!icd_svm_find(context, pointer, &svm) || !svm.type)
    svm = (struct icd_svm){.type = CL_MEM_TYPE_UNKNOWN_INTEL};
  switch (name) {
    VALUE(CL_MEM_ALLOC_TYPE_INTEL, cl_unified_shared_memory_type_intel, svm.type)
    VALUE(CL_MEM_ALLOC_BASE_PTR_INTEL, void *, svm.memory)
    VALUE(CL_MEM_ALLOC_SIZE_INTEL, size_t, svm.size)
    VALUE(CL_MEM_ALLOC_DEVICE_INTEL, cl_device_id, svm.device)
    VALUE(CL_MEM_ALLOC_FLAGS_INTEL, cl_mem_alloc_flags_intel, svm.flags)
  }
  return CL_INVALID_VALUE;
}

// ---- commands

cl_int clEnqueueMemFillINTEL(cl_command_queue queue, void *pointer, const void *pattern, size_t pattern_size,
                             size_t size, cl_uint count, const cl_event *events, cl_event *event) {
  return icd_svm_fill(queue, CL_COMMAND_MEMFILL_INTEL, pointer, pattern, pattern_size, size,
                      &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueMemsetINTEL(cl_command_queue queue, void *pointer, cl_int value, size_t size, cl_uint count,
                            const cl_event *events, cl_event *event) {
  unsigned char pattern = (unsigned char)value;
  return clEnqueueMemFillINTEL(queue, pointer, &pattern, 1, size, count, events, event);
}

cl_int clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *dst, const void *src, size_t size,
                            cl_uint count, const cl_event *events, cl_event *event) {
  return icd_svm_copy(queue, CL_COMMAND_MEMCPY_INTEL, blocking, dst, src, size,
                      &(struct icd_wait_list){count, events, event});
}

cl_int clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *pointer, size_t size, cl_mem_migration_flags flags,
                                cl_uint count, const cl_event *events, cl_event *event) {
  const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && (!pointer || !size || flags & ~all))
    status = CL_INVALID_VALUE;
  return status == CL_SUCCESS
             ? icd_svm_mark(queue, CL_COMMAND_MIGRATEMEM_INTEL, &(struct icd_wait_list){count, events, event}, false)
             : status;
}

cl_int clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer, size_t size, cl_mem_advice_intel advice,
                               cl_uint count, const cl_event *events, cl_event *event) {
  (void)advice; // of every value: it is a hint
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && (!pointer || !size))
    status = CL_INVALID_VALUE;
  return status == CL_SUCCESS
             ? icd_svm_mark(queue, CL_COMMAND_MEMADVISE_INTEL, &(struct icd_wait_list){count, events, event}, false)
             : status;
}
