// Statements.
#include "jit/lang/parse/parse.h"

#include <stdlib.h>

#include "jit/ir/images.h"

enum { MAX_LABELS = 128 }; // in a row, that nest in the tree

static struct kiln_stmt *parse_statement(struct kiln_parser *p);
static bool begins_label(struct kiln_parser *p);
static struct kiln_stmt *parse_labelled(struct kiln_parser *p, bool in_list);
static struct kiln_stmt *parse_unlabelled(struct kiln_parser *p); // that is known to begin no declaration

static struct kiln_stmt *new_stmt(struct kiln_parser *p, enum kiln_stmt_kind kind, kiln_location location) {
  struct kiln_stmt *stmt = KILN_NEW(p->sema.arena, struct kiln_stmt);
  stmt->kind = kind;
  stmt->location = location;
  return stmt;
}

static bool at_loop(const struct kiln_parser *p) {
  return p->tok.kind == KILN_TOKEN_KW_FOR || p->tok.kind == KILN_TOKEN_KW_WHILE || p->tok.kind == KILN_TOKEN_KW_DO;
}

// A hint before anything but a loop is none; in a pragma it is an error.
static inline void check_hint(struct kiln_parser *p) {
  if ((!p->unroll && !p->loop_pragma) || at_loop(p) || kiln_at_attribute(p))
    return;
  if (p->loop_pragma)
    kiln_sema_error(&p->sema, p->tok.location, 0, "expected a for, while, or do-while loop to follow '#pragma %s'",
                    p->loop_pragma);
  p->unroll = 0;
  p->loop_pragma = NULL;
}

static void expect_semicolon(struct kiln_parser *p, const char *where) {
  if (kiln_parse_expect(p, KILN_TOKEN_SEMICOLON, where, 0))
    return;
  // The next statement often begins right here; otherwise look for the end of this one.
  if (p->tok.at_line_start && p->tok.kind != KILN_TOKEN_RPAREN)
    return;
  kiln_parse_skip_past(p, KILN_TOKEN_SEMICOLON);
}

static void expect_close(struct kiln_parser *p, kiln_location open) {
  if (kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open) || p->tok.kind == KILN_TOKEN_LBRACE)
    return;
  kiln_parse_skip_past(p, KILN_TOKEN_RPAREN);
}

static struct kiln_expr *parse_condition(struct kiln_parser *p, const char *after) {
  kiln_location open = p->tok.location;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, after, 0)) {
    kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
    return kiln_expr_error(&p->sema, open, open);
  }
  bool parentheses = p->tok.kind == KILN_TOKEN_LPAREN;
  uint32_t changes = p->sema.changes;
  struct kiln_expr *e = kiln_sema_condition(&p->sema, kiln_parse_expression(p), "statement");
  if (!parentheses)
    kiln_warn_assigned_condition(&p->sema, e);
  kiln_warn_unsequenced(&p->sema, e, changes);
  expect_close(p, open);
  return e;
}

// ---- declarations in blocks -----------------------------------------------------------------------------------------

// Up to its ";". *ended: nothing more is to come, not even that.
static struct kiln_stmt *parse_declarators(struct kiln_parser *p, bool *ended) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_DECL, p->tok.location);
  *ended = false;
  struct kiln_specs specs;
  kiln_parse_specs(p, &specs);
  if (p->tok.kind == KILN_TOKEN_SEMICOLON && specs.type.type)
    return stmt;
  if (!specs.type.type) {
    kiln_parse_error(p, &p->tok, "expected a type");
    specs.type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  do {
    struct kiln_declarator d;
    kiln_parse_declarator(p, &specs, KILN_DECLARATOR_NAMED, &d);
    if (!d.name) { // told
      if (!p->tok.at_line_start)
        kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
      break;
    }
    if (d.is_function && p->tok.kind == KILN_TOKEN_LBRACE) {
      kiln_sema_error(&p->sema, p->tok.location, 0, "function definition is not allowed here");
      kiln_parse_advance(p);
      kiln_parse_skip_block(p);
      *ended = true;
      return stmt;
    }
    kiln_parse_declare(p, &specs, &d, stmt);
  } while (kiln_parse_accept(p, KILN_TOKEN_COMMA));
  return stmt;
}

static struct kiln_stmt *parse_declaration(struct kiln_parser *p) {
  bool ended;
  struct kiln_stmt *stmt = parse_declarators(p, &ended);
  if (!ended)
    expect_semicolon(p, "at end of declaration");
  return stmt;
}

// ---- compound -------------------------------------------------------------------------------------------------------

static bool is_label(struct kiln_parser *p) {
  return p->tok.kind == KILN_TOKEN_IDENTIFIER && kiln_parse_next_is(p, KILN_TOKEN_COLON);
}

// Whether a declaration rather than an expression begins: an unknown name followed by another name is a type with a
// misspelt name.
static bool is_declaration(struct kiln_parser *p) {
  if (kiln_parse_is_type(p, &p->tok))
    return true;
  return p->tok.kind == KILN_TOKEN_IDENTIFIER && kiln_parse_next_is(p, KILN_TOKEN_IDENTIFIER) &&
         !kiln_scope_find(&p->sema, p->tok.name);
}

// From the opening brace to the closing one; what FP_CONTRACT is inside holds no longer. is_outermost: of a function.
static struct kiln_stmt *parse_braces(struct kiln_parser *p, bool is_outermost, kiln_location *close) {
  kiln_location open = p->tok.location;
  bool contract = p->sema.contract; // before the next token is read, and the pragmas that stand there
  kiln_parse_advance(p);
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_COMPOUND, open);
  KILN_VEC(struct kiln_stmt *) items = {0};
  uint32_t local_labels = p->local_labels.count;
  while (p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END) {
    uint64_t start = p->advanced;
    check_hint(p);
    struct kiln_stmt *item = begins_label(p)     ? parse_labelled(p, true)
                             : is_declaration(p) ? parse_declaration(p)
                                                 : parse_unlabelled(p);
    KILN_VEC_PUSH(p->sema.arena, &items, item);
    if (is_outermost && !p->sema.in_library && !p->sema.lang->diags->errors)
      kiln_flow_statement(p->flow, item);
    if (p->advanced == start && p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END)
      kiln_parse_advance(p); // an error that consumed nothing
  }
  check_hint(p);
  while (p->local_labels.count > local_labels) {
    struct kiln_local_label local = p->local_labels.items[--p->local_labels.count];
    kiln_scope_entry(&p->sema, local.name)->label = local.before;
  }
  *close = p->tok.location;
  p->sema.contract = contract;
  kiln_parse_expect(p, KILN_TOKEN_RBRACE, "", open);
  stmt->stmts = items.items;
  stmt->stmt_count = items.count;
  return stmt;
}

struct kiln_stmt *kiln_parse_inner_block(struct kiln_parser *p) {
  struct kiln_switch *in_switch = p->in_switch;
  uint32_t loops = p->loops, breakable = p->breakable;
  struct kiln_inner *inner = KILN_NEW(p->sema.arena, struct kiln_inner);
  bool in_header = p->in_header, inner_jump = p->inner_jump;
  p->in_switch = NULL;
  p->in_header = p->inner_jump = false;
  if (in_header)
    p->loops = p->breakable = 0; // of which loop would a break be?
  kiln_location close;
  kiln_scope_push(&p->sema);
  *inner = (struct kiln_inner){p->inner, p->sema.depth};
  p->inner = inner;
  struct kiln_stmt *stmt =
      kiln_parse_enter(p) ? parse_braces(p, false, &close) : new_stmt(p, KILN_ST_COMPOUND, p->tok.location);
  kiln_parse_leave(p);
  kiln_scope_pop(&p->sema);
  stmt->jumps_inside = p->inner_jump;
  p->inner_jump |= inner_jump;
  p->in_switch = in_switch;
  p->loops = loops;
  p->breakable = breakable;
  p->inner = inner->outer;
  p->in_header = in_header;
  return stmt;
}

static struct kiln_stmt *parse_compound(struct kiln_parser *p) {
  kiln_location close;
  kiln_scope_push(&p->sema);
  struct kiln_stmt *stmt = parse_braces(p, false, &close);
  kiln_scope_pop(&p->sema);
  p->trailing_else = 0;
  return stmt;
}

// ---- selection ------------------------------------------------------------------------------------------------------

// keyword, word: of the statement around.
static struct kiln_stmt *parse_body(struct kiln_parser *p, kiln_location keyword, const char *word) {
  kiln_location first = p->tok.location;
  bool braces = p->tok.kind == KILN_TOKEN_LBRACE;
  p->trailing_else = 0;
  kiln_scope_push(&p->sema);
  struct kiln_stmt *body = parse_statement(p);
  kiln_scope_pop(&p->sema);
  if (!braces)
    kiln_warn_indentation(p, keyword, word, first);
  return body;
}

// Of the ";" that is the body of a statement, right after its ")": with room between there may have been a macro
// without tokens. 0: there is none.
static kiln_location empty_body(const struct kiln_parser *p) {
  bool nothing =
      p->tok.kind == KILN_TOKEN_SEMICOLON && p->tok.location == p->last_end && !(p->tok.location & KILN_LOCATION_MACRO);
  return nothing ? p->tok.location : 0;
}

static void warn_empty_body(struct kiln_parser *p, kiln_location location, const char *what) {
  if (!location)
    return;
  kiln_sema_warning(&p->sema, KILN_W_EMPTY_BODY, location, 0, "%s has empty body", what);
  kiln_sema_note(&p->sema, location, 0, "put the semicolon on a separate line to silence this warning");
}

// A body that runs only where the condition holds; NULL: once at least.
static struct kiln_stmt *parse_branch(struct kiln_parser *p, kiln_location keyword, const char *word,
                                      const struct kiln_expr *condition) {
  bool never = kiln_is_never(condition, true);
  p->sema.unreached += never;
  struct kiln_stmt *body = parse_body(p, keyword, word);
  p->sema.unreached -= never;
  return body;
}

// A chain of else-ifs is read in a loop.
static struct kiln_stmt *parse_if(struct kiln_parser *p) {
  struct kiln_stmt *first = NULL, **link = &first;
  kiln_location else_location = 0;
  uint32_t never = 0; // conditions before that leave nothing to the ones after
  for (unsigned length = 0; p->tok.kind == KILN_TOKEN_KW_IF; length++) {
    if (length > KILN_MAX_CHAIN) {
      kiln_parse_fatal(p, p->tok.location, 0, "more than 512 else-ifs in a row");
      break;
    }
    struct kiln_stmt *stmt = new_stmt(p, KILN_ST_IF, p->tok.location);
    *link = stmt;
    link = &stmt->other;
    kiln_parse_advance(p);
    stmt->expr = parse_condition(p, "after 'if'");
    kiln_location nothing = empty_body(p);
    stmt->body = parse_branch(p, stmt->location, "if", stmt->expr);
    else_location = p->tok.location;
    if (!kiln_parse_accept(p, KILN_TOKEN_KW_ELSE)) {
      if (p->trailing_else && !p->sema.in_library)
        kiln_sema_warning(&p->sema, KILN_W_DANGLING_ELSE, p->trailing_else, 0,
                          "add explicit braces to avoid dangling else");
      p->trailing_else = 0;
      warn_empty_body(p, nothing, "if statement");
      p->sema.unreached -= never;
      return first;
    }
    never += kiln_is_never(stmt->expr, false);
    p->sema.unreached += kiln_is_never(stmt->expr, false);
  }
  *link = parse_body(p, else_location, "else");
  p->sema.unreached -= never;
  p->trailing_else = else_location;
  return first;
}

static int compare_cases(const void *a, const void *b) {
  const struct kiln_case *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  return x->location < y->location ? -1 : x->location > y->location;
}

static int compare_unsigned_cases(const void *a, const void *b) {
  const struct kiln_case *x = a, *y = b;
  if (x->value != y->value)
    return (uint64_t)x->value < (uint64_t)y->value ? -1 : 1;
  return compare_cases(a, b);
}

static void check_cases(struct kiln_parser *p, struct kiln_switch *sw) {
  if (sw->cases.count < 2)
    return;
  bool is_unsigned = sw->type->kind == KILN_CT_ULONG; // others are extended to 64 bits without becoming negative
  qsort(sw->cases.items, sw->cases.count, sizeof *sw->cases.items,
        is_unsigned ? compare_unsigned_cases : compare_cases);
  for (uint32_t i = 1; i < sw->cases.count; i++) {
    const struct kiln_case *a = &sw->cases.items[i - 1], *b = &sw->cases.items[i];
    if (is_unsigned ? (uint64_t)a->last < (uint64_t)b->value : a->last < b->value)
      continue;
    kiln_sema_error(&p->sema, b->location, 0, "duplicate case value '%lld'", (long long)b->value);
    kiln_sema_note(&p->sema, a->location, 0, "previous case defined here");
  }
}

// Where a range was given, the selector becomes its first value for all values in it:
// "let v = selector in v - first <= last - first ? first : … : v", the comparison without a sign.
static struct kiln_expr *select_ranges(struct kiln_parser *p, const struct kiln_switch *sw,
                                       struct kiln_expr *selector) {
  const struct kiln_ctype *type = sw->type;
  if (!sw->has_ranges || kiln_is_error(selector))
    return selector;
  const struct kiln_ctype *bits = kiln_ctype_scalar(type->size == 8 ? KILN_CT_ULONG : KILN_CT_UINT);
  struct kiln_decl *decl = kiln_let_decl(&p->sema, selector);
  struct kiln_expr *result = kiln_let_value(&p->sema, decl);
  for (uint32_t i = 0; i < sw->cases.count; i++) {
    const struct kiln_case *c = &sw->cases.items[i];
    if (c->value == c->last)
      continue;
    struct kiln_expr *first = kiln_expr_int(&p->sema, type, (uint64_t)c->value, c->location, 0);
    struct kiln_expr *count = kiln_expr_int(&p->sema, bits, (uint64_t)c->last - (uint64_t)c->value, c->location, 0);
    struct kiln_expr *distance = kiln_expr_new(&p->sema, KILN_EX_SUB, kiln_plain(bits), c->location, 0);
    distance->left = kiln_sema_convert(&p->sema, kiln_let_value(&p->sema, decl), bits);
    distance->right = kiln_sema_convert(&p->sema, first, bits);
    struct kiln_expr *inside =
        kiln_expr_new(&p->sema, KILN_EX_LE, kiln_plain(kiln_ctype_scalar(KILN_CT_INT)), c->location, 0);
    inside->left = distance;
    inside->right = count;
    struct kiln_expr *choice = kiln_expr_new(&p->sema, KILN_EX_COND, kiln_plain(type), c->location, 0);
    choice->cond = inside;
    choice->left = first;
    choice->right = result;
    result = choice;
  }
  return kiln_let(&p->sema, decl, selector, result);
}

static struct kiln_stmt *parse_switch(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_SWITCH, p->tok.location);
  struct kiln_switch sw = {.outer = p->in_switch};
  kiln_parse_advance(p);
  kiln_scope_push(&p->sema);
  kiln_location open = p->tok.location;
  uint32_t changes = p->sema.changes;
  const struct kiln_expr *selector = NULL;
  if (kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after 'switch'", 0)) {
    struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_expression(p));
    if (!kiln_is_error(e) && !kiln_ctype_is_integer(e->type.type)) {
      kiln_sema_error(&p->sema, e->location, e->end, "statement requires expression of integer type ('%s' invalid)",
                      kiln_sema_type_text(&p->sema, e->type.type));
      e = kiln_expr_error(&p->sema, e->location, e->end);
    }
    sw.before = e->type.type;
    selector = e;
    kiln_warn_unsequenced(&p->sema, e, changes);
    stmt->expr = kiln_is_error(e) ? e : kiln_sema_promote(&p->sema, e);
    expect_close(p, open);
  } else {
    stmt->expr = kiln_expr_error(&p->sema, open, open);
  }
  sw.type = stmt->expr->type.type;
  p->in_switch = &sw;
  p->breakable++;
  stmt->body = parse_statement(p);
  p->breakable--;
  p->in_switch = sw.outer;
  kiln_scope_pop(&p->sema);
  check_cases(p, &sw);
  if (selector)
    kiln_warn_enumerators(&p->sema, &sw, selector);
  stmt->expr = select_ranges(p, &sw, stmt->expr);
  return stmt;
}

// Whether a case of the library text is that of an order or type of pixels that no image of the kernel has.
static bool is_absent(const struct kiln_parser *p, int64_t value) {
  return p->sema.in_library && p->formats && value >= KILN_IMAGE_FIRST_NUMBER && value < KILN_IMAGE_FIRST_NUMBER + 64 &&
         !(p->formats >> (value - KILN_IMAGE_FIRST_NUMBER) & 1);
}

// The value of a case; the statement after it is read by the caller. NULL: it is not to be reached by this label.
static struct kiln_stmt *parse_case(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_CASE, p->tok.location);
  kiln_parse_advance(p);
  kiln_location location = p->tok.location;
  int64_t value = 0, last;
  const char *fault = "expression is not an integer constant expression";
  const struct kiln_ctype *from = NULL;
  bool ok = kiln_parse_constant(p, fault, &value, &from);
  bool is_range = kiln_parse_accept(p, KILN_TOKEN_ELLIPSIS);
  last = value;
  if (is_range)
    ok &= kiln_parse_constant(p, fault, &last, NULL);
  if (ok && is_absent(p, value)) {
    kiln_parse_expect(p, KILN_TOKEN_COLON, "after 'case'", 0);
    return NULL;
  }
  if (ok && p->in_switch && p->in_switch->type->kind != KILN_CT_ERROR) {
    const struct kiln_ctype *type = p->in_switch->type;
    kiln_warn_case(&p->sema, location, from, value, p->in_switch->before, type);
    value = (int64_t)kiln_fold_wrap(type, (uint64_t)value);
    last = (int64_t)kiln_fold_wrap(type, (uint64_t)last);
    stmt->value = type->size == 4 ? (int32_t)value : value;
    if (kiln_ctype_is_signed(type) ? last < value : (uint64_t)last < (uint64_t)value) {
      kiln_sema_warning(&p->sema, KILN_W_EMPTY_CASE_RANGE, location, p->last_end, "empty case range specified");
      stmt->kind = KILN_ST_IF; // matches nothing; what follows it is still reached from above
      stmt->expr = kiln_expr_int(&p->sema, kiln_ctype_scalar(KILN_CT_INT), 1, location, 0);
    } else {
      p->in_switch->has_ranges |= value != last;
      KILN_VEC_PUSH(p->sema.arena, &p->in_switch->cases, (struct kiln_case){value, last, location});
    }
  }
  if (!p->in_switch)
    kiln_sema_error(&p->sema, stmt->location, 0, "'case' statement not in switch statement");
  kiln_parse_expect(p, KILN_TOKEN_COLON, "after 'case'", 0);
  return stmt;
}

static struct kiln_stmt *parse_default(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_DEFAULT, p->tok.location);
  kiln_parse_advance(p);
  if (!p->in_switch) {
    kiln_sema_error(&p->sema, stmt->location, 0, "'default' statement not in switch statement");
  } else if (p->in_switch->has_default) {
    kiln_sema_error(&p->sema, stmt->location, 0, "multiple default labels in one switch");
    kiln_sema_note(&p->sema, p->in_switch->has_default, 0, "previous case defined here");
  } else {
    p->in_switch->has_default = stmt->location;
  }
  kiln_parse_expect(p, KILN_TOKEN_COLON, "after 'default'", 0);
  return stmt;
}

// ---- labels ---------------------------------------------------------------------------------------------------------

static struct kiln_label *find_label(struct kiln_parser *p, struct kiln_name *name) {
  struct kiln_name_entry *entry = kiln_scope_entry(&p->sema, name);
  if (entry->label && entry->label <= p->labels.count && p->labels.items[entry->label - 1].name == name)
    return &p->labels.items[entry->label - 1];
  KILN_VEC_PUSH(p->sema.arena, &p->labels, (struct kiln_label){.name = name, .id = name});
  entry->label = p->labels.count;
  return &p->labels.items[p->labels.count - 1];
}

// "__label__ a, b;": labels of this block.
static struct kiln_stmt *parse_local_labels(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_EXPR, p->tok.location);
  do {
    kiln_parse_advance(p);
    struct kiln_name *name = p->tok.name;
    if (p->tok.kind != KILN_TOKEN_IDENTIFIER) {
      kiln_parse_error(p, &p->tok, "expected identifier");
      break;
    }
    struct kiln_label label = {
        name, KILN_NEW(p->sema.arena, struct kiln_name), NULL, p->tok.location, kiln_sema_token_end(&p->tok), false,
        false};
    *label.id = *name;
    struct kiln_name_entry *entry = kiln_scope_entry(&p->sema, name);
    KILN_VEC_PUSH(p->sema.arena, &p->local_labels, (struct kiln_local_label){name, entry->label});
    KILN_VEC_PUSH(p->sema.arena, &p->labels, label);
    entry->label = p->labels.count;
    kiln_parse_advance(p);
  } while (p->tok.kind == KILN_TOKEN_COMMA);
  expect_semicolon(p, "after '__label__'");
  return stmt;
}

static struct kiln_stmt *parse_label(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_LABEL, p->tok.location);
  struct kiln_label *label = find_label(p, p->tok.name);
  stmt->label = label->id;
  label->inner = p->inner;
  if (label->defined) {
    kiln_parse_error(p, &p->tok, "redefinition of label '%s'", p->tok.name->text);
    kiln_sema_note(&p->sema, label->location, 0, "previous definition is here");
  }
  label->defined = true;
  label->location = p->tok.location;
  kiln_parse_advance(p);
  kiln_parse_advance(p); // the ':'
  struct kiln_attrs attrs = {0};
  kiln_parse_attributes(p, &attrs);
  return stmt;
}

static struct kiln_stmt *parse_goto(struct kiln_parser *p) {
  p->inner_jump |= p->inner != NULL;
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_GOTO, p->tok.location);
  kiln_parse_advance(p);
  if (p->tok.kind != KILN_TOKEN_IDENTIFIER) {
    kiln_parse_error(p, &p->tok,
                     p->tok.kind == KILN_TOKEN_STAR ? "'goto' to a computed label is not supported"
                                                    : "expected identifier");
    kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
  } else {
    struct kiln_label *label = find_label(p, p->tok.name);
    stmt->label = label->id;
    uint32_t index = (uint32_t)(label - p->labels.items);
    KILN_VEC_PUSH(p->sema.arena, &p->gotos, (struct kiln_goto){index, p->inner, stmt->location});
    if (!label->used && !label->defined) {
      label->location = p->tok.location;
      label->end = kiln_sema_token_end(&p->tok);
    }
    label->used = true;
    kiln_parse_advance(p);
  }
  expect_semicolon(p, "after goto statement");
  return stmt;
}

static void check_labels(struct kiln_parser *p) {
  for (uint32_t i = 0; i < p->labels.count; i++) {
    const struct kiln_label *label = &p->labels.items[i];
    if (!label->defined)
      kiln_sema_error(&p->sema, label->location, label->end, "use of undeclared label '%s'", label->name->text);
    else if (!label->used && !p->sema.in_library && !p->sema.lang->diags->errors)
      kiln_sema_warning(&p->sema, KILN_W_UNUSED_LABEL, label->location,
                        label->location & KILN_LOCATION_MACRO ? 0 : label->location + label->name->size,
                        "unused label '%s'", label->name->text);
  }
  for (uint32_t i = 0; i < p->gotos.count; i++) {
    const struct kiln_goto *jump = &p->gotos.items[i];
    const struct kiln_label *label = &p->labels.items[jump->label];
    struct kiln_inner *inner = jump->inner;
    while (inner && inner != label->inner)
      inner = inner->outer;
    if (!label->defined || inner == label->inner)
      continue;
    kiln_sema_error(&p->sema, jump->location, 0, "cannot jump from this goto statement to its label");
    kiln_sema_note(&p->sema, label->location, 0, "jump enters a statement expression");
  }
}

// ---- loops and jumps ------------------------------------------------------------------------------------------------

static struct kiln_stmt *loop_body(struct kiln_parser *p, kiln_location keyword, const char *word,
                                   const struct kiln_expr *condition) {
  bool inner_jump = p->inner_jump;
  p->loops++;
  p->breakable++;
  p->inner_jump = false;
  struct kiln_stmt *body = parse_branch(p, keyword, word, condition);
  body->jumps_inside |= p->inner_jump;
  p->inner_jump |= inner_jump;
  p->breakable--;
  p->loops--;
  return body;
}

static struct kiln_stmt *new_loop(struct kiln_parser *p, enum kiln_stmt_kind kind) {
  struct kiln_stmt *stmt = new_stmt(p, kind, p->tok.location);
  stmt->unroll = p->unroll;
  p->unroll = 0;
  p->loop_pragma = NULL;
  kiln_parse_advance(p);
  return stmt;
}

static struct kiln_stmt *parse_while(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_loop(p, KILN_ST_WHILE);
  p->in_header = true;
  stmt->expr = parse_condition(p, "after 'while'");
  p->in_header = false;
  kiln_location nothing = empty_body(p);
  stmt->body = loop_body(p, stmt->location, "while", stmt->expr);
  if (p->tok.kind == KILN_TOKEN_LBRACE)
    warn_empty_body(p, nothing, "while loop");
  return stmt;
}

static struct kiln_stmt *parse_do(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_loop(p, KILN_ST_DO);
  stmt->body = loop_body(p, KILN_LOCATION_MACRO, "do", NULL);
  if (!kiln_parse_expect(p, KILN_TOKEN_KW_WHILE, "in do/while loop", 0)) {
    stmt->expr = kiln_expr_error(&p->sema, stmt->location, 0);
    return stmt;
  }
  p->in_header = true;
  stmt->expr = parse_condition(p, "after 'while'");
  p->in_header = false;
  expect_semicolon(p, "after do/while statement");
  return stmt;
}

// A ";" in the header of a for loop. When it is missing, the rest of the header is skipped.
static bool for_semicolon(struct kiln_parser *p) {
  if (kiln_parse_expect(p, KILN_TOKEN_SEMICOLON, "in 'for' statement specifier", 0))
    return true;
  kiln_parse_skip_to(p, KILN_TOKEN_RPAREN);
  return kiln_parse_accept(p, KILN_TOKEN_SEMICOLON);
}

// An expression of which only the effect is wanted.
static struct kiln_expr *parse_effect(struct kiln_parser *p) {
  uint32_t changes = p->sema.changes;
  struct kiln_expr *e = kiln_parse_expression(p);
  kiln_note_assignment(e);
  kiln_warn_unsequenced(&p->sema, e, changes);
  return kiln_sema_value(&p->sema, e);
}

static struct kiln_stmt *parse_for(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_loop(p, KILN_ST_FOR);
  kiln_location open = p->tok.location;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after 'for'", 0)) {
    kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
    return stmt;
  }
  kiln_scope_push(&p->sema);
  bool ended = false;
  if (p->tok.kind != KILN_TOKEN_SEMICOLON && is_declaration(p)) {
    stmt->first = parse_declarators(p, &ended);
  } else if (p->tok.kind != KILN_TOKEN_SEMICOLON) {
    stmt->first = new_stmt(p, KILN_ST_EXPR, p->tok.location);
    stmt->first->expr = parse_effect(p);
  }
  p->in_header = true;
  if (for_semicolon(p)) {
    if (p->tok.kind != KILN_TOKEN_SEMICOLON)
      stmt->expr = kiln_sema_condition(&p->sema, kiln_parse_expression(p), "statement");
    if (for_semicolon(p) && p->tok.kind != KILN_TOKEN_RPAREN)
      stmt->step = parse_effect(p);
  }
  p->in_header = false;
  expect_close(p, open);
  kiln_location nothing = empty_body(p);
  stmt->body = loop_body(p, stmt->location, "for", stmt->expr);
  if (p->tok.kind == KILN_TOKEN_LBRACE)
    warn_empty_body(p, nothing, "for loop");
  kiln_scope_pop(&p->sema);
  return stmt;
}

static struct kiln_stmt *parse_jump(struct kiln_parser *p) {
  bool is_break = p->tok.kind == KILN_TOKEN_KW_BREAK;
  struct kiln_stmt *stmt = new_stmt(p, is_break ? KILN_ST_BREAK : KILN_ST_CONTINUE, p->tok.location);
  if (is_break ? !p->breakable : !p->loops)
    kiln_parse_error(p, &p->tok, "'%s' statement not in loop%s statement", is_break ? "break" : "continue",
                     is_break ? " or switch" : "");
  p->inner_jump |= p->inner != NULL;
  kiln_parse_advance(p);
  expect_semicolon(p, is_break ? "after break statement" : "after continue statement");
  return stmt;
}

static struct kiln_stmt *parse_return(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_RETURN, p->tok.location);
  struct kiln_qtype result = p->sema.fn->decl.type.type->base;
  const char *name = p->sema.fn->decl.name->text;
  bool is_void = result.type->kind == KILN_CT_VOID;
  p->inner_jump |= p->inner != NULL;
  kiln_parse_advance(p);
  if (p->tok.kind == KILN_TOKEN_SEMICOLON) {
    if (!is_void && result.type->kind != KILN_CT_ERROR)
      kiln_sema_error(&p->sema, stmt->location, 0, "non-void function '%s' should return a value", name);
  } else {
    uint32_t changes = p->sema.changes;
    struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_expression(p));
    kiln_warn_unsequenced(&p->sema, e, changes);
    if (!is_void) {
      stmt->expr = kiln_sema_assign(&p->sema, e, result, KILN_ASSIGN_RETURN);
    } else if (!kiln_is_error(e) && e->type.type->kind != KILN_CT_VOID) {
      kiln_sema_error(&p->sema, stmt->location, 0, "void function '%s' should not return a value", name);
    } else { // "return f();" of a void f: a statement, then a plain return
      struct kiln_stmt *both = new_stmt(p, KILN_ST_COMPOUND, stmt->location);
      both->stmts = KILN_NEW_ARRAY(p->sema.arena, struct kiln_stmt *, 2);
      both->stmts[0] = new_stmt(p, KILN_ST_EXPR, stmt->location);
      both->stmts[0]->expr = e;
      both->stmts[1] = stmt;
      both->stmt_count = 2;
      stmt = both;
    }
  }
  expect_semicolon(p, "after return statement");
  return stmt;
}

// ---- any statement --------------------------------------------------------------------------------------------------

static struct kiln_stmt *parse_expression_statement(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_EXPR, p->tok.location);
  stmt->expr = parse_effect(p);
  bool is_result = p->inner && p->sema.depth == p->inner->depth && p->tok.kind == KILN_TOKEN_SEMICOLON &&
                   kiln_parse_next_is(p, KILN_TOKEN_RBRACE);
  if (!is_result)
    kiln_warn_unused_value(&p->sema, stmt->expr);
  if (kiln_is_error(stmt->expr) && p->tok.kind != KILN_TOKEN_SEMICOLON) { // said enough about this statement
    kiln_parse_skip_past(p, KILN_TOKEN_SEMICOLON);
    return stmt;
  }
  expect_semicolon(p, "after expression");
  return stmt;
}

// Attributes before a statement: a hint for a loop, or those of a declaration. NULL: a statement follows.
static struct kiln_stmt *parse_leading_attributes(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  struct kiln_attrs attrs = {0};
  kiln_parse_attributes(p, &attrs);
  if (is_declaration(p)) {
    p->leading_attrs = &attrs;
    return parse_declaration(p);
  }
  if (attrs.unroll && !at_loop(p))
    kiln_sema_error(&p->sema, location, 0,
                    "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements");
  if (attrs.unroll)
    p->unroll = attrs.unroll;
  return NULL;
}

static struct kiln_stmt *parse_assertion(struct kiln_parser *p) {
  struct kiln_stmt *stmt = new_stmt(p, KILN_ST_EXPR, p->tok.location);
  kiln_parse_static_assert(p);
  return stmt;
}

static struct kiln_stmt *parse_assembly(struct kiln_parser *p) {
  kiln_parse_error(p, &p->tok, "inline assembly is not supported in OpenCL C");
  kiln_parse_skip_past(p, KILN_TOKEN_SEMICOLON);
  return new_stmt(p, KILN_ST_EXPR, p->tok.location);
}

// A semicolon, or an "else" that belongs to no "if".
static struct kiln_stmt *parse_empty(struct kiln_parser *p) {
  if (p->tok.kind == KILN_TOKEN_KW_ELSE)
    kiln_parse_error(p, &p->tok, "expected expression");
  kiln_parse_advance(p);
  return new_stmt(p, KILN_ST_EXPR, p->tok.location);
}

static struct kiln_stmt *(*const statements[KILN_TOKEN_KIND_COUNT])(struct kiln_parser *p) = {
    [KILN_TOKEN_LBRACE] = parse_compound,
    [KILN_TOKEN_KW_IF] = parse_if,
    [KILN_TOKEN_KW_SWITCH] = parse_switch,
    [KILN_TOKEN_KW_WHILE] = parse_while,
    [KILN_TOKEN_KW_DO] = parse_do,
    [KILN_TOKEN_KW_FOR] = parse_for,
    [KILN_TOKEN_KW_BREAK] = parse_jump,
    [KILN_TOKEN_KW_CONTINUE] = parse_jump,
    [KILN_TOKEN_KW_RETURN] = parse_return,
    [KILN_TOKEN_KW_GOTO] = parse_goto,
    [KILN_TOKEN_KW_LOCAL_LABEL] = parse_local_labels,
    [KILN_TOKEN_KW_STATIC_ASSERT] = parse_assertion,
    [KILN_TOKEN_KW_ASM] = parse_assembly,
    [KILN_TOKEN_KW_ASM_] = parse_assembly,
    [KILN_TOKEN_KW_ASM__] = parse_assembly,
    [KILN_TOKEN_KW_ELSE] = parse_empty,
    [KILN_TOKEN_SEMICOLON] = parse_empty};

// may_declare: a declaration may be here, which is an error.
static struct kiln_stmt *parse_plain(struct kiln_parser *p, bool may_declare) {
  struct kiln_stmt *declaration = NULL;
  if (kiln_at_attribute(p) && (declaration = parse_leading_attributes(p)))
    return declaration;
  check_hint(p);
  if (p->tok.kind < KILN_TOKEN_KIND_COUNT && statements[p->tok.kind])
    return statements[p->tok.kind](p);
  if (may_declare && kiln_parse_is_type(p, &p->tok)) { // without braces around it
    kiln_parse_error(p, &p->tok, "expected expression");
    return parse_declaration(p);
  }
  return parse_expression_statement(p);
}

// False: here is no label. *out is NULL for one that nothing reaches.
static bool parse_one_label(struct kiln_parser *p, struct kiln_stmt **out) {
  if (p->tok.kind == KILN_TOKEN_KW_CASE)
    *out = parse_case(p);
  else if (p->tok.kind == KILN_TOKEN_KW_DEFAULT)
    *out = parse_default(p);
  else if (is_label(p))
    *out = parse_label(p);
  else
    return false;
  return true;
}

static bool begins_label(struct kiln_parser *p) {
  return p->tok.kind == KILN_TOKEN_KW_CASE || p->tok.kind == KILN_TOKEN_KW_DEFAULT || is_label(p);
}

// To the next label of the switch, or its end.
static void skip_case(struct kiln_parser *p) {
  for (uint32_t depth = 0; p->tok.kind != KILN_TOKEN_END; kiln_parse_advance(p)) {
    if (!depth &&
        (p->tok.kind == KILN_TOKEN_KW_CASE || p->tok.kind == KILN_TOKEN_KW_DEFAULT || p->tok.kind == KILN_TOKEN_RBRACE))
      return;
    depth += p->tok.kind == KILN_TOKEN_LBRACE;
    depth -= p->tok.kind == KILN_TOKEN_RBRACE;
  }
}

// Labels in a row are read in a loop. A very long row is cut: the rest of it follows in the list of statements.
static struct kiln_stmt *parse_labelled(struct kiln_parser *p, bool in_list) {
  kiln_location location = p->tok.location;
  struct kiln_stmt *first = NULL, *last = NULL, *label;
  for (unsigned length = 0; length < MAX_LABELS && parse_one_label(p, &label); length++) {
    if (!label)
      continue;
    if (last)
      last->body = label;
    else
      first = label;
    last = label;
  }
  if (!last) {
    skip_case(p);
    return new_stmt(p, KILN_ST_EXPR, location);
  }
  bool nothing =
      p->tok.kind == KILN_TOKEN_RBRACE || p->tok.kind == KILN_TOKEN_END || is_declaration(p) || begins_label(p);
  last->body = in_list && nothing ? new_stmt(p, KILN_ST_EXPR, last->location) : parse_statement(p);
  return first;
}

static struct kiln_stmt *parse_nested(struct kiln_parser *p) {
  return begins_label(p) ? parse_labelled(p, false) : parse_plain(p, true);
}

static struct kiln_stmt *parse_statement(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  struct kiln_stmt *stmt = kiln_parse_enter(p) ? parse_nested(p) : new_stmt(p, KILN_ST_EXPR, location);
  kiln_parse_leave(p);
  return stmt;
}

static struct kiln_stmt *parse_unlabelled(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  struct kiln_stmt *stmt = kiln_parse_enter(p) ? parse_plain(p, false) : new_stmt(p, KILN_ST_EXPR, location);
  kiln_parse_leave(p);
  return stmt;
}

struct kiln_stmt *kiln_parse_body(struct kiln_parser *p, kiln_location *close) {
  p->unroll = 0;
  p->loop_pragma = NULL;
  struct kiln_stmt *body = parse_braces(p, true, close);
  check_labels(p);
  return body;
}

// ---- control flow ---------------------------------------------------------------------------------------------------

struct jumps { // out of the loop or switch around
  bool breaks, continues;
};

static bool completes(const struct kiln_stmt *stmt, struct jumps *jumps);

static bool is_true(const struct kiln_expr *e) {
  return !e || (e->kind == KILN_EX_INT && e->value) || (e->kind == KILN_EX_FLOAT && e->number != 0);
}

static bool list_completes(struct kiln_stmt *const *stmts, uint32_t count, struct jumps *jumps) {
  bool reachable = true;
  for (uint32_t i = 0; i < count; i++) {
    enum kiln_stmt_kind kind = stmts[i]->kind;
    bool entered = kind == KILN_ST_LABEL || kind == KILN_ST_CASE || kind == KILN_ST_DEFAULT;
    if (reachable || entered)
      reachable = completes(stmts[i], jumps);
  }
  return reachable;
}

static bool has_default(const struct kiln_stmt *stmt) {
  if (!stmt)
    return false;
  if (stmt->kind == KILN_ST_DEFAULT)
    return true;
  if (stmt->kind == KILN_ST_COMPOUND)
    for (uint32_t i = 0; i < stmt->stmt_count; i++)
      if (has_default(stmt->stmts[i]))
        return true;
  return (stmt->kind == KILN_ST_CASE || stmt->kind == KILN_ST_LABEL) && has_default(stmt->body);
}

static bool completes(const struct kiln_stmt *stmt, struct jumps *jumps) {
  struct jumps inner = {0};
  bool end;
  if (!stmt)
    return true;
  switch (stmt->kind) {
  case KILN_ST_EXPR:
    return !stmt->expr || stmt->expr->kind != KILN_EX_STATEMENTS || completes(stmt->expr->body, jumps);
  case KILN_ST_DECL:
    return true;
  case KILN_ST_COMPOUND:
    return list_completes(stmt->stmts, stmt->stmt_count, jumps);
  case KILN_ST_IF:
    if (stmt->expr->kind == KILN_EX_INT && stmt->expr->value)
      return completes(stmt->body, jumps);
    end = completes(stmt->body, jumps);
    return completes(stmt->other, jumps) || end;
  case KILN_ST_WHILE:
  case KILN_ST_FOR:
    completes(stmt->body, &inner);
    return inner.breaks || !is_true(stmt->expr);
  case KILN_ST_DO:
    end = completes(stmt->body, &inner);
    return inner.breaks || ((end || inner.continues) && !is_true(stmt->expr));
  case KILN_ST_SWITCH:
    end = completes(stmt->body, &inner);
    jumps->continues |= inner.continues;
    return end || inner.breaks || !has_default(stmt->body);
  case KILN_ST_CASE:
  case KILN_ST_DEFAULT:
  case KILN_ST_LABEL:
    return completes(stmt->body, jumps);
  case KILN_ST_BREAK:
    jumps->breaks = true;
    return false;
  case KILN_ST_CONTINUE:
    jumps->continues = true;
    return false;
  case KILN_ST_RETURN:
  case KILN_ST_GOTO:
    return false;
  }
  return true;
}

bool kiln_stmt_completes(const struct kiln_stmt *stmt) {
  struct jumps jumps = {0};
  return completes(stmt, &jumps);
}
