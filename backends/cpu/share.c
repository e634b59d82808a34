// How a launch is shared between threads. Waking another thread, and moving what it works on to its cache, takes
// microseconds: so short launches run on their caller, and pieces of others are not too small. Short launches that
// follow each other without a pause are worth a wake-up together: after the first fifty microseconds of them the others
// are shared, down to a third of the size. How long work-items take is known from earlier launches of the kernel; where
// it is not, or where they take longer this time, the caller finds out with the first groups.
#include "backends/cpu/cpu.h"
#include "base/file.h"

#define SHARED_NS 12000      // of work for which a second thread is woken
#define SHARED_AWAKE_NS 4000 // of work that is shared with threads which are awake
#define PAUSE_NS 5000        // between launches that do not follow each other
#define STREAK_NS 50000      // of work in short launches for which a second thread is woken
#define PROBE_NS 8000        // of work after which the caller looks at the clock
#define PROBE_PART 16        // the part of a launch that shows whether it is like the last one
#define PIECE_NS 2000        // of work that a thread takes at a time, at least
#define PACE_ITEMS 1024      // a pace is nanoseconds for so many work-items; 0: unknown

struct share {
  kiln_pool_fn *fn;
  void *user;
  uint64_t first;    // group that the pool's item 0 is
  uint64_t ns, done; // by worker 0: of its first piece
};

static uint64_t times(uint64_t x, uint64_t y) {
  uint64_t result;
  return __builtin_mul_overflow(x, y, &result) ? UINT64_MAX : result;
}

static void run_shared(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  struct share *share = user;
  bool measures = worker == 0 && !share->done;
  uint64_t start = measures ? kiln_now_ns() : 0;
  share->fn(share->user, worker, share->first + first, share->first + end);
  if (!measures)
    return;
  share->ns = kiln_now_ns() - start;
  share->done = end - first;
}

static void note(uint32_t *pace, uint64_t ns, uint64_t items) {
  uint64_t now = items ? times(ns, PACE_ITEMS) / items + 1 : 0;
  if (now)
    __atomic_store_n(pace, now < UINT32_MAX ? (uint32_t)now : UINT32_MAX, __ATOMIC_RELAXED);
}

// The work of the streak that a launch would continue which begins now.
static uint64_t streak_before(const struct kiln_cpu_streak *streak, uint64_t now) {
  uint64_t end = __atomic_load_n(&streak->end, __ATOMIC_RELAXED);
  return now < end + PAUSE_NS ? __atomic_load_n(&streak->ns, __ATOMIC_RELAXED) : 0;
}

static void continue_streak(struct kiln_cpu_streak *streak, uint64_t ns, uint64_t now) {
  __atomic_store_n(&streak->ns, ns, __ATOMIC_RELAXED);
  __atomic_store_n(&streak->end, now, __ATOMIC_RELAXED);
}

void kiln_cpu_share(struct kiln_pool *pool, struct kiln_cpu_streak *streak, uint64_t count, uint64_t items,
                    uint32_t *pace, kiln_pool_fn *fn, void *user) {
  struct share share = {.fn = fn, .user = user};
  uint64_t group_ns = times(__atomic_load_n(pace, __ATOMIC_RELAXED), items) / PACE_ITEMS, start = 0, before = 0;
  uint64_t least = kiln_pool_is_awake(pool) ? SHARED_AWAKE_NS : SHARED_NS;
  while (share.first < count && (!group_ns || times(group_ns, count - share.first) < least)) {
    if (!start) {
      start = kiln_now_ns();
      before = streak_before(streak, start);
      least = before < STREAK_NS ? least : SHARED_AWAKE_NS;
      continue;
    }
    uint64_t left = count - share.first, chunk = share.first ? PROBE_NS / group_ns + 1 : left / PROBE_PART + 1;
    chunk = chunk < left ? chunk : left;
    fn(user, 0, share.first, share.first + chunk);
    share.first += chunk;
    uint64_t now = kiln_now_ns();
    group_ns = (now - start) / chunk + 1;
    note(pace, now - start, times(chunk, items));
    before += now - start;
    continue_streak(streak, before, now);
    start = now;
  }
  if (share.first == count)
    return;
  kiln_pool_run(pool, count - share.first, PIECE_NS / group_ns + 1, run_shared, &share);
  note(pace, share.ns, times(share.done, items));
}
