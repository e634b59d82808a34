// What a function does, before it is lowered: which variables it changes or passes around, and where its jumps go.
// Linear in the size of the function, but for the jumps of a function that has goto.
#include "jit/lang/lower/lower.h"

struct kiln_scan {
  struct kiln_arena *arena;
  bool has_goto, has_inner; // inner: statement expressions
  uint32_t returns;
  uint32_t depth;
  KILN_VEC(const struct kiln_stmt *) odd; // switches
  // second walk, over the statements of functions that have labels
  KILN_VEC(struct kiln_lower_step) path;
  KILN_VEC(struct source) sources;
};
struct source {                 // of a jump
  const struct kiln_stmt *stmt; // GOTO, or a switch that is lowered as jumps
  struct kiln_lower_step *path;
  uint32_t depth;
};

// ---- expressions ---------------------------------------------------------------------------------------------------

struct around { // the innermost switch
  struct around *up;
  const struct kiln_stmt *stmt;
  bool is_odd;
};

static void scan_expr(struct kiln_scan *s, const struct kiln_expr *e);

static void modified(struct kiln_scan *s, struct kiln_decl *decl) {
  if (decl && (decl->kind == KILN_DECL_VARIABLE || decl->kind == KILN_DECL_PARAM))
    kiln_lower_slot_in(s->arena, decl)->is_modified = true;
}

// An lvalue that is written, or whose address is taken.
static void scan_written(struct kiln_scan *s, const struct kiln_expr *e) {
  for (;; e = e->left) {
    if (e->kind == KILN_EX_VAR) {
      modified(s, e->decl);
      return;
    }
    if (e->kind == KILN_EX_ELEMENT)
      scan_expr(s, e->right);
    else if (e->kind != KILN_EX_MEMBER && e->kind != KILN_EX_SWIZZLE &&
             !(e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SAME)) {
      scan_expr(s, e);
      return;
    }
  }
}

static bool is_decay(const struct kiln_expr *e) { return e->kind == KILN_EX_CAST && e->cast == KILN_CAST_DECAY; }

// An lvalue that is only read. a[i] of an array reads as well: the pointer in between goes nowhere.
static void scan_read(struct kiln_scan *s, const struct kiln_expr *e) {
  for (;;) {
    if (e->kind == KILN_EX_VAR)
      return;
    if (e->kind == KILN_EX_ELEMENT) {
      scan_expr(s, e->right);
      e = e->left;
    } else if (e->kind == KILN_EX_MEMBER || e->kind == KILN_EX_SWIZZLE ||
               (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SAME)) {
      e = e->left;
    } else if (e->kind == KILN_EX_DEREF && e->left->kind == KILN_EX_PTR_ADD && is_decay(e->left->left)) {
      scan_expr(s, e->left->right);
      e = e->left->left->left;
    } else if (e->kind == KILN_EX_DEREF && is_decay(e->left)) {
      e = e->left->left;
    } else {
      scan_expr(s, e);
      return;
    }
  }
}

static void scan_args(struct kiln_scan *s, const struct kiln_expr *e) {
  for (uint32_t i = 0; i < e->arg_count; i++)
    scan_expr(s, e->args[i]);
}

static void scan_inits(struct kiln_scan *s, const struct kiln_expr *e) {
  for (uint32_t i = 0; i < e->init_count; i++)
    scan_expr(s, e->inits[i].value);
}

enum scan_kind {
  SCAN_OPERANDS,
  SCAN_LEAF,
  SCAN_VARIABLE,
  SCAN_CAST,
  SCAN_COND,
  SCAN_WRITTEN,
  SCAN_ARGS,
  SCAN_INITS,
  SCAN_STATEMENTS,
};

// What is in no row has operands, or one, that are values.
static const uint8_t scan_kinds[KILN_EX_ERROR + 1] = {
    [KILN_EX_INT... KILN_EX_STRING] = SCAN_LEAF,
    [KILN_EX_ERROR] = SCAN_LEAF,
    [KILN_EX_VAR] = SCAN_VARIABLE,
    [KILN_EX_CAST] = SCAN_CAST,
    [KILN_EX_ASSIGN... KILN_EX_POST_DEC] = SCAN_WRITTEN,
    [KILN_EX_ADDRESS] = SCAN_WRITTEN,
    [KILN_EX_CALL... KILN_EX_VECTOR] = SCAN_ARGS,
    [KILN_EX_COND] = SCAN_COND,
    [KILN_EX_INIT_LIST] = SCAN_INITS,
    [KILN_EX_STATEMENTS] = SCAN_STATEMENTS,
};

static void scan_stmt(struct kiln_scan *s, const struct kiln_stmt *stmt, struct around *around, bool in_row);

// Left operands by iteration, all others by recursion.
static void scan_expr(struct kiln_scan *s, const struct kiln_expr *e) {
  if (!e || e->only_reads || s->depth > KILN_LOWER_MAX_DEPTH) // lowering reports it
    return;
  s->depth++;
  while (e && !e->only_reads) {
    const struct kiln_expr *left = NULL;
    switch ((enum scan_kind)scan_kinds[e->kind]) {
    case SCAN_LEAF:
      break;
    case SCAN_VARIABLE: // outside of a load: somebody gets the place itself
      modified(s, e->decl);
      break;
    case SCAN_CAST:
      if (e->cast == KILN_CAST_LOAD)
        scan_read(s, e->left);
      else if (e->cast == KILN_CAST_DECAY)
        scan_written(s, e->left);
      else
        left = e->left;
      break;
    case SCAN_WRITTEN:
      scan_expr(s, e->right);
      scan_written(s, e->left);
      break;
    case SCAN_ARGS:
      scan_args(s, e);
      break;
    case SCAN_INITS:
      scan_inits(s, e);
      break;
    case SCAN_STATEMENTS:
      s->has_inner = true;
      scan_stmt(s, e->body, NULL, false);
      left = e->right;
      break;
    case SCAN_COND:
      scan_expr(s, e->cond);
      scan_expr(s, e->right);
      left = e->left;
      break;
    case SCAN_OPERANDS:
      scan_expr(s, e->right);
      left = e->left;
      break;
    }
    e = left;
  }
  s->depth--;
}

// ---- statements ----------------------------------------------------------------------------------------------------

static void scan_switch(struct kiln_scan *s, const struct kiln_stmt *stmt, struct around *up) {
  struct around around = {up, stmt, false};
  scan_expr(s, stmt->expr);
  if (stmt->body->kind == KILN_ST_COMPOUND)
    for (uint32_t i = 0; i < stmt->body->stmt_count; i++)
      scan_stmt(s, stmt->body->stmts[i], &around, true);
  else
    scan_stmt(s, stmt->body, &around, true);
  if (around.is_odd)
    KILN_VEC_PUSH(s->arena, &s->odd, stmt);
}

static void scan_decl(struct kiln_scan *s, const struct kiln_stmt *stmt) {
  for (uint32_t i = 0; i < stmt->decl_count; i++)
    if (stmt->decls[i]->kind == KILN_DECL_VARIABLE && stmt->decls[i]->init)
      scan_expr(s, stmt->decls[i]->init);
}

// in_row: a case here is a direct statement of the switch.
static void scan_stmt(struct kiln_scan *s, const struct kiln_stmt *stmt, struct around *around, bool in_row) {
  if (!stmt || s->depth > KILN_LOWER_MAX_DEPTH)
    return;
  s->depth++;
  for (; stmt && stmt->kind == KILN_ST_IF; in_row = false) { // chains of else-if
    scan_expr(s, stmt->expr);
    scan_stmt(s, stmt->body, around, false);
    stmt = stmt->other;
  }
  if (stmt)
    switch (stmt->kind) {
    case KILN_ST_EXPR:
      scan_expr(s, stmt->expr);
      break;
    case KILN_ST_DECL:
      scan_decl(s, stmt);
      break;
    case KILN_ST_COMPOUND:
      for (uint32_t i = 0; i < stmt->stmt_count; i++)
        scan_stmt(s, stmt->stmts[i], around, false);
      break;
    case KILN_ST_FOR:
    case KILN_ST_WHILE:
    case KILN_ST_DO:
      scan_stmt(s, stmt->first, around, false);
      scan_expr(s, stmt->expr);
      scan_expr(s, stmt->step);
      scan_stmt(s, stmt->body, around, false);
      break;
    case KILN_ST_SWITCH:
      scan_switch(s, stmt, around);
      break;
    case KILN_ST_CASE:
    case KILN_ST_DEFAULT:
      if (around && !in_row)
        around->is_odd = true;
      scan_stmt(s, stmt->body, around, in_row);
      break;
    case KILN_ST_LABEL:
      for (struct around *a = around; a; a = a->up)
        a->is_odd = true;
      scan_stmt(s, stmt->body, around, false);
      break;
    case KILN_ST_RETURN:
      s->returns++;
      scan_expr(s, stmt->expr);
      break;
    case KILN_ST_GOTO:
      s->has_goto = true;
      break;
    case KILN_ST_IF:
    case KILN_ST_BREAK:
    case KILN_ST_CONTINUE:
      break;
    }
  s->depth--;
}

// ---- labels --------------------------------------------------------------------------------------------------------

static struct kiln_lower_step *copy_path(struct kiln_scan *s) {
  struct kiln_lower_step *path = KILN_NEW_ARRAY(s->arena, struct kiln_lower_step, s->path.count + 1);
  memcpy(path, s->path.items, s->path.count * sizeof *path);
  return path;
}

static bool is_odd(const struct kiln_scan *s, const struct kiln_stmt *stmt) {
  for (uint32_t i = 0; i < s->odd.count; i++)
    if (s->odd.items[i] == stmt)
      return true;
  return false;
}

static void walk_list(struct kiln_scan *s, struct kiln_lower_labels *labels, struct kiln_stmt **list, uint32_t count,
                      const struct kiln_stmt *owner);

// Statement expressions: left operands by iteration, all others by recursion.
static void walk_expr(struct kiln_scan *s, struct kiln_lower_labels *labels, const struct kiln_expr *e) {
  if (!s->has_inner || s->depth > KILN_LOWER_MAX_DEPTH)
    return;
  s->depth++;
  for (; e && scan_kinds[e->kind] != SCAN_LEAF && e->kind != KILN_EX_VAR; e = e->left) {
    enum scan_kind kind = (enum scan_kind)scan_kinds[e->kind];
    for (uint32_t i = 0; kind == SCAN_ARGS && i < e->arg_count; i++)
      walk_expr(s, labels, e->args[i]);
    for (uint32_t i = 0; kind == SCAN_INITS && i < e->init_count; i++)
      walk_expr(s, labels, e->inits[i].value);
    if (kind == SCAN_STATEMENTS)
      walk_list(s, labels, e->body->stmts, e->body->stmt_count, NULL);
    if (kind == SCAN_COND)
      walk_expr(s, labels, e->cond);
    walk_expr(s, labels, e->right);
  }
  s->depth--;
}

static void walk_own_exprs(struct kiln_scan *s, struct kiln_lower_labels *labels, const struct kiln_stmt *stmt) {
  walk_expr(s, labels, stmt->expr);
  if (stmt->kind == KILN_ST_FOR) {
    walk_expr(s, labels, stmt->step);
    if (stmt->first)
      walk_own_exprs(s, labels, stmt->first);
  }
  for (uint32_t i = 0; stmt->kind == KILN_ST_DECL && i < stmt->decl_count; i++)
    if (stmt->decls[i]->kind == KILN_DECL_VARIABLE)
      walk_expr(s, labels, stmt->decls[i]->init);
}

static void walk(struct kiln_scan *s, struct kiln_lower_labels *labels, struct kiln_stmt *stmt,
                 const struct kiln_stmt *owner) {
  if (labels->items.count > KILN_LOWER_MAX_LABELS) // lowering reports it
    return;
  bool is_case = (stmt->kind == KILN_ST_CASE || stmt->kind == KILN_ST_DEFAULT) && owner && is_odd(s, owner);
  if (stmt->kind == KILN_ST_LABEL || is_case) {
    struct kiln_lower_label label = {.name = is_case ? NULL : stmt->label,
                                     .stmt = stmt,
                                     .owner = is_case ? owner : NULL,
                                     .path = copy_path(s),
                                     .depth = s->path.count};
    KILN_VEC_PUSH(s->arena, &labels->items, label);
  }
  if (stmt->kind == KILN_ST_GOTO || (stmt->kind == KILN_ST_SWITCH && is_odd(s, stmt)))
    KILN_VEC_PUSH(s->arena, &s->sources, (struct source){stmt, copy_path(s), s->path.count});
  walk_own_exprs(s, labels, stmt);
  if (stmt->kind == KILN_ST_COMPOUND) {
    walk_list(s, labels, stmt->stmts, stmt->stmt_count, owner);
    return;
  }
  const struct kiln_stmt *inner = stmt->kind == KILN_ST_SWITCH ? stmt : owner;
  if (stmt->body)
    walk_list(s, labels, &stmt->body, 1, inner);
  if (stmt->kind == KILN_ST_IF && stmt->other)
    walk_list(s, labels, &stmt->other, 1, owner);
}

static void walk_list(struct kiln_scan *s, struct kiln_lower_labels *labels, struct kiln_stmt **list, uint32_t count,
                      const struct kiln_stmt *owner) {
  if (s->depth > KILN_LOWER_MAX_DEPTH)
    return;
  s->depth++;
  for (uint32_t i = 0; i < count; i++) {
    KILN_VEC_PUSH(s->arena, &s->path, (struct kiln_lower_step){list, i});
    walk(s, labels, list[i], owner);
    s->path.count--;
  }
  s->depth--;
}

static void add_entry(struct kiln_scan *s, struct kiln_lower_labels *labels, struct kiln_lower_entry entry) {
  for (uint32_t i = 0; i < labels->entries.count; i++) {
    struct kiln_lower_entry *e = &labels->entries.items[i];
    if (e->list == entry.list && e->label == entry.label && e->outside == entry.outside &&
        e->backward == entry.backward) {
      e->last = entry.last > e->last ? entry.last : e->last;
      return;
    }
  }
  KILN_VEC_PUSH(s->arena, &labels->entries, entry);
}

// Notes every list that a jump enters: the innermost one that holds both ends, and all further in.
static void add_jump(struct kiln_scan *s, struct kiln_lower_labels *labels, const struct source *source,
                     uint32_t number) {
  const struct kiln_lower_label *label = &labels->items.items[number];
  uint32_t i = 0;
  while (i + 1 < label->depth && i + 1 < source->depth && label->path[i + 1].list == source->path[i + 1].list)
    i++;
  if (source->stmt->kind == KILN_ST_GOTO) {
    bool backward = source->path[i].index >= label->path[i].index;
    add_entry(s, labels,
              (struct kiln_lower_entry){label->path[i].list, label->path[i].index, number, false, backward,
                                        source->path[i].index});
  }
  for (i++; i < label->depth; i++)
    add_entry(s, labels, (struct kiln_lower_entry){label->path[i].list, label->path[i].index, number, true, false, 0});
}

static void find_labels(struct kiln_scan *s, struct kiln_decl *function) {
  struct kiln_lower_labels *labels = KILN_NEW(s->arena, struct kiln_lower_labels);
  kiln_lower_slot_in(s->arena, function)->labels = labels;
  walk_list(s, labels, function->body->stmts, function->body->stmt_count, NULL);
  if (labels->items.count > KILN_LOWER_MAX_LABELS)
    return;
  for (uint32_t i = 0; i < s->odd.count; i++)
    KILN_VEC_PUSH(s->arena, &labels->odd_switches, s->odd.items[i]);
  for (uint32_t i = 0; i < s->sources.count; i++) {
    const struct source *source = &s->sources.items[i];
    for (uint32_t k = 0; k < labels->items.count; k++) {
      const struct kiln_lower_label *label = &labels->items.items[k];
      if (source->stmt->kind == KILN_ST_GOTO ? label->name && label->name == source->stmt->label
                                             : label->owner == source->stmt)
        add_jump(s, labels, source, k);
    }
  }
}

static bool ends_with_return(const struct kiln_stmt *stmt) {
  while (stmt->kind == KILN_ST_COMPOUND && stmt->stmt_count)
    stmt = stmt->stmts[stmt->stmt_count - 1];
  return stmt->kind == KILN_ST_RETURN;
}

void kiln_lower_scan(struct kiln_arena *arena, struct kiln_decl *function) {
  struct kiln_lower_decl *slot = kiln_lower_slot_in(arena, function);
  struct kiln_scan s = {.arena = arena};
  struct kiln_stmt **list = function->body->stmts;
  for (uint32_t i = 0, count = function->body->stmt_count; i < count; i++) {
    if (i + 3 < count)
      kiln_lower_fetch(list[i + 2], list[i + 3]);
    scan_stmt(&s, list[i], NULL, false);
  }
  if (s.has_goto || s.odd.count)
    find_labels(&s, function);
  slot->has_early_return = s.returns > 1 || (s.returns == 1 && (slot->labels || !ends_with_return(function->body)));
}
