// What a text of several parts has beyond one of a single part: each part is an object, whose names are its own but for
// those of functions and variables that it exports. Calls are resolved here, also in a text of one part.
#include "jit/ir/images.h"
#include "jit/ir/parse.h"

#define MAX_NAMED 8 // undefined names in one message

struct linker {
  struct kiln_ir_parser *p;
  struct kiln_names names; // "@name": exported, "3@name": of part 3; data: index of the function + 1
  const char *undefined;   // as a list
  uint32_t undefined_count;
};

void kiln_ir_link_error(struct kiln_ir_parser *p, const char *format, ...) {
  struct kiln_strbuf *message = &p->lexer.message;
  kiln_strbuf_clear(message);
  kiln_strbuf_printf(message, "%s: error: ", p->lexer.file);
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(message, format, args);
  va_end(args);
  longjmp(*p->lexer.failed, 1);
}

static struct kiln_name *own_name(struct linker *l, uint32_t part, const char *name) {
  const char *key = kiln_arena_printf(l->p->lexer.arena, "%u@%s", part, name);
  return kiln_names_intern(&l->names, key, strlen(key));
}

static struct kiln_name *exported_name(struct linker *l, const char *name) {
  const char *key = kiln_arena_printf(l->p->lexer.arena, "@%s", name);
  return kiln_names_intern(&l->names, key, strlen(key));
}

static const char *part_name(const struct linker *l, uint32_t function) {
  return l->p->parts.items[l->p->functions[function].part].name;
}

static bool is_exported(const struct kiln_function *fn) {
  return !fn->is_declared && (fn->is_exported || fn->is_kernel);
}

static void enter_names(struct linker *l) {
  struct kiln_ir_parser *p = l->p;
  for (uint32_t i = p->module->function_count; i-- > 0;) { // of two in a part, which the verifier refuses, the first
    struct kiln_function *fn = p->module->functions[i];
    own_name(l, p->functions[i].part, fn->name)->data = (void *)(uintptr_t)(i + 1);
    if (!is_exported(fn))
      continue;
    struct kiln_name *name = exported_name(l, fn->name);
    uint32_t other = (uint32_t)(uintptr_t)name->data;
    bool is_once = other && fn->is_once && p->module->functions[other - 1]->is_once;
    if (other && p->functions[other - 1].part != p->functions[i].part && !is_once)
      kiln_ir_link_error(p, "function '%s' is defined in '%s' and in '%s'", fn->name, part_name(l, i),
                         part_name(l, other - 1));
    name->data = (void *)(uintptr_t)(i + 1);
  }
}

static bool same_signature(const struct kiln_function *a, const struct kiln_function *b) {
  bool same = a->return_type == b->return_type && a->param_count == b->param_count;
  for (uint32_t i = 0; same && i < a->param_count; i++)
    same = a->params[i].type == b->params[i].type && a->params[i].byval_bytes == b->params[i].byval_bytes;
  return same;
}

static void add_undefined(struct linker *l, const char *kind, const char *name, const char *where) {
  if (l->undefined_count++ < MAX_NAMED)
    l->undefined = kiln_arena_printf(l->p->lexer.arena, "%s%s%s '%s' (declared in '%s')", l->undefined,
                                     *l->undefined ? ", " : "", kind, name, where);
}

// The definition of a declared function, or itself when there is none.
static uint32_t definition(struct linker *l, uint32_t function) {
  struct kiln_ir_parser *p = l->p;
  const struct kiln_function *fn = p->module->functions[function];
  uint32_t found = (uint32_t)(uintptr_t)exported_name(l, fn->name)->data;
  if (!found) {
    add_undefined(l, "function", fn->name, part_name(l, function));
    return function;
  }
  if (!same_signature(fn, p->module->functions[found - 1]))
    kiln_ir_link_error(p, "function '%s' is declared in '%s' with other types than it is defined with in '%s'",
                       fn->name, part_name(l, function), part_name(l, found - 1));
  return found - 1;
}

static void resolve_calls(struct linker *l, const uint32_t *definitions) {
  struct kiln_ir_parser *p = l->p;
  for (uint32_t i = 0; i < p->calls.count; i++) {
    const struct kiln_ir_call *call = &p->calls.items[i];
    const struct kiln_name *name = own_name(l, p->functions[call->caller].part, call->callee);
    if (!name->data)
      kiln_ir_error(&p->lexer, call->callee_offset, "there is no function %s", call->callee);
    p->module->functions[call->caller]->insts[call->inst].imm = definitions[(uintptr_t)name->data - 1];
  }
}

// Takes functions out of the module that are defined elsewhere in it, also those that are one definition of several.
static void drop_declarations(struct linker *l, const uint32_t *definitions) {
  struct kiln_ir_parser *p = l->p;
  struct kiln_module *module = p->module;
  uint32_t count = module->function_count, kept = 0;
  uint32_t *index = KILN_NEW_ARRAY(p->lexer.arena, uint32_t, count);
  for (uint32_t i = 0; i < p->calls.count; i++) // before the callers move
    p->calls.items[i].fn = module->functions[p->calls.items[i].caller];
  for (uint32_t i = 0; i < count; i++) {
    if (definitions[i] != i)
      continue;
    index[i] = kept;
    module->functions[kept] = module->functions[i];
    p->functions[kept++] = p->functions[i];
  }
  module->function_count = kept;
  for (uint32_t i = 0; i < p->calls.count && kept < count; i++) {
    struct kiln_inst *inst = &p->calls.items[i].fn->insts[p->calls.items[i].inst];
    inst->imm = index[inst->imm];
  }
}

// Whether a pass finds the function by its name: one of the library for images. Those of the same name are the same.
static bool keeps_name(const struct kiln_module *module, uint32_t function) {
  const char *name = module->functions[function]->name;
  if (!kiln_is_image_library(name) || strchr(name, '.'))
    return false;
  for (uint32_t i = 0; i < function; i++)
    if (strcmp(module->functions[i]->name, name) == 0)
      return false;
  return true;
}

// Functions of several parts may have the same name, unless both are exported.
static void rename_functions(struct linker *l) {
  struct kiln_ir_parser *p = l->p;
  for (uint32_t i = 0; i < p->module->function_count; i++) {
    struct kiln_function *fn = p->module->functions[i];
    if (!is_exported(fn) && !fn->is_declared && !keeps_name(p->module, i))
      fn->name = kiln_ir_strdup(p->module, kiln_arena_printf(p->lexer.arena, "%s.%u", fn->name, p->functions[i].part));
  }
}

static void check_variables(struct linker *l) {
  const struct kiln_module *module = l->p->module;
  for (uint32_t i = 0; i < module->global_count; i++)
    if (kiln_global_is_declared(&module->globals[i]))
      add_undefined(l, "variable", module->globals[i].name, l->p->parts.items[l->p->global_parts.items[i]].name);
}

void kiln_ir_link(struct kiln_ir_parser *p) {
  struct linker *l = KILN_NEW(p->lexer.arena, struct linker);
  struct kiln_module *module = p->module;
  l->p = p;
  l->undefined = "";
  kiln_names_init(&l->names, p->lexer.arena);
  enter_names(l);
  uint32_t *definitions = KILN_NEW_ARRAY(p->lexer.arena, uint32_t, module->function_count + 1);
  for (uint32_t i = 0; i < module->function_count; i++) {
    const struct kiln_function *fn = module->functions[i];
    definitions[i] = fn->is_declared || (fn->is_exported && fn->is_once) ? definition(l, i) : i;
  }
  check_variables(l);
  if (l->undefined_count > MAX_NAMED && !p->is_object)
    kiln_ir_link_error(p, "undefined: %s, and %u more", l->undefined, l->undefined_count - MAX_NAMED);
  if (l->undefined_count && !p->is_object)
    kiln_ir_link_error(p, "undefined: %s", l->undefined);
  resolve_calls(l, definitions);
  drop_declarations(l, definitions);
  if (p->parts.count > 1)
    rename_functions(l);
  for (uint32_t i = 0; i < module->function_count && !p->is_object; i++)
    module->functions[i]->is_exported = module->functions[i]->is_once = false;
  for (uint32_t i = 0; i < module->global_count && !p->is_object; i++)
    module->globals[i].is_exported = module->globals[i].is_extern = false;
  kiln_ir_check_memory(p);
}
