// For launches whose groups have one work-item each: barriers wait for no other work-item, ids in the group are 0, and
// what the kernel has in local memory becomes private. The kernel is flat afterwards, so that its work-items fill the
// lanes of vectors.
//
// Local memory stays where kiln_function_private_local does not hold. Requires that functions with barriers or local
// memory have been inlined into kernels. Linear.
#include "jit/pass/common.h"

kiln_value kiln_query_of_one(struct kiln_function *fn, kiln_value query) {
  const struct kiln_inst inst = fn->insts[query];
  struct kiln_builder b = kiln_builder_before(fn, query);
  unsigned dimension = (unsigned)inst.imm;
  kiln_value value;
  switch (inst.op) {
  case KILN_OP_LOCAL_ID:
    return kiln_const(fn, inst.type, 0);
  case KILN_OP_LOCAL_SIZE:
  case KILN_OP_FULL_LOCAL_SIZE:
    return kiln_const(fn, inst.type, 1);
  case KILN_OP_NUM_GROUPS:
    value = kiln_build_item(&b, KILN_OP_GLOBAL_SIZE, dimension);
    break;
  case KILN_OP_GROUP_ID:
    value = kiln_build_item(&b, KILN_OP_GLOBAL_OFFSET, dimension);
    value = kiln_build2(&b, KILN_OP_ISUB, kiln_build_item(&b, KILN_OP_GLOBAL_ID, dimension), value);
    break;
  default:
    return 0;
  }
  fn->insts[value].name = inst.name;
  return value;
}

// Local memory becomes variables, and all pointers to it pointers to private memory.
static void privatise(struct kiln_function *fn, struct kiln_replaced *variables) {
  for (kiln_value v = 1; v < variables->count; v++) {
    if (fn->insts[v].type != kiln_ptr_type(KILN_LOCAL))
      continue;
    fn->insts[v].type = kiln_ptr_type(KILN_PRIVATE);
    if (fn->insts[v].op != KILN_OP_GLOBAL)
      continue;
    const struct kiln_global *global = &fn->module->globals[fn->insts[v].imm];
    struct kiln_builder b = kiln_builder_before(fn, fn->regions[fn->body].first);
    variables->by[v] = kiln_build_var(&b, global->size, global->align, global->name);
    fn->insts[v].op = KILN_OP_UNDEF; // nothing names it any more
    fn->insts[v].imm = 0;
  }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct kiln_function *fn = subject;
  struct kiln_replaced replaced = kiln_replaced_new(fn, arena);
  bool changed = false;
  for (kiln_value v = fn->regions[fn->body].first, next; v; v = next) {
    next = kiln_walk_next(fn, v);
    kiln_value value = kiln_query_of_one(fn, v);
    if (!value && fn->insts[v].op != KILN_OP_BARRIER)
      continue;
    replaced.by[v] = value;
    kiln_remove(fn, v);
    changed = true;
  }
  uint64_t bytes;
  if (kiln_function_private_local(fn, &bytes) && bytes) {
    privatise(fn, &replaced);
    changed = true;
  }
  if (changed)
    kiln_resolve_all(fn, &replaced);
  return changed;
}

bool kiln_pass_single_items(struct kiln_function *fn) { return kiln_pass_scratch(fn->module, fn, run); }
