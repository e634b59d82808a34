// kiln.Graph: launches that are recorded once and run many times.
#include "pykiln.h"

// What a launch holds until it has run. Runs that are under way keep the holds of the launches as they were.
static const char hold_name[] = "kiln.hold";
struct hold {
  struct pk_array *arrays;
  uint32_t count;
  struct pk_kernel *kernel;
};

static void free_hold(struct hold *hold) {
  if (!hold)
    return;
  pk_arrays_free(hold->arrays, hold->count);
  PyMem_Free(hold->arrays);
  Py_XDECREF(hold->kernel);
  PyMem_Free(hold);
}

static void hold_dealloc(PyObject *capsule) { free_hold(PyCapsule_GetPointer(capsule, hold_name)); }

// A capsule that takes over the arrays of a call, which has been recorded.
static PyObject *new_hold(struct pk_call *call) {
  struct hold *hold = PyMem_Malloc(sizeof *hold);
  if (!hold)
    return PyErr_NoMemory();
  Py_INCREF(call->kernel);
  *hold = (struct hold){call->arrays, call->count, call->kernel};
  call->arrays = NULL;
  PyObject *capsule = PyCapsule_New(hold, hold_name, hold_dealloc);
  if (!capsule)
    free_hold(hold);
  return capsule;
}

static PyObject *graph_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"context", "device", "stoppable", NULL};
  struct pk_state *state = pk_state();
  struct pk_context *context;
  uint32_t device = 0;
  int stoppable = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O&p:Graph", names, state->context, &context, pk_to_uint, &device,
                                   &stoppable) ||
      !pk_context_usable(context))
    return NULL;
  struct kiln_graph *graph = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_graph_create(context->ctx, device, &graph);
  if (status == KILN_OK && (stoppable || !context->is_host)) // queues of devices can always be cancelled
    status = kiln_stream_set_deadline(kiln_graph_stream(graph), KILN_DEADLINE_CANCEL);
  PK_END
  context->has_device = true;
  struct pk_graph *self = NULL;
  PyObject *holds = status == KILN_OK ? PyDict_New() : pk_raise(status);
  if (holds)
    self = (struct pk_graph *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_graph_release(graph);
    Py_XDECREF(holds);
    return NULL;
  }
  Py_INCREF(context);
  self->context = context;
  self->graph = graph;
  self->holds = holds;
  self->device = device;
  return (PyObject *)self;
}

static void graph_dealloc(struct pk_graph *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->context && pk_context_can_close(self->context))
    kiln_graph_release(self->graph);
  Py_XDECREF(self->holds);
  Py_XDECREF(self->held);
  Py_XDECREF(self->context);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// The hold becomes that of the launch at index, or, below 0, one of its own.
static bool set_hold(struct pk_graph *self, int64_t index, PyObject *hold) {
  PyObject *key = PyLong_FromLongLong(index);
  bool good = hold && key && PyDict_SetItem(self->holds, key, hold) == 0;
  Py_XDECREF(key);
  Py_XDECREF(hold);
  Py_CLEAR(self->held);
  return good;
}

static bool has_copies(const struct pk_call *call) {
  for (uint32_t i = 0; i < call->count; i++)
    if (call->arrays[i].copied)
      return true;
  return false;
}

// Without the GIL: arrays that are no memory of the device are copied there by each run, and back.
static enum kiln_status record(struct pk_graph *self, struct pk_call *call, const struct kiln_launch_desc *desc,
                               uint32_t *index) {
  struct kiln_stream *stream = kiln_graph_stream(self->graph);
  enum kiln_status status = pk_call_wrap(call, self->context->ctx, self->device, stream);
  if (status != KILN_OK)
    return status;
  *index = kiln_graph_size(self->graph);
  status = kiln_launch(stream, call->kernel->kernel, desc, NULL);
  return status == KILN_OK ? pk_call_read(call, stream, NULL) : status;
}

PyObject *pk_graph_record(struct pk_graph *self, struct pk_launch *launch, PyObject *args, Py_ssize_t first,
                          PyObject *kwargs) {
  struct pk_call call;
  if (!pk_context_usable(self->context) || !pk_call_begin(&call, launch->kernel, args, first, kwargs, true))
    return NULL;
  uint32_t index = 0, before = kiln_graph_size(self->graph);
  enum kiln_status status;
  PK_BEGIN
  struct kiln_launch_desc desc = pk_launch_desc(launch, &call);
  status = record(self, &call, &desc, &index);
  pk_call_unwrap(&call);
  PK_END
  PyObject *result = NULL;
  if (status != KILN_OK && kiln_graph_size(self->graph) > before) // copies of arrays were recorded
    set_hold(self, -(int64_t)kiln_graph_size(self->graph), new_hold(&call));
  if (status != KILN_OK)
    pk_call_raise(&call, status);
  else if (set_hold(self, index, new_hold(&call)))
    result = PyLong_FromUnsignedLong(index);
  pk_call_end(&call);
  pk_context_deliver(self->context);
  return result;
}

// update(index, launch, *args, **named)
static PyObject *graph_update(struct pk_graph *self, PyObject *args, PyObject *kwargs) {
  const struct pk_state *state = self->context->state;
  PyObject *launch = PyTuple_Size(args) >= 2 ? PyTuple_GetItem(args, 1) : NULL;
  uint32_t index = 0;
  if (!launch || !PyObject_TypeCheck(launch, state->launch)) {
    PyErr_SetString(PyExc_TypeError, "Graph.update takes an index and a Launch: graph.update(i, kernel[n], ...)");
    return NULL;
  }
  struct pk_call call;
  if (!pk_to_uint(PyTuple_GetItem(args, 0), &index) || !pk_context_usable(self->context))
    return NULL;
  PyObject *key = PyLong_FromUnsignedLong(index), *before = key ? PyDict_GetItemWithError(self->holds, key) : NULL;
  Py_XDECREF(key);
  const struct hold *hold = before ? PyCapsule_GetPointer(before, hold_name) : NULL;
  struct pk_kernel *kernel = ((struct pk_launch *)launch)->kernel;
  if (!hold && !PyErr_Occurred())
    return pk_raise_text(KILN_ERR_INVALID, "the graph's command %u is no launch", (unsigned)index);
  if (!hold)
    return NULL;
  if (hold->kernel->kernel != kernel->kernel)
    return pk_raise_text(KILN_ERR_INVALID, "the graph's command %u is a launch of another kernel, '%s'",
                         (unsigned)index, hold->kernel->info->name);
  if (!pk_call_begin(&call, kernel, args, 2, kwargs, true))
    return NULL;
  enum kiln_status status;
  PK_BEGIN
  struct kiln_launch_desc desc = pk_launch_desc((struct pk_launch *)launch, &call);
  status = pk_call_wrap(&call, self->context->ctx, self->device, NULL);
  if (status == KILN_OK && has_copies(&call)) {
    call.problem = "a run copies arrays only that were recorded; update the launch with a kiln.Buffer";
    status = KILN_ERR_UNSUPPORTED;
  }
  if (status == KILN_OK)
    status = kiln_graph_update(self->graph, index, &desc);
  pk_call_unwrap(&call);
  PK_END
  bool good = status == KILN_OK ? set_hold(self, index, new_hold(&call)) : pk_call_raise(&call, status) != NULL;
  pk_call_end(&call);
  pk_context_deliver(self->context);
  if (!good)
    return NULL;
  Py_RETURN_NONE;
}

// What a run keeps alive, for the queue to give back: the holds as one array's owner.
static struct pk_array *keep_holds(struct pk_graph *self) {
  if (!self->held)
    self->held = PyDict_Values(self->holds);
  struct pk_array *kept = self->held ? PyMem_Calloc(1, sizeof *kept) : NULL;
  if (!kept) {
    if (!PyErr_Occurred())
      PyErr_NoMemory();
    return NULL;
  }
  kept->owned = self->held;
  Py_INCREF(self->held);
  return kept;
}

static PyObject *graph_run(struct pk_graph *self, PyObject *object) {
  struct pk_context *context = self->context;
  struct pk_queue *queue = (struct pk_queue *)object;
  if (!PyObject_TypeCheck(object, context->state->queue)) {
    PyErr_SetString(PyExc_TypeError, "Graph.run takes a Queue");
    return NULL;
  }
  if (!pk_context_usable(context))
    return NULL;
  pk_queue_sweep(queue);
  struct pk_array *kept = pk_queue_open(queue) ? keep_holds(self) : NULL;
  if (!kept)
    return NULL;
  struct kiln_event *ran = NULL;
  struct kiln_stream *stream = pk_queue_hold(queue);
  enum kiln_status status = KILN_OK;
  PK_BEGIN
  if (!self->is_final)
    status = kiln_graph_finalize(self->graph);
  self->is_final |= status == KILN_OK;
  if (status == KILN_OK)
    status = kiln_graph_run(self->graph, stream, &ran);
  PK_END
  PyObject *event = NULL;
  if (status == KILN_OK) {
    event = pk_queue_event(queue, ran, NULL, kept, 1);
  } else {
    pk_raise(status);
    pk_arrays_free(kept, 1);
    PyMem_Free(kept);
  }
  pk_queue_unhold(queue);
  pk_context_deliver(context);
  return event;
}

static Py_ssize_t graph_length(struct pk_graph *self) { return (Py_ssize_t)kiln_graph_size(self->graph); }

static PyMethodDef graph_methods[] = {
    {"run", (PyCFunction)graph_run, METH_O,
     "run(queue)\n--\n\nEnqueues all that was recorded, and returns an Event. The first run ends the recording."},
    {"update", PK_METHOD(graph_update), METH_VARARGS | METH_KEYWORDS,
     "update(index, launch, *args)\n--\n\n"
     "The launch that was recorded as index gets other sizes and arguments, for later runs."},
    {NULL},
};

bool pk_graph_add(PyObject *module, struct pk_state *state) {
  static const char doc[] =
      "Graph(context, device=0, stoppable=False)\n--\n\n"
      "Launches that are recorded once and run many times: kernel(graph, global, local, *args) records one and returns "
      "its\nindex. stoppable: it runs on queues with a deadline, too.";
  PyType_Slot slots[] = {
      {Py_tp_new, graph_new},       {Py_tp_dealloc, graph_dealloc}, {Py_tp_methods, graph_methods},
      {Py_mp_length, graph_length}, {Py_tp_doc, (void *)doc},       {0, NULL},
  };
  PyType_Spec spec = {"kiln.Graph", sizeof(struct pk_graph), 0, Py_TPFLAGS_DEFAULT, slots};
  return pk_add_type(module, "Graph", &spec, &state->graph);
}
