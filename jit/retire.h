// Objects whose last reference goes while a stream still has work that uses them: kept until that work has run.
//
// Every stream has a slot with two counters: how many commands were enqueued, and how many are known to have run.
// An object remembers the slots of the streams that used it. When its last reference goes, it is freed at once if all
// of them have run what they had; otherwise it waits on the list of one of them, then on that of the next one. A list
// is looked at when more commands of its slot are known to have run: when a stream or an event has been waited for.
// Where much has piled up on a list, a thread of the library waits for what is enqueued (notify.c). So a release never
// waits; an allocation that finds no memory does (kiln_retire_drain).
#ifndef KILN_JIT_RETIRE_H
#define KILN_JIT_RETIRE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_context;
struct kiln_stream;

#define KILN_STREAM_SLOTS 4096 // streams that a context may have at the same time
#define KILN_STREAM_WORDS (KILN_STREAM_SLOTS / 64)

enum kiln_command_kind {
  KILN_COMMAND_LAUNCH,
  KILN_COMMAND_WRITE,
  KILN_COMMAND_READ,
  KILN_COMMAND_COPY,
  KILN_COMMAND_FILL,
  KILN_COMMAND_MARK, // nothing but an event, or a wait for one
  KILN_COMMAND_KINDS
};

// What a stream enqueued so far, by kind. Only the holder of its lock adds.
struct kiln_commands {
  _Atomic uint64_t count[KILN_COMMAND_KINDS], bytes[KILN_COMMAND_KINDS];
};

struct kiln_slot {
  _Atomic uint64_t enqueued, completed;
  _Atomic uint32_t waiting;   // in its list
  atomic_bool lost;           // set once the stream is: the counters then never meet
  struct kiln_stream *stream; // this and what follows under kiln_retire.lock
  struct kiln_retired *first, *last;
  uint32_t new_count; // that came since a thread was last asked to wait for the slot
  size_t new_bytes;
};

struct kiln_uses {       // of one object
  _Atomic uint64_t used; // which of the words are not 0
  _Atomic uint64_t words[KILN_STREAM_WORDS];
};
_Static_assert(KILN_STREAM_WORDS <= 64, "a bit of used for each word");

// How an object of a kind goes, in two steps: what it holds on to, then the object itself.
struct kiln_retire_kind {
  void (*free)(struct kiln_context *ctx, void *object);
  void (*end)(void *object); // may call the host, which may make any call
};

struct kiln_retire {
  pthread_mutex_t lock;
  struct kiln_slot *slots;    // KILN_STREAM_SLOTS of them
  struct kiln_commands ended; // of streams that are gone; under lock
  atomic_bool any_lost;       // a stream was: the driver is still in use when the context ends
  _Atomic size_t bytes;       // of what waits or is being freed
  uint32_t freeing;           // objects that threads are freeing; under lock
  pthread_cond_t freed;       // freeing has become 0
};

bool kiln_retire_init(struct kiln_retire *retire);
// No stream is left: frees all that waits, but for what lost streams used.
void kiln_retire_fini(struct kiln_context *ctx);

// Gives a stream a slot; -1 when there are too many.
int kiln_slot_take(struct kiln_context *ctx, struct kiln_stream *stream);
// All its work has run and nobody can find the stream any more.
void kiln_slot_give(struct kiln_context *ctx, int slot);
// Nobody can find the stream any more, and what it used may be in use for ever: the slot is never given again.
void kiln_slot_lose(struct kiln_context *ctx, int slot);
// The first count commands of the slot have run.
void kiln_slot_completed(struct kiln_context *ctx, int slot, uint64_t count);

static inline void kiln_uses_mark(struct kiln_uses *uses, int slot) {
  _Atomic uint64_t *word = &uses->words[slot / 64];
  uint64_t bit = (uint64_t)1 << (slot % 64);
  if (atomic_load_explicit(word, memory_order_relaxed) & bit)
    return;
  atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
  atomic_fetch_or_explicit(&uses->used, (uint64_t)1 << (slot / 64), memory_order_relaxed);
}

// Lets the object go now or later. bytes: what it holds on to.
void kiln_retire(struct kiln_context *ctx, const struct kiln_uses *uses, size_t bytes,
                 const struct kiln_retire_kind *kind, void *object);
// Before size more bytes are allocated: waits for the streams that use what was released, and until it is freed, if
// that is a large part of all memory. is_needed: in any case. False: nothing was waited for.
bool kiln_retire_drain(struct kiln_context *ctx, size_t size, uint64_t all, bool is_needed);

#endif
