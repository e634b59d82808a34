// Functions of the host that are called when an event reaches a state. For an event of the host its signal calls them.
// For commands there are threads: one for each stream whose commands are watched, which waits for one after the other,
// since they end in their order. A command that comes before the one that a thread is waiting for gets another thread.
// A thread ends when there is nothing left to wait for.
#include "jit/notify.h"

#include <stdlib.h>

#include "base/thread.h"
#include "jit/stream.h"

struct kiln_notice {
  struct kiln_notice *next;
  struct kiln_event *event; // of a command: with a reference
  kiln_event_fn *fn;
  void *user;
};

struct kiln_watcher { // a thread; under kiln_context.notify_lock
  struct kiln_watcher *next;
  struct kiln_context *ctx;
  int slot;
  uint64_t waits_for;               // commands of the slot, as in kiln_event.count
  struct kiln_notice *first, *last; // in the order of their commands
};

static void tell(const struct kiln_notice *notice, enum kiln_status status) {
  notice->fn(notice->user, status == KILN_OK ? KILN_EVENT_DONE : KILN_EVENT_FAILED, status);
}

// ---- the threads

// Under the lock: takes the next notice. NULL: all have been taken; the watcher is out of the context's list then, and
// its thread frees it.
static struct kiln_notice *take(struct kiln_watcher *watcher) {
  struct kiln_notice *notice = watcher->first;
  if (notice) {
    watcher->first = notice->next;
    watcher->waits_for = notice->event->count;
    return notice;
  }
  struct kiln_watcher **at = &watcher->ctx->watchers;
  while (*at != watcher)
    at = &(*at)->next;
  *at = watcher->next;
  return NULL;
}

static void *watch(void *user) {
  struct kiln_watcher *watcher = user;
  struct kiln_context *ctx = watcher->ctx;
  for (;;) {
    pthread_mutex_lock(&ctx->notify_lock);
    struct kiln_notice *notice = take(watcher);
    pthread_mutex_unlock(&ctx->notify_lock);
    if (!notice)
      break;
    enum kiln_status status = kiln_event_wait(notice->event);
    tell(notice, status);
    kiln_event_release(notice->event);
    free(notice);
  }
  free(watcher);
  kiln_context_unref(ctx);
  return NULL;
}

// Under the lock: a watcher of the event's stream that does not yet wait for later commands; NULL: none.
static struct kiln_watcher *find(const struct kiln_event *event) {
  struct kiln_watcher *watcher = event->ctx->watchers;
  while (watcher && (watcher->slot != event->slot || watcher->waits_for > event->count))
    watcher = watcher->next;
  return watcher;
}

static void insert(struct kiln_watcher *watcher, struct kiln_notice *notice) {
  struct kiln_notice **at = &watcher->first;
  if (*at && watcher->last->event->count <= notice->event->count)
    at = &watcher->last->next;
  while (*at && (*at)->event->count <= notice->event->count)
    at = &(*at)->next;
  notice->next = *at;
  *at = notice;
  watcher->last = notice->next ? watcher->last : notice;
}

// Under the lock. False: no memory, or no thread.
static bool start(struct kiln_event *event, struct kiln_notice *notice) {
  struct kiln_context *ctx = event->ctx;
  struct kiln_watcher *watcher = calloc(1, sizeof *watcher);
  pthread_t thread;
  if (!watcher)
    return false;
  *watcher = (struct kiln_watcher){ctx->watchers, ctx, event->slot, event->count, notice, notice};
  if (!kiln_thread_start(&thread, watch, watcher)) {
    free(watcher);
    return false;
  }
  pthread_detach(thread);
  kiln_context_ref(ctx);
  ctx->watchers = watcher;
  return true;
}

// ---- calls

void kiln_notify_signalled(struct kiln_event *event, enum kiln_status status) {
  struct kiln_context *ctx = event->ctx;
  pthread_mutex_lock(&ctx->notify_lock);
  struct kiln_notice *notices = event->notices;
  event->notices = NULL;
  pthread_mutex_unlock(&ctx->notify_lock);
  for (struct kiln_notice *notice = notices, *next; notice; notice = next) {
    next = notice->next;
    tell(notice, status);
    free(notice);
  }
}

enum kiln_status kiln_event_notify(struct kiln_event *event, enum kiln_event_state state, kiln_event_fn *fn,
                                   void *user) {
  if (!event || !fn)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_notify: %s is NULL", event ? "fn" : "event");
  if ((unsigned)state > KILN_EVENT_FAILED)
    return kiln_error(KILN_ERR_INVALID, "kiln_event_notify: %d is no state", (int)state);
  enum kiln_status status;
  enum kiln_event_state now = kiln_event_state(event, &status);
  if (now >= state || now == KILN_EVENT_DONE) {
    fn(user, now, status);
    return KILN_OK;
  }
  struct kiln_context *ctx = event->ctx;
  struct kiln_notice *notice = malloc(sizeof *notice);
  if (!notice)
    return kiln_error_memory();
  *notice = (struct kiln_notice){NULL, event, fn, user};
  pthread_mutex_lock(&ctx->notify_lock);
  struct kiln_watcher *watcher = event->is_user ? NULL : find(event);
  bool is_late = event->is_signalled, is_kept = true;
  if (event->is_user && !is_late) {
    struct kiln_notice **at = &event->notices;
    while (*at)
      at = &(*at)->next;
    *at = notice;
  } else if (!event->is_user) {
    kiln_event_retain(event);
    if (watcher)
      insert(watcher, notice);
    else
      is_kept = start(event, notice);
  }
  pthread_mutex_unlock(&ctx->notify_lock);
  if (is_late)
    tell(notice, kiln_event_wait(event));
  if (is_late || !is_kept)
    free(notice);
  if (is_kept)
    return KILN_OK;
  kiln_event_release(event);
  return kiln_error(KILN_ERR_MEMORY, "kiln_event_notify: no memory or no thread to wait for the event with");
}
