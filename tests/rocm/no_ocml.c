// Preloaded into a program: hides the device library ocml.bc, as on machines without the package rocm-device-libs.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

__attribute__((visibility("default"))) int stat(const char *restrict path, struct stat *restrict out) {
  size_t length = strlen(path);
  if (length >= 8 && !strcmp(path + length - 8, "/ocml.bc")) {
    errno = ENOENT;
    return -1;
  }
  return fstatat(AT_FDCWD, path, out, 0);
}
