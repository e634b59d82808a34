// Inlining: replaces calls by the bodies of their functions.
//
// Functions are visited callees first, so that every body is final before it is copied. Without keep_calls every call
// goes, and with them the functions that are no kernels. With keep_calls a function stays a function when it is not small
// and its calls together would add much code; but a function with a barrier, operations on groups, a variable or local
// memory, one that asks where a pointer leads, and a kernel, are always inlined. Requires a verified module (no
// recursion). Linear in the size of the result.
#include "jit/pass/copy.h"

#include <string.h>

#define SMALL_FUNCTION 24 // instructions
#define MAX_GROWTH 400    // instructions that inlining one function may add: a call costs a warp a run for each lane

enum { NEW, OPEN, DONE };

struct inliner {
  struct kiln_module *module;
  struct kiln_arena *arena;
  bool keep_calls;
  uint32_t *order, order_count; // callees first
  uint32_t *uses;               // calls of each function in the text
  uint64_t *size;               // instructions after inlining
  bool *must_inline;
  uint8_t *state;
  bool changed;
};

// ---- order and size
// --------------------------------------------------------------------------------------------------

static void note_inst(struct inliner *in, uint32_t function, const struct kiln_inst *inst) {
  in->size[function]++;
  if (inst->op == KILN_OP_BARRIER || inst->op == KILN_OP_VAR || inst->op == KILN_OP_PSPACE ||
      (inst->op >= KILN_OP_SUB_GROUP_SIZE && inst->op <= KILN_OP_SUB_GROUP_BARRIER)) {
    in->must_inline[function] = true;
  } else if (inst->op == KILN_OP_CALL) {
    in->must_inline[function] |= in->must_inline[inst->imm]; // what it has comes in
    in->size[function] += in->size[inst->imm];
    if (in->size[function] > UINT64_MAX / 4)
      in->size[function] = UINT64_MAX / 4;
  }
}

static bool uses_local_memory(const struct kiln_function *fn) {
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (fn->params[i].type == kiln_ptr_type(KILN_LOCAL))
      return true;
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].op == KILN_OP_GLOBAL && fn->insts[id].type == kiln_ptr_type(KILN_LOCAL))
      return true;
  return false;
}

static void finish(struct inliner *in, uint32_t function) {
  const struct kiln_function *fn = in->module->functions[function];
  in->must_inline[function] = fn->is_kernel || uses_local_memory(fn);
  for (kiln_value id = 1; id < fn->inst_count; id++)
    if (fn->insts[id].region)
      note_inst(in, function, &fn->insts[id]);
  in->state[function] = DONE;
  in->order[in->order_count++] = function;
}

// Depth first over calls, with a stack of its own: chains of calls may be long.
static void find_order(struct inliner *in) {
  struct kiln_module *module = in->module;
  uint32_t count = module->function_count, depth = 0;
  uint32_t *stack = KILN_NEW_ARRAY(in->arena, uint32_t, count), *next = KILN_NEW_ARRAY(in->arena, uint32_t, count);
  for (uint32_t root = 0; root < count; root++) {
    if (in->state[root] != NEW)
      continue;
    in->state[stack[depth++] = root] = OPEN;
    while (depth) {
      uint32_t top = stack[depth - 1];
      const struct kiln_function *fn = module->functions[top];
      bool entered = false;
      while (++next[top] < fn->inst_count && !entered) {
        const struct kiln_inst *inst = &fn->insts[next[top]];
        if (inst->op != KILN_OP_CALL || !inst->region)
          continue;
        in->uses[inst->imm]++;
        if (in->state[inst->imm] == NEW) {
          in->state[stack[depth++] = (uint32_t)inst->imm] = OPEN;
          entered = true;
          break;
        }
      }
      if (!entered && next[top] >= fn->inst_count) {
        finish(in, top);
        depth--;
      }
    }
  }
}

static bool wants_inline(const struct inliner *in, uint32_t callee) {
  if (!in->keep_calls || in->must_inline[callee])
    return true;
  if (in->module->functions[callee]->no_inline)
    return false;
  if (in->module->functions[callee]->always_inline)
    return true;
  return in->size[callee] <= SMALL_FUNCTION || (in->uses[callee] - 1) * in->size[callee] <= MAX_GROWTH;
}

// ---- copying
// ---------------------------------------------------------------------------------------------------------

static kiln_value outside(struct kiln_copy *c, kiln_value value) {
  const struct kiln_inst *inst = &c->from->insts[value];
  const kiln_value *call = c->user;
  kiln_value mapped = 0;
  switch ((int)inst->op) {
  case KILN_OP_PARAM:
    mapped = kiln_operands(c->to, *call)[inst->imm];
    break;
  case KILN_OP_CONST:
  case KILN_OP_UNDEF:
  case KILN_OP_GLOBAL:
    mapped = kiln_free_value(c->to, (enum kiln_op)inst->op, inst->type, NULL, 0, inst->imm);
    break;
  case KILN_OP_CONST_VEC: {
    kiln_value lanes[16];
    for (uint32_t i = 0; i < inst->operand_count && i < 16; i++)
      lanes[i] = kiln_copy_value(c, kiln_operands(c->from, value)[i]);
    mapped = kiln_const_vec(c->to, inst->type, lanes);
    break;
  }
  }
  return c->map[value] = mapped;
}

// Copies the body before the call. Gives what the call's result becomes.
static kiln_value inline_call(struct inliner *in, struct kiln_function *fn, kiln_value call, kiln_value *map) {
  const struct kiln_function *callee = in->module->functions[fn->insts[call].imm];
  struct kiln_copy c = {callee, fn, in->arena, map, callee->inst_count, outside, &call};
  memset(map, 0, callee->inst_count * sizeof *map);
  struct kiln_builder b = kiln_builder_before(fn, call);
  kiln_value result = 0, id = callee->regions[callee->body].first;
  for (; !kiln_op_is_jump(callee->insts[id].op); id = callee->insts[id].next)
    kiln_copy_inst(&c, id, &b);
  if (callee->insts[id].operand_count) // RETURN; else UNREACHABLE
    result = kiln_copy_value(&c, kiln_operands(callee, id)[0]);
  if (!result && kiln_type_kind(fn->insts[call].type) != KILN_VOID)
    result = kiln_undef(fn, fn->insts[call].type); // it never returns
  kiln_remove(fn, call);
  return result;
}

static void inline_into(struct inliner *in, uint32_t function) {
  struct kiln_function *fn = in->module->functions[function];
  uint32_t count = fn->inst_count, largest = 0;
  bool any = false;
  for (kiln_value id = 1; id < count; id++)
    if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region && wants_inline(in, (uint32_t)fn->insts[id].imm)) {
      any = true;
      uint32_t size = in->module->functions[fn->insts[id].imm]->inst_count;
      largest = size > largest ? size : largest;
    }
  if (!any)
    return;
  // What each call's result became, for all uses at the end.
  kiln_value *results = KILN_NEW_ARRAY(in->arena, kiln_value, count),
             *map = KILN_NEW_ARRAY(in->arena, kiln_value, largest);
  for (kiln_value id = 1; id < count && !kiln_module_failed(in->module); id++)
    if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region && wants_inline(in, (uint32_t)fn->insts[id].imm))
      results[id] = inline_call(in, fn, id, map);
  for (uint32_t i = 0; i < fn->operand_count; i++)
    while (fn->operands[i] < count && results[fn->operands[i]])
      fn->operands[i] = results[fn->operands[i]];
  in->changed = true;
}

// ---- functions that nobody calls
// -------------------------------------------------------------------------------------

static void drop_unused_functions(struct inliner *in) {
  struct kiln_module *module = in->module;
  uint32_t count = module->function_count, *index = KILN_NEW_ARRAY(in->arena, uint32_t, count), kept = 0;
  bool *used = KILN_NEW_ARRAY(in->arena, bool, count);
  for (uint32_t i = count; i-- > 0;) { // callers before callees
    uint32_t function = in->order[i];
    const struct kiln_function *fn = module->functions[function];
    used[function] |= fn->is_kernel;
    for (kiln_value id = 1; id < fn->inst_count && used[function]; id++)
      if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region)
        used[fn->insts[id].imm] = true;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!used[i])
      continue;
    index[i] = kept;
    module->functions[kept++] = module->functions[i];
  }
  if (kept == count)
    return;
  in->changed = true;
  module->function_count = kept;
  for (uint32_t i = 0; i < kept; i++) {
    struct kiln_function *fn = module->functions[i];
    for (kiln_value id = 1; id < fn->inst_count; id++)
      if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region)
        fn->insts[id].imm = index[fn->insts[id].imm];
  }
}

static void prepare(struct inliner *in, struct kiln_arena *arena) {
  uint32_t count = in->module->function_count;
  in->arena = arena;
  in->order = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->uses = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->size = KILN_NEW_ARRAY(arena, uint64_t, count);
  in->must_inline = KILN_NEW_ARRAY(arena, bool, count);
  in->state = KILN_NEW_ARRAY(arena, uint8_t, count);
  find_order(in);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct inliner *in = subject;
  prepare(in, arena);
  for (uint32_t i = 0; i < in->order_count && !kiln_module_failed(in->module); i++)
    inline_into(in, in->order[i]);
  if (!kiln_module_failed(in->module))
    drop_unused_functions(in);
  return in->changed;
}

bool kiln_pass_inline(struct kiln_module *module, bool keep_calls) {
  struct inliner in = {.module = module, .keep_calls = keep_calls};
  return module->function_count ? kiln_pass_scratch(module, &in, run) : false;
}

static bool measure(void *subject, struct kiln_arena *arena) {
  struct inliner *in = subject;
  prepare(in, arena);
  uint64_t total = 0;
  for (uint32_t i = 0; i < in->module->function_count && total <= KILN_MAX_INLINED_SIZE; i++)
    total += in->module->functions[i]->is_kernel ? in->size[i] : 0;
  return total > KILN_MAX_INLINED_SIZE;
}

bool kiln_inline_is_too_large(struct kiln_module *module) {
  struct inliner in = {.module = module};
  return module->function_count && kiln_pass_scratch(module, &in, measure);
}
