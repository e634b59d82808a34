// kiln.Queue and kiln.Event: what is enqueued, and the memory that it holds until it has run.
#include "pykiln.h"

// ---- pending commands -----------------------------------------------------------------------------------------------

static void pending_unref(struct pk_pending *pending) {
  if (--pending->refs)
    return;
  kiln_event_release(pending->ran);
  kiln_event_release(pending->done);
  PyMem_Free(pending);
}

static struct kiln_event *last_event(const struct pk_pending *pending) {
  return pending->done ? pending->done : pending->ran;
}

// Gives back the arrays of a command that has run, which is the first one of its queue.
static void retire_first(struct pk_queue *queue) {
  struct pk_pending *pending = queue->first;
  queue->first = pending->next;
  if (!queue->first)
    queue->last = NULL;
  struct pk_array *arrays = pending->arrays;
  pending->arrays = NULL;
  if (arrays && !queue->lost)
    pk_arrays_free(arrays, pending->count); // may run code of Python
  PyMem_Free(arrays);
  pending_unref(pending);
}

void pk_queue_sweep(struct pk_queue *queue) {
  while (queue->first && kiln_event_done(last_event(queue->first)))
    retire_first(queue);
}

PyObject *pk_queue_event(struct pk_queue *queue, struct kiln_event *ran, struct kiln_event *done,
                         struct pk_array *arrays, uint32_t count) {
  PyTypeObject *type = queue->context->state->event;
  struct pk_pending *pending = PyMem_Malloc(sizeof *pending);
  struct pk_event *event = pending ? (void *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0) : PyErr_NoMemory();
  if (!event) { // the command is enqueued: it must end before the arrays are given back
    PyMem_Free(pending);
    PK_BEGIN
    kiln_event_wait(done ? done : ran);
    PK_END
    kiln_event_release(ran);
    kiln_event_release(done);
    pk_arrays_free(arrays, count);
    PyMem_Free(arrays);
    return NULL;
  }
  *pending = (struct pk_pending){.refs = 2, .ran = ran, .done = done, .arrays = arrays, .count = count};
  if (queue->last)
    queue->last->next = pending;
  else
    queue->first = pending;
  queue->last = pending;
  Py_INCREF(queue);
  event->queue = queue;
  event->pending = pending;
  return (PyObject *)event;
}

// ---- queues ---------------------------------------------------------------------------------------------------------

bool pk_queue_open(struct pk_queue *queue) {
  return queue->stream || pk_raise_text(KILN_ERR_INVALID, "the queue is closed");
}

static PyObject *queue_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"context", "device", NULL};
  struct pk_state *state = pk_state();
  struct pk_context *context;
  uint32_t device = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O&:Queue", names, state->context, &context, pk_to_uint, &device) ||
      !pk_context_usable(context))
    return NULL;
  struct kiln_stream *stream = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = pk_stream_new(context, device, &stream);
  PK_END
  context->has_device = true;
  if (status != KILN_OK)
    return pk_raise(status);
  struct pk_queue *self = (struct pk_queue *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_stream_release(stream);
    return NULL;
  }
  Py_INCREF(context);
  self->context = context;
  self->stream = stream;
  self->device = device;
  self->next = state->queues;
  self->self = &state->queues;
  if (self->next)
    self->next->self = &self->next;
  state->queues = self;
  return (PyObject *)self;
}

// Raises the exception of a status. After one that says so the device may go on with what it runs.
static bool check(struct pk_queue *self, enum kiln_status status) {
  self->lost |= (status == KILN_ERR_TIMEOUT || status == KILN_ERR_CANCELLED) && !self->context->is_host;
  return status == KILN_OK || pk_raise(status);
}

// Waits with an eye on signals. False with the exception of a handler: the queue was cancelled.
static bool wait_for(struct pk_queue *self, struct kiln_stream *stream, struct kiln_event *event) {
  bool good = pk_wait(self->context, stream, event);
  self->lost |= !good && !self->context->is_host;
  return good;
}

// Gives back a stream that nobody uses, and what its commands held. False with the exception of a signal's handler.
static bool release(struct pk_queue *self, struct kiln_stream *stream) {
  bool good = true;
  if (pk_context_can_close(self->context)) {
    good = wait_for(self, stream, NULL);
    PK_BEGIN
    kiln_stream_release(stream);
    PK_END
  }
  while (self->first)
    retire_first(self);
  return good;
}

struct kiln_stream *pk_queue_hold(struct pk_queue *queue) {
  queue->users++;
  return queue->stream;
}

void pk_queue_unhold(struct pk_queue *queue) {
  struct kiln_stream *ending = --queue->users ? NULL : queue->ending;
  if (!ending)
    return;
  queue->ending = NULL;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  bool good = release(queue, ending);
  if (type || good)
    PyErr_Restore(type, value, trace); // the first exception is the one that is told
}

// Raises an error of the commands, or the exception of a signal's handler.
static bool finish(struct pk_queue *self) {
  struct kiln_stream *stream = pk_queue_hold(self);
  bool good = wait_for(self, stream, NULL);
  if (good) {
    enum kiln_status status;
    PK_BEGIN
    status = kiln_stream_finish(stream);
    PK_END
    good = check(self, status);
  }
  pk_queue_unhold(self);
  pk_queue_sweep(self);
  return good;
}

// Ends what is enqueued and takes the queue from the list of open ones. False with the exception of a signal's handler.
static bool close_queue(struct pk_queue *self) {
  struct kiln_stream *stream = self->stream;
  if (!stream)
    return true;
  self->stream = NULL;
  *self->self = self->next;
  if (self->next)
    self->next->self = self->self;
  bool good = true;
  if (self->users)
    self->ending = stream;
  else
    good = release(self, stream);
  pk_context_deliver(self->context);
  return good;
}

// An exception that nothing can be told of; Ctrl-C comes again, where it can.
static void put_off(struct pk_queue *self) {
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_WriteUnraisable((PyObject *)Py_TYPE(self));
    return;
  }
  PyErr_Clear();
  PyErr_SetInterrupt();
}

static void queue_dealloc(struct pk_queue *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->context) {
    PyObject *error, *value, *trace;
    PyErr_Fetch(&error, &value, &trace);
    if (!close_queue(self))
      put_off(self);
    PyErr_Restore(error, value, trace);
  }
  Py_XDECREF(self->context);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *result_of(struct pk_queue *self, bool good) {
  pk_context_deliver(self->context);
  if (!good)
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *queue_finish(struct pk_queue *self, PyObject *unused) {
  (void)unused;
  if (!pk_context_usable(self->context) || !pk_queue_open(self))
    return NULL;
  return result_of(self, finish(self));
}

static PyObject *queue_wait(struct pk_queue *self, PyObject *object) {
  struct pk_state *state = self->context->state;
  if (!PyObject_TypeCheck(object, state->event)) {
    PyErr_SetString(PyExc_TypeError, "Queue.wait takes an Event");
    return NULL;
  }
  if (!pk_context_usable(self->context) || !pk_queue_open(self))
    return NULL;
  return result_of(self, check(self, kiln_stream_wait(self->stream, last_event(((struct pk_event *)object)->pending))));
}

static PyObject *queue_cancel(struct pk_queue *self, PyObject *unused) {
  (void)unused;
  if (!pk_context_usable(self->context) || !pk_queue_open(self))
    return NULL;
  return result_of(self, check(self, kiln_stream_cancel(self->stream)));
}

static PyObject *queue_set_deadline(struct pk_queue *self, PyObject *object) {
  double seconds = object == Py_None ? 0 : PyFloat_AsDouble(object);
  if ((seconds == -1 && PyErr_Occurred()) || !pk_context_usable(self->context) || !pk_queue_open(self))
    return NULL;
  if (!(seconds >= 0)) {
    PyErr_SetString(PyExc_ValueError, "a deadline is a number of seconds, or None");
    return NULL;
  }
  uint64_t ns = seconds >= 1.8e10 ? KILN_DEADLINE_CANCEL : (uint64_t)(seconds * 1e9);
  if (!ns && !self->context->is_host)
    ns = KILN_DEADLINE_CANCEL; // as pk_stream_new
  return result_of(self, check(self, kiln_stream_set_deadline(self->stream, ns)));
}

static PyObject *queue_close(struct pk_queue *self, PyObject *unused) {
  (void)unused;
  if (!self->stream)
    Py_RETURN_NONE;
  if (!pk_context_usable(self->context))
    return NULL;
  PyObject *result = result_of(self, finish(self)), *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  bool closed = close_queue(self);
  if (result && closed)
    return result;
  Py_XDECREF(result);
  if (type)
    PyErr_Restore(type, value, trace);
  return NULL;
}

static PyObject *queue_enter(struct pk_queue *self, PyObject *unused) {
  (void)unused;
  Py_INCREF(self);
  return (PyObject *)self;
}

// An exception of the block is told rather than an error of the queue.
static PyObject *queue_exit(struct pk_queue *self, PyObject *args) {
  PyObject *failed = PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : Py_None;
  if (failed == Py_None)
    return queue_close(self, NULL);
  if (!close_queue(self))
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *get_context(struct pk_queue *self, void *unused) {
  (void)unused;
  Py_INCREF(self->context);
  return (PyObject *)self->context;
}

// ---- events ---------------------------------------------------------------------------------------------------------

static void event_dealloc(struct pk_event *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->pending)
    pending_unref(self->pending);
  Py_XDECREF(self->queue);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// Waits with an eye on signals; a handler's exception cancels the queue.
static bool await(struct pk_event *self) {
  struct pk_queue *queue = self->queue;
  struct kiln_event *event = last_event(self->pending);
  if (!pk_context_usable(queue->context))
    return false;
  if (!queue->stream || kiln_event_done(event)) // all of a closed queue has ended
    return true;
  struct kiln_stream *stream = pk_queue_hold(queue);
  bool good = wait_for(queue, stream, event);
  pk_queue_unhold(queue);
  if (!good)
    pk_queue_sweep(queue);
  return good;
}

static PyObject *event_wait(struct pk_event *self, PyObject *unused) {
  (void)unused;
  if (!await(self))
    return NULL;
  enum kiln_status status;
  struct pk_pending *pending = self->pending;
  PK_BEGIN
  status = kiln_event_wait(pending->ran);
  if (pending->done) {
    enum kiln_status copied = kiln_event_wait(pending->done);
    status = status == KILN_OK ? copied : status;
  }
  PK_END
  bool good = check(self->queue, status);
  pk_queue_sweep(self->queue);
  return result_of(self->queue, good);
}

static PyObject *get_done(struct pk_event *self, void *unused) {
  (void)unused;
  return PyBool_FromLong(kiln_event_done(last_event(self->pending)));
}

static PyObject *get_times(struct pk_event *self, void *unused) {
  (void)unused;
  if (!await(self))
    return NULL;
  struct kiln_event_times times = {0};
  struct kiln_event *ran = self->pending->ran;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_event_times(ran, &times);
  PK_END
  return status == KILN_OK ? pk_times(self->queue->context->state, &times) : pk_raise(status);
}

static PyObject *get_seconds(struct pk_event *self, void *unused) {
  PyObject *times = get_times(self, unused);
  PyObject *seconds = times ? PyObject_GetAttrString(times, "seconds") : NULL;
  Py_XDECREF(times);
  return seconds;
}

// ---- types ----------------------------------------------------------------------------------------------------------

static PyMethodDef queue_methods[] = {
    {"finish", (PyCFunction)queue_finish, METH_NOARGS,
     "finish()\n--\n\nWaits until all that was enqueued has run; raises the first error since the last call."},
    {"wait", (PyCFunction)queue_wait, METH_O,
     "wait(event)\n--\n\nWhat is enqueued from now on waits for an event of another queue."},
    {"cancel", (PyCFunction)queue_cancel, METH_NOARGS,
     "cancel()\n--\n\nEnds what is enqueued, as far as the backend can stop it."},
    {"set_deadline", (PyCFunction)queue_set_deadline, METH_O,
     "set_deadline(seconds)\n--\n\nHow long each launch may run that is enqueued from now on; None: without end."},
    {"close", (PyCFunction)queue_close, METH_NOARGS, "close()\n--\n\nFinishes the queue and gives it back."},
    {"__enter__", (PyCFunction)queue_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)queue_exit, METH_VARARGS, NULL},
    {NULL},
};

static PyGetSetDef queue_getters[] = {
    {"context", (getter)get_context, NULL, "The context that it is of.", NULL},
    {NULL},
};

static PyMethodDef event_methods[] = {
    {"wait", (PyCFunction)event_wait, METH_NOARGS,
     "wait()\n--\n\nWaits until the command has run; raises its error if it failed."},
    {NULL},
};

static PyGetSetDef event_getters[] = {
    {"done", (getter)get_done, NULL, "Whether it has run.", NULL},
    {"times", (getter)get_times, NULL, "Waits, then tells when it was enqueued, started and ended: a Times.", NULL},
    {"seconds", (getter)get_seconds, NULL, "Waits, then tells how long it ran.", NULL},
    {NULL},
};

bool pk_queue_add(PyObject *module, struct pk_state *state) {
  static const char queue_doc[] =
      "Queue(context, device=0)\n--\n\n"
      "Runs what is enqueued in order, while Python goes on. Arrays of pending launches are "
      "kept alive.\nAs a context manager it is finished at the end of the block.";
  PyType_Slot queue_slots[] = {
      {Py_tp_new, queue_new},        {Py_tp_dealloc, queue_dealloc}, {Py_tp_methods, queue_methods},
      {Py_tp_getset, queue_getters}, {Py_tp_doc, (void *)queue_doc}, {0, NULL},
  };
  PyType_Spec queue_spec = {"kiln.Queue", sizeof(struct pk_queue), 0, Py_TPFLAGS_DEFAULT, queue_slots};
  static const char event_doc[] = "A command that was enqueued.";
  PyType_Slot event_slots[] = {
      {Py_tp_new, pk_no_new},        {Py_tp_dealloc, event_dealloc}, {Py_tp_methods, event_methods},
      {Py_tp_getset, event_getters}, {Py_tp_doc, (void *)event_doc}, {0, NULL},
  };
  PyType_Spec event_spec = {"kiln.Event", sizeof(struct pk_event), 0, Py_TPFLAGS_DEFAULT, event_slots};
  return pk_add_type(module, "Queue", &queue_spec, &state->queue) &&
         pk_add_type(module, "Event", &event_spec, &state->event);
}

PyObject *pk_shutdown(PyObject *module, PyObject *unused) {
  (void)unused;
  struct pk_state *state = PyModule_GetState(module);
  PyObject *error = NULL, *value = NULL, *trace = NULL;
  while (state->queues) {
    struct pk_queue *queue = state->queues;
    Py_INCREF(queue);
    if (error) // the wait was interrupted: nothing waits for those that are left
      kiln_stream_cancel(queue->stream);
    if (!close_queue(queue)) {
      Py_XDECREF(error);
      Py_XDECREF(value);
      Py_XDECREF(trace);
      PyErr_Fetch(&error, &value, &trace);
    }
    Py_DECREF(queue);
  }
  PyErr_Restore(error, value, trace);
  if (error)
    return NULL;
  Py_RETURN_NONE;
}
