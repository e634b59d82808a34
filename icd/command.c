// Enqueueing: commands go to the queue's stream, or are held back until the events that they wait for are known to it.
// icd.h says when and why.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

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

// Enqueues on a lane of the queue, which is queue->lane then. event may be NULL.
static cl_int put(cl_command_queue queue, const struct icd_command *command, cl_uint count, const cl_event *events,
                  struct kiln_event **event) {
  if (!icd_in_order(queue))
    return put_out_of_order(queue, command, count, events, event);
  cl_int status = wait_on_lane(queue->lane, count, events);
  return status == CL_SUCCESS ? command->ops->run(command, queue, event) : status;
}

// ---- held back

static void free_command(struct icd_command *command) {
  if (command->ops->drop)
    command->ops->drop(command);
  for (uint32_t i = 0; i < command->dep_count; i++)
    icd_event_release(command->deps[i]);
  free(command->deps);
  if (command->event)
    icd_event_release(command->event);
  free(command);
}

// A copy of the command that owns what it needs, with an event.
static struct icd_command *keep(cl_command_queue queue, const struct icd_command *command,
                                const struct icd_wait_list *list) {
  struct icd_command *copy = malloc(command->ops->size);
  if (!copy)
    return NULL;
  memcpy(copy, command, command->ops->size);
  copy->next = NULL;
  copy->event = NULL;
  copy->dep_count = 0;
  copy->deps = NULL;
  if (copy->ops->keep && !copy->ops->keep(copy)) {
    free(copy);
    return NULL;
  }
  copy->event = icd_event_new(queue->context, queue, command->type, CL_QUEUED);
  if (list->count)
    copy->deps = malloc(list->count * sizeof *copy->deps);
  if (!copy->event || (list->count && !copy->deps)) {
    free_command(copy);
    return NULL;
  }
  for (cl_uint i = 0; i < list->count; i++) {
    icd_retain(list->events[i]);
    copy->deps[copy->dep_count++] = list->events[i];
  }
  return copy;
}

// Whether nothing that is held back keeps this one, which comes after the commands before end (NULL: after all).
static bool may_pass(const struct _cl_command_queue *queue, const struct icd_command *command,
                     const struct icd_command *end) {
  if (queue->held == end)
    return true;
  if (icd_in_order(queue) || command->after_all)
    return false;
  for (const struct icd_command *at = queue->held; at != end; at = at->next)
    if (at->before_all)
      return false;
  return true;
}

// Under the lock: the first held command that can be enqueued now, taken out of the list; NULL: there is none.
static struct icd_command *take_ready(cl_command_queue queue) {
  for (struct icd_command **at = &queue->held; *at; at = &(*at)->next) {
    struct icd_command *command = *at;
    if (!may_pass(queue, command, command)) {
      if (icd_in_order(queue))
        return NULL;
      continue;
    }
    if (!are_usable(queue, command->dep_count, command->deps))
      continue;
    *at = command->next;
    if (queue->held_end == &command->next)
      queue->held_end = at;
    return command;
  }
  return NULL;
}

static void append(struct icd_waiters *all, struct icd_waiters *more) {
  if (!more->count)
    return;
  cl_command_queue *queues = realloc(all->queues, (all->count + more->count) * sizeof *queues);
  if (queues) {
    memcpy(queues + all->count, more->queues, more->count * sizeof *queues);
    all->queues = queues;
    all->count += more->count;
    free(more->queues);
  } else {
    icd_queues_go_on(more); // without memory for the list: deeper on the stack
  }
  *more = (struct icd_waiters){0};
}

// Enqueues what can be. The queues that wait for it are appended to all.
static void go_on(cl_command_queue queue, struct icd_waiters *all) {
  pthread_mutex_lock(&queue->lock);
  struct icd_command *command;
  while ((command = take_ready(queue))) {
    struct kiln_event *kiln = NULL;
    cl_int state = put(queue, command, command->dep_count, command->deps, &kiln);
    command->event->lane = queue->lane;
    struct icd_waiters more;
    icd_event_settle(command->event, state == CL_SUCCESS ? CL_SUBMITTED : state, kiln, &more);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    icd_event_call_back(command->event);
    append(all, &more);
    free_command(command);
    pthread_mutex_lock(&queue->lock);
  }
  pthread_mutex_unlock(&queue->lock);
}

void icd_queues_go_on(struct icd_waiters *waiters) {
  struct icd_waiters all = *waiters;
  *waiters = (struct icd_waiters){0};
  while (all.count) {
    cl_command_queue queue = all.queues[--all.count];
    go_on(queue, &all);
    icd_queue_release(queue);
  }
  free(all.queues);
}

// Under the lock. The event, if one is wanted, has a reference for the caller.
static cl_int hold_back(cl_command_queue queue, const struct icd_command *command, const struct icd_wait_list *list,
                        cl_event *event) {
  struct icd_command *copy = keep(queue, command, list);
  if (!copy)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < copy->dep_count; i++) {
    if (!icd_event_tell(copy->deps[i], queue)) {
      free_command(copy);
      return CL_OUT_OF_HOST_MEMORY;
    }
  }
  *queue->held_end = copy;
  queue->held_end = &copy->next;
  if (event) {
    icd_retain(copy->event);
    *event = copy->event;
  }
  return CL_SUCCESS;
}

// ---- enqueueing

// Under the lock.
static cl_int enqueue_now(cl_command_queue queue, const struct icd_command *command, const struct icd_wait_list *list,
                          cl_event *event) {
  if (!event)
    return put(queue, command, list->count, list->events, NULL);
  cl_event made = icd_event_new(queue->context, queue, command->type, CL_SUBMITTED);
  if (!made)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int status = put(queue, command, list->count, list->events, &made->kiln);
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

cl_int icd_enqueue(cl_command_queue queue, struct icd_command *command, const struct icd_wait_list *list,
                   bool blocking) {
  cl_int status = check_wait_list(queue, list);
  if (status != CL_SUCCESS)
    return status;
  cl_event event = NULL;
  cl_event *wanted = list->event || blocking ? &event : NULL;
  pthread_mutex_lock(&queue->lock);
  if (may_pass(queue, command, NULL) && are_usable(queue, list->count, list->events)) {
    status = enqueue_now(queue, command, list, wanted);
    pthread_mutex_unlock(&queue->lock);
  } else {
    status = hold_back(queue, command, list, wanted);
    pthread_mutex_unlock(&queue->lock);
    // An event may have been settled before the command was in the list.
    icd_retain(queue);
    cl_command_queue *one = malloc(sizeof *one);
    if (one)
      *one = queue;
    icd_queues_go_on(&(struct icd_waiters){one, one ? 1 : 0});
    if (!one)
      icd_queue_release(queue);
  }
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
  while (queue->held)
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
