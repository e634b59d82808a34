// Switches that fall through. The IR has none: the front end (jit/lang/lower/switch.c) makes of
//
//   switch (x) { case 3: A; case 7: B; break; default: C; }
//
// an entry, which is a switch over x that yields two constants, the number of a run of groups and the number of the
// group in the run that is entered, and a second switch over the runs, whose regions are "if (group <= 0) A" and B.
// A switch with labels that goto leads to is two switches as well, of which the second one begins the innermost of some
// blocks. Here both are emitted as one switch of LLVM. The group is found where a run begins, from x: "x == 3 ? 0 : 1".
// A phi of the constants would cost the square of the groups, since LLVM makes a phi of each comparison with it.
#include "backends/llvm/core/emit.h"

// Which result of the entry the value is; the number of results for a value that is not among them.
static uint32_t result_index(const struct kiln_function *fn, kiln_value entry, kiln_value value) {
  const struct kiln_value_list *results = &kiln_node(fn, entry)->results;
  uint32_t i = 0;
  while (i < results->count && results->items[i] != value)
    i++;
  return i;
}

static bool yields_constants(const struct kiln_function *fn, uint32_t region) {
  kiln_value jump = fn->regions[region].first;
  const struct kiln_inst *inst = kiln_inst(fn, jump);
  for (uint32_t i = 0; i < inst->operand_count; i++)
    if (kiln_inst(fn, kiln_operands(fn, jump)[i])->op != KILN_OP_CONST)
      return false;
  return inst->op == KILN_OP_YIELD;
}

static uint32_t uses_by(const struct kiln_function *fn, kiln_value inst, kiln_value value) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < kiln_inst(fn, inst)->operand_count; i++)
    count += kiln_operands(fn, inst)[i] == value;
  return count;
}

static uint32_t uses_in(const struct kiln_function *fn, uint32_t region, kiln_value value) {
  uint32_t count = 0;
  for (kiln_value v = fn->regions[region].first; v; v = kiln_inst(fn, v)->next) {
    count += uses_by(fn, v, value);
    const struct kiln_node *node = kiln_op_is_node(kiln_inst(fn, v)->op) ? kiln_node(fn, v) : NULL;
    for (uint32_t i = 0; node && i < node->region_count; i++)
      count += uses_in(fn, node->region_first + i, value);
  }
  return count;
}

static uint32_t uses_of(struct kiln_ll_fn *f, kiln_value value) {
  const struct kiln_function *fn = f->fn;
  if (!f->made->uses) {
    f->made->uses = KILN_NEW_ARRAY(&f->ll->arena, uint32_t, fn->inst_count);
    for (kiln_value v = 1; v < fn->inst_count; v++)
      for (uint32_t i = 0; fn->insts[v].region && i < fn->insts[v].operand_count; i++)
        f->made->uses[kiln_operands(fn, v)[i]]++;
  }
  return f->made->uses[value];
}

// What is executed first after a node: blocks are entered.
static kiln_value first_after(const struct kiln_function *fn, kiln_value inst) {
  kiln_value v = kiln_inst(fn, inst)->next;
  while (v && kiln_inst(fn, v)->op == KILN_OP_BLOCK)
    v = fn->regions[kiln_node(fn, v)->region_first].first;
  return v;
}

kiln_value kiln_ll_entered_by(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_function *fn = f->fn;
  if (f->group || kiln_inst(fn, inst)->op != KILN_OP_SWITCH)
    return 0;
  kiln_value second = first_after(fn, inst);
  if (!second || kiln_inst(fn, second)->op != KILN_OP_SWITCH)
    return 0;
  const struct kiln_node *node = kiln_node(fn, inst), *next = kiln_node(fn, second);
  kiln_value run = kiln_operands(fn, second)[0];
  for (uint32_t i = 0; i < node->region_count; i++)
    if (!yields_constants(fn, node->region_first + i))
      return 0;
  if (result_index(fn, inst, run) == node->results.count)
    return 0;
  for (uint32_t i = 0; i < node->results.count; i++) { // nothing but the second switch and what it holds sees them
    kiln_value result = node->results.items[i];
    uint32_t seen = result == run;
    for (uint32_t r = 0; result != run && r < next->region_count; r++)
      seen += uses_in(fn, next->region_first + r, result);
    if (seen != uses_of(f, result))
      return 0;
  }
  return second;
}

// ---- emission

struct pair {
  kiln_value entry, node;
  LLVMValueRef selector;
  LLVMBasicBlockRef *blocks; // by region of the second switch; NULL: nothing leads there
  uint32_t *first, *next;    // regions of the entry that lead to a region: 1 + the first one, and 1 + the next one
};

static LLVMValueRef yielded(struct kiln_ll_fn *f, kiln_value entry, uint32_t region, uint32_t result) {
  kiln_value jump = f->fn->regions[kiln_node(f->fn, entry)->region_first + region].first;
  return kiln_ll_operand(f, jump, result);
}

// The region of the second switch that a region of the entry leads to.
static uint32_t leads_to(struct kiln_ll_fn *f, const struct pair *pair, uint32_t region) {
  const struct kiln_node *node = kiln_node(f->fn, pair->node);
  uint32_t result = result_index(f->fn, pair->entry, kiln_operands(f->fn, pair->node)[0]);
  int64_t run = LLVMConstIntGetSExtValue(yielded(f, pair->entry, region, result));
  if (run >= 0 && run < node->region_count - 1 && node->cases[run] == run) // as the front end counts
    return (uint32_t)run + 1;
  for (uint32_t i = 1; i < node->region_count; i++)
    if (node->cases[i - 1] == run)
      return i;
  return 0;
}

static LLVMValueRef case_of(struct kiln_ll_fn *f, const struct pair *pair, uint32_t region) {
  int64_t value = kiln_node(f->fn, pair->entry)->cases[region - 1];
  return LLVMConstInt(LLVMTypeOf(pair->selector), (uint64_t)value, true);
}

static LLVMBasicBlockRef block_for(struct kiln_ll_fn *f, struct pair *pair, uint32_t region) {
  uint32_t to = leads_to(f, pair, region);
  if (!pair->blocks[to])
    pair->blocks[to] = kiln_ll_block(f, to ? "case" : "default");
  pair->next[region] = pair->first[to];
  pair->first[to] = region + 1;
  return pair->blocks[to];
}

// The result of the entry where a region of the second switch begins: of the default, which no comparison distinguishes
// from the labels, or else of the last label, unless the selector is that of another label.
static LLVMValueRef result_at(struct kiln_ll_fn *f, const struct pair *pair, uint32_t to, uint32_t result) {
  uint32_t last = pair->first[to] - 1;
  for (uint32_t at = pair->first[to]; at; at = pair->next[at - 1])
    if (at == 1)
      last = 0;
  LLVMValueRef rest = yielded(f, pair->entry, last, result), value = rest;
  for (uint32_t at = pair->first[to]; at; at = pair->next[at - 1]) {
    LLVMValueRef own = yielded(f, pair->entry, at - 1, result);
    if (at - 1 == last || own == rest) // constants are unique
      continue;
    LLVMValueRef is_here = LLVMBuildICmp(f->ll->b, LLVMIntEQ, pair->selector, case_of(f, pair, at - 1), "");
    value = LLVMBuildSelect(f->ll->b, is_here, own, value, "");
  }
  return value;
}

void kiln_ll_emit_entered(struct kiln_ll_fn *f, kiln_value entry, kiln_value inst) {
  const struct kiln_node *node = kiln_node(f->fn, inst), *labels = kiln_node(f->fn, entry);
  struct pair pair = {entry, inst, kiln_ll_operand(f, entry, 0), NULL, NULL, NULL};
  pair.blocks = KILN_NEW_ARRAY(&f->ll->arena, LLVMBasicBlockRef, node->region_count);
  pair.first = KILN_NEW_ARRAY(&f->ll->arena, uint32_t, node->region_count);
  pair.next = KILN_NEW_ARRAY(&f->ll->arena, uint32_t, labels->region_count);
  LLVMValueRef table = LLVMBuildSwitch(f->ll->b, pair.selector, block_for(f, &pair, 0), labels->region_count - 1);
  for (uint32_t i = 1; i < labels->region_count; i++)
    LLVMAddCase(table, case_of(f, &pair, i), block_for(f, &pair, i));
  for (uint32_t to = 0; to < node->region_count; to++) {
    if (!pair.blocks[to])
      continue;
    LLVMPositionBuilderAtEnd(f->ll->b, pair.blocks[to]);
    for (uint32_t i = 0; i < labels->results.count; i++)
      f->values[labels->results.items[i]] = result_at(f, &pair, to, i);
    kiln_ll_region(f, node->region_first + to);
  }
}
