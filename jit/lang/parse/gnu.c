// Forms of GNU C and of clang that are no plain calls: built-ins that take types or need their arguments unevaluated,
// _Generic, and statement expressions.
#include "jit/lang/parse/parse.h"

// ---- forms that look like calls -------------------------------------------------------------------------------------

// From the name to after the "(".
static kiln_location begin(struct kiln_parser *p) {
  kiln_parse_advance(p);
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  return open;
}

static bool comma(struct kiln_parser *p) { return kiln_parse_expect(p, KILN_TOKEN_COMMA, "", 0); }

// The ")"; what is wrong before it is an error expression.
static struct kiln_expr *finish(struct kiln_parser *p, kiln_location location, kiln_location open,
                                struct kiln_expr *e) {
  if (!e)
    kiln_parse_skip_to(p, KILN_TOKEN_RPAREN);
  if (!kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open) || !e)
    return kiln_expr_error(&p->sema, location, p->last_end);
  return e;
}

static struct kiln_expr *parse_unevaluated(struct kiln_parser *p) {
  p->sema.unevaluated++;
  struct kiln_expr *e = kiln_parse_assignment(p);
  p->sema.unevaluated--;
  return e;
}

static struct kiln_expr *int_result(struct kiln_parser *p, kiln_location location, uint64_t value) {
  return kiln_expr_int(&p->sema, kiln_ctype_scalar(KILN_CT_INT), value, location, p->last_end);
}

// __builtin_offsetof(type, member.member[index])
static struct kiln_expr *parse_offsetof(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_qtype type = kiln_parse_type_name(p);
  uint64_t offset = 0;
  bool ok = comma(p);
  for (bool more = ok; more && p->tok.name; more = kiln_parse_accept(p, KILN_TOKEN_DOT)) {
    struct kiln_member_path path = {.count = 0};
    if (type.type->kind != KILN_CT_RECORD || !kiln_find_member(type.type, p->tok.name, &path)) {
      kiln_parse_error(p, &p->tok, "no member named '%s' in '%s'", p->tok.name->text,
                       kiln_sema_qtype_text(&p->sema, type));
      ok = false;
      break;
    }
    for (uint32_t i = 0; i < path.count; i++)
      offset += path.members[i]->offset;
    type = path.members[path.count - 1]->type;
    kiln_parse_advance(p);
    while (ok && type.type->kind == KILN_CT_ARRAY && kiln_parse_accept(p, KILN_TOKEN_LBRACKET)) {
      int64_t index = 0;
      ok = kiln_parse_constant(p, "expression is not an integer constant expression", &index, NULL) &&
           kiln_parse_expect(p, KILN_TOKEN_RBRACKET, "", 0);
      type = type.type->base;
      offset += (uint64_t)index * type.type->size;
    }
  }
  const struct kiln_ctype *size_type = kiln_ctype_scalar(KILN_CT_ULONG);
  struct kiln_expr *e = finish(p, location, open, ok ? kiln_expr_int(&p->sema, size_type, offset, location, 0) : NULL);
  e->end = p->last_end;
  return e;
}

// The bits of e as the type.
static struct kiln_expr *reinterpret(struct kiln_parser *p, kiln_location location, struct kiln_expr *e,
                                     struct kiln_qtype type) {
  if (kiln_is_error(e) || type.type->kind == KILN_CT_ERROR)
    return kiln_expr_error(&p->sema, location, p->last_end);
  if (!kiln_ctype_is_convertible(kiln_ctype_element(type.type)) ||
      !kiln_ctype_is_convertible(kiln_ctype_element(e->type.type)) || type.type->size != e->type.type->size)
    return kiln_expr_invalid(&p->sema, location, p->last_end,
                             "invalid reinterpretation: sizes of '%s' and '%s' must match",
                             kiln_sema_type_text(&p->sema, type.type), kiln_sema_type_text(&p->sema, e->type.type));
  e = kiln_fold_bits(&p->sema, e, type.type);
  e->location = location;
  e->end = p->last_end;
  return e;
}

// __builtin_astype(expression, type)
static struct kiln_expr *parse_astype(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  bool ok = comma(p);
  struct kiln_qtype type = ok ? kiln_parse_type_name(p) : e->type;
  ok &= kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
  return ok ? reinterpret(p, location, e, type) : kiln_expr_error(&p->sema, location, p->last_end);
}

// __builtin_constant_p(expression)
static struct kiln_expr *parse_constant_p(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *e = parse_unevaluated(p);
  bool constant = e->kind == KILN_EX_STRING || kiln_is_constant(e);
  return finish(p, location, open, kiln_is_error(e) ? e : int_result(p, location, constant));
}

// __builtin_types_compatible_p(type, type)
static struct kiln_expr *parse_types_compatible(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_qtype a = kiln_parse_type_name(p);
  if (!comma(p))
    return finish(p, location, open, NULL);
  struct kiln_qtype b = kiln_parse_type_name(p);
  return finish(p, location, open, int_result(p, location, kiln_same_type(a.type, b.type)));
}

// __builtin_choose_expr(constant, expression, expression)
static struct kiln_expr *parse_choose(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  int64_t value = 0;
  if (!kiln_parse_constant(p, "'__builtin_choose_expr' requires a constant expression", &value, NULL) || !comma(p))
    return finish(p, location, open, NULL);
  struct kiln_expr *a = value ? kiln_parse_assignment(p) : parse_unevaluated(p);
  if (!comma(p))
    return finish(p, location, open, NULL);
  struct kiln_expr *b = value ? parse_unevaluated(p) : kiln_parse_assignment(p);
  return finish(p, location, open, value ? a : b);
}

// __builtin_nontemporal_load(pointer), __builtin_nontemporal_store(value, pointer): how is a hint only.
static struct kiln_expr *parse_nontemporal_load(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *pointer = kiln_parse_assignment(p);
  return finish(p, location, open, kiln_sema_value(&p->sema, kiln_sema_deref(&p->sema, location, pointer)));
}

static struct kiln_expr *parse_nontemporal_store(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *value = kiln_parse_assignment(p);
  if (!comma(p))
    return finish(p, location, open, NULL);
  struct kiln_expr *pointer = kiln_sema_deref(&p->sema, location, kiln_parse_assignment(p));
  struct kiln_expr *set = kiln_is_error(pointer) ? pointer : kiln_sema_set(&p->sema, location, pointer, value);
  return finish(p, location, open, kiln_sema_convert(&p->sema, set, kiln_ctype_scalar(KILN_CT_VOID)));
}

// __builtin_convertvector(vector, type)
static struct kiln_expr *parse_convertvector(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  if (!comma(p))
    return finish(p, location, open, NULL);
  const struct kiln_ctype *to = kiln_parse_type_name(p).type, *from = e->type.type;
  if (!kiln_is_error(e) && to->kind != KILN_CT_ERROR &&
      (to->kind != KILN_CT_VECTOR || from->kind != KILN_CT_VECTOR || to->lanes != from->lanes)) {
    kiln_sema_error(&p->sema, location, p->last_end,
                    "'__builtin_convertvector' needs vectors of the same number of elements, "
                    "not '%s' and '%s'",
                    kiln_sema_type_text(&p->sema, from), kiln_sema_type_text(&p->sema, to));
    e = kiln_expr_error(&p->sema, location, p->last_end);
  } else if (!kiln_is_error(e) && to != from) {
    e = kiln_expr_cast(&p->sema, KILN_CAST_NUMBER, kiln_plain(to), e);
  }
  return finish(p, location, open, e);
}

// One element of a vector value.
static struct kiln_expr *lane(struct kiln_parser *p, struct kiln_expr *vector, unsigned index) {
  struct kiln_expr *e =
      kiln_expr_new(&p->sema, KILN_EX_SWIZZLE, kiln_plain(vector->type.type->base.type), vector->location, vector->end);
  e->left = vector;
  e->lane_count = 1;
  e->lanes[0] = (uint8_t)index;
  return e;
}

// __builtin_shufflevector(a, b, index...): elements of a and b by number; -1: any.
static struct kiln_expr *parse_shufflevector(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *v[2] = {kiln_sema_value(&p->sema, kiln_parse_assignment(p)), NULL};
  struct kiln_expr **lanes = KILN_NEW_ARRAY(p->sema.arena, struct kiln_expr *, 16);
  if (!comma(p))
    return finish(p, location, open, NULL);
  v[1] = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  if (kiln_is_error(v[0]) || kiln_is_error(v[1]))
    return finish(p, location, open, NULL);
  const struct kiln_ctype *type = v[0]->type.type;
  if (type->kind != KILN_CT_VECTOR || v[1]->type.type != type) {
    kiln_sema_error(&p->sema, location, p->last_end,
                    "first two arguments to '__builtin_shufflevector' must have the same vector type");
    return finish(p, location, open, NULL);
  }
  struct kiln_decl *decls[2] = {kiln_let_decl(&p->sema, v[0]), kiln_let_decl(&p->sema, v[1])};
  unsigned count = 0;
  while (p->tok.kind == KILN_TOKEN_COMMA && count < 16) {
    int64_t index;
    kiln_parse_advance(p);
    kiln_location at = p->tok.location;
    if (!kiln_parse_constant(p, "index for '__builtin_shufflevector' must be a constant integer", &index, NULL))
      return finish(p, location, open, NULL);
    if (index < -1 || index >= 2 * (int64_t)type->lanes) {
      kiln_sema_error(&p->sema, at, p->last_end,
                      "index for '__builtin_shufflevector' must be less than the total number of vector elements");
      return finish(p, location, open, NULL);
    }
    unsigned k = index < 0 ? 0 : (unsigned)index;
    lanes[count++] = lane(p, kiln_let_value(&p->sema, decls[k / type->lanes]), k % type->lanes);
  }
  if (count != 1 && count != 2 && count != 3 && count != 4 && count != 8 && count != 16) {
    kiln_sema_error(&p->sema, location, p->last_end,
                    "'__builtin_shufflevector' makes no vector of 2, 3, 4, 8 or 16 elements");
    return finish(p, location, open, NULL);
  }
  struct kiln_expr *result = lanes[0];
  if (count > 1)
    result = kiln_sema_vector(&p->sema, kiln_ctype_vector(type->base.type, count), lanes, count, location, p->last_end);
  return finish(p, location, open, kiln_let(&p->sema, decls[0], v[0], kiln_let(&p->sema, decls[1], v[1], result)));
}

// __builtin_bit_cast(type, expression)
static struct kiln_expr *parse_bit_cast(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_qtype type = kiln_parse_type_name(p);
  if (!comma(p))
    return finish(p, location, open, NULL);
  struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  return finish(p, location, open, reinterpret(p, location, e, type));
}

// __builtin_assume_aligned(pointer, bytes[, offset])
static struct kiln_expr *parse_assume_aligned(struct kiln_parser *p) {
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  unsigned count = 0;
  while (count < 2 && kiln_parse_accept(p, KILN_TOKEN_COMMA)) {
    parse_unevaluated(p);
    count++;
  }
  if (!kiln_is_error(e) && (e->type.type->kind != KILN_CT_POINTER || !count)) {
    kiln_sema_error(&p->sema, location, p->last_end, "'__builtin_assume_aligned' needs a pointer and an alignment");
    e = NULL;
  }
  return finish(p, location, open, e);
}

// ---- blocks of memory -----------------------------------------------------------------------------------------------

// An argument that points to memory, as the pointer that it is; NULL after an error.
static struct kiln_expr *parse_memory(struct kiln_parser *p, bool written) {
  struct kiln_expr *e = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  const struct kiln_ctype *type = e->type.type;
  if (kiln_is_error(e))
    return NULL;
  if (type->kind != KILN_CT_POINTER)
    kiln_sema_error(&p->sema, e->location, e->end, "passing '%s' to parameter of incompatible type 'void *'",
                    kiln_sema_type_text(&p->sema, type));
  else if (written && (type->base.quals & KILN_QUAL_CONST || type->base.space == KILN_CONSTANT))
    kiln_sema_error(&p->sema, e->location, e->end, "passing '%s' to parameter of type 'void *' discards qualifiers",
                    kiln_sema_type_text(&p->sema, type));
  else
    return e;
  return NULL;
}

static struct kiln_expr *as_pointer_to(struct kiln_parser *p, struct kiln_expr *e, const struct kiln_ctype *type) {
  struct kiln_qtype pointee = e->type.type->base;
  pointee.type = type;
  return kiln_expr_cast(&p->sema, KILN_CAST_POINTER, kiln_plain(kiln_ctype_pointer(p->sema.types, pointee)), e);
}

static uint64_t pointee_align(const struct kiln_expr *pointer) {
  uint32_t align = pointer->type.type->base.type->align;
  return align ? align : 1;
}

// Something of a size and alignment that is read and written in one go.
static const struct kiln_ctype *block_type(struct kiln_parser *p, uint64_t size, uint64_t align) {
  if (size <= align && (size == 1 || size == 2 || size == 4 || size == 8))
    return kiln_ctype_integer(size, false);
  struct kiln_ctype *type = KILN_NEW(p->sema.arena, struct kiln_ctype);
  *type = (struct kiln_ctype){
      .kind = KILN_CT_RECORD, .complete = true, .size = size, .align = (uint32_t)align, .serial = ++p->sema.serial};
  return type;
}

// "__kiln_NAME(a, b, count)" of the library, on words where both are aligned and the number of bytes is known, but for
// a comparison: its result is of bytes.
static struct kiln_expr *memory_call(struct kiln_parser *p, kiln_location location, const char *function,
                                     struct kiln_expr *a, struct kiln_expr *b, struct kiln_expr *count) {
  struct kiln_name *name = kiln_names_intern(p->sema.lang->names, function, strlen(function));
  struct kiln_expr **args = KILN_NEW_ARRAY(p->sema.arena, struct kiln_expr *, 3);
  bool fill = b->type.type->kind != KILN_CT_POINTER;
  bool words = count->kind == KILN_EX_INT && count->value % 4 == 0 && pointee_align(a) >= 4 &&
               (fill || pointee_align(b) >= 4) && strcmp(function, "__kiln_memcmp") != 0;
  const struct kiln_ctype *unit = kiln_ctype_scalar(words ? KILN_CT_UINT : KILN_CT_UCHAR);
  args[0] = as_pointer_to(p, a, unit);
  args[1] = fill ? b : as_pointer_to(p, b, unit);
  args[2] = words ? kiln_expr_int(&p->sema, count->type.type, count->value / 4, count->location, count->end) : count;
  return kiln_sema_call(&p->sema, kiln_scope_find(&p->sema, name), name, location, 0, args, 3, p->last_end);
}

// __builtin_memcpy, memmove (to, from, bytes), memset (to, value, bytes), memcmp (a, b, bytes). At the name.
static struct kiln_expr *parse_block(struct kiln_parser *p) {
  const char *what = p->tok.name->text + strlen("__builtin_mem");
  bool copies = strncmp(what, "cpy", 3) == 0, fills = strcmp(what, "set") == 0, compares = strcmp(what, "cmp") == 0;
  kiln_location location = p->tok.location, open = begin(p);
  struct kiln_expr *a = parse_memory(p, !compares), *b = NULL, *count = NULL;
  if (!a || !comma(p))
    return finish(p, location, open, NULL);
  b = fills ? kiln_sema_assign(&p->sema, kiln_sema_value(&p->sema, kiln_parse_assignment(p)),
                               kiln_plain(kiln_ctype_scalar(KILN_CT_INT)), KILN_ASSIGN_PASS)
            : parse_memory(p, false);
  if (!b || kiln_is_error(b) || !comma(p))
    return finish(p, location, open, NULL);
  count = kiln_sema_assign(&p->sema, kiln_sema_value(&p->sema, kiln_parse_assignment(p)),
                           kiln_plain(kiln_ctype_scalar(KILN_CT_ULONG)), KILN_ASSIGN_PASS);
  if (kiln_is_error(count))
    return finish(p, location, open, NULL);
  if (compares)
    return finish(p, location, open, memory_call(p, location, "__kiln_memcmp", a, b, count));
  struct kiln_decl *to = kiln_let_decl(&p->sema, a);
  struct kiln_expr *target = kiln_let_value(&p->sema, to), *body;
  if (copies && count->kind == KILN_EX_INT && count->value && count->value < KILN_MAX_OBJECT_SIZE) {
    uint64_t align = pointee_align(a) < pointee_align(b) ? pointee_align(a) : pointee_align(b);
    const struct kiln_ctype *block = block_type(p, count->value, align);
    body = kiln_sema_set(&p->sema, location, kiln_sema_deref(&p->sema, location, as_pointer_to(p, target, block)),
                         kiln_sema_deref(&p->sema, location, as_pointer_to(p, b, block)));
  } else {
    const char *name = fills ? "__kiln_memset" : copies ? "__kiln_memcpy" : "__kiln_memmove";
    body = memory_call(p, location, name, target, b, count);
  }
  if (kiln_is_error(body))
    return finish(p, location, open, NULL);
  struct kiln_expr *result = as_pointer_to(p, kiln_let_value(&p->sema, to), kiln_ctype_scalar(KILN_CT_VOID));
  return finish(p, location, open, kiln_let(&p->sema, to, a, kiln_sema_comma(&p->sema, location, body, result)));
}

struct kiln_expr *kiln_parse_special(struct kiln_parser *p) {
  static struct kiln_expr *(*const forms[])(struct kiln_parser * p) = {
#define KILN_FORM(name, function) function,
#include "jit/lang/ast/forms.def"
  };
  unsigned form = kiln_builtin_form(p->tok.name->text);
  return form && kiln_parse_next_is(p, KILN_TOKEN_LPAREN) ? forms[form - 1](p) : NULL;
}

// ---- _Generic -------------------------------------------------------------------------------------------------------

struct kiln_expr *kiln_parse_generic(struct kiln_parser *p) {
  kiln_location location = p->tok.location;
  kiln_parse_advance(p);
  kiln_location open = p->tok.location, location_of_default = 0;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after '_Generic'", 0))
    return kiln_expr_error(&p->sema, location, p->last_end);
  p->sema.unevaluated++;
  struct kiln_expr *control = kiln_sema_value(&p->sema, kiln_parse_assignment(p)), *chosen = NULL, *otherwise = NULL;
  p->sema.unevaluated--;
  bool ok = !kiln_is_error(control);
  while (ok && kiln_parse_accept(p, KILN_TOKEN_COMMA)) {
    kiln_location at = p->tok.location;
    bool is_default = kiln_parse_accept(p, KILN_TOKEN_KW_DEFAULT);
    bool match = !is_default && kiln_same_type(kiln_parse_type_name(p).type, control->type.type);
    if ((is_default && location_of_default) || (match && chosen)) {
      kiln_sema_error(&p->sema, at, 0, "%s in generic association list",
                      is_default ? "duplicate default" : "duplicate type");
      ok = false;
    }
    ok &= kiln_parse_expect(p, KILN_TOKEN_COLON, "", 0);
    struct kiln_expr *e = match || is_default ? kiln_parse_assignment(p) : parse_unevaluated(p);
    if (match)
      chosen = e;
    if (is_default) {
      otherwise = e;
      location_of_default = at;
    }
  }
  if (ok && !chosen && !otherwise) {
    kiln_sema_error(&p->sema, location, p->last_end,
                    "controlling expression type '%s' not compatible with any generic association type",
                    kiln_sema_type_text(&p->sema, control->type.type));
    ok = false;
  }
  return finish(p, location, open, !ok ? NULL : chosen ? chosen : otherwise);
}

// ---- statement expressions ------------------------------------------------------------------------------------------

struct kiln_expr *kiln_parse_statement_expression(struct kiln_parser *p, kiln_location location) {
  const struct kiln_ctype *nothing = kiln_ctype_scalar(KILN_CT_VOID);
  if (!p->sema.fn) {
    kiln_sema_error(&p->sema, location, 0, "statement expression not allowed at file scope");
    kiln_parse_advance(p);
    kiln_parse_skip_block(p);
    kiln_parse_accept(p, KILN_TOKEN_RPAREN);
    return kiln_expr_error(&p->sema, location, location);
  }
  struct kiln_stmt *body = kiln_parse_inner_block(p);
  struct kiln_stmt *last = body->stmt_count ? body->stmts[body->stmt_count - 1] : NULL;
  struct kiln_expr *value = NULL;
  bool labelled = last && last->kind == KILN_ST_LABEL;
  while (last && last->kind == KILN_ST_LABEL)
    last = last->body;
  if (last && last->kind == KILN_ST_EXPR && last->expr && last->expr->type.type != nothing) {
    value = last->expr;
    last->expr = NULL; // labels before it stay
    body->stmt_count -= !labelled;
  }
  struct kiln_expr *e =
      kiln_expr_new(&p->sema, KILN_EX_STATEMENTS, kiln_plain(value ? value->type.type : nothing), location, 0);
  e->body = body;
  e->right = value;
  e = finish(p, location, location, e);
  e->end = p->last_end;
  return e;
}
