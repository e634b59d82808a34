// kiln.Context: a backend with a target, its cache and its devices.
#include <stdlib.h>
#include <string.h>

#include "dlpack.h"
#include "pykiln.h"

int pk_context_device_type(struct pk_context *context) {
  struct kiln_native_context native;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_context_native(context->ctx, 0, &native);
  PK_END
  context->has_device = true;
  if (status != KILN_OK)
    return DL_CPU;
  switch (native.runtime) {
  case KILN_RUNTIME_HOST:
    return DL_CPU;
  case KILN_RUNTIME_HSA:
    return DL_ROCM;
  case KILN_RUNTIME_OPENCL:
    return DL_OPENCL;
  case KILN_RUNTIME_CUDA:
    return DL_CUDA;
  }
  return DL_CPU;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"backend", "arch", "cache_dir", "cache_mode", "threads", "faults", "print", "log", NULL};
  struct kiln_context_desc desc = {0};
  PyObject *print = Py_None, *log = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|zz$zzO&zOO:Context", names, &desc.backend, &desc.arch,
                                   &desc.cache_dir, &desc.cache_mode, pk_to_uint, &desc.num_threads, &desc.faults,
                                   &print, &log))
    return NULL;
  if ((print != Py_None && !PyCallable_Check(print)) || (log != Py_None && !PyCallable_Check(log))) {
    PyErr_SetString(PyExc_TypeError, "Context: print and log are functions, or None");
    return NULL;
  }
  if (!pk_context_usable(NULL))
    return NULL;
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  struct pk_context *self = (struct pk_context *)alloc(type, 0);
  if (!self)
    return NULL;
  self->module = PyState_FindModule(&pk_module);
  Py_INCREF(self->module);
  self->state = PyModule_GetState(self->module);
  pk_messages_init(&self->messages);
  self->description = Py_BuildValue("(zzzzIzOO)", desc.backend, desc.arch, desc.cache_dir, desc.cache_mode,
                                    desc.num_threads, desc.faults, print, log);
  if (!self->description) {
    Py_DECREF(self);
    return NULL;
  }
  const char *faults = getenv("COMPILE_FAULTS");
  if (!desc.faults && !(faults && *faults))
    desc.faults = "report"; // a stray pointer is no reason to end an interpreter, and Ctrl-C interrupts kernels
  desc.print = pk_on_print;
  desc.print_user = &self->messages;
  if (print != Py_None) {
    Py_INCREF(print);
    self->print = print;
  }
  if (log != Py_None) {
    Py_INCREF(log);
    self->log = log;
    desc.log = pk_on_log;
    desc.log_user = &self->messages;
  }
  enum kiln_status status;
  PK_BEGIN
  status = kiln_context_open(&desc, &self->ctx);
  PK_END
  if (status != KILN_OK) {
    pk_raise(status);
    Py_DECREF(self);
    return NULL;
  }
  pk_context_opened(self);
  return (PyObject *)self;
}

static int context_traverse(struct pk_context *self, visitproc visit, void *arg) {
  Py_VISIT((PyObject *)Py_TYPE(self));
  Py_VISIT(self->description);
  Py_VISIT(self->print);
  Py_VISIT(self->log);
  return 0;
}

static int context_clear(struct pk_context *self) {
  Py_CLEAR(self->description);
  Py_CLEAR(self->print);
  Py_CLEAR(self->log);
  return 0;
}

static void context_dealloc(struct pk_context *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  if (self->ctx) {
    pk_context_deliver(self);
    // In a child of fork that cannot use it, it is left alone.
    bool usable = pk_context_can_close(self);
    struct kiln_context *ctx = self->ctx;
    if (usable) {
      PK_BEGIN
      for (int i = 0; i < self->idle_count; i++)
        kiln_stream_release(self->idle[i]);
      kiln_context_close(ctx);
      PK_END
      pk_context_deliver(self);
    }
  }
  context_clear(self);
  if (self->module)
    pk_messages_free(&self->messages);
  Py_XDECREF(self->module);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *context_repr(struct pk_context *self) {
  const struct kiln_gpu_target *target = kiln_context_target(self->ctx);
  return PyUnicode_FromFormat("<kiln.Context backend='%s' arch='%s'>", target->backend, target->arch);
}

static PyObject *get_backend(struct pk_context *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(kiln_context_target(self->ctx)->backend);
}

static PyObject *get_arch(struct pk_context *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(kiln_context_target(self->ctx)->arch);
}

static PyObject *get_features(struct pk_context *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(kiln_context_target(self->ctx)->features);
}

static PyObject *get_warp_size(struct pk_context *self, void *unused) {
  (void)unused;
  return PyLong_FromUnsignedLong(kiln_context_target(self->ctx)->warp_size);
}

static PyObject *get_devices(struct pk_context *self, void *unused) {
  (void)unused;
  if (!pk_context_usable(self))
    return NULL;
  uint32_t count = 0;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_device_count(self->ctx, &count);
  PK_END
  self->has_device = true;
  if (status != KILN_OK)
    return pk_raise(status);
  PyObject *list = PyList_New(count);
  for (uint32_t i = 0; list && i < count; i++) {
    struct kiln_device_info info;
    status = kiln_device_info(self->ctx, i, &info);
    PyObject *item = status == KILN_OK ? pk_device_info(self->state, &info) : pk_raise(status);
    if (!item || PyList_SetItem(list, i, item))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *context_cache_stats(struct pk_context *self, PyObject *unused) {
  (void)unused;
  struct kiln_cache_stats stats;
  kiln_context_cache_stats(self->ctx, &stats);
  return pk_cache_stats(self->state, &stats);
}

static PyObject *context_stats(struct pk_context *self, PyObject *unused) {
  (void)unused;
  struct kiln_context_stats stats;
  kiln_context_stats(self->ctx, &stats);
  return pk_stats(self->state, &stats);
}

static PyObject *context_trace(struct pk_context *self, PyObject *path) {
  PyObject *bytes = NULL;
  if (!pk_context_usable(self) || (path != Py_None && !PyUnicode_FSConverter(path, &bytes)))
    return NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_context_trace(self->ctx, bytes ? PyBytes_AsString(bytes) : NULL);
  PK_END
  Py_XDECREF(bytes);
  if (status != KILN_OK)
    return pk_raise(status);
  Py_RETURN_NONE;
}

static PyObject *context_export(struct pk_context *self, PyObject *unused) {
  (void)unused;
  if (!pk_context_usable(self))
    return NULL;
  void *bundle = NULL;
  size_t size = 0;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_context_export(self->ctx, &bundle, &size);
  PK_END
  if (status != KILN_OK)
    return pk_raise(status);
  PyObject *bytes = PyBytes_FromStringAndSize(bundle, (Py_ssize_t)size);
  kiln_free(bundle);
  return bytes;
}

static PyObject *context_import(struct pk_context *self, PyObject *object) {
  Py_buffer view;
  if (!pk_context_usable(self) || PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0)
    return NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_context_import(self->ctx, view.buf, (size_t)view.len);
  PK_END
  PyBuffer_Release(&view);
  if (status != KILN_OK)
    return pk_raise(status);
  Py_RETURN_NONE;
}

static PyObject *context_reduce(struct pk_context *self, PyObject *unused) {
  (void)unused;
  Py_XINCREF(self->description);
  return pk_reduce("context", self->description);
}

static PyMethodDef methods[] = {
    PK_IMMUTABLE(context_reduce),
    {"compile", PK_METHOD(pk_compile), METH_VARARGS | METH_KEYWORDS,
     "compile(source, options='', *, name=None, headers=None, kind='opencl-c', defines=None, constants=None)\n--\n\n"
     "Compiles a program, or finds it in the cache. options: build options, as one string or a list of words.\n"
     "headers: a dict of names and texts that #include finds first. kind: 'opencl-c', 'ir' or 'spirv'. defines: a\n"
     "dict of macros: text, or numbers, which become constants; None: defined. constants: a dict of the ids of\n"
     "specialisation constants in SPIR-V and numbers."},
    {"cache_stats", (PyCFunction)context_cache_stats, METH_NOARGS,
     "cache_stats()\n--\n\nWhat the kernel cache did for this context so far: a CacheStats."},
    {"stats", (PyCFunction)context_stats, METH_NOARGS,
     "stats()\n--\n\nWhat this context enqueued so far and holds now: a Stats."},
    {"trace", (PyCFunction)context_trace, METH_O,
     "trace(path)\n--\n\n"
     "Adds what this context does from now on to a file for Perfetto or chrome://tracing. None: ends the trace."},
    {"export_bundle", (PyCFunction)context_export, METH_NOARGS,
     "export_bundle()\n--\n\nA bundle, as bytes, of every program that this context has compiled or found."},
    {"import_bundle", (PyCFunction)context_import, METH_O,
     "import_bundle(bundle)\n--\n\n"
     "Makes the programs of a bundle, as bytes, available to this context; nothing is written to the disk."},
    {NULL},
};

static PyGetSetDef getters[] = {
    {"backend", (getter)get_backend, NULL, "The backend's name.", NULL},
    {"arch", (getter)get_arch, NULL, "What code is made for, such as 'x86-64-v3' or 'gfx942'.", NULL},
    {"features", (getter)get_features, NULL, "Features of the target, as the backend writes them.", NULL},
    {"warp_size", (getter)get_warp_size, NULL, "Work-items that run in lock-step.", NULL},
    {"devices", (getter)get_devices, NULL, "Its devices; opens the driver.", NULL},
    {NULL},
};

bool pk_context_add(PyObject *module, struct pk_state *state) {
  static const char doc[] =
      "Context(backend=None, arch=None, *, cache_dir=None, cache_mode=None, threads=0, faults=None, print=None, "
      "log=None)\n--\n\n"
      "A backend with a target and its cache. What is None comes from the environment (COMPILE_BACKEND, ...), else\n"
      "from the machine. print: called with what kernels print, else it goes to sys.stdout. log: called with a level\n"
      "and a message. Both are called when a launch or a wait returns.";
  PyType_Slot slots[] = {
      {Py_tp_new, context_new},     {Py_tp_dealloc, context_dealloc}, {Py_tp_traverse, context_traverse},
      {Py_tp_clear, context_clear}, {Py_tp_repr, context_repr},       {Py_tp_methods, methods},
      {Py_tp_getset, getters},      {Py_tp_doc, (void *)doc},         {0, NULL},
  };
  PyType_Spec spec = {"kiln.Context", sizeof(struct pk_context), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return pk_add_type(module, "Context", &spec, &state->context);
}
