// Access analysis: which pointer parameters a function reads and writes through.
//
// Pointers that may hold one another's value (address arithmetic, casts, phis, selects) form one class, as in
// Steensgaard's analysis: near-linear, never too optimistic. A class whose pointer escapes (is stored, or made an
// integer) counts as read and written. Calls use the result for the callee, which is analysed first. What a kernel may
// do with an image is what its type says.
#include "jit/access.h"

#include <stdlib.h>

enum { READ = 1, WRITE = 2, BOTH = 3 };

struct analysis {
  const struct kiln_function *fn;
  kiln_value *parent; // union-find
  uint8_t *access;    // of a class, at its root
};

static kiln_value find(struct analysis *a, kiln_value v) {
  while (a->parent[v] != v) {
    a->parent[v] = a->parent[a->parent[v]];
    v = a->parent[v];
  }
  return v;
}

static void join(struct analysis *a, kiln_value x, kiln_value y) {
  x = find(a, x);
  y = find(a, y);
  if (x == y)
    return;
  // The lower id becomes the root: parameters and early values, so chains stay short.
  kiln_value root = x < y ? x : y, child = x < y ? y : x;
  a->parent[child] = root;
  a->access[root] |= a->access[child];
}

static bool is_pointer(const struct analysis *a, kiln_value v) {
  return v && kiln_type_kind(kiln_value_type(a->fn, v)) == KILN_PTR;
}

static void touch(struct analysis *a, kiln_value v, uint8_t access) {
  if (is_pointer(a, v))
    a->access[find(a, v)] |= access;
}

static uint8_t bits_of(enum kiln_access access) {
  switch (access) {
  case KILN_ACCESS_NONE:
    return 0;
  case KILN_ACCESS_READ:
    return READ;
  case KILN_ACCESS_WRITE:
    return WRITE;
  case KILN_ACCESS_READ_WRITE:
    return BOTH;
  }
  return BOTH;
}

static void call(struct analysis *a, kiln_value id, const struct kiln_inst *inst) {
  const struct kiln_function *callee = a->fn->module->functions[inst->imm];
  const kiln_value *args = kiln_operands(a->fn, id);
  for (uint32_t i = 0; i < inst->operand_count; i++) {
    touch(a, args[i], i < callee->param_count ? bits_of(callee->params[i].access) : BOTH);
    if (kiln_type_kind(inst->type) == KILN_PTR && is_pointer(a, args[i]))
      join(a, id, args[i]); // the callee may return it
  }
}

// Values that a jump gives to the phis of its node.
static void pass_values(struct analysis *a, const struct kiln_value_list *phis, const kiln_value *values,
                        uint32_t count) {
  for (uint32_t i = 0; i < count && i < phis->count; i++) {
    if (is_pointer(a, phis->items[i]))
      join(a, phis->items[i], values[i]);
  }
}

static void visit(struct analysis *a, kiln_value id) {
  const struct kiln_function *fn = a->fn;
  const struct kiln_inst *inst = kiln_inst(fn, id);
  const kiln_value *operands = kiln_operands(fn, id);
  uint32_t count = inst->operand_count;
  if (inst->op == KILN_OP_LOAD || inst->op == KILN_OP_ATOMIC_LOAD) {
    touch(a, operands[0], READ);
  } else if (inst->op == KILN_OP_STORE || inst->op == KILN_OP_ATOMIC_STORE) {
    touch(a, operands[0], WRITE);
    touch(a, operands[1], BOTH); // escapes
  } else if (inst->op == KILN_OP_COPY) {
    touch(a, operands[0], WRITE);
    touch(a, operands[1], READ);
  } else if (inst->op == KILN_OP_CALL) {
    call(a, id, inst);
  } else if (inst->op == KILN_OP_LOOP) {
    pass_values(a, &kiln_node(fn, id)->header, operands, count);
  } else if (inst->op == KILN_OP_CONTINUE) {
    pass_values(a, &kiln_node(fn, (kiln_value)inst->imm)->header, operands, count);
  } else if (inst->op == KILN_OP_BREAK) {
    pass_values(a, &kiln_node(fn, (kiln_value)inst->imm)->results, operands, count);
  } else if (inst->op == KILN_OP_YIELD) {
    kiln_value owner = fn->regions[inst->region].owner;
    if (owner)
      pass_values(a, &kiln_node(fn, owner)->results, operands, count);
  } else if (kiln_op_table[inst->op].effect == KILN_EFFECT_PURE) {
    for (uint32_t i = 0; i < count; i++) {
      if (kiln_type_kind(inst->type) == KILN_PTR && is_pointer(a, operands[i]))
        join(a, id, operands[i]); // address arithmetic, casts, select
      else if (kiln_op_table[inst->op].result != KILN_RESULT_BOOL)
        touch(a, operands[i], BOTH); // becomes an integer; a comparison does nothing
    }
  } else if (inst->op != KILN_OP_RETURN) { // the caller joins a returned pointer with the arguments
    for (uint32_t i = 0; i < count; i++)
      touch(a, operands[i], BOTH); // atomics, printf, and whatever is added to the table
  }
}

static bool is_image(const struct kiln_param *param) {
  return kiln_type_kind(param->type) == KILN_IMAGE || param->image >= KILN_PARAM_IMAGE;
}

static bool has_images(const struct kiln_function *fn) {
  for (uint32_t i = 0; i < fn->param_count; i++)
    if (fn->params[i].image == KILN_PARAM_RECORD)
      return true;
  return false;
}

static bool analyse(struct kiln_function *fn) {
  struct analysis a = {.fn = fn};
  a.parent = malloc(fn->inst_count * sizeof *a.parent);
  a.access = calloc(fn->inst_count, 1);
  bool ok = a.parent && a.access;
  if (ok) {
    for (uint32_t i = 0; i < fn->inst_count; i++)
      a.parent[i] = i;
    for (uint32_t r = 1; r < fn->region_count; r++) {
      for (kiln_value id = fn->regions[r].first; id; id = fn->insts[id].next)
        visit(&a, id);
    }
    for (uint32_t i = 0; i < fn->param_count; i++) {
      struct kiln_param *param = &fn->params[i];
      static const enum kiln_access names[] = {KILN_ACCESS_NONE, KILN_ACCESS_READ, KILN_ACCESS_WRITE,
                                               KILN_ACCESS_READ_WRITE};
      if (is_image(param))
        continue;
      param->access = is_pointer(&a, param->value) ? names[a.access[find(&a, param->value)]] : KILN_ACCESS_NONE;
    }
  }
  free(a.parent);
  free(a.access);
  return ok;
}

// Callees first, without recursion of our own: the language has none, so the order exists.
enum state { UNSEEN, OPEN, DONE };

static bool push_callees(const struct kiln_function *fn, uint8_t *state, uint32_t *stack, uint32_t *depth) {
  bool pushed = false;
  for (uint32_t r = 1; r < fn->region_count; r++) {
    for (kiln_value id = fn->regions[r].first; id; id = fn->insts[id].next) {
      if (fn->insts[id].op == KILN_OP_CALL && state[fn->insts[id].imm] == UNSEEN) {
        state[fn->insts[id].imm] = OPEN;
        stack[(*depth)++] = (uint32_t)fn->insts[id].imm;
        pushed = true;
      }
    }
  }
  return pushed;
}

bool kiln_access_analyse(struct kiln_module *module, bool has_stubs) {
  uint32_t n = module->function_count;
  if (n == 0)
    return true;
  uint8_t *state = calloc(n, 1);
  uint32_t *stack = malloc(n * sizeof *stack), depth = 0;
  bool ok = state && stack;
  // Until the result of a callee is known, its callers get the conservative one.
  for (uint32_t f = 0; ok && f < n; f++) {
    if (has_stubs && has_images(module->functions[f]))
      state[f] = DONE;
    for (uint32_t i = 0; i < module->functions[f]->param_count && !state[f]; i++) {
      struct kiln_param *param = &module->functions[f]->params[i];
      if (!is_image(param))
        param->access = KILN_ACCESS_READ_WRITE;
      else if (kiln_type_kind(param->type) == KILN_IMAGE)
        param->access = kiln_type_access(param->type);
    }
  }
  for (uint32_t f = 0; ok && f < n; f++) {
    if (state[f] != UNSEEN)
      continue;
    state[f] = OPEN;
    stack[depth++] = f;
    while (ok && depth) {
      uint32_t top = stack[depth - 1];
      if (state[top] == OPEN && push_callees(module->functions[top], state, stack, &depth))
        continue;
      depth--;
      if (state[top] != DONE) {
        state[top] = DONE;
        ok = analyse(module->functions[top]);
      }
    }
  }
  free(state);
  free(stack);
  return ok;
}
