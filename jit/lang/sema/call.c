// Calls: of functions, of overloaded functions, and of built-in ones.
#include "jit/ir/images.h"
#include "jit/lang/sema/sema.h"

// ---- functions of the built-in library, whose text is parsed later (parse/library.c)

// "clamp(float4)" as a name that is fit for the IR: "clamp.float4".
static struct kiln_name *instance_name(struct kiln_sema *S, const char *instance) {
  size_t size = strlen(instance), n = 0;
  char *text = kiln_arena_strndup(S->arena, instance, size);
  for (size_t i = 0; i < size; i++) {
    char c = instance[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (word)
      text[n++] = c;
    else if (n && text[n - 1] != '.' && i + 1 < size)
      text[n++] = '.';
  }
  return kiln_names_intern(S->lang->names, text, n);
}

// The declaration of a function of the built-in library, made when it is first called.
static struct kiln_fn *library_function(struct kiln_sema *S, struct kiln_name *name,
                                        const struct kiln_builtin_overload *overload) {
  struct kiln_name *key = kiln_names_intern(S->lang->names, overload->instance, strlen(overload->instance));
  struct kiln_fn *fn = kiln_scope_entry(S, key)->instance;
  if (fn)
    return fn;
  fn = KILN_NEW(S->arena, struct kiln_fn);
  kiln_scope_entry(S, key)->instance = fn;
  struct kiln_builtin_overload *copy = KILN_NEW(S->arena, struct kiln_builtin_overload);
  *copy = *overload;
  fn->library = copy;
  fn->library_name =
      overload->defines ? kiln_names_intern(S->lang->names, overload->defines, strlen(overload->defines)) : name;
  fn->decl.kind = KILN_DECL_FUNCTION;
  fn->decl.name = instance_name(S, overload->instance);
  fn->decl.is_inline = true;
  fn->decl.is_library = true;
  fn->decl.library_inline = overload->exact;
  fn->decl.type = kiln_plain(
      kiln_ctype_function(S->types, kiln_plain(overload->result.type), overload->params, overload->param_count, false));
  return fn;
}

// ---- calls

#include "jit/lang/ast/builtin_call.h"

static void note_declared(struct kiln_sema *S, const struct kiln_fn *fn) {
  kiln_sema_note(S, fn->decl.location, 0, "'%s' declared here", fn->decl.name->text);
}

static kiln_location after(kiln_location close) { return close & KILN_LOCATION_MACRO ? close : close + 1; }

static void record_call(struct kiln_sema *S, struct kiln_fn *callee, kiln_location location) {
  if (S->unevaluated || !S->fn)
    return;
  KILN_VEC_PUSH(S->arena, &S->fn->calls, (struct kiln_call_site){callee, location});
}

static struct kiln_expr *call_function(struct kiln_sema *S, struct kiln_fn *fn, kiln_location location,
                                       struct kiln_expr **args, uint32_t count, kiln_location close) {
  const struct kiln_ctype *type = fn->decl.type.type;
  fn->decl.is_referenced = true;
  struct kiln_expr *e = kiln_expr_new(S, KILN_EX_CALL, kiln_plain(type->base.type), location, after(close));
  bool failed = type->base.type->kind == KILN_CT_ERROR;
  if (count != type->param_count && !(count > type->param_count && type->is_variadic)) {
    bool few = count < type->param_count;
    kiln_sema_error(S, few ? close : args[type->param_count]->location, 0,
                    "too %s arguments to function call, expected %u, have %u", few ? "few" : "many", type->param_count,
                    count);
    note_declared(S, fn);
    failed = true;
  }
  for (uint32_t i = 0; i < count && !failed; i++) {
    bool was_error = kiln_is_error(args[i]);
    if (i < type->param_count)
      args[i] = kiln_sema_assign(S, args[i], type->params[i], KILN_ASSIGN_PASS);
    if (!kiln_is_error(args[i]))
      continue;
    failed = true;
    if (!was_error && type->params[i].type->kind != KILN_CT_ERROR)
      kiln_sema_note(S, fn->decl.params && fn->decl.params[i] ? fn->decl.params[i]->location : fn->decl.location, 0,
                     "passing argument to parameter %s%s%shere", fn->decl.params && fn->decl.params[i]->name ? "'" : "",
                     fn->decl.params && fn->decl.params[i]->name ? fn->decl.params[i]->name->text : "",
                     fn->decl.params && fn->decl.params[i]->name ? "' " : "");
  }
  if (failed) {
    if (fn->decl.missing) // a type of its parameters
      kiln_sema_miss(S, fn->decl.missing);
    return kiln_expr_error(S, location, after(close));
  }
  record_call(S, fn, location);
  e->decl = &fn->decl;
  e->args = args;
  e->arg_count = count;
  return e;
}

// ---- overloads ------------------------------------------------------------------------------------------------------

enum match { MATCH_NONE, MATCH_CONVERT, MATCH_PROMOTE, MATCH_EXACT };

static enum match match_argument(const struct kiln_expr *arg, struct kiln_qtype param) {
  const struct kiln_ctype *a = arg->type.type, *b = param.type;
  if (a == b || kiln_same_type(a, b))
    return MATCH_EXACT;
  if (kiln_ctype_is_convertible(a) && kiln_ctype_is_convertible(b))
    return kiln_ctype_promotes(a, b) ? MATCH_PROMOTE : MATCH_CONVERT;
  if (b->kind == KILN_CT_VECTOR)
    return kiln_ctype_is_convertible(a) ? MATCH_CONVERT : MATCH_NONE;
  if (b->kind == KILN_CT_SAMPLER)
    return arg->kind == KILN_EX_INT && kiln_ctype_is_integer(a) ? MATCH_CONVERT : MATCH_NONE;
  if (b->kind != KILN_CT_POINTER)
    return MATCH_NONE;
  if (kiln_is_null_constant(arg))
    return MATCH_CONVERT;
  if (a->kind != KILN_CT_POINTER || !kiln_spaces_convert(a->base.space, b->base.space))
    return MATCH_NONE;
  if (kiln_same_type(a->base.type, b->base.type))
    return a->base.space != b->base.space                                              ? MATCH_CONVERT
           : (a->base.quals & ~b->base.quals & (KILN_QUAL_CONST | KILN_QUAL_VOLATILE)) ? MATCH_NONE
           : a->base.quals == b->base.quals                                            ? MATCH_EXACT
                                                                                       : MATCH_PROMOTE;
  return b->base.type->kind == KILN_CT_VOID ? MATCH_CONVERT : MATCH_NONE;
}

// 1 when a is better than b for these arguments, -1 when b is, 0 when neither.
static int compare_overloads(const struct kiln_fn *a, const struct kiln_fn *b, struct kiln_expr *const *args,
                             uint32_t count) {
  bool a_better = false, b_better = false;
  for (uint32_t i = 0; i < count; i++) {
    enum match x = match_argument(args[i], a->decl.type.type->params[i]);
    enum match y = match_argument(args[i], b->decl.type.type->params[i]);
    a_better |= x > y;
    b_better |= y > x;
  }
  return a_better == b_better ? 0 : a_better ? 1 : -1;
}

static enum match match_overload(const struct kiln_fn *fn, struct kiln_expr *const *args, uint32_t count) {
  const struct kiln_ctype *type = fn->decl.type.type;
  if (type->param_count != count)
    return MATCH_NONE;
  enum match worst = MATCH_EXACT;
  for (uint32_t i = 0; i < count; i++) {
    enum match match = match_argument(args[i], type->params[i]);
    worst = match < worst ? match : worst;
  }
  return worst;
}

static struct kiln_fn *choose_overload(struct kiln_fn *first, struct kiln_expr *const *args, uint32_t count,
                                       enum match *out, bool *ambiguous) {
  struct kiln_fn *best = NULL;
  *out = MATCH_NONE;
  *ambiguous = false;
  for (struct kiln_fn *fn = first; fn; fn = fn->overload) {
    enum match match = match_overload(fn, args, count);
    if (match == MATCH_NONE)
      continue;
    int order = best ? compare_overloads(fn, best, args, count) : 1;
    if (order > 0) {
      best = fn;
      *out = match;
      *ambiguous = false;
    } else if (order == 0) {
      *ambiguous = true;
    }
  }
  return best;
}

static void note_candidates(struct kiln_sema *S, const struct kiln_fn *first) {
  unsigned shown = 0;
  for (const struct kiln_fn *fn = first; fn && shown < 8; fn = fn->overload, shown++)
    kiln_sema_note(S, fn->decl.location, 0, "candidate function of type '%s'", kiln_sema_qtype_text(S, fn->decl.type));
}

// ---- built-in functions ---------------------------------------------------------------------------------------------

// A float passed where the number of arguments varies stays what it is unless the target has double.
static struct kiln_expr *promote_variadic(struct kiln_sema *S, struct kiln_expr *e) {
  e = kiln_sema_promote(S, e);
  if (e->type.type->kind == KILN_CT_BFLOAT)
    e = kiln_sema_convert(S, e, kiln_ctype_scalar(KILN_CT_FLOAT));
  if (e->type.type->kind == KILN_CT_HALF || (e->type.type->kind == KILN_CT_FLOAT && S->lang->options->fp64))
    return kiln_sema_convert(S, e, kiln_ctype_scalar(S->lang->options->fp64 ? KILN_CT_DOUBLE : KILN_CT_FLOAT));
  return e;
}

static struct kiln_builtin_env environment(struct kiln_sema *S) {
  return (struct kiln_builtin_env){.arena = S->arena,
                                   .types = S->types,
                                   .diags = S->lang->diags,
                                   .std = kiln_std_in_force(S),
                                   .inline_math = S->lang->options->inline_math,
                                   .hardware_math = S->lang->options->hardware_math,
                                   .fp_flags = S->exact ? 0 : S->lang->options->fp_flags,
                                   .fp64 = S->lang->options->fp64 || S->in_library,
                                   .fp16 = S->lang->options->fp16 || S->in_library,
                                   .sub_groups = S->lang->options->sub_groups,
                                   .int64_atomics = S->lang->options->int64_atomics || S->in_library,
                                   .generic_space = S->lang->options->generic_space || S->in_library};
}

// An operation on an image brings what may take its place. False after an error.
static bool add_image_library(struct kiln_sema *S, const struct kiln_builtin_overload *overload,
                              kiln_location location) {
  struct kiln_builtin_env env = environment(S);
  struct kiln_builtin_overload library;
  char name[KILN_IMAGE_LIBRARY_NAME_SIZE];
  if (!kiln_builtin_image_name(overload, name, sizeof name))
    return true;
  if (!kiln_builtin_image_library(&env, name, &library)) {
    kiln_sema_error(S, location, 0, "internal error: the built-in library has no '%s'", name);
    return false;
  }
  struct kiln_fn *fn = library_function(S, kiln_names_intern(S->lang->names, name, strlen(name)), &library);
  fn->decl.name = fn->library_name;
  fn->keeps_name = true;
  record_call(S, fn, location);
  return true;
}

// False after an error.
static bool resolve(struct kiln_sema *S, const struct kiln_builtin *builtin, kiln_location location,
                    kiln_location name_end, struct kiln_expr *const *args, uint32_t count,
                    struct kiln_builtin_overload *out) {
  struct kiln_builtin_env env = environment(S);
  return kiln_builtin_resolve(&env, builtin, location, name_end, args, count, out);
}

// Integer coordinates number pixels, of which one is read: a sampler that says something else gives anything.
static void warn_sampler(struct kiln_sema *S, const struct kiln_builtin_overload *read, struct kiln_expr *const *args) {
  const struct kiln_ctype *at = read->params[read->param_count - 1].type;
  const struct kiln_expr *sampler = args[1];
  while (sampler->kind == KILN_EX_CAST)
    sampler = sampler->left;
  bool are_integers = kiln_ctype_is_integer(at->kind == KILN_CT_VECTOR ? at->base.type : at);
  if (read->param_count != 3 || !are_integers || sampler->kind != KILN_EX_INT)
    return;
  if (sampler->value & KILN_SAMPLER_NORMALIZED)
    kiln_sema_warning(S, KILN_W_SAMPLER_COORDINATES, args[1]->location, args[1]->end,
                      "a sampler with normalized coordinates needs floating-point ones, not '%s'",
                      kiln_sema_type_text(S, at));
  else if (sampler->value & KILN_SAMPLER_LINEAR)
    kiln_sema_warning(S, KILN_W_SAMPLER_COORDINATES, args[1]->location, args[1]->end,
                      "a sampler with CLK_FILTER_LINEAR needs floating-point coordinates, not '%s'",
                      kiln_sema_type_text(S, at));
}

static struct kiln_expr *call_builtin(struct kiln_sema *S, const struct kiln_builtin *builtin, struct kiln_name *name,
                                      kiln_location location, kiln_location name_end, struct kiln_expr **args,
                                      uint32_t count, kiln_location close) {
  struct kiln_builtin_overload overload;
  if (S->stop || !resolve(S, builtin, location, name_end, args, count, &overload)) {
    S->check_limit = true;
    return kiln_expr_error(S, location, after(close));
  }
  if (overload.call && overload.call->how == KILN_HOW_SPECIAL && overload.call->code == KILN_SP_PRINTF)
    kiln_warn_format(S, args, count);
  for (uint32_t i = 0; i < count; i++) {
    args[i] = i < overload.param_count ? kiln_sema_assign(S, args[i], overload.params[i], KILN_ASSIGN_PASS)
                                       : promote_variadic(S, args[i]);
    if (i >= overload.param_count && kiln_ctype_is_opaque(args[i]->type.type))
      args[i] = kiln_expr_invalid(S, args[i]->location, args[i]->end, "cannot pass '%s' to '%s'",
                                  kiln_sema_type_text(S, args[i]->type.type), name->text);
    if (kiln_is_error(args[i]))
      return args[i];
  }
  if (overload.call && overload.call->how == KILN_HOW_SPECIAL && overload.call->code == KILN_SP_IMAGE_READ)
    warn_sampler(S, &overload, args);
  if (overload.call && S->lang->options->image_library && !add_image_library(S, &overload, location))
    return kiln_expr_error(S, location, after(close));
  struct kiln_expr *e = kiln_expr_new(S, overload.call ? KILN_EX_BUILTIN : KILN_EX_CALL,
                                      kiln_plain(overload.result.type), location, after(close));
  e->args = args;
  e->arg_count = count;
  if (overload.call) {
    e->builtin = overload.call;
  } else {
    struct kiln_fn *fn = library_function(S, name, &overload);
    record_call(S, fn, location);
    e->decl = &fn->decl;
  }
  return e;
}

// ---- any call -------------------------------------------------------------------------------------------------------

struct kiln_expr *kiln_sema_call(struct kiln_sema *S, struct kiln_symbol *symbol, struct kiln_name *name,
                                 kiln_location location, kiln_location name_end, struct kiln_expr **args,
                                 uint32_t count, kiln_location close) {
  for (uint32_t i = 0; i < count; i++) {
    args[i] = kiln_sema_value(S, args[i]);
    if (kiln_is_error(args[i]))
      return kiln_expr_error(S, location, close);
    if (args[i]->type.type->kind == KILN_CT_VOID)
      return kiln_expr_invalid(S, args[i]->location, args[i]->end, "argument type 'void' is incomplete");
  }
  if (symbol->kind == KILN_SYMBOL_BUILTIN)
    return call_builtin(S, symbol->builtin, name, location, name_end, args, count, close);
  struct kiln_fn *first = (struct kiln_fn *)symbol->decl;
  if (!first->is_overloadable)
    return call_function(S, first, location, args, count, close);
  enum match match;
  bool ambiguous;
  struct kiln_fn *best = choose_overload(first, args, count, &match, &ambiguous);
  const struct kiln_builtin *builtin = NULL;
  if (!best || match != MATCH_EXACT) // overloads of the program stand beside the built-in ones
    builtin = kiln_builtin_find(name->text, name->size, kiln_std_in_force(S), S->lang->options->images);
  if (builtin)
    return call_builtin(S, builtin, name, location, name_end, args, count, close);
  if (!best || ambiguous) {
    kiln_sema_error(S, location, name_end, best ? "call to '%s' is ambiguous" : "no matching function for call to '%s'",
                    name->text);
    note_candidates(S, first);
    return kiln_expr_error(S, location, close);
  }
  return call_function(S, best, location, args, count, close);
}
