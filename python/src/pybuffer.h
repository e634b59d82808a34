// The buffer protocol for modules on the stable ABI. Python.h declares it there since 3.11 alone, but layout and
// functions have been the same since 3.3 (PEP 3118), and 3.11 has frozen them as they were.
#ifndef KILN_PYTHON_PYBUFFER_H
#define KILN_PYTHON_PYBUFFER_H

#include <Python.h>

#if Py_LIMITED_API + 0 < 0x030b0000

typedef struct {
  void *buf;
  PyObject *obj; // what is exported, owned
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;

PyAPI_FUNC(int) PyObject_CheckBuffer(PyObject *object);
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(int)
    PyBuffer_FillInfo(Py_buffer *view, PyObject *object, void *data, Py_ssize_t size, int readonly, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
PyAPI_FUNC(int) PyBuffer_IsContiguous(const Py_buffer *view, char order);
PyAPI_FUNC(int) PyBuffer_ToContiguous(void *out, const Py_buffer *view, Py_ssize_t size, char order);

#define PyBUF_SIMPLE 0
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_C_CONTIGUOUS (0x0020 | PyBUF_STRIDES)
#define PyBUF_F_CONTIGUOUS (0x0040 | PyBUF_STRIDES)
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2

#endif

#endif
