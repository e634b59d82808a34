// What kernels print and the library logs, from any thread: kept until a thread of Python delivers it. So no thread of
// the library ever waits for the GIL, which makes waiting, fork and the interpreter's exit safe.
#include <stdlib.h>
#include <string.h>

#include "pykiln.h"

#define LIMIT (64u << 20) // bytes that wait at most; what comes beyond is counted and left out
#define ROOM 4096         // for more text in a piece of print

struct pk_message {
  struct pk_message *next;
  int level; // of a log message; -1: printed by a kernel
  size_t size, room;
  char text[];
};

void pk_messages_init(struct pk_messages *messages) {
  memset(messages, 0, sizeof *messages);
  pthread_mutex_init(&messages->lock, NULL);
}

void pk_messages_free(struct pk_messages *messages) {
  for (struct pk_message *m = messages->first, *next; m; m = next) {
    next = m->next;
    free(m);
  }
  pthread_mutex_destroy(&messages->lock);
}

static void add(struct pk_messages *messages, int level, const char *text, size_t size) {
  pthread_mutex_lock(&messages->lock);
  struct pk_message *m = messages->last;
  bool fits = m && level < 0 && m->level < 0 && m->room - m->size >= size;
  if (!fits) {
    size_t room = level < 0 && size < ROOM ? ROOM : size;
    m = size > LIMIT - messages->bytes ? NULL : malloc(sizeof *m + room);
    if (m) {
      *m = (struct pk_message){NULL, level, 0, room};
      if (messages->last)
        messages->last->next = m;
      else
        messages->first = m;
      messages->last = m;
    }
  }
  if (m) {
    memcpy(m->text + m->size, text, size);
    m->size += size;
    messages->bytes += size;
  } else {
    messages->dropped += size;
  }
  atomic_store(&messages->waiting, true);
  pthread_mutex_unlock(&messages->lock);
}

void pk_on_print(void *messages, const char *text, size_t size) { add(messages, -1, text, size); }

void pk_on_log(void *messages, enum kiln_log_level level, const char *text) {
  add(messages, (int)level, text, strlen(text));
}

static void deliver(struct pk_context *context, int level, const char *text, size_t size) {
  static const char *const levels[] = {"error", "warning", "info", "debug"};
  PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace"), *done = NULL;
  if (level >= 0)
    done = string && context->log ? PyObject_CallFunction(context->log, "sO", levels[level], string) : NULL;
  else if (string && context->print)
    done = PyObject_CallFunctionObjArgs(context->print, string, NULL);
  else if (string) {
    PyObject *out = PySys_GetObject("stdout"); // borrowed; None where there is no console
    done = out && out != Py_None ? PyObject_CallMethod(out, "write", "O", string) : (Py_INCREF(Py_None), Py_None);
  }
  if (!done && PyErr_Occurred())
    PyErr_WriteUnraisable(level >= 0 ? context->log : context->print);
  Py_XDECREF(done);
  Py_XDECREF(string);
}

void pk_context_deliver(struct pk_context *context) {
  struct pk_messages *messages = &context->messages;
  if (!atomic_load_explicit(&messages->waiting, memory_order_relaxed))
    return;
  PyObject *type, *value, *trace; // an exception under way stays
  PyErr_Fetch(&type, &value, &trace);
  pthread_mutex_lock(&messages->lock); // held by others for the time of a copy
  struct pk_message *m = messages->first;
  size_t dropped = messages->dropped;
  messages->first = messages->last = NULL;
  messages->bytes = messages->dropped = 0;
  atomic_store(&messages->waiting, false);
  pthread_mutex_unlock(&messages->lock);
  while (m) {
    struct pk_message *next = m->next;
    deliver(context, m->level, m->text, m->size);
    free(m);
    m = next;
  }
  if (dropped) {
    char text[96];
    int size = PyOS_snprintf(text, sizeof text, "\n[kiln: %zu bytes that kernels printed were left out]\n", dropped);
    deliver(context, -1, text, (size_t)size);
  }
  PyErr_Restore(type, value, trace);
}
