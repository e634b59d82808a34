// Loads the code generation module (backends/common/llvm.h), and says what it is without loading it.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/exhausted.h"
#include "backends/common/identity.h"
#include "backends/common/llvm.h"
#include "base/beside.h"
#include "base/file.h"

// From the file that holds this code, in its build folder or installed (lib or lib/TRIPLET).
static const char *const beside[] = {
    "/" KILN_LLVM_FILE,        "/kiln/" KILN_LLVM_FILE,        "/lib/" KILN_LLVM_FILE,
    "/../lib/" KILN_LLVM_FILE, "/../lib/kiln/" KILN_LLVM_FILE, "/" KILN_LLVM_STATIC_FILE};

static bool find_module(char out[KILN_PATH_SIZE], const char **reason) {
  return kiln_find_beside(beside, sizeof beside / sizeof *beside, KILN_MODULE_DIR "/" KILN_LLVM_FILE, R_OK, out,
                          reason);
}

// reason: why it is not used; NULL: it is not there.
static enum kiln_status no_module(const char *reason, struct kiln_report *report) {
  if (reason)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "the code generator " KILN_LLVM_FILE " beside libkiln is not loaded: %s", reason);
  return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                   "the code generator " KILN_LLVM_FILE " is not installed beside libkiln or in %s; without it only "
                   "kernels from the cache can be run",
                   KILN_MODULE_DIR);
}

// ---- identity

// Of the file of LLVM that the module at path will bring in; where that is the module itself, its build id says all.
static bool llvm_build_id(const char *path, char out[64]) {
  const char *name = strrchr(path, '/');
  if (name && strcmp(name, "/" KILN_LLVM_STATIC_FILE) == 0) {
    memcpy(out, "static", sizeof "static");
    return true;
  }
  static const char *const files[] = {KILN_LLVM_LIBRARY, "/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1",
                                      "/usr/lib/aarch64-linux-gnu/libLLVM.so.19.1", "/usr/lib64/libLLVM.so.19.1",
                                      "/usr/lib/libLLVM.so.19.1"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (kiln_elf_build_id(files[i], out, 64))
      return true;
  return false;
}

enum kiln_status kiln_llvm_identity(struct kiln_strbuf *record, struct kiln_report *report) {
  char path[KILN_PATH_SIZE], module_id[64], llvm_id[64];
  const char *reason;
  bool there = find_module(path, &reason) && kiln_elf_build_id(path, module_id, 64),
       llvm = there && llvm_build_id(path, llvm_id);
  enum kiln_status lacking = llvm ? KILN_OK : kiln_fail_exhausted(report, there ? KILN_LLVM_LIBRARY : KILN_LLVM_FILE);
  if (lacking)
    return lacking;
  if (!there)
    return no_module(reason, report);
  if (!llvm)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libLLVM 19 is not installed (package libllvm19)");
  kiln_identity_add(record, "module", module_id);
  kiln_identity_add(record, "llvm", llvm_id);
  return KILN_OK;
}

void kiln_llvm_describe(const struct kiln_target *target, char *out, size_t size) {
  (void)target;
  char path[KILN_PATH_SIZE], module_id[64], llvm_id[64];
  const char *reason;
  bool there = find_module(path, &reason) && kiln_elf_build_id(path, module_id, 64) && llvm_build_id(path, llvm_id);
  *out = 0;
  if (there)
    snprintf(out, size, "LLVM 19, build id %.16s, code generator %.16s", llvm_id, module_id);
}

// ---- loading

static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct kiln_llvm_api *module_api; // guarded by module_lock; the module is never unloaded

static enum kiln_status open_module(const struct kiln_llvm_api **out, struct kiln_report *report) {
  char path[KILN_PATH_SIZE];
  const char *reason;
  if (!find_module(path, &reason))
    return no_module(reason, report);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    reason = dlerror();
    enum kiln_status lacking = kiln_fail_exhausted(report, path);
    if (lacking)
      return lacking;
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the code generator cannot be loaded: %s", reason ? reason : path);
  }
  void *symbol = dlsym(library, KILN_LLVM_SYMBOL);
  kiln_llvm_entry *entry = NULL;
  memcpy(&entry, &symbol, sizeof entry);
  const struct kiln_llvm_api *api = entry ? entry() : NULL;
  if (!api || api->abi != KILN_LLVM_ABI || api->struct_size != sizeof *api || strcmp(api->version, kiln_version())) {
    kiln_fail(report, KILN_ERR_UNAVAILABLE, "%s is of another version of Kiln (%s) than libkiln (%s)", path,
              api && api->abi == KILN_LLVM_ABI ? api->version : "unknown", kiln_version());
    dlclose(library);
    return KILN_ERR_UNAVAILABLE;
  }
  *out = api;
  return KILN_OK;
}

enum kiln_status kiln_llvm_load(const struct kiln_llvm_api **out, struct kiln_report *report) {
  pthread_mutex_lock(&module_lock);
  enum kiln_status status = module_api ? KILN_OK : open_module(&module_api, report);
  *out = module_api;
  pthread_mutex_unlock(&module_lock);
  return status;
}
