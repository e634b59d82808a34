// The size limit: sweeps, times of use, what is told of them.
#include "cache_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "cache/admin.h"

static struct kiln_cache *open_limited(uint64_t limit) {
  struct kiln_cache *cache =
      kiln_cache_open(&(struct kiln_cache_config){.dir = test_dir, .max_bytes = limit, .log = test_log});
  cr_assert(cache);
  return cache;
}

static struct kiln_place_size measure(void) {
  struct kiln_place place;
  struct kiln_place_size size;
  const char *problem;
  cr_assert_eq(kiln_place_open(test_dir, NULL, true, &place, &problem), 0);
  kiln_place_measure(&place, &size);
  kiln_place_close(&place);
  return size;
}

static void set_age(const char *path, long seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct timespec times[2] = {{.tv_sec = now.tv_sec - seconds}, {.tv_sec = now.tv_sec - seconds}};
  cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static long age_of(const char *path) {
  struct stat info;
  cr_assert_eq(stat(path, &info), 0);
  return (long)(time(NULL) - info.st_mtime);
}

Test(size, is_read) {
  static const struct {
    const char *text;
    uint64_t value;
  } good[] = {{"0", 0},
              {"1", 1},
              {"12B", 12},
              {"4K", 4096},
              {"4k", 4096},
              {"4KB", 4096},
              {"4KiB", 4096},
              {"3M", 3u << 20},
              {"2G", (uint64_t)2 << 30},
              {"1T", (uint64_t)1 << 40}};
  static const char *const bad[] = {"",     "K",   "-1", "1X", "1KK", "1 K", "99999999999999999999", "99999999999T",
                                    "0x10", "1.5G"};
  uint64_t value;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    cr_assert(kiln_cache_parse_size(good[i].text, &value) && value == good[i].value, "%s", good[i].text);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert(!kiln_cache_parse_size(bad[i], &value), "%s", bad[i]);
}

Test(evict, the_limit_holds, .init = test_setup, .fini = test_teardown) {
  enum { LIMIT = 100 * 4096 };
  struct kiln_cache *cache = open_limited(LIMIT);
  for (int i = 0; i < 400; i++) {
    char source[32];
    snprintf(source, sizeof source, "k%d", i);
    cr_assert_eq(test_ask(cache, (struct test_ask){source}), KILN_NOT_FOUND);
    if (i % 50 == 49) {
      kiln_cache_flush(cache);
      cr_assert(measure().disk_bytes <= LIMIT, "after %d: %llu", i, (unsigned long long)measure().disk_bytes);
    }
  }
  struct kiln_cache_counters counters;
  kiln_cache_counters(cache, &counters);
  kiln_cache_close(cache);
  struct kiln_place_size size = measure();
  cr_assert(size.entries >= 40 && size.disk_bytes <= LIMIT, "%llu entries", (unsigned long long)size.entries);
  cr_assert(counters.evicted == 400 - size.entries && counters.evicted_bytes == counters.evicted * 4096,
            "%llu evicted, %llu left", (unsigned long long)counters.evicted, (unsigned long long)size.entries);
}

Test(evict, what_was_not_used_for_longest_goes, .init = test_setup, .fini = test_teardown) {
  enum { COUNT = 20 };
  char paths[COUNT][4096], source[32];
  struct kiln_cache *cache = test_open();
  for (int i = 0; i < COUNT; i++) {
    snprintf(source, sizeof source, "k%d", i);
    test_ask(cache, (struct test_ask){source, .path = paths[i]});
    set_age(paths[i], 86400 * 10 + i * 1000); // the higher, the older
  }
  kiln_cache_close(cache);
  cache = test_open(); // uses the oldest
  cr_assert_eq(test_ask(cache, (struct test_ask){"k19"}), KILN_FOUND_DISK);
  kiln_cache_close(cache);
  cr_assert(age_of(paths[19]) < 1000, "a use is noted");
  cache = open_limited(10 * 4096);
  test_ask(cache, (struct test_ask){"more"});
  kiln_cache_flush(cache);
  kiln_cache_close(cache);
  for (int i = 0; i < COUNT; i++) // 8 stay: the new one, the used one, and the six youngest
    cr_assert_eq(access(paths[i], F_OK) == 0, i < 6 || i == 19, "entry %d", i);
}

// The clock was wrong once: what was used then is the oldest, and gets a right time when it is used again.
Test(evict, what_is_dated_in_the_future_goes_first, .init = test_setup, .fini = test_teardown) {
  enum { COUNT = 20, YEAR = 86400 * 365 };
  char paths[COUNT][4096], source[32];
  struct kiln_cache *cache = test_open();
  for (int i = 0; i < COUNT; i++) {
    snprintf(source, sizeof source, "k%d", i);
    test_ask(cache, (struct test_ask){source, .path = paths[i]});
    set_age(paths[i], i < 10 ? 1000 * (i + 1) : -YEAR * (i - 9)); // the last ten: of years to come
  }
  set_age(paths[0], -60); // clocks differ
  kiln_cache_close(cache);
  cache = test_open();
  cr_assert_eq(test_ask(cache, (struct test_ask){"k19"}), KILN_FOUND_DISK);
  kiln_cache_close(cache);
  cr_assert(labs(age_of(paths[19])) < 1000, "a use is noted");
  cache = open_limited(14 * 4096);
  test_ask(cache, (struct test_ask){"more"});
  kiln_cache_flush(cache);
  kiln_cache_close(cache);
  for (int i = 0; i < COUNT; i++) // 11 stay: the new one, the used one, and nine of the ten others
    cr_assert_eq(access(paths[i], F_OK) == 0, i < 9 || i == 19, "entry %d", i);
  struct kiln_place place;
  struct kiln_sweep_result result;
  const char *problem;
  set_age(paths[3], -YEAR);
  cr_assert_eq(kiln_place_open(test_dir, NULL, false, &place, &problem), 0);
  cr_assert(kiln_store_sweep((struct kiln_store *[]){&place.stores[0]}, 1, 0, 1, NULL, &result));
  cr_assert_eq(result.removed, 1, "%d are older than 1970", (int)result.removed);
  kiln_place_close(&place);
}

// A time of the last sweep that lies in the future is not believed.
Test(evict, a_sweep_dated_in_the_future, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  struct kiln_cache *cache = open_limited(100 * 4096);
  test_ask(cache, (struct test_ask){"k"});
  kiln_cache_close(cache);
  snprintf(path, sizeof path, "%s/usage", test_dir);
  FILE *usage = fopen(path, "w");
  cr_assert(usage);
  fprintf(usage, "bytes %020d measured %020lld\n", 4096, (long long)time(NULL) + 86400 * 365);
  fclose(usage);
  cache = open_limited(100 * 4096);
  test_ask(cache, (struct test_ask){"l"});
  kiln_cache_flush(cache);
  kiln_cache_close(cache);
  long long measured = 0;
  usage = fopen(path, "r");
  cr_assert(usage && fscanf(usage, "bytes %*d measured %lld", &measured) == 1);
  fclose(usage);
  cr_assert_lt(llabs(measured - (long long)time(NULL)), 1000);
}

Test(evict, use_is_noted_at_most_daily, .init = test_setup, .fini = test_teardown) {
  char path[4096];
  struct kiln_cache *cache = test_open();
  test_ask(cache, (struct test_ask){"a", .path = path});
  kiln_cache_close(cache);
  static const struct {
    long age;
    bool noted;
    enum kiln_cache_mode mode;
  } cases[] = {{3600, false, KILN_CACHE_MODE_RW},
               {86400 - 60, false, KILN_CACHE_MODE_RW},
               {86400 + 60, true, KILN_CACHE_MODE_RW},
               {86400 * 9, true, KILN_CACHE_MODE_RW},
               {86400 * 9, false, KILN_CACHE_MODE_RO}};
  for (int i = 0; i < 5; i++) {
    set_age(path, cases[i].age);
    cache = test_open_mode(cases[i].mode);
    cr_assert_eq(test_ask(cache, (struct test_ask){"a"}), KILN_FOUND_DISK);
    kiln_cache_close(cache);
    cr_assert_eq(age_of(path) < 1000, cases[i].noted, "case %d: %ld s old", i, age_of(path));
  }
}

Test(evict, one_at_a_time, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *cache = test_open();
  test_ask(cache, (struct test_ask){"a"});
  kiln_cache_close(cache);
  struct kiln_store store;
  struct kiln_store *stores[] = {&store};
  struct kiln_sweep_result result;
  const char *problem;
  cr_assert(kiln_store_init(&store, test_dir, strlen(test_dir), NULL, false, false, &problem));
  int lock = kiln_store_lock_folder(&store, KILN_LOCK_SWEEP, 0);
  cr_assert(lock >= 0);
  cr_assert(!kiln_store_sweep(stores, 1, 1, 0, NULL, &result), "somebody else is sweeping");
  kiln_store_unlock(lock);
  cr_assert(kiln_store_sweep(stores, 1, 1 << 20, 0, NULL, &result) && result.removed == 0 && result.left == 1);
  cr_assert(kiln_store_sweep(stores, 1, 1, 0, NULL, &result) && result.removed == 1 && result.left == 0);
  kiln_store_free(&store);
}

// ---- under load ----------------------------------------------------------------------------------------------------

struct load {
  struct kiln_cache *cache;
  atomic_bool *stop;
  int worker, asked;
};

// test_ask checks that every answer is right, wherever it comes from.
static void *reader(void *user) {
  struct load *load = user;
  for (; !atomic_load(load->stop); load->asked++) {
    char source[32];
    snprintf(source, sizeof source, "k%d", (load->asked * 7 + load->worker) % 60);
    struct kiln_cache *cache = test_open(); // nothing in memory
    test_ask(cache, (struct test_ask){source});
    kiln_cache_close(cache);
  }
  return NULL;
}

Test(evict, never_disturbs_readers, .init = test_setup, .fini = test_teardown) {
  enum { WORKERS = 4 };
  atomic_bool stop = false;
  pthread_t threads[WORKERS];
  struct load loads[WORKERS];
  test_log_lines = 0;
  struct kiln_cache *cache = test_open();
  test_ask(cache, (struct test_ask){"k0"});
  for (int i = 0; i < WORKERS; i++) {
    loads[i] = (struct load){cache, &stop, i, 0};
    cr_assert_eq(pthread_create(&threads[i], NULL, reader, &loads[i]), 0);
  }
  struct kiln_store store;
  struct kiln_store *stores[] = {&store};
  struct kiln_sweep_result result;
  const char *problem;
  uint64_t removed = 0;
  cr_assert(kiln_store_init(&store, test_dir, strlen(test_dir), NULL, false, false, &problem));
  for (int i = 0; i < 50; i++) {
    cr_assert(kiln_store_sweep(stores, 1, 10 * 4096, 0, NULL, &result));
    removed += result.removed;
    usleep(2000);
  }
  atomic_store(&stop, true);
  int asked = 0;
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(threads[i], NULL);
    asked += loads[i].asked;
  }
  kiln_store_free(&store);
  kiln_cache_close(cache);
  cr_assert(removed > 50 && asked > 100, "%llu removed, %d asked", (unsigned long long)removed, asked);
  cr_assert_eq(test_log_lines, 0, "%s", test_log_text[0]);
}

// ---- fork ----------------------------------------------------------------------------------------------------------

// A child has no thread that flushes, and must not wait for one.
Test(keeper, in_a_child, .init = test_setup, .fini = test_teardown) {
#if defined CR_NO_THREADS_AFTER_FORK || defined KILN_ASAN
  // The address sanitizer of gcc 12 hangs in a child whose parent was just starting or ending a thread.
  cr_skip_test("needs threads after a fork");
#endif
  struct kiln_cache *cache = open_limited(8 * 4096); // sweeps now and then
  for (int i = 0; i < 20; i++) {
    char source[32];
    snprintf(source, sizeof source, "parent %d", i);
    test_ask(cache, (struct test_ask){source});
    pid_t child = fork(); // most likely while the thread is at work
    cr_assert(child >= 0);
    if (child == 0) {
      alarm(20);
      snprintf(source, sizeof source, "child %d", i);
      test_ask(cache, (struct test_ask){source});
      kiln_cache_flush(cache);
      kiln_cache_close(cache);
      _exit(0);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child && status == 0, "child %d: status %d", i, status);
  }
  kiln_cache_close(cache);
}

// ---- notices -------------------------------------------------------------------------------------------------------

static atomic_int told[8];
static void listen(void *user, const struct kiln_cache_notice *notice) {
  (void)user;
  cr_assert(notice->key && notice->place && notice->reason);
  atomic_fetch_add(&told[notice->change], 1);
}

Test(notices, of_files, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache_config config = {.dir = test_dir, .log = test_log, .notice = listen, .max_bytes = 5 * 4096};
  struct kiln_cache *cache = kiln_cache_open(&config);
  char path[4096], source[16];
  memset(told, 0, sizeof told);
  test_ask(cache, (struct test_ask){"a", .path = path});
  cr_assert(told[KILN_CHANGE_STORED] == 1 && told[KILN_CHANGE_STORE_FAILED] == 0);
  int fd = open(path, O_WRONLY);
  cr_assert(fd >= 0 && pwrite(fd, "x", 1, 20) == 1 && close(fd) == 0);
  kiln_cache_close(cache);
  cache = kiln_cache_open(&config);
  test_ask(cache, (struct test_ask){"a"});
  cr_assert(told[KILN_CHANGE_QUARANTINED] == 1 && told[KILN_CHANGE_STORED] == 2);
  for (int i = 0; i < 20; i++) {
    snprintf(source, sizeof source, "s%d", i);
    test_ask(cache, (struct test_ask){source});
    kiln_cache_flush(cache);
  }
  cr_assert(told[KILN_CHANGE_EVICTED] > 2, "%d", told[KILN_CHANGE_EVICTED]);
  struct kiln_cache_counters counters;
  if (geteuid() != 0) { // root may write everywhere
    cr_assert_eq(chmod(test_dir, 0500), 0);
    for (int i = 0; i < 2; i++) {
      snprintf(source, sizeof source, "t%d", i);
      test_ask(cache, (struct test_ask){source});
    }
    kiln_cache_counters(cache, &counters);
    cr_assert(counters.degraded);
    cr_assert_eq(chmod(test_dir, 0700), 0);
    test_ask(cache, (struct test_ask){"u"});
    cr_assert(told[KILN_CHANGE_DEGRADED] == 1 && told[KILN_CHANGE_RECOVERED] == 1);
  }
  kiln_cache_counters(cache, &counters);
  cr_assert(!counters.degraded && counters.bytes_written > counters.bytes_read && counters.misses_by[KILN_MISS_ABSENT]);
  cr_assert_eq(counters.misses_by[KILN_MISS_DAMAGED], 1);
  kiln_cache_close(cache);
}
