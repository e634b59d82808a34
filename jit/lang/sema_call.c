// Calls: of functions, of overloaded functions, and of built-in ones.
#include "jit/lang/parse.h"

#include "jit/lang/builtin_call.h"

static void note_declared(struct kiln_parser *p, const struct kiln_fn *fn) {
  kiln_parse_note(p, fn->decl.place, 0, "'%s' declared here", fn->decl.name->text);
}

static kiln_place behind(kiln_place close) { return close & KILN_PLACE_MACRO ? close : close + 1; }

static void record_call(struct kiln_parser *p, struct kiln_fn *callee, kiln_place place) {
  if (p->unevaluated || !p->fn)
    return;
  KILN_VEC_PUSH(p->arena, &p->fn->calls, (struct kiln_call_site){callee, place});
}

static struct kiln_expr *call_function(struct kiln_parser *p, struct kiln_fn *fn, kiln_place place,
                                       struct kiln_expr **args, uint32_t count, kiln_place close) {
  const struct kiln_ctype *type = fn->decl.type.type;
  fn->decl.is_referenced = true;
  struct kiln_expr *e = kiln_expr_new(p, KILN_EX_CALL, kiln_plain(type->base.type), place, behind(close));
  bool failed = type->base.type->kind == KILN_CT_ERROR;
  if (count != type->param_count && !(count > type->param_count && type->is_variadic)) {
    bool few = count < type->param_count;
    kiln_parse_error(p, few ? close : args[type->param_count]->place, 0,
                     "too %s arguments to function call, expected %u, have %u", few ? "few" : "many", type->param_count,
                     count);
    note_declared(p, fn);
    failed = true;
  }
  for (uint32_t i = 0; i < count && !failed; i++) {
    bool was_error = kiln_is_error(args[i]);
    if (i < type->param_count)
      args[i] = kiln_sema_assign(p, args[i], type->params[i], KILN_ASSIGN_PASS);
    if (!kiln_is_error(args[i]))
      continue;
    failed = true;
    if (!was_error && type->params[i].type->kind != KILN_CT_ERROR)
      kiln_parse_note(p, fn->decl.params && fn->decl.params[i] ? fn->decl.params[i]->place : fn->decl.place, 0,
                      "passing argument to parameter %s%s%shere",
                      fn->decl.params && fn->decl.params[i]->name ? "'" : "",
                      fn->decl.params && fn->decl.params[i]->name ? fn->decl.params[i]->name->text : "",
                      fn->decl.params && fn->decl.params[i]->name ? "' " : "");
  }
  if (failed)
    return kiln_expr_error(p, place, behind(close));
  record_call(p, fn, place);
  e->decl = &fn->decl;
  e->args = args;
  e->arg_count = count;
  return e;
}

// ---- overloads ------------------------------------------------------------------------------------------------------

enum match { MATCH_NONE, MATCH_CONVERT, MATCH_PROMOTE, MATCH_EXACT };

static enum match match_argument(struct kiln_parser *p, const struct kiln_expr *arg, struct kiln_qtype param) {
  const struct kiln_ctype *a = arg->type.type, *b = param.type;
  if (a == b || kiln_same_type(a, b))
    return MATCH_EXACT;
  if (kiln_ctype_is_scalar_number(a) && kiln_ctype_is_scalar_number(b)) {
    bool promotes = (a->kind < KILN_CT_INT && b->kind == KILN_CT_INT) ||
                    (a->kind == KILN_CT_FLOAT && b->kind == KILN_CT_DOUBLE) ||
                    (a->kind == KILN_CT_ENUM && b == a->base.type);
    return promotes ? MATCH_PROMOTE : MATCH_CONVERT;
  }
  if (b->kind == KILN_CT_VECTOR)
    return kiln_ctype_is_scalar_number(a) ? MATCH_CONVERT : MATCH_NONE;
  if (b->kind != KILN_CT_POINTER)
    return MATCH_NONE;
  if (kiln_is_null_constant(arg))
    return MATCH_CONVERT;
  if (a->kind != KILN_CT_POINTER || !kiln_spaces_convert(p, a->base.space, b->base.space))
    return MATCH_NONE;
  if (kiln_same_type(a->base.type, b->base.type))
    return a->base.space != b->base.space                                              ? MATCH_CONVERT
           : (a->base.quals & ~b->base.quals & (KILN_QUAL_CONST | KILN_QUAL_VOLATILE)) ? MATCH_NONE
           : a->base.quals == b->base.quals                                            ? MATCH_EXACT
                                                                                       : MATCH_PROMOTE;
  return b->base.type->kind == KILN_CT_VOID ? MATCH_CONVERT : MATCH_NONE;
}

// 1 when a is better than b for these arguments, -1 when b is, 0 when neither.
static int compare_overloads(struct kiln_parser *p, const struct kiln_fn *a, const struct kiln_fn *b,
                             struct kiln_expr *const *args, uint32_t count) {
  bool a_better = false, b_better = false;
  for (uint32_t i = 0; i < count; i++) {
    enum match x = match_argument(p, args[i], a->decl.type.type->params[i]);
    enum match y = match_argument(p, args[i], b->decl.type.type->params[i]);
    a_better |= x > y;
    b_better |= y > x;
  }
  return a_better == b_better ? 0 : a_better ? 1 : -1;
}

static enum match match_overload(struct kiln_parser *p, const struct kiln_fn *fn, struct kiln_expr *const *args,
                                 uint32_t count) {
  const struct kiln_ctype *type = fn->decl.type.type;
  if (type->param_count != count)
    return MATCH_NONE;
  enum match worst = MATCH_EXACT;
  for (uint32_t i = 0; i < count; i++) {
    enum match match = match_argument(p, args[i], type->params[i]);
    worst = match < worst ? match : worst;
  }
  return worst;
}

static struct kiln_fn *choose_overload(struct kiln_parser *p, struct kiln_fn *first, struct kiln_expr *const *args,
                                       uint32_t count, enum match *out, bool *ambiguous) {
  struct kiln_fn *best = NULL;
  *out = MATCH_NONE;
  *ambiguous = false;
  for (struct kiln_fn *fn = first; fn; fn = fn->overload) {
    enum match match = match_overload(p, fn, args, count);
    if (match == MATCH_NONE)
      continue;
    int order = best ? compare_overloads(p, fn, best, args, count) : 1;
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

static void note_candidates(struct kiln_parser *p, const struct kiln_fn *first) {
  unsigned shown = 0;
  for (const struct kiln_fn *fn = first; fn && shown < 8; fn = fn->overload, shown++)
    kiln_parse_note(p, fn->decl.place, 0, "candidate function of type '%s'", kiln_parse_type_text(p, fn->decl.type));
}

// ---- built-in functions ---------------------------------------------------------------------------------------------

// A float passed where the number of arguments varies stays what it is unless the target has double.
static struct kiln_expr *promote_variadic(struct kiln_parser *p, struct kiln_expr *e) {
  e = kiln_sema_promote(p, e);
  if (e->type.type->kind == KILN_CT_HALF || (e->type.type->kind == KILN_CT_FLOAT && p->lang->options->fp64))
    return kiln_sema_convert(p, e,
                             kiln_ctype_scalar(p->types, p->lang->options->fp64 ? KILN_CT_DOUBLE : KILN_CT_FLOAT));
  return e;
}

struct kiln_pick { // what a call of a built-in function chose, for all others with arguments of the same types
  const struct kiln_builtin *builtin;
  const struct kiln_ctype *types[KILN_PICK_ARGUMENTS];
  uint32_t count;
  bool in_library, exact;
  struct kiln_builtin_pick pick;
};

static struct kiln_pick **pick_of(struct kiln_parser *p, const struct kiln_builtin *builtin,
                                  struct kiln_expr *const *args, uint32_t count) {
  return &p->picks[((uintptr_t)builtin / 16 + (count ? args[0]->type.type->kind : 0)) % KILN_PICKS];
}

static bool is_pick_for(const struct kiln_pick *kept, const struct kiln_parser *p, const struct kiln_builtin *builtin,
                        struct kiln_expr *const *args, uint32_t count) {
  if (!kept || kept->builtin != builtin || kept->count != count || kept->in_library != p->in_library ||
      kept->exact != p->exact)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (kept->types[i] != args[i]->type.type)
      return false;
  return true;
}

// Keeps the pick, if it depends on nothing but the types.
static void keep_pick(struct kiln_parser *p, const struct kiln_builtin *builtin, struct kiln_expr *const *args,
                      uint32_t count, const struct kiln_builtin_pick *pick) {
  bool is_special = pick->call && pick->call->how == KILN_HOW_SPECIAL;
  if (is_special || count > KILN_PICK_ARGUMENTS || count != pick->param_count)
    return;
  for (uint32_t i = 0; i < count; i++)
    if (pick->params[i].type->kind > KILN_CT_POINTER) // a 0 may be an event
      return;
  struct kiln_pick **kept = pick_of(p, builtin, args, count);
  if (!*kept)
    *kept = KILN_NEW(p->arena, struct kiln_pick);
  **kept = (struct kiln_pick){
      .builtin = builtin, .count = count, .in_library = p->in_library, .exact = p->exact, .pick = *pick};
  for (uint32_t i = 0; i < count; i++)
    (*kept)->types[i] = args[i]->type.type;
}

// room: for the result. NULL after an error.
static const struct kiln_builtin_pick *resolve(struct kiln_parser *p, const struct kiln_builtin *builtin,
                                               kiln_place place, kiln_place name_end, struct kiln_expr *const *args,
                                               uint32_t count, struct kiln_builtin_pick *room) {
  const struct kiln_pick *kept = *pick_of(p, builtin, args, count);
  if (is_pick_for(kept, p, builtin, args, count))
    return &kept->pick;
  struct kiln_builtin_env env = {.arena = p->arena,
                                 .types = p->types,
                                 .diags = p->lang->diags,
                                 .std = kiln_std_in_force(p),
                                 .inline_math = p->lang->options->inline_math,
                                 .fp_flags = p->exact ? 0 : p->lang->options->fp_flags,
                                 .fp64 = p->lang->options->fp64 || p->in_library,
                                 .fp16 = p->lang->options->fp16 || p->in_library,
                                 .sub_groups = p->lang->options->sub_groups,
                                 .int64_atomics = p->lang->options->int64_atomics || p->in_library,
                                 .generic_space = p->lang->options->generic_space || p->in_library};
  if (!kiln_builtin_resolve(&env, builtin, place, name_end, args, count, room))
    return NULL;
  keep_pick(p, builtin, args, count, room);
  return room;
}

static struct kiln_expr *call_builtin(struct kiln_parser *p, const struct kiln_builtin *builtin, struct kiln_name *name,
                                      kiln_place place, kiln_place name_end, struct kiln_expr **args, uint32_t count,
                                      kiln_place close) {
  struct kiln_builtin_pick room;
  const struct kiln_builtin_pick *pick = p->stop ? NULL : resolve(p, builtin, place, name_end, args, count, &room);
  if (!pick) {
    p->check_limit = true;
    return kiln_expr_error(p, place, behind(close));
  }
  if (pick->call && pick->call->how == KILN_HOW_SPECIAL && pick->call->code == KILN_SP_PRINTF)
    kiln_warn_format(p, args, count);
  for (uint32_t i = 0; i < count; i++) {
    args[i] = i < pick->param_count ? kiln_sema_assign(p, args[i], pick->params[i], KILN_ASSIGN_PASS)
                                    : promote_variadic(p, args[i]);
    if (kiln_is_error(args[i]))
      return args[i];
  }
  struct kiln_expr *e = kiln_expr_new(p, pick->call ? KILN_EX_BUILTIN : KILN_EX_CALL, kiln_plain(pick->result.type),
                                      place, behind(close));
  e->args = args;
  e->arg_count = count;
  if (pick->call) {
    e->builtin = pick->call;
  } else {
    struct kiln_fn *fn = kiln_library_function(p, name, pick);
    record_call(p, fn, place);
    e->decl = &fn->decl;
  }
  return e;
}

// ---- any call -------------------------------------------------------------------------------------------------------

struct kiln_expr *kiln_sema_call(struct kiln_parser *p, struct kiln_symbol *symbol, struct kiln_name *name,
                                 kiln_place place, kiln_place name_end, struct kiln_expr **args, uint32_t count,
                                 kiln_place close) {
  for (uint32_t i = 0; i < count; i++) {
    args[i] = kiln_sema_value(p, args[i]);
    if (kiln_is_error(args[i]))
      return kiln_expr_error(p, place, close);
    if (args[i]->type.type->kind == KILN_CT_VOID) {
      kiln_parse_error(p, args[i]->place, args[i]->end, "argument type 'void' is incomplete");
      return kiln_expr_error(p, place, close);
    }
  }
  if (symbol->kind == KILN_SYMBOL_BUILTIN)
    return call_builtin(p, symbol->builtin, name, place, name_end, args, count, close);
  struct kiln_fn *first = (struct kiln_fn *)symbol->decl;
  if (!first->is_overloadable)
    return call_function(p, first, place, args, count, close);
  enum match match;
  bool ambiguous;
  struct kiln_fn *best = choose_overload(p, first, args, count, &match, &ambiguous);
  const struct kiln_builtin *builtin = NULL;
  if (!best || match != MATCH_EXACT) // overloads of the program stand beside the built-in ones
    builtin = kiln_builtin_find(name->text, name->size, kiln_std_in_force(p));
  if (builtin)
    return call_builtin(p, builtin, name, place, name_end, args, count, close);
  if (!best || ambiguous) {
    kiln_parse_error(p, place, name_end, best ? "call to '%s' is ambiguous" : "no matching function for call to '%s'",
                     name->text);
    note_candidates(p, first);
    return kiln_expr_error(p, place, close);
  }
  return call_function(p, best, place, args, count, close);
}
