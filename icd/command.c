// Enqueueing: commands go to the queue's stream, or are held back until it can wait for their events (held.c). icd.h
// says when and why.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

struct icd_command *icd_command_copy(const struct icd_command *command) {
  struct icd_command *copy = malloc(command->ops->size);
  if (!copy)
    return NULL;
  memcpy(copy, command, command->ops->size);
  if (copy->ops->keep && !copy->ops->keep(copy)) {
    free(copy);
    return NULL;
  }
  return copy;
}

void icd_command_free(struct icd_command *copy) {
  if (copy && copy->ops->drop)
    copy->ops->drop(copy);
  free(copy);
}

static cl_int check_wait_list(cl_command_queue queue, const struct icd_wait_list *list) {
  if (!list->count != !list->events)
    return CL_INVALID_EVENT_WAIT_LIST;
  for (cl_uint i = 0; i < list->count; i++) {
    if (!icd_is(list->events[i], ICD_EVENT))
      return CL_INVALID_EVENT_WAIT_LIST;
    if (list->events[i]->context != queue->context)
      return CL_INVALID_CONTEXT;
  }
  return CL_SUCCESS;
}

// ---- onto the stream, under the queue's lock

static bool are_usable(cl_command_queue queue, cl_uint count, const cl_event *events) {
  for (cl_uint i = 0; i < count; i++)
    if (!icd_event_usable(events[i], queue->device->backend->kiln))
      return false;
  return true;
}

// The lane waits for events that are usable. EXEC_STATUS_ERROR... when one has failed already.
static cl_int wait_on_lane(const struct icd_lane *lane, cl_uint count, const cl_event *events) {
  for (cl_uint i = 0; i < count; i++) {
    cl_int state = icd_event_state(events[i]);
    if (state < 0)
      return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (state == CL_COMPLETE || events[i]->lane == lane)
      continue;
    enum kiln_status status = kiln_stream_wait(lane->stream, events[i]->kiln);
    if (status != KILN_OK)
      return icd_error(status);
  }
  return CL_SUCCESS;
}

cl_int icd_run_mark(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  (void)command;
  return event ? icd_error(kiln_write(queue->lane->stream, queue->mark, 0, NULL, 0, event)) : CL_SUCCESS;
}

// A command of a queue out of order always has an event, which tells when its lane is idle.
static cl_int put_out_of_order(cl_command_queue queue, const struct icd_command *command, cl_uint count,
                               const cl_event *events, struct kiln_event **event) {
  struct icd_lane *lane = queue->lane = icd_lane_choose(queue, count, events);
  cl_int status = wait_on_lane(lane, count, events);
  if (status == CL_SUCCESS && command->after_all)
    status = icd_lane_join(lane);
  struct kiln_event *kiln = NULL;
  if (status == CL_SUCCESS)
    status = command->ops->run(command, queue, &kiln);
  if (status != CL_SUCCESS)
    return status;
  kiln_event_release(lane->last);
  lane->last = kiln;
  if (event) {
    kiln_event_retain(kiln);
    *event = kiln;
  }
  return command->before_all ? icd_lane_fork(lane) : CL_SUCCESS;
}

cl_int icd_command_put(cl_command_queue queue, const struct icd_command *command, cl_uint count, const cl_event *events,
                       struct kiln_event **event) {
  if (!icd_in_order(queue))
    return put_out_of_order(queue, command, count, events, event);
  cl_int status = wait_on_lane(queue->lane, count, events);
  return status == CL_SUCCESS ? command->ops->run(command, queue, event) : status;
}

// ---- enqueueing

// Under the lock.
static cl_int enqueue_now(cl_command_queue queue, const struct icd_command *command, const struct icd_wait_list *list,
                          cl_event *event) {
  if (!event)
    return icd_command_put(queue, command, list->count, list->events, NULL);
  cl_event made = icd_event_new(queue->context, queue, command->type, CL_SUBMITTED);
  if (!made)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int status = icd_command_put(queue, command, list->count, list->events, &made->kiln);
  made->lane = queue->lane;
  if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    made->state = status; // the command has failed before it began
    status = CL_SUCCESS;
  }
  if (status == CL_SUCCESS)
    *event = made;
  else
    icd_event_release(made);
  return status;
}

// Holds the command back. The event has a reference for the caller.
static cl_int hold_back(cl_command_queue queue, const struct icd_command *command, const struct icd_wait_list *list,
                        cl_event *event) {
  struct icd_held *held = icd_held_new(queue, command, list);
  if (!held)
    return CL_OUT_OF_HOST_MEMORY;
  if (event) {
    *event = icd_held_event(held);
    icd_retain(*event);
  }
  for (cl_uint i = 0; i < list->count; i++)
    icd_retain(list->events[i]); // a callback may release them before this call is over
  struct icd_links due = {0};
  pthread_mutex_lock(&queue->lock);
  icd_held_add(held, &due);
  pthread_mutex_unlock(&queue->lock);
  icd_held_go_on(&due); // what it waits for may have happened
  for (cl_uint i = 0; i < list->count; i++) {
    icd_event_go_on(list->events[i]);
    icd_event_release(list->events[i]);
  }
  return CL_SUCCESS;
}

cl_int icd_enqueue(cl_command_queue queue, struct icd_command *command, const struct icd_wait_list *list,
                   bool blocking) {
  if (queue->records)
    return icd_record(queue->records, command);
  cl_int status = check_wait_list(queue, list);
  if (status != CL_SUCCESS)
    return status;
  cl_event event = NULL;
  cl_event *wanted = list->event || blocking ? &event : NULL;
  pthread_mutex_lock(&queue->lock);
  bool passes = icd_may_pass(queue, command) && are_usable(queue, list->count, list->events);
  if (passes)
    status = enqueue_now(queue, command, list, wanted);
  pthread_mutex_unlock(&queue->lock);
  if (!passes)
    status = hold_back(queue, command, list, wanted);
  if (status != CL_SUCCESS)
    return status;
  if (blocking && icd_event_wait(event) < 0)
    status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (list->event && status == CL_SUCCESS)
    *list->event = event;
  else if (event)
    icd_event_release(event);
  return status;
}

cl_int icd_queue_finish(cl_command_queue queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->held.first)
    pthread_cond_wait(&queue->changed, &queue->lock);
  pthread_mutex_unlock(&queue->lock);
  return icd_lanes_finish(queue);
}

// ---- commands without content

static const struct icd_command_ops mark_ops = {.size = sizeof(struct icd_command), .run = icd_run_mark};

static cl_int enqueue_mark(cl_command_queue queue, cl_command_type type, bool before_all, cl_uint count,
                           const cl_event *events, cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  struct icd_command command = {&mark_ops, type, .after_all = !count, .before_all = before_all};
  return icd_enqueue(queue, &command, &(struct icd_wait_list){count, events, event}, false);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *event) {
  return enqueue_mark(queue, CL_COMMAND_MARKER, false, count, events, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *event) {
  return enqueue_mark(queue, CL_COMMAND_BARRIER, true, count, events, event);
}

cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event) {
  if (icd_is(queue, ICD_QUEUE) && !event)
    return CL_INVALID_VALUE;
  return enqueue_mark(queue, CL_COMMAND_MARKER, false, 0, NULL, event);
}

cl_int clEnqueueBarrier(cl_command_queue queue) { return enqueue_mark(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL); }

cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *events) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!count || !events)
    return CL_INVALID_VALUE;
  cl_int status = enqueue_mark(queue, CL_COMMAND_BARRIER, true, count, events, NULL);
  return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}
