// kiln.tune and tuned launches: the search runs on the calling thread, without the GIL but for the progress function.
#include <stdlib.h>
#include <string.h>

#include "pykiln.h"

struct tuning {
  PyObject *progress; // NULL: no function is called
  bool failed;        // an exception is set: of the progress function, or of a signal
};

// {"RM": 8, "LX": 64}
static PyObject *point_dict(const struct kiln_tune_value *values, uint32_t count) {
  PyObject *point = PyDict_New();
  for (uint32_t i = 0; point && i < count; i++) {
    PyObject *value = PyLong_FromLongLong(values[i].value);
    if (!value || PyDict_SetItemString(point, values[i].name, value) != 0)
      Py_CLEAR(point);
    Py_XDECREF(value);
  }
  return point;
}

// Calls progress(kind, point, us, message). False with an exception.
static bool tell(PyObject *progress, const struct kiln_tune_event *event) {
  static const char *const kinds[] = {"measured", "best", "wrong", "failed"};
  PyObject *point = point_dict(event->point, event->value_count);
  PyObject *answer = point ? PyObject_CallFunction(progress, "sOds", kinds[event->kind], point, event->us,
                                                   event->message ? event->message : "")
                           : NULL;
  Py_XDECREF(point);
  Py_XDECREF(answer);
  return answer != NULL;
}

// An exception stays set in this thread until the search has ended.
static bool on_event(void *user, const struct kiln_tune_event *event) {
  struct tuning *tuning = user;
  PyGILState_STATE gil = PyGILState_Ensure();
  if (!tuning->failed)
    tuning->failed = PyErr_CheckSignals() != 0 || (tuning->progress && !tell(tuning->progress, event));
  PyGILState_Release(gil);
  return !tuning->failed;
}

static PyObject *result_tuple(const struct kiln_tune_result *result) {
  PyObject *point = point_dict(result->point, result->value_count);
  return point ? Py_BuildValue("(NddKKKKds)", point, result->default_us, result->best_us,
                               (unsigned long long)result->points, (unsigned long long)result->compiles,
                               (unsigned long long)result->wrong, (unsigned long long)result->failed, result->seconds,
                               result->message)
               : NULL;
}

// desc has all but the launch.
static PyObject *search(struct pk_kernel *kernel, PyObject *args, PyObject *named, struct kiln_tune_desc *desc,
                        struct tuning *tuning) {
  struct pk_context *context = kernel->program->context;
  struct kiln_tune_result result = {0};
  struct pk_call call;
  if (!pk_context_usable(context) || !pk_call_begin(&call, kernel, args, 0, named, false))
    return NULL;
  context->has_device = true;
  enum kiln_status status;
  PK_BEGIN
  status = pk_call_wrap(&call, context->ctx, 0, NULL);
  if (status == KILN_OK) {
    desc->launch = (struct kiln_launch_desc){.args = call.args, .arg_count = call.count, .tuned = true};
    status = kiln_tune(context->ctx, desc, &result);
  }
  pk_call_unwrap(&call);
  PK_END
  PyObject *type, *value, *trace, *tuple = NULL;
  PyErr_Fetch(&type, &value, &trace); // of the progress function
  if (!tuning->failed && status != KILN_OK)
    pk_call_raise(&call, status);
  else if (!tuning->failed)
    tuple = result_tuple(&result);
  pk_call_end(&call);
  pk_context_deliver(context);
  if (tuning->failed)
    PyErr_Restore(type, value, trace);
  return tuple;
}

PyObject *pk_tune(PyObject *module, PyObject *args) {
  (void)module;
  struct pk_state *state = pk_state();
  struct pk_kernel *kernel;
  PyObject *arguments, *named, *progress;
  unsigned long long budget, points, seed, deadline;
  struct tuning tuning = {0};
  struct kiln_tune_desc desc = {.progress = on_event, .user = &tuning};
  if (!PyArg_ParseTuple(args, "O!O!O!KKKdKIO:_tune", state->kernel, &kernel, &PyTuple_Type, &arguments, &PyDict_Type,
                        &named, &budget, &points, &seed, &desc.tolerance, &deadline, &desc.flags, &progress))
    return NULL;
  desc.budget_ns = budget;
  desc.max_points = points;
  desc.seed = seed;
  desc.deadline_ns = deadline;
  desc.kernel = kernel->info->name;
  tuning.progress = progress == Py_None ? NULL : progress;
  struct kiln_header *headers;
  PyObject *texts, *result = NULL;
  if (pk_program_desc(kernel->program, &desc.program, &headers, &texts))
    result = search(kernel, arguments, named, &desc, &tuning);
  PyMem_Free(headers);
  Py_XDECREF(texts);
  return result;
}
