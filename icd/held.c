// Commands that are held back. Each counts the events that it waits for; the thread that settles the last of them
// enqueues it, if the order of its queue lets it, and what it was holding back. So a command is looked at a fixed
// number of times, however many are held back: when it comes, when its last event is settled, when no barrier is before
// it any more, and when it is the first of its queue.
#include <stdlib.h>

#include "icd/icd.h"

struct icd_held {
  struct icd_held *next, *previous; // in the queue's list
  struct icd_held *next_ready;
  struct icd_command *command; // a copy that owns what it needs
  cl_event event;
  uint32_t missing; // links that are in lists of events or of what is due
  bool is_open;     // no barrier is held back before it
  uint32_t dep_count;
  cl_event *deps;
  struct icd_link links[]; // one for each of deps, and one that its enqueueing thread takes back
};

// ---- life

static void free_held(struct icd_held *held) {
  icd_command_free(held->command);
  for (uint32_t i = 0; i < held->dep_count; i++)
    icd_event_release(held->deps[i]);
  if (held->event)
    icd_event_release(held->event);
  free(held);
}

struct icd_held *icd_held_new(cl_command_queue queue, const struct icd_command *command,
                              const struct icd_wait_list *list) {
  size_t links_size = (list->count + 1) * sizeof(struct icd_link);
  struct icd_held *held = calloc(1, sizeof *held + links_size + list->count * sizeof *held->deps);
  if (!held)
    return NULL;
  held->deps = (cl_event *)(held->links + list->count + 1);
  for (cl_uint i = 0; i < list->count; i++) {
    icd_retain(list->events[i]);
    held->deps[held->dep_count++] = list->events[i];
  }
  held->command = icd_command_copy(command);
  held->event = icd_event_new(queue->context, queue, command->type, CL_QUEUED);
  if (!held->command || !held->event) {
    free_held(held);
    return NULL;
  }
  return held;
}

cl_event icd_held_event(const struct icd_held *held) { return held->event; }

// ---- the list of a queue, under its lock

// Whether it waits for all that is before it.
static bool is_alone(const struct _cl_command_queue *queue, const struct icd_command *command) {
  return icd_in_order(queue) || command->after_all;
}

bool icd_may_pass(const struct _cl_command_queue *queue, const struct icd_command *command) {
  return !queue->held.first || (!is_alone(queue, command) && !queue->held.barriers);
}

static void make_ready(struct icd_held_list *list, struct icd_held *held) {
  held->next_ready = NULL;
  *(list->ready ? &list->ready_last->next_ready : &list->ready) = held;
  list->ready_last = held;
}

// Opens what no barrier holds back any more.
static void open_closed(cl_command_queue queue) {
  struct icd_held_list *list = &queue->held;
  while (list->closed && !list->is_barred) {
    struct icd_held *held = list->closed;
    list->closed = held->next;
    held->is_open = true;
    list->is_barred = held->command->before_all;
    if (!held->missing && !is_alone(queue, held->command))
      make_ready(list, held);
  }
}

void icd_held_add(struct icd_held *held, struct icd_links *due) {
  cl_command_queue queue = held->event->queue;
  struct icd_held_list *list = &queue->held;
  struct icd_link *own = &held->links[held->dep_count];
  own->held = held;
  icd_links_add(due, own);
  held->missing = 1;
  for (uint32_t i = 0; i < held->dep_count; i++) {
    held->links[i].held = held;
    held->missing += icd_event_link(held->deps[i], &held->links[i]); // a thread that takes it back waits for the lock
  }
  held->previous = list->last;
  *(list->last ? &list->last->next : &list->first) = held;
  list->last = held;
  list->closed = list->closed ? list->closed : held;
  list->barriers += held->command->before_all;
  open_closed(queue);
}

static void take_out(cl_command_queue queue, struct icd_held *held) {
  struct icd_held_list *list = &queue->held;
  *(held->previous ? &held->previous->next : &list->first) = held->next;
  *(held->next ? &held->next->previous : &list->last) = held->previous;
  if (held->command->before_all) {
    list->barriers--;
    list->is_barred = false;
    open_closed(queue);
  }
}

// One that can be enqueued now, taken out of the list; NULL: there is none.
static struct icd_held *take(cl_command_queue queue) {
  struct icd_held_list *list = &queue->held;
  struct icd_held *held = list->first;
  if (!held || held->missing || !is_alone(queue, held->command)) {
    held = list->ready;
    if (held)
      list->ready = held->next_ready;
  }
  if (held)
    take_out(queue, held);
  return held;
}

static void drop_missing(cl_command_queue queue, struct icd_held *held) {
  if (--held->missing == 0 && held->is_open && !is_alone(queue, held->command))
    make_ready(&queue->held, held);
}

// ---- going on

// What has been enqueued, with references: its callbacks come last, when nothing is held back that need not be.
struct settled {
  struct icd_held *first, *last;
};

// Takes one link back.
static void go_on(struct icd_held *held, struct icd_links *due, struct settled *settled) {
  cl_command_queue queue = held->event->queue;
  icd_retain(queue);
  pthread_mutex_lock(&queue->lock);
  drop_missing(queue, held);
  while ((held = take(queue))) {
    struct kiln_event *kiln = NULL;
    cl_int state = icd_command_put(queue, held->command, held->dep_count, held->deps, &kiln);
    held->event->lane = queue->lane;
    icd_event_settle(held->event, state == CL_SUCCESS ? CL_SUBMITTED : state, kiln, due);
    held->next_ready = NULL;
    *(settled->last ? &settled->last->next_ready : &settled->first) = held;
    settled->last = held;
  }
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
  icd_queue_release(queue);
}

// Enqueues what waits for nothing else than these links, and what that was holding back.
static struct settled enqueue_due(struct icd_links *due) {
  struct settled settled = {0};
  struct icd_held **unseen = &settled.first;
  while (due->first) {
    struct icd_link *link = due->first;
    due->first = link->next;
    due->last = due->first ? due->last : NULL;
    go_on(link->held, due, &settled);
    for (; *unseen; unseen = &(*unseen)->next_ready) // some have run already
      icd_event_take_ended((*unseen)->event, due);
  }
  return settled;
}

void icd_held_go_on(struct icd_links *due) {
  while (due->first) {
    struct settled settled = enqueue_due(due);
    for (struct icd_held *held = settled.first, *next; held; held = next) {
      next = held->next_ready;
      icd_event_call_back(held->event, due);
      free_held(held);
    }
  }
}
