// Files and clocks.
#ifndef KILN_BASE_FILE_H
#define KILN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// Reads a whole regular file into malloc'ed memory, with a NUL after the end. Returns 0 or an errno value
// (EISDIR for a folder, EFBIG past 1 GiB).
int kiln_file_read(const char *path, char **out, size_t *out_size);
// The same of an open file, from where it stands.
int kiln_file_read_fd(int fd, char **out, size_t *out_size);
// Writes by way of a private temporary file beside path and a rename, so that readers see all or nothing.
int kiln_file_write(const char *path, const void *data, size_t size);
// The same with mode 0600 and in the place of whatever is there: no link is followed, no device written to.
int kiln_file_write_private(const char *path, const void *data, size_t size);
// Opens a file of a new name beside path, to be renamed to it; its name goes to temp. -1 with errno.
int kiln_file_open_temp(const char *path, char *temp, size_t temp_size, unsigned mode);
// Opens a regular file of this user (flags: O_WRONLY or O_RDWR, O_APPEND), or makes it with mode 0600. No link is
// followed, nothing is waited for. -1 with errno; EPERM for what is no such file.
int kiln_file_open_private(const char *path, int flags);
// The same, and locks the file against others that open it so, until it is closed; gives up waiting for the lock after
// 0.2 seconds, and where the file system has none.
int kiln_file_open_locked(const char *path, int flags);
// Makes a folder and its parents with mode 0700. Returns 0 or an errno value.
int kiln_make_folder(const char *path);

uint64_t kiln_now_ns(void); // monotonic clock
// Nanoseconds since 1970 of a file's time, which may be any: the nearest number that there is.
int64_t kiln_time_ns(struct timespec time);

// The GNU build id of an ELF file in hexadecimal, read from its note without loading it. Returns false when there is
// none or the file cannot be read. size is at least 41 for the usual 20 bytes.
bool kiln_elf_build_id(const char *path, char *out, size_t size);

#endif
