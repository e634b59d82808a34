// kiln.Program: a compiled source; its kernels by name.
#include <string.h>

#include "pykiln.h"

// ---- compiling ------------------------------------------------------------------------------------------------------

// Text of a str, or the bytes of bytes; a new reference to bytes.
static PyObject *as_bytes(PyObject *object, const char *what) {
  if (PyBytes_Check(object)) {
    Py_INCREF(object);
    return object;
  }
  if (PyUnicode_Check(object))
    return PyUnicode_AsUTF8String(object);
  PyErr_Format(PyExc_TypeError, "compile: %s is a str, not %S", what, (PyObject *)Py_TYPE(object));
  return NULL;
}

// A word as build options have it: in quotes where it has blanks.
static bool append_word(PyObject **line, PyObject *word) {
  if (!PyUnicode_Check(word)) {
    PyErr_Format(PyExc_TypeError, "compile: options are a str or a list of them; %S is among them",
                 (PyObject *)Py_TYPE(word));
    return false;
  }
  PyObject *escaped = PyObject_CallMethod(word, "replace", "ss", "\\", "\\\\");
  PyObject *quoted = escaped ? PyObject_CallMethod(escaped, "replace", "ss", "\"", "\\\"") : NULL;
  PyObject *longer = quoted ? PyUnicode_FromFormat("%U \"%U\"", *line, quoted) : NULL;
  Py_XDECREF(escaped);
  Py_XDECREF(quoted);
  Py_DECREF(*line);
  *line = longer;
  return longer != NULL;
}

static PyObject *join_options(PyObject *options) {
  if (!options || options == Py_None)
    return PyBytes_FromString("");
  if (PyUnicode_Check(options))
    return PyUnicode_AsUTF8String(options);
  PyObject *iterator = PyObject_GetIter(options), *word, *line = iterator ? PyUnicode_FromString("") : NULL;
  while (line && (word = PyIter_Next(iterator))) {
    append_word(&line, word);
    Py_DECREF(word);
  }
  Py_XDECREF(iterator);
  PyObject *bytes = line && !PyErr_Occurred() ? PyUnicode_AsUTF8String(line) : NULL;
  Py_XDECREF(line);
  return bytes;
}

// Options and macros as one line.
static PyObject *join_words(PyObject *options, PyObject *defines) {
  PyObject *line = join_options(options);
  PyObject *words = line && defines && defines != Py_None ? pk_define_words(defines) : NULL;
  PyObject *macros = words ? join_options(words) : NULL;
  if (macros)
    PyBytes_Concat(&line, macros);
  Py_XDECREF(words);
  Py_XDECREF(macros);
  if (PyErr_Occurred())
    Py_CLEAR(line);
  return line;
}

// Appends the values of a dict of specialisation constants to the options. Each is written as a number, which the
// module's own type then reads.
static bool join_constants(PyObject **line, PyObject *constants) {
  PyObject *id, *value;
  Py_ssize_t at = 0;
  if (!constants || constants == Py_None)
    return true;
  if (!PyDict_Check(constants)) {
    PyErr_SetString(PyExc_TypeError, "compile: constants is a dict of ids and numbers");
    return false;
  }
  while (*line && PyDict_Next(constants, &at, &id, &value)) {
    unsigned long number = PyLong_AsUnsignedLong(id);
    PyObject *plain = PyErr_Occurred() ? NULL : PyIndex_Check(value) ? PyNumber_Long(value) : PyNumber_Float(value);
    PyObject *text = plain ? PyObject_Repr(plain) : NULL, *encoded = text ? PyUnicode_AsASCIIString(text) : NULL;
    if (encoded)
      PyBytes_ConcatAndDel(line, PyBytes_FromFormat(" --kiln-spec=%lu=%s", number, PyBytes_AsString(encoded)));
    Py_XDECREF(plain);
    Py_XDECREF(text);
    if (!encoded)
      return false;
    Py_DECREF(encoded);
  }
  return *line != NULL;
}

// The headers of a dict; *texts keeps their bytes. NULL with an exception, or when there are none.
static struct kiln_header *read_headers(PyObject *dict, uint32_t *count, PyObject **texts) {
  *texts = NULL;
  *count = 0;
  if (!dict || dict == Py_None)
    return NULL;
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "compile: headers is a dict of names and texts");
    return NULL;
  }
  struct kiln_header *headers = PyMem_Malloc(((size_t)PyDict_Size(dict) + 1) * sizeof *headers);
  *texts = headers ? PyList_New(0) : PyErr_NoMemory();
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (*texts && PyDict_Next(dict, &at, &key, &value)) {
    PyObject *name = as_bytes(key, "the name of a header"), *text = name ? as_bytes(value, "a header") : NULL;
    bool good = text && PyList_Append(*texts, name) == 0 && PyList_Append(*texts, text) == 0;
    if (good)
      headers[(*count)++] =
          (struct kiln_header){PyBytes_AsString(name), PyBytes_AsString(text), (size_t)PyBytes_Size(text)};
    Py_XDECREF(name);
    Py_XDECREF(text);
    if (!good)
      Py_CLEAR(*texts);
  }
  if (*texts)
    return headers;
  PyMem_Free(headers);
  return NULL;
}

// Takes over recipe, what the program can be made of again.
static PyObject *program_new(struct pk_context *context, struct kiln_program *program, PyObject *recipe) {
  PyTypeObject *type = context->state->program;
  struct pk_program *self = (struct pk_program *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_program_release(program);
    Py_DECREF(recipe);
    return NULL;
  }
  self->recipe = recipe;
  self->program = program;
  self->context = context;
  Py_INCREF(context);
  return (PyObject *)self;
}

static PyObject *create(struct pk_context *context, const struct kiln_program_desc *desc, PyObject *recipe) {
  if (!recipe)
    return NULL;
  struct kiln_program *program = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_program_create(context->ctx, desc, &program);
  PK_END
  pk_context_deliver(context);
  if (status == KILN_OK)
    return program_new(context, program, recipe);
  Py_DECREF(recipe);
  return pk_raise(status);
}

static bool read_kind(const char *name, enum kiln_source_kind *out) {
  static const struct {
    const char *name;
    enum kiln_source_kind kind;
  } kinds[] = {{"opencl-c", KILN_SOURCE_OPENCL_C}, {"ir", KILN_SOURCE_IR_TEXT}, {"spirv", KILN_SOURCE_SPIRV}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    *out = kinds[i].kind;
    if (strcmp(name, kinds[i].name) == 0)
      return true;
  }
  pk_raise_text(KILN_ERR_INVALID, "compile: kind is '%s'; 'opencl-c', 'ir' or 'spirv' are possible", name);
  return false;
}

PyObject *pk_compile(PyObject *object, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"source", "options", "name", "headers", "kind", "defines", "constants", NULL};
  struct pk_context *context = (struct pk_context *)object;
  PyObject *source, *options = NULL, *headers = NULL, *defines = NULL;
  struct kiln_program_desc desc = {0};
  const char *kind = "opencl-c";
  PyObject *constants = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O$zOsOO:compile", names, &source, &options, &desc.name, &headers,
                                   &kind, &defines, &constants) ||
      !pk_context_usable(context))
    return NULL;
  if (!read_kind(kind, &desc.kind))
    return NULL;
  PyObject *texts, *text = as_bytes(source, "source"), *line = text ? join_words(options, defines) : NULL;
  if (line && !join_constants(&line, constants))
    Py_CLEAR(line);
  PyObject *program = NULL;
  struct kiln_header *header_list = line ? read_headers(headers, &desc.header_count, &texts) : NULL;
  if (line && !PyErr_Occurred()) {
    desc.source = PyBytes_AsString(text);
    desc.size = (size_t)PyBytes_Size(text);
    desc.options = PyBytes_AsString(line);
    desc.headers = header_list;
    PyObject *copy = header_list ? PyDict_Copy(headers) : NULL;
    program = create(context, &desc, Py_BuildValue("(OOzOs)", text, line, desc.name, copy ? copy : Py_None, kind));
    Py_XDECREF(copy);
  }
  if (header_list) {
    PyMem_Free(header_list);
    Py_XDECREF(texts);
  }
  Py_XDECREF(text);
  Py_XDECREF(line);
  return program;
}

bool pk_program_desc(struct pk_program *program, struct kiln_program_desc *desc, struct kiln_header **headers,
                     PyObject **texts) {
  PyObject *text, *line, *dict;
  const char *kind;
  *desc = (struct kiln_program_desc){0};
  *headers = NULL;
  *texts = NULL;
  if (!PyArg_ParseTuple(program->recipe, "OOzOs", &text, &line, &desc->name, &dict, &kind) ||
      !read_kind(kind, &desc->kind))
    return false;
  *headers = read_headers(dict, &desc->header_count, texts);
  desc->source = PyBytes_AsString(text);
  desc->size = (size_t)PyBytes_Size(text);
  desc->options = PyBytes_AsString(line);
  desc->headers = *headers;
  return !PyErr_Occurred();
}

// ---- the object -----------------------------------------------------------------------------------------------------

static int program_traverse(struct pk_program *self, visitproc visit, void *arg) {
  Py_VISIT((PyObject *)Py_TYPE(self));
  Py_VISIT((PyObject *)self->context);
  return 0;
}

static void program_dealloc(struct pk_program *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  if (self->context && pk_context_can_close(self->context)) {
    struct kiln_program *program = self->program;
    PK_BEGIN
    kiln_program_release(program);
    PK_END
  }
  Py_XDECREF(self->context);
  Py_XDECREF(self->recipe);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static struct kiln_program_info info_of(const struct pk_program *self) {
  struct kiln_program_info info;
  kiln_program_info(self->program, &info);
  return info;
}

static Py_ssize_t program_length(struct pk_program *self) { return info_of(self).kernel_count; }

static PyObject *program_kernels(struct pk_program *self, void *unused) {
  (void)unused;
  uint32_t count = info_of(self).kernel_count;
  PyObject *list = PyList_New(count);
  for (uint32_t i = 0; list && i < count; i++) {
    PyObject *name = PyUnicode_FromString(kiln_program_kernel_name(self->program, i));
    if (!name || PyList_SetItem(list, i, name))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *program_iter(struct pk_program *self) {
  PyObject *list = program_kernels(self, NULL), *iterator = list ? PyObject_GetIter(list) : NULL;
  Py_XDECREF(list);
  return iterator;
}

static PyObject *program_get(struct pk_program *self, PyObject *key) {
  if (!PyUnicode_Check(key)) {
    PyErr_SetString(PyExc_TypeError, "the key of a program is the name of a kernel, a str");
    return NULL;
  }
  PyObject *bytes = PyUnicode_AsUTF8String(key);
  PyObject *kernel = bytes ? pk_kernel_new(self, PyBytes_AsString(bytes)) : NULL;
  Py_XDECREF(bytes);
  return kernel;
}

static PyObject *program_stage(struct pk_program *self, PyObject *args) {
  const char *stage;
  if (!PyArg_ParseTuple(args, "s:stage", &stage) || !pk_context_usable(self->context))
    return NULL;
  void *data = NULL;
  size_t size = 0;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_program_stage(self->program, stage, &data, &size);
  PK_END
  if (status != KILN_OK)
    return pk_raise(status);
  PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
  kiln_free(data);
  return bytes;
}

static PyObject *get_log(struct pk_program *self, void *unused) {
  (void)unused;
  const char *text = kiln_program_log(self->program);
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *get_info(struct pk_program *self, void *unused) {
  (void)unused;
  struct kiln_program_info info = info_of(self);
  return pk_program_info(self->context->state, &info);
}

static PyObject *get_artifact(struct pk_program *self, void *unused) {
  (void)unused;
  struct kiln_program_info info = info_of(self);
  return PyBytes_FromStringAndSize(info.artifact, (Py_ssize_t)info.artifact_size);
}

static PyObject *get_context(struct pk_program *self, void *unused) {
  (void)unused;
  Py_INCREF(self->context);
  return (PyObject *)self->context;
}

// A program is pickled as what it is made of: the other process finds it in the cache, or compiles it.
static PyObject *program_reduce(struct pk_program *self, PyObject *unused) {
  (void)unused;
  return pk_reduce("program", Py_BuildValue("(OO)", self->context, self->recipe));
}

static PyMethodDef methods[] = {
    PK_IMMUTABLE(program_reduce),
    {"stage", (PyCFunction)program_stage, METH_VARARGS,
     "stage(name)\n--\n\nA stage of the compilation as bytes: 'ir', then the backend's own ('ll', 's', 'o', 'cl').\n"
     "Compiles again to produce it."},
    {NULL},
};

static PyGetSetDef getters[] = {
    {"kernels", (getter)program_kernels, NULL, "The names of its kernels.", NULL},
    {"log", (getter)get_log, NULL, "Warnings of the compile.", NULL},
    {"info", (getter)get_info, NULL, "Where it came from and what that took: a ProgramInfo.", NULL},
    {"artifact", (getter)get_artifact, NULL, "The code, as bytes.", NULL},
    {"context", (getter)get_context, NULL, "The context that it was compiled in.", NULL},
    {NULL},
};

bool pk_program_add(PyObject *module, struct pk_state *state) {
  static const char doc[] = "A compiled program, from Context.compile: program['name'] is a kernel of it.";
  PyType_Slot slots[] = {
      {Py_tp_dealloc, program_dealloc}, {Py_tp_traverse, program_traverse},
      {Py_mp_length, program_length},   {Py_mp_subscript, program_get},
      {Py_tp_iter, program_iter},       {Py_tp_methods, methods},
      {Py_tp_getset, getters},          {Py_tp_new, pk_no_new},
      {Py_tp_doc, (void *)doc},         {0, NULL},
  };
  PyType_Spec spec = {"kiln.Program", sizeof(struct pk_program), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return pk_add_type(module, "Program", &spec, &state->program);
}
