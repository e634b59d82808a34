// Command buffers (cl_khr_command_buffer): their life, what they have recorded, and runs of that. record.c has the
// calls that record, mutable_command.c those that change what is recorded.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

// ---- recordings

static void free_recording(struct icd_recording *recording) {
  for (uint32_t i = 0; i < recording->count; i++)
    icd_command_free(recording->steps[i].command);
  free(recording->steps);
  kiln_graph_release(recording->graph);
  free(recording);
}

void icd_recording_release(struct icd_recording *recording) {
  if (atomic_fetch_sub(&recording->refs, 1) == 1)
    free_recording(recording);
}

struct icd_recording *icd_recording_new(cl_command_buffer_khr buffer, cl_int *status) {
  const struct _cl_device_id *device = buffer->queue->device;
  struct icd_recording *recording = calloc(1, sizeof *recording);
  *status = CL_OUT_OF_HOST_MEMORY;
  if (!recording)
    return NULL;
  recording->refs = 1;
  *status = icd_error(kiln_graph_create(device->backend->kiln, device->index, &recording->graph));
  if (*status != CL_SUCCESS) {
    recording->graph = NULL;
    free_recording(recording);
    return NULL;
  }
  return recording;
}

static bool grow(struct icd_recording *recording) {
  uint32_t room = recording->room ? 2 * recording->room : 16;
  struct icd_step *steps = room > recording->room ? realloc(recording->steps, room * sizeof *steps) : NULL;
  if (!steps)
    return false;
  recording->steps = steps;
  recording->room = room;
  return true;
}

cl_int icd_recording_add(cl_command_buffer_khr buffer, struct icd_recording *recording, struct icd_command *copy) {
  cl_command_queue recorder = &buffer->recorder;
  struct icd_step step = {.command = copy, .index = kiln_graph_size(recording->graph)};
  bool lacks = icd_launch_lacks(copy);
  cl_int status = recording->count < recording->room || grow(recording) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  if (status == CL_SUCCESS && !lacks) {
    recorder->lane->stream = kiln_graph_stream(recording->graph);
    status = copy->ops->run(copy, recorder, NULL);
  }
  if (status != CL_SUCCESS) {
    icd_command_free(copy);
    return status;
  }
  recording->steps[recording->count++] = step;
  recording->lacking += lacks;
  return CL_SUCCESS;
}

cl_int icd_recording_end(struct icd_recording *recording) {
  if (!recording->lacking)
    return icd_error(kiln_graph_finalize(recording->graph));
  kiln_graph_release(recording->graph); // it is made anew with the last of the arguments
  recording->graph = NULL;
  return CL_SUCCESS;
}

cl_int icd_record(cl_command_buffer_khr buffer, const struct icd_command *command) {
  struct icd_command *copy = icd_command_copy(command);
  return copy ? icd_recording_add(buffer, buffer->recording, copy) : CL_OUT_OF_HOST_MEMORY;
}

// ---- life

static void free_buffer(cl_command_buffer_khr buffer) {
  while (buffer->handles) {
    cl_mutable_command_khr next = buffer->handles->next;
    icd_mutable_free(buffer->handles);
    buffer->handles = next;
  }
  if (buffer->recording)
    icd_recording_release(buffer->recording);
  pthread_mutex_destroy(&buffer->recorder.lock);
  free(buffer->properties);
  cl_command_queue queue = buffer->queue;
  icd_object_free(buffer);
  icd_queue_release(queue);
}

// Which properties there are, and how many with their final 0.
static cl_int read_properties(const cl_command_buffer_properties_khr *properties, cl_command_buffer_flags_khr *flags,
                              cl_mutable_dispatch_asserts_khr *asserts, size_t *count) {
  const cl_command_buffer_flags_khr known = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
  bool has_flags = false, has_asserts = false;
  *flags = *asserts = *count = 0;
  if (!properties)
    return CL_SUCCESS;
  for (; properties[*count]; *count += 2) {
    bool *has = properties[*count] == CL_COMMAND_BUFFER_FLAGS_KHR                      ? &has_flags
                : properties[*count] == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR ? &has_asserts
                                                                                       : NULL;
    if (!has || *has)
      return CL_INVALID_VALUE;
    *has = true;
    *(has == &has_flags ? flags : asserts) = properties[*count + 1];
  }
  ++*count;
  if (*asserts & ~(cl_mutable_dispatch_asserts_khr)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR ||
      *flags & ~(known | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR))
    return CL_INVALID_VALUE;
  return *flags & ~known ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

// The queue that records. No call gets it from the application.
static void open_recorder(cl_command_buffer_khr buffer) {
  cl_command_queue recorder = &buffer->recorder, queue = buffer->queue;
  recorder->object = (struct icd_object){&icd_dispatch, ICD_QUEUE, 1};
  recorder->context = queue->context;
  recorder->device = queue->device;
  recorder->index = queue->index;
  recorder->records = buffer;
  recorder->lane = &recorder->lanes[0];
  recorder->lane->queue = recorder;
  recorder->lane_count = 1;
  pthread_mutex_init(&recorder->lock, NULL);
}

cl_command_buffer_khr icd_clCreateCommandBufferKHR(cl_uint queue_count, const cl_command_queue *queues,
                                                   const cl_command_buffer_properties_khr *properties,
                                                   cl_int *errcode_ret) {
  cl_command_buffer_flags_khr flags;
  cl_mutable_dispatch_asserts_khr asserts;
  size_t count;
  if (queue_count != 1 || !queues)
    return icd_give(NULL, CL_INVALID_VALUE, errcode_ret);
  if (!icd_is(queues[0], ICD_QUEUE))
    return icd_give(NULL, CL_INVALID_COMMAND_QUEUE, errcode_ret);
  cl_int status = read_properties(properties, &flags, &asserts, &count);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_command_buffer_khr buffer = icd_object_new(ICD_COMMAND_BUFFER, sizeof *buffer);
  if (!buffer)
    return icd_give(NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
  buffer->queue = queues[0];
  icd_retain(buffer->queue);
  buffer->flags = flags;
  buffer->asserts = asserts;
  open_recorder(buffer);
  if (count) {
    buffer->properties = malloc(count * sizeof *properties);
    status = buffer->properties ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  if (buffer->properties) {
    memcpy(buffer->properties, properties, count * sizeof *properties);
    buffer->property_count = count;
  }
  if (status == CL_SUCCESS)
    buffer->recording = icd_recording_new(buffer, &status);
  if (status != CL_SUCCESS) {
    free_buffer(buffer);
    buffer = NULL;
  }
  return icd_give(buffer, status, errcode_ret);
}

cl_int icd_clRetainCommandBufferKHR(cl_command_buffer_khr buffer) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  icd_retain(buffer);
  return CL_SUCCESS;
}

cl_int icd_clReleaseCommandBufferKHR(cl_command_buffer_khr buffer) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  if (icd_drop(buffer))
    free_buffer(buffer);
  return CL_SUCCESS;
}

cl_int icd_clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  pthread_mutex_lock(&buffer->recorder.lock);
  cl_int status = buffer->is_final ? CL_INVALID_OPERATION : icd_recording_end(buffer->recording);
  buffer->is_final |= status == CL_SUCCESS;
  pthread_mutex_unlock(&buffer->recorder.lock);
  return status;
}

// ---- runs

struct run {
  struct icd_command command;
  struct icd_recording *recording;
};

// Once the graph is on the stream, only that the queue uses them keeps memory objects.
static void note_use(struct icd_recording *recording, const struct _cl_command_queue *queue) {
  if (atomic_load(&recording->queues) & queue->bit)
    return;
  for (uint32_t i = 0; i < recording->count; i++) {
    const struct icd_command *command = recording->steps[i].command;
    if (command->ops->use)
      command->ops->use(command, queue);
  }
  atomic_fetch_or(&recording->queues, queue->bit);
}

static cl_int run_graph(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  struct icd_recording *recording = ((const struct run *)command)->recording;
  note_use(recording, queue);
  return icd_error(kiln_graph_run(recording->graph, queue->lane->stream, event));
}

static bool keep_run(struct icd_command *copy) {
  atomic_fetch_add(&((struct run *)copy)->recording->refs, 1);
  return true;
}

static void drop_run(struct icd_command *copy) { icd_recording_release(((struct run *)copy)->recording); }

static const struct icd_command_ops run_ops = {
    .size = sizeof(struct run), .run = run_graph, .keep = keep_run, .drop = drop_run};

// All properties that queues can have are supported, and none is required.
static cl_int check_queue(cl_command_buffer_khr buffer, cl_command_queue queue) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (queue->context != buffer->queue->context)
    return CL_INVALID_CONTEXT;
  return queue->device == buffer->queue->device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int icd_clEnqueueCommandBufferKHR(cl_uint queue_count, cl_command_queue *queues, cl_command_buffer_khr buffer,
                                     cl_uint count, const cl_event *events, cl_event *event) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  if (!queue_count != !queues || queue_count > 1)
    return CL_INVALID_VALUE;
  cl_command_queue queue = queues ? queues[0] : buffer->queue;
  cl_int status = check_queue(buffer, queue);
  if (status != CL_SUCCESS)
    return status;
  pthread_mutex_lock(&buffer->recorder.lock);
  struct icd_recording *recording = buffer->is_final && buffer->recording->graph ? buffer->recording : NULL;
  if (recording)
    atomic_fetch_add(&recording->refs, 1);
  pthread_mutex_unlock(&buffer->recorder.lock);
  if (!recording)
    return CL_INVALID_OPERATION;
  struct run run = {{&run_ops, CL_COMMAND_COMMAND_BUFFER_KHR}, recording};
  status = icd_enqueue(queue, &run.command, &(struct icd_wait_list){count, events, event}, false);
  icd_recording_release(recording);
  return status;
}

// ---- queries

static cl_command_buffer_state_khr state_of(cl_command_buffer_khr buffer) {
  pthread_mutex_lock(&buffer->recorder.lock);
  cl_command_buffer_state_khr state = !buffer->is_final          ? CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                                      : buffer->recording->graph ? CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                                                                 : CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
  pthread_mutex_unlock(&buffer->recorder.lock);
  return state;
}

cl_int icd_clGetCommandBufferInfoKHR(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name, size_t size,
                                     void *value, size_t *size_ret) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_COMMAND_BUFFER_NUM_QUEUES_KHR, cl_uint, 1)
    VALUE(CL_COMMAND_BUFFER_QUEUES_KHR, cl_command_queue, buffer->queue)
    VALUE(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, cl_uint, atomic_load(&buffer->object.refs))
    VALUE(CL_COMMAND_BUFFER_STATE_KHR, cl_command_buffer_state_khr, state_of(buffer))
    BYTES(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, buffer->properties,
          buffer->property_count * sizeof *buffer->properties)
    VALUE(CL_COMMAND_BUFFER_CONTEXT_KHR, cl_context, buffer->queue->context)
  }
  return CL_INVALID_VALUE;
}
