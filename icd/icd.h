// What the files of the OpenCL driver share. The driver is an OpenCL 3.0 platform on top of kiln/kiln.h: a client of
// the host API alone. docs/opencl-driver.md is the page for users.
//
// Objects. Every handle of the standard is a struct that begins with icd_object: the loader's dispatch table, a kind by
// which entry points tell valid handles, a reference count. One file has the calls of one object of the standard.
//
// Devices. A device is a device of a Kiln context; the platform opens one Kiln context per backend and keeps it for the
// life of the process. A context of the standard may have several devices: a buffer then has one Kiln buffer per
// device, all of them made of the same host memory.
//
// Commands (command.c). A queue is a Kiln stream; a queue out of order has several, so that commands that do not depend
// on each other run at the same time (lane.c). A command whose wait list can be told to the stream is enqueued there
// at once. What waits for an event that its stream cannot wait for (a user event, a command that is itself held back,
// one of another Kiln context that has not ended) is held back in its queue, with all that the queue's order puts after
// it, and enqueued by the thread that settles or ends the event (held.c).
//
// Command buffers (command_buffer.c). What a command buffer records goes the way of every command, on a queue of its
// own whose stream is that of a Kiln graph: so it is checked and made as if it were enqueued, and kept, too.
//
// Waiting. Enqueues and releases never wait for commands. A queue, or a buffer whose memory is freed by others than
// Kiln, outlives its last reference until the commands that use it have run (icd_lanes_watch).
//
// Locks, in this order: context, queue, event (one per context), and those of kernels, programs and buffers, which are
// leaves. That of a command buffer is its queue's, and comes before those of others. No lock is held while a callback
// of the application runs: a callback may make any call, and may wait for other threads that do.
#ifndef KILN_ICD_ICD_H
#define KILN_ICD_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "icd/command_buffer.h"
#include "kiln/kiln.h"

#define ICD_EXPORT __attribute__((visibility("default")))
#define ICD_ALIGN 128 // bytes: of buffers and of windows into them

// ---- objects

enum icd_kind {
  ICD_PLATFORM = 0x4b4c0001,
  ICD_DEVICE,
  ICD_CONTEXT,
  ICD_QUEUE,
  ICD_EVENT,
  ICD_MEM,
  ICD_PROGRAM,
  ICD_KERNEL,
  ICD_SAMPLER,
  ICD_COMMAND_BUFFER,
  ICD_MUTABLE_COMMAND,
  ICD_KIND_END,
};
#define ICD_KINDS (ICD_KIND_END - ICD_PLATFORM)

struct icd_object {
  const cl_icd_dispatch *dispatch; // what the loader reads
  uint32_t kind;                   // 0 once it is freed
  _Atomic uint32_t refs;
};

extern const cl_icd_dispatch icd_dispatch;

// Zeroed memory of size bytes with one reference; NULL when memory is exhausted.
void *icd_object_new(enum icd_kind kind, size_t size);
void icd_object_free(void *object);
static inline bool icd_is(const void *object, enum icd_kind kind) {
  return object && ((const struct icd_object *)object)->kind == (uint32_t)kind;
}
static inline void icd_retain(void *object) { atomic_fetch_add(&((struct icd_object *)object)->refs, 1); }
// Before destructors get the object, whose last reference is gone: what they retain and release does not end it again.
static inline void icd_keep_dying(void *object) { atomic_store(&((struct icd_object *)object)->refs, 1u << 30); }
// True for the last reference: the caller destroys the object.
static inline bool icd_drop(void *object) { return atomic_fetch_sub(&((struct icd_object *)object)->refs, 1) == 1; }

// Returns the object, having told the status.
static inline void *icd_give(void *object, cl_int status, cl_int *errcode_ret) {
  if (errcode_ret)
    *errcode_ret = status;
  return object;
}

// ---- answers to queries

struct icd_answer {
  size_t size; // of the caller's memory
  void *value; // may be NULL
  size_t *size_ret;
};
// INVALID_VALUE when the caller's memory is too small.
cl_int icd_put(const struct icd_answer *answer, const void *data, size_t size);
cl_int icd_put_string(const struct icd_answer *answer, const char *text);

// What Kiln's status is in OpenCL, for calls that enqueue or create.
cl_int icd_error(enum kiln_status status);

uint64_t icd_now_ns(void); // the clock of Kiln's events

// ---- platform and devices

struct icd_backend {
  const char *name;
  struct kiln_context *kiln;
};

struct _cl_device_id {
  struct icd_object object;
  struct icd_backend *backend;
  uint32_t index; // among those of the Kiln context
  cl_device_type type;
  struct kiln_device_info info;
  size_t max_alloc;
  cl_device_svm_capabilities svm;
  cpu_set_t cpus; // that its threads run on, where that is known: as many as compute units; else none
  // Of a sub-device, which has a Kiln context of its own with fewer threads (and counts its references):
  cl_device_id parent; // with a reference; NULL: a device of the platform
  struct icd_backend own;
  cl_device_partition_property *partition; // what it was made by, as the standard tells it
  size_t partition_count;
};

// The device of a Kiln context as programs are told of it.
enum kiln_status icd_describe(struct kiln_context *kiln, uint32_t index, struct kiln_device_info *out);
// Whether there can be sub-devices.
bool icd_can_be_parted(const struct _cl_device_id *device);
// The affinity domains that the CPUs of the device are in more than one of, with NEXT_PARTITIONABLE; 0: there are none.
// Reads files of the system, which takes time.
cl_device_affinity_domain icd_affinity_domains(const struct _cl_device_id *device);
// How many parts a domain makes of the device, and the CPUs of the first max of them; 0: it does not part it. Of
// NEXT_PARTITIONABLE, *domain receives the one that was found.
cl_uint icd_affinity_parts(const struct _cl_device_id *device, cl_device_affinity_domain *domain, cl_uint max,
                           cpu_set_t *out);
// As kiln_context_desc.cpus, freed by the caller; NULL: out of memory.
char *icd_affinity_list(const cpu_set_t *cpus);
void icd_device_retain(cl_device_id device);
void icd_device_release(cl_device_id device);

#define ICD_MAX_DEVICES 64 // of the platform

struct _cl_platform_id {
  struct icd_object object;
  struct icd_backend backends[4];
  cl_device_id devices[ICD_MAX_DEVICES];
  uint32_t device_count;
  _Atomic cl_uint objects[ICD_KINDS]; // that exist, by kind
};

// clGetPlatformInfo: how many devices, contexts, queues, events, memory objects, programs, kernels, samplers, command
// buffers and mutable commands there are, as cl_uint.
#define CL_PLATFORM_OBJECTS_KILN 0x4b4c0001

// The one platform; its devices are looked for on the first call.
cl_platform_id icd_platform(void);
// Its counter of objects of a kind.
_Atomic cl_uint *icd_objects(enum icd_kind kind);

// Why this mask of types names no kind of device, or CL_SUCCESS.
cl_int icd_check_device_type(cl_device_type type);
// Devices of the platform of these types, at most max of them into out (may be NULL). Returns how many there are.
uint32_t icd_devices_of_type(cl_device_type type, uint32_t max, cl_device_id *out);

// ---- contexts

struct icd_destructor {
  struct icd_destructor *next;
  void(CL_CALLBACK *of_context)(cl_context, void *);
  void(CL_CALLBACK *of_memory)(cl_mem, void *);
  void *user;
};

// Takes the newest one off the list, under the lock; NULL: there is none.
struct icd_destructor *icd_destructor_take(struct icd_destructor **list, pthread_mutex_t *lock);

struct _cl_context {
  struct icd_object object;
  cl_context_properties *properties; // as they were given, with the final 0; NULL: none
  size_t property_count;
  struct icd_destructor *destructors;
  pthread_mutex_t lock; // of destructors, queues, svm
  struct icd_svm *svm;  // svm_count of them, by their addresses
  size_t svm_count, svm_room;
  struct _cl_command_queue *queues; // also those without references that still have commands to run
  uint32_t queue_number;            // of the next one
  pthread_mutex_t event_lock;       // of the state of events
  pthread_cond_t event_changed;
  uint32_t device_count;
  cl_device_id devices[];
};

// The device's place among those of the context; -1: it has none.
int icd_context_index(cl_context context, cl_device_id device);
void icd_context_release(cl_context context);

// ---- queues

#define ICD_MAX_LANES 8

// Commands that are held back, in the order of their enqueueing; under the queue's lock.
struct icd_held_list {
  struct icd_held *first, *last;
  struct icd_held *closed;             // the first one that a barrier before it holds back; NULL: none
  struct icd_held *ready, *ready_last; // that can be enqueued now, in whatever order
  uint32_t barriers;                   // how many hold later commands back
  bool is_barred;                      // one of them is before closed
};

// A stream of a queue. A queue in order has one.
struct icd_lane {
  cl_command_queue queue;
  struct kiln_stream *stream;
  struct kiln_event *last; // of the last command, out of order; NULL: none yet
};

struct _cl_command_queue {
  struct icd_object object;
  cl_context context;
  cl_device_id device;
  uint32_t index; // of the device in the context
  cl_command_queue_properties flags;
  cl_queue_properties *properties; // as they were given
  size_t property_count;
  cl_uint size;                   // what CL_QUEUE_SIZE asked for
  struct kiln_buffer *mark;       // what empty commands are about
  struct _cl_command_queue *next; // of the context
  uint64_t bit;                   // in _cl_mem.queues
  cl_command_buffer_khr records;  // what its commands are for; NULL: they run
  _Atomic uint32_t left;          // without references: lanes that still have commands to run
  pthread_mutex_t lock;           // of what follows, and around every enqueue on the stream
  pthread_cond_t changed;         // a held command has gone
  struct icd_held_list held;
  struct icd_lane *lane;      // where the command that is being enqueued goes
  struct kiln_event *barrier; // of the last command that all later ones wait for, out of order; NULL: none
  uint32_t next_lane;
  _Atomic uint32_t lane_count; // grows only
  struct icd_lane lanes[ICD_MAX_LANES];
};

// Makes the first lane.
cl_int icd_lanes_open(cl_command_queue queue);
void icd_lanes_close(cl_command_queue queue); // waits for what is enqueued
// Waits for all that is enqueued. Returns the first failure.
cl_int icd_lanes_finish(cl_command_queue queue);
// Calls fn, which subtracts 1 from *left, once for each lane that has something to run, when that has run; adds as many
// to *left before. The calls come on this thread or on one of Kiln's. False: memory or threads are
// lacking, so that no call would come for a lane; the caller calls icd_wait_untold and asks again.
bool icd_lanes_watch(cl_command_queue queue, _Atomic uint32_t *left, kiln_event_fn *fn, void *user,
                     struct kiln_event **untold);
// Waits for what *untold is, and releases it. NULL: there was no memory for it.
void icd_wait_untold(struct kiln_event *untold);
// Under the queue's lock, out of order: the lane for a command that waits for these events.
struct icd_lane *icd_lane_choose(cl_command_queue queue, cl_uint count, const cl_event *events);
// The same: the lane waits for the last command of the others, or they for its.
cl_int icd_lane_join(struct icd_lane *lane);
cl_int icd_lane_fork(struct icd_lane *lane);

void icd_queue_release(cl_command_queue queue);
static inline bool icd_in_order(const struct _cl_command_queue *queue) {
  return !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

// ---- events

// That a held command waits for an event.
struct icd_link {
  struct icd_link *next;
  struct icd_held *held;
};
struct icd_links {
  struct icd_link *first, *last;
};
static inline void icd_links_add(struct icd_links *links, struct icd_link *link) {
  link->next = NULL;
  *(links->last ? &links->last->next : &links->first) = link;
  links->last = link;
}

struct _cl_event {
  struct icd_object object;
  cl_context context;
  cl_command_queue queue; // NULL: a user event
  cl_command_type type;
  _Atomic cl_int state;    // CL_QUEUED: held back; CL_SUBMITTED; CL_COMPLETE or an error, once that is known
  struct kiln_event *kiln; // from CL_SUBMITTED on; NULL for user events and for commands that never ran
  struct icd_lane *lane;   // the same
  uint64_t queued_ns;
  // Under the event lock of the context:
  struct icd_links waits;         // of held commands for the event
  struct icd_callback *callbacks; // not called yet, in the order of their making
  bool watched;                   // Kiln tells of its end
};

cl_event icd_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int state);
void icd_event_release(cl_event event);
// CL_QUEUED, CL_SUBMITTED, CL_COMPLETE or an error, now.
cl_int icd_event_state(cl_event event);
// Waits for the end of the command; CL_COMPLETE or its error.
cl_int icd_event_wait(cl_event event);
// The event leaves its first state: its command is on a stream (kiln, which becomes the event's), or it has ended.
// Returns false when it was settled before. Appends what no longer waits for it to due.
bool icd_event_settle(cl_event event, cl_int state, struct kiln_event *kiln, struct icd_links *due);
// Calls the callbacks that are due, and has Kiln tell of the end if anything waits for it. If that is there, appends
// what waited for it to due instead. After settle, without a lock.
void icd_event_call_back(cl_event event, struct icd_links *due);
// Appends what waited for the end of the event to due, if it has ended.
void icd_event_take_ended(cl_event event, struct icd_links *due);
// Goes on with the held commands that no longer wait for the event, then calls back. Without a lock.
void icd_event_go_on(cl_event event);
// Calls fn on some thread when the event has ended; at once when it has. False: out of memory.
bool icd_event_on_end(cl_event event, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user);
// Whether a stream of this Kiln context can wait for the event, or need not.
bool icd_event_usable(cl_event event, const struct kiln_context *kiln);
// The link is in the event's list until it is usable. False: it is already.
bool icd_event_link(cl_event event, struct icd_link *link);

// ---- commands

struct icd_command;
struct icd_command_ops {
  size_t size; // of the struct that begins with struct icd_command
  // Enqueues on the stream of queue->lane, under the queue's lock. event may be NULL.
  cl_int (*run)(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event);
  // The copy on the heap takes references and copies of what the caller's command points to. False: out of memory, and
  // it took nothing. NULL: nothing to take.
  bool (*keep)(struct icd_command *copy);
  void (*drop)(struct icd_command *copy); // gives back what keep took; NULL: nothing
  // The memory objects take note that the queue uses them; NULL: the command uses no memory objects.
  void (*use)(const struct icd_command *command, const struct _cl_command_queue *queue);
};

struct icd_command {
  const struct icd_command_ops *ops;
  cl_command_type type;
  bool after_all;  // waits for all that was enqueued before it
  bool before_all; // all that is enqueued later waits for it
};

struct icd_wait_list {
  cl_uint count;
  const cl_event *events;
  cl_event *event; // out; may be NULL
};

// Enqueues or holds back. blocking: returns when the command has run, with EXEC_STATUS_ERROR... when it failed.
cl_int icd_enqueue(cl_command_queue queue, struct icd_command *command, const struct icd_wait_list *list,
                   bool blocking);
// Under the queue's lock: enqueues on a lane of the queue, which is queue->lane then, after events that are usable.
// kiln may be NULL.
cl_int icd_command_put(cl_command_queue queue, const struct icd_command *command, cl_uint count, const cl_event *events,
                       struct kiln_event **kiln);
// An empty command on the stream, under the queue's lock.
cl_int icd_run_mark(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event);
// Waits for all that is enqueued or held back. Returns the first failure.
cl_int icd_queue_finish(cl_command_queue queue);
// A copy on the heap that owns what it needs; NULL: out of memory.
struct icd_command *icd_command_copy(const struct icd_command *command);
void icd_command_free(struct icd_command *copy); // NULL: nothing to do

// ---- command buffers

// Adds a copy of the command to those of the buffer. Under the lock of the buffer's queue.
cl_int icd_record(cl_command_buffer_khr buffer, const struct icd_command *command);

struct icd_step {
  struct icd_command *command;
  uint32_t index;                // in the graph
  cl_mutable_command_khr handle; // NULL: the application took no handle
};

// The commands of a command buffer, and the graph that runs them. While others than the buffer have references,
// commands that are held back, nothing of it changes: a change makes a new one.
struct icd_recording {
  _Atomic uint32_t refs;
  _Atomic uint64_t queues;  // bits of those that all its memory objects know of
  struct kiln_graph *graph; // NULL: it cannot run
  uint32_t lacking;         // launches without all their arguments
  uint32_t count, room;
  struct icd_step *steps;
};

struct _cl_command_buffer_khr {
  struct icd_object object;
  cl_command_queue queue; // where it runs by default
  cl_command_buffer_flags_khr flags;
  cl_mutable_dispatch_asserts_khr asserts;
  cl_command_buffer_properties_khr *properties; // as they were given, with the final 0; NULL: none
  size_t property_count;
  struct _cl_command_queue recorder; // its lock guards what follows
  bool is_final;
  struct icd_recording *recording;
  cl_mutable_command_khr handles;
};

// A recording that can take commands; NULL and an error.
struct icd_recording *icd_recording_new(cl_command_buffer_khr buffer, cl_int *status);
void icd_recording_release(struct icd_recording *recording);
// Adds a command, which becomes the recording's, whatever is returned.
cl_int icd_recording_add(cl_command_buffer_khr buffer, struct icd_recording *recording, struct icd_command *copy);
// It takes no more commands; if all of them have their arguments it can run.
cl_int icd_recording_end(struct icd_recording *recording);

// A launch as it was asked for.
struct icd_range {
  cl_uint dims;
  size_t offset[3], global[3], local[3]; // local[0] is 0: the driver chooses
};

// A launch in a command buffer, of which the application has a handle. Under the lock of the buffer's queue.
struct _cl_mutable_command_khr {
  struct icd_object object;
  cl_command_buffer_khr buffer; // without a reference: it has the command
  struct _cl_mutable_command_khr *next;
  uint32_t position; // among the buffer's commands
  cl_kernel kernel;
  cl_mutable_dispatch_fields_khr fields;
  cl_command_properties_khr *properties; // as they were given, with the final 0; NULL: none
  size_t property_count;
  struct icd_range range;
  // While an update is being made: the changed command, or the one before once the change is in the graph.
  struct icd_command *other;
  struct icd_range other_range;
  bool is_changed;
};

void icd_mutable_free(cl_mutable_command_khr command);
// What of a launch can be changed.
#define ICD_MUTABLE_FIELDS                                                                                             \
  (CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |  \
   CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)

// ---- commands that are held back

// Under the queue's lock: whether nothing that is held back keeps a new command.
bool icd_may_pass(const struct _cl_command_queue *queue, const struct icd_command *command);
// A copy of the command that owns what it needs, with an event; NULL: out of memory.
struct icd_held *icd_held_new(cl_command_queue queue, const struct icd_command *command,
                              const struct icd_wait_list *list);
cl_event icd_held_event(const struct icd_held *held);
// Under the queue's lock: puts it into the queue's list. The first of the links that it is due by goes to due.
void icd_held_add(struct icd_held *held, struct icd_links *due);
// Enqueues what waits for nothing else than these links, and what that was holding back, then calls back. Without a
// lock.
void icd_held_go_on(struct icd_links *due);

// ---- memory objects

// Shared virtual memory of a context: what clSVMAlloc and the allocations of unified shared memory gave.
struct icd_svm {
  unsigned char *memory;
  size_t size;
  cl_unified_shared_memory_type_intel type; // 0: of clSVMAlloc
  cl_device_id device;                      // that unified shared memory was asked for; NULL: for none
  cl_mem_alloc_flags_intel flags;           // of unified shared memory, as they were given
};
// Memory of so many bytes, which the context has with what of says beside. NULL: memory is exhausted.
void *icd_svm_new(cl_context context, size_t size, const struct icd_svm *of);
// Frees memory that begins there, of clSVMAlloc or of unified shared memory. False: the context has no memory that
// begins there.
bool icd_svm_free(cl_context context, void *pointer, bool is_usm);
// The memory that a pointer lies in, as it is now. False: it lies in none.
bool icd_svm_find(cl_context context, const void *pointer, struct icd_svm *out);
// Commands on any memory of the process, as the calls of the standard say; icd_svm_check: of a queue whose device
// reaches it.
cl_int icd_svm_check(cl_command_queue queue);
cl_int icd_svm_copy(cl_command_queue queue, cl_command_type type, bool blocking, void *dst, const void *src,
                    size_t size, const struct icd_wait_list *list);
cl_int icd_svm_fill(cl_command_queue queue, cl_command_type type, void *pointer, const void *pattern,
                    size_t pattern_size, size_t size, const struct icd_wait_list *list);
cl_int icd_svm_mark(cl_command_queue queue, cl_command_type type, const struct icd_wait_list *list, bool blocking);
// Whether some device of the context has it.
bool icd_has_svm(cl_context context);
// The bytes of shared virtual memory of the context from the pointer on; 0: it points to none.
size_t icd_svm_size(cl_context context, const void *pointer);

#define ICD_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)

// Bytes of a buffer, in the first dimension alone, or pixels of an image: x, y, z, where the layer of an array is the
// last of its coordinates.
struct icd_box {
  size_t origin[3], size[3];
};
static inline bool icd_boxes_overlap(const struct icd_box *a, const struct icd_box *b) {
  bool overlap = true;
  for (int d = 0; d < 3; d++)
    overlap &= a->origin[d] < b->origin[d] + b->size[d] && b->origin[d] < a->origin[d] + a->size[d];
  return overlap;
}

struct icd_mapping {
  struct icd_mapping *next;
  unsigned char *pointer;
  struct icd_box box;
  cl_map_flags flags;
};

struct _cl_mem {
  struct icd_object object;
  cl_context context;
  cl_mem_flags flags;
  size_t size, origin;     // origin: in parent
  cl_mem parent;           // of a sub-buffer, or an image over another object; else NULL
  struct icd_image *image; // NULL: a buffer
  void *host_ptr;          // as it was given, with CL_MEM_USE_HOST_PTR
  unsigned char *host;     // the bytes, where devices use host memory; else NULL
  bool maps_copies;        // mappings are copies of the bytes
  unsigned char *mapped;   // then, of an object without parent: what mappings point to; NULL: none so far
  bool owns_mapped;        // which is to be freed
  cl_mem_properties *properties;
  size_t property_count;
  _Atomic uint64_t queues; // whose commands have used it or what is made of it: bits, which several queues may share
  _Atomic uint32_t left;   // without references: lanes that may still use it
  pthread_mutex_t lock;    // of what follows
  struct icd_destructor *destructors;
  struct icd_mapping *mappings;
  cl_uint map_count;
  _Atomic(struct kiln_buffer *) buffers[]; // by device of the context; those beyond the first are made when needed
};

static inline bool icd_is_buffer(cl_mem mem) { return icd_is(mem, ICD_MEM) && !mem->image; }
static inline bool icd_is_image(cl_mem mem) { return icd_is(mem, ICD_MEM) && mem->image; }

// CL_SUCCESS, or the error of flags that do not go together; the same of a pointer that does not suit the flags.
cl_int icd_mem_check_flags(cl_mem_flags flags);
cl_int icd_mem_check_pointer(cl_mem_flags flags, const void *host_ptr);
// The flags of what is made of another object: its own, else those of its parent.
cl_int icd_mem_inherit(cl_mem_flags parent, cl_mem_flags flags, cl_mem_flags *out);
// An object without bytes; NULL: out of memory. It gets them by one of the two functions that follow.
cl_mem icd_mem_new(cl_context context, cl_mem_flags flags, size_t size);
// Memory of its own, or the application's where it is aligned (in bytes).
cl_int icd_mem_allocate(cl_mem mem, void *host_ptr, size_t align);
void icd_mem_attach(cl_mem mem, cl_mem parent, size_t origin);
// A copy of the list, for the object that is made then; INVALID_PROPERTY: one is unknown.
cl_int icd_mem_take_properties(cl_context context, const cl_mem_properties *properties, cl_mem_properties **out);
// Returns mem, which has the properties; NULL: they are freed.
cl_mem icd_mem_with_properties(cl_mem mem, cl_mem_properties *properties);
// The Kiln buffer for a device of the context; NULL when memory is exhausted.
struct kiln_buffer *icd_mem_buffer(cl_mem mem, uint32_t index);
// The object takes note that the queue uses it.
static inline void icd_mem_note(cl_mem mem, const struct _cl_command_queue *queue) {
  if (~atomic_load_explicit(&mem->queues, memory_order_relaxed) & queue->bit)
    atomic_fetch_or(&mem->queues, queue->bit);
}
// The buffer for a command of the queue, of which the object takes note.
struct kiln_buffer *icd_mem_use(cl_mem mem, const struct _cl_command_queue *queue);
// Where its bytes are mapped to; NULL: out of memory.
unsigned char *icd_mem_mapped(cl_mem mem);
void icd_mem_release(cl_mem mem);

// Whether these flags of a map are known and do not exclude each other.
bool icd_are_map_flags(cl_map_flags flags);
// Whether the host may read (CL_MEM_HOST_READ_ONLY) or write (CL_MEM_HOST_WRITE_ONLY) it.
cl_int icd_check_host(cl_mem mem, cl_mem_flags of);
// The object is of the queue's context, and the queue's device has its memory.
cl_int icd_check_mem(cl_command_queue queue, cl_mem mem);
cl_int icd_check_buffer(cl_command_queue queue, cl_mem mem);
// Bytes of a buffer.
cl_int icd_check_range(cl_mem mem, size_t offset, size_t size);

// ---- images and samplers

// What an image is beside its bytes.
struct icd_image {
  cl_image_format format;
  cl_image_desc desc; // with the pitches that it has; sizes and a slice pitch that its type has not are 0
  enum kiln_image_dimension dimension;
  struct kiln_image_format kiln_format;
  size_t pixel;                          // bytes
  size_t extent[3], step[3];             // pixels, and bytes to the next one, in the coordinates of boxes
  _Atomic(struct kiln_image *) images[]; // by device of the context, made when needed
};

// The Kiln image for a command of the queue, of which the image takes note; NULL when memory is exhausted.
struct kiln_image *icd_image_use(cl_mem mem, const struct _cl_command_queue *queue);
// Releases the Kiln images, where there are any.
void icd_image_free(cl_mem mem);
// Of two formats by their numbers. INVALID_IMAGE_FORMAT_DESCRIPTOR: there is no such; IMAGE_FORMAT_NOT_SUPPORTED.
cl_int icd_image_format(const cl_image_format *format, struct kiln_image_format *out);
// Whether images of the dimension may have the format, with these flags.
bool icd_image_has_format(cl_context context, enum kiln_image_dimension dimension, cl_mem_flags flags,
                          struct kiln_image_format format);
// The box of a call, which lies in the image.
cl_int icd_image_box(const struct icd_image *image, const size_t *origin, const size_t *region, struct icd_box *out);
static inline bool icd_image_has_slices(const struct icd_image *image) { return image->desc.image_slice_pitch > 0; }

struct _cl_sampler {
  struct icd_object object;
  cl_context context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  cl_sampler_properties *properties; // as they were given, with the final 0; NULL: none
  size_t property_count;
};

// As kernels know it.
uint32_t icd_sampler_bits(const struct _cl_sampler *sampler);

// ---- programs and kernels

// Of one device.
struct icd_build {
  bool is_for; // the program is for this device
  cl_build_status status;
  cl_program_binary_type type;
  char *options, *log;
  struct kiln_program *program; // an executable: once it is built, or from its binary
  struct kiln_object *object;   // a compiled object or library
};

// The build as bytes, freed by the caller; NULL and 0: there are none.
unsigned char *icd_binary_make(const struct icd_build *build, size_t *size);
// Makes a build of a binary.
cl_int icd_binary_load(struct kiln_context *kiln, const unsigned char *data, size_t size, struct icd_build *build);

// The value of a specialisation constant.
struct icd_spec {
  uint32_t id, size;
  unsigned char value[8];
};

struct _cl_program {
  struct icd_object object;
  cl_context context;
  char *source;           // followed by a NUL; NULL: made of binaries, or linked
  size_t il_size;         // of a source in SPIR-V; 0: it is OpenCL C
  struct icd_spec *specs; // of SPIR-V
  uint32_t spec_count;
  bool is_linked;                // which cannot be built
  pthread_mutex_t lock;          // of the builds
  _Atomic uint32_t kernel_count; // kernels that exist: with any the program cannot be built again
  struct icd_build builds[];     // by device of the context
};

// A program for every device of the context, without source. NULL: memory is exhausted.
cl_program icd_program_new(cl_context context);
void icd_program_release(cl_program program);
// The text of a program in OpenCL C; NULL: it is made of something else.
static inline const char *icd_program_text(const struct _cl_program *program) {
  return program->il_size ? NULL : program->source;
}
// How Kiln is told of a program in SPIR-V; constants is to be freed.
void icd_il_describe(const struct _cl_program *program, struct kiln_program_desc *desc,
                     struct kiln_spec_constant **constants);

struct icd_arg {
  enum kiln_arg_kind kind;
  bool is_set;
  size_t size;   // of the value, or of local memory; of a sampler: its bits
  size_t offset; // of the value in the kernel's values
  cl_mem mem;    // not retained, as the standard wants it; NULL: a null pointer
  void *pointer; // to shared virtual memory; NULL: none
};

struct _cl_kernel {
  struct icd_object object;
  cl_program program;
  const struct kiln_kernel_info *info; // of the first device that it was built for
  const char *vec_type_hint;           // "" for none
  bool uniform_groups;                 // sizes of groups must divide the global size
  pthread_mutex_t lock;                // of the arguments
  struct icd_arg *args;
  unsigned char *values;
  size_t values_size;
  struct kiln_kernel *kernels[]; // by device of the context; NULL: not built for it
};

void icd_kernel_release(cl_kernel kernel);
// Sets one of arguments of the kernel, which need not be its own: as clSetKernelArg, and as clSetKernelArgSVMPointer.
cl_int icd_arg_set(cl_kernel kernel, struct icd_arg *args, unsigned char *values, cl_uint index, size_t size,
                   const void *value);
cl_int icd_arg_set_pointer(cl_kernel kernel, struct icd_arg *args, cl_uint index, const void *pointer);

// clEnqueueNDRangeKernel. may_lack: arguments may be set later, by icd_launch_set_arg.
cl_int icd_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
                  const size_t *local, bool may_lack, const struct icd_wait_list *list);
// Whether it is a launch without all its arguments.
bool icd_launch_lacks(const struct icd_command *command);
// Changes a copy of a launch, as the two functions above say. The codes are those of the standard.
cl_int icd_launch_set_arg(struct icd_command *copy, cl_uint index, size_t size, const void *value);
cl_int icd_launch_set_pointer(struct icd_command *copy, cl_uint index, const void *pointer);
// Changes its sizes, and checks all of it.
cl_int icd_launch_set_range(struct icd_command *copy, cl_command_queue queue, const struct icd_range *range);
// Puts it in the place of the launch at index.
cl_int icd_launch_replace(const struct icd_command *copy, cl_command_queue queue, struct kiln_graph *graph,
                          uint32_t index);

#endif
