// Deferred release of what streams still use.
#include "jit/retire.h"

#include <sched.h>
#include <stdlib.h>

#include "jit/context.h"
#include "jit/stream.h"

// Past these, a release waits for the streams; not while events of the host hold some back.
#define MAX_COUNT 256
#define MAX_BYTES ((size_t)256 << 20)
#define FEW_NEEDS 16

struct need { // wait until completed reaches count
  uint16_t slot;
  uint64_t count;
};

struct kiln_retired {
  struct kiln_retired *next;
  kiln_retire_fn *free_fn;
  void *object;
  size_t bytes;
  uint32_t need_count;
  struct need needs[];
};

bool kiln_retire_init(struct kiln_retire *retire) {
  retire->slots = calloc(KILN_STREAM_SLOTS, sizeof *retire->slots);
  if (!retire->slots)
    return false;
  pthread_mutex_init(&retire->lock, NULL);
  retire->last = &retire->first;
  return true;
}

static bool is_free(const struct kiln_retire *retire, const struct kiln_retired *item) {
  for (uint32_t i = 0; i < item->need_count; i++) {
    if (atomic_load(&retire->slots[item->needs[i].slot].completed) < item->needs[i].count)
      return false;
  }
  return true;
}

void kiln_retire_fini(struct kiln_context *ctx) {
  struct kiln_retire *retire = &ctx->retire;
  if (!retire->slots)
    return;
  for (struct kiln_retired *item = retire->first, *next; item; item = next) {
    next = item->next;
    if (is_free(retire, item))
      item->free_fn(ctx, item->object);
    free(item);
  }
  if (atomic_load(&retire->any_lost))
    return;
  pthread_mutex_destroy(&retire->lock);
  free(retire->slots);
}

int kiln_slot_take(struct kiln_context *ctx, struct kiln_stream *stream) {
  struct kiln_retire *retire = &ctx->retire;
  int taken = -1;
  pthread_mutex_lock(&retire->lock);
  for (int i = 0; i < KILN_STREAM_SLOTS && taken < 0; i++) {
    if (!retire->slots[i].stream) {
      retire->slots[i].stream = stream;
      taken = i;
    }
  }
  pthread_mutex_unlock(&retire->lock);
  return taken;
}

// Under the lock: what a stream that is about to go has enqueued.
static void keep_counts(struct kiln_retire *retire, const struct kiln_stream *stream) {
  for (int k = 0; k < KILN_COMMAND_KINDS; k++) {
    retire->ended.count[k] += stream->commands.count[k];
    retire->ended.bytes[k] += stream->commands.bytes[k];
  }
}

void kiln_slot_give(struct kiln_context *ctx, int slot) {
  struct kiln_slot *s = &ctx->retire.slots[slot];
  atomic_store(&s->completed, atomic_load(&s->enqueued));
  pthread_mutex_lock(&ctx->retire.lock);
  keep_counts(&ctx->retire, s->stream);
  s->stream = NULL;
  pthread_mutex_unlock(&ctx->retire.lock);
  kiln_retire_sweep(ctx);
}

void kiln_slot_lose(struct kiln_context *ctx, int slot) {
  struct kiln_slot *s = &ctx->retire.slots[slot];
  pthread_mutex_lock(&ctx->retire.lock);
  keep_counts(&ctx->retire, s->stream);
  atomic_store(&s->lost, true); // its stream stays, for nobody to follow: the slot is taken
  pthread_mutex_unlock(&ctx->retire.lock);
  atomic_store(&ctx->retire.any_lost, true);
}

void kiln_slot_completed(struct kiln_context *ctx, int slot, uint64_t count) {
  _Atomic uint64_t *completed = &ctx->retire.slots[slot].completed;
  uint64_t old = atomic_load_explicit(completed, memory_order_relaxed);
  while (old < count && !atomic_compare_exchange_weak(completed, &old, count)) {
  }
  kiln_retire_sweep(ctx);
}

void kiln_retire_sweep(struct kiln_context *ctx) {
  struct kiln_retire *retire = &ctx->retire;
  if (atomic_load_explicit(&retire->count, memory_order_relaxed) == 0)
    return;
  struct kiln_retired *done = NULL;
  pthread_mutex_lock(&retire->lock);
  for (struct kiln_retired **at = &retire->first; *at;) {
    struct kiln_retired *item = *at;
    if (!is_free(retire, item)) {
      at = &item->next;
      continue;
    }
    *at = item->next;
    if (retire->last == &item->next)
      retire->last = at;
    retire->bytes -= item->bytes;
    atomic_fetch_sub_explicit(&retire->count, 1, memory_order_relaxed);
    item->next = done;
    done = item;
  }
  pthread_mutex_unlock(&retire->lock);
  for (struct kiln_retired *item = done, *next; item; item = next) {
    next = item->next;
    item->free_fn(ctx, item->object);
    free(item);
  }
}

// Waits for whatever the streams of these needs have in flight. False: a lost one is among them.
static bool wait_for(struct kiln_context *ctx, const struct need *needs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_slot *slot = &ctx->retire.slots[needs[i].slot];
    if (atomic_load(&slot->completed) >= needs[i].count)
      continue;
    pthread_mutex_lock(&ctx->retire.lock);
    bool there = slot->stream && !atomic_load(&slot->lost);
    struct kiln_stream *stream = there && kiln_stream_try_ref(slot->stream) ? slot->stream : NULL;
    pthread_mutex_unlock(&ctx->retire.lock);
    if (stream) {
      kiln_stream_drain(stream);
      kiln_stream_unref(stream);
    }
    // Another thread is at the last step of releasing the stream, which waits for its work.
    while (atomic_load(&slot->completed) < needs[i].count) {
      if (atomic_load(&slot->lost))
        return false;
      sched_yield();
    }
  }
  return true;
}

// Of the streams that used the object, those that have not run all they had: how many, and the first max of them.
static uint32_t find_needs(struct kiln_retire *retire, const struct kiln_uses *uses, struct need *needs, uint32_t max) {
  uint32_t count = 0;
  for (uint64_t used = atomic_load(&uses->used); used; used &= used - 1) {
    int w = __builtin_ctzll(used);
    for (uint64_t bits = atomic_load(&uses->words[w]); bits; bits &= bits - 1) {
      int slot = w * 64 + __builtin_ctzll(bits);
      uint64_t enqueued = atomic_load(&retire->slots[slot].enqueued);
      if (atomic_load(&retire->slots[slot].completed) >= enqueued)
        continue;
      if (count < max)
        needs[count] = (struct need){(uint16_t)slot, enqueued};
      count++;
    }
  }
  return count;
}

void kiln_retire(struct kiln_context *ctx, const struct kiln_uses *uses, size_t bytes, kiln_retire_fn *free_fn,
                 void *object) {
  struct kiln_retire *retire = &ctx->retire;
  struct need few[FEW_NEEDS];
  uint32_t count = find_needs(retire, uses, few, FEW_NEEDS), room = count;
  if (count == 0) {
    free_fn(ctx, object);
    return;
  }
  struct kiln_retired *item = NULL;
  // Other work of these streams may begin meanwhile, so that more of them count.
  for (bool fits = false; !fits; fits = count <= room) {
    free(item);
    room = count;
    item = malloc(sizeof *item + room * sizeof *item->needs);
    if (!item)
      break;
    count = find_needs(retire, uses, item->needs, room);
  }
  if (!item) { // wait here, for some at a time
    bool done = true;
    while (done && (count = find_needs(retire, uses, few, FEW_NEEDS)) > 0)
      done = wait_for(ctx, few, count < FEW_NEEDS ? count : FEW_NEEDS);
    if (done)
      free_fn(ctx, object);
    return;
  }
  item->next = NULL;
  item->free_fn = free_fn;
  item->object = object;
  item->bytes = bytes;
  item->need_count = count;
  pthread_mutex_lock(&retire->lock);
  bool too_much = (retire->count + 1 > MAX_COUNT || retire->bytes + bytes > MAX_BYTES) &&
                  atomic_load_explicit(&ctx->unsignalled, memory_order_relaxed) == 0;
  if (too_much) {
    pthread_mutex_unlock(&retire->lock);
    bool done = wait_for(ctx, item->needs, count);
    if (done) {
      free(item);
      free_fn(ctx, object);
      kiln_retire_sweep(ctx);
      return;
    }
    pthread_mutex_lock(&retire->lock);
  }
  *retire->last = item;
  retire->last = &item->next;
  retire->bytes += bytes;
  atomic_fetch_add_explicit(&retire->count, 1, memory_order_relaxed);
  pthread_mutex_unlock(&retire->lock);
  kiln_retire_sweep(ctx);
}
