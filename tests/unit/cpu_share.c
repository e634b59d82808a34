// How launches are shared between threads: by how long groups take, not by how many work-items there are.
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "base/file.h"

enum { GROUPS = 64, ITEMS = 16 };

struct tally {
  _Atomic uint32_t runs[GROUPS];
  _Atomic uint32_t by_others; // groups that another worker than the caller has run
  _Atomic uint32_t pieces;    // calls for them all
  uint64_t ns;                // that a group takes
  uint64_t slow_from;         // groups from here on take a hundred times as long
};

// For 0 the clock is not read: where that is slow, 64 groups which read it are no short launch.
static void spin(uint64_t ns) {
  uint64_t end = ns ? kiln_now_ns() + ns : 0;
  while (ns && kiln_now_ns() < end) {
  }
}

static void run(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  struct tally *tally = user;
  tally->pieces++;
  for (uint64_t i = first; i < end; i++) {
    tally->runs[i]++;
    tally->by_others += worker != 0;
    spin(i >= tally->slow_from ? 100 * tally->ns : tally->ns);
  }
}

static void launch(struct kiln_pool *pool, uint32_t *pace, uint64_t ns, uint64_t slow_from, struct tally *tally) {
  memset(tally, 0, sizeof *tally);
  tally->ns = ns;
  tally->slow_from = slow_from;
  struct kiln_cpu_streak streak = {0};
  kiln_cpu_share(pool, &streak, GROUPS, ITEMS, pace, run, tally);
  for (uint32_t i = 0; i < GROUPS; i++)
    cr_assert_eq(tally->runs[i], 1, "group %u has run %u times", i, tally->runs[i]);
}

// Some of a number of launches: on a busy machine another thread may come too late for one.
static uint32_t share_some(uint32_t *pace, uint64_t ns, uint64_t slow_from) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  uint32_t others = 0;
  cr_assert(pool);
  for (int i = 0; i < 20; i++) {
    struct tally tally;
    launch(pool, pace, ns, slow_from, &tally);
    others += tally.by_others;
  }
  kiln_pool_free(pool);
  return others;
}

Test(cpu_share, few_heavy_items_are_shared) {
  uint32_t pace = 0;
  cr_assert_gt(share_some(&pace, 50000, GROUPS), 0);
  cr_assert_gt(pace, 1000000, "%u ns for 1024 work-items", pace);
}

// In two or three pieces; other threads would be offered at least five. Not in every launch: the system may suspend the
// caller in one, which looks long then.
Test(cpu_share, a_short_launch_runs_on_its_caller) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  int alone = 0;
  cr_assert(pool);
  for (int i = 0; i < 100; i++) {
    uint32_t pace = 10000; // known, from an earlier launch
    struct tally tally;
    launch(pool, &pace, 0, GROUPS, &tally);
    alone += tally.pieces <= 3 && tally.by_others == 0;
  }
  kiln_pool_free(pool);
  cr_assert_gt(alone, 50, "%d of 100", alone);
}

Test(cpu_share, a_launch_that_takes_longer_than_the_last_is_shared) {
  uint32_t pace = 1;
  cr_assert_gt(share_some(&pace, 20000, GROUPS), 0);
}

Test(cpu_share, groups_that_become_heavy_are_shared) {
  uint32_t pace = 0;
  cr_assert_gt(share_some(&pace, 500, GROUPS / 2), 0);
}

// Launches of some 8 us each. At first each is too short to wake a thread for.
Test(cpu_share, short_launches_that_follow_each_other_are_shared) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  struct kiln_cpu_streak streak = {0};
  uint32_t pace = 0, others = 0;
  cr_assert(pool);
  for (int i = 0; i < 20000 && !others; i++) {
    struct tally tally = {.ns = 120, .slow_from = GROUPS};
    kiln_cpu_share(pool, &streak, GROUPS, ITEMS, &pace, run, &tally);
    others += tally.by_others;
  }
  kiln_pool_free(pool);
  cr_assert_gt(others, 0);
}
