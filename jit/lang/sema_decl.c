// Declarations: where each kind of variable may live, what functions and kernels may look like, and whether a name was
// there before.
#include "jit/lang/parse.h"

bool kiln_same_type(const struct kiln_ctype *a, const struct kiln_ctype *b) {
  for (;;) {
    if (a->kind == KILN_CT_ENUM)
      a = a->base.type;
    if (b->kind == KILN_CT_ENUM)
      b = b->base.type;
    if (a == b)
      return true;
    if (a->kind != b->kind)
      return false;
    if (a->kind == KILN_CT_POINTER) {
      if (a->base.quals != b->base.quals || a->base.space != b->base.space)
        return false;
    } else if (a->kind != KILN_CT_ARRAY || (a->complete && b->complete && a->count != b->count)) {
      return false;
    }
    a = a->base.type;
    b = b->base.type;
  }
}

static bool is_file_scope(const struct kiln_parser *p) { return p->depth == p->file_depth; }

bool kiln_sema_type_usable(struct kiln_parser *p, struct kiln_qtype type, kiln_place place, kiln_place end) {
  const struct kiln_ctype *t = kiln_ctype_innermost(type.type);
  if (t->kind == KILN_CT_ERROR)
    return false;
  if (kiln_ctype_element(t)->kind == KILN_CT_HALF && !p->lang->options->fp16 && !p->in_library) {
    kiln_parse_error(p, place, end, "declaring variable of type '%s' is not allowed",
                     kiln_parse_type_text(p, kiln_plain(type.type)));
    return false;
  }
  if (t->kind == KILN_CT_VOID || t->kind == KILN_CT_FUNCTION || !t->complete) {
    kiln_parse_error(p, place, end, "variable has incomplete type '%s'", kiln_parse_type_text(p, kiln_plain(t)));
    return false;
  }
  return true;
}

// ---- names that exist already ---------------------------------------------------------------------------------------

static bool clashes(struct kiln_parser *p, const struct kiln_symbol *old, enum kiln_decl_kind kind,
                    const struct kiln_declarator *d) {
  if (old->kind == KILN_SYMBOL_DECL && old->decl->kind == kind)
    return false;
  bool variables = old->kind == KILN_SYMBOL_DECL && old->decl->kind == KILN_DECL_PARAM && kind == KILN_DECL_VARIABLE;
  kiln_parse_error(p, d->place, d->end, "redefinition of '%s'%s", d->name->text,
                   variables ? "" : " as different kind of symbol");
  kiln_parse_note(p, old->place, 0, "previous definition is here");
  return true;
}

static void declare_typedef(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d) {
  struct kiln_qtype type = d->type;
  if (type.space == KILN_SPACE_NONE)
    type.space = KILN_PRIVATE;
  struct kiln_symbol *old = kiln_scope_find_here(p, d->name);
  if (old) {
    if (clashes(p, old, KILN_DECL_TYPEDEF, d))
      return;
    if (old->decl->type.type != type.type && type.type->kind != KILN_CT_ERROR &&
        old->decl->type.type->kind != KILN_CT_ERROR) {
      kiln_parse_error(p, d->place, d->end, "typedef redefinition with different types ('%s' vs '%s')",
                       kiln_parse_type_text(p, type), kiln_parse_type_text(p, old->decl->type));
      kiln_parse_note(p, old->place, 0, "previous definition is here");
    }
    return;
  }
  struct kiln_decl *decl = KILN_NEW(p->arena, struct kiln_decl);
  decl->kind = KILN_DECL_TYPEDEF;
  decl->name = d->name;
  decl->host_name = type.type == specs->type.type ? specs->host_name : NULL;
  decl->type = type;
  decl->place = d->place;
  decl->align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
  kiln_scope_add(p, KILN_SYMBOL_DECL, d->name, d->place)->decl = decl;
  const struct kiln_ctype *t = type.type;
  if ((t->kind == KILN_CT_RECORD || t->kind == KILN_CT_ENUM) && !t->tag && !t->alias)
    ((struct kiln_ctype *)t)->alias = d->name; // made by new_tagged
}

// ---- functions ------------------------------------------------------------------------------------------------------

bool kiln_sema_not_for_kernels(const struct kiln_parser *p, const struct kiln_ctype *t) {
  return t->kind == KILN_CT_BOOL || t->kind == KILN_CT_EVENT || t->kind == KILN_CT_ATOMIC ||
         (kiln_ctype_element(t)->kind == KILN_CT_HALF && !p->lang->options->fp16);
}

static void check_kernel_param(struct kiln_parser *p, const struct kiln_decl *param) {
  const struct kiln_ctype *t = param->type.type;
  kiln_place end = param->name ? param->place + param->name->size : 0;
  const char *text = kiln_parse_type_text(p, kiln_plain(t));
  if (t->kind == KILN_CT_POINTER) {
    if (t->base.space != KILN_GLOBAL && t->base.space != KILN_CONSTANT && t->base.space != KILN_LOCAL)
      kiln_parse_error(p, param->place, end,
                       "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' "
                       "address space");
    else if (t->base.type->kind == KILN_CT_POINTER && p->std < 200)
      kiln_parse_error(p, param->place, end, "kernel parameter cannot be declared as a pointer to a pointer");
  } else if (param->host_name || kiln_sema_not_for_kernels(p, t)) {
    kiln_parse_error(p, param->place, end, "'%s' cannot be used as the type of a kernel parameter",
                     param->host_name ? param->host_name : text);
  } else if (t->kind == KILN_CT_RECORD && t->not_for_kernels) {
    kiln_parse_error(p, param->place, end,
                     "'%s' cannot be used as the type of a kernel parameter: it has a member of type '%s'", text,
                     t->not_for_kernels);
  } else if (t->kind == KILN_CT_RECORD && t->has_pointer && p->std < 200) {
    kiln_parse_error(p, param->place, end, "struct kernel parameters may not contain pointers");
  }
}

// Attributes that say how a kernel is launched, before a function that is none.
static void check_kernel_attributes(struct kiln_parser *p, const struct kiln_attrs *attrs,
                                    const struct kiln_declarator *d) {
  const char *name = attrs->required_group_size[0] ? "reqd_work_group_size"
                     : attrs->group_size_hint[0]   ? "work_group_size_hint"
                     : attrs->has_vec_type_hint    ? "vec_type_hint"
                                                   : NULL;
  if (name)
    kiln_parse_error(p, d->place, d->end, "attribute '%s' can only be applied to an OpenCL kernel function", name);
}

static void check_signature(struct kiln_parser *p, const struct kiln_specs *specs, const struct kiln_declarator *d) {
  const struct kiln_ctype *result = d->type.type->base.type;
  if (specs->is_kernel && result->kind != KILN_CT_VOID && result->kind != KILN_CT_ERROR)
    kiln_parse_error(p, specs->place, specs->end, "kernel must have void return type");
  if (strcmp(d->name->text, "main") == 0)
    kiln_parse_error(p, d->place, d->end, "%s cannot be called 'main'", specs->is_kernel ? "kernel" : "function");
  if (!specs->is_kernel) {
    check_kernel_attributes(p, &specs->attrs, d);
    check_kernel_attributes(p, &d->attrs, d);
  }
  if (specs->is_kernel && specs->storage == KILN_STORAGE_STATIC)
    kiln_parse_error(p, d->place, d->end, "kernel functions cannot be declared static");
  if (result->kind != KILN_CT_VOID && !result->complete && result->kind != KILN_CT_ERROR)
    kiln_parse_error(p, d->place, d->end, "incomplete result type '%s' in function definition",
                     kiln_parse_type_text(p, kiln_plain(result)));
  if (kiln_ctype_element(result)->kind == KILN_CT_HALF && !p->lang->options->fp16 && !p->in_library)
    kiln_parse_error(p, d->place, d->end, "declaring function return value of type '%s' is not allowed",
                     kiln_parse_type_text(p, kiln_plain(result)));
  for (uint32_t i = 0; i < d->param_count; i++) {
    const struct kiln_decl *param = d->params[i];
    const struct kiln_ctype *t = param->type.type;
    if (t->kind == KILN_CT_ERROR)
      continue;
    if (specs->is_kernel)
      check_kernel_param(p, param);
    else if (kiln_ctype_element(t)->kind == KILN_CT_HALF && !p->lang->options->fp16 && !p->in_library)
      kiln_parse_error(p, param->place, 0, "declaring function parameter of type '%s' is not allowed",
                       kiln_parse_type_text(p, kiln_plain(t)));
    if (!t->complete)
      kiln_parse_error(p, param->place, 0, "variable has incomplete type '%s'", kiln_parse_type_text(p, kiln_plain(t)));
  }
}

static void merge_attributes(struct kiln_fn *fn, const struct kiln_attrs *attrs) {
  fn->is_overloadable |= attrs->overloadable;
  fn->decl.is_referenced |= attrs->unused;
  fn->decl.is_noinline |= attrs->noinline;
  fn->decl.always_inline |= attrs->always_inline;
  for (unsigned i = 0; i < 3; i++) {
    if (attrs->required_group_size[0])
      fn->decl.required_group_size[i] = attrs->required_group_size[i];
    if (attrs->group_size_hint[0])
      fn->decl.group_size_hint[i] = attrs->group_size_hint[i];
  }
}

static bool same_parameters(const struct kiln_ctype *a, const struct kiln_ctype *b) {
  if (a->param_count != b->param_count)
    return false;
  for (uint32_t i = 0; i < a->param_count; i++)
    if (!kiln_same_type(a->params[i].type, b->params[i].type))
      return false;
  return true;
}

// The function of this name and type; a new one when there is none.
static struct kiln_fn *find_function(struct kiln_parser *p, const struct kiln_declarator *d, bool overloadable) {
  struct kiln_symbol *old = kiln_scope_find(p, d->name);
  if (old && (old->kind != KILN_SYMBOL_DECL || old->depth < p->file_depth))
    old = NULL; // a built-in function or type gives way
  if (old && clashes(p, old, KILN_DECL_FUNCTION, d))
    old = NULL;
  struct kiln_name_entry *entry = kiln_scope_entry(p, d->name);
  struct kiln_fn *first = old ? (struct kiln_fn *)old->decl : p->in_library ? NULL : entry->function;
  if (first && !old)
    kiln_scope_add(p, KILN_SYMBOL_DECL, d->name, d->place)->decl = &first->decl;
  struct kiln_fn *clash = NULL; // differs in the result only
  for (struct kiln_fn *fn = first; fn; fn = fn->overload)
    if (fn->decl.type.type == d->type.type)
      return fn;
    else if (!clash && same_parameters(fn->decl.type.type, d->type.type))
      clash = fn;
  struct kiln_fn *fn = KILN_NEW(p->arena, struct kiln_fn);
  fn->decl.kind = KILN_DECL_FUNCTION;
  fn->decl.name = d->name;
  fn->decl.type = d->type;
  fn->decl.place = d->place;
  fn->decl.params = d->params;
  fn->decl.param_count = d->param_count;
  fn->end = d->end;
  KILN_VEC_PUSH(p->arena, &p->functions, fn);
  if (first && !overloadable && !first->is_overloadable)
    clash = first;
  if (clash) {
    bool silent =
        d->type.type->base.type->kind == KILN_CT_ERROR || clash->decl.type.type->base.type->kind == KILN_CT_ERROR;
    if (!silent) {
      kiln_parse_error(p, d->place, d->end, "conflicting types for '%s'", d->name->text);
      kiln_parse_note(p, clash->decl.place, 0, "previous %s is here", clash->decl.body ? "definition" : "declaration");
    }
    return fn;
  }
  if (first) {
    fn->overload = first->overload;
    first->overload = fn;
    fn->is_overloadable = first->is_overloadable = true;
  } else {
    kiln_scope_add(p, KILN_SYMBOL_DECL, d->name, d->place)->decl = &fn->decl;
    if (!p->in_library)
      entry->function = fn;
  }
  return fn;
}

struct kiln_fn *kiln_sema_function(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d,
                                   bool is_definition) {
  check_signature(p, specs, d);
  bool overloadable = d->attrs.overloadable || specs->attrs.overloadable;
  bool is_library = p->library_fn && d->name == p->library_fn->library_name;
  struct kiln_fn *fn = is_library ? p->library_fn : find_function(p, d, overloadable);
  fn->in_library = p->in_library;
  if (is_library && fn->decl.type.type != d->type.type)
    kiln_parse_error(p, d->place, d->end, "internal error: the built-in library defines '%s' as '%s', called as '%s'",
                     fn->library->instance, kiln_parse_type_text(p, d->type), kiln_parse_type_text(p, fn->decl.type));
  if (is_definition && fn->decl.body) {
    kiln_parse_error(p, d->place, d->end, "redefinition of '%s'", d->name->text);
    kiln_parse_note(p, fn->decl.place, 0, "previous definition is here");
    fn = KILN_NEW(p->arena, struct kiln_fn); // its body is still checked
    fn->decl.kind = KILN_DECL_FUNCTION;
    fn->decl.name = d->name;
    fn->decl.type = d->type;
  }
  if (is_definition || !fn->decl.body) {
    fn->decl.params = d->params;
    fn->decl.param_count = d->param_count;
    fn->decl.place = d->place;
  }
  fn->decl.is_kernel |= specs->is_kernel;
  fn->decl.is_inline |= specs->is_inline;
  fn->decl.is_static |= specs->storage == KILN_STORAGE_STATIC;
  fn->decl.is_extern |= specs->storage == KILN_STORAGE_EXTERN;
  merge_attributes(fn, &specs->attrs);
  merge_attributes(fn, &d->attrs);
  return fn;
}

// ---- variables ------------------------------------------------------------------------------------------------------

static uint8_t program_space(struct kiln_parser *p, const struct kiln_specs *specs, const struct kiln_declarator *d) {
  uint8_t space = d->type.space;
  bool has_global = p->std >= 200;
  if (space == KILN_CONSTANT || (has_global && space == KILN_GLOBAL))
    return space;
  if (has_global && space == KILN_SPACE_NONE)
    return KILN_GLOBAL;
  (void)specs;
  kiln_parse_error(p, d->place, d->end, "program scope variable must reside in %sconstant address space",
                   has_global ? "global or " : "");
  return KILN_CONSTANT;
}

static uint8_t block_space(struct kiln_parser *p, const struct kiln_specs *specs, const struct kiln_declarator *d) {
  uint8_t space = d->type.space;
  bool is_static = specs->storage == KILN_STORAGE_STATIC || specs->storage == KILN_STORAGE_EXTERN;
  if (space == KILN_LOCAL && is_static) {
    kiln_parse_error(p, d->place, d->end, "%s variable must reside in %sconstant address space",
                     specs->storage == KILN_STORAGE_STATIC ? "static local" : "extern",
                     p->std >= 200 ? "global or " : "");
    return space;
  }
  if (space == KILN_LOCAL) {
    if (!p->fn->decl.is_kernel && !p->in_library)
      kiln_parse_error(p, d->place, d->end, "non-kernel function variable cannot be declared in local address space");
    else if (p->depth != p->file_depth + 1)
      kiln_parse_error(p, d->place, d->end,
                       "variables in the local address space can only be declared in the outermost scope of a kernel "
                       "function");
    return space;
  }
  if (space == KILN_CONSTANT)
    return space;
  if (is_static) {
    if (p->std >= 200 && (space == KILN_SPACE_NONE || space == KILN_GLOBAL))
      return KILN_GLOBAL;
    kiln_parse_error(p, d->place, d->end, "%s variable must reside in %sconstant address space",
                     specs->storage == KILN_STORAGE_STATIC ? "static local" : "extern",
                     p->std >= 200 ? "global or " : "");
    return KILN_CONSTANT;
  }
  if (space != KILN_SPACE_NONE && space != KILN_PRIVATE)
    kiln_parse_error(p, d->place, d->end, "automatic variable qualified with an%s address space",
                     space == KILN_GENERIC ? " invalid" : "");
  return KILN_PRIVATE;
}

// The variable that is declared: an old one of the program's scope when this is a redeclaration of it.
static struct kiln_decl *variable_decl(struct kiln_parser *p, const struct kiln_declarator *d, struct kiln_qtype type,
                                       bool has_init) {
  struct kiln_symbol *old = kiln_scope_find_here(p, d->name);
  if (old && clashes(p, old, KILN_DECL_VARIABLE, d)) {
    old = NULL;
  } else if (old) {
    struct kiln_decl *decl = old->decl;
    if (decl->kind == KILN_DECL_VARIABLE && decl->is_program_scope && !(decl->init && has_init) &&
        kiln_same_type(decl->type.type, type.type) && decl->type.space == type.space) {
      if (type.type->complete)
        decl->type = type;
      return decl;
    }
    bool same = decl->type.type == type.type;
    if (same || type.type->kind == KILN_CT_ERROR || decl->type.type->kind == KILN_CT_ERROR)
      kiln_parse_error(p, d->place, d->end, "redefinition of '%s'", d->name->text);
    else
      kiln_parse_error(p, d->place, d->end, "redefinition of '%s' with a different type: '%s' vs '%s'", d->name->text,
                       kiln_parse_type_text(p, kiln_plain(type.type)),
                       kiln_parse_type_text(p, kiln_plain(decl->type.type)));
    kiln_parse_note(p, old->place, 0, "previous definition is here");
  }
  struct kiln_decl *decl = KILN_NEW(p->arena, struct kiln_decl);
  decl->kind = KILN_DECL_VARIABLE;
  decl->name = d->name;
  decl->type = type;
  decl->place = d->place;
  if (!old)
    kiln_scope_add(p, KILN_SYMBOL_DECL, d->name, d->place)->decl = decl;
  return decl;
}

// value: of __auto_type, already read; else NULL, and what follows "=" is read.
static void parse_init(struct kiln_parser *p, struct kiln_decl *decl, const struct kiln_declarator *d,
                       struct kiln_expr *value) {
  kiln_place equal = p->tok.place;
  struct kiln_qtype type = decl->type;
  if (!value)
    kiln_parse_advance(p);
  uint32_t changes = p->changes;
  struct kiln_expr *init =
      value ? kiln_sema_assign(p, value, type, KILN_ASSIGN_INIT) : kiln_parse_initializer(p, &type);
  if (decl->type.type->kind == KILN_CT_ARRAY && !decl->type.type->complete)
    decl->type.type = type.type;
  kiln_warn_unsequenced(p, init, changes);
  if (kiln_is_error(init))
    decl->init = init; // it is there, though wrong
  else if (decl->type.space == KILN_LOCAL)
    kiln_parse_error(p, d->place, d->end, "'__local' variable cannot have an initializer");
  else if (decl->type.type->kind == KILN_CT_ATOMIC && decl->type.space != KILN_GLOBAL)
    kiln_parse_error(p, d->place, d->end, "an atomic variable can be initialized in the global address space only");
  else if (decl->type.space != KILN_PRIVATE && !kiln_is_static_init(init)) {
    kiln_parse_error(p, init->place ? init->place : equal, init->end,
                     "initializer element is not a compile-time constant");
    decl->init = kiln_expr_error(p, equal, equal);
  } else {
    decl->init = init;
  }
}

static void check_complete(struct kiln_parser *p, struct kiln_decl *decl, const struct kiln_declarator *d) {
  if (decl->type.type->kind == KILN_CT_ARRAY && !decl->type.type->complete) {
    if (!decl->init && !decl->is_extern)
      kiln_parse_error(p, d->place, d->end,
                       "definition of variable with array type needs an explicit size or an initializer");
  } else if (decl->type.space == KILN_CONSTANT && !decl->init && !decl->is_extern) {
    kiln_parse_error(p, d->place, d->end, "variable in constant address space must be initialized");
  }
}

// The initialiser of a variable of __auto_type, which gives d its type; NULL after an error.
static struct kiln_expr *parse_auto(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d) {
  if (p->tok.kind != KILN_TOKEN_EQUAL) {
    kiln_parse_error(p, d->place, d->end,
                     "declaration of variable '%s' with deduced type '__auto_type' requires an "
                     "initializer",
                     d->name->text);
    return NULL;
  }
  kiln_parse_advance(p);
  struct kiln_expr *value = kiln_sema_value(p, kiln_parse_assignment(p));
  d->type = (struct kiln_qtype){value->type.type, specs->type.quals, specs->type.space};
  return value;
}

static void declare_variable(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d,
                             struct kiln_stmt *stmt) {
  struct kiln_expr *value = specs->is_auto ? parse_auto(p, specs, d) : NULL;
  bool file_scope = is_file_scope(p);
  struct kiln_qtype type = d->type;
  const struct kiln_ctype *error = kiln_ctype_scalar(p->types, KILN_CT_ERROR);
  bool is_array = type.type->kind == KILN_CT_ARRAY; // may still be completed
  if (type.type->kind != KILN_CT_ERROR) {
    type = kiln_with_space(p, type, file_scope ? program_space(p, specs, d) : block_space(p, specs, d));
    if ((!is_array || kiln_ctype_element(kiln_ctype_innermost(type.type))->kind == KILN_CT_HALF) &&
        !kiln_sema_type_usable(p, type, d->place, d->end))
      type.type = error;
    else if (kiln_ctype_innermost(type.type)->kind == KILN_CT_EVENT && type.space != KILN_PRIVATE)
      kiln_parse_error(p, d->place, d->end, "the event_t type can only be used with __private address space qualifier");
  } else {
    type.space = KILN_PRIVATE;
  }
  if (specs->is_kernel)
    kiln_parse_error(p, specs->kernel_place, 0, "'kernel' attribute only applies to functions");
  bool has_init = value || p->tok.kind == KILN_TOKEN_EQUAL;
  struct kiln_decl *decl = variable_decl(p, d, type, has_init);
  decl->is_program_scope = file_scope;
  decl->is_static = specs->storage == KILN_STORAGE_STATIC;
  if (specs->attrs.unused || d->attrs.unused) {
    decl->is_referenced = true;
    decl->references++;
  }
  decl->is_extern = specs->storage == KILN_STORAGE_EXTERN && !has_init;
  uint32_t align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
  if (align > decl->align)
    decl->align = align;
  if (has_init)
    parse_init(p, decl, d, value);
  else
    p->declared_plain = true;
  if (type.type->kind != KILN_CT_ERROR)
    check_complete(p, decl, d);
  if (stmt) {
    if (!(stmt->decl_count & (stmt->decl_count - 1))) { // grows by doubling
      uint32_t capacity = stmt->decl_count ? stmt->decl_count * 2 : 1;
      stmt->decls = kiln_arena_grow(p->arena, stmt->decls, stmt->decl_count * sizeof *stmt->decls,
                                    capacity * sizeof *stmt->decls, _Alignof(struct kiln_decl *));
    }
    stmt->decls[stmt->decl_count++] = decl;
  }
  if (!file_scope && decl->type.space != KILN_PRIVATE)
    KILN_VEC_PUSH(p->arena, &p->fn->variables, decl);
  else if (file_scope)
    KILN_VEC_PUSH(p->arena, &p->program_variables, decl);
}

void kiln_sema_declare(struct kiln_parser *p, const struct kiln_specs *specs, struct kiln_declarator *d,
                       struct kiln_stmt *stmt) {
  if (specs->storage == KILN_STORAGE_TYPEDEF) {
    declare_typedef(p, specs, d);
  } else if (d->type.type->kind == KILN_CT_FUNCTION) {
    kiln_sema_function(p, specs, d, false);
  } else {
    declare_variable(p, specs, d, stmt);
  }
}
