// Kernels of the CPU: a function that runs a work-group, or a plane of one (backends/cpu/abi.h).
#include "backends/cpu/abi.h"

#include <stdio.h>
#include <string.h>

#include "backends/llvm/arrange/arrange.h"
#include "backends/llvm/core/tally.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/cpu/schedule.h"
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"
#include "kiln/op_cases.h"

// In warps of several sub-groups: the numbers of the lanes' sub-groups, or of the lanes in their sub-groups.
static LLVMValueRef split_item(struct kiln_ll_fn *f, enum kiln_op op, unsigned size) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef items = kiln_ll_iota(f, f->ll->i32, 1);
  if (op == KILN_OP_SUB_GROUP_ID || f->form->lanes < size)
    items = LLVMBuildAdd(b, kiln_ll_broadcast(f, LLVMBuildTrunc(b, f->cpu.item, f->ll->i32, "")), items, "");
  LLVMValueRef sizes = kiln_ll_splat(LLVMTypeOf(items), size);
  return op == KILN_OP_SUB_GROUP_ID ? LLVMBuildUDiv(b, items, sizes, "") : LLVMBuildURem(b, items, sizes, "");
}

// A sub-group is a warp, or one of the parts that a warp is split into. Work-items that an item region runs in narrower
// warps, or one by one, are a part of a sub-group.
static LLVMValueRef sub_group_item(struct kiln_ll_fn *f, enum kiln_op op) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  unsigned lanes = ll->job->target.warp_size;
  LLVMValueRef size = kiln_ll_i64(ll, lanes), v = size; // MAX_SUB_GROUP_SIZE
  bool is_number = op == KILN_OP_SUB_GROUP_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID;
  if (is_number && f->form && f->fn->splits_sub_groups)
    return split_item(f, op, lanes);
  if (op == KILN_OP_SUB_GROUP_SIZE) {
    LLVMValueRef first = LLVMBuildAnd(b, f->cpu.item, kiln_ll_i64(ll, ~(uint64_t)(lanes - 1)), "");
    v = LLVMBuildSub(b, kiln_ll_live_items(f), first, "");
    v = kiln_ll_plain(ll, KILN_OP_UMIN, v, size);
  } else if (op == KILN_OP_NUM_SUB_GROUPS) {
    v = LLVMBuildUDiv(b, LLVMBuildAdd(b, kiln_ll_live_items(f), kiln_ll_i64(ll, lanes - 1), ""), size, "");
  } else if (op == KILN_OP_SUB_GROUP_ID) {
    v = LLVMBuildUDiv(b, f->cpu.item, size, "");
  } else if (op == KILN_OP_SUB_GROUP_LOCAL_ID) { // of lane 0
    bool begins = f->form && f->form->lanes == lanes;
    v = begins ? kiln_ll_i64(ll, 0) : LLVMBuildURem(b, f->cpu.item, size, "");
  }
  return LLVMBuildTrunc(b, v, ll->i32, "");
}

static LLVMValueRef item(struct kiln_ll_fn *f, enum kiln_op op, unsigned d) {
  bool packed = f->form && f->cpu.packed;
  LLVMBuilderRef b = f->ll->b;
  if (kiln_op_family(op) == KILN_FAMILY_SUB_GROUP)
    return sub_group_item(f, op);
  switch (op) {
  case KILN_OP_GLOBAL_ID:
    if (f->cpu.flattened && d != KILN_FLAT_DIMENSION) {
      LLVMValueRef offset = kiln_ll_word(f, KILN_LL_OFFSET + d);
      return LLVMBuildAdd(b, kiln_ll_flat_position(f, d), f->form ? kiln_ll_broadcast(f, offset) : offset, "global.id");
    }
    d = d == KILN_FLAT_DIMENSION ? 0 : d;
    if (packed)
      return LLVMBuildAdd(b, kiln_ll_broadcast(f, kiln_ll_word(f, KILN_LL_GROUP_BASE + d)), f->cpu.lane_id[d],
                          "global.id");
    return LLVMBuildAdd(b, kiln_ll_word(f, KILN_LL_GROUP_BASE + d), f->cpu.local_id[d], "global.id");
  case KILN_OP_LOCAL_ID:
    return packed ? f->cpu.lane_id[d] : f->cpu.local_id[d];
  case KILN_OP_GROUP_ID:
    return kiln_ll_word(f, KILN_LL_GROUP_ID + d);
  case KILN_OP_GLOBAL_SIZE:
    return kiln_ll_word(f, KILN_LL_GLOBAL_SIZE + d);
  case KILN_OP_LOCAL_SIZE:
    return kiln_ll_word(f, KILN_LL_LOCAL_SIZE + d);
  case KILN_OP_FULL_LOCAL_SIZE:
    return kiln_ll_word(f, KILN_LL_FULL_LOCAL + d);
  case KILN_OP_NUM_GROUPS:
    return kiln_ll_word(f, KILN_LL_GROUPS + d);
  case KILN_OP_GLOBAL_OFFSET:
    return d == KILN_GRID_STRIDE_DIMENSION ? f->cpu.distance : kiln_ll_word(f, KILN_LL_OFFSET + d);
  case KILN_OP_WORK_DIM:
    return kiln_ll_word(f, KILN_LL_WORK_DIM);
  case KILN_OP_NOALIAS:
    return LLVMBuildICmp(b, LLVMIntNE, kiln_ll_word(f, KILN_LL_NOALIAS), kiln_ll_i64(f->ll, 0), "noalias");
    KILN_CASES_BUT_ITEM break;
  }
  return NULL;
}

static LLVMValueRef local_variable(struct kiln_ll_fn *f, uint32_t global) {
  return kiln_ll_address_at(f->ll, f->cpu.local_base, f->ll->local_offsets[global]);
}

// ---- kernel

// Bytes and alignment of a parameter in the argument block.
static void param_layout(const struct kiln_param *param, uint32_t *size, uint32_t *align) {
  if (param->byval_bytes) {
    *size = param->byval_bytes;
    *align = param->align ? kiln_cpu_arg_align(param->align) : 8;
    return;
  }
  *size = *align = kiln_ll_memory_bytes(param->type) * kiln_ll_room(param->type);
}

static void load_params(struct kiln_ll_fn *f, struct kiln_cpu_meta_kernel *meta) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef args = kiln_ll_word(f, KILN_LL_ARGS);
  uint32_t used = 0;
  meta->arg_first = ll->cpu_arg_count;
  meta->arg_count = f->fn->param_count;
  for (uint32_t i = 0; i < f->fn->param_count; i++) {
    const struct kiln_param *param = &f->fn->params[i];
    uint32_t size, align;
    param_layout(param, &size, &align);
    used = (uint32_t)kiln_ll_align_up(used, align);
    ll->cpu_arg_offsets[ll->cpu_arg_count++] = used;
    LLVMValueRef address = kiln_ll_address_at(ll, args, used), value = address;
    used += size;
    bool is_local = kiln_type_kind(param->type) == KILN_PTR && kiln_type_space(param->type) == KILN_LOCAL;
    if (is_local && !param->byval_bytes) {
      value = LLVMBuildLoad2(ll->b, ll->i64, address, "");
      value = LLVMBuildGEP2(ll->b, ll->i8, f->cpu.local_base, &value, 1, param->name);
    } else if (!param->byval_bytes) {
      value = LLVMBuildLoad2(ll->b, kiln_ll_type(ll, param->type), address, param->name);
      LLVMSetAlignment(value, align);
    }
    f->values[param->value] = value;
  }
  meta->arg_bytes = used;
}

// What is loaded from records that are parameters is as good as a parameter.
static void load_fields(struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool any = false;
  for (uint32_t i = 0; i < fn->param_count; i++)
    any |= fn->params[i].byval_bytes != 0;
  if (!any)
    return;
  LLVMValueRef *fields = KILN_NEW_ARRAY(&f->ll->arena, LLVMValueRef, fn->inst_count);
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (in->op != KILN_OP_LOAD || !in->region || kiln_effect_of(fn, v) != KILN_EFFECT_PURE)
      continue;
    struct kiln_affine place;
    kiln_affine_of(fn, kiln_operands(fn, v)[0], 0, &place);
    LLVMValueRef address = kiln_ll_address_at(f->ll, f->values[place.base], place.constant);
    fields[v] = LLVMBuildLoad2(f->ll->b, kiln_ll_type(f->ll, in->type), address, "");
    LLVMSetAlignment(fields[v], kiln_ll_known_align(in, in->type));
  }
  f->cpu.fields = fields;
}

void kiln_ll_emit_body(struct kiln_ll_fn *f, void *user) {
  (void)user;
  kiln_ll_region(f, f->fn->body);
}

// LLVM holds a mask of more lanes than a register has as one integer if the machine has byte masks, and takes it apart
// at each use. Without AVX512BW, which only elements narrower than 32 bits and sums of pairs of bfloat16 need, masks
// stay in parts.
static void split_masks(struct kiln_ll_fn *f, unsigned lanes) {
  const struct kiln_llvm_machine *machine = f->ll->machine;
  if (!machine->cpu.has_avx512 || lanes <= 16 || !kiln_ll_only_moves_narrow(f->fn) || kiln_ll_has_pairs(f))
    return;
  kiln_ll_text_attribute(
      f->ll, f->function, "target-features",
      kiln_arena_printf(&f->ll->arena, "%s%s-avx512bw", machine->features, *machine->features ? "," : ""));
  f->cpu.split_masks = true;
}

// Whether masked warps run what full ones leave of a row, so that full warps of one register need no form: where the
// driver makes rows long, and masked accesses are as fast as those of full warps.
static bool leaves_ends_alone(const struct kiln_ll_fn *f, const struct kiln_ll_form *full,
                              const struct kiln_ll_form *masked) {
  for (kiln_value v = 1; v < f->fn->inst_count; v++)
    if (full->plan[v] && full->plan[v]->full != KILN_LL_GATHERED && masked->plan[v]->masked == KILN_LL_GATHERED)
      return false;
  return f->fn->is_flat && !kiln_ll_gains_by_tiles(f->ll, f->fn) && kiln_ll_assumes_ends_of_rows(f->fn);
}

// The forms of a warp: full ones of all lanes; full ones of one register's lanes, for where the first may not run for
// other reasons than the end of a long row; and masked ones, of one register's lanes in kernels without barriers, which
// assume nothing. Large kernels mostly have only the masked ones.
void kiln_ll_begin_warps(struct kiln_ll_fn *f) {
  unsigned lanes = f->cpu.lanes;
  f->form = NULL;
  if (lanes == 1)
    return;
  bool twice = kiln_ll_has_full_form(f->ll, f->fn, f->group ? KILN_COST_TWICE_GROUP : KILN_COST_TWICE) ||
               (lanes > f->ll->lanes && kiln_ll_is_one_chain(f->ll, f->fn)),
       alike = f->group || f->cpu.packed || f->fn->has_sub_groups;
  unsigned least = lanes < f->ll->lanes || alike ? lanes : f->ll->lanes;
  f->cpu.narrow = KILN_NEW_ARRAY(&f->ll->arena, const struct kiln_ll_form *, KILN_LL_NARROW_FORMS);
  f->cpu.assumes = twice && !alike && kiln_ll_may_assume(f->fn);
  struct kiln_ll_form *masked = kiln_ll_begin_form(f, least, false), *full[2] = {NULL, NULL};
  if (twice && !alike) {
    full[0] = kiln_ll_begin_form(f, lanes, true);
    if (f->cpu.assumes && least < lanes && !leaves_ends_alone(f, full[0], masked))
      full[1] = kiln_ll_begin_form(f, least, true);
  }
  for (unsigned i = 0; i < 2 && full[i]; i++)
    kiln_ll_plan_conditions(f, full[i]);
  kiln_ll_plan_conditions(f, masked);
  f->form = masked;
  f->cpu.full[0] = twice && alike ? masked : full[0];
  f->cpu.full[1] = full[1];
  split_masks(f, lanes);
}

// The most instructions that a work-item runs; 0 if that is unknown.
static uint32_t bounded_steps(const struct kiln_function *fn) {
  return kiln_ll_uses(fn, KILN_OP_LOOP) || kiln_ll_uses(fn, KILN_OP_CALL) ? 0 : fn->inst_count;
}

// Whether the kernel uses ids of a dimension, or calls functions, which may.
static bool uses_ids(const struct kiln_function *fn, uint64_t dimension) {
  for (kiln_value v = 1; v < fn->inst_count; v++) {
    enum kiln_op op = (enum kiln_op)fn->insts[v].op;
    if (op == KILN_OP_CALL || ((op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID) && fn->insts[v].imm == dimension))
      return true;
  }
  return false;
}

// Which loops over dimensions are left to the driver. Each loop takes time to compile, and kernels with barriers have
// many nests of them. So dimension 2 is left to the driver, and dimension 1 too if the kernel uses no id of it. A
// kernel with barriers runs a whole group in one call: there, groups of several planes, and of several rows, are left
// to the packed variant under that condition.
static uint32_t plane_flags(const struct kiln_function *fn, bool packed, const struct kiln_ll_flattened *flattened,
                            struct kiln_ll_launches *launches) {
  const uint32_t *required = fn->required_group_size;
  if (flattened)
    return KILN_CPU_FLATTENED | (flattened->planes ? KILN_CPU_FLAT_PLANES : 0);
  if (packed)
    return 0;
  if (!fn->has_barrier)
    return KILN_CPU_PLANES | (uses_ids(fn, 1) || fn->has_sub_groups ? 0 : KILN_CPU_ROWS);
  launches->one_plane = required[2] <= 1 && !uses_ids(fn, 2);
  launches->one_row = launches->one_plane && required[1] <= 1 && !uses_ids(fn, 1);
  return 0;
}

// Whether the kernel is compiled for groups whose rows are multiples of the lanes. With barriers each item region has
// separate code for the last warp of a row, a third of what is compiled; so launches with other rows get a variant. A
// required or hinted size that is no multiple gets it from the start.
static bool assumes_whole_rows(const struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes, bool packed) {
  if (!fn->has_barrier || lanes == 1 || packed || kiln_ll_has_any_rows(ll) || kiln_ll_asks(ll, KILN_CPU_SHAPE_SINGLE))
    return false;
  return fn->merged_groups || (fn->required_group_size[0] % lanes == 0 && fn->group_size_hint[0] % lanes == 0);
}

// Whether groups are as large as the kernel requires, so that loops over work-items have known bounds. Launches with
// partial groups get the variant for any rows. rearranged: warps are not those of rows.
static bool assumes_full_groups(const struct kiln_ll *ll, const struct kiln_function *fn, bool rearranged) {
  return fn->required_group_size[0] && !fn->is_flat && !rearranged && !kiln_ll_has_any_rows(ll);
}

// Whether the instruction chooses between the versions that the pass small_masks makes.
static bool has_small_masks(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_node *node = fn->insts[v].op == KILN_OP_SWITCH && fn->insts[v].region ? kiln_node(fn, v) : NULL;
  for (uint32_t i = 0; node && i + 1 < node->region_count; i++) {
    int64_t power = INT64_C(1) << (i & 31);
    if (node->cases[i] != (node->cases[0] ? power : power - 1))
      return false;
  }
  return node && node->region_count > 2 && !node->results.count && kiln_is_of_launch(fn, kiln_operands(fn, v)[0]);
}

// The switch between the versions of small_masks; 0: the kernel has no such versions.
static kiln_value small_masks(const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (has_small_masks(fn, v))
      return v;
  return 0;
}

static void begin_tally(struct kiln_ll_fn *f) {
  kiln_ll_tally_begin(f->ll, f->fn);
  for (kiln_value v = 1; v < f->fn->inst_count; v++)
    if (f->fn->insts[v].region && kiln_ll_is_remainder(f->fn, v))
      kiln_ll_tally(f, v, KILN_LL_REMAINDER_LOOP);
    else if (f->cpu.rows && f->fn->insts[v].region && f->fn->insts[v].op == KILN_OP_LOOP)
      kiln_ll_tally(f, v, KILN_LL_REGISTER_BLOCKED);
    else if (f->cpu.grid_stride && f->cpu.grid_stride->block == v)
      kiln_ll_tally(f, v, KILN_LL_GRID_STRIDE);
    else if (has_small_masks(f->fn, v))
      kiln_ll_tally(f, v, KILN_LL_SMALL_MASKS);
    else if (kiln_ll_is_version(f->fn, v))
      kiln_ll_tally(f, v, KILN_LL_UNIT_VERSION);
}

// The group's code, with a version for groups in which guards hold if the kernel has any.
static void emit_group(struct kiln_ll_fn *f) {
  struct kiln_ll_fn guarded = *f;
  struct kiln_ll_versions versions;
  guarded.cpu.decided = f->cpu.lanes > 1 ? kiln_ll_find_group_guards(f) : NULL;
  if (guarded.cpu.decided) {
    kiln_ll_begin_warps(&guarded);
    LLVMValueRef hold = kiln_ll_group_guards_hold(&guarded);
    kiln_ll_likely(f->ll->context, kiln_ll_begin_versions(f, &versions, hold, "inside"));
    kiln_ll_guarded_group_body(&guarded);
    kiln_ll_other_version(f, &versions);
  }
  kiln_ll_begin_warps(f);
  kiln_ll_group_body(f);
  if (guarded.cpu.decided)
    kiln_ll_end_versions(f, &versions);
}

// A loop over the work-items for each version that the pass small_masks has made: the launch decides which one runs.
static void mask_versions(struct kiln_ll_fn *f, kiln_value choice) {
  LLVMBuilderRef b = f->ll->b;
  const struct kiln_node *node = kiln_node(f->fn, choice);
  LLVMValueRef mask = kiln_ll_emit_ahead(f, kiln_operands(f->fn, choice)[0]), table = NULL;
  LLVMBasicBlockRef done = kiln_ll_block(f, "done");
  for (uint32_t i = 0; i < node->region_count; i++) {
    struct kiln_ll_fn version = *f;
    LLVMBasicBlockRef block = kiln_ll_block(f, i ? "small.mask" : "large.mask");
    if (i)
      LLVMAddCase(table, LLVMConstInt(LLVMTypeOf(mask), (uint64_t)node->cases[i - 1], true), block);
    else
      table = LLVMBuildSwitch(b, mask, block, node->region_count - 1);
    LLVMPositionBuilderAtEnd(b, block);
    version.cpu.decided = KILN_NEW_ARRAY(&f->ll->arena, uint8_t, f->fn->node_count + 1);
    version.cpu.decided[kiln_inst(f->fn, choice)->node] = (uint8_t)(1 + i);
    kiln_ll_begin_warps(&version);
    kiln_ll_items(&version, kiln_ll_emit_body, NULL);
    LLVMBuildBr(b, done);
  }
  kiln_ll_continue_at(f, done);
}

static void emit_flat(struct kiln_ll_fn *f) {
  kiln_value masks = f->cpu.lanes > 1 ? small_masks(f->fn) : 0;
  if (masks) {
    mask_versions(f, masks);
    return;
  }
  kiln_ll_begin_warps(f);
  kiln_ll_items(f, kiln_ll_emit_body, NULL);
}

// The function of the kernel, and its parameters.
static struct kiln_ll_fn *declare(struct kiln_ll *ll, const struct kiln_function *fn) {
  LLVMTypeRef types[4] = {ll->ptr, ll->ptr, ll->ptr, ll->ptr};
  char *name = kiln_arena_printf(&ll->arena, "%s" KILN_CPU_SYMBOL_SUFFIX, fn->name);
  LLVMValueRef function = LLVMAddFunction(ll->module, name, LLVMFunctionType(ll->void_type, types, 4, false));
  LLVMSetVisibility(function, LLVMProtectedVisibility);
  kiln_ll_function_attributes(ll, function);
  struct kiln_ll_fn *f = kiln_ll_begin(ll, fn, function);
  static const char *const names[4] = {"launch", "local", "items", "group"};
  for (unsigned i = 0; i < 4; i++)
    LLVMSetValueName2(LLVMGetParam(function, i), names[i], strlen(names[i]));
  kiln_ll_attribute(ll->context, function, (unsigned)LLVMAttributeFunctionIndex, "uwtable", 2); // for unwinding
  for (unsigned i = 0; i < 4; i++) // the driver's own memory, which no buffer overlaps
    kiln_ll_attribute(ll->context, function, i + 1, "noalias", 0);
  f->cpu.launch = LLVMGetParam(function, 0);
  f->cpu.local_base = LLVMGetParam(function, 1);
  f->cpu.item_block = LLVMGetParam(function, 2);
  f->cpu.group_block = LLVMGetParam(function, 3);
  return f;
}

// How many lanes the kernel got, and why: for the log and --stats.
static void tell(struct kiln_ll *ll, const struct kiln_ll_fn *f, uint32_t flags, struct kiln_ll_width width) {
  struct kiln_kernel_resources *told = &ll->cpu_resources[ll->cpu_kernel_count - 1];
  if (width.lanes == 1)
    snprintf(told->remark, sizeof told->remark, "1 lane: %s", width.reason);
  else
    snprintf(told->remark, sizeof told->remark, "%u lanes%s, %u per register: %s", width.lanes,
             f->cpu.flattened                ? " along the flattened index"
             : flags & KILN_CPU_INTERCHANGED ? " along dimension 1"
             : f->fn->merged_groups          ? " across groups"
                                             : "",
             width.lanes < width.per_register ? width.lanes : width.per_register, width.reason);
  kiln_report_log(ll->report, KILN_LOG_DEBUG, "kernel '%s': %s", f->fn->name, told->remark);
}

// How the driver calls the kernel: enum kiln_cpu_kernel_flags.
static uint32_t flags_of(struct kiln_ll *ll, const struct kiln_function *fn, const struct kiln_ll_arrangement *a,
                         struct kiln_ll_launches *launches) {
  return (fn->is_flat ? KILN_CPU_FLAT : 0) | plane_flags(fn, a->packed, a->flattened ? &a->flat : NULL, launches) |
         (a->interchanged ? KILN_CPU_INTERCHANGED : 0) | (a->blocked ? KILN_CPU_BLOCKED : 0) |
         (fn->is_flat && kiln_ll_gains_by_tiles(ll, fn) ? KILN_CPU_COLUMNS : 0) |
         (ll->machine->stops ? KILN_CPU_STOPS | KILN_CPU_LEAVES : 0) | (kiln_ll_may_fail(ll) ? KILN_CPU_LEAVES : 0);
}

// Has the frame aligned where vectors may be spilled. LLVM aligns it for variables, but not for what it spills: then
// either half of the accesses to spilled vectors cross a line of the cache or none does, by where the thread's stack
// happens to be (1.5 and 1.15 ms for a kernel of the bench). The alignment takes a register and three instructions per
// call, so that kernels with few live values go without.
static void align_frame(const struct kiln_ll_fn *f, unsigned lanes) {
  unsigned registers = lanes > f->ll->lanes ? lanes / f->ll->lanes : 1, rows = f->cpu.rows ? f->cpu.rows : 1;
  if (lanes > 1 && 2 * kiln_function_live(f->fn) * registers * rows >= kiln_ll_costs(f->ll->machine)->registers)
    kiln_ll_text_attribute(f->ll, f->function, "stackrealign", "");
}

static void kernel(struct kiln_ll *ll, uint32_t index) {
  struct kiln_ll_arrangement *a = KILN_NEW(&ll->arena, struct kiln_ll_arrangement);
  kiln_ll_arrange(ll, ll->ir->functions[index], a);
  struct kiln_function *fn = a->fn;
  struct kiln_cpu_meta_kernel *meta = &ll->cpu_kernels[ll->cpu_kernel_count++];
  struct kiln_ll_fn *f = declare(ll, fn);
  meta->merged = fn->merged_groups;
  meta->local_bytes = kiln_ll_place_locals(ll, fn);
  meta->tiny = a->iterates ? 0 : bounded_steps(fn);
  struct kiln_ll_launches launches = {.packed = a->packed, .merging = a->gains_by_merging};
  meta->flags = flags_of(ll, fn, a, &launches);
  kiln_ll_find_launches(ll, fn, a->rearranged, meta->flags, &launches);
  f->cpu.full_groups = assumes_full_groups(ll, fn, a->rearranged);
  launches.full_groups = a->full || f->cpu.full_groups || a->flat.asks_groups;
  f->cpu.flattened = a->flattened ? &a->flat : NULL;
  f->cpu.grid_stride = a->iterates ? &a->grid_stride : NULL;
  f->cpu.rows = a->blocked ? KILN_LL_BLOCKED_ROWS : 0;
  meta->column_unit = a->blocked && fn->has_barrier ? KILN_LL_BLOCKED_ROWS : 0;
  if (meta->flags & KILN_CPU_PLANES)
    f->cpu.plane = kiln_ll_word(f, KILN_LL_PLANE);
  else if (launches.one_plane || (a->flattened && !a->flat.planes))
    f->cpu.plane = kiln_ll_i64(ll, 0);
  f->cpu.one_row = (a->flattened && !a->flat.planes) || launches.one_row || meta->flags & KILN_CPU_ROWS;
  LLVMBasicBlockRef start = kiln_ll_block(f, "start");
  LLVMPositionBuilderAtEnd(ll->b, start);
  load_params(f, meta);
  load_fields(f);
  if (!a->rearranged && kiln_ll_may_split_sub_groups(ll, fn)) {
    fn->splits_sub_groups = true;
    kiln_function_analyse_again(fn);
  }
  struct kiln_ll_width width = kiln_ll_choose_width(ll, fn);
  if (!a->rearranged)
    kiln_ll_align_width(f, fn, &width);
  unsigned lanes = meta->lanes = f->cpu.lanes = width.lanes;
  f->cpu.packed = a->packed;
  kiln_ll_find_flattening(ll, fn, lanes, &launches);
  f->cpu.whole_rows = !a->interchanged && assumes_whole_rows(ll, fn, lanes, a->packed);
  bool counts_on_rows = lanes > 1 && fn->counts_on_rows;
  meta->row_unit = f->cpu.whole_rows || (counts_on_rows && !fn->is_flat) ? lanes : 0;
  launches.aligned = counts_on_rows;
  if (lanes == 1 && ll->job->options.optimize)
    kiln_ll_find_addresses(f);
  if (fn->has_barrier)
    kiln_ll_begin_group(f);
  meta->item_bytes = f->group ? f->group->item_bytes : 0;
  if (fn->has_sub_groups && lanes == 1)
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: '%s' uses sub-groups, but has not been analysed", fn->name);
  if (lanes > 1 && fn->module->small_ids && kiln_ll_uses(fn, KILN_OP_GLOBAL_ID)) // the shapes rely on it
    launches.small_ids = true;
  ll->wide &= lanes > 1;
  kiln_ll_schedule(ll, fn, &launches, width, meta);
  tell(ll, f, meta->flags, width);
  align_frame(f, lanes);
  begin_tally(f);
  if (a->flattened && !ll->status)
    kiln_ll_flat_items(f);
  else if (f->group && !ll->status)
    emit_group(f);
  else if (!ll->status)
    emit_flat(f);
  LLVMBuildRetVoid(ll->b);
  LLVMPositionBuilderAtEnd(ll->b, f->entry);
  LLVMBuildBr(ll->b, start);
  kiln_ll_tally_end(ll, fn, lanes);
  kiln_ll_tell_schedule(ll, meta);
  if (ll->job->stage)
    ll->arranged[index] = a;
  else
    kiln_ll_free_copies(ll);
}

// ---- hidden parameters of functions: the launch, local memory, the group, and the ids of the work-item

static uint32_t hidden_types(struct kiln_ll *ll, LLVMTypeRef *out) {
  for (unsigned i = 0; i < 6; i++)
    out[i] = i < 3 ? ll->ptr : ll->i64;
  return 6;
}

static uint32_t hidden_args(struct kiln_ll_fn *f, LLVMValueRef *out) {
  out[0] = f->cpu.launch;
  out[1] = f->cpu.local_base;
  out[2] = f->cpu.group_block;
  memcpy(out + 3, f->cpu.local_id, sizeof f->cpu.local_id);
  return 6;
}

static void hidden_params(struct kiln_ll_fn *f, uint32_t first) {
  f->cpu.launch = LLVMGetParam(f->function, first);
  f->cpu.local_base = LLVMGetParam(f->function, first + 1);
  f->cpu.group_block = LLVMGetParam(f->function, first + 2);
  for (unsigned d = 0; d < 3; d++)
    f->cpu.local_id[d] = LLVMGetParam(f->function, first + 3 + d);
}

// ---- address spaces: all are LLVM's default one

static LLVMValueRef null(struct kiln_ll *ll, enum kiln_space space) { return LLVMConstNull(kiln_ll_ptr(ll, space)); }

static LLVMValueRef same_pointer(struct kiln_ll_fn *f, LLVMValueRef pointer, enum kiln_space space) {
  (void)f;
  (void)space;
  return pointer;
}

// Whether the address is within size bytes from the other one.
static LLVMValueRef is_within(struct kiln_ll *ll, LLVMValueRef address, LLVMValueRef from, LLVMValueRef size) {
  return LLVMBuildICmp(ll->b, LLVMIntULT, LLVMBuildSub(ll->b, address, from, ""), size, "");
}

// Local memory and the item block are adjacent; other private variables are on the stack, in the frame of the kernel
// (functions that ask for the space are inlined). All other memory is global.
static LLVMValueRef space_of(struct kiln_ll_fn *f, LLVMValueRef pointer) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  enum { RED_ZONE = 128 }; // what a leaf function may use below its stack pointer
  uint32_t item_bytes = ll->cpu_kernels[ll->cpu_kernel_count - 1].item_bytes;
  LLVMValueRef zero = kiln_ll_i32(ll, 0);
  LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, ll->i64, "");
  LLVMValueRef local = LLVMBuildPtrToInt(b, f->cpu.local_base, ll->i64, "");
  LLVMValueRef items = LLVMBuildPtrToInt(b, f->cpu.item_block, ll->i64, "");
  LLVMValueRef is_local = is_within(ll, address, local, LLVMBuildSub(b, items, local, ""));
  LLVMValueRef item_size = LLVMBuildMul(b, kiln_ll_word(f, KILN_LL_ITEM_COUNT), kiln_ll_i64(ll, item_bytes), "");
  LLVMValueRef is_item = is_within(ll, address, items, item_size);
  LLVMValueRef top =
      LLVMBuildPtrToInt(b, kiln_ll_intrinsic(ll, "llvm.frameaddress", &ll->ptr, 1, &zero, 1), ll->i64, "");
  LLVMValueRef bottom =
      LLVMBuildPtrToInt(b, kiln_ll_intrinsic(ll, "llvm.stacksave", &ll->ptr, 1, NULL, 0), ll->i64, "");
  bottom = LLVMBuildSub(b, bottom, kiln_ll_i64(ll, RED_ZONE), "");
  LLVMValueRef is_frame = is_within(ll, address, bottom, LLVMBuildSub(b, top, bottom, ""));
  LLVMValueRef others =
      LLVMBuildSelect(b, LLVMBuildOr(b, is_item, is_frame, ""), zero, kiln_ll_i32(ll, KILN_GLOBAL), "");
  return LLVMBuildSelect(b, is_local, kiln_ll_i32(ll, KILN_LOCAL), others, "");
}

const struct kiln_ll_hooks kiln_ll_cpu_hooks = {
    .local_is_private = true,
    .kernel = kernel,
    .item = item,
    .local = local_variable,
    .define_state = kiln_ll_cpu_define_state,
    .state = kiln_ll_cpu_state,
    .hidden_types = hidden_types,
    .hidden_args = hidden_args,
    .hidden_params = hidden_params,
    .math = kiln_ll_cpu_math,
    .print = kiln_ll_cpu_print,
    .own = kiln_ll_cpu_own,
    .dot4 = kiln_ll_cpu_dot4,
    .null = null,
    .to_generic = same_pointer,
    .from_generic = same_pointer,
    .space_of = space_of,
    .poll = kiln_ll_cpu_poll,
    .lanes = &kiln_ll_spmd_hooks,
    .groups = &kiln_ll_barrier_hooks,
};
