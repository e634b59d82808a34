// kiln.warm: compiles what a manifest lists. The work runs on a thread of its own; the caller's waits for it, delivers
// what happened and sees signals, so that no thread of the library waits for the GIL and Ctrl-C ends it.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pykiln.h"

#define SIGNALS_NS 50000000 // how often signals are looked for

// A job that has ended.
struct job {
  struct job *next;
  uint64_t done, total;
  enum kiln_warm_outcome outcome;
  double ms;
  char *program, *backend, *arch, *message; // in text
  char text[];
};

struct warm {
  struct kiln_warm_desc desc;
  struct kiln_warm_result result;
  enum kiln_status status;
  char *error; // the message of status; NULL: no memory for it
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct job *first, *last;
  bool stop, ended;
  // With the GIL:
  PyObject *keep; // a list of what desc points to
  PyObject *progress, *failures;
};

// ---- the thread that works ------------------------------------------------------------------------------------------

static char *put(char **at, const char *text) {
  char *start = *at;
  size_t size = strlen(text) + 1;
  memcpy(start, text, size);
  *at += size;
  return start;
}

static struct job *new_job(const struct kiln_warm_event *event) {
  struct job *job = malloc(sizeof *job + strlen(event->program) + strlen(event->backend) + strlen(event->arch) +
                           strlen(event->message) + 4);
  if (!job)
    return NULL;
  *job = (struct job){.done = event->done, .total = event->total, .outcome = event->outcome, .ms = event->ms};
  char *at = job->text;
  job->program = put(&at, event->program);
  job->backend = put(&at, event->backend);
  job->arch = put(&at, event->arch);
  job->message = put(&at, event->message);
  return job;
}

// An event that finds no memory is left out; the counts of the result have it.
static bool on_event(void *user, const struct kiln_warm_event *event) {
  struct warm *w = user;
  struct job *job = new_job(event);
  pthread_mutex_lock(&w->lock);
  if (job && w->last)
    w->last->next = job;
  else if (job)
    w->first = job;
  w->last = job ? job : w->last;
  bool goes_on = !w->stop;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  return goes_on;
}

static void *work(void *user) {
  struct warm *w = user;
  w->status = kiln_warm(&w->desc, &w->result);
  if (w->status != KILN_OK)
    w->error = strdup(kiln_last_error()); // of this thread
  pthread_mutex_lock(&w->lock);
  w->ended = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

// ---- the thread that waits ------------------------------------------------------------------------------------------

// Tells one job; false with an exception.
static bool tell(struct warm *w, const struct job *job) {
  static const char *const outcomes[] = {"compiled", "cached", "failed"};
  PyObject *event = pk_warm_event(pk_state(), job->done, job->total, job->program, job->backend, job->arch,
                                  outcomes[job->outcome], job->message, job->ms);
  bool good = event && (job->outcome != KILN_WARM_FAILED || PyList_Append(w->failures, event) == 0);
  if (good && w->progress) {
    PyObject *answer = PyObject_CallFunctionObjArgs(w->progress, event, NULL);
    good = answer != NULL;
    Py_XDECREF(answer);
  }
  Py_XDECREF(event);
  return good;
}

// Waits for jobs to end, or for a moment; takes those that have. False when the work has ended and none is left.
static bool wait_for_jobs(struct warm *w, struct job **jobs) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += SIGNALS_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&w->lock);
  if (!w->first && !w->ended)
    pthread_cond_timedwait(&w->changed, &w->lock, &until);
  *jobs = w->first;
  w->first = w->last = NULL;
  bool more = *jobs || !w->ended;
  pthread_mutex_unlock(&w->lock);
  return more;
}

// False with an exception: of the progress function, or of a signal.
static bool follow(struct warm *w) {
  bool good = true;
  for (;;) {
    struct job *jobs;
    bool more;
    PK_BEGIN
    more = wait_for_jobs(w, &jobs);
    PK_END
    if (!more)
      return good;
    for (struct job *next; jobs; jobs = next) {
      next = jobs->next;
      good = good && tell(w, jobs);
      free(jobs);
    }
    if (good && PyErr_CheckSignals() != 0)
      good = false;
    pthread_mutex_lock(&w->lock);
    w->stop = !good;
    pthread_mutex_unlock(&w->lock);
  }
}

static PyObject *result_of(struct warm *w, bool good) {
  PyObject *bundle = Py_None, *result = NULL;
  if (good && w->status != KILN_OK) {
    pk_raise_text(w->status, "%s", w->error ? w->error : "warm: no memory");
  } else if (good) {
    if (w->result.bundle)
      bundle = PyBytes_FromStringAndSize(w->result.bundle, (Py_ssize_t)w->result.bundle_size);
    else
      Py_INCREF(bundle);
    result = bundle ? pk_warm_result(pk_state(), &w->result, w->failures, bundle) : NULL;
  }
  kiln_free(w->result.bundle);
  free(w->error);
  return result;
}

static PyObject *run(struct warm *w) {
  pthread_t thread;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  PyObject *result = NULL;
  if (!pk_context_usable(NULL)) {
    // with its exception
  } else if (pthread_create(&thread, NULL, work, w) != 0) {
    pk_raise_text(KILN_ERR_MEMORY, "warm: no thread can be started");
  } else {
    bool good = follow(w);
    PK_BEGIN
    pthread_join(thread, NULL);
    PK_END
    result = result_of(w, good);
  }
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  return result;
}

// ---- arguments ------------------------------------------------------------------------------------------------------

// A path of a str, bytes or os.PathLike, which keep holds.
static const char *read_path(PyObject *keep, PyObject *object) {
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(object, &bytes))
    return NULL;
  bool good = PyList_Append(keep, bytes) == 0;
  Py_DECREF(bytes);
  return good ? PyBytes_AsString(bytes) : NULL;
}

// One string of a target; None: "".
static const char *read_name(PyObject *keep, PyObject *object) {
  if (object == Py_None)
    return "";
  PyObject *bytes = PyUnicode_Check(object) ? PyUnicode_AsUTF8String(object) : NULL;
  if (!bytes) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "warm: a target is a backend, or a pair (backend, arch); %R is in one", object);
    return NULL;
  }
  bool good = PyList_Append(keep, bytes) == 0;
  Py_DECREF(bytes);
  return good ? PyBytes_AsString(bytes) : NULL;
}

static bool read_target(PyObject *keep, PyObject *object, struct kiln_warm_target *target) {
  if (!PyTuple_Check(object))
    return (target->backend = read_name(keep, object)) != NULL;
  if (PyTuple_Size(object) != 2) {
    PyErr_Format(PyExc_TypeError, "warm: a target is a backend, or a pair (backend, arch), not %R", object);
    return false;
  }
  return (target->backend = read_name(keep, PyTuple_GetItem(object, 0))) &&
         (target->arch = read_name(keep, PyTuple_GetItem(object, 1)));
}

static bool is_text(PyObject *object) {
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyObject_HasAttrString(object, "__fspath__");
}

// The items of a sequence, or the one object itself, as a new tuple; none for None.
static PyObject *items_of(PyObject *object, bool is_one) {
  if (!object || object == Py_None)
    return PyTuple_New(0);
  return is_one ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
}

// Fills desc; paths and targets are arrays that the caller frees.
static bool read_lists(struct warm *w, PyObject *manifests, PyObject *targets, const char ***paths,
                       struct kiln_warm_target **list) {
  PyObject *files = items_of(manifests, is_text(manifests));
  PyObject *names = files ? items_of(targets, targets && is_text(targets)) : NULL;
  bool good = names != NULL;
  Py_ssize_t file_count = good ? PyTuple_Size(files) : 0, count = good ? PyTuple_Size(names) : 0;
  *paths = good ? PyMem_Calloc((size_t)file_count + 1, sizeof **paths) : NULL;
  *list = good ? PyMem_Calloc((size_t)count + 1, sizeof **list) : NULL;
  if (good && !(*paths && *list)) {
    PyErr_NoMemory();
    good = false;
  }
  for (Py_ssize_t i = 0; good && i < file_count; i++)
    good = ((*paths)[i] = read_path(w->keep, PyTuple_GetItem(files, i))) != NULL;
  for (Py_ssize_t i = 0; good && i < count; i++)
    good = read_target(w->keep, PyTuple_GetItem(names, i), &(*list)[i]);
  w->desc.manifests = *paths;
  w->desc.manifest_count = (uint32_t)file_count;
  w->desc.targets = *list;
  w->desc.target_count = (uint32_t)count;
  Py_XDECREF(files);
  Py_XDECREF(names);
  return good;
}

// export: a path, True for a bundle in memory, or None.
static bool read_export(struct warm *w, PyObject *object) {
  if (!object || object == Py_None || object == Py_False)
    return true;
  if (object == Py_True)
    return w->desc.export_memory = true;
  return (w->desc.export_path = read_path(w->keep, object)) != NULL;
}

PyObject *pk_warm(PyObject *module, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"manifests", "targets", "threads", "cache_dir", "export", "cache_mode", "progress", NULL};
  (void)module;
  struct warm w = {.desc = {.event = on_event}};
  PyObject *manifests, *targets = NULL, *cache_dir = NULL, *export = NULL, *progress = Py_None, *result = NULL;
  uint32_t threads = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O$O&OOzO:warm", names, &manifests, &targets, pk_to_uint, &threads,
                                   &cache_dir, &export, &w.desc.cache_mode, &progress))
    return NULL;
  if (progress != Py_None && !PyCallable_Check(progress)) {
    PyErr_SetString(PyExc_TypeError, "warm: progress is a function, or None");
    return NULL;
  }
  w.desc.event_user = &w;
  w.desc.num_threads = threads;
  w.progress = progress == Py_None ? NULL : progress;
  w.keep = PyList_New(0);
  w.failures = PyList_New(0);
  const char **paths = NULL;
  struct kiln_warm_target *list = NULL;
  bool good = w.keep && w.failures && read_lists(&w, manifests, targets, &paths, &list) && read_export(&w, export);
  if (good && cache_dir && cache_dir != Py_None)
    good = (w.desc.cache_dir = read_path(w.keep, cache_dir)) != NULL;
  if (good)
    result = run(&w);
  PyMem_Free(paths);
  PyMem_Free(list);
  Py_XDECREF(w.keep);
  Py_XDECREF(w.failures);
  return result;
}
