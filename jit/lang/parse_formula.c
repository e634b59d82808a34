// Macros that are formulas, as the rotations and choices of hash functions are: a body in parentheses of nothing but
// parameters, small numbers, parentheses, and operators on numbers. The body is parsed once, into steps; a use whose
// arguments are made of variables, elements of arrays, small numbers and such operators runs them, so that its tokens
// are neither made nor parsed. The tree, the places in it and the warnings are those that the tokens would give. Where
// anything else than warnings could come of it, the use is expanded.
#include "jit/lang/literal.h"
#include "jit/lang/parse.h"
#include "jit/lang/pp.h"

enum {
  MAX_STEPS = 64,
  MAX_DEPTH = 16, // of parentheses and operators in each other; as many values are waiting at most, and one
};

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
  struct step steps[];
};

// ---- making the steps -----------------------------------------------------------------------------------------------

struct maker {
  struct kiln_parser *p; // for the names of an argument; NULL: of a macro
  const struct pp_piece *first, *at, *end;
  struct step *steps;
  uint32_t count, used, bare;
  bool only_integers;
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
  *formula = (struct kiln_formula){m.count, m.used, m.bare, m.only_integers};
  memcpy(formula->steps, steps, m.count * sizeof *steps);
  return formula;
}

// ---- running them ---------------------------------------------------------------------------------------------------

struct argument {
  uint32_t first, count; // of its steps
};

struct arguments { // of one use
  struct argument items[PP_MAX_USE_ARGUMENTS];
  struct pp_piece pieces[PP_MAX_USE_TOKENS];
  struct step steps[MAX_STEPS];
  uint32_t count; // of steps
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
  const struct pp_use *use = &p->pp->use;
  uint32_t first = use->arguments[index].first, count = use->arguments[index].count;
  if (out->count == MAX_STEPS || (count > 1 && (formula->bare >> index & 1)))
    return false;
  if (count == 1) {
    out->items[index] = (struct argument){out->count, 1};
    return make_single(p, &use->tokens[first], formula->only_integers, &out->steps[out->count++]);
  }
  struct pp_piece *pieces = out->pieces + first;
  for (uint32_t i = 0; i < count; i++) {
    pieces[i].token = use->tokens[first + i];
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

// NULL: the use is to be expanded.
static struct kiln_expr *take_use(struct kiln_parser *p) {
  struct pp_macro *macro = p->pp->use.macro;
  if (!macro->formula && !(macro->formula = make_formula(p, macro))) {
    macro->no_formula = true;
    return NULL;
  }
  const struct kiln_formula *formula = macro->formula;
  struct arguments arguments; // no more than what is needed is written
  arguments.count = 0;
  if (p->nesting + 2 * MAX_DEPTH > KILN_MAX_NESTING || p->lang->diags->warnings_are_errors)
    return NULL;
  for (uint32_t i = 0; i < macro->param_count; i++)
    if ((formula->used >> i & 1) && !make_argument(p, formula, i, &arguments))
      return NULL;
  kiln_place first = kiln_pp_take_use(p->pp);
  if (!first)
    return NULL;
  struct kiln_expr *e = run(p, formula, &arguments, first);
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
