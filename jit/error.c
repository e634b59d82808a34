// Status names and the message of the last failed call of each thread. The text is malloc'ed, since compiler
// diagnostics can be long, and freed when its thread ends.
#include "jit/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kiln/kiln.h"

static const char out_of_memory[] = "out of memory";
static const char *const no_message = "";

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void free_message(void *message) {
  if (message != out_of_memory)
    free(message);
}

static void make_key(void) { key_made = pthread_key_create(&key, free_message) == 0; }

// When the library is unloaded no thread may call free_message any more.
__attribute__((destructor)) static void drop_key(void) {
  if (!key_made)
    return;
  free_message(pthread_getspecific(key));
  pthread_key_delete(key);
  key_made = false;
}

void kiln_set_last_error_v(const char *format, va_list args) {
  pthread_once(&key_once, make_key);
  if (!key_made)
    return;
  char *message = NULL;
  if (vasprintf(&message, format, args) < 0)
    message = (char *)out_of_memory;
  void *old = pthread_getspecific(key);
  if (pthread_setspecific(key, message) == 0)
    free_message(old);
  else
    free_message(message);
}

void kiln_set_last_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_set_last_error_v(format, args);
  va_end(args);
}

const char *kiln_last_error(void) {
  pthread_once(&key_once, make_key);
  const char *message = key_made ? pthread_getspecific(key) : NULL;
  return message ? message : no_message;
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
