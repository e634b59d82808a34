// Copies of functions, for backends to rewrite. A copy has a module of its own, since memory and names belong to
// modules; whatever else that module has it shares with the first one.
#include <stdlib.h>
#include <string.h>

#include "jit/ir/internal.h"

// Replaces an array by a copy, which has room for more.
static bool copy_array(struct kiln_module *module, void **items, uint32_t count, uint32_t *capacity, size_t size) {
  const void *from = *items;
  *items = NULL;
  *capacity = 0;
  if (count && !kiln_ir_grow(module, items, 0, capacity, count, size))
    return false;
  if (count)
    memcpy(*items, from, count * size);
  return true;
}

// The lists of phis, in one piece of memory: a list that grows moves.
static bool copy_lists(struct kiln_function *fn) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < fn->node_count; i++)
    count += fn->nodes[i].header.count + fn->nodes[i].results.count;
  kiln_value *at = kiln_ir_alloc(fn->module, (count + 1) * sizeof *at, sizeof *at);
  for (uint32_t i = 0; at && i < fn->node_count; i++)
    for (unsigned k = 0; k < 2; k++) {
      struct kiln_value_list *list = k ? &fn->nodes[i].results : &fn->nodes[i].header;
      if (list->count)
        memcpy(at, list->items, list->count * sizeof *at);
      list->items = at;
      list->capacity = list->count;
      at += list->count;
    }
  return at;
}

// Shapes and facts are shared, but for affine forms: an analysis makes new ones.
static bool copy_contents(struct kiln_function *fn, const struct kiln_function_priv *from) {
  struct kiln_module *module = fn->module;
  struct kiln_function_priv *to = kiln_function_priv(fn);
  uint32_t params;
  *to = *from;
  to->depends_capacity = to->zeros_capacity = to->ranges_capacity = 0;
  to->affine = (struct kiln_affine_memo){.kept = NULL};
  return copy_array(module, (void **)&fn->params, fn->param_count, &params, sizeof *fn->params) &&
         copy_array(module, (void **)&fn->insts, fn->inst_count, &to->insts_capacity, sizeof *fn->insts) &&
         copy_array(module, (void **)&fn->operands, fn->operand_count, &to->operands_capacity, sizeof *fn->operands) &&
         copy_array(module, (void **)&fn->regions, fn->region_count, &to->regions_capacity, sizeof *fn->regions) &&
         copy_array(module, (void **)&fn->nodes, fn->node_count, &to->nodes_capacity, sizeof *fn->nodes) &&
         copy_array(module, (void **)&fn->shuffles, fn->shuffle_count, &to->shuffles_capacity, sizeof *fn->shuffles) &&
         copy_array(module, (void **)&to->consts.slots, from->consts.capacity, &to->consts.capacity,
                    sizeof *to->consts.slots) &&
         copy_lists(fn);
}

// A module with the contents of another one, of which a function has been replaced.
static struct kiln_module *share(const struct kiln_module *from, const struct kiln_function *replaced,
                                 struct kiln_function **function) {
  struct kiln_module_priv *priv = calloc(1, sizeof *priv);
  if (!priv)
    return NULL;
  struct kiln_module *module = &priv->module;
  *module = *from;
  module->priv = priv;
  priv->is_copy = true;
  kiln_arena_init(&priv->arena, NULL);
  priv->arena.limit = KILN_IR_MAX_BYTES;
  priv->globals_capacity = module->global_count;
  priv->locs_capacity = module->loc_count;
  priv->files_capacity = module->file_count;
  priv->names_capacity = module->names_size;
  *function = kiln_ir_alloc(module, sizeof **function, 16);
  if (*function && copy_array(module, (void **)&module->functions, module->function_count, &priv->functions_capacity,
                              sizeof(struct kiln_function *)))
    for (uint32_t i = 0; i < module->function_count; i++)
      module->functions[i] = module->functions[i] == replaced ? *function : module->functions[i];
  return module;
}

struct kiln_function *kiln_function_copy(const struct kiln_function *fn) {
  struct kiln_function *copy = NULL;
  struct kiln_module *module = kiln_module_failed(fn->module) ? NULL : share(fn->module, fn, &copy);
  if (!module)
    return NULL;
  if (copy) {
    *copy = *fn;
    copy->module = module;
    copy->priv = kiln_ir_alloc(module, sizeof(struct kiln_function_priv), 16);
    if (copy->priv && copy_contents(copy, kiln_function_priv(fn)) && !kiln_module_failed(module))
      return copy;
  }
  kiln_module_free(module);
  return NULL;
}
