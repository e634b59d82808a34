// Variables that are read before anything was written to them: on every way that leads to the read, or whenever a
// branch is taken that cannot but lead to it, as clang has it. One walk over the statements in the order of the source,
// two over those in loops. What is not certain is never a warning.
#include "jit/lang/sema/sema.h"

enum { FLOW_MAX_DEPTH = 1000, MOST_VARIABLES = 64 }; // more variables at once are not looked at

// Sets of variables, a bit for each, at a place of the source. A variable in none of them was written, or it is not
// known that it was not.
struct flow_state {
  uint64_t open;   // written on no way that leads here
  uint64_t maybe;  // written on some of the ways, but not on all
  uint64_t blamed; // of maybe: taking the branch that is the variable's culprit inevitably leads here
  bool dead;       // no way leads here
};

struct flow_target { // a loop or switch that is walked through
  struct flow_target *up;
  bool is_switch, has_default;
  struct flow_state breaks, continues;
  struct flow_state entry;       // of a switch: at each of its cases
  const struct kiln_stmt *label; // the last case
  uint32_t bends, nesting;       // at that
  uint64_t opened;               // what a case leaves open whatever comes after it
};

struct culprit {
  const struct kiln_stmt *stmt; // IF, a loop that ends because of its condition, CASE or DEFAULT
  bool truth;                   // IF: of the condition
};

struct kiln_flow {
  struct kiln_sema *S;
  struct flow_state now;
  uint64_t used, said; // variables that have a bit; those about which something was said
  struct kiln_decl *owners[MOST_VARIABLES];
  struct culprit culprits[MOST_VARIABLES];
  struct flow_target *targets;
  uint32_t bends;   // jumps and loops so far: whether a way went straight on
  uint32_t nesting; // of branches
  uint32_t depth;   // of recursion
  bool silent;      // the first of two walks over a loop
  KILN_VEC(const struct kiln_expr *) spine;
};

static const struct flow_state nowhere = {.dead = true};

struct kiln_flow *kiln_flow_new(struct kiln_sema *S) {
  struct kiln_flow *f = KILN_NEW(S->arena, struct kiln_flow);
  f->S = S;
  return f;
}

static struct flow_state merged(struct flow_state a, struct flow_state b) {
  if (a.dead || b.dead)
    return a.dead ? b : a;
  struct flow_state r = {.open = a.open & b.open};
  r.maybe = (a.open | a.maybe | b.open | b.maybe) & ~r.open;
  r.blamed = (a.blamed | b.blamed) & r.maybe;
  return r;
}

static uint64_t bit_of(const struct kiln_flow *f, const struct kiln_decl *decl) {
  return decl->flow_slot && f->owners[decl->flow_slot - 1] == decl ? UINT64_C(1) << (decl->flow_slot - 1) : 0;
}

static void written(struct kiln_flow *f, const struct kiln_decl *decl) {
  uint64_t bit = bit_of(f, decl);
  f->now.open &= ~bit;
  f->now.maybe &= ~bit;
  f->now.blamed &= ~bit;
}

static void blame(struct kiln_flow *f, uint64_t bits, const struct kiln_stmt *stmt, bool truth) {
  for (; bits; bits &= bits - 1)
    f->culprits[__builtin_ctzll(bits)] = (struct culprit){stmt, truth};
}

// ---- warnings -------------------------------------------------------------------------------------------------------

static const char *loop_word(const struct kiln_stmt *s) {
  return s->kind == KILN_ST_FOR ? "for" : s->kind == KILN_ST_WHILE ? "while" : "do";
}

// False when there is no location to show: the branch comes out of a macro.
static bool warn_branch(struct kiln_flow *f, const char *name, struct culprit culprit) {
  const struct kiln_stmt *s = culprit.stmt;
  bool is_case = s->kind == KILN_ST_CASE || s->kind == KILN_ST_DEFAULT;
  kiln_location location = is_case ? s->location : kiln_expr_begin(s->expr);
  if (location & KILN_LOCATION_MACRO)
    return false;
  const char *used = kiln_arena_printf(f->S->arena, "variable '%s' is used uninitialized whenever", name);
  if (is_case)
    kiln_sema_warning(f->S, KILN_W_SOMETIMES_UNINITIALIZED, location, 0, "%s switch %s is taken", used,
                      s->kind == KILN_ST_CASE ? "case" : "default");
  else if (s->kind == KILN_ST_IF)
    kiln_sema_warning(f->S, KILN_W_SOMETIMES_UNINITIALIZED, location, 0, "%s 'if' condition is %s", used,
                      culprit.truth ? "true" : "false");
  else
    kiln_sema_warning(f->S, KILN_W_SOMETIMES_UNINITIALIZED, location, 0,
                      "%s '%s' loop exits because its condition is false", used, loop_word(s));
  return true;
}

static void read_at(struct kiln_flow *f, const struct kiln_decl *decl, kiln_location first, kiln_location after) {
  uint64_t bit = bit_of(f, decl);
  if (f->silent || !((f->now.open | f->now.blamed) & bit & ~f->said))
    return;
  f->said |= bit;
  const char *name = decl->name->text;
  kiln_location end = decl->location & KILN_LOCATION_MACRO ? decl->location : decl->location + decl->name->size;
  if (f->now.open & bit)
    kiln_sema_warning(f->S, KILN_W_UNINITIALIZED, first, after, "variable '%s' is uninitialized when used here", name);
  else if (warn_branch(f, name, f->culprits[decl->flow_slot - 1]))
    kiln_sema_note(f->S, first, after, "uninitialized use occurs here");
  else
    return;
  kiln_sema_note(f->S, end, 0, "initialize the variable '%s' to silence this warning", name);
}

static void read_variable(struct kiln_flow *f, const struct kiln_expr *e) { read_at(f, e->decl, e->location, e->end); }

// ---- expressions ----------------------------------------------------------------------------------------------------

static void walk_expr(struct kiln_flow *f, const struct kiln_expr *e);
static void walk_stmt(struct kiln_flow *f, const struct kiln_stmt *s);

// An lvalue: the indices and pointers in it are read. write: the variable is written, or its address goes somewhere.
static void walk_lvalue(struct kiln_flow *f, const struct kiln_expr *e, bool write) {
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

// Of two expressions one is evaluated; NULL: the other one, or none.
static void walk_choice(struct kiln_flow *f, const struct kiln_expr *first, const struct kiln_expr *second) {
  struct flow_state before = f->now;
  uint32_t bends = f->bends;
  f->nesting++;
  f->now.blamed = 0;
  walk_expr(f, first);
  struct flow_state one = f->now;
  f->now = before;
  f->now.blamed = 0;
  if (second)
    walk_expr(f, second);
  uint64_t blamed = f->bends == bends ? before.blamed & one.maybe & f->now.maybe : 0;
  f->now = merged(one, f->now);
  f->now.blamed |= blamed;
  f->nesting--;
}

// An expression whose operands are not simply left and right.
static bool walk_special(struct kiln_flow *f, const struct kiln_expr *e) {
  switch (e->kind) {
  case KILN_EX_INT:
  case KILN_EX_FLOAT:
  case KILN_EX_STRING:
  case KILN_EX_ERROR:
    return true;
  case KILN_EX_VAR:
    written(f, e->decl);
    return true;
  case KILN_EX_ADDRESS:
    walk_lvalue(f, e->left, true);
    return true;
  case KILN_EX_ASSIGN:
    walk_expr(f, e->right);
    walk_lvalue(f, e->left, true);
    return true;
  case KILN_EX_COMPOUND:
  KILN_EX_CASES_STEP:
    if (e->right)
      walk_expr(f, e->right);
    if (e->left->kind == KILN_EX_VAR)
      read_variable(f, e->left);
    walk_lvalue(f, e->left, true);
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
    walk_choice(f, e->left, e->right);
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
      walk_lvalue(f, e->left, false);
    else // "(void)x" reads nothing
      return e->cast == KILN_CAST_VOID && e->left->kind == KILN_EX_CAST && e->left->cast == KILN_CAST_LOAD &&
             e->left->left->kind == KILN_EX_VAR;
    return true;
  case KILN_EX_DEREF:
  case KILN_EX_MEMBER:
  case KILN_EX_SWIZZLE:
  case KILN_EX_ELEMENT:
  case KILN_EX_COMPOUND_LITERAL:
  case KILN_EX_LET:
  case KILN_EX_COMMA:
  KILN_EX_CASES_UNARY:
  KILN_EX_CASES_ARITHMETIC:
  KILN_EX_CASES_COMPARE:
  KILN_EX_CASES_LOGICAL:
  KILN_EX_CASES_POINTER:
    break;
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
    KILN_VEC_PUSH(f->S->arena, &f->spine, e);
  while (f->spine.count > base) {
    const struct kiln_expr *link = f->spine.items[--f->spine.count];
    bool is_short = link->kind == KILN_EX_LOGAND || link->kind == KILN_EX_LOGOR;
    if (is_short && link->type.type->kind != KILN_CT_VECTOR)
      walk_choice(f, link->right, NULL);
    else if (link->right)
      walk_expr(f, link->right);
  }
  f->depth--;
}

// ---- statements -----------------------------------------------------------------------------------------------------

static bool is_tracked(const struct kiln_decl *decl) {
  const struct kiln_ctype *t = decl->type.type;
  return decl->kind == KILN_DECL_VARIABLE && !decl->init && !decl->is_static && !decl->is_extern && decl->name &&
         decl->type.space == KILN_PRIVATE && !(decl->type.quals & KILN_QUAL_VOLATILE) &&
         (kiln_ctype_is_convertible(kiln_ctype_element(t)) || t->kind == KILN_CT_POINTER);
}

static void walk_decl(struct kiln_flow *f, struct kiln_decl *decl) {
  if (decl->kind == KILN_DECL_VARIABLE && decl->init)
    walk_expr(f, decl->init);
  if (f->now.dead || !is_tracked(decl))
    return;
  uint64_t bit = bit_of(f, decl);
  if (!bit) {
    if (f->used == UINT64_MAX)
      return;
    unsigned slot = (unsigned)__builtin_ctzll(~f->used);
    bit = UINT64_C(1) << slot;
    f->used |= bit;
    f->said &= ~bit;
    f->owners[slot] = decl;
    decl->flow_slot = (uint8_t)(slot + 1);
  }
  written(f, decl);
  f->now.open |= bit;
}

static bool is_known(const struct kiln_expr *e, bool value) {
  return e && e->kind == KILN_EX_INT && (e->value != 0) == value;
}

// One way through a loop. Afterwards now is what goes back to its beginning; returns what leaves it.
static struct flow_state loop_parts(struct kiln_flow *f, const struct kiln_stmt *s) {
  struct flow_target target = {.up = f->targets, .breaks = nowhere, .continues = nowhere};
  struct flow_state end = nowhere;
  bool is_do = s->kind == KILN_ST_DO;
  f->targets = &target;
  f->nesting++;
  if (!is_do && s->expr)
    walk_expr(f, s->expr);
  if (!is_do && s->expr && !is_known(s->expr, true))
    end = f->now;
  if (is_do || !is_known(s->expr, false))
    walk_stmt(f, s->body);
  f->now = merged(f->now, target.continues);
  if (is_do) {
    walk_expr(f, s->expr);
    end = is_known(s->expr, true) ? nowhere : f->now;
  } else if (s->step) {
    walk_expr(f, s->step);
  }
  f->now.blamed = target.breaks.blamed = end.blamed = 0;
  struct flow_state out = merged(end, target.breaks);
  if (!is_known(s->expr, false)) {
    out.blamed = end.open & out.maybe;
    blame(f, out.blamed, s, false);
  }
  f->nesting--;
  f->targets = target.up;
  return out;
}

static void walk_loop(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (s->first)
    walk_stmt(f, s->first);
  bool once = s->kind == KILN_ST_DO && is_known(s->expr, false), silent = f->silent;
  f->bends += !once;
  f->now.blamed = 0;
  struct flow_state entry = f->now;
  if (once || (!silent && !(entry.open | entry.maybe))) {
    f->now = loop_parts(f, s);
    return;
  }
  f->silent = true;
  struct flow_state out = loop_parts(f, s), begin = merged(entry, f->now);
  f->silent = silent;
  if (silent) { // as if it had begun with what comes back as well
    uint64_t lost = entry.open & ~begin.open;
    out.maybe |= out.open & lost;
    out.open &= ~lost;
  } else {
    f->now = begin;
    out = loop_parts(f, s);
  }
  f->now = out;
}

// A way that begins with a branch joins others: what it leaves open is the fault of the branch.
struct joint {
  struct flow_state all;
  uint64_t opened, kept; // kept: blamed before, and not written on any of the ways
  uint32_t bends;        // at the branch
};

static void join(struct kiln_flow *f, struct joint *joint, const struct kiln_stmt *stmt, bool truth) {
  if (f->bends == joint->bends) {
    joint->opened |= f->now.open;
    blame(f, f->now.open, stmt, truth);
  }
  joint->kept &= f->now.maybe;
  joint->all = merged(joint->all, f->now);
  joint->bends = f->bends;
}

static void walk_if(struct kiln_flow *f, const struct kiln_stmt *s) {
  struct joint joint = {.all = nowhere};
  const struct kiln_stmt *last = s;
  walk_expr(f, s->expr);
  uint32_t bends = f->bends;
  joint.kept = f->now.blamed;
  f->nesting++;
  f->now.blamed = 0;
  for (; s && s->kind == KILN_ST_IF; s = s->other) {
    if (s != last)
      walk_expr(f, s->expr);
    last = s;
    struct flow_state other = f->now;
    joint.bends = f->bends;
    if (!is_known(s->expr, false)) {
      walk_stmt(f, s->body);
      join(f, &joint, s, true);
    }
    f->now = is_known(s->expr, true) ? nowhere : other;
  }
  if (s)
    walk_stmt(f, s);
  join(f, &joint, last, false);
  f->nesting--;
  f->now = joint.all;
  f->now.blamed |= joint.opened & f->now.maybe;
  if (f->bends == bends)
    f->now.blamed |= joint.kept;
}

// The end of the statements after a case: by a break or at the end of the switch.
static void leave_case(struct kiln_flow *f, struct flow_target *target) {
  if (target->label && f->bends == target->bends && f->nesting == target->nesting) {
    target->opened |= f->now.open;
    blame(f, f->now.open, target->label, false);
  }
  target->breaks = merged(target->breaks, f->now);
}

static void walk_switch(struct kiln_flow *f, const struct kiln_stmt *s) {
  walk_expr(f, s->expr);
  f->now.blamed = 0;
  struct flow_target target = {
      .up = f->targets, .is_switch = true, .breaks = nowhere, .continues = nowhere, .entry = f->now};
  f->targets = &target;
  f->now = nowhere;
  f->nesting++;
  walk_stmt(f, s->body);
  leave_case(f, &target);
  f->nesting--;
  f->bends++;
  f->targets = target.up;
  f->now = target.has_default ? target.breaks : merged(target.breaks, target.entry);
  f->now.blamed |= target.opened & f->now.maybe;
}

static void walk_case(struct kiln_flow *f, const struct kiln_stmt *s) {
  struct flow_target *target = f->targets;
  while (target && !target->is_switch)
    target = target->up;
  if (target) {
    f->now = merged(f->now, target->entry);
    target->has_default |= s->kind == KILN_ST_DEFAULT;
    target->label = s;
    target->bends = f->bends;
    target->nesting = f->nesting;
  }
  walk_stmt(f, s->body);
}

static void walk_jump(struct kiln_flow *f, bool is_break) {
  struct flow_target *target = f->targets;
  while (target && target->is_switch && !is_break)
    target = target->up;
  if (target && is_break && target->is_switch)
    leave_case(f, target);
  else if (target && is_break)
    target->breaks = merged(target->breaks, f->now);
  else if (target)
    target->continues = merged(target->continues, f->now);
}

static void walk_stmt(struct kiln_flow *f, const struct kiln_stmt *s) {
  if (!s || f->depth > FLOW_MAX_DEPTH)
    return;
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
    walk_switch(f, s);
    break;
  case KILN_ST_LABEL: // it may be reached from anywhere
    f->now = (struct flow_state){0};
    walk_stmt(f, s->body);
    break;
  case KILN_ST_CASE:
  case KILN_ST_DEFAULT:
    walk_case(f, s);
    break;
  case KILN_ST_BREAK:
  case KILN_ST_CONTINUE:
    walk_jump(f, s->kind == KILN_ST_BREAK);
    f->bends++;
    f->now = nowhere;
    break;
  case KILN_ST_RETURN:
  case KILN_ST_GOTO:
    if (s->expr)
      walk_expr(f, s->expr);
    f->bends++;
    f->now = nowhere;
    break;
  }
  f->depth--;
}

void kiln_flow_statement(struct kiln_flow *f, const struct kiln_stmt *s) {
  uint64_t unsure = f->now.open | f->now.maybe;
  f->used = unsure; // the others get here written
  if (unsure || f->S->declared_plain)
    walk_stmt(f, s);
  else
    f->now.dead = false;
  f->S->declared_plain = false;
}
