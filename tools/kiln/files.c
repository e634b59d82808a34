// Files that the command reads and writes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

// Reads to the end. Returns 0 or an errno value; EFBIG past the limit.
static int read_stream(FILE *file, size_t limit, char **out, size_t *out_size) {
  size_t size = 0, capacity = 0;
  for (;;) {
    if (capacity - size < 2) {
      capacity = !capacity ? 65536 : capacity <= limit / 2 ? capacity * 2 : capacity + limit / 2 + 2;
      char *grown = realloc(*out, capacity);
      if (!grown)
        return ENOMEM;
      *out = grown;
    }
    size_t n = fread(*out + size, 1, capacity - size - 1, file);
    size += n;
    if (size > limit)
      return EFBIG;
    if (n == 0)
      break;
  }
  (*out)[size] = 0;
  *out_size = size;
  return ferror(file) ? errno : 0;
}

int read_whole_file(const char *path, enum file_use use, char **out, size_t *out_size) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  struct stat info;
  if (!file)
    return fail(EXIT_DATA, "cannot read '%s': %s", path, strerror(errno));
  bool ends = use == FILE_DATA && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode); // a device need not end
  char *data = NULL;
  int error = read_stream(file, ends ? SIZE_MAX : READ_LIMIT, &data, out_size);
  if (!is_stdin)
    fclose(file);
  if (error) {
    free(data);
    return fail(EXIT_DATA, "cannot read '%s': %s", path, error == EFBIG ? "it has more than 1 GiB" : strerror(error));
  }
  *out = data;
  return EXIT_FINE;
}

int write_whole_file(const char *path, const void *data, size_t size) {
  bool is_stdout = strcmp(path, "-") == 0;
  FILE *file = is_stdout ? stdout : fopen(path, "wb");
  bool ok = file && fwrite(data, 1, size, file) == size && fflush(file) == 0;
  int error = errno;
  if (file && !is_stdout && fclose(file) != 0 && ok) {
    ok = false;
    error = errno;
  }
  return ok ? EXIT_FINE : fail(EXIT_ENVIRONMENT, "cannot write '%s': %s", path, strerror(error));
}
