// The built-in library, and what survives of a program.
//
// A library function gets its declaration when it is first called. Its text is parsed when the walk from the kernels
// over the call graph reaches it, in a scope where the program's names are not seen.
#include "jit/lang/parse/parse.h"

// ---- library functions ----------------------------------------------------------------------------------------------

static struct kiln_pp *library_pp(struct kiln_parser *p) {
  if (!p->library_pp) {
    struct kiln_pp_config config = {.arena = p->sema.arena,
                                    .names = p->sema.lang->names,
                                    .sources = p->sema.lang->sources,
                                    .diags = p->sema.lang->diags,
                                    .no_macros = true};
    p->library_pp = kiln_pp_new(&config);
  }
  return p->library_pp;
}

static void parse_section(struct kiln_parser *p, struct kiln_fn *fn) {
  const struct kiln_builtin_overload *overload = fn->library;
  struct kiln_pp *pp = p->pp;
  uint32_t file_depth = p->sema.file_depth;
  bool contract = p->sema.contract, exact = p->sema.exact;
  p->pp = library_pp(p);
  kiln_pp_push(p->pp, "<kiln>", overload->text, overload->text_size);
  p->sema.in_library = true;
  p->sema.contract = true;
  p->sema.exact = overload->exact;
  p->sema.library_fn = fn;
  p->ahead_count = 0;
  kiln_scope_push(&p->sema);
  p->sema.floor = p->sema.file_depth = p->sema.depth;
  for (uint32_t i = 0; i < overload->binding_count; i++) {
    const char *name = overload->bindings[i].name;
    struct kiln_name *interned = kiln_names_intern(p->sema.lang->names, name, strlen(name));
    kiln_scope_add(&p->sema, KILN_SYMBOL_TYPE, interned, 0)->type = overload->bindings[i].type;
  }
  p->tok.kind = KILN_TOKEN_SEMICOLON;
  kiln_parse_advance(p);
  while (p->tok.kind != KILN_TOKEN_END)
    kiln_parse_external(p);
  kiln_scope_pop(&p->sema);
  p->pp = pp;
  p->sema.in_library = false;
  p->sema.contract = contract;
  p->sema.exact = exact;
  p->sema.library_fn = NULL;
  p->sema.file_depth = file_depth;
  p->sema.floor = 0;
  if (!fn->decl.body)
    kiln_sema_error(&p->sema, 0, 0, "internal error: the built-in library does not define '%s'", overload->instance);
}

// ---- the call graph -------------------------------------------------------------------------------------------------

static kiln_location call_location(const struct kiln_fn *fn) { return fn->calls.items[fn->next_call - 1].location; }

// caller, at the end of the walk, calls callee, which is on the way to it.
static void complain_recursion(struct kiln_parser *p, struct kiln_fn *caller, struct kiln_fn *callee) {
  const char *name = callee->decl.name->text;
  if (caller == callee) {
    kiln_sema_error(&p->sema, call_location(caller), 0, "recursion is not supported in OpenCL: '%s' calls itself",
                    name);
    return;
  }
  const char *path = kiln_arena_printf(p->sema.arena, "'%s'", name);
  unsigned shown = 0;
  for (struct kiln_fn *fn = caller; fn != callee && shown < 8; fn = fn->walk_parent, shown++)
    path = kiln_arena_printf(p->sema.arena, "'%s' -> %s", fn->decl.name->text, path);
  kiln_sema_error(&p->sema, call_location(caller), 0, "recursion is not supported in OpenCL: '%s' -> %s", name,
                  shown < 8 ? path : "...");
  shown = 0;
  for (struct kiln_fn *fn = caller->walk_parent; shown < 8; fn = fn->walk_parent, shown++) {
    kiln_sema_note(&p->sema, call_location(fn), 0, "called by '%s' here", fn->decl.name->text);
    if (fn == callee)
      break;
  }
}

static void finish_function(struct kiln_parser *p, struct kiln_fn *fn, bool reachable) {
  fn->walk = KILN_FN_DONE;
  if (!reachable)
    return;
  fn->decl.is_used = true;
  if (fn->decl.missing && kiln_sema_tell_missing(&p->sema, fn->decl.missing) && fn->walk_parent)
    kiln_sema_note(&p->sema, call_location(fn->walk_parent), 0, "called by '%s' here",
                   fn->walk_parent->decl.name->text);
  bool elsewhere = p->sema.lang->options->is_object && !fn->library && !fn->decl.is_static;
  if (fn->decl.body || elsewhere) {
    KILN_VEC_PUSH(p->sema.arena, &p->unit->functions, &fn->decl);
  } else if (!fn->library && fn->walk_parent) {
    kiln_sema_error(&p->sema, call_location(fn->walk_parent), 0, "undefined function '%s' is called",
                    fn->decl.name->text);
    kiln_sema_note(&p->sema, fn->decl.location, 0, "'%s' declared here", fn->decl.name->text);
  }
}

// Depth-first from root, with the way back kept in the functions.
static void walk_calls(struct kiln_parser *p, struct kiln_fn *root, bool reachable) {
  if (root->walk != KILN_FN_NEW)
    return;
  root->walk = KILN_FN_ACTIVE;
  for (struct kiln_fn *fn = root; fn && !p->sema.stop;) {
    if (reachable && fn->library && !fn->decl.body && !fn->next_call)
      parse_section(p, fn);
    if (fn->next_call == fn->calls.count) {
      struct kiln_fn *parent = fn->walk_parent;
      finish_function(p, fn, reachable);
      fn = parent;
      continue;
    }
    struct kiln_fn *callee = fn->calls.items[fn->next_call++].callee;
    callee->decl.is_called |= reachable;
    if (callee->walk == KILN_FN_ACTIVE) {
      complain_recursion(p, fn, callee);
    } else if (callee->walk == KILN_FN_NEW && (reachable || !callee->library)) {
      callee->walk = KILN_FN_ACTIVE;
      callee->walk_parent = fn;
      fn = callee;
    }
  }
}

// The name of an overload that is the same in all objects: the types of the parameters are part of it.
static const char *overload_name(struct kiln_parser *p, const struct kiln_decl *decl) {
  const struct kiln_ctype *type = decl->type.type;
  const char *text = decl->name->text;
  for (uint32_t i = 0; i < type->param_count; i++)
    text = kiln_arena_printf(p->sema.arena, "%s%c%s", text, i ? ',' : '(',
                             kiln_ctype_text(p->sema.arena, type->params[i]));
  return type->param_count ? kiln_arena_printf(p->sema.arena, "%s)", text) : text;
}

// Overloads and pieces of the library have names of their own.
static void name_functions(struct kiln_parser *p) {
  for (uint32_t i = 0; i < p->sema.functions.count; i++) {
    struct kiln_fn *fn = p->sema.functions.items[i];
    if (fn->decl.is_kernel || fn->keeps_name || !fn->decl.is_used || !(fn->is_overloadable || fn->in_library))
      continue;
    bool is_shared = p->sema.lang->options->is_object && (fn->decl.is_exported || !fn->decl.body);
    const char *text =
        is_shared ? overload_name(p, &fn->decl) : kiln_arena_printf(p->sema.arena, "%s.%u", fn->decl.name->text, i);
    fn->decl.name = kiln_names_intern(p->sema.lang->names, text, strlen(text));
  }
}

static void collect_variables(struct kiln_parser *p) {
  struct kiln_unit *unit = p->unit;
  for (uint32_t i = 0; i < p->sema.program_variables.count; i++) {
    struct kiln_decl *decl = p->sema.program_variables.items[i];
    bool elsewhere = decl->is_extern && !decl->init;
    if (decl->missing)
      continue;
    decl->is_exported = p->sema.lang->options->is_object && !decl->is_static && !elsewhere;
    if (!decl->is_used && !decl->is_exported)
      continue;
    decl->is_used = false; // a redeclared one is in the list twice
    if (elsewhere && !p->sema.lang->options->is_object)
      kiln_sema_error(&p->sema, decl->location, 0, "undefined variable '%s' is used", decl->name->text);
    else if (decl->type.type->kind == KILN_CT_RECORD && !decl->type.type->complete)
      kiln_sema_error(&p->sema, decl->location, 0, "variable has incomplete type '%s'",
                      kiln_sema_type_text(&p->sema, decl->type.type));
    KILN_VEC_PUSH(p->sema.arena, &unit->variables, decl);
  }
  for (uint32_t i = 0; i < unit->variables.count; i++)
    unit->variables.items[i]->is_used = true;
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    struct kiln_fn *fn = (struct kiln_fn *)unit->functions.items[i];
    for (uint32_t k = 0; k < fn->variables.count; k++)
      KILN_VEC_PUSH(p->sema.arena, &unit->variables, fn->variables.items[k]);
  }
}

void kiln_finish_unit(struct kiln_parser *p) {
  kiln_warn_unused_functions(&p->sema);
  bool has_kernel = false;
  uint32_t count = p->sema.functions.count; // the library adds more
  for (uint32_t i = 0; i < count; i++)
    has_kernel |= p->sema.functions.items[i]->decl.is_kernel && p->sema.functions.items[i]->decl.body;
  for (uint32_t i = 0; i < count && p->sema.lang->options->is_object; i++) {
    struct kiln_fn *fn = p->sema.functions.items[i];
    fn->decl.is_exported = fn->decl.body && !fn->in_library && !fn->decl.is_static && !fn->decl.is_inline;
  }
  for (uint32_t i = 0; i < count; i++) {
    struct kiln_fn *fn = p->sema.functions.items[i];
    if (fn->decl.body && (fn->decl.is_kernel || !has_kernel || fn->decl.is_exported))
      walk_calls(p, fn, true);
  }
  for (uint32_t i = 0; i < count; i++)
    walk_calls(p, p->sema.functions.items[i], false);
  name_functions(p);
  collect_variables(p);
}
