// What backends share whose device is the host itself (cpu, interp): memory, in-order streams, events, and the life of
// launches. The functions below have the signatures of struct kiln_driver, so that a backend's table names them
// directly; the backend adds open, close, device_info, load, unload, kernel and prepare, and runs one launch at a time
// through kiln_host_ops.run.
//
// How a stream works. A stream is a queue whose head is run by one thread at a time, its owner. Small commands on an
// idle stream are run by the thread that enqueues them. Everything else is queued, and the first thread that comes owns
// it: the stream's worker thread (started on first need, so that the host stays asynchronous) or a thread that waits
// for the stream, which helps instead of sleeping, so that finish pays no thread switch. An enqueue neither waits for a
// command nor runs one that is not small, and functions of the host are run by the worker or a waiting thread. An owner
// that meets a wait for an event of another stream helps that stream in turn. A command can only wait for what was
// enqueued before it, so the oldest unfinished command can always run: no cycle, no deadlock. Recursion is at most as
// deep as there are streams.
#ifndef KILN_BACKENDS_HOST_HOST_H
#define KILN_BACKENDS_HOST_HOST_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "base/pool.h"
#include "kiln/backend.h"

#define KILN_HOST_ALIGN 128         // of every allocation; what fits any vector type
#define KILN_HOST_MESSAGE_SIZE 1024 // of the message of a failed launch, with the NUL

struct kiln_host_drv;
struct kiln_host_launch;

// Why and when a launch that runs is to stop.
struct kiln_host_stop {
  uint32_t status;   // atomic: enum kiln_status to end with, TIMEOUT or CANCELLED; KILN_OK: go on
  uint64_t limit_ns; // from when it begins to run; 0 and UINT64_MAX: none
};

struct kiln_host_ops {
  // Runs a launch to its end, on the calling thread and the pool, whose floats are in the default state
  // (base/floats.h). Several launches, and the same launch on several streams, may run at the same time. On failure
  // writes a sentence that names the kernel. Asks often whether to stop: between work-groups at least.
  enum kiln_status (*run)(struct kiln_host_launch *launch, struct kiln_pool *pool, const struct kiln_host_stop *stop,
                          char *message, size_t message_size);
  // Frees a launch: nothing runs it any more.
  void (*launch_free)(struct kiln_host_launch *launch);
  // Optional; NULL: launches stop when they ask next. Ends the launch that runs with this stop, if one does; the status
  // of stop was set before.
  void (*interrupt)(struct kiln_host_drv *drv, const struct kiln_host_stop *stop);
};

// Who stops launches at their deadlines (deadline.c).
struct kiln_host_watch {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct kiln_host_deadline *first; // of the launches that run
  pthread_t thread;
  pid_t pid; // whose thread it is: a forked child has none
  bool started, ends;
  uint64_t wakes_ns; // when it looks next
};

// struct kiln_drv of a host backend begins with this.
struct kiln_host_drv {
  const struct kiln_host_ops *ops;
  struct kiln_driver_config config;
  struct kiln_pool *pool;
  pthread_mutex_t print_lock;
  struct kiln_host_watch watch;
  bool has_cpus; // launches run on
  cpu_set_t cpus;
  pthread_mutex_t signal_lock; // of events of the host
  pthread_cond_t signalled;    // one was signalled, or a stream cancelled
};

// The calling thread runs on the CPUs of the driver from now on. False: it stays where it is.
bool kiln_host_enter_cpus(const struct kiln_host_drv *drv, cpu_set_t *before);
void kiln_host_leave_cpus(const cpu_set_t *before);

// struct kiln_drv_launch of a host backend begins with this. prepare fills it with kiln_host_launch_init.
struct kiln_host_launch {
  struct kiln_host_drv *drv;
  uint32_t refs; // atomic: the caller's, and one per pending run
  // Known to end within a few microseconds: runs on the enqueueing thread when the stream is idle. A launch whose time
  // is not bounded by what prepare knows (a loop of unknown length) must not be tiny, or enqueueing would block.
  bool tiny;
  // Known to end within some milliseconds: a thread that waits for a limited time runs it as well.
  bool brief;
};

struct kiln_drv_memory {
  unsigned char *data;
  size_t size;
  bool wrapped; // the caller's memory
};

// ---- for backends ---------------------------------------------------------------------------------------------------

// Initialises drv, which the backend allocated, from its open. config is copied.
enum kiln_status kiln_host_init(struct kiln_host_drv *drv, const struct kiln_host_ops *ops,
                                const struct kiln_driver_config *config, struct kiln_report *report);
// From the backend's close, before it frees drv.
void kiln_host_fini(struct kiln_host_drv *drv);

void kiln_host_launch_init(struct kiln_host_launch *launch, struct kiln_host_drv *drv, bool tiny);

static inline enum kiln_status kiln_host_stops(const struct kiln_host_stop *stop) {
  return (enum kiln_status)__atomic_load_n(&stop->status, __ATOMIC_RELAXED);
}
// For a run that has stopped before its end: writes the sentence and returns the status.
enum kiln_status kiln_host_stopped(const struct kiln_host_stop *stop, const char *kernel, char *message,
                                   size_t message_size);

// Prints through the context's callback, one call at a time.
void kiln_host_print(struct kiln_host_drv *drv, const char *text, size_t size);
// Formats and prints with one call of the context's callback, for generated code: addresses are trusted. When there was
// no memory for the text nothing is printed, and *no_memory is set (atomic; else it is left alone).
int kiln_host_printf(struct kiln_host_drv *drv, const char *format, const kiln_type *types, uint32_t count,
                     const void *args, bool *no_memory);

// Physical memory of the machine in bytes.
uint64_t kiln_host_memory_bytes(void);
uint64_t kiln_host_now_ns(void); // the clock of events

// A local size for a launch that leaves it to the driver (local_free): divides the global size, has at most limit
// work-items and is as long as possible in dimension 0.
void kiln_host_choose_local(const uint64_t global[3], uint64_t limit, uint64_t local[3]);

// ---- slots of struct kiln_driver ------------------------------------------------------------------------------------

uint32_t kiln_host_device_count(struct kiln_drv *drv); // 1
enum kiln_status kiln_host_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report);
void kiln_host_free(struct kiln_drv *drv, struct kiln_drv_memory *memory);
void *kiln_host_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory);

enum kiln_status kiln_host_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report);
void kiln_host_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream);
enum kiln_status kiln_host_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);

// Of struct kiln_base_backend.
enum kiln_status kiln_host_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report);
enum kiln_status kiln_host_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report);

enum kiln_status kiln_host_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report);
enum kiln_status kiln_host_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report);
enum kiln_status kiln_host_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report);
enum kiln_status kiln_host_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report);
// A failed event makes the waiting stream fail with the same message.
enum kiln_status kiln_host_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report);

// Of struct kiln_base_backend: stream_host.
enum kiln_status kiln_host_call(struct kiln_drv *drv, struct kiln_drv_stream *stream, void (*fn)(void *user),
                                void *user, struct kiln_drv_event **event, struct kiln_report *report);

// Of struct kiln_base_backend: copy_rect.
enum kiln_status kiln_host_copy_rect(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                     const struct kiln_drv_rect *rect, struct kiln_drv_event **event,
                                     struct kiln_report *report);

// Of struct kiln_base_backend: event_create, event_signal, event_state.
enum kiln_status kiln_host_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
void kiln_host_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message);
enum kiln_event_state kiln_host_event_state(struct kiln_drv *drv, struct kiln_drv_event *event);

// Of struct kiln_base_backend: wait_within. Runs no commands but those that end soon.
bool kiln_host_wait_within(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                           uint64_t ns);

// Of struct kiln_base_backend: device_traits. Caches and clock of the CPU that launches run on.
void kiln_host_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out);

// Of struct kiln_base_backend: takes_pointer. Any: kernels run in the process.
bool kiln_host_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer);

// Of struct kiln_base_backend: use_cpus.
enum kiln_status kiln_host_use_cpus(struct kiln_drv *drv, const char *cpus, struct kiln_report *report);

enum kiln_status kiln_host_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report);
void kiln_host_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch);

// The error of the event's own command, else the first error of its stream that was not yet reported when it ended.
enum kiln_status kiln_host_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report);
bool kiln_host_event_done(struct kiln_drv *drv, struct kiln_drv_event *event);
void kiln_host_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out);
void kiln_host_event_release(struct kiln_drv *drv, struct kiln_drv_event *event);

// ---- deadline.c -----------------------------------------------------------------------------------------------------

// Of one launch, while it runs.
struct kiln_host_deadline {
  struct kiln_host_deadline *next;
  uint64_t at_ns;
  struct kiln_host_stop *stop;
};

// A condition whose timed waits are told the time of kiln_host_now_ns.
void kiln_host_condition_init(pthread_cond_t *condition);

bool kiln_host_watch_init(struct kiln_host_watch *watch);
void kiln_host_watch_fini(struct kiln_host_watch *watch); // no launch runs
// Around a launch that has a limit of time. False: nobody can watch it, since there can be no thread.
bool kiln_host_deadline_begin(struct kiln_host_watch *watch, struct kiln_host_deadline *deadline,
                              struct kiln_host_stop *stop);
void kiln_host_deadline_end(struct kiln_host_watch *watch, struct kiln_host_deadline *deadline);

// The slots of struct kiln_driver that are the same for all backends whose kernels run on the host.
#define KILN_HOST_DRIVER_SLOTS                                                                                         \
  .use_cpus = kiln_host_use_cpus, .device_count = kiln_host_device_count, .alloc = kiln_host_alloc,                    \
  .free = kiln_host_free, .host_pointer = kiln_host_host_pointer, .takes_pointer = kiln_host_takes_pointer,            \
  .stream_create = kiln_host_stream_create, .stream_destroy = kiln_host_stream_destroy, .finish = kiln_host_finish,    \
  .wait_within = kiln_host_wait_within, .stream_deadline = kiln_host_stream_deadline,                                  \
  .stream_cancel = kiln_host_stream_cancel, .write = kiln_host_write, .read = kiln_host_read, .copy = kiln_host_copy,  \
  .copy_rect = kiln_host_copy_rect, .fill = kiln_host_fill, .wait = kiln_host_wait, .stream_host = kiln_host_call,     \
  .launch_release = kiln_host_launch_release, .launch = kiln_host_launch, .event_wait = kiln_host_event_wait,          \
  .event_done = kiln_host_event_done, .event_times = kiln_host_event_times, .event_release = kiln_host_event_release,  \
  .event_state = kiln_host_event_state, .event_create = kiln_host_event_create, .event_signal = kiln_host_event_signal

#endif
