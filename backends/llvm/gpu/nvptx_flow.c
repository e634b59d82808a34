// Control flow of kernels whose work-items exchange values: as core/flow.c has it, with the masks that nvptx_masks.c
// asks for. f->at.mask follows the walk.
#include <string.h>

#include "backends/llvm/gpu/nvptx.h"

enum end { OF_NODE, OF_ITERATION };

static struct kiln_ll_nvptx_node *node_of(const struct kiln_ll_fn *f, kiln_value node) {
  return &f->masks->nodes[kiln_inst(f->fn, node)->node];
}

// ---- jumps

// A place to go to, as a number: the end of a node, or the next iteration of a loop. 0: none, which is to stay.
static uint32_t number_of(const struct kiln_ll_fn *f, kiln_value node, bool again) {
  return 2 * kiln_inst(f->fn, node)->node + 2 + again;
}

// The first vote on the way out from a node, whose own votes of iterations have been passed if passed; 0: none before
// the target.
static kiln_value next_vote(const struct kiln_ll_fn *f, kiln_value node, bool passed, kiln_value target,
                            enum end *end) {
  for (kiln_value n = node; n; n = kiln_owner(f->fn, n), passed = false) {
    *end = OF_ITERATION;
    if (node_of(f, n)->votes && !passed)
      return n;
    if (n == target)
      return 0;
    *end = OF_NODE;
    if (node_of(f, n)->meeting == KILN_LL_MEET_VOTE)
      return n;
  }
  return 0;
}

static LLVMValueRef slot_of(struct kiln_ll_fn *f, kiln_value phi) {
  LLVMValueRef *slot = &f->masks->slots[phi];
  if (!*slot)
    *slot = kiln_ll_alloca(f, kiln_ll_type(f->ll, kiln_value_type(f->fn, phi)), 0, "slot");
  return *slot;
}

static const struct kiln_value_list *phis_of(const struct kiln_ll_fn *f, kiln_value node, bool again) {
  const struct kiln_node *target = kiln_node(f->fn, node);
  return again ? &target->header : &target->results;
}

// The branch to the next iteration.
static void branch_again(struct kiln_ll_fn *f, kiln_value loop) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_nvptx_node *own = node_of(f, loop);
  if (own->header)
    kiln_ll_add_incoming(own->header, kiln_ll_nvptx_mask(f), LLVMGetInsertBlock(ll->b));
  LLVMValueRef branch = LLVMBuildBr(ll->b, f->headers[kiln_inst(f->fn, loop)->node]);
  if (ll->hooks->repeat)
    ll->hooks->repeat(f, loop, branch);
}

// Goes to the target, whose values are in slots, or to the vote before it.
static void leave(struct kiln_ll_fn *f, kiln_value node, bool passed, kiln_value target, bool again) {
  struct kiln_ll *ll = f->ll;
  enum end end;
  kiln_value vote = next_vote(f, node, passed, target, &end);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  if (!vote) {
    const struct kiln_value_list *phis = phis_of(f, target, again);
    for (uint32_t i = 0; i < phis->count; i++) {
      LLVMTypeRef type = kiln_ll_type(ll, kiln_value_type(f->fn, phis->items[i]));
      LLVMValueRef value = LLVMBuildLoad2(ll->b, type, slot_of(f, phis->items[i]), "");
      kiln_ll_add_incoming(f->values[phis->items[i]], value, here);
    }
    if (again)
      branch_again(f, target);
    else
      LLVMBuildBr(ll->b, f->joins[kiln_inst(f->fn, target)->node]);
    return;
  }
  struct kiln_ll_nvptx_node *own = node_of(f, vote);
  uint32_t number = number_of(f, target, again);
  bool known = false;
  for (uint32_t i = 0; i < own->target_count[end]; i++)
    known |= own->targets[end][i] == number;
  if (!known)
    own->targets[end][own->target_count[end]++] = number;
  LLVMBuildStore(ll->b, kiln_ll_i32(ll, number), own->leaving[end]);
  if (end == OF_ITERATION) {
    LLVMBuildBr(ll->b, own->latch);
    return;
  }
  const struct kiln_value_list *results = &kiln_node(f->fn, vote)->results;
  for (uint32_t i = 0; i < results->count; i++) // which nothing reads on this way
    kiln_ll_add_incoming(f->values[results->items[i]], LLVMConstNull(LLVMTypeOf(f->values[results->items[i]])), here);
  LLVMBuildBr(ll->b, f->joins[kiln_inst(f->fn, vote)->node]);
}

static void jump(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  kiln_value target = kiln_jump_target(f->fn, inst);
  bool again = in->op == KILN_OP_CONTINUE;
  enum end end;
  if (in->op == KILN_OP_YIELD && node_of(f, target)->meeting == KILN_LL_MEET_SIDES)
    kiln_ll_add_incoming(node_of(f, target)->mask, kiln_ll_nvptx_mask(f), LLVMGetInsertBlock(ll->b));
  if (!kiln_op_leaves((enum kiln_op)in->op) || !next_vote(f, kiln_owner(f->fn, inst), false, target, &end)) {
    if (again && node_of(f, target)->header)
      kiln_ll_add_incoming(node_of(f, target)->header, kiln_ll_nvptx_mask(f), LLVMGetInsertBlock(ll->b));
    kiln_ll_plain_walker.jump(f, inst);
    return;
  }
  const struct kiln_value_list *phis = phis_of(f, target, again);
  for (uint32_t i = 0; i < phis->count; i++)
    LLVMBuildStore(ll->b, kiln_ll_operand(f, inst, i), slot_of(f, phis->items[i]));
  leave(f, kiln_owner(f->fn, inst), false, target, again);
}

// ---- votes

static void begin_vote(struct kiln_ll_fn *f, kiln_value node, enum end end) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_nvptx_node *own = node_of(f, node);
  own->leaving[end] = kiln_ll_alloca(f, ll->i32, 4, "leaving");
  own->targets[end] = KILN_NEW_ARRAY(&ll->arena, uint32_t, 2 * (size_t)f->fn->node_count + 4);
}

// The node and direction of a number.
static kiln_value target_of(const struct kiln_ll_fn *f, uint32_t number, bool *again) {
  *again = number & 1;
  return f->fn->nodes[(number - 2) / 2].inst;
}

// Sends those that leave on their way. The builder continues in stay, with those that do not.
static void send(struct kiln_ll_fn *f, kiln_value node, enum end end, LLVMValueRef leaving, LLVMBasicBlockRef stay) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_nvptx_node *own = node_of(f, node);
  LLVMValueRef choice = LLVMBuildSwitch(ll->b, leaving, stay, own->target_count[end]);
  for (uint32_t i = 0; i < own->target_count[end]; i++) {
    LLVMBasicBlockRef block = kiln_ll_block(f, "leave");
    LLVMAddCase(choice, kiln_ll_i32(ll, own->targets[end][i]), block);
    LLVMPositionBuilderAtEnd(ll->b, block);
    bool again;
    kiln_value target = target_of(f, own->targets[end][i], &again);
    if (end == OF_ITERATION)
      leave(f, node, true, target, again);
    else
      leave(f, kiln_owner(f->fn, node), false, target, again);
  }
  kiln_ll_continue_at(f, stay);
}

static LLVMValueRef read_leaving(struct kiln_ll_fn *f, kiln_value node, enum end end) {
  return LLVMBuildLoad2(f->ll->b, f->ll->i32, node_of(f, node)->leaving[end], "");
}

static LLVMValueRef vote(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef leaving, uint32_t number) {
  LLVMValueRef is = LLVMBuildICmp(f->ll->b, LLVMIntEQ, leaving, kiln_ll_i32(f->ll, number), "");
  return kiln_ll_nvptx_ballot_of(f->ll, mask, is);
}

// ---- nodes

static void emit_side(struct kiln_ll_fn *from, LLVMBasicBlockRef block, uint32_t region) {
  struct kiln_ll_fn side = *from;
  kiln_value node = from->fn->regions[region].owner;
  LLVMValueRef mask = node_of(from, node)->sides[region - kiln_node(from->fn, node)->region_first];
  if (mask)
    side.at.mask = mask;
  LLVMPositionBuilderAtEnd(from->ll->b, block);
  kiln_ll_region(&side, region);
}

// The masks of the sides of a node whose selector varies.
static void split_sides(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef selector) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_node *node = kiln_node(f->fn, inst);
  LLVMValueRef mask = kiln_ll_nvptx_mask(f), *sides = node_of(f, inst)->sides;
  if (kiln_inst(f->fn, inst)->op == KILN_OP_IF) {
    sides[0] = kiln_ll_nvptx_ballot_of(ll, mask, selector);
    sides[1] = LLVMBuildXor(ll->b, mask, sides[0], "");
    return;
  }
  LLVMValueRef rest = mask;
  for (uint32_t i = 1; i < node->region_count; i++) {
    LLVMValueRef number = LLVMConstInt(LLVMTypeOf(selector), (uint64_t)node->cases[i - 1], true);
    sides[i] = kiln_ll_nvptx_ballot_of(ll, mask, LLVMBuildICmp(ll->b, LLVMIntEQ, selector, number, ""));
    rest = LLVMBuildXor(ll->b, rest, sides[i], "");
  }
  sides[0] = rest;
}

static void emit_choice(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_nvptx_node *own = node_of(f, inst);
  LLVMValueRef selector = kiln_ll_operand(f, inst, 0);
  if (f->masks->varying[kiln_operands(f->fn, inst)[0]] && (own->crosses || own->meeting == KILN_LL_MEET_SIDES))
    split_sides(f, inst, selector);
  kiln_ll_emit_choice(f, inst, selector, emit_side);
}

static void emit_loop(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_node *node = kiln_node(f->fn, inst);
  struct kiln_ll_nvptx_node *own = node_of(f, inst);
  struct kiln_ll_fn body = *f;
  LLVMBasicBlockRef header = kiln_ll_block(f, "loop");
  LLVMValueRef *initial = kiln_arena_alloc(&ll->arena, (node->header.count + 1) * sizeof *initial, 8);
  for (uint32_t i = 0; i < node->header.count; i++)
    initial[i] = kiln_ll_operand(f, inst, i);
  bool carries = own->crosses && (own->diverges || own->votes);
  LLVMValueRef mask = carries ? kiln_ll_nvptx_mask(f) : NULL;
  if (own->votes)
    begin_vote(f, inst, OF_ITERATION);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ll->b);
  LLVMBuildBr(ll->b, header);
  f->headers[kiln_inst(f->fn, inst)->node] = header;
  kiln_ll_make_phis(f, header, &node->header);
  for (uint32_t i = 0; i < node->header.count; i++)
    kiln_ll_add_incoming(f->values[node->header.items[i]], initial[i], before);
  if (carries) {
    body.at.mask = own->header = LLVMBuildPhi(ll->b, ll->i32, "mask");
    kiln_ll_add_incoming(own->header, mask, before);
  }
  if (own->votes)
    own->latch = kiln_ll_block(f, "vote");
  kiln_ll_region(&body, node->region_first);
  if (!own->votes)
    return;
  kiln_ll_continue_at(f, own->latch);
  LLVMValueRef leaving = read_leaving(f, inst, OF_ITERATION);
  body.at.mask = vote(&body, own->header, leaving, number_of(f, inst, true));
  LLVMBasicBlockRef never = kiln_ll_block(f, "never");
  send(&body, inst, OF_ITERATION, leaving, never);
  LLVMBuildUnreachable(ll->b);
}

static void emit_node(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_node *node = kiln_node(f->fn, inst);
  struct kiln_ll_nvptx_node *own = node_of(f, inst);
  LLVMBasicBlockRef join = kiln_ll_block(f, "join"), here = LLVMGetInsertBlock(ll->b);
  f->joins[kiln_inst(f->fn, inst)->node] = join;
  kiln_ll_make_phis(f, join, &node->results);
  if (own->meeting == KILN_LL_MEET_SIDES)
    own->mask = LLVMBuildPhi(ll->b, ll->i32, "mask");
  LLVMPositionBuilderAtEnd(ll->b, here);
  if (own->meeting == KILN_LL_MEET_VOTE) {
    begin_vote(f, inst, OF_NODE);
    LLVMBuildStore(ll->b, kiln_ll_i32(ll, 0), own->leaving[OF_NODE]);
  }
  LLVMValueRef mask = own->meeting == KILN_LL_MEET_VOTE ? kiln_ll_nvptx_mask(f) : NULL;
  enum kiln_op op = kiln_op_of(kiln_inst(f->fn, inst));
  if (op == KILN_OP_BLOCK)
    kiln_ll_region(f, node->region_first);
  else if (op == KILN_OP_LOOP)
    emit_loop(f, inst);
  else
    emit_choice(f, inst);
  kiln_ll_continue_at(f, join);
  for (uint32_t i = 0; i < node->results.count; i++)
    kiln_ll_finish_phi(&f->values[node->results.items[i]]);
  if (own->meeting == KILN_LL_MEET_SIDES) {
    kiln_ll_finish_phi(&own->mask);
    f->at.mask = own->mask;
  }
  if (own->meeting != KILN_LL_MEET_VOTE)
    return;
  LLVMValueRef leaving = read_leaving(f, inst, OF_NODE);
  LLVMValueRef stay = vote(f, mask, leaving, 0);
  send(f, inst, OF_NODE, leaving, kiln_ll_block(f, "stay"));
  f->at.mask = stay;
}

static bool is_plain(const struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_nvptx_node *own = node_of(f, inst);
  return !own->crosses && own->meeting == KILN_LL_MEET_ALL;
}

// Whether the node is the entry of a switch, with which it is one in plain code, but masks are needed there.
static bool enters_masked(struct kiln_ll_fn *f, kiln_value inst) {
  kiln_value second = f->entered ? 0 : kiln_ll_entered_by(f, inst);
  bool masked = second && !is_plain(f, second);
  for (kiln_value v = second; v && kiln_inst(f->fn, v)->region != kiln_inst(f->fn, inst)->region && !masked;) {
    v = kiln_owner(f->fn, v);
    masked = !is_plain(f, v);
  }
  return masked;
}

static void node(struct kiln_ll_fn *f, kiln_value inst) {
  if (is_plain(f, inst) && !enters_masked(f, inst))
    kiln_ll_plain_walker.node(f, inst);
  else
    emit_node(f, inst);
}

const struct kiln_ll_walker kiln_ll_nvptx_walker = {.stretch = kiln_ll_stretch, .node = node, .jump = jump};
