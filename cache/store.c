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
#include "base/write.h"
#include "cache/bundle.h"

enum {
  MAX_FILE = 1 << 30,
  STALE_SECONDS = 600,   // a temporary file that is older was left by a writer that died
  SWEEP_LIMIT = 4096,    // files looked at by one sweep
  QUARANTINE_LIMIT = 32, // damaged files kept
  MAX_TOOLCHAINS = 4096, // that a layer can declare
  TOUCH_SECONDS = 86400, // the time of use is written at most this often
};

const char *const kiln_suffixes[KILN_SUFFIXES] = {
    [KILN_SUFFIX_ENTRY] = "kiln", [KILN_SUFFIX_MANIFEST] = "inc", [KILN_SUFFIX_TUNING] = "tune"};

// ---- folders --------------------------------------------------------------------------------------------------------

// Folders are entered by descriptor, and looked at each time: one that was deleted may have been made again by somebody
// else. What was looked at is then what is used.

bool kiln_is_old(time_t when, time_t seconds) {
  time_t now = time(NULL);
  return when < now - seconds || when > now + KILN_CLOCK_SECONDS;
}

static void close_keeping_errno(int fd) {
  int error = errno;
  close(fd);
  errno = error;
}

static enum kiln_read open_top(const struct kiln_store *store, struct kiln_folder *out, const char **reason) {
  struct stat info;
  int fd = kiln_trust_open_folder(&store->trust, store->path, &info, reason);
  if (fd < 0)
    return *reason ? KILN_READ_REFUSED : errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  bool team = info.st_mode & S_IWGRP && kiln_trusts_group(&store->trust, info.st_gid);
  *out = (struct kiln_folder){.fd = fd, .team = team, .group = info.st_gid};
  return KILN_READ_OK;
}

static enum kiln_read open_below(const struct kiln_store *store, const struct kiln_folder *top, const char *sub,
                                 struct kiln_folder *out, const char **reason) {
  struct stat info;
  *out = *top;
  out->fd = openat(top->fd, sub, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (out->fd < 0)
    return errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  enum kiln_read state = KILN_READ_FAILED;
  if (fstat(out->fd, &info) == 0) {
    *reason = kiln_distrust(&store->trust, &info);
    state = *reason ? KILN_READ_REFUSED : KILN_READ_OK;
  }
  if (state != KILN_READ_OK)
    close_keeping_errno(out->fd);
  return state;
}

// Gives what was made in a team's folder to the team.
static void hand_over(const struct kiln_folder *folder, int fd, mode_t mode) {
  if (folder->team && fchown(fd, (uid_t)-1, folder->group) == 0)
    (void)fchmod(fd, mode);
}

static bool make_below(const struct kiln_folder *top, const char *sub) {
  if (mkdirat(top->fd, sub, 0700) != 0)
    return errno == EEXIST;
  int fd = top->team ? openat(top->fd, sub, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (fd >= 0) {
    hand_over(top, fd, S_ISGID | 0770);
    close(fd);
  }
  return true;
}

// Backup programs leave folders with this file alone.
static void write_tag(const struct kiln_folder *top) {
  static const char tag[] = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder holds a cache of compiled "
                            "compute kernels and can be deleted at any time.\n";
  int fd = openat(top->fd, "CACHEDIR.TAG", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) {
    (void)kiln_write_all(fd, tag, sizeof tag - 1);
    close(fd);
  }
}

// Opens DIR (sub NULL) or DIR/sub; with make, makes what is missing. *reason, NULL before, says why it is not trusted.
static enum kiln_read enter(const struct kiln_store *store, const char *sub, bool make, struct kiln_folder *out,
                            const char **reason) {
  struct kiln_folder top = {.fd = -1};
  enum kiln_read state = open_top(store, &top, reason);
  if (state == KILN_READ_ABSENT && make) {
    int error = kiln_make_folder(store->path);
    if (error != 0) {
      errno = error;
      return KILN_READ_FAILED;
    }
    state = open_top(store, &top, reason);
    if (state == KILN_READ_OK)
      write_tag(&top);
  }
  if (state != KILN_READ_OK || !sub) {
    *out = top;
    return state;
  }
  state = open_below(store, &top, sub, out, reason);
  if (state == KILN_READ_ABSENT && make)
    state = make_below(&top, sub) ? open_below(store, &top, sub, out, reason) : KILN_READ_FAILED;
  close_keeping_errno(top.fd);
  return state;
}

int kiln_store_open_own(const struct kiln_store *store, const char *name, bool write) {
  struct kiln_folder top;
  const char *reason = NULL;
  struct stat info;
  if (enter(store, NULL, write, &top, &reason) != KILN_READ_OK)
    return -1;
  int flags = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int fd = openat(top.fd, name, flags);
  if (fd < 0 && errno == ENOENT && write) {
    fd = openat(top.fd, name, flags | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
      hand_over(&top, fd, 0660);
    else if (errno == EEXIST) // somebody else was faster
      fd = openat(top.fd, name, flags);
  }
  close_keeping_errno(top.fd);
  // A file with a second name could be changed through that.
  if (fd >= 0 &&
      (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink > 1 || kiln_distrust(&store->trust, &info))) {
    close(fd);
    errno = EPERM;
    return -1;
  }
  return fd;
}

// ---- store ----------------------------------------------------------------------------------------------------------

bool kiln_toolchain_read(const char *digits, struct kiln_hash128 *out) {
  static const char hex[] = "0123456789abcdef";
  for (int i = 0; i < 32; i++) {
    const char *digit = digits[i] ? strchr(hex, digits[i]) : NULL;
    if (!digit)
      return false;
    uint8_t *byte = &out->bytes[i / 2];
    *byte = (uint8_t)(i % 2 ? *byte | (digit - hex) : (digit - hex) << 4);
  }
  return true;
}

// One line of a list of toolchains: 32 hexadecimal digits, then, after a blank, the target that it is for. Anything
// else is a comment.
static bool parse_toolchain(const char *line, size_t size, struct kiln_toolchain *out) {
  if (size < 32 || (size > 32 && line[32] != ' ') || !kiln_toolchain_read(line, &out->id))
    return false;
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
  char *text;
  size_t size;
  int fd = kiln_store_open_own(store, "toolchains", false);
  if (fd >= 0 && kiln_file_read_fd(fd, &text, &size) == 0) {
    kiln_store_read_toolchains(store, text);
    free(text);
  }
  if (fd >= 0)
    close(fd);
}

// Opens a layer that is one file. *problem: why it cannot be used; NULL as well where there is no such file.
static bool open_bundle_layer(struct kiln_store *store, const char **problem) {
  int fd = open(store->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat info;
  int error = errno;
  if (fd < 0 && stat(store->path, &info) == 0 && S_ISREG(info.st_mode))
    *problem = strerrordesc_np(error);
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd >= 0)
      close(fd);
    return false;
  }
  *problem = kiln_distrust(&store->trust, &info);
  if (!*problem)
    *problem = kiln_bundle_open_file(fd, (uint64_t)info.st_size, &store->bundle);
  if (*problem) {
    close(fd);
    return false;
  }
  kiln_store_read_toolchains(store, store->bundle->toolchains);
  return true;
}

bool kiln_store_init(struct kiln_store *store, const char *path, size_t path_size, const struct kiln_trust *trust,
                     bool read_only, bool layer, const char **problem) {
  *store = (struct kiln_store){.read_only = read_only};
  if (trust)
    store->trust = *trust;
  *problem = NULL;
  while (path_size > 1 && path[path_size - 1] == '/')
    path_size--;
  char folder[PATH_MAX];
  struct kiln_strbuf absolute = {0};
  if (path[0] != '/' && getcwd(folder, sizeof folder)) // the host may change its folder later
    kiln_strbuf_printf(&absolute, "%s/", folder);
  kiln_strbuf_append(&absolute, path, path_size);
  store->path = kiln_strbuf_take(&absolute);
  if (store->path && layer && !open_bundle_layer(store, problem))
    read_toolchain_file(store);
  return store->path != NULL;
}

void kiln_store_free(struct kiln_store *store) {
  for (uint32_t i = 0; i < store->toolchain_count; i++)
    free(store->toolchains[i].label);
  kiln_bundle_close(store->bundle);
  free(store->path);
  free(store->toolchains);
}

bool kiln_store_path(const struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix, char *out,
                     size_t out_size) {
  char hex[33];
  kiln_hash128_hex(key, hex);
  return !store->bundle &&
         snprintf(out, out_size, "%s/%.2s/%s.%s", store->path, hex, hex + 2, kiln_suffixes[suffix]) < (int)out_size;
}

// Where a file lies below DIR: its folder and its name there.
struct file_name {
  char hex[33], sub[3], name[40];
};
static struct file_name name_of(struct kiln_hash128 key, enum kiln_store_suffix suffix) {
  struct file_name out;
  kiln_hash128_hex(key, out.hex);
  snprintf(out.sub, sizeof out.sub, "%.2s", out.hex);
  snprintf(out.name, sizeof out.name, "%.30s.%.4s", out.hex + 2, kiln_suffixes[suffix]);
  return out;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static enum kiln_read read_open(const struct kiln_store *store, int fd, struct kiln_image_file *out,
                                const char **reason) {
  struct stat info;
  *reason = NULL;
  if (fstat(fd, &info) != 0)
    return KILN_READ_FAILED;
  *reason = S_ISREG(info.st_mode) ? kiln_distrust(&store->trust, &info) : "it is not a regular file";
  if (*reason)
    return KILN_READ_REFUSED;
  if (info.st_size > MAX_FILE) {
    errno = EFBIG;
    return KILN_READ_FAILED;
  }
  if (store->touch && kiln_is_old(info.st_mtime, TOUCH_SECONDS)) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    (void)futimens(fd, times); // a file that loses its time goes sooner, that is all
  }
  // Read rather than mapped: a file that somebody cuts short must be a miss, not a SIGBUS.
  size_t size = (size_t)info.st_size, got = 0;
  char *data = malloc(size + 1);
  if (!data)
    return KILN_READ_FAILED;
  while (got < size) {
    ssize_t part = read(fd, data + got, size - got);
    if (part < 0 && errno == EINTR)
      continue;
    if (part < 0) {
      free(data);
      return KILN_READ_FAILED;
    }
    if (part == 0)
      break;
    got += (size_t)part;
  }
  *out = (struct kiln_image_file){data, got, info.st_uid == 0};
  return KILN_READ_OK;
}

enum kiln_read kiln_store_read(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                               struct kiln_image_file *out, const char **reason) {
  *reason = NULL;
  *out = (struct kiln_image_file){0};
  if (store->bundle) {
    if (kiln_bundle_read(store->bundle, (struct kiln_file_id){key, suffix}, &out->data, &out->size))
      return KILN_READ_OK;
    return errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  }
  struct file_name file = name_of(key, suffix);
  struct kiln_folder folder;
  enum kiln_read result = enter(store, file.sub, false, &folder, reason);
  if (result != KILN_READ_OK)
    return result;
  int fd = openat(folder.fd, file.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  close_keeping_errno(folder.fd);
  if (fd < 0)
    return errno == ENOENT ? KILN_READ_ABSENT : KILN_READ_FAILED;
  result = read_open(store, fd, out, reason);
  close_keeping_errno(fd);
  return result;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static uint64_t random64(void) {
  uint64_t random;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
    random = kiln_now_ns() ^ (uint64_t)getpid() << 40;
  return random;
}

static DIR *list(const struct kiln_folder *folder) {
  int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *items = fd >= 0 ? fdopendir(fd) : NULL;
  if (!items && fd >= 0)
    close(fd);
  return items;
}

// Removes what writers that were killed have left in DIR/tmp.
static void sweep(struct kiln_store *store, const struct kiln_folder *temp) {
  DIR *folder = atomic_exchange_explicit(&store->swept, true, memory_order_relaxed) ? NULL : list(temp);
  if (!folder)
    return;
  struct dirent *item;
  for (int i = 0; i < SWEEP_LIMIT && (item = readdir(folder)); i++) {
    struct stat info;
    if (fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode) &&
        kiln_is_old(info.st_mtime, STALE_SECONDS))
      unlinkat(dirfd(folder), item->d_name, 0);
  }
  closedir(folder);
}

// Writes a file of a new name in DIR/tmp.
static bool write_temp(const struct kiln_folder *folder, char name[24], const void *data, size_t size) {
  int fd = -1;
  for (int i = 0; i < 8 && fd < 0; i++) {
    snprintf(name, 24, "%016llx", (unsigned long long)random64());
    fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0)
    return false;
  hand_over(folder, fd, 0640);
  // No fsync: after a crash of the machine the checksum tells a torn file, and nobody waits for the disk.
  int error = kiln_write_all(fd, data, size);
  if (close(fd) != 0 && error == 0)
    error = errno;
  if (error != 0) {
    unlinkat(folder->fd, name, 0);
    errno = error;
  }
  return error == 0;
}

// Moves a file from DIR/tmp to where it belongs.
static bool move_in(struct kiln_store *store, const struct kiln_folder *temp, const char *name,
                    const struct file_name *file, const char **reason) {
  struct kiln_folder folder;
  if (enter(store, file->sub, true, &folder, reason) != KILN_READ_OK)
    return false;
  bool moved = renameat(temp->fd, name, folder.fd, file->name) == 0;
  close_keeping_errno(folder.fd);
  return moved;
}

bool kiln_store_write(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix,
                      const void *data, size_t size, const char **reason) {
  struct file_name file = name_of(key, suffix);
  struct kiln_folder temp;
  char name[24];
  *reason = NULL;
  if (enter(store, "tmp", true, &temp, reason) != KILN_READ_OK)
    return false;
  sweep(store, &temp);
  bool ok = write_temp(&temp, name, data, size);
  if (ok && !move_in(store, &temp, name, &file, reason)) {
    // Once more where its folder has just been deleted.
    ok = !*reason && errno == ENOENT && move_in(store, &temp, name, &file, reason);
    if (!ok) {
      int error = errno;
      unlinkat(temp.fd, name, 0);
      errno = error;
    }
  }
  close_keeping_errno(temp.fd);
  return ok;
}

void kiln_store_quarantine(struct kiln_store *store, struct kiln_hash128 key, enum kiln_store_suffix suffix) {
  struct file_name file = name_of(key, suffix);
  struct kiln_folder folder, away;
  const char *reason = NULL;
  if (store->read_only || store->bundle || enter(store, file.sub, false, &folder, &reason) != KILN_READ_OK)
    return;
  bool moved = false;
  if (enter(store, "quarantine", true, &away, &reason) == KILN_READ_OK) {
    DIR *items = list(&away);
    uint32_t count = 0;
    while (items && readdir(items))
      count++; // "." and ".." included
    if (items)
      closedir(items);
    char to[80];
    snprintf(to, sizeof to, "%s.%s.%08x", file.hex, kiln_suffixes[suffix], (unsigned)random64());
    moved = count < QUARANTINE_LIMIT + 2 && renameat(folder.fd, file.name, away.fd, to) == 0;
    close(away.fd);
  }
  if (!moved)
    unlinkat(folder.fd, file.name, 0);
  close(folder.fd);
}

// ---- locks ----------------------------------------------------------------------------------------------------------

static void nap(uint64_t ns) {
  struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
  nanosleep(&time, NULL);
}

static int lock_byte(struct kiln_store *store, uint64_t offset, uint64_t deadline, bool *waited, bool *timed_out) {
  *waited = *timed_out = false;
  int fd = store->no_locks ? -1 : kiln_store_open_own(store, "lock", true);
  if (fd < 0)
    return -1;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
  // There is no waiting with a time limit for these locks, so ask again and again, ever more rarely.
  for (uint64_t pause = 50000;; pause = pause < 5000000 ? pause * 2 : pause) {
    int error = fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
    bool busy = error == EAGAIN || error == EACCES;
    atomic_store_explicit(&store->lock_error, busy || error == EINTR ? 0 : error, memory_order_relaxed);
    if (error == 0)
      return fd;
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
  return lock_byte(store, ((uint64_t)1 << 62) + which, deadline, &waited, &timed_out); // after those of all keys
}

void kiln_store_unlock(int lock) {
  if (lock >= 0) {
    // Unlocked explicitly: closing does not unlock while a child of the host has the descriptor.
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(lock, F_OFD_SETLK, &all);
    close(lock);
  }
}
