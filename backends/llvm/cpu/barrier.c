// Emission of kernels with barriers: the group walks the tree; item regions are loops over work-items. One thread runs
// the group, so a barrier is no instruction: it is where one loop ends and the next begins. group.h explains the terms.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/spmd/launch.h"

#include <string.h>

#include "backends/llvm/spmd/spmd.h"

// ---- the item block: arrays by slot, one element per work-item

// The place of a work-item in the array that begins so many bytes per work-item into the block.
static LLVMValueRef address_in(struct kiln_ll_fn *f, uint32_t slot, uint32_t size, LLVMValueRef item) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef offset = LLVMBuildMul(b, kiln_ll_word(f, KILN_LL_ITEM_COUNT), kiln_ll_i64(f->ll, slot), "");
  LLVMValueRef array = kiln_ll_pointer_add(f->ll, f->cpu.item_block, offset, 1);
  return kiln_ll_pointer_add(f->ll, array, LLVMBuildMul(b, item, kiln_ll_i64(f->ll, size), ""), 1);
}

static LLVMValueRef slot_address(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef item) {
  return address_in(f, f->group->slot[v], f->group->slot_size[v], item);
}

static void mark(struct kiln_ll_fn *f, LLVMValueRef access) {
  if (f->cpu.access_group) // work-items access distinct elements
    LLVMSetMetadata(access, f->ll->access_group_kind, f->cpu.access_group);
}

// At many lanes: stores value, which has the form of v's shape, in the slots of v.
static void store_slots(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef value) {
  kiln_type type = kiln_value_type(f->fn, v);
  struct kiln_ll_fn ordered = kiln_ll_in_order_of(f, v);
  value = kiln_ll_to_memory(f->ll, type, kiln_ll_widen(&ordered, v, value));
  kiln_ll_store_contiguous(&ordered, value, kiln_type_lanes(type), kiln_ll_room(type), slot_address(f, v, f->cpu.item),
                           kiln_ll_memory_bytes(type), f->at.mask, true);
}

// At many lanes: loads v from its slots.
static LLVMValueRef load_slots(const struct kiln_ll_fn *from, kiln_value v) {
  struct kiln_ll_fn copy = kiln_ll_in_order_of(from, v), *f = &copy;
  struct kiln_ll *ll = f->ll;
  kiln_type type = kiln_value_type(f->fn, v);
  f->at.mask = f->at.base; // the lanes that are on in the preamble
  LLVMTypeRef element = kiln_ll_memory_type(ll, kiln_type_element(type));
  LLVMValueRef value =
      kiln_ll_load_contiguous(f, element, kiln_type_lanes(type), kiln_ll_room(type), slot_address(f, v, f->cpu.item),
                              kiln_ll_memory_bytes(type), f->at.mask, true);
  return kiln_ll_hold(f, v, kiln_ll_from_memory(ll, type, value));
}

static void store_slot(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef value) {
  value = kiln_ll_to_memory(f->ll, kiln_value_type(f->fn, v), value);
  LLVMValueRef store = LLVMBuildStore(f->ll->b, value, slot_address(f, v, f->cpu.item));
  LLVMSetAlignment(store, f->group->slot_size[v]);
  mark(f, store);
}

static LLVMValueRef load_slot(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef item) {
  kiln_type type = kiln_value_type(f->fn, v);
  LLVMValueRef load = LLVMBuildLoad2(f->ll->b, kiln_ll_memory_type(f->ll, type), slot_address(f, v, item), "");
  LLVMSetAlignment(load, f->group->slot_size[v]);
  mark(f, load);
  return kiln_ll_from_memory(f->ll, type, load);
}

// ---- values

// Computes a value in the preamble of the item region, which dominates all of it: ids, slots and addresses of
// variables.
static LLVMValueRef materialise(struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *inst = kiln_inst(f->fn, v);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(ll->b);
  bool recomputed = f->group->recomputed[v];
  for (uint32_t i = 0; recomputed && i < inst->operand_count; i++)
    kiln_ll_held(f, kiln_operands(f->fn, v)[i]); // before the builder is moved
  LLVMPositionBuilderBefore(ll->b, LLVMGetBasicBlockTerminator(f->in_group.preamble));
  LLVMValueRef result = NULL;
  if (recomputed)
    result = kiln_ll_compute(f, v);
  else if (inst->op == KILN_OP_VAR && f->group->slot[v] != UINT32_MAX)
    result = slot_address(f, v, f->cpu.item);
  else if (f->group->slot[v] != UINT32_MAX)
    result = f->form ? load_slots(f, v) : load_slot(f, v, f->cpu.item);
  if (f->form && inst->op == KILN_OP_VAR && result && !f->form->element[v]) // of all lanes
    result = kiln_ll_pointer_add(ll, result, kiln_ll_iota(f, ll->i64, f->group->slot_size[v]), 1);
  LLVMPositionBuilderAtEnd(ll->b, here);
  LLVMSetCurrentDebugLocation2(ll->b, line);
  return result;
}

static LLVMValueRef group_get(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_ll_group *g = f->group;
  if (f->values[v] && (g->uniform[v] || f->made->group->valid[v] == f->in_group.current))
    return f->values[v];
  if (!f->in_group.current)
    return NULL;
  LLVMValueRef result = materialise(f, v);
  if (result) {
    f->values[v] = result;
    f->made->group->valid[v] = f->in_group.current;
  }
  return result;
}

static void group_set(struct kiln_ll_fn *f, kiln_value v, LLVMValueRef result) {
  const struct kiln_ll_group *g = f->group;
  f->made->group->valid[v] = f->in_group.current;
  if (f->in_group.current && g->slot[v] != UINT32_MAX && !g->uniform[v] && kiln_inst(f->fn, v)->op != KILN_OP_VAR)
    (f->form ? store_slots : store_slot)(f, v, result);
}

static LLVMValueRef group_var(struct kiln_ll_fn *f, kiln_value inst) {
  return f->group->slot[inst] == UINT32_MAX ? NULL : materialise(f, inst);
}

// ---- exit codes

static uint32_t break_code(uint32_t node) { return 2 * node + 2; }
static uint32_t continue_code(uint32_t node) { return 2 * node + 1; }

static LLVMValueRef exit_address(struct kiln_ll_fn *f, LLVMValueRef item) {
  return address_in(f, f->group->exit_slot, 4, item);
}

static void set_exit(struct kiln_ll_fn *f, uint32_t code) {
  if (f->form) {
    LLVMValueRef codes = kiln_ll_splat(LLVMVectorType(f->ll->i32, f->form->lanes), code);
    kiln_ll_store_contiguous(f, codes, 1, 1, exit_address(f, f->cpu.item), 4, f->at.mask, true);
    return;
  }
  LLVMValueRef store = LLVMBuildStore(f->ll->b, kiln_ll_i32(f->ll, code), exit_address(f, f->cpu.item));
  LLVMSetAlignment(store, 4);
  mark(f, store);
}

// Begins a loop over all exit codes of the group. Returns the number of the work-item.
static LLVMValueRef all_begin(struct kiln_ll_fn *f) { return kiln_ll_begin_loop(f, "all", kiln_ll_i64(f->ll, 0), ""); }

// Ends the loop: it continues with the work-item after index if there is one and stay (NULL: true) holds.
static void all_end(struct kiln_ll_fn *f, LLVMValueRef index, LLVMValueRef stay) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef done = kiln_ll_block(f, "all.end");
  LLVMValueRef next = LLVMBuildAdd(ll->b, index, kiln_ll_i64(ll, 1), "");
  LLVMValueRef more = LLVMBuildICmp(ll->b, LLVMIntULT, next, kiln_ll_word(f, KILN_LL_ITEM_COUNT), "");
  LLVMBuildCondBr(ll->b, stay ? LLVMBuildAnd(ll->b, stay, more, "") : more, LLVMGetInstructionParent(index), done);
  kiln_ll_add_incoming(index, next, LLVMGetInsertBlock(ll->b));
  LLVMPositionBuilderAtEnd(ll->b, done);
}

// Clears the exit codes. Work-items beyond the end of a partial group never run: they get a code that is never reset.
static void clear_exits(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef live = kiln_ll_live_items(f);
  LLVMValueRef index = all_begin(f), gone = LLVMBuildICmp(ll->b, LLVMIntUGE, index, live, "");
  LLVMBuildStore(ll->b, LLVMBuildSExt(ll->b, gone, ll->i32, ""), exit_address(f, index));
  all_end(f, index, NULL);
}

static void reset_exits(struct kiln_ll_fn *f, uint32_t code) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef index = all_begin(f), address = exit_address(f, index);
  LLVMValueRef old = LLVMBuildLoad2(ll->b, ll->i32, address, "");
  LLVMValueRef waits = LLVMBuildICmp(ll->b, LLVMIntEQ, old, kiln_ll_i32(ll, code), "");
  LLVMBuildStore(ll->b, LLVMBuildSelect(ll->b, waits, kiln_ll_i32(ll, 0), old, ""), address);
  all_end(f, index, NULL);
}

// The first work-item that has not left; *some: whether there is one.
static LLVMValueRef first_live(struct kiln_ll_fn *f, LLVMValueRef *some) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef index = all_begin(f), code = LLVMBuildLoad2(ll->b, ll->i32, exit_address(f, index), "");
  LLVMValueRef gone = LLVMBuildICmp(ll->b, LLVMIntNE, code, kiln_ll_i32(ll, 0), "");
  all_end(f, index, gone);
  *some = LLVMBuildNot(ll->b, gone, "");
  return index;
}

// ---- operands of phis of group nodes

// Whether the value must be copied to the phi's slot: the phi is not uniform, and the slot does not hold the value yet.
static bool is_copied(const struct kiln_ll_fn *f, kiln_value phi, kiln_value x) {
  const struct kiln_ll_group *g = f->group;
  return !g->uniform[phi] && (g->slot[x] == UINT32_MAX || g->slot[x] != g->slot[phi]);
}

static bool has_copies(struct kiln_ll_fn *f, kiln_value from) {
  const struct kiln_value_list *phis = kiln_ll_target_phis(f->fn, from);
  for (uint32_t i = 0; phis && i < phis->count; i++)
    if (is_copied(f, phis->items[i], kiln_operands(f->fn, from)[i]))
      return true;
  return false;
}

// Copies the work-item's values to the slots of the phis; reads all of them before it writes one.
static void copy_to_slots(struct kiln_ll_fn *f, kiln_value from) {
  const struct kiln_value_list *phis = kiln_ll_target_phis(f->fn, from);
  if (!phis || !phis->count)
    return;
  LLVMValueRef *values = kiln_arena_alloc(&f->ll->arena, phis->count * sizeof *values, 8);
  for (uint32_t i = 0; i < phis->count; i++) {
    kiln_value x = kiln_operands(f->fn, from)[i];
    values[i] = !is_copied(f, phis->items[i], x) ? NULL
                : f->form                        ? kiln_ll_slot_value(f, phis->items[i], x)
                                                 : kiln_ll_get(f, x);
  }
  for (uint32_t i = 0; i < phis->count; i++)
    if (values[i])
      (f->form ? store_slots : store_slot)(f, phis->items[i], values[i]);
}

static bool group_jump(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t node = kiln_inst(f->fn, (kiln_value)in->imm)->node;
  if (!f->group->is_group[node])
    return false;
  copy_to_slots(f, inst);
  set_exit(f, in->op == KILN_OP_BREAK ? break_code(node) : continue_code(node));
  if (f->form)
    kiln_ll_no_lane(f);
  else
    LLVMBuildBr(f->ll->b, f->end);
  return true;
}

// ---- item regions

static bool in_item_region(struct kiln_ll_fn *f, kiln_value v) {
  return !f->group->uniform[v] && !f->group->recomputed[v] && kiln_inst(f->fn, v)->op != KILN_OP_BARRIER;
}

struct item_region {
  kiln_value first, stop;
  bool leaves;
};

// Turns off the work-items that have left.
static void skip_gone(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef live = kiln_ll_block(f, "live");
  LLVMValueRef here;
  if (f->form) {
    LLVMValueRef codes = kiln_ll_load_contiguous(f, ll->i32, 1, 1, exit_address(f, f->cpu.item), 4, f->at.mask, true);
    LLVMValueRef stays = LLVMBuildICmp(ll->b, LLVMIntEQ, codes, LLVMConstNull(LLVMTypeOf(codes)), "");
    f->at.mask = f->at.base = kiln_ll_mask_and(f, f->at.mask, stays);
    here = kiln_ll_any(f, f->at.mask);
  } else {
    LLVMValueRef code = LLVMBuildLoad2(ll->b, ll->i32, exit_address(f, f->cpu.item), "");
    mark(f, code);
    here = LLVMBuildICmp(ll->b, LLVMIntEQ, code, kiln_ll_i32(ll, 0), "");
  }
  LLVMBuildCondBr(ll->b, here, live, f->end);
  LLVMPositionBuilderAtEnd(ll->b, live);
}

// Emits an item region for one work-item or warp.
static void run_item_region(struct kiln_ll_fn *f, void *user) {
  const struct item_region *item_region = user;
  struct kiln_ll *ll = f->ll;
  if (f->in_group.exits)
    skip_gone(f);
  LLVMBasicBlockRef body = kiln_ll_block(f, "segment");
  f->in_group.preamble = LLVMGetInsertBlock(ll->b);
  LLVMBuildBr(ll->b, body);
  LLVMPositionBuilderAtEnd(ll->b, body);
  f->in_group.current = ++f->made->group->serial;
  for (kiln_value v = item_region->first; v != item_region->stop; v = kiln_inst(f->fn, v)->next)
    if (in_item_region(f, v))
      kiln_ll_statement(f, v);
  copy_to_slots(f, item_region->stop);
  if (item_region->leaves) {
    const struct kiln_inst *end = kiln_inst(f->fn, item_region->stop);
    uint32_t node = kiln_inst(f->fn, (kiln_value)end->imm)->node;
    set_exit(f, end->op == KILN_OP_BREAK ? break_code(node) : continue_code(node));
  }
  LLVMBuildBr(ll->b, f->end);
}

// ---- item regions that only some rows, or only work-items below a limit, take part in

// The position in a row before which the condition holds for all work-items, if it holds for none from there on; else
// NULL.
static LLVMValueRef row_limit(struct kiln_ll_fn *f, kiln_value condition) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, condition);
  bool is_signed = kiln_op_is_signed_order(in->op);
  if (!kiln_op_is_order(in->op) && in->op != KILN_OP_EQ)
    return NULL;
  const kiln_value *x = kiln_operands(f->fn, condition);
  if (kiln_type_lanes(in->type) > 1 || !kiln_ll_is_row_id(f, x[0]) || !f->group->uniform[x[1]])
    return NULL;
  const struct kiln_inst *bound = kiln_inst(f->fn, x[1]);
  if (in->op == KILN_OP_EQ && (bound->op != KILN_OP_CONST || bound->imm != 0))
    return NULL;
  LLVMValueRef size = kiln_ll_word(f, KILN_LL_LOCAL_SIZE), limit = kiln_ll_get(f, x[1]), one = kiln_ll_i64(ll, 1);
  if (!limit)
    return NULL;
  limit = kiln_ll_extended(ll, limit, is_signed ? KILN_OP_SEXT : KILN_OP_ZEXT);
  enum kiln_op least = is_signed ? KILN_OP_SMIN : KILN_OP_UMIN;
  limit = kiln_ll_plain(ll, least, limit, size);
  if (!kiln_op_is_strict_order(in->op))
    limit = kiln_ll_plain(ll, least, LLVMBuildAdd(ll->b, limit, one, ""), size);
  return is_signed ? kiln_ll_plain(ll, KILN_OP_SMAX, limit, kiln_ll_i64(ll, 0)) : limit;
}

static bool is_empty(struct kiln_ll_fn *f, uint32_t region) {
  const struct kiln_region *r = &f->fn->regions[region];
  return r->first == r->last && kiln_inst(f->fn, r->last)->op == KILN_OP_YIELD;
}

// The "if", without else and results, that is all of an item region; 0: there is more in the item region.
static kiln_value only_if(struct kiln_ll_fn *f, kiln_value first, kiln_value stop) {
  kiln_value found = 0;
  for (kiln_value v = first; v != stop; v = kiln_inst(f->fn, v)->next) {
    const struct kiln_inst *in = kiln_inst(f->fn, v);
    if (!in_item_region(f, v))
      continue;
    if (in->op == KILN_OP_IF && !found && f->fn->nodes[in->node].results.count == 0 &&
        is_empty(f, f->fn->nodes[in->node].region_first + 1))
      found = v;
    else if (kiln_effect_of(f->fn, v) != KILN_EFFECT_PURE || f->group->slot[v] != UINT32_MAX)
      return 0;
  }
  return found;
}

// Whether the "if" that is all of an item region is short and reads and writes local memory only, like a step of a tree
// reduction: the next item region then loads across the boundaries of the vectors that this one stores.
static bool is_step(struct kiln_ll_fn *f, kiln_value only) {
  uint32_t region = f->fn->nodes[kiln_inst(f->fn, only)->node].region_first;
  unsigned size = 0;
  bool stores = false;
  for (kiln_value v = f->fn->regions[region].first; v; v = kiln_inst(f->fn, v)->next) {
    const struct kiln_inst *in = kiln_inst(f->fn, v);
    bool accesses = in->op == KILN_OP_LOAD || in->op == KILN_OP_STORE, yields = in->op == KILN_OP_YIELD;
    if (++size > KILN_COST_HALVES || (!accesses && !yields && kiln_op_table[in->op].effect != KILN_EFFECT_PURE))
      return false;
    kiln_type type = accesses ? kiln_value_type(f->fn, kiln_operands(f->fn, v)[0]) : in->type;
    if (accesses && (kiln_type_space(type) != KILN_LOCAL || in->flags & KILN_MEM_VOLATILE))
      return false;
    stores |= in->op == KILN_OP_STORE;
  }
  return stores;
}

// Whether the value is the same in all work-items of a row, and known where the row begins.
static bool is_of_row(const struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_worklist *work = kiln_ll_worklist(f->ll, f->fn, v);
  while (kiln_worklist_take(work, &v)) {
    const struct kiln_inst *in = kiln_inst(f->fn, v);
    bool is_id = in->op == KILN_OP_GLOBAL_ID || in->op == KILN_OP_LOCAL_ID;
    if (f->group->uniform[v])
      continue;
    if (kiln_ll_shape(f, v).kind != KILN_SHAPE_UNIFORM ||
        (is_id ? in->imm != 1 && in->imm != 2 : kiln_effect_of(f->fn, v) != KILN_EFFECT_PURE))
      return false;
    kiln_worklist_add_all(work, kiln_operands(f->fn, v), in->operand_count);
  }
  return true;
}

// Computes a value of a row (is_of_row) where the row begins.
static LLVMValueRef row_value(struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_ll_group *g = f->group;
  if (!g->uniform[v] && f->made->group->valid[v] != f->in_group.current) {
    for (uint32_t i = 0; i < kiln_inst(f->fn, v)->operand_count; i++)
      row_value(f, kiln_operands(f->fn, v)[i]);
    f->values[v] = kiln_ll_compute(f, v);
    f->made->group->valid[v] = f->in_group.current;
  }
  return kiln_ll_held(f, v);
}

// The part of an "if"'s condition that the whole group, or a row, shares; NULL: it shares no part.
static LLVMValueRef shared_part(struct kiln_ll_fn *f, kiln_value condition, bool by_row) {
  const kiln_value *x = kiln_operands(f->fn, condition);
  LLVMValueRef part = NULL;
  if (f->group->uniform[condition]) {
    part = by_row ? NULL : kiln_ll_get(f, condition);
  } else if (kiln_inst(f->fn, condition)->op == KILN_OP_BAND) {
    LLVMValueRef sides[2] = {shared_part(f, x[0], by_row), shared_part(f, x[1], by_row)};
    return sides[0] && sides[1] ? LLVMBuildAnd(f->ll->b, sides[0], sides[1], "") : sides[!sides[0]];
  } else if (by_row && is_of_row(f, condition)) {
    part = row_value(f, condition);
  }
  return part && f->in_group.exits ? LLVMBuildFreeze(f->ll->b, part, "")
                                   : part; // it may be of a work-item that has left
}

// Chooses the rows, and the work-items of a row, that the condition of the only "if" of an item region holds for.
// Returns whether the choice is exact: the condition holds for no other work-item, in the groups that run the item
// region.
static bool choose_items(struct kiln_ll_fn *f, kiln_value condition) {
  const kiln_value *x = kiln_operands(f->fn, condition);
  if (f->group->uniform[condition])
    return true;
  if (kiln_inst(f->fn, condition)->op == KILN_OP_BAND) {
    bool first = choose_items(f, x[0]);
    return choose_items(f, x[1]) && first;
  }
  if (is_of_row(f, condition))
    return f->cpu.tests_rows = true;
  if (f->cpu.row_end)
    return false;
  f->cpu.row_end = row_limit(f, condition);
  return f->cpu.row_end;
}

// Emits, where a row begins, whether any work-item of it runs.
static LLVMValueRef row_test(const struct kiln_ll_fn *f) {
  struct kiln_ll_fn row = *f;
  row.in_group.current = ++f->made->group->serial;
  return shared_part(&row, kiln_operands(f->fn, f->in_group.only)[0], true);
}

// Runs [first, stop) for every work-item, then stores the operands of stop of each.
static void emit_item_region(struct kiln_ll_fn *f, kiln_value first, kiln_value stop) {
  const struct kiln_ll_group *g = f->group;
  const struct kiln_inst *end = kiln_inst(f->fn, stop);
  bool leaves = kiln_op_leaves(end->op) && !kiln_ll_group_direct(f->fn, g, stop);
  bool work = leaves || has_copies(f, stop);
  for (kiln_value v = first; v != stop; v = kiln_inst(f->fn, v)->next) {
    if (g->uniform[v])
      kiln_ll_statement(f, v); // once, by the group
    work |= in_item_region(f, v);
  }
  if (!work)
    return;
  struct item_region item_region = {first, stop, leaves};
  kiln_value only = f->form && !leaves && !has_copies(f, stop) ? only_if(f, first, stop) : 0;
  if (only && kiln_ll_decided(f, kiln_inst(f->fn, only)->node))
    only = 0;
  struct kiln_ll_fn items = *f;
  items.in_group.only = only;
  items.cpu.taken = only && choose_items(&items, kiln_operands(f->fn, only)[0]) ? only : 0;
  if (!items.cpu.taken)
    items.cpu.row_end = NULL; // the rest of a row would run under masks
  items.cpu.by_halves = items.cpu.row_end && is_step(f, only);
  LLVMValueRef runs = only ? shared_part(f, kiln_operands(f->fn, only)[0], false) : NULL;
  LLVMBasicBlockRef some = runs ? kiln_ll_block(f, "some") : NULL, none = runs ? kiln_ll_block(f, "none") : NULL;
  if (runs) {
    LLVMBuildCondBr(f->ll->b, runs, some, none);
    LLVMPositionBuilderAtEnd(f->ll->b, some);
  }
  kiln_ll_items(&items, run_item_region, &item_region);
  if (runs) {
    LLVMBuildBr(f->ll->b, none);
    kiln_ll_continue_at(f, none);
  }
}

// ---- the tree

static void make_phis(struct kiln_ll_fn *f, LLVMBasicBlockRef block, const struct kiln_value_list *list) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(f->ll->b);
  LLVMPositionBuilderAtEnd(f->ll->b, block);
  for (uint32_t i = 0; i < list->count; i++)
    if (f->group->uniform[list->items[i]])
      f->values[list->items[i]] =
          LLVMBuildPhi(f->ll->b, kiln_ll_type(f->ll, kiln_value_type(f->fn, list->items[i])), "");
  LLVMPositionBuilderAtEnd(f->ll->b, here);
}

// Branches to block; the block's uniform phis get the operands of from, or zero if they are unused afterwards.
static void go(struct kiln_ll_fn *f, LLVMBasicBlockRef block, const struct kiln_value_list *list, kiln_value from,
               LLVMValueRef *phis) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(f->ll->b);
  for (uint32_t i = 0; i < list->count; i++) {
    if (!f->group->uniform[list->items[i]])
      continue;
    LLVMValueRef phi = phis ? phis[i] : f->values[list->items[i]];
    LLVMValueRef value = from ? kiln_ll_operand(f, from, i) : LLVMConstNull(LLVMTypeOf(phi));
    kiln_ll_add_incoming(phi, value, here);
  }
  LLVMBuildBr(f->ll->b, block);
}

// Branches to the end of the innermost node: for work-items that wait there or further out.
static void fall_out(struct kiln_ll_fn *f, uint32_t region) {
  kiln_value owner = f->fn->regions[region].owner;
  if (!owner) {
    LLVMBuildBr(f->ll->b, f->in_group.group_end);
    return;
  }
  uint32_t number = kiln_inst(f->fn, owner)->node;
  const struct kiln_node *node = &f->fn->nodes[number];
  if (kiln_inst(f->fn, owner)->op == KILN_OP_LOOP)
    go(f, f->made->group->latches[number], &node->header, 0, f->made->group->next[number]);
  else
    go(f, f->joins[number], &node->results, 0, NULL);
}

static void emit_jump(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  bool leaves = kiln_op_leaves(in->op);
  if (in->op == KILN_OP_UNREACHABLE || (leaves && !kiln_ll_group_direct(f->fn, f->group, inst))) {
    fall_out(f, in->region);
    return;
  }
  if (in->op == KILN_OP_RETURN) {
    LLVMBuildBr(f->ll->b, f->in_group.group_end);
    return;
  }
  kiln_value target = kiln_jump_target(f->fn, inst);
  uint32_t node = kiln_inst(f->fn, target)->node;
  if (in->op == KILN_OP_CONTINUE)
    go(f, f->made->group->latches[node], kiln_ll_target_phis(f->fn, inst), inst, f->made->group->next[node]);
  else
    go(f, f->joins[node], kiln_ll_target_phis(f->fn, inst), inst, NULL);
}

// The group's condition: uniform, or that of its first work-item which has not left. The builder continues where there
// is such a work-item; without one the node has nothing to do.
static LLVMValueRef group_decision(struct kiln_ll_fn *f, kiln_value inst, uint32_t node) {
  kiln_value v = kiln_operands(f->fn, inst)[0];
  if (f->group->uniform[v])
    return kiln_ll_get(f, v);
  if (!f->in_group.exits)
    return load_slot(f, v, kiln_ll_i64(f->ll, 0));
  LLVMValueRef some, item = first_live(f, &some);
  LLVMBasicBlockRef decide = kiln_ll_block(f, "decide"), skip = kiln_ll_block(f, "skip");
  LLVMBuildCondBr(f->ll->b, some, decide, skip);
  LLVMPositionBuilderAtEnd(f->ll->b, skip);
  go(f, f->joins[node], &f->fn->nodes[node].results, 0, NULL);
  LLVMPositionBuilderAtEnd(f->ll->b, decide);
  return load_slot(f, v, item);
}

static void emit_region_at(struct kiln_ll_fn *f, LLVMBasicBlockRef block, uint32_t region) {
  LLVMPositionBuilderAtEnd(f->ll->b, block);
  kiln_ll_region(f, region);
}

static void emit_loop(struct kiln_ll_fn *f, kiln_value inst, uint32_t number, const struct kiln_node *node) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ll->b), header = kiln_ll_block(f, "group.loop"),
                    latch = kiln_ll_block(f, "group.again");
  uint32_t count = node->header.count;
  LLVMValueRef *next = f->made->group->next[number] = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, count + 1);
  make_phis(f, latch, &node->header);
  for (uint32_t i = 0; i < count; i++)
    next[i] = f->values[node->header.items[i]];
  LLVMValueRef *initial = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, count + 1);
  for (uint32_t i = 0; i < count; i++)
    if (f->group->uniform[node->header.items[i]])
      initial[i] = kiln_ll_operand(f, inst, i);
  LLVMBuildBr(ll->b, header);
  make_phis(f, header, &node->header);
  LLVMValueRef *phis = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    phis[i] = f->values[node->header.items[i]];
    if (initial[i])
      kiln_ll_add_incoming(phis[i], initial[i], before);
  }
  f->made->group->latches[number] = latch;
  emit_region_at(f, header, node->region_first);

  kiln_ll_continue_at(f, latch);
  for (uint32_t i = 0; i < count; i++)
    if (initial[i])
      kiln_ll_finish_phi(&next[i]);
  if (f->group->continues[number])
    reset_exits(f, continue_code(number));
  kiln_ll_poll(f);
  LLVMValueRef some = NULL;
  if (f->in_group.exits)
    first_live(f, &some);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(ll->b), leave = some ? kiln_ll_block(f, "group.leave") : NULL;
  LLVMValueRef branch = some ? LLVMBuildCondBr(ll->b, some, header, leave) : LLVMBuildBr(ll->b, header);
  kiln_ll_never_unroll(ll->context, branch);
  for (uint32_t i = 0; i < count; i++)
    if (initial[i])
      kiln_ll_add_incoming(phis[i], next[i], last);
  if (leave) {
    LLVMPositionBuilderAtEnd(ll->b, leave);
    go(f, f->joins[number], &node->results, 0, NULL);
  }
}

static void emit_node(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_group *g = f->group;
  uint32_t number = kiln_inst(f->fn, inst)->node;
  const struct kiln_node *node = &f->fn->nodes[number];
  LLVMBasicBlockRef join = kiln_ll_block(f, "group.join");
  f->joins[number] = join;
  make_phis(f, join, &node->results);
  bool exits = g->breaks[number] || g->continues[number];
  struct kiln_ll_fn inside = *f;
  inside.in_group.exits += exits;
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (op == KILN_OP_BLOCK)
    kiln_ll_region(&inside, node->region_first);
  else if (kiln_ll_decided(f, number))
    kiln_ll_region(&inside, node->region_first + kiln_ll_decided(f, number) - 1);
  else if (op == KILN_OP_LOOP)
    emit_loop(&inside, inst, number, node);
  else
    kiln_ll_emit_choice(&inside, inst, group_decision(&inside, inst, number), emit_region_at);
  kiln_ll_continue_at(f, join);
  for (uint32_t i = 0; i < node->results.count; i++)
    if (g->uniform[node->results.items[i]])
      kiln_ll_finish_phi(&f->values[node->results.items[i]]);
  if (g->breaks[number])
    reset_exits(f, break_code(number));
}

static kiln_value emit_stretch(struct kiln_ll_fn *f, kiln_value first) {
  kiln_value stop = first;
  while (!kiln_ll_ends_item_region(f->fn, f->group, stop))
    stop = kiln_inst(f->fn, stop)->next;
  emit_item_region(f, first, stop);
  return stop;
}

static const struct kiln_ll_walker group_walker = {.stretch = emit_stretch, .node = emit_node, .jump = emit_jump};

void kiln_ll_begin_group(struct kiln_ll_fn *f) {
  struct kiln_arena *arena = &f->ll->arena;
  uint32_t nodes = f->fn->node_count + 1;
  struct kiln_ll_group_made *made = f->made->group = KILN_NEW(arena, struct kiln_ll_group_made);
  f->group = kiln_ll_group_analyse(f->ll, f->fn);
  made->latches = KILN_NEW_ARRAY(arena, LLVMBasicBlockRef, nodes);
  made->next = KILN_NEW_ARRAY(arena, LLVMValueRef *, nodes);
  made->valid = KILN_NEW_ARRAY(arena, uint32_t, f->fn->inst_count);
}

void kiln_ll_group_body(const struct kiln_ll_fn *from) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  f->in_group.group_end = kiln_ll_block(f, "group.end");
  if (f->group->exit_slot != UINT32_MAX)
    clear_exits(f);
  f->walker = &group_walker;
  kiln_ll_region(f, f->fn->body);
  kiln_ll_continue_at(f, f->in_group.group_end);
}

const struct kiln_ll_group_hooks kiln_ll_barrier_hooks = {
    .get = group_get, .set = group_set, .jump = group_jump, .var = group_var, .row_test = row_test};
