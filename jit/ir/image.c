// Modules as bytes. One walk over the structs serves both ways: each step writes what is there, or reads into it.
#include "jit/ir/image.h"

#include <string.h>

#include "jit/ir/internal.h"

struct image {
  struct kiln_strbuf *out; // NULL: reading
  struct kiln_module *module;
  const char *data;
  size_t size, at;
  bool failed;
};

static void plain(struct image *im, void *value, size_t size) {
  if (im->out) {
    kiln_strbuf_append(im->out, value, size);
  } else if (im->failed || size > im->size - im->at) {
    im->failed = true;
    memset(value, 0, size);
  } else {
    memcpy(value, im->data + im->at, size);
    im->at += size;
  }
}

// An array of count items, or NULL. Reading makes it.
static void *array(struct image *im, void *items, uint64_t count, size_t item_size) {
  bool present = items != NULL;
  plain(im, &present, sizeof present);
  if (!present)
    return NULL;
  if (!im->out) {
    if (im->failed || count > (im->size - im->at) / item_size) {
      im->failed = true;
      return NULL;
    }
    items = kiln_ir_alloc(im->module, count ? count * item_size : 1, 16);
    if (!items) {
      im->failed = true;
      return NULL;
    }
  }
  plain(im, items, count * item_size);
  return items;
}

static const char *text(struct image *im, const char *value) {
  uint64_t size = im->out && value ? strlen(value) + 1 : 0;
  plain(im, &size, sizeof size);
  char *out = array(im, (void *)(uintptr_t)value, size, 1);
  if (out && (size == 0 || out[size - 1])) {
    im->failed = true;
    return "";
  }
  return out;
}

// A step that goes on only when the array that it is about is there.
#define EACH(i, count, items) for (uint32_t i = 0; i < (count) && (items) && !im->failed; i++)

static void list(struct image *im, struct kiln_value_list *values) {
  values->items = array(im, values->items, values->count, sizeof *values->items);
  values->capacity = values->count;
}

static void function(struct image *im, struct kiln_function *fn) {
  plain(im, fn, sizeof *fn);
  fn->module = im->module;
  fn->name = text(im, fn->name);
  fn->vec_type_hint = text(im, fn->vec_type_hint);
  fn->params = array(im, fn->params, fn->param_count, sizeof *fn->params);
  EACH(i, fn->param_count, fn->params) {
    fn->params[i].name = text(im, fn->params[i].name);
    fn->params[i].type_name = text(im, fn->params[i].type_name);
  }
  fn->insts = array(im, fn->insts, fn->inst_count, sizeof *fn->insts);
  fn->operands = array(im, fn->operands, fn->operand_count, sizeof *fn->operands);
  fn->regions = array(im, fn->regions, fn->region_count, sizeof *fn->regions);
  fn->nodes = array(im, fn->nodes, fn->node_count, sizeof *fn->nodes);
  EACH(i, fn->node_count, fn->nodes) {
    struct kiln_node *node = &fn->nodes[i];
    list(im, &node->header);
    list(im, &node->results);
    node->cases = array(im, node->cases, node->region_count ? node->region_count - 1 : 0, sizeof *node->cases);
  }
  fn->shuffles = array(im, fn->shuffles, fn->shuffle_count, sizeof *fn->shuffles);
  fn->shapes = array(im, fn->shapes, fn->shape_count, sizeof *fn->shapes);
  bool assumed = fn->assumed_shapes != NULL;
  fn->assumed_shapes = array(im, fn->assumed_shapes, assumed ? fn->shape_count : 0, sizeof *fn->assumed_shapes);
  fn->assumed_divergent = array(im, fn->assumed_divergent, assumed ? fn->node_count : 0, sizeof *fn->assumed_divergent);
}

static void global(struct image *im, struct kiln_global *g) {
  g->name = text(im, g->name);
  g->init = array(im, (void *)(uintptr_t)g->init, g->size, 1);
  g->relocs = array(im, (void *)(uintptr_t)g->relocs, g->reloc_count, sizeof *g->relocs);
}

// Writing changes nothing: every pointer gets its own value again. So it works on copies of structs that hold any.
static void save_function(struct image *im, const struct kiln_function *fn) {
  struct kiln_function copy = *fn;
  function(im, &copy);
}

void kiln_module_save(const struct kiln_module *module, struct kiln_strbuf *out) {
  struct image image = {.out = out, .module = (struct kiln_module *)(uintptr_t)module}, *im = &image;
  struct kiln_module copy = *module;
  plain(im, &copy, sizeof copy);
  array(im, copy.locs, copy.loc_count, sizeof *copy.locs);
  array(im, (void *)(uintptr_t)copy.names, copy.names_size, 1);
  EACH(i, copy.file_count, copy.files) text(im, copy.files[i]);
  array(im, copy.globals, copy.global_count, sizeof *copy.globals);
  EACH(i, copy.global_count, copy.globals) global(im, &copy.globals[i]);
  EACH(i, copy.function_count, copy.functions) save_function(im, copy.functions[i]);
}

static void restore(struct image *im) {
  struct kiln_module *module = im->module, copy;
  plain(im, &copy, sizeof copy);
  module->locs = array(im, NULL, copy.loc_count, sizeof *copy.locs);
  module->loc_count = copy.loc_count;
  module->names = array(im, NULL, copy.names_size, 1);
  module->names_size = copy.names_size;
  module->small_ids = copy.small_ids;
  uint64_t most = im->size; // nothing has more items than there are bytes
  if (im->failed || copy.file_count > most || copy.function_count > most)
    return;
  module->files = kiln_ir_alloc(module, (copy.file_count + 1) * sizeof *module->files, 16);
  module->functions = kiln_ir_alloc(module, (copy.function_count + 1) * sizeof *module->functions, 16);
  EACH(i, copy.file_count, module->files) module->files[module->file_count++] = text(im, NULL);
  module->globals = array(im, NULL, copy.global_count, sizeof *module->globals);
  module->global_count = module->globals ? copy.global_count : 0;
  EACH(i, copy.global_count, module->globals) global(im, &module->globals[i]);
  EACH(i, copy.function_count, module->functions) {
    struct kiln_function *fn = kiln_ir_alloc(module, sizeof *fn, 16);
    struct kiln_function_priv *priv = kiln_ir_alloc(module, sizeof *priv, 16);
    if (!fn || !priv)
      return;
    function(im, fn);
    fn->priv = priv;
    if (im->failed || !kiln_function_adopt(fn))
      return;
    module->functions[module->function_count++] = fn;
  }
  struct kiln_module_priv *priv = kiln_module_priv(module);
  priv->locs_capacity = module->loc_count;
  priv->names_capacity = module->names_size;
  priv->files_capacity = module->file_count;
  priv->functions_capacity = module->function_count;
  priv->globals_capacity = module->global_count;
  im->failed |= module->function_count != copy.function_count || module->file_count != copy.file_count;
}

struct kiln_module *kiln_module_restore(const void *data, size_t size) {
  struct kiln_module *module = kiln_module_new();
  if (!module)
    return NULL;
  struct image image = {.module = module, .data = data, .size = size};
  restore(&image);
  if (!image.failed && image.at == size && !kiln_module_failed(module))
    return module;
  kiln_module_free(module);
  return NULL;
}
