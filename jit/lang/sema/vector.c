// Members of structures, components of vectors, and vector literals.
#include "jit/lang/sema/sema.h"

// ---- components -----------------------------------------------------------------------------------------------------

static int letter_lane(struct kiln_sema *S, char c, bool *is_rgba) {
  static const char xyzw[] = "xyzw", rgba[] = "rgba";
  const char *at = strchr(xyzw, c);
  *is_rgba = false;
  if (at && c)
    return (int)(at - xyzw);
  at = strchr(rgba, c);
  *is_rgba = true;
  return at && c && (S->std >= 300 || S->in_library) ? (int)(at - rgba) : -1;
}

static int hex_lane(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// .lo, .hi, .even and .odd; the fourth lane of a vector of three is undefined, so any will do for it.
static bool named_half(const char *name, unsigned lanes, uint8_t *out, uint8_t *count) {
  static const struct {
    const char *name;
    bool strided, second;
  } halves[] = {{"lo", false, false}, {"hi", false, true}, {"even", true, false}, {"odd", true, true}};
  for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
    if (strcmp(halves[i].name, name) != 0)
      continue;
    unsigned half = (lanes + 1) / 2;
    for (unsigned k = 0; k < half; k++) {
      unsigned lane = halves[i].strided ? 2 * k + halves[i].second : k + (halves[i].second ? half : 0);
      out[k] = (uint8_t)(lane < lanes ? lane : lanes - 1);
    }
    *count = (uint8_t)half;
    return true;
  }
  return false;
}

static bool read_lanes(struct kiln_sema *S, const struct kiln_ctype *type, const struct kiln_name *name,
                       kiln_location location, uint8_t *lanes, uint8_t *count) {
  const char *text = name->text;
  if (named_half(text, type->lanes, lanes, count))
    return true;
  bool numbered = (text[0] == 's' || text[0] == 'S') && hex_lane(text[1]) >= 0, first_rgba = false;
  *count = 0;
  for (const char *c = text + numbered; *c; c++) {
    bool is_rgba = false;
    int lane = numbered ? hex_lane(*c) : letter_lane(S, *c, &is_rgba);
    if (c == text)
      first_rgba = is_rgba;
    kiln_location at = location & KILN_LOCATION_MACRO ? location : location + (kiln_location)(c - text);
    if (lane < 0 || is_rgba != first_rgba) {
      kiln_sema_error(S, at, 0, "illegal vector component name '%c'", *c);
      return false;
    }
    if ((unsigned)lane >= type->lanes) {
      kiln_sema_error(S, at, 0, "vector component access exceeds type '%s'", kiln_sema_type_text(S, type));
      return false;
    }
    if (*count == 16) {
      kiln_sema_error(S, at, 0, "vector component access has invalid length");
      return false;
    }
    lanes[(*count)++] = (uint8_t)lane;
  }
  if (*count == 1 || *count == 2 || *count == 3 || *count == 4 || *count == 8 || *count == 16)
    return true;
  kiln_sema_error(S, location, location + name->size,
                  "vector component access has invalid length %u. Supported: 1,2,3,4,8,16", *count);
  return false;
}

static struct kiln_expr *swizzle(struct kiln_sema *S, struct kiln_expr *e, struct kiln_name *name,
                                 kiln_location location, kiln_location end) {
  const struct kiln_ctype *type = e->type.type;
  uint8_t lanes[16], count;
  if (!read_lanes(S, type, name, location, lanes, &count))
    return kiln_expr_error(S, location, end);
  const struct kiln_ctype *result = kiln_ctype_vector(type->base.type, count);
  struct kiln_qtype qtype = {result, e->type.quals, e->type.space};
  if (e->kind == KILN_EX_SWIZZLE) { // lanes of lanes
    for (unsigned i = 0; i < count; i++)
      lanes[i] = e->lanes[lanes[i]];
    e = e->left;
  }
  struct kiln_expr *out = kiln_expr_new(S, KILN_EX_SWIZZLE, qtype, location, end);
  out->left = e;
  out->lane_count = count;
  memcpy(out->lanes, lanes, count);
  unsigned seen = 0;
  out->is_lvalue = e->is_lvalue;
  for (unsigned i = 0; i < count; i++) {
    out->is_lvalue &= !(seen >> lanes[i] & 1);
    seen |= 1u << lanes[i];
  }
  return out;
}

// ---- members --------------------------------------------------------------------------------------------------------

static const char *nearest_member(const struct kiln_ctype *type, const char *name) {
  unsigned best = (unsigned)(strlen(name) + 2) / 3 + 1;
  const char *found = NULL;
  for (uint32_t i = 0; i < type->member_count; i++) {
    if (!type->members[i].name)
      continue;
    unsigned distance = kiln_edit_distance(name, type->members[i].name->text, best);
    if (distance < best) {
      best = distance;
      found = type->members[i].name->text;
    }
  }
  return found;
}

static struct kiln_expr *no_member(struct kiln_sema *S, const struct kiln_ctype *type, struct kiln_name *name,
                                   kiln_location location, kiln_location end) {
  const char *text = kiln_sema_type_text(S, type), *near = nearest_member(type, name->text);
  if (!type->complete)
    return kiln_expr_invalid(S, location, end, "incomplete definition of type '%s'", text);
  if (near)
    return kiln_expr_invalid(S, location, end, "no member named '%s' in '%s'; did you mean '%s'?", name->text, text,
                             near);
  return kiln_expr_invalid(S, location, end, "no member named '%s' in '%s'", name->text, text);
}

struct kiln_expr *kiln_sema_member(struct kiln_sema *S, struct kiln_expr *e, struct kiln_name *name,
                                   kiln_location location, kiln_location end, bool arrow) {
  if (arrow) {
    e = kiln_sema_value(S, e);
    if (kiln_is_error(e))
      return e;
    if (e->type.type->kind != KILN_CT_POINTER)
      return kiln_expr_invalid(S, location, end, "member reference type '%s' is not a pointer%s",
                               kiln_sema_type_text(S, e->type.type),
                               e->type.type->kind == KILN_CT_RECORD ? "; did you mean to use '.'?" : "");
    if (e->type.type->base.type->kind != KILN_CT_VOID)
      e = kiln_sema_deref(S, e->location, e);
  }
  if (kiln_is_error(e))
    return e;
  const struct kiln_ctype *type = e->type.type;
  if (type->kind == KILN_CT_VECTOR)
    return swizzle(S, e, name, location, end);
  if (type->kind == KILN_CT_POINTER && !arrow)
    return kiln_expr_invalid(S, location, end, "member reference type '%s' is a pointer; did you mean to use '->'?",
                             kiln_sema_type_text(S, type));
  if (type->kind != KILN_CT_RECORD)
    return kiln_expr_invalid(S, location, end, "member reference base type '%s' is not a structure or union",
                             kiln_sema_type_text(S, type));
  struct kiln_member_path path = {.count = 0};
  if (!type->complete || !kiln_find_member(type, name, &path))
    return no_member(S, type, name, location, end);
  for (uint32_t i = 0; i < path.count; i++) {
    const struct kiln_member *member = path.members[i];
    struct kiln_qtype qtype = member->type;
    if (e->is_lvalue) {
      qtype = kiln_ctype_with_quals(S->types, qtype, e->type.quals);
      qtype = kiln_ctype_with_space(S->types, qtype, e->type.space);
    }
    struct kiln_expr *out = kiln_expr_new(S, KILN_EX_MEMBER, qtype, location, end);
    out->left = e;
    out->member = member;
    out->is_lvalue = e->is_lvalue;
    e = out;
  }
  return e;
}

// ---- vector literals ------------------------------------------------------------------------------------------------

struct kiln_expr *kiln_sema_vector(struct kiln_sema *S, const struct kiln_ctype *type, struct kiln_expr **args,
                                   uint32_t count, kiln_location location, kiln_location end) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < count; i++) {
    args[i] = kiln_sema_value(S, args[i]);
    const struct kiln_ctype *arg = args[i]->type.type;
    if (arg->kind == KILN_CT_ERROR)
      return kiln_expr_error(S, location, end);
    if (kiln_ctype_is_convertible(arg)) {
      args[i] = kiln_sema_convert(S, args[i], type->base.type);
    } else if (arg->kind != KILN_CT_VECTOR || arg->base.type != type->base.type) {
      const struct kiln_ctype *wanted = arg->kind == KILN_CT_VECTOR ? type : type->base.type;
      return kiln_expr_invalid(S, args[i]->location, args[i]->end,
                               "initializing '%s' with an expression of incompatible type '%s'",
                               kiln_sema_type_text(S, wanted), kiln_sema_type_text(S, arg));
    }
    lanes += kiln_ctype_lanes(arg);
    if (lanes > type->lanes)
      return kiln_expr_invalid(S, args[i]->location, args[i]->end, "excess elements in vector initializer");
  }
  if (lanes < type->lanes)
    return kiln_expr_invalid(S, location, end,
                             "too few elements in vector initialization (expected %u elements, have %u)", type->lanes,
                             lanes);
  struct kiln_expr *e = kiln_expr_new(S, KILN_EX_VECTOR, kiln_plain(type), location, end);
  e->args = args;
  e->arg_count = count;
  return e;
}
