// What the rest of the reader relies on, beyond what words.c and module.c have seen: types of operands, definitions
// that dominate their uses, phis that agree with the blocks before theirs, no recursion.
#include "base/vec.h"
#include "jit/spirv/function.h"

struct checker {
  struct kiln_spv *spv;
  struct kiln_spv_function *function;
  uint32_t index; // of the function
  const struct kiln_spv_graph *graph;
  uint32_t *mark, marks; // of blocks: when they were met last
  uint32_t *given;       // by block: what it gives the phi at hand
};

// ---- the graph of blocks -------------------------------------------------------------------------------------------

static const struct kiln_spv_inst *jump_of(const struct checker *c, uint32_t block) {
  const struct kiln_spv_block *b = &c->function->blocks[block];
  return &c->spv->insts[b->first + b->count - 1];
}

// The number of the block that an operand names.
static uint32_t block_of(const struct checker *c, const struct kiln_spv_inst *inst, uint32_t label) {
  const struct kiln_spv_id *id = &c->spv->ids[label];
  if (id->what != KILN_SPV_IS_LABEL || id->function != c->index)
    kiln_spv_fail(c->spv, inst, "%s is no block of the function", kiln_spv_id_text(c->spv, label));
  return id->number;
}

// Puts the targets of the block's jump, if to is not NULL; returns their number.
static uint32_t targets(const struct checker *c, uint32_t block, uint32_t *to) {
  const struct kiln_spv_inst *jump = jump_of(c, block);
  if (jump->op == KILN_SPV_OpReturn || jump->op == KILN_SPV_OpReturnValue) {
    if (to)
      *to = KILN_FLOW_RETURN;
    return 1;
  }
  if (jump->op != KILN_SPV_OpBranch && jump->op != KILN_SPV_OpBranchConditional && jump->op != KILN_SPV_OpSwitch)
    return 0;
  uint32_t count = 0;
  struct kiln_spv_ids ids = kiln_spv_ids(jump);
  if (jump->op != KILN_SPV_OpBranch)
    kiln_spv_next_id(&ids); // what is decided by
  while (kiln_spv_next_id(&ids)) {
    uint32_t target = block_of(c, jump, ids.id);
    if (target == 0)
      kiln_spv_fail(c->spv, jump, "it leads to %s, the first block of the function", kiln_spv_id_text(c->spv, ids.id));
    if (to)
      to[count] = target;
    count++;
    if (jump->op == KILN_SPV_OpBranchConditional && jump->operands[1] == jump->operands[2])
      break; // nothing is decided
  }
  return count;
}

static void make_graph(struct checker *c) {
  struct kiln_arena *arena = &c->spv->arena;
  uint32_t blocks = c->function->block_count, *first = KILN_NEW_ARRAY(arena, uint32_t, blocks + 1);
  for (uint32_t b = 0; b < blocks; b++)
    first[b + 1] = first[b] + targets(c, b, NULL);
  uint32_t edges = first[blocks], *to = KILN_NEW_ARRAY(arena, uint32_t, edges + 1);
  struct kiln_spv_graph *graph = KILN_NEW(arena, struct kiln_spv_graph);
  bool *returns = KILN_NEW_ARRAY(arena, bool, blocks);
  graph->from = KILN_NEW_ARRAY(arena, uint32_t, edges + 1);
  graph->into_first = KILN_NEW_ARRAY(arena, uint32_t, blocks + 2);
  graph->into = KILN_NEW_ARRAY(arena, uint32_t, edges + 1);
  c->mark = KILN_NEW_ARRAY(arena, uint32_t, blocks);
  c->given = KILN_NEW_ARRAY(arena, uint32_t, blocks);
  c->marks = 0;
  for (uint32_t b = 0; b < blocks; b++) {
    returns[b] = c->function->blocks[b].count == 1 && jump_of(c, b)->op == KILN_SPV_OpReturn;
    targets(c, b, to + first[b]);
    for (uint32_t e = first[b]; e < first[b + 1]; e++) {
      graph->from[e] = b;
      if (to[e] != KILN_FLOW_RETURN)
        graph->into_first[to[e] + 2]++;
    }
  }
  for (uint32_t b = blocks; b-- > 0;) // as clang has at -O0 where the source says return
    if (c->function->blocks[b].count == 1 && jump_of(c, b)->op == KILN_SPV_OpBranch && to[first[b]] != KILN_FLOW_RETURN)
      returns[b] = returns[to[first[b]]];
  for (uint32_t b = 0; b < blocks; b++)
    graph->into_first[b + 2] += graph->into_first[b + 1];
  for (uint32_t e = 0; e < edges; e++)
    if (to[e] != KILN_FLOW_RETURN)
      graph->into[graph->into_first[to[e] + 1]++] = e;
  graph->blocks = (struct kiln_flow_graph){.block_count = blocks, .first = first, .to = to, .returns = returns};
  graph->flow = kiln_flow_of_graph(arena, &graph->blocks);
  c->function->graph = graph;
  c->graph = graph;
}

// ---- dominance -----------------------------------------------------------------------------------------------------

// Whether a value is there at the end of a block.
static bool reaches(const struct kiln_flow *flow, const struct kiln_spv_id *value, uint32_t block) {
  if (!kiln_flow_reached(flow, block) || value->block == block)
    return true;
  return kiln_flow_reached(flow, value->block) && kiln_flow_dominates(flow, value->block, block);
}

static void note_use(struct kiln_spv *spv, const struct kiln_spv_place *place, uint32_t use) {
  KILN_VEC_PUSH(&spv->arena, &place->function->uses, (struct kiln_spv_use){use, place->block});
}

void kiln_spv_check_use(struct kiln_spv *spv, const struct kiln_spv_inst *inst, const struct kiln_spv_place *place,
                        uint32_t use) {
  const struct kiln_spv_id *id = &spv->ids[use];
  bool is_address = inst->op != KILN_SPV_OpLoad && // which gives its value
                    kiln_spv_is_builtin(spv, use);
  if (is_address || id->what == KILN_SPV_IS_CONSTANT)
    note_use(spv, place, use);
  if (id->what != KILN_SPV_IS_VALUE)
    return;
  if (id->function != place->index)
    kiln_spv_fail(spv, inst, "%s is a value of another function", kiln_spv_id_text(spv, use));
  if (id->block == place->block ? id->inst >= inst : !reaches(place->function->graph->flow, id, place->block))
    kiln_spv_fail(spv, inst,
                  "its operand %s does not dominate it: there is a way from the start of the function "
                  "that does not define it",
                  kiln_spv_id_text(spv, use));
  bool is_free = id->inst->op == KILN_SPV_OpVariable || // belongs to no block
                 (id->inst->op == KILN_SPV_OpFunctionParameter && !kiln_spv_is_aggregate(id->type));
  if (!is_free && id->block != place->block)
    note_use(spv, place, use);
}

// Phis have each block before theirs, once by the specification. Generators that start from LLVM's IR repeat a block,
// and its value, for each case of its switch that leads here.
static void check_phi(struct checker *c, const struct kiln_spv_inst *phi, uint32_t block) {
  const struct kiln_spv_graph *graph = c->graph;
  uint32_t preds = 0, before = ++c->marks;
  for (uint32_t i = graph->into_first[block]; i < graph->into_first[block + 1]; i++) {
    uint32_t *mark = &c->mark[graph->from[graph->into[i]]];
    preds += *mark != before;
    *mark = before;
  }
  uint32_t met = ++c->marks, blocks = 0;
  for (uint32_t i = 0; i < phi->count; i += 2) {
    uint32_t value = phi->operands[i], pred = block_of(c, phi, phi->operands[i + 1]);
    if (c->mark[pred] == met && c->given[pred] != value)
      kiln_spv_fail(c->spv, phi, "it has block %s twice, with different values",
                    kiln_spv_id_text(c->spv, phi->operands[i + 1]));
    if (c->mark[pred] == met)
      continue;
    if (c->mark[pred] != before)
      kiln_spv_fail(c->spv, phi, "block %s does not lead to it", kiln_spv_id_text(c->spv, phi->operands[i + 1]));
    c->mark[pred] = met;
    c->given[pred] = value;
    blocks++;
    const struct kiln_spv_id *id = &c->spv->ids[value];
    if (id->what == KILN_SPV_IS_VALUE && id->function != c->index)
      kiln_spv_fail(c->spv, phi, "%s is a value of another function", kiln_spv_id_text(c->spv, value));
    if (id->what == KILN_SPV_IS_VALUE && !reaches(c->graph->flow, id, pred))
      kiln_spv_fail(c->spv, phi, "its operand %s does not dominate the end of block %s",
                    kiln_spv_id_text(c->spv, value), kiln_spv_id_text(c->spv, phi->operands[i + 1]));
  }
  if (blocks != preds)
    kiln_spv_fail(c->spv, phi, "it has %u blocks, but %u lead to it", blocks, preds);
}

static bool says_nothing(const struct kiln_spv_inst *inst) {
  return inst->op == KILN_SPV_OpExtInst && !kiln_spv_is_ext(inst);
}

static bool is_merge(const struct kiln_spv_inst *inst) {
  return inst->op == KILN_SPV_OpLoopMerge || inst->op == KILN_SPV_OpSelectionMerge;
}

static void check_block(struct checker *c, uint32_t block) {
  const struct kiln_spv_block *b = &c->function->blocks[block];
  const struct kiln_spv_place place = {c->function, c->index, block};
  bool may_have_phis = true;
  for (uint32_t i = b->first; i < b->first + b->count; i++) {
    const struct kiln_spv_inst *inst = &c->spv->insts[i];
    if (says_nothing(inst))
      continue;
    kiln_spv_check_types(c->spv, inst, &place);
    if (inst->op == KILN_SPV_OpPhi) {
      if (!may_have_phis)
        kiln_spv_fail(c->spv, inst, "it stands after other instructions");
      check_phi(c, inst, block);
      continue;
    }
    may_have_phis = may_have_phis && is_merge(inst); // Khronos' translator has hints to loops stand there
  }
}

// ---- recursion -----------------------------------------------------------------------------------------------------

struct calls {
  uint32_t *first, *to;    // functions that each function calls
  uint32_t *state, *stack; // 0: not met, 1: on the stack, 2: done
  uint32_t *next;          // of functions on the stack: the call that is looked at next
};

__attribute__((noreturn)) static void recursive(struct kiln_spv *spv, const struct calls *calls, uint32_t depth,
                                                uint32_t again) {
  struct kiln_strbuf path = {0};
  uint32_t at = depth;
  while (calls->stack[at - 1] != again)
    at--;
  for (uint32_t i = at; i <= depth && i < at + 16; i++)
    kiln_strbuf_printf(&path, "%s calls ", kiln_spv_id_text(spv, spv->functions[calls->stack[i - 1]].inst->id));
  if (depth >= at + 16)
    kiln_strbuf_puts(&path, "… calls ");
  kiln_strbuf_printf(&path, "%s", kiln_spv_id_text(spv, spv->functions[again].inst->id));
  const char *text = path.failed ? "" : kiln_arena_strndup(&spv->arena, path.data, path.size);
  kiln_strbuf_free(&path);
  kiln_spv_fail(spv, spv->functions[again].inst, "recursion is not supported: %s", text);
}

static void walk_calls(struct kiln_spv *spv, struct calls *calls, uint32_t from) {
  uint32_t depth = 0;
  calls->stack[depth++] = from;
  calls->state[from] = 1;
  while (depth) {
    uint32_t f = calls->stack[depth - 1];
    if (calls->next[f] == calls->first[f + 1]) {
      calls->state[f] = 2;
      depth--;
      continue;
    }
    uint32_t to = calls->to[calls->next[f]++];
    if (calls->state[to] == 1)
      recursive(spv, calls, depth, to);
    if (calls->state[to] == 0) {
      calls->state[to] = 1;
      calls->stack[depth++] = to;
    }
  }
}

// Puts the functions that the function calls, if to is not NULL; returns their number.
static uint32_t list_calls(const struct kiln_spv *spv, const struct kiln_spv_function *function, uint32_t *to) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < function->calls.count; i++) {
    const struct kiln_spv_inst *inst = &spv->insts[function->calls.items[i]];
    if (inst->op != KILN_SPV_OpFunctionCall || spv->ids[inst->operands[0]].what != KILN_SPV_IS_FUNCTION)
      continue; // of what is called, operands.c says what is wrong
    if (to)
      to[count] = spv->ids[inst->operands[0]].number;
    count++;
  }
  return count;
}

static void find_reached(struct kiln_spv *spv, const struct calls *calls) {
  uint32_t depth = 0; // of the stack: functions whose calls have not been looked at
  for (uint32_t i = 0; i < spv->function_count; i++) {
    struct kiln_spv_function *function = &spv->functions[i];
    function->is_reached = spv->input->options.is_object || function->entry;
    if (function->is_reached)
      calls->stack[depth++] = i;
  }
  while (depth) {
    uint32_t from = calls->stack[--depth];
    for (uint32_t k = calls->first[from]; k < calls->first[from + 1]; k++) {
      struct kiln_spv_function *callee = &spv->functions[calls->to[k]];
      if (!callee->is_reached)
        calls->stack[depth++] = calls->to[k];
      callee->is_reached = true;
    }
  }
}

static void check_calls(struct kiln_spv *spv) {
  struct kiln_arena *arena = &spv->arena;
  uint32_t count = spv->function_count;
  struct calls calls = {.first = KILN_NEW_ARRAY(arena, uint32_t, count + 1),
                        .state = KILN_NEW_ARRAY(arena, uint32_t, count),
                        .stack = KILN_NEW_ARRAY(arena, uint32_t, count),
                        .next = KILN_NEW_ARRAY(arena, uint32_t, count)};
  for (uint32_t i = 0; i < count; i++)
    calls.first[i + 1] = calls.first[i] + list_calls(spv, &spv->functions[i], NULL);
  calls.to = KILN_NEW_ARRAY(arena, uint32_t, calls.first[count]);
  for (uint32_t i = 0; i < count; i++) {
    calls.next[i] = calls.first[i];
    list_calls(spv, &spv->functions[i], calls.to + calls.first[i]);
  }
  for (uint32_t i = 0; i < count; i++)
    if (calls.state[i] == 0)
      walk_calls(spv, &calls, i);
  find_reached(spv, &calls);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

void kiln_spv_check(struct kiln_spv *spv) {
  struct checker c = {.spv = spv};
  check_calls(spv);
  for (c.index = 0; c.index < spv->function_count; c.index++) {
    c.function = &spv->functions[c.index];
    if (!c.function->block_count || !c.function->is_reached)
      continue; // LLVM's own writer leaves functions that have been inlined into all that called them
    make_graph(&c);
    for (uint32_t block = 0; block < c.function->block_count; block++)
      check_block(&c, block);
  }
}
