// The driver's own data. How it works:
//
// A stream of Kiln is a stream of CUDA's that does not wait for the legacy default stream, and the primary context of
// each device is used, so that memory can be shared with a host that uses CUDA's runtime. It is never reset.
//
// Every command is a struct kiln_drv_event in the list of its stream. A command with an event of the host API has CUDA
// events around it, which give its times; any other launch costs only the launch. Commands that have finished are
// retired (their times taken, reads copied on, memory released) when the host waits for the stream or queries an event.
//
// A stream that waits for an event of the host, or for a command that has not been given to CUDA itself, keeps what is
// enqueued until the event is there: CUDA never waits for the host.
#ifndef KILN_BACKENDS_CUDA_DRIVER_DRIVER_H
#define KILN_BACKENDS_CUDA_DRIVER_DRIVER_H

#include <pthread.h>

#include "backends/cuda/code/meta.h"
#include "backends/cuda/driver/api.h"

#define KILN_CUDA_MAX_DEVICES 64
#define KILN_CUDA_MESSAGE 512
#define KILN_CUDA_RING_BYTES ((size_t)256 << 10) // staging memory of a stream
#define KILN_CUDA_SMALL ((size_t)64 << 10)       // bytes of transfers that are staged

struct kiln_cuda_block { // memory that was freed and may be used again
  kiln_cu_pointer address;
  size_t size;
};

struct kiln_cuda_device {
  kiln_cu_device ordinal;
  kiln_cu_context context; // the primary one
  char name[96];
  uint64_t memory_bytes;
  uint32_t capability; // 90 for 9.0
  uint32_t multiprocessors, max_group_size, shared_bytes;
  kiln_cu_stream side; // for copies that the host waits for
  pthread_mutex_t lock;
  struct kiln_cuda_block cached[64]; // guarded by lock, as is what follows
  uint32_t cached_count;
  uint64_t cached_bytes;
  kiln_cu_event spare[64]; // events with times
  uint32_t spare_count;
  kiln_cu_event base; // what times are told from, and the host's time of it
  uint64_t base_ns;
  uint32_t dead;  // atomic: a sticky error; fault says which
  uint32_t stuck; // atomic: it may run a kernel for ever, and calls that wait for all of it would not return
  char fault[KILN_CUDA_MESSAGE];
  kiln_cu_pointer print_buffer; // guarded by drv->print_lock; 0 until needed
};

struct kiln_cuda_pin { // host memory that is registered with CUDA while transfers use it
  struct kiln_cuda_pin *next;
  char *base;
  size_t size;
  uint32_t users;
};

struct kiln_drv {
  struct kiln_cuda cuda;
  struct kiln_driver_config config;
  int process; // that opened it
  int version; // of the driver: 12040 for 12.4
  char version_text[32];
  char driver_text[64]; // "driver 550.54.14"
  struct kiln_cuda_device devices[KILN_CUDA_MAX_DEVICES];
  uint32_t device_count;
  int only;                     // the ordinal of the one device that a host's handles name; -1: all that fit
  char seen[KILN_CUDA_MESSAGE]; // devices that do not fit, or failed
  pthread_mutex_t print_lock;   // one kernel that prints at a time
  pthread_mutex_t host_lock;    // guards reads, pins and pin_holders
  struct kiln_drv_event *reads; // that have not ended, and whose host memory a write may want
  struct kiln_cuda_pin *pins;
  uint32_t pin_holders;         // commands for which no registration may end
  pthread_mutex_t streams_lock; // guards streams; taken before the lock of a stream
  struct kiln_drv_stream *streams;
  uint32_t kept; // atomic: streams that keep commands
};

struct kiln_drv_memory {
  uint32_t device;
  kiln_cu_pointer address;
  bool is_hosts; // and not freed
  size_t size;
};

struct kiln_drv_kernel {
  struct kiln_drv_module *module;
  const char *name; // in the source
  const struct kiln_cuda_meta_kernel *meta;
  struct kiln_cuda_entry { // on each device
    kiln_cu_function function;
    uint32_t max_group_size;
  } entries[KILN_CUDA_MAX_DEVICES];
};

struct kiln_drv_module {
  uint32_t refs; // atomic: the caller's, and one per variant
  struct kiln_drv_module *variant_of;
  char *meta_data;
  struct kiln_cuda_meta meta;
  kiln_cu_module modules[KILN_CUDA_MAX_DEVICES];
  struct kiln_cuda_made {
    void *data; // a cubin, until it is handed over; NULL: nothing had to be made
    size_t size;
  } made[KILN_CUDA_MAX_DEVICES];
  uint32_t loaded; // devices
  uint32_t kernel_count;
  struct kiln_drv_kernel kernels[];
};

// The hidden parameters of a kernel (docs/cuda.md).
struct kiln_cuda_hidden {
  uint64_t offset[3];
  uint32_t group_base[3], num_groups[3], full_size[3], work_dim;
  uint64_t global_size[3], print_buffer;
};

struct kiln_cuda_piece { // blocks of one shape, within the limits of the hardware
  uint32_t groups[3], block[3];
  struct kiln_cuda_hidden hidden;
};

struct kiln_drv_launch {
  uint32_t refs; // atomic: the caller's, and one per run that has not ended
  struct kiln_drv_kernel *kernel;
  uint32_t dynamic_shared, piece_count, parameter_count;
  // All in the allocation of the launch.
  struct kiln_cuda_piece *pieces;
  void **parameters; // of each piece: to the arguments, and to its hidden block
  unsigned char *arguments;
};

enum kiln_cuda_command {
  KILN_CUDA_LAUNCH,
  KILN_CUDA_WRITE,
  KILN_CUDA_READ,
  KILN_CUDA_COPY,
  KILN_CUDA_FILL,
  KILN_CUDA_WAIT,
  KILN_CUDA_USER, // an event of the host; it has no stream
};
enum kiln_cuda_progress {
  KILN_CUDA_KEPT,      // by its stream
  KILN_CUDA_SUBMITTED, // given to CUDA
  KILN_CUDA_ENDED,     // well or not
};

struct kiln_drv_event {
  uint32_t refs; // atomic: the stream's while it is pending, the caller's, and those that wait for it
  enum kiln_cuda_command command;
  uint32_t progress; // atomic: enum kiln_cuda_progress
  struct kiln_drv_stream *stream;
  struct kiln_drv_event *next; // of the stream, in order
  bool is_skipped;             // it does not run, since something has failed that the stream waited for
  bool timed, marked;          // CUDA events are to be recorded before and after it, or after it
  kiln_cu_event began, ended;  // NULL: not recorded
  uint64_t limit_ns, began_ns; // of a kernel: how long it may run (0: for ever), since it is the first one pending
  bool lost;                   // the device may run it for ever: what it uses is never released
  enum kiln_status status;
  char *message; // NULL: none, or no memory for it
  struct kiln_event_times times;
  // What the command does.
  struct kiln_drv_launch *launch;
  kiln_cu_pointer dst, src;
  kiln_cu_context dst_context, src_context; // of a copy between devices; else NULL
  void *read_to;
  const void *write_from;
  size_t size;
  unsigned char *pattern; // of a fill; freed with the event
  size_t pattern_size;
  struct kiln_drv_event *waits_for;
  // What it uses until it has ended.
  struct kiln_cuda_pin *pin;
  bool holds_pins;       // of others: the registrations that it overlaps
  uint64_t staged_end;   // position in the stream's ring; 0: it has no part of it
  const void *read_from; // of a staged read
  bool is_listed;        // in drv->reads; guarded by its lock
  struct kiln_drv_event *next_read;
};

struct kiln_drv_stream {
  struct kiln_drv *drv;
  struct kiln_cuda_device *device;
  struct kiln_drv_stream *next; // of drv->streams
  uint32_t refs;                // atomic: the caller's, and one per event
  bool is_hosts;                // the handle is, and not destroyed
  kiln_cu_stream handle;
  pthread_mutex_t lock;
  struct kiln_drv_event *first, *last; // pending
  struct kiln_drv_event *kept;         // the first that is kept; NULL: all pending ones are with CUDA
  uint32_t pending;
  enum kiln_status status; // first error since the last finish
  char message[KILN_CUDA_MESSAGE];
  enum kiln_status awaited; // error of the first event that the stream waited for and that failed, since then
  char awaited_message[KILN_CUDA_MESSAGE];
  bool skips;            // nothing runs since then
  uint64_t limit_ns;     // of kernels that are enqueued
  enum kiln_status lost; // atomic: why nothing can be enqueued any more; KILN_OK: it can
  char lost_message[KILN_CUDA_MESSAGE];
  char *ring;                    // NULL until a small transfer comes
  uint64_t ring_head, ring_tail; // positions, not wrapped: what is given out lies between
};

// driver.c
// The context of the device is current between the two, whatever the host's is.
bool kiln_cuda_enter(struct kiln_drv *drv, struct kiln_cuda_device *device);
void kiln_cuda_leave(struct kiln_drv *drv);
// What a call's failure means: makes the device a dead one where it is sticky, writes a message of at most
// KILN_CUDA_MESSAGE bytes, and returns the status. what: "a copy of 4 bytes"; a sticky error is some kernel's, which is
// found by itself unless stream says whose, whose lock is then held.
enum kiln_status kiln_cuda_failure(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_result result,
                                   const char *what, struct kiln_drv_stream *stream, char *message);
// The same into a report.
enum kiln_status kiln_cuda_fail(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_result result,
                                struct kiln_report *report, const char *what);
// KILN_OK, or DEVICE with what killed it.
enum kiln_status kiln_cuda_alive(struct kiln_drv *drv, const struct kiln_cuda_device *device,
                                 struct kiln_report *report);
enum kiln_status kiln_cuda_open_on(const struct kiln_driver_config *config, int only, struct kiln_drv **out,
                                   struct kiln_report *report);

// cubin.c
void kiln_cuda_read_driver_version(struct kiln_drv *drv);
// Whether the module could be loaded from device code that is kept for it. The context of the device is current.
bool kiln_cuda_load_kept(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                         const struct kiln_code *code, struct kiln_report *report);
// The same from PTX, which has a 0 at its end; log gets what CUDA says of faults.
kiln_cu_result kiln_cuda_load_ptx(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t device,
                                  const char *ptx, char *log, size_t log_size);

// native.c
enum kiln_status kiln_cuda_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                         struct kiln_report *report);
enum kiln_status kiln_cuda_open_native(const struct kiln_driver_config *config,
                                       const struct kiln_native_context *native, struct kiln_drv **out,
                                       struct kiln_report *report);
void kiln_cuda_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out);
bool kiln_cuda_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer);
enum kiln_status kiln_cuda_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                       struct kiln_drv_memory **out, struct kiln_report *report);
void *kiln_cuda_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory);
enum kiln_status kiln_cuda_wrap_stream(struct kiln_drv *drv, uint32_t device, void *native,
                                       struct kiln_drv_stream **out, struct kiln_report *report);
void *kiln_cuda_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream);

// memory.c
enum kiln_status kiln_cuda_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report);
void kiln_cuda_free(struct kiln_drv *drv, struct kiln_drv_memory *memory);
void *kiln_cuda_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory);
// Memory of the device, from what was freed or new. Not of a dead device.
kiln_cu_result kiln_cuda_take(struct kiln_drv *drv, struct kiln_cuda_device *device, size_t size, kiln_cu_pointer *out);
void kiln_cuda_give_back_all(struct kiln_drv *drv, struct kiln_cuda_device *device);
// Copies on the side stream and waits; the context is current.
kiln_cu_result kiln_cuda_write_now(struct kiln_drv *drv, struct kiln_cuda_device *device, kiln_cu_pointer dst,
                                   const void *src, size_t size);
kiln_cu_result kiln_cuda_read_now(struct kiln_drv *drv, struct kiln_cuda_device *device, void *dst, kiln_cu_pointer src,
                                  size_t size);

// transfer.c: the commands that move bytes
enum kiln_status kiln_cuda_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report);
enum kiln_status kiln_cuda_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report);
enum kiln_status kiln_cuda_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report);
enum kiln_status kiln_cuda_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report);
// Gives the event's transfer to CUDA. stream->lock is held, and the context current.
kiln_cu_result kiln_cuda_submit_transfer(struct kiln_drv_stream *stream, struct kiln_drv_event *event);
// The transfer has ended, well or not: copies a read on, and lets go of what was used.
void kiln_cuda_transfer_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event);
void kiln_cuda_ring_free(struct kiln_drv_stream *stream);

// load.c
enum kiln_status kiln_cuda_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                struct kiln_report *report);
void kiln_cuda_unload(struct kiln_drv *drv, struct kiln_drv_module *module);
enum kiln_status kiln_cuda_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                  struct kiln_drv_kernel **out, struct kiln_report *report);

// launch.c
struct kiln_variant kiln_cuda_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc);
enum kiln_status kiln_cuda_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                   struct kiln_drv_launch **out, struct kiln_report *report);
void kiln_cuda_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch);
enum kiln_status kiln_cuda_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report);
// Gives all pieces of a launch to CUDA. stream->lock is held, and the context current.
kiln_cu_result kiln_cuda_submit_launch(struct kiln_drv_stream *stream, struct kiln_drv_event *event);

// printing.c
// An empty buffer for the next kernel that prints; drv->print_lock is held.
enum kiln_status kiln_cuda_print_begin(struct kiln_drv *drv, struct kiln_cuda_device *device,
                                       struct kiln_report *report);
// Formats and prints what the kernel left in the device's buffer; fails when there is no memory for the text. *failed:
// the kernel failed by itself, and message says why.
enum kiln_status kiln_cuda_print_end(struct kiln_drv *drv, struct kiln_cuda_device *device,
                                     const struct kiln_drv_kernel *kernel, bool *failed,
                                     char message[KILN_CUDA_MESSAGE], struct kiln_report *report);

// stream.c
enum kiln_status kiln_cuda_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report);
// On a handle of the host's; NULL: a new one.
enum kiln_status kiln_cuda_stream_on(struct kiln_drv *drv, uint32_t device, kiln_cu_stream handle,
                                     struct kiln_drv_stream **out, struct kiln_report *report);
void kiln_cuda_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream);
enum kiln_status kiln_cuda_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
enum kiln_status kiln_cuda_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report);
enum kiln_status kiln_cuda_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report);
bool kiln_cuda_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream);
enum kiln_status kiln_cuda_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report);
// Enqueues a command, which becomes the stream's; fails where it cannot be given to CUDA now.
enum kiln_status kiln_cuda_enqueue(struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                   struct kiln_drv_event **out, struct kiln_report *report);
// Takes notice of what has ended, also of streams that this one waits for, which may have failed. No lock is held.
void kiln_cuda_look(struct kiln_drv_stream *stream);
// Gives to CUDA what streams have kept and need not keep any more. No lock is held.
void kiln_cuda_pump(struct kiln_drv *drv);
void kiln_cuda_drop_stream(struct kiln_drv_stream *stream); // a reference
bool kiln_cuda_is_kept(struct kiln_drv_stream *stream);
// Whose fault a sticky error of the device is: "kernel 'f'". stream: its lock is held; NULL: none is.
void kiln_cuda_blame(struct kiln_drv *drv, const struct kiln_cuda_device *device, struct kiln_drv_stream *stream,
                     char out[160]);
// A kernel that has ended well has failed nevertheless.
void kiln_cuda_fail_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event, const char *message);

// event.c
// A new command, not enqueued, with one reference. NULL: no memory.
struct kiln_drv_event *kiln_cuda_event_new(struct kiln_drv_stream *stream, enum kiln_cuda_command command);
void kiln_cuda_event_fail(struct kiln_drv_event *event, enum kiln_status status, const char *message);
// Records a CUDA event on the stream, whose context is current. NULL: *result says why.
kiln_cu_event kiln_cuda_record(struct kiln_drv_stream *stream, kiln_cu_result *result);
// Times of a command that has ended well, from its CUDA events. The context is current.
void kiln_cuda_take_times(struct kiln_drv_stream *stream, struct kiln_drv_event *event);
// The pause of a polling loop, which gets longer. looks: how often the loop has polled.
void kiln_cuda_pause(uint32_t looks);
enum kiln_status kiln_cuda_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report);
bool kiln_cuda_event_done(struct kiln_drv *drv, struct kiln_drv_event *event);
void kiln_cuda_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out);
void kiln_cuda_event_release(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_event_state kiln_cuda_event_state(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_status kiln_cuda_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
void kiln_cuda_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message);

// Whether memory and modules can be given back, for which CUDA waits for the device.
static inline bool kiln_cuda_frees(const struct kiln_cuda_device *device) {
  return !__atomic_load_n(&device->dead, __ATOMIC_ACQUIRE) && !__atomic_load_n(&device->stuck, __ATOMIC_ACQUIRE);
}
static inline bool kiln_cuda_has_ended(const struct kiln_drv_event *event) {
  return __atomic_load_n(&event->progress, __ATOMIC_ACQUIRE) == KILN_CUDA_ENDED;
}
static inline void kiln_cuda_ref(struct kiln_drv_event *event) {
  __atomic_add_fetch(&event->refs, 1, __ATOMIC_RELAXED);
}

#endif
