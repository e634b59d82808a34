// Binary operators, assignment and the conditional operator.
#include "jit/lang/sema/sema.h"

const char *kiln_operator_text(enum kiln_expr_kind kind) {
  static const char *const texts[KILN_EX_ERROR + 1] = {
      [KILN_EX_NEG] = "-",       [KILN_EX_NOT] = "~",      [KILN_EX_LOGNOT] = "!",   [KILN_EX_ADD] = "+",
      [KILN_EX_SUB] = "-",       [KILN_EX_MUL] = "*",      [KILN_EX_DIV] = "/",      [KILN_EX_REM] = "%",
      [KILN_EX_SHL] = "<<",      [KILN_EX_SHR] = ">>",     [KILN_EX_AND] = "&",      [KILN_EX_OR] = "|",
      [KILN_EX_XOR] = "^",       [KILN_EX_EQ] = "==",      [KILN_EX_NE] = "!=",      [KILN_EX_LT] = "<",
      [KILN_EX_GT] = ">",        [KILN_EX_LE] = "<=",      [KILN_EX_GE] = ">=",      [KILN_EX_LOGAND] = "&&",
      [KILN_EX_LOGOR] = "||",    [KILN_EX_PRE_INC] = "++", [KILN_EX_PRE_DEC] = "--", [KILN_EX_POST_INC] = "++",
      [KILN_EX_POST_DEC] = "--",
  };
  return texts[kind] ? texts[kind] : "";
}

static bool is_logical(enum kiln_expr_kind kind) { return kind == KILN_EX_LOGAND || kind == KILN_EX_LOGOR; }
static bool is_shift(enum kiln_expr_kind kind) { return kind == KILN_EX_SHL || kind == KILN_EX_SHR; }
static bool wants_integers(enum kiln_expr_kind kind) {
  return kind == KILN_EX_REM || (kind >= KILN_EX_SHL && kind <= KILN_EX_XOR);
}
static bool is_number(const struct kiln_ctype *t) {
  return kiln_ctype_is_scalar_number(t) || t->kind == KILN_CT_VECTOR;
}

static struct kiln_expr *invalid(struct kiln_sema *S, kiln_location location, const struct kiln_expr *l,
                                 const struct kiln_expr *r) {
  const struct kiln_expr *stored = l->type.type->kind == KILN_CT_BFLOAT   ? l
                                   : r->type.type->kind == KILN_CT_BFLOAT ? r
                                                                          : NULL;
  if (stored) {
    kiln_sema_no_operators(S, stored);
    return kiln_expr_error(S, location, 0);
  }
  return kiln_expr_invalid(S, location, 0, "invalid operands to binary expression ('%s' and '%s')",
                           kiln_sema_type_text(S, l->type.type), kiln_sema_type_text(S, r->type.type));
}

static inline struct kiln_expr *node(struct kiln_sema *S, enum kiln_expr_kind kind, const struct kiln_ctype *type,
                                     kiln_location location, struct kiln_expr *l, struct kiln_expr *r) {
  bool only_reads = kind >= KILN_EX_ADD && kind <= KILN_EX_PTR_DIFF && l->only_reads && r->only_reads;
  struct kiln_expr *e = kiln_expr_make(S, kind, kiln_plain(type), location, r->end, only_reads);
  e->left = l;
  e->right = r;
  return e;
}

// ---- vectors with scalars -------------------------------------------------------------------------------------------

// Scalars must not be wider or of higher rank than the vector's elements; a constant is looked at for its value.
static bool scalar_fits(const struct kiln_expr *scalar, const struct kiln_ctype *element) {
  const struct kiln_ctype *type = scalar->type.type;
  if (kiln_ctype_is_float(element))
    return !kiln_ctype_is_float(type) || type->kind <= element->kind || scalar->kind == KILN_EX_FLOAT;
  if (kiln_ctype_is_float(type))
    return false;
  return type->size <= element->size || (scalar->kind == KILN_EX_INT && kiln_int_fits(type, scalar->value, element));
}

// Brings two operands, at least one of them a vector, to one vector type. False with an error.
static bool match_vectors(struct kiln_sema *S, kiln_location location, struct kiln_expr **l, struct kiln_expr **r) {
  const struct kiln_ctype *a = (*l)->type.type, *b = (*r)->type.type;
  if (a == b)
    return true;
  if (a->kind == KILN_CT_VECTOR && b->kind == KILN_CT_VECTOR) {
    if (a->size != b->size || a->lanes != b->lanes)
      kiln_sema_error(S, location, 0, "cannot convert between vector values of different size ('%s' and '%s')",
                      kiln_sema_type_text(S, a), kiln_sema_type_text(S, b));
    else
      invalid(S, location, *l, *r);
    return false;
  }
  struct kiln_expr **scalar = a->kind == KILN_CT_VECTOR ? r : l;
  const struct kiln_ctype *vector = a->kind == KILN_CT_VECTOR ? a : b;
  if (!kiln_ctype_is_scalar_number((*scalar)->type.type)) {
    invalid(S, location, *l, *r);
    return false;
  }
  if (!scalar_fits(*scalar, vector->base.type)) {
    kiln_sema_error(S, location, 0,
                    "scalar operand type has greater rank than the type of the vector element. ('%s' and '%s')",
                    kiln_sema_type_text(S, a), kiln_sema_type_text(S, b));
    return false;
  }
  *scalar = kiln_sema_convert(S, *scalar, vector);
  return true;
}

static struct kiln_expr *binary_vector(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                       struct kiln_expr *l, struct kiln_expr *r) {
  if (is_shift(kind)) {
    const struct kiln_ctype *a = l->type.type, *b = r->type.type;
    if (a->kind != KILN_CT_VECTOR || !kiln_ctype_is_integer(a->base.type) ||
        !kiln_ctype_is_integer(kiln_ctype_element(b)) || (b->kind == KILN_CT_VECTOR && b->lanes != a->lanes))
      return invalid(S, location, l, r);
    if (b->kind != KILN_CT_VECTOR) // the count keeps its own type: only its low bits matter
      r = kiln_sema_convert(S, r, a);
    return node(S, kind, a, location, l, r);
  }
  if (!match_vectors(S, location, &l, &r))
    return kiln_expr_error(S, location, 0);
  const struct kiln_ctype *type = l->type.type;
  if (wants_integers(kind) && !kiln_ctype_is_integer(type->base.type))
    return invalid(S, location, l, r);
  if (kiln_is_comparison(kind) || is_logical(kind))
    return node(S, kind, kiln_signed_lanes(type), location, l, r);
  return node(S, kind, type, location, l, r);
}

// ---- pointers -------------------------------------------------------------------------------------------------------

static struct kiln_expr *index_value(struct kiln_sema *S, struct kiln_expr *index) {
  bool is_unsigned = !kiln_ctype_is_signed(index->type.type);
  const struct kiln_ctype *type = kiln_ctype_scalar(is_unsigned ? KILN_CT_ULONG : KILN_CT_LONG);
  if (index->kind == KILN_EX_INT) { // which has that value already
    index->type = kiln_plain(type);
    return index;
  }
  return kiln_sema_convert(S, kiln_sema_promote(S, index), type);
}

static bool check_pointee(struct kiln_sema *S, kiln_location location, const struct kiln_ctype *pointer) {
  const struct kiln_ctype *type = pointer->base.type;
  if (type->complete || type->kind == KILN_CT_VOID)
    return true;
  kiln_sema_error(S, location, 0, "arithmetic on a pointer to an incomplete type '%s'", kiln_sema_type_text(S, type));
  return false;
}

struct kiln_expr *kiln_sema_move(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                 struct kiln_expr *pointer, struct kiln_expr *index) {
  const struct kiln_ctype *type = pointer->type.type;
  if (!check_pointee(S, location, type))
    return kiln_expr_error(S, location, 0);
  return node(S, kind, type, location, pointer, index_value(S, index));
}

static struct kiln_expr *pointer_arithmetic(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                            struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *a = l->type.type, *b = r->type.type;
  if (kind == KILN_EX_ADD && kiln_ctype_is_integer(a)) {
    struct kiln_expr *swap = l;
    l = r;
    r = swap;
    a = l->type.type;
    b = r->type.type;
  }
  if (a->kind != KILN_CT_POINTER)
    return invalid(S, location, l, r);
  if (kiln_ctype_is_integer(b))
    return kiln_sema_move(S, kind == KILN_EX_ADD ? KILN_EX_PTR_ADD : KILN_EX_PTR_SUB, location, l, r);
  if (kind != KILN_EX_SUB || b->kind != KILN_CT_POINTER)
    return invalid(S, location, l, r);
  if (!kiln_same_type(a->base.type, b->base.type))
    return kiln_expr_invalid(S, location, 0, "'%s' and '%s' are not pointers to compatible types",
                             kiln_sema_type_text(S, a), kiln_sema_type_text(S, b));
  if (a->base.space != b->base.space && a->base.space != KILN_GENERIC && b->base.space != KILN_GENERIC)
    return invalid(S, location, l, r);
  if (!check_pointee(S, location, a))
    return kiln_expr_error(S, location, 0);
  return node(S, KILN_EX_PTR_DIFF, kiln_ctype_scalar(KILN_CT_LONG), location, l, r);
}

// The type to compare or choose between two pointers in; NULL with an error.
static const struct kiln_ctype *common_pointer(struct kiln_sema *S, kiln_location location, const char *what,
                                               struct kiln_expr *l, struct kiln_expr *r) {
  if (kiln_is_null_constant(l) && r->type.type->kind == KILN_CT_POINTER)
    return r->type.type;
  if (kiln_is_null_constant(r) && l->type.type->kind == KILN_CT_POINTER)
    return l->type.type;
  if (l->type.type->kind != KILN_CT_POINTER || r->type.type->kind != KILN_CT_POINTER) {
    const struct kiln_expr *other = l->type.type->kind == KILN_CT_POINTER ? r : l;
    if (!kiln_ctype_is_integer(other->type.type)) {
      invalid(S, location, l, r);
      return NULL;
    }
    kiln_sema_warning(S, KILN_W_POINTER_INTEGER_COMPARE, location, 0, "%s between pointer and integer ('%s' and '%s')",
                      what, kiln_sema_type_text(S, l->type.type), kiln_sema_type_text(S, r->type.type));
    return other == r ? l->type.type : r->type.type;
  }
  struct kiln_qtype a = l->type.type->base, b = r->type.type->base;
  if (!kiln_spaces_convert(a.space, b.space) && !kiln_spaces_convert(b.space, a.space)) {
    kiln_sema_error(S, location, 0, "%s between ('%s' and '%s') which are pointers to non-overlapping address spaces",
                    what, kiln_sema_type_text(S, l->type.type), kiln_sema_type_text(S, r->type.type));
    return NULL;
  }
  struct kiln_qtype base = {a.type, a.quals | b.quals, a.space == b.space ? a.space : KILN_GENERIC};
  if (a.type->kind == KILN_CT_VOID || b.type->kind == KILN_CT_VOID)
    base.type = kiln_ctype_scalar(KILN_CT_VOID);
  else if (!kiln_same_type(a.type, b.type)) {
    base.type = kiln_ctype_scalar(KILN_CT_VOID);
    kiln_sema_warning(S, KILN_W_DISTINCT_POINTERS, location, 0, "%s of distinct pointer types ('%s' and '%s')",
                      strcmp(what, "comparison") == 0 ? "comparison" : "pointer type mismatch",
                      kiln_sema_type_text(S, l->type.type), kiln_sema_type_text(S, r->type.type));
  }
  return kiln_ctype_pointer(S->types, base);
}

static struct kiln_expr *compare_pointers(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                          struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *type = common_pointer(S, location, "comparison", l, r);
  if (!type)
    return kiln_expr_error(S, location, 0);
  if (kiln_is_null_constant(l) && kiln_is_null_constant(r) && (kind == KILN_EX_EQ || kind == KILN_EX_NE))
    return kiln_expr_int(S, kiln_ctype_scalar(KILN_CT_INT), kind == KILN_EX_EQ, location, r->end);
  return node(S, kind, kiln_ctype_scalar(KILN_CT_INT), location, kiln_sema_convert(S, l, type),
              kiln_sema_convert(S, r, type));
}

// ---- binary operators -----------------------------------------------------------------------------------------------

static void warn_constants(struct kiln_sema *S, enum kiln_expr_kind kind, const struct kiln_ctype *type,
                           const struct kiln_expr *r) {
  if (r->kind != KILN_EX_INT || S->unevaluated || S->unreached)
    return;
  if ((kind == KILN_EX_DIV || kind == KILN_EX_REM) && !r->value && kiln_ctype_is_integer(type))
    kiln_sema_warning(S, KILN_W_DIVISION_BY_ZERO, r->location, r->end, "%s by zero is undefined",
                      kind == KILN_EX_DIV ? "division" : "remainder");
}

static void warn_shift(struct kiln_sema *S, kiln_location location, const struct kiln_ctype *type,
                       const struct kiln_expr *count) {
  if (count->kind != KILN_EX_INT || S->unevaluated || S->unreached)
    return;
  if (kiln_ctype_is_signed(count->type.type) && (int64_t)count->value < 0)
    kiln_sema_warning(S, KILN_W_SHIFT_COUNT_NEGATIVE, location, 0, "shift count is negative");
  else if (count->value >= type->size * 8)
    kiln_sema_warning(S, KILN_W_SHIFT_COUNT_OVERFLOW, location, 0, "shift count >= width of type");
}

static struct kiln_expr *binary_scalar(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                       struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *int_type = kiln_ctype_scalar(KILN_CT_INT);
  if (wants_integers(kind) && (!kiln_ctype_is_integer(l->type.type) || !kiln_ctype_is_integer(r->type.type)))
    return invalid(S, location, l, r);
  const struct kiln_expr *left = l, *right = r;
  l = kiln_sema_promote(S, l);
  r = kiln_sema_promote(S, r);
  if (is_shift(kind)) {
    warn_shift(S, location, l->type.type, r);
    return kiln_fold_binary(S, node(S, kind, l->type.type, location, l, r));
  }
  const struct kiln_ctype *common = kiln_sema_common(l->type.type, r->type.type);
  if (kiln_is_comparison(kind))
    kiln_warn_comparison(S, kind, location, left, right, common);
  l = kiln_sema_convert(S, l, common);
  r = kiln_sema_convert(S, r, common);
  warn_constants(S, kind, common, r);
  return kiln_fold_binary(S, node(S, kind, kiln_is_comparison(kind) ? int_type : common, location, l, r));
}

static bool is_promoted_integer(const struct kiln_ctype *t) {
  return t->kind >= KILN_CT_INT && t->kind <= KILN_CT_ULONG;
}

// What most operators are: arithmetic on two numbers that nothing is to be converted of.
static inline bool is_simple(enum kiln_expr_kind kind, const struct kiln_ctype *a, const struct kiln_ctype *b) {
  if (kind < KILN_EX_ADD || kind > KILN_EX_XOR)
    return false;
  if (is_promoted_integer(a))
    return a == b || (is_shift(kind) && is_promoted_integer(b));
  return a == b && (a->kind == KILN_CT_FLOAT || a->kind == KILN_CT_DOUBLE) && !wants_integers(kind);
}

struct kiln_expr *kiln_sema_binary(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                   struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *a = l->type.type, *b = r->type.type;
  if (is_simple(kind, a, b)) {
    l = kiln_sema_value(S, l);
    r = kiln_sema_value(S, r);
    struct kiln_expr *e = node(S, kind, a, location, l, r);
    if (!kiln_is_constant(r))
      return e;
    if (is_shift(kind))
      warn_shift(S, location, a, r);
    else
      warn_constants(S, kind, a, r);
    return kiln_is_constant(l) ? kiln_fold_binary(S, e) : e;
  }
  l = kiln_sema_value(S, l);
  r = kiln_sema_value(S, r);
  if (kiln_is_error(l) || kiln_is_error(r))
    return kiln_expr_error(S, location, 0);
  a = l->type.type;
  b = r->type.type;
  if (kiln_is_comparison(kind))
    kiln_warn_self_comparison(S, kind, location, l, r);
  if (a->kind == KILN_CT_VECTOR || b->kind == KILN_CT_VECTOR)
    return binary_vector(S, kind, location, l, r);
  bool pointers = a->kind == KILN_CT_POINTER || b->kind == KILN_CT_POINTER;
  if (is_logical(kind)) {
    if ((!kiln_ctype_is_scalar_number(a) && a->kind != KILN_CT_POINTER) ||
        (!kiln_ctype_is_scalar_number(b) && b->kind != KILN_CT_POINTER))
      return invalid(S, location, l, r);
    return kiln_fold_binary(S, node(S, kind, kiln_ctype_scalar(KILN_CT_INT), location, l, r));
  }
  if (pointers && kiln_is_comparison(kind))
    return compare_pointers(S, kind, location, l, r);
  if (pointers && (kind == KILN_EX_ADD || kind == KILN_EX_SUB))
    return pointer_arithmetic(S, kind, location, l, r);
  if (!is_number(a) || !is_number(b))
    return invalid(S, location, l, r);
  return binary_scalar(S, kind, location, l, r);
}

struct kiln_expr *kiln_sema_comma(struct kiln_sema *S, kiln_location location, struct kiln_expr *l,
                                  struct kiln_expr *r) {
  l = kiln_sema_value(S, l);
  r = kiln_sema_value(S, r);
  if (kiln_is_error(l) || kiln_is_error(r))
    return kiln_expr_error(S, location, 0);
  if (kiln_ctype_is_opaque(l->type.type) || kiln_ctype_is_opaque(r->type.type))
    return invalid(S, location, l, r);
  kiln_warn_unused_operand(S, l);
  return node(S, KILN_EX_COMMA, r->type.type, location, l, r);
}

// ---- assignment -----------------------------------------------------------------------------------------------------

static void complain_const(struct kiln_sema *S, kiln_location location, const struct kiln_expr *e) {
  if (e->kind == KILN_EX_VAR && e->decl->name) {
    kiln_sema_error(S, location, 0, "cannot assign to variable '%s' with const-qualified type '%s'",
                    e->decl->name->text, kiln_sema_qtype_text(S, e->type));
    kiln_sema_note(S, e->decl->location, 0, "variable '%s' declared const here", e->decl->name->text);
  } else {
    kiln_sema_error(S, location, 0, "read-only variable is not assignable");
  }
}

// A member that is const, at any depth; NULL: none.
static const struct kiln_member *constant_member(const struct kiln_ctype *record) {
  for (uint32_t i = 0; i < record->member_count; i++) {
    const struct kiln_member *member = &record->members[i], *inner = NULL;
    const struct kiln_ctype *t = kiln_ctype_innermost(member->type.type);
    if (member->type.quals & KILN_QUAL_CONST)
      return member;
    if (t->kind == KILN_CT_RECORD && (inner = constant_member(t)))
      return inner;
  }
  return NULL;
}

bool kiln_sema_modifiable(struct kiln_sema *S, kiln_location location, struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (kiln_is_error(e))
    return false;
  if (!e->is_lvalue) {
    if (e->kind == KILN_EX_SWIZZLE && e->left->is_lvalue)
      kiln_sema_error(S, location, 0, "vector is not assignable (contains duplicate components)");
    else
      kiln_sema_error(S, location, 0, "expression is not assignable");
    return false;
  }
  if (type->kind == KILN_CT_ARRAY) {
    kiln_sema_error(S, location, 0, "array type '%s' is not assignable", kiln_sema_qtype_text(S, e->type));
    return false;
  }
  if ((e->type.quals & KILN_QUAL_CONST) || e->type.space == KILN_CONSTANT) {
    complain_const(S, location, e);
    return false;
  }
  const struct kiln_member *constant = type->kind == KILN_CT_RECORD ? constant_member(type) : NULL;
  if (constant) {
    const char *member = constant->name ? constant->name->text : "";
    if (e->kind == KILN_EX_VAR && e->decl->name)
      kiln_sema_error(S, location, 0, "cannot assign to variable '%s' with const-qualified data member '%s'",
                      e->decl->name->text, member);
    else
      kiln_sema_error(S, location, 0, "cannot assign to an object with const-qualified data member '%s'", member);
    kiln_sema_note(S, constant->location, 0, "data member '%s' declared const here", member);
    return false;
  }
  if (type->kind == KILN_CT_ATOMIC) {
    kiln_sema_no_operators(S, e);
    return false;
  }
  if (kiln_sema_is_storage_half(S, type)) {
    kiln_sema_error(S, location, 0,
                    "assigning directly to pointer to type '%s' requires fp16. Use vector data store builtin "
                    "functions instead",
                    kiln_sema_type_text(S, type));
    return false;
  }
  return true;
}

struct kiln_expr *kiln_sema_set(struct kiln_sema *S, kiln_location location, struct kiln_expr *l, struct kiln_expr *r) {
  if (!kiln_is_error(l) && !kiln_is_error(r) && kiln_ctype_is_opaque(l->type.type))
    return invalid(S, location, l, r);
  if (kiln_is_error(l) || kiln_is_error(r) || !kiln_sema_modifiable(S, location, l))
    return kiln_expr_error(S, location, 0);
  r = kiln_sema_assign(S, r, l->type, KILN_ASSIGN_SET);
  if (kiln_is_error(r))
    return r;
  kiln_warn_self_assignment(S, location, l, r);
  S->changes += l->kind == KILN_EX_VAR;
  return node(S, KILN_EX_ASSIGN, l->type.type, location, l, r);
}

static struct kiln_expr *compound(struct kiln_sema *S, enum kiln_expr_kind op, const struct kiln_ctype *compute,
                                  kiln_location location, struct kiln_expr *l, struct kiln_expr *r) {
  if (kiln_is_error(r))
    return r;
  struct kiln_expr *e = node(S, KILN_EX_COMPOUND, l->type.type, location, l, r);
  e->op = op;
  e->compute_type = compute;
  return e;
}

static struct kiln_expr *compound_vector(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                         struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *a = l->type.type, *b = r->type.type;
  if (a->kind != KILN_CT_VECTOR || (wants_integers(kind) && !kiln_ctype_is_integer(a->base.type)))
    return invalid(S, location, l, r);
  if (is_shift(kind) && b->kind == KILN_CT_VECTOR) {
    if (b->lanes != a->lanes || !kiln_ctype_is_integer(b->base.type))
      return invalid(S, location, l, r);
    return compound(S, kind, a, location, l, r);
  }
  struct kiln_expr *left = l;
  if (!match_vectors(S, location, &left, &r))
    return kiln_expr_error(S, location, 0);
  return compound(S, kind, a, location, l, r);
}

struct kiln_expr *kiln_sema_compound(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                     struct kiln_expr *l, struct kiln_expr *r) {
  r = kiln_sema_value(S, r);
  if (kiln_is_error(l) || kiln_is_error(r) || !kiln_sema_modifiable(S, location, l))
    return kiln_expr_error(S, location, 0);
  const struct kiln_ctype *a = l->type.type, *b = r->type.type;
  S->changes += l->kind == KILN_EX_VAR;
  if (a->kind == KILN_CT_VECTOR || b->kind == KILN_CT_VECTOR)
    return compound_vector(S, kind, location, l, r);
  if (a->kind == KILN_CT_POINTER && kiln_ctype_is_integer(b) && (kind == KILN_EX_ADD || kind == KILN_EX_SUB)) {
    if (!check_pointee(S, location, a))
      return kiln_expr_error(S, location, 0);
    return compound(S, kind == KILN_EX_ADD ? KILN_EX_PTR_ADD : KILN_EX_PTR_SUB, a, location, l, index_value(S, r));
  }
  bool integers = kiln_ctype_is_integer(a) && kiln_ctype_is_integer(b);
  if (!kiln_ctype_is_scalar_number(a) || !kiln_ctype_is_scalar_number(b) || (wants_integers(kind) && !integers))
    return invalid(S, location, l, r);
  r = kiln_sema_promote(S, r);
  if (is_shift(kind))
    return compound(S, kind, kiln_sema_common(a, kiln_ctype_scalar(KILN_CT_INT)), location, l, r);
  const struct kiln_ctype *common = kiln_sema_common(a, r->type.type);
  r = kiln_sema_convert(S, r, common);
  warn_constants(S, kind, common, r);
  return compound(S, kind, common, location, l, r);
}

// ---- ?: -------------------------------------------------------------------------------------------------------------

static struct kiln_expr *choose_node(struct kiln_sema *S, const struct kiln_ctype *type, kiln_location location,
                                     struct kiln_expr *cond, struct kiln_expr *l, struct kiln_expr *r) {
  struct kiln_expr *e = node(S, KILN_EX_COND, type, location, l, r);
  e->cond = cond;
  return e;
}

static struct kiln_expr *choose_lanes(struct kiln_sema *S, kiln_location location, struct kiln_expr *cond,
                                      struct kiln_expr *l, struct kiln_expr *r) {
  const struct kiln_ctype *c = cond->type.type;
  if (l->type.type->kind == KILN_CT_VECTOR || r->type.type->kind == KILN_CT_VECTOR) {
    if (!match_vectors(S, location, &l, &r))
      return kiln_expr_error(S, location, 0);
  } else if (kiln_ctype_is_scalar_number(l->type.type) && kiln_ctype_is_scalar_number(r->type.type)) {
    l = kiln_sema_promote(S, l);
    r = kiln_sema_promote(S, r);
    const struct kiln_ctype *common = kiln_sema_common(l->type.type, r->type.type);
    const struct kiln_ctype *vector = kiln_ctype_vector(common, c->lanes);
    l = kiln_sema_convert(S, l, vector);
    r = kiln_sema_convert(S, r, vector);
  } else {
    return invalid(S, location, l, r);
  }
  const struct kiln_ctype *type = l->type.type;
  if (type->lanes != c->lanes || type->base.type->size != c->base.type->size)
    return kiln_expr_invalid(S, location, 0, "vector condition type '%s' and result type '%s' do not have the same %s",
                             kiln_sema_type_text(S, c), kiln_sema_type_text(S, type),
                             type->lanes != c->lanes ? "number of elements" : "size of elements");
  return choose_node(S, type, location, cond, l, r);
}

struct kiln_expr *kiln_sema_choose(struct kiln_sema *S, kiln_location location, struct kiln_expr *cond,
                                   struct kiln_expr *l, struct kiln_expr *r) {
  cond = kiln_sema_value(S, cond);
  l = kiln_sema_value(S, l);
  r = kiln_sema_value(S, r);
  if (!kiln_is_error(cond) && cond->type.type->kind != KILN_CT_VECTOR)
    cond = kiln_sema_condition(S, cond, "conditional expression");
  if (kiln_is_error(cond) || kiln_is_error(l) || kiln_is_error(r))
    return kiln_expr_error(S, location, 0);
  if (kiln_ctype_is_float(kiln_ctype_element(cond->type.type)) && !S->in_library) // 6.3.i
    return kiln_expr_invalid(S, cond->location, cond->end, "used type '%s' where floating point type is not allowed",
                             kiln_sema_type_text(S, cond->type.type));
  if (cond->type.type->kind == KILN_CT_VECTOR)
    return choose_lanes(S, location, cond, l, r);
  const struct kiln_ctype *a = l->type.type, *b = r->type.type, *type = a;
  if (a->kind == KILN_CT_VECTOR || b->kind == KILN_CT_VECTOR) {
    if (!match_vectors(S, location, &l, &r))
      return kiln_expr_error(S, location, 0);
    type = l->type.type;
  } else if (kiln_ctype_is_scalar_number(a) && kiln_ctype_is_scalar_number(b)) {
    l = kiln_sema_promote(S, l);
    r = kiln_sema_promote(S, r);
    type = kiln_sema_common(l->type.type, r->type.type);
    l = kiln_sema_convert(S, l, type);
    r = kiln_sema_convert(S, r, type);
    if (kiln_is_constant(cond) && kiln_is_constant(l) && kiln_is_constant(r))
      return (cond->kind == KILN_EX_INT ? cond->value != 0 : cond->number != 0) ? l : r;
  } else if (a->kind == KILN_CT_POINTER || b->kind == KILN_CT_POINTER) {
    if (!(type = common_pointer(S, location, "conditional expression", l, r)))
      return kiln_expr_error(S, location, 0);
    l = kiln_sema_convert(S, l, type);
    r = kiln_sema_convert(S, r, type);
  } else if (a->kind == KILN_CT_VOID || b->kind == KILN_CT_VOID) {
    type = kiln_ctype_scalar(KILN_CT_VOID);
    l = kiln_sema_convert(S, l, type);
    r = kiln_sema_convert(S, r, type);
  } else if (kiln_ctype_is_opaque(a) || kiln_ctype_is_opaque(b) ||
             (kiln_ctype_is_convertible(a) && kiln_ctype_is_convertible(b) && a != b)) { // __bf16 and a number
    return invalid(S, location, l, r);
  } else if (a != b) {
    return kiln_expr_invalid(S, location, 0, "incompatible operand types ('%s' and '%s')", kiln_sema_type_text(S, a),
                             kiln_sema_type_text(S, b));
  }
  return choose_node(S, type, location, cond, l, r);
}

struct kiln_decl *kiln_let_decl(struct kiln_sema *S, const struct kiln_expr *value) {
  struct kiln_qtype type = {value->type.type, 0, KILN_PRIVATE};
  return kiln_decl_new(S, KILN_DECL_VARIABLE, NULL, type, value->location);
}

struct kiln_expr *kiln_let_value(struct kiln_sema *S, struct kiln_decl *decl) {
  struct kiln_expr *variable = kiln_expr_new(S, KILN_EX_VAR, decl->type, decl->location, 0);
  variable->decl = decl;
  variable->is_lvalue = true;
  return kiln_sema_value(S, variable);
}

struct kiln_expr *kiln_let(struct kiln_sema *S, struct kiln_decl *decl, struct kiln_expr *value,
                           struct kiln_expr *body) {
  if (kiln_is_error(body))
    return body;
  struct kiln_expr *e = kiln_expr_new(S, KILN_EX_LET, kiln_plain(body->type.type), value->location, value->end);
  e->left = value;
  e->right = body;
  e->decl = decl;
  return e;
}

struct kiln_expr *kiln_sema_choose_itself(struct kiln_sema *S, kiln_location location, struct kiln_expr *cond,
                                          struct kiln_expr *r) {
  cond = kiln_sema_value(S, cond);
  if (kiln_is_error(cond) || kiln_is_constant(cond))
    return kiln_sema_choose(S, location, cond, cond, r);
  struct kiln_decl *decl = kiln_let_decl(S, cond);
  return kiln_let(S, decl, cond, kiln_sema_choose(S, location, kiln_let_value(S, decl), kiln_let_value(S, decl), r));
}
