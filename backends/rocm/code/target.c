// Parsing, printing and detecting AMDGPU targets. Detection reads the kernel driver's topology; HSA's library is only
// looked for where there is a GPU.
#include "backends/rocm/code/target.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/exhausted.h"
#include "base/str.h"

const struct kiln_rocm_model kiln_rocm_models[] = {
#define KILN_ROCM(text, mach, isa, flags, description) {text, mach, isa, flags, description},
#include "backends/rocm/code/rocm.def"
};
const uint32_t kiln_rocm_model_count = sizeof kiln_rocm_models / sizeof *kiln_rocm_models;

#define ISA_PREFIX "amdgcn-amd-amdhsa--"

// ---- parsing

static const struct kiln_rocm_model *find_model(const char *name, size_t size) {
  for (uint32_t i = 0; i < kiln_rocm_model_count; i++)
    if (strlen(kiln_rocm_models[i].name) == size && !memcmp(kiln_rocm_models[i].name, name, size))
      return &kiln_rocm_models[i];
  return NULL;
}

static const struct {
  const char *name, *llvm, *runs;
} newer[] = {
#define KILN_NEWER_ROCM(text, llvm, runs) {text, llvm, runs},
#include "backends/rocm/code/newer.def"
};

static enum kiln_status unknown_model(const char *name, size_t size, struct kiln_report *report) {
  char wrong[64];
  kiln_quote_name(wrong, name, size);
  for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
    if (strcmp(newer[i].name, wrong) == 0)
      return kiln_fail(report, KILN_ERR_NOT_FOUND, "processor '%s' needs %s, and Kiln uses LLVM 19; %s%s", wrong,
                       newer[i].llvm,
                       *newer[i].runs ? "the nearest processor whose code it runs is "
                                      : "it runs code of no processor that LLVM 19 knows",
                       newer[i].runs);
  struct kiln_near_names nearest = {0};
  for (uint32_t i = 0; i < kiln_rocm_model_count; i++)
    kiln_near_names_offer(&nearest, wrong, kiln_rocm_models[i].name);
  return kiln_fail(report, KILN_ERR_NOT_FOUND,
                   "the rocm backend knows no processor '%s'; the nearest names are %s, %s and %s", wrong,
                   nearest.name[0], nearest.name[1], nearest.name[2]);
}

enum feature { FEATURE_CUMODE, FEATURE_SRAMECC, FEATURE_WAVE32, FEATURE_WAVE64, FEATURE_XNACK, FEATURE_COUNT };
static const char *const feature_names[FEATURE_COUNT] = {"cumode", "sramecc", "wavefrontsize32", "wavefrontsize64",
                                                         "xnack"};

static bool has_feature(const struct kiln_rocm_model *model, enum feature feature) {
  switch (feature) {
  case FEATURE_CUMODE:
  case FEATURE_WAVE32:
    return model->flags & KILN_ROCM_WAVE32;
  case FEATURE_SRAMECC:
    return model->flags & KILN_ROCM_SRAMECC;
  case FEATURE_WAVE64: // may be named where it is all there is
    return true;
  case FEATURE_XNACK:
    return model->flags & KILN_ROCM_XNACK;
  case FEATURE_COUNT:
    break;
  }
  return false;
}

static enum kiln_status unknown_feature(const struct kiln_rocm_model *model, const char *name, size_t size,
                                        struct kiln_report *report) {
  char wrong[64], list[128];
  kiln_quote_name(wrong, name, size);
  size_t used = 0;
  for (int i = 0; i < FEATURE_COUNT; i++)
    if (has_feature(model, (enum feature)i))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", feature_names[i]);
  return kiln_fail(report, KILN_ERR_NOT_FOUND,
                   "the rocm backend knows no feature '%s' of %s; it takes %s, each followed by '+' or '-'", wrong,
                   model->name, list);
}

static enum kiln_status set_feature(struct kiln_rocm_target *target, const char *text, size_t size,
                                    struct kiln_report *report) {
  char sign = size ? text[size - 1] : 0;
  int feature = FEATURE_COUNT;
  for (int i = 0; i < FEATURE_COUNT && (sign == '+' || sign == '-'); i++)
    if (strlen(feature_names[i]) == size - 1 && !memcmp(feature_names[i], text, size - 1))
      feature = i;
  if (feature == FEATURE_COUNT || !has_feature(target->model, (enum feature)feature))
    return unknown_feature(target->model, text, size, report);
  bool on = sign == '+';
  switch ((enum feature)feature) {
  case FEATURE_CUMODE:
    target->cumode = on;
    break;
  case FEATURE_SRAMECC:
    target->sramecc = on ? KILN_ROCM_ON : KILN_ROCM_OFF;
    break;
  case FEATURE_WAVE32:
    target->wave64 = !on;
    break;
  case FEATURE_WAVE64:
    target->wave64 = on;
    break;
  case FEATURE_XNACK:
    target->xnack = on ? KILN_ROCM_ON : KILN_ROCM_OFF;
    break;
  case FEATURE_COUNT:
    break;
  }
  if (!target->wave64 && !(target->model->flags & KILN_ROCM_WAVE32))
    return kiln_fail(report, KILN_ERR_NOT_FOUND, "%s has waves of 64 work-items only", target->model->name);
  return KILN_OK;
}

enum kiln_status kiln_rocm_parse(const char *arch, struct kiln_rocm_target *out, struct kiln_report *report) {
  size_t size = strcspn(arch, ":");
  struct kiln_rocm_target target = {.model = find_model(arch, size)};
  if (!target.model)
    return unknown_model(arch, size, report);
  target.wave64 = !(target.model->flags & KILN_ROCM_WAVE32);
  for (const char *text = arch + size; *text; text += size) {
    size = strcspn(++text, ":");
    enum kiln_status status = set_feature(&target, text, size, report);
    if (status)
      return status;
  }
  *out = target;
  return KILN_OK;
}

// ---- printing

static char sign_of(enum kiln_rocm_setting setting) { return setting == KILN_ROCM_ON ? '+' : '-'; }

static void to_target(const struct kiln_rocm_target *target, struct kiln_target *out) {
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "rocm");
  snprintf(out->arch, sizeof out->arch, "%s", target->model->name);
  out->warp_size = target->wave64 ? 64 : 32;
  char sramecc[16] = "", xnack[16] = "";
  if (target->sramecc)
    snprintf(sramecc, sizeof sramecc, ":sramecc%c", sign_of(target->sramecc));
  if (target->xnack)
    snprintf(xnack, sizeof xnack, ":xnack%c", sign_of(target->xnack));
  bool chosen64 = target->wave64 && target->model->flags & KILN_ROCM_WAVE32;
  snprintf(out->features, sizeof out->features, "%s%s%s%s", target->cumode ? ":cumode+" : "", sramecc,
           chosen64 ? ":wavefrontsize64+" : "", xnack);
}

enum kiln_status kiln_rocm_from_target(const struct kiln_target *target, struct kiln_rocm_target *out,
                                       struct kiln_report *report) {
  char arch[sizeof target->arch + sizeof target->features];
  snprintf(arch, sizeof arch, "%.*s%.*s", (int)sizeof target->arch - 1, target->arch, (int)sizeof target->features - 1,
           target->features);
  return kiln_rocm_parse(arch, out, report);
}

void kiln_rocm_llvm_features(const struct kiln_rocm_target *target, char *out, size_t size) {
  const char *sramecc[] = {"", ",-sramecc", ",+sramecc"}, *xnack[] = {"", ",-xnack", ",+xnack"};
  const char *waves = target->wave64 ? "+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64";
  if (target->wave64 && target->model->flags & KILN_ROCM_WAVE32)
    waves = "-wavefrontsize32,+wavefrontsize64";
  snprintf(out, size, "%s%s%s%s", waves, target->cumode ? ",+cumode" : "", sramecc[target->sramecc],
           xnack[target->xnack]);
}

void kiln_rocm_isa_name(const struct kiln_rocm_target *target, char *out, size_t size) {
  const char *sramecc[] = {"", ":sramecc-", ":sramecc+"}, *xnack[] = {"", ":xnack-", ":xnack+"};
  snprintf(out, size, ISA_PREFIX "%s%s%s", target->model->name, sramecc[target->sramecc], xnack[target->xnack]);
}

// The processors that a generic one stands for.
static bool covers(const struct kiln_rocm_model *generic, const struct kiln_rocm_model *model) {
  if (generic == model)
    return true;
  if (!(generic->flags & KILN_ROCM_GENERIC))
    return false;
  uint32_t family = model->isa / 100;
  switch (generic->mach) {
  case 0x51:
    return family == 90 && !(model->flags & KILN_ROCM_AGPRS);
  case 0x52:
    return family == 101;
  case 0x53:
    return family == 103;
  case 0x54:
    return family / 10 == 11;
  case 0x59:
    return family / 10 == 12;
  }
  return false;
}

bool kiln_rocm_runs_on(const struct kiln_rocm_target *target, const char *isa_name) {
  struct kiln_rocm_target agent;
  size_t prefix = strlen(ISA_PREFIX);
  if (strncmp(isa_name, ISA_PREFIX, prefix) || kiln_rocm_parse(isa_name + prefix, &agent, NULL))
    return false;
  return covers(target->model, agent.model) && (!target->sramecc || target->sramecc == agent.sramecc) &&
         (!target->xnack || target->xnack == agent.xnack);
}

// ---- detection

// Reads the processor's number of a node of the topology: major * 10000 + minor * 100 + stepping; 0: not a GPU.
static unsigned node_version(const char *node) {
  char path[320], line[128];
  snprintf(path, sizeof path, "/sys/class/kfd/kfd/topology/nodes/%s/properties", node);
  FILE *file = fopen(path, "re");
  unsigned version = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "gfx_target_version %u", &version) == 1)
      break;
  if (file)
    fclose(file);
  return version;
}

// The lowest node that is a GPU, as HSA lists them.
static unsigned first_gpu(void) {
  DIR *nodes = opendir("/sys/class/kfd/kfd/topology/nodes");
  unsigned best = 0, best_number = 0;
  for (struct dirent *entry; nodes && (entry = readdir(nodes));) {
    unsigned number, version;
    if (sscanf(entry->d_name, "%u", &number) != 1 || !(version = node_version(entry->d_name)))
      continue;
    if (!best || number < best_number) {
      best = version;
      best_number = number;
    }
  }
  if (nodes)
    closedir(nodes);
  return best;
}

enum kiln_status kiln_rocm_detect_target(struct kiln_target *out, struct kiln_report *report) {
  if (access("/dev/kfd", F_OK))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "there is no AMD GPU: /dev/kfd does not exist");
  if (access("/dev/kfd", R_OK | W_OK))
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "/dev/kfd cannot be opened for reading and writing (is the user in the group render?)");
  unsigned version = first_gpu();
  enum kiln_status lacking = version ? KILN_OK : kiln_fail_exhausted(report, "the topology of /dev/kfd");
  if (lacking)
    return lacking;
  if (!version)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "/dev/kfd is there, but its topology lists no GPU");
  // Where there is a GPU its runtime is needed anyway.
  void *library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!library && (lacking = kiln_fail_exhausted(report, "libhsa-runtime64.so.1")))
    return lacking;
  if (!library)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE,
                     "there is an AMD GPU, but libhsa-runtime64.so.1 is not installed (Debian: package "
                     "libhsa-runtime64-1)");
  dlclose(library);
  char name[32];
  snprintf(name, sizeof name, "gfx%u%x%x", version / 10000, version / 100 % 100, version % 100);
  struct kiln_rocm_target target = {.model = find_model(name, strlen(name))};
  if (!target.model)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "the GPU is a %s, for which Kiln generates no code", name);
  target.wave64 = !(target.model->flags & KILN_ROCM_WAVE32);
  to_target(&target, out);
  return KILN_OK;
}

// ---- slots

enum kiln_status kiln_rocm_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  struct kiln_rocm_target target;
  enum kiln_status status = kiln_rocm_parse(arch, &target, report);
  if (!status)
    to_target(&target, out);
  return status;
}

bool kiln_rocm_supports_target(const struct kiln_target *target) {
  struct kiln_rocm_target parsed;
  struct kiln_target again;
  if (strcmp(target->backend, "rocm") || kiln_rocm_from_target(target, &parsed, NULL))
    return false;
  to_target(&parsed, &again);
  return !strcmp(again.arch, target->arch) && !strcmp(again.features, target->features);
}

void kiln_rocm_list_targets(kiln_name_fn *fn, void *user) {
  for (uint32_t i = 0; i < kiln_rocm_model_count; i++)
    fn(user, kiln_rocm_models[i].name, kiln_rocm_models[i].description);
}

void kiln_rocm_caps(const struct kiln_target *target, struct kiln_caps *out) {
  memset(out, 0, sizeof *out);
  out->fma = out->half_fma = true;
  out->fp16 = true;
  out->fp64 = true;
  out->int64_atomics = true;
  out->generic_space = true;
  out->partial_groups = true;
  out->sub_groups = KILN_SUB_GROUPS_NATIVE;
  out->max_sub_groups = 1024 / target->warp_size;
}
