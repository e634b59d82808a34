// Long tests of the cache, one per verb:
//   stress storm PROCESSES KERNELS [nolocks]   all start together on an empty cache
//   stress programs PROCESSES KERNELS [BACKEND] the same with real programs, which are launched
//   stress kill WRITERS                        writers that are killed at random points
//   stress many ENTRIES                        hits, sweeps and counting beside so many entries
//   stress mutate TIMES                        random changes of an entry's file
// Prints what was measured; the exit status is 1 when something does not hold.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/admin.h"
#include "cache/format.h"
#include "kiln/kiln.h"
#include "tests/support/expect.h"

static char root[64], dir[128];
static bool no_locks;

// ---- a compile that is only pretended ------------------------------------------------------------------------------

static const struct kiln_hash128 toolchain = {{1, 2, 3}};

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// The right artifact of a kernel.
static char *artifact_of(unsigned kernel, size_t size) {
  uint64_t state = kernel * 0x9e3779b97f4a7c15u + 1;
  char *data = malloc(size + 8);
  EXPECT(data, "memory");
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = next_random(&state);
    memcpy(data + at, &word, 8);
  }
  return data;
}

static size_t size_of(unsigned kernel) { return 1000 + kernel * 977 % 20000; }

static struct kiln_cache *open_cache(uint64_t max_bytes) {
  struct kiln_cache *cache = kiln_cache_open(
      &(struct kiln_cache_config){.dir = dir, .max_bytes = max_bytes, .no_locks = no_locks, .wait_ms = 120000});
  EXPECT(cache, "memory");
  return cache;
}

// Asks for a kernel, makes it on a miss, checks the answer. Returns whether it was made here.
static bool ask(struct kiln_cache *cache, unsigned kernel, unsigned compile_us) {
  struct kiln_key key = {0};
  struct kiln_cache_entry *entry = NULL;
  struct kiln_cache_flight *flight = NULL;
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_u64(&key, "kernel", kernel);
  struct kiln_cache_request request = {.key = &key, .toolchain = &toolchain};
  enum kiln_cache_found found = kiln_cache_find(cache, &request, &entry, &flight);
  size_t size = size_of(kernel);
  char *right = artifact_of(kernel, size);
  if (found == KILN_NOT_FOUND) {
    if (compile_us)
      usleep(compile_us);
    struct kiln_cache_product product = {.artifact = {right, size}};
    product.sections[KILN_SECTION_REFLECTION] = kiln_str("reflection");
    EXPECT(kiln_cache_publish(flight, &product, &entry), "kernel %u", kernel);
  }
  EXPECT(entry, "kernel %u was not answered (%d)", kernel, found);
  EXPECT(entry->artifact.size == size && memcmp(entry->artifact.data, right, size) == 0, "kernel %u is wrong", kernel);
  kiln_cache_entry_release(entry);
  kiln_key_free(&key);
  free(right);
  return found == KILN_NOT_FOUND;
}

static double seconds(void) { return (double)kiln_now_ns() / 1e9; }

static unsigned count_files(const char *sub) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", dir, sub);
  DIR *folder = opendir(path);
  unsigned count = 0;
  for (struct dirent *item; folder && (item = readdir(folder));)
    count += item->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return count;
}

// ---- storm ---------------------------------------------------------------------------------------------------------

struct shared {
  atomic_uint ready, go;
  atomic_uint compiles[1 << 16];
};

static void storm_child(struct shared *shared, unsigned process, unsigned kernels) {
  struct kiln_cache *cache = open_cache(0);
  uint64_t state = process + 1;
  unsigned *order = malloc(kernels * sizeof *order);
  EXPECT(order, "memory");
  for (unsigned i = 0; i < kernels; i++)
    order[i] = i;
  for (unsigned i = kernels; i > 1; i--) {
    unsigned other = (unsigned)(next_random(&state) % i), kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
  atomic_fetch_add(&shared->ready, 1);
  while (!atomic_load(&shared->go))
    usleep(100);
  for (unsigned i = 0; i < kernels; i++) {
    unsigned kernel = process % 2 ? i : order[i]; // half of them all in the same order: the worst case
    if (ask(cache, kernel, 2000))
      atomic_fetch_add(&shared->compiles[kernel], 1);
  }
  free(order);
  kiln_cache_close(cache);
  _exit(0);
}

static void storm(unsigned processes, unsigned kernels) {
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(shared != MAP_FAILED && kernels <= 1 << 16, "memory");
  for (unsigned i = 0; i < processes; i++) {
    pid_t child = fork();
    EXPECT(child >= 0, "fork");
    if (child == 0)
      storm_child(shared, i, kernels);
  }
  while (atomic_load(&shared->ready) < processes)
    usleep(1000);
  double start = seconds();
  atomic_store(&shared->go, 1);
  unsigned failed = 0, total = 0, most = 0, none = 0;
  for (unsigned i = 0; i < processes; i++) {
    int status;
    EXPECT(wait(&status) > 0, "wait");
    failed += status != 0;
  }
  double took = seconds() - start;
  for (unsigned i = 0; i < kernels; i++) {
    unsigned times = atomic_load(&shared->compiles[i]);
    total += times;
    none += times == 0;
    most = times > most ? times : most;
  }
  printf("storm: %u processes x %u kernels%s: %u compiles, at most %u of one kernel, %u processes failed, %.2f s\n",
         processes, kernels, no_locks ? " without locks" : "", total, most, failed, took);
  EXPECT(failed == 0 && none == 0, "%u failed, %u never compiled", failed, none);
  EXPECT(no_locks || total == kernels, "%u compiles of %u kernels", total, kernels);
}

// ---- programs ------------------------------------------------------------------------------------------------------

enum { ITEMS = 32 };

static void run_program(struct kiln_context *ctx, struct kiln_stream *stream, unsigned kernel) {
  char source[256];
  struct kiln_program *program;
  struct kiln_kernel *handle;
  struct kiln_buffer *buffer;
  int32_t data[ITEMS] = {0};
  snprintf(source, sizeof source, "kernel void k(global int *p) { int i = get_global_id(0); p[i] = i * %u + %u; }",
           kernel + 3, kernel * 7);
  EXPECT(kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program) == KILN_OK, "kernel %u: %s",
         kernel, kiln_last_error());
  EXPECT(kiln_kernel_create(program, NULL, &handle) == KILN_OK, "%s", kiln_last_error());
  EXPECT(kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = sizeof data}, &buffer) == KILN_OK, "%s",
         kiln_last_error());
  struct kiln_arg arg = kiln_arg_buffer(buffer);
  struct kiln_launch_desc launch = {.global = {ITEMS}, .arg_count = 1, .args = &arg};
  EXPECT(kiln_launch(stream, handle, &launch, NULL) == KILN_OK, "%s", kiln_last_error());
  EXPECT(kiln_read(stream, buffer, 0, data, sizeof data, NULL) == KILN_OK, "%s", kiln_last_error());
  EXPECT(kiln_stream_finish(stream) == KILN_OK, "%s", kiln_last_error());
  for (unsigned i = 0; i < ITEMS; i++)
    EXPECT(data[i] == (int32_t)(i * (kernel + 3) + kernel * 7), "kernel %u, item %u: %d", kernel, i, data[i]);
  kiln_buffer_release(buffer);
  kiln_kernel_release(handle);
  kiln_program_release(program);
}

static void programs_child(struct shared *shared, unsigned process, unsigned kernels, const char *backend) {
  struct kiln_context *ctx;
  struct kiln_stream *stream;
  struct kiln_cache_stats stats;
  struct kiln_context_desc desc = {.backend = backend, .cache_dir = dir, .cache_mode = "rw", .num_threads = 1};
  EXPECT(kiln_context_open(&desc, &ctx) == KILN_OK, "%s", kiln_last_error());
  EXPECT(kiln_stream_create(ctx, 0, &stream) == KILN_OK, "%s", kiln_last_error());
  atomic_fetch_add(&shared->ready, 1);
  while (!atomic_load(&shared->go))
    usleep(100);
  for (unsigned i = 0; i < kernels; i++)
    run_program(ctx, stream, process % 2 ? i : (i + process * 3) % kernels);
  kiln_context_cache_stats(ctx, &stats);
  atomic_fetch_add(&shared->compiles[0], (unsigned)stats.compiles);
  atomic_fetch_add(&shared->compiles[1], (unsigned)stats.disk_hits);
  kiln_stream_release(stream);
  kiln_context_close(ctx);
  _exit(0);
}

static void programs(unsigned processes, unsigned kernels, const char *backend) {
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(shared != MAP_FAILED, "memory");
  for (unsigned i = 0; i < processes; i++) {
    pid_t child = fork();
    EXPECT(child >= 0, "fork");
    if (child == 0)
      programs_child(shared, i, kernels, backend);
  }
  double start = seconds();
  while (atomic_load(&shared->ready) < processes && seconds() - start < 60)
    usleep(1000);
  start = seconds();
  atomic_store(&shared->go, 1);
  unsigned failed = 0;
  for (unsigned i = 0; i < processes; i++) {
    int status;
    EXPECT(wait(&status) > 0, "wait");
    failed += status != 0;
  }
  printf("programs: %u processes x %u kernels on %s: %u compiles, %u found, %u processes failed, %.2f s\n", processes,
         kernels, backend ? backend : "the default backend", atomic_load(&shared->compiles[0]),
         atomic_load(&shared->compiles[1]), failed, seconds() - start);
  EXPECT(failed == 0 && atomic_load(&shared->compiles[0]) == kernels, "each is compiled once");
}

// ---- kill ----------------------------------------------------------------------------------------------------------

enum { KILL_KERNELS = 50 };

static void kill_writers(unsigned writers) {
  uint64_t state = 42;
  unsigned most_left = 0, left = 0, killed = 0;
  double start = seconds();
  for (unsigned i = 0; i < writers; i++) {
    pid_t child = fork();
    EXPECT(child >= 0, "fork");
    if (child == 0) { // removes what it will write, so that it always writes
      uint64_t own = i + 1;
      struct kiln_cache *cache = open_cache(i % 4 ? 0 : 200 << 10);
      for (;;) {
        unsigned kernel = (unsigned)(next_random(&own) % KILL_KERNELS);
        ask(cache, kernel, 0);
        if (next_random(&own) % 3 == 0) {
          kiln_cache_close(cache);
          cache = open_cache(i % 4 ? 0 : 200 << 10);
          struct kiln_place place;
          const char *problem;
          if (next_random(&own) % 4 == 0 && kiln_place_open(dir, NULL, false, &place, &problem) == 0) {
            kiln_place_clear(&place);
            kiln_place_close(&place);
          }
        }
      }
    }
    usleep((unsigned)(next_random(&state) % 6000));
    kill(child, SIGKILL);
    int status;
    EXPECT(waitpid(child, &status, 0) == child, "wait");
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "writer %u ended by itself: %d", i, status);
    killed++;
    if (i % 10 == 0) { // a reader in between
      struct kiln_cache *cache = open_cache(0);
      for (unsigned k = 0; k < KILL_KERNELS; k += 7)
        ask(cache, k, 0);
      struct kiln_cache_counters counters;
      kiln_cache_counters(cache, &counters);
      EXPECT(counters.quarantined == 0 && counters.read_failures == 0, "a reader saw a damaged entry");
      kiln_cache_close(cache);
    }
    left = count_files("tmp");
    most_left = left > most_left ? left : most_left;
  }
  struct kiln_cache *cache = open_cache(0);
  for (unsigned k = 0; k < KILL_KERNELS; k++)
    ask(cache, k, 0);
  kiln_cache_close(cache);
  // What they left is old one day; then the next writer removes it.
  char path[512];
  snprintf(path, sizeof path, "%s/tmp", dir);
  DIR *folder = opendir(path);
  for (struct dirent *item; folder && (item = readdir(folder));) {
    struct timespec times[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
    if (item->d_name[0] != '.')
      utimensat(dirfd(folder), item->d_name, times, 0);
  }
  if (folder)
    closedir(folder);
  cache = open_cache(0);
  ask(cache, KILL_KERNELS + 1, 0);
  kiln_cache_close(cache);
  printf("kill: %u writers killed, at most %u files left by them, %u after the next writer, %.1f s\n", killed,
         most_left, count_files("tmp"), seconds() - start);
  EXPECT(count_files("tmp") == 0, "leftovers");
}

// ---- many ----------------------------------------------------------------------------------------------------------

// Stores kernels [first, end) without the cost of a cache.
static void populate(unsigned first, unsigned end) {
  struct kiln_store store;
  const char *problem, *reason;
  EXPECT(kiln_store_init(&store, dir, strlen(dir), NULL, false, false, &problem), "memory");
  for (unsigned kernel = first; kernel < end; kernel++) {
    struct kiln_key key = {0};
    kiln_key_add_text(&key, "backend", "test");
    kiln_key_add_u64(&key, "kernel", kernel);
    kiln_key_add_u64(&key, "format", KILN_CACHE_FORMAT);
    kiln_key_add(&key, "toolchain", toolchain.bytes, sizeof toolchain.bytes);
    char *right = artifact_of(kernel, size_of(kernel)), *data;
    size_t size;
    struct kiln_file_view view = {.kind = KILN_FILE_ENTRY, .artifact = {right, size_of(kernel)}};
    view.sections[KILN_SECTION_KEY] = (struct kiln_str){key.record.data, key.record.size};
    view.sections[KILN_SECTION_REFLECTION] = kiln_str("reflection");
    EXPECT(kiln_file_encode(&view, &data, &size), "memory");
    EXPECT(kiln_store_write(&store, kiln_hash128(key.record.data, key.record.size), KILN_SUFFIX_ENTRY, data, size,
                            &reason),
           "%s", reason ? reason : strerror(errno));
    kiln_key_free(&key);
    free(data);
    free(right);
  }
  kiln_store_free(&store);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// Median time of hits on the disk among ten kernels, in microseconds.
static double hit_time(void) {
  enum { TIMES = 2000 };
  static double times[TIMES];
  for (int i = 0; i < TIMES; i++) {
    struct kiln_cache *cache = open_cache(0);
    struct kiln_key key = {0};
    struct kiln_cache_entry *entry = NULL;
    struct kiln_cache_flight *flight = NULL;
    kiln_key_add_text(&key, "backend", "test");
    kiln_key_add_u64(&key, "kernel", (unsigned)i % 10);
    struct kiln_cache_request request = {.key = &key, .toolchain = &toolchain};
    uint64_t start = kiln_now_ns();
    enum kiln_cache_found found = kiln_cache_find(cache, &request, &entry, &flight);
    times[i] = (double)(kiln_now_ns() - start) / 1e3;
    EXPECT(found == KILN_FOUND_DISK, "kernel %d: %d", i % 10, found);
    kiln_cache_entry_release(entry);
    kiln_key_free(&key);
    kiln_cache_close(cache);
  }
  qsort(times, TIMES, sizeof *times, by_size);
  return times[TIMES / 2];
}

struct load {
  atomic_bool stop;
  unsigned entries;
  atomic_uint asked, made;
};

static void *reader(void *user) {
  struct load *load = user;
  uint64_t state = (uint64_t)(uintptr_t)&state | 1;
  while (!atomic_load(&load->stop)) {
    struct kiln_cache *cache = open_cache(0);
    atomic_fetch_add(&load->made, ask(cache, (unsigned)(next_random(&state) % load->entries), 0));
    atomic_fetch_add(&load->asked, 1);
    kiln_cache_close(cache);
  }
  return NULL;
}

static void many(unsigned entries) {
  populate(0, 10);
  double few = hit_time();
  double start = seconds();
  populate(10, entries);
  printf("many: %u entries written in %.1f s\n", entries, seconds() - start);
  double lots = hit_time();
  printf("many: hit %.2f us beside 10 entries, %.2f us beside %u (ratio %.2f)\n", few, lots, entries, lots / few);
  EXPECT(lots <= 2 * few, "hits are slower");
  struct kiln_place place;
  struct kiln_place_size size;
  const char *problem;
  EXPECT(kiln_place_open(dir, NULL, false, &place, &problem) == 0, "%s", problem);
  double took = 1e9;
  for (int i = 0; i < 3; i++) { // the best of three: others may be using the machine
    start = seconds();
    kiln_place_measure(&place, &size);
    took = seconds() - start < took ? seconds() - start : took;
  }
  printf("many: counted %llu entries in %.3f s\n", (unsigned long long)size.entries, took);
  EXPECT(size.entries == entries && took < 1, "counting");
  struct load load = {.entries = entries};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    EXPECT(pthread_create(&threads[i], NULL, reader, &load) == 0, "thread");
  struct kiln_store *stores[] = {&place.stores[0], &place.stores[1]};
  struct kiln_sweep_result result;
  usleep(200000);
  start = seconds();
  EXPECT(kiln_store_sweep(stores, 2, size.disk_bytes / 2, 0, NULL, &result), "sweep");
  took = seconds() - start;
  usleep(200000);
  atomic_store(&load.stop, true);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("many: swept %llu of them in %.2f s, while %u were asked for and %u made again\n",
         (unsigned long long)result.removed, took, atomic_load(&load.asked), atomic_load(&load.made));
  EXPECT(result.left_bytes <= size.disk_bytes / 2 && result.removed > entries / 3, "sweep");
  kiln_place_close(&place);
}

// ---- mutate --------------------------------------------------------------------------------------------------------

static void mutate(unsigned times) {
  char path[4096] = "";
  struct kiln_cache *cache = open_cache(0);
  ask(cache, 1, 0);
  kiln_cache_close(cache);
  struct kiln_key key = {0};
  kiln_key_add_text(&key, "backend", "test");
  kiln_key_add_u64(&key, "kernel", 1);
  kiln_key_add_u64(&key, "format", KILN_CACHE_FORMAT);
  kiln_key_add(&key, "toolchain", toolchain.bytes, sizeof toolchain.bytes);
  char hex[33], *data;
  size_t size;
  kiln_hash128_hex(kiln_hash128(key.record.data, key.record.size), hex);
  kiln_key_free(&key);
  snprintf(path, sizeof path, "%s/%.2s/%s.kiln", dir, hex, hex + 2);
  EXPECT(kiln_file_read(path, &data, &size) == 0, "%s", path);
  uint64_t state = 7;
  unsigned misses = 0, same = 0;
  double start = seconds();
  for (unsigned i = 0; i < times; i++) {
    size_t length = size;
    char *copy = malloc(size + 4096);
    EXPECT(copy, "memory");
    memcpy(copy, data, size);
    switch (next_random(&state) % 5) {
    case 0: // a byte
      copy[next_random(&state) % size] = (char)next_random(&state);
      break;
    case 1: // cut short
      length = next_random(&state) % size;
      break;
    case 2: // more behind it
      length = size + 1 + next_random(&state) % 4095;
      memset(copy + size, (int)(next_random(&state) & 0xff), length - size);
      break;
    case 3: // a page of zeros
      memset(copy + next_random(&state) % size / 512 * 512, 0, 512);
      break;
    default: // a block from elsewhere
      memmove(copy + next_random(&state) % (size - 64), data + next_random(&state) % (size - 64), 64);
    }
    bool unchanged = length == size && memcmp(copy, data, size) == 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT(fd >= 0 && write(fd, copy, length) == (ssize_t)length && close(fd) == 0, "%s", path);
    free(copy);
    cache = open_cache(0);
    bool made = ask(cache, 1, 0); // checks the answer
    kiln_cache_close(cache);
    EXPECT(made != unchanged, "mutation %u was %s", i, made ? "none, but a miss" : "not noticed");
    misses += made;
    same += unchanged;
  }
  free(data);
  cache = open_cache(0);
  EXPECT(!ask(cache, 1, 0), "the last one was rebuilt");
  kiln_cache_close(cache);
  printf("mutate: %u mutations: %u misses, each rebuilt, %u without effect, %u files set aside, %.1f s\n", times,
         misses, same, count_files("quarantine"), seconds() - start);
  EXPECT(count_files("quarantine") <= 32, "quarantine grows");
}

// ---- main ----------------------------------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info, (void)type, (void)where;
  return remove(path);
}

int main(int argc, char **argv) {
  unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  const char *temp = getenv("TMPDIR");
  snprintf(root, sizeof root, "%.30s/kiln-stress-XXXXXX", temp && *temp ? temp : "/tmp");
  if (!mkdtemp(root)) {
    perror(root);
    return 1;
  }
  snprintf(dir, sizeof dir, "%s/cache", root);
  no_locks = argc > 4 && strcmp(argv[4], "nolocks") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 3 && strcmp(argv[1], "storm") == 0)
    storm(first, (unsigned)atoi(argv[3]));
  else if (argc > 3 && strcmp(argv[1], "programs") == 0)
    programs(first, (unsigned)atoi(argv[3]), argc > 4 ? argv[4] : NULL);
  else if (argc > 2 && strcmp(argv[1], "kill") == 0)
    kill_writers(first);
  else if (argc > 2 && strcmp(argv[1], "many") == 0)
    many(first);
  else if (argc > 2 && strcmp(argv[1], "mutate") == 0)
    mutate(first);
  else
    fprintf(stderr, "usage: stress storm P K [nolocks] | kill N | many N | mutate N\n");
  nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return 0;
}
