// Declarations: where each kind of variable may live, what functions and kernels may look like, and whether a name was
// there before.
#include "jit/ir/images.h"
#include "jit/lang/sema/sema.h"

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

static bool is_file_scope(const struct kiln_sema *S) { return S->depth == S->file_depth; }

bool kiln_sema_type_usable(struct kiln_sema *S, struct kiln_qtype type, kiln_location location, kiln_location end) {
  const struct kiln_ctype *t = kiln_ctype_innermost(type.type);
  if (t->kind == KILN_CT_ERROR)
    return false;
  if (kiln_sema_is_storage_half(S, t)) {
    kiln_sema_error(S, location, end, "declaring variable of type '%s' is not allowed",
                    kiln_sema_type_text(S, type.type));
    return false;
  }
  if (t->kind == KILN_CT_IMAGE) {
    kiln_sema_error(S, location, end, "type '%s' can only be used as a function parameter", kiln_sema_type_text(S, t));
    return false;
  }
  if (t->kind == KILN_CT_VOID || t->kind == KILN_CT_FUNCTION || !t->complete) {
    kiln_sema_error(S, location, end, "variable has incomplete type '%s'", kiln_sema_type_text(S, t));
    return false;
  }
  return true;
}

// ---- names that exist already ---------------------------------------------------------------------------------------

static bool clashes(struct kiln_sema *S, const struct kiln_symbol *old, enum kiln_decl_kind kind,
                    const struct kiln_declarator *d) {
  if (old->kind == KILN_SYMBOL_DECL && old->decl->kind == kind)
    return false;
  bool variables = old->kind == KILN_SYMBOL_DECL && old->decl->kind == KILN_DECL_PARAM && kind == KILN_DECL_VARIABLE;
  kiln_sema_error(S, d->location, d->end, "redefinition of '%s'%s", d->name->text,
                  variables ? "" : " as different kind of symbol");
  kiln_sema_note(S, old->location, 0, "previous definition is here");
  return true;
}

// The predefined type that a declaration in the program's scope would give another meaning; NULL: none.
static const struct kiln_ctype *hidden_type(struct kiln_sema *S, struct kiln_name *name) {
  const struct kiln_symbol *symbol = is_file_scope(S) && !S->in_library ? kiln_scope_find(S, name) : NULL;
  return symbol && symbol->kind == KILN_SYMBOL_TYPE ? symbol->type : NULL;
}

// A function or variable with the name of a predefined type.
static void check_hidden(struct kiln_sema *S, const struct kiln_declarator *d) {
  if (hidden_type(S, d->name))
    kiln_sema_error(S, d->location, d->end, "redefinition of '%s' as different kind of symbol", d->name->text);
}

static void complain_typedef(struct kiln_sema *S, const struct kiln_declarator *d, struct kiln_qtype type,
                             struct kiln_qtype old) {
  kiln_sema_error(S, d->location, d->end, "typedef redefinition with different types ('%s' vs '%s')",
                  kiln_sema_qtype_text(S, type), kiln_sema_qtype_text(S, old));
}

void kiln_sema_typedef(struct kiln_sema *S, const struct kiln_specs *specs, struct kiln_declarator *d) {
  struct kiln_qtype type = d->type;
  if (type.space == KILN_SPACE_NONE)
    type.space = KILN_PRIVATE;
  struct kiln_symbol *old = kiln_scope_find_here(S, d->name);
  if (old) {
    if (clashes(S, old, KILN_DECL_TYPEDEF, d))
      return;
    if (old->decl->type.type != type.type && type.type->kind != KILN_CT_ERROR &&
        old->decl->type.type->kind != KILN_CT_ERROR) {
      complain_typedef(S, d, type, old->decl->type);
      kiln_sema_note(S, old->location, 0, "previous definition is here");
    }
    return;
  }
  const struct kiln_ctype *hidden = hidden_type(S, d->name);
  if (hidden && hidden != type.type && type.type->kind != KILN_CT_ERROR)
    complain_typedef(S, d, type, kiln_plain(hidden));
  struct kiln_decl *decl = kiln_decl_new(S, KILN_DECL_TYPEDEF, d->name, type, d->location);
  decl->host_name = type.type == specs->type.type ? specs->host_name : NULL;
  decl->align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
  kiln_scope_add(S, KILN_SYMBOL_DECL, d->name, d->location)->decl = decl;
  const struct kiln_ctype *t = type.type;
  if ((t->kind == KILN_CT_RECORD || t->kind == KILN_CT_ENUM) && !t->tag && !t->alias)
    ((struct kiln_ctype *)t)->alias = d->name; // made by new_tagged
}

// ---- functions ------------------------------------------------------------------------------------------------------

bool kiln_sema_not_for_kernels(const struct kiln_sema *S, const struct kiln_ctype *t) {
  return t->kind == KILN_CT_BOOL || t->kind == KILN_CT_EVENT || t->kind == KILN_CT_ATOMIC ||
         (kiln_ctype_element(t)->kind == KILN_CT_HALF && !S->lang->options->fp16);
}

static void check_kernel_param(struct kiln_sema *S, const struct kiln_decl *param) {
  const struct kiln_ctype *t = param->type.type;
  kiln_location end = param->name ? param->location + param->name->size : 0;
  const char *text = kiln_sema_type_text(S, t);
  if (t->kind == KILN_CT_POINTER) {
    if (t->base.space != KILN_GLOBAL && t->base.space != KILN_CONSTANT && t->base.space != KILN_LOCAL)
      kiln_sema_error(S, param->location, end,
                      "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' "
                      "address space");
    else if (t->base.type->kind == KILN_CT_POINTER && S->std < 200)
      kiln_sema_error(S, param->location, end, "kernel parameter cannot be declared as a pointer to a pointer");
  } else if (param->host_name || kiln_sema_not_for_kernels(S, t)) {
    kiln_sema_error(S, param->location, end, "'%s' cannot be used as the type of a kernel parameter",
                    param->host_name ? param->host_name : text);
  } else if (t->kind == KILN_CT_RECORD && t->not_for_kernels) {
    kiln_sema_error(S, param->location, end,
                    "'%s' cannot be used as the type of a kernel parameter: it has a member of type '%s'", text,
                    t->not_for_kernels);
  } else if (t->kind == KILN_CT_RECORD && t->has_pointer && S->std < 200) {
    kiln_sema_error(S, param->location, end, "struct kernel parameters may not contain pointers");
  }
}

// Attributes that say how a kernel is launched, before a function that is none.
static void check_kernel_attributes(struct kiln_sema *S, const struct kiln_attrs *attrs,
                                    const struct kiln_declarator *d) {
  const char *name = attrs->required_group_size[0] ? "reqd_work_group_size"
                     : attrs->group_size_hint[0]   ? "work_group_size_hint"
                     : attrs->has_vec_type_hint    ? "vec_type_hint"
                                                   : NULL;
  if (name)
    kiln_sema_error(S, d->location, d->end, "attribute '%s' can only be applied to an OpenCL kernel function", name);
}

static void check_signature(struct kiln_sema *S, const struct kiln_specs *specs, const struct kiln_declarator *d) {
  const struct kiln_ctype *result = d->type.type->base.type;
  if (specs->is_kernel && result->kind != KILN_CT_VOID && result->kind != KILN_CT_ERROR)
    kiln_sema_error(S, specs->location, specs->end, "kernel must have void return type");
  if (strcmp(d->name->text, "main") == 0)
    kiln_sema_error(S, d->location, d->end, "%s cannot be called 'main'", specs->is_kernel ? "kernel" : "function");
  if (!specs->is_kernel) {
    check_kernel_attributes(S, &specs->attrs, d);
    check_kernel_attributes(S, &d->attrs, d);
  }
  if (specs->is_kernel && specs->storage == KILN_STORAGE_STATIC)
    kiln_sema_error(S, d->location, d->end, "kernel functions cannot be declared static");
  if (result->kind != KILN_CT_VOID && !result->complete && result->kind != KILN_CT_ERROR)
    kiln_sema_error(S, d->location, d->end, "incomplete result type '%s' in function definition",
                    kiln_sema_type_text(S, result));
  if (kiln_sema_is_storage_half(S, result) || kiln_ctype_is_opaque(result))
    kiln_sema_error(S, d->location, d->end, "declaring function return value of type '%s' is not allowed",
                    kiln_sema_type_text(S, result));
  for (uint32_t i = 0; i < d->param_count; i++) {
    const struct kiln_decl *param = d->params[i];
    const struct kiln_ctype *t = param->type.type;
    if (t->kind == KILN_CT_ERROR)
      continue;
    if (specs->is_kernel)
      check_kernel_param(S, param);
    else if (kiln_sema_is_storage_half(S, t))
      kiln_sema_error(S, param->location, 0, "declaring function parameter of type '%s' is not allowed",
                      kiln_sema_type_text(S, t));
    if (!t->complete)
      kiln_sema_error(S, param->location, 0, "variable has incomplete type '%s'", kiln_sema_type_text(S, t));
  }
}

static void merge_attributes(struct kiln_fn *fn, const struct kiln_attrs *attrs) {
  fn->is_overloadable |= attrs->overloadable;
  fn->decl.is_referenced |= attrs->unused;
  fn->decl.is_noinline |= attrs->noinline;
  fn->decl.always_inline |= attrs->always_inline;
  if (attrs->required_sub_group_size)
    fn->decl.required_sub_group_size = attrs->required_sub_group_size;
  if (attrs->vec_type_hint)
    fn->decl.vec_type_hint = attrs->vec_type_hint;
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
static struct kiln_fn *find_function(struct kiln_sema *S, const struct kiln_declarator *d, bool overloadable) {
  struct kiln_symbol *old = kiln_scope_find(S, d->name);
  check_hidden(S, d);
  if (old && (old->kind != KILN_SYMBOL_DECL || old->depth < S->file_depth))
    old = NULL; // a built-in function or type gives way
  if (old && clashes(S, old, KILN_DECL_FUNCTION, d))
    old = NULL;
  struct kiln_name_entry *entry = kiln_scope_entry(S, d->name);
  struct kiln_fn *first = old ? (struct kiln_fn *)old->decl : S->in_library ? NULL : entry->function;
  if (first && !old)
    kiln_scope_add(S, KILN_SYMBOL_DECL, d->name, d->location)->decl = &first->decl;
  struct kiln_fn *clash = NULL; // differs in the result only
  for (struct kiln_fn *fn = first; fn; fn = fn->overload)
    if (fn->decl.type.type == d->type.type)
      return fn;
    else if (!clash && same_parameters(fn->decl.type.type, d->type.type))
      clash = fn;
  struct kiln_fn *fn = KILN_NEW(S->arena, struct kiln_fn);
  fn->decl.kind = KILN_DECL_FUNCTION;
  fn->decl.name = d->name;
  fn->decl.type = d->type;
  fn->decl.location = d->location;
  fn->decl.params = d->params;
  fn->decl.param_count = d->param_count;
  fn->end = d->end;
  KILN_VEC_PUSH(S->arena, &S->functions, fn);
  if (first && !overloadable && !first->is_overloadable)
    clash = first;
  if (clash) {
    bool silent =
        d->type.type->base.type->kind == KILN_CT_ERROR || clash->decl.type.type->base.type->kind == KILN_CT_ERROR;
    if (!silent) {
      kiln_sema_error(S, d->location, d->end, "conflicting types for '%s'", d->name->text);
      kiln_sema_note(S, clash->decl.location, 0, "previous %s is here",
                     clash->decl.body ? "definition" : "declaration");
    }
    return fn;
  }
  if (first) {
    fn->overload = first->overload;
    first->overload = fn;
    fn->is_overloadable = first->is_overloadable = true;
  } else {
    kiln_scope_add(S, KILN_SYMBOL_DECL, d->name, d->location)->decl = &fn->decl;
    if (!S->in_library)
      entry->function = fn;
  }
  return fn;
}

// What the declaration needs and Kiln does not have goes with what is declared.
static void keep_missing(struct kiln_sema *S, struct kiln_decl *decl) {
  if (!S->missing || S->fn)
    return;
  if (!decl->missing)
    decl->missing = S->missing;
  S->missing_kept = true;
}

struct kiln_fn *kiln_sema_function(struct kiln_sema *S, const struct kiln_specs *specs, struct kiln_declarator *d,
                                   bool is_definition) {
  check_signature(S, specs, d);
  if (S->lang->options->image_library && !S->in_library && kiln_is_image_library(d->name->text))
    kiln_sema_error(S, d->location, d->end, "'%s' is a name that the library keeps for itself", d->name->text);
  bool overloadable = d->attrs.overloadable || specs->attrs.overloadable;
  bool is_library = S->library_fn && d->name == S->library_fn->library_name;
  struct kiln_fn *fn = is_library ? S->library_fn : find_function(S, d, overloadable);
  fn->in_library = S->in_library;
  if (is_library && fn->decl.type.type != d->type.type)
    kiln_sema_error(S, d->location, d->end, "internal error: the built-in library defines '%s' as '%s', called as '%s'",
                    fn->library->instance, kiln_sema_qtype_text(S, d->type), kiln_sema_qtype_text(S, fn->decl.type));
  if (is_definition && fn->decl.body) {
    if (!fn->decl.missing) { // else maybe an overload for images of another kind
      kiln_sema_error(S, d->location, d->end, "redefinition of '%s'", d->name->text);
      kiln_sema_note(S, fn->decl.location, 0, "previous definition is here");
    }
    fn = KILN_NEW(S->arena, struct kiln_fn); // its body is still checked
    fn->decl.kind = KILN_DECL_FUNCTION;
    fn->decl.name = d->name;
    fn->decl.type = d->type;
  }
  if (is_definition || !fn->decl.body) {
    fn->decl.params = d->params;
    fn->decl.param_count = d->param_count;
    fn->decl.location = d->location;
  }
  fn->decl.is_kernel |= specs->is_kernel;
  fn->decl.is_inline |= specs->is_inline;
  fn->decl.is_static |= specs->storage == KILN_STORAGE_STATIC;
  fn->decl.is_extern |= specs->storage == KILN_STORAGE_EXTERN;
  merge_attributes(fn, &specs->attrs);
  merge_attributes(fn, &d->attrs);
  keep_missing(S, &fn->decl);
  return fn;
}

// ---- variables ------------------------------------------------------------------------------------------------------

// space: as written.
static uint8_t program_space(struct kiln_sema *S, const struct kiln_declarator *d, uint8_t space) {
  bool has_global = S->std >= 200;
  if (space == KILN_CONSTANT || (has_global && space == KILN_GLOBAL))
    return space;
  if (has_global && space == KILN_SPACE_NONE)
    return KILN_GLOBAL;
  kiln_sema_error(S, d->location, d->end, "program scope variable must reside in %sconstant address space",
                  has_global ? "global or " : "");
  return KILN_CONSTANT;
}

static uint8_t block_space(struct kiln_sema *S, const struct kiln_specs *specs, const struct kiln_declarator *d,
                           uint8_t space) {
  if (space == KILN_CONSTANT)
    return space;
  if (specs->storage == KILN_STORAGE_STATIC || specs->storage == KILN_STORAGE_EXTERN) {
    if (S->std >= 200 && (space == KILN_SPACE_NONE || space == KILN_GLOBAL))
      return KILN_GLOBAL;
    kiln_sema_error(S, d->location, d->end, "%s variable must reside in %sconstant address space",
                    specs->storage == KILN_STORAGE_STATIC ? "static local" : "extern",
                    S->std >= 200 ? "global or " : "");
    return space == KILN_LOCAL ? space : KILN_CONSTANT;
  }
  if (space == KILN_LOCAL) {
    if (!S->fn->decl.is_kernel && !S->in_library)
      kiln_sema_error(S, d->location, d->end, "non-kernel function variable cannot be declared in local address space");
    else if (S->depth != S->file_depth + 1)
      kiln_sema_error(S, d->location, d->end,
                      "variables in the local address space can only be declared in the outermost scope of a kernel "
                      "function");
    return space;
  }
  if (space != KILN_SPACE_NONE && space != KILN_PRIVATE)
    kiln_sema_error(S, d->location, d->end, "automatic variable qualified with an%s address space",
                    space == KILN_GENERIC ? " invalid" : "");
  return KILN_PRIVATE;
}

// The variable that is declared: an old one of the program's scope when this is a redeclaration of it.
static struct kiln_decl *variable_decl(struct kiln_sema *S, const struct kiln_declarator *d, struct kiln_qtype type,
                                       bool has_init) {
  struct kiln_symbol *old = kiln_scope_find_here(S, d->name);
  check_hidden(S, d);
  if (old && clashes(S, old, KILN_DECL_VARIABLE, d)) {
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
      kiln_sema_error(S, d->location, d->end, "redefinition of '%s'", d->name->text);
    else
      kiln_sema_error(S, d->location, d->end, "redefinition of '%s' with a different type: '%s' vs '%s'", d->name->text,
                      kiln_sema_type_text(S, type.type), kiln_sema_type_text(S, decl->type.type));
    kiln_sema_note(S, old->location, 0, "previous definition is here");
  }
  struct kiln_decl *decl = kiln_decl_new(S, KILN_DECL_VARIABLE, d->name, type, d->location);
  if (!old)
    kiln_scope_add(S, KILN_SYMBOL_DECL, d->name, d->location)->decl = decl;
  return decl;
}

void kiln_sema_initialize(struct kiln_sema *S, struct kiln_decl *decl, const struct kiln_declarator *d,
                          struct kiln_qtype type, struct kiln_expr *init, kiln_location equal, uint32_t changes) {
  if (decl->type.type->kind == KILN_CT_ARRAY && !decl->type.type->complete)
    decl->type.type = type.type;
  kiln_warn_unsequenced(S, init, changes);
  if (kiln_is_error(init))
    decl->init = init; // it is there, though wrong
  else if (decl->type.space == KILN_LOCAL)
    kiln_sema_error(S, d->location, d->end, "'__local' variable cannot have an initializer");
  else if (decl->type.type->kind == KILN_CT_ATOMIC && decl->type.space != KILN_GLOBAL)
    kiln_sema_error(S, d->location, d->end, "an atomic variable can be initialized in the global address space only");
  else if (decl->type.space != KILN_PRIVATE && !kiln_is_static_init(init)) {
    kiln_sema_error(S, init->location ? init->location : equal, init->end,
                    "initializer element is not a compile-time constant");
    decl->init = kiln_expr_error(S, equal, equal);
  } else {
    decl->init = init;
  }
}

static void check_complete(struct kiln_sema *S, struct kiln_decl *decl, const struct kiln_declarator *d) {
  if (decl->type.type->kind == KILN_CT_ARRAY && !decl->type.type->complete) {
    if (!decl->init && !decl->is_extern)
      kiln_sema_error(S, d->location, d->end,
                      "definition of variable with array type needs an explicit size or an initializer");
  } else if (decl->type.space == KILN_CONSTANT && !decl->init && !decl->is_extern) {
    kiln_sema_error(S, d->location, d->end, "variable in constant address space must be initialized");
  }
}

// "extern struct s x;" before the structure is defined: uses are looked at in the end (parse/library.c).
static bool may_be_completed(const struct kiln_specs *specs, const struct kiln_ctype *type, bool has_init) {
  return specs->storage == KILN_STORAGE_EXTERN && !has_init && type->kind == KILN_CT_RECORD && !type->complete;
}

// The type of a sampler that is a variable: of the program it is constant, whichever way that is said.
static struct kiln_qtype sampler_type(struct kiln_sema *S, const struct kiln_declarator *d, bool file_scope,
                                      bool has_init) {
  struct kiln_qtype type = d->type;
  bool is_constant = type.space == KILN_CONSTANT;
  if (type.space == KILN_LOCAL || type.space == KILN_GLOBAL)
    kiln_sema_error(S, d->location, d->end,
                    "sampler type cannot be used with the '__local' and '__global' address space qualifiers");
  else if (file_scope && !is_constant && !(type.quals & KILN_QUAL_CONST))
    kiln_sema_error(S, d->location, d->end, "global sampler requires a const or constant address space qualifier");
  else if (!has_init && !is_constant)
    kiln_sema_error(S, d->location, d->end, "a variable of type 'sampler_t' must be initialized");
  if (file_scope)
    type.space = KILN_CONSTANT;
  else if (!is_constant)
    type.space = KILN_PRIVATE;
  return type;
}

struct kiln_decl *kiln_sema_variable(struct kiln_sema *S, const struct kiln_specs *specs, struct kiln_declarator *d,
                                     bool has_init) {
  bool file_scope = is_file_scope(S);
  struct kiln_qtype type = d->type;
  bool is_array = type.type->kind == KILN_CT_ARRAY; // may still be completed
  if (type.type->kind == KILN_CT_SAMPLER)
    type = sampler_type(S, d, file_scope, has_init);
  if (type.type->kind == KILN_CT_IMAGE && !kiln_sema_type_usable(S, type, d->location, d->end))
    type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  if (type.type->kind != KILN_CT_ERROR) {
    type.space = file_scope ? program_space(S, d, type.space) : block_space(S, specs, d, type.space);
    type = kiln_ctype_with_space(S->types, type, type.space);
    if (!(file_scope && may_be_completed(specs, type.type, has_init)) &&
        (!is_array || kiln_ctype_element(kiln_ctype_innermost(type.type))->kind == KILN_CT_HALF) &&
        !kiln_sema_type_usable(S, type, d->location, d->end))
      type.type = kiln_ctype_scalar(KILN_CT_ERROR);
    else if (kiln_ctype_innermost(type.type)->kind == KILN_CT_EVENT && type.space != KILN_PRIVATE)
      kiln_sema_error(S, d->location, d->end,
                      "the event_t type can only be used with __private address space qualifier");
  } else {
    type.space = KILN_PRIVATE;
  }
  if (specs->is_kernel)
    kiln_sema_error(S, specs->kernel_location, 0, "'kernel' attribute only applies to functions");
  struct kiln_decl *decl = variable_decl(S, d, type, has_init);
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
  S->declared_plain |= !has_init;
  keep_missing(S, decl);
  return decl;
}

void kiln_sema_finish_variable(struct kiln_sema *S, struct kiln_decl *decl, const struct kiln_declarator *d,
                               struct kiln_stmt *stmt) {
  if (decl->type.type->kind != KILN_CT_ERROR)
    check_complete(S, decl, d);
  if (stmt) {
    if (!(stmt->decl_count & (stmt->decl_count - 1))) { // grows by doubling
      uint32_t capacity = stmt->decl_count ? stmt->decl_count * 2 : 1;
      stmt->decls = kiln_arena_grow(S->arena, stmt->decls, stmt->decl_count * sizeof *stmt->decls,
                                    capacity * sizeof *stmt->decls, _Alignof(struct kiln_decl *));
    }
    stmt->decls[stmt->decl_count++] = decl;
  }
  if (!is_file_scope(S) && decl->type.space != KILN_PRIVATE)
    KILN_VEC_PUSH(S->arena, &S->fn->variables, decl);
  else if (is_file_scope(S))
    KILN_VEC_PUSH(S->arena, &S->program_variables, decl);
}
