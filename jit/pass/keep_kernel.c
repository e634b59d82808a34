// Keeps one kernel of a module, with what it calls, for launches that want that kernel compiled in another way. Runs
// first.
#include <string.h>

#include "jit/pass/common.h"

bool kiln_keep_functions(struct kiln_module *module, const bool *used, struct kiln_arena *arena) {
  uint32_t count = module->function_count, *index = KILN_NEW_ARRAY(arena, uint32_t, count), kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!used[i])
      continue;
    index[i] = kept;
    module->functions[kept++] = module->functions[i];
  }
  module->function_count = kept;
  for (uint32_t i = 0; i < kept && kept < count; i++) {
    struct kiln_function *fn = module->functions[i];
    for (kiln_value id = 1; id < fn->inst_count; id++)
      if (fn->insts[id].op == KILN_OP_CALL && fn->insts[id].region)
        fn->insts[id].imm = index[fn->insts[id].imm];
  }
  return kept < count;
}

struct search {
  struct kiln_module *module;
  const char *name;
  bool found;
};

static bool run(void *subject, struct kiln_arena *arena) {
  struct search *s = subject;
  uint32_t count = s->module->function_count, waiting = 0;
  uint32_t *work = KILN_NEW_ARRAY(arena, uint32_t, count);
  bool *used = KILN_NEW_ARRAY(arena, bool, count);
  for (uint32_t i = 0; i < count && !s->found; i++) {
    s->found = s->module->functions[i]->is_kernel && strcmp(s->module->functions[i]->name, s->name) == 0;
    used[i] = s->found;
    work[0] = i;
  }
  if (!s->found)
    return false;
  for (waiting = 1; waiting;) {
    const struct kiln_function *fn = s->module->functions[work[--waiting]];
    for (kiln_value id = 1; id < fn->inst_count; id++) {
      const struct kiln_inst *in = &fn->insts[id];
      if (in->op != KILN_OP_CALL || !in->region || used[in->imm])
        continue;
      used[in->imm] = true;
      work[waiting++] = (uint32_t)in->imm;
    }
  }
  return kiln_keep_functions(s->module, used, arena);
}

bool kiln_pass_keep_kernel(struct kiln_module *module, const char *name) {
  struct search s = {module, name, false};
  kiln_pass_scratch(module, &s, run);
  return s.found;
}
