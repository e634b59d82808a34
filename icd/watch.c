// A thread per lane of a queue that waits for events with callbacks. It lives as long as there are any: commands of a
// stream end in their order, so one thread can wait for them one after the other.
#include "icd/icd.h"

static void *watch(void *user) {
  struct icd_lane *lane = user;
  cl_command_queue queue = lane->queue;
  cl_context context = queue->context;
  for (;;) {
    pthread_mutex_lock(&context->event_lock);
    cl_event event = lane->watched;
    if (event) {
      lane->watched = event->next_watched;
      if (!lane->watched)
        lane->watched_end = &lane->watched;
    } else {
      lane->has_watcher = false;
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
  struct icd_lane *lane = event->lane;
  cl_command_queue queue = lane->queue;
  pthread_mutex_t *lock = &queue->context->event_lock;
  icd_retain(event);
  icd_retain(queue);
  pthread_mutex_lock(lock);
  bool start = !lane->has_watcher;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool done = !start || pthread_create(&thread, &attributes, watch, lane) == 0;
  pthread_attr_destroy(&attributes);
  if (done) {
    lane->has_watcher = true;
    event->next_watched = NULL;
    *lane->watched_end = event;
    lane->watched_end = &event->next_watched;
  }
  pthread_mutex_unlock(lock);
  if (!done)
    icd_event_release(event);
  if (!done || !start)
    icd_queue_release(queue);
  return done;
}
