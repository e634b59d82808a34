// Inlining: replaces calls by the bodies of their functions.
//
// Without keep_calls every call is inlined, and only kernels remain. With keep_calls a function remains if it is not
// small (twice as large is small without branches) and inlining its calls would add more than MAX_GROWTH instructions,
// or, where it adds no more than that to any caller, more than MAX_SHARED_GROWTH to all of them; MAX_VARIABLE_GROWTH if
// it has a private variable or takes a pointer to one, or MAX_SINGLE_GROWTH if no function calls it twice and it has
// few branches. With calls_above instead a function remains if inlining its calls would add more instructions than
// that, and it uses only memory and its arguments, which are scalars and pointers: a function of 600 instructions that
// is called 40 times remains above 20,000, but not if it asks for an id. Kernels are always inlined into their callers,
// as are functions with a barrier, operations on groups, local memory, or PSPACE. Functions that remain get their
// callees' bodies, whose calls are then inlined like their own. Requires a verified module (no recursion) that
// kiln_inline_refuses accepts. Linear in the size of the result.
#include "jit/pass/copy.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"

#define SMALL_FUNCTION 24      // instructions
#define SMALL_STRAIGHT 48      // the same without branches: what it loads and stores often becomes values
#define MAX_GROWTH 400         // instructions that inlining one function may add: a call runs once per lane of a warp
#define MAX_SHARED_GROWTH 4000 // the same where many kernels share a helper, and it adds MAX_GROWTH to each at most
// MAX_GROWTH for a function with a variable, or with a pointer to a variable of its caller, which stays in memory for a
// call. Calls cost such a function less in comparison (SHA-512 inlined 54 times is a fifth faster), and 20,000
// instructions take most of a second to compile.
#define MAX_VARIABLE_GROWTH 20000
// MAX_GROWTH for a function that each kernel calls once, such as the common part of several kernels, and that has few
// branches: many take long to compile for lanes that diverge, and gain little.
#define MAX_SINGLE_GROWTH 40000
#define MIN_BRANCH_DISTANCE 64 // instructions per branch

#define MAX_SIZE ((uint64_t)1 << 32) // larger sizes count as this; its product with any number of calls fits

enum { NEW, OPEN, DONE };

struct inliner {
  struct kiln_module *module;
  struct kiln_arena *arena;
  bool keep_calls;
  uint32_t calls_above;         // struct kiln_caps
  uint32_t *order, order_count; // callees first
  uint32_t *uses;               // calls of each function in the text
  uint32_t *most;               // calls of each in one function
  uint64_t *size;               // instructions after inlining into it
  uint64_t *branches;           // nodes among them
  uint32_t *depth;              // of its regions after inlining into it
  bool *must_inline;
  bool *has_variable; // after inlining into it
  uint8_t *state;
  kiln_value *map; // for the body that is being copied
  uint32_t map_capacity;
  bool changed;
};

// ---- order and size -------------------------------------------------------------------------------------------------

static void count_calls(struct inliner *in) {
  uint32_t count = in->module->function_count;
  uint32_t *last_caller = KILN_NEW_ARRAY(in->arena, uint32_t, count);
  uint32_t *calls = KILN_NEW_ARRAY(in->arena, uint32_t, count);
  for (uint32_t caller = 0; caller < count; caller++) {
    const struct kiln_function *fn = in->module->functions[caller];
    for (kiln_value id = 1; id < fn->inst_count; id++) {
      if (fn->insts[id].op != KILN_OP_CALL || !fn->insts[id].region)
        continue;
      uint64_t callee = fn->insts[id].imm;
      calls[callee] = last_caller[callee] == caller + 1 ? calls[callee] + 1 : 1;
      last_caller[callee] = caller + 1;
      in->uses[callee]++;
      in->most[callee] = calls[callee] > in->most[callee] ? calls[callee] : in->most[callee];
    }
  }
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
        if (in->state[inst->imm] == NEW) {
          in->state[stack[depth++] = (uint32_t)inst->imm] = OPEN;
          entered = true;
          break;
        }
      }
      if (!entered && next[top] >= fn->inst_count) {
        in->state[top] = DONE;
        in->order[in->order_count++] = top;
        depth--;
      }
    }
  }
}

static bool wants_inline(const struct inliner *in, uint32_t callee) {
  const struct kiln_function *fn = in->module->functions[callee];
  if ((!in->keep_calls && !in->calls_above) || in->must_inline[callee])
    return true;
  uint64_t size = in->size[callee], growth = (in->uses[callee] - 1) * size;
  if (!in->keep_calls)
    return fn->always_inline || growth <= in->calls_above;
  if (in->most[callee] == 1 && growth <= MAX_SINGLE_GROWTH && in->branches[callee] * MIN_BRANCH_DISTANCE <= size)
    return in->has_variable[callee] || !fn->no_inline;
  if (in->has_variable[callee])
    return fn->always_inline || growth <= MAX_VARIABLE_GROWTH;
  if (fn->no_inline || fn->always_inline)
    return fn->always_inline;
  if (kiln_takes_pointer(fn, KILN_PRIVATE) && growth <= MAX_VARIABLE_GROWTH)
    return true;
  return size <= (in->branches[callee] ? SMALL_FUNCTION : SMALL_STRAIGHT) || growth <= MAX_GROWTH ||
         (in->most[callee] * size <= MAX_GROWTH && growth <= MAX_SHARED_GROWTH);
}

// Whether the function is called or launched after the pass.
static bool stays(const struct inliner *in, uint32_t function) {
  return in->module->functions[function]->is_kernel || (in->uses[function] && !wants_inline(in, function));
}

// depth: of the region with the call.
static void note_call(struct inliner *in, uint32_t function, uint32_t callee, uint32_t depth) {
  if (!wants_inline(in, callee))
    return;
  if (in->depth[function] < depth + in->depth[callee])
    in->depth[function] = depth + in->depth[callee];
  in->must_inline[function] |= in->must_inline[callee]; // what it has comes in
  in->has_variable[function] |= in->has_variable[callee];
  in->size[function] += in->size[callee];
  in->branches[function] += in->branches[callee];
  if (in->size[function] > MAX_SIZE)
    in->size[function] = MAX_SIZE;
}

// Whether the operation uses the launch, which only kernels know with calls_above.
static bool asks_launch(enum kiln_op op) {
  return kiln_op_family(op) == KILN_FAMILY_ITEM || kiln_op_family(op) == KILN_FAMILY_GROUP || op == KILN_OP_PRINTF;
}

static bool is_plain(kiln_type type) { return kiln_type_lanes(type) <= 1; }

static bool has_plain_interface(const struct kiln_function *fn) {
  bool plain = is_plain(fn->return_type);
  for (uint32_t i = 0; i < fn->param_count; i++)
    plain &= is_plain(fn->params[i].type) && !fn->params[i].byval_bytes;
  return plain;
}

static void note_inst(struct inliner *in, uint32_t function, const struct kiln_inst *inst, uint32_t depth) {
  in->size[function]++;
  in->branches[function] += kiln_op_is_node(inst->op);
  if (inst->op == KILN_OP_BARRIER || inst->op == KILN_OP_PSPACE || kiln_op_uses_sub_groups(kiln_op_of(inst)))
    in->must_inline[function] = true;
  else if (!in->keep_calls && asks_launch(kiln_op_of(inst)))
    in->must_inline[function] = true;
  else if (inst->op == KILN_OP_VAR)
    in->has_variable[function] = true;
  else if (inst->op == KILN_OP_CALL)
    note_call(in, function, (uint32_t)inst->imm, depth);
}

// Requires that the callees have been measured, and that it is final how often each is called. depths: scratch, by
// region.
static void measure_function(struct inliner *in, uint32_t function, uint32_t *depths) {
  const struct kiln_function *fn = in->module->functions[function];
  in->must_inline[function] =
      fn->is_kernel || kiln_uses_local_memory(fn) || (!in->keep_calls && !has_plain_interface(fn));
  depths[fn->body] = 0;
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id)) {
    const struct kiln_inst *inst = &fn->insts[id];
    uint32_t depth = depths[inst->region];
    note_inst(in, function, inst, depth);
    if (!kiln_op_is_node(inst->op))
      continue;
    const struct kiln_node *node = &fn->nodes[inst->node];
    for (uint32_t r = 0; r < node->region_count; r++)
      depths[node->region_first + r] = depth + 1;
    if (in->depth[function] < depth + 1)
      in->depth[function] = depth + 1;
  }
}

// ---- copying --------------------------------------------------------------------------------------------------------

static kiln_value outside(struct kiln_copy *c, kiln_value value) {
  const struct kiln_inst *inst = &c->from->insts[value];
  const kiln_value *call = c->user;
  kiln_value mapped = 0;
  switch (inst->op) {
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

// Room for the values of a function.
static kiln_value *map_of(struct inliner *in, uint32_t count) {
  if (in->map_capacity < count) {
    in->map_capacity = 2 * count;
    in->map = kiln_arena_alloc(in->arena, (size_t)in->map_capacity * sizeof *in->map, _Alignof(kiln_value));
  }
  return memset(in->map, 0, count * sizeof *in->map);
}

// Copies the body before the call. Returns the value that takes the place of the call's result.
static kiln_value inline_call(struct inliner *in, struct kiln_function *fn, kiln_value call) {
  const struct kiln_function *callee = in->module->functions[fn->insts[call].imm];
  struct kiln_copy c = {callee, fn, in->arena, map_of(in, callee->inst_count), callee->inst_count, outside, &call};
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

// The value that a call's result has become. It may be the result of another call that has been replaced, and so on.
static kiln_value final_result(kiln_value *results, kiln_value value) {
  kiln_value last = value;
  while (results[last])
    last = results[last];
  for (kiln_value next; value != last; value = next) { // long ways are walked once
    next = results[value];
    results[value] = last;
  }
  return last;
}

// Inlines the calls of a function. Copied instructions get the largest numbers, so that calls in a copied body are
// reached as well.
static void inline_into(struct inliner *in, uint32_t function) {
  struct kiln_function *fn = in->module->functions[function];
  struct gone {
    kiln_value call, result;
  };
  KILN_VEC(struct gone) gone = {0};
  for (kiln_value id = 1; id < fn->inst_count && !kiln_module_failed(in->module); id++)
    if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region && wants_inline(in, (uint32_t)fn->insts[id].imm))
      KILN_VEC_PUSH(in->arena, &gone, (struct gone){id, inline_call(in, fn, id)});
  if (!gone.count)
    return;
  in->changed = true;
  kiln_value *results = KILN_NEW_ARRAY(in->arena, kiln_value, fn->inst_count);
  for (uint32_t i = 0; i < gone.count; i++)
    results[gone.items[i].call] = gone.items[i].result;
  for (uint32_t i = 0; i < fn->operand_count; i++)
    fn->operands[i] = final_result(results, fn->operands[i]);
}

// ---- functions without callers ------------------------------------------------------------------------------------

static void drop_unused_functions(struct inliner *in) {
  bool *used = KILN_NEW_ARRAY(in->arena, bool, in->module->function_count);
  for (uint32_t i = in->module->function_count; i-- > 0;) { // callers before callees
    uint32_t function = in->order[i];
    const struct kiln_function *fn = in->module->functions[function];
    used[function] |= fn->is_kernel;
    for (kiln_value id = 1; id < fn->inst_count && used[function]; id++)
      if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region)
        used[fn->insts[id].imm] = true;
  }
  in->changed |= kiln_keep_functions(in->module, used, in->arena);
}

static void prepare(struct inliner *in, struct kiln_arena *arena) {
  uint32_t count = in->module->function_count;
  in->arena = arena;
  in->order = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->uses = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->most = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->size = KILN_NEW_ARRAY(arena, uint64_t, count);
  in->branches = KILN_NEW_ARRAY(arena, uint64_t, count);
  in->depth = KILN_NEW_ARRAY(arena, uint32_t, count);
  in->must_inline = KILN_NEW_ARRAY(arena, bool, count);
  in->has_variable = KILN_NEW_ARRAY(arena, bool, count);
  in->state = KILN_NEW_ARRAY(arena, uint8_t, count);
  count_calls(in);
  find_order(in);
  uint32_t regions = 0;
  for (uint32_t i = 0; i < count; i++)
    if (regions < in->module->functions[i]->region_count)
      regions = in->module->functions[i]->region_count;
  uint32_t *depths = KILN_NEW_ARRAY(arena, uint32_t, regions);
  for (uint32_t i = 0; i < in->order_count; i++)
    measure_function(in, in->order[i], depths);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct inliner *in = subject;
  prepare(in, arena);
  for (uint32_t i = 0; i < in->order_count && !kiln_module_failed(in->module); i++)
    if (stays(in, in->order[i]))
      inline_into(in, in->order[i]);
  if (!kiln_module_failed(in->module))
    drop_unused_functions(in);
  return in->changed;
}

bool kiln_pass_inline(struct kiln_module *module, const struct kiln_caps *caps) {
  struct inliner in = {.module = module, .keep_calls = caps->keep_calls, .calls_above = caps->calls_above};
  return module->function_count ? kiln_pass_scratch(module, &in, run) : false;
}

// ---- limits

struct limits {
  struct inliner in; // first
  char *message;
  size_t size;
};

static bool exceed(void *subject, struct kiln_arena *arena) {
  struct limits *limits = subject;
  struct inliner *in = &limits->in;
  prepare(in, arena);
  uint64_t total = 0;
  for (uint32_t i = 0; i < in->module->function_count; i++) {
    const char *name = in->module->functions[i]->name;
    if (!stays(in, i))
      continue;
    total += in->size[i];
    if (total > KILN_MAX_INLINED_SIZE)
      snprintf(limits->message, limits->size,
               "the program is too large: with '%s' it has more than %u instructions once calls are inlined", name,
               KILN_MAX_INLINED_SIZE);
    else if (in->depth[i] > KILN_MAX_INLINED_DEPTH)
      snprintf(limits->message, limits->size,
               "the program is too large: '%s' is nested more than %u deep once calls are inlined", name,
               KILN_MAX_INLINED_DEPTH);
    else
      continue;
    return true;
  }
  return false;
}

bool kiln_inline_refuses(struct kiln_module *module, const struct kiln_caps *caps, char *message, size_t size) {
  struct limits limits = {
      {.module = module, .keep_calls = caps->keep_calls, .calls_above = caps->calls_above}, message, size};
  return module->function_count && kiln_pass_scratch(module, &limits, exceed) && !kiln_module_failed(module);
}
