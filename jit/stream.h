// Streams, events and buffers as the parts of the library see them.
#ifndef KILN_JIT_STREAM_H
#define KILN_JIT_STREAM_H

#include "jit/context.h"

struct kiln_graph;

struct kiln_stream {
  _Atomic uint32_t refs;
  struct kiln_context *ctx;
  uint32_t device;
  struct kiln_graph *graph; // that records its commands (graph.c); NULL: they run
  int slot;                 // -1: of a graph
  struct kiln_drv_stream *drv_stream;
  struct kiln_commands commands;
  pthread_mutex_t lock;      // one command at a time is enqueued and counted
  _Atomic uint64_t deadline; // of launches that are enqueued, in nanoseconds; 0: none
  // The first error that a wait inside the library found; told by the next kiln_stream_finish.
  enum kiln_status failed;
  char *failure;
};

// queue: the host's, that it enqueues on; NULL: one of its own.
enum kiln_status kiln_stream_new(struct kiln_context *ctx, uint32_t device, void *queue, struct kiln_stream **out);
void kiln_stream_ref(struct kiln_stream *stream);
bool kiln_stream_try_ref(struct kiln_stream *stream); // false: its last reference is gone
void kiln_stream_unref(struct kiln_stream *stream);
// Whether the device may still run what has failed (deadline.c): nothing that the stream used is ever freed.
bool kiln_stream_is_lost(const struct kiln_stream *stream);
// The first count commands of the slot have ended; where its stream is lost, they may still run.
void kiln_stream_completed(struct kiln_context *ctx, int slot, uint64_t count);
// Waits for all that was enqueued; an error is kept for kiln_stream_finish.
void kiln_stream_drain(struct kiln_stream *stream);

struct kiln_event {
  _Atomic uint32_t refs;
  struct kiln_context *ctx;
  struct kiln_drv_event *drv_event;
  struct kiln_event *first; // of several commands: that of the first, where this is that of the last; else NULL
  int slot;                 // of its stream
  uint64_t count;           // commands enqueued on the slot up to this one
  // Of events of the host, which have no stream; under kiln_context.notify_lock:
  bool is_user, is_signalled;
  struct kiln_notice *notices; // whom to tell (notify.c)
};

// One call of the driver that enqueues something.
enum kiln_operation {
  KILN_DO_LAUNCH,
  KILN_DO_WRITE,
  KILN_DO_READ,
  KILN_DO_COPY,
  KILN_DO_COPY_RECT,
  KILN_DO_FILL,
  KILN_DO_IMAGE_COPY,
  KILN_DO_IMAGE_FILL,
  KILN_DO_HOST,
  KILN_DO_WAIT,
};
struct kiln_command {
  enum kiln_operation operation;
  enum kiln_command_kind kind;
  size_t bytes;                   // that it copies or fills
  struct kiln_buffer *buffers[2]; // that it uses, or NULL; those of a launch are the launch's
  union {
    struct {
      struct kiln_drv_launch *launch;
      const char *kernel;
      const struct kiln_drv_launch_desc *shape; // without its arguments
    } launch;
    struct { // WRITE, READ, COPY; one side of the first two is memory of the host
      struct kiln_drv_memory *src, *dst;
      const void *host_src;
      void *host_dst;
      size_t src_offset, dst_offset, size;
    } copy;
    const struct kiln_drv_rect *rect;
    struct {
      struct kiln_drv_memory *memory;
      size_t offset, size, pattern_size;
      const void *pattern;
    } fill;
    struct { // IMAGE_COPY; IMAGE_FILL: its dst and region
      const struct kiln_drv_image_copy *copy;
      const union kiln_pixel *pixel;
    } image;
    struct {
      void (*fn)(void *user);
      void *user;
    } host;
    struct kiln_drv_event *wait;
  };
};
// Enqueues the command, or records it. call: put before the driver's message, or NULL.
enum kiln_status kiln_enqueue(struct kiln_stream *stream, const struct kiln_command *command, const char *call,
                              struct kiln_event **event);

// The same in steps, for several commands that count as one: begin, kiln_issue for each of them, end. The last one has
// the event, kiln_submit_event().
struct kiln_submit {
  struct kiln_stream *stream;
  const struct kiln_command *command; // what statistics and a trace are told of; NULL: the caller counts
  uint64_t started;                   // of a trace
  struct kiln_event *event;           // NULL: none is wanted
  struct kiln_drv_event *drv_event;
  struct kiln_report report;
};
enum kiln_status kiln_submit_begin(struct kiln_submit *submit, struct kiln_stream *stream,
                                   const struct kiln_command *command, bool want_event);
static inline struct kiln_drv_event **kiln_submit_event(struct kiln_submit *submit) {
  return submit->event ? &submit->drv_event : NULL;
}
enum kiln_status kiln_issue(struct kiln_submit *submit, const struct kiln_command *command,
                            struct kiln_drv_event **event);
// status: of the last kiln_issue. some: commands before it were enqueued. call: put before its message, or NULL.
enum kiln_status kiln_submit_end(struct kiln_submit *submit, enum kiln_status status, bool some, const char *call,
                                 struct kiln_event **event);
// Counts commands of a kind. Under the stream's lock.
void kiln_stream_count(struct kiln_stream *stream, enum kiln_command_kind kind, uint64_t count, uint64_t bytes);

// The stream uses the object, unless it is a graph's.
static inline void kiln_stream_mark(const struct kiln_stream *stream, struct kiln_uses *uses) {
  if (!stream->graph)
    kiln_uses_mark(uses, stream->slot);
}
// INVALID where the stream is a graph's, since the call has no meaning there.
enum kiln_status kiln_stream_check_runs(const char *call, const struct kiln_stream *stream);
// Checks that [offset, offset + size) lies in a buffer that the stream can use, and marks the use.
enum kiln_status kiln_stream_check_range(const char *call, const char *role, struct kiln_stream *stream,
                                         struct kiln_buffer *buffer, size_t offset, size_t size, bool any_device);
// A command that does nothing: gives an event when one is wanted.
enum kiln_status kiln_submit_nothing(struct kiln_stream *stream, struct kiln_event **event);

struct kiln_buffer {
  _Atomic uint32_t refs;
  struct kiln_context *ctx;
  struct kiln_buffer *root; // itself, or the buffer that it is a window of
  size_t offset, size;
  uint32_t device;
  // Of the root:
  bool is_wrapped; // its memory is the host's
  struct kiln_drv_memory *memory;
  unsigned char *host;
  struct kiln_uses uses;
  void (*released)(void *user); // NULL: nobody asks
  void *released_user;
};

void kiln_buffer_ref(struct kiln_buffer *buffer);
// Takes the memory over, also when it fails.
enum kiln_status kiln_buffer_new(struct kiln_context *ctx, uint32_t device, size_t size, struct kiln_drv_memory *memory,
                                 struct kiln_buffer **out);

#endif
