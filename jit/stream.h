// Streams, events and buffers as the parts of the library see them.
#ifndef KILN_JIT_STREAM_H
#define KILN_JIT_STREAM_H

#include "jit/context.h"

struct kiln_stream {
  _Atomic uint32_t refs;
  struct kiln_context *ctx;
  uint32_t device;
  int slot;
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
  int slot;       // of its stream
  uint64_t count; // commands enqueued on the slot up to this one
  // Of events of the host, which have no stream; under kiln_context.notify_lock:
  bool is_user, is_signalled;
  struct kiln_notice *notices; // whom to tell (notify.c)
};

// A command on its way into a stream: begin, one call of the driver with kiln_submit_event(), end.
struct kiln_submit {
  struct kiln_stream *stream;
  enum kiln_command_kind kind;
  size_t bytes;                             // that it copies or fills
  const char *kernel;                       // of a launch
  const struct kiln_drv_launch_desc *shape; // of a launch
  uint64_t started;                         // of a trace
  struct kiln_event *event;                 // NULL: nobody wants it
  struct kiln_drv_event *drv_event;
  struct kiln_report report;
};
enum kiln_status kiln_submit_begin(struct kiln_submit *submit, struct kiln_stream *stream, enum kiln_command_kind kind,
                                   size_t bytes, bool want_event);
static inline struct kiln_drv_event **kiln_submit_event(struct kiln_submit *submit) {
  return submit->event ? &submit->drv_event : NULL;
}
// status: what the driver returned. what: put before its message, or NULL.
enum kiln_status kiln_submit_end(struct kiln_submit *submit, enum kiln_status status, const char *what,
                                 struct kiln_event **event);
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
