// Files, folders, the clock, and the build id of an ELF file.
#include "base/file.h"

#include <elf.h>
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

#include "base/write.h"

enum { MAX_FILE = 1 << 30 };

// Reads until the end, which may be elsewhere than fstat said.
static int read_all(int fd, size_t expected, char **out, size_t *out_size) {
  size_t capacity = expected + 2, size = 0;
  char *data = malloc(capacity);
  for (;;) {
    if (!data)
      return ENOMEM;
    ssize_t got = read(fd, data + size, capacity - 1 - size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0 || size + (size_t)got > MAX_FILE) {
      int error = got < 0 ? errno : EFBIG;
      free(data);
      return error;
    }
    size += (size_t)got;
    if (got == 0) {
      data[size] = '\0';
      *out = data;
      *out_size = size;
      return 0;
    }
    if (size == capacity - 1) {
      capacity *= 2;
      char *larger = realloc(data, capacity);
      if (!larger)
        free(data);
      data = larger;
    }
  }
}

int kiln_file_read_fd(int fd, char **out, size_t *out_size) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return errno;
  if (!S_ISREG(info.st_mode))
    return S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
  return info.st_size > MAX_FILE ? EFBIG : read_all(fd, (size_t)info.st_size, out, out_size);
}

int kiln_file_read(const char *path, char **out, size_t *out_size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a pipe without a writer would block here
  if (fd < 0)
    return errno;
  int error = kiln_file_read_fd(fd, out, out_size);
  close(fd);
  return error;
}

int kiln_file_open_temp(const char *path, char *temp, size_t temp_size, unsigned mode) {
  for (int i = 0; i < 16; i++) {
    uint64_t random = kiln_now_ns();
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
      random += (uint64_t)getpid() << 32;
    if (snprintf(temp, temp_size, "%s.%016llx.tmp", path, (unsigned long long)random) >= (int)temp_size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

// Puts a new file in the place of whatever path names.
static int replace(const char *path, const void *data, size_t size, unsigned mode) {
  char temp[PATH_MAX + 32];
  int fd = kiln_file_open_temp(path, temp, sizeof temp, mode);
  if (fd < 0)
    return errno;
  int error = kiln_write_all(fd, data, size);
  if (close(fd) != 0 && error == 0)
    error = errno;
  if (error == 0 && rename(temp, path) != 0)
    error = errno;
  if (error != 0)
    unlink(temp);
  return error;
}

int kiln_file_write(const char *path, const void *data, size_t size) {
  char real[PATH_MAX];
  struct stat info;
  if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && realpath(path, real))
    path = real;                                          // the link stays, its target is replaced
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) { // a device or pipe is written to, not replaced
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      return errno;
    int error = kiln_write_all(fd, data, size);
    return close(fd) != 0 && error == 0 ? errno : error;
  }
  return replace(path, data, size, 0666);
}

int kiln_file_write_private(const char *path, const void *data, size_t size) { return replace(path, data, size, 0600); }

int kiln_file_open_private(const char *path, int flags) {
  flags |= O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
  if (fd < 0 && errno == EEXIST)
    fd = open(path, flags);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0)
    return fd;
  // A second name may be one that somebody else gave to a file of ours.
  bool ours = S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1;
  if (!ours) {
    close(fd);
    errno = EPERM;
    return -1;
  }
  return fd;
}

int kiln_file_open_locked(const char *path, int flags) {
  int fd = kiln_file_open_private(path, flags);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  for (int i = 0; fd >= 0 && i < 2000 && fcntl(fd, F_OFD_SETLK, &lock) != 0; i++) {
    if (errno != EAGAIN && errno != EACCES) {
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  return fd;
}

static int make_one(const char *path) {
  if (mkdir(path, 0700) == 0)
    return 0;
  int error = errno;
  struct stat info; // on a read-only file system an existing folder gives EROFS rather than EEXIST
  if (stat(path, &info) == 0)
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  return error == EEXIST ? ENOENT : error;
}

int kiln_make_folder(const char *path) {
  struct stat info;
  if (stat(path, &info) == 0)
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  char part[PATH_MAX];
  size_t size = strlen(path);
  if (size == 0 || size >= sizeof part)
    return size ? ENAMETOOLONG : ENOENT;
  memcpy(part, path, size + 1);
  for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    int error = make_one(part);
    *slash = '/';
    if (error != 0)
      return error;
  }
  return make_one(part);
}

uint64_t kiln_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t kiln_time_ns(struct timespec time) {
  int64_t ns;
  if (__builtin_mul_overflow((int64_t)time.tv_sec, (int64_t)1000000000, &ns) ||
      __builtin_add_overflow(ns, (int64_t)time.tv_nsec, &ns))
    return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  return ns;
}

static bool read_at(int fd, void *out, size_t size, uint64_t offset) {
  return offset <= INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

// Looks for the GNU build id among the notes in [offset, offset + size).
static bool find_build_id(int fd, uint64_t offset, uint64_t size, char *out, size_t out_size) {
  Elf64_Nhdr note; // the same in both classes
  for (uint64_t at = 0; at + sizeof note <= size;) {
    unsigned char name[4], id[64];
    if (!read_at(fd, &note, sizeof note, offset + at))
      return false;
    uint64_t name_at = at + sizeof note;
    uint64_t id_at = name_at + (((uint64_t)note.n_namesz + 3) & ~3ull);
    if (id_at + note.n_descsz > size)
      return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof name && note.n_descsz != 0 &&
        note.n_descsz <= sizeof id && (size_t)note.n_descsz * 2 < out_size &&
        read_at(fd, name, sizeof name, offset + name_at) && memcmp(name, "GNU", sizeof name) == 0) {
      if (!read_at(fd, id, note.n_descsz, offset + id_at))
        return false;
      for (uint32_t i = 0; i < note.n_descsz; i++)
        snprintf(out + 2 * (size_t)i, 3, "%02x", id[i]);
      return true;
    }
    at = id_at + (((uint64_t)note.n_descsz + 3) & ~3ull);
  }
  return false;
}

static bool build_id_64(int fd, char *out, size_t size) {
  Elf64_Ehdr header;
  if (!read_at(fd, &header, sizeof header, 0) || header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (uint32_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!read_at(fd, &segment, sizeof segment, header.e_phoff + (uint64_t)i * sizeof segment))
      return false;
    if (segment.p_type == PT_NOTE && find_build_id(fd, segment.p_offset, segment.p_filesz, out, size))
      return true;
  }
  return false;
}

static bool build_id_32(int fd, char *out, size_t size) {
  Elf32_Ehdr header;
  if (!read_at(fd, &header, sizeof header, 0) || header.e_phentsize != sizeof(Elf32_Phdr))
    return false;
  for (uint32_t i = 0; i < header.e_phnum; i++) {
    Elf32_Phdr segment;
    if (!read_at(fd, &segment, sizeof segment, header.e_phoff + (uint64_t)i * sizeof segment))
      return false;
    if (segment.p_type == PT_NOTE && find_build_id(fd, segment.p_offset, segment.p_filesz, out, size))
      return true;
  }
  return false;
}

bool kiln_elf_build_id(const char *path, char *out, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return false;
  unsigned char ident[EI_NIDENT];
  struct stat info;
  bool found = false;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && read_at(fd, ident, sizeof ident, 0) &&
      memcmp(ident, ELFMAG, SELFMAG) == 0) {
    found = ident[EI_CLASS] == ELFCLASS64   ? build_id_64(fd, out, size)
            : ident[EI_CLASS] == ELFCLASS32 ? build_id_32(fd, out, size)
                                            : false;
  }
  close(fd);
  return found;
}
