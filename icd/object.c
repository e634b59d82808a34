// What all objects share: their head, answers to queries, errors.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "icd/icd.h"

void *icd_object_new(enum icd_kind kind, size_t size) {
  struct icd_object *object = calloc(1, size);
  if (!object)
    return NULL;
  object->dispatch = &icd_dispatch;
  object->kind = kind;
  object->refs = 1;
  atomic_fetch_add_explicit(icd_objects(kind), 1, memory_order_relaxed);
  return object;
}

void icd_object_free(void *object) {
  struct icd_object *head = object;
  if (head) {
    atomic_fetch_sub_explicit(icd_objects(head->kind), 1, memory_order_relaxed);
    head->kind = 0;
  }
  free(head);
}

struct icd_destructor *icd_destructor_take(struct icd_destructor **list, pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  struct icd_destructor *newest = *list;
  if (newest)
    *list = newest->next;
  pthread_mutex_unlock(lock);
  return newest;
}

cl_int icd_put(const struct icd_answer *answer, const void *data, size_t size) {
  if (answer->value && answer->size < size)
    return CL_INVALID_VALUE;
  if (answer->value && size)
    memcpy(answer->value, data, size);
  if (answer->size_ret)
    *answer->size_ret = size;
  return CL_SUCCESS;
}

cl_int icd_put_string(const struct icd_answer *answer, const char *text) {
  return icd_put(answer, text, strlen(text) + 1);
}

cl_int icd_error(enum kiln_status status) {
  switch (status) {
  case KILN_OK:
    return CL_SUCCESS;
  case KILN_ERR_INVALID:
    return CL_INVALID_VALUE;
  case KILN_ERR_UNSUPPORTED:
    return CL_INVALID_OPERATION;
  case KILN_ERR_MEMORY:
    return CL_OUT_OF_HOST_MEMORY;
  case KILN_ERR_UNAVAILABLE:
    return CL_DEVICE_NOT_AVAILABLE;
  case KILN_ERR_COMPILE:
  case KILN_ERR_NOT_FOUND:
  case KILN_ERR_IO:
  case KILN_ERR_DEVICE:
  case KILN_ERR_NOT_CACHED:
  case KILN_ERR_INTERNAL:
  case KILN_ERR_TIMEOUT:
  case KILN_ERR_CANCELLED:
    break;
  }
  return CL_OUT_OF_RESOURCES;
}

uint64_t icd_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
