// What the threads of soak.c share: objects, of which each takes and gives some, and user events that another thread
// settles.
#ifndef KILN_TESTS_ICD_SOAK_H
#define KILN_TESTS_ICD_SOAK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "command_buffer.h"

#define SLOTS 12 // objects of a kind that the threads share
#define SIZE 4096
#define WAITS 4

enum kind { QUEUE, EVENT, BUFFER, PROGRAM, KERNEL, IMAGE, SAMPLER, RECORD, KIND_COUNT };

struct world {
  cl_platform_id platform;
  cl_device_id devices[3]; // the device and, where it can be parted, two parts of it
  cl_uint device_count;
  cl_context context;
  pthread_mutex_t lock;
  void *slots[KIND_COUNT][SLOTS]; // under the lock, each with a reference; or NULL
  cl_event gates[64];             // under the lock: user events that are not settled yet, each with a reference
  int gate_count;
  atomic_bool stop;
  _Atomic uint64_t calls, failed;
  atomic_int awaited;             // callbacks that have not come yet
  unsigned char memory[4 * SIZE]; // what transfers are about, as long as the program runs
};

struct actor {
  struct world *w;
  pthread_t thread;
  uint64_t state;
};

static inline uint64_t draw(struct actor *a, uint64_t below) {
  a->state ^= a->state << 13;
  a->state ^= a->state >> 7;
  a->state ^= a->state << 17;
  return (a->state >> 11) % below;
}

// ---- shared objects

static inline void let_go(enum kind kind, void *object) {
  if (!object)
    return;
  switch (kind) {
  case QUEUE:
    clReleaseCommandQueue(object);
    break;
  case EVENT:
    clReleaseEvent(object);
    break;
  case BUFFER:
    clReleaseMemObject(object);
    break;
  case PROGRAM:
    clReleaseProgram(object);
    break;
  case KERNEL:
    clReleaseKernel(object);
    break;
  case IMAGE:
    clReleaseMemObject(object);
    break;
  case SAMPLER:
    clReleaseSampler(object);
    break;
  case RECORD:
    clReleaseCommandBufferKHR_(object);
    break;
  case KIND_COUNT:
    break;
  }
}

static inline void keep(enum kind kind, void *object) {
  switch (kind) {
  case QUEUE:
    clRetainCommandQueue(object);
    break;
  case EVENT:
    clRetainEvent(object);
    break;
  case BUFFER:
    clRetainMemObject(object);
    break;
  case PROGRAM:
    clRetainProgram(object);
    break;
  case KERNEL:
    clRetainKernel(object);
    break;
  case IMAGE:
    clRetainMemObject(object);
    break;
  case SAMPLER:
    clRetainSampler(object);
    break;
  case RECORD:
    clRetainCommandBufferKHR_(object);
    break;
  case KIND_COUNT:
    break;
  }
}

// A shared object with a reference for the caller, or NULL.
static inline void *get(struct actor *a, enum kind kind) {
  struct world *w = a->w;
  pthread_mutex_lock(&w->lock);
  void *object = w->slots[kind][draw(a, SLOTS)];
  if (object)
    keep(kind, object);
  pthread_mutex_unlock(&w->lock);
  return object;
}

// Gives an object to all, in the place of another one.
static inline void put(struct actor *a, enum kind kind, void *object) {
  struct world *w = a->w;
  if (!object)
    return;
  pthread_mutex_lock(&w->lock);
  void **slot = &w->slots[kind][draw(a, SLOTS)], *old = *slot;
  *slot = object;
  pthread_mutex_unlock(&w->lock);
  let_go(kind, old);
}

static inline void told(struct actor *a, cl_int status) {
  atomic_fetch_add(&a->w->calls, 1);
  if (status != CL_SUCCESS)
    atomic_fetch_add(&a->w->failed, 1);
}

// ---- wait lists

struct waits {
  cl_uint count;
  cl_event events[WAITS], done, *wanted;
};

static inline struct waits some_waits(struct actor *a) {
  struct waits waits = {0};
  while (draw(a, 2) && waits.count < WAITS) {
    cl_event event = get(a, EVENT);
    if (event)
      waits.events[waits.count++] = event;
  }
  return waits;
}

static inline void end_waits(struct actor *a, struct waits *waits, cl_int status) {
  told(a, status);
  for (cl_uint i = 0; i < waits->count; i++)
    clReleaseEvent(waits->events[i]);
  put(a, EVENT, waits->done);
}

#endif
