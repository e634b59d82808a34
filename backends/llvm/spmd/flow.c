// Masks and control flow at many lanes. A uniform condition is a branch. Under a varying condition the sides run one
// after another under masks, each only if a lane takes it.
//
// Phis are stack slots while control flow is emitted (LLVM turns them into SSA values): a jump writes the lanes that
// are on, the end of the node reads.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): loops_inner, loops_leaving.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/spmd/spmd.h"

#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/group.h"
#include "backends/llvm/spmd/version.h"
#include "kiln/op_cases.h"

// ---- masks

static LLVMValueRef mask_and_not(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef condition) {
  return kiln_ll_mask_and(f, mask, LLVMBuildNot(f->ll->b, condition, ""));
}

static LLVMValueRef mask_slot(struct kiln_ll_fn *f, const char *name, LLVMValueRef first) {
  LLVMValueRef slot = kiln_ll_alloca(f, kiln_ll_mask_type(f), 0, name);
  LLVMBuildStore(f->ll->b, first, slot);
  return slot;
}

static LLVMValueRef load_mask(struct kiln_ll_fn *f, LLVMValueRef slot) {
  return LLVMBuildLoad2(f->ll->b, kiln_ll_mask_type(f), slot, "mask");
}

static void add_mask(struct kiln_ll_fn *f, LLVMValueRef slot, LLVMValueRef mask) {
  LLVMBuildStore(f->ll->b, LLVMBuildOr(f->ll->b, load_mask(f, slot), mask, ""), slot);
}

// ---- phis

static LLVMValueRef slot_of(struct kiln_ll_fn *f, kiln_value phi) {
  if (!f->form->made->slots[phi])
    f->form->made->slots[phi] = kiln_ll_alloca(f, kiln_ll_held_type(f, phi), 0, "");
  return f->form->made->slots[phi];
}

static void store_phi(struct kiln_ll_fn *f, kiln_value phi, LLVMValueRef value, bool blend) {
  const struct kiln_ll_form *s = f->form;
  LLVMTypeRef type = kiln_ll_held_type(f, phi);
  LLVMValueRef slot = slot_of(f, phi);
  if (blend && f->at.mask && s->shapes[phi].kind == KILN_SHAPE_VARYING) {
    LLVMValueRef old = LLVMBuildLoad2(f->ll->b, type, slot, "");
    unsigned n = LLVMGetVectorSize(type) / s->lanes;
    struct kiln_ll_fn ordered = kiln_ll_in_order_of(f, phi);
    value = LLVMBuildSelect(f->ll->b, kiln_ll_repeat(&ordered, f->at.mask, n), value, old, "");
  }
  LLVMBuildStore(f->ll->b, value, slot);
}

// Stores the operands of from in the slots of phis; reads all of them before it writes one.
static void give(struct kiln_ll_fn *f, const struct kiln_value_list *phis, kiln_value from, bool blend) {
  if (!phis->count)
    return;
  LLVMValueRef *values = kiln_arena_alloc(&f->ll->arena, phis->count * sizeof *values, 8);
  for (uint32_t i = 0; i < phis->count; i++)
    values[i] = kiln_ll_slot_value(f, phis->items[i], kiln_operands(f->fn, from)[i]);
  for (uint32_t i = 0; i < phis->count; i++)
    store_phi(f, phis->items[i], values[i], blend);
}

static void take(struct kiln_ll_fn *f, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++) {
    kiln_value phi = phis->items[i];
    kiln_ll_set(f, phi, LLVMBuildLoad2(f->ll->b, kiln_ll_held_type(f, phi), slot_of(f, phi), ""));
  }
}

// ---- frames and jumps

static struct kiln_ll_frame *find_frame(struct kiln_ll_fn *f, uint32_t node) {
  for (struct kiln_ll_frame *frame = f->at.frame; frame; frame = frame->up)
    if (frame->node == node)
      return frame;
  return NULL;
}

void kiln_ll_no_lane(struct kiln_ll_fn *f) {
  const struct kiln_ll_frame *frame = f->at.frame;
  if (!frame->flat)
    LLVMBuildBr(f->ll->b, frame->continued ? frame->latch : frame->resume);
}

// Branches away if no lane is left.
static void check_lanes(struct kiln_ll_fn *f) {
  const struct kiln_ll_frame *frame = f->at.frame;
  LLVMBasicBlockRef some = kiln_ll_block(f, "some");
  LLVMBuildCondBr(f->ll->b, kiln_ll_any(f, f->at.mask), some, frame->continued ? frame->latch : frame->resume);
  LLVMPositionBuilderAtEnd(f->ll->b, some);
}

// Adds the lanes that are on to those that arrive after the node.
static void arrive(struct kiln_ll_fn *f, uint32_t node) {
  if (f->form->made->arrivals[node])
    add_mask(f, f->form->made->arrivals[node], kiln_ll_mask(f));
}

// Whether the masked copy for the last warp of a row is being emitted. It runs once where the unmasked copy runs in a
// loop, so it should be small.
static bool is_tail(const struct kiln_ll_fn *f) { return f->cpu.full[0] && f->at.base; }

static void go_on(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_form *s = f->form;
  kiln_value loop = (kiln_value)kiln_inst(f->fn, inst)->imm;
  uint32_t node = kiln_inst(f->fn, loop)->node;
  struct kiln_ll_frame *frame = find_frame(f, node);
  give(f, &f->fn->nodes[node].header, inst, frame && s->merges[node]);
  if (!frame) {
    kiln_ll_poll(f);
    LLVMValueRef branch = LLVMBuildBr(f->ll->b, f->headers[node]);
    if (is_tail(f))
      kiln_ll_never_unroll(f->ll->context, branch);
    return;
  }
  add_mask(f, frame->waiting, kiln_ll_mask(f));
  frame->continued = true;
  if (frame == f->at.frame) {
    kiln_ll_poll(f);
    LLVMBuildBr(f->ll->b, frame->header);
  } else {
    kiln_ll_no_lane(f);
  }
}

static void leave(struct kiln_ll_fn *f, kiln_value inst, kiln_value target) {
  uint32_t node = kiln_inst(f->fn, target)->node;
  struct kiln_ll_frame *frame = find_frame(f, node);
  give(f, &f->fn->nodes[node].results, inst, frame != NULL);
  arrive(f, node);
  if (!frame)
    LLVMBuildBr(f->ll->b, f->joins[node]);
  else
    kiln_ll_no_lane(f);
}

static void spmd_jump(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (f->group && kiln_op_leaves(in->op) && f->ll->hooks->groups->jump(f, inst))
    return;
  switch (kiln_op_of(in)) {
  case KILN_OP_YIELD:
    leave(f, inst, kiln_owner(f->fn, inst));
    return;
  case KILN_OP_BREAK:
    leave(f, inst, (kiln_value)in->imm);
    return;
  case KILN_OP_CONTINUE:
    go_on(f, inst);
    return;
  case KILN_OP_RETURN:
    LLVMBuildBr(ll->b, f->end);
    return;
  case KILN_OP_UNREACHABLE:
    kiln_ll_no_lane(f);
    return;
  case KILN_OP_BLOCK: // no jumps
  case KILN_OP_IF:
  case KILN_OP_LOOP:
  case KILN_OP_SWITCH:
  case KILN_OP_PHI:
    KILN_CASES_BUT_FLOW break;
  }
  kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: a region of '%s' does not end in a jump", f->fn->name);
  LLVMBuildUnreachable(ll->b);
}

// ---- nodes

// Whether a region may run with no lane on, without a branch around it: contiguous accesses of which nothing is loaded
// touch no memory.
static bool is_flat(struct kiln_ll_fn *f, uint32_t region) {
  const struct kiln_region *r = &f->fn->regions[region];
  unsigned cost = 0;
  for (kiln_value v = r->first; v && v != r->last; v = kiln_inst(f->fn, v)->next) {
    enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, v)->op;
    bool is_call = (op >= KILN_OP_RSQRT && op <= KILN_OP_LOGB) || op == KILN_OP_FREM || op == KILN_OP_FDIV;
    cost += kiln_type_lanes(kiln_inst(f->fn, v)->type);
    if (op == KILN_OP_LOAD && kiln_ll_is_cheap_load(f, v) && cost <= KILN_COST_FLAT_SIDE)
      continue;
    if ((kiln_op_table[op].effect != KILN_EFFECT_PURE && kiln_op_table[op].effect != KILN_EFFECT_ITEM) || is_call ||
        kiln_op_is_division(op) || op == KILN_OP_VAR || op == KILN_OP_SQRT)
      return false;
    if (cost > KILN_COST_FLAT_SIDE)
      return false;
  }
  const struct kiln_inst *last = kiln_inst(f->fn, r->last);
  if (f->group && kiln_op_leaves(last->op) && f->group->is_group[kiln_inst(f->fn, (kiln_value)last->imm)->node])
    return false;
  return last->op == KILN_OP_YIELD || kiln_op_leaves(last->op);
}

// Emits a region of a divergent if or switch for the lanes of mask. The builder ends after it.
static void emit_side(struct kiln_ll_fn *f, uint32_t node, uint32_t region, LLVMValueRef mask) {
  struct kiln_ll_frame frame = {.up = f->at.frame, .node = node, .flat = is_flat(f, region)};
  if (!frame.flat) {
    LLVMBasicBlockRef body = kiln_ll_block(f, "side");
    frame.resume = kiln_ll_block(f, "side.end");
    LLVMBuildCondBr(f->ll->b, kiln_ll_any(f, mask), body, frame.resume);
    LLVMPositionBuilderAtEnd(f->ll->b, body);
  }
  struct kiln_ll_fn side = *f;
  side.at.mask = mask;
  side.at.frame = &frame;
  kiln_ll_region(&side, region);
  if (!frame.flat)
    kiln_ll_continue_at(f, frame.resume);
}

// Clears the lanes that have arrived, so that the results of an earlier run of the node are not kept alive.
static void begin_arrivals(struct kiln_ll_fn *f, uint32_t node) {
  const struct kiln_value_list *results = &f->fn->nodes[node].results;
  for (uint32_t i = 0; i < results->count; i++)
    store_phi(f, results->items[i], LLVMGetPoison(kiln_ll_held_type(f, results->items[i])), false);
  LLVMValueRef zero = LLVMConstNull(kiln_ll_mask_type(f));
  f->form->made->arrivals[node] = f->form->loses[node] ? mask_slot(f, "arrived", zero) : NULL;
}

// After a node: takes the lanes that arrived, and the node's results.
static void end_node(struct kiln_ll_fn *f, uint32_t node, bool may_be_empty) {
  if (f->form->made->arrivals[node]) {
    f->at.mask = load_mask(f, f->form->made->arrivals[node]);
    if (may_be_empty)
      check_lanes(f);
  }
  take(f, &f->fn->nodes[node].results);
}

static LLVMValueRef wide_operand(struct kiln_ll_fn *f, kiln_value inst) {
  return kiln_ll_wide(f, kiln_operands(f->fn, inst)[0]);
}

// The region of an if from which lanes leave for an outer node, while the lanes of the other region continue. 0: none.
static uint32_t leaving_region(struct kiln_ll_fn *f, const struct kiln_node *node) {
  const struct kiln_function *fn = f->fn;
  for (uint32_t r = 0; r < 2; r++) {
    const struct kiln_region *side = &fn->regions[node->region_first + r],
                             *other = &fn->regions[node->region_first + !r];
    const struct kiln_inst *last = kiln_inst(fn, side->last);
    bool leaves =
        kiln_op_leaves(last->op) && !(f->group && f->group->is_group[kiln_inst(fn, (kiln_value)last->imm)->node]);
    if (leaves && !node->results.count && kiln_inst(fn, other->first)->op == KILN_OP_YIELD)
      return node->region_first + r;
  }
  return 0;
}

// The lanes leave if a uniform or a varying condition holds. If the uniform one holds, all of them leave by a plain
// branch. Returns the condition that remains to be tested, for the side that stays.
static LLVMValueRef leave_together(struct kiln_ll_fn *f, kiln_value inst, uint32_t region, bool by_else) {
  kiln_value condition = kiln_operands(f->fn, inst)[0];
  const kiln_value *x = kiln_operands(f->fn, condition);
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, condition)->op;
  bool splits = (op == (by_else ? KILN_OP_BAND : KILN_OP_BOR)) && !f->group && is_flat(f, region);
  bool first = splits && kiln_ll_shape(f, x[0]).kind == KILN_SHAPE_UNIFORM;
  if (!first && !(splits && kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_UNIFORM))
    return kiln_ll_wide(f, condition);
  LLVMValueRef uniform = kiln_ll_held(f, x[!first]);
  LLVMBasicBlockRef all = kiln_ll_block(f, "all.leave"), some = kiln_ll_block(f, "some.leave");
  LLVMBuildCondBr(f->ll->b, uniform, by_else ? some : all, by_else ? all : some);
  LLVMPositionBuilderAtEnd(f->ll->b, all);
  kiln_ll_region(f, region);
  LLVMPositionBuilderAtEnd(f->ll->b, some);
  return kiln_ll_wide(f, x[first]);
}

// Some lanes leave, the others stay. While none leaves, the mask does not change.
static void leaving_if(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number,
                       uint32_t region) {
  LLVMBuilderRef b = f->ll->b;
  bool by_else = region != node->region_first;
  LLVMValueRef condition = leave_together(f, inst, region, by_else);
  LLVMValueRef leave = by_else ? LLVMBuildNot(b, condition, "") : condition;
  struct kiln_ll_frame frame = {.up = f->at.frame, .node = number, .resume = kiln_ll_block(f, "left")};
  LLVMBasicBlockRef body = kiln_ll_block(f, "leave"), join = kiln_ll_block(f, "stay"), from[2];
  LLVMValueRef masks[2] = {kiln_ll_mask(f), NULL}, leaving = kiln_ll_mask_and(f, f->at.mask, leave);
  from[0] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, kiln_ll_any(f, leaving), body, join);
  LLVMPositionBuilderAtEnd(b, body);
  struct kiln_ll_fn side = *f;
  side.at.mask = leaving;
  side.at.frame = &frame;
  kiln_ll_region(&side, region);
  kiln_ll_continue_at(f, frame.resume);
  masks[1] = LLVMBuildXor(b, masks[0], leaving, "");
  from[1] = LLVMGetInsertBlock(b);
  LLVMBuildCondBr(b, kiln_ll_any(f, masks[1]), join, frame.up->continued ? frame.up->latch : frame.up->resume);
  kiln_ll_continue_at(f, join);
  f->at.mask = LLVMBuildPhi(b, kiln_ll_mask_type(f), "mask");
  LLVMAddIncoming(f->at.mask, masks, from, 2);
}

static void divergent_if(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number) {
  uint32_t leaving = leaving_region(f, node);
  if (leaving) {
    leaving_if(f, inst, node, number, leaving);
    return;
  }
  LLVMValueRef condition = wide_operand(f, inst);
  begin_arrivals(f, number);
  LLVMValueRef then = kiln_ll_mask_and(f, f->at.mask, condition), other = mask_and_not(f, f->at.mask, condition);
  // A side without instructions comes first: its results need no blending where no lane takes the other side.
  bool swap = kiln_inst(f->fn, f->fn->regions[node->region_first + 1].first)->op == KILN_OP_YIELD &&
              !is_flat(f, node->region_first);
  for (uint32_t i = 0; i < node->results.count; i++)
    swap &= kiln_type_kind(kiln_inst(f->fn, node->results.items[i])->type) != KILN_BOOL;
  emit_side(f, number, node->region_first + swap, swap ? other : then);
  emit_side(f, number, node->region_first + !swap, swap ? then : other);
  end_node(f, number, true);
}

static void divergent_switch(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number) {
  LLVMValueRef selector = wide_operand(f, inst), remainder = f->at.mask;
  begin_arrivals(f, number);
  for (uint32_t i = 1; i < node->region_count; i++) {
    LLVMValueRef is = LLVMBuildICmp(f->ll->b, LLVMIntEQ, selector,
                                    kiln_ll_splat(LLVMTypeOf(selector), (uint64_t)node->cases[i - 1]), "");
    LLVMValueRef mask = kiln_ll_mask_and(f, f->at.mask, is);
    remainder = mask_and_not(f, remainder, is);
    emit_side(f, number, node->region_first + i, mask);
  }
  emit_side(f, number, node->region_first, remainder ? remainder : kiln_ll_mask(f));
  end_node(f, number, true);
}

// A region for the lanes that are on.
static void emit_region_at(struct kiln_ll_fn *f, LLVMBasicBlockRef block, uint32_t region) {
  LLVMPositionBuilderAtEnd(f->ll->b, block);
  kiln_ll_region(f, region);
}

// Blocks, and nodes with a uniform condition. Lanes may still leave a block or switch one by one: it then has a frame.
static void branching_node(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number) {
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, inst)->op;
  bool framed = f->form->divergent[number] && op != KILN_OP_IF;
  unsigned decided = kiln_ll_decided(f, number);
  struct kiln_ll_frame frame = {.up = f->at.frame, .node = number};
  LLVMBasicBlockRef join = f->joins[number] = frame.resume = kiln_ll_block(f, "join");
  begin_arrivals(f, number);
  LLVMValueRef condition = NULL;
  if (f->group && f->cpu.taken == inst)
    condition = kiln_ll_i1(f->ll, true);
  else if (op != KILN_OP_BLOCK && !decided)
    condition = kiln_ll_held(f, kiln_operands(f->fn, inst)[0]);
  struct kiln_ll_fn inside = *f;
  if (framed)
    inside.at.frame = &frame;
  if (op == KILN_OP_BLOCK || decided)
    kiln_ll_region(&inside, node->region_first + (decided ? decided - 1 : 0));
  else
    kiln_ll_emit_choice(&inside, inst, condition, emit_region_at);
  kiln_ll_continue_at(f, join);
  end_node(f, number, framed);
}

// ---- an "if" with loads, in which the lanes of most warps take the same side

static bool is_short_side(const struct kiln_function *fn, uint32_t region, bool *loads) {
  unsigned size = 0;
  for (kiln_value v = fn->regions[region].first; v; v = fn->insts[v].next) {
    if (++size > KILN_COST_TWICE_SIDE || kiln_op_is_node(fn->insts[v].op))
      return false;
    *loads |= fn->insts[v].op == KILN_OP_LOAD;
  }
  return fn->insts[fn->regions[region].last].op == KILN_OP_YIELD;
}

// Whether the condition holds in all lanes of a full warp, if it compares the work-item's position in its row with a
// uniform value. NULL: it does not, or the machine has masked loads, so that a test would not pay.
static LLVMValueRef holds_in_all(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_function *fn = f->fn;
  kiln_value condition = kiln_operands(fn, inst)[0];
  const struct kiln_inst *in = &fn->insts[condition];
  bool loads = false;
  if (!f->group || f->at.mask || f->cpu.packed || ll->machine->cpu.has_avx512 || kiln_type_lanes(in->type) > 1 ||
      !kiln_op_is_order(in->op) || !is_short_side(fn, node->region_first, &loads) ||
      !is_short_side(fn, node->region_first + 1, &loads) || !loads)
    return NULL;
  for (uint32_t i = 0; i < node->results.count; i++)
    if (f->form->conditional[node->results.items[i]])
      return NULL;
  const kiln_value *x = kiln_operands(fn, condition);
  bool below = kiln_ll_is_row_id(f, x[0]);
  if (!kiln_ll_is_row_id(f, x[!below]) || !f->group->uniform[x[below]])
    return NULL;
  LLVMValueRef id = kiln_ll_held(f, x[!below]), bound = kiln_ll_held(f, x[below]);
  LLVMValueRef last = LLVMBuildAdd(ll->b, id, LLVMConstInt(LLVMTypeOf(id), f->form->lanes - 1, false), "");
  LLVMIntPredicate less = kiln_ll_less(kiln_op_is_signed_order(in->op), !kiln_op_is_strict_order(in->op));
  return LLVMBuildICmp(ll->b, less, below ? last : bound, below ? bound : id, "alike");
}

// Emits the if twice: without a mask, for warps whose lanes all take the first side, and in the general form.
static void if_with_uniform_copy(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number,
                                 LLVMValueRef all) {
  struct kiln_ll_versions versions;
  uint32_t count = node->results.count;
  LLVMValueRef *values = KILN_NEW_ARRAY(&f->ll->arena, LLVMValueRef, 2 * count + 1);
  kiln_ll_begin_versions(f, &versions, all, "alike");
  for (unsigned way = 0; way < 2; way++) {
    struct kiln_ll_fn copy = *f;
    copy.cpu.taken = way ? f->cpu.taken : inst;
    (way ? divergent_if : branching_node)(&copy, inst, node, number);
    for (uint32_t i = 0; i < count; i++)
      values[2 * i + way] = f->values[node->results.items[i]];
    (way ? kiln_ll_end_versions : kiln_ll_other_version)(f, &versions);
  }
  for (uint32_t i = 0; i < count; i++)
    f->values[node->results.items[i]] = kiln_ll_merge_versions(f, &versions, values + 2 * i);
}

static void uniform_loop(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number) {
  LLVMBasicBlockRef header = f->headers[number] = kiln_ll_block(f, "loop");
  LLVMBasicBlockRef join = f->joins[number] = kiln_ll_block(f, "loop.end");
  begin_arrivals(f, number);
  f->form->made->arrivals[number] = NULL;
  give(f, &node->header, inst, false);
  LLVMBuildBr(f->ll->b, header);
  LLVMPositionBuilderAtEnd(f->ll->b, header);
  take(f, &node->header);
  kiln_ll_region(f, node->region_first);
  kiln_ll_continue_at(f, join);
  end_node(f, number, false);
}

// The uniform-loop version: runs without a mask for the iterations that all lanes take part in, before the loop that
// lanes leave. The header phis have been stored. The builder ends where the first iteration begins that not all lanes
// take part in.
static void emit_uniform_loop(struct kiln_ll_fn *f, const struct kiln_node *node, uint32_t number, kiln_value test) {
  LLVMBasicBlockRef header = f->headers[number] = kiln_ll_block(f, "full.loop"),
                    remainder = kiln_ll_block(f, "full.rest");
  LLVMBuildBr(f->ll->b, header);
  LLVMPositionBuilderAtEnd(f->ll->b, header);
  take(f, &node->header);
  struct kiln_ll_fn version = *f;
  version.at.uniform_test = test;
  version.at.remainder = remainder;
  kiln_ll_region(&version, node->region_first);
  kiln_ll_continue_at(f, remainder);
}

static void divergent_loop(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_node *node, uint32_t number) {
  struct kiln_ll_frame frame = {.up = f->at.frame, .node = number};
  frame.header = kiln_ll_block(f, "loop");
  frame.latch = kiln_ll_block(f, "loop.latch");
  frame.resume = kiln_ll_block(f, "loop.end");
  begin_arrivals(f, number);
  frame.waiting = mask_slot(f, "waiting", kiln_ll_mask(f));
  give(f, &node->header, inst, false);
  kiln_value test = f->at.mask || f->at.uniform_test ? 0 : kiln_ll_uniform_loop(f, inst);
  if (test) {
    kiln_ll_tally(f, inst, KILN_LL_UNIFORM_LOOP);
    emit_uniform_loop(f, node, number, test);
  }
  LLVMBuildBr(f->ll->b, frame.header);
  LLVMPositionBuilderAtEnd(f->ll->b, frame.header);
  take(f, &node->header);
  struct kiln_ll_fn iteration = *f;
  iteration.at.mask = load_mask(f, frame.waiting);
  iteration.at.frame = &frame;
  LLVMBuildStore(f->ll->b, LLVMConstNull(kiln_ll_mask_type(f)), frame.waiting);
  kiln_ll_region(&iteration, node->region_first);
  kiln_ll_continue_at(f, frame.latch);
  kiln_ll_poll(f);
  LLVMBuildCondBr(f->ll->b, kiln_ll_any(f, load_mask(f, frame.waiting)), frame.header, frame.resume);
  kiln_ll_continue_at(f, frame.resume);
  end_node(f, number, true);
}

static void spmd_node(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_form *s = f->form;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const struct kiln_node *node = &f->fn->nodes[in->node];
  bool tests = in->op == KILN_OP_IF || in->op == KILN_OP_SWITCH;
  bool varying = tests && kiln_ll_shape(f, kiln_operands(f->fn, inst)[0]).kind != KILN_SHAPE_UNIFORM;
  LLVMValueRef all = NULL;
  if (inst == f->at.uniform_test)
    kiln_ll_uniform_loop_test(f, inst);
  else if ((varying && f->group && f->cpu.taken == inst) || kiln_ll_decided(f, in->node))
    branching_node(f, inst, node, in->node);
  else if (varying && in->op == KILN_OP_IF && (all = holds_in_all(f, inst, node)) &&
           kiln_ll_may_version(f, 2 * KILN_COST_TWICE_SIDE))
    if_with_uniform_copy(f, inst, node, in->node, all);
  else if (varying && in->op == KILN_OP_IF)
    divergent_if(f, inst, node, in->node);
  else if (varying)
    divergent_switch(f, inst, node, in->node);
  else if (in->op != KILN_OP_LOOP)
    branching_node(f, inst, node, in->node);
  else if (s->divergent[in->node])
    divergent_loop(f, inst, node, in->node);
  else
    uniform_loop(f, inst, node, in->node);
}

static unsigned width(struct kiln_ll_fn *f) { return f->at.is_wide ? f->form->lanes : 1; }

const struct kiln_ll_lane_hooks kiln_ll_spmd_hooks = {
    .compute = kiln_ll_spmd_compute,
    .get = kiln_ll_spmd_get,
    .held_type = kiln_ll_held_type,
    .compute_wide = kiln_ll_compute_wide,
    .width = width,
};

const struct kiln_ll_walker kiln_ll_lanes_walker = {.stretch = kiln_ll_stretch, .node = spmd_node, .jump = spmd_jump};
