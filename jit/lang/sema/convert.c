// Conversions: reading of lvalues, the usual arithmetic conversions, and conversion as if by assignment.
#include "jit/lang/sema/sema.h"

// ---- making nodes ---------------------------------------------------------------------------------------------------

struct kiln_decl *kiln_decl_new(struct kiln_sema *S, enum kiln_decl_kind kind, struct kiln_name *name,
                                struct kiln_qtype type, kiln_location location) {
  struct kiln_decl *decl = KILN_NEW(S->arena, struct kiln_decl);
  decl->kind = kind;
  decl->name = name;
  decl->type = type;
  decl->location = location;
  return decl;
}

// A few at a time, so that they stay near the statement that they are of (see kiln_lower_fetch).
void kiln_expr_refill(struct kiln_sema *S) {
  enum { COUNT = 8 };
  struct kiln_expr *e = kiln_arena_alloc(S->arena, COUNT * sizeof *e, sizeof *e);
  S->next_expr = e;
  S->last_expr = e + COUNT;
  S->expr_count += COUNT;
}

struct kiln_expr *kiln_expr_error(struct kiln_sema *S, kiln_location location, kiln_location end) {
  return kiln_expr_new(S, KILN_EX_ERROR, kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR)), location, end);
}

struct kiln_expr *kiln_expr_int(struct kiln_sema *S, const struct kiln_ctype *type, uint64_t value,
                                kiln_location location, kiln_location end) {
  struct kiln_expr *e = kiln_expr_new(S, KILN_EX_INT, kiln_plain(type), location, end);
  e->value = kiln_fold_wrap(type, value);
  return e;
}

struct kiln_expr *kiln_expr_cast(struct kiln_sema *S, enum kiln_cast cast, struct kiln_qtype type,
                                 struct kiln_expr *e) {
  bool only_reads = e->only_reads || (cast == KILN_CAST_LOAD && e->kind == KILN_EX_VAR);
  struct kiln_expr *out = kiln_expr_make(S, KILN_EX_CAST, type, e->location, e->end, only_reads);
  out->cast = cast;
  out->left = e;
  return out;
}

kiln_location kiln_expr_begin(const struct kiln_expr *e) {
  kiln_location begin = e->location;
  for (; e; e = e->kind == KILN_EX_COND ? e->cond : e->left)
    if (e->location && e->location < begin)
      begin = e->location;
  return begin;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// A variable that is constant and initialised with a constant stands for its value, so that it can be an array size.
static inline struct kiln_expr *constant_variable(struct kiln_sema *S, const struct kiln_expr *e) {
  if ((!(e->type.quals & KILN_QUAL_CONST) && e->type.space != KILN_CONSTANT) || e->kind != KILN_EX_VAR ||
      e->decl->kind != KILN_DECL_VARIABLE || !e->decl->init || !kiln_is_constant(e->decl->init) ||
      (e->type.quals & KILN_QUAL_VOLATILE) ||
      !(kiln_ctype_is_scalar_number(e->type.type) || e->type.type->kind == KILN_CT_SAMPLER))
    return NULL;
  struct kiln_expr *out = kiln_expr_new(S, e->decl->init->kind, kiln_plain(e->type.type), e->location, e->end);
  if (out->kind == KILN_EX_INT)
    out->value = e->decl->init->value;
  else
    out->number = e->decl->init->number;
  return out;
}

void kiln_sema_no_operators(struct kiln_sema *S, const struct kiln_expr *e) {
  kiln_sema_error(S, e->location, e->end, "operators do not apply to '%s': %s", kiln_sema_type_text(S, e->type.type),
                  e->type.type->kind == KILN_CT_BFLOAT ? "convert to float: (float)x" : "use the atomic functions");
}

struct kiln_expr *kiln_sema_read(struct kiln_sema *S, struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ARRAY)
    return kiln_expr_cast(S, KILN_CAST_DECAY, kiln_plain(kiln_ctype_pointer(S->types, type->base)), e);
  if (!e->is_lvalue)
    return e;
  struct kiln_expr *constant = constant_variable(S, e);
  if (constant)
    return constant;
  if (type->kind == KILN_CT_ATOMIC) {
    kiln_sema_no_operators(S, e);
    return kiln_expr_error(S, e->location, e->end);
  }
  if (kiln_sema_is_storage_half(S, type))
    return kiln_expr_invalid(
        S, e->location, e->end,
        "loading directly from pointer to type '%s' requires fp16. Use vector data load builtin functions "
        "instead",
        kiln_sema_type_text(S, type));
  if (!type->complete)
    return kiln_expr_invalid(S, e->location, e->end, "incomplete type '%s' where a complete type is required",
                             kiln_sema_type_text(S, type));
  return kiln_expr_cast(S, KILN_CAST_LOAD, kiln_plain(type), e);
}

// ---- conversions that are allowed -----------------------------------------------------------------------------------

// Converts from or to __bf16 by way of float. The other type is __bf16 or a number.
static struct kiln_expr *convert_bfloat(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type) {
  const struct kiln_ctype *single = kiln_ctype_scalar(KILN_CT_FLOAT);
  bool from = e->type.type->kind == KILN_CT_BFLOAT;
  if (!from)
    e = kiln_sema_convert(S, e, single);
  e = kiln_is_constant(e) ? kiln_fold_bfloat(S, e)
                          : kiln_expr_cast(S, KILN_CAST_NUMBER, kiln_plain(from ? single : type), e);
  return from ? kiln_sema_convert(S, e, type) : e;
}

struct kiln_expr *kiln_sema_convert(struct kiln_sema *S, struct kiln_expr *e, const struct kiln_ctype *type) {
  const struct kiln_ctype *from = e->type.type;
  if (from == type || from->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ERROR)
    return kiln_expr_error(S, e->location, e->end);
  struct kiln_qtype to = kiln_plain(type);
  if (type->kind == KILN_CT_VOID)
    return kiln_expr_cast(S, KILN_CAST_VOID, to, e);
  if (kiln_ctype_is_scalar_number(from) && kiln_ctype_is_scalar_number(type))
    return kiln_is_constant(e) ? kiln_fold_number(S, e, type) : kiln_expr_cast(S, KILN_CAST_NUMBER, to, e);
  if (kiln_ctype_is_convertible(from) && kiln_ctype_is_convertible(type))
    return convert_bfloat(S, e, type);
  if (type->kind == KILN_CT_VECTOR && kiln_ctype_is_convertible(from))
    return kiln_expr_cast(S, KILN_CAST_SPLAT, to, kiln_sema_convert(S, e, type->base.type));
  if (type->kind == KILN_CT_POINTER && e->kind == KILN_EX_CAST && kiln_is_null_constant(e))
    return kiln_expr_cast(S, KILN_CAST_INT_PTR, to, e->left); // "(void *)0" becomes a null pointer of any space
  if (from->kind == KILN_CT_POINTER) {
    enum kiln_cast cast = type->kind == KILN_CT_POINTER ? KILN_CAST_POINTER
                          : type->kind == KILN_CT_BOOL  ? KILN_CAST_PTR_BOOL
                                                        : KILN_CAST_PTR_INT;
    return kiln_expr_cast(S, cast, to, e);
  }
  if (type->kind == KILN_CT_POINTER)
    return kiln_expr_cast(S, KILN_CAST_INT_PTR, to, e);
  if ((type->kind == KILN_CT_EVENT || type->kind == KILN_CT_SAMPLER) && e->kind == KILN_EX_INT) {
    struct kiln_expr *event = kiln_expr_new(S, KILN_EX_INT, to, e->location, e->end);
    event->value = e->value;
    return event;
  }
  return kiln_expr_cast(S, KILN_CAST_SAME, to, e);
}

struct kiln_expr *kiln_sema_promote_narrow(struct kiln_sema *S, struct kiln_expr *e) {
  const struct kiln_ctype *type = e->type.type;
  return kiln_sema_convert(S, e, type->kind == KILN_CT_ENUM ? type->base.type : kiln_ctype_scalar(KILN_CT_INT));
}

// Of promoted scalars: kinds are in the order of their ranks, and an unsigned type follows its signed one.
const struct kiln_ctype *kiln_sema_common(const struct kiln_ctype *a, const struct kiln_ctype *b) {
  enum kiln_ctype_kind ka = a->kind == KILN_CT_ENUM ? a->base.type->kind : a->kind;
  enum kiln_ctype_kind kb = b->kind == KILN_CT_ENUM ? b->base.type->kind : b->kind;
  enum kiln_ctype_kind kind = ka > kb ? ka : kb;
  return kiln_ctype_scalar(kind < KILN_CT_INT ? KILN_CT_INT : kind);
}

const struct kiln_ctype *kiln_signed_lanes(const struct kiln_ctype *vector) {
  return kiln_ctype_vector(kiln_ctype_integer(vector->base.type->size, true), vector->lanes);
}

// ---- conversion as if by assignment ---------------------------------------------------------------------------------

bool kiln_is_null_constant(const struct kiln_expr *e) {
  if (e->kind == KILN_EX_CAST && e->cast == KILN_CAST_INT_PTR && e->type.type->base.type->kind == KILN_CT_VOID &&
      !e->type.type->base.quals)
    e = e->left;
  return e->kind == KILN_EX_INT && e->value == 0 && kiln_ctype_is_integer(e->type.type);
}

bool kiln_spaces_convert(uint8_t from, uint8_t to) {
  return from == to || (to == KILN_GENERIC && from != KILN_CONSTANT);
}

enum { NO_WARNING = KILN_WARNING_COUNT }; // for complain_types: an error

// id: the warning that it is.
static void complain_types(struct kiln_sema *S, unsigned id, const struct kiln_expr *e, struct kiln_qtype to,
                           enum kiln_assign context, const char *prefix, const char *link, const char *suffix) {
  const char *from = kiln_sema_type_text(S, e->type.type);
  const char *target = kiln_sema_type_text(S, to.type);
  const char *text = NULL;
  switch (context) {
  case KILN_ASSIGN_INIT:
    text = kiln_arena_printf(S->arena, "%sinitializing '%s' with an expression of %s'%s'%s", prefix, target, link, from,
                             suffix);
    break;
  case KILN_ASSIGN_SET:
    text = kiln_arena_printf(S->arena, "%sassigning to '%s' from %s'%s'%s", prefix, target, link, from, suffix);
    break;
  case KILN_ASSIGN_PASS:
    text = kiln_arena_printf(S->arena, "%spassing '%s' to parameter of %s'%s'%s", prefix, from, link, target, suffix);
    break;
  case KILN_ASSIGN_RETURN:
    text = kiln_arena_printf(S->arena, "%sreturning '%s' from a function with %s'%s'%s", prefix, from,
                             strcmp(link, "type ") == 0 ? "result type " : "incompatible result type ", target, suffix);
    break;
  }
  if (id == NO_WARNING)
    kiln_sema_error(S, e->location, e->end, "%s", text);
  else
    kiln_sema_warning(S, (enum kiln_warning_id)id, e->location, e->end, "%s", text);
}

static const struct kiln_ctype *unsigned_of(struct kiln_sema *S, const struct kiln_ctype *t) {
  const struct kiln_ctype *element = kiln_ctype_element(t);
  if (element->kind == KILN_CT_ENUM)
    return unsigned_of(S, element->base.type);
  if (!kiln_ctype_is_signed(element) || element->kind < KILN_CT_CHAR || element->kind > KILN_CT_LONG)
    return t;
  const struct kiln_ctype *other = kiln_ctype_scalar((enum kiln_ctype_kind)(element->kind + 1));
  return kiln_ctype_vector(other, kiln_ctype_lanes(t));
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
void kiln_sema_note_generic(struct kiln_sema *S, const struct kiln_expr *e) {
  if (S->std < 200 || S->lang->options->generic_space || S->noted_generic)
    return;
  S->noted_generic = true;
  kiln_sema_note(S, e->location, e->end,
                 "the target has no generic address space: a pointer without address space is one to private memory");
}

static struct kiln_expr *assign_pointer(struct kiln_sema *S, struct kiln_expr *e, struct kiln_qtype to,
                                        enum kiln_assign context) {
  struct kiln_qtype a = to.type->base, b = e->type.type->base;
  bool is_void = a.type->kind == KILN_CT_VOID || b.type->kind == KILN_CT_VOID;
  if (!kiln_spaces_convert(b.space, a.space) || (!is_void && !inner_spaces_agree(a.type, b.type))) {
    complain_types(S, NO_WARNING, e, to, context, "", "type ", " changes address space of pointer");
    kiln_sema_note_generic(S, e);
    return kiln_expr_error(S, e->location, e->end);
  }
  uint8_t lost = b.quals & (uint8_t)~a.quals & (KILN_QUAL_CONST | KILN_QUAL_VOLATILE);
  if (!is_void && !kiln_same_type(a.type, b.type)) {
    if (kiln_same_type(unsigned_of(S, a.type), unsigned_of(S, b.type)))
      complain_types(S, KILN_W_POINTER_SIGN, e, to, context, "", "type ",
                     " converts between pointers to integer types with different sign");
    else
      complain_types(S, KILN_W_INCOMPATIBLE_POINTERS, e, to, context, "incompatible pointer types ", "type ", "");
  } else if (lost) {
    complain_types(S, KILN_W_POINTER_QUALIFIERS, e, to, context, "", "type ", " discards qualifiers");
  }
  return kiln_sema_convert(S, e, to.type);
}

static struct kiln_expr *incompatible(struct kiln_sema *S, struct kiln_expr *e, struct kiln_qtype to,
                                      enum kiln_assign context) {
  complain_types(S, NO_WARNING, e, to, context, "",
                 context == KILN_ASSIGN_RETURN ? "incompatible " : "incompatible type ", "");
  return kiln_expr_error(S, e->location, e->end);
}

// A sampler from an integer: a constant of 32 bits.
static struct kiln_expr *assign_sampler(struct kiln_sema *S, struct kiln_expr *e, enum kiln_assign context) {
  const struct kiln_ctype *sampler = kiln_ctype_scalar(KILN_CT_SAMPLER);
  if (e->kind != KILN_EX_INT)
    return kiln_expr_invalid(S, e->location, e->end, "%s takes another one or a constant, not an expression of '%s'",
                             context == KILN_ASSIGN_PASS ? "a parameter of type 'sampler_t'"
                                                         : "a variable of type 'sampler_t'",
                             kiln_sema_type_text(S, e->type.type));
  uint64_t address = e->value & KILN_SAMPLER_ADDRESS;
  if (address >= KILN_SAMPLER_REPEAT && !(e->value & KILN_SAMPLER_NORMALIZED))
    kiln_sema_warning(S, KILN_W_SAMPLER_ADDRESS, e->location, e->end,
                      "a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE");
  return kiln_sema_convert(S, kiln_sema_convert(S, e, kiln_ctype_scalar(KILN_CT_UINT)), sampler);
}

struct kiln_expr *kiln_sema_assign(struct kiln_sema *S, struct kiln_expr *e, struct kiln_qtype to,
                                   enum kiln_assign context) {
  e = kiln_sema_value(S, e);
  const struct kiln_ctype *from = e->type.type, *type = to.type;
  if (from->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_ERROR)
    return kiln_expr_error(S, e->location, e->end);
  if (from == type)
    return e;
  if (type->kind == KILN_CT_ATOMIC && context == KILN_ASSIGN_INIT)
    return kiln_sema_assign(S, e, type->base, context);
  if (kiln_ctype_is_scalar_number(from) && kiln_ctype_is_scalar_number(type)) {
    if (from->kind == KILN_CT_ENUM && type->kind == KILN_CT_ENUM && !S->in_library)
      kiln_sema_warning(S, KILN_W_ENUM_CONVERSION, e->location, e->end,
                        "implicit conversion from enumeration type '%s' to different enumeration type '%s'",
                        kiln_sema_type_text(S, from), kiln_sema_type_text(S, type));
    kiln_warn_conversion(S, e, type);
    return kiln_sema_convert(S, e, type);
  }
  bool by_float = kiln_ctype_is_convertible(from) && kiln_ctype_is_convertible(type);
  if (by_float || (type->kind == KILN_CT_VECTOR && kiln_ctype_is_convertible(from)))
    return kiln_sema_convert(S, e, type);
  if (type->kind == KILN_CT_POINTER && kiln_is_null_constant(e))
    return kiln_sema_convert(S, e->kind == KILN_EX_CAST ? e->left : e, type);
  if (type->kind == KILN_CT_POINTER && from->kind == KILN_CT_POINTER)
    return assign_pointer(S, e, to, context);
  if (type->kind == KILN_CT_POINTER && kiln_ctype_is_integer(from)) {
    complain_types(S, KILN_W_INT_CONVERSION, e, to, context, "incompatible integer to pointer conversion ", "type ",
                   "");
    return kiln_sema_convert(S, e, type);
  }
  if (kiln_ctype_is_integer(type) && from->kind == KILN_CT_POINTER) {
    if (type->kind != KILN_CT_BOOL)
      complain_types(S, KILN_W_INT_CONVERSION, e, to, context, "incompatible pointer to integer conversion ", "type ",
                     "");
    return kiln_sema_convert(S, e, type);
  }
  if (type->kind == KILN_CT_EVENT && kiln_is_null_constant(e))
    return kiln_sema_convert(S, e, type);
  if (type->kind == KILN_CT_SAMPLER && kiln_ctype_is_integer(from))
    return assign_sampler(S, e, context);
  if (kiln_same_type(from, type))
    return kiln_sema_convert(S, e, type);
  return incompatible(S, e, to, context);
}

struct kiln_expr *kiln_sema_condition(struct kiln_sema *S, struct kiln_expr *e, const char *what) {
  e = kiln_sema_value(S, e);
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_POINTER)
    kiln_warn_address_condition(S, e);
  if (kiln_ctype_is_scalar_number(type) || type->kind == KILN_CT_POINTER || type->kind == KILN_CT_ERROR)
    return e;
  if (type->kind == KILN_CT_BFLOAT) {
    kiln_sema_no_operators(S, e);
    return kiln_expr_error(S, e->location, e->end);
  }
  return kiln_expr_invalid(S, e->location, e->end, "%s requires expression of scalar type ('%s' invalid)", what,
                           kiln_sema_type_text(S, type));
}
