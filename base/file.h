// Files and clocks.
#ifndef KILN_BASE_FILE_H
#define KILN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads a whole regular file into malloc'ed memory, with a NUL behind the end. Returns 0 or an errno value
// (EISDIR for a folder, EFBIG past 1 GiB).
int kiln_file_read(const char *path, char **out, size_t *out_size);
// Writes by way of a private temporary file beside path and a rename, so that readers see all or nothing.
int kiln_file_write(const char *path, const void *data, size_t size);
// Makes a folder and its parents with mode 0700. Returns 0 or an errno value.
int kiln_make_folder(const char *path);

uint64_t kiln_now_ns(void); // monotonic clock

// The GNU build id of an ELF file in hexadecimal, read from its note without loading it. Returns false when there is
// none or the file cannot be read. size is at least 41 for the usual 20 bytes.
bool kiln_elf_build_id(const char *path, char *out, size_t size);

#endif
