// Macros that are formulas, as the rotations and choices of hash functions are: a body in parentheses of nothing but
// parameters, small numbers, parentheses, and operators on numbers. The body is parsed once, into steps; a use whose
// arguments are variables or small numbers runs them, so that its tokens are neither made nor parsed. The tree, the
// places in it and the warnings are those that the tokens would give. Where anything else than warnings could come of
// it, the use is expanded.
#include "jit/lang/literal.h"
#include "jit/lang/parse.h"
#include "jit/lang/pp.h"

enum {
  MAX_STEPS = 64,
  MAX_DEPTH = 16, // of parentheses and unary operators in each other; as many values are waiting at most, and two
};

struct step {
  enum { ARGUMENT, NUMBER, UNARY, BINARY } kind : 8;
  enum kiln_expr_kind op : 8; // UNARY, BINARY
  uint16_t piece;             // of the macro: tells the place
  uint32_t argument;          // ARGUMENT: which
  struct kiln_number number;  // NUMBER
};

struct kiln_formula {
  uint32_t count;
  uint32_t used;      // parameters, a bit each
  bool only_integers; // an operator takes nothing else
  struct step steps[];
};

// ---- making one -----------------------------------------------------------------------------------------------------

struct maker {
  const struct pp_piece *at, *first, *end;
  struct kiln_formula *formula;
};

static struct step *add(struct maker *m, const struct pp_piece *piece) {
  struct kiln_formula *formula = m->formula;
  if (formula->count == MAX_STEPS)
    return NULL;
  struct step *step = &formula->steps[formula->count++];
  *step = (struct step){.piece = (uint16_t)(piece - m->first)};
  return step;
}

static bool make_operators(struct maker *m, unsigned lowest, unsigned depth);

static bool make_operator(struct maker *m, const struct pp_piece *piece, int kind, enum kiln_expr_kind op) {
  struct step *step = add(m, piece);
  if (!step)
    return false;
  step->kind = kind;
  step->op = op;
  m->formula->only_integers |= op == KILN_EX_NOT || op == KILN_EX_REM || (op >= KILN_EX_SHL && op <= KILN_EX_XOR);
  return true;
}

static bool make_operand(struct maker *m, unsigned depth) {
  const struct pp_piece *piece = m->at++;
  if (depth == MAX_DEPTH || piece == m->end || piece->kind == PP_OPERATOR)
    return false;
  if (piece->kind == PP_TOKEN && piece->token.kind == KILN_TOKEN_LPAREN)
    return make_operators(m, 1, depth + 1) && m->at != m->end && m->at->kind == PP_TOKEN &&
           (m->at++)->token.kind == KILN_TOKEN_RPAREN;
  bool is_not = piece->token.kind == KILN_TOKEN_TILDE;
  if (is_not || piece->token.kind == KILN_TOKEN_MINUS)
    return make_operand(m, depth + 1) && make_operator(m, piece, UNARY, is_not ? KILN_EX_NOT : KILN_EX_NEG);
  struct step *step = piece->kind == PP_VALUE || piece->token.kind == KILN_TOKEN_NUMBER ? add(m, piece) : NULL;
  if (!step)
    return false;
  if (piece->kind == PP_TOKEN) {
    step->kind = NUMBER;
    return kiln_literal_small(&piece->token, &step->number);
  }
  step->kind = ARGUMENT;
  step->argument = (uint32_t)piece->param;
  m->formula->used |= 1u << piece->param;
  return true;
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
    bool logical = op.kind == KILN_EX_LOGAND || op.kind == KILN_EX_LOGOR;
    if (logical || depth + 1 >= MAX_DEPTH || !make_operators(m, op.precedence + 1u, depth + 1) ||
        !make_operator(m, piece, BINARY, (enum kiln_expr_kind)op.kind))
      return false;
  }
  return true;
}

// NULL: the macro is none.
static struct kiln_formula *make(struct kiln_parser *p, const struct pp_macro *macro) {
  const struct pp_piece *first = macro->pieces, *end = first + macro->piece_count;
  if (macro->piece_count < 3 || macro->piece_count > 4 * MAX_STEPS || first->token.kind != KILN_TOKEN_LPAREN)
    return NULL;
  struct maker maker = {first, first, end,
                        kiln_arena_zalloc(p->arena, sizeof *maker.formula + MAX_STEPS * sizeof(struct step), 8)};
  return make_operand(&maker, 0) && maker.at == end ? maker.formula : NULL;
}

// ---- running it -----------------------------------------------------------------------------------------------------

struct argument {
  struct kiln_decl *decl; // NULL: number
  struct kiln_number number;
};

// Whether the operators take it without an error.
static bool is_suitable(const struct kiln_ctype *type, bool only_integers) {
  bool is_integer = type->kind >= KILN_CT_BOOL && type->kind <= KILN_CT_ULONG;
  return is_integer || (!only_integers && (type->kind == KILN_CT_FLOAT || type->kind == KILN_CT_DOUBLE));
}

static bool find_argument(struct kiln_parser *p, const struct kiln_token *tok, bool only_integers,
                          struct argument *out) {
  out->decl = NULL;
  if (tok->kind == KILN_TOKEN_NUMBER)
    return kiln_literal_small(tok, &out->number);
  const struct kiln_symbol *symbol = kiln_scope_find(p, tok->name);
  if (!symbol || symbol->kind != KILN_SYMBOL_DECL || !kiln_is_variable(symbol->decl))
    return false;
  out->decl = symbol->decl;
  return is_suitable(symbol->decl->type.type, only_integers);
}

static struct kiln_expr *small_number(struct kiln_parser *p, const struct kiln_number *number, kiln_place place,
                                      kiln_place end) {
  const struct kiln_ctype *type = kiln_ctype_scalar(p->types, number->type);
  struct kiln_expr *e = kiln_expr_new(p, KILN_EX_INT, kiln_plain(type), place, end);
  e->value = number->value;
  return e;
}

static struct kiln_expr *run(struct kiln_parser *p, const struct kiln_formula *formula,
                             const struct argument *arguments, kiln_place first) {
  struct kiln_expr *stack[MAX_DEPTH + 2], **top = stack; // behind the last value
  for (const struct step *step = formula->steps, *end = step + formula->count; step != end; step++) {
    kiln_place place = first + step->piece;
    switch (step->kind) {
    case ARGUMENT: {
      const struct argument *argument = &arguments[step->argument];
      const struct kiln_token *tok = &p->pp->use.arguments[step->argument];
      *top++ = argument->decl ? kiln_expr_variable(p, argument->decl, tok)
                              : small_number(p, &argument->number, tok->place, kiln_parse_end(tok));
      break;
    }
    case NUMBER:
      *top++ = small_number(p, &step->number, place, place);
      break;
    case UNARY:
      top[-1] = kiln_sema_unary(p, step->op, place, top[-1]);
      break;
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
  if (!macro->formula && !(macro->formula = make(p, macro))) {
    macro->no_formula = true;
    return NULL;
  }
  const struct kiln_formula *formula = macro->formula;
  struct argument arguments[PP_MAX_USE_ARGUMENTS];
  if (p->nesting + MAX_DEPTH > KILN_MAX_NESTING || p->lang->diags->warnings_are_errors)
    return NULL;
  for (uint32_t i = 0; i < macro->param_count; i++)
    if ((formula->used >> i & 1) && !find_argument(p, &p->pp->use.arguments[i], formula->only_integers, &arguments[i]))
      return NULL;
  kiln_place first = kiln_pp_take_use(p->pp);
  if (!first)
    return NULL;
  struct kiln_expr *e = run(p, formula, arguments, first);
  p->tok.place = first + macro->piece_count - 1; // the ")"
  p->advanced += macro->piece_count - 1;
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
