// The compile side of the ROCm backend: identity of compiler and device library without loading either, compiles by
// way of kiln-llvm.so, and what the code object says about its kernels. No device, no HSA, no ROCm toolchain is needed;
// of the ROCm files only ocml.bc, for kernels that call its functions.
#include "backends/rocm/compile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/common/exhausted.h"
#include "backends/common/identity.h"
#include "backends/common/llvm.h"
#include "backends/rocm/code/codeobject.h"
#include "backends/rocm/code/occupancy.h"
#include "backends/rocm/code/target.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

// Raised when generated code changes for a reason that no build id shows.
#define CODE_VERSION "2"

const struct kiln_option kiln_rocm_options[KILN_ROCM_OPTION_COUNT] = {
    [KILN_ROCM_MAX_GROUP] =
        {"max-group-size", KILN_OPTION_INT, "0",
         "largest work-group of kernels that do not say (1 to 1024): smaller leaves more registers; "
         "0: 256, and once more for launches with larger groups",
         true},
    [KILN_ROCM_WAVES] = {"waves-per-eu", KILN_OPTION_INT, "0",
                         "waves per execution unit to aim for (1 to 20); 0: the compiler's choice", true},
    [KILN_ROCM_UNSAFE_ATOMICS] = {"unsafe-fp-atomics", KILN_OPTION_BOOL, "0",
                                  "atomic float arithmetic by instructions that are wrong on host memory", true},
    [KILN_ROCM_CUT] =
        {"cut", KILN_OPTION_INT, "20000",
         "functions of more instructions (LLVM's) are cut into several, so that they compile in time; 0: none", true},
};

// ---- stages

static const char *const pipelines[4] = {
#define KILN_PIPELINE(level, text) [level] = text,
#include "backends/common/amdgpu_pipelines.def"
};

#define FRAGMENT_COUNT 5
static const struct kiln_fragment fragments[4][FRAGMENT_COUNT] = {
#define KILN_PIPELINE(level, text)                                                                                     \
  [level] = {{"ll", text, "ll"},                                                                                       \
             {"s", "codegen", "s"},                                                                                    \
             {"o", "codegen", "o"},                                                                                    \
             {"bin", "lld -shared", "hsaco"},                                                                          \
             {"dis", "", "dis"}},
#include "backends/common/amdgpu_pipelines.def"
};

uint32_t kiln_rocm_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                      const struct kiln_fragment **out) {
  (void)target;
  *out = fragments[options->optimize & 3];
  return FRAGMENT_COUNT;
}

// ---- the device library

static const char *const library_paths[] = {
#ifdef KILN_OCML
    KILN_OCML,
#endif
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode/ocml.bc",
    "/usr/lib/amdgcn/bitcode/ocml.bc",
    "/opt/rocm/amdgcn/bitcode/ocml.bc",
};

struct library {
  const char *path;
  char digest[33];
  struct stat state;
};
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static struct library known; // guarded by library_lock: the file is read again only when it changes

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// The installed ocml.bc and a digest of what is in it; false: there is none, or, with *path, it cannot be read.
static bool find_library(const char **path, char digest[33]) {
  struct stat state;
  *path = NULL;
  for (size_t i = 0; i < sizeof library_paths / sizeof *library_paths && !*path; i++)
    if (!stat(library_paths[i], &state) && S_ISREG(state.st_mode))
      *path = library_paths[i];
  if (!*path)
    return false;
  pthread_mutex_lock(&library_lock);
  bool ok = known.path && same_file(&known.state, &state);
  char *data;
  size_t size;
  if (!ok && kiln_file_read(*path, &data, &size) == 0) {
    known.path = *path;
    known.state = state;
    kiln_hash128_hex(kiln_hash128(data, size), known.digest);
    free(data);
    ok = true;
  }
  memcpy(digest, known.digest, sizeof known.digest);
  pthread_mutex_unlock(&library_lock);
  return ok;
}

uint32_t kiln_rocm_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target;
  const char *path;
  char digest[33];
  bool found = find_library(&path, digest);
  if (capacity) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "ocml");
    snprintf(out->path, sizeof out->path, "%s", found ? path : "");
    snprintf(out->identity, sizeof out->identity, "%s", found ? digest : "not installed");
  }
  return 1;
}

// ---- identity

enum kiln_status kiln_rocm_hash(const struct kiln_target *target, const struct kiln_options *options,
                                struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf record = {0};
  enum kiln_status status = kiln_llvm_identity(&record, report);
  if (status)
    return status;
  const char *path;
  char digest[33];
  if (!find_library(&path, digest) && path && (status = kiln_fail_exhausted(report, path))) {
    kiln_strbuf_free(&record);
    return status;
  }
  kiln_identity_add(&record, "code", CODE_VERSION);
  kiln_identity_add(&record, "passes", pipelines[options->optimize & 3]);
  kiln_identity_add_request(&record, target, options, KILN_ROCM_OPTION_COUNT);
  struct kiln_runtime_lib lib;
  kiln_rocm_runtime_libs(target, &lib, 1);
  kiln_identity_add(&record, lib.name, lib.identity);
  return kiln_identity_end(&record, out, report);
}

// ---- what the code object says

// any_group: launches with groups larger than the kernels are compiled for get a variant (kiln_rocm_variant).
static enum kiln_status describe(const struct kiln_compile_job *job, const struct kiln_rocm_target *target,
                                 bool any_group, struct kiln_artifact *out, struct kiln_report *report) {
  struct kiln_rocm_object object;
  const char *fault = kiln_rocm_object_read(out->data, out->size, &object);
  const struct kiln_module *ir = job->module;
  out->kernels = calloc(ir->function_count + 1, sizeof *out->kernels);
  enum kiln_status status = KILN_OK;
  if (fault)
    status = kiln_fail(report, object.no_memory ? KILN_ERR_MEMORY : KILN_ERR_INTERNAL,
                       "the linked code object cannot be read: %s", fault);
  else if (!out->kernels)
    status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the description of the kernels");
  uint32_t k = 0;
  for (uint32_t i = 0; i < ir->function_count && !status; i++) {
    if (!ir->functions[i]->is_kernel)
      continue;
    const struct kiln_rocm_kernel *kernel = kiln_rocm_object_find(&object, ir->functions[i]->name);
    if (!kernel) {
      status =
          kiln_fail(report, KILN_ERR_INTERNAL, "the linked code object has no kernel '%s'", ir->functions[i]->name);
      break;
    }
    out->kernels[k++] = (struct kiln_kernel_resources){
        .local_bytes = kernel->local_bytes,
        .private_bytes = kernel->private_bytes,
        .vgprs = kernel->vgprs,
        .sgprs = kernel->sgprs,
        .spills = kernel->vgpr_spills + kernel->sgpr_spills,
        .code_bytes = kernel->code_bytes,
        .max_group_size = any_group && !ir->functions[i]->required_group_size[0] ? 0 : kernel->max_group_size,
        .agprs = kernel->agprs,
        .waves_per_simd = kiln_rocm_occupancy(target, kernel),
    };
  }
  kiln_rocm_object_free(&object);
  return status;
}

// ---- compiling

// As struct kiln_llvm_machine wants them.
static uint8_t dot_signs(const struct kiln_rocm_model *model) {
  unsigned both = KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED;
  uint8_t same = (uint8_t)(1 | 1 << both);
  uint8_t mixed = 1 << KILN_DOT_FIRST_SIGNED | 1 << KILN_DOT_SECOND_SIGNED;
  return model->flags & KILN_ROCM_MIXED_DOTS ? same | mixed : model->flags & KILN_ROCM_DOTS ? same : 0;
}

static enum kiln_status number_option(const struct kiln_options *options, enum kiln_rocm_option option, long least,
                                      long most, uint32_t *out, struct kiln_report *report) {
  long value = strtol(options->values[option], NULL, 10);
  if (value < least || value > most)
    return kiln_fail(report, KILN_ERR_INVALID, "--kiln-%s must be from %ld to %ld", kiln_rocm_options[option].name,
                     least, most);
  *out = (uint32_t)value;
  return KILN_OK;
}

enum kiln_status kiln_rocm_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                   struct kiln_report *report) {
  const struct kiln_llvm_api *api;
  struct kiln_rocm_target target;
  uint32_t max_group = 0, waves = 0, cut = 0;
  memset(out, 0, sizeof *out);
  enum kiln_status status = kiln_rocm_from_target(&job->target, &target, report);
  if (!status)
    status = number_option(&job->options, KILN_ROCM_MAX_GROUP, 0, 1024, &max_group, report);
  if (!status)
    status = number_option(&job->options, KILN_ROCM_WAVES, 0, 20, &waves, report);
  if (!status)
    status = number_option(&job->options, KILN_ROCM_CUT, 0, INT32_MAX, &cut, report);
  if (!status)
    status = kiln_llvm_load(&api, report);
  if (status)
    return status;
  char features[128], digest[33];
  const char *library;
  kiln_rocm_llvm_features(&target, features, sizeof features);
  bool found = find_library(&library, digest);
  if (!found && library && (status = kiln_fail_exhausted(report, library)))
    return status;
  struct kiln_llvm_machine machine = {
      .family = KILN_LLVM_AMDGPU,
      .triple = "amdgcn-amd-amdhsa",
      .processor = target.model->name,
      .features = features,
      .lanes = 1,
      .cut = cut,
      .half_conversion = true,
      .native_half = true,
      .dot_signs = dot_signs(target.model),
      .amdgpu = {.isa = target.model->isa,
                 .wave64 = target.wave64,
                 .generic = target.model->flags & KILN_ROCM_GENERIC,
                 .unsafe_atomics = strcmp(job->options.values[KILN_ROCM_UNSAFE_ATOMICS], "0") != 0,
                 .max_group_size = max_group ? max_group : 256,
                 .waves_per_unit = waves,
                 .shares_state = max_group != 0,
                 .device_library = found ? library : NULL},
  };
  status = api->compile(&machine, job, out, report);
  if (!status && out->data)
    status = describe(job, &target, !max_group, out, report);
  if (status) {
    free(out->data);
    free(out->meta);
    free(out->kernels);
    memset(out, 0, sizeof *out);
  }
  return status;
}
