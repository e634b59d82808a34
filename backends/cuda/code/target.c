// Parsing and printing of NVIDIA targets, and what they have.
#include "backends/cuda/code/target.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

const struct kiln_cuda_model kiln_cuda_models[] = {
#define KILN_CUDA(name, number, features, version, warps, groups, shared, description)                                 \
  {name, number, features, version, warps, groups, shared, description},
#include "backends/cuda/code/cuda.def"
};
const uint32_t kiln_cuda_model_count = sizeof kiln_cuda_models / sizeof *kiln_cuda_models;

static const struct {
  const char *name, *description;
} newer[] = {
#define KILN_CUDA_NEWER(name, description) {name, description},
#include "backends/cuda/code/cuda.def"
};
enum { NEWER_COUNT = sizeof newer / sizeof *newer };

enum { MOST_INLINED = 20000 }; // instructions: about a second of LLVM's, and two of ptxas'

// ---- the table

static const struct kiln_cuda_model *last_model(void) {
  const struct kiln_cuda_model *last = &kiln_cuda_models[kiln_cuda_model_count - 1];
  while (last->features)
    last--;
  return last;
}

const struct kiln_cuda_model *kiln_cuda_find_model(const char *name) {
  for (uint32_t i = 0; i < kiln_cuda_model_count; i++)
    if (!strcmp(kiln_cuda_models[i].name, name))
      return &kiln_cuda_models[i];
  for (uint32_t i = 0; i < NEWER_COUNT; i++)
    if (!strcmp(newer[i].name, name))
      return last_model();
  return NULL;
}

const struct kiln_cuda_model *kiln_cuda_model_of(const struct kiln_target *target) {
  return kiln_cuda_find_model(target->arch);
}

const struct kiln_cuda_model *kiln_cuda_model_for(uint32_t major, uint32_t minor) {
  const struct kiln_cuda_model *best = NULL;
  for (uint32_t i = 0; i < kiln_cuda_model_count; i++)
    if (!kiln_cuda_models[i].features && kiln_cuda_models[i].number <= major * 10 + minor)
      best = &kiln_cuda_models[i];
  return best;
}

void kiln_cuda_to_target(const struct kiln_cuda_model *model, struct kiln_target *out) {
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "cuda");
  snprintf(out->arch, sizeof out->arch, "%s", model->name);
  out->warp_size = KILN_CUDA_WARP;
}

// ---- what needs a higher .version than the target itself

enum { FEW_PARAMETERS = 4352, MANY_PARAMETERS = 32764, VERSION_MANY = 81, VERSION_DEBUG = 75 };

uint32_t kiln_cuda_max_parameters(const struct kiln_cuda_model *model) {
  return model->number >= 70 ? MANY_PARAMETERS : FEW_PARAMETERS;
}

uint32_t kiln_cuda_version_for(const struct kiln_cuda_model *model, uint32_t parameter_bytes, bool debug) {
  uint32_t version = model->version;
  if (debug && version < VERSION_DEBUG) // differences of labels in sections
    version = VERSION_DEBUG;
  if (parameter_bytes > FEW_PARAMETERS && version < VERSION_MANY)
    version = VERSION_MANY;
  return version;
}

// ---- occupancy

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t round_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

// Registers are given to warps in units of 256, on each of the parts of a multiprocessor; shared memory to groups in
// units, with 1 KiB of the system's from sm_80 on.
uint32_t kiln_cuda_occupancy(const struct kiln_cuda_model *model, uint32_t group_size, uint32_t registers,
                             uint32_t shared_bytes) {
  enum { FILE_REGISTERS = 65536, UNIT = 256 };
  uint32_t parts = model->number == 60 ? 2 : 4,
           warps = round_up(group_size ? group_size : 1, KILN_CUDA_WARP) / KILN_CUDA_WARP;
  uint32_t groups = least(model->groups, model->warps / warps);
  if (registers) {
    uint32_t each = round_up(registers * KILN_CUDA_WARP, UNIT), on_part = FILE_REGISTERS / parts / each;
    groups = least(groups, on_part * parts / warps);
  }
  if (shared_bytes) {
    uint32_t reserved = model->number >= 80 ? 1024 : 0, unit = model->number >= 80 ? 128 : 256;
    groups = least(groups, model->shared_kib * 1024 / (round_up(shared_bytes, unit) + reserved));
  }
  return groups * warps;
}

// ---- slots

enum kiln_status kiln_cuda_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  const struct kiln_cuda_model *model = kiln_cuda_find_model(arch);
  if (model) {
    kiln_cuda_to_target(model, out);
    return KILN_OK;
  }
  char wrong[64];
  kiln_quote_name(wrong, arch, strlen(arch));
  struct kiln_near_names nearest = {0};
  for (uint32_t i = 0; i < kiln_cuda_model_count; i++)
    kiln_near_names_offer(&nearest, wrong, kiln_cuda_models[i].name);
  for (uint32_t i = 0; i < NEWER_COUNT; i++)
    kiln_near_names_offer(&nearest, wrong, newer[i].name);
  return kiln_fail(report, KILN_ERR_NOT_FOUND,
                   "the cuda backend knows no target '%s'; the nearest names are %s, %s and %s", wrong, nearest.name[0],
                   nearest.name[1], nearest.name[2]);
}

bool kiln_cuda_supports_target(const struct kiln_target *target) {
  const struct kiln_cuda_model *model = kiln_cuda_model_of(target);
  return model && !strcmp(target->backend, "cuda") && !strcmp(target->arch, model->name) && !*target->features;
}

void kiln_cuda_list_targets(kiln_name_fn *fn, void *user) {
  for (uint32_t i = 0; i < kiln_cuda_model_count; i++)
    fn(user, kiln_cuda_models[i].name, kiln_cuda_models[i].description);
  for (uint32_t i = 0; i < NEWER_COUNT; i++)
    fn(user, newer[i].name, newer[i].description);
}

bool kiln_cuda_compatible_target(const struct kiln_target *target, uint32_t index, struct kiln_target *out) {
  const struct kiln_cuda_model *model = kiln_cuda_model_of(target);
  if (!model)
    return false;
  for (const struct kiln_cuda_model *at = model; at > kiln_cuda_models;) {
    at--;
    if (at->features || index--)
      continue;
    kiln_cuda_to_target(at, out);
    return true;
  }
  return false;
}

void kiln_cuda_caps(const struct kiln_target *target, struct kiln_caps *out) {
  const struct kiln_cuda_model *model = kiln_cuda_model_of(target);
  memset(out, 0, sizeof *out);
  out->fma = true;
  out->half_fma = model && model->number >= 53;
  out->fp16 = true;
  out->fp64 = true;
  out->int64_atomics = true;
  out->generic_space = true;
  out->partial_groups = true;
  out->inline_math = out->hardware_math = true;
  out->calls_above = MOST_INLINED;
  out->split_exits = true;
  out->sub_groups = KILN_SUB_GROUPS_NATIVE;
  out->max_sub_groups = KILN_CUDA_MAX_GROUP / KILN_CUDA_WARP;
}
