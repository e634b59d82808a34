// Align: a variable is aligned at least as everything that is accessed through its address, as far as its size allows.
// So arrays of bytes may be accessed as vectors after a cast, which programs count on although C does not promise it.
//
// What an access wants goes back through additions, casts, choices and phis to the variables. A pointer that comes from
// memory, an integer or a caller may be any pointer of its address space that went there. Requires a verified module;
// keeps it valid. Linear, but for walks that loops repeat.
#include "jit/pass/common.h"

#define MOST 128 // bytes: the most that a type of the language wants

struct alignment {
  struct kiln_module *module;
  const struct kiln_function *fn;
  uint8_t *wanted;                   // by value of fn: by what is accessed through this pointer
  uint8_t unknown[KILN_GENERIC + 1]; // by address space: by what is accessed through pointers from elsewhere
  bool changed;
};

static void raise(struct alignment *a, uint8_t *wanted, uint32_t align) {
  align = align < MOST ? align : MOST;
  a->changed |= align > *wanted;
  *wanted = align > *wanted ? (uint8_t)align : *wanted;
}

static bool is_pointer(const struct alignment *a, kiln_value v) {
  return kiln_type_kind(kiln_value_type(a->fn, v)) == KILN_PTR;
}

static uint8_t *elsewhere(struct alignment *a, kiln_value v) {
  return &a->unknown[kiln_type_space(kiln_value_type(a->fn, v))];
}

// What an instruction wants of its operand i, a pointer.
static uint32_t wants(struct alignment *a, kiln_value v, uint32_t i) {
  const struct kiln_inst *inst = &a->fn->insts[v];
  const kiln_value *x = kiln_operands(a->fn, v);
  const struct kiln_value_list *phis = kiln_phis_of(a->fn, v);
  if (phis)
    return i < phis->count ? a->wanted[phis->items[i]] : 0;
  switch (inst->op) {
  case KILN_OP_PADD:
  case KILN_OP_PCAST:
  case KILN_OP_SELECT:
    return a->wanted[v];
  case KILN_OP_COPY:
    return inst->imm2;
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
    if (i == 0)
      return inst->imm2;
    break;
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
    if (i == 0)
      return kiln_type_bytes(kiln_access_type(a->fn, v));
    break;
  case KILN_OP_PSPACE:
    return 0;
  }
  return kiln_op_table[inst->op].result == KILN_RESULT_BOOL ? 0 : *elsewhere(a, x[i]);
}

static bool is_from_elsewhere(const struct alignment *a, kiln_value v) {
  switch (a->fn->insts[v].op) {
  case KILN_OP_VAR:
  case KILN_OP_PADD:
  case KILN_OP_PCAST:
  case KILN_OP_SELECT:
  case KILN_OP_PHI:
    return false;
  }
  return is_pointer(a, v);
}

static void visit(struct alignment *a, kiln_value v) {
  const struct kiln_inst *inst = &a->fn->insts[v];
  if (!inst->region && inst->op != KILN_OP_PARAM)
    return;
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    kiln_value x = kiln_operands(a->fn, v)[i];
    if (is_pointer(a, x))
      raise(a, &a->wanted[x], wants(a, v, i));
  }
  if (is_from_elsewhere(a, v))
    raise(a, elsewhere(a, v), a->wanted[v]);
}

static bool set(uint32_t *align, uint64_t size, uint32_t wanted) {
  while (wanted > size)
    wanted /= 2;
  bool changed = wanted > *align;
  *align = changed ? wanted : *align;
  return changed;
}

static bool set_all(struct alignment *a, uint8_t *const *wanted) {
  struct kiln_module *module = a->module;
  bool changed = false;
  for (uint32_t f = 0; f < module->function_count; f++)
    for (kiln_value v = 1; v < module->functions[f]->inst_count; v++) {
      struct kiln_inst *inst = &module->functions[f]->insts[v];
      struct kiln_global *global = inst->op == KILN_OP_GLOBAL ? &module->globals[inst->imm] : NULL;
      if (inst->op == KILN_OP_VAR && inst->region)
        changed |= set(&inst->imm2, inst->imm, wanted[f][v]);
      else if (global && !kiln_global_is_declared(global))
        changed |= set(&global->align, global->size, wanted[f][v]);
    }
  for (uint32_t g = 0; g < module->global_count; g++)
    for (uint32_t r = 0; r < module->globals[g].reloc_count; r++) {
      struct kiln_global *target = &module->globals[module->globals[g].relocs[r].global];
      if (!kiln_global_is_declared(target))
        changed |= set(&target->align, target->size, a->unknown[target->space]);
    }
  return changed;
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct alignment a = {.module = subject};
  uint8_t **wanted = KILN_NEW_ARRAY(arena, uint8_t *, a.module->function_count + 1);
  for (uint32_t f = 0; f < a.module->function_count; f++)
    wanted[f] = KILN_NEW_ARRAY(arena, uint8_t, a.module->functions[f]->inst_count);
  do {
    a.changed = false;
    for (uint32_t f = 0; f < a.module->function_count; f++) {
      a.fn = a.module->functions[f];
      a.wanted = wanted[f];
      for (kiln_value v = a.fn->inst_count - 1; v > 0; v--) // uses come after definitions, except in loops
        visit(&a, v);
    }
  } while (a.changed);
  return set_all(&a, wanted);
}

bool kiln_pass_align(struct kiln_module *module) { return kiln_pass_scratch(module, module, run); }
