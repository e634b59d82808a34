// For launches whose groups have one work-item each: barriers have nobody to wait for, ids in the group are 0, and what
// the kernel has in local memory becomes private. A kernel of that kind is flat afterwards, so that its work-items fill
// the lanes of vectors.
//
// Local memory stays where kiln_function_private_local does not hold. Requires that functions with barriers or local
// memory have been inlined into kernels. Linear.
#include "jit/pass/common.h"

static void become(struct kiln_function *fn, kiln_value v, enum kiln_op op, kiln_value x, kiln_value y) {
  kiln_set_operands(fn, v, (kiln_value[]){x, y}, 2);
  fn->insts[v].op = (uint16_t)op;
  fn->insts[v].imm = 0;
}

// What a query of the group gives, as an operation that folds.
static void replace_query(struct kiln_function *fn, kiln_value v) {
  kiln_type type = fn->insts[v].type;
  unsigned d = (unsigned)fn->insts[v].imm;
  kiln_value zero = kiln_const(fn, type, 0);
  struct kiln_builder b = kiln_builder_before(fn, v);
  if (fn->insts[v].op == KILN_OP_LOCAL_ID)
    become(fn, v, KILN_OP_IADD, zero, zero);
  else if (fn->insts[v].op == KILN_OP_NUM_GROUPS)
    become(fn, v, KILN_OP_IADD, kiln_build_item(&b, KILN_OP_GLOBAL_SIZE, d), zero);
  else if (fn->insts[v].op == KILN_OP_GROUP_ID)
    become(fn, v, KILN_OP_ISUB, kiln_build_item(&b, KILN_OP_GLOBAL_ID, d),
           kiln_build_item(&b, KILN_OP_GLOBAL_OFFSET, d));
  else
    become(fn, v, KILN_OP_IADD, kiln_const(fn, type, 1), zero);
}

static bool is_query(enum kiln_op op) {
  return op == KILN_OP_LOCAL_ID || op == KILN_OP_NUM_GROUPS || op == KILN_OP_GROUP_ID || op == KILN_OP_LOCAL_SIZE ||
         op == KILN_OP_FULL_LOCAL_SIZE;
}

// Local memory becomes variables, and all pointers to it pointers to private memory.
static void privatise(struct kiln_function *fn, struct kiln_replaced variables) {
  for (kiln_value v = 1; v < variables.count; v++) {
    if (fn->insts[v].type != kiln_ptr_type(KILN_LOCAL))
      continue;
    fn->insts[v].type = kiln_ptr_type(KILN_PRIVATE);
    if (fn->insts[v].op != KILN_OP_GLOBAL)
      continue;
    const struct kiln_global *global = &fn->module->globals[fn->insts[v].imm];
    struct kiln_builder b = kiln_builder_before(fn, fn->regions[fn->body].first);
    variables.by[v] = kiln_build_var(&b, global->size, global->align, global->name);
    fn->insts[v].op = KILN_OP_UNDEF; // nothing names it any more
    fn->insts[v].imm = 0;
  }
  kiln_resolve_all(fn, &variables);
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  bool changed = false;
  for (kiln_value v = fn->regions[fn->body].first, next; v; v = next) {
    next = kiln_walk_next(fn, v);
    enum kiln_op op = kiln_op_of(&fn->insts[v]);
    if (op == KILN_OP_BARRIER)
      kiln_remove(fn, v);
    else if (is_query(op))
      replace_query(fn, v);
    changed |= op == KILN_OP_BARRIER || is_query(op);
  }
  uint64_t bytes;
  if (!kiln_function_private_local(fn, &bytes) || !bytes)
    return changed;
  privatise(fn, kiln_replaced_new(fn, arena));
  return true;
}

bool kiln_pass_single_items(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
