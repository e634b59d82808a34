// Facts are found in one walk over the function in the order of the program, in which operands come before what takes
// them.
#include "jit/facts/facts.h"

static void find(const struct kiln_function *fn, kiln_value v, uint32_t *depends, uint64_t *zeros) {
  bool is_int = kiln_kind_is_int(kiln_type_kind(fn->insts[v].type));
  depends[v] = kiln_depends_find(fn, v, depends);
  zeros[v] = is_int ? kiln_zeros_find(fn, v, zeros) : 0;
}

void kiln_facts_find(struct kiln_function *fn) {
  struct kiln_function_priv *priv = kiln_function_priv(fn);
  if (priv->facts_count == fn->inst_count)
    return;
  kiln_facts_forget(fn);
  if (!KILN_IR_RESERVE(fn->module, priv->depends, 0, priv->depends_capacity, fn->inst_count) ||
      !KILN_IR_RESERVE(fn->module, priv->zeros, 0, priv->zeros_capacity, fn->inst_count))
    return;
  uint32_t *depends = priv->depends;
  uint64_t *zeros = priv->zeros;
  for (kiln_value v = 0; v < fn->inst_count; v++)
    if (kiln_op_is_free(fn->insts[v].op) || fn->insts[v].op == KILN_OP_PHI)
      find(fn, v, depends, zeros);
  for (kiln_value v = fn->regions[fn->body].first, next; v; v = next) {
    find(fn, v, depends, zeros);
    next = kiln_op_is_node(fn->insts[v].op) || !fn->insts[v].next ? kiln_walk_next(fn, v) : fn->insts[v].next;
  }
  depends[0] = 0;
  priv->facts_count = fn->inst_count;
}

void kiln_facts_forget(struct kiln_function *fn) {
  kiln_function_priv(fn)->facts_count = 0;
  kiln_affine_forget(fn);
}
