// Status names, and message and reason of the last failed call of each thread. The text is malloc'ed, since compiler
// diagnostics can be long, and freed when its thread ends.
#include "jit/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kiln/kiln.h"

struct failure {
  char *text; // freed with it; NULL: there was no memory for it
  enum kiln_reason reason;
  uint32_t index;
};

static const char out_of_memory[] = "out of memory";
static const struct failure no_memory; // of a thread for which there was none

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void free_failure(void *data) {
  struct failure *failure = data;
  if (!failure || failure == &no_memory)
    return;
  free(failure->text);
  free(failure);
}

static void make_key(void) { key_made = pthread_key_create(&key, free_failure) == 0; }

// When the library is unloaded no thread may call free_failure any more.
__attribute__((destructor)) static void drop_key(void) {
  if (!key_made)
    return;
  free_failure(pthread_getspecific(key));
  pthread_key_delete(key);
  key_made = false;
}

// The calling thread's; NULL: it never failed.
static const struct failure *last_failure(void) {
  pthread_once(&key_once, make_key);
  return key_made ? pthread_getspecific(key) : NULL;
}

// The same, to be written to; NULL: memory is exhausted.
static struct failure *writable_failure(void) {
  const struct failure *last = last_failure();
  if (!key_made || (last && last != &no_memory))
    return (struct failure *)last;
  struct failure *failure = calloc(1, sizeof *failure);
  if (failure && pthread_setspecific(key, failure) == 0)
    return failure;
  free(failure);
  pthread_setspecific(key, &no_memory);
  return NULL;
}

void kiln_set_last_error_v(const char *format, va_list args) {
  struct failure *failure = writable_failure();
  if (!failure)
    return;
  char *text = NULL;
  if (vasprintf(&text, format, args) < 0)
    text = NULL;
  free(failure->text); // only now: the arguments may point into it
  *failure = (struct failure){.text = text};
}

void kiln_set_last_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_set_last_error_v(format, args);
  va_end(args);
}

void kiln_set_last_reason(enum kiln_reason reason, uint32_t index) {
  struct failure *failure = writable_failure();
  if (!failure)
    return;
  failure->reason = reason;
  failure->index = index;
}

const char *kiln_last_error(void) {
  const struct failure *failure = last_failure();
  return !failure ? "" : failure->text ? failure->text : out_of_memory;
}

enum kiln_reason kiln_last_reason(uint32_t *index) {
  const struct failure *failure = last_failure();
  if (index)
    *index = failure ? failure->index : 0;
  return failure ? failure->reason : KILN_REASON_NONE;
}

const char *kiln_status_name(enum kiln_status status) {
  switch (status) {
  case KILN_OK:
    return "ok";
  case KILN_ERR_INVALID:
    return "invalid argument";
  case KILN_ERR_COMPILE:
    return "compile error";
  case KILN_ERR_NOT_FOUND:
    return "not found";
  case KILN_ERR_UNAVAILABLE:
    return "unavailable";
  case KILN_ERR_UNSUPPORTED:
    return "unsupported";
  case KILN_ERR_MEMORY:
    return "out of memory";
  case KILN_ERR_IO:
    return "input/output error";
  case KILN_ERR_DEVICE:
    return "device error";
  case KILN_ERR_NOT_CACHED:
    return "not cached";
  case KILN_ERR_INTERNAL:
    return "internal error";
  case KILN_ERR_TIMEOUT:
    return "timeout";
  case KILN_ERR_CANCELLED:
    return "cancelled";
  }
  return "unknown status";
}
