// Arguments of a launch: Python's objects to what the kernel takes, checked by reflection.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dlpack.h"
#include "pykiln.h"

// ---- types ----------------------------------------------------------------------------------------------------------

static const struct element {
  const char *name;
  char kind;
  uint8_t bytes;
} elements[] = {
    {"char", 'i', 1}, {"uchar", 'u', 1}, {"short", 'i', 2}, {"ushort", 'u', 2}, {"int", 'i', 4},    {"uint", 'u', 4},
    {"long", 'i', 8}, {"ulong", 'u', 8}, {"half", 'f', 2},  {"float", 'f', 4},  {"double", 'f', 8}, {"bool", '?', 1},
};

void pk_param_init(struct pk_param *param, const struct kiln_arg_info *info) {
  *param = (struct pk_param){.info = info, .lanes = 1};
  const char *type = info->type_name;
  size_t stem = strspn(type, "abcdefghijklmnopqrstuvwxyz");
  char *end;
  unsigned long lanes = type[stem] >= '0' && type[stem] <= '9' ? strtoul(type + stem, &end, 10) : 1;
  const char *rest = type[stem] >= '0' && type[stem] <= '9' ? end : type + stem;
  if (strcmp(rest, info->kind == KILN_ARG_VALUE ? "" : "*") != 0 || lanes < 1 || lanes > PK_MAX_LANES)
    return;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
    if (strlen(elements[i].name) == stem && memcmp(elements[i].name, type, stem) == 0) {
      param->kind = elements[i].kind;
      param->bytes = elements[i].bytes;
      param->lanes = (uint8_t)lanes;
    }
}

struct pk_dtype pk_dtype_of_format(const char *format, size_t itemsize) {
  struct pk_dtype type = {.bytes = itemsize};
  if (!format)
    format = "B";
  if (*format == '>' || *format == '!')
    type.is_swapped = itemsize > 1;
  if (strchr("@=<>!", *format) && *format)
    format++;
  if (*format == 'Z') {
    type.is_complex = true;
    type.bytes /= 2;
    format++;
  }
  if (!format[0] || format[1])
    return type;
  if (strchr("bhilqnc", *format))
    type.kind = 'i';
  else if (strchr("BHILQN", *format))
    type.kind = 'u';
  else if (strchr("efd", *format))
    type.kind = 'f';
  else if (*format == '?')
    type.kind = '?';
  return type;
}

const char *pk_dtype_name(struct pk_dtype type, char *out, size_t size) {
  const char *kind = type.is_complex ? "complex" : type.kind == 'i' ? "int" : type.kind == 'u' ? "uint" : "float";
  unsigned bits = (unsigned)type.bytes * (type.is_complex ? 16 : 8);
  if (type.kind == '?')
    PyOS_snprintf(out, size, "bool");
  else if (type.kind)
    PyOS_snprintf(out, size, "%s%u%s", kind, bits, type.is_swapped ? " in the other byte order" : "");
  else
    PyOS_snprintf(out, size, "elements of %zu bytes", type.bytes);
  return out;
}

static bool fits(const struct pk_param *param, struct pk_dtype type) {
  if (!param->kind)
    return true; // a struct, or void: only the caller knows
  if (type.is_swapped || type.bytes != param->bytes || (type.is_complex && param->lanes % 2))
    return false;
  return type.kind == param->kind || (type.kind == '?' && param->kind != 'f') || (param->kind == '?' && type.kind);
}

// ---- messages -------------------------------------------------------------------------------------------------------

// Raises "kernel 'k': argument 1 ('x'): …", the rest in the format of PyErr_Format; returns false.
static bool bad(PyObject *exception, const struct pk_call *call, uint32_t index, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *text = PyUnicode_FromFormatV(format, args);
  va_end(args);
  const struct kiln_arg_info *info = &call->kernel->info->args[index];
  if (text)
    PyErr_Format(exception, "kernel '%s': argument %u%s%s%s: %U", call->kernel->info->name, (unsigned)index,
                 *info->name ? " ('" : "", info->name, *info->name ? "')" : "", text);
  Py_XDECREF(text);
  return false;
}

static PyObject *type_name(PyObject *object) { return PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__"); }

static bool bad_type(const struct pk_call *call, uint32_t index, const char *expected, PyObject *got) {
  const struct kiln_arg_info *info = &call->kernel->info->args[index];
  PyErr_Clear();
  PyObject *name = type_name(got);
  if (name)
    bad(PyExc_TypeError, call, index, "expected %s for '%s', got %U", expected, info->type_name, name);
  Py_XDECREF(name);
  return false;
}

// ---- arrays ---------------------------------------------------------------------------------------------------------

static bool check_elements(const struct pk_call *call, uint32_t index, struct pk_dtype type, size_t size) {
  const struct pk_param *param = &call->kernel->params[index];
  char name[64];
  if (!fits(param, type))
    return bad(PyExc_TypeError, call, index, "expected an array for '%s', got one of %s", param->info->type_name,
               pk_dtype_name(type, name, sizeof name));
  size_t whole = (size_t)param->bytes * (param->lanes == 3 ? 4 : param->lanes);
  if (param->kind && size % whole)
    return bad(PyExc_ValueError, call, index, "%zu bytes are no multiple of the %zu of '%s'", size, whole,
               param->info->type_name);
  return true;
}

// Says why an object gave no buffer that the kernel can use.
static bool bad_view(const struct pk_call *call, uint32_t index, PyObject *object, bool written) {
  PyErr_Clear();
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    bad(PyExc_TypeError, call, index, "it gives no buffer: %S", value ? value : Py_None);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return false;
  }
  bool readonly = view.readonly;
  PyBuffer_Release(&view);
  if (readonly && written)
    return bad(PyExc_ValueError, call, index, "the array is read-only, and the kernel writes to it");
  return bad(PyExc_ValueError, call, index,
             "the array is not contiguous in the order of C: pass a copy (numpy.ascontiguousarray), or its "
             "transpose if that is contiguous");
}

static bool take_view(struct pk_call *call, uint32_t index, PyObject *object, struct pk_array *array) {
  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (array->written ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &array->view, flags) != 0) {
    array->view.obj = NULL;
    return bad_view(call, index, object, array->written);
  }
  array->data = array->view.buf;
  array->size = (size_t)array->view.len;
  if (PyBytes_Check(object) || PyByteArray_Check(object)) // raw memory
    return true;
  struct pk_dtype type = pk_dtype_of_format(array->view.format, (size_t)array->view.itemsize);
  return check_elements(call, index, type, array->size);
}

static bool bad_device(const struct pk_call *call, uint32_t index, int type) {
  return bad(PyExc_TypeError, call, index, "the array is in memory of a device (DLPack type %d), not of the host",
             type);
}

// Whether arrays of that device type can be arguments: those of the host, and those in the memory of the context's own
// devices. Asked before the array is, which may copy it.
static bool takes_device(const struct pk_call *call, uint32_t index, PyObject *object) {
  if (!PyObject_HasAttrString(object, "__dlpack_device__"))
    return true;
  PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  PyObject *type = device ? PySequence_GetItem(device, 0) : NULL;
  long number = type ? PyLong_AsLong(type) : -1;
  Py_XDECREF(device);
  Py_XDECREF(type);
  if (number == -1 && PyErr_Occurred())
    return false;
  return number == DL_CPU || number == pk_context_device_type(call->kernel->program->context) ||
         bad_device(call, index, (int)number);
}

// The tensor of version 1, or of version 0 where the object knows no other.
static bool take_capsule(PyObject *object, struct pk_array *array) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__"), *none = PyTuple_New(0);
  PyObject *version = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
  PyObject *capsule = method && none && version ? PyObject_Call(method, none, version) : NULL;
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = PyObject_CallMethod(object, "__dlpack__", NULL);
  }
  Py_XDECREF(method);
  Py_XDECREF(none);
  Py_XDECREF(version);
  bool is_versioned = capsule && PyCapsule_IsValid(capsule, "dltensor_versioned");
  void *tensor = capsule ? PyCapsule_GetPointer(capsule, is_versioned ? "dltensor_versioned" : "dltensor") : NULL;
  bool taken = tensor && PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor") == 0;
  Py_XDECREF(capsule);
  if (taken && is_versioned)
    array->versioned = tensor;
  else if (taken)
    array->tensor = tensor;
  return taken;
}

// Array libraries without the buffer protocol.
static bool take_tensor(struct pk_call *call, uint32_t index, PyObject *object, struct pk_array *array) {
  if (!takes_device(call, index, object) || !take_capsule(object, array))
    return false;
  const struct dl_tensor *tensor = array->tensor ? &array->tensor->tensor : &array->versioned->tensor;
  array->is_native = tensor->device_type != DL_CPU;
  if (array->is_native && tensor->device_type != pk_context_device_type(call->kernel->program->context))
    return bad_device(call, index, tensor->device_type);
  if (array->versioned && array->versioned->flags & DL_READ_ONLY && array->written)
    return bad(PyExc_ValueError, call, index, "the array is read-only, and the kernel writes to it");
  size_t bytes = (tensor->bits + 7u) / 8 * tensor->lanes, count = 1;
  int64_t step = 1;
  bool contiguous = true;
  for (int d = tensor->ndim - 1; d >= 0; d--) {
    contiguous = contiguous && (!tensor->strides || tensor->shape[d] == 1 || tensor->strides[d] == step);
    step *= tensor->shape[d];
    count *= (size_t)tensor->shape[d];
  }
  if (!contiguous && count)
    return bad(PyExc_ValueError, call, index, "the array is not contiguous in the order of C");
  bool is_handle = tensor->device_type == DL_OPENCL;
  array->data = is_handle ? tensor->data : (char *)tensor->data + tensor->byte_offset;
  array->offset = is_handle ? tensor->byte_offset : 0;
  array->size = count * bytes;
  static const char kinds[] = {[DL_INT] = 'i', [DL_UINT] = 'u', [DL_FLOAT] = 'f', [DL_COMPLEX] = 'f', [DL_BOOL] = '?'};
  struct pk_dtype type = {tensor->code < sizeof kinds ? kinds[tensor->code] : 0, bytes, tensor->code == DL_COMPLEX,
                          false};
  if (type.is_complex)
    type.bytes /= 2;
  return check_elements(call, index, type, array->size);
}

static bool take_array(struct pk_call *call, uint32_t index, PyObject *object) {
  struct pk_array *array = &call->arrays[index];
  const struct kiln_arg_info *info = &call->kernel->info->args[index];
  struct kiln_arg *arg = &call->args[index];
  *arg = kiln_arg_buffer(NULL);
  if (object == Py_None)
    return true;
  array->written = info->access == KILN_ACCESS_WRITE || info->access == KILN_ACCESS_READ_WRITE;
  if (PyObject_TypeCheck(object, call->kernel->program->context->state->buffer)) {
    Py_INCREF(object);
    array->owned = object;
    arg->buffer = ((struct pk_buffer *)object)->buffer;
    return true;
  }
  if (PyObject_CheckBuffer(object))
    return take_view(call, index, object, array);
  if (PyObject_HasAttrString(object, "__dlpack__"))
    return take_tensor(call, index, object, array);
  return bad_type(call, index, "an array", object);
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool bad_range(const struct pk_call *call, uint32_t index, PyObject *number) {
  const struct kiln_arg_info *info = &call->kernel->info->args[index];
  PyErr_Clear();
  PyObject *text = PyObject_Str(number);
  if (!text || PyUnicode_GetLength(text) > 100) { // Python refuses to write very long integers
    PyErr_Clear();
    bad(PyExc_OverflowError, call, index, "a number of many digits is out of the range of '%s'", info->type_name);
  } else {
    bad(PyExc_OverflowError, call, index, "%U is out of the range of '%s'", text, info->type_name);
  }
  Py_XDECREF(text);
  return false;
}

static bool put_int(const struct pk_call *call, uint32_t index, PyObject *number, unsigned char *out) {
  const struct pk_param *param = &call->kernel->params[index];
  PyObject *integer = PyNumber_Index(number);
  if (!integer)
    return bad_type(call, index, "an integer", number);
  unsigned bits = param->bytes * 8;
  bool good;
  unsigned long long value;
  if (param->kind == 'u') {
    value = PyLong_AsUnsignedLongLong(integer);
    good = !PyErr_Occurred() && (bits == 64 || value >> bits == 0);
  } else {
    long long number_value = PyLong_AsLongLong(integer);
    good = !PyErr_Occurred() && (bits == 64 || number_value >> (bits - 1) == number_value >> 63);
    value = (unsigned long long)number_value;
  }
  if (!good)
    bad_range(call, index, integer);
  Py_DECREF(integer);
  memcpy(out, &value, param->bytes); // little-endian
  return good;
}

static bool put_half(double number, unsigned char *out) {
  PyObject *module = PyImport_ImportModule("struct");
  PyObject *bytes = module ? PyObject_CallMethod(module, "pack", "sd", "<e", number) : NULL;
  if (bytes)
    memcpy(out, PyBytes_AsString(bytes), 2);
  Py_XDECREF(module);
  Py_XDECREF(bytes);
  return bytes != NULL;
}

static bool put_scalar(const struct pk_call *call, uint32_t index, PyObject *number, unsigned char *out) {
  const struct pk_param *param = &call->kernel->params[index];
  if (param->kind == '?') {
    int truth = PyObject_IsTrue(number);
    *out = truth == 1;
    return truth >= 0 || bad_type(call, index, "a truth value", number);
  }
  if (param->kind != 'f')
    return put_int(call, index, number, out);
  double value = PyFloat_AsDouble(number);
  if (value == -1 && PyErr_Occurred())
    return PyErr_ExceptionMatches(PyExc_OverflowError) ? bad_range(call, index, number)
                                                       : bad_type(call, index, "a number", number);
  if (param->bytes == 2)
    return put_half(value, out) || bad_range(call, index, number);
  float narrow = (float)value;
  if (param->bytes == 4 && isinf(narrow) && !isinf(value)) // as struct.pack has it
    return bad_range(call, index, number);
  memcpy(out, param->bytes == 8 ? (void *)&value : (void *)&narrow, param->bytes);
  return true;
}

// A vector from a sequence of as many numbers.
static bool put_vector(const struct pk_call *call, uint32_t index, PyObject *object, unsigned char *out) {
  const struct pk_param *param = &call->kernel->params[index];
  char expected[48];
  PyOS_snprintf(expected, sizeof expected, "a sequence of %u numbers", (unsigned)param->lanes);
  Py_ssize_t count = PySequence_Check(object) ? PySequence_Size(object) : -1;
  if (count < 0)
    return bad_type(call, index, expected, object);
  if (count != param->lanes)
    return bad(PyExc_ValueError, call, index, "expected %s for '%s', got %zd", expected, param->info->type_name, count);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PySequence_GetItem(object, i);
    bool good = item && put_scalar(call, index, item, out + i * param->bytes);
    Py_XDECREF(item);
    if (!good)
      return false;
  }
  return true;
}

// A struct from an object with as many bytes (numpy.void, ctypes.Structure, bytes).
static bool put_bytes(const struct pk_call *call, uint32_t index, PyObject *object, unsigned char *out) {
  const struct kiln_arg_info *info = &call->kernel->info->args[index];
  Py_buffer view;
  if (!PyObject_CheckBuffer(object) || PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0)
    return bad_type(call, index, "an object with the bytes of a struct", object);
  bool good = (size_t)view.len == info->size;
  if (good)
    memcpy(out, view.buf, info->size);
  else
    bad(PyExc_ValueError, call, index, "expected %u bytes for '%s', got %zd", (unsigned)info->size, info->type_name,
        view.len);
  PyBuffer_Release(&view);
  return good;
}

static bool take_value(struct pk_call *call, uint32_t index, PyObject *object, size_t *used) {
  const struct pk_param *param = &call->kernel->params[index];
  unsigned char *out = call->values + *used;
  *used += (param->info->size + 15u) & ~15u;
  call->args[index] = kiln_arg_value(out, param->info->size);
  if (!param->kind)
    return put_bytes(call, index, object, out);
  if (param->lanes == 1)
    return put_scalar(call, index, object, out);
  memset(out, 0, param->info->size);
  return put_vector(call, index, object, out);
}

static bool take_local(struct pk_call *call, uint32_t index, PyObject *object) {
  PyObject *integer = PyNumber_Index(object);
  if (!integer)
    return bad_type(call, index, "the number of bytes of local memory", object);
  size_t size = PyLong_AsSize_t(integer);
  bool good = !PyErr_Occurred() || bad_range(call, index, integer);
  Py_DECREF(integer);
  call->args[index] = kiln_arg_local(size);
  return good;
}

// ---- images ---------------------------------------------------------------------------------------------------------

static bool take_image(struct pk_call *call, uint32_t index, PyObject *object) {
  if (!PyObject_TypeCheck(object, call->kernel->program->context->state->image))
    return bad_type(call, index, "a kiln.Image", object);
  Py_INCREF(object);
  call->arrays[index].owned = object;
  call->args[index] = kiln_arg_image(((struct pk_image *)object)->image);
  return true;
}

static bool take_sampler(struct pk_call *call, uint32_t index, PyObject *object) {
  if (!PyObject_TypeCheck(object, call->kernel->program->context->state->sampler))
    return bad_type(call, index, "a kiln.Sampler", object);
  call->args[index] = kiln_arg_sampler(((struct pk_sampler *)object)->bits);
  return true;
}

// ---- the whole call -------------------------------------------------------------------------------------------------

static bool take(struct pk_call *call, uint32_t index, PyObject *object, size_t *used) {
  switch (call->kernel->params[index].info->kind) {
  case KILN_ARG_VALUE:
    return take_value(call, index, object, used);
  case KILN_ARG_LOCAL:
    return take_local(call, index, object);
  case KILN_ARG_IMAGE:
    return take_image(call, index, object);
  case KILN_ARG_SAMPLER:
    return take_sampler(call, index, object);
  case KILN_ARG_BUFFER:
    break;
  }
  return take_array(call, index, object);
}

// The named argument of a parameter, or NULL.
static PyObject *find_named(const struct pk_call *call, PyObject *named, uint32_t index) {
  return named ? PyDict_GetItemString(named, call->kernel->info->args[index].name) : NULL;
}

// The parameter that a wrong name was probably meant to be, or else all of them; a new str.
static PyObject *meant_name(const struct kiln_kernel_info *info, PyObject *wrong) {
  PyObject *names = PyList_New(0), *near = NULL, *comma = PyUnicode_FromString(", "), *joined = NULL, *text = NULL;
  for (uint32_t i = 0; names && i < info->arg_count; i++) {
    PyObject *name = PyUnicode_FromString(info->args[i].name);
    if (!name || PyList_Append(names, name))
      Py_CLEAR(names);
    Py_XDECREF(name);
  }
  PyObject *difflib = names ? PyImport_ImportModule("difflib") : NULL;
  if (difflib)
    near = PyObject_CallMethod(difflib, "get_close_matches", "OOi", wrong, names, 1);
  if (near && PyList_Size(near))
    text = PyUnicode_FromFormat("did you mean '%U'?", PyList_GetItem(near, 0));
  else if (near && (joined = PyUnicode_Join(comma, names)))
    text = PyUnicode_FromFormat(PyList_Size(names) ? "it has %U" : "it has none", joined);
  Py_XDECREF(difflib);
  Py_XDECREF(near);
  Py_XDECREF(comma);
  Py_XDECREF(joined);
  Py_XDECREF(names);
  return text;
}

// Whether each name is that of a parameter that no argument before them was given for.
static bool check_names(const struct pk_call *call, Py_ssize_t given, PyObject *named) {
  const struct kiln_kernel_info *info = call->kernel->info;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; named && PyDict_Next(named, &at, &key, &value);) {
    uint32_t i = 0;
    while (i < info->arg_count && PyUnicode_CompareWithASCIIString(key, info->args[i].name) != 0)
      i++;
    if (i < info->arg_count && i >= given)
      continue;
    if (i < info->arg_count) {
      PyErr_Format(PyExc_TypeError, "kernel '%s': argument %u ('%U') is given twice", info->name, (unsigned)i, key);
      return false;
    }
    PyObject *meant = meant_name(info, key);
    if (meant)
      PyErr_Format(PyExc_TypeError, "kernel '%s' has no argument '%U': %U", info->name, key, meant);
    Py_XDECREF(meant);
    return false;
  }
  return true;
}

static bool bad_count(const struct pk_call *call, Py_ssize_t given) {
  PyErr_Format(PyExc_TypeError, "kernel '%s' takes %u argument%s, got %zd", call->kernel->info->name,
               (unsigned)call->count, call->count == 1 ? "" : "s", given);
  return false;
}

bool pk_call_begin(struct pk_call *call, struct pk_kernel *kernel, PyObject *args, Py_ssize_t first, PyObject *named,
                   bool lasts) {
  uint32_t count = kernel->info->arg_count;
  call->kernel = kernel;
  call->count = count;
  call->problem = NULL;
  Py_ssize_t given = PyTuple_Size(args) - first, by_name = named ? PyDict_Size(named) : 0;
  call->arrays = NULL;
  if (by_name && !check_names(call, given, named))
    return false;
  if (given + by_name != count)
    return bad_count(call, given + by_name);
  bool few = count <= PK_FEW_ARGS && kernel->value_bytes <= PK_FEW_BYTES;
  call->args = few ? call->few_args : PyMem_Malloc(count * sizeof *call->args + kernel->value_bytes + 16);
  call->values = few ? call->few_values : (unsigned char *)(call->args + count);
  call->arrays = few && !lasts ? call->few_arrays : PyMem_Malloc((count + 1) * sizeof *call->arrays);
  if (!call->args || !call->arrays) {
    PyErr_NoMemory();
    pk_call_end(call);
    return false;
  }
  memset(call->arrays, 0, count * sizeof *call->arrays);
  size_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    PyObject *object = i < given ? PyTuple_GetItem(args, first + i) : find_named(call, named, i);
    if (!object)
      PyErr_Format(PyExc_TypeError, "kernel '%s': argument %u ('%s') is missing", kernel->info->name, (unsigned)i,
                   kernel->info->args[i].name);
    if (!object || !take(call, i, object, &used)) {
      pk_call_end(call);
      return false;
    }
  }
  return true;
}

void pk_arrays_free(struct pk_array *arrays, uint32_t count) {
  PyObject *type, *value, *trace; // deleters may run code of Python, which begins without an exception
  PyErr_Fetch(&type, &value, &trace);
  for (uint32_t i = 0; i < count; i++) {
    if (arrays[i].view.obj)
      PyBuffer_Release(&arrays[i].view);
    if (arrays[i].tensor && arrays[i].tensor->deleter)
      arrays[i].tensor->deleter(arrays[i].tensor);
    if (arrays[i].versioned && arrays[i].versioned->deleter)
      arrays[i].versioned->deleter(arrays[i].versioned);
    Py_XDECREF(arrays[i].owned);
  }
  PyErr_Restore(type, value, trace);
}

void pk_call_lose(struct pk_call *call) { memset(call->arrays, 0, call->count * sizeof *call->arrays); }

void pk_call_end(struct pk_call *call) {
  if (call->arrays) {
    pk_arrays_free(call->arrays, call->count);
    if (call->arrays != call->few_arrays)
      PyMem_Free(call->arrays);
  }
  if (call->args != call->few_args)
    PyMem_Free(call->args);
}

// Whether a launch with copies of both would lose what the kernel writes.
static bool clash(const struct pk_array *a, const struct pk_array *b) {
  uintptr_t from_a = (uintptr_t)a->data, from_b = (uintptr_t)b->data;
  return (a->written || b->written) && from_a < from_b + b->size && from_b < from_a + a->size;
}

// An array in memory of the device; the array of a handle may begin anywhere.
static enum kiln_status wrap_native(struct pk_array *array, struct kiln_context *ctx, uint32_t device) {
  struct kiln_buffer *whole;
  enum kiln_status status = kiln_buffer_wrap_native(ctx, device, array->data, array->offset + array->size, &whole);
  if (status != KILN_OK || !array->offset) {
    array->buffer = status == KILN_OK ? whole : NULL;
    return status;
  }
  status = kiln_buffer_sub(whole, array->offset, array->size, &array->buffer);
  kiln_buffer_release(whole);
  return status;
}

// The buffer of an array that the device does not own.
static enum kiln_status wrap_host(struct pk_array *array, struct kiln_context *ctx, uint32_t device,
                                  struct kiln_stream *stream) {
  struct kiln_device_info info;
  bool later = stream && kiln_device_info(ctx, device, &info) == KILN_OK && !info.host_memory;
  struct kiln_buffer_desc desc = {.size = array->size, .host = later ? NULL : array->data, .device = device};
  enum kiln_status status = kiln_buffer_create(ctx, &desc, &array->buffer);
  if (status == KILN_OK && later)
    status = kiln_write(stream, array->buffer, 0, array->data, array->size, NULL);
  return status;
}

enum kiln_status pk_call_wrap(struct pk_call *call, struct kiln_context *ctx, uint32_t device,
                              struct kiln_stream *stream) {
  for (uint32_t i = 0; i < call->count; i++) {
    struct pk_array *array = &call->arrays[i];
    if (!array->size)
      continue;
    bool shared = false;
    for (uint32_t k = 0; k < i && !array->buffer; k++) {
      struct pk_array *other = &call->arrays[k];
      if (!other->buffer)
        continue;
      if (other->data == array->data && other->size == array->size && other->offset == array->offset) {
        other->written |= array->written;
        array->same = true;
        call->args[i].buffer = array->buffer = other->buffer;
        shared = true;
      } else if (other->copied && clash(array, other)) {
        call->problem = "two arrays overlap, and the kernel writes to them: a device with memory of its own gets "
                        "copies of them";
        return KILN_ERR_INVALID;
      }
    }
    if (shared)
      continue;
    enum kiln_status status =
        array->is_native ? wrap_native(array, ctx, device) : wrap_host(array, ctx, device, stream);
    if (status != KILN_OK)
      return status;
    array->copied = !array->is_native && kiln_buffer_host(array->buffer) != array->data;
    call->args[i].buffer = array->buffer;
  }
  return KILN_OK;
}

void pk_call_unwrap(struct pk_call *call) {
  for (uint32_t i = 0; i < call->count; i++) {
    if (call->arrays[i].buffer && !call->arrays[i].same)
      kiln_buffer_release(call->arrays[i].buffer);
    call->arrays[i].buffer = NULL;
  }
}

enum kiln_status pk_call_read(struct pk_call *call, struct kiln_stream *stream, struct kiln_event **event) {
  for (uint32_t i = 0; i < call->count; i++) {
    struct pk_array *array = &call->arrays[i];
    if (!array->copied || !array->written || array->same)
      continue;
    if (event && *event) {
      kiln_event_release(*event);
      *event = NULL;
    }
    enum kiln_status status = kiln_read(stream, array->buffer, 0, array->data, array->size, event);
    if (status != KILN_OK)
      return status;
  }
  return KILN_OK;
}
