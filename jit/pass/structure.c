// Structure: early exits become branches.
//
// In "block { if c { break } tail }" the tail moves into the other arm: "if c {} else { tail }"; likewise for a
// continue in a loop. The jump is then the end of its arm, and simplify removes the block. A tail that contains a
// barrier does not move: work-items that have left count as arrived only where all others arrive. Requires a verified
// function. Linear: an instruction moves once per block.
#include "jit/pass/common.h"

#define MAX_WRAPPED 64 // nodes that the tail of one region may be moved into: limits the nesting

struct structure {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_jumps jumps;
  kiln_value *contains; // by node: the last target that something inside jumps to
  struct kiln_replaced replaced;
  uint32_t *index;   // by phi: scratch
  bool *done;        // by if
  kiln_value target; // the block or loop at hand
  uint16_t jump;     // BREAK or CONTINUE
  bool changed;
};

static bool is_exit(const struct structure *s, kiln_value jump) {
  return s->fn->insts[jump].op == s->jump && s->fn->insts[jump].imm == s->target;
}

static bool is_yield(const struct structure *s, kiln_value jump) { return s->fn->insts[jump].op == KILN_OP_YIELD; }

static bool has_barrier(const struct structure *s, kiln_value id) {
  const struct kiln_inst *inst = &s->fn->insts[id];
  if (kiln_op_is_node(inst->op))
    return kiln_node(s->fn, id)->has_barrier;
  return kiln_inst_is_barrier(inst) || inst->op == KILN_OP_CALL;
}

static kiln_value arm_end(const struct structure *s, kiln_value branch, uint32_t arm) {
  return s->fn->regions[kiln_node(s->fn, branch)->region_first + arm].last;
}

// The values that the end of the region hands on, as seen from inside of an arm of the branch before it.
static void give_values(struct structure *s, kiln_value branch, uint32_t arm, kiln_value end) {
  struct kiln_function *fn = s->fn;
  uint32_t count = fn->insts[end].operand_count;
  kiln_value yield = arm_end(s, branch, arm);
  kiln_value *values = kiln_arena_alloc(s->arena, (count + 1) * sizeof *values, 16);
  for (uint32_t i = 0; i < count; i++) {
    kiln_value value = kiln_resolve(&s->replaced, kiln_operands(fn, end)[i]);
    bool own = value < s->replaced.count && fn->insts[value].op == KILN_OP_PHI && fn->insts[value].imm == branch;
    values[i] = own ? kiln_resolve(&s->replaced, kiln_operands(fn, yield)[s->index[value]]) : value;
  }
  kiln_set_operands(fn, yield, values, count);
}

// Gives the branch one result per value of the end of its region, which passes them on.
static void pass_results(struct structure *s, kiln_value branch, kiln_value end) {
  struct kiln_function *fn = s->fn;
  const struct kiln_node *target = kiln_node(fn, s->target);
  const struct kiln_value_list *like = s->jump == KILN_OP_CONTINUE ? &target->header : &target->results;
  kiln_node(fn, branch)->results.count = 0;
  for (uint32_t i = 0; i < fn->insts[end].operand_count && i < like->count; i++) {
    kiln_value phi = kiln_node_add_result(fn, branch, fn->insts[like->items[i]].type);
    if (!phi)
      return;
    fn->insts[phi].name = fn->insts[like->items[i]].name;
  }
  kiln_set_operands(fn, end, kiln_node(fn, branch)->results.items, kiln_node(fn, branch)->results.count);
}

static void walk_region(struct structure *s, uint32_t region, unsigned depth);

// Moves what stands between the branch and the end of its region into the arm that goes on there, and makes the other
// arm's jump a plain end. Returns whether it has done so.
static bool restructure(struct structure *s, kiln_value branch, kiln_value end, bool barrier_after) {
  struct kiln_function *fn = s->fn;
  bool exit0 = is_exit(s, arm_end(s, branch, 0)), exit1 = is_exit(s, arm_end(s, branch, 1));
  bool yield0 = is_yield(s, arm_end(s, branch, 0)), yield1 = is_yield(s, arm_end(s, branch, 1));
  bool last = fn->insts[branch].next == end;
  const struct kiln_value_list *results = &kiln_node(fn, branch)->results;
  for (uint32_t i = 0; i < results->count; i++)
    s->index[results->items[i]] = i;
  if (last && yield0 && yield1) {
    give_values(s, branch, 0, end);
    give_values(s, branch, 1, end);
  } else if ((exit0 && yield1) || (exit1 && yield0)) {
    if (barrier_after)
      return false;
    uint32_t arm = exit0, region = kiln_node(fn, branch)->region_first + arm;
    kiln_value yield = arm_end(s, branch, arm), exit = arm_end(s, branch, !arm);
    for (uint32_t i = 0; i < results->count; i++)
      s->replaced.by[results->items[i]] = kiln_resolve(&s->replaced, kiln_operands(fn, yield)[i]);
    while (fn->insts[branch].next != end)
      kiln_move(fn, fn->insts[branch].next, region, yield);
    give_values(s, branch, arm, end);
    fn->insts[exit].op = KILN_OP_YIELD;
    fn->insts[exit].imm = 0;
  } else {
    return false;
  }
  pass_results(s, branch, end);
  s->done[branch] = s->changed = true;
  return true;
}

// Walks a region at whose end control goes where the target's jumps go.
static void walk_region(struct structure *s, uint32_t region, unsigned depth) {
  struct kiln_function *fn = s->fn;
  kiln_value end = fn->regions[region].last;
  bool barrier_after = false;
  unsigned wrapped = 0;
  if (depth > MAX_WRAPPED)
    return;
  for (kiln_value id = fn->insts[end].prev, before; id; id = before) {
    before = fn->insts[id].prev;
    bool candidate = fn->insts[id].op == KILN_OP_IF && s->contains[id] == s->target && !s->done[id];
    if (candidate && wrapped < MAX_WRAPPED && restructure(s, id, end, barrier_after)) {
      uint32_t first = kiln_node(fn, id)->region_first;
      wrapped++;
      walk_region(s, first, depth + 1);
      walk_region(s, first + 1, depth + 1);
    }
    barrier_after |= has_barrier(s, id);
  }
}

// Notes which nodes inside the target contain an exit of it. False when there are none.
static bool find_exits(struct structure *s) {
  bool any = false;
  for (kiln_value jump = s->jumps.first[s->target]; jump; jump = s->jumps.next[jump]) {
    if (!is_exit(s, jump))
      continue;
    kiln_value owner = kiln_owner(s->fn, jump);
    while (owner != s->target && s->contains[owner] != s->target) {
      s->contains[owner] = s->target;
      owner = kiln_owner(s->fn, owner);
      any = true;
    }
  }
  return any;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  uint32_t count = fn->inst_count, node_count = fn->node_count;
  struct structure s = {.fn = fn, .arena = arena};
  s.jumps = kiln_jumps_find(fn, arena);
  s.contains = KILN_NEW_ARRAY(arena, kiln_value, count);
  s.replaced = kiln_replaced_new(fn, arena);
  s.index = KILN_NEW_ARRAY(arena, uint32_t, count);
  s.done = KILN_NEW_ARRAY(arena, bool, count);
  kiln_function_annotate(fn);
  for (uint32_t n = 1; n < node_count; n++) {
    s.target = fn->nodes[n].inst;
    unsigned op = fn->insts[s.target].op;
    if (!fn->insts[s.target].region || (op != KILN_OP_BLOCK && op != KILN_OP_LOOP))
      continue;
    s.jump = op == KILN_OP_BLOCK ? KILN_OP_BREAK : KILN_OP_CONTINUE;
    kiln_value end = fn->regions[fn->nodes[n].region_first].last;
    if ((is_exit(&s, end) || (op == KILN_OP_BLOCK && is_yield(&s, end))) && find_exits(&s))
      walk_region(&s, fn->nodes[n].region_first, 0);
  }
  if (s.changed)
    kiln_resolve_all(fn, &s.replaced);
  return s.changed;
}

bool kiln_pass_structure(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
