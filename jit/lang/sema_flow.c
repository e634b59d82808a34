// Variables that are read before anything was written to them, as far as that is certain: on every way that leads to
// the read, nothing wrote before. One walk over the statements in the order of the source; what may be written on one
// way counts as written on all that come later, so that a doubt is never a warning.
#include "jit/lang/parse.h"

enum { FLOW_MAX_DEPTH = 1000 };

struct kiln_flow {
  struct kiln_parser *p;
  uint32_t open;  // variables that nothing was written to
  uint32_t depth; // of recursion
  bool marking;   // only notes what is written: the first of two walks over a loop
  bool dead;      // nothing gets here
  KILN_VEC(struct kiln_decl *) decls;
  KILN_VEC(const struct kiln_expr *) spine;
};

struct kiln_flow *kiln_flow_new(struct kiln_parser *p) {
  struct kiln_flow *f = KILN_NEW(p->arena, struct kiln_flow);
  f->p = p;
  return f;
}

static void written(struct kiln_flow *f, struct kiln_decl *decl) {
  if (decl->flow != KILN_FLOW_OPEN)
    return;
  decl->flow = KILN_FLOW_WRITTEN;
  f->open--;
}

static void read_variable(struct kiln_flow *f, const struct kiln_expr *e) {
  struct kiln_decl *decl = e->decl;
  if (decl->flow != KILN_FLOW_OPEN || f->marking)
    return;
  written(f, decl); // said once
  const char *name = decl->name->text;
  kiln_place end = decl->place & KILN_PLACE_MACRO ? decl->place : decl->place + decl->name->size;
  kiln_parse_warning(f->p, e->place, e->end, "variable '%s' is uninitialized when used here", name);
  kiln_parse_note(f->p, end, 0, "initialize the variable '%s' to silence this warning", name);
}

static void walk_expr(struct kiln_flow *f, const struct kiln_expr *e);
static void walk_stmt(struct kiln_flow *f, const struct kiln_stmt *s);

// An lvalue: the indices and pointers in it are read. write: the variable is written, or its address goes somewhere.
static void walk_place(struct kiln_flow *f, const struct kiln_expr *e, bool write) {
  for (;; e = e->left) {
    if (e->kind == KILN_EX_ELEMENT)
      walk_expr(f, e->right);
    else if (e->kind == KILN_EX_VAR && write)
      written(f, e->decl);
    if (e->kind == KILN_EX_VAR)
      return;
    if (e->kind != KILN_EX_ELEMENT && e->kind != KILN_EX_MEMBER && e->kind != KILN_EX_SWIZZLE &&
        !(e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SAME)) {
      walk_expr(f, e->kind == KILN_EX_DEREF ? e->left : e);
      return;
    }
  }
}

static void walk_args(struct kiln_flow *f, const struct kiln_expr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    walk_expr(f, e->args[i]);
}

// An expression whose operands are not simply left and right.
static bool walk_special(struct kiln_flow *f, const struct kiln_expr *e) {
  switch ((int)e->kind) {
  case KILN_EX_INT:
  case KILN_EX_FLOAT:
  case KILN_EX_STRING:
  case KILN_EX_ERROR:
    return true;
  case KILN_EX_VAR:
    written(f, e->decl);
    return true;
  case KILN_EX_ADDRESS:
    walk_place(f, e->left, true);
    return true;
  case KILN_EX_ASSIGN:
    walk_expr(f, e->right);
    walk_place(f, e->left, true);
    return true;
  case KILN_EX_COMPOUND:
  case KILN_EX_PRE_INC:
  case KILN_EX_PRE_DEC:
  case KILN_EX_POST_INC:
  case KILN_EX_POST_DEC:
    if (e->right)
      walk_expr(f, e->right);
    if (e->left->kind == KILN_EX_VAR)
      read_variable(f, e->left);
    walk_place(f, e->left, true);
    return true;
  case KILN_EX_CALL:
  case KILN_EX_BUILTIN:
  case KILN_EX_VECTOR:
    walk_args(f, e);
    return true;
  case KILN_EX_INIT_LIST:
    for (uint32_t i = 0; i < e->init_count; i++)
      walk_expr(f, e->inits[i].value);
    return true;
  case KILN_EX_COND:
    walk_expr(f, e->cond);
    walk_expr(f, e->left);
    walk_expr(f, e->right);
    return true;
  case KILN_EX_STATEMENTS:
    walk_stmt(f, e->body);
    if (e->right)
      walk_expr(f, e->right);
    return true;
  case KILN_EX_CAST:
    if (e->cast == KILN_CAST_LOAD && e->left->kind == KILN_EX_VAR)
      read_variable(f, e->left);
    else if (e->cast == KILN_CAST_LOAD || e->cast == KILN_CAST_DECAY)
      walk_place(f, e->left, false);
    else // "(void)x" reads nothing
      return e->cast == KILN_CAST_VOID && e->left->kind == KILN_EX_CAST && e->left->cast == KILN_CAST_LOAD &&
             e->left->left->kind == KILN_EX_VAR;
    return true;
  }
  return false;
}

// Left operands by iteration: chains of operators lean to the left.
static void walk_expr(struct kiln_flow *f, const struct kiln_expr *e) {
  if (f->depth > FLOW_MAX_DEPTH)
    return;
  f->depth++;
  uint32_t base = f->spine.count;
  for (; e && !walk_special(f, e); e = e->left)
    KILN_VEC_PUSH(f->p->arena, &f->spine, e);
  while (f->spine.count > base) {
    const struct kiln_expr *link = f->spine.items[--f->spine.count];
    if (link->right)
      walk_expr(f, link->right);
  }
  f->depth--;
}

// ---- statements -----------------------------------------------------------------------------------------------------

static bool is_tracked(const struct kiln_decl *decl) {
  const struct kiln_ctype *t = decl->type.type;
  return decl->kind == KILN_DECL_VARIABLE && !decl->init && !decl->is_static && !decl->is_extern && decl->name &&
         decl->type.space == KILN_PRIVATE && !(decl->type.quals & KILN_QUAL_VOLATILE) &&
         (kiln_ctype_is_scalar_number(kiln_ctype_element(t)) || t->kind == KILN_CT_POINTER);
}

static void walk_decl(struct kiln_flow *f, struct kiln_decl *decl) {
  if (decl->kind == KILN_DECL_VARIABLE && decl->init)
    walk_expr(f, decl->init);
  if (f->marking || !is_tracked(decl))
    return;
  if (decl->flow != KILN_FLOW_OPEN)
    f->open++;
  decl->flow = KILN_FLOW_OPEN;
  KILN_VEC_PUSH(f->p->arena, &f->decls, decl);
}

static bool is_known(const struct kiln_expr *e, bool value) {
  return e && e->kind == KILN_EX_INT && (e->value != 0) == value;
}

static void loop_parts(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (s->kind == KILN_ST_DO)
    walk_stmt(f, s->body);
  f->dead = false;
  if (s->expr)
    walk_expr(f, s->expr);
  if (s->kind != KILN_ST_DO && !is_known(s->expr, false))
    walk_stmt(f, s->body);
  f->dead = false;
  if (s->step)
    walk_expr(f, s->step);
}

// What is written anywhere in a loop may be written when it begins again.
static void walk_loop(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (s->first)
    walk_stmt(f, s->first);
  bool once = s->kind == KILN_ST_DO && is_known(s->expr, false);
  if (!f->marking && f->open && !once) {
    f->marking = true;
    loop_parts(f, s);
    f->marking = false;
  }
  loop_parts(f, s);
}

static void walk_if(struct kiln_flow *f, const struct kiln_stmt *s) {
  bool all_dead = true;
  for (; s && s->kind == KILN_ST_IF; s = s->other) {
    walk_expr(f, s->expr);
    if (!is_known(s->expr, false)) {
      walk_stmt(f, s->body);
      all_dead &= f->dead;
      f->dead = false;
    }
    if (is_known(s->expr, true)) {
      f->dead = all_dead;
      return;
    }
  }
  if (s)
    walk_stmt(f, s);
  f->dead = s && f->dead && all_dead;
}

static void walk_stmt(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (!s || f->depth > FLOW_MAX_DEPTH)
    return;
  bool entered = s->kind == KILN_ST_LABEL || s->kind == KILN_ST_CASE || s->kind == KILN_ST_DEFAULT;
  if (f->dead && !f->marking && !entered && s->kind != KILN_ST_COMPOUND && s->kind != KILN_ST_SWITCH) {
    f->marking = true; // there may be a case in it
    walk_stmt(f, s);
    f->marking = false;
    f->dead = true;
    return;
  }
  f->depth++;
  switch (s->kind) {
  case KILN_ST_EXPR:
    if (s->expr)
      walk_expr(f, s->expr);
    break;
  case KILN_ST_DECL:
    for (uint32_t i = 0; i < s->decl_count; i++)
      walk_decl(f, s->decls[i]);
    break;
  case KILN_ST_COMPOUND:
    for (uint32_t i = 0; i < s->stmt_count; i++)
      walk_stmt(f, s->stmts[i]);
    break;
  case KILN_ST_IF:
    walk_if(f, s);
    break;
  case KILN_ST_WHILE:
  case KILN_ST_DO:
  case KILN_ST_FOR:
    walk_loop(f, s);
    break;
  case KILN_ST_SWITCH:
    walk_expr(f, s->expr);
    walk_stmt(f, s->body);
    f->dead = false;
    break;
  case KILN_ST_LABEL: // it may be reached from anywhere
    for (uint32_t i = 0; i < f->decls.count; i++)
      written(f, f->decls.items[i]);
    f->dead = false;
    walk_stmt(f, s->body);
    break;
  case KILN_ST_CASE:
  case KILN_ST_DEFAULT:
    f->dead = false;
    walk_stmt(f, s->body);
    break;
  case KILN_ST_RETURN:
    if (s->expr)
      walk_expr(f, s->expr);
    f->dead = true;
    break;
  case KILN_ST_BREAK:
  case KILN_ST_CONTINUE:
  case KILN_ST_GOTO:
    f->dead = true;
    break;
  }
  f->depth--;
}

void kiln_flow_statement(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (f->open || f->p->declared_plain)
    walk_stmt(f, s);
  else
    f->dead = false;
  f->p->declared_plain = false;
}
