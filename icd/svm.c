// Shared virtual memory: memory of the process, which kernels on the CPU reach by any pointer.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

bool icd_has_svm(cl_context context) {
  for (uint32_t i = 0; i < context->device_count; i++)
    if (context->devices[i]->svm)
      return true;
  return false;
}

// Under the context's lock: how many allocations begin at the address or before it.
static size_t count_before(const struct _cl_context *context, const unsigned char *at) {
  size_t low = 0, high = context->svm_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (context->svm[middle].memory <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Under the context's lock: the allocation that the address lies in, or NULL.
static struct icd_svm *allocation_at(const struct _cl_context *context, const void *pointer) {
  const unsigned char *at = pointer;
  size_t count = count_before(context, at);
  struct icd_svm *svm = count ? &context->svm[count - 1] : NULL;
  return svm && (size_t)(at - svm->memory) < svm->size ? svm : NULL;
}

bool icd_svm_find(cl_context context, const void *pointer, struct icd_svm *out) {
  pthread_mutex_lock(&context->lock);
  const struct icd_svm *svm = allocation_at(context, pointer);
  if (svm)
    *out = *svm;
  pthread_mutex_unlock(&context->lock);
  return svm != NULL;
}

size_t icd_svm_size(cl_context context, const void *pointer) {
  struct icd_svm svm;
  if (!icd_svm_find(context, pointer, &svm))
    return 0;
  return svm.size - (size_t)((const unsigned char *)pointer - svm.memory);
}

// A Kiln buffer that is memory of the process from a pointer on; NULL when memory is exhausted.
static struct kiln_buffer *wrap(const struct _cl_device_id *device, void *pointer, size_t size) {
  struct kiln_buffer_desc desc = {.size = size, .host = pointer, .device = device->index};
  struct kiln_buffer *buffer;
  return kiln_buffer_create(device->backend->kiln, &desc, &buffer) == KILN_OK ? buffer : NULL;
}

// ---- allocation

// Under the context's lock. False: there is no memory.
static bool insert(cl_context context, const struct icd_svm *svm) {
  if (context->svm_count == context->svm_room) {
    size_t room = context->svm_room ? 2 * context->svm_room : 16;
    struct icd_svm *all = realloc(context->svm, room * sizeof *all);
    if (!all)
      return false;
    context->svm = all;
    context->svm_room = room;
  }
  size_t at = count_before(context, svm->memory);
  memmove(&context->svm[at + 1], &context->svm[at], (context->svm_count - at) * sizeof *svm);
  context->svm[at] = *svm;
  context->svm_count++;
  return true;
}

void *icd_svm_new(cl_context context, size_t size, const struct icd_svm *of) {
  void *memory;
  if (posix_memalign(&memory, ICD_ALIGN, size))
    return NULL;
  struct icd_svm svm = *of;
  svm.memory = memory;
  svm.size = size;
  pthread_mutex_lock(&context->lock);
  bool good = insert(context, &svm);
  pthread_mutex_unlock(&context->lock);
  if (good)
    return memory;
  free(memory);
  return NULL;
}

bool icd_svm_free(cl_context context, void *pointer, bool is_usm) {
  pthread_mutex_lock(&context->lock);
  struct icd_svm *svm = allocation_at(context, pointer);
  bool found = svm && svm->memory == pointer && !svm->type != is_usm;
  if (found) {
    context->svm_count--;
    memmove(svm, svm + 1, (size_t)(&context->svm[context->svm_count] - svm) * sizeof *svm);
  }
  pthread_mutex_unlock(&context->lock);
  if (found)
    free(pointer);
  return found;
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  if (!icd_is(context, ICD_CONTEXT) || !icd_has_svm(context) || !size || flags & ~(access | fine) ||
      (flags & access & ((flags & access) - 1)) || (flags & fine) == CL_MEM_SVM_ATOMICS)
    return NULL;
  if (alignment & (alignment - 1) || alignment > ICD_ALIGN)
    return NULL;
  for (uint32_t i = 0; i < context->device_count; i++)
    if (size > context->devices[i]->max_alloc)
      return NULL;
  return icd_svm_new(context, size, &(struct icd_svm){0});
}

void clSVMFree(cl_context context, void *pointer) {
  if (icd_is(context, ICD_CONTEXT) && pointer)
    (void)icd_svm_free(context, pointer, false);
}

// ---- copies and fills

struct svm_command {
  struct icd_command command;
  unsigned char *dst;
  const unsigned char *src;
  size_t size, pattern_size;
  unsigned char pattern[128];
};

static cl_int run_svm(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct svm_command *c = (const struct svm_command *)command;
  if (!c->size)
    return icd_run_mark(command, queue, event);
  struct kiln_buffer *buffer = wrap(queue->device, c->dst, c->size);
  if (!buffer)
    return CL_OUT_OF_HOST_MEMORY;
  enum kiln_status status =
      c->src ? kiln_write(queue->lane->stream, buffer, 0, c->src, c->size, event)
             : kiln_fill(queue->lane->stream, buffer, 0, c->size, c->pattern, c->pattern_size, event);
  kiln_buffer_release(buffer);
  return icd_error(status);
}

static const struct icd_command_ops svm_ops = {.size = sizeof(struct svm_command), .run = run_svm};
static const struct icd_command_ops mark_ops = {.size = sizeof(struct icd_command), .run = icd_run_mark};

cl_int icd_svm_check(cl_command_queue queue) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  return queue->device->svm ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_int icd_svm_copy(cl_command_queue queue, cl_command_type type, bool blocking, void *dst, const void *src,
                    size_t size, const struct icd_wait_list *list) {
  cl_int status = icd_svm_check(queue);
  if (status != CL_SUCCESS)
    return status;
  const unsigned char *to = dst, *from = src;
  if (!to || !from)
    return CL_INVALID_VALUE;
  if (size && (to < from ? (size_t)(from - to) < size : (size_t)(to - from) < size))
    return CL_MEM_COPY_OVERLAP;
  struct svm_command c = {{&svm_ops, type}, .dst = dst, .src = src, .size = size};
  return icd_enqueue(queue, &c.command, list, blocking);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *dst, const void *src, size_t size,
                          cl_uint count, const cl_event *events, cl_event *event) {
  return icd_svm_copy(queue, CL_COMMAND_SVM_MEMCPY, blocking, dst, src, size,
                      &(struct icd_wait_list){count, events, event});
}

cl_int icd_svm_fill(cl_command_queue queue, cl_command_type type, void *pointer, const void *pattern,
                    size_t pattern_size, size_t size, const struct icd_wait_list *list) {
  cl_int status = icd_svm_check(queue);
  if (status != CL_SUCCESS)
    return status;
  if (!pointer || !pattern || !pattern_size || pattern_size > 128 || pattern_size & (pattern_size - 1) ||
      size % pattern_size || (uintptr_t)pointer % pattern_size)
    return CL_INVALID_VALUE;
  struct svm_command c = {{&svm_ops, type}, .dst = pointer, .size = size};
  c.pattern_size = pattern_size;
  memcpy(c.pattern, pattern, pattern_size);
  return icd_enqueue(queue, &c.command, list, false);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *pointer, const void *pattern, size_t pattern_size, size_t size,
                           cl_uint count, const cl_event *events, cl_event *event) {
  return icd_svm_fill(queue, CL_COMMAND_SVM_MEMFILL, pointer, pattern, pattern_size, size,
                      &(struct icd_wait_list){count, events, event});
}

// ---- maps and migration: the memory is the host's

cl_int icd_svm_mark(cl_command_queue queue, cl_command_type type, const struct icd_wait_list *list, bool blocking) {
  struct icd_command command = {&mark_ops, type};
  return icd_enqueue(queue, &command, list, blocking);
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer, size_t size,
                       cl_uint count, const cl_event *events, cl_event *event) {
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && (!pointer || !size || !icd_are_map_flags(flags)))
    status = CL_INVALID_VALUE;
  return status == CL_SUCCESS
             ? icd_svm_mark(queue, CL_COMMAND_SVM_MAP, &(struct icd_wait_list){count, events, event}, blocking)
             : status;
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count, const cl_event *events,
                         cl_event *event) {
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && !pointer)
    status = CL_INVALID_VALUE;
  return status == CL_SUCCESS
             ? icd_svm_mark(queue, CL_COMMAND_SVM_UNMAP, &(struct icd_wait_list){count, events, event}, false)
             : status;
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count, const void **pointers, const size_t *sizes,
                              cl_mem_migration_flags flags, cl_uint count, const cl_event *events, cl_event *event) {
  const cl_mem_migration_flags all = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && (!pointer_count || !pointers || flags & ~all))
    status = CL_INVALID_VALUE;
  for (cl_uint i = 0; i < pointer_count && status == CL_SUCCESS; i++) {
    size_t size = icd_svm_size(queue->context, pointers[i]);
    if (!size || (sizes && sizes[i] > size))
      status = CL_INVALID_VALUE;
  }
  return status == CL_SUCCESS
             ? icd_svm_mark(queue, CL_COMMAND_SVM_MIGRATE_MEM, &(struct icd_wait_list){count, events, event}, false)
             : status;
}

// ---- clEnqueueSVMFree: done by the thread that is told of the command's end

struct svm_free {
  cl_command_queue queue; // with a reference
  void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void *[], void *);
  void *user;
  cl_uint count;
  void *pointers[];
};

static void CL_CALLBACK free_now(cl_event event, cl_int state, void *user) {
  (void)event, (void)state;
  struct svm_free *job = user;
  if (job->fn)
    job->fn(job->queue, job->count, job->pointers, job->user);
  else
    for (cl_uint i = 0; i < job->count; i++)
      clSVMFree(job->queue->context, job->pointers[i]);
  icd_queue_release(job->queue);
  free(job);
}

cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
                        void(CL_CALLBACK *fn)(cl_command_queue, cl_uint, void *[], void *), void *user, cl_uint count,
                        const cl_event *events, cl_event *event) {
  cl_int status = icd_svm_check(queue);
  if (status == CL_SUCCESS && !pointer_count != !pointers)
    status = CL_INVALID_VALUE;
  for (cl_uint i = 0; i < pointer_count && status == CL_SUCCESS; i++)
    status = pointers[i] ? CL_SUCCESS : CL_INVALID_VALUE;
  if (status != CL_SUCCESS)
    return status;
  struct svm_free *job = malloc(sizeof *job + pointer_count * sizeof *pointers);
  if (!job)
    return CL_OUT_OF_HOST_MEMORY;
  *job = (struct svm_free){queue, fn, user, pointer_count};
  if (pointer_count)
    memcpy(job->pointers, pointers, pointer_count * sizeof *pointers);
  cl_event done;
  status = icd_svm_mark(queue, CL_COMMAND_SVM_FREE, &(struct icd_wait_list){count, events, &done}, false);
  if (status != CL_SUCCESS) {
    free(job);
    return status;
  }
  icd_retain(queue);
  if (!icd_event_on_end(done, free_now, job)) {
    icd_event_wait(done);
    free_now(done, CL_COMPLETE, job);
  }
  if (event)
    *event = done;
  else
    icd_event_release(done);
  return CL_SUCCESS;
}
