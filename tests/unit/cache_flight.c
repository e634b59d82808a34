// Single flight between threads and between processes, and what a hit costs.
#include "cache_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { THREADS = 8, KERNELS = 40 };

struct shared {
  atomic_int compiles[KERNELS];
  atomic_int ready;
};

struct thread_job {
  struct kiln_cache *cache;
  struct shared *shared;
  int order;
};

static void ask_all(struct kiln_cache *cache, struct shared *shared, int order) {
  for (int i = 0; i < KERNELS; i++) {
    char source[32];
    int k = order % 2 ? KERNELS - 1 - i : i;
    snprintf(source, sizeof source, "kernel %d", k);
    test_ask(cache, (struct test_ask){source, .compile_us = 300, .compiles = &shared->compiles[k]});
  }
}

static void *thread_main(void *user) {
  struct thread_job *job = user;
  ask_all(job->cache, job->shared, job->order);
  return NULL;
}

static void run_threads(struct kiln_cache *const *caches, struct shared *shared) {
  pthread_t threads[THREADS];
  struct thread_job jobs[THREADS];
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (struct thread_job){caches[i], shared, i};
    cr_assert(pthread_create(&threads[i], NULL, thread_main, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
}

static void expect_once(const struct shared *shared, const char *what) {
  for (int i = 0; i < KERNELS; i++) {
    cr_assert(shared->compiles[i] == 1, "%s: kernel %d was compiled %d times", what, i, shared->compiles[i]);
  }
}

Test(flight, threads_of_one_cache, .init = test_setup, .fini = test_teardown) {
  struct shared shared = {0};
  struct kiln_cache *cache = test_open(), *caches[THREADS];
  for (int i = 0; i < THREADS; i++) {
    caches[i] = cache;
  }
  run_threads(caches, &shared);
  expect_once(&shared, "one cache");
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.memory_hits + counters.misses == THREADS * KERNELS && counters.misses == KERNELS);
  kiln_cache_close(cache);
}

Test(flight, threads_of_several_caches, .init = test_setup, .fini = test_teardown) {
  struct shared shared = {0};
  struct kiln_cache *caches[THREADS];
  for (int i = 0; i < THREADS; i++) {
    caches[i] = test_open();
  }
  run_threads(caches, &shared);
  expect_once(&shared, "several caches");
  for (int i = 0; i < THREADS; i++) {
    kiln_cache_close(caches[i]);
  }
  cr_assert(test_log_lines == 0, "%s", test_log_text[0]);
}

Test(flight, processes, .init = test_setup, .fini = test_teardown) {
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t children[8];
  for (int i = 0; i < 8; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      struct kiln_cache *cache = test_open();
      atomic_fetch_add(&shared->ready, 1);
      while (atomic_load(&shared->ready) < 8) {
        usleep(100);
      }
      ask_all(cache, shared, i);
      struct kiln_cache_counters counters;
      kiln_cache_counters(cache, &counters);
      kiln_cache_close(cache);
      _exit(counters.misses + counters.disk_hits == KERNELS && counters.store_failures == 0 ? 0 : 1);
    }
  }
  for (int i = 0; i < 8; i++) {
    int status;
    cr_assert(waitpid(children[i], &status, 0) == children[i] && status == 0, "child %d: status %d", i, status);
  }
  expect_once(shared, "processes");
  munmap(shared, sizeof *shared);
}

struct failing_job {
  struct kiln_cache *cache;
  atomic_int *compiles;
  bool fail;
};
static void *ask_failing(void *user) {
  struct failing_job *job = user;
  test_ask(job->cache, (struct test_ask){"f", .compile_us = 2000, .compiles = job->compiles, .fail = job->fail});
  return NULL;
}

Test(flight, failure_of_the_first_is_not_the_others, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  atomic_int compiles = 0;
  pthread_t threads[THREADS];
  struct failing_job jobs[THREADS];
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (struct failing_job){cache, &compiles, true};
    cr_assert(pthread_create(&threads[i], NULL, ask_failing, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  cr_assert(compiles == THREADS, "each tries itself: %d", compiles);
  struct failing_job good = {cache, &compiles, false};
  ask_failing(&good);
  cr_assert(test_ask(cache, (struct test_ask){"f"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
}

static struct kiln_cache *open_impatient(void) {
  struct kiln_cache_config config = {.dir = test_dir, .log = test_log, .wait_ms = 50};
  return kiln_cache_open(&config);
}

Test(flight, waiting_is_bounded, .init = test_setup, .fini = test_teardown) {
  struct kiln_key key = {0};
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_text(&key, "source", "slow");
  struct kiln_cache_request request = {.key = &key, .toolchain = &test_toolchain};
  struct kiln_cache *cache = open_impatient(), *other = open_impatient();
  struct kiln_cache_entry *entry;
  struct kiln_cache_flight *flight;
  cr_assert(kiln_cache_find(cache, &request, &entry, &flight) == KILN_NOT_FOUND);
  // While that one compiles: another thread of the same cache, and another process.
  cr_assert(test_ask(cache, (struct test_ask){"slow"}) == KILN_NOT_FOUND);
  cr_assert(test_ask(other, (struct test_ask){"slow"}) != KILN_FOUND_MEMORY);
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.wait_timeouts == 1 && counters.thread_waits == 1);
  struct kiln_cache_product product = {.artifact = test_str("code of slow")};
  product.sections[KILN_SECTION_REFLECTION] = test_str("reflection");
  product.sections[KILN_SECTION_META] = test_str("");
  cr_assert(kiln_cache_publish(flight, &product, &entry));
  kiln_cache_entry_release(entry);
  cr_assert(test_ask(cache, (struct test_ask){"slow"}) == KILN_FOUND_MEMORY);
  kiln_cache_close(cache);
  kiln_cache_close(other);
  kiln_key_free(&key);
}

Test(flight, lock_of_a_killed_process_is_free, .init = test_setup, .fini = test_teardown) {
  int pipes[2];
  cr_assert(pipe(pipes) == 0);
  pid_t child = fork();
  if (child == 0) {
    struct kiln_cache *cache = test_open();
    struct kiln_key key = {0};
    kiln_key_add_text(&key, "backend", "test");
    kiln_key_add_text(&key, "source", "k");
    struct kiln_cache_request request = {.key = &key, .toolchain = &test_toolchain};
    struct kiln_cache_entry *entry;
    struct kiln_cache_flight *flight;
    bool ok = kiln_cache_find(cache, &request, &entry, &flight) == KILN_NOT_FOUND;
    (void)!write(pipes[1], ok ? "y" : "n", 1);
    for (;;) {
      pause();
    }
  }
  char answer;
  cr_assert(read(pipes[0], &answer, 1) == 1 && answer == 'y');
  struct kiln_cache *cache = open_impatient();
  cr_assert(test_ask(cache, (struct test_ask){"k", .fail = true}) == KILN_NOT_FOUND);
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.wait_timeouts == 1 && counters.process_waits == 1, "the lock was held");
  cr_assert(test_log_lines == 1 && strstr(test_log_text[0], "waited"), "%s", test_log_text[0]);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  cr_assert(test_ask(cache, (struct test_ask){"k"}) == KILN_NOT_FOUND);
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.wait_timeouts == 1, "the lock was free");
  kiln_cache_close(cache);
  close(pipes[0]), close(pipes[1]);
}

// Processes that are killed while they write leave nothing that is ever used.
Test(flight, killed_writers, .init = test_setup, .fini = test_teardown) {
  unsigned seed = 1, killed = 0;
  for (int i = 0; i < 60; i++) {
    pid_t child = fork();
    if (child == 0) {
      struct shared *shared = calloc(1, sizeof *shared);
      ask_all(test_open(), shared, i);
      _exit(0);
    }
    seed = seed * 1103515245 + 12345;
    usleep(seed / 65536 % 4000);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
  }
  cr_assert(killed > 10, "%u", killed);
  struct shared shared = {0};
  struct kiln_cache *cache = test_open();
  ask_all(cache, &shared, 0); // checks every artifact
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  cr_assert(counters.quarantined == 0 && test_log_lines == 0, "%s", test_log_text[0]);
  kiln_cache_close(cache);
}

#ifndef KILN_SANITIZED
Test(cost, of_hits, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  test_ask(cache, (struct test_ask){"a"});
  double memory = 1e9, disk = 1e9;
  for (int i = 0; i < 200; i++) {
    uint64_t start = kiln_now_ns();
    test_ask(cache, (struct test_ask){"a"});
    double us = (double)(kiln_now_ns() - start) / 1e3;
    memory = us < memory ? us : memory;
    struct kiln_cache *fresh = test_open();
    start = kiln_now_ns();
    cr_assert(test_ask(fresh, (struct test_ask){"a"}) == KILN_FOUND_DISK);
    us = (double)(kiln_now_ns() - start) / 1e3;
    disk = us < disk ? us : disk;
    kiln_cache_close(fresh);
  }
  printf("memory hit %.2f us, disk hit %.2f us\n", memory, disk);
  cr_assert(memory < 10 && disk < 100, "memory %.2f us, disk %.2f us", memory, disk);
  kiln_cache_close(cache);
}
#endif
