// Thread pool. A run lives in one of a few slots that the pool owns for all its life, so that a thread may look at a
// slot without holding anything. Each run splits its items into one range per worker; a worker takes from the front of
// its own range and, when that is empty, the back half of somebody else's. The caller is worker 0 of its run, thread i
// of the pool is worker i of every run it joins. Threads without work spin for a moment and then sleep on a futex.
//
// A slot's state: FREE, then SETUP by the caller, then OPEN plus the number of threads inside, then, without OPEN,
// draining. Only OPEN slots can be joined. The caller closes its slot when it finds no more work, and returns when
// nobody is inside: from then on every item has run, since what a thread takes it runs before it leaves.
#include "base/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"

enum {
  SLOTS = 16,         // runs at the same time; more run on their callers alone
  MAX_THREADS = 1024, // of one pool
  SPIN_NS = 20000,    // how long a thread waits awake
};

enum slot_state {
  SLOT_FREE = 0,
  SLOT_SETUP = 1u << 31,
  SLOT_OPEN = 1u << 30,
  SLOT_WAITING = 1u << 29, // the caller sleeps until nobody is inside
  SLOT_INSIDE = SLOT_WAITING - 1,
};

// Pieces of work [first, end), packed into one word: first in the low half.
struct range {
  _Alignas(64) _Atomic uint64_t pieces;
};

struct slot {
  _Alignas(64) _Atomic uint32_t state;
  uint64_t count, grain; // piece i is the items [i * grain, (i + 1) * grain), cut off at count
  kiln_pool_fn *fn;
  void *user;
  struct range *ranges; // one per worker
};

struct thread {
  struct kiln_pool *pool;
  pthread_t handle;
  uint32_t worker;
};

struct kiln_pool {
  uint32_t size;
  uint32_t started; // threads that run, besides callers
  struct thread *threads;
  bool has_cpus; // threads run on
  cpu_set_t cpus;
  // The process whose threads these are; 0: not started yet; negative: that process is starting them.
  _Atomic int64_t owner;
  _Atomic bool stop;
  _Alignas(64) _Atomic uint32_t epoch; // changes with every new run; idle threads wait for that
  _Alignas(64) _Atomic uint32_t sleepers;
  struct slot slots[SLOTS];
};

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, uint32_t threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// ---- ranges ---------------------------------------------------------------------------------------------------------

static uint64_t pack(uint64_t first, uint64_t end) { return first | end << 32; }
static uint64_t range_first(uint64_t pieces) { return pieces & UINT32_MAX; }
static uint64_t range_end(uint64_t pieces) { return pieces >> 32; }
static bool range_empty(uint64_t pieces) { return range_first(pieces) >= range_end(pieces); }

// Takes the first eighth, at least one piece, so that what is left can still be shared.
static bool take_own(struct range *range, uint64_t *taken) {
  uint64_t pieces = atomic_load_explicit(&range->pieces, memory_order_relaxed);
  while (!range_empty(pieces)) {
    uint64_t first = range_first(pieces), end = range_end(pieces), middle = first + (end - first + 7) / 8;
    if (atomic_compare_exchange_weak_explicit(&range->pieces, &pieces, pack(middle, end), memory_order_relaxed,
                                              memory_order_relaxed)) {
      *taken = pack(first, middle);
      return true;
    }
  }
  return false;
}

// Moves the back half of somebody's range to worker's own, which is empty.
static bool steal(struct slot *slot, uint32_t size, uint32_t worker) {
  for (uint32_t i = 1; i < size; i++) {
    struct range *victim = &slot->ranges[(worker + i) % size];
    uint64_t pieces = atomic_load_explicit(&victim->pieces, memory_order_relaxed);
    while (!range_empty(pieces)) {
      uint64_t first = range_first(pieces), end = range_end(pieces), middle = first + (end - first) / 2;
      if (atomic_compare_exchange_weak_explicit(&victim->pieces, &pieces, pack(first, middle), memory_order_relaxed,
                                                memory_order_relaxed)) {
        atomic_store_explicit(&slot->ranges[worker].pieces, pack(middle, end), memory_order_relaxed);
        return true;
      }
    }
  }
  return false;
}

// Runs what there is to run. Returns whether there was anything.
static bool work(struct slot *slot, uint32_t size, uint32_t worker) {
  bool any = false;
  do {
    for (uint64_t taken; take_own(&slot->ranges[worker], &taken); any = true) {
      uint64_t first = range_first(taken) * slot->grain;
      uint64_t left = slot->count - first, length = (range_end(taken) - range_first(taken)) * slot->grain;
      slot->fn(slot->user, worker, first, length < left ? first + length : slot->count);
    }
  } while (steal(slot, size, worker));
  return any;
}

static bool has_work(struct slot *slot, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (!range_empty(atomic_load_explicit(&slot->ranges[i].pieces, memory_order_relaxed)))
      return true;
  return false;
}

// ---- threads --------------------------------------------------------------------------------------------------------

static void wake(struct kiln_pool *pool, uint32_t threads) {
  if (atomic_load(&pool->sleepers) != 0)
    futex_wake(&pool->epoch, threads);
}

static void leave(struct slot *slot) {
  uint32_t state = atomic_fetch_sub_explicit(&slot->state, 1, memory_order_release);
  if ((state & SLOT_INSIDE) == 1 && state & SLOT_WAITING)
    futex_wake(&slot->state, 1);
}

// Joins every open run once. Returns whether any had work.
static bool join_runs(struct kiln_pool *pool, uint32_t worker) {
  bool any = false;
  for (uint32_t i = 0; i < SLOTS; i++) {
    struct slot *slot = &pool->slots[i];
    uint32_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    while (state & SLOT_OPEN) {
      if (atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acquire,
                                                memory_order_relaxed)) {
        if (has_work(slot, pool->size)) {
          wake(pool, 2); // each that wakes up wakes two more: the caller need not wake all
          any |= work(slot, pool->size, worker);
        }
        leave(slot);
        break;
      }
    }
  }
  return any;
}

// Returns when epoch is no longer the given one.
static void await_epoch(struct kiln_pool *pool, uint32_t epoch) {
  uint64_t deadline = kiln_now_ns() + SPIN_NS;
  do {
    for (int i = 0; i < 32; i++) {
      if (atomic_load_explicit(&pool->epoch, memory_order_relaxed) != epoch)
        return;
      relax();
    }
  } while (kiln_now_ns() < deadline);
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->epoch) == epoch)
    futex_wait(&pool->epoch, epoch);
  atomic_fetch_sub(&pool->sleepers, 1);
}

static void *thread_main(void *argument) {
  struct thread *thread = argument;
  struct kiln_pool *pool = thread->pool;
  for (;;) {
    uint32_t epoch = atomic_load(&pool->epoch);
    if (atomic_load(&pool->stop))
      return NULL;
    while (join_runs(pool, thread->worker)) {
    }
    await_epoch(pool, epoch);
  }
}

static void start_threads(struct kiln_pool *pool) {
  pool->started = 0;
  for (uint32_t i = 1; i < pool->size; i++) {
    struct thread *thread = &pool->threads[i];
    *thread = (struct thread){.pool = pool, .worker = i};
    if (!kiln_thread_start(&thread->handle, thread_main, thread))
      break; // fewer threads then: the others take their ranges
    pool->started++;
    char name[16];
    snprintf(name, sizeof name, "kiln-%u", i % 100000);
    pthread_setname_np(thread->handle, name);
    if (pool->has_cpus)
      pthread_setaffinity_np(thread->handle, sizeof pool->cpus, &pool->cpus); // else it runs where it may
  }
}

// Whether the pool has threads in this process. After a fork the child has none: the first caller starts them anew,
// on slots that the parent may have had in use, while other callers do without.
static bool ensure_started(struct kiln_pool *pool) {
  int64_t self = getpid(), owner = atomic_load_explicit(&pool->owner, memory_order_acquire);
  if (owner == self)
    return true;
  if (owner == -self || !atomic_compare_exchange_strong(&pool->owner, &owner, -self))
    return false;
  for (uint32_t i = 0; i < SLOTS; i++)
    atomic_store_explicit(&pool->slots[i].state, SLOT_FREE, memory_order_relaxed);
  atomic_store(&pool->sleepers, 0);
  start_threads(pool);
  atomic_store_explicit(&pool->owner, self, memory_order_release);
  return true;
}

bool kiln_cpus_parse(const char *text, cpu_set_t *out) {
  CPU_ZERO(out);
  for (const char *at = text;; at++) {
    unsigned first, last;
    int size;
    if (sscanf(at, "%5u%n", &first, &size) != 1)
      return false;
    at += size;
    last = first;
    if (*at == '-') {
      if (sscanf(at + 1, "%5u%n", &last, &size) != 1 || last < first)
        return false;
      at += 1 + size;
    }
    for (unsigned i = first; i <= last && i < CPU_SETSIZE; i++)
      CPU_SET(i, out);
    if (!*at)
      break;
    if (*at != ',')
      return false;
  }
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) == 0)
    CPU_AND(out, out, &mine);
  return CPU_COUNT(out) > 0;
}

struct kiln_pool *kiln_pool_new(uint32_t threads, const cpu_set_t *cpus) {
  if (threads == 0 && cpus)
    threads = (uint32_t)CPU_COUNT(cpus);
  if (threads == 0) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      threads = (uint32_t)CPU_COUNT(&set);
    } else { // more processors than a cpu_set_t can hold
      long online = sysconf(_SC_NPROCESSORS_ONLN);
      threads = online > 0 ? (uint32_t)online : 1;
    }
  }
  threads = threads > MAX_THREADS ? MAX_THREADS : threads;
  struct kiln_pool *pool = NULL;
  if (posix_memalign((void **)&pool, 64, sizeof *pool) != 0)
    return NULL;
  *pool = (struct kiln_pool){.size = threads, .has_cpus = cpus != NULL};
  if (cpus)
    pool->cpus = *cpus;
  struct range *ranges = NULL;
  pool->threads = calloc(threads, sizeof *pool->threads);
  if (!pool->threads || posix_memalign((void **)&ranges, 64, sizeof *ranges * threads * SLOTS) != 0) {
    free(pool->threads);
    free(pool);
    return NULL;
  }
  for (uint32_t i = 0; i < threads * SLOTS; i++)
    atomic_init(&ranges[i].pieces, 0);
  for (uint32_t i = 0; i < SLOTS; i++)
    pool->slots[i].ranges = ranges + (size_t)i * threads;
  return pool;
}

void kiln_pool_free(struct kiln_pool *pool) {
  if (!pool)
    return;
  if (atomic_load(&pool->owner) == getpid()) {
    atomic_store(&pool->stop, true);
    atomic_fetch_add(&pool->epoch, 1);
    futex_wake(&pool->epoch, MAX_THREADS);
    for (uint32_t i = 1; i <= pool->started; i++)
      pthread_join(pool->threads[i].handle, NULL);
  }
  free(pool->slots[0].ranges);
  free(pool->threads);
  free(pool);
}

uint32_t kiln_pool_size(const struct kiln_pool *pool) { return pool->size; }

void kiln_pool_each(struct kiln_pool *pool, void (*fn)(pthread_t thread)) {
  bool started = atomic_load_explicit(&pool->owner, memory_order_acquire) == getpid();
  for (uint32_t i = 1; started && i <= pool->started; i++)
    fn(pool->threads[i].handle);
}

bool kiln_pool_is_awake(const struct kiln_pool *pool) {
  return atomic_load_explicit(&pool->owner, memory_order_relaxed) > 0 &&
         atomic_load_explicit(&pool->sleepers, memory_order_relaxed) == 0;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static struct slot *claim_slot(struct kiln_pool *pool) {
  for (uint32_t i = 0; i < SLOTS; i++) {
    uint32_t state = SLOT_FREE;
    if (atomic_load_explicit(&pool->slots[i].state, memory_order_relaxed) == SLOT_FREE &&
        atomic_compare_exchange_strong_explicit(&pool->slots[i].state, &state, SLOT_SETUP, memory_order_acquire,
                                                memory_order_relaxed))
      return &pool->slots[i];
  }
  return NULL;
}

// Closes the run and waits until no thread is inside, helping as long as there is something to help with.
static void finish(struct kiln_pool *pool, struct slot *slot) {
  // From open to set-up, never to free: the slot is ours until the caller frees it, also once nobody is inside.
  uint32_t swap = (uint32_t)SLOT_OPEN | SLOT_SETUP;
  uint32_t state = atomic_fetch_xor_explicit(&slot->state, swap, memory_order_acquire) ^ swap;
  uint64_t deadline = state & SLOT_INSIDE ? kiln_now_ns() + SPIN_NS : 0;
  for (unsigned turn = 1; state & SLOT_INSIDE; turn++) {
    if (turn % 64 == 0) {
      if (work(slot, pool->size, 0)) {
        deadline = kiln_now_ns() + SPIN_NS;
      } else if (kiln_now_ns() >= deadline) {
        state = atomic_fetch_or_explicit(&slot->state, SLOT_WAITING, memory_order_acquire) | SLOT_WAITING;
        if (state & SLOT_INSIDE)
          futex_wait(&slot->state, state);
      }
    }
    relax();
    state = atomic_load_explicit(&slot->state, memory_order_acquire);
  }
}

void kiln_pool_run(struct kiln_pool *pool, uint64_t count, uint64_t grain, kiln_pool_fn *fn, void *user) {
  grain = grain ? grain : 1;
  if (count == 0)
    return;
  struct slot *slot = NULL;
  if (count > grain && pool->size > 1 && ensure_started(pool))
    slot = claim_slot(pool);
  if (!slot) {
    fn(user, 0, 0, count);
    return;
  }
  if ((count - 1) / grain >= UINT32_MAX)
    grain = (count - 1) / UINT32_MAX + 1;
  uint64_t pieces = (count - 1) / grain + 1;
  slot->count = count;
  slot->grain = grain;
  slot->fn = fn;
  slot->user = user;
  for (uint64_t i = 0; i < pool->size; i++) {
    uint64_t first = pieces / pool->size * i + pieces % pool->size * i / pool->size;
    uint64_t end = pieces / pool->size * (i + 1) + pieces % pool->size * (i + 1) / pool->size;
    atomic_store_explicit(&slot->ranges[i].pieces, pack(first, end), memory_order_relaxed);
  }
  atomic_store_explicit(&slot->state, SLOT_OPEN, memory_order_release);
  atomic_fetch_add(&pool->epoch, 1);
  wake(pool, pieces > 2 ? 2 : 1);
  work(slot, pool->size, 0);
  finish(pool, slot);
  atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_release);
}
