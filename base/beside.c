#include "base/beside.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool kiln_own_object(char out[KILN_PATH_SIZE]) {
  Dl_info info; // its name would be argv[0], which is anybody's, where the map has none
  struct link_map *object = NULL;
  if (!dladdr1((const void *)(uintptr_t)&kiln_own_object, &info, (void **)&object, RTLD_DL_LINKMAP) || !object ||
      !strchr(object->l_name, '/') || strlen(object->l_name) >= KILN_PATH_SIZE)
    return false;
  strcpy(out, object->l_name);
  return true;
}

bool kiln_find_beside(const char *const *beside, size_t count, const char *fallback, int mode,
                      char out[KILN_PATH_SIZE]) {
  char file[KILN_PATH_SIZE];
  bool known = kiln_own_object(file);
  ssize_t size = known ? 0 : readlink("/proc/self/exe", file, sizeof file - 1);
  if (!known && size > 0) {
    file[size] = 0;
    known = true;
  }
  const char *slash = known ? strrchr(file, '/') : NULL;
  for (size_t i = 0; slash && i < count; i++) {
    int n = snprintf(out, KILN_PATH_SIZE, "%.*s%s", (int)(slash - file), file, beside[i]);
    if (n > 0 && n < KILN_PATH_SIZE && access(out, mode) == 0)
      return true;
  }
  int n = snprintf(out, KILN_PATH_SIZE, "%s", fallback);
  return n > 0 && n < KILN_PATH_SIZE && access(out, mode) == 0;
}
