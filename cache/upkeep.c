// A folder's size and limit, and the thread that flushes and sweeps. DIR/usage holds an estimate of the folder's size,
// which writers add to under a lock; a sweep measures anew. Nothing depends on the estimate but when the next sweep is.
#include "cache/upkeep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "base/write.h"
#include "cache/bundle.h"

static const uint64_t second = 1000000000u;
enum {
  MEASURE_SECONDS = 7 * 86400, // an estimate that is older is not believed
  CLOSE_MS = 250,              // how long closing waits for the disk
  SYNC_QUEUE = 4096,           // files that wait to be flushed
};

// ---- walking --------------------------------------------------------------------------------------------------------

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static bool parse_name(uint8_t sub, const char *name, struct kiln_file_id *out) {
  out->key.bytes[0] = sub;
  for (int i = 0; i < 30; i++) {
    int digit = hex_digit(name[i]);
    if (digit < 0)
      return false;
    uint8_t *byte = &out->key.bytes[1 + i / 2];
    *byte = (uint8_t)(i % 2 ? *byte | digit : digit << 4);
  }
  for (int suffix = 0; suffix < KILN_SUFFIXES && name[30] == '.'; suffix++) {
    out->suffix = (enum kiln_store_suffix)suffix;
    if (strcmp(name + 31, kiln_suffixes[suffix]) == 0)
      return true;
  }
  return false;
}

// Files whose keys begin with some bytes.
struct prefix {
  enum kiln_store_suffix suffix;
  const uint8_t *bytes;
  size_t size;
};

static bool has_prefix(const struct kiln_file_id *id, const struct prefix *wanted) {
  return !wanted || (id->suffix == wanted->suffix && memcmp(id->key.bytes, wanted->bytes, wanted->size) == 0);
}

// wanted NULL: all files.
static bool walk_sub(const struct kiln_store *store, uint8_t sub, const struct prefix *wanted, kiln_walk_fn *fn,
                     void *user) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%02x", store->path, sub) >= (int)sizeof path)
    return true;
  DIR *folder = opendir(path);
  bool more = true;
  for (struct dirent *item; folder && more && (item = readdir(folder));) {
    struct stat info;
    struct kiln_stored file;
    if (parse_name(sub, item->d_name, &file.id) && has_prefix(&file.id, wanted) &&
        fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) {
      file.size = (uint64_t)info.st_size;
      file.used = kiln_time_ns(info.st_mtim);
      more = fn(user, &file);
    }
  }
  if (folder)
    closedir(folder);
  return more;
}

void kiln_store_walk(struct kiln_store *store, kiln_walk_fn *fn, void *user) {
  if (store->bundle) {
    kiln_bundle_walk(store->bundle, fn, user);
    return;
  }
  kiln_store_walk_range(store, 0, 256, fn, user);
}

void kiln_store_walk_range(struct kiln_store *store, int first, int end, kiln_walk_fn *fn, void *user) {
  for (int sub = first; sub < end; sub++)
    if (!walk_sub(store, (uint8_t)sub, NULL, fn, user))
      return;
}

struct bundle_walk {
  struct prefix wanted;
  kiln_walk_fn *fn;
  void *user;
};
static bool pass_wanted(void *user, const struct kiln_stored *file) {
  struct bundle_walk *walk = user;
  return !has_prefix(&file->id, &walk->wanted) || walk->fn(walk->user, file);
}

void kiln_store_walk_prefix(struct kiln_store *store, enum kiln_store_suffix suffix, const uint8_t *prefix, size_t size,
                            kiln_walk_fn *fn, void *user) {
  struct prefix wanted = {suffix, prefix, size};
  if (store->bundle)
    kiln_bundle_walk(store->bundle, pass_wanted, &(struct bundle_walk){wanted, fn, user});
  else
    (void)walk_sub(store, prefix[0], &wanted, fn, user);
}

bool kiln_store_remove(struct kiln_store *store, struct kiln_file_id id) {
  char path[PATH_MAX];
  return kiln_store_path(store, id.key, id.suffix, path, sizeof path) && unlink(path) == 0;
}

bool kiln_store_read_part(struct kiln_store *store, struct kiln_file_id id, uint64_t offset, void *out, size_t size) {
  if (store->bundle)
    return kiln_bundle_read_part(store->bundle, id, offset, out, size);
  char path[PATH_MAX];
  if (!kiln_store_path(store, id.key, id.suffix, path, sizeof path))
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  bool ok = fd >= 0 && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
  if (fd >= 0)
    close(fd);
  return ok;
}

// ---- size -----------------------------------------------------------------------------------------------------------

struct usage {
  uint64_t bytes;
  int64_t measured; // seconds since 1970
};
#define USAGE_FORMAT "bytes %020llu measured %020lld\n"

static int open_usage(const struct kiln_store *store) { return kiln_store_open_own(store, "usage", true); }

static bool read_usage(int fd, struct usage *usage) {
  char text[128];
  ssize_t size = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
  unsigned long long bytes;
  long long measured;
  text[size > 0 ? size : 0] = '\0';
  if (sscanf(text, "bytes %llu measured %lld", &bytes, &measured) != 2)
    return false;
  *usage = (struct usage){bytes, measured};
  return true;
}

// In place: always the same number of bytes.
static void write_usage(int fd, struct usage usage) {
  char text[128];
  int size = snprintf(text, sizeof text, USAGE_FORMAT, (unsigned long long)usage.bytes, (long long)usage.measured);
  (void)kiln_write_at(fd, text, (size_t)size, 0);
}

// Without the lock two may write at once: the estimate is then low until the next sweep.
static int lock_usage(struct kiln_store *store) {
  return kiln_store_lock_folder(store, KILN_LOCK_USAGE, kiln_now_ns() + second / 50);
}

bool kiln_store_grow(struct kiln_store *store, uint64_t bytes, uint64_t limit) {
  if (limit == 0)
    return false;
  int lock = lock_usage(store);
  struct usage usage = {0};
  int fd = open_usage(store);
  bool known = read_usage(fd, &usage);
  usage.bytes += bytes;
  if (fd >= 0) {
    write_usage(fd, usage);
    close(fd);
  }
  kiln_store_unlock(lock);
  return fd >= 0 && (!known || usage.bytes > limit || kiln_is_old(usage.measured, MEASURE_SECONDS));
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

struct candidate {
  struct kiln_stored file;
  struct kiln_store *store;
};
struct census {
  struct candidate *items;
  size_t count, capacity;
  uint64_t bytes, tuning_bytes; // of all; of the tuning records among them
  struct kiln_store *store;     // that is being walked
  int64_t latest;               // a file that was used later counts as old: the clock was wrong then
  bool failed;
};

static bool count_file(void *user, const struct kiln_stored *file) {
  struct census *census = user;
  if (census->count == census->capacity) {
    size_t capacity = census->capacity ? census->capacity * 2 : 1024;
    struct candidate *items = realloc(census->items, capacity * sizeof *items);
    if (!items) {
      census->failed = true;
      return false;
    }
    census->items = items;
    census->capacity = capacity;
  }
  struct candidate *item = &census->items[census->count++];
  *item = (struct candidate){*file, census->store};
  if (file->used > census->latest)
    item->file.used = 0;
  census->bytes += kiln_disk_bytes(file->size);
  census->tuning_bytes += file->id.suffix == KILN_SUFFIX_TUNING ? kiln_disk_bytes(file->size) : 0;
  return true;
}

static int by_use(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return x->file.used < y->file.used ? -1 : x->file.used > y->file.used;
}

static bool is_over(_Atomic uint64_t *stop) {
  uint64_t end = stop ? atomic_load(stop) : 0;
  return end != 0 && kiln_now_ns() > end;
}

// A tuning record is small and took seconds to measure, an entry is compiled again in milliseconds: records are spared
// unless they alone are more than a quarter of the limit. With a limit of 1,000 KiB and 300 KiB of records, the sweep
// removes records until 250 KiB of them are left, as far as these were used longer ago than what else it removes.
static bool is_spared(const struct census *census, const struct candidate *item, uint64_t limit) {
  return limit != 0 && item->file.id.suffix == KILN_SUFFIX_TUNING && census->tuning_bytes <= limit / 4;
}

static void remove_oldest(struct census *census, uint64_t limit, int64_t before, _Atomic uint64_t *stop,
                          struct kiln_sweep_result *result) {
  bool over = limit != 0 && census->bytes > limit;
  *result = (struct kiln_sweep_result){.left = census->count, .left_bytes = census->bytes};
  for (size_t i = 0; i < census->count && !is_over(stop); i++) {
    const struct candidate *item = &census->items[i];
    uint64_t bytes = kiln_disk_bytes(item->file.size);
    if (!(over && result->left_bytes > limit / 5 * 4) && !(limit == 0 && item->file.used < before))
      break;
    if (is_spared(census, item, limit))
      continue;
    // Readers that have the file open keep it.
    bool removed = kiln_store_remove(item->store, item->file.id);
    if (removed || errno == ENOENT) {
      census->tuning_bytes -= item->file.id.suffix == KILN_SUFFIX_TUNING ? bytes : 0;
      result->left--;
      result->left_bytes -= bytes;
      result->removed += removed;
      result->removed_bytes += removed ? bytes : 0;
    }
  }
}

static uint64_t noted_bytes(struct kiln_store *store) {
  struct usage usage = {0};
  int fd = open_usage(store);
  read_usage(fd, &usage);
  if (fd >= 0)
    close(fd);
  return usage.bytes;
}

// What a sweep left, and what was noted since it began to count: the walk may have been past its place. Returns the
// sum.
static uint64_t note_sweep(struct kiln_store *store, uint64_t left, uint64_t noted_before) {
  int lock = lock_usage(store);
  struct usage usage = {0};
  int fd = open_usage(store);
  read_usage(fd, &usage);
  uint64_t bytes = left + (usage.bytes > noted_before ? usage.bytes - noted_before : 0);
  if (fd >= 0) {
    write_usage(fd, (struct usage){bytes, time(NULL)});
    close(fd);
  }
  kiln_store_unlock(lock);
  return bytes;
}

static int64_t latest_use(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += KILN_CLOCK_SECONDS;
  return kiln_time_ns(now);
}

bool kiln_store_sweep(struct kiln_store *const *stores, uint32_t count, uint64_t limit, int64_t before,
                      _Atomic uint64_t *stop, struct kiln_sweep_result *result) {
  int lock = kiln_store_lock_folder(stores[0], KILN_LOCK_SWEEP, 0);
  // Without locks two may sweep at once: both remove what is oldest, each file once.
  if (lock < 0 && !stores[0]->no_locks && atomic_load(&stores[0]->lock_error) == 0)
    return false;
  uint64_t noted = noted_bytes(stores[0]);
  struct census census = {.latest = latest_use()};
  for (uint32_t i = 0; i < count && !census.failed; i++) {
    census.store = stores[i];
    kiln_store_walk(stores[i], count_file, &census);
  }
  if (!census.failed) {
    if (census.count != 0)
      qsort(census.items, census.count, sizeof *census.items, by_use);
    remove_oldest(&census, limit, before, stop, result);
    uint64_t now = note_sweep(stores[0], result->left_bytes, noted);
    result->again = result->left_bytes <= limit && now > limit && limit != 0;
  }
  free(census.items);
  kiln_store_unlock(lock);
  return !census.failed;
}

// ---- flushing -------------------------------------------------------------------------------------------------------

static int open_stored(const struct kiln_store *store, struct kiln_file_id id) {
  char path[PATH_MAX];
  return kiln_store_path(store, id.key, id.suffix, path, sizeof path)
             ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
             : -1;
}

// Tells the system to begin writing files to the disk.
static void start_sync(struct kiln_store *store, const struct kiln_file_id *files, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    int fd = open_stored(store, files[i]);
    if (fd >= 0) {
      (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
      close(fd);
    }
  }
}

// Flushes files to the disk, and their folders; gives up after the time *stop (kiln_now_ns; 0 or NULL: never).
static void sync_files(struct kiln_store *store, const struct kiln_file_id *files, uint32_t count,
                       _Atomic uint64_t *stop) {
  uint32_t subs[8] = {0};
  char path[PATH_MAX];
  for (uint32_t i = 0; i < count; i++) {
    if (is_over(stop))
      return;
    int fd = open_stored(store, files[i]);
    if (fd >= 0) {
      (void)fsync(fd);
      close(fd);
      subs[files[i].key.bytes[0] / 32] |= 1u << files[i].key.bytes[0] % 32;
    }
  }
  for (int sub = 0; sub < 256; sub++) {
    if (subs[sub / 32] >> sub % 32 & 1 && snprintf(path, sizeof path, "%s/%02x", store->path, sub) < (int)sizeof path) {
      int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
      if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
      }
    }
  }
}

// ---- list of toolchains ---------------------------------------------------------------------------------------------

void kiln_store_declare(struct kiln_store *store, struct kiln_hash128 toolchain, const char *label) {
  uint64_t short_id;
  memcpy(&short_id, toolchain.bytes, sizeof short_id);
  if (atomic_load_explicit(&store->declared, memory_order_relaxed) == short_id)
    return;
  char hex[33], *text = NULL;
  size_t size;
  struct kiln_strbuf line = {0};
  kiln_hash128_hex(toolchain, hex);
  kiln_strbuf_printf(&line, "%s %s\n", hex, label);
  int fd = line.failed ? -1 : kiln_store_open_own(store, "toolchains", true);
  if (fd >= 0) {
    bool there = kiln_file_read_fd(fd, &text, &size) == 0 && strstr(text, line.data);
    // One write at the end: writers do not mix. Two that write the same line do no harm.
    if (there || (fcntl(fd, F_SETFL, O_APPEND) == 0 && kiln_write_all(fd, line.data, line.size) == 0))
      atomic_store_explicit(&store->declared, short_id, memory_order_relaxed);
    close(fd);
  }
  free(text);
  kiln_strbuf_free(&line);
}

// ---- the keeper -----------------------------------------------------------------------------------------------------

static void init_locks(struct kiln_keeper *keeper) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&keeper->mutex, NULL);
  pthread_cond_init(&keeper->idle, NULL);
  pthread_cond_init(&keeper->wake, &attributes);
  pthread_condattr_destroy(&attributes);
}

void kiln_keeper_init(struct kiln_keeper *keeper) {
  init_locks(keeper);
  atomic_store(&keeper->pid, getpid());
}

// The steps of the thread; the mutex is held, but for the work itself.

static void sweep(struct kiln_keeper *keeper) {
  struct kiln_sweep_result result = {0};
  keeper->sweep_due = false;
  pthread_mutex_unlock(&keeper->mutex);
  if (kiln_store_sweep(keeper->stores, keeper->stores[1] ? 2 : 1, keeper->limit, 0, &keeper->stop, &result))
    keeper->swept(keeper->user, &result);
  pthread_mutex_lock(&keeper->mutex);
  keeper->sweep_due |= result.again;
}

static void start_writing(struct kiln_keeper *keeper) {
  struct kiln_file_id files[64];
  uint32_t count = keeper->count - keeper->started;
  count = count < 64 ? count : 64;
  memcpy(files, keeper->files + keeper->started, count * sizeof *files);
  keeper->started += count;
  pthread_mutex_unlock(&keeper->mutex);
  start_sync(keeper->stores[0], files, count);
  pthread_mutex_lock(&keeper->mutex);
}

static void flush(struct kiln_keeper *keeper) {
  struct kiln_file_id *files = keeper->files;
  uint32_t count = keeper->count;
  keeper->files = NULL;
  keeper->count = keeper->capacity = keeper->started = 0;
  pthread_mutex_unlock(&keeper->mutex);
  sync_files(keeper->stores[0], files, count, &keeper->stop);
  free(files);
  pthread_mutex_lock(&keeper->mutex);
}

// Sweeps at once; tells the system to begin writing at once; waits for the disk a second later, for many files
// together, unless the cache has been closed by then: a process that ends soon need not wait for the disk.
static void *keeper_main(void *user) {
  struct kiln_keeper *keeper = user;
  pthread_mutex_lock(&keeper->mutex);
  for (;;) {
    if (keeper->sweep_due) {
      sweep(keeper);
    } else if (keeper->started < keeper->count) {
      start_writing(keeper);
    } else if (keeper->count == 0 || atomic_load(&keeper->stop) != 0) {
      break;
    } else if (keeper->hurry || kiln_now_ns() >= keeper->due) {
      flush(keeper);
    } else {
      struct timespec until = {(time_t)(keeper->due / second), (long)(keeper->due % second)};
      pthread_cond_timedwait(&keeper->wake, &keeper->mutex, &until);
    }
  }
  keeper->busy = keeper->hurry = false;
  pthread_cond_broadcast(&keeper->idle);
  pthread_mutex_unlock(&keeper->mutex);
  return NULL;
}

// Starts the thread; the mutex is held.
static void start(struct kiln_keeper *keeper) {
  if (keeper->joinable) {
    pthread_join(keeper->thread, NULL); // it has ended, or is about to
    keeper->joinable = false;
  }
  keeper->busy = keeper->joinable = kiln_thread_start(&keeper->thread, keeper_main, keeper);
}

// A child of fork has no thread, and perhaps a mutex that nobody will unlock.
static void notice_fork(struct kiln_keeper *keeper) {
  int pid = atomic_load(&keeper->pid);
  if (pid != getpid() && atomic_compare_exchange_strong(&keeper->pid, &pid, getpid())) {
    init_locks(keeper);
    keeper->joinable = keeper->busy = keeper->sweep_due = keeper->hurry = false;
    keeper->files = NULL; // the thread may have been about to free it
    keeper->count = keeper->capacity = keeper->started = 0;
  }
}

void kiln_keeper_post(struct kiln_keeper *keeper, struct kiln_file_id file, bool sweep_due) {
  if (!sweep_due && !keeper->sync)
    return;
  notice_fork(keeper);
  pthread_mutex_lock(&keeper->mutex);
  if (keeper->sync && keeper->count == keeper->capacity && keeper->count < SYNC_QUEUE) {
    uint32_t capacity = keeper->capacity ? keeper->capacity * 2 : 16;
    struct kiln_file_id *files = realloc(keeper->files, capacity * sizeof *files);
    if (files) {
      keeper->files = files;
      keeper->capacity = capacity;
    }
  }
  if (keeper->count == 0)
    keeper->due = kiln_now_ns() + second;
  if (keeper->sync && keeper->count < keeper->capacity)
    keeper->files[keeper->count++] = file; // else it is left to the system
  keeper->sweep_due |= sweep_due;
  if (!keeper->busy)
    start(keeper);
  else
    pthread_cond_signal(&keeper->wake);
  pthread_mutex_unlock(&keeper->mutex);
}

void kiln_keeper_flush(struct kiln_keeper *keeper) {
  notice_fork(keeper);
  pthread_mutex_lock(&keeper->mutex);
  keeper->hurry = keeper->busy;
  pthread_cond_signal(&keeper->wake);
  while (keeper->busy)
    pthread_cond_wait(&keeper->idle, &keeper->mutex);
  pthread_mutex_unlock(&keeper->mutex);
}

void kiln_keeper_fini(struct kiln_keeper *keeper) {
  notice_fork(keeper);
  pthread_mutex_lock(&keeper->mutex);
  atomic_store(&keeper->stop, kiln_now_ns() + CLOSE_MS * (second / 1000));
  pthread_cond_signal(&keeper->wake);
  pthread_mutex_unlock(&keeper->mutex);
  if (keeper->joinable)
    pthread_join(keeper->thread, NULL);
  free(keeper->files);
  pthread_cond_destroy(&keeper->idle);
  pthread_cond_destroy(&keeper->wake);
  pthread_mutex_destroy(&keeper->mutex);
}
