// Modules as bytes. One walk over the structs serves both ways: each step writes what is there, or reads into it.
#include "jit/ir/snapshot.h"

#include <string.h>

#include "jit/ir/internal.h"

struct snapshot {
  struct kiln_strbuf *out; // NULL: reading
  struct kiln_module *module;
  const char *data;
  size_t size, at;
  bool failed;
};

static void plain(struct snapshot *s, void *value, size_t size) {
  if (s->out) {
    kiln_strbuf_append(s->out, value, size);
  } else if (s->failed || size > s->size - s->at) {
    s->failed = true;
    memset(value, 0, size);
  } else {
    memcpy(value, s->data + s->at, size);
    s->at += size;
  }
}

// An array of count items, or NULL. Reading makes it.
static void *array(struct snapshot *s, void *items, uint64_t count, size_t item_size) {
  bool present = items != NULL;
  plain(s, &present, sizeof present);
  if (!present)
    return NULL;
  if (!s->out) {
    if (s->failed || count > (s->size - s->at) / item_size) {
      s->failed = true;
      return NULL;
    }
    items = kiln_ir_alloc(s->module, count ? count * item_size : 1, 16);
    if (!items) {
      s->failed = true;
      return NULL;
    }
  }
  plain(s, items, count * item_size);
  return items;
}

static const char *text(struct snapshot *s, const char *value) {
  uint64_t size = s->out && value ? strlen(value) + 1 : 0;
  plain(s, &size, sizeof size);
  char *out = array(s, (void *)(uintptr_t)value, size, 1);
  if (out && (size == 0 || out[size - 1])) {
    s->failed = true;
    return "";
  }
  return out;
}

// A step that goes on only when the array that it is about is there.
#define EACH(i, count, items) for (uint32_t i = 0; i < (count) && (items) && !s->failed; i++)

static void list(struct snapshot *s, struct kiln_value_list *values) {
  values->items = array(s, values->items, values->count, sizeof *values->items);
  values->capacity = values->count;
}

static void function(struct snapshot *s, struct kiln_function *fn) {
  plain(s, fn, sizeof *fn);
  fn->module = s->module;
  fn->name = text(s, fn->name);
  fn->vec_type_hint = text(s, fn->vec_type_hint);
  fn->tuning = text(s, fn->tuning);
  fn->params = array(s, fn->params, fn->param_count, sizeof *fn->params);
  EACH(i, fn->param_count, fn->params) {
    fn->params[i].name = text(s, fn->params[i].name);
    fn->params[i].type_name = text(s, fn->params[i].type_name);
  }
  fn->insts = array(s, fn->insts, fn->inst_count, sizeof *fn->insts);
  fn->operands = array(s, fn->operands, fn->operand_count, sizeof *fn->operands);
  fn->regions = array(s, fn->regions, fn->region_count, sizeof *fn->regions);
  fn->nodes = array(s, fn->nodes, fn->node_count, sizeof *fn->nodes);
  EACH(i, fn->node_count, fn->nodes) {
    struct kiln_node *node = &fn->nodes[i];
    list(s, &node->header);
    list(s, &node->results);
    node->cases = array(s, node->cases, node->region_count ? node->region_count - 1 : 0, sizeof *node->cases);
  }
  fn->shuffles = array(s, fn->shuffles, fn->shuffle_count, sizeof *fn->shuffles);
  fn->shapes = array(s, fn->shapes, fn->shape_count, sizeof *fn->shapes);
  bool assumed = fn->assumed_shapes != NULL;
  fn->assumed_shapes = array(s, fn->assumed_shapes, assumed ? fn->shape_count : 0, sizeof *fn->assumed_shapes);
  fn->assumed_divergent = array(s, fn->assumed_divergent, assumed ? fn->node_count : 0, sizeof *fn->assumed_divergent);
}

static void global(struct snapshot *s, struct kiln_global *g) {
  g->name = text(s, g->name);
  g->init = array(s, (void *)(uintptr_t)g->init, g->size, 1);
  g->relocs = array(s, (void *)(uintptr_t)g->relocs, g->reloc_count, sizeof *g->relocs);
}

// Writing changes nothing: every pointer gets its own value again. So it works on copies of structs that hold any.
static void save_function(struct snapshot *s, const struct kiln_function *fn) {
  struct kiln_function copy = *fn;
  function(s, &copy);
}

void kiln_module_save(const struct kiln_module *module, struct kiln_strbuf *out) {
  struct snapshot shot = {.out = out, .module = (struct kiln_module *)(uintptr_t)module}, *s = &shot;
  struct kiln_module copy = *module;
  plain(s, &copy, sizeof copy);
  array(s, copy.locs, copy.loc_count, sizeof *copy.locs);
  array(s, (void *)(uintptr_t)copy.names, copy.names_size, 1);
  EACH(i, copy.file_count, copy.files) text(s, copy.files[i]);
  array(s, copy.globals, copy.global_count, sizeof *copy.globals);
  EACH(i, copy.global_count, copy.globals) global(s, &copy.globals[i]);
  EACH(i, copy.function_count, copy.functions) save_function(s, copy.functions[i]);
}

static void restore(struct snapshot *s) {
  struct kiln_module *module = s->module, copy;
  plain(s, &copy, sizeof copy);
  module->locs = array(s, NULL, copy.loc_count, sizeof *copy.locs);
  module->loc_count = copy.loc_count;
  module->names = array(s, NULL, copy.names_size, 1);
  module->names_size = copy.names_size;
  module->small_ids = copy.small_ids;
  uint64_t most = s->size; // nothing has more items than there are bytes
  if (s->failed || copy.file_count > most || copy.function_count > most)
    return;
  module->files = kiln_ir_alloc(module, (copy.file_count + 1) * sizeof *module->files, 16);
  module->functions = kiln_ir_alloc(module, (copy.function_count + 1) * sizeof *module->functions, 16);
  EACH(i, copy.file_count, module->files) module->files[module->file_count++] = text(s, NULL);
  module->globals = array(s, NULL, copy.global_count, sizeof *module->globals);
  module->global_count = module->globals ? copy.global_count : 0;
  EACH(i, copy.global_count, module->globals) global(s, &module->globals[i]);
  EACH(i, copy.function_count, module->functions) {
    struct kiln_function *fn = kiln_ir_alloc(module, sizeof *fn, 16);
    struct kiln_function_priv *priv = kiln_ir_alloc(module, sizeof *priv, 16);
    if (!fn || !priv)
      return;
    function(s, fn);
    fn->priv = priv;
    if (s->failed || !kiln_function_adopt(fn))
      return;
    module->functions[module->function_count++] = fn;
  }
  struct kiln_module_priv *priv = kiln_module_priv(module);
  priv->locs_capacity = module->loc_count;
  priv->names_capacity = module->names_size;
  priv->files_capacity = module->file_count;
  priv->functions_capacity = module->function_count;
  priv->globals_capacity = module->global_count;
  s->failed |= module->function_count != copy.function_count || module->file_count != copy.file_count;
}

struct kiln_module *kiln_module_restore(const void *data, size_t size) {
  struct kiln_module *module = kiln_module_new();
  if (!module)
    return NULL;
  struct snapshot shot = {.module = module, .data = data, .size = size};
  restore(&shot);
  if (!shot.failed && shot.at == size && !kiln_module_failed(module))
    return module;
  kiln_module_free(module);
  return NULL;
}
