#include "cache/modules.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"

struct table { // how every module's begins
  uint32_t abi, struct_size;
  const char *version;
};

const void *kiln_module_load(const char *file, const char *symbol, unsigned abi, size_t struct_size, char *problem,
                             size_t problem_size) {
  // From the file that holds this code, in its build folder or installed (lib or lib/TRIPLET).
  static const char *const folders[] = {"/", "/kiln/", "/lib/", "/../lib/", "/../lib/kiln/"};
  enum { FOLDERS = sizeof folders / sizeof *folders };
  char names[FOLDERS][64], fallback[256], path[KILN_PATH_SIZE];
  const char *beside[FOLDERS];
  for (int i = 0; i < FOLDERS; i++) {
    snprintf(names[i], sizeof names[i], "%s%s", folders[i], file);
    beside[i] = names[i];
  }
  snprintf(fallback, sizeof fallback, "%s/%s", KILN_MODULE_DIR, file);
  const char *reason;
  if (!kiln_find_beside(beside, FOLDERS, fallback, R_OK, path, &reason)) {
    if (reason)
      snprintf(problem, problem_size, "the module %s beside libkiln is not loaded: %s", file, reason);
    else
      snprintf(problem, problem_size, "the module %s is not installed beside libkiln or in %s", file, KILN_MODULE_DIR);
    return NULL;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void *address = library ? dlsym(library, symbol) : NULL;
  if (!address) {
    reason = dlerror();
    snprintf(problem, problem_size, "the module %s cannot be loaded: %s", file, reason ? reason : path);
    return NULL;
  }
  const void *(*entry)(void);
  memcpy(&entry, &address, sizeof entry);
  const struct table *table = entry();
  if (!table || table->abi != abi || table->struct_size != struct_size || strcmp(table->version, KILN_BUILD_VERSION)) {
    snprintf(problem, problem_size, "%s is of another version of Kiln than libkiln (%s)", path, KILN_BUILD_VERSION);
    return NULL;
  }
  return table;
}
