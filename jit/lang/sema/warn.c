// Warnings about what is allowed and most likely not meant, in clang's words and at clang's locations. Whatever comes
// out of a macro's body is left alone: it was written for more than this use.
#include "base/c_locale.h"
#include "jit/lang/sema/sema.h"

#include <math.h>
#include <stdlib.h>

static bool is_from_macro(kiln_location location) { return (location & KILN_LOCATION_MACRO) != 0; }

static bool is_silent(const struct kiln_sema *S) { return S->in_library || S->unevaluated || S->stop; }

// What is left of a wrong statement may well look unused.
static bool had_errors(const struct kiln_sema *S) { return S->lang->diags->errors > 0; }

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

static const char *int_text(struct kiln_sema *S, const struct kiln_ctype *type, uint64_t value) {
  return kiln_ctype_is_signed(type) ? kiln_arena_printf(S->arena, "%lld", (long long)value)
                                    : kiln_arena_printf(S->arena, "%llu", (unsigned long long)value);
}

// The shortest text of at least six digits that is read back as the number.
static const char *number_text(struct kiln_sema *S, const struct kiln_ctype *type, double number) {
  int most = type->kind == KILN_CT_DOUBLE ? 17 : 9;
  for (int digits = 6; digits < most; digits++) {
    const char *text = kiln_arena_printf(S->arena, "%.*g", digits, number);
    if (kiln_fold_round(type, kiln_strtod(text, NULL)) == number)
      return text;
  }
  return kiln_arena_printf(S->arena, "%.*g", most, number);
}

void kiln_warn_conversion(struct kiln_sema *S, const struct kiln_expr *e, const struct kiln_ctype *type) {
  if (is_silent(S) || !kiln_ctype_is_integer(type) || type->kind == KILN_CT_BOOL || !kiln_is_constant(e))
    return;
  const struct kiln_ctype *from = e->type.type;
  if (e->kind == KILN_EX_INT && kiln_int_fits(from, e->value, type)) // as nearly all do
    return;
  const char *from_text = kiln_sema_type_text(S, from), *to_text = kiln_sema_type_text(S, type);
  if (e->kind == KILN_EX_INT) {
    kiln_sema_warning(S, KILN_W_CONSTANT_CONVERSION, e->location, e->end,
                      "implicit conversion from '%s' to '%s' changes value from %s to %s", from_text, to_text,
                      int_text(S, from, e->value), int_text(S, type, kiln_fold_wrap(type, e->value)));
    return;
  }
  bool is_signed = kiln_ctype_is_signed(type);
  double limit = ldexp(1, (int)type->size * 8 - is_signed), low = is_signed ? -limit : 0, whole = trunc(e->number);
  if (!(whole >= low && whole < limit))
    kiln_sema_warning(S, KILN_W_LITERAL_CONVERSION, e->location, e->end,
                      "implicit conversion of out of range value from '%s' to '%s' is undefined", from_text, to_text);
  else if (whole != e->number)
    kiln_sema_warning(S, KILN_W_LITERAL_CONVERSION, e->location, e->end,
                      "implicit conversion from '%s' to '%s' changes value from %s to %s", from_text, to_text,
                      number_text(S, from, e->number),
                      int_text(S, type, is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole));
}

void kiln_warn_case(struct kiln_sema *S, kiln_location location, const struct kiln_ctype *from, int64_t value,
                    const struct kiln_ctype *before, const struct kiln_ctype *type) {
  int64_t shown = (int64_t)kiln_fold_wrap(before, (uint64_t)value);
  bool narrow = before->size < type->size && before->kind != KILN_CT_ENUM;
  if (!is_silent(S) && (narrow ? shown != value : !kiln_int_fits(from, (uint64_t)value, type)))
    kiln_sema_warning(S, KILN_W_SWITCH, location, 0,
                      "overflow converting case value to switch condition type (%lld to %lld)", (long long)value,
                      (long long)shown);
}

// ---- operators ------------------------------------------------------------------------------------------------------

static bool is_bitwise(enum kiln_expr_kind kind) { return kind >= KILN_EX_AND && kind <= KILN_EX_XOR; }

// Whether a value is 0 or 1, whatever its type.
static bool is_truth(const struct kiln_expr *e) {
  return e->type.type->kind == KILN_CT_BOOL || kiln_is_comparison(e->kind) || e->kind == KILN_EX_LOGNOT ||
         e->kind == KILN_EX_LOGAND || e->kind == KILN_EX_LOGOR;
}

static void warn_compared_bits(struct kiln_sema *S, struct kiln_operator op, enum kiln_expr_kind left,
                               enum kiln_expr_kind right) {
  enum kiln_expr_kind comparison = kiln_is_comparison(left) ? left : right,
                      other = kiln_is_comparison(left) ? right : left;
  if (!kiln_is_comparison(comparison) || kiln_is_comparison(other) || is_bitwise(other))
    return;
  const char *text = kiln_operator_text(op.kind), *inner = kiln_operator_text(comparison);
  kiln_sema_warning(S, KILN_W_PARENTHESES, op.location, 0,
                    "%s has lower precedence than %s; %s will be evaluated first", text, inner, inner);
  kiln_sema_note(S, op.location, 0, "place parentheses around the '%s' expression to silence this warning", inner);
  kiln_sema_note(S, op.location, 0, "place parentheses around the %s expression to evaluate it first", text);
}

static void warn_shifted_sum(struct kiln_sema *S, enum kiln_expr_kind shift, struct kiln_operator inner) {
  if ((inner.kind != KILN_EX_ADD && inner.kind != KILN_EX_SUB) || is_from_macro(inner.location))
    return;
  const char *text = kiln_operator_text(inner.kind);
  kiln_sema_warning(S, KILN_W_SHIFT_OP_PARENTHESES, inner.location, 0,
                    "operator '%s' has lower precedence than '%s'; '%s' will be evaluated first",
                    kiln_operator_text(shift), text, text);
  kiln_sema_note(S, inner.location, 0, "place parentheses around the '%s' expression to silence this warning", text);
}

static void warn_negated_left(struct kiln_sema *S, struct kiln_operator op, kiln_location location,
                              const struct kiln_expr *l, const struct kiln_expr *r) {
  if (l->kind != KILN_EX_LOGNOT || l->location != location || is_from_macro(location) || is_truth(l->left) ||
      is_truth(r))
    return;
  const char *what = op.kind == KILN_EX_AND ? "bitwise operator" : "comparison";
  kiln_sema_warning(S, KILN_W_LOGICAL_NOT, location, 0, "logical not is only applied to the left hand side of this %s",
                    what);
  kiln_sema_note(S, location, 0, "add parentheses after the '!' to evaluate the %s first", what);
  kiln_sema_note(S, location, 0, "add parentheses around left hand side expression to silence this warning");
}

// && within ||, & within |
static void warn_within(struct kiln_sema *S, struct kiln_operator op, struct kiln_operator inner,
                        const struct kiln_expr *e) {
  bool logical = op.kind == KILN_EX_LOGOR && inner.kind == KILN_EX_LOGAND;
  if ((!logical && !(op.kind == KILN_EX_OR && inner.kind == KILN_EX_AND)) || is_from_macro(inner.location) ||
      kiln_is_constant(e))
    return;
  const char *text = kiln_operator_text(inner.kind);
  kiln_sema_warning(S, logical ? KILN_W_LOGICAL_OP_PARENTHESES : KILN_W_BITWISE_OP_PARENTHESES, inner.location, 0,
                    "'%s' within '%s'", text, kiln_operator_text(op.kind));
  kiln_sema_note(S, inner.location, 0, "place parentheses around the '%s' expression to silence this warning", text);
}

// A constant after && or ||, unless all of it is constant. That of a macro may be 0 or 1.
static void warn_logical_constant(struct kiln_sema *S, struct kiln_operator op, const struct kiln_expr *l,
                                  const struct kiln_expr *r) {
  bool is_and = op.kind == KILN_EX_LOGAND;
  if (r->kind != KILN_EX_INT || kiln_is_constant(l) || r->type.type->kind == KILN_CT_BOOL ||
      l->type.type->kind == KILN_CT_BOOL || !kiln_ctype_is_integer(l->type.type) ||
      (r->value <= 1 && is_from_macro(r->location)))
    return;
  kiln_sema_warning(S, KILN_W_CONSTANT_LOGICAL_OPERAND, op.location, 0, "use of logical '%s' with constant operand",
                    kiln_operator_text(op.kind));
  kiln_sema_note(S, op.location, 0, "use '%s' for a bitwise operation", is_and ? "&" : "|");
  if (is_and)
    kiln_sema_note(S, op.location, 0, "remove constant to silence this warning");
}

// sizeof(S) / sizeof(*p), p being a pointer; without parentheses around either of them, which tell that it is meant.
static void warn_pointer_size(struct kiln_sema *S, kiln_location location, const struct kiln_expr *l,
                              const struct kiln_expr *r, kiln_location end) {
  unsigned first = S->measured[0].result == r, second = 1 - first;
  if (S->measured[second].result != r || S->measured[first].result != l)
    return;
  const struct kiln_expr *operand = S->measured[first].operand;
  const struct kiln_ctype *type = S->measured[first].type;
  if (!operand || operand->kind != KILN_EX_VAR || type->kind != KILN_CT_POINTER ||
      type->base.type != S->measured[second].type || type->base.type->kind == KILN_CT_POINTER || operand->decl->array ||
      r->end != end || location - l->end > 1)
    return;
  kiln_sema_warning(S, KILN_W_SIZEOF_POINTER_DIV, location, 0,
                    "'sizeof (%s)' will return the size of the pointer, not the array itself",
                    operand->decl->name->text);
  kiln_sema_note(S, operand->decl->location, 0, "pointer '%s' declared here", operand->decl->name->text);
}

void kiln_warn_precedence(struct kiln_sema *S, struct kiln_operator op, struct kiln_operator left,
                          struct kiln_operator right, const struct kiln_expr *l, const struct kiln_expr *r,
                          kiln_location end) {
  if (is_silent(S) || is_from_macro(op.location) || kiln_is_error(l) || kiln_is_error(r))
    return;
  if (is_bitwise(op.kind))
    warn_compared_bits(S, op, left.kind, right.kind);
  if (op.kind == KILN_EX_SHL || op.kind == KILN_EX_SHR) {
    warn_shifted_sum(S, op.kind, left);
    warn_shifted_sum(S, op.kind, right);
  }
  if (left.kind == KILN_EX_LOGNOT && (kiln_is_comparison(op.kind) || op.kind == KILN_EX_AND))
    warn_negated_left(S, op, left.location, l, r);
  if (op.kind == KILN_EX_LOGOR || op.kind == KILN_EX_OR) {
    warn_within(S, op, left, l);
    warn_within(S, op, right, r);
  }
  if (op.kind == KILN_EX_LOGAND || op.kind == KILN_EX_LOGOR)
    warn_logical_constant(S, op, l, r);
  if (op.kind == KILN_EX_DIV && l->kind == KILN_EX_INT && r->kind == KILN_EX_INT)
    warn_pointer_size(S, op.location, l, r, end);
}

// ---- comparisons ----------------------------------------------------------------------------------------------------

static bool compares(enum kiln_expr_kind kind, __int128 a, __int128 b) {
  return kind == KILN_EX_EQ   ? a == b
         : kind == KILN_EX_NE ? a != b
         : kind == KILN_EX_LT ? a < b
         : kind == KILN_EX_GT ? a > b
         : kind == KILN_EX_LE ? a <= b
                              : a >= b;
}

void kiln_warn_comparison(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                          const struct kiln_expr *l, const struct kiln_expr *r, const struct kiln_ctype *common) {
  const struct kiln_ctype *lt = l->type.type, *rt = r->type.type;
  if (lt->kind == KILN_CT_ENUM && rt->kind == KILN_CT_ENUM && lt != rt && !is_silent(S) && !is_from_macro(location))
    kiln_sema_warning(S, KILN_W_ENUM_COMPARE, location, 0, "comparison of different enumeration types ('%s' and '%s')",
                      kiln_sema_type_text(S, lt), kiln_sema_type_text(S, rt));
  bool swap = l->kind == KILN_EX_INT;
  const struct kiln_expr *constant = swap ? l : r, *other = swap ? r : l;
  const struct kiln_ctype *type = other->type.type;
  if (is_silent(S) || is_from_macro(location) || constant->kind != KILN_EX_INT || kiln_is_constant(other) ||
      !kiln_ctype_is_integer(common) || type->kind == KILN_CT_ENUM)
    return;
  bool truth = is_truth(other), is_signed = kiln_ctype_is_signed(type) && !truth;
  if (is_signed && !kiln_ctype_is_signed(common)) // negative numbers become large ones
    return;
  uint64_t bits = kiln_fold_wrap(common, constant->value);
  __int128 value = kiln_ctype_is_signed(common) ? (__int128)(int64_t)bits : (__int128)bits;
  unsigned width = truth ? 1 : (unsigned)type->size * 8 - is_signed;
  __int128 high = ((__int128)1 << width) - 1, low = is_signed ? -high - 1 : 0;
  bool at_low = swap ? compares(kind, value, low) : compares(kind, low, value);
  bool at_high = swap ? compares(kind, value, high) : compares(kind, high, value);
  if (at_low != at_high || (value >= low && value <= high && (!truth || kind == KILN_EX_EQ || kind == KILN_EX_NE)))
    return;
  const char *what = truth && type->kind != KILN_CT_BOOL
                         ? "boolean expression"
                         : kiln_arena_printf(S->arena, "expression of type '%s'", kiln_sema_type_text(S, type));
  kiln_sema_warning(S, KILN_W_TAUTOLOGICAL_COMPARE, location, 0,
                    "result of comparison of constant %s with %s is always %s",
                    int_text(S, constant->type.type, constant->value), what, at_low ? "true" : "false");
}

static bool is_same_index(const struct kiln_expr *a, const struct kiln_expr *b) {
  for (; a->kind == KILN_EX_CAST && b->kind == KILN_EX_CAST && a->cast == b->cast; a = a->left, b = b->left)
    continue;
  if (a->kind != b->kind || a->type.quals & KILN_QUAL_VOLATILE)
    return false;
  return a->kind == KILN_EX_INT ? a->value == b->value : a->kind == KILN_EX_VAR && a->decl == b->decl;
}

// Whether two expressions read the same object, as far as that is seen at once: names, members, elements by a name or
// constant. Never for what is volatile.
static bool is_same_object(const struct kiln_expr *a, const struct kiln_expr *b) {
  for (;; a = a->left, b = b->left) {
    if (a->kind != b->kind || a->type.quals & KILN_QUAL_VOLATILE)
      return false;
    if (a->kind == KILN_EX_VAR)
      return a->decl == b->decl;
    bool same = a->kind == KILN_EX_MEMBER    ? a->member == b->member
                : a->kind == KILN_EX_CAST    ? a->cast == b->cast && a->type.type == b->type.type
                : a->kind == KILN_EX_DEREF   ? a->left->kind == KILN_EX_PTR_ADD || a->left->kind == KILN_EX_CAST
                : a->kind == KILN_EX_PTR_ADD ? is_same_index(a->right, b->right)
                                             : false;
    if (!same)
      return false;
  }
}

void kiln_warn_self_comparison(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                               const struct kiln_expr *l, const struct kiln_expr *r) {
  bool is_load = l->kind == KILN_EX_CAST && l->cast == KILN_CAST_LOAD;
  const struct kiln_ctype *element = kiln_ctype_element(l->type.type);
  if (is_silent(S) || is_from_macro(location) || !is_load || kiln_ctype_is_float(element) || !is_same_object(l, r))
    return;
  bool result = kind == KILN_EX_EQ || kind == KILN_EX_LE || kind == KILN_EX_GE;
  kiln_sema_warning(S, KILN_W_TAUTOLOGICAL_COMPARE, location, 0, "self-comparison always evaluates to %s",
                    result ? "true" : "false");
}

// ---- statements -----------------------------------------------------------------------------------------------------

static const char *comparison_word(enum kiln_expr_kind kind) {
  return kind == KILN_EX_EQ                         ? "equality"
         : kind == KILN_EX_NE                       ? "inequality"
         : kind >= KILN_EX_LT && kind <= KILN_EX_GE ? "relational"
                                                    : NULL;
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

// The part of an expression in a row whose value nobody takes, when its author is to hear of it; else NULL.
static const struct kiln_expr *useless_part(struct kiln_sema *S, const struct kiln_expr *e) {
  while (e->kind == KILN_EX_COMMA)
    e = e->right;
  return is_silent(S) || had_errors(S) || kiln_is_error(e) || is_from_macro(e->location) || !is_useless(e) ? NULL : e;
}

void kiln_warn_unused_operand(struct kiln_sema *S, const struct kiln_expr *e) {
  if ((e = useless_part(S, e)))
    kiln_sema_warning(S, KILN_W_UNUSED_VALUE, e->location, e->end, "left operand of comma operator has no effect");
}

void kiln_warn_unused_value(struct kiln_sema *S, const struct kiln_expr *e) {
  if (!(e = useless_part(S, e)))
    return;
  const char *word = comparison_word(e->kind);
  if (word)
    kiln_sema_warning(S, KILN_W_UNUSED_COMPARISON, e->location, 0, "%s comparison result unused", word);
  else
    kiln_sema_warning(S, KILN_W_UNUSED_VALUE, e->location, e->end, "expression result unused");
  if (e->kind == KILN_EX_EQ)
    kiln_sema_note(S, e->location, 0, "use '=' to turn this equality comparison into an assignment");
}

void kiln_warn_assigned_condition(struct kiln_sema *S, const struct kiln_expr *e) {
  if (is_silent(S) || e->kind != KILN_EX_ASSIGN || is_from_macro(e->location))
    return;
  kiln_sema_warning(S, KILN_W_PARENTHESES, e->location, 0,
                    "using the result of an assignment as a condition without parentheses");
  kiln_sema_note(S, e->location, 0, "place parentheses around the assignment to silence this warning");
  kiln_sema_note(S, e->location, 0, "use '==' to turn this assignment into an equality comparison");
}

void kiln_warn_address_condition(struct kiln_sema *S, const struct kiln_expr *e) {
  bool array = e->kind == KILN_EX_CAST && e->cast == KILN_CAST_DECAY;
  if ((!array && e->kind != KILN_EX_ADDRESS) || e->left->kind != KILN_EX_VAR || is_silent(S) ||
      is_from_macro(e->location))
    return;
  kiln_sema_warning(S, KILN_W_POINTER_BOOL_CONVERSION, e->left->location, e->left->end,
                    "address of %s'%s' will always evaluate to 'true'", array ? "array " : "",
                    e->left->decl->name->text);
}

// "'A', 'B', and 'C'", of count names.
static const char *list_text(struct kiln_sema *S, const char *const *names, uint32_t count) {
  if (count == 1)
    return kiln_arena_printf(S->arena, "value '%s' not", names[0]);
  if (count == 2)
    return kiln_arena_printf(S->arena, "values '%s' and '%s' not", names[0], names[1]);
  return kiln_arena_printf(S->arena, "values '%s', '%s', and '%s' not", names[0], names[1], names[2]);
}

static bool has_case(const struct kiln_switch *sw, int64_t value) {
  for (uint32_t i = 0; i < sw->cases.count; i++)
    if (value >= sw->cases.items[i].value && value <= sw->cases.items[i].last)
      return true;
  return false;
}

static bool has_enumerator(const struct kiln_ctype *type, const struct kiln_case *c) {
  for (uint32_t i = 0; i < type->member_count; i++)
    if ((int64_t)type->members[i].offset >= c->value && (int64_t)type->members[i].offset <= c->last)
      return true;
  return false;
}

static int compare_enumerators(const void *a, const void *b) {
  const struct kiln_member *x = *(const struct kiln_member *const *)a, *y = *(const struct kiln_member *const *)b;
  if (x->offset != y->offset)
    return (int64_t)x->offset < (int64_t)y->offset ? -1 : 1;
  return x->location < y->location ? -1 : 1;
}

void kiln_warn_enumerators(struct kiln_sema *S, const struct kiln_switch *sw, const struct kiln_expr *selector) {
  enum { MOST = 256, SHOWN = 3 };
  const struct kiln_ctype *type = sw->before;
  if (!type || type->kind != KILN_CT_ENUM || is_silent(S) || had_errors(S) || sw->cases.count > MOST ||
      type->member_count > MOST)
    return;
  for (uint32_t i = 0; i < sw->cases.count; i++)
    if (!has_enumerator(type, &sw->cases.items[i]) && !is_from_macro(sw->cases.items[i].location))
      kiln_sema_warning(S, KILN_W_SWITCH, sw->cases.items[i].location, 0, "case value not in enumerated type '%s'",
                        kiln_sema_type_text(S, type));
  if (sw->has_default || is_from_macro(selector->location))
    return;
  const struct kiln_member *missing[MOST] = {NULL}; // by value
  uint32_t count = 0;
  for (uint32_t i = 0; i < type->member_count; i++)
    if (!has_case(sw, (int64_t)type->members[i].offset))
      missing[count++] = &type->members[i];
  qsort(missing, count, sizeof *missing, compare_enumerators);
  const char *names[SHOWN] = {NULL};
  for (uint32_t i = 0; i < count && i < SHOWN; i++)
    names[i] = missing[i]->name->text;
  if (count > SHOWN)
    kiln_sema_warning(S, KILN_W_SWITCH, selector->location, selector->end,
                      "%u enumeration values not handled in switch: '%s', '%s', '%s'...", count, names[0], names[1],
                      names[2]);
  else if (count)
    kiln_sema_warning(S, KILN_W_SWITCH, selector->location, selector->end, "enumeration %s handled in switch",
                      list_text(S, names, count));
}

void kiln_warn_sizeof(struct kiln_sema *S, kiln_location location, const struct kiln_expr *e) {
  if (e->kind != KILN_EX_VAR || e->decl->kind != KILN_DECL_PARAM || !e->decl->array || is_silent(S))
    return;
  kiln_sema_warning(S, KILN_W_SIZEOF_ARRAY_ARGUMENT, location, 0,
                    "sizeof on array function parameter will return size of '%s' instead of '%s'",
                    kiln_sema_type_text(S, e->decl->type.type), kiln_sema_type_text(S, e->decl->array));
  kiln_sema_note(S, e->decl->location, 0, "declared here");
}

void kiln_warn_self_assignment(struct kiln_sema *S, kiln_location location, const struct kiln_expr *left,
                               const struct kiln_expr *right) {
  if (right->kind == KILN_EX_CAST && right->cast == KILN_CAST_LOAD)
    right = right->left;
  if (is_silent(S) || is_from_macro(location) || left->kind != KILN_EX_VAR || right->kind != KILN_EX_VAR ||
      left->decl != right->decl || left->type.quals & KILN_QUAL_VOLATILE)
    return;
  kiln_sema_warning(S, KILN_W_SELF_ASSIGN, location, 0, "explicitly assigning value of variable of type '%s' to itself",
                    kiln_sema_type_text(S, left->type.type));
}

void kiln_note_assignment(const struct kiln_expr *e) {
  while (e->kind == KILN_EX_COMMA) // of a row clang looks at no other
    e = e->left;
  bool is_step = e->kind >= KILN_EX_PRE_INC && e->kind <= KILN_EX_POST_DEC;
  if ((is_step || e->kind == KILN_EX_ASSIGN || e->kind == KILN_EX_COMPOUND) && e->left->kind == KILN_EX_VAR)
    e->left->decl->assignments++;
}

void kiln_warn_unused_functions(struct kiln_sema *S) {
  if (is_silent(S) || had_errors(S))
    return;
  for (uint32_t i = 0; i < S->functions.count; i++) {
    const struct kiln_fn *fn = S->functions.items[i];
    if (!fn->decl.is_static || !fn->decl.body || fn->in_library || fn->decl.is_referenced ||
        is_from_macro(fn->decl.location))
      continue;
    const struct kiln_source_file *file = kiln_sources_file(S->lang->sources, fn->decl.location);
    if (file && !file->included_at) // others may have their use for it
      kiln_sema_warning(S, KILN_W_UNUSED_FUNCTION, fn->decl.location, fn->decl.location + fn->decl.name->size,
                        "unused function '%s'", fn->decl.name->text);
  }
}

static bool is_only_set(const struct kiln_decl *decl) {
  return decl->assignments && decl->assignments == decl->references && decl->type.space == KILN_PRIVATE &&
         !(decl->type.quals & KILN_QUAL_VOLATILE);
}

void kiln_warn_unused_variables(struct kiln_sema *S, const struct kiln_symbol *symbols) {
  if (is_silent(S) || had_errors(S))
    return;
  KILN_VEC(const struct kiln_decl *) unused = {0};
  for (const struct kiln_symbol *s = symbols; s; s = s->next)
    if (s->kind == KILN_SYMBOL_DECL && s->decl->kind == KILN_DECL_VARIABLE && !s->decl->is_program_scope &&
        (!s->decl->is_referenced || is_only_set(s->decl)) && !s->decl->is_extern &&
        s->decl->type.type->kind != KILN_CT_ERROR)
      KILN_VEC_PUSH(S->arena, &unused, s->decl);
  for (uint32_t i = unused.count; i-- > 0;) { // the list begins with the last
    const struct kiln_decl *decl = unused.items[i];
    kiln_sema_warning(S, decl->is_referenced ? KILN_W_UNUSED_BUT_SET : KILN_W_UNUSED_VARIABLE, decl->location,
                      is_from_macro(decl->location) ? 0 : decl->location + decl->name->size,
                      decl->is_referenced ? "variable '%s' set but not used" : "unused variable '%s'",
                      decl->name->text);
  }
}
