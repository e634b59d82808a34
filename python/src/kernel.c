// kiln.Kernel and kiln.Launch: a kernel, and a kernel with its sizes, which is called with the arguments.
#include <string.h>

#include "pykiln.h"

// ---- kernels --------------------------------------------------------------------------------------------------------

PyObject *pk_kernel_new(struct pk_program *program, const char *name) {
  PyTypeObject *type = program->context->state->kernel;
  struct kiln_kernel *kernel = NULL;
  enum kiln_status status = kiln_kernel_create(program->program, name, &kernel);
  if (status != KILN_OK)
    return pk_raise(status);
  struct pk_kernel *self = (struct pk_kernel *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_kernel_release(kernel);
    return NULL;
  }
  Py_INCREF(program);
  self->program = program;
  self->kernel = kernel;
  self->info = kiln_kernel_info(kernel);
  self->params = PyMem_Malloc((self->info->arg_count + 1) * sizeof *self->params);
  if (!self->params) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  for (uint32_t i = 0; i < self->info->arg_count; i++) {
    pk_param_init(&self->params[i], &self->info->args[i]);
    self->value_bytes += self->info->args[i].kind == KILN_ARG_VALUE ? (self->info->args[i].size + 15u) & ~15u : 0;
  }
  return (PyObject *)self;
}

static int kernel_traverse(struct pk_kernel *self, visitproc visit, void *arg) {
  Py_VISIT((PyObject *)Py_TYPE(self));
  Py_VISIT((PyObject *)self->program);
  return 0;
}

static void kernel_dealloc(struct pk_kernel *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  if (self->program && pk_context_can_close(self->program->context))
    kiln_kernel_release(self->kernel);
  PyMem_Free(self->params);
  Py_XDECREF(self->program);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *kernel_repr(struct pk_kernel *self) {
  PyObject *text = PyUnicode_FromFormat("<kiln.Kernel %s(", self->info->name);
  for (uint32_t i = 0; text && i < self->info->arg_count; i++) {
    const struct kiln_arg_info *arg = &self->info->args[i];
    PyObject *longer =
        PyUnicode_FromFormat("%U%s%s%s%s", text, i ? ", " : "", arg->type_name, *arg->name ? " " : "", arg->name);
    Py_DECREF(text);
    text = longer;
  }
  PyObject *whole = text ? PyUnicode_FromFormat("%U)>", text) : NULL;
  Py_XDECREF(text);
  return whole;
}

static PyObject *get_name(struct pk_kernel *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(self->info->name);
}

static PyObject *get_info(struct pk_kernel *self, void *unused) {
  (void)unused;
  return pk_kernel_info(self->program->context->state, self->info);
}

static PyObject *get_args(struct pk_kernel *self, void *unused) {
  (void)unused;
  PyObject *list = PyList_New(self->info->arg_count);
  for (uint32_t i = 0; list && i < self->info->arg_count; i++) {
    PyObject *item = pk_arg_info(self->program->context->state, &self->info->args[i]);
    if (!item || PyList_SetItem(list, i, item))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *get_program(struct pk_kernel *self, void *unused) {
  (void)unused;
  Py_INCREF(self->program);
  return (PyObject *)self->program;
}

// ---- sizes ----------------------------------------------------------------------------------------------------------

static bool read_size(PyObject *number, const char *what, uint64_t *out) {
  PyObject *integer = PyNumber_Index(number);
  unsigned long long value = integer ? PyLong_AsUnsignedLongLong(integer) : 0;
  Py_XDECREF(integer);
  if (!PyErr_Occurred() && !value && strcmp(what, "local") == 0) {
    PyErr_SetString(PyExc_ValueError, "the local size is 0 in a dimension");
    return false;
  }
  if (!PyErr_Occurred()) {
    *out = value;
    return true;
  }
  PyErr_Format(PyErr_ExceptionMatches(PyExc_TypeError) ? PyExc_TypeError : PyExc_ValueError,
               "the %s size is a non-negative integer or a tuple of up to three, not %R", what, number);
  return false;
}

// One to three sizes; None: left as they are.
static bool read_sizes(PyObject *object, const char *what, uint64_t sizes[3], uint32_t *count) {
  if (!object || object == Py_None)
    return true;
  *count = 1;
  if (!PyTuple_Check(object) && !PyList_Check(object))
    return read_size(object, what, sizes);
  Py_ssize_t given = PySequence_Size(object);
  if (given < 1 || given > 3) {
    PyErr_Format(PyExc_ValueError, "the %s size has %zd dimensions; 1, 2 or 3 are possible", what, given);
    return false;
  }
  *count = (uint32_t)given;
  for (Py_ssize_t d = 0; d < given; d++) {
    PyObject *item = PySequence_GetItem(object, d);
    bool good = item && read_size(item, what, &sizes[d]);
    Py_XDECREF(item);
    if (!good)
      return false;
  }
  return true;
}

static PyObject *launch_new(struct pk_kernel *kernel, PyObject *global, PyObject *local, PyObject *offset) {
  PyTypeObject *type = kernel->program->context->state->launch;
  struct pk_launch *self = (struct pk_launch *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self)
    return NULL;
  Py_INCREF(kernel);
  self->kernel = kernel;
  uint32_t ignored = 0, local_dim = 0;
  if (global == Py_None)
    PyErr_SetString(PyExc_TypeError, "the global size is None");
  else if (read_sizes(global, "global", self->global, &self->work_dim) &&
           read_sizes(local, "local", self->local, &local_dim) &&
           read_sizes(offset, "offset", self->offset, &ignored)) {
    for (uint32_t d = 0; d < self->work_dim; d++)
      if (!self->global[d])
        self->global[0] = 0; // nothing runs, whichever dimension is empty
    if (!local_dim || local_dim == self->work_dim)
      return (PyObject *)self;
    PyErr_Format(PyExc_ValueError,
                 "the global size has %u dimension%s, the local size %u: kernel[global, local], so for two dimensions "
                 "kernel[(width, height), None]",
                 (unsigned)self->work_dim, self->work_dim == 1 ? "" : "s", (unsigned)local_dim);
  }
  Py_DECREF(self);
  return NULL;
}

static PyObject *kernel_get(struct pk_kernel *self, PyObject *key) {
  if (!PyTuple_Check(key))
    return launch_new(self, key, NULL, NULL);
  if (PyTuple_Size(key) == 1)
    return launch_new(self, key, NULL, NULL);
  if (PyTuple_Size(key) == 2)
    return launch_new(self, PyTuple_GetItem(key, 0), PyTuple_GetItem(key, 1), NULL);
  PyErr_SetString(PyExc_TypeError, "kernel[global] or kernel[global, local]: sizes of two or three dimensions are "
                                   "tuples, and local may be None: kernel[(x, y, z), None]");
  return NULL;
}

// The kernel with the sizes and values that tuning found fastest.
static PyObject *get_tuned(struct pk_kernel *self, void *unused) {
  (void)unused;
  PyTypeObject *type = self->program->context->state->launch;
  struct pk_launch *launch = (struct pk_launch *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (launch) {
    Py_INCREF(self);
    launch->kernel = self;
    launch->tuned = true;
  }
  return (PyObject *)launch;
}

static PyObject *kernel_bind(struct pk_kernel *self, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"global_size", "local_size", "offset", NULL};
  PyObject *global, *local = NULL, *offset = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:bind", names, &global, &local, &offset))
    return NULL;
  return launch_new(self, global, local, offset);
}

// ---- launching ------------------------------------------------------------------------------------------------------

struct kiln_launch_desc pk_launch_desc(const struct pk_launch *self, const struct pk_call *call) {
  struct kiln_launch_desc desc = {
      .work_dim = self->work_dim, .arg_count = call->count, .args = call->args, .tuned = self->tuned};
  memcpy(desc.global, self->global, sizeof desc.global);
  memcpy(desc.local, self->local, sizeof desc.local);
  memcpy(desc.offset, self->offset, sizeof desc.offset);
  return desc;
}

void *pk_call_raise(const struct pk_call *call, enum kiln_status status) {
  return call->problem ? pk_raise_text(status, "kernel '%s': %s", call->kernel->info->name, call->problem)
                       : pk_raise(status);
}

// Tells the profile of a launch that has ended.
static bool add_profile(struct pk_state *state, const char *name, PyObject *what) {
  PyObject *entry = what ? Py_BuildValue("(sO)", name, what) : NULL;
  bool good = entry && PyList_Append(state->profile, entry) == 0;
  Py_XDECREF(entry);
  return good;
}

static bool profile_times(struct pk_state *state, const char *name, struct kiln_event *event) {
  struct kiln_event_times times;
  enum kiln_status status = kiln_event_times(event, &times);
  if (status != KILN_OK)
    return pk_raise(status);
  PyObject *entry = pk_times(state, &times);
  bool good = add_profile(state, name, entry);
  Py_XDECREF(entry);
  return good;
}

// One launch on a stream of its own, so that neither orders nor errors of other threads reach it.
struct run {
  struct pk_context *context;
  struct pk_launch *launch;
  struct pk_call *call;
  struct kiln_stream *stream;     // NULL: to be made
  bool wants_event;               // of the launch
  struct kiln_event *ran, *ended; // of the launch; of the last copy back, where arrays were copied; or NULL
};

static enum kiln_status start(struct run *run) {
  struct pk_context *context = run->context;
  struct kiln_launch_desc desc = pk_launch_desc(run->launch, run->call);
  struct kiln_kernel *kernel = run->launch->kernel->kernel;
  enum kiln_status status = run->stream ? KILN_OK : pk_stream_new(context, 0, &run->stream);
  if (status == KILN_OK)
    status = pk_call_wrap(run->call, context->ctx, 0, NULL);
  if (status == KILN_OK)
    status = kiln_launch(run->stream, kernel, &desc, run->wants_event ? &run->ran : NULL);
  if (status == KILN_OK && (status = pk_call_read(run->call, run->stream, context->is_host ? NULL : &run->ended)))
    kiln_stream_finish(run->stream); // nothing may use the arrays any more
  return status;
}

// Whether there is no need to wait with an eye on signals.
static bool ends_at_once(const struct run *run) {
  bool done = false;
  if (run->context->is_host)
    kiln_stream_finish_within(run->stream, 0, &done);
  else if (!pk_sees_signals()) // sooner told than kiln_stream_finish is of a stream that can be cancelled
    kiln_event_wait_within(run->ended ? run->ended : run->ran, UINT64_MAX, &done);
  return done || !pk_sees_signals();
}

static PyObject *launch_call(struct pk_launch *self, PyObject *args, PyObject *kwargs) {
  struct pk_context *context = self->kernel->program->context;
  struct pk_call call;
  if (!pk_context_usable(context) || !pk_call_begin(&call, self->kernel, args, 0, kwargs, false))
    return NULL;
  struct run run = {.context = context, .launch = self, .call = &call};
  run.stream = context->idle_count ? context->idle[--context->idle_count] : NULL;
  run.wants_event = !context->is_host || context->state->profile;
  context->has_device = true;
  enum kiln_status status;
  bool waits = false, goes_on = true;
  PK_BEGIN
  status = start(&run);
  waits = status == KILN_OK && !ends_at_once(&run);
  if (status == KILN_OK && !waits)
    status = kiln_stream_finish(run.stream);
  if (!waits)
    pk_call_unwrap(&call);
  PK_END
  if (waits && (goes_on = pk_wait(context, run.stream, context->is_host ? NULL : run.ended ? run.ended : run.ran))) {
    PK_BEGIN
    status = kiln_stream_finish(run.stream);
    PK_END
  }
  if (waits)
    pk_call_unwrap(&call);
  // A stream whose launch was stopped may be lost, and the device may use its arrays for ever.
  bool stopped = !goes_on || status == KILN_ERR_TIMEOUT || status == KILN_ERR_CANCELLED;
  if (stopped && !context->is_host)
    pk_call_lose(&call);
  if (run.stream && context->idle_count < PK_IDLE_STREAMS && !stopped) {
    context->idle[context->idle_count++] = run.stream;
  } else if (run.stream) {
    PK_BEGIN
    kiln_stream_release(run.stream);
    PK_END
  }
  PyObject *result = goes_on ? Py_None : NULL;
  if (goes_on && status != KILN_OK)
    result = pk_call_raise(&call, status);
  else if (result && context->state->profile && run.ran &&
           !profile_times(context->state, self->kernel->info->name, run.ran))
    result = NULL;
  kiln_event_release(run.ran);
  kiln_event_release(run.ended);
  pk_call_end(&call);
  pk_context_deliver(context);
  Py_XINCREF(result);
  return result;
}

static PyObject *enqueue(struct pk_launch *self, struct pk_queue *queue, PyObject *args, Py_ssize_t first,
                         PyObject *kwargs) {
  struct pk_context *context = queue->context;
  struct pk_call call;
  if (!pk_context_usable(context))
    return NULL;
  pk_queue_sweep(queue);
  if (!pk_queue_open(queue) || !pk_call_begin(&call, self->kernel, args, first, kwargs, true))
    return NULL;
  if (!pk_queue_open(queue)) { // what ran to convert the arguments closed it
    pk_call_end(&call);
    return NULL;
  }
  struct kiln_event *ran = NULL, *done = NULL;
  struct kiln_stream *stream = pk_queue_hold(queue);
  enum kiln_status status;
  PK_BEGIN
  struct kiln_launch_desc desc = pk_launch_desc(self, &call);
  status = pk_call_wrap(&call, context->ctx, queue->device, stream);
  if (status == KILN_OK)
    status = kiln_launch(stream, self->kernel->kernel, &desc, &ran);
  if (status == KILN_OK)
    status = pk_call_read(&call, stream, &done);
  if (status != KILN_OK)
    kiln_stream_finish(stream); // nothing may use the arrays any more
  pk_call_unwrap(&call);
  PK_END
  PyObject *event = NULL;
  if (status == KILN_OK) {
    event = pk_queue_event(queue, ran, done, call.arrays, call.count);
    call.arrays = NULL; // taken over
    if (event && context->state->profile && !add_profile(context->state, self->kernel->info->name, event))
      Py_CLEAR(event);
  } else {
    kiln_event_release(ran);
    kiln_event_release(done);
    pk_call_raise(&call, status);
  }
  pk_queue_unhold(queue);
  pk_call_end(&call);
  pk_context_deliver(context);
  return event;
}

// Enqueues on a Queue, or records in a Graph.
static PyObject *send(struct pk_launch *self, PyObject *to, PyObject *args, Py_ssize_t first, PyObject *kwargs) {
  const struct pk_state *state = self->kernel->program->context->state;
  return PyObject_TypeCheck(to, state->graph) ? pk_graph_record((struct pk_graph *)to, self, args, first, kwargs)
                                              : enqueue(self, (struct pk_queue *)to, args, first, kwargs);
}

static PyObject *as_target(struct pk_kernel *kernel, PyObject *object) {
  struct pk_state *state = kernel->program->context->state;
  if (object && (PyObject_TypeCheck(object, state->queue) || PyObject_TypeCheck(object, state->graph)))
    return object;
  PyErr_Format(PyExc_TypeError,
               "kernel '%s': the first argument is a Queue or a Graph: kernel(queue, global, local, ...); or "
               "kernel[global, local](...) waits",
               kernel->info->name);
  return NULL;
}

// kernel(queue, global, local, …)
static PyObject *kernel_call(struct pk_kernel *self, PyObject *args, PyObject *kwargs) {
  Py_ssize_t count = PyTuple_Size(args);
  PyObject *to = as_target(self, count ? PyTuple_GetItem(args, 0) : NULL);
  if (!to)
    return NULL;
  if (count < 3) {
    PyErr_Format(PyExc_TypeError,
                 "kernel '%s': kernel(queue, global, local, ...) takes three arguments before those "
                 "of the kernel; local may be None",
                 self->info->name);
    return NULL;
  }
  struct pk_launch *launch =
      (struct pk_launch *)launch_new(self, PyTuple_GetItem(args, 1), PyTuple_GetItem(args, 2), NULL);
  PyObject *event = launch ? send(launch, to, args, 3, kwargs) : NULL;
  Py_XDECREF(launch);
  return event;
}

static PyObject *launch_enqueue(struct pk_launch *self, PyObject *args, PyObject *kwargs) {
  PyObject *to = as_target(self->kernel, PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : NULL);
  return to ? send(self, to, args, 1, kwargs) : NULL;
}

static int launch_traverse(struct pk_launch *self, visitproc visit, void *arg) {
  Py_VISIT((PyObject *)Py_TYPE(self));
  Py_VISIT((PyObject *)self->kernel);
  return 0;
}

static void launch_dealloc(struct pk_launch *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(self->kernel);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// ---- types ----------------------------------------------------------------------------------------------------------

static PyObject *kernel_reduce(struct pk_kernel *self, PyObject *unused) {
  (void)unused;
  return pk_reduce("kernel", Py_BuildValue("(Os)", self->program, self->info->name));
}

static PyObject *sizes_tuple(const uint64_t sizes[3], uint32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (uint32_t d = 0; tuple && d < count; d++) {
    PyObject *size = PyLong_FromUnsignedLongLong(sizes[d]);
    if (!size || PyTuple_SetItem(tuple, d, size))
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *launch_reduce(struct pk_launch *self, PyObject *unused) {
  (void)unused;
  uint32_t count = self->work_dim;
  if (self->tuned)
    return pk_reduce("tuned", Py_BuildValue("(O)", self->kernel));
  PyObject *local = self->local[0] ? sizes_tuple(self->local, count) : (Py_INCREF(Py_None), Py_None);
  return pk_reduce("launch", Py_BuildValue("(ONNN)", self->kernel, sizes_tuple(self->global, count), local,
                                           sizes_tuple(self->offset, count)));
}

static PyMethodDef kernel_methods[] = {
    PK_IMMUTABLE(kernel_reduce),
    {"bind", PK_METHOD(kernel_bind), METH_VARARGS | METH_KEYWORDS,
     "bind(global_size, local_size=None, offset=None)\n--\n\n"
     "A Launch with these sizes, as kernel[global, local] makes it. offset is added to the global ids."},
    {NULL},
};

static PyGetSetDef kernel_getters[] = {
    {"name", (getter)get_name, NULL, "Its name.", NULL},
    {"args", (getter)get_args, NULL, "Its parameters: a list of ArgInfo.", NULL},
    {"info", (getter)get_info, NULL, "What it needs and what the compiler chose: a KernelInfo.", NULL},
    {"program", (getter)get_program, NULL, "The program that it is of.", NULL},
    {"tuned", (getter)get_tuned, NULL, "A Launch with the sizes and values that kiln.tune found fastest.", NULL},
    {NULL},
};

static PyMethodDef launch_methods[] = {
    PK_IMMUTABLE(launch_reduce),
    {"enqueue", PK_METHOD(launch_enqueue), METH_VARARGS | METH_KEYWORDS,
     "enqueue(queue, *args)\n--\n\n"
     "Enqueues the launch and returns an Event, without waiting; of a Graph, records it and returns its index."},
    {NULL},
};

bool pk_kernel_add(PyObject *module, struct pk_state *state) {
  static const char kernel_doc[] = "A kernel, from program['name'].\n\n"
                                   "kernel[global, local](*args) runs it and waits; kernel(queue, global, local, *args)"
                                   " enqueues it and\nreturns an Event. Sizes of more than one dimension are tuples.";
  PyType_Slot kernel_slots[] = {
      {Py_tp_dealloc, kernel_dealloc}, {Py_tp_traverse, kernel_traverse},
      {Py_tp_repr, kernel_repr},       {Py_tp_call, kernel_call},
      {Py_mp_subscript, kernel_get},   {Py_tp_methods, kernel_methods},
      {Py_tp_getset, kernel_getters},  {Py_tp_new, pk_no_new},
      {Py_tp_doc, (void *)kernel_doc}, {0, NULL},
  };
  PyType_Spec kernel_spec = {"kiln.Kernel", sizeof(struct pk_kernel), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                             kernel_slots};
  static const char launch_doc[] =
      "A kernel with its sizes, from kernel[global, local]: called with the arguments, it runs and waits.";
  PyType_Slot launch_slots[] = {
      {Py_tp_dealloc, launch_dealloc},
      {Py_tp_traverse, launch_traverse},
      {Py_tp_call, launch_call},
      {Py_tp_methods, launch_methods},
      {Py_tp_new, pk_no_new},
      {Py_tp_doc, (void *)launch_doc},
      {0, NULL},
  };
  PyType_Spec launch_spec = {"kiln.Launch", sizeof(struct pk_launch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                             launch_slots};
  return pk_add_type(module, "Kernel", &kernel_spec, &state->kernel) &&
         pk_add_type(module, "Launch", &launch_spec, &state->launch);
}
