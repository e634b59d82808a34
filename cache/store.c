// Folders, files, locks. A file appears under its name by rename from DIR/tmp, so that readers see all or nothing; it
// is never changed afterwards. The lock of a key is one byte of DIR/lock, at an offset made from the key: it leaves
// nothing behind and ends with the process that holds it.
#include "cache/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/bundle.h"

enum {
  MAX_FILE = 1 << 30,
  STALE_SECONDS = 600,   // a temporary file that is older was left by a writer that died
  SWEEP_LIMIT = 4096,    // files looked at by one sweep
  QUARANTINE_LIMIT = 32, // damaged files kept
  MAX_TOOLCHAINS = 4096, // that a layer can declare
  TOUCH_SECONDS = 86400, // the time of use is written at most this often
};

static const char *const suffixes[] = {[KILN_SUFFIX_ENTRY] = "kiln", [KILN_SUFFIX_MANIFEST] = "inc"};

// ---- trust
// ---------------------------------------------------------------------------------------------------------------

// Code is loaded from here: nobody but the user (or root, who installed a read-only store) may be able to write it.
static const char *distrust(const struct kiln_store *store, const struct stat *info) {
  if (info->st_uid != geteuid() && !(store->read_only && info->st_uid == 0)) {
    return "it belongs to another user";
  }
  return info->st_mode & (S_IWGRP | S_IWOTH) ? "other users can write to it" : NULL;
}

static enum kiln_read check_folder(const struct kiln_store *store, const char *path, const char **reason) {
  struct stat info;
  *reason = NULL;
  if (stat(path, &info) != 0) {
    return errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  }
  if (!S_ISDIR(info.st_mode)) {
    errno = ENOTDIR;
    return KILN_READ_FAILED;
  }
  *reason = distrust(store, &info);
  return *reason ? KILN_READ_REFUSED : KILN_READ_OK;
}

// Looks at the folder once. An absent one is looked for again.
static enum kiln_read check_store(struct kiln_store *store, const char **reason) {
  if (atomic_load_explicit(&store->trusted, memory_order_relaxed) > 0) {
    return KILN_READ_OK;
  }
  enum kiln_read result = check_folder(store, store->path, reason);
  if (result == KILN_READ_OK) {
    atomic_store_explicit(&store->trusted, 1, memory_order_relaxed);
  }
  return result;
}

static enum kiln_read check_sub(struct kiln_store *store, struct kiln_hash128 key, const char **reason) {
  uint8_t sub = key.bytes[0];
  if (atomic_load_explicit(&store->subs[sub / 32], memory_order_relaxed) >> sub % 32 & 1) {
    return KILN_READ_OK;
  }
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%02x", store->path, sub) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    *reason = NULL;
    return KILN_READ_FAILED;
  }
  enum kiln_read result = check_folder(store, path, reason);
  if (result == KILN_READ_OK) {
    atomic_fetch_or_explicit(&store->subs[sub / 32], 1u << sub % 32, memory_order_relaxed);
  }
  return result;
}

// ---- store
// -----------------------------------------------------------------------------------------------------------------

// One line of a list of toolchains: 32 hexadecimal digits, then, after a blank, the target that it is for. Anything
// else is a comment.
static bool parse_toolchain(const char *line, size_t size, struct kiln_toolchain *out) {
  static const char hex[] = "0123456789abcdef";
  if (size < 32 || (size > 32 && line[32] != ' ')) {
    return false;
  }
  for (int i = 0; i < 32; i++) {
    const char *digit = line[i] ? strchr(hex, line[i]) : NULL;
    if (!digit) {
      return false;
    }
    uint8_t *byte = &out->id.bytes[i / 2];
    *byte = (uint8_t)(i % 2 ? *byte | (digit - hex) : (digit - hex) << 4);
  }
  size_t skip = 32 + strspn(line + 32, " ");
  out->label = strndup(line + (skip < size ? skip : size), skip < size ? size - skip : 0);
  return out->label != NULL;
}

void kiln_store_read_toolchains(struct kiln_store *store, const char *text) {
  uint32_t capacity = store->toolchain_count;
  while (*text && store->toolchain_count < MAX_TOOLCHAINS) {
    size_t size = strcspn(text, "\n");
    struct kiln_toolchain toolchain;
    if (parse_toolchain(text, size, &toolchain)) {
      if (store->toolchain_count == capacity) {
        capacity = capacity ? capacity * 2 : 16;
        struct kiln_toolchain *grown = realloc(store->toolchains, capacity * sizeof *grown);
        if (!grown) {
          free(toolchain.label);
          return;
        }
        store->toolchains = grown;
      }
      store->toolchains[store->toolchain_count++] = toolchain;
    }
    text += size + (text[size] == '\n');
  }
}

static void read_toolchain_file(struct kiln_store *store) {
  char path[PATH_MAX], *text;
  size_t size;
  if (snprintf(path, sizeof path, "%s/toolchains", store->path) < (int)sizeof path &&
      kiln_file_read(path, &text, &size) == 0) {
    kiln_store_read_toolchains(store, text);
    free(text);
  }
}

// Opens a layer that is one file. *problem: why it cannot be used; NULL as well where there is no such file.
static bool open_bundle_layer(struct kiln_store *store, const char **problem) {
  int fd = open(store->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd >= 0) {
      close(fd);
    }
    return false;
  }
  *problem = distrust(store, &info);
  if (!*problem) {
    *problem = kiln_bundle_open_file(fd, (uint64_t)info.st_size, &store->bundle);
  }
  if (*problem) {
    close(fd);
    return false;
  }
  kiln_store_read_toolchains(store, store->bundle->toolchains);
  return true;
}

bool kiln_store_init(struct kiln_store *store, const char *path, size_t path_size, bool read_only, bool layer,
                     const char **problem) {
  *store = (struct kiln_store){.read_only = read_only};
  *problem = NULL;
  while (path_size > 1 && path[path_size - 1] == '/') {
    path_size--;
  }
  char folder[PATH_MAX];
  struct kiln_strbuf absolute = {0};
  if (path[0] != '/' && getcwd(folder, sizeof folder)) { // the host may change its folder later
    kiln_strbuf_printf(&absolute, "%s/", folder);
  }
  kiln_strbuf_append(&absolute, path, path_size);
  store->path = kiln_strbuf_take(&absolute);
  const char *reason;
  if (store->path && layer && !open_bundle_layer(store, problem) && check_store(store, &reason) == KILN_READ_OK) {
    read_toolchain_file(store);
  }
  return store->path != NULL;
}

void kiln_store_free(struct kiln_store *store) {
  for (uint32_t i = 0; i < store->toolchain_count; i++) {
    free(store->toolchains[i].label);
  }
  kiln_bundle_close(store->bundle);
  free(store->path);
  free(store->toolchains);
}

bool kiln_store_path(const struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix, char *out,
                     size_t out_size) {
  char hex[33];
  kiln_hash128_hex(key, hex);
  return !store->bundle &&
         snprintf(out, out_size, "%s/%.2s/%s.%s", store->path, hex, hex + 2, suffixes[suffix]) < (int)out_size;
}

// ---- reading
// ---------------------------------------------------------------------------------------------------------------

static enum kiln_read read_open(const struct kiln_store *store, int fd, char **out, size_t *out_size,
                                const char **reason) {
  struct stat info;
  *reason = NULL;
  if (fstat(fd, &info) != 0) {
    return KILN_READ_FAILED;
  }
  if (!S_ISREG(info.st_mode)) {
    *reason = "it is not a regular file";
    return KILN_READ_REFUSED;
  }
  if ((*reason = distrust(store, &info))) {
    return KILN_READ_REFUSED;
  }
  if (info.st_size > MAX_FILE) {
    errno = EFBIG;
    return KILN_READ_FAILED;
  }
  if (store->touch && info.st_mtime < time(NULL) - TOUCH_SECONDS) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    (void)futimens(fd, times); // a file that loses its time goes sooner, that is all
  }
  // Read rather than mapped: a file that somebody cuts short must be a miss, not a SIGBUS.
  size_t size = (size_t)info.st_size, got = 0;
  char *data = malloc(size + 1);
  if (!data) {
    return KILN_READ_FAILED;
  }
  while (got < size) {
    ssize_t part = read(fd, data + got, size - got);
    if (part < 0 && errno == EINTR) {
      continue;
    }
    if (part < 0) {
      free(data);
      return KILN_READ_FAILED;
    }
    if (part == 0) {
      break;
    }
    got += (size_t)part;
  }
  *out = data;
  *out_size = got;
  return KILN_READ_OK;
}

enum kiln_read kiln_store_read(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                               char **out, size_t *out_size, const char **reason) {
  if (store->bundle) {
    *reason = NULL;
    if (kiln_bundle_read(store->bundle, (struct kiln_file_id){key, suffix}, out, out_size)) {
      return KILN_READ_OK;
    }
    return errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  }
  enum kiln_read result = check_store(store, reason);
  if (result != KILN_READ_OK) {
    return result;
  }
  char path[PATH_MAX];
  if (!kiln_store_path(store, key, suffix, path, sizeof path)) {
    errno = ENAMETOOLONG;
    *reason = NULL;
    return KILN_READ_FAILED;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    *reason = NULL;
    return errno == ENOENT || errno == ENOTDIR ? KILN_READ_ABSENT : KILN_READ_FAILED;
  }
  result = check_sub(store, key, reason);
  if (result == KILN_READ_OK) {
    result = read_open(store, fd, out, out_size, reason);
  }
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------------

static uint64_t random64(void) {
  uint64_t random;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random) {
    random = kiln_now_ns() ^ (uint64_t)getpid() << 40;
  }
  return random;
}

// Backup programs leave folders with this file alone.
static void write_tag(const struct kiln_store *store) {
  static const char tag[] = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder holds a cache of compiled "
                            "compute kernels and can be deleted at any time.\n";
  char path[PATH_MAX];
  struct stat info;
  if (snprintf(path, sizeof path, "%s/CACHEDIR.TAG", store->path) < (int)sizeof path && stat(path, &info) != 0) {
    (void)kiln_file_write(path, tag, sizeof tag - 1);
  }
}

// Makes DIR/sub, and DIR itself where it is missing.
static bool make_sub(struct kiln_store *store, const char *sub, const char **reason) {
  char path[PATH_MAX];
  *reason = NULL;
  if (snprintf(path, sizeof path, "%s/%s", store->path, sub) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (mkdir(path, 0700) == 0 || errno == EEXIST) {
    return true;
  }
  int error = errno == ENOENT ? kiln_make_folder(store->path) : errno;
  if (error == 0) {
    write_tag(store);
    error = kiln_make_folder(path);
  }
  errno = error;
  return error == 0;
}

// Removes what writers that were killed have left in DIR/tmp.
static void sweep(struct kiln_store *store) {
  if (atomic_exchange_explicit(&store->swept, true, memory_order_relaxed)) {
    return;
  }
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/tmp", store->path) >= (int)sizeof path) {
    return;
  }
  DIR *folder = opendir(path);
  if (!folder) {
    return;
  }
  time_t now = time(NULL);
  struct dirent *item;
  for (int i = 0; i < SWEEP_LIMIT && (item = readdir(folder)); i++) {
    struct stat info;
    if (fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode) &&
        info.st_mtime < now - STALE_SECONDS) {
      unlinkat(dirfd(folder), item->d_name, 0);
    }
  }
  closedir(folder);
}

// Opens a file of a new name in DIR/tmp.
static int open_temp(struct kiln_store *store, char *path, size_t path_size, const char **reason) {
  for (int i = 0; i < 8; i++) {
    if (snprintf(path, path_size, "%s/tmp/%016llx", store->path, (unsigned long long)random64()) >= (int)path_size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 || (errno != EEXIST && errno != ENOENT)) {
      return fd;
    }
    if (errno == ENOENT && !make_sub(store, "tmp", reason)) {
      return -1;
    }
  }
  return -1;
}

static bool write_all(int fd, const char *data, size_t size) {
  while (size != 0) {
    ssize_t put = write(fd, data, size);
    if (put < 0 && errno != EINTR) {
      return false;
    }
    if (put > 0) {
      data += put;
      size -= (size_t)put;
    }
  }
  return true;
}

// Makes the folder when it is missing, then looks whether it can be trusted.
static bool ready_to_write(struct kiln_store *store, const char **reason) {
  *reason = NULL;
  enum kiln_read state = check_store(store, reason);
  if (state == KILN_READ_ABSENT) {
    if (!make_sub(store, "tmp", reason)) {
      return false;
    }
    state = check_store(store, reason);
  }
  return state == KILN_READ_OK;
}

bool kiln_store_write(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                      const void *data, size_t size, const char **reason) {
  char path[PATH_MAX], temp[PATH_MAX], sub[3];
  if (!ready_to_write(store, reason)) {
    return false;
  }
  sweep(store);
  if (!kiln_store_path(store, key, suffix, path, sizeof path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  int fd = open_temp(store, temp, sizeof temp, reason);
  if (fd < 0) {
    return false;
  }
  // No fsync: after a crash of the machine the checksum tells a torn file, and nobody waits for the disk.
  bool ok = write_all(fd, data, size);
  int error = errno;
  if (close(fd) != 0 && ok) {
    ok = false;
    error = errno;
  }
  snprintf(sub, sizeof sub, "%02x", key.bytes[0]);
  if (ok) { // what is in a folder of somebody else could be swapped after it was checked
    enum kiln_read state = check_sub(store, key, reason);
    ok = state == KILN_READ_OK || (state == KILN_READ_ABSENT && make_sub(store, sub, reason));
    error = errno;
  }
  if (ok && rename(temp, path) != 0) {
    ok = errno == ENOENT && make_sub(store, sub, reason) && rename(temp, path) == 0; // it has just been deleted
    error = errno;
  }
  if (!ok) {
    unlink(temp);
  }
  errno = error;
  return ok;
}

void kiln_store_quarantine(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix) {
  char from[PATH_MAX], folder[PATH_MAX], to[PATH_MAX + 64], hex[33];
  const char *reason;
  kiln_hash128_hex(key, hex);
  if (store->read_only || !kiln_store_path(store, key, suffix, from, sizeof from) ||
      snprintf(folder, sizeof folder, "%s/quarantine", store->path) >= (int)sizeof folder) {
    return;
  }
  uint32_t count = 0;
  DIR *items = opendir(folder);
  while (items && readdir(items)) {
    count++; // "." and ".." included
  }
  if (items) {
    closedir(items);
  }
  snprintf(to, sizeof to, "%s/%s.%s.%08x", folder, hex, suffixes[suffix], (unsigned)random64());
  if (count >= QUARANTINE_LIMIT + 2 || !make_sub(store, "quarantine", &reason) || rename(from, to) != 0) {
    unlink(from);
  }
}

// ---- locks
// -----------------------------------------------------------------------------------------------------------------

static void nap(uint64_t ns) {
  struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
  nanosleep(&time, NULL);
}

static int lock_byte(struct kiln_store *store, uint64_t offset, uint64_t deadline, bool *waited, bool *timed_out) {
  char path[PATH_MAX];
  const char *reason;
  *waited = *timed_out = false;
  if (store->no_locks || !ready_to_write(store, &reason) ||
      snprintf(path, sizeof path, "%s/lock", store->path) >= (int)sizeof path) {
    return -1;
  }
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return -1;
  }
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
  // There is no waiting with a time limit for these locks, so ask again and again, ever more rarely.
  for (uint64_t pause = 50000;; pause = pause < 5000000 ? pause * 2 : pause) {
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
      return fd;
    }
    bool busy = errno == EAGAIN || errno == EACCES;
    if (!busy || kiln_now_ns() >= deadline) {
      *timed_out = busy;
      close(fd);
      return -1;
    }
    *waited = true;
    nap(pause);
  }
}

int kiln_store_lock(struct kiln_store *store, struct kiln_hash128 key, uint64_t deadline, bool *waited,
                    bool *timed_out) {
  uint64_t offset;
  memcpy(&offset, key.bytes, sizeof offset);
  return lock_byte(store, offset >> 2, deadline, waited, timed_out);
}

int kiln_store_lock_folder(struct kiln_store *store, enum kiln_folder_lock which, uint64_t deadline) {
  bool waited, timed_out;
  return lock_byte(store, ((uint64_t)1 << 62) + which, deadline, &waited, &timed_out); // behind those of all keys
}

void kiln_store_unlock(int lock) {
  if (lock >= 0) {
    // Said aloud, for a child of the host may still have the descriptor.
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(lock, F_OFD_SETLK, &all);
    close(lock);
  }
}
