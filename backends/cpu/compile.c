// The compile side of the CPU backend: identity of the compiler without loading it, and compiles by way of
// kiln-llvm.so, which is loaded when the first one comes.
#include "backends/cpu/cpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

// Raised when generated code changes for a reason that no build id shows.
#define CODE_VERSION "1"

static const char *const pipelines[4] = {
#define KILN_PIPELINE(level, text) [level] = text,
#include "backends/llvm/pipelines.def"
};

// ---- stages

#define FRAGMENT_COUNT 4
#define FRAGMENTS(level)                                                                                               \
  { {"ll", pipeline_##level, "ll"}, {"s", "codegen", "s"}, {"o", "codegen", "o"}, {"bin", "lld -shared", "so"}, }
#define KILN_PIPELINE(level, text) static const char pipeline_##level[] = text;
#include "backends/llvm/pipelines.def"
static const struct kiln_fragment fragments[4][FRAGMENT_COUNT] = {FRAGMENTS(0), FRAGMENTS(1), FRAGMENTS(2),
                                                                  FRAGMENTS(3)};

uint32_t kiln_cpu_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                     const struct kiln_fragment **out) {
  (void)target;
  *out = fragments[options->optimize & 3];
  return FRAGMENT_COUNT;
}

// The C library's math functions are called by name and version: code depends on that interface, not on the bytes of
// the library that the compiling machine has, so that it may be compiled for another machine.
uint32_t kiln_cpu_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target;
  if (capacity) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "libm");
    snprintf(out->identity, sizeof out->identity, "libm.so.6 GLIBC_2.35");
  }
  return 1;
}

// ---- finding the module

#define PATH_SIZE 4096

// Where kiln-llvm.so may lie beside the file that holds this code (libkiln.so, or a program that has it linked in).
static const char *const beside[] = {"/" KILN_LLVM_FILE, "/kiln/" KILN_LLVM_FILE, "/lib/" KILN_LLVM_FILE,
                                     "/../lib/" KILN_LLVM_FILE, "/../lib/kiln/" KILN_LLVM_FILE};

static bool find_module(char out[PATH_SIZE]) {
  Dl_info info;
  char self[PATH_SIZE];
  const char *file = NULL;
  if (dladdr((void *)(uintptr_t)&find_module, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
    file = info.dli_fname;
  ssize_t size = file ? 0 : readlink("/proc/self/exe", self, sizeof self - 1);
  if (!file && size > 0) {
    self[size] = 0;
    file = self;
  }
  const char *slash = file ? strrchr(file, '/') : NULL;
  for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
    int n = snprintf(out, PATH_SIZE, "%.*s%s", (int)(slash - file), file, beside[i]);
    if (n > 0 && n < PATH_SIZE && access(out, R_OK) == 0)
      return true;
  }
  int n = snprintf(out, PATH_SIZE, "%s/" KILN_LLVM_FILE, KILN_MODULE_DIR);
  return n > 0 && n < PATH_SIZE && access(out, R_OK) == 0;
}

static enum kiln_status no_module(struct kiln_report *report) {
  return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                   "the code generator " KILN_LLVM_FILE " is not installed beside libkiln or in %s; without it only "
                   "kernels from the cache can be run",
                   KILN_MODULE_DIR);
}

// The file of LLVM that the module will bring in.
static bool llvm_build_id(char out[64]) {
  static const char *const files[] = {KILN_LLVM_LIBRARY, "/usr/lib/x86_64-linux-gnu/libLLVM.so.19.1",
                                      "/usr/lib/aarch64-linux-gnu/libLLVM.so.19.1", "/usr/lib64/libLLVM.so.19.1",
                                      "/usr/lib/libLLVM.so.19.1"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (kiln_elf_build_id(files[i], out, 64))
      return true;
  return false;
}

// ---- identity

static void add_field(struct kiln_strbuf *record, const char *name, const char *value) {
  kiln_strbuf_printf(record, "%s=%zu:%s\n", name, strlen(value), value);
}

enum kiln_status kiln_llvm_identity(char module_id[64], char llvm_id[64], struct kiln_report *report) {
  char path[PATH_SIZE];
  if (!find_module(path) || !kiln_elf_build_id(path, module_id, 64))
    return no_module(report);
  if (!llvm_build_id(llvm_id))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "libLLVM 19 is not installed (package libllvm19)");
  return KILN_OK;
}

enum kiln_status kiln_cpu_hash(const struct kiln_target *target, const struct kiln_options *options,
                               struct kiln_digest *out, struct kiln_report *report) {
  char module_id[64], llvm_id[64], number[32];
  enum kiln_status status = kiln_llvm_identity(module_id, llvm_id, report);
  if (status)
    return status;
  struct kiln_strbuf record = {0};
  add_field(&record, "code", CODE_VERSION);
  snprintf(number, sizeof number, "%d", KILN_CPU_ABI);
  add_field(&record, "abi", number);
  add_field(&record, "module", module_id);
  add_field(&record, "llvm", llvm_id);
  add_field(&record, "arch", target->arch);
  add_field(&record, "features", target->features);
  add_field(&record, "passes", pipelines[options->optimize & 3]);
  snprintf(number, sizeof number, "%u %u", options->optimize, options->flags);
  add_field(&record, "options", number);
  add_field(&record, "lanes", options->values[KILN_CPU_LANES]);
  add_field(&record, "shape", options->values[KILN_CPU_SHAPE]);
  struct kiln_runtime_lib lib;
  kiln_cpu_runtime_libs(target, &lib, 1);
  add_field(&record, lib.name, lib.identity);
  if (record.failed) {
    kiln_strbuf_free(&record);
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the identity of the compiler");
  }
  struct kiln_hash128 hash = kiln_hash128(record.data, record.size);
  memcpy(out->bytes, hash.bytes, sizeof out->bytes);
  kiln_strbuf_free(&record);
  return KILN_OK;
}

// ---- loading the module

static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct kiln_llvm_api *module_api; // guarded by module_lock; the module is never unloaded

static enum kiln_status open_module(const struct kiln_llvm_api **out, struct kiln_report *report) {
  char path[PATH_SIZE];
  if (!find_module(path))
    return no_module(report);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *reason = dlerror();
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

// ---- compiling

static enum kiln_status chosen_lanes(const struct kiln_compile_job *job, uint32_t *out, bool *interleave,
                                     struct kiln_report *report) {
  long lanes = strtol(job->options.values[KILN_CPU_LANES], NULL, 0);
  if (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16 && lanes != 32 && lanes != 64)
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the option lanes of the cpu backend is 0, 1, 4, 8, 16, 32 or 64, not %ld", lanes);
  const char *shape = job->options.values[KILN_CPU_SHAPE];
  if (strcmp(shape, "rows") && strcmp(shape, "packed"))
    return kiln_fail(report, KILN_ERR_INVALID, "the option shape of the cpu backend is rows or packed, not '%s'", shape);
  *out = lanes ? (uint32_t)lanes : job->target.warp_size;
  *interleave = lanes == 0 && job->options.optimize > 1;
  return KILN_OK;
}

enum kiln_status kiln_cpu_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                  struct kiln_report *report) {
  const struct kiln_llvm_api *api;
  struct kiln_cpu cpu;
  enum kiln_status status = kiln_cpu_from_target(&job->target, &cpu, report);
  if (!status)
    status = kiln_llvm_load(&api, report);
  if (status)
    return status;
  uint32_t lanes = 1;
  bool interleave = false;
  status = chosen_lanes(job, &lanes, &interleave, report);
  if (status)
    return status;
  char features[1024];
  kiln_cpu_llvm_features(&cpu, features, sizeof features);
  bool x86 = cpu.model->arch == KILN_CPU_X86_64;
  struct kiln_llvm_machine machine = {
      .family = KILN_LLVM_CPU,
      .triple = x86 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu",
      .cpu = cpu.model->llvm_name,
      .features = features,
      .lanes = lanes,
      .interleave = interleave,
      .packed = strcmp(job->options.values[KILN_CPU_SHAPE], "packed") == 0,
      .half_conversion = !x86 || kiln_cpu_has(&cpu, KILN_CPU_F16C),
      .wide_vectors = kiln_cpu_has(&cpu, KILN_CPU_AVX512F),
      .mask_bytes = kiln_cpu_has(&cpu, KILN_CPU_AVX512F) ? 1
                      : kiln_cpu_has(&cpu, KILN_CPU_AVX)   ? 4
                                                           : 16,
  };
  return api->compile(&machine, job, out, report);
}
