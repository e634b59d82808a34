// Unary operators, subscripts and casts.
#include "jit/lang/sema/sema.h"

static struct kiln_expr *invalid_argument(struct kiln_sema *S, kiln_location location, const struct kiln_expr *e) {
  if (e->type.type->kind == KILN_CT_BFLOAT) {
    kiln_sema_no_operators(S, e);
    return kiln_expr_error(S, location, e->end);
  }
  return kiln_expr_invalid(S, location, e->end, "invalid argument type '%s' to unary expression",
                           kiln_sema_type_text(S, e->type.type));
}

struct kiln_expr *kiln_sema_unary(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                  struct kiln_expr *e) {
  e = kiln_sema_value(S, e);
  if (kiln_is_error(e))
    return e;
  const struct kiln_ctype *element = kiln_ctype_element(e->type.type), *type;
  bool number = kiln_ctype_is_scalar_number(element);
  if (kind == KILN_EX_LOGNOT) {
    if (!number && element->kind != KILN_CT_POINTER)
      return invalid_argument(S, location, e);
    type = e->type.type->kind == KILN_CT_VECTOR ? kiln_signed_lanes(e->type.type) : kiln_ctype_scalar(KILN_CT_INT);
  } else {
    if (!number || (kind == KILN_EX_NOT && !kiln_ctype_is_integer(element)))
      return invalid_argument(S, location, e);
    e = kiln_sema_promote(S, e);
    type = e->type.type;
    if (kind == KILN_EX_ADD)
      return kiln_is_constant(e) ? e : kiln_expr_cast(S, KILN_CAST_SAME, kiln_plain(type), e);
  }
  struct kiln_expr *out = kiln_expr_make(S, kind, kiln_plain(type), location, e->end, e->only_reads);
  out->left = e;
  return kiln_fold_unary(S, out);
}

struct kiln_expr *kiln_sema_step(struct kiln_sema *S, enum kiln_expr_kind kind, kiln_location location,
                                 kiln_location end, struct kiln_expr *e) {
  if (kiln_is_error(e) || !kiln_sema_modifiable(S, location, e))
    return kiln_expr_error(S, location, end);
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_BFLOAT)
    return invalid_argument(S, location, e);
  S->changes += e->kind == KILN_EX_VAR;
  bool float_lanes = type->kind == KILN_CT_VECTOR && kiln_ctype_is_float(type->base.type); // 6.3 leaves them out
  if ((!kiln_ctype_is_scalar_number(kiln_ctype_element(type)) && type->kind != KILN_CT_POINTER) || float_lanes) {
    bool up = kind == KILN_EX_PRE_INC || kind == KILN_EX_POST_INC;
    return kiln_expr_invalid(S, location, end, "cannot %s value of type '%s'", up ? "increment" : "decrement",
                             kiln_sema_type_text(S, type));
  }
  if (type->kind == KILN_CT_POINTER && !type->base.type->complete && type->base.type->kind != KILN_CT_VOID)
    return kiln_expr_invalid(S, location, end, "arithmetic on a pointer to an incomplete type '%s'",
                             kiln_sema_type_text(S, type->base.type));
  struct kiln_expr *out = kiln_expr_new(S, kind, kiln_plain(type), location, end);
  out->left = e;
  return out;
}

struct kiln_expr *kiln_sema_address(struct kiln_sema *S, kiln_location location, struct kiln_expr *e) {
  if (kiln_is_error(e))
    return e;
  if (e->type.type->kind == KILN_CT_FUNCTION)
    return kiln_expr_invalid(S, location, e->end, "taking address of function is not allowed");
  if (kiln_ctype_is_opaque(e->type.type))
    return invalid_argument(S, location, e);
  if (!e->is_lvalue)
    return kiln_expr_invalid(S, location, e->end, "cannot take the address of an rvalue of type '%s'",
                             kiln_sema_type_text(S, e->type.type));
  if (e->kind == KILN_EX_SWIZZLE || e->kind == KILN_EX_ELEMENT)
    return kiln_expr_invalid(S, location, e->end, "address of vector element requested");
  const struct kiln_ctype *type = kiln_ctype_pointer(S->types, e->type);
  if (e->kind == KILN_EX_DEREF && e->left->type.type == type)
    return e->left;
  struct kiln_expr *out = kiln_expr_new(S, KILN_EX_ADDRESS, kiln_plain(type), location, e->end);
  out->left = e;
  return out;
}

struct kiln_expr *kiln_sema_deref(struct kiln_sema *S, kiln_location location, struct kiln_expr *e) {
  e = kiln_sema_value(S, e);
  if (kiln_is_error(e))
    return e;
  const struct kiln_ctype *type = e->type.type;
  if (type->kind != KILN_CT_POINTER)
    return kiln_expr_invalid(S, location, e->end, "indirection requires pointer operand ('%s' invalid)",
                             kiln_sema_type_text(S, type));
  if (type->base.type->kind == KILN_CT_VOID)
    return kiln_expr_invalid(S, location, e->end, "ISO C does not allow indirection on operand of type '%s'",
                             kiln_sema_type_text(S, type));
  struct kiln_expr *out = kiln_expr_make(S, KILN_EX_DEREF, type->base, location, e->end, e->only_reads);
  out->left = e;
  out->is_lvalue = true;
  return out;
}

// ---- subscripts -----------------------------------------------------------------------------------------------------

static struct kiln_expr *vector_element(struct kiln_sema *S, kiln_location location, kiln_location end,
                                        struct kiln_expr *base, struct kiln_expr *index) {
  const struct kiln_ctype *type = base->type.type;
  struct kiln_qtype element = {type->base.type, base->type.quals, base->type.space};
  bool is_known = index->kind == KILN_EX_INT;
  if (is_known && index->value >= type->lanes)
    return kiln_expr_invalid(S, index->location, index->end,
                             "vector element index is out of range: '%s' has %u elements", kiln_sema_type_text(S, type),
                             type->lanes);
  struct kiln_expr *out = kiln_expr_new(S, is_known ? KILN_EX_SWIZZLE : KILN_EX_ELEMENT, element, location, end);
  out->left = base;
  out->is_lvalue = base->is_lvalue;
  if (is_known) {
    out->lane_count = 1;
    out->lanes[0] = (uint8_t)index->value;
  } else {
    out->right = index;
  }
  return out;
}

static void check_bounds(struct kiln_sema *S, const struct kiln_expr *array, const struct kiln_expr *index) {
  if (array->type.type->kind != KILN_CT_ARRAY || !array->type.type->complete || index->kind != KILN_EX_INT ||
      S->unevaluated || S->unreached)
    return;
  uint64_t count = array->type.type->count;
  if (kiln_ctype_is_signed(index->type.type) && (int64_t)index->value < 0)
    kiln_sema_warning(S, KILN_W_ARRAY_BOUNDS, index->location, index->end,
                      "array index %lld is before the beginning of the array", (long long)index->value);
  else if (index->value >= count && count > 1) // one element: the old way to write "any number"
    kiln_sema_warning(S, KILN_W_ARRAY_BOUNDS, index->location, index->end,
                      "array index %llu is past the end of the array (which contains %llu elements)",
                      (unsigned long long)index->value, (unsigned long long)count);
}

struct kiln_expr *kiln_sema_subscript(struct kiln_sema *S, kiln_location location, kiln_location end,
                                      struct kiln_expr *base, struct kiln_expr *index) {
  index = kiln_sema_value(S, index);
  if (kiln_is_error(base) || kiln_is_error(index))
    return kiln_expr_error(S, location, end);
  if (base->type.type->kind == KILN_CT_VECTOR && kiln_ctype_is_integer(index->type.type))
    return vector_element(S, location, end, base, kiln_sema_promote(S, index));
  struct kiln_expr *array = base;
  base = kiln_sema_value(S, base);
  if (kiln_is_error(base))
    return base;
  if (kiln_ctype_is_integer(base->type.type) && index->type.type->kind == KILN_CT_POINTER) {
    struct kiln_expr *swap = base;
    base = index;
    index = swap;
  }
  if (base->type.type->kind != KILN_CT_POINTER)
    return kiln_expr_invalid(S, location, end, "subscripted value is not an array, pointer, or vector");
  if (!kiln_ctype_is_integer(index->type.type))
    return kiln_expr_invalid(S, index->location, index->end, "array subscript is not an integer");
  if (base->type.type->base.type->kind == KILN_CT_VOID)
    return kiln_expr_invalid(S, location, end, "subscript of pointer to incomplete type 'void'");
  check_bounds(S, array, index);
  struct kiln_expr *out = kiln_sema_deref(S, location, kiln_sema_move(S, KILN_EX_PTR_ADD, location, base, index));
  out->end = end;
  return out;
}

// ---- casts ----------------------------------------------------------------------------------------------------------

static struct kiln_expr *cast_pointer(struct kiln_sema *S, kiln_location location, struct kiln_qtype to,
                                      struct kiln_expr *e) {
  uint8_t from_space = e->type.type->base.space, to_space = to.type->base.space;
  bool allowed = kiln_spaces_convert(from_space, to_space) ||
                 (from_space == KILN_GENERIC && to_space != KILN_CONSTANT) || kiln_is_null_constant(e);
  if (!allowed) {
    kiln_sema_error(S, location, e->end, "casting '%s' to type '%s' changes address space of pointer",
                    kiln_sema_type_text(S, e->type.type), kiln_sema_type_text(S, to.type));
    kiln_sema_note_generic(S, e);
    return kiln_expr_error(S, location, e->end);
  }
  return kiln_sema_convert(S, e, to.type);
}

// To a union, of GNU C: a value of it whose member of that type is e.
static struct kiln_expr *cast_union(struct kiln_sema *S, kiln_location location, const struct kiln_ctype *type,
                                    struct kiln_expr *e) {
  bool found = false;
  for (uint32_t i = 0; i < type->member_count; i++)
    found |= type->members[i].type.type == e->type.type;
  if (!found)
    return kiln_expr_invalid(S, location, e->end, "cast to union type from type '%s' not present in union",
                             kiln_sema_type_text(S, e->type.type));
  struct kiln_expr *list = kiln_expr_new(S, KILN_EX_INIT_LIST, kiln_plain(type), location, e->end);
  list->inits = KILN_NEW(S->arena, struct kiln_init);
  list->inits[0] = (struct kiln_init){.offset = 0, .value = e};
  list->init_count = 1;
  return list;
}

struct kiln_expr *kiln_sema_cast(struct kiln_sema *S, kiln_location location, struct kiln_qtype to,
                                 struct kiln_expr *e) {
  e = kiln_sema_value(S, e);
  const struct kiln_ctype *type = to.type, *from = e->type.type;
  if (kiln_is_error(e) || type->kind == KILN_CT_ERROR)
    return kiln_expr_error(S, location, e->end);
  if (type->kind == KILN_CT_VOID)
    return kiln_sema_convert(S, e, type);
  if (kiln_ctype_is_opaque(type))
    return kiln_expr_invalid(S, location, e->end, "used type '%s' where arithmetic or pointer type is required",
                             kiln_sema_type_text(S, type));
  if (kiln_ctype_is_opaque(from))
    return kiln_expr_invalid(S, location, e->end, "operand of type '%s' where arithmetic or pointer type is required",
                             kiln_sema_type_text(S, from));
  if (kiln_sema_is_storage_half(S, type))
    return kiln_expr_invalid(S, location, e->end, "casting to type '%s' is not allowed", kiln_sema_type_text(S, type));
  if (type->kind == KILN_CT_RECORD && type->is_union && from != type)
    return cast_union(S, location, type, e);
  bool number = kiln_ctype_is_convertible(type), from_number = kiln_ctype_is_convertible(from);
  if ((number && from_number) || from == type)
    return from == type && !kiln_is_constant(e) ? kiln_expr_cast(S, KILN_CAST_SAME, kiln_plain(type), e)
                                                : kiln_sema_convert(S, e, type);
  if (type->kind == KILN_CT_VECTOR && from_number)
    return kiln_sema_convert(S, e, type);
  if (type->kind == KILN_CT_POINTER && from->kind == KILN_CT_POINTER)
    return cast_pointer(S, location, to, e);
  if ((type->kind == KILN_CT_POINTER && kiln_ctype_is_integer(from)) ||
      (from->kind == KILN_CT_POINTER && kiln_ctype_is_integer(type)) || kiln_same_type(from, type))
    return kiln_sema_convert(S, e, type);
  if (type->kind == KILN_CT_VECTOR && from->kind == KILN_CT_VECTOR)
    return kiln_expr_invalid(S, location, e->end, "invalid conversion between ext-vector type '%s' and '%s'",
                             kiln_sema_type_text(S, type), kiln_sema_type_text(S, from));
  if (!number && type->kind != KILN_CT_VECTOR && type->kind != KILN_CT_POINTER)
    return kiln_expr_invalid(S, location, e->end, "used type '%s' where arithmetic or pointer type is required",
                             kiln_sema_type_text(S, type));
  return kiln_expr_invalid(S, location, e->end, "operand of type '%s' cannot be cast to type '%s'",
                           kiln_sema_type_text(S, from), kiln_sema_type_text(S, type));
}
