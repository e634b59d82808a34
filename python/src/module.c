// The module kiln._kiln: exceptions, types, and what is of the process.
#include <string.h>

#include "pykiln.h"

struct pk_state *pk_state(void) {
  return PyModule_GetState(PyState_FindModule(&pk_module));
}

// ---- fork -----------------------------------------------------------------------------------------------------------

// Of the process, as locks that a child of fork inherits are.
static atomic_uint calls_running; // calls of the library without the GIL
static atomic_uint forks;         // how many forks deep this process is
static atomic_bool forked_badly;  // while another thread was in the library, which may have held its locks

void pk_enter(void) { atomic_fetch_add_explicit(&calls_running, 1, memory_order_relaxed); }
void pk_leave(void) { atomic_fetch_sub_explicit(&calls_running, 1, memory_order_relaxed); }

static void in_child(void) {
  if (atomic_exchange(&calls_running, 0))
    atomic_store(&forked_badly, true);
  atomic_fetch_add(&forks, 1);
}

bool pk_context_usable(struct pk_context *context) {
  uint32_t now = atomic_load_explicit(&forks, memory_order_relaxed);
  if (atomic_load_explicit(&forked_badly, memory_order_relaxed))
    return pk_raise_text(KILN_ERR_UNSUPPORTED,
                         "this process was forked while another thread was in Kiln, whose locks may be taken for ever: "
                         "use the start method 'spawn' or 'forkserver' of multiprocessing");
  if (context && context->ctx && context->forks != now) {
    if (context->has_device && !context->is_host)
      return pk_raise_text(KILN_ERR_UNSUPPORTED,
                           "this context was opened before fork, and devices of backend '%s' cannot be used in the "
                           "child: open another context there",
                           kiln_context_target(context->ctx)->backend);
    context->forks = now;
  }
  return true;
}

void pk_context_opened(struct pk_context *context) {
  const char *backend = kiln_context_target(context->ctx)->backend;
  context->forks = atomic_load(&forks);
  context->is_host = strcmp(backend, "cpu") == 0 || strcmp(backend, "interp") == 0;
}

bool pk_context_can_close(const struct pk_context *context) {
  return !atomic_load(&forked_badly) &&
         (context->forks == atomic_load(&forks) || !context->has_device || context->is_host);
}

// ---- exceptions -----------------------------------------------------------------------------------------------------

void *pk_raise(enum kiln_status status) {
  struct pk_state *state = pk_state();
  PyErr_SetString(state->errors[status], kiln_last_error());
  return NULL;
}

void *pk_raise_text(enum kiln_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyErr_FormatV(pk_state()->errors[status], format, args);
  va_end(args);
  return NULL;
}

static bool add_error(PyObject *module, struct pk_state *state, enum kiln_status status, const char *name,
                      PyObject *base, const char *doc) {
  char full[64];
  PyOS_snprintf(full, sizeof full, "kiln.%s", name);
  PyObject *bases = NULL;
  if (status != KILN_OK)
    bases = base ? PyTuple_Pack(2, state->errors[KILN_OK], base) : PyTuple_Pack(1, state->errors[KILN_OK]);
  PyObject *error = PyErr_NewExceptionWithDoc(full, doc, bases, NULL);
  Py_XDECREF(bases);
  state->errors[status] = error;
  Py_XINCREF(error);
  return error && PyModule_AddObject(module, name, error) == 0;
}

static bool add_errors(PyObject *module, struct pk_state *state) {
  bool good = add_error(module, state, KILN_OK, "Error", NULL, "The base of all exceptions of Kiln.");
#define PK_ERROR(STATUS, NAME, BASE, DOC) good = good && add_error(module, state, KILN_ERR_##STATUS, #NAME, BASE, DOC);
#include "errors.def"
  return good;
}

// ---- the module -----------------------------------------------------------------------------------------------------

PyObject *pk_itself(PyObject *self, PyObject *unused) {
  (void)unused;
  Py_INCREF(self);
  return self;
}

PyObject *pk_reduce(const char *function, PyObject *args) {
  PyObject *module = args ? PyImport_ImportModule("kiln._pickling") : NULL;
  PyObject *made_by = module ? PyObject_GetAttrString(module, function) : NULL;
  PyObject *result = made_by ? PyTuple_Pack(2, made_by, args) : NULL;
  Py_XDECREF(module);
  Py_XDECREF(made_by);
  Py_XDECREF(args);
  return result;
}

int pk_to_uint(PyObject *object, void *out) {
  PyObject *integer = PyNumber_Index(object);
  if (!integer)
    return 0;
  long long value = PyLong_AsLongLong(integer);
  Py_DECREF(integer);
  if (PyErr_Occurred() || value < 0 || value > UINT32_MAX) {
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "%R is out of the range of such numbers: 0 to %u", object, UINT32_MAX);
    return 0;
  }
  *(uint32_t *)out = (uint32_t)value;
  return 1;
}

PyObject *pk_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)args, (void)kwargs;
  PyErr_Format(PyExc_TypeError, "objects of %S are not made by calling it", (PyObject *)type);
  return NULL;
}

bool pk_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **out) {
  PyObject *type = PyType_FromSpec(spec);
  *out = (PyTypeObject *)type;
  Py_XINCREF(type);
  return type && PyModule_AddObject(module, name, type) == 0;
}

// Takes the list that launches are told to, or None; gives the one before.
static PyObject *set_profile(PyObject *module, PyObject *list) {
  struct pk_state *state = PyModule_GetState(module);
  if (list != Py_None && !PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "_profile takes a list, or None");
    return NULL;
  }
  PyObject *before = state->profile;
  state->profile = list == Py_None ? NULL : list;
  Py_XINCREF(state->profile);
  if (before)
    return before;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_tune", pk_tune, METH_VARARGS, "What kiln.tune calls."},
    {"warm", PK_METHOD(pk_warm), METH_VARARGS | METH_KEYWORDS,
     "warm(manifests, targets=None, *, threads=0, cache_dir=None, export=None, cache_mode=None, progress=None)\n--\n\n"
     "Compiles ahead of time what real runs asked for, and returns a WarmResult.\n\n"
     "manifests: one path or several, of files that COMPILE_RECORD wrote. targets: backends or pairs (backend, arch),\n"
     "whose devices need not be here; None: those that the programs were recorded with. threads: how many compile at\n"
     "the same time; 0: as many as CPUs. export: a path for a bundle of all programs, or True for one in memory.\n"
     "progress: called with a WarmEvent after each job; an exception of it ends the work."},
    {"_profile", set_profile, METH_O, "Sets the list that launches are told to."},
    {"_shutdown", pk_shutdown, METH_NOARGS, "Waits for all queues; called when the interpreter exits."},
    {NULL},
};

struct PyModuleDef pk_module = {PyModuleDef_HEAD_INIT, "kiln._kiln", "Compute kernels, compiled at run time.",
                                sizeof(struct pk_state), functions};

// Pending launches use memory of Python objects: they end before these do.
static bool add_exit(PyObject *module) {
  PyObject *atexit = PyImport_ImportModule("atexit");
  PyObject *shutdown = atexit ? PyObject_GetAttrString(module, "_shutdown") : NULL;
  PyObject *done = shutdown ? PyObject_CallMethod(atexit, "register", "O", shutdown) : NULL;
  Py_XDECREF(done);
  Py_XDECREF(shutdown);
  Py_XDECREF(atexit);
  return done != NULL;
}

PyMODINIT_FUNC PyInit__kiln(void);
PyMODINIT_FUNC PyInit__kiln(void) {
  static atomic_bool watches_fork;
  PyObject *module = PyModule_Create(&pk_module);
  if (!module)
    return NULL;
  struct pk_state *state = PyModule_GetState(module);
  if (!atomic_exchange(&watches_fork, true))
    pthread_atfork(NULL, NULL, in_child);
  if (!add_errors(module, state) || !pk_info_add(module, state) || !pk_context_add(module, state) ||
      !pk_program_add(module, state) || !pk_kernel_add(module, state) || !pk_queue_add(module, state) ||
      !pk_graph_add(module, state) || !pk_buffer_add(module, state) || !pk_image_add(module, state) ||
      !add_exit(module) || PyModule_AddStringConstant(module, "__version__", kiln_version())) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
