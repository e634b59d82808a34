// Sums of products in one rounding.
//
// C lets an expression be computed as if by one operation (6.5), which FP_CONTRACT OFF forbids. So a product that is an
// operand of a sum or difference becomes an FMA with it, where the target has a fast one: a * b + c, c - a * b,
// -(a * b) + c, s += a * b. Of two products the left one does, as in clang. A product in a variable, or returned by a
// function, was rounded before; build options may let jit/pass/contract.c fuse it all the same.
#include "jit/lang/lower/lower.h"

bool kiln_lower_has_fma(const struct kiln_lower *L, kiln_type type) {
  const struct kiln_lang_options *options = L->lang->options;
  return options->fma && (kiln_type_kind(type) != KILN_F16 || options->half_fma);
}

bool kiln_lower_may_fuse(const struct kiln_lower *L, const struct kiln_expr *e, kiln_type type) {
  return e->contract && !e->exact && kiln_lower_has_fma(L, type);
}

// The expression that gives the value, without what changes nothing: casts to its own type, what is before a comma, a
// choice that is made already.
static const struct kiln_expr *strip(const struct kiln_expr *e) {
  for (;;) {
    if (e->kind == KILN_EX_CAST && e->cast != KILN_CAST_LOAD && e->cast != KILN_CAST_DECAY)
      e = e->left;
    else if (e->kind == KILN_EX_COMMA)
      e = e->right;
    else if (e->kind == KILN_EX_VECTOR && e->arg_count == 1)
      e = e->args[0];
    else if (e->kind == KILN_EX_COND && e->cond->kind == KILN_EX_INT)
      e = e->cond->value ? e->left : e->right;
    else
      return e;
  }
}

// The product that a term is, or is the negative of; 0: none. It was made for the term, so that nothing else uses it.
static kiln_value product_of(const struct kiln_lower *L, const struct kiln_lower_term *term) {
  if (!term->e)
    return 0;
  const struct kiln_expr *e = strip(term->e);
  kiln_value v = term->value;
  if (e->kind == KILN_EX_NEG && kiln_inst(L->fn, v)->op == KILN_OP_FNEG) {
    e = strip(e->left);
    v = kiln_operands(L->fn, v)[0];
  }
  return e->kind == KILN_EX_MUL && e->contract && kiln_inst(L->fn, v)->op == KILN_OP_FMUL ? v : 0;
}

kiln_value kiln_lower_sum(struct kiln_lower *L, const struct kiln_expr *e, bool subtract,
                          const struct kiln_lower_term terms[2]) {
  if (!kiln_lower_may_fuse(L, e, kiln_value_type(L->fn, terms[0].value)))
    return 0;
  unsigned k = 0; // the term that is a product
  kiln_value product = product_of(L, &terms[0]);
  if (!product) {
    k = 1;
    product = product_of(L, &terms[1]);
  }
  if (!product)
    return 0;
  kiln_value x = kiln_operands(L->fn, product)[0], y = kiln_operands(L->fn, product)[1], z = terms[!k].value;
  bool is_negated = terms[k].value != product;
  if (is_negated)
    kiln_remove(L->fn, terms[k].value);
  kiln_remove(L->fn, product);
  if (is_negated != (subtract && k == 1)) {
    kiln_value *factor = kiln_inst(L->fn, y)->op == KILN_OP_CONST ? &y : &x; // of a constant the sign is folded
    *factor = kiln_build1(&L->b, KILN_OP_FNEG, KILN_VOID, *factor);
  }
  if (subtract && k == 0)
    z = kiln_build1(&L->b, KILN_OP_FNEG, KILN_VOID, z);
  return kiln_build3(&L->b, KILN_OP_FMA, x, y, z);
}
