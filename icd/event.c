// Events: of commands and of the user. icd.h says which locks guard what.
#include <stdlib.h>

#include "icd/icd.h"
#include "icd/tables.h"

struct icd_callback {
  struct icd_callback *next;
  cl_int state; // that it waits for
  void(CL_CALLBACK *fn)(cl_event, cl_int, void *);
  void *user;
};

// ---- life

cl_event icd_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int state) {
  cl_event event = icd_object_new(ICD_EVENT, sizeof *event);
  if (!event)
    return NULL;
  event->context = context;
  event->queue = queue;
  event->type = type;
  event->state = state;
  if (queue) {
    icd_retain(queue); // which keeps the context
    event->queued_ns = icd_now_ns();
  } else {
    icd_retain(context);
  }
  return event;
}

void icd_event_release(cl_event event) {
  if (!icd_drop(event))
    return;
  kiln_event_release(event->kiln);
  // A user event that nobody can settle any more: what waits for it stays held back.
  for (uint32_t i = 0; i < event->waiter_count; i++)
    icd_queue_release(event->waiters[i]);
  free(event->waiters);
  while (event->callbacks) { // of a user event that was never settled
    struct icd_callback *next = event->callbacks->next;
    free(event->callbacks);
    event->callbacks = next;
  }
  cl_command_queue queue = event->queue;
  cl_context context = event->context;
  icd_object_free(event);
  if (queue)
    icd_queue_release(queue);
  else
    icd_context_release(context);
}

// ---- state

// Of a command whose Kiln event has ended.
static cl_int ended(cl_event event) {
  cl_int state = icd_error(kiln_event_wait(event->kiln)); // CL_SUCCESS is CL_COMPLETE
  atomic_store(&event->state, state);
  return state;
}

cl_int icd_event_state(cl_event event) {
  cl_int state = atomic_load(&event->state);
  if (state == CL_SUBMITTED && event->queue && kiln_event_done(event->kiln))
    return ended(event);
  return state;
}

cl_int icd_event_wait(cl_event event) {
  cl_int state = atomic_load(&event->state);
  if (state <= CL_COMPLETE)
    return state;
  if (state == CL_QUEUED || !event->queue) {
    cl_context context = event->context;
    pthread_mutex_lock(&context->event_lock);
    while ((state = atomic_load(&event->state)) == CL_QUEUED || (!event->queue && state > CL_COMPLETE))
      pthread_cond_wait(&context->event_changed, &context->event_lock);
    pthread_mutex_unlock(&context->event_lock);
  }
  return state <= CL_COMPLETE ? state : ended(event);
}

bool icd_event_settle(cl_event event, cl_int state, struct kiln_event *kiln, struct icd_waiters *waiters) {
  cl_context context = event->context;
  *waiters = (struct icd_waiters){0};
  pthread_mutex_lock(&context->event_lock);
  cl_int before = atomic_load(&event->state);
  bool is_open = event->queue ? before == CL_QUEUED : before == CL_SUBMITTED;
  if (is_open) {
    event->kiln = kiln;
    atomic_store(&event->state, state);
    *waiters = (struct icd_waiters){event->waiters, event->waiter_count};
    event->waiters = NULL;
    event->waiter_count = 0;
    pthread_cond_broadcast(&context->event_changed);
  }
  pthread_mutex_unlock(&context->event_lock);
  return is_open;
}

bool icd_event_usable(cl_event event, const struct kiln_context *kiln) {
  cl_int state = atomic_load(&event->state);
  if (state <= CL_COMPLETE)
    return true;
  if (state == CL_QUEUED || !event->queue)
    return false;
  if (event->queue->device->backend->kiln != kiln)
    icd_event_wait(event); // no stream of this Kiln context can: the host does
  return true;
}

bool icd_event_tell(cl_event event, cl_command_queue queue) {
  cl_context context = event->context;
  bool done = true;
  pthread_mutex_lock(&context->event_lock);
  cl_int state = atomic_load(&event->state);
  bool known = event->queue ? state != CL_QUEUED : state <= CL_COMPLETE;
  for (uint32_t i = 0; i < event->waiter_count; i++)
    known |= event->waiters[i] == queue;
  if (!known) {
    cl_command_queue *waiters = realloc(event->waiters, (event->waiter_count + 1) * sizeof *waiters);
    done = waiters != NULL;
    if (done) {
      event->waiters = waiters;
      waiters[event->waiter_count++] = queue;
      icd_retain(queue);
    }
  }
  pthread_mutex_unlock(&context->event_lock);
  return done;
}

// ---- callbacks

// Takes the first callback that is due, out of the list. CL_RUNNING is told late, with the end.
static struct icd_callback *take_due(cl_event event, cl_int state) {
  struct icd_callback **at = &event->callbacks;
  while (*at && (*at)->state < state)
    at = &(*at)->next;
  struct icd_callback *found = *at;
  if (found)
    *at = found->next;
  return found;
}

// On a thread of Kiln's, or at once.
static void tell_end(void *user, enum kiln_event_state state, enum kiln_status status) {
  (void)state, (void)status;
  icd_event_call_back(user);
  icd_event_release(user);
}

// False: Kiln has no thread to wait for the event with.
static bool watch_end(cl_event event) {
  icd_retain(event);
  if (kiln_event_notify(event->kiln, KILN_EVENT_DONE, tell_end, event) == KILN_OK)
    return true;
  icd_event_release(event);
  return false;
}

void icd_event_call_back(cl_event event) {
  cl_context context = event->context;
  for (;;) {
    cl_int state = icd_event_state(event);
    bool watch = false;
    pthread_mutex_lock(&context->event_lock);
    struct icd_callback *due = take_due(event, state);
    if (!due && event->callbacks && state == CL_SUBMITTED && event->queue && !event->watched)
      event->watched = watch = true;
    pthread_mutex_unlock(&context->event_lock);
    if (watch && !watch_end(event)) { // no thread: this one waits
      icd_event_wait(event);
      event->watched = false;
      continue;
    }
    if (!due)
      return;
    due->fn(event, state < 0 ? state : due->state, due->user);
    free(due);
  }
}

static bool add_callback(cl_event event, cl_int state, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user) {
  struct icd_callback *callback = malloc(sizeof *callback);
  if (!callback)
    return false;
  *callback = (struct icd_callback){NULL, state, fn, user};
  pthread_mutex_lock(&event->context->event_lock);
  struct icd_callback **at = &event->callbacks;
  while (*at)
    at = &(*at)->next;
  *at = callback;
  pthread_mutex_unlock(&event->context->event_lock);
  icd_event_call_back(event);
  return true;
}

bool icd_event_on_end(cl_event event, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user) {
  return add_callback(event, CL_COMPLETE, fn, user);
}

cl_int clSetEventCallback(cl_event event, cl_int state, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user) {
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  if (!fn || state < CL_COMPLETE || state > CL_SUBMITTED)
    return CL_INVALID_VALUE;
  return add_callback(event, state, fn, user) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

// ---- calls

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
  if (!icd_is(context, ICD_CONTEXT))
    return icd_give(NULL, CL_INVALID_CONTEXT, errcode_ret);
  cl_event event = icd_event_new(context, NULL, CL_COMMAND_USER, CL_SUBMITTED);
  return icd_give(event, event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_int clSetUserEventStatus(cl_event event, cl_int state) {
  if (!icd_is(event, ICD_EVENT) || event->queue)
    return CL_INVALID_EVENT;
  if (state > CL_COMPLETE)
    return CL_INVALID_VALUE;
  struct icd_waiters waiters;
  if (!icd_event_settle(event, state, NULL, &waiters))
    return CL_INVALID_OPERATION;
  icd_event_call_back(event);
  icd_queues_go_on(&waiters);
  return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
  if (!count || !events)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(events[i], ICD_EVENT))
      return CL_INVALID_EVENT;
    if (events[i]->context != events[0]->context)
      return CL_INVALID_CONTEXT;
  }
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < count; i++)
    if (icd_event_wait(events[i]) < 0)
      status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return status;
}

cl_int clRetainEvent(cl_event event) {
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  icd_retain(event);
  return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event) {
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  icd_event_release(event);
  return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_EVENT_COMMAND_QUEUE, cl_command_queue, event->queue)
    VALUE(CL_EVENT_COMMAND_TYPE, cl_command_type, event->type)
    VALUE(CL_EVENT_CONTEXT, cl_context, event->context)
    VALUE(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, icd_event_state(event))
    VALUE(CL_EVENT_REFERENCE_COUNT, cl_uint, atomic_load(&event->object.refs))
  }
  return CL_INVALID_VALUE;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(event, ICD_EVENT))
    return CL_INVALID_EVENT;
  if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) || icd_event_state(event) != CL_COMPLETE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  struct kiln_event_times times;
  if (kiln_event_times(event->kiln, &times) != KILN_OK)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  uint64_t queued = event->queued_ns < times.enqueued_ns ? event->queued_ns : times.enqueued_ns;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_PROFILING_COMMAND_QUEUED, cl_ulong, queued)
    VALUE(CL_PROFILING_COMMAND_SUBMIT, cl_ulong, times.enqueued_ns)
    VALUE(CL_PROFILING_COMMAND_START, cl_ulong, times.started_ns)
    VALUE(CL_PROFILING_COMMAND_END, cl_ulong, times.ended_ns)
    VALUE(CL_PROFILING_COMMAND_COMPLETE, cl_ulong, times.ended_ns)
  }
  return CL_INVALID_VALUE;
}
