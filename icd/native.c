// Native kernels: functions of the application as commands, on devices that use host memory.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

// What is called. Counted, since a command that is held back is copied.
struct job {
  _Atomic uint32_t refs;
  void(CL_CALLBACK *fn)(void *);
  void *args; // those given to fn, or NULL
  unsigned char copy[];
};

struct native {
  struct icd_command command;
  struct job *job;
  cl_uint mem_count;
  const cl_mem *mems;
};

static void drop_job(struct job *job) {
  if (atomic_fetch_sub(&job->refs, 1) == 1)
    free(job);
}

static void call(void *user) {
  struct job *job = user;
  job->fn(job->args);
  drop_job(job);
}

static cl_int run_native(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct native *n = (const struct native *)command;
  struct kiln_stream *stream = queue->lane->stream;
  enum kiln_status status = KILN_OK;
  for (cl_uint i = 0; i < n->mem_count && status == KILN_OK; i++) // so that they stay until the function has returned
    if (n->mems[i])
      status = kiln_write(stream, icd_mem_use(n->mems[i], queue), 0, NULL, 0, NULL);
  if (status != KILN_OK)
    return icd_error(status);
  atomic_fetch_add(&n->job->refs, 1);
  status = kiln_stream_host(stream, call, n->job, event);
  if (status != KILN_OK)
    drop_job(n->job);
  return icd_error(status);
}

static bool keep_native(struct icd_command *copy) {
  struct native *n = (struct native *)copy;
  cl_mem *mems = malloc((n->mem_count + 1) * sizeof *mems);
  if (!mems)
    return false;
  for (cl_uint i = 0; i < n->mem_count; i++) {
    mems[i] = n->mems[i];
    if (mems[i])
      icd_retain(mems[i]);
  }
  n->mems = mems;
  atomic_fetch_add(&n->job->refs, 1);
  return true;
}

static void drop_native(struct icd_command *copy) {
  struct native *n = (struct native *)copy;
  for (cl_uint i = 0; i < n->mem_count; i++)
    if (n->mems[i])
      icd_mem_release(n->mems[i]);
  free((void *)n->mems);
  drop_job(n->job);
}

static const struct icd_command_ops native_ops = {
    .size = sizeof(struct native), .run = run_native, .keep = keep_native, .drop = drop_native};

static cl_int check_mems(cl_command_queue queue, cl_uint count, const cl_mem *mems) {
  for (cl_uint i = 0; i < count; i++) {
    if (mems[i] && (!icd_is_buffer(mems[i]) || mems[i]->context != queue->context))
      return CL_INVALID_MEM_OBJECT;
    if (mems[i] && !icd_mem_use(mems[i], queue))
      return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  }
  return CL_SUCCESS;
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *fn)(void *), void *args, size_t args_size,
                             cl_uint mem_count, const cl_mem *mems, const void **args_mem_loc, cl_uint count,
                             const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!queue->device->info.host_memory)
    return CL_INVALID_OPERATION;
  if (!fn || !args != !args_size || (mem_count && !args) || !mem_count != !mems || !mem_count != !args_mem_loc)
    return CL_INVALID_VALUE;
  cl_int status = check_mems(queue, mem_count, mems);
  if (status != CL_SUCCESS)
    return status;
  struct job *job = malloc(sizeof *job + args_size);
  if (!job)
    return CL_OUT_OF_HOST_MEMORY;
  job->refs = 1;
  job->fn = fn;
  job->args = args ? job->copy : NULL;
  if (args)
    memcpy(job->copy, args, args_size);
  for (cl_uint i = 0; i < mem_count && status == CL_SUCCESS; i++) {
    size_t at = (size_t)((const unsigned char *)args_mem_loc[i] - (const unsigned char *)args);
    void *pointer = mems[i] ? mems[i]->host : NULL;
    if (at > args_size || args_size - at < sizeof pointer)
      status = CL_INVALID_VALUE;
    else
      memcpy(job->copy + at, &pointer, sizeof pointer);
  }
  struct native n = {{&native_ops, CL_COMMAND_NATIVE_KERNEL}, job, mem_count, mems};
  if (status == CL_SUCCESS)
    status = icd_enqueue(queue, &n.command, &(struct icd_wait_list){count, events, event}, false);
  drop_job(job);
  return status;
}
