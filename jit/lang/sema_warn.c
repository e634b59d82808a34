// Warnings about what is allowed and most likely not meant, in clang's words and at clang's places. Whatever comes out
// of a macro's body is left alone: it was written for more than this use.
#include "jit/lang/parse.h"

#include <math.h>
#include <stdlib.h>

static bool is_from_macro(kiln_place place) { return (place & KILN_PLACE_MACRO) != 0; }

static bool is_silent(const struct kiln_parser *p) { return p->in_library || p->unevaluated || p->stop; }

// What is left of a wrong statement may well look unused.
static bool had_errors(const struct kiln_parser *p) { return p->lang->diags->errors > 0; }

// ---- conversions ----------------------------------------------------------------------------------------------------

// Bits that the value needs: without a sign when it is not negative, as every unsigned type can hold it then.
static unsigned needed_bits(const struct kiln_ctype *type, uint64_t value) {
  if (kiln_ctype_is_signed(type) && (int64_t)value < 0)
    return 65 - (unsigned)__builtin_clzll(~value | 1);
  return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

bool kiln_int_fits(const struct kiln_ctype *from, uint64_t value, const struct kiln_ctype *to) {
  return needed_bits(from, value) <= to->size * 8;
}

static const char *int_text(struct kiln_parser *p, const struct kiln_ctype *type, uint64_t value) {
  return kiln_ctype_is_signed(type) ? kiln_arena_printf(p->arena, "%lld", (long long)value)
                                    : kiln_arena_printf(p->arena, "%llu", (unsigned long long)value);
}

// The shortest text of at least six digits that is read back as the number.
static const char *number_text(struct kiln_parser *p, const struct kiln_ctype *type, double number) {
  int most = type->kind == KILN_CT_DOUBLE ? 17 : 9;
  for (int digits = 6; digits < most; digits++) {
    const char *text = kiln_arena_printf(p->arena, "%.*g", digits, number);
    if (kiln_fold_round(type, strtod(text, NULL)) == number)
      return text;
  }
  return kiln_arena_printf(p->arena, "%.*g", most, number);
}

void kiln_warn_conversion(struct kiln_parser *p, const struct kiln_expr *e, const struct kiln_ctype *type) {
  if (is_silent(p) || !kiln_ctype_is_integer(type) || type->kind == KILN_CT_BOOL || !kiln_is_constant(e))
    return;
  const struct kiln_ctype *from = e->type.type;
  const char *from_text = kiln_parse_type_text(p, kiln_plain(from)),
             *to_text = kiln_parse_type_text(p, kiln_plain(type));
  if (e->kind == KILN_EX_INT) {
    if (!kiln_int_fits(from, e->value, type))
      kiln_parse_warning(p, e->place, e->end, "implicit conversion from '%s' to '%s' changes value from %s to %s",
                         from_text, to_text, int_text(p, from, e->value),
                         int_text(p, type, kiln_fold_wrap(type, e->value)));
    return;
  }
  bool is_signed = kiln_ctype_is_signed(type);
  double limit = ldexp(1, (int)type->size * 8 - is_signed), low = is_signed ? -limit : 0, whole = trunc(e->number);
  if (!(whole >= low && whole < limit))
    kiln_parse_warning(p, e->place, e->end, "implicit conversion of out of range value from '%s' to '%s' is undefined",
                       from_text, to_text);
  else if (whole != e->number)
    kiln_parse_warning(p, e->place, e->end, "implicit conversion from '%s' to '%s' changes value from %s to %s",
                       from_text, to_text, number_text(p, from, e->number),
                       int_text(p, type, is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole));
}

// ---- statements -----------------------------------------------------------------------------------------------------

static const char *comparison_word(enum kiln_expr_kind kind) {
  switch ((int)kind) {
  case KILN_EX_EQ:
    return "equality";
  case KILN_EX_NE:
    return "inequality";
  case KILN_EX_LT:
  case KILN_EX_GT:
  case KILN_EX_LE:
  case KILN_EX_GE:
    return "relational";
  }
  return NULL;
}

// Whether evaluating the expression for nothing is certain to be of no use.
static bool is_useless(const struct kiln_expr *e) {
  if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_LOAD)
    return !(e->left->type.quals & KILN_QUAL_VOLATILE);
  if (e->kind == KILN_EX_CAST)
    return e->cast == KILN_CAST_NUMBER && is_useless(e->left);
  return e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT || e->kind == KILN_EX_NEG || e->kind == KILN_EX_NOT ||
         e->kind == KILN_EX_LOGNOT || (e->kind >= KILN_EX_ADD && e->kind <= KILN_EX_GE);
}

void kiln_warn_unused_value(struct kiln_parser *p, const struct kiln_expr *e) {
  while (e->kind == KILN_EX_COMMA)
    e = e->right;
  if (is_silent(p) || had_errors(p) || kiln_is_error(e) || is_from_macro(e->place) || !is_useless(e))
    return;
  const char *word = comparison_word(e->kind);
  if (word)
    kiln_parse_warning(p, e->place, 0, "%s comparison result unused", word);
  else
    kiln_parse_warning(p, e->place, e->end, "expression result unused");
  if (e->kind == KILN_EX_EQ)
    kiln_parse_note(p, e->place, 0, "use '=' to turn this equality comparison into an assignment");
}

void kiln_warn_assigned_condition(struct kiln_parser *p, const struct kiln_expr *e) {
  if (is_silent(p) || e->kind != KILN_EX_ASSIGN || is_from_macro(e->place))
    return;
  kiln_parse_warning(p, e->place, 0, "using the result of an assignment as a condition without parentheses");
  kiln_parse_note(p, e->place, 0, "place parentheses around the assignment to silence this warning");
  kiln_parse_note(p, e->place, 0, "use '==' to turn this assignment into an equality comparison");
}

void kiln_warn_self_assignment(struct kiln_parser *p, kiln_place place, const struct kiln_expr *left,
                               const struct kiln_expr *right) {
  if (right->kind == KILN_EX_CAST && right->cast == KILN_CAST_LOAD)
    right = right->left;
  if (is_silent(p) || is_from_macro(place) || left->kind != KILN_EX_VAR || right->kind != KILN_EX_VAR ||
      left->decl != right->decl || left->type.quals & KILN_QUAL_VOLATILE)
    return;
  kiln_parse_warning(p, place, 0, "explicitly assigning value of variable of type '%s' to itself",
                     kiln_parse_type_text(p, kiln_plain(left->type.type)));
}

void kiln_warn_unused_variables(struct kiln_parser *p, const struct kiln_symbol *symbols) {
  if (is_silent(p) || had_errors(p))
    return;
  KILN_VEC(const struct kiln_decl *) unused = {0};
  for (const struct kiln_symbol *s = symbols; s; s = s->next)
    if (s->kind == KILN_SYMBOL_DECL && s->decl->kind == KILN_DECL_VARIABLE && !s->decl->is_program_scope &&
        !s->decl->is_referenced && !s->decl->is_extern && s->decl->type.type->kind != KILN_CT_ERROR)
      KILN_VEC_PUSH(p->arena, &unused, s->decl);
  for (uint32_t i = unused.count; i-- > 0;) { // the list begins with the last
    const struct kiln_decl *decl = unused.items[i];
    kiln_parse_warning(p, decl->place, is_from_macro(decl->place) ? 0 : decl->place + decl->name->size,
                       "unused variable '%s'", decl->name->text);
  }
}
