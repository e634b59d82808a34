// Checks every invariant of docs/ir.md. Walks each function once, in program order. A value is visible when it was
// reached and its region is one of those around.
#include "jit/ir/verify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

// Values of kiln_verifier.where that are no regions. They are numbered after the regions of the function, also in
// kiln_verifier.open, where only ALWAYS is open. ALWAYS: free values, visible everywhere. SEEN: visited, but not (yet)
// a value that may be used. AROUND: a node around the instruction that is being checked.
enum { ALWAYS, SEEN, AROUND, MORE_REGIONS };

static uint32_t special(const struct kiln_verifier *v, int kind) { return v->fn->region_count + (uint32_t)kind; }

bool kiln_verify_fail(struct kiln_verifier *v, kiln_value inst, const char *format, ...) {
  v->fault->function = v->fn;
  v->fault->inst = inst;
  v->fault->function_index = v->function_index;
  va_list args;
  va_start(args, format);
  if (v->size)
    kiln_vsnprintf(v->message, v->size, format, args);
  va_end(args);
  return false;
}

static bool no_memory(struct kiln_verifier *v) {
  v->fault->no_memory = true;
  return kiln_verify_fail(v, 0, "out of memory");
}

bool kiln_type_is_valid(kiln_type type) {
  unsigned lanes = kiln_type_lanes(type);
  if (kiln_type_kind(type) == KILN_IMAGE)
    return lanes == 1 && kiln_type_dimension(type) <= KILN_IMAGE_2D_ARRAY_DEPTH &&
           kiln_type_access(type) >= KILN_ACCESS_READ && kiln_type_access(type) <= KILN_ACCESS_READ_WRITE;
  if ((type & 0xff) > KILN_IMAGE || type >> 24)
    return false;
  if (kiln_type_kind(type) == KILN_PTR)
    return lanes == 1 && kiln_type_space(type) <= KILN_GENERIC;
  if (type >> 16)
    return false;
  if (kiln_type_kind(type) == KILN_VOID)
    return lanes == 1;
  return lanes == 1 || lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
}

static bool is_void(kiln_type type) { return kiln_type_kind(type) == KILN_VOID; }
static bool is_image(kiln_type type) { return kiln_type_kind(type) == KILN_IMAGE; }

// ---- free values ----------------------------------------------------------------------------------------------------

static bool check_const_vec(struct kiln_verifier *v, kiln_value id, const struct kiln_inst *inst) {
  if (kiln_type_lanes(inst->type) < 2 || inst->operand_count != kiln_type_lanes(inst->type))
    return kiln_verify_fail(v, id, "a vector constant needs one operand per lane");
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value lane = kiln_operands(v->fn, id)[i];
    if (lane == 0 || lane >= v->fn->inst_count ||
        (v->fn->insts[lane].op != KILN_OP_CONST && v->fn->insts[lane].op != KILN_OP_UNDEF) ||
        v->fn->insts[lane].type != kiln_type_element(inst->type))
      return kiln_verify_fail(v, id, "lane %u of a vector constant is no constant of the element type", i);
  }
  return true;
}

static bool check_free(struct kiln_verifier *v, kiln_value id, const struct kiln_inst *inst) {
  if (inst->region)
    return kiln_verify_fail(v, id, "%s belongs to no region", kiln_op_table[inst->op].name);
  if (!kiln_type_is_valid(inst->type) || is_void(inst->type) || (is_image(inst->type) && inst->op != KILN_OP_PARAM))
    return kiln_verify_fail(v, id, "%s has no valid type", kiln_op_table[inst->op].name);
  if (inst->op == KILN_OP_CONST) {
    unsigned bits = kiln_kind_bits(kiln_type_kind(inst->type));
    if (kiln_type_lanes(inst->type) != 1 || (inst->imm & ~kiln_bits_mask(bits)) != 0)
      return kiln_verify_fail(v, id, "a constant is a scalar whose bits fit its type");
    if (kiln_type_kind(inst->type) == KILN_PTR && inst->imm)
      return kiln_verify_fail(v, id, "a constant pointer is null");
  } else if (inst->op == KILN_OP_CONST_VEC) {
    return check_const_vec(v, id, inst);
  } else if (inst->op == KILN_OP_PARAM) {
    if (inst->imm >= v->fn->param_count || v->fn->params[inst->imm].value != id ||
        v->fn->params[inst->imm].type != inst->type)
      return kiln_verify_fail(v, id, "param does not agree with the list of parameters");
  } else if (inst->op == KILN_OP_GLOBAL) {
    if (inst->imm >= v->module->global_count || inst->type != kiln_ptr_type(v->module->globals[inst->imm].space))
      return kiln_verify_fail(v, id, "global does not agree with the list of module variables");
  }
  return true;
}

static bool check_free_values(struct kiln_verifier *v) {
  const struct kiln_function *fn = v->fn;
  for (const struct kiln_inst *inst = fn->insts + 1, *end = fn->insts + fn->inst_count; inst < end; inst++)
    if (kiln_op_is_free(inst->op)) { // as few are
      kiln_value id = (kiln_value)(inst - fn->insts);
      if (!check_free(v, id, inst))
        return false;
      v->where[id] = special(v, ALWAYS);
    }
  return true;
}

// ---- jumps and nodes ------------------------------------------------------------------------------------------------

// The operands of a jump against the phis that it gives values to.
static bool check_jump_values(struct kiln_verifier *v, kiln_value id, const struct kiln_value_list *phis,
                              const char *what) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  if (inst->operand_count != phis->count)
    return kiln_verify_fail(v, id, "%s gives %u values, but its target has %u %s", name, inst->operand_count,
                            phis->count, what);
  for (uint32_t i = 0; i < phis->count; i++)
    if (v->fn->insts[kiln_operands(v->fn, id)[i]].type != v->fn->insts[phis->items[i]].type)
      return kiln_verify_fail(v, id, "%s: value %u has another type than the target", name, i);
  return true;
}

static bool check_jump(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_function *fn = v->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  const char *name = kiln_op_table[inst->op].name;
  kiln_value owner = fn->regions[inst->region].owner;
  switch (inst->op) {
  case KILN_OP_YIELD:
    if (!owner || fn->insts[owner].op == KILN_OP_LOOP)
      return kiln_verify_fail(v, id, "yield ends a region of a block, if or switch");
    return check_jump_values(v, id, &kiln_node(fn, owner)->results, "results");
  case KILN_OP_BREAK:
  case KILN_OP_CONTINUE: {
    if (inst->imm >= fn->inst_count || v->where[inst->imm] != special(v, AROUND))
      return kiln_verify_fail(v, id, "%s: its target does not enclose it", name);
    unsigned target = fn->insts[inst->imm].op;
    const struct kiln_node *node = kiln_node(fn, (kiln_value)inst->imm);
    if (inst->op == KILN_OP_CONTINUE) {
      if (target != KILN_OP_LOOP)
        return kiln_verify_fail(v, id, "continue: its target is no loop");
      return check_jump_values(v, id, &node->header, "header phis");
    }
    if (target == KILN_OP_IF)
      return kiln_verify_fail(v, id, "break: its target is an if");
    return check_jump_values(v, id, &node->results, "results");
  }
  case KILN_OP_RETURN:
    if (inst->region != fn->body)
      return kiln_verify_fail(v, id, "return stands only at the end of the body of a function");
    if (inst->operand_count != !is_void(fn->return_type))
      return kiln_verify_fail(v, id, "return gives %u values", inst->operand_count);
    if (inst->operand_count && fn->insts[kiln_operands(fn, id)[0]].type != fn->return_type)
      return kiln_verify_fail(v, id, "return: the value has another type than the function");
    return true;
  }
  return true;
}

static bool check_phis(struct kiln_verifier *v, kiln_value id, const struct kiln_value_list *phis) {
  for (uint32_t i = 0; i < phis->count; i++) {
    kiln_value phi = phis->items[i];
    if (phi == 0 || phi >= v->fn->inst_count || v->fn->insts[phi].op != KILN_OP_PHI || v->fn->insts[phi].imm != id ||
        v->fn->insts[phi].region || v->fn->insts[phi].operand_count || v->where[phi])
      return kiln_verify_fail(v, id, "phi %u of the node is none of its own", i);
    kiln_type type = v->fn->insts[phi].type;
    if (!kiln_type_is_valid(type) || is_void(type) || is_image(type))
      return kiln_verify_fail(v, id, "phi %u of the node has no valid type", i);
    v->where[phi] = special(v, SEEN);
  }
  return true;
}

static int compare_cases(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static bool check_cases(struct kiln_verifier *v, kiln_value id, const struct kiln_node *node) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(v->fn->insts[kiln_operands(v->fn, id)[0]].type));
  uint32_t count = node->region_count - 1;
  for (uint32_t i = 0; i < count; i++)
    if (kiln_sign_extend((uint64_t)node->cases[i], bits) != node->cases[i])
      return kiln_verify_fail(v, id, "switch: case %lld does not fit the selector", (long long)node->cases[i]);
  if (count < 2)
    return true;
  int64_t *sorted = malloc(count * sizeof *sorted);
  if (!sorted)
    return no_memory(v);
  memcpy(sorted, node->cases, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_cases);
  bool ok = true;
  for (uint32_t i = 1; i < count && ok; i++)
    if (sorted[i] == sorted[i - 1])
      ok = kiln_verify_fail(v, id, "switch: case %lld occurs twice", (long long)sorted[i]);
  free(sorted);
  return ok;
}

static bool check_node(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_function *fn = v->fn;
  const struct kiln_inst *inst = &fn->insts[id];
  if (inst->node == 0 || inst->node >= fn->node_count || fn->nodes[inst->node].inst != id)
    return kiln_verify_fail(v, id, "the node has no entry of its own");
  const struct kiln_node *node = &fn->nodes[inst->node];
  uint32_t regions = inst->op == KILN_OP_IF ? 2 : 1;
  if (inst->op == KILN_OP_SWITCH ? node->region_count < 1 : node->region_count != regions)
    return kiln_verify_fail(v, id, "the node has %u regions", node->region_count);
  for (uint32_t r = node->region_first; r < node->region_first + node->region_count; r++)
    if (r == 0 || r >= fn->region_count || fn->regions[r].owner != id)
      return kiln_verify_fail(v, id, "region %u of the node is not its own", r - node->region_first);
  if (!check_phis(v, id, &node->header) || !check_phis(v, id, &node->results))
    return false;
  if (inst->op == KILN_OP_IF && kiln_type_lanes(fn->insts[kiln_operands(fn, id)[0]].type) != 1)
    return kiln_verify_fail(v, id, "if: the condition is no scalar");
  if (inst->op == KILN_OP_SWITCH)
    return check_cases(v, id, node);
  if (inst->op != KILN_OP_LOOP)
    return node->header.count == 0 || kiln_verify_fail(v, id, "only a loop has header phis");
  return check_jump_values(v, id, &node->header, "header phis");
}

// ---- operands -------------------------------------------------------------------------------------------------------

static bool check_operands_visible(struct kiln_verifier *v, kiln_value id) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  if ((uint64_t)inst->operand_first + inst->operand_count > v->fn->operand_count)
    return kiln_verify_fail(v, id, "the operand list is out of range");
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value operand = kiln_operands(v->fn, id)[i];
    if (operand == 0 || operand >= v->fn->inst_count)
      return kiln_verify_fail(v, id, "%s: operand %u is no value", kiln_op_table[inst->op].name, i);
    const struct kiln_inst *def = &v->fn->insts[operand];
    if (is_void(def->type))
      return kiln_verify_fail(v, id, "%s: operand %u has no value (%s)", kiln_op_table[inst->op].name, i,
                              kiln_op_table[def->op].name);
    if (!v->open[v->where[operand]])
      return kiln_verify_fail(v, id, "%s: operand %u (value %u, %s) is not defined before it in an enclosing region",
                              kiln_op_table[inst->op].name, i, operand, kiln_op_table[def->op].name);
  }
  return true;
}

static void set_visible(struct kiln_verifier *v, const struct kiln_value_list *phis, uint32_t region) {
  for (uint32_t i = 0; i < phis->count; i++)
    v->where[phis->items[i]] = region;
}

// ---- the walk -------------------------------------------------------------------------------------------------------

static bool check_region(struct kiln_verifier *v, uint32_t region, unsigned depth);

static bool check_inst(struct kiln_verifier *v, kiln_value id, unsigned depth) {
  const struct kiln_inst *inst = &v->fn->insts[id];
  if (inst->op >= KILN_OP_COUNT || kiln_op_is_free(inst->op) || inst->op == KILN_OP_PHI)
    return kiln_verify_fail(v, id, "%s cannot stand in a region",
                            inst->op < KILN_OP_COUNT ? kiln_op_table[inst->op].name : "an unknown operation");
  if (inst->loc >= v->module->loc_count)
    return kiln_verify_fail(v, id, "the source location is out of range");
  if (!check_operands_visible(v, id) || !kiln_verify_op(v, id))
    return false;
  if (kiln_op_is_jump(inst->op))
    return check_jump(v, id);
  if (!kiln_op_is_node(inst->op)) {
    v->where[id] = inst->region;
    return true;
  }
  if (!check_node(v, id))
    return false;
  const struct kiln_node *node = kiln_node(v->fn, id);
  v->where[id] = special(v, AROUND);
  set_visible(v, &node->header, node->region_first); // that of the loop
  for (uint32_t r = 0; r < node->region_count; r++)
    if (!check_region(v, node->region_first + r, depth + 1))
      return false;
  v->where[id] = special(v, SEEN);
  set_visible(v, &node->results, inst->region);
  return true;
}

static bool check_region(struct kiln_verifier *v, uint32_t region_id, unsigned depth) {
  const struct kiln_region *region = &v->fn->regions[region_id];
  if (depth > KILN_IR_MAX_DEPTH)
    return kiln_verify_fail(v, region->owner, "regions are nested more than %u deep", KILN_IR_MAX_DEPTH);
  if (!region->last)
    return kiln_verify_fail(v, region->owner, "a region is empty");
  kiln_value prev = 0;
  v->open[region_id] = true;
  for (kiln_value id = region->first; id; id = v->fn->insts[id].next) {
    const struct kiln_inst *inst = &v->fn->insts[id];
    if (id >= v->fn->inst_count || inst->region != region_id || inst->prev != prev || v->where[id])
      return kiln_verify_fail(v, prev ? prev : region->owner, "the list of instructions is damaged");
    v->where[id] = special(v, SEEN);
    if (kiln_op_is_jump(inst->op) && inst->next)
      return kiln_verify_fail(v, inst->next, "%s stands after the end of its region (%s)",
                              kiln_op_table[v->fn->insts[inst->next].op].name, kiln_op_table[inst->op].name);
    if (!check_inst(v, id, depth))
      return false;
    prev = id;
  }
  if (prev != region->last)
    return kiln_verify_fail(v, prev, "the list of instructions is damaged");
  if (!kiln_op_is_jump(v->fn->insts[prev].op))
    return kiln_verify_fail(v, prev, "a region does not end with a jump");
  v->open[region_id] = false;
  return true;
}

// ---- functions and modules ------------------------------------------------------------------------------------------

static bool is_power_of_two(uint64_t n) { return n && (n & (n - 1)) == 0; }

_Static_assert(sizeof(struct kiln_param) == 40, "backends index arrays of it: it may grow into its padding alone");

static bool check_params(struct kiln_verifier *v) {
  const struct kiln_function *fn = v->fn;
  v->has_images = false;
  for (uint32_t i = 0; i < fn->param_count; i++) {
    const struct kiln_param *param = &fn->params[i];
    bool pointer = kiln_type_kind(param->type) == KILN_PTR;
    enum kiln_space space = kiln_type_space(param->type);
    if (!kiln_type_is_valid(param->type) || is_void(param->type))
      return kiln_verify_fail(v, 0, "parameter %u has no valid type", i);
    v->has_images |= is_image(param->type);
    if (param->image > KILN_PARAM_IMAGE + KILN_IMAGE_2D_ARRAY_DEPTH || (param->image && !fn->is_kernel))
      return kiln_verify_fail(v, 0, "parameter %u is of no image", i);
    if (param->value == 0 || param->value >= fn->inst_count || fn->insts[param->value].op != KILN_OP_PARAM)
      return kiln_verify_fail(v, 0, "parameter %u has no value", i);
    if (param->align && !is_power_of_two(param->align))
      return kiln_verify_fail(v, 0, "parameter %u: the alignment is no power of two", i);
    if (param->access > KILN_ACCESS_READ_WRITE)
      return kiln_verify_fail(v, 0, "parameter %u: unknown access", i);
    if (param->byval_bytes && (!pointer || space != (fn->is_kernel ? KILN_CONSTANT : KILN_PRIVATE)))
      return kiln_verify_fail(v, 0, "parameter %u: a struct is passed as a pointer to %s memory", i,
                              fn->is_kernel ? "constant" : "private");
    if (fn->is_kernel && kiln_type_kind(param->type) == KILN_BOOL)
      return kiln_verify_fail(v, 0, "parameter %u of a kernel is a bool", i);
    if (fn->is_kernel && pointer && (space == KILN_PRIVATE || space == KILN_GENERIC))
      return kiln_verify_fail(v, 0, "parameter %u of a kernel points to private or generic memory", i);
  }
  return true;
}

static bool check_function(struct kiln_verifier *v) {
  const struct kiln_function *fn = v->fn;
  if (!fn->name || !*fn->name)
    return kiln_verify_fail(v, 0, "the function has no name");
  if (!kiln_type_is_valid(fn->return_type) || is_image(fn->return_type) || (fn->is_kernel && !is_void(fn->return_type)))
    return kiln_verify_fail(v, 0, fn->is_kernel ? "a kernel returns a value" : "the return type is not valid");
  if (!check_params(v))
    return false;
  if (fn->is_declared)
    return true;
  v->where =
      calloc((size_t)fn->inst_count + (fn->region_count + MORE_REGIONS) / sizeof *v->where + 1, sizeof *v->where);
  if (!v->where)
    return no_memory(v);
  v->open = (bool *)(v->where + fn->inst_count);
  v->open[special(v, ALWAYS)] = true;
  v->where[0] = special(v, SEEN); // which is no value
  bool ok = fn->body && fn->body < fn->region_count && fn->regions[fn->body].owner == 0;
  if (!ok)
    kiln_verify_fail(v, 0, "the function has no body");
  ok = ok && check_free_values(v) && check_region(v, fn->body, 1);
  free(v->where);
  v->where = NULL;
  return ok;
}

static bool check_global(struct kiln_verifier *v, uint32_t index) {
  const struct kiln_global *global = &v->module->globals[index];
  if (global->space != KILN_CONSTANT && global->space != KILN_GLOBAL && global->space != KILN_LOCAL)
    return kiln_verify_fail(v, 0, "module variable %u is in no address space that it may be in", index);
  if (!is_power_of_two(global->align))
    return kiln_verify_fail(v, 0, "module variable %u: the alignment is no power of two", index);
  if (global->space == KILN_LOCAL && (global->init || global->reloc_count))
    return kiln_verify_fail(v, 0, "module variable %u: local memory has no first value", index);
  for (uint32_t i = 0; i < global->reloc_count; i++) {
    const struct kiln_reloc *reloc = &global->relocs[i];
    if (global->size < 8 || reloc->offset > global->size - 8)
      return kiln_verify_fail(v, 0, "module variable %u: address %u is not inside", index, i);
    if (reloc->global >= v->module->global_count || v->module->globals[reloc->global].space == KILN_LOCAL)
      return kiln_verify_fail(v, 0, "module variable %u: address %u is of no module variable with a fixed address",
                              index, i);
  }
  return true;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool check_unique_names(struct kiln_verifier *v) {
  uint32_t count = v->module->function_count;
  if (count < 2)
    return true;
  const char **names = malloc(count * sizeof *names);
  if (!names)
    return no_memory(v);
  for (uint32_t i = 0; i < count; i++)
    names[i] = v->module->functions[i]->name;
  qsort(names, count, sizeof *names, compare_names);
  bool ok = true;
  for (uint32_t i = 1; i < count && ok; i++)
    if (strcmp(names[i], names[i - 1]) == 0)
      ok = kiln_verify_fail(v, 0, "two functions have the name %s", names[i]);
  free(names);
  return ok;
}

// The calls that check_op collected, as a graph without cycles. Depth first with a stack of its own.
static bool check_recursion(struct kiln_verifier *v) {
  uint32_t count = v->module->function_count, depth = 0;
  uint32_t *next = calloc(count, sizeof *next), *stack = malloc(count * sizeof *stack);
  uint8_t *color = calloc(count, 1);
  bool ok = next && stack && color;
  if (!ok)
    no_memory(v);
  for (uint32_t root = 0; root < count && ok; root++) {
    if (color[root])
      continue;
    color[stack[depth++] = root] = 1;
    while (depth && ok) {
      uint32_t top = stack[depth - 1];
      uint32_t edge = v->calls_first[top] + next[top]++;
      if (edge == v->calls_first[top + 1]) {
        color[top] = 2;
        depth--;
      } else if (color[v->calls[edge].callee] == 1) {
        v->fn = v->module->functions[top];
        v->function_index = top;
        ok = kiln_verify_fail(v, v->calls[edge].inst, "recursion: %s is called while it runs",
                              v->module->functions[v->calls[edge].callee]->name);
      } else if (color[v->calls[edge].callee] == 0) {
        color[stack[depth++] = v->calls[edge].callee] = 1;
      }
    }
  }
  free(next);
  free(stack);
  free(color);
  return ok;
}

bool kiln_verify_add_call(struct kiln_verifier *v, kiln_value inst, uint32_t callee) {
  if (v->call_count == v->call_capacity) {
    uint32_t capacity = v->call_capacity ? v->call_capacity * 2 : 64;
    void *calls = realloc(v->calls, capacity * sizeof *v->calls);
    if (!calls)
      return no_memory(v);
    v->calls = calls;
    v->call_capacity = capacity;
  }
  v->calls[v->call_count].inst = inst;
  v->calls[v->call_count++].callee = callee;
  return true;
}

static bool verify_module(struct kiln_verifier *v) {
  const struct kiln_module *module = v->module;
  if (kiln_module_failed(module))
    return no_memory(v);
  for (uint32_t i = 0; i < module->global_count; i++)
    if (!check_global(v, i))
      return false;
  for (uint32_t i = 1; i < module->loc_count; i++)
    if (module->locs[i].file >= module->file_count)
      return kiln_verify_fail(v, 0, "source location %u is in no file", i);
  if (!check_unique_names(v))
    return false;
  v->calls_first = calloc(module->function_count + 1, sizeof *v->calls_first);
  if (!v->calls_first)
    return no_memory(v);
  for (uint32_t i = 0; i < module->function_count; i++) {
    v->fn = module->functions[i];
    v->function_index = i;
    if (!check_function(v))
      return false;
    v->calls_first[i + 1] = v->call_count;
  }
  v->fn = NULL;
  return module->function_count == 0 || check_recursion(v);
}

bool kiln_verify(const struct kiln_module *module, struct kiln_fault *fault, char *message, size_t size) {
  struct kiln_verifier v = {.module = module, .fault = fault, .message = message, .size = size};
  *fault = (struct kiln_fault){0};
  if (size)
    *message = 0;
  bool ok = verify_module(&v);
  free(v.calls);
  free(v.calls_first);
  free(v.where);
  return ok;
}

enum kiln_status kiln_module_check(const struct kiln_module *module, enum kiln_status wrong, char *message,
                                   size_t size) {
  struct kiln_fault fault;
  char text[512];
  if (kiln_verify(module, &fault, text, sizeof text))
    return KILN_OK;
  if (!fault.function) {
    snprintf(message, size, "%s", text);
  } else if (!fault.inst) {
    snprintf(message, size, "function %s: %s", fault.function->name, text);
  } else {
    const struct kiln_inst *inst = &fault.function->insts[fault.inst];
    const char *name = kiln_value_name(fault.function, fault.inst);
    const struct kiln_loc *loc = &module->locs[inst->loc < module->loc_count ? inst->loc : 0];
    char place[300] = "";
    if (loc != module->locs)
      snprintf(place, sizeof place, ", %.200s:%u:%u", module->files[loc->file], loc->line, loc->column);
    snprintf(message, size, "function %s, instruction %u%s%s (%s%s): %s", fault.function->name, fault.inst,
             *name ? " " : "", name, inst->op < KILN_OP_COUNT ? kiln_op_table[inst->op].name : "?", place, text);
  }
  return fault.no_memory ? KILN_ERR_MEMORY : wrong;
}

bool kiln_module_verify(const struct kiln_module *module, char *message, size_t size) {
  return kiln_module_check(module, KILN_ERR_COMPILE, message, size) == KILN_OK;
}
