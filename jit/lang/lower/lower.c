// Lowering: the typed tree of a translation unit to kernel IR. Variables become private memory (a pass makes SSA values
// of them); everything else about the shape of the IR is decided here. See lower.h for the parts.
#include "jit/lang/lower/lower.h"

#include <stdio.h>

#include "jit/ir/internal.h"

void kiln_lower_error(struct kiln_lower *L, kiln_location location, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_diag_v(L->lang->diags, KILN_ERROR, location, 0, format, args);
  va_end(args);
  L->failed = true;
}

struct kiln_lower_decl *kiln_lower_slot_in(struct kiln_arena *arena, struct kiln_decl *decl) {
  if (!decl->lowered)
    decl->lowered = KILN_NEW(arena, struct kiln_lower_decl);
  return decl->lowered;
}

static uint32_t file_index(struct kiln_lower *L, const char *name) {
  if (name == L->file_name)
    return L->file_index;
  uint32_t i = 0;
  while (i < L->file_names.count && L->file_names.items[i] != name && strcmp(L->file_names.items[i], name) != 0)
    i++;
  if (i == L->file_names.count) {
    KILN_VEC_PUSH(L->arena, &L->file_names, name);
    kiln_module_add_file(L->main_module, name);
  }
  L->file_name = name;
  return L->file_index = i;
}

// Whether the location is in the line after the one before, as it is where each line is the use of a macro.
static bool find_next_line(struct kiln_lower *L, kiln_location location) {
  const struct kiln_source_file *source = L->line_source;
  uint32_t index = L->line_index + 1;
  if (!source || source->marks.count || index + 1 >= source->line_count)
    return false;
  kiln_location first = source->first + source->lines[index];
  uint32_t size = source->lines[index + 1] - source->lines[index];
  if (location - first >= size)
    return false;
  L->line_first = first;
  L->line_size = size;
  L->line_index = index;
  L->line_number++;
  return true;
}

__attribute__((noinline)) static void find_line(struct kiln_lower *L, kiln_location location) {
  if (find_next_line(L, location))
    return;
  struct kiln_position p = kiln_sources_position(L->lang->sources, location);
  L->line_number = p.line;
  L->line_first = location - (p.column - 1);
  L->line_size = p.line_size + 1;
  L->line_file = p.file ? file_index(L, p.file) : UINT32_MAX;
  L->line_source = kiln_sources_file(L->lang->sources, location);
  L->line_index = L->line_source ? L->line_source->last_line : 0;
}

// Of a location in a file.
static inline uint32_t new_loc(struct kiln_lower *L, kiln_location location) {
  if (location - L->line_first >= L->line_size) // another line than the last one
    find_line(L, location);
  uint32_t column = location - L->line_first + 1;
  return L->line_file == UINT32_MAX ? 0 : kiln_module_next_loc(L->module, L->line_file, L->line_number, column);
}

// Of a location that is of a macro: notes which locations around it have the same outermost use, and hence the same
// loc, as those of macros within macros do: they follow each other. Looks no further than a few uses, as they may take
// turns.
static void find_run(struct kiln_lower *L, kiln_location location, kiln_location outermost) {
  enum { FURTHEST = 16 };
  const struct kiln_sources *sources = L->lang->sources;
  const struct kiln_expansions *at = kiln_sources_expansions(sources, location), *end = at;
  if (!at)
    return;
  const struct kiln_expansions *least = sources->expansions.items, *most = least + sources->expansions.count;
  least = at - least > FURTHEST ? at - FURTHEST : least;
  most = most - at > FURTHEST ? at + FURTHEST : most;
  while (end < most && end->outermost == outermost)
    end++;
  while (at > least && at[-1].outermost == outermost)
    at--;
  kiln_location after = end < sources->expansions.items + sources->expansions.count
                            ? end->first
                            : sources->expansion_locations | KILN_LOCATION_MACRO;
  L->run_first = at->first;
  L->run_size = after - at->first;
  L->run_loc = L->loc;
}

static inline uint32_t loc_of_file(struct kiln_lower *L, kiln_location location) {
  uint32_t slot = location % KILN_LOWER_LOCS;
  if (L->locs[slot].location != location) {
    L->locs[slot].location = location;
    L->locs[slot].loc = new_loc(L, location);
  }
  return L->locs[slot].loc;
}

__attribute__((noinline)) static uint32_t loc_of_macro(struct kiln_lower *L, kiln_location location) {
  kiln_location expanded = kiln_sources_expanded(L->lang->sources, location);
  L->loc = loc_of_file(L, expanded);
  find_run(L, location, expanded);
  return L->loc;
}

void kiln_lower_new_location(struct kiln_lower *L, kiln_location location) {
  if (location == 0 || L->module != L->main_module) {
    L->b.loc = L->module == L->main_module ? L->loc : 0;
    return;
  }
  L->location = location;
  L->b.loc = L->loc = (location & KILN_LOCATION_MACRO) == 0 ? loc_of_file(L, location) : loc_of_macro(L, location);
}

// ---- functions -----------------------------------------------------------------------------------------------------

static const char *type_name(struct kiln_lower *L, struct kiln_qtype type) {
  if (type.type->kind == KILN_CT_IMAGE)
    return kiln_ctype_image_name(type.type);
  if (type.type->kind != KILN_CT_POINTER)
    return kiln_ctype_text(L->arena, (struct kiln_qtype){.type = type.type});
  return kiln_arena_printf(L->arena, "%s*", type_name(L, type.type->base));
}

static struct kiln_param param_of(struct kiln_lower *L, const struct kiln_decl *decl, bool as_kernel) {
  const struct kiln_ctype *type = decl->type.type;
  struct kiln_param param = {.name = decl->name ? decl->name->text : "", .type_name = type_name(L, decl->type)};
  if (kiln_lower_is_memory(type)) {
    param.type = kiln_ptr_type(as_kernel ? KILN_CONSTANT : KILN_PRIVATE);
    param.byval_bytes = (uint32_t)type->size;
    param.align = type->align;
    return param;
  }
  param.type = kiln_ctype_ir(type);
  if (type->kind == KILN_CT_IMAGE)
    param.access = (enum kiln_access)type->access;
  else if (type->kind == KILN_CT_SAMPLER && as_kernel)
    param.image = KILN_PARAM_SAMPLER;
  if (type->kind != KILN_CT_POINTER)
    return param;
  const struct kiln_qtype *to = &type->base;
  param.align = to->type->align;
  param.is_const = (to->quals & KILN_QUAL_CONST) || to->space == KILN_CONSTANT;
  param.is_volatile = to->quals & KILN_QUAL_VOLATILE;
  param.is_restrict = decl->type.quals & KILN_QUAL_RESTRICT;
  if (to->space == KILN_GLOBAL || to->space == KILN_CONSTANT)
    param.access = param.is_const ? KILN_ACCESS_READ : KILN_ACCESS_READ_WRITE;
  return param;
}

// Parameters that are changed move into variables; the others are used where they are.
static void bind_param(struct kiln_lower *L, struct kiln_decl *decl, kiln_value value) {
  struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  const struct kiln_ctype *type = decl->type.type;
  bool in_memory = kiln_lower_is_memory(type);
  kiln_lower_at(L, decl->location);
  slot->fn = L->fn;
  slot->value = value;
  slot->type = 0;
  bool described = L->lang->options->describe_variables && !L->decl->is_library && decl->name &&
                   type->kind != KILN_CT_IMAGE; // which is never in memory
  slot->is_direct = !in_memory && !slot->is_modified && !described;
  if (slot->is_direct || (in_memory && ((!slot->is_modified && !described) || !L->as_kernel)))
    return;
  kiln_lower_var_of(L, decl);
  struct kiln_lower_lvalue lvalue = kiln_lower_lvalue_at(slot->value, type, type->align);
  kiln_lower_store(L, &lvalue, value);
}

static void body(struct kiln_lower *L, struct kiln_decl *decl, const struct kiln_lower_decl *slot) {
  kiln_type result = L->fn->return_type;
  bool has_value = kiln_type_kind(result) != KILN_VOID;
  if (slot->labels) {
    L->labels = slot->labels;
    L->label_var = kiln_build_var(&L->b, 4, 4, "label");
    kiln_build_store(&L->b, L->label_var, kiln_lower_const_int(L, KILN_I32, 0), 4, 0);
  }
  if (slot->has_early_return) {
    L->return_block = kiln_build_block(&L->b);
    L->return_value = has_value ? kiln_node_add_result(L->fn, L->return_block, result) : 0;
    kiln_lower_enter(L, kiln_lower_region(L, L->return_block, 0));
  }
  kiln_lower_list(L, decl->body->stmts, decl->body->stmt_count);
  if (L->return_block) {
    kiln_value none = has_value && !L->dead ? kiln_undef(L->fn, result) : 0;
    kiln_lower_yield(L, &none, has_value);
    kiln_lower_enter(L, L->fn->body);
    kiln_build_return(&L->b, L->return_value);
  } else if (!L->dead) {
    kiln_build_return(&L->b, has_value ? kiln_undef(L->fn, result) : 0);
  }
}

// Lowers a function definition; as_kernel: as an entry point. Returns its index + 1.
static uint32_t function(struct kiln_lower *L, struct kiln_decl *decl, const char *name, bool as_kernel) {
  const struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
  const struct kiln_ctype *result = decl->type.type->base.type;
  bool in_memory = kiln_lower_is_memory(result);
  struct kiln_param *params = KILN_NEW_ARRAY(L->arena, struct kiln_param, decl->param_count + 1);
  uint32_t count = 0;
  if (in_memory)
    params[count++] = (struct kiln_param){
        .name = "result", .type_name = "", .type = kiln_ptr_type(KILN_PRIVATE), .align = result->align};
  for (uint32_t i = 0; i < decl->param_count; i++)
    params[count++] = param_of(L, decl->params[i], as_kernel);
  kiln_type return_type = in_memory ? kiln_scalar_type(KILN_VOID) : kiln_ctype_ir(result);
  struct kiln_function *fn = kiln_module_add_function(L->module, name, as_kernel, return_type, params, count);
  if (!fn)
    return 0;
  // Most nodes are an instruction, with one or two operands.
  kiln_function_reserve(fn, decl->expr_count - decl->expr_count / 8, decl->expr_count + decl->expr_count / 8);
  fn->no_inline = decl->is_noinline;
  fn->always_inline = decl->library_inline;
  if (as_kernel) {
    memcpy(fn->required_group_size, decl->required_group_size, sizeof fn->required_group_size);
    memcpy(fn->group_size_hint, decl->group_size_hint, sizeof fn->group_size_hint);
    fn->required_sub_group_size = decl->required_sub_group_size;
    kiln_set_tuning(fn, decl->tuning);
    if (decl->vec_type_hint)
      kiln_set_vec_type_hint(fn, kiln_ctype_text(L->arena, (struct kiln_qtype){.type = decl->vec_type_hint}));
  }
  fn->is_exported = decl->is_exported;
  fn->is_declared = !decl->body;
  if (!decl->body)
    return L->module->function_count;
  L->fn = fn;
  L->decl = decl;
  L->as_kernel = as_kernel;
  L->b = kiln_builder_at_end(fn, fn->body);
  L->location = 0; // the builder has none
  L->dead = false;
  L->return_block = L->return_value = L->label_var = 0;
  L->return_memory = in_memory ? fn->params[0].value : 0;
  L->targets = NULL;
  L->labels = NULL;
  L->frames = NULL;
  L->spine.count = 0;
  L->described.count = 0;
  uint32_t index = L->module->function_count;
  for (uint32_t i = 0; i < decl->param_count; i++)
    bind_param(L, decl->params[i], fn->params[i + in_memory].value);
  body(L, decl, slot);
  kiln_lower_end_scope(L, 0);
  return index;
}

static void unit(struct kiln_lower *L, const struct kiln_unit *unit) {
  uint32_t exprs = 0;
  for (uint32_t i = 0; i < unit->functions.count; i++)
    exprs += unit->functions.items[i]->expr_count;
  kiln_module_reserve_locs(L->main_module, exprs / 2); // many are at the place of another one
  if (L->lang->options->is_object)                     // by which messages of linking name it
    file_index(L, L->lang->source_name);
  for (uint32_t i = 0; i < unit->functions.count && !kiln_module_failed(L->module); i++) {
    struct kiln_decl *decl = unit->functions.items[i];
    struct kiln_lower_decl *slot = kiln_lower_slot(L, decl);
    const char *name = decl->name->text;
    uint32_t index = 0;
    bool is_object = L->lang->options->is_object;
    if (decl->body)
      kiln_lower_scan(L->arena, decl);
    if (slot->labels && slot->labels->items.count > KILN_LOWER_MAX_LABELS) {
      kiln_lower_error(L, decl->location, "function '%s' has more than %d labels and cases inside of other statements",
                       name, KILN_LOWER_MAX_LABELS);
      continue;
    }
    // A kernel that other kernels call is a plain function as well: its by-value structs are in private memory.
    if (decl->is_kernel && (decl->is_called || is_object))
      slot->function = function(L, decl, kiln_arena_printf(L->arena, "%s.call", name), false);
    if (decl->body || !decl->is_kernel)
      index = function(L, decl, name, decl->is_kernel);
    if (!slot->function)
      slot->function = index;
  }
  for (uint32_t i = 0; i < unit->variables.count && !kiln_module_failed(L->module); i++)
    if (unit->variables.items[i]->is_exported)
      kiln_lower_global(L, unit->variables.items[i]);
}

struct kiln_module *kiln_lower_unit(struct kiln_lang *lang, const struct kiln_unit *u) {
  struct kiln_arena *arena = lang->arena;
  jmp_buf *outer = arena->exhausted, here;
  struct kiln_lower *L = KILN_NEW(arena, struct kiln_lower);
  L->lang = lang;
  L->arena = arena;
  L->fp_flags = lang->options->fp_flags;
  L->module = L->main_module = kiln_module_new();
  L->locs[0].location = UINT32_MAX; // which is of a macro, unlike all that are here
  if (!L->module || setjmp(here)) {
    arena->exhausted = outer;
    kiln_module_free(L->main_module);
    kiln_module_free(L->scratch_module);
    return NULL;
  }
  kiln_module_priv(L->main_module)->arena.pool = arena->pool;
  arena->exhausted = &here;
  unit(L, u);
  arena->exhausted = outer;
  kiln_module_free(L->scratch_module);
  if (!kiln_module_failed(L->main_module))
    return L->main_module;
  arena->over_limit |= kiln_module_priv(L->main_module)->arena.over_limit;
  kiln_module_free(L->main_module);
  return NULL;
}
