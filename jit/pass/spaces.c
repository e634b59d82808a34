// Spaces: accesses through a generic pointer that was cast from a pointer to a named address space use that pointer
// instead. So functions that take generic pointers cost nothing once they are inlined, and variables whose address only
// such functions take can become values.
//
// Follows casts, additions and choices; what comes out of a loop, a branch or memory stays generic. Requires a verified
// function; keeps it valid. Linear.
#include "base/vec.h"
#include "jit/pass/common.h"

struct spaces {
  struct kiln_function *fn;
  kiln_value *named; // by generic pointer: the same as a pointer to a named space; 0: not known
  uint32_t count;    // values that there were before
};

static unsigned op_of(const struct spaces *s, kiln_value v) { return s->fn->insts[v].op; }

// The pointer to a named space that v is the same as; 0: no such pointer is known.
static kiln_value known(const struct spaces *s, kiln_value v) {
  if (v >= s->count)
    return 0;
  if (s->named[v])
    return s->named[v];
  if (op_of(s, v) != KILN_OP_PCAST || kiln_type_space(s->fn->insts[v].type) == KILN_GENERIC)
    return 0;
  kiln_value source = kiln_operands(s->fn, v)[0]; // there and back again
  kiln_value back = source < s->count ? s->named[source] : 0;
  return back && kiln_value_type(s->fn, back) == s->fn->insts[v].type ? back : 0;
}

// Makes the operation of id on other operands, before id; its type follows from the operands.
static kiln_value remake(struct spaces *s, kiln_value id, const kiln_value *operands, uint32_t count) {
  struct kiln_builder b = kiln_builder_before(s->fn, id);
  struct kiln_inst inst = s->fn->insts[id];
  return kiln_build(&b, (enum kiln_op)inst.op, KILN_VOID, operands, count, inst.imm, inst.imm2, inst.flags);
}

static void set_operand(struct spaces *s, kiln_value id, uint32_t index) {
  kiln_value to = known(s, kiln_operands(s->fn, id)[index]);
  if (to)
    s->fn->operands[s->fn->insts[id].operand_first + index] = to;
}

static void look_at(struct spaces *s, kiln_value id) {
  const struct kiln_inst *inst = &s->fn->insts[id];
  kiln_value x = inst->operand_count ? kiln_operands(s->fn, id)[0] : 0;
  bool is_generic = inst->type == kiln_ptr_type(KILN_GENERIC);
  switch (inst->op) {
  case KILN_OP_PCAST:
    if (is_generic)
      s->named[id] = x;
    break;
  case KILN_OP_PADD:
    if (is_generic && known(s, x))
      s->named[id] = remake(s, id, (kiln_value[]){known(s, x), kiln_operands(s->fn, id)[1]}, 2);
    break;
  case KILN_OP_SELECT:
    if (is_generic) {
      kiln_value y = known(s, kiln_operands(s->fn, id)[1]), z = known(s, kiln_operands(s->fn, id)[2]);
      if (y && z && kiln_value_type(s->fn, y) == kiln_value_type(s->fn, z))
        s->named[id] = remake(s, id, (kiln_value[]){x, y, z}, 3);
    }
    break;
  case KILN_OP_COPY:
    set_operand(s, id, 1);
    set_operand(s, id, 0);
    break;
  case KILN_OP_LOAD:
  case KILN_OP_STORE:
  case KILN_OP_ATOMIC_LOAD:
  case KILN_OP_ATOMIC_STORE:
  case KILN_OP_ATOMIC_RMW:
  case KILN_OP_ATOMIC_CAS:
    set_operand(s, id, 0);
    break;
  }
}

// Removes generic forms of pointers that have no use any more: a cast of an address looks like an escape.
static void clean_up(struct spaces *s, struct kiln_arena *arena) {
  struct kiln_function *fn = s->fn;
  uint32_t *uses = kiln_count_uses(fn, arena);
  KILN_VEC(kiln_value) order = {0};
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    if (id < s->count && (s->named[id] || known(s, id)))
      KILN_VEC_PUSH(arena, &order, id);
  for (uint32_t i = order.count; i-- > 0;) {
    kiln_value id = order.items[i];
    if (uses[id])
      continue;
    for (uint32_t k = 0; k < fn->insts[id].operand_count; k++)
      uses[kiln_operands(fn, id)[k]]--;
    kiln_remove(fn, id);
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  bool any = false;
  for (kiln_value id = 1; id < fn->inst_count && !any; id++)
    any = fn->insts[id].op == KILN_OP_PCAST && fn->insts[id].region;
  if (!any)
    return false;
  struct spaces s = {fn, KILN_NEW_ARRAY(arena, kiln_value, fn->inst_count), fn->inst_count};
  for (kiln_value id = fn->regions[fn->body].first; id; id = kiln_walk_next(fn, id))
    if (id < s.count)
      look_at(&s, id);
  clean_up(&s, arena);
  return true;
}

bool kiln_pass_spaces(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
