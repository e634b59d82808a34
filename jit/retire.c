// Deferred release of what streams still use.
#include "jit/retire.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "jit/context.h"
#include "jit/stream.h"

// Of what waits for one stream: past these, a thread waits for the stream, so that what it has used up is freed while
// it goes on.
#define MANY_COUNT 256
#define MANY_BYTES ((size_t)64 << 20)
// The part of all memory that what was released may hold before an allocation waits.
#define MEMORY_PART 4
#define FEW_NEEDS 16
// For which an allocation waits for other threads that free. In a forked child these are not there.
#define FREEING_SECONDS 2

struct need { // wait until completed reaches count
  uint16_t slot;
  uint64_t count;
};

struct kiln_retired {
  struct kiln_retired *next; // in the list of the slot of needs[at]
  const struct kiln_retire_kind *kind;
  void *object;
  size_t bytes;
  uint32_t at, need_count;
  struct need needs[];
};

bool kiln_retire_init(struct kiln_retire *retire) {
  retire->slots = calloc(KILN_STREAM_SLOTS, sizeof *retire->slots);
  if (!retire->slots)
    return false;
  pthread_mutex_init(&retire->lock, NULL);
  pthread_cond_init(&retire->freed, NULL);
  return true;
}

void kiln_retire_fini(struct kiln_context *ctx) {
  struct kiln_retire *retire = &ctx->retire;
  if (!retire->slots)
    return;
  for (int i = 0; i < KILN_STREAM_SLOTS; i++) { // what lost streams use stays
    for (struct kiln_retired *item = retire->slots[i].first, *next; item; item = next) {
      next = item->next;
      free(item);
    }
  }
  if (atomic_load(&retire->any_lost))
    return;
  pthread_cond_destroy(&retire->freed);
  pthread_mutex_destroy(&retire->lock);
  free(retire->slots);
}

// ---- streams -------------------------------------------------------------------------------------------------------

// With a reference, unless it is lost or at the last step of its release.
static struct kiln_stream *stream_of(struct kiln_retire *retire, struct kiln_slot *slot) {
  pthread_mutex_lock(&retire->lock);
  bool there = slot->stream && !atomic_load(&slot->lost);
  struct kiln_stream *stream = there && kiln_stream_try_ref(slot->stream) ? slot->stream : NULL;
  pthread_mutex_unlock(&retire->lock);
  return stream;
}

static void nothing(void *user, enum kiln_event_state state, enum kiln_status status) {
  (void)user, (void)state, (void)status;
}

// Has a thread wait for what the slot has enqueued, which frees what becomes free. Without one, the next wait does.
static void watch(struct kiln_context *ctx, struct kiln_slot *slot) {
  pthread_mutex_lock(&ctx->retire.lock);
  slot->new_count = 0;
  slot->new_bytes = 0;
  pthread_mutex_unlock(&ctx->retire.lock);
  struct kiln_stream *stream = stream_of(&ctx->retire, slot);
  if (!stream)
    return;
  struct kiln_event *mark = NULL;
  if (kiln_stream_record(stream, &mark) == KILN_OK)
    kiln_event_notify(mark, KILN_EVENT_DONE, nothing, NULL);
  kiln_event_release(mark);
  kiln_stream_unref(stream);
}

// ---- what waits ----------------------------------------------------------------------------------------------------

// Under the lock: puts the item into the list of the first slot that it needs more of. False: it needs nothing.
// *crowded receives the slot if much has come to it.
static bool await_next(struct kiln_retire *retire, struct kiln_retired *item, struct kiln_slot **crowded) {
  for (; item->at < item->need_count; item->at++) {
    const struct need *need = &item->needs[item->at];
    struct kiln_slot *slot = &retire->slots[need->slot];
    atomic_fetch_add(&slot->waiting, 1); // before the counter is read: kiln_slot_completed does it the other way round
    if (atomic_load(&slot->completed) >= need->count) {
      atomic_fetch_sub(&slot->waiting, 1);
      continue;
    }
    // In the order of counts, which is that of coming but for items that waited for another slot before.
    struct kiln_retired **at = &slot->first;
    if (*at && slot->last->needs[slot->last->at].count <= need->count)
      at = &slot->last->next;
    while (*at && (*at)->needs[(*at)->at].count <= need->count)
      at = &(*at)->next;
    item->next = *at;
    *at = item;
    slot->last = item->next ? slot->last : item;
    slot->new_count++;
    slot->new_bytes += item->bytes;
    if (slot->new_count > MANY_COUNT || slot->new_bytes > MANY_BYTES)
      *crowded = slot;
    return true;
  }
  return false;
}

// One that retire->freeing counts. It no longer does when the host is called, which may wait for it.
static void free_item(struct kiln_context *ctx, struct kiln_retired *item) {
  struct kiln_retire *retire = &ctx->retire;
  item->kind->free(ctx, item->object);
  pthread_mutex_lock(&retire->lock);
  atomic_fetch_sub(&retire->bytes, item->bytes);
  if (--retire->freeing == 0)
    pthread_cond_broadcast(&retire->freed);
  pthread_mutex_unlock(&retire->lock);
  item->kind->end(item->object);
  free(item);
}

// Frees what needs no more than the slot has run.
static void sweep(struct kiln_context *ctx, struct kiln_slot *slot) {
  if (atomic_load(&slot->waiting) == 0)
    return;
  struct kiln_retire *retire = &ctx->retire;
  struct kiln_slot *crowded = NULL;
  pthread_mutex_lock(&retire->lock);
  uint64_t completed = atomic_load(&slot->completed);
  for (struct kiln_retired *item; (item = slot->first) && item->needs[item->at].count <= completed;) {
    slot->first = item->next;
    atomic_fetch_sub(&slot->waiting, 1);
    if (await_next(retire, item, &crowded))
      continue;
    retire->freeing++;
    pthread_mutex_unlock(&retire->lock);
    free_item(ctx, item);
    pthread_mutex_lock(&retire->lock);
  }
  pthread_mutex_unlock(&retire->lock);
  if (crowded)
    watch(ctx, crowded);
}

// ---- slots ---------------------------------------------------------------------------------------------------------

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
  sweep(ctx, s);
  pthread_mutex_lock(&ctx->retire.lock);
  keep_counts(&ctx->retire, s->stream);
  s->stream = NULL;
  pthread_mutex_unlock(&ctx->retire.lock);
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
  struct kiln_slot *s = &ctx->retire.slots[slot];
  uint64_t old = atomic_load_explicit(&s->completed, memory_order_relaxed);
  while (old < count && !atomic_compare_exchange_weak(&s->completed, &old, count)) {
  }
  sweep(ctx, s);
}

// ---- waiting -------------------------------------------------------------------------------------------------------

// Waits for all that the slot's stream has enqueued. False: there is none that can be waited for.
static bool drain(struct kiln_context *ctx, struct kiln_slot *slot) {
  struct kiln_stream *stream = stream_of(&ctx->retire, slot);
  if (!stream)
    return false;
  kiln_stream_drain(stream);
  kiln_stream_unref(stream);
  return true;
}

// The streams have run what they had; what they used is freed by the threads that saw it first.
static void await_freed(struct kiln_retire *retire) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += FREEING_SECONDS;
  pthread_mutex_lock(&retire->lock);
  while (retire->freeing && pthread_cond_timedwait(&retire->freed, &retire->lock, &until) == 0) {
  }
  pthread_mutex_unlock(&retire->lock);
}

bool kiln_retire_drain(struct kiln_context *ctx, size_t size, uint64_t all, bool is_needed) {
  struct kiln_retire *retire = &ctx->retire;
  size_t bytes = atomic_load_explicit(&retire->bytes, memory_order_relaxed);
  // A stream may wait for an event of the host, which this very thread may be about to signal.
  if (!bytes || atomic_load_explicit(&ctx->unsignalled, memory_order_relaxed) ||
      !(is_needed || (all && bytes + size > all / MEMORY_PART)))
    return false;
  bool any = false;
  for (int i = 0; i < KILN_STREAM_SLOTS; i++) {
    if (atomic_load(&retire->slots[i].waiting))
      any |= drain(ctx, &retire->slots[i]);
  }
  await_freed(retire);
  return any;
}

// ---- release -------------------------------------------------------------------------------------------------------

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

static void free_now(struct kiln_context *ctx, const struct kiln_retire_kind *kind, void *object) {
  kind->free(ctx, object);
  kind->end(object);
}

// Without memory to remember the object: waits for its streams, some at a time, unless a lost one is among them.
static void free_after_wait(struct kiln_context *ctx, const struct kiln_uses *uses, const struct kiln_retire_kind *kind,
                            void *object) {
  struct kiln_retire *retire = &ctx->retire;
  struct need few[FEW_NEEDS];
  uint32_t count;
  while ((count = find_needs(retire, uses, few, FEW_NEEDS)) > 0) {
    for (uint32_t i = 0; i < count && i < FEW_NEEDS; i++) {
      struct kiln_slot *slot = &retire->slots[few[i].slot];
      if (atomic_load(&slot->lost))
        return;
      if (!drain(ctx, slot)) // another thread is at the last step of releasing the stream, which waits for its work
        sched_yield();
    }
  }
  free_now(ctx, kind, object);
}

void kiln_retire(struct kiln_context *ctx, const struct kiln_uses *uses, size_t bytes,
                 const struct kiln_retire_kind *kind, void *object) {
  struct kiln_retire *retire = &ctx->retire;
  uint32_t count = find_needs(retire, uses, NULL, 0), room = count;
  if (count == 0) {
    free_now(ctx, kind, object);
    return;
  }
  struct kiln_retired *item = NULL;
  // Other work of these streams may begin meanwhile, so that more of them count.
  for (bool fits = false; !fits; fits = count <= room) {
    free(item);
    room = count;
    item = malloc(sizeof *item + room * sizeof *item->needs);
    if (!item) {
      free_after_wait(ctx, uses, kind, object);
      return;
    }
    count = find_needs(retire, uses, item->needs, room);
  }
  item->kind = kind;
  item->object = object;
  item->bytes = bytes;
  item->at = 0;
  item->need_count = count;
  struct kiln_slot *crowded = NULL;
  atomic_fetch_add(&retire->bytes, bytes);
  pthread_mutex_lock(&retire->lock);
  bool waits = await_next(retire, item, &crowded);
  retire->freeing += !waits;
  pthread_mutex_unlock(&retire->lock);
  if (!waits)
    free_item(ctx, item);
  if (crowded)
    watch(ctx, crowded);
}
