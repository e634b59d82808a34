#include "base/beside.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool kiln_find_beside(const char *const *beside, size_t count, const char *fallback, int mode,
                      char out[KILN_PATH_SIZE]) {
  Dl_info info;
  char self[KILN_PATH_SIZE];
  const char *file = NULL;
  if (dladdr((const void *)(uintptr_t)&kiln_find_beside, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
    file = info.dli_fname;
  ssize_t size = file ? 0 : readlink("/proc/self/exe", self, sizeof self - 1);
  if (!file && size > 0) {
    self[size] = 0;
    file = self;
  }
  const char *slash = file ? strrchr(file, '/') : NULL;
  for (size_t i = 0; slash && i < count; i++) {
    int n = snprintf(out, KILN_PATH_SIZE, "%.*s%s", (int)(slash - file), file, beside[i]);
    if (n > 0 && n < KILN_PATH_SIZE && access(out, mode) == 0)
      return true;
  }
  int n = snprintf(out, KILN_PATH_SIZE, "%s", fallback);
  return n > 0 && n < KILN_PATH_SIZE && access(out, mode) == 0;
}
