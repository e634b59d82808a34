// Macros that are formulas, as the rotations and choices of hash functions are: a body in parentheses of nothing but
// parameters, small numbers, parentheses, and operators on numbers. The body is parsed once, into steps; a use whose
// arguments are made of variables, elements of arrays, small numbers and such operators runs them, so that its tokens
// are neither made nor parsed. The tree, the places in it and the warnings are those that the tokens would give. Where
// anything else than warnings could come of it, the use is expanded.
#include "jit/lang/formula.h"
#include "jit/lang/literal.h"
#include "jit/lang/parse.h"
#include "jit/lang/pp.h"

enum {
  MAX_STEPS = KILN_PLAN_STEPS,
  MAX_DEPTH = 16, // of parentheses and operators in each other; as many values are waiting at most, and one
  PLAN_SLOTS = 16,
  MAX_PLANS = 64,
};
_Static_assert((int)PP_MAX_USE_ARGUMENTS <= (int)KILN_PLAN_ARGUMENTS, "each argument has its place in a plan");

struct step {
  enum { ARGUMENT, VARIABLE, NUMBER, ELEMENT, UNARY, BINARY } kind : 8;
  enum kiln_expr_kind op : 8; // UNARY, BINARY
  uint32_t piece;             // of a formula: which of the macro's; tells the place
  union {
    uint32_t argument;              // ARGUMENT: which
    const struct kiln_token *token; // of an argument: the name, the number, the "]" or the operator
  };
  union {
    struct kiln_decl *decl;    // VARIABLE
    struct kiln_number number; // NUMBER
  };
};

struct kiln_formula {
  uint32_t count;
  uint32_t used, bare; // parameters, a bit each; bare: that are somewhere not alone in parentheses
  bool only_integers;  // an operator takes nothing else
  bool is_reused;      // it had a use
  uint8_t order_count; // of the parameters that are used, by their first use
  uint8_t order[PP_MAX_USE_ARGUMENTS], position[PP_MAX_USE_ARGUMENTS]; // by number; in order
  uint32_t plan_count;
  struct kiln_plan *plans[PLAN_SLOTS]; // lists, by hash
  struct step steps[];
};

// ---- making the steps -----------------------------------------------------------------------------------------------

struct maker {
  struct kiln_parser *p; // for the names of an argument; NULL: of a macro
  const struct pp_piece *first, *at, *end;
  struct step *steps;
  uint32_t count, used, bare;
  bool only_integers;
  uint8_t order[PP_MAX_USE_ARGUMENTS], order_count;
};

static struct step *add(struct maker *m, const struct pp_piece *piece, int kind) {
  if (m->count == MAX_STEPS)
    return NULL;
  struct step *step = &m->steps[m->count++];
  step->kind = kind;
  step->piece = (uint32_t)(piece - m->first);
  if (m->p)
    step->token = &piece->token;
  return step;
}

static bool add_operator(struct maker *m, const struct pp_piece *piece, int kind, enum kiln_expr_kind op) {
  struct step *step = add(m, piece, kind);
  if (!step)
    return false;
  step->op = op;
  m->only_integers |= op == KILN_EX_NOT || op == KILN_EX_REM || (op >= KILN_EX_SHL && op <= KILN_EX_XOR);
  return true;
}

static bool is_token(const struct maker *m, const struct pp_piece *piece, enum kiln_token_kind kind) {
  return piece >= m->first && piece < m->end && piece->kind == PP_TOKEN && piece->token.kind == kind;
}

static bool accept(struct maker *m, enum kiln_token_kind kind) {
  if (!is_token(m, m->at, kind))
    return false;
  m->at++;
  return true;
}

// Whether the operators take it without an error.
static bool is_suitable(const struct kiln_ctype *type, bool only_integers) {
  bool is_integer = type->kind >= KILN_CT_BOOL && type->kind <= KILN_CT_ULONG;
  return is_integer || (!only_integers && (type->kind == KILN_CT_FLOAT || type->kind == KILN_CT_DOUBLE));
}

static bool make_operators(struct maker *m, unsigned lowest, unsigned depth);

static bool make_parameter(struct maker *m, const struct pp_piece *piece) {
  struct step *step = add(m, piece, ARGUMENT);
  if (!step)
    return false;
  step->argument = (uint32_t)piece->param;
  if (!(m->used >> piece->param & 1))
    m->order[m->order_count++] = (uint8_t)piece->param;
  m->used |= 1u << piece->param;
  if (!is_token(m, piece - 1, KILN_TOKEN_LPAREN) || !is_token(m, piece + 1, KILN_TOKEN_RPAREN))
    m->bare |= 1u << piece->param;
  return true;
}

// A variable, or an element of one. Whether numbers of its type may be here is known only when all is.
static bool make_variable(struct maker *m, const struct pp_piece *piece, unsigned depth) {
  const struct kiln_symbol *symbol = kiln_scope_find(m->p, piece->token.name);
  struct step *step =
      symbol && symbol->kind == KILN_SYMBOL_DECL && kiln_is_variable(symbol->decl) ? add(m, piece, VARIABLE) : NULL;
  if (!step)
    return false;
  step->decl = symbol->decl;
  const struct kiln_ctype *type = step->decl->type.type;
  if (!accept(m, KILN_TOKEN_LBRACKET))
    return is_suitable(type, false);
  m->only_integers = true; // the index
  return (type->kind == KILN_CT_POINTER || type->kind == KILN_CT_ARRAY) && is_suitable(type->base.type, true) &&
         make_operators(m, 1, depth + 1) && is_token(m, m->at, KILN_TOKEN_RBRACKET) && add(m, m->at++, ELEMENT);
}

static bool make_operand(struct maker *m, unsigned depth) {
  const struct pp_piece *piece = m->at++;
  if (depth >= MAX_DEPTH || piece == m->end || piece->kind == PP_OPERATOR)
    return false;
  if (piece->kind == PP_VALUE)
    return make_parameter(m, piece);
  switch ((int)piece->token.kind) {
  case KILN_TOKEN_LPAREN:
    return make_operators(m, 1, depth + 1) && accept(m, KILN_TOKEN_RPAREN);
  case KILN_TOKEN_TILDE:
    return make_operand(m, depth + 1) && add_operator(m, piece, UNARY, KILN_EX_NOT);
  case KILN_TOKEN_MINUS:
    return make_operand(m, depth + 1) && add_operator(m, piece, UNARY, KILN_EX_NEG);
  case KILN_TOKEN_IDENTIFIER:
    return m->p && make_variable(m, piece, depth);
  case KILN_TOKEN_NUMBER: {
    struct step *step = add(m, piece, NUMBER);
    return step && kiln_literal_small(&piece->token, &step->number);
  }
  }
  return false;
}

static bool make_operators(struct maker *m, unsigned lowest, unsigned depth) {
  if (!make_operand(m, depth))
    return false;
  while (m->at != m->end && m->at->kind == PP_TOKEN) {
    const struct pp_piece *piece = m->at;
    struct kiln_binary op = kiln_binary_operators[piece->token.kind];
    if (!op.precedence || op.precedence < lowest)
      break;
    m->at++;
    bool is_logical = op.kind == KILN_EX_LOGAND || op.kind == KILN_EX_LOGOR;
    bool is_written = m->p && !(piece->token.place & KILN_PLACE_MACRO); // the parser may warn of its precedence
    if (is_logical || is_written || !make_operators(m, op.precedence + 1u, depth + 1) ||
        !add_operator(m, piece, BINARY, (enum kiln_expr_kind)op.kind))
      return false;
  }
  return true;
}

// NULL: the macro is none.
static struct kiln_formula *make_formula(struct kiln_parser *p, const struct pp_macro *macro) {
  struct step steps[MAX_STEPS];
  const struct pp_piece *first = macro->pieces;
  struct maker m = {.first = first, .at = first, .end = first + macro->piece_count, .steps = steps};
  if (!is_token(&m, first, KILN_TOKEN_LPAREN) || !make_operand(&m, 0) || m.at != m.end)
    return NULL;
  struct kiln_formula *formula = kiln_arena_alloc(p->arena, sizeof *formula + m.count * sizeof *steps, 8);
  *formula = (struct kiln_formula){
      .count = m.count, .used = m.used, .bare = m.bare, .only_integers = m.only_integers, .order_count = m.order_count};
  memcpy(formula->order, m.order, sizeof m.order);
  for (uint8_t i = 0; i < m.order_count; i++)
    formula->position[m.order[i]] = i;
  memcpy(formula->steps, steps, m.count * sizeof *steps);
  return formula;
}

// ---- running them ---------------------------------------------------------------------------------------------------

struct argument {
  uint32_t first, count; // of its steps
};

struct arguments { // of one use
  struct argument items[PP_MAX_USE_ARGUMENTS];
  struct pp_piece pieces[PP_MAX_USE_TOKENS]; // of those that are several tokens
  struct step steps[MAX_STEPS];
  uint32_t piece_count, count; // count: of steps
};

static bool are_suitable(const struct step *steps, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    bool is_element = steps[i].kind == VARIABLE && steps[i].decl->type.type->kind >= KILN_CT_POINTER;
    if (steps[i].kind == VARIABLE && !is_element && !is_suitable(steps[i].decl->type.type, true))
      return false;
  }
  return true;
}

// Of a name or number, as most arguments are.
static bool make_single(struct kiln_parser *p, const struct kiln_token *tok, bool only_integers, struct step *step) {
  step->token = tok;
  if (tok->kind == KILN_TOKEN_NUMBER) {
    step->kind = NUMBER;
    return kiln_literal_small(tok, &step->number);
  }
  const struct kiln_symbol *symbol = tok->kind == KILN_TOKEN_IDENTIFIER ? kiln_scope_find(p, tok->name) : NULL;
  if (!symbol || symbol->kind != KILN_SYMBOL_DECL || !kiln_is_variable(symbol->decl))
    return false;
  step->kind = VARIABLE;
  step->decl = symbol->decl;
  return is_suitable(symbol->decl->type.type, only_integers);
}

// False: it is nothing that can be run.
static bool make_argument(struct kiln_parser *p, const struct kiln_formula *formula, uint32_t index,
                          struct arguments *out) {
  const struct kiln_token *tokens = p->pp->use.arguments[index].tokens;
  uint32_t count = p->pp->use.arguments[index].count;
  if (out->count == MAX_STEPS || (count > 1 && (formula->bare >> index & 1)))
    return false;
  if (count == 1) {
    out->items[index] = (struct argument){out->count, 1};
    return make_single(p, tokens, formula->only_integers, &out->steps[out->count++]);
  }
  if (count > PP_MAX_USE_TOKENS - out->piece_count)
    return false;
  struct pp_piece *pieces = out->pieces + out->piece_count;
  out->piece_count += count;
  for (uint32_t i = 0; i < count; i++) {
    pieces[i].token = tokens[i];
    pieces[i].kind = PP_TOKEN;
  }
  struct maker m = {.p = p,
                    .first = pieces,
                    .at = pieces,
                    .end = pieces + count,
                    .steps = out->steps,
                    .count = out->count,
                    .only_integers = formula->only_integers};
  if (!make_operators(&m, 1, 0) || m.at != m.end)
    return false;
  out->items[index] = (struct argument){out->count, m.count - out->count};
  out->count = m.count;
  const struct argument *made = &out->items[index];
  return !m.only_integers || are_suitable(out->steps + made->first, made->count);
}

static bool make_arguments(struct kiln_parser *p, const struct pp_macro *macro, struct arguments *out) {
  const struct kiln_formula *formula = macro->formula;
  out->piece_count = out->count = 0;
  for (uint32_t i = 0; i < macro->param_count; i++)
    if ((formula->used >> i & 1) && !make_argument(p, formula, i, out))
      return false;
  return true;
}

static inline struct kiln_expr *small_number(struct kiln_parser *p, const struct kiln_number *number, kiln_place place,
                                             kiln_place end) {
  const struct kiln_ctype *type = kiln_ctype_scalar(p->types, number->type);
  struct kiln_expr *e = kiln_expr_new(p, KILN_EX_INT, kiln_plain(type), place, end);
  e->value = number->value;
  return e;
}

// Of a VARIABLE or NUMBER of an argument.
static inline struct kiln_expr *leaf(struct kiln_parser *p, const struct step *step) {
  const struct kiln_token *tok = step->token;
  return step->kind == VARIABLE ? kiln_expr_variable(p, step->decl, tok)
                                : small_number(p, &step->number, tok->place, kiln_parse_end(tok));
}

// The steps of an argument. top: behind the last value; returns it afterwards.
static struct kiln_expr **run_argument(struct kiln_parser *p, const struct step *step, uint32_t count,
                                       struct kiln_expr **top) {
  for (const struct step *end = step + count; step != end; step++) {
    const struct kiln_token *tok = step->token;
    switch (step->kind) {
    case VARIABLE:
    case NUMBER:
      *top++ = leaf(p, step);
      break;
    case ELEMENT:
      top--;
      top[-1] = kiln_sema_subscript(p, top[-1]->place, kiln_parse_end(tok), top[-1], *top);
      break;
    case UNARY:
      top[-1] = kiln_sema_unary(p, step->op, tok->place, top[-1]);
      break;
    case ARGUMENT: // of a formula only
    case BINARY:
      top--;
      top[-1] = kiln_sema_binary(p, step->op, tok->place, top[-1], *top);
      break;
    }
  }
  return top;
}

// first: the place of the first piece.
static struct kiln_expr *run(struct kiln_parser *p, const struct kiln_formula *formula,
                             const struct arguments *arguments, kiln_place first) {
  struct kiln_expr *stack[2 * (MAX_DEPTH + 1)], **top = stack;
  for (const struct step *step = formula->steps, *end = step + formula->count; step != end; step++) {
    kiln_place place = first + step->piece;
    const struct argument *argument;
    switch (step->kind) {
    case ARGUMENT:
      argument = &arguments->items[step->argument];
      if (argument->count == 1)
        *top++ = leaf(p, arguments->steps + argument->first);
      else
        top = run_argument(p, arguments->steps + argument->first, argument->count, top);
      break;
    case NUMBER:
      *top++ = small_number(p, &step->number, place, place);
      break;
    case UNARY:
      top[-1] = kiln_sema_unary(p, step->op, place, top[-1]);
      break;
    case VARIABLE: // of an argument only
    case ELEMENT:
    case BINARY:
      top--;
      top[-1] = kiln_sema_binary(p, step->op, place, top[-1], *top);
      break;
    }
  }
  return stack[0];
}

// ---- plans ----------------------------------------------------------------------------------------------------------

struct key {
  uint64_t shape, values[PP_MAX_USE_ARGUMENTS];
  uint32_t value_count, slot;
  struct kiln_formula_argument arguments[PP_MAX_USE_ARGUMENTS];
};

// Of the use that is at hand. False: there is no plan for such arguments.
static bool make_key(struct kiln_parser *p, const struct kiln_formula *formula, struct key *key) {
  enum { IS_NUMBER = 0x80 };
  const struct pp_use *use = &p->pp->use;
  uint64_t hash = 0, shape = 0;
  key->value_count = 0;
  for (uint32_t i = 0; i < formula->order_count; i++) {
    uint32_t index = formula->order[i];
    const struct kiln_token *tok = use->arguments[index].tokens;
    if (use->arguments[index].count != 1)
      return false;
    key->arguments[i] = (struct kiln_formula_argument){NULL, tok->place, kiln_parse_end(tok)};
    struct kiln_number number;
    if (tok->kind == KILN_TOKEN_NUMBER && kiln_literal_small(tok, &number)) {
      key->values[key->value_count++] = number.value;
      hash = hash * 31 + number.value;
      shape = shape << 8 | number.type | IS_NUMBER;
      continue;
    }
    const struct kiln_symbol *symbol = tok->kind == KILN_TOKEN_IDENTIFIER ? kiln_scope_find(p, tok->name) : NULL;
    if (!symbol || symbol->kind != KILN_SYMBOL_DECL || !kiln_is_variable(symbol->decl))
      return false;
    const struct kiln_qtype *type = &symbol->decl->type;
    enum kiln_ctype_kind kind = type->type->kind;
    if (kind < KILN_CT_INT || kind > KILN_CT_ULONG || type->quals || type->space != KILN_PRIVATE ||
        symbol->decl->is_program_scope)
      return false;
    key->arguments[i].decl = symbol->decl;
    shape = shape << 8 | kind;
  }
  key->shape = shape;
  key->slot = (hash ^ hash >> 4 ^ shape) % PLAN_SLOTS;
  return true;
}

static struct kiln_plan *find_plan(const struct kiln_formula *formula, const struct key *key) {
  for (struct kiln_plan *plan = formula->plans[key->slot]; plan; plan = plan->next) {
    uint64_t differs = plan->shape ^ key->shape;
    for (uint32_t i = 0; i < key->value_count; i++)
      differs |= plan->values[i] ^ key->values[i];
    if (!differs)
      return plan;
  }
  return NULL;
}

struct planned { // a value that waits
  struct kiln_expr *e;
  uint32_t first; // of its steps
};

struct planner {
  struct kiln_parser *p;
  struct kiln_plan *plan;
  struct planned stack[2 * (MAX_DEPTH + 1)], *top;
  bool is_good;
};

static struct kiln_plan_step *plan_step(struct planner *m, int kind, struct kiln_plan_place place,
                                        struct kiln_plan_place end, const struct kiln_ctype *type) {
  struct kiln_plan_step *step = &m->plan->steps[m->plan->count++];
  *step = (struct kiln_plan_step){.kind = kind, .place = place, .end = end, .type = type};
  return step;
}

static void plan_leaf(struct planner *m, struct kiln_expr *e, struct kiln_plan_place place) {
  bool is_number = e->kind == KILN_EX_INT;
  *m->top++ = (struct planned){e, m->plan->count};
  struct kiln_plan_step *step = plan_step(m, is_number ? KILN_PLAN_NUMBER : KILN_PLAN_READ, place, place, e->type.type);
  if (is_number)
    step->value = e->value;
  else
    m->plan->reads[place.argument]++;
}

// The last step of an operand whose steps end before behind, the operator having made it e. NULL: it is something that
// there is no step for.
static struct kiln_plan_step *plan_operand(struct planner *m, const struct planned *operand, uint32_t behind,
                                           const struct kiln_expr *e) {
  struct kiln_plan_step *step = &m->plan->steps[behind - 1];
  bool is_same = e == operand->e;
  if (step->kind == KILN_PLAN_READ) {
    bool is_load = e->kind == KILN_EX_CAST && e->cast == KILN_CAST_LOAD && e->left == operand->e;
    step->op = e->kind;
    return (is_same && e->kind == KILN_EX_READ) || (is_load && operand->e->kind == KILN_EX_VAR) ? step : NULL;
  }
  if (step->kind != KILN_PLAN_NUMBER)
    return is_same ? step : NULL;
  step->value = e->value; // after a conversion
  step->type = e->type.type;
  bool is_number = e->kind == KILN_EX_INT && e->place == operand->e->place && e->end == operand->e->end;
  return is_number ? step : NULL;
}

// Of an operator on the last count values, in their place; e: what it came to.
static void plan_operator(struct planner *m, enum kiln_expr_kind op, struct kiln_expr *e, kiln_place place,
                          uint32_t piece, uint32_t count) {
  struct kiln_plan *plan = m->plan;
  struct planned *operands = m->top -= count, *last = &operands[count - 1];
  struct kiln_plan_place at = {KILN_PLAN_MACRO, piece}, end = plan->steps[plan->count - 1].end;
  kiln_place end_before = last->e->end;
  m->top++;
  if (e->kind == KILN_EX_INT) { // of constants
    m->is_good &= e->place == place && e->end == end_before && plan->count == operands->first + count;
    plan->count = operands->first;
    plan_step(m, KILN_PLAN_NUMBER, at, end, e->type.type)->value = e->value;
  } else {
    m->is_good &= e->kind == op && op <= KILN_EX_XOR && e->end == end_before && e->type.type->kind >= KILN_CT_INT &&
                  e->type.type->kind <= KILN_CT_ULONG &&
                  plan_operand(m, last, plan->count, count == 2 ? e->right : e->left);
    if (count == 2)
      m->is_good = m->is_good && plan_operand(m, operands, last->first, e->left);
    plan_step(m, count == 2 ? KILN_PLAN_BINARY : KILN_PLAN_UNARY, at, end, e->type.type)->op = op;
    plan->operators++;
    plan->divides |= op == KILN_EX_DIV || op == KILN_EX_REM;
  }
  operands->e = e;
}

// As run, making the plan for all such uses.
static struct kiln_expr *run_planned(struct kiln_parser *p, struct kiln_formula *formula,
                                     const struct arguments *arguments, kiln_place first, const struct key *key) {
  struct kiln_plan *plan = kiln_arena_zalloc(p->arena, sizeof *plan + formula->count * sizeof *plan->steps, 8);
  struct planner m = {.p = p, .plan = plan, .top = m.stack, .is_good = true};
  unsigned warnings = p->lang->diags->warnings;
  for (const struct step *step = formula->steps, *end = step + formula->count; step != end; step++) {
    kiln_place place = first + step->piece;
    struct planned *top = m.top;
    struct kiln_expr *e;
    switch (step->kind) {
    case ARGUMENT:
      plan_leaf(&m, leaf(p, arguments->steps + arguments->items[step->argument].first),
                (struct kiln_plan_place){.argument = formula->position[step->argument]});
      break;
    case NUMBER:
      plan_leaf(&m, small_number(p, &step->number, place, place),
                (struct kiln_plan_place){KILN_PLAN_MACRO, step->piece});
      break;
    case UNARY:
      e = kiln_sema_unary(p, step->op, place, top[-1].e);
      plan_operator(&m, step->op, e, place, step->piece, 1);
      break;
    case VARIABLE: // of an argument only
    case ELEMENT:
    case BINARY:
      e = kiln_sema_binary(p, step->op, place, top[-2].e, top[-1].e);
      plan_operator(&m, step->op, e, place, step->piece, 2);
      break;
    }
  }
  plan->shape = key->shape;
  memcpy(plan->values, key->values, key->value_count * sizeof *key->values);
  plan->argument_count = formula->order_count;
  plan->next = formula->plans[key->slot];
  formula->plans[key->slot] = plan;
  formula->plan_count++;
  if (!m.is_good || plan->steps[plan->count - 1].kind < KILN_PLAN_UNARY || p->lang->diags->warnings != warnings)
    plan->count = 0;
  return m.stack[0].e;
}

// The node of a use.
static struct kiln_expr *use_plan(struct kiln_parser *p, const struct kiln_formula *formula, struct kiln_plan *plan,
                                  const struct key *key, kiln_place first) {
  struct kiln_formula_argument *arguments =
      kiln_arena_alloc(p->arena, formula->order_count * sizeof *arguments, _Alignof(struct kiln_formula_argument));
  for (uint32_t i = 0; i < formula->order_count; i++) {
    struct kiln_decl *decl = key->arguments[i].decl;
    arguments[i] = key->arguments[i];
    if (decl) {
      decl->is_referenced = decl->is_used = true;
      decl->references += plan->reads[i];
    }
  }
  const struct kiln_plan_step *last = &plan->steps[plan->count - 1];
  struct kiln_expr *e = kiln_expr_make(p, KILN_EX_FORMULA, kiln_plain(last->type), 0, 0, true);
  e->plan = plan;
  e->arguments = arguments;
  e->first = first;
  e->place = kiln_plan_place(e, last->place);
  e->end = kiln_plan_end(e, last->end);
  p->expr_count += plan->count;
  return e;
}

static struct kiln_expr *expand_read(struct kiln_parser *p, const struct kiln_formula_argument *argument,
                                     enum kiln_expr_kind kind) {
  bool is_read = kind == KILN_EX_READ;
  struct kiln_expr *e = kiln_expr_make(p, is_read ? KILN_EX_READ : KILN_EX_VAR, argument->decl->type, argument->place,
                                       argument->end, is_read);
  e->decl = argument->decl;
  e->is_lvalue = !is_read;
  return is_read ? e : kiln_expr_cast(p, KILN_CAST_LOAD, kiln_plain(e->type.type), e);
}

void kiln_formula_expand(struct kiln_parser *p, struct kiln_expr *e) {
  struct kiln_expr *stack[KILN_PLAN_STEPS], **top = stack;
  const struct kiln_plan *plan = e->plan;
  bool contract = p->contract, exact = p->exact;
  p->contract = e->contract;
  p->exact = e->exact;
  for (const struct kiln_plan_step *step = plan->steps, *end = step + plan->count; step != end; step++) {
    if (step->kind == KILN_PLAN_READ) {
      *top++ = expand_read(p, &e->arguments[step->place.argument], step->op);
      continue;
    }
    enum kiln_expr_kind kind = step->kind == KILN_PLAN_NUMBER ? KILN_EX_INT : step->op;
    struct kiln_expr *made = kiln_expr_make(p, kind, kiln_plain(step->type), kiln_plan_place(e, step->place),
                                            kiln_plan_end(e, step->end), true);
    if (step->kind == KILN_PLAN_NUMBER)
      made->value = step->value;
    else if (step->kind == KILN_PLAN_BINARY)
      made->right = *--top;
    if (step->kind != KILN_PLAN_NUMBER)
      made->left = *--top;
    *top++ = made;
  }
  p->contract = contract;
  p->exact = exact;
  *e = *stack[0];
}

// ---- uses -----------------------------------------------------------------------------------------------------------

// NULL: the use is to be expanded.
static struct kiln_expr *take_use(struct kiln_parser *p) {
  struct pp_macro *macro = p->pp->use.macro;
  if (!macro->formula && !(macro->formula = make_formula(p, macro))) {
    macro->no_formula = true;
    return NULL;
  }
  struct kiln_formula *formula = macro->formula;
  if (p->nesting + 2 * MAX_DEPTH > KILN_MAX_NESTING || p->lang->diags->warnings_are_errors)
    return NULL;
  struct key key;
  bool may_plan = formula->is_reused && !p->unevaluated && !p->unreached && make_key(p, formula, &key);
  struct kiln_plan *plan = may_plan ? find_plan(formula, &key) : NULL;
  struct arguments arguments; // no more than what is needed is written
  bool is_planned = plan && plan->count;
  if (!is_planned && !make_arguments(p, macro, &arguments))
    return NULL;
  kiln_place first = kiln_pp_take_use(p->pp);
  if (!first)
    return NULL;
  struct kiln_expr *e = is_planned ? use_plan(p, formula, plan, &key, first)
                        : may_plan && !plan && formula->plan_count < MAX_PLANS
                            ? run_planned(p, formula, &arguments, first, &key)
                            : run(p, formula, &arguments, first);
  formula->is_reused = true;
  p->tok.place = first + macro->piece_count - 1; // the ")"
  p->advanced += p->pp->use.count - 1;
  kiln_parse_advance(p);
  return e;
}

struct kiln_expr *kiln_parse_formula(struct kiln_parser *p) {
  if (p->unusual || kiln_pp_plain(p->pp)) {
    kiln_parse_advance(p);
    return NULL;
  }
  if (!kiln_parse_advance_to_use(p))
    return NULL;
  struct kiln_expr *e = take_use(p);
  if (!e) {
    kiln_pp_expand_use(p->pp);
    kiln_pp_next(p->pp, &p->tok);
  }
  return e;
}
