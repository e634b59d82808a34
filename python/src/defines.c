// compile(defines=…): macros from Python's values, as words of build options.
#include <float.h>
#include <stdint.h>

#include "pykiln.h"

// What a value would be in the source: a new str.

// Every integer has a spelling whose type holds it: -2147483648 would be a long in C, -9223372036854775808 nothing.
static PyObject *integer_text(PyObject *value) {
  PyObject *number = PyNumber_Index(value), *text = NULL;
  int overflow = 0;
  long long small = number ? PyLong_AsLongLongAndOverflow(number, &overflow) : -1;
  if (number && overflow == 0 && (small == INT64_MIN || small == INT32_MIN))
    text = PyUnicode_FromFormat("(%lld-1)", small + 1);
  else if (number && overflow == 0 && !PyErr_Occurred())
    text = PyUnicode_FromFormat("%lld", small);
  else if (number && overflow > 0) {
    unsigned long long large = PyLong_AsUnsignedLongLong(number);
    if (!PyErr_Occurred())
      text = PyUnicode_FromFormat("%lluUL", large);
  } else if (number && overflow < 0) {
    PyErr_SetNone(PyExc_OverflowError);
  }
  Py_XDECREF(number);
  return text;
}

static PyObject *float_text(PyObject *value, const char *suffix) {
  PyObject *number = PyNumber_Float(value), *text = NULL;
  double d = number ? PyFloat_AsDouble(number) : 0;
  if (number && d != d)
    text = PyUnicode_FromString("NAN");
  else if (number && (d > DBL_MAX || d < -DBL_MAX))
    text = PyUnicode_FromString(d > 0 ? "INFINITY" : "-INFINITY");
  else if (number)
    text = PyUnicode_FromFormat("%R%s", number, suffix);
  Py_XDECREF(number);
  return text;
}

static bool is_named(PyObject *value, const char *name) {
  PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__name__");
  bool same = type && PyUnicode_Check(type) && PyUnicode_CompareWithASCIIString(type, name) == 0;
  Py_XDECREF(type);
  return same;
}

static PyObject *value_text(PyObject *name, PyObject *value) {
  PyObject *text = NULL;
  if (PyUnicode_Check(value)) {
    Py_INCREF(value);
    return value;
  }
  if (PyBool_Check(value) || is_named(value, "bool_")) { // NumPy's
    int truth = PyObject_IsTrue(value);
    text = truth < 0 ? NULL : PyUnicode_FromString(truth ? "1" : "0");
  } else if (PyFloat_Check(value)) {
    text = float_text(value, "");
  } else if (is_named(value, "float32") || is_named(value, "float16")) {
    text = float_text(value, "f");
  } else if (PyIndex_Check(value)) {
    text = integer_text(value);
  } else {
    PyErr_Format(PyExc_TypeError, "compile: the macro '%U' is a str, int, float, bool or None, not %S", name,
                 (PyObject *)Py_TYPE(value));
    return NULL;
  }
  if (!text && PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_OverflowError, "compile: the macro '%U' is %R, which no integer of 64 bits holds", name, value);
  }
  return text;
}

static PyObject *define_word(PyObject *name, PyObject *value) {
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "compile: the name of a macro is a str, not %S", (PyObject *)Py_TYPE(name));
  if (PyUnicode_FindChar(name, '=', 0, PyUnicode_GetLength(name), 1) >= 0)
    return PyErr_Format(PyExc_ValueError, "compile: '%U' is no name of a macro", name);
  if (value == Py_None)
    return PyUnicode_FromFormat("-D%U", name);
  PyObject *text = value_text(name, value), *word = text ? PyUnicode_FromFormat("-D%U=%U", name, text) : NULL;
  Py_XDECREF(text);
  return word;
}

PyObject *pk_define_words(PyObject *dict) {
  if (!PyDict_Check(dict))
    return PyErr_Format(PyExc_TypeError, "compile: defines is a dict of names and values, not %S",
                        (PyObject *)Py_TYPE(dict));
  PyObject *words = PyList_New(0), *name, *value;
  Py_ssize_t at = 0;
  while (words && PyDict_Next(dict, &at, &name, &value)) {
    PyObject *word = define_word(name, value);
    if (!word || PyList_Append(words, word) != 0)
      Py_CLEAR(words);
    Py_XDECREF(word);
  }
  return words;
}
