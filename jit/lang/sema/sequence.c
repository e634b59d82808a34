// Changes of a variable that another change or a read of it in the same expression is not ordered against: i = i++,
// a[i] = i++, f(i++, i). Variables by their names only, as clang does it; what comes out of a macro's body is left
// alone.
#include "jit/lang/sema/sema.h"

enum { MOST_EFFECTS = 48, SEQUENCE_MAX_DEPTH = 300 };

struct effect {
  const struct kiln_decl *decl;
  kiln_location location;
  bool changes;
};
struct sequence {
  struct kiln_sema *S;
  struct effect effects[MOST_EFFECTS]; // so far, in the part of the expression that is being walked through
  uint32_t count, depth;
  const struct kiln_decl *said[8]; // once for each variable
  uint32_t said_count;
};

static void add(struct sequence *s, const struct kiln_decl *decl, kiln_location location, bool changes) {
  if (s->count < MOST_EFFECTS)
    s->effects[s->count++] = (struct effect){decl, location, changes};
}

static void report(struct sequence *s, const struct effect *a, const struct effect *b) {
  for (uint32_t i = 0; i < s->said_count; i++)
    if (s->said[i] == a->decl)
      return;
  const struct effect *change = a->changes ? a : b;
  if (s->said_count == 8 || change->location & KILN_LOCATION_MACRO)
    return;
  s->said[s->said_count++] = a->decl;
  kiln_sema_warning(s->S, KILN_W_UNSEQUENCED, change->location, 0,
                    a->changes && b->changes ? "multiple unsequenced modifications to '%s'"
                                             : "unsequenced modification and access to '%s'",
                    a->decl->name->text);
}

// What the effects in [first, middle) have with those after: they belong to operands that have no order.
static void compare(struct sequence *s, uint32_t first, uint32_t middle) {
  for (uint32_t i = first; i < middle; i++)
    for (uint32_t k = middle; k < s->count; k++)
      if (s->effects[i].decl == s->effects[k].decl && (s->effects[i].changes || s->effects[k].changes))
        report(s, &s->effects[i], &s->effects[k]);
}

static void walk(struct sequence *s, const struct kiln_expr *e);

// The operands are as they stand in e; the value is known before the change.
static void walk_change(struct sequence *s, const struct kiln_expr *e) {
  uint32_t first = s->count;
  if (e->left->kind != KILN_EX_VAR)
    walk(s, e->left);
  else if (e->kind == KILN_EX_COMPOUND)
    add(s, e->left->decl, e->left->location, false);
  uint32_t middle = s->count;
  if (e->right) {
    walk(s, e->right);
    compare(s, first, middle);
  }
  if (e->left->kind != KILN_EX_VAR)
    return;
  struct effect change = {e->left->decl, e->location, true};
  for (uint32_t i = first; i < s->count; i++)
    if (s->effects[i].changes && s->effects[i].decl == change.decl)
      report(s, &s->effects[i], &change);
  add(s, change.decl, change.location, true);
}

static void walk_args(struct sequence *s, const struct kiln_expr *e) {
  uint32_t first = s->count;
  for (uint32_t i = 0; i < e->arg_count; i++) {
    uint32_t middle = s->count;
    walk(s, e->args[i]);
    compare(s, first, middle);
  }
}

static void walk_kind(struct sequence *s, const struct kiln_expr *e) {
  uint32_t first = s->count;
  switch (e->kind) {
  case KILN_EX_VAR:
  case KILN_EX_STATEMENTS:
  case KILN_EX_INIT_LIST:
    return;
  case KILN_EX_CAST:
    if (e->cast == KILN_CAST_LOAD && e->left->kind == KILN_EX_VAR)
      add(s, e->left->decl, e->left->location, false);
    else
      walk(s, e->left);
    return;
  KILN_EX_CASES_CHANGE:
    walk_change(s, e);
    return;
  case KILN_EX_CALL:
  case KILN_EX_BUILTIN:
  case KILN_EX_VECTOR:
    walk_args(s, e);
    return;
  case KILN_EX_COND:
    walk(s, e->cond);
    walk(s, e->left);
    walk(s, e->right);
    return;
  case KILN_EX_COMMA: // in order
  case KILN_EX_LET:
  KILN_EX_CASES_LOGICAL:
    walk(s, e->left);
    walk(s, e->right);
    return;
  case KILN_EX_INT:
  case KILN_EX_FLOAT:
  case KILN_EX_STRING:
  case KILN_EX_ERROR:
  KILN_EX_CASES_PART:
  KILN_EX_CASES_UNARY:
  KILN_EX_CASES_ARITHMETIC:
  KILN_EX_CASES_COMPARE:
  KILN_EX_CASES_POINTER:
    break;
  }
  walk(s, e->left);
  uint32_t middle = s->count;
  walk(s, e->right);
  compare(s, first, middle);
}

static void walk(struct sequence *s, const struct kiln_expr *e) {
  if (!e || s->depth > SEQUENCE_MAX_DEPTH)
    return;
  s->depth++;
  walk_kind(s, e);
  s->depth--;
}

// Whether e itself is the change of a variable.
static bool is_change(const struct kiln_expr *e) {
  bool changes = e->kind >= KILN_EX_ASSIGN && e->kind <= KILN_EX_POST_DEC;
  return changes && e->left->kind == KILN_EX_VAR;
}

void kiln_warn_unsequenced(struct kiln_sema *S, const struct kiln_expr *e, uint32_t changes) {
  changes = S->changes - changes;
  uint32_t in_order = 0; // changes that are operands of the outermost commas, or all there is
  const struct kiln_expr *rest = e;
  for (; rest->kind == KILN_EX_COMMA; rest = rest->left)
    in_order += is_change(rest->right);
  in_order += is_change(rest);
  if (changes <= in_order || S->in_library || S->unevaluated || S->stop || S->lang->diags->errors)
    return;
  struct sequence s = {.S = S};
  walk(&s, e);
}
