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
  kiln_event_release(event->kiln); // nothing waits for it: held commands keep the events that they wait for
  while (event->callbacks) {       // of a user event that was never settled
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

static bool is_usable(const struct _cl_event *event, cl_int state, const struct kiln_context *kiln) {
  return state <= CL_COMPLETE || (event->queue && state == CL_SUBMITTED && event->queue->device->backend->kiln == kiln);
}

bool icd_event_usable(cl_event event, const struct kiln_context *kiln) {
  return is_usable(event, icd_event_state(event), kiln);
}

static const struct kiln_context *kiln_of(const struct icd_link *link) {
  return icd_held_event(link->held)->queue->device->backend->kiln;
}

bool icd_event_link(cl_event event, struct icd_link *link) {
  cl_context context = event->context;
  pthread_mutex_lock(&context->event_lock);
  bool waits = !is_usable(event, atomic_load(&event->state), kiln_of(link));
  if (waits)
    icd_links_add(&event->waits, link);
  pthread_mutex_unlock(&context->event_lock);
  return waits;
}

// Under the event lock.
static void take_links(cl_event event, struct icd_links *due) {
  struct icd_link *link = event->waits.first;
  event->waits = (struct icd_links){0};
  for (struct icd_link *next; link; link = next) {
    next = link->next;
    icd_links_add(is_usable(event, atomic_load(&event->state), kiln_of(link)) ? due : &event->waits, link);
  }
}

bool icd_event_settle(cl_event event, cl_int state, struct kiln_event *kiln, struct icd_links *due) {
  cl_context context = event->context;
  pthread_mutex_lock(&context->event_lock);
  cl_int before = atomic_load(&event->state);
  bool is_open = event->queue ? before == CL_QUEUED : before == CL_SUBMITTED;
  if (is_open) {
    event->kiln = kiln;
    atomic_store(&event->state, state);
    take_links(event, due);
    pthread_cond_broadcast(&context->event_changed);
  }
  pthread_mutex_unlock(&context->event_lock);
  return is_open;
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
  icd_event_go_on(user);
  icd_event_release(user);
}

// Has Kiln tell of the end; without a thread of Kiln's this one waits for it.
static void watch_end(cl_event event) {
  icd_retain(event);
  if (kiln_event_notify(event->kiln, KILN_EVENT_DONE, tell_end, event) == KILN_OK)
    return;
  icd_event_wait(event);
  tell_end(event, KILN_EVENT_DONE, KILN_OK);
}

// A callback may release the last reference but ours, and so may another thread that calls one.
void icd_event_call_back(cl_event event, struct icd_links *due) {
  cl_context context = event->context;
  icd_retain(event);
  for (;;) {
    cl_int state = icd_event_state(event);
    pthread_mutex_lock(&context->event_lock);
    struct icd_callback *callback = take_due(event, state);
    if (state <= CL_COMPLETE)
      take_links(event, due);
    bool awaits = event->queue && state == CL_SUBMITTED && (event->callbacks || event->waits.first);
    bool watch = awaits && !callback && !event->watched;
    event->watched |= watch;
    pthread_mutex_unlock(&context->event_lock);
    if (watch)
      watch_end(event);
    if (!callback)
      break;
    callback->fn(event, state < 0 ? state : callback->state, callback->user);
    free(callback);
  }
  icd_event_release(event);
}

void icd_event_take_ended(cl_event event, struct icd_links *due) {
  if (icd_event_state(event) > CL_COMPLETE)
    return; // until then, nothing changes but by icd_event_settle
  pthread_mutex_lock(&event->context->event_lock);
  take_links(event, due);
  pthread_mutex_unlock(&event->context->event_lock);
}

// What is due goes on first: a callback may wait for it.
static void go_on(cl_event event, struct icd_links *due) {
  icd_retain(event);
  do {
    icd_held_go_on(due);
    icd_event_call_back(event, due);
  } while (due->first);
  icd_event_release(event);
}

void icd_event_go_on(cl_event event) {
  struct icd_links due = {0};
  icd_event_take_ended(event, &due);
  go_on(event, &due);
}

static bool add_callback(cl_event event, cl_int state, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user) {
  struct icd_callback *callback = malloc(sizeof *callback);
  if (!callback)
    return false;
  *callback = (struct icd_callback){NULL, state, fn, user};
  icd_retain(event); // another thread may call it, and it may release the event, before this call is over
  pthread_mutex_lock(&event->context->event_lock);
  struct icd_callback **at = &event->callbacks;
  while (*at)
    at = &(*at)->next;
  *at = callback;
  pthread_mutex_unlock(&event->context->event_lock);
  icd_event_go_on(event);
  icd_event_release(event);
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
  struct icd_links due = {0};
  icd_retain(event); // a thread that waits for it may release it before this call is over
  bool is_first = icd_event_settle(event, state, NULL, &due);
  go_on(event, &due);
  icd_event_release(event);
  return is_first ? CL_SUCCESS : CL_INVALID_OPERATION;
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
