// The list of passes. In debug builds the module is verified after each of them, and facts that were kept are compared
// with what would be found now.
#include <stdio.h>

#include "jit/pass/common.h"

struct pipeline {
  struct kiln_module *module;
  const struct kiln_caps *caps;
  kiln_after_pass_fn *after;
  void *user;
  char *message;
  size_t message_size;
  enum kiln_status status;
};

static void verify(struct pipeline *p, const char *pass) {
  char fault[512];
  p->status = kiln_module_check(p->module, KILN_ERR_INTERNAL, fault, sizeof fault);
  const struct kiln_arena *arena = &kiln_module_priv(p->module)->arena;
  if (p->status == KILN_ERR_MEMORY && arena->over_limit && arena->limit == KILN_IR_MAX_BYTES) {
    p->status = KILN_ERR_UNSUPPORTED;
    snprintf(p->message, p->message_size, "the program is too large: its IR takes more than %zu MiB in the pass %s",
             KILN_IR_MAX_BYTES >> 20, pass);
  } else if (p->status == KILN_ERR_MEMORY) {
    snprintf(p->message, p->message_size, "out of memory in the pass %s", pass);
  } else if (p->status) {
    snprintf(p->message, p->message_size, "the pass %s broke the module: %s", pass, fault);
  }
}

#ifdef KILN_DEBUG
static void check_facts(struct pipeline *p, const char *pass) {
  char fault[200];
  for (uint32_t i = 0; i < p->module->function_count && p->status == KILN_OK; i++)
    if (!kiln_facts_hold(p->module->functions[i], fault, sizeof fault)) {
      p->status = KILN_ERR_INTERNAL;
      snprintf(p->message, p->message_size, "the pass %s has kept facts of function %s that hold no longer: %s", pass,
               p->module->functions[i]->name, fault);
    }
}
#endif

static void verify_pass(struct pipeline *p, const char *pass) {
#ifdef KILN_DEBUG
  verify(p, pass);
  check_facts(p, pass);
#else
  if (kiln_module_failed(p->module))
    verify(p, pass);
#endif
}

static void check_pass(struct pipeline *p, const char *pass) {
  verify_pass(p, pass);
  if (p->after && p->status == KILN_OK)
    p->after(p->user, pass, p->module);
}

// To be called after a pass that has changed functions.
static void finish_pass(struct pipeline *p, const char *pass) {
  for (uint32_t i = 0; i < p->module->function_count; i++)
    kiln_facts_forget(p->module->functions[i]);
  check_pass(p, pass);
}

// Runs a pass on every function.
static bool each(struct pipeline *p, const char *pass, bool (*run)(struct kiln_function *fn)) {
  bool any = false;
  for (uint32_t i = 0; i < p->module->function_count && p->status == KILN_OK; i++) {
    bool changed = run(p->module->functions[i]);
    if (changed)
      kiln_facts_forget(p->module->functions[i]);
    any |= changed;
  }
  if (p->status == KILN_OK)
    check_pass(p, pass);
  return any;
}

static bool has_calls(const struct kiln_module *module) {
  for (uint32_t i = 0; i < module->function_count; i++)
    if (!module->functions[i]->is_kernel)
      return true;
  return false;
}

static void keep_kernel(struct pipeline *p) {
  if (!p->caps->kernel || !*p->caps->kernel)
    return;
  if (!kiln_pass_keep_kernel(p->module, p->caps->kernel) && !kiln_module_failed(p->module)) {
    p->status = KILN_ERR_INVALID;
    snprintf(p->message, p->message_size, "build option '--kiln-kernel=%s': the program has no such kernel",
             p->caps->kernel);
    return;
  }
  finish_pass(p, "keep_kernel");
}

static void inline_calls(struct pipeline *p) {
  if (kiln_inline_refuses(p->module, p->caps, p->message, p->message_size)) {
    p->status = KILN_ERR_UNSUPPORTED;
    return;
  }
  kiln_pass_inline(p->module, p->caps);
  finish_pass(p, "inline");
}

// Runs image_formats on the kernel that is compiled for certain formats.
static void set_image_formats(struct pipeline *p) {
  struct kiln_image_constant known[KILN_IMAGE_CONSTANTS];
  uint32_t count;
  bool changed = false;
  if (!kiln_image_constants_read(p->caps->image_formats, known, &count))
    return;
  for (uint32_t i = 0; i < p->module->function_count; i++)
    changed |= kiln_pass_image_formats(p->module->functions[i], known, count);
  if (changed)
    finish_pass(p, "image_formats");
}

// To be run after a pass that exposes something to fold.
static void clean(struct pipeline *p) {
  each(p, "simplify", kiln_pass_simplify);
  each(p, "dce", kiln_pass_dce);
}

static bool scalarise_function(struct kiln_function *fn) { return !kiln_keeps_vectors(fn) && kiln_pass_scalarise(fn); }

// Scalars fold, and are common subexpressions, more often than the vector that they are components of.
static void scalarise(struct pipeline *p, bool optimize) {
  if (!p->caps->scalarise || !each(p, "scalarise", scalarise_function))
    return;
  if (optimize)
    each(p, "simplify", kiln_pass_simplify);
  each(p, "dce", kiln_pass_dce);
}

// Indices of private arrays and of contiguous accesses become constants. The second iteration unrolls loops whose trip
// count depended on the counter of an outer loop.
static void unroll(struct pipeline *p) {
  for (unsigned i = 0; i < 2 && p->caps->unroll && each(p, "unroll", kiln_pass_unroll); i++) {
    each(p, "simplify", kiln_pass_simplify);
    if (each(p, "promote", kiln_pass_promote))
      each(p, "simplify", kiln_pass_simplify);
    each(p, "dce", kiln_pass_dce);
  }
}

// Runs a pass that changes few kernels, and takes a number, on every function.
static void each_with(struct pipeline *p, const char *pass, bool (*run)(struct kiln_function *fn, uint32_t number),
                      uint32_t number) {
  bool changed = false;
  for (uint32_t i = 0; i < p->module->function_count && p->status == KILN_OK; i++)
    changed |= run(p->module->functions[i], number);
  if (!changed || p->status != KILN_OK)
    return;
  finish_pass(p, pass);
  clean(p);
}

static void run_all(struct pipeline *p, bool optimize) {
  bool calls = has_calls(p->module);
  if (calls && optimize &&
      (p->caps->keep_calls || p->caps->calls_above)) { // what is left of a function decides whether it stays one
    each(p, "promote", kiln_pass_promote);
    clean(p);
  }
  if (calls && p->status == KILN_OK)
    inline_calls(p);
  if (p->status == KILN_OK && p->caps->image_formats)
    set_image_formats(p);
  if (p->status == KILN_OK && kiln_pass_collective(p->module, p->caps))
    finish_pass(p, "collective");
  if (p->status != KILN_OK)
    return;
  if (!optimize) {
    scalarise(p, false);
    return;
  }
  if (calls) // constant arguments become constant offsets
    each(p, "simplify", kiln_pass_simplify);
  each(p, "structure", kiln_pass_structure);
  each(p, "spaces", kiln_pass_spaces);
  if (p->caps->single_items)
    each(p, "single_items", kiln_pass_single_items);
  each(p, "promote", kiln_pass_promote);
  clean(p);
  if (each(p, "narrow_phis", kiln_pass_narrow_phis))
    clean(p);
  bool counts = each(p, "loop_counters", kiln_pass_loop_counters);
  if (each(p, "loop_tests", kiln_pass_loop_tests) || counts)
    clean(p);
  if (each(p, "pointer_walks", kiln_pass_pointer_walks))
    clean(p);
  if (p->caps->split_exits && each(p, "split_exits", kiln_pass_split_exits))
    clean(p);
  if (p->caps->may_merge)
    each_with(p, "merge_groups", kiln_pass_merge_groups, p->caps->merged_groups);
  // Before the passes that only some backends want: they can add uses of a product, which would then be fused for one
  // backend and not for another.
  if (p->caps->fma && each(p, "contract", p->caps->half_fma ? kiln_pass_contract : kiln_pass_contract_but_half))
    each(p, "dce", kiln_pass_dce);
  unroll(p);
  if (p->caps->scalar_replacement && each(p, "forward", kiln_pass_forward))
    clean(p);
  if (p->caps->scalar_replacement && p->status == KILN_OK && kiln_pass_scalar_replacement(p->module)) {
    finish_pass(p, "scalar_replacement");
    clean(p);
  }
  if (each(p, "dots", kiln_pass_dots))
    each(p, "dce", kiln_pass_dce);
  scalarise(p, true);
  if (p->caps->unit_versions && each(p, "unit_versions", kiln_pass_unit_versions))
    clean(p);
  if (p->caps->unroll_transpose && each(p, "unroll_transpose", kiln_pass_unroll_transpose))
    clean(p);
  if (p->caps->bfloat_pairs && each(p, "pairs", kiln_pass_pairs))
    clean(p);
  if (p->caps->bfloat_pairs && each(p, "pair_loads", kiln_pass_pair_loads))
    clean(p);
  if (p->caps->scalarise && p->caps->widen && each(p, "pack", kiln_pass_pack))
    each(p, "dce", kiln_pass_dce);
  if (p->caps->small_masks > 1) // of kernels: what they call is inlined where it masks ids
    each_with(p, "small_masks", kiln_pass_small_masks, p->caps->small_masks);
  if (p->caps->widen && each(p, "split_induction", kiln_pass_split_induction))
    each(p, "dce", kiln_pass_dce);
  if (p->caps->narrow && each(p, "narrow", kiln_pass_narrow))
    clean(p);
}

// Refuses operations on sub-groups, which no pass can replace, for a backend without them.
static void check_groups(struct pipeline *p) {
  for (uint32_t i = 0; i < p->module->function_count && p->caps->sub_groups == KILN_SUB_GROUPS_NONE; i++) {
    const struct kiln_function *fn = p->module->functions[i];
    for (kiln_value id = 1; id < fn->inst_count && p->status == KILN_OK; id++) {
      const struct kiln_inst *inst = &fn->insts[id];
      if (!inst->region || !kiln_op_uses_sub_groups(kiln_op_of(inst)))
        continue;
      p->status = KILN_ERR_UNSUPPORTED;
      snprintf(p->message, p->message_size, "'%s' uses %s, but the backend has no operations on sub-groups", fn->name,
               kiln_op_table[inst->op].name);
    }
  }
}

static void lower_images(struct pipeline *p) {
  char missing[KILN_IMAGE_LIBRARY_NAME_SIZE];
  bool changed = kiln_pass_images(p->module, missing);
  if (missing[0]) {
    p->status = KILN_ERR_UNSUPPORTED;
    snprintf(p->message, p->message_size,
             "the program uses images, but has no function '%s', which the front end adds for OpenCL C", missing);
  } else if (changed) {
    finish_pass(p, "images");
  }
}

static void annotate(struct kiln_module *module) {
  // Callees must be annotated before callers. Callees that come later in the module have no barrier, since the inliner
  // has inlined those that have, so that two iterations suffice.
  for (unsigned i = 0; i < 2; i++)
    for (uint32_t f = 0; f < module->function_count; f++)
      kiln_function_annotate(module->functions[f]);
}

enum kiln_status kiln_passes_run(struct kiln_module *module, const struct kiln_caps *caps,
                                 const struct kiln_options *options, kiln_after_pass_fn *after, void *user,
                                 char *message, size_t message_size) {
  struct pipeline p = {
      .module = module, .caps = caps, .after = after, .user = user, .message = message, .message_size = message_size};
  if (!caps->images) // first: nothing else calls the library's functions
    lower_images(&p);
  if (p.status == KILN_OK)
    keep_kernel(&p);
  if (p.status == KILN_OK)
    check_groups(&p);
  if (p.status == KILN_OK)
    run_all(&p, options->optimize > 0);
  if (p.status == KILN_OK && kiln_pass_align(module))
    finish_pass(&p, "align");
  if (p.status == KILN_OK)
    verify(&p, "pipeline");
  if (p.status == KILN_OK)
    annotate(module);
  module->small_ids = caps->small_ids;
  for (uint32_t i = 0; i < module->function_count && caps->analyse && p.status == KILN_OK; i++) {
    kiln_function_analyse_again(module->functions[i]);
    if (caps->widen && options->optimize > 0 && kiln_pass_widen(module->functions[i])) {
      kiln_pass_dce(module->functions[i]);
      finish_pass(&p, "widen");
      kiln_function_analyse_again(module->functions[i]);
    }
  }
  if (p.status == KILN_OK)
    verify_pass(&p, "analyse");
  return p.status;
}
