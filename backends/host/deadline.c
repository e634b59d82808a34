// Deadlines of launches: one thread per driver, started when the first launch with a limit of time runs, sleeps until
// the next deadline and tells the launch to stop. A launch that ends in time only leaves the list; the thread then
// wakes up for nothing, at most once per deadline.
#include <stdio.h>
#include <unistd.h>

#include "backends/host/host.h"
#include "base/c_locale.h"
#include "base/thread.h"

#define NEVER UINT64_MAX

// These cannot fail on Linux.
void kiln_host_condition_init(pthread_cond_t *condition) {
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &clock);
  pthread_condattr_destroy(&clock);
}

bool kiln_host_watch_init(struct kiln_host_watch *watch) {
  if (pthread_mutex_init(&watch->lock, NULL))
    return false;
  kiln_host_condition_init(&watch->changed);
  return true;
}

// In a forked child: neither the thread nor the launches of the parent are there, but the condition variable counts the
// thread as waiting.
static void forget_parent(struct kiln_host_watch *watch) {
  if (!watch->started || watch->pid == getpid())
    return;
  watch->started = false;
  watch->first = NULL;
  kiln_host_condition_init(&watch->changed);
}

void kiln_host_watch_fini(struct kiln_host_watch *watch) {
  pthread_mutex_lock(&watch->lock);
  forget_parent(watch);
  watch->ends = true;
  bool join = watch->started;
  pthread_cond_signal(&watch->changed);
  pthread_mutex_unlock(&watch->lock);
  if (join)
    pthread_join(watch->thread, NULL);
  pthread_cond_destroy(&watch->changed);
  pthread_mutex_destroy(&watch->lock);
}

// Under the lock: stops what is late. Returns when the next one is.
static uint64_t stop_late(const struct kiln_host_watch *watch) {
  uint64_t now = kiln_host_now_ns(), next = NEVER;
  for (const struct kiln_host_deadline *d = watch->first; d; d = d->next) {
    uint32_t goes_on = KILN_OK;
    if (d->at_ns <= now)
      __atomic_compare_exchange_n(&d->stop->status, &goes_on, KILN_ERR_TIMEOUT, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED);
    else if (d->at_ns < next)
      next = d->at_ns;
  }
  return next;
}

static void *watch_main(void *user) {
  struct kiln_host_watch *watch = user;
  pthread_mutex_lock(&watch->lock);
  while (!watch->ends) {
    watch->wakes_ns = stop_late(watch);
    struct timespec at = {(time_t)(watch->wakes_ns / 1000000000u), (long)(watch->wakes_ns % 1000000000u)};
    if (watch->wakes_ns == NEVER)
      pthread_cond_wait(&watch->changed, &watch->lock);
    else
      pthread_cond_timedwait(&watch->changed, &watch->lock, &at);
  }
  pthread_mutex_unlock(&watch->lock);
  return NULL;
}

// Under the lock.
static bool start(struct kiln_host_watch *watch) {
  forget_parent(watch);
  if (watch->started)
    return true;
  watch->pid = getpid();
  watch->wakes_ns = 0; // it looks as soon as it runs
  watch->started = kiln_thread_start(&watch->thread, watch_main, watch);
  if (watch->started)
    pthread_setname_np(watch->thread, "kiln-deadline");
  return watch->started;
}

bool kiln_host_deadline_begin(struct kiln_host_watch *watch, struct kiln_host_deadline *deadline,
                              struct kiln_host_stop *stop) {
  deadline->stop = stop;
  if (__builtin_add_overflow(kiln_host_now_ns(), stop->limit_ns, &deadline->at_ns))
    deadline->at_ns = NEVER;
  pthread_mutex_lock(&watch->lock);
  bool watched = start(watch);
  if (watched) {
    deadline->next = watch->first;
    watch->first = deadline;
    if (deadline->at_ns < watch->wakes_ns)
      pthread_cond_signal(&watch->changed);
  }
  pthread_mutex_unlock(&watch->lock);
  return watched;
}

void kiln_host_deadline_end(struct kiln_host_watch *watch, struct kiln_host_deadline *deadline) {
  pthread_mutex_lock(&watch->lock);
  struct kiln_host_deadline **at = &watch->first;
  while (*at && *at != deadline)
    at = &(*at)->next;
  if (*at)
    *at = deadline->next;
  pthread_mutex_unlock(&watch->lock);
}

enum kiln_status kiln_host_stopped(const struct kiln_host_stop *stop, const char *kernel, char *message,
                                   size_t message_size) {
  enum kiln_status status = kiln_host_stops(stop);
  if (status == KILN_ERR_TIMEOUT)
    kiln_snprintf(message, message_size, "kernel '%s' ran longer than its deadline of %g ms, and was stopped", kernel,
                  (double)stop->limit_ns / 1e6);
  else
    snprintf(message, message_size, "kernel '%s' was cancelled while it ran", kernel);
  return status;
}
