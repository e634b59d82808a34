// A thread per queue that waits for events with callbacks. It lives as long as there are any: commands of a stream end
// in their order, so one thread can wait for them one after the other.
#include "icd/icd.h"

static void *watch(void *user) {
  cl_command_queue queue = user;
  cl_context context = queue->context;
  for (;;) {
    pthread_mutex_lock(&context->event_lock);
    cl_event event = queue->watched;
    if (event) {
      queue->watched = event->next_watched;
      if (!queue->watched)
        queue->watched_end = &queue->watched;
    } else {
      queue->has_watcher = false;
    }
    pthread_mutex_unlock(&context->event_lock);
    if (!event)
      break;
    icd_event_wait(event);
    icd_event_call_back(event);
    icd_event_release(event);
  }
  icd_queue_release(queue);
  return NULL;
}

bool icd_watch(cl_event event) {
  cl_command_queue queue = event->queue;
  pthread_mutex_t *lock = &queue->context->event_lock;
  icd_retain(event);
  icd_retain(queue);
  pthread_mutex_lock(lock);
  bool start = !queue->has_watcher;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool done = !start || pthread_create(&thread, &attributes, watch, queue) == 0;
  pthread_attr_destroy(&attributes);
  if (done) {
    queue->has_watcher = true;
    event->next_watched = NULL;
    *queue->watched_end = event;
    queue->watched_end = &event->next_watched;
  }
  pthread_mutex_unlock(lock);
  if (!done)
    icd_event_release(event);
  if (!done || !start)
    icd_queue_release(queue);
  return done;
}
