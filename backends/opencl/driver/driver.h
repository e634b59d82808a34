// The device side's own data.
//
// driver.c  opening, devices, memory, loading    queue.c  streams, transfers, events    launch.c  launches
// deadline.c  streams with deadlines    native.c  handles of the host's    image.c  images and samplers
#ifndef KILN_BACKENDS_OPENCL_DRIVER_H
#define KILN_BACKENDS_OPENCL_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "backends/opencl/driver/program.h"

#define KILN_CL_WATCH_TEXT 160

struct cl_open_device {
  struct cl_device info;
  struct kiln_device_info described;
  bool host_memory; // buffers are the host's memory
  cl_mem prints;    // buffer of printf; NULL until a kernel prints
  // Whether an image with memory of the host is that memory, without copies of its own; found out when it is asked for.
  enum cl_in_place { KILN_CL_NOT_TRIED, KILN_CL_IN_PLACE, KILN_CL_ELSEWHERE } in_place; // under lock
};

#define KILN_CL_SAMPLERS 64 // words of samplers
#define KILN_CL_DIMENSIONS (KILN_IMAGE_2D_ARRAY_DEPTH + 1)
#define KILN_CL_USES 4 // that formats are listed for (image.c)

// Formats of images of one dimension and use.
struct cl_formats {
  uint32_t count;
  struct kiln_image_format items[];
};

struct kiln_drv {
  struct cl_api api;
  struct kiln_driver_config config;
  cl_context context; // of all devices
  struct cl_device_list list;
  struct cl_open_device *devices;
  uint32_t device_count;
  cl_sampler samplers[KILN_CL_SAMPLERS];                        // under lock, by word; NULL: not yet
  struct cl_formats *formats[KILN_CL_DIMENSIONS][KILN_CL_USES]; // under lock, kept to the end; NULL: not asked for
  pthread_mutex_t lock;       // of kernels' idle lists and of programs that are built late
  pthread_mutex_t print_lock; // one kernel that prints at a time
};

struct kiln_drv_memory {
  cl_mem mem;   // a buffer, or what image_create makes
  cl_mem under; // the part of a buffer that an image is made of; NULL: none is ours
  bool is_row;  // an array of images of one row
  size_t size;
  uint32_t device;
  void *host;      // the bytes where they are host memory
  void *allocated; // by us, where the driver does not tell when the buffer is gone: freed with it
};

// A kernel object with room for arguments: one per prepared launch, since its arguments are its state.
struct cl_kernel_object {
  cl_kernel kernel;
  struct cl_kernel_object *next;
};

struct kiln_drv_kernel {
  struct kiln_drv_module *module;
  uint32_t index;
  const char *name;
  const char *args;               // a letter for each argument (enum cl_arg_letter); NULL: they are plain
  bool prints;                    // its last argument is the buffer of printf
  struct cl_kernel_object **idle; // by device
};

struct kiln_drv_module {
  struct kiln_drv *drv;
  char *source; // copies, for devices that come later
  void *binary, *meta_data;
  size_t binary_size; // 0: there is no binary
  struct cl_meta_view meta;
  cl_program *programs; // by device; NULL: not yet
  bool *from_source;    // by device
  struct kiln_drv_kernel *kernels;
};

// The deadlines of a stream, shared with its events, which may outlive it (deadline.c).
struct cl_watch {
  uint32_t refs; // atomic
  bool on;       // atomic: there has been a deadline; from then on every command is noted
  pthread_mutex_t lock;
  uint64_t limit_ns;              // of commands that are enqueued
  struct cl_noted *first, **last; // commands that the host has not seen end
  enum kiln_status lost;          // atomic: why the stream is of no use any more; KILN_OK: it is
  char message[KILN_CL_WATCH_TEXT];
};

struct kiln_drv_stream {
  struct cl_watch *watch;
  struct kiln_drv *drv;
  uint32_t device;
  cl_command_queue queue;
  pthread_mutex_t lock;   // of last
  cl_event last;          // the last command, if it has an event: finishing a queue does not tell that one failed
  struct cl_waits *waits; // under lock
  char *failure;          // why the first kernel failed by itself since the last finish, under lock; NULL: none did
};

struct kiln_drv_event {
  struct cl_watch *watch;
  cl_event event;
  cl_command_queue queue;
  uint64_t enqueued_ns;
  char *failure;          // why the kernel failed by itself; NULL: it did not
  struct cl_waits *waits; // events of the host that it comes after
  // An event of the host: no queue, and failure and status are those that it was signalled with. It always completes,
  // since drivers do not agree on what follows a user event that fails.
  bool is_user;
  uint32_t refs;           // atomic: the caller's, and one per wait
  enum kiln_status status; // atomic
};

// Events of the host that a stream has waited for since the last finish, the last one first. Never changed: shared.
struct cl_waits {
  uint32_t refs; // atomic
  struct kiln_drv_event *event;
  struct cl_waits *next;
};

struct cl_launch_arg {
  enum kiln_arg_kind kind;
  size_t size;
  cl_mem mem; // with an offset: a sub-buffer of ours
  bool owned;
  void *data;         // of a value
  cl_sampler sampler; // in place of the value, which is its word; NULL: the argument is no sampler
};

struct kiln_drv_launch {
  struct kiln_drv *drv;
  struct kiln_drv_kernel *kernel;
  struct cl_kernel_object **objects; // by device; NULL: not yet
  cl_uint work_dim;
  size_t global[3], local[3], offset[3];
  bool has_local, has_offset;
  pthread_mutex_t lock; // one enqueue at a time: a kernel object is not for several threads
  uint32_t arg_count;
  struct cl_launch_arg args[];
};

// native.c: handles of the host's
// config as for open; the driver's only device is that of the handles.
enum kiln_status kiln_cl_open_native(const struct kiln_driver_config *config, const struct kiln_native_context *native,
                                     struct kiln_drv **out, struct kiln_report *report);
// Retains the context of the host, which must have the device.
enum kiln_status kiln_cl_take_context(struct kiln_drv *drv, cl_context context, struct kiln_report *report);
void kiln_cl_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out);
enum kiln_status kiln_cl_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                     struct kiln_drv_memory **out, struct kiln_report *report);
void *kiln_cl_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory);
enum kiln_status kiln_cl_wrap_stream(struct kiln_drv *drv, uint32_t device, void *native, struct kiln_drv_stream **out,
                                     struct kiln_report *report);
void *kiln_cl_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream);

// What had to be built from text for a device; empty where it was not.
enum kiln_status kiln_cl_module_binary(const struct kiln_drv_module *module, uint32_t device, void **data, size_t *size,
                                       struct kiln_report *report);
// The program of a module on a device; builds it when it is not there yet.
enum kiln_status kiln_cl_module_program(struct kiln_drv_module *module, uint32_t device, cl_program *out,
                                        struct kiln_report *report);

#define KILN_CL_EVENT_ARGS struct kiln_drv_event **event, struct kiln_report *report

enum kiln_status kiln_cl_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                       struct kiln_report *report);
// A stream that enqueues on queue, which it takes over.
enum kiln_status kiln_cl_stream_on(struct kiln_drv *drv, uint32_t device, cl_command_queue queue,
                                   struct kiln_drv_stream **out, struct kiln_report *report);
void kiln_cl_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream);
enum kiln_status kiln_cl_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
// Waits for what is enqueued, as long as deadlines allow; without one it returns at once.
enum kiln_status kiln_cl_await_stream(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
enum kiln_status kiln_cl_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                               size_t offset, const void *src, size_t size, KILN_CL_EVENT_ARGS);
enum kiln_status kiln_cl_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                              size_t offset, void *dst, size_t size, KILN_CL_EVENT_ARGS);
enum kiln_status kiln_cl_copy_buffer(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                     size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                     KILN_CL_EVENT_ARGS);
enum kiln_status kiln_cl_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                              size_t offset, size_t size, const void *pattern, size_t pattern_size, KILN_CL_EVENT_ARGS);
enum kiln_status kiln_cl_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                              struct kiln_report *report);
enum kiln_status kiln_cl_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report);
bool kiln_cl_event_done(struct kiln_drv *drv, struct kiln_drv_event *event);
void kiln_cl_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out);
void kiln_cl_event_release(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_event_state kiln_cl_event_state(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_status kiln_cl_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
void kiln_cl_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                          const char *message);
// A command on its way to a stream. The caller enqueues it unless there is a status, and puts in code and handle.
struct cl_command {
  struct kiln_drv *drv;
  struct kiln_drv_stream *stream;
  uint64_t start;
  struct kiln_drv_event **event;
  struct kiln_report *report;
  enum kiln_status status; // why the stream takes no commands; KILN_OK: it does
  cl_int code;             // of the enqueue
  cl_event handle;
};

struct cl_command kiln_cl_command(struct kiln_drv *drv, struct kiln_drv_stream *stream, KILN_CL_EVENT_ARGS);
// what: "writing to a buffer", for the message where the enqueue failed. Takes the handle over.
enum kiln_status kiln_cl_command_end(const struct cl_command *command, const char *what);
void kiln_cl_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out);
// Ends every enqueue: sends the command to the device, remembers it and, unless event is NULL, makes the caller's event
// of it. Takes handle over.
enum kiln_status kiln_cl_enqueued(struct kiln_drv *drv, struct kiln_drv_stream *stream, cl_event handle, uint64_t start,
                                  KILN_CL_EVENT_ARGS);

// image.c
uint32_t kiln_cl_image_formats(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                               enum kiln_access access, struct kiln_image_format *out, uint32_t capacity);
void kiln_cl_formats_free(struct kiln_drv *drv);
void kiln_cl_image_limits(struct kiln_drv *drv, uint32_t device, enum kiln_image_dimension dimension,
                          struct kiln_image_limits *out);
enum kiln_status kiln_cl_image_create(struct kiln_drv *drv, uint32_t device, const struct kiln_image_desc *desc,
                                      struct kiln_drv_memory *memory, size_t offset, struct kiln_drv_memory **out,
                                      struct kiln_report *report);
// The sampler of a word, which stays the driver's.
enum kiln_status kiln_cl_sampler_of(struct kiln_drv *drv, uint32_t word, cl_sampler *out, struct kiln_report *report);
// pixels.c
enum kiln_status kiln_cl_image_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                    const struct kiln_drv_image_copy *copy, KILN_CL_EVENT_ARGS);
enum kiln_status kiln_cl_image_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *image,
                                    const size_t origin[3], const size_t region[3], const union kiln_pixel *pixel,
                                    KILN_CL_EVENT_ARGS);

// deadline.c
struct cl_watch *kiln_cl_watch_new(void); // NULL: memory is exhausted
void kiln_cl_watch_unref(struct cl_watch *watch);
// Notes a command that was enqueued, if there has been a deadline.
enum kiln_status kiln_cl_watch_note(struct kiln_drv *drv, struct cl_watch *watch, cl_event event,
                                    struct kiln_report *report);
// Waits for an event of the stream, as long as its deadlines allow. KILN_OK: it has ended, well or not.
enum kiln_status kiln_cl_watch_wait(struct kiln_drv *drv, struct cl_watch *watch, cl_event event,
                                    struct kiln_report *report);
// Fails where the stream is lost.
enum kiln_status kiln_cl_watch_check(struct cl_watch *watch, struct kiln_report *report);
enum kiln_status kiln_cl_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                         struct kiln_report *report);
enum kiln_status kiln_cl_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                       struct kiln_report *report);
bool kiln_cl_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream);

// printing.c: before and after a kernel that prints; print_lock is held.
enum kiln_status kiln_cl_print_begin(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
// *failure: why the kernel failed by itself, to be freed; NULL: it did not.
enum kiln_status kiln_cl_print_end(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                   const struct kiln_drv_kernel *kernel, char **failure, struct kiln_report *report);

enum kiln_status kiln_cl_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                 struct kiln_drv_launch **out, struct kiln_report *report);
void kiln_cl_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch);
enum kiln_status kiln_cl_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                KILN_CL_EVENT_ARGS);

extern const struct kiln_driver kiln_cl_driver;

#endif
