// The compile side: the artifact is the text of the module.
#include "backends/interp/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/identity.h"
#include "backends/interp/interp.h"
#include "base/str.h"

#define IR_TEXT 1 // changes with the meaning of the IR's text form

static const struct kiln_fragment fragments[] = {{"ir", "print", "kir"}};

const struct kiln_option kiln_interp_options[KILN_INTERP_OPTION_COUNT] = {
    {"max-steps", KILN_OPTION_INT, "0", "instructions that a work-item may run before it is stopped; 0: no limit",
     true},
    {"races", KILN_OPTION_BOOL, "1", "look for races between work-items", true},
    {"strict-barriers", KILN_OPTION_BOOL, "0", "work-items that have returned do not count as arrived at barriers",
     true},
    {"equal-stores", KILN_OPTION_BOOL, "0", "stores of equal values by several work-items are races, too", true},
};

// Archs differ by the size of sub-groups, and with WITHOUT_FMA after the name products and sums are not fused, as on
// processors that cannot.
#define WITHOUT_FMA "-fma"
static const struct arch {
  const char *name;
  uint32_t warp_size;
  const char *description;
} archs[] = {
    {"generic", 16, "executes the kernel IR work-item by work-item; sub-groups of 16"},
    {"warp1", 1, "sub-groups of 1"},
    {"warp4", 4, "sub-groups of 4, as the cpu backend on SSE and NEON"},
    {"warp8", 8, "sub-groups of 8, as on AVX2"},
    {"warp16", 16, "sub-groups of 16, as on AVX-512"},
    {"warp32", 32, "sub-groups of 32"},
    {"warp64", 64, "sub-groups of 64"},
};
#define ARCH_COUNT (sizeof archs / sizeof *archs)

static const struct arch *find_arch(const char *name, bool *fma) {
  for (size_t i = 0; i < ARCH_COUNT; i++) {
    size_t size = strlen(archs[i].name);
    if (strncmp(name, archs[i].name, size))
      continue;
    *fma = name[size] == 0;
    if (*fma || strcmp(name + size, WITHOUT_FMA) == 0)
      return &archs[i];
  }
  return NULL;
}

enum kiln_status kiln_interp_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  bool fma;
  const struct arch *found = find_arch(arch, &fma);
  if (!found)
    return kiln_fail(report, KILN_ERR_NOT_FOUND,
                     "the interpreter has no arch '%s': those that it has are generic, warp1, warp4, warp8, warp16, "
                     "warp32 and warp64, each also with " WITHOUT_FMA " after it",
                     arch);
  *out = (struct kiln_target){.backend = "interp", .features = "", .warp_size = found->warp_size};
  snprintf(out->arch, sizeof out->arch, "%s%s", found->name, fma ? "" : WITHOUT_FMA);
  return KILN_OK;
}

enum kiln_status kiln_interp_detect_target(struct kiln_target *out, struct kiln_report *report) {
  return kiln_interp_make_target(archs[0].name, out, report);
}

bool kiln_interp_supports_target(const struct kiln_target *target) {
  bool fma;
  const struct arch *arch = find_arch(target->arch, &fma);
  return arch && target->warp_size == arch->warp_size;
}

void kiln_interp_list_targets(kiln_name_fn *fn, void *user) {
  for (size_t i = 0; i < ARCH_COUNT; i++)
    fn(user, archs[i].name, archs[i].description);
}

void kiln_interp_caps(const struct kiln_target *target, struct kiln_caps *out) {
  *out = (struct kiln_caps){true, true, true, true, true, true, true, true};
  find_arch(target->arch, &out->fma);
  out->sub_groups = KILN_SUB_GROUPS_NATIVE;
  out->group_collectives = true;
  out->images = true;
}

uint32_t kiln_interp_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                        const struct kiln_fragment **out) {
  (void)target, (void)options;
  *out = fragments;
  return sizeof fragments / sizeof *fragments;
}

uint32_t kiln_interp_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target, (void)out, (void)capacity;
  return 0;
}

enum kiln_status kiln_interp_hash(const struct kiln_target *target, const struct kiln_options *options,
                                  struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf text = {0};
  kiln_strbuf_printf(&text, "interp %d.%d.%d;ir %d;meta %d;arch %s", KILN_VERSION_MAJOR, KILN_VERSION_MINOR,
                     KILN_VERSION_PATCH, IR_TEXT, INTERP_META_VERSION, target->arch);
  for (uint32_t i = 0; i < KILN_INTERP_OPTION_COUNT; i++)
    kiln_strbuf_printf(&text, ";%s=%s", kiln_interp_options[i].name, options->values[i]);
  return kiln_identity_end(&text, out, report);
}

// ---- resources: what a kernel and the functions that it calls use

struct usage {
  const struct kiln_module *module;
  uint32_t *seen_function, *seen_global; // by index: stamp of the kernel that saw it last
  uint32_t stamp;
  uint32_t *stack; // functions to look at
  uint64_t local_bytes, private_bytes;
};

static void use_function(struct usage *usage, const struct kiln_function *fn, uint32_t *depth) {
  for (kiln_value value = 1; value < fn->inst_count; value++) {
    const struct kiln_inst *inst = kiln_inst(fn, value);
    if (inst->op == KILN_OP_VAR && inst->region) {
      usage->private_bytes += inst->imm;
    } else if (inst->op == KILN_OP_GLOBAL && usage->seen_global[inst->imm] != usage->stamp) {
      usage->seen_global[inst->imm] = usage->stamp;
      const struct kiln_global *global = &usage->module->globals[inst->imm];
      usage->local_bytes += global->space == KILN_LOCAL ? global->size : 0;
    } else if (inst->op == KILN_OP_CALL && inst->region && usage->seen_function[inst->imm] != usage->stamp) {
      usage->seen_function[inst->imm] = usage->stamp;
      usage->stack[(*depth)++] = (uint32_t)inst->imm;
    }
  }
}

static uint32_t clamp32(uint64_t value) { return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value; }

static bool fill_resources(const struct kiln_module *module, struct kiln_kernel_resources *out) {
  uint32_t functions = module->function_count, globals = module->global_count;
  uint32_t *block = calloc(2 * (size_t)functions + globals + 1, sizeof *block);
  if (!block)
    return false;
  struct usage usage = {module, block, block + functions, 0, block + functions + globals, 0, 0};
  for (uint32_t i = 0; i < functions; i++) {
    if (!module->functions[i]->is_kernel)
      continue;
    usage.stamp++;
    usage.local_bytes = usage.private_bytes = 0;
    uint32_t depth = 0;
    usage.seen_function[i] = usage.stamp;
    usage.stack[depth++] = i;
    while (depth) {
      const struct kiln_function *fn = module->functions[usage.stack[--depth]];
      use_function(&usage, fn, &depth);
    }
    *out++ = (struct kiln_kernel_resources){.local_bytes = clamp32(usage.local_bytes),
                                            .private_bytes = clamp32(usage.private_bytes)};
  }
  free(block);
  return true;
}

static bool is_on(const char *value) { return strcmp(value, "0") != 0 && strcmp(value, "false") != 0; }

static enum kiln_status make_meta(const struct kiln_options *options, struct kiln_artifact *out,
                                  struct kiln_report *report) {
  char *end;
  const char *text = options->values[INTERP_MAX_STEPS];
  errno = 0;
  unsigned long long steps = strtoull(text, &end, 10);
  if (errno || *end || end == text || *text == '-')
    return kiln_fail(report, KILN_ERR_INVALID, "max-steps wants a number that is not negative, not '%s'", text);
  struct interp_meta *meta = calloc(1, sizeof *meta);
  if (!meta)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  meta->version = INTERP_META_VERSION;
  meta->max_steps = steps;
  meta->races = is_on(options->values[INTERP_RACES]);
  meta->strict_barriers = is_on(options->values[INTERP_STRICT_BARRIERS]);
  meta->equal_stores = is_on(options->values[INTERP_EQUAL_STORES]);
  out->meta = meta;
  out->meta_size = sizeof *meta;
  return KILN_OK;
}

enum kiln_status kiln_interp_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report) {
  struct kiln_artifact artifact = {0};
  char *text = NULL;
  enum kiln_status status = make_meta(&job->options, &artifact, report);
  if (!status) {
    status = kiln_module_print(job->module, &text);
    if (status)
      kiln_fail(report, status, "%s", kiln_last_error());
  }
  if (!status) {
    artifact.kernels = calloc(job->module->function_count + 1, sizeof *artifact.kernels);
    if (!artifact.kernels || !fill_resources(job->module, artifact.kernels))
      status = kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  }
  if (status) {
    kiln_free(text);
    free(artifact.meta);
    free(artifact.kernels);
    return status;
  }
  artifact.data = text;
  artifact.size = strlen(text);
  if (job->stage)
    job->stage(job->stage_user, fragments[0].name, artifact.data, artifact.size);
  *out = artifact;
  return KILN_OK;
}
