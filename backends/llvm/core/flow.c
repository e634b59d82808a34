// Control flow: the walk over regions, and what nodes and jumps become at one lane, where every branch is a branch.
// spmd/flow.c does this at many lanes, and cpu/barrier.c for a group that is split at barriers.
#include "backends/llvm/core/emit.h"
#include "kiln/op_cases.h"

LLVMBasicBlockRef kiln_ll_block(struct kiln_ll_fn *f, const char *name) {
  return LLVMAppendBasicBlockInContext(f->ll->context, f->function, name);
}

void kiln_ll_continue_at(struct kiln_ll_fn *f, LLVMBasicBlockRef block) {
  LLVMMoveBasicBlockAfter(block, LLVMGetLastBasicBlock(f->function));
  LLVMPositionBuilderAtEnd(f->ll->b, block);
}

void kiln_ll_add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from) {
  LLVMAddIncoming(phi, &value, &from, 1);
}

LLVMValueRef kiln_ll_begin_loop(struct kiln_ll_fn *f, const char *name, LLVMValueRef first, const char *phi_name) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(f->ll->b), body = kiln_ll_block(f, name);
  LLVMBuildBr(f->ll->b, body);
  LLVMPositionBuilderAtEnd(f->ll->b, body);
  LLVMValueRef phi = LLVMBuildPhi(f->ll->b, LLVMTypeOf(first), phi_name);
  kiln_ll_add_incoming(phi, first, before);
  return phi;
}

void kiln_ll_make_phis(struct kiln_ll_fn *f, LLVMBasicBlockRef block, const struct kiln_value_list *list) {
  LLVMPositionBuilderAtEnd(f->ll->b, block);
  for (uint32_t i = 0; i < list->count; i++) {
    kiln_value phi = list->items[i];
    f->values[phi] = LLVMBuildPhi(f->ll->b, kiln_ll_type(f->ll, kiln_value_type(f->fn, phi)), "");
  }
}

void kiln_ll_finish_phi(LLVMValueRef *phi) {
  if (!LLVMIsAPHINode(*phi) || LLVMCountIncoming(*phi))
    return;
  LLVMValueRef null = LLVMConstNull(LLVMTypeOf(*phi));
  LLVMReplaceAllUsesWith(*phi, null);
  LLVMInstructionEraseFromParent(*phi);
  *phi = null;
}

const struct kiln_value_list *kiln_ll_target_phis(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  if (in->op == KILN_OP_LOOP || in->op == KILN_OP_CONTINUE)
    return &kiln_node(fn, in->op == KILN_OP_LOOP ? v : (kiln_value)in->imm)->header;
  if (in->op == KILN_OP_YIELD || in->op == KILN_OP_BREAK)
    return &kiln_node(fn, kiln_jump_target(fn, v))->results;
  return NULL;
}

kiln_value kiln_ll_next_within(const struct kiln_function *fn, uint32_t region, kiln_value v) {
  if (kiln_op_is_node(fn->insts[v].op))
    return fn->regions[kiln_node(fn, v)->region_first].first;
  while (!fn->insts[v].next) {
    uint32_t own = fn->insts[v].region;
    if (own == region)
      return 0;
    const struct kiln_node *node = kiln_node(fn, kiln_owner(fn, v));
    if (own + 1 < node->region_first + node->region_count)
      return fn->regions[own + 1].first;
    v = kiln_owner(fn, v);
  }
  return fn->insts[v].next;
}

struct kiln_worklist *kiln_ll_worklist(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v) {
  kiln_worklist_begin(&ll->work, &ll->arena, fn->inst_count);
  kiln_worklist_add(&ll->work, v);
  return &ll->work;
}

kiln_value kiln_ll_loop_of(const struct kiln_function *fn, kiln_value v) {
  for (v = kiln_owner(fn, v); v && fn->insts[v].op != KILN_OP_LOOP;)
    v = kiln_owner(fn, v);
  return v;
}

kiln_value kiln_ll_header_of(const struct kiln_function *fn, kiln_value v, uint32_t *index) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  if (in->op != KILN_OP_PHI)
    return 0;
  const struct kiln_value_list *header = &kiln_node(fn, (kiln_value)in->imm)->header;
  for (*index = 0; *index < header->count; ++*index)
    if (header->items[*index] == v)
      return (kiln_value)in->imm;
  return 0;
}

kiln_value kiln_ll_next_jump(const struct kiln_function *fn, kiln_value after, enum kiln_op op, kiln_value node) {
  for (kiln_value v = after + 1; v < fn->inst_count; v++)
    if (fn->insts[v].region && fn->insts[v].op == op && fn->insts[v].imm == node)
      return v;
  return 0;
}

// Adds the operands of a jump to the phis and branches to block.
static void jump(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_value_list *phis, LLVMBasicBlockRef block) {
  LLVMBasicBlockRef from = LLVMGetInsertBlock(f->ll->b);
  for (uint32_t i = 0; i < phis->count; i++)
    kiln_ll_add_incoming(f->values[phis->items[i]], kiln_ll_operand(f, inst, i), from);
  LLVMBuildBr(f->ll->b, block);
}

void kiln_ll_poll(struct kiln_ll_fn *f) {
  if (f->ll->machine->stops && f->ll->hooks->poll)
    f->ll->hooks->poll(f);
}

// A jump, which ends a region.
static void emit_jump(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  if (f->group && kiln_op_leaves(in->op) && f->ll->hooks->groups->jump(f, inst))
    return;
  const struct kiln_value_list *phis = kiln_ll_target_phis(f->fn, inst);
  kiln_value target = kiln_jump_target(f->fn, inst);
  switch (kiln_op_of(in)) {
  case KILN_OP_YIELD:
  case KILN_OP_BREAK:
    jump(f, inst, phis, f->joins[kiln_inst(f->fn, target)->node]);
    return;
  case KILN_OP_CONTINUE:
    kiln_ll_poll(f);
    jump(f, inst, phis, f->headers[kiln_inst(f->fn, target)->node]);
    if (ll->hooks->repeat)
      ll->hooks->repeat(f, target, LLVMGetLastInstruction(LLVMGetInsertBlock(ll->b)));
    return;
  case KILN_OP_RETURN:
    if (f->end)
      LLVMBuildBr(ll->b, f->end);
    else if (in->operand_count)
      LLVMBuildRet(ll->b, kiln_ll_operand(f, inst, 0));
    else
      LLVMBuildRetVoid(ll->b);
    return;
  case KILN_OP_UNREACHABLE:
    LLVMBuildUnreachable(ll->b);
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

static void emit_region_at(struct kiln_ll_fn *f, LLVMBasicBlockRef block, uint32_t region) {
  LLVMPositionBuilderAtEnd(f->ll->b, block);
  kiln_ll_region(f, region);
}

static void emit_loop(struct kiln_ll_fn *f, kiln_value inst, struct kiln_node *node) {
  LLVMBasicBlockRef before = LLVMGetInsertBlock(f->ll->b), header = kiln_ll_block(f, "loop");
  uint32_t number = kiln_inst(f->fn, inst)->node;
  LLVMValueRef *initial = kiln_arena_alloc(&f->ll->arena, (node->header.count + 1) * sizeof *initial, 8);
  for (uint32_t i = 0; i < node->header.count; i++)
    initial[i] = kiln_ll_operand(f, inst, i);
  before = LLVMGetInsertBlock(f->ll->b);
  LLVMBuildBr(f->ll->b, header);
  f->headers[number] = header;
  kiln_ll_make_phis(f, header, &node->header);
  for (uint32_t i = 0; i < node->header.count; i++)
    kiln_ll_add_incoming(f->values[node->header.items[i]], initial[i], before);
  if (f->group) // slots of phis are stored to after all phis
    for (uint32_t i = 0; i < node->header.count; i++)
      kiln_ll_set(f, node->header.items[i], f->values[node->header.items[i]]);
  kiln_ll_region(f, node->region_first);
}

void kiln_ll_emit_choice(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef selector,
                         void (*emit_at)(struct kiln_ll_fn *f, LLVMBasicBlockRef block, uint32_t region)) {
  const struct kiln_node *node = kiln_node(f->fn, inst);
  if (kiln_inst(f->fn, inst)->op == KILN_OP_IF) {
    LLVMBasicBlockRef then = kiln_ll_block(f, "then"), other = kiln_ll_block(f, "else");
    LLVMBuildCondBr(f->ll->b, selector, then, other);
    emit_at(f, then, node->region_first);
    emit_at(f, other, node->region_first + 1);
    return;
  }
  LLVMBasicBlockRef other = kiln_ll_block(f, "default");
  LLVMValueRef table = LLVMBuildSwitch(f->ll->b, selector, other, node->region_count - 1);
  emit_at(f, other, node->region_first);
  for (uint32_t i = 1; i < node->region_count; i++) {
    LLVMBasicBlockRef block = kiln_ll_block(f, "case");
    LLVMAddCase(table, LLVMConstInt(LLVMTypeOf(selector), (uint64_t)node->cases[i - 1], true), block);
    emit_at(f, block, node->region_first + i);
  }
}

static void emit_choice(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value entry = f->entered;
  bool taken = f->cpu.taken == inst;
  f->entered = 0;
  if (entry)
    kiln_ll_emit_entered(f, entry, inst);
  else
    kiln_ll_emit_choice(f, inst, taken ? kiln_ll_i1(f->ll, true) : kiln_ll_operand(f, inst, 0), emit_region_at);
}

static void emit_node(struct kiln_ll_fn *f, kiln_value inst) {
  if (!f->entered && kiln_ll_entered_by(f, inst)) {
    f->entered = inst;
    return;
  }
  struct kiln_ll *ll = f->ll;
  struct kiln_node *node = kiln_node(f->fn, inst);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b), join = kiln_ll_block(f, "join");
  f->joins[kiln_inst(f->fn, inst)->node] = join;
  kiln_ll_make_phis(f, join, &node->results);
  LLVMPositionBuilderAtEnd(ll->b, here);
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (op == KILN_OP_BLOCK) {
    kiln_ll_region(f, node->region_first); // which also emits the switch after an entry that has been passed
    f->entered = 0;
  } else if (op == KILN_OP_LOOP) {
    emit_loop(f, inst, node);
  } else {
    emit_choice(f, inst);
  }
  kiln_ll_continue_at(f, join);
  for (uint32_t i = 0; i < node->results.count; i++)
    kiln_ll_finish_phi(&f->values[node->results.items[i]]);
  if (f->group)
    for (uint32_t i = 0; i < node->results.count; i++)
      kiln_ll_set(f, node->results.items[i], f->values[node->results.items[i]]);
}

static void debug_at(struct kiln_ll_fn *f, kiln_value inst) {
  if (f->ll->debug && kiln_inst(f->fn, inst)->loc != f->made->loc)
    kiln_ll_debug_at(f, kiln_inst(f->fn, inst)->loc);
}

void kiln_ll_statement(struct kiln_ll_fn *f, kiln_value inst) {
  debug_at(f, inst);
  (kiln_op_is_node(kiln_inst(f->fn, inst)->op) ? f->walker->node : kiln_ll_inst)(f, inst);
}

kiln_value kiln_ll_stretch(struct kiln_ll_fn *f, kiln_value first) {
  kiln_value v = first, last = f->fn->regions[kiln_inst(f->fn, first)->region].last;
  for (; v != last && !kiln_op_is_node(kiln_inst(f->fn, v)->op); v = kiln_inst(f->fn, v)->next)
    kiln_ll_statement(f, v);
  return v;
}

const struct kiln_ll_walker kiln_ll_plain_walker = {.stretch = kiln_ll_stretch, .node = emit_node, .jump = emit_jump};

void kiln_ll_region(const struct kiln_ll_fn *from, uint32_t region) {
  struct kiln_ll_fn copy = *from, *f = &copy;
  kiln_value last = f->fn->regions[region].last, v = f->fn->regions[region].first;
  if (++f->depth > KILN_LL_MAX_DEPTH) {
    kiln_ll_fail_too_deep(f->ll, f->fn);
    LLVMBuildUnreachable(f->ll->b);
    return;
  }
  while ((v = f->walker->stretch(f, v)) != last) {
    if (kiln_op_is_node(kiln_inst(f->fn, v)->op))
      kiln_ll_statement(f, v);
    v = kiln_inst(f->fn, v)->next;
  }
  debug_at(f, last);
  f->walker->jump(f, last);
}

static LLVMValueRef call(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t callee = (uint32_t)in->imm;
  LLVMValueRef *args = kiln_arena_alloc(&ll->arena, (in->operand_count + KILN_LL_MAX_HIDDEN) * sizeof *args, 8);
  for (uint32_t i = 0; i < in->operand_count; i++)
    args[i] = kiln_ll_operand(f, inst, i);
  if (!ll->functions[callee]) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: '%s' calls the kernel '%s'", f->fn->name,
                 ll->ir->functions[callee]->name);
    return LLVMConstNull(kiln_ll_type(ll, in->type));
  }
  uint32_t hidden = ll->hooks->hidden_args ? ll->hooks->hidden_args(f, args + in->operand_count) : 0;
  LLVMValueRef call =
      LLVMBuildCall2(ll->b, ll->function_types[callee], ll->functions[callee], args, in->operand_count + hidden, "");
  return kiln_type_kind(in->type) == KILN_VOID ? NULL : call;
}

LLVMValueRef kiln_ll_call(struct kiln_ll_fn *f, kiln_value inst) {
  LLVMValueRef condition;
  switch (kiln_op_of(kiln_inst(f->fn, inst))) {
  case KILN_OP_CALL:
    return call(f, inst);
  case KILN_OP_PRINTF:
    return f->ll->hooks->print(f, inst);
  case KILN_OP_ASSUME:
    condition = kiln_ll_operand(f, inst, 0);
    kiln_ll_intrinsic(f->ll, "llvm.assume", NULL, 0, &condition, 1);
    return NULL;
    KILN_CASES_BUT_CALL break;
  }
  return NULL;
}
