// Thread pool: every item once, whatever runs at the same time.
#include "base/pool.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct tally {
  atomic_uchar *seen;    // per item
  atomic_int inside[64]; // per worker
  uint32_t size;
  uint64_t grain, count;
  atomic_bool overlap, bad_worker, bad_piece;
  struct kiln_pool *nested;
};

static void visit(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  struct tally *tally = user;
  if (worker >= tally->size) {
    atomic_store(&tally->bad_worker, true);
    return;
  }
  if (atomic_fetch_add(&tally->inside[worker], 1) != 0) {
    atomic_store(&tally->overlap, true);
  }
  if (end <= first || (end != tally->count && end - first < tally->grain)) {
    atomic_store(&tally->bad_piece, true);
  }
  for (uint64_t i = first; i < end; i++) {
    atomic_fetch_add(&tally->seen[i], 1);
  }
  atomic_fetch_sub(&tally->inside[worker], 1);
}

static void check(struct kiln_pool *pool, uint64_t count, uint64_t grain, const char *what) {
  struct tally *tally = calloc(1, sizeof *tally);
  tally->seen = calloc(count + 1, sizeof *tally->seen);
  tally->size = kiln_pool_size(pool);
  tally->grain = grain;
  tally->count = count;
  kiln_pool_run(pool, count, grain, visit, tally);
  for (uint64_t i = 0; i < count; i++) {
    cr_assert(tally->seen[i] == 1, "%s: item %lu of %lu ran %d times", what, (unsigned long)i, (unsigned long)count,
              tally->seen[i]);
  }
  cr_assert(tally->seen[count] == 0, "%s: past the end", what);
  cr_assert(!tally->overlap && !tally->bad_worker && !tally->bad_piece, "%s: overlap %d, worker %d, piece %d", what,
            tally->overlap, tally->bad_worker, tally->bad_piece);
  free(tally->seen);
  free(tally);
}

Test(pool, every_item_once) {
  unsigned cases = 0;
  for (uint32_t threads = 1; threads <= 9; threads += 2) {
    struct kiln_pool *pool = kiln_pool_new(threads, NULL);
    cr_assert(kiln_pool_size(pool) == threads);
    uint64_t counts[] = {0, 1, 2, 3, 7, 64, 1000, 65537};
    for (int i = 0; i < 8; i++) {
      for (uint64_t grain = 0; grain <= 64; grain = grain * 4 + 1) {
        check(pool, counts[i], grain, "plain");
        cases++;
      }
    }
    kiln_pool_free(pool);
  }
  cr_assert(cases == 160, "%u cases", cases);
}

Test(pool, many_short_runs) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  for (int i = 0; i < 3000; i++) {
    check(pool, 40, 1, "short");
    if (i % 1000 == 0) {
      usleep(2000); // let the threads fall asleep
    }
  }
  kiln_pool_free(pool);
}

static void uneven(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  (void)worker;
  for (; first < end; first++) {
    if (first < 10) {
      usleep(2000);
    }
    atomic_fetch_add((atomic_uint *)user, 1);
  }
}

Test(pool, uneven_work_is_shared) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  atomic_uint done = 0;
  kiln_pool_run(pool, 1000, 1, uneven, &done);
  cr_assert(done == 1000, "%u", done);
  kiln_pool_free(pool);
}

static void *caller(void *user) {
  for (int i = 0; i < 100; i++) {
    check(user, 500, 3, "concurrent");
  }
  return NULL;
}

Test(pool, concurrent_callers) {
  struct kiln_pool *pool = kiln_pool_new(3, NULL);
  pthread_t threads[20]; // more than there are slots
  for (int i = 0; i < 20; i++) {
    cr_assert(pthread_create(&threads[i], NULL, caller, pool) == 0);
  }
  for (int i = 0; i < 20; i++) {
    pthread_join(threads[i], NULL);
  }
  kiln_pool_free(pool);
}

static void nest(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  (void)worker;
  for (; first < end; first++) {
    check(user, 100, 1, "nested");
  }
}

Test(pool, nested_runs) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  kiln_pool_run(pool, 50, 1, nest, pool);
  kiln_pool_free(pool);
}

Test(pool, child_after_fork) {
#ifdef CR_NO_THREADS_AFTER_FORK
  cr_skip_test("needs threads after a fork");
#endif
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  check(pool, 1000, 1, "parent");
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      atomic_uint done = 0;
      kiln_pool_run(pool, 1000, 1, uneven, &done);
      if (i % 2) { // with or without threads of its own
        kiln_pool_free(pool);
      }
      _exit(done == 1000 ? 0 : 1);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child && status == 0, "child %d: status %d", i, status);
    check(pool, 1000, 1, "parent again");
  }
  pid_t child = fork();
  if (child == 0) {
    kiln_pool_free(pool); // never used here
    _exit(0);
  }
  int status;
  cr_assert(waitpid(child, &status, 0) == child && status == 0);
  kiln_pool_free(pool);
}

static void huge(void *user, uint32_t worker, uint64_t first, uint64_t end) {
  (void)worker;
  atomic_fetch_add((_Atomic uint64_t *)user, end - first);
}

Test(pool, huge_counts) {
  struct kiln_pool *pool = kiln_pool_new(4, NULL);
  uint64_t counts[] = {(1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1, (1ull << 40) + 12345, 1ull << 62};
  for (int i = 0; i < 5; i++) {
    _Atomic uint64_t sum = 0;
    kiln_pool_run(pool, counts[i], 1u << 20, huge, &sum);
    cr_assert(sum == counts[i], "%lx: %lx", (unsigned long)counts[i], (unsigned long)sum);
  }
  kiln_pool_free(pool);
  cr_assert(kiln_pool_size(pool = kiln_pool_new(0, NULL)) >= 1);
  kiln_pool_free(pool);
  pool = kiln_pool_new(UINT32_MAX, NULL);
  cr_assert(kiln_pool_size(pool) == 1024);
  kiln_pool_free(pool);
  kiln_pool_free(NULL);
}
