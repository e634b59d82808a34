// What the files of the extension module share.
//
// The module is built for the stable ABI of Python 3.9, so one binary serves every later version. The GIL guards all
// objects; it is released around each call of the library that compiles, runs or waits (PK_BEGIN, PK_END). Nothing of
// Python is called from threads of the library: what kernels print and what is logged waits in the context until a
// thread of Python comes by (messages.c).
#ifndef KILN_PYTHON_PYKILN_H
#define KILN_PYTHON_PYKILN_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "kiln/kiln.h"
#include "pybuffer.h"

#define PK_MAX_LANES 16

// Of one interpreter.
struct pk_state {
  PyObject *errors[KILN_ERR_CANCELLED + 1]; // [KILN_OK]: kiln.Error, the base of all
  PyTypeObject *context, *program, *kernel, *launch, *queue, *graph, *event, *buffer, *image, *sampler;
  PyTypeObject *arg_info, *kernel_info, *program_info, *device_info, *cache_stats, *stats, *times; // named tuples
  PyTypeObject *warm_event, *warm_result;                                                          // and these
  struct pk_queue *queues;                                                                         // that are open
  PyObject *profile; // a list that each launch appends (kernel name, event) to; NULL: none
};

extern struct PyModuleDef pk_module;
struct pk_state *pk_state(void);

// Calls of the library without the GIL. They are counted, since a child of fork inherits locks of those that run.
#define PK_BEGIN                                                                                                       \
  {                                                                                                                    \
    PyThreadState *pk_thread = PyEval_SaveThread();                                                                    \
    pk_enter();
#define PK_END                                                                                                         \
  pk_leave();                                                                                                          \
  PyEval_RestoreThread(pk_thread);                                                                                     \
  }
void pk_enter(void);
void pk_leave(void);

// Raises the exception of a status with the message of this thread's last error; returns NULL.
void *pk_raise(enum kiln_status status);
// The same with a message of our own, in the format of PyErr_Format.
void *pk_raise_text(enum kiln_status status, const char *format, ...);

// ---- messages.c -----------------------------------------------------------------------------------------------------

struct pk_message;
struct pk_messages {
  pthread_mutex_t lock;
  struct pk_message *first, *last;
  size_t bytes, dropped;
  atomic_bool waiting; // there are some
};
void pk_messages_init(struct pk_messages *messages);
void pk_messages_free(struct pk_messages *messages);
void pk_on_print(void *messages, const char *text, size_t size);
void pk_on_log(void *messages, enum kiln_log_level level, const char *text);

// ---- context.c ------------------------------------------------------------------------------------------------------

#define PK_IDLE_STREAMS 32

struct pk_context {
  PyObject_HEAD struct pk_state *state;
  PyObject *module; // keeps state alive
  struct kiln_context *ctx;
  struct pk_messages messages;
  PyObject *description;                     // the arguments that it was made with, a tuple
  PyObject *print, *log;                     // callables; NULL: sys.stdout; nobody listens
  struct kiln_stream *idle[PK_IDLE_STREAMS]; // of device 0, for launches that wait
  int idle_count;
  uint32_t forks;  // how many forks deep the process was
  bool is_host;    // its device is the process itself: of use in a child of fork, and what was cancelled has ended
  bool has_device; // the driver has been opened
};
bool pk_context_add(PyObject *module, struct pk_state *state);
// False with an exception if the process is a child of fork that cannot use the context.
bool pk_context_usable(struct pk_context *context);
// The device type of DLPack that arrays in the context's own memory have; DL_CPU: of the host. Opens the driver.
int pk_context_device_type(struct pk_context *context);
void pk_context_opened(struct pk_context *context);
bool pk_context_can_close(const struct pk_context *context); // raises nothing
// Delivers what kernels printed and the library logged.
void pk_context_deliver(struct pk_context *context);

// ---- wait.c ---------------------------------------------------------------------------------------------------------

bool pk_sees_signals(void); // whether handlers of Python's run on the calling thread
// Waits for the event, or, where that is NULL, for all that was enqueued on the stream. False with the exception of a
// handler: the stream was cancelled. True: there is nothing more to see, and other calls wait for the rest, if any.
bool pk_wait(struct pk_context *context, struct kiln_stream *stream, struct kiln_event *event);
// Without the GIL: a stream that can be cancelled.
enum kiln_status pk_stream_new(struct pk_context *context, uint32_t device, struct kiln_stream **out);

// ---- program.c ------------------------------------------------------------------------------------------------------

struct pk_program {
  PyObject_HEAD struct pk_context *context;
  struct kiln_program *program;
  PyObject *recipe; // what it can be made of again: source, options, name, headers, kind
};
// What it was made of. *headers and *texts are the caller's (PyMem_Free, Py_XDECREF), also
// on failure: false with an exception.
bool pk_program_desc(struct pk_program *program, struct kiln_program_desc *desc, struct kiln_header **headers,
                     PyObject **texts);
bool pk_program_add(PyObject *module, struct pk_state *state);
// Context.compile
PyObject *pk_compile(PyObject *context, PyObject *args, PyObject *kwargs);
PyObject *pk_define_words(PyObject *dict); // defines.c: a list of words of build options

// ---- kernel.c -------------------------------------------------------------------------------------------------------

// What a parameter takes, by its type's name.
struct pk_param {
  const struct kiln_arg_info *info;
  char kind;     // of an element: 'i', 'u', 'f', '?'; 0: none of them (struct, void, pointer)
  uint8_t bytes; // of an element
  uint8_t lanes; // of a vector type; else 1
};

struct pk_kernel {
  PyObject_HEAD struct pk_program *program;
  struct kiln_kernel *kernel;
  const struct kiln_kernel_info *info;
  struct pk_param *params;
  size_t value_bytes; // of all values, each aligned to 16
};

struct pk_launch {
  PyObject_HEAD struct pk_kernel *kernel;
  uint64_t global[3], local[3], offset[3];
  uint32_t work_dim;
  bool tuned; // the library chooses the sizes
};
bool pk_kernel_add(PyObject *module, struct pk_state *state);
struct pk_call;
struct kiln_launch_desc pk_launch_desc(const struct pk_launch *launch, const struct pk_call *call);
void *pk_call_raise(const struct pk_call *call, enum kiln_status status); // as pk_raise, of the call's problem
PyObject *pk_kernel_new(struct pk_program *program, const char *name);

// ---- args.c ---------------------------------------------------------------------------------------------------------

// What the elements of an array are.
struct pk_dtype {
  char kind; // as struct pk_param has it; 0: something else
  size_t bytes;
  bool is_complex, is_swapped;
};
// Of one element's format (the module struct, with NumPy's 'Z' for complex numbers).
struct pk_dtype pk_dtype_of_format(const char *format, size_t itemsize);
// As NumPy has it: "float32"; returns out.
const char *pk_dtype_name(struct pk_dtype type, char *out, size_t size);

// An array of the caller's that a launch uses.
struct pk_array {
  Py_buffer view;                        // view.obj NULL: one of the tensors, or none
  struct dl_managed_tensor *tensor;      // taken over
  struct dl_versioned_tensor *versioned; // the same of version 1
  PyObject *owned;                       // a kiln.Buffer or kiln.Image; the others are then empty
  void *data;
  size_t size;
  bool written;               // by the kernel
  struct kiln_buffer *buffer; // made of it while the call runs; NULL: data is empty
  bool same;                  // buffer is that of an earlier argument with the same memory
  bool copied;                // buffer is memory of a device
  bool is_native;             // data is a handle of the device's runtime, and the array begins at offset
  size_t offset;
};

#define PK_FEW_ARGS 16
#define PK_FEW_BYTES 512

struct pk_call {
  struct pk_kernel *kernel;
  uint32_t count;
  struct kiln_arg *args;
  struct pk_array *arrays; // one per argument
  unsigned char *values;
  const char *problem; // what pk_call_wrap has to tell, where the library has no message
  struct kiln_arg few_args[PK_FEW_ARGS];
  struct pk_array few_arrays[PK_FEW_ARGS];
  _Alignas(16) unsigned char few_values[PK_FEW_BYTES];
};
void pk_param_init(struct pk_param *param, const struct kiln_arg_info *info);
// Converts the arguments args[first…], the last ones by name; false with an exception that names the parameter. What
// was taken is given back by pk_call_end. lasts: arrays is allocated, so that it may be taken over.
bool pk_call_begin(struct pk_call *call, struct pk_kernel *kernel, PyObject *args, Py_ssize_t first, PyObject *named,
                   bool lasts);
void pk_call_end(struct pk_call *call);
// What was taken is never given back: a device that was not to be stopped may use it until the process ends.
void pk_call_lose(struct pk_call *call);
// Without the GIL: buffers over the arrays on a device. One with memory of its own gets copies of them by way of
// stream, as they are when what was enqueued there before has run; NULL: as they are now.
enum kiln_status pk_call_wrap(struct pk_call *call, struct kiln_context *ctx, uint32_t device,
                              struct kiln_stream *stream);
void pk_call_unwrap(struct pk_call *call);
// Without the GIL: enqueues copies back to arrays that are no memory of the device. event: of the last one, else left.
enum kiln_status pk_call_read(struct pk_call *call, struct kiln_stream *stream, struct kiln_event **event);
void pk_arrays_free(struct pk_array *arrays, uint32_t count); // with the GIL

// ---- queue.c --------------------------------------------------------------------------------------------------------

// Of one enqueued command: what must stay alive until it has run. Shared by its queue, until then, and by the Event.
struct pk_pending {
  uint32_t refs;
  struct pk_pending *next;       // of the queue
  struct kiln_event *ran, *done; // of the launch; of the last copy back (NULL: ran)
  struct pk_array *arrays;
  uint32_t count;
};

struct pk_queue {
  PyObject_HEAD struct pk_context *context;
  struct kiln_stream *stream;
  uint32_t device;
  struct pk_pending *first, *last;
  struct pk_queue *next, **self; // in state->queues
  uint32_t users;                // calls under way that use the stream without the GIL
  struct kiln_stream *ending;    // of a closed queue that had users then: the last of them releases it
  bool lost;                     // the device may use what its commands hold until the process ends
};

struct pk_event {
  PyObject_HEAD struct pk_queue *queue;
  struct pk_pending *pending;
};
bool pk_queue_add(PyObject *module, struct pk_state *state);
// A new Event of the queue for a command that has been enqueued; takes the arrays over.
PyObject *pk_queue_event(struct pk_queue *queue, struct kiln_event *ran, struct kiln_event *done,
                         struct pk_array *arrays, uint32_t count);
// The stream of an open queue, for a call without the GIL, while which another thread may close the queue.
struct kiln_stream *pk_queue_hold(struct pk_queue *queue);
void pk_queue_unhold(struct pk_queue *queue);
bool pk_queue_open(struct pk_queue *queue);  // false with an exception if it is closed
void pk_queue_sweep(struct pk_queue *queue); // gives back what commands that have run held
PyObject *pk_shutdown(PyObject *module, PyObject *unused);

// ---- graph.c --------------------------------------------------------------------------------------------------------

struct pk_graph {
  PyObject_HEAD struct pk_context *context;
  struct kiln_graph *graph;
  uint32_t device;
  bool is_final;
  PyObject *holds; // a dict: what each launch holds, by its index
  PyObject *held;  // a list of them for runs, until one changes; NULL: to be made
};
bool pk_graph_add(PyObject *module, struct pk_state *state);
// Records the launch with the arguments args[first…]; returns its index.
PyObject *pk_graph_record(struct pk_graph *graph, struct pk_launch *launch, PyObject *args, Py_ssize_t first,
                          PyObject *kwargs);

// ---- buffer.c -------------------------------------------------------------------------------------------------------

struct pk_buffer {
  PyObject_HEAD struct pk_context *context;
  struct kiln_buffer *buffer;
  uint32_t device;
};
bool pk_buffer_add(PyObject *module, struct pk_state *state);

// ---- image.c --------------------------------------------------------------------------------------------------------

#define PK_IMAGE_AXES 5

struct pk_image {
  PyObject_HEAD struct pk_context *context;
  struct kiln_image *image;
  uint32_t device;
  enum kiln_image_dimension dimension;
  struct kiln_image_format format;
  int axes; // of an array of its pixels, which has no gaps
  Py_ssize_t shape[PK_IMAGE_AXES], strides[PK_IMAGE_AXES];
};
struct pk_sampler {
  PyObject_HEAD uint32_t bits; // enum kiln_sampler
};
bool pk_image_add(PyObject *module, struct pk_state *state);
const char *pk_dimension_name(uint8_t dimension);

// ---- info.c ---------------------------------------------------------------------------------------------------------

bool pk_info_add(PyObject *module, struct pk_state *state);
PyObject *pk_arg_info(struct pk_state *state, const struct kiln_arg_info *info);
PyObject *pk_kernel_info(struct pk_state *state, const struct kiln_kernel_info *info);
PyObject *pk_program_info(struct pk_state *state, const struct kiln_program_info *info);
PyObject *pk_device_info(struct pk_state *state, const struct kiln_device_info *info);
PyObject *pk_cache_stats(struct pk_state *state, const struct kiln_cache_stats *stats);
PyObject *pk_stats(struct pk_state *state, const struct kiln_context_stats *stats);
PyObject *pk_times(struct pk_state *state, const struct kiln_event_times *times);
PyObject *pk_warm_event(struct pk_state *state, uint64_t done, uint64_t total, const char *program, const char *backend,
                        const char *arch, const char *outcome, const char *message, double ms);
// Takes over bundle.
PyObject *pk_warm_result(struct pk_state *state, const struct kiln_warm_result *result, PyObject *failures,
                         PyObject *bundle);

// ---- tune.c ---------------------------------------------------------------------------------------------------------

PyObject *pk_tune(PyObject *module, PyObject *args);

// ---- warm.c ---------------------------------------------------------------------------------------------------------

PyObject *pk_warm(PyObject *module, PyObject *args, PyObject *kwargs);

// ---- small things ---------------------------------------------------------------------------------------------------

// A function that takes keywords, in a table of methods.
#define PK_METHOD(function) ((PyCFunction)(void (*)(void))(function))

// A converter ("O&") to uint32_t, where "I" would take numbers that are out of range.
int pk_to_uint(PyObject *object, void *out);

// Methods of objects that never change: copies are the object itself, and reduce says how to pickle it.
#define PK_IMMUTABLE(reduce)                                                                                           \
  {"__reduce__", (PyCFunction)reduce, METH_NOARGS, NULL}, {"__copy__", (PyCFunction)pk_itself, METH_NOARGS, NULL}, {   \
    "__deepcopy__", (PyCFunction)pk_itself, METH_O, NULL                                                               \
  }
PyObject *pk_itself(PyObject *self, PyObject *unused);
// What __reduce__ returns: a function of kiln._pickling with its arguments, which are taken over.
PyObject *pk_reduce(const char *function, PyObject *args);

// tp_new of types whose objects come from methods of others.
PyObject *pk_no_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
bool pk_add_type(PyObject *module, const char *name, PyType_Spec *spec, PyTypeObject **out);

#endif
