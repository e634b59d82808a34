// Conditions of #if and #elif: integer constant expressions in 64 bits.
#include "jit/lang/ast/ast.h"
#include "jit/lang/ast/literal.h"
#include "jit/lang/pp/pp.h"

struct value {
  uint64_t bits;
  bool is_unsigned;
};

struct evaluation {
  struct kiln_pp *pp;
  struct kiln_token token; // the next one
  unsigned depth;
  bool failed; // and reported
};

static struct value expression(struct evaluation *e, bool live);

static const struct value zero = {0, false};

static void advance(struct evaluation *e) { kiln_pp_read(e->pp, &e->token, true); }

static bool at_end(const struct evaluation *e) {
  return e->token.kind == KILN_LEX_LINE_END || e->token.kind == KILN_TOKEN_END;
}

__attribute__((format(printf, 3, 4))) static struct value fail(struct evaluation *e, kiln_location location,
                                                               const char *format, ...) {
  if (!e->failed) {
    va_list args;
    va_start(args, format);
    kiln_diag_v(e->pp->diags, KILN_ERROR, location, 0, format, args);
    va_end(args);
  }
  e->failed = true;
  return zero;
}

// ---- primaries ------------------------------------------------------------------------------------------------------

static struct value defined(struct evaluation *e) {
  struct kiln_token token;
  kiln_pp_read(e->pp, &token, false);
  bool paren = token.kind == KILN_TOKEN_LPAREN;
  kiln_location open = token.location;
  if (paren)
    kiln_pp_read(e->pp, &token, false);
  if (token.name == NULL)
    return fail(e, token.location,
                token.kind == KILN_LEX_LINE_END || token.kind == KILN_TOKEN_RPAREN
                    ? "macro name missing"
                    : "macro name must be an identifier");
  struct value result = {kiln_pp_info(e->pp, token.name) >> 8 != 0, false};
  if (paren) {
    kiln_pp_read(e->pp, &token, false);
    if (token.kind != KILN_TOKEN_RPAREN) {
      fail(e, token.location, "missing ')' after 'defined'");
      kiln_diag(e->pp->diags, KILN_NOTE, open, 0, "to match this '('");
      return zero;
    }
  }
  advance(e);
  return result;
}

static struct value identifier(struct evaluation *e) {
  struct kiln_token token = e->token;
  if (kiln_token_is(&token, "defined"))
    return defined(e);
  advance(e);
  if (e->token.kind == KILN_TOKEN_LPAREN)
    return fail(e, token.location, "function-like macro '%s' is not defined", token.name->text);
  return zero;
}

static struct value parenthesized(struct evaluation *e, bool live) {
  kiln_location open = e->token.location;
  advance(e);
  struct value value = expression(e, live);
  if (e->failed)
    return zero;
  if (e->token.kind != KILN_TOKEN_RPAREN) {
    if (at_end(e))
      fail(e, e->token.location, "expected ')' in preprocessor expression");
    else
      fail(e, e->token.location, "token is not a valid binary operator in a preprocessor subexpression");
    kiln_diag(e->pp->diags, KILN_NOTE, open, 0, "to match this '('");
    return zero;
  }
  advance(e);
  return value;
}

static struct value literal(struct evaluation *e) {
  struct kiln_literal_env env = {.arena = e->pp->arena, .diags = e->pp->diags};
  struct value value = zero;
  if (e->token.kind == KILN_TOKEN_CHAR) {
    int32_t character;
    e->failed |= !kiln_literal_char(&env, &e->token, &character);
    value.bits = (uint64_t)(int64_t)character;
  } else {
    e->failed |= !kiln_literal_condition(&env, &e->token, &value.bits, &value.is_unsigned);
  }
  if (!e->failed)
    advance(e);
  return value;
}

static struct value unary(struct evaluation *e, bool live) {
  uint16_t kind = e->token.kind;
  struct value value = zero;
  if (e->failed)
    return zero;
  if (at_end(e))
    return fail(e, e->token.location, "expected value in expression");
  if (e->token.name != NULL)
    return identifier(e);
  if (kind == KILN_TOKEN_NUMBER || kind == KILN_TOKEN_CHAR)
    return literal(e);
  if (kind != KILN_TOKEN_LPAREN && kind != KILN_TOKEN_PLUS && kind != KILN_TOKEN_MINUS && kind != KILN_TOKEN_TILDE &&
      kind != KILN_TOKEN_EXCLAIM)
    return fail(e, e->token.location, "invalid token at start of a preprocessor expression");
  if (e->depth >= PP_MAX_CONDITION_DEPTH)
    return fail(e, e->token.location, "preprocessor expression is nested more than %d deep", PP_MAX_CONDITION_DEPTH);
  e->depth++;
  if (kind == KILN_TOKEN_LPAREN) {
    value = parenthesized(e, live);
  } else {
    advance(e);
    value = unary(e, live);
    if (kind == KILN_TOKEN_MINUS)
      value.bits = -value.bits;
    else if (kind == KILN_TOKEN_TILDE)
      value.bits = ~value.bits;
    else if (kind == KILN_TOKEN_EXCLAIM)
      value = (struct value){value.bits == 0, false};
  }
  e->depth--;
  return value;
}

// ---- operators ------------------------------------------------------------------------------------------------------

static struct value apply(struct evaluation *e, const struct kiln_token *op, struct value left, struct value right,
                          bool live) {
  enum kiln_expr_kind kind = (enum kiln_expr_kind)kiln_binary_operators[op->kind].kind;
  bool is_unsigned = left.is_unsigned || right.is_unsigned;
  uint64_t l = left.bits, r = right.bits;
  if (live && !is_unsigned && kiln_fold_overflows(kind, 64, (int64_t)l, (int64_t)r))
    kiln_diag_warning(e->pp->diags, KILN_W_INTEGER_OVERFLOW, op->location, 0,
                      "integer overflow in preprocessor expression");
  if (kind == KILN_EX_SHL || kind == KILN_EX_SHR)
    return (struct value){
        kiln_fold_shift(left.bits, left.is_unsigned, right.bits, right.is_unsigned, kind == KILN_EX_SHL),
        left.is_unsigned};
  if ((kind == KILN_EX_DIV || kind == KILN_EX_REM) && r == 0) {
    if (live)
      fail(e, op->location, "%s by zero in preprocessor expression", kind == KILN_EX_DIV ? "division" : "remainder");
    return (struct value){0, is_unsigned};
  }
  uint64_t result = kind == KILN_EX_DIV ? l : 0; // of the smallest number by -1
  kiln_fold_int(kind, !is_unsigned, 64, l, r, &result);
  return (struct value){result, is_unsigned && !(kind >= KILN_EX_EQ && kind <= KILN_EX_LOGOR)};
}

static struct value binary(struct evaluation *e, int min, bool live) {
  struct value left = unary(e, live);
  for (;;) {
    struct kiln_token op = e->token;
    int prec = op.kind < KILN_TOKEN_KIND_COUNT ? kiln_binary_operators[op.kind].precedence : 0;
    if (e->failed || prec < min || prec == 0)
      return left;
    advance(e);
    bool decided =
        (op.kind == KILN_TOKEN_AMP_AMP && left.bits == 0) || (op.kind == KILN_TOKEN_PIPE_PIPE && left.bits != 0);
    struct value right = binary(e, prec + 1, live && !decided);
    if (!e->failed)
      left = apply(e, &op, left, right, live);
  }
}

static struct value conditional(struct evaluation *e, bool live) {
  struct value cond = binary(e, 1, live);
  if (e->failed)
    return zero;
  if (e->token.kind == KILN_TOKEN_QUESTION) {
    kiln_location question = e->token.location;
    if (e->depth >= PP_MAX_CONDITION_DEPTH)
      return fail(e, question, "preprocessor expression is nested more than %d deep", PP_MAX_CONDITION_DEPTH);
    e->depth++;
    advance(e);
    struct value yes = expression(e, live && cond.bits != 0);
    if (e->failed)
      return zero;
    if (e->token.kind != KILN_TOKEN_COLON) {
      fail(e, e->token.location, "expected ':' in preprocessor expression");
      kiln_diag(e->pp->diags, KILN_NOTE, question, 0, "to match this '?'");
      return zero;
    }
    advance(e);
    struct value no = conditional(e, live && cond.bits == 0);
    e->depth--;
    cond = (struct value){cond.bits != 0 ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
  }
  return cond;
}

// An expression up to what cannot continue it.
static struct value expression(struct evaluation *e, bool live) {
  struct value value = conditional(e, live);
  while (!e->failed && e->token.kind == KILN_TOKEN_COMMA) {
    advance(e);
    value = conditional(e, live);
  }
  return value;
}

bool kiln_pp_evaluate(struct kiln_pp *pp) {
  struct evaluation e = {.pp = pp};
  advance(&e);
  struct value value = expression(&e, true);
  if (!e.failed && !at_end(&e)) {
    if (e.token.kind == KILN_TOKEN_RPAREN || e.token.kind == KILN_TOKEN_COLON)
      fail(&e, e.token.location, "unexpected '%s' in preprocessor expression", kiln_token_kind_text(e.token.kind));
    else
      fail(&e, e.token.location, "token is not a valid binary operator in a preprocessor subexpression");
  }
  kiln_pp_finish_line(pp);
  return !e.failed && value.bits != 0;
}
