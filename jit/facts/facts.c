// Facts are found in one walk over the function in the order of the program, in which operands come before what takes
// them.
#include "jit/facts/facts.h"

#include <stdio.h>
#include <stdlib.h>

static void find(const struct kiln_function *fn, kiln_value v, uint32_t *depends, uint64_t *zeros) {
  bool is_int = kiln_kind_is_int(kiln_type_kind(fn->insts[v].type));
  depends[v] = kiln_depends_find(fn, v, depends);
  zeros[v] = is_int ? kiln_zeros_find(fn, v, zeros) : 0;
}

static void find_all(const struct kiln_function *fn, uint32_t *depends, uint64_t *zeros) {
  for (kiln_value v = 0; v < fn->inst_count; v++)
    if (kiln_op_is_free(fn->insts[v].op) || fn->insts[v].op == KILN_OP_PHI)
      find(fn, v, depends, zeros);
  for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_walk_next(fn, v))
    find(fn, v, depends, zeros);
  depends[0] = 0;
}

void kiln_facts_find(struct kiln_function *fn) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (priv->facts_count == fn->inst_count)
    return;
  kiln_facts_forget(fn);
  if (!KILN_IR_RESERVE(fn->module, priv->depends, 0, priv->depends_capacity, fn->inst_count) ||
      !KILN_IR_RESERVE(fn->module, priv->zeros, 0, priv->zeros_capacity, fn->inst_count))
    return;
  find_all(fn, priv->depends, priv->zeros);
  priv->facts_count = fn->inst_count;
}

void kiln_facts_forget(struct kiln_function *fn) {
  kiln_function_priv(fn)->facts_count = kiln_function_priv(fn)->ranges_count = 0;
  kiln_affine_forget(fn);
}

static bool is_wrong(const struct kiln_function *fn, kiln_value v, const uint32_t *depends, const uint64_t *zeros) {
  const struct kiln_function_priv *priv = kiln_function_priv(fn);
  const struct kiln_inst *inst = &fn->insts[v];
  return v && (inst->region || kiln_op_is_free(inst->op) || inst->op == KILN_OP_PHI) &&
         (priv->depends[v] != depends[v] || priv->zeros[v] != zeros[v]);
}

bool kiln_facts_hold(const struct kiln_function *fn, char *message, size_t size) {
  uint32_t count = kiln_function_priv(fn)->facts_count;
  uint32_t *depends = calloc(fn->inst_count, sizeof *depends);
  uint64_t *zeros = calloc(fn->inst_count, sizeof *zeros);
  bool holds = true;
  if (count && depends && zeros)
    find_all(fn, depends, zeros);
  for (kiln_value v = 0; v < count && depends && zeros && holds; v++) {
    holds = !is_wrong(fn, v, depends, zeros);
    if (!holds)
      snprintf(message, size, "%%%u depends on %#x and has zero bits %#llx, but %#x and %#llx are kept", v, depends[v],
               (unsigned long long)zeros[v], kiln_depends_on(fn, v), (unsigned long long)kiln_known_zeros(fn, v));
  }
  free(depends);
  free(zeros);
  return holds && kiln_affine_holds(fn, message, size);
}
