// kiln.Buffer: memory of a device. Where that is memory of the host, it is also a buffer of Python (numpy.frombuffer).
#include <stdlib.h>

#include "dlpack.h"
#include "pykiln.h"

static PyObject *buffer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"context", "size", "device", NULL};
  struct pk_state *state = pk_state();
  struct pk_context *context;
  Py_ssize_t size;
  uint32_t device = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!n|O&:Buffer", names, state->context, &context, &size, pk_to_uint,
                                   &device) ||
      !pk_context_usable(context))
    return NULL;
  if (size < 1)
    return pk_raise_text(KILN_ERR_INVALID, "Buffer: a size of %zd bytes", size);
  struct kiln_buffer_desc desc = {.size = (size_t)size, .device = device};
  struct kiln_buffer *buffer = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_buffer_create(context->ctx, &desc, &buffer);
  PK_END
  context->has_device = true;
  if (status != KILN_OK)
    return pk_raise(status);
  struct pk_buffer *self = (struct pk_buffer *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_buffer_release(buffer);
    return NULL;
  }
  Py_INCREF(context);
  self->context = context;
  self->buffer = buffer;
  self->device = device;
  return (PyObject *)self;
}

static void buffer_dealloc(struct pk_buffer *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->context && pk_context_can_close(self->context))
    kiln_buffer_release(self->buffer);
  Py_XDECREF(self->context);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static Py_ssize_t buffer_length(struct pk_buffer *self) { return (Py_ssize_t)kiln_buffer_size(self->buffer); }

static int buffer_get(struct pk_buffer *self, Py_buffer *view, int flags) {
  void *data = kiln_buffer_host(self->buffer);
  if (data)
    return PyBuffer_FillInfo(view, (PyObject *)self, data, buffer_length(self), 0, flags);
  view->obj = NULL;
  PyErr_SetString(PyExc_BufferError, "the buffer is memory of the device: use read and write");
  return -1;
}

// Copies between the buffer and an array of the caller's, and waits.
static PyObject *copy(struct pk_buffer *self, PyObject *args, PyObject *kwargs, bool reads) {
  static char *names[] = {"array", "offset", NULL};
  PyObject *array;
  Py_ssize_t offset = 0;
  Py_buffer view;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|n", names, &array, &offset) || !pk_context_usable(self->context))
    return NULL;
  if (offset < 0)
    return pk_raise_text(KILN_ERR_INVALID, "Buffer: the offset %zd is negative", offset);
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | (reads ? PyBUF_WRITABLE : 0)) != 0)
    return NULL;
  struct kiln_stream *stream = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_stream_create(self->context->ctx, self->device, &stream);
  if (status == KILN_OK) {
    status = reads ? kiln_read(stream, self->buffer, (size_t)offset, view.buf, (size_t)view.len, NULL)
                   : kiln_write(stream, self->buffer, (size_t)offset, view.buf, (size_t)view.len, NULL);
    enum kiln_status finished = status == KILN_OK ? kiln_stream_finish(stream) : KILN_OK;
    status = status == KILN_OK ? finished : status;
    kiln_stream_release(stream);
  }
  PK_END
  PyBuffer_Release(&view);
  if (status != KILN_OK)
    return pk_raise(status);
  Py_RETURN_NONE;
}

static PyObject *buffer_read(struct pk_buffer *self, PyObject *args, PyObject *kwargs) {
  return copy(self, args, kwargs, true);
}

static PyObject *buffer_write(struct pk_buffer *self, PyObject *args, PyObject *kwargs) {
  return copy(self, args, kwargs, false);
}

static PyObject *get_size(struct pk_buffer *self, void *unused) {
  (void)unused;
  return PyLong_FromSsize_t(buffer_length(self));
}

// ---- DLPack: the bytes as an array of uint8

struct dl_bytes {
  struct dl_managed_tensor managed; // manager: the buffer
  int64_t shape;
};

static void dl_delete(struct dl_managed_tensor *tensor) {
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DECREF((PyObject *)tensor->manager);
  PyGILState_Release(gil);
  free(tensor);
}

static void capsule_delete(PyObject *capsule) {
  struct dl_managed_tensor *tensor = PyCapsule_GetPointer(capsule, "dltensor");
  if (tensor)
    tensor->deleter(tensor);
  else
    PyErr_Clear(); // it was taken
}

static PyObject *buffer_dlpack(struct pk_buffer *self, PyObject *args, PyObject *kwargs) {
  (void)args, (void)kwargs; // all that may be asked for is a stream, a later version, or a copy
  void *memory;
  size_t offset;
  if (!pk_context_usable(self->context))
    return NULL;
  enum kiln_status status = kiln_buffer_native(self->buffer, &memory, &offset);
  if (status != KILN_OK)
    return pk_raise(status);
  struct dl_bytes *bytes = calloc(1, sizeof *bytes);
  if (!bytes)
    return PyErr_NoMemory();
  bytes->shape = buffer_length(self);
  bytes->managed.tensor = (struct dl_tensor){.data = memory,
                                             .device_type = pk_context_device_type(self->context),
                                             .device_id = (int32_t)self->device,
                                             .ndim = 1,
                                             .code = DL_UINT,
                                             .bits = 8,
                                             .lanes = 1,
                                             .shape = &bytes->shape,
                                             .byte_offset = offset};
  bytes->managed.manager = self;
  bytes->managed.deleter = dl_delete;
  PyObject *capsule = PyCapsule_New(bytes, "dltensor", capsule_delete);
  if (capsule)
    Py_INCREF((PyObject *)self);
  else
    free(bytes);
  return capsule;
}

static PyObject *buffer_dlpack_device(struct pk_buffer *self, PyObject *unused) {
  (void)unused;
  return pk_context_usable(self->context)
             ? Py_BuildValue("(iI)", pk_context_device_type(self->context), (unsigned)self->device)
             : NULL;
}

static PyMethodDef methods[] = {
    {"read", PK_METHOD(buffer_read), METH_VARARGS | METH_KEYWORDS,
     "read(array, offset=0)\n--\n\nFills an array with bytes from the buffer at an offset, and waits."},
    {"write", PK_METHOD(buffer_write), METH_VARARGS | METH_KEYWORDS,
     "write(array, offset=0)\n--\n\nWrites an array's bytes into the buffer at an offset, and waits."},
    {"__dlpack__", PK_METHOD(buffer_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(**options)\n--\n\nThe bytes, where they are, as an array of uint8 for other libraries."},
    {"__dlpack_device__", (PyCFunction)buffer_dlpack_device, METH_NOARGS,
     "__dlpack_device__()\n--\n\nWhere the bytes are: a device type of DLPack, and the number of the device."},
    {NULL},
};

static PyGetSetDef getters[] = {{"nbytes", (getter)get_size, NULL, "Its size in bytes.", NULL}, {NULL}};

bool pk_buffer_add(PyObject *module, struct pk_state *state) {
  static const char doc[] = "Buffer(context, size, device=0)\n--\n\n"
                            "Bytes in memory of a device, for data that stays there from launch to launch. Where the\n"
                            "device uses memory of the host, numpy.frombuffer(buffer, dtype) is an array of it.";
  PyType_Slot slots[] = {
      {Py_tp_new, buffer_new},       {Py_tp_dealloc, buffer_dealloc},
      {Py_sq_length, buffer_length}, {Py_bf_getbuffer, buffer_get},
      {Py_tp_methods, methods},      {Py_tp_getset, getters},
      {Py_tp_doc, (void *)doc},      {0, NULL},
  };
  PyType_Spec spec = {"kiln.Buffer", sizeof(struct pk_buffer), 0, Py_TPFLAGS_DEFAULT, slots};
  return pk_add_type(module, "Buffer", &spec, &state->buffer);
}
