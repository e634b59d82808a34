// Named tuples of what the library tells.
#include <string.h>

#include "pykiln.h"

static PyTypeObject *add_tuple(PyObject *module, const char *name, const char *doc, PyStructSequence_Field *fields) {
  int count = 0;
  while (fields[count].name)
    count++;
  PyStructSequence_Desc desc = {name, doc, fields, count};
  PyTypeObject *type = PyStructSequence_NewType(&desc);
  if (!type)
    return NULL;
  Py_INCREF(type);
  return PyModule_AddObject(module, name + sizeof "kiln." - 1, (PyObject *)type) == 0 ? type : NULL;
}

// A tuple of new references, which are taken over even on failure; NULL where one of them is.
static PyObject *fill(PyTypeObject *type, PyObject **items, int count) {
  PyObject *tuple = PyStructSequence_New(type);
  bool good = tuple != NULL;
  for (int i = 0; i < count; i++) {
    good = good && items[i];
    if (tuple && items[i])
      PyStructSequence_SetItem(tuple, i, items[i]);
    else
      Py_XDECREF(items[i]);
  }
  if (good)
    return tuple;
  Py_XDECREF(tuple);
  return NULL;
}

#define FILL(type, items) fill(type, items, (int)(sizeof(items) / sizeof *(items)))

static PyObject *text(const char *string) { return PyUnicode_FromString(string ? string : ""); }
static PyObject *number(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }

static const char *access_name(enum kiln_access access) {
  static const char *const names[] = {"none", "read", "write", "read-write"};
  return names[access];
}

PyObject *pk_arg_info(struct pk_state *state, const struct kiln_arg_info *info) {
  static const char *const kinds[] = {"value", "buffer", "local", "image", "sampler"};
  PyObject *items[] = {text(info->name),
                       text(info->type_name),
                       text(kinds[info->kind]),
                       text(access_name(info->access)),
                       number(info->size),
                       number(info->align),
                       text(info->kind == KILN_ARG_IMAGE ? pk_dimension_name(info->image) : "")};
  return FILL(state->arg_info, items);
}

// A size of a work-group; None where there is none.
static PyObject *sizes(const uint32_t size[3]) {
  if (size[0])
    return Py_BuildValue("(III)", size[0], size[1], size[2]);
  Py_INCREF(Py_None);
  return Py_None;
}

PyObject *pk_kernel_info(struct pk_state *state, const struct kiln_kernel_info *info) {
  PyObject *items[] = {text(info->name),
                       sizes(info->required_group_size),
                       sizes(info->work_group_size_hint),
                       number(info->local_bytes),
                       number(info->private_bytes),
                       number(info->code_bytes),
                       number(info->max_group_size),
                       number(info->vgprs),
                       number(info->sgprs),
                       number(info->spills),
                       number(info->waves_per_simd),
                       text(info->remark)};
  return FILL(state->kernel_info, items);
}

PyObject *pk_program_info(struct pk_state *state, const struct kiln_program_info *info) {
  static const char *const outcomes[] = {"off", "miss", "memory", "disk"};
  PyObject *items[] = {text(outcomes[info->cache]),         text(info->key),
                       PyFloat_FromDouble(info->lookup_ms), PyFloat_FromDouble(info->front_ms),
                       PyFloat_FromDouble(info->back_ms),   PyFloat_FromDouble(info->load_ms),
                       number(info->artifact_size),         text(info->artifact_extension)};
  return FILL(state->program_info, items);
}

PyObject *pk_device_info(struct pk_state *state, const struct kiln_device_info *info) {
  PyObject *items[] = {text(info->name),
                       text(info->vendor),
                       text(info->driver),
                       number(info->memory_bytes),
                       number(info->local_bytes),
                       number(info->max_group_size),
                       number(info->compute_units),
                       number(info->warp_size),
                       PyBool_FromLong(info->host_memory)};
  return FILL(state->device_info, items);
}

// Misses by reason.
static PyObject *misses_by(const struct kiln_cache_stats *stats) {
  return Py_BuildValue("{sKsKsKsKsKsKsK}", "absent", stats->misses_by.absent, "includes", stats->misses_by.includes,
                       "no_toolchain", stats->misses_by.no_toolchain, "unreadable", stats->misses_by.unreadable,
                       "damaged", stats->misses_by.damaged, "timeout", stats->misses_by.timeout, "off",
                       stats->misses_by.off);
}

PyObject *pk_cache_stats(struct pk_state *state, const struct kiln_cache_stats *stats) {
  PyObject *items[] = {number(stats->memory_hits),
                       number(stats->disk_hits),
                       number(stats->layer_hits),
                       number(stats->misses),
                       misses_by(stats),
                       number(stats->compiles),
                       number(stats->stores),
                       number(stats->store_failures),
                       number(stats->quarantined),
                       number(stats->waits),
                       number(stats->bytes_read),
                       number(stats->bytes_written),
                       number(stats->evicted),
                       number(stats->evicted_bytes),
                       PyFloat_FromDouble(stats->lookup_ms),
                       PyFloat_FromDouble(stats->front_ms),
                       PyFloat_FromDouble(stats->back_ms),
                       PyBool_FromLong(stats->degraded)};
  return FILL(state->cache_stats, items);
}

PyObject *pk_stats(struct pk_state *state, const struct kiln_context_stats *stats) {
  PyObject *items[] = {number(stats->launches),
                       number(stats->writes),
                       number(stats->reads),
                       number(stats->copies),
                       number(stats->fills),
                       number(stats->written_bytes),
                       number(stats->read_bytes),
                       number(stats->copied_bytes),
                       number(stats->filled_bytes),
                       number(stats->streams),
                       number(stats->buffers),
                       number(stats->buffer_bytes),
                       number(stats->peak_buffer_bytes),
                       number(stats->loads),
                       PyFloat_FromDouble(stats->load_ms)};
  return FILL(state->stats, items);
}

PyObject *pk_times(struct pk_state *state, const struct kiln_event_times *times) {
  double seconds = times->ended_ns > times->started_ns ? (double)(times->ended_ns - times->started_ns) * 1e-9 : 0;
  PyObject *items[] = {number(times->enqueued_ns), number(times->started_ns), number(times->ended_ns),
                       PyFloat_FromDouble(seconds)};
  return FILL(state->times, items);
}

PyObject *pk_warm_event(struct pk_state *state, uint64_t done, uint64_t total, const char *program, const char *backend,
                        const char *arch, const char *outcome, const char *message, double ms) {
  PyObject *items[] = {number(done),
                       number(total),
                       text(program),
                       text(backend),
                       text(arch),
                       text(outcome),
                       PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace"),
                       PyFloat_FromDouble(ms)};
  return FILL(state->warm_event, items);
}

PyObject *pk_warm_result(struct pk_state *state, const struct kiln_warm_result *result, PyObject *failures,
                         PyObject *bundle) {
  Py_INCREF(failures);
  PyObject *items[] = {number(result->programs),
                       number(result->jobs),
                       number(result->compiled),
                       number(result->cached),
                       number(result->failed),
                       number(result->damaged),
                       failures,
                       bundle};
  return FILL(state->warm_result, items);
}

static PyStructSequence_Field arg_fields[] = {
    {"name", "as the source has it; '' when it has none"},
    {"type_name", "as OpenCL C writes it: 'float*', 'uint4', 'struct body'"},
    {"kind", "'value', 'buffer', 'local', 'image' or 'sampler'"},
    {"access", "what the kernel does with a buffer, or may do with an image: 'none', 'read', 'write' or 'read-write'"},
    {"size", "bytes of a value; 8 for pointers and images, 4 for samplers"},
    {"align", "bytes: alignment of a value, or of what a pointer points to"},
    {"dimension", "of an image, as kiln.Image has it: '2d'; else ''"},
    {NULL},
};
static PyStructSequence_Field kernel_fields[] = {
    {"name", NULL},
    {"required_group_size", "reqd_work_group_size, or None"},
    {"work_group_size_hint", "or None"},
    {"local_bytes", "static local memory per work-group"},
    {"private_bytes", "stack or scratch memory per work-item that did not fit registers"},
    {"code_bytes", "machine code; 0 where unknown"},
    {"max_group_size", "of this kernel; 0: the device's"},
    {"vgprs", "registers per work-item; 0 where unknown"},
    {"sgprs", "registers per wave; 0 where unknown"},
    {"spills", "registers spilled; 0 where unknown"},
    {"waves_per_simd", "an estimate; 0 where unknown"},
    {"remark", "what the backend chose and why"},
    {NULL},
};
static PyStructSequence_Field program_fields[] = {
    {"cache", "'off', 'miss', 'memory' or 'disk': where it was found"},
    {"key", "of the cache, in hexadecimal"},
    {"lookup_ms", "time for the look-up in the cache"},
    {"front_ms", "time in the front end; 0 on a hit"},
    {"back_ms", "time in the backend; 0 on a hit"},
    {"load_ms", "time for loading the code"},
    {"artifact_size", "bytes of code"},
    {"artifact_extension", "'so', 'hsaco', ..."},
    {NULL},
};
static PyStructSequence_Field device_fields[] = {
    {"name", NULL},
    {"vendor", NULL},
    {"driver", NULL},
    {"memory_bytes", "global memory"},
    {"local_bytes", "local memory per work-group"},
    {"max_group_size", "work-items per work-group"},
    {"compute_units", NULL},
    {"warp_size", "work-items that run in lock-step"},
    {"host_memory", "whether arrays are used without a copy"},
    {NULL},
};
static PyStructSequence_Field stats_fields[] = {
    {"memory_hits", NULL},
    {"disk_hits", NULL},
    {"layer_hits", "of the disk hits, those in read-only layers"},
    {"misses", NULL},
    {"misses_by", "a dict: how many for which reason ('absent', 'includes', 'damaged', ...)"},
    {"compiles", NULL},
    {"stores", NULL},
    {"store_failures", NULL},
    {"quarantined", "damaged entries that were set aside"},
    {"waits", "for compiles of other threads and processes"},
    {"bytes_read", NULL},
    {"bytes_written", NULL},
    {"evicted", "files removed to keep the size limit"},
    {"evicted_bytes", NULL},
    {"lookup_ms", "time so far"},
    {"front_ms", "time so far"},
    {"back_ms", "time so far"},
    {"degraded", "whether the last attempt to store failed"},
    {NULL},
};
static PyStructSequence_Field time_fields[] = {
    {"enqueued_ns", "on the monotonic clock of the host"},
    {"started_ns", NULL},
    {"ended_ns", NULL},
    {"seconds", "from start to end"},
    {NULL},
};

static PyStructSequence_Field context_stats_fields[] = {
    {"launches", "enqueued so far"},
    {"writes", NULL},
    {"reads", NULL},
    {"copies", NULL},
    {"fills", NULL},
    {"written_bytes", NULL},
    {"read_bytes", NULL},
    {"copied_bytes", NULL},
    {"filled_bytes", NULL},
    {"streams", "that are there now, those of calls that wait included"},
    {"buffers", "that are there now"},
    {"buffer_bytes", NULL},
    {"peak_buffer_bytes", NULL},
    {"loads", "programs loaded into the driver so far"},
    {"load_ms", "time for that"},
    {NULL},
};

static PyStructSequence_Field warm_event_fields[] = {
    {"done", "jobs that have ended, this one included"},
    {"total", "jobs there are: one per program and target"},
    {"program", "its name"},
    {"backend", NULL},
    {"arch", NULL},
    {"outcome", "'compiled', 'cached' or 'failed'"},
    {"message", "why it failed, else ''"},
    {"ms", "time for it"},
    {NULL},
};
static PyStructSequence_Field warm_result_fields[] = {
    {"programs", "different programs in the manifests"},
    {"jobs", "programs times targets"},
    {"compiled", NULL},
    {"cached", "found in the cache"},
    {"failed", NULL},
    {"damaged", "requests of the manifests that could not be read"},
    {"failures", "a list of the WarmEvents of what failed"},
    {"bundle", "with export=True: the bundle as bytes, for Context.import_bundle; else None"},
    {NULL},
};

bool pk_info_add(PyObject *module, struct pk_state *state) {
  return (state->arg_info = add_tuple(module, "kiln.ArgInfo", "A parameter of a kernel.", arg_fields)) &&
         (state->kernel_info = add_tuple(module, "kiln.KernelInfo", "What a kernel needs.", kernel_fields)) &&
         (state->program_info = add_tuple(module, "kiln.ProgramInfo", "How a program came to be.", program_fields)) &&
         (state->device_info = add_tuple(module, "kiln.DeviceInfo", "A device.", device_fields)) &&
         (state->cache_stats = add_tuple(module, "kiln.CacheStats", "What the cache did.", stats_fields)) &&
         (state->stats = add_tuple(module, "kiln.Stats", "What a context did and holds.", context_stats_fields)) &&
         (state->warm_event =
              add_tuple(module, "kiln.WarmEvent", "A job of warm that has ended.", warm_event_fields)) &&
         (state->warm_result = add_tuple(module, "kiln.WarmResult", "What warm did.", warm_result_fields)) &&
         (state->times = add_tuple(module, "kiln.Times", "When a command ran.", time_fields));
}
