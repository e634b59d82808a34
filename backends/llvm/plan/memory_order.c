// Which vectors of the language are held in the order of memory: those that are loaded, computed with component by
// component, and stored. Others are held component after component, for which accesses transpose them.
#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/find.h"
#include "backends/llvm/plan/group.h"

static bool is_vector(const struct kiln_ll_fn *f, kiln_value v) {
  return kiln_type_lanes(kiln_value_type(f->fn, v)) > 1;
}

static bool is_varying(const struct kiln_ll_fn *f, kiln_value v) {
  return kiln_ll_shape(f, v).kind == KILN_SHAPE_VARYING;
}

static bool is_by_component(const struct kiln_ll_fn *f, kiln_value v) {
  enum kiln_op op = (enum kiln_op)kiln_inst(f->fn, v)->op;
  if (op == KILN_OP_FREM || kiln_op_family(op) == KILN_FAMILY_MATH) // computed lane by lane
    return false;
  if (op == KILN_OP_BITCAST)
    return kiln_type_lanes(kiln_value_type(f->fn, kiln_operands(f->fn, v)[0])) ==
           kiln_type_lanes(kiln_value_type(f->fn, v));
  return kiln_op_is_componentwise(op) || op == KILN_OP_SPLAT || op == KILN_OP_VEC;
}

// Private arrays and volatile accesses have an order of their own.
static bool is_plain_access(const struct kiln_ll_fn *f, kiln_value v) {
  return !(kiln_inst(f->fn, v)->flags & KILN_MEM_VOLATILE) && !f->form->element[kiln_operands(f->fn, v)[0]];
}

static bool may_be_ordered(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (!in->region && in->op != KILN_OP_PHI)
    return false;
  if (in->op == KILN_OP_STORE)
    return is_vector(f, kiln_operands(f->fn, v)[1]) && is_plain_access(f, v) &&
           kiln_ll_shape(f, kiln_operands(f->fn, v)[0]).kind != KILN_SHAPE_UNIFORM;
  if (!is_vector(f, v) || !is_varying(f, v))
    return false;
  if (in->op == KILN_OP_PHI)
    return !f->group || !f->group->is_group[kiln_inst(f->fn, (kiln_value)in->imm)->node];
  return in->op == KILN_OP_LOAD ? is_plain_access(f, v) : is_by_component(f, v);
}

// Drops a value's order, and says that something changed.
static void drop(bool *ordered, kiln_value v, bool *changed) {
  *changed |= ordered[v];
  ordered[v] = false;
}

// A vector is in the order of memory only if each instruction that uses it is, and the other way round. The exception
// is the extraction of a component from a computed vector.
static void agree(const struct kiln_ll_fn *f, bool *ordered, kiln_value user, kiln_value x, bool *changed) {
  const struct kiln_inst *in = kiln_inst(f->fn, user);
  if (!is_vector(f, x) || !is_varying(f, x) || ordered[user] == ordered[x])
    return;
  if (in->op == KILN_OP_EXTRACT && kiln_inst(f->fn, x)->op != KILN_OP_LOAD &&
      kiln_inst(f->fn, kiln_operands(f->fn, user)[1])->op == KILN_OP_CONST)
    return;
  drop(ordered, x, changed);
  drop(ordered, user, changed);
}

// Drops vectors that gain nothing: put together only to be stored, or loaded only to be taken apart.
static void drop_useless(const struct kiln_ll_fn *f, bool *ordered) {
  const struct kiln_function *fn = f->fn;
  bool *works = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count), changed = false;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    for (uint32_t i = 0; fn->insts[v].region && fn->insts[v].op != KILN_OP_STORE && i < fn->insts[v].operand_count; i++)
      works[kiln_operands(fn, v)[i]] = true;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if ((fn->insts[v].op == KILN_OP_VEC || fn->insts[v].op == KILN_OP_SPLAT) && !works[v])
      drop(ordered, v, &changed);
}

// The instructions that take vectors.
static uint32_t list_users(const struct kiln_ll_fn *f, kiln_value *users) {
  uint32_t count = 0;
  for (kiln_value v = 1; v < f->fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(f->fn, v);
    bool takes = false;
    for (uint32_t i = 0; in->region && i < in->operand_count && !takes; i++)
      takes = is_vector(f, kiln_operands(f->fn, v)[i]);
    if (takes)
      users[count++] = v;
  }
  return count;
}

const bool *kiln_ll_find_memory_order(const struct kiln_ll_fn *f) {
  const struct kiln_function *fn = f->fn;
  bool *ordered = KILN_NEW_ARRAY(&f->ll->arena, bool, fn->inst_count), changed = false;
  for (kiln_value v = 1; kiln_ll_may(f->ll, KILN_LL_MEMORY_ORDER) && v < fn->inst_count; v++)
    changed |= ordered[v] = may_be_ordered(f, v);
  if (!changed)
    return ordered;
  drop_useless(f, ordered);
  kiln_value *users = KILN_NEW_ARRAY(&f->ll->arena, kiln_value, fn->inst_count);
  uint32_t count = list_users(f, users);
  while (changed) {
    changed = false;
    for (uint32_t k = 0; k < count; k++) {
      const struct kiln_value_list *phis = kiln_ll_target_phis(fn, users[k]);
      for (uint32_t i = 0; i < kiln_inst(fn, users[k])->operand_count; i++)
        agree(f, ordered, phis ? phis->items[i] : users[k], kiln_operands(fn, users[k])[i], &changed);
    }
  }
  return ordered;
}
