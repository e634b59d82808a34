// The driver's own data. How it works:
//
// A stream is a user-mode queue. Kernels are AQL packets with the barrier bit, copies go to the copy engines with the
// signal of the command before as dependency, and a barrier packet stands between a copy and a kernel that follows it.
// So everything runs in order without the host. Each command has an event with a completion signal; the host takes
// notice of finished commands (times, memory to release, text of printf) whenever somebody waits or asks.
#ifndef KILN_BACKENDS_ROCM_DRIVER_DRIVER_H
#define KILN_BACKENDS_ROCM_DRIVER_DRIVER_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>

#include "backends/rocm/code/codeobject.h"
#include "backends/rocm/code/target.h"
#include "kiln/backend.h"

#define KILN_ROCM_MAX_DEVICES 64
#define KILN_ROCM_MESSAGE 512

struct kiln_hsa {
#define KILN_HSA(name) __typeof__(&name) name;
#include "backends/rocm/driver/hsa.def"
};

struct kiln_rocm_device {
  hsa_agent_t agent;
  hsa_amd_memory_pool_t memory; // coarse-grained
  uint64_t memory_bytes, memory_granule;
  uint32_t compute_units, local_bytes, max_group_size, queue_size;
  char name[64], isa[96];
};

#define NS_PER_SECOND 1000000000

struct kiln_drv {
  struct kiln_hsa hsa;
  struct kiln_driver_config config;
  struct kiln_rocm_target target;
  struct kiln_rocm_device devices[KILN_ROCM_MAX_DEVICES];
  uint32_t device_count;
  hsa_agent_t only; // the one device that a host's handles name; 0: all that fit
  hsa_agent_t cpu;
  hsa_amd_memory_pool_t kernarg; // host memory for arguments and for staging
  bool has_cpu, has_kernarg;
  char seen[KILN_ROCM_MESSAGE]; // ISAs of GPUs that do not fit, or failed
  uint64_t ticks_per_second;    // of device times
  uint64_t tick_base, ns_base;
  pthread_mutex_t print_lock;                 // one kernel that prints at a time
  void *print_buffers[KILN_ROCM_MAX_DEVICES]; // guarded by it; NULL until needed
  struct kiln_drv *next;                      // of all that are open; for failures of devices
  uint32_t faulted;                           // atomic: enum kiln_rocm_health
  char fault[KILN_ROCM_MESSAGE];
  pthread_mutex_t reads_lock;
  struct kiln_drv_event *reads; // that go by way of staging memory, not ended; guarded by it
};

enum kiln_rocm_health {
  KILN_ROCM_WORKS,
  KILN_ROCM_FAULTED, // no kernel ends any more, copies may
  KILN_ROCM_RESET,   // nothing ends
};

struct kiln_drv_memory {
  struct kiln_drv *drv;
  uint32_t device;
  unsigned char *address; // on the device
  bool is_hosts;          // and not freed
  size_t size;
};

// How a kernel is launched on one device.
struct kiln_rocm_entry {
  uint64_t object;
  uint32_t local_bytes, private_bytes;
};

struct kiln_drv_kernel {
  struct kiln_drv_module *module;
  const char *name;
  const struct kiln_rocm_kernel *code; // of module->object
  struct kiln_rocm_entry entries[KILN_ROCM_MAX_DEVICES];
};

struct kiln_drv_module {
  uint32_t refs;                      // atomic: the program's, and one per loaded variant
  struct kiln_drv_module *variant_of; // whose variables of program scope it shares; NULL: no other module's
  void *code;                         // the runtime reads from it as long as it is loaded
  struct kiln_rocm_object object;
  hsa_executable_t executables[KILN_ROCM_MAX_DEVICES];
  uint32_t loaded; // devices
  void *prints;    // metadata of places that print; NULL: none
  size_t prints_size;
  uint32_t kernel_count;
  struct kiln_drv_kernel kernels[];
};

struct kiln_drv_launch {
  struct kiln_drv *drv;
  struct kiln_drv_kernel *kernel;
  uint32_t refs;                       // atomic: the caller's, and one per pending run
  hsa_kernel_dispatch_packet_t packet; // without kernel object and signal
  uint32_t dynamic_local;
};

struct kiln_drv_event {
  uint32_t refs; // atomic: the stream's while it is pending, the caller's, and those that wait for it
  struct kiln_drv_stream *stream;
  struct kiln_drv_event *next; // pending, in order
  hsa_signal_t signal;
  enum { KILN_ROCM_KERNEL, KILN_ROCM_COPY, KILN_ROCM_BARRIER, KILN_ROCM_USER } kind; // USER: the host's, no stream
  uint32_t done;                                                                     // atomic
  bool lost;                   // the device died with it, or may run it for ever: what it uses is never released
  uint64_t limit_ns, began_ns; // of a kernel: how long it may run (0: for ever), since it is the first one pending
  enum kiln_status status;
  char message[KILN_ROCM_MESSAGE];
  struct kiln_event_times times;
  // To be released when it has ended.
  struct kiln_drv_launch *launch;
  void *staging, *locked;
  struct kiln_drv_event *after, *waits_for; // their signals are used until this one has ended
  uint64_t staged_from, staged_end;         // positions in the stream's staging buffer; equal: it has no part of it
  // A read by way of staging memory: the host copies on when it has ended.
  void *read_to;
  const void *read_from;
  size_t read_size;
  struct kiln_drv_event *next_read; // of drv->reads
};

struct kiln_drv_stream {
  struct kiln_drv *drv;
  struct kiln_rocm_device *device;
  uint32_t refs; // atomic: the caller's, and one per event
  pthread_mutex_t lock;
  hsa_queue_t *queue;                  // NULL after a failure, until it is needed again
  struct kiln_drv_event *first, *last; // pending
  uint32_t pending;
  uint32_t queue_failed; // atomic: set by the runtime's callback
  hsa_status_t queue_status;
  enum kiln_status status; // first error since the last finish
  char message[KILN_ROCM_MESSAGE];
  struct kiln_drv_event *awaited; // the first that the stream waited for and that failed, since the last finish
  uint64_t limit_ns;              // of kernels that are enqueued
  enum kiln_status lost;          // atomic: why nothing can be enqueued any more; KILN_OK: it can
  char lost_message[KILN_ROCM_MESSAGE];
  char *staging;                       // a ring for small transfers, which end in order; NULL until one comes
  uint64_t staging_head, staging_tail; // positions, not wrapped: what is given out lies between
};

// native.c
// The agent of a host's handles; its ISA's name, as far as it fits.
enum kiln_status kiln_rocm_native_agent(const struct kiln_hsa *hsa, const struct kiln_native_context *native,
                                        hsa_agent_t *out, char isa[96], struct kiln_report *report);
enum kiln_status kiln_rocm_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                         struct kiln_report *report);
enum kiln_status kiln_rocm_open_native(const struct kiln_driver_config *config,
                                       const struct kiln_native_context *native, struct kiln_drv **out,
                                       struct kiln_report *report);
void kiln_rocm_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out);
bool kiln_rocm_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer);
enum kiln_status kiln_rocm_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                       struct kiln_drv_memory **out, struct kiln_report *report);
void *kiln_rocm_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory);
void *kiln_rocm_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream);

// hsa.c
enum kiln_status kiln_hsa_load(struct kiln_hsa *out, struct kiln_report *report);
const char *kiln_hsa_text(const struct kiln_hsa *hsa, hsa_status_t status);

// staging.c
// Memory for a transfer of event, given back when it has ended. NULL: *status says why.
void *kiln_rocm_stage(struct kiln_drv_stream *stream, struct kiln_drv_event *event, size_t size, hsa_status_t *status);
// The event has ended, or was abandoned right after it was staged.
void kiln_rocm_unstage(struct kiln_drv_stream *stream, struct kiln_drv_event *event, bool abandoned);
void kiln_rocm_staging_free(struct kiln_drv_stream *stream);
// A read to host has been enqueued. Its bytes are copied from staged when it has ended; NULL: the device writes to
// host.
void kiln_rocm_read_begun(struct kiln_drv_event *event, void *host, const void *staged, size_t size);
void kiln_rocm_read_ended(struct kiln_drv_event *event);
// Waits for reads of any stream to this host memory. staged_alone: not for those by which the device writes to it.
void kiln_rocm_await_reads(struct kiln_drv *drv, const void *host, size_t size, bool staged_alone);

// memory.c
enum kiln_status kiln_rocm_alloc(struct kiln_drv *drv, uint32_t device, size_t size, void *host,
                                 struct kiln_drv_memory **out, struct kiln_report *report);
void kiln_rocm_free(struct kiln_drv *drv, struct kiln_drv_memory *memory);
void *kiln_rocm_host_pointer(struct kiln_drv *drv, struct kiln_drv_memory *memory);
// Host memory that every device reaches; freed with hsa_amd_memory_pool_free. NULL: *status says why.
void *kiln_rocm_host_alloc(struct kiln_drv *drv, size_t size, hsa_status_t *status);
// Copies between device and host memory of any kind and waits.
hsa_status_t kiln_rocm_copy_now(struct kiln_drv *drv, uint32_t device, void *dst, const void *src, size_t size,
                                bool to_device);
enum kiln_status kiln_rocm_write(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                 size_t offset, const void *src, size_t size, struct kiln_drv_event **event,
                                 struct kiln_report *report);
enum kiln_status kiln_rocm_read(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t offset, void *dst, size_t size, struct kiln_drv_event **event,
                                struct kiln_report *report);
enum kiln_status kiln_rocm_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *src,
                                size_t src_offset, struct kiln_drv_memory *dst, size_t dst_offset, size_t size,
                                struct kiln_drv_event **event, struct kiln_report *report);
enum kiln_status kiln_rocm_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *dst,
                                size_t offset, size_t size, const void *pattern, size_t pattern_size,
                                struct kiln_drv_event **event, struct kiln_report *report);

// load.c
enum kiln_status kiln_rocm_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                                struct kiln_report *report);
void kiln_rocm_unload(struct kiln_drv *drv, struct kiln_drv_module *module);
enum kiln_status kiln_rocm_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                  struct kiln_drv_kernel **out, struct kiln_report *report);

// launch.c
enum kiln_status kiln_rocm_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                   struct kiln_drv_launch **out, struct kiln_report *report);
void kiln_rocm_launch_release(struct kiln_drv *drv, struct kiln_drv_launch *launch);
enum kiln_status kiln_rocm_launch(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_launch *launch,
                                  struct kiln_drv_event **event, struct kiln_report *report);
// Launches whose groups are larger than the kernel is compiled for want a variant.
struct kiln_variant kiln_rocm_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc);

// printing.c
// An empty buffer for the next kernel that prints; drv->print_lock is held.
enum kiln_status kiln_rocm_print_begin(struct kiln_drv *drv, uint32_t device, struct kiln_report *report);
// Formats and prints what kernels of module left in the device's buffer; fails when there is no memory for the text.
// *failed: the kernel failed by itself, and message says why.
enum kiln_status kiln_rocm_print_end(struct kiln_drv *drv, uint32_t device, const struct kiln_drv_kernel *kernel,
                                     bool *failed, char *message, size_t message_size, struct kiln_report *report);

// stream.c
// Whether a copy ends before that time.
bool kiln_rocm_ends_before(struct kiln_drv *drv, hsa_signal_t signal, uint64_t time_ns);
// A kernel that the device has ended well has failed nevertheless.
void kiln_rocm_fail_ended(struct kiln_drv_stream *stream, struct kiln_drv_event *event, const char *message);
// Until when to wait for copies of a device that has failed.
uint64_t kiln_rocm_patience(const struct kiln_drv *drv);
enum kiln_status kiln_rocm_stream_create(struct kiln_drv *drv, uint32_t device, struct kiln_drv_stream **out,
                                         struct kiln_report *report);
void kiln_rocm_stream_destroy(struct kiln_drv *drv, struct kiln_drv_stream *stream);
enum kiln_status kiln_rocm_finish(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report);
enum kiln_status kiln_rocm_wait(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_event *event,
                                struct kiln_report *report);
enum kiln_status kiln_rocm_event_wait(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_report *report);
bool kiln_rocm_event_done(struct kiln_drv *drv, struct kiln_drv_event *event);
void kiln_rocm_event_times(struct kiln_drv *drv, struct kiln_drv_event *event, struct kiln_event_times *out);
void kiln_rocm_event_release(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_status kiln_rocm_stream_deadline(struct kiln_drv *drv, struct kiln_drv_stream *stream, uint64_t ns,
                                           struct kiln_report *report);
enum kiln_status kiln_rocm_stream_cancel(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                         struct kiln_report *report);
void kiln_rocm_device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out);
enum kiln_event_state kiln_rocm_event_state(struct kiln_drv *drv, struct kiln_drv_event *event);
enum kiln_status kiln_rocm_event_create(struct kiln_drv *drv, struct kiln_drv_event **out, struct kiln_report *report);
void kiln_rocm_event_signal(struct kiln_drv *drv, struct kiln_drv_event *event, enum kiln_status status,
                            const char *message);
bool kiln_rocm_stream_lost(struct kiln_drv *drv, struct kiln_drv_stream *stream);
// Whether the stream waits, by way of others or not, for an event of the host that is not signalled. No lock is held.
bool kiln_rocm_is_held(struct kiln_drv *drv, struct kiln_drv_stream *stream);
// With stream->lock held: a new event with its signal, not yet pending; the queue is there. NULL: *status.
struct kiln_drv_event *kiln_rocm_begin(struct kiln_drv_stream *stream, enum kiln_status *status,
                                       struct kiln_report *report);
// The command is on its way: the event is the last of the stream. Gives the caller his reference.
void kiln_rocm_enqueued(struct kiln_drv_stream *stream, struct kiln_drv_event *event, struct kiln_drv_event **out);
// The command could not be enqueued.
void kiln_rocm_abandon(struct kiln_drv_stream *stream, struct kiln_drv_event *event);
// Puts a packet into the queue, its header last, and rings the doorbell. False: the queue failed.
bool kiln_rocm_submit(struct kiln_drv_stream *stream, const void *packet, uint16_t header);
// Makes packets that follow wait for what is not in the queue. False: the queue failed.
bool kiln_rocm_order(struct kiln_drv_stream *stream, const struct kiln_drv_event *event);
// Enqueues event as a barrier that waits for another one (NULL: none). False: the queue failed.
bool kiln_rocm_barrier(struct kiln_drv_stream *stream, struct kiln_drv_event *event, struct kiln_drv_event *other);

#endif
