// Conversions: reading of lvalues, the usual arithmetic conversions, and conversion as if by assignment.
#include "jit/lang/parse.h"

// ---- making nodes ---------------------------------------------------------------------------------------------------

// A few at a time, so that they stay near the statement that they are of (see kiln_lower_fetch).
void kiln_expr_refill(struct kiln_parser *p) {
  enum { COUNT = 8 };
  struct kiln_expr *e = kiln_arena_alloc(p->arena, COUNT * sizeof *e, sizeof *e);
  p->next_expr = e;
  p->last_expr = e + COUNT;
  p->expr_count += COUNT;
}

struct kiln_expr *kiln_expr_error(struct kiln_parser *p, kiln_place place, kiln_place end) {
  return kiln_expr_new(p, KILN_EX_ERROR, kiln_plain(kiln_ctype_scalar(p->types, KILN_CT_ERROR)), place, end);
}

struct kiln_expr *kiln_expr_int(struct kiln_parser *p, const struct kiln_ctype *type, uint64_t value, kiln_place place,
                                kiln_place end) {
  struct kiln_expr *e = kiln_expr_new(p, KILN_EX_INT, kiln_plain(type), place, end);
  e->value = kiln_fold_wrap(type, value);
  return e;
}

struct kiln_expr *kiln_expr_cast(struct kiln_parser *p, enum kiln_cast cast, struct kiln_qtype type,
                                 struct kiln_expr *e) {
  bool only_reads = e->only_reads || (cast == KILN_CAST_LOAD && e->kind == KILN_EX_VAR);
  struct kiln_expr *out = kiln_expr_make(p, KILN_EX_CAST, type, e->place, e->end, only_reads);
  out->cast = cast;
  out->left = e;
  return out;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// A variable that is constant and initialised with a constant stands for its value, so that it can be an array size.
static inline struct kiln_expr *constant_variable(struct kiln_parser *p, const struct kiln_expr *e) {
  if ((!(e->type.quals & KILN_QUAL_CONST) && e->type.space != KILN_CONSTANT) || e->kind != KILN_EX_VAR ||
      e->decl->kind != KILN_DECL_VARIABLE || !e->decl->init || !kiln_is_constant(e->decl->init) ||
      (e->type.quals & KILN_QUAL_VOLATILE) || !kiln_ctype_is_scalar_number(e->type.type))
    return NULL;
  struct kiln_expr *out = kiln_expr_new(p, e->decl->init->kind, kiln_plain(e->type.type), e->place, e->end);
  if (out->kind == KILN_EX_INT)
    out->value = e->decl->init->value;
  else
    out->number = e->decl->init->number;
  return out;
}

void kiln_sema_no_operators(struct kiln_parser *p, const struct kiln_expr *e) {
  kiln_parse_error(p, e->place, e->end, "operators do not apply to '%s': use the atomic functions",
                   kiln_parse_type_text(p, kiln_plain(e->type.type)));
}

struct kiln_expr *kiln_sema_read(struct kiln_parser *p, struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ARRAY)
    return kiln_expr_cast(p, KILN_CAST_DECAY, kiln_plain(kiln_ctype_pointer(p->types, type->base)), e);
  if (!e->is_lvalue)
    return kiln_formula_tree(p, e);
  struct kiln_expr *constant = constant_variable(p, e);
  if (constant)
    return constant;
  if (type->kind == KILN_CT_ATOMIC) {
    kiln_sema_no_operators(p, e);
    return kiln_expr_error(p, e->place, e->end);
  }
  if (kiln_ctype_element(type)->kind == KILN_CT_HALF && !p->lang->options->fp16 && !p->in_library) {
    kiln_parse_error(p, e->place, e->end,
                     "loading directly from pointer to type '%s' requires fp16. Use vector data load builtin functions "
                     "instead",
                     kiln_parse_type_text(p, kiln_plain(type)));
    return kiln_expr_error(p, e->place, e->end);
  }
  if (!type->complete) {
    kiln_parse_error(p, e->place, e->end, "incomplete type '%s' where a complete type is required",
                     kiln_parse_type_text(p, kiln_plain(type)));
    return kiln_expr_error(p, e->place, e->end);
  }
  return kiln_expr_cast(p, KILN_CAST_LOAD, kiln_plain(type), e);
}

// ---- conversions that are allowed -----------------------------------------------------------------------------------

struct kiln_expr *kiln_sema_convert(struct kiln_parser *p, struct kiln_expr *e, const struct kiln_ctype *type) {
  const struct kiln_ctype *from = e->type.type;
  if (from == type || from->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ERROR)
    return kiln_expr_error(p, e->place, e->end);
  struct kiln_qtype to = kiln_plain(type);
  if (type->kind == KILN_CT_VOID)
    return kiln_expr_cast(p, KILN_CAST_VOID, to, e);
  if (kiln_ctype_is_scalar_number(from) && kiln_ctype_is_scalar_number(type))
    return kiln_is_constant(e) ? kiln_fold_number(p, e, type) : kiln_expr_cast(p, KILN_CAST_NUMBER, to, e);
  if (type->kind == KILN_CT_VECTOR && kiln_ctype_is_scalar_number(from))
    return kiln_expr_cast(p, KILN_CAST_SPLAT, to, kiln_sema_convert(p, e, type->base.type));
  if (type->kind == KILN_CT_POINTER && e->kind == KILN_EX_CAST && kiln_is_null_constant(e))
    return kiln_expr_cast(p, KILN_CAST_INT_PTR, to, e->left); // "(void *)0" becomes a null pointer of any space
  if (from->kind == KILN_CT_POINTER) {
    enum kiln_cast cast = type->kind == KILN_CT_POINTER ? KILN_CAST_POINTER
                          : type->kind == KILN_CT_BOOL  ? KILN_CAST_PTR_BOOL
                                                        : KILN_CAST_PTR_INT;
    return kiln_expr_cast(p, cast, to, e);
  }
  if (type->kind == KILN_CT_POINTER)
    return kiln_expr_cast(p, KILN_CAST_INT_PTR, to, e);
  if (type->kind == KILN_CT_EVENT && e->kind == KILN_EX_INT) {
    struct kiln_expr *event = kiln_expr_new(p, KILN_EX_INT, to, e->place, e->end);
    event->value = e->value;
    return event;
  }
  return kiln_expr_cast(p, KILN_CAST_SAME, to, e);
}

struct kiln_expr *kiln_sema_promote_narrow(struct kiln_parser *p, struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  return kiln_sema_convert(p, e,
                           type->kind == KILN_CT_ENUM ? type->base.type : kiln_ctype_scalar(p->types, KILN_CT_INT));
}

// Of promoted scalars: kinds are in the order of their ranks, and an unsigned type follows its signed one.
const struct kiln_ctype *kiln_sema_common(struct kiln_parser *p, const struct kiln_ctype *a,
                                          const struct kiln_ctype *b) {
  enum kiln_ctype_kind ka = a->kind == KILN_CT_ENUM ? a->base.type->kind : a->kind;
  enum kiln_ctype_kind kb = b->kind == KILN_CT_ENUM ? b->base.type->kind : b->kind;
  enum kiln_ctype_kind kind = ka > kb ? ka : kb;
  return kiln_ctype_scalar(p->types, kind < KILN_CT_INT ? KILN_CT_INT : kind);
}

const struct kiln_ctype *kiln_signed_lanes(struct kiln_parser *p, const struct kiln_ctype *vector) {
  uint64_t size = vector->base.type->size;
  enum kiln_ctype_kind kind = size == 1   ? KILN_CT_CHAR
                              : size == 2 ? KILN_CT_SHORT
                              : size == 4 ? KILN_CT_INT
                                          : KILN_CT_LONG;
  return kiln_ctype_vector(p->types, kiln_ctype_scalar(p->types, kind), vector->lanes);
}

// ---- conversion as if by assignment ---------------------------------------------------------------------------------

bool kiln_is_null_constant(const struct kiln_expr *e) {
  if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_INT_PTR && e->type.type->base.type->kind == KILN_CT_VOID &&
      !e->type.type->base.quals)
    e = e->left;
  return e->kind == KILN_EX_INT && e->value == 0 && kiln_ctype_is_integer(e->type.type);
}

bool kiln_spaces_convert(struct kiln_parser *p, uint8_t from, uint8_t to) {
  (void)p;
  return from == to || (to == KILN_GENERIC && from != KILN_CONSTANT);
}

static void complain_types(struct kiln_parser *p, bool is_error, const struct kiln_expr *e, struct kiln_qtype to,
                           enum kiln_assign context, const char *prefix, const char *link, const char *suffix) {
  const char *from = kiln_parse_type_text(p, kiln_plain(e->type.type));
  const char *target = kiln_parse_type_text(p, kiln_plain(to.type));
  const char *text = NULL;
  switch (context) {
  case KILN_ASSIGN_INIT:
    text = kiln_arena_printf(p->arena, "%sinitializing '%s' with an expression of %s'%s'%s", prefix, target, link, from,
                             suffix);
    break;
  case KILN_ASSIGN_SET:
    text = kiln_arena_printf(p->arena, "%sassigning to '%s' from %s'%s'%s", prefix, target, link, from, suffix);
    break;
  case KILN_ASSIGN_PASS:
    text = kiln_arena_printf(p->arena, "%spassing '%s' to parameter of %s'%s'%s", prefix, from, link, target, suffix);
    break;
  case KILN_ASSIGN_RETURN:
    text = kiln_arena_printf(p->arena, "%sreturning '%s' from a function with %s'%s'%s", prefix, from,
                             strcmp(link, "type ") == 0 ? "result type " : "incompatible result type ", target, suffix);
    break;
  }
  if (is_error)
    kiln_parse_error(p, e->place, e->end, "%s", text);
  else
    kiln_parse_warning(p, e->place, e->end, "%s", text);
}

static const struct kiln_ctype *unsigned_of(struct kiln_parser *p, const struct kiln_ctype *t) {
  const struct kiln_ctype *element = kiln_ctype_element(t);
  switch ((int)element->kind) {
  case KILN_CT_CHAR:
  case KILN_CT_SHORT:
  case KILN_CT_INT:
  case KILN_CT_LONG:
    return kiln_ctype_vector(p->types, kiln_ctype_scalar(p->types, (enum kiln_ctype_kind)(element->kind + 1)),
                             kiln_ctype_lanes(t));
  case KILN_CT_ENUM:
    return unsigned_of(p, element->base.type);
  }
  return t;
}

// Pointers below the first level must agree in their address spaces.
static bool inner_spaces_agree(const struct kiln_ctype *a, const struct kiln_ctype *b) {
  while (a->kind == KILN_CT_POINTER && b->kind == KILN_CT_POINTER) {
    if (a->base.space != b->base.space)
      return false;
    a = a->base.type;
    b = b->base.type;
  }
  return true;
}

// Why pointers of a 2.0 program are not generic, once.
void kiln_sema_note_generic(struct kiln_parser *p, const struct kiln_expr *e) {
  if (p->std < 200 || p->lang->options->generic_space || p->noted_generic)
    return;
  p->noted_generic = true;
  kiln_parse_note(p, e->place, e->end,
                  "the target has no generic address space: a pointer without address space is one to private memory");
}

static struct kiln_expr *assign_pointer(struct kiln_parser *p, struct kiln_expr *e, struct kiln_qtype to,
                                        enum kiln_assign context) {
  struct kiln_qtype a = to.type->base, b = e->type.type->base;
  bool is_void = a.type->kind == KILN_CT_VOID || b.type->kind == KILN_CT_VOID;
  if (!kiln_spaces_convert(p, b.space, a.space) || (!is_void && !inner_spaces_agree(a.type, b.type))) {
    complain_types(p, true, e, to, context, "", "type ", " changes address space of pointer");
    kiln_sema_note_generic(p, e);
    return kiln_expr_error(p, e->place, e->end);
  }
  uint8_t lost = b.quals & (uint8_t)~a.quals & (KILN_QUAL_CONST | KILN_QUAL_VOLATILE);
  if (!is_void && !kiln_same_type(a.type, b.type)) {
    if (kiln_same_type(unsigned_of(p, a.type), unsigned_of(p, b.type)))
      complain_types(p, false, e, to, context, "", "type ",
                     " converts between pointers to integer types with different sign");
    else
      complain_types(p, false, e, to, context, "incompatible pointer types ", "type ", "");
  } else if (lost) {
    complain_types(p, false, e, to, context, "", "type ", " discards qualifiers");
  }
  return kiln_sema_convert(p, e, to.type);
}

static struct kiln_expr *incompatible(struct kiln_parser *p, struct kiln_expr *e, struct kiln_qtype to,
                                      enum kiln_assign context) {
  complain_types(p, true, e, to, context, "",
                 context == KILN_ASSIGN_PASS || context == KILN_ASSIGN_INIT ? "incompatible type "
                 : context == KILN_ASSIGN_SET                               ? "incompatible type "
                                                                            : "incompatible ",
                 "");
  return kiln_expr_error(p, e->place, e->end);
}

struct kiln_expr *kiln_sema_assign(struct kiln_parser *p, struct kiln_expr *e, struct kiln_qtype to,
                                   enum kiln_assign context) {
  if (e->kind == KILN_EX_FORMULA && e->type.type == to.type)
    return e;
  e = kiln_sema_value(p, e);
  const struct kiln_ctype *from = e->type.type, *type = to.type;
  if (from->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ERROR)
    return kiln_expr_error(p, e->place, e->end);
  if (from == type)
    return e;
  if (type->kind == KILN_CT_ATOMIC && context == KILN_ASSIGN_INIT)
    return kiln_sema_assign(p, e, type->base, context);
  if (kiln_ctype_is_scalar_number(from) && kiln_ctype_is_scalar_number(type)) {
    if (from->kind == KILN_CT_ENUM && type->kind == KILN_CT_ENUM && !p->in_library)
      kiln_parse_warning(p, e->place, e->end,
                         "implicit conversion from enumeration type '%s' to different enumeration type '%s'",
                         kiln_parse_type_text(p, kiln_plain(from)), kiln_parse_type_text(p, kiln_plain(type)));
    kiln_warn_conversion(p, e, type);
    return kiln_sema_convert(p, e, type);
  }
  if (type->kind == KILN_CT_VECTOR && kiln_ctype_is_scalar_number(from))
    return kiln_sema_convert(p, e, type);
  if (type->kind == KILN_CT_POINTER && kiln_is_null_constant(e))
    return kiln_sema_convert(p, e->kind == KILN_EX_CAST ? e->left : e, type);
  if (type->kind == KILN_CT_POINTER && from->kind == KILN_CT_POINTER)
    return assign_pointer(p, e, to, context);
  if (type->kind == KILN_CT_POINTER && kiln_ctype_is_integer(from)) {
    complain_types(p, false, e, to, context, "incompatible integer to pointer conversion ", "type ", "");
    return kiln_sema_convert(p, e, type);
  }
  if (kiln_ctype_is_integer(type) && from->kind == KILN_CT_POINTER) {
    if (type->kind != KILN_CT_BOOL)
      complain_types(p, false, e, to, context, "incompatible pointer to integer conversion ", "type ", "");
    return kiln_sema_convert(p, e, type);
  }
  if (type->kind == KILN_CT_EVENT && kiln_is_null_constant(e))
    return kiln_sema_convert(p, e, type);
  if (kiln_same_type(from, type))
    return kiln_sema_convert(p, e, type);
  return incompatible(p, e, to, context);
}

struct kiln_expr *kiln_sema_condition(struct kiln_parser *p, struct kiln_expr *e, const char *what) {
  e = kiln_sema_value(p, e);
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_POINTER)
    kiln_warn_address_condition(p, e);
  if (kiln_ctype_is_scalar_number(type) || type->kind == KILN_CT_POINTER || type->kind == KILN_CT_ERROR)
    return e;
  kiln_parse_error(p, e->place, e->end, "%s requires expression of scalar type ('%s' invalid)", what,
                   kiln_parse_type_text(p, kiln_plain(type)));
  return kiln_expr_error(p, e->place, e->end);
}
