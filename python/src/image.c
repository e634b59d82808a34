// kiln.Image and kiln.Sampler: pixels in memory of a device, made of arrays, and how kernels read them between and
// beyond the pixels. Where a device uses memory of the host, an image is also a buffer of Python (numpy.asarray).
#include <string.h>

#include "kiln/pixel.h"
#include "pykiln.h"

// ---- names ----------------------------------------------------------------------------------------------------------

// As the types of kernels have them: image2d_array_t is "2d_array".
static const struct dimension {
  const char *name;
  uint8_t axes; // of an array, without that of the channels
  bool is_depth, has_layers;
} dimensions[] = {
    [KILN_IMAGE_1D] = {"1d", 1, false, false},
    [KILN_IMAGE_1D_BUFFER] = {"1d_buffer", 1, false, false},
    [KILN_IMAGE_1D_ARRAY] = {"1d_array", 2, false, true},
    [KILN_IMAGE_2D] = {"2d", 2, false, false},
    [KILN_IMAGE_2D_ARRAY] = {"2d_array", 3, false, true},
    [KILN_IMAGE_3D] = {"3d", 3, false, false},
    [KILN_IMAGE_2D_DEPTH] = {"2d_depth", 2, true, false},
    [KILN_IMAGE_2D_ARRAY_DEPTH] = {"2d_array_depth", 3, true, true},
};
static const size_t dimension_count = sizeof dimensions / sizeof *dimensions;

static const struct order {
  const char *name;
  uint8_t channels;
} orders[] = {
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) {text, channels},
#include "kiln/pixel.def"
};
static const size_t order_count = sizeof orders / sizeof *orders;

static const struct type {
  const char *name;
  uint8_t bytes;
  enum kiln_channel_kind kind;
} types[] = {
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) {text, bytes, KILN_##kind},
#include "kiln/pixel.def"
};
static const size_t type_count = sizeof types / sizeof *types;

const char *pk_dimension_name(uint8_t dimension) {
  return dimension < dimension_count ? dimensions[dimension].name : "";
}

// What an element of an array is that holds a channel, or a pixel of a packed type.
static struct pk_dtype dtype_of(enum kiln_channel_type type) {
  static const char kinds[] = {[KILN_UNORM] = 'u', [KILN_SNORM] = 'i', [KILN_PACKED] = 'u',
                               [KILN_SINT] = 'i',  [KILN_UINT] = 'u',  [KILN_FLOAT] = 'f'};
  return (struct pk_dtype){.kind = kinds[types[type].kind], .bytes = types[type].bytes};
}

// The same for the module struct and NumPy.
static const char *letter_of(enum kiln_channel_type type) {
  struct pk_dtype dtype = dtype_of(type);
  if (dtype.kind == 'f')
    return dtype.bytes == 2 ? "e" : "f";
  if (dtype.kind == 'i')
    return dtype.bytes == 1 ? "b" : dtype.bytes == 2 ? "h" : "i";
  return dtype.bytes == 1 ? "B" : dtype.bytes == 2 ? "H" : "I";
}

// ---- what an image is to be -----------------------------------------------------------------------------------------

// Sizes of 0 axes and orders and types of -1 are those that were not given.
struct plan {
  int order, type, dimension;
  int axes; // of the array, that of the channels included
  Py_ssize_t shape[PK_IMAGE_AXES];
};

static bool wrong(const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *text = PyUnicode_FromFormatV(format, args);
  va_end(args);
  if (text)
    pk_raise_text(KILN_ERR_INVALID, "Image: %U", text);
  Py_XDECREF(text);
  return false;
}

static bool same(const char *name, const char *text, size_t size) {
  return strlen(name) == size && PyOS_mystrnicmp(name, text, (Py_ssize_t)size) == 0;
}

static int find_order(const char *text, size_t size) {
  for (size_t i = 0; i < order_count; i++)
    if (same(orders[i].name, text, size))
      return (int)i;
  return -1;
}

static int find_type(const char *text, size_t size) {
  for (size_t i = 0; i < type_count; i++)
    if (same(types[i].name, text, size))
      return (int)i;
  return -1;
}

// "rgba:unorm8", or one of the two.
static bool read_format(struct plan *plan, const char *text) {
  if (!text)
    return true;
  size_t size = strcspn(text, ":");
  plan->order = find_order(text, size);
  if (text[size]) {
    plan->type = find_type(text + size + 1, strlen(text + size + 1));
    if (plan->order >= 0 && plan->type >= 0)
      return true;
  } else {
    plan->type = find_type(text, size);
    if (plan->order >= 0 || plan->type >= 0)
      return true;
  }
#define KILN_CHANNEL_ORDER(NAME, text, channels, stored, alpha, number) " " text
  static const char all_orders[] =
#include "kiln/pixel.def"
      ;
#define KILN_CHANNEL_TYPE(NAME, text, bytes, kind, number) " " text
  static const char all_types[] =
#include "kiln/pixel.def"
      ;
  return wrong("the format '%s' is not understood: it is an order, a type or both, such as 'rgba:unorm8'; orders "
               "are%s, types are%s",
               text, all_orders, all_types);
}

static bool read_dimension(struct plan *plan, const char *text) {
  for (size_t i = 0; text && i < dimension_count; i++)
    if (same(dimensions[i].name, text, strlen(text))) {
      plan->dimension = (int)i;
      return true;
    }
  return !text || wrong("the dimension '%s' is not understood; there are 1d, 1d_buffer, 1d_array, 2d, 2d_array, 3d, "
                        "2d_depth and 2d_array_depth",
                        text);
}

// The number of channels by the last axis, where there is one for them.
static bool settle_axes(struct plan *plan, uint32_t *channels) {
  static const int by_axes[] = {0, KILN_IMAGE_1D, KILN_IMAGE_2D, KILN_IMAGE_2D, KILN_IMAGE_3D};
  if (plan->dimension < 0 && (plan->axes < 1 || plan->axes > 4))
    return wrong("an array of %d axes; those of 1 and 2 are pixels of one channel, those of 3 and 4 have the channels "
                 "last",
                 plan->axes);
  if (plan->dimension < 0)
    plan->dimension = by_axes[plan->axes];
  const struct dimension *dimension = &dimensions[plan->dimension];
  int more = plan->axes - dimension->axes;
  if (more != 0 && more != 1)
    return wrong("an array of %d axes; an image of dimension '%s' takes %d, or %d with the channels last", plan->axes,
                 dimension->name, (int)dimension->axes, dimension->axes + 1);
  Py_ssize_t last = more ? plan->shape[plan->axes - 1] : 1;
  if (last != 1 && last != 2 && last != 4)
    return wrong("%zd channels, the last of %d axes; images have 1, 2 or 4%s", last, plan->axes,
                 plan->axes == 3 && last > 4 ? ", and dimension='3d' or '2d_array' takes such an array as pixels of one"
                                             : "");
  *channels = (uint32_t)last;
  return true;
}

static bool settle_order(struct plan *plan, uint32_t channels) {
  static const int by_channels[] = {0, KILN_ORDER_R, KILN_ORDER_RG, 0, KILN_ORDER_RGBA};
  bool is_packed = types[plan->type].kind == KILN_PACKED;
  if (plan->order < 0)
    plan->order = is_packed                                               ? KILN_ORDER_RGB
                  : channels == 1 && dimensions[plan->dimension].is_depth ? KILN_ORDER_DEPTH
                                                                          : by_channels[channels];
  uint32_t wanted = is_packed ? 1 : orders[plan->order].channels;
  return wanted == channels ||
         wrong("an array of %u channel%s; pixels of the order '%s' have %u%s", channels, channels == 1 ? "" : "s",
               orders[plan->order].name, wanted, is_packed ? ", packed into one number" : "");
}

// The type of channels that such elements are; or whether they are of the one that was asked for.
static bool settle_type(struct plan *plan, struct pk_dtype dtype) {
  static const struct {
    char kind;
    uint8_t bytes;
    enum kiln_channel_type type;
  } of_elements[] = {
      {'u', 1, KILN_CHANNEL_UNORM8}, {'u', 2, KILN_CHANNEL_UNORM16}, {'u', 4, KILN_CHANNEL_U32},
      {'i', 1, KILN_CHANNEL_I8},     {'i', 2, KILN_CHANNEL_I16},     {'i', 4, KILN_CHANNEL_I32},
      {'f', 2, KILN_CHANNEL_F16},    {'f', 4, KILN_CHANNEL_F32},
  };
  char got[64], want[64];
  bool is_plain = !dtype.is_complex && !dtype.is_swapped;
  if (plan->type >= 0) {
    struct pk_dtype wanted = dtype_of((enum kiln_channel_type)plan->type);
    if (is_plain && dtype.kind == wanted.kind && dtype.bytes == wanted.bytes)
      return true;
    PyErr_Format(PyExc_TypeError, "Image: an array of %s, and pixels of '%s' are of %s: array.astype does it",
                 pk_dtype_name(dtype, got, sizeof got), types[plan->type].name,
                 pk_dtype_name(wanted, want, sizeof want));
    return false;
  }
  for (size_t i = 0; i < sizeof of_elements / sizeof *of_elements; i++)
    if (is_plain && dtype.kind == of_elements[i].kind && dtype.bytes == of_elements[i].bytes) {
      plan->type = of_elements[i].type;
      return true;
    }
  PyErr_Format(PyExc_TypeError,
               "Image: an array of %s; images are of uint8, uint16, uint32, int8, int16, int32, float16 or float32",
               pk_dtype_name(dtype, got, sizeof got));
  return false;
}

static bool describe(const struct plan *plan, struct kiln_image_desc *out) {
  const struct dimension *dimension = &dimensions[plan->dimension];
  uint32_t sizes[3] = {0};
  for (int i = 0; i < dimension->axes; i++) {
    Py_ssize_t size = plan->shape[dimension->axes - 1 - i];
    if (size < 0 || size > INT32_MAX)
      return wrong("a size of %zd pixels", size);
    sizes[i] = (uint32_t)size;
  }
  out->dimension = (enum kiln_image_dimension)plan->dimension;
  out->format = (struct kiln_image_format){(enum kiln_channel_order)plan->order, (enum kiln_channel_type)plan->type};
  out->width = sizes[0];
  if (dimension->has_layers) {
    out->layers = sizes[dimension->axes - 1];
    out->height = dimension->axes == 3 ? sizes[1] : 0;
  } else {
    out->height = sizes[1];
    out->depth = sizes[2];
  }
  return true;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static void set_shape(struct pk_image *self, const struct plan *plan) {
  self->axes = plan->axes;
  Py_ssize_t stride = dtype_of(self->format.type).bytes ? (Py_ssize_t)dtype_of(self->format.type).bytes : 1;
  for (int i = plan->axes - 1; i >= 0; i--) {
    self->shape[i] = plan->shape[i];
    self->strides[i] = stride;
    stride *= plan->shape[i];
  }
}

static PyObject *create(PyTypeObject *type, struct pk_context *context, const struct plan *plan,
                        struct kiln_image_desc *desc) {
  struct kiln_image *image = NULL;
  enum kiln_status status;
  PK_BEGIN
  status = kiln_image_create(context->ctx, desc, &image);
  PK_END
  context->has_device = true;
  if (status != KILN_OK)
    return pk_raise(status);
  struct pk_image *self = (struct pk_image *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    kiln_image_release(image);
    return NULL;
  }
  Py_INCREF(context);
  self->context = context;
  self->image = image;
  self->device = desc->device;
  self->dimension = desc->dimension;
  self->format = desc->format;
  set_shape(self, plan);
  return (PyObject *)self;
}

// kiln.Image((height, width), "rgba:unorm8"): fresh memory.
static PyObject *of_sizes(PyTypeObject *type, struct pk_context *context, struct plan *plan, PyObject *sizes,
                          struct kiln_image_desc *desc) {
  static const int by_count[] = {0, KILN_IMAGE_1D, KILN_IMAGE_2D, KILN_IMAGE_3D};
  Py_ssize_t count = PyTuple_Size(sizes);
  if (plan->order < 0 || plan->type < 0) {
    wrong("one of sizes alone needs an order and a type of its channels: kiln.Image((height, width), 'rgba:unorm8')");
    return NULL;
  }
  if (plan->dimension < 0 && count >= 1 && count <= 3)
    plan->dimension = by_count[count];
  if (plan->dimension < 0 || count != dimensions[plan->dimension].axes) {
    wrong("%zd sizes; %s", count,
          plan->dimension < 0 ? "1, 2 or 3 are possible, the width last" : "its dimension has another number of them");
    return NULL;
  }
  for (plan->axes = 0; plan->axes < count; plan->axes++) {
    plan->shape[plan->axes] = PyNumber_AsSsize_t(PyTuple_GetItem(sizes, plan->axes), PyExc_OverflowError);
    if (plan->shape[plan->axes] == -1 && PyErr_Occurred())
      return NULL;
  }
  uint32_t channels = types[plan->type].kind == KILN_PACKED ? 1 : orders[plan->order].channels;
  if (channels > 1)
    plan->shape[plan->axes++] = channels;
  return describe(plan, desc) ? create(type, context, plan, desc) : NULL;
}

static PyObject *of_view(PyTypeObject *type, struct pk_context *context, struct plan *plan, const Py_buffer *view,
                         struct kiln_image_desc *desc) {
  uint32_t channels = 1;
  if (view->ndim > PK_IMAGE_AXES) {
    wrong("an array of %d axes; %d are the most", view->ndim, PK_IMAGE_AXES);
    return NULL;
  }
  plan->axes = view->ndim;
  for (int i = 0; i < view->ndim; i++)
    plan->shape[i] = view->shape[i];
  if (!settle_type(plan, pk_dtype_of_format(view->format, (size_t)view->itemsize)) || !settle_axes(plan, &channels) ||
      !settle_order(plan, channels) || !describe(plan, desc))
    return NULL;
  bool is_whole = PyBuffer_IsContiguous(view, 'C');
  void *copy = is_whole ? NULL : PyMem_Malloc((size_t)view->len + 1);
  if (!is_whole && !copy)
    return PyErr_NoMemory();
  PyObject *image = NULL;
  if (is_whole || PyBuffer_ToContiguous(copy, view, view->len, 'C') == 0) {
    desc->host = is_whole ? view->buf : copy;
    desc->host_bytes = (size_t)view->len;
    desc->copies = true;
    image = create(type, context, plan, desc);
  }
  PyMem_Free(copy);
  return image;
}

// The array of an object that gives no buffer: a list, or of a library that NumPy knows how to read.
static PyObject *as_array(PyObject *object) {
  if (PyObject_CheckBuffer(object)) {
    Py_INCREF(object);
    return object;
  }
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *array = numpy ? PyObject_CallMethod(numpy, "asarray", "O", object) : NULL;
  Py_XDECREF(numpy);
  return array;
}

static PyObject *of_array(PyTypeObject *type, struct pk_context *context, struct plan *plan, PyObject *object,
                          struct kiln_image_desc *desc) {
  Py_buffer view;
  PyObject *array = as_array(object), *image = NULL;
  if (array && PyObject_GetBuffer(array, &view, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
    image = of_view(type, context, plan, &view, desc);
    PyBuffer_Release(&view);
  }
  Py_XDECREF(array);
  return image;
}

// The context that the process shares.
static PyObject *shared_context(void) {
  PyObject *module = PyImport_ImportModule("kiln");
  PyObject *context = module ? PyObject_CallMethod(module, "context", NULL) : NULL;
  Py_XDECREF(module);
  return context;
}

static PyObject *image_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"source", "format", "dimension", "context", "device", NULL};
  struct pk_state *state = pk_state();
  struct plan plan = {.order = -1, .type = -1, .dimension = -1};
  struct kiln_image_desc desc = {0};
  const char *format = NULL, *dimension = NULL;
  PyObject *source, *context = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|zz$OO&:Image", names, &source, &format, &dimension, &context,
                                   pk_to_uint, &desc.device) ||
      !read_format(&plan, format) || !read_dimension(&plan, dimension))
    return NULL;
  if (context != Py_None && !PyObject_TypeCheck(context, state->context)) {
    PyErr_SetString(PyExc_TypeError, "Image: context is a kiln.Context, or None for the one that the process shares");
    return NULL;
  }
  if (context != Py_None)
    Py_INCREF(context);
  else if (!(context = shared_context()))
    return NULL;
  struct pk_context *found = (struct pk_context *)context;
  PyObject *image = NULL;
  if (pk_context_usable(found))
    image = PyTuple_Check(source) ? of_sizes(type, found, &plan, source, &desc)
                                  : of_array(type, found, &plan, source, &desc);
  Py_DECREF(context);
  return image;
}

static void image_dealloc(struct pk_image *self) {
  PyTypeObject *type = Py_TYPE(self);
  if (self->context && pk_context_can_close(self->context))
    kiln_image_release(self->image);
  Py_XDECREF(self->context);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// ---- from and to arrays ---------------------------------------------------------------------------------------------

static Py_ssize_t byte_count(const struct pk_image *self) { return self->shape[0] * self->strides[0]; }

static int image_get(struct pk_image *self, Py_buffer *view, int flags) {
  struct kiln_image_desc desc;
  kiln_image_info(self->image, &desc);
  view->obj = NULL;
  if (!desc.host) {
    PyErr_SetString(PyExc_BufferError, "the image is memory of the device: use to_numpy, read and write");
    return -1;
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && self->axes > 1) {
    PyErr_SetString(PyExc_BufferError, "the pixels of an image are in the order of C");
    return -1;
  }
  if (PyBuffer_FillInfo(view, (PyObject *)self, desc.host, byte_count(self), 0, flags & ~PyBUF_FORMAT) != 0)
    return -1;
  view->itemsize = self->strides[self->axes - 1];
  view->format = flags & PyBUF_FORMAT ? (char *)letter_of(self->format.type) : NULL;
  if (flags & PyBUF_ND) {
    view->ndim = self->axes;
    view->shape = self->shape;
  }
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES)
    view->strides = self->strides;
  return 0;
}

static enum kiln_status move(struct pk_image *self, void *data, bool reads) {
  struct kiln_stream *stream = NULL;
  enum kiln_status status = kiln_stream_create(self->context->ctx, self->device, &stream);
  if (status != KILN_OK)
    return status;
  status = reads ? kiln_image_read(stream, self->image, NULL, data, NULL, NULL)
                 : kiln_image_write(stream, self->image, NULL, data, NULL, NULL);
  enum kiln_status finished = status == KILN_OK ? kiln_stream_finish(stream) : KILN_OK;
  kiln_stream_release(stream);
  return status == KILN_OK ? finished : status;
}

static bool check_array(const struct pk_image *self, const char *call, PyObject *array, const Py_buffer *view) {
  struct pk_dtype got = pk_dtype_of_format(view->format, (size_t)view->itemsize), want = dtype_of(self->format.type);
  bool is_raw = PyBytes_Check(array) || PyByteArray_Check(array);
  char got_name[64], want_name[64];
  if (!is_raw && (got.kind != want.kind || got.bytes != want.bytes || got.is_complex || got.is_swapped)) {
    PyErr_Format(PyExc_TypeError, "Image.%s: an array of %s, and the image is of %s", call,
                 pk_dtype_name(got, got_name, sizeof got_name), pk_dtype_name(want, want_name, sizeof want_name));
    return false;
  }
  return view->len == byte_count(self) ||
         pk_raise_text(KILN_ERR_INVALID, "Image.%s: an array of %zd bytes, and the image has %zd", call, view->len,
                       byte_count(self));
}

// Copies all pixels between the image and an array of the caller's, and waits.
static PyObject *copy(struct pk_image *self, PyObject *array, bool reads) {
  Py_buffer view;
  if (!pk_context_usable(self->context) ||
      PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (reads ? PyBUF_WRITABLE : 0)) != 0)
    return NULL;
  enum kiln_status status = KILN_OK;
  bool fits = check_array(self, reads ? "read" : "write", array, &view);
  if (fits) {
    PK_BEGIN
    status = move(self, view.buf, reads);
    PK_END
  }
  PyBuffer_Release(&view);
  if (!fits)
    return NULL;
  if (status != KILN_OK)
    return pk_raise(status);
  Py_RETURN_NONE;
}

static PyObject *image_read(struct pk_image *self, PyObject *array) { return copy(self, array, true); }
static PyObject *image_write(struct pk_image *self, PyObject *array) { return copy(self, array, false); }

static PyObject *tuple_of(const Py_ssize_t *sizes, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *size = PyLong_FromSsize_t(sizes[i]);
    if (!size || PyTuple_SetItem(tuple, i, size) != 0)
      Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *get_shape(struct pk_image *self, void *unused) {
  (void)unused;
  return tuple_of(self->shape, self->axes);
}

static PyObject *image_to_numpy(struct pk_image *self, PyObject *unused) {
  (void)unused;
  PyObject *numpy = PyImport_ImportModule("numpy");
  PyObject *shape = numpy ? get_shape(self, NULL) : NULL;
  PyObject *array = shape ? PyObject_CallMethod(numpy, "empty", "Os", shape, letter_of(self->format.type)) : NULL;
  PyObject *done = array ? copy(self, array, true) : NULL;
  if (!done)
    Py_CLEAR(array);
  Py_XDECREF(done);
  Py_XDECREF(shape);
  Py_XDECREF(numpy);
  return array;
}

// What NumPy calls where the image gives no buffer.
static PyObject *image_array(struct pk_image *self, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copies = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", names, &dtype, &copies))
    return NULL;
  if (copies == Py_False) {
    PyErr_SetString(PyExc_ValueError, "the image is memory of the device: an array of it is a copy");
    return NULL;
  }
  PyObject *array = image_to_numpy(self, NULL);
  if (!array || dtype == Py_None)
    return array;
  PyObject *converted = PyObject_CallMethod(array, "astype", "O", dtype);
  Py_DECREF(array);
  return converted;
}

// ---- what it is -----------------------------------------------------------------------------------------------------

static PyObject *get_format(struct pk_image *self, void *unused) {
  (void)unused;
  char text[24];
  kiln_pixel_format_text(self->format, text, sizeof text);
  return PyUnicode_FromString(text);
}

static PyObject *get_dimension(struct pk_image *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(dimensions[self->dimension].name);
}

static PyObject *get_size(struct pk_image *self, void *unused) {
  (void)unused;
  int axes = dimensions[self->dimension].axes;
  Py_ssize_t sizes[3];
  for (int i = 0; i < axes; i++)
    sizes[i] = self->shape[axes - 1 - i];
  return tuple_of(sizes, axes);
}

static PyObject *get_nbytes(struct pk_image *self, void *unused) {
  (void)unused;
  return PyLong_FromSsize_t(byte_count(self));
}

static PyObject *image_repr(struct pk_image *self) {
  char text[24];
  kiln_pixel_format_text(self->format, text, sizeof text);
  PyObject *shape = get_shape(self, NULL);
  PyObject *repr =
      shape ? PyUnicode_FromFormat("<kiln.Image %s %R %s>", dimensions[self->dimension].name, shape, text) : NULL;
  Py_XDECREF(shape);
  return repr;
}

static PyMethodDef image_methods[] = {
    {"to_numpy", (PyCFunction)image_to_numpy, METH_NOARGS,
     "to_numpy()\n--\n\nA new array of NumPy's with the pixels, of the image's shape."},
    {"read", (PyCFunction)image_read, METH_O, "read(array)\n--\n\nFills an array with the pixels, and waits."},
    {"write", (PyCFunction)image_write, METH_O, "write(array)\n--\n\nWrites an array's pixels to it, and waits."},
    {"__array__", PK_METHOD(image_array), METH_VARARGS | METH_KEYWORDS,
     "__array__(dtype=None, copy=None)\n--\n\nA new array of NumPy's with the pixels."},
    {NULL},
};

static PyGetSetDef image_getters[] = {
    {"format", (getter)get_format, NULL, "Order and type of its channels: 'rgba:unorm8'.", NULL},
    {"dimension", (getter)get_dimension, NULL, "As the type of a kernel's parameter has it: '2d', '1d_array'.", NULL},
    {"shape", (getter)get_shape, NULL, "Of an array of its pixels: (height, width, channels).", NULL},
    {"size", (getter)get_size, NULL, "Its sizes as a launch has them, the width first.", NULL},
    {"nbytes", (getter)get_nbytes, NULL, "Bytes of its pixels.", NULL},
    {NULL},
};

// ---- samplers -------------------------------------------------------------------------------------------------------

// Words by bits; those of addresses are every second number.
static const char *const addresses[] = {"none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"};
static const char *const filters[] = {"nearest", "linear"};

static int find_word(const char *const *words, int count, const char *text, const char *what) {
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], text) == 0)
      return i;
  PyObject *all = PyUnicode_FromString("");
  for (int i = 0; all && i < count; i++) {
    PyObject *longer = PyUnicode_FromFormat("%U%s'%s'", all, i == 0 ? "" : i < count - 1 ? ", " : " or ", words[i]);
    Py_DECREF(all);
    all = longer;
  }
  if (all)
    pk_raise_text(KILN_ERR_INVALID, "Sampler: %s is %U, not '%s'", what, all, text);
  Py_XDECREF(all);
  return -1;
}

static PyObject *sampler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"address", "filter", "normalized", NULL};
  const char *address_text = "none", *filter_text = "nearest";
  int normalized = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|ssp:Sampler", names, &address_text, &filter_text, &normalized))
    return NULL;
  int address = find_word(addresses, 5, address_text, "address");
  int filter = address < 0 ? -1 : find_word(filters, 2, filter_text, "filter");
  if (filter < 0)
    return NULL;
  if (2 * address >= KILN_SAMPLER_REPEAT && !normalized)
    return pk_raise_text(KILN_ERR_INVALID,
                         "Sampler: '%s' is for normalised coordinates, from 0 to 1: kiln.Sampler('%s', '%s', "
                         "normalized=True)",
                         address_text, address_text, filter_text);
  struct pk_sampler *self = (struct pk_sampler *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self)
    self->bits = (normalized ? KILN_SAMPLER_NORMALIZED : 0u) | 2u * (unsigned)address |
                 (filter ? KILN_SAMPLER_LINEAR : KILN_SAMPLER_NEAREST);
  return (PyObject *)self;
}

static void sampler_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static const char *address_of(const struct pk_sampler *self) {
  return addresses[(self->bits & KILN_SAMPLER_ADDRESS) / 2];
}
static const char *filter_of(const struct pk_sampler *self) { return filters[!!(self->bits & KILN_SAMPLER_LINEAR)]; }
static bool is_normalized(const struct pk_sampler *self) { return self->bits & KILN_SAMPLER_NORMALIZED; }

static PyObject *get_address(struct pk_sampler *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(address_of(self));
}

static PyObject *get_filter(struct pk_sampler *self, void *unused) {
  (void)unused;
  return PyUnicode_FromString(filter_of(self));
}

static PyObject *get_normalized(struct pk_sampler *self, void *unused) {
  (void)unused;
  return PyBool_FromLong(is_normalized(self));
}

static PyObject *sampler_repr(struct pk_sampler *self) {
  return PyUnicode_FromFormat("kiln.Sampler('%s', '%s'%s)", address_of(self), filter_of(self),
                              is_normalized(self) ? ", normalized=True" : "");
}

static Py_hash_t sampler_hash(struct pk_sampler *self) { return (Py_hash_t)self->bits; }

static PyObject *sampler_compare(PyObject *self, PyObject *other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(other, Py_TYPE(self)))
    Py_RETURN_NOTIMPLEMENTED;
  bool is_same = ((struct pk_sampler *)self)->bits == ((struct pk_sampler *)other)->bits;
  return PyBool_FromLong(is_same == (operation == Py_EQ));
}

static PyObject *sampler_reduce(struct pk_sampler *self, PyObject *unused) {
  (void)unused;
  return pk_reduce("sampler",
                   Py_BuildValue("(ssO)", address_of(self), filter_of(self), is_normalized(self) ? Py_True : Py_False));
}

static PyMethodDef sampler_methods[] = {PK_IMMUTABLE(sampler_reduce), {NULL}};

static PyGetSetDef sampler_getters[] = {
    {"address", (getter)get_address, NULL, "What is beyond the edge.", NULL},
    {"filter", (getter)get_filter, NULL, "'nearest' or 'linear'.", NULL},
    {"normalized", (getter)get_normalized, NULL, "Whether coordinates go from 0 to 1 over the image.", NULL},
    {NULL},
};

// ---- types ----------------------------------------------------------------------------------------------------------

bool pk_image_add(PyObject *module, struct pk_state *state) {
  static const char image_doc[] =
      "Image(source, format=None, dimension=None, *, context=None, device=0)\n--\n\n"
      "Pixels in memory of a device: a copy of an array, (height, width) or (height, width, channels), or fresh ones\n"
      "of a tuple of sizes, the width last, which hold anything.\n\n"
      "format: order and type of the channels or one of both, 'rgba:u8', else what the array suggests: 1, 2 or 4\n"
      "channels are r, rg, rgba; uint8 and uint16 are read as 0 to 1 (unorm8, unorm16), all others as they are.\n"
      "dimension: '1d', '1d_buffer', '1d_array', '2d', '2d_array', '3d', '2d_depth' or '2d_array_depth', else by the\n"
      "number of axes. context: else the one that the process shares.";
  PyType_Slot image_slots[] = {
      {Py_tp_new, image_new},         {Py_tp_dealloc, image_dealloc},
      {Py_tp_repr, image_repr},       {Py_bf_getbuffer, image_get},
      {Py_tp_methods, image_methods}, {Py_tp_getset, image_getters},
      {Py_tp_doc, (void *)image_doc}, {0, NULL},
  };
  PyType_Spec image_spec = {"kiln.Image", sizeof(struct pk_image), 0, Py_TPFLAGS_DEFAULT, image_slots};
  static const char sampler_doc[] =
      "Sampler(address='none', filter='nearest', normalized=False)\n--\n\n"
      "How a kernel reads an image.\n\n"
      "address: what is beyond its edge: 'clamp_to_edge' is the next pixel, 'clamp' the border, which is 0, 'repeat' "
      "and\n'mirrored_repeat' the image again; 'none': nothing is read there. filter: 'nearest' pixel, or 'linear' "
      "between\npixels. normalized: coordinates go from 0 to 1 over the image, else they count pixels.";
  PyType_Slot sampler_slots[] = {
      {Py_tp_new, sampler_new},        {Py_tp_dealloc, sampler_dealloc}, {Py_tp_repr, sampler_repr},
      {Py_tp_hash, sampler_hash},      {Py_tp_methods, sampler_methods}, {Py_tp_richcompare, sampler_compare},
      {Py_tp_getset, sampler_getters}, {Py_tp_doc, (void *)sampler_doc}, {0, NULL},
  };
  PyType_Spec sampler_spec = {"kiln.Sampler", sizeof(struct pk_sampler), 0, Py_TPFLAGS_DEFAULT, sampler_slots};
  return pk_add_type(module, "Image", &image_spec, &state->image) &&
         pk_add_type(module, "Sampler", &sampler_spec, &state->sampler);
}
