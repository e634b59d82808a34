// Declaration specifiers and attributes.
#include "jit/lang/parse/parse.h"

// ---- what starts a type ---------------------------------------------------------------------------------------------

bool kiln_parse_space(enum kiln_token_kind kind, uint8_t *space) {
  static const uint8_t spaces[KILN_TOKEN_KIND_COUNT] = {
      [KILN_TOKEN_KW_GLOBAL] = KILN_GLOBAL,     [KILN_TOKEN_KW_GLOBAL_] = KILN_GLOBAL,
      [KILN_TOKEN_KW_LOCAL] = KILN_LOCAL,       [KILN_TOKEN_KW_LOCAL_] = KILN_LOCAL,
      [KILN_TOKEN_KW_CONSTANT] = KILN_CONSTANT, [KILN_TOKEN_KW_CONSTANT_] = KILN_CONSTANT,
      [KILN_TOKEN_KW_PRIVATE] = KILN_PRIVATE,   [KILN_TOKEN_KW_PRIVATE_] = KILN_PRIVATE,
      [KILN_TOKEN_KW_GENERIC] = KILN_GENERIC,   [KILN_TOKEN_KW_GENERIC_] = KILN_GENERIC,
  };
  if (kind < KILN_TOKEN_KW_GLOBAL || kind > KILN_TOKEN_KW_GENERIC_)
    return false;
  *space = spaces[kind];
  return true;
}

static uint8_t qualifier_of(enum kiln_token_kind kind) {
  if (kind == KILN_TOKEN_KW_CONST || kind == KILN_TOKEN_KW_CONST_ || kind == KILN_TOKEN_KW_CONST__)
    return KILN_QUAL_CONST;
  if (kind == KILN_TOKEN_KW_VOLATILE || kind == KILN_TOKEN_KW_VOLATILE_ || kind == KILN_TOKEN_KW_VOLATILE__)
    return KILN_QUAL_VOLATILE;
  if (kind == KILN_TOKEN_KW_RESTRICT || kind == KILN_TOKEN_KW_RESTRICT_ || kind == KILN_TOKEN_KW_RESTRICT__)
    return KILN_QUAL_RESTRICT;
  return 0;
}

static void warn_duplicate(struct kiln_parser *p) {
  kiln_sema_warning(&p->sema, KILN_W_DUPLICATE_DECL_SPECIFIER, p->tok.location, kiln_sema_token_end(&p->tok),
                    "duplicate '%s' declaration specifier", kiln_token_kind_text((enum kiln_token_kind)p->tok.kind));
}

uint8_t kiln_parse_quals(struct kiln_parser *p) {
  uint8_t quals = 0, one;
  while ((one = qualifier_of(p->tok.kind))) {
    if (quals & one)
      warn_duplicate(p);
    quals |= one;
    kiln_parse_advance(p);
  }
  return quals;
}

// What a keyword says in a declaration.
enum spec_class {
  SPEC_NONE,
  SPEC_BASE, // a type word
  SPEC_QUALIFIER,
  SPEC_SPACE,
  SPEC_STORAGE,
  SPEC_FUNCTION, // inline, kernel
  SPEC_ACCESS,   // of images
  SPEC_TAG,      // struct, union, enum
  SPEC_TYPEOF,
  SPEC_AUTO_TYPE,
  SPEC_ALIGNAS,
};

static enum spec_class class_of(enum kiln_token_kind kind) {
  static const uint8_t classes[KILN_TOKEN_KIND_COUNT] = {
#define KILN_KEYWORD(NAME, text, role) [KILN_TOKEN_KW_##NAME] = SPEC_##role,
#include "jit/lang/lex/tokens.def"
  };
  return (enum spec_class)classes[kind];
}

static const struct kiln_symbol *type_symbol(struct kiln_parser *p, const struct kiln_token *tok) {
  if (tok->kind != KILN_TOKEN_IDENTIFIER)
    return NULL;
  const struct kiln_symbol *symbol = kiln_scope_find(&p->sema, tok->name);
  return symbol && kiln_names_type(symbol) ? symbol : NULL;
}

bool kiln_parse_is_type(struct kiln_parser *p, const struct kiln_token *tok) {
  return class_of(tok->kind) != SPEC_NONE || type_symbol(p, tok) != NULL || kiln_is_foreign_specifier(p, tok);
}

// ---- attributes -----------------------------------------------------------------------------------------------------

enum attribute {
  ATTR_ALIGNED,
  ATTR_PACKED,
  ATTR_ALWAYS_INLINE,
  ATTR_NOINLINE,
  ATTR_OVERLOADABLE,
  ATTR_REQD_GROUP,
  ATTR_GROUP_HINT,
  ATTR_SUB_GROUP_SIZE,
  ATTR_VEC_TYPE_HINT,
  ATTR_UNROLL,
  ATTR_UNUSED,
  ATTR_LANES,        // ext_vector_type
  ATTR_VECTOR_BYTES, // vector_size
  ATTR_IGNORED,      // known, without effect on the result
  ATTR_UNSUPPORTED,  // would change the meaning
};

static const struct {
  const char *name;
  enum attribute attribute;
} attributes[] = {
#define KILN_ATTRIBUTE(name, KIND, asked) {name, ATTR_##KIND},
#include "jit/lang/ast/attributes.def"
};

static bool find_attribute(const struct kiln_token *tok, enum attribute *out) {
  const char *text = tok->data;
  size_t size = tok->size;
  if (size > 4 && memcmp(text, "__", 2) == 0 && memcmp(text + size - 2, "__", 2) == 0) {
    text += 2;
    size -= 4;
  }
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (strlen(attributes[i].name) == size && memcmp(attributes[i].name, text, size) == 0) {
      *out = attributes[i].attribute;
      return true;
    }
  }
  return false;
}

static void parse_aligned(struct kiln_parser *p, struct kiln_attrs *attrs) {
  uint32_t align = 16;
  if (kiln_parse_accept(p, KILN_TOKEN_LPAREN)) {
    kiln_location location = p->tok.location;
    int64_t value;
    if (kiln_parse_constant(p, "'aligned' attribute requires integer constant", &value, NULL)) {
      if (value <= 0 || (value & (value - 1)))
        kiln_sema_error(&p->sema, location, p->last_end, "requested alignment is not a power of 2");
      else if (value > 1 << 16)
        kiln_sema_error(&p->sema, location, p->last_end, "requested alignment must be 65536 bytes or smaller");
      else
        align = (uint32_t)value;
    }
    kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", 0);
  }
  if (align > attrs->align)
    attrs->align = align;
}

static void parse_group_size(struct kiln_parser *p, const char *name, uint32_t *out) {
  kiln_location open = p->tok.location;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "", 0))
    return;
  for (unsigned i = 0; i < 3; i++) {
    kiln_location location = p->tok.location;
    int64_t value = 0;
    if (!kiln_parse_constant(p, "attribute requires an integer constant", &value, NULL))
      break;
    if (value <= 0 || value > INT32_MAX)
      kiln_sema_error(&p->sema, location, p->last_end, "'%s' attribute must be greater than 0", name);
    else
      out[i] = (uint32_t)value;
    if (i < 2 && !kiln_parse_accept(p, KILN_TOKEN_COMMA)) {
      kiln_sema_error(&p->sema, p->tok.location, 0, "'%s' attribute requires exactly 3 arguments", name);
      break;
    }
  }
  kiln_parse_close(p, KILN_TOKEN_RPAREN, open);
}

// intel_reqd_sub_group_size(size): the target has one size, which is that of its warps.
static void parse_sub_group_size(struct kiln_parser *p, const char *name, uint32_t *out) {
  uint32_t known = p->sema.lang->options->sub_group_size;
  kiln_location open = p->tok.location, location;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "", 0))
    return;
  location = p->tok.location;
  int64_t value = 0;
  if (kiln_parse_constant(p, "attribute requires an integer constant", &value, NULL)) {
    if (value <= 0)
      kiln_sema_error(&p->sema, location, p->last_end, "'%s' attribute must be greater than 0", name);
    else if (known && value != known)
      kiln_sema_error(&p->sema, location, p->last_end,
                      "'%s' asks for sub-groups of %lld work-items; the target has sub-groups of %u", name,
                      (long long)value, (unsigned)known);
    else
      *out = (uint32_t)value;
  }
  kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
}

static void skip_arguments(struct kiln_parser *p) {
  if (!kiln_parse_accept(p, KILN_TOKEN_LPAREN))
    return;
  kiln_parse_skip_past(p, KILN_TOKEN_RPAREN);
}

static void parse_unroll(struct kiln_parser *p, struct kiln_attrs *attrs) {
  attrs->unroll = UINT32_MAX;
  kiln_location location = p->tok.location;
  if (!kiln_parse_accept(p, KILN_TOKEN_LPAREN))
    return;
  int64_t value = 1;
  if (p->tok.kind != KILN_TOKEN_RPAREN &&
      kiln_parse_constant(p, "attribute requires an integer constant", &value, NULL))
    attrs->unroll = value > 0 && value < UINT32_MAX ? (uint32_t)value : 0;
  if (!attrs->unroll)
    kiln_sema_error(&p->sema, location, 0,
                    "'opencl_unroll_hint' attribute requires a positive integral compile time constant "
                    "expression");
  kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", 0);
}

// ext_vector_type(lanes), vector_size(bytes)
static void parse_vector_attribute(struct kiln_parser *p, const char *name, uint32_t *out) {
  kiln_location open = p->tok.location, location;
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "", 0))
    return;
  location = p->tok.location;
  int64_t value = 0;
  if (kiln_parse_constant(p, "attribute requires an integer constant", &value, NULL)) {
    if (value <= 0 || value > 128)
      kiln_sema_error(&p->sema, location, p->last_end, "'%s' attribute makes no vector of 2, 3, 4, 8 or 16 elements",
                      name);
    else
      *out = (uint32_t)value;
  }
  kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
}

struct kiln_qtype kiln_parse_vector_type(struct kiln_parser *p, const struct kiln_attrs *attrs, struct kiln_qtype type,
                                         kiln_location location, kiln_location end) {
  const struct kiln_ctype *t = type.type;
  if ((!attrs->lanes && !attrs->vector_bytes) || t->kind == KILN_CT_ERROR)
    return type;
  uint32_t lanes = attrs->lanes;
  if (!lanes && t->size)
    lanes = attrs->vector_bytes % t->size ? 0 : attrs->vector_bytes / (uint32_t)t->size;
  if (!kiln_ctype_is_scalar_number(t) || t->kind == KILN_CT_BOOL || t->kind == KILN_CT_ENUM) {
    kiln_sema_error(&p->sema, location, end, "invalid vector element type '%s'", kiln_sema_type_text(&p->sema, t));
    type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  } else if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16) {
    kiln_sema_error(&p->sema, location, end, "'%s' attribute makes no vector of 2, 3, 4, 8 or 16 elements",
                    attrs->lanes ? "ext_vector_type" : "vector_size");
    type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  } else {
    type.type = kiln_ctype_vector(t, lanes);
  }
  return type;
}

static void parse_attribute(struct kiln_parser *p, struct kiln_attrs *attrs) {
  struct kiln_token name = p->tok;
  enum attribute attribute;
  const char *text = kiln_arena_strndup(p->sema.arena, name.data, name.size);
  kiln_parse_advance(p);
  if (!find_attribute(&name, &attribute)) {
    kiln_sema_warning(&p->sema, KILN_W_UNKNOWN_ATTRIBUTES, name.location, kiln_sema_token_end(&name),
                      "unknown attribute '%s' ignored", text);
    skip_arguments(p);
    return;
  }
  switch (attribute) {
  case ATTR_ALIGNED:
    parse_aligned(p, attrs);
    break;
  case ATTR_PACKED:
    attrs->packed = true;
    break;
  case ATTR_ALWAYS_INLINE:
    attrs->always_inline = true;
    break;
  case ATTR_NOINLINE:
    attrs->noinline = true;
    break;
  case ATTR_OVERLOADABLE:
    attrs->overloadable = true;
    break;
  case ATTR_REQD_GROUP:
    parse_group_size(p, text, attrs->required_group_size);
    break;
  case ATTR_GROUP_HINT:
    parse_group_size(p, text, attrs->group_size_hint);
    break;
  case ATTR_SUB_GROUP_SIZE:
    parse_sub_group_size(p, text, &attrs->required_sub_group_size);
    break;
  case ATTR_VEC_TYPE_HINT:
    attrs->has_vec_type_hint = true;
    if (kiln_parse_accept(p, KILN_TOKEN_LPAREN)) {
      const struct kiln_ctype *type = kiln_parse_type_name(p).type;
      if (type->kind == KILN_CT_ERROR)
        kiln_parse_skip_to(p, KILN_TOKEN_RPAREN);
      kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", 0);
      if (type->kind == KILN_CT_ERROR)
        ; // told
      else if (type->kind == KILN_CT_BOOL || (type->kind != KILN_CT_VECTOR && !kiln_ctype_is_scalar_number(type)))
        kiln_parse_error(p, &name,
                         "a non-vector or non-vectorizable scalar type is an invalid argument to attribute '%s'", text);
      else
        attrs->vec_type_hint = type;
    }
    break;
  case ATTR_UNROLL:
    parse_unroll(p, attrs);
    break;
  case ATTR_UNUSED:
    attrs->unused = true;
    break;
  case ATTR_LANES:
    parse_vector_attribute(p, text, &attrs->lanes);
    break;
  case ATTR_VECTOR_BYTES:
    parse_vector_attribute(p, text, &attrs->vector_bytes);
    break;
  case ATTR_UNSUPPORTED:
    kiln_parse_error(p, &name, "attribute '%s' is not supported", text);
    skip_arguments(p);
    break;
  case ATTR_IGNORED:
    skip_arguments(p);
    break;
  }
}

void kiln_parse_attributes(struct kiln_parser *p, struct kiln_attrs *attrs) {
  while (kiln_at_attribute(p)) {
    kiln_parse_advance(p);
    kiln_location open = p->tok.location;
    if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after attribute", 0) ||
        !kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after attribute", 0))
      return;
    while (p->tok.kind != KILN_TOKEN_RPAREN && p->tok.kind != KILN_TOKEN_END) {
      if (kiln_parse_accept(p, KILN_TOKEN_COMMA))
        continue;
      if (!p->tok.name) {
        kiln_parse_error(p, &p->tok, "expected attribute name");
        kiln_parse_skip_to(p, KILN_TOKEN_RPAREN);
        break;
      }
      parse_attribute(p, attrs);
    }
    if (!kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open) || !kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open))
      return;
  }
}

// ---- specifiers -----------------------------------------------------------------------------------------------------

struct base_words { // how often each type word was written
  uint8_t sign;     // 0, 1 signed, 2 unsigned
  uint8_t shorts, longs, ints;
  enum kiln_ctype_kind kind; // of char, float, …
  bool has_kind;
  const char *last; // the last one
};

// previous: a word; NULL: the name of a type.
static void complain_combination(struct kiln_parser *p, const char *previous) {
  kiln_parse_error(p, &p->tok, "cannot combine with previous '%s' declaration specifier",
                   previous ? previous : "type-name");
}

static void add_base_word(struct kiln_parser *p, struct base_words *words) {
  static const struct {
    uint8_t token, kind;
  } plain[] = {
      {KILN_TOKEN_KW_VOID, KILN_CT_VOID},   {KILN_TOKEN_KW_CHAR, KILN_CT_CHAR},
      {KILN_TOKEN_KW_FLOAT, KILN_CT_FLOAT}, {KILN_TOKEN_KW_DOUBLE, KILN_CT_DOUBLE},
      {KILN_TOKEN_KW_HALF, KILN_CT_HALF},   {KILN_TOKEN_KW_BFLOAT, KILN_CT_BFLOAT},
      {KILN_TOKEN_KW_BOOL, KILN_CT_BOOL},   {KILN_TOKEN_KW_UNDERSCORE_BOOL, KILN_CT_BOOL},
  };
  enum kiln_token_kind kind = p->tok.kind;
  bool is_int = words->ints || words->shorts || words->longs;
  if (kind == KILN_TOKEN_KW_SIGNED || kind == KILN_TOKEN_KW_UNSIGNED || kind == KILN_TOKEN_KW_SIGNED_ ||
      kind == KILN_TOKEN_KW_SIGNED__) {
    uint8_t sign = kind == KILN_TOKEN_KW_UNSIGNED ? 2 : 1;
    if ((words->sign && words->sign != sign) || (words->has_kind && words->kind != KILN_CT_CHAR))
      complain_combination(p, words->last);
    else if (words->sign == sign)
      warn_duplicate(p);
    words->sign = sign;
  } else if (kind == KILN_TOKEN_KW_SHORT || kind == KILN_TOKEN_KW_LONG || kind == KILN_TOKEN_KW_INT) {
    uint8_t *count = kind == KILN_TOKEN_KW_SHORT  ? &words->shorts
                     : kind == KILN_TOKEN_KW_LONG ? &words->longs
                                                  : &words->ints;
    bool clash = (kind == KILN_TOKEN_KW_SHORT && words->longs) || (kind == KILN_TOKEN_KW_LONG && words->shorts);
    if (kind == KILN_TOKEN_KW_SHORT && *count && !words->has_kind)
      warn_duplicate(p);
    else if (clash || words->has_kind || *count >= (kind == KILN_TOKEN_KW_LONG ? 2 : 1))
      complain_combination(p, words->last);
    else
      ++*count;
  } else {
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
      if (plain[i].token != kind)
        continue;
      if (words->has_kind || is_int || (words->sign && kind != KILN_TOKEN_KW_CHAR))
        complain_combination(p, words->last);
      words->kind = (enum kiln_ctype_kind)plain[i].kind;
      words->has_kind = true;
    }
  }
  words->last = kiln_token_kind_text((enum kiln_token_kind)p->tok.kind);
  kiln_parse_advance(p);
}

static enum kiln_ctype_kind base_kind(const struct base_words *words) {
  bool is_unsigned = words->sign == 2;
  if (words->has_kind)
    return words->kind == KILN_CT_CHAR && is_unsigned ? KILN_CT_UCHAR : words->kind;
  if (words->shorts)
    return is_unsigned ? KILN_CT_USHORT : KILN_CT_SHORT;
  if (words->longs)
    return is_unsigned ? KILN_CT_ULONG : KILN_CT_LONG;
  return is_unsigned ? KILN_CT_UINT : KILN_CT_INT;
}

static void add_storage(struct kiln_parser *p, struct kiln_specs *specs) {
  enum kiln_storage storage = p->tok.kind == KILN_TOKEN_KW_TYPEDEF  ? KILN_STORAGE_TYPEDEF
                              : p->tok.kind == KILN_TOKEN_KW_EXTERN ? KILN_STORAGE_EXTERN
                              : p->tok.kind == KILN_TOKEN_KW_STATIC ? KILN_STORAGE_STATIC
                                                                    : KILN_STORAGE_NONE;
  if (storage == KILN_STORAGE_NONE) {
    kiln_parse_error(p, &p->tok, "OpenCL C version %u.%u does not support the '%s' storage class specifier",
                     p->sema.std / 100, p->sema.std / 10 % 10, kiln_token_kind_text((enum kiln_token_kind)p->tok.kind));
  } else if (specs->storage != KILN_STORAGE_NONE && specs->storage != storage) {
    static const char *const names[] = {"", "typedef", "extern", "static"};
    complain_combination(p, names[specs->storage]);
  } else {
    specs->storage = storage;
    specs->storage_location = p->tok.location;
  }
  kiln_parse_advance(p);
}

static void add_space(struct kiln_parser *p, struct kiln_specs *specs) {
  uint8_t space = KILN_PRIVATE;
  kiln_parse_space(p->tok.kind, &space);
  if (space == KILN_GENERIC && p->sema.std < 200 && !p->sema.in_library)
    kiln_parse_error(p, &p->tok, "OpenCL C version %u.%u does not support the 'generic' type qualifier",
                     p->sema.std / 100, p->sema.std / 10 % 10);
  else if (specs->type.space != KILN_SPACE_NONE && specs->type.space != space)
    kiln_parse_error(p, &p->tok, "multiple address spaces specified for type");
  specs->type.space = space;
  specs->space_location = p->tok.location;
  kiln_parse_advance(p);
}

static void add_type(struct kiln_parser *p, struct kiln_specs *specs, struct kiln_qtype type) {
  specs->type.type = type.type;
  specs->type.quals |= type.quals;
  if (type.space && specs->type.space == KILN_SPACE_NONE)
    specs->type.space = type.space;
  else if (type.space && specs->type.space != type.space)
    kiln_parse_error(p, &p->tok, "multiple address spaces specified for type");
}

// Where there are no images, what the word is about is refused by its type.
static void add_access(struct kiln_parser *p, struct kiln_specs *specs) {
  enum kiln_token_kind kind = p->tok.kind;
  enum kiln_access access = kind == KILN_TOKEN_KW_READ_ONLY || kind == KILN_TOKEN_KW_READ_ONLY_ ? KILN_ACCESS_READ
                            : kind == KILN_TOKEN_KW_WRITE_ONLY || kind == KILN_TOKEN_KW_WRITE_ONLY_
                                ? KILN_ACCESS_WRITE
                                : KILN_ACCESS_READ_WRITE;
  if (!p->sema.lang->options->images)
    access = KILN_ACCESS_NONE;
  else if (specs->access == access)
    warn_duplicate(p);
  else if (specs->access)
    kiln_parse_error(p, &p->tok, "multiple access qualifiers");
  specs->access = access;
  specs->access_location = p->tok.location;
  kiln_parse_advance(p);
}

// Gives an image the access that is written, if one is. by_name: the type is that of a typedef, which has its own.
static void apply_access(struct kiln_parser *p, struct kiln_specs *specs, bool by_name) {
  const struct kiln_ctype *type = specs->type.type;
  if (!specs->access || !type || type->kind == KILN_CT_ERROR)
    return;
  if (type->kind != KILN_CT_IMAGE)
    kiln_sema_error(&p->sema, specs->access_location, 0, "access qualifier can only be used for image types");
  else if (by_name && type->access != specs->access)
    kiln_sema_error(&p->sema, specs->access_location, 0, "multiple access qualifiers: the type is '%s'",
                    kiln_sema_type_text(&p->sema, type));
  else if (specs->access == KILN_ACCESS_READ_WRITE && p->sema.std < 200)
    kiln_sema_error(&p->sema, specs->access_location, 0,
                    "OpenCL C version %u.%u does not support the 'read_write' access qualifier", p->sema.std / 100,
                    p->sema.std / 10 % 10);
  else
    specs->type.type = kiln_ctype_image((enum kiln_image_dimension)type->dimension, specs->access);
}

// _Alignas(type) or _Alignas(constant)
static void parse_alignas(struct kiln_parser *p, struct kiln_attrs *attrs) {
  kiln_parse_advance(p);
  if (p->tok.kind != KILN_TOKEN_LPAREN || !kiln_parse_is_type(p, kiln_parse_peek(p, 1))) {
    parse_aligned(p, attrs);
    return;
  }
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  uint32_t align = kiln_parse_type_name(p).type->align;
  kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
  if (align > attrs->align)
    attrs->align = align;
}

static struct kiln_qtype parse_typeof(struct kiln_parser *p) {
  kiln_parse_advance(p);
  kiln_location open = p->tok.location;
  struct kiln_qtype type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  if (!kiln_parse_expect(p, KILN_TOKEN_LPAREN, "after 'typeof'", 0))
    return type;
  if (!kiln_parse_enter(p))
    return type;
  if (kiln_parse_is_type(p, &p->tok)) {
    type = kiln_parse_type_name(p);
  } else {
    p->sema.unevaluated++;
    type = kiln_parse_expression(p)->type;
    p->sema.unevaluated--;
    type.space = 0; // of the object, not of the type
  }
  kiln_parse_leave(p);
  kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
  return type;
}

// After the body of a struct, union or enum: whether what follows cannot belong to it, so that a ";" is missing.
static bool misses_semicolon(struct kiln_parser *p) {
  enum spec_class class = class_of(p->tok.kind);
  if (!p->tok.at_line_start || p->ahead_count > 1)
    return false;
  if (class == SPEC_BASE || class == SPEC_TAG || p->tok.kind == KILN_TOKEN_KW_KERNEL ||
      p->tok.kind == KILN_TOKEN_KW_KERNEL_)
    return true;
  return type_symbol(p, &p->tok) && kiln_parse_next_is(p, KILN_TOKEN_IDENTIFIER);
}

// Complains and goes on as if it were there.
static void insert_semicolon(struct kiln_parser *p, const char *after) {
  kiln_sema_error(&p->sema, p->last_end, 0, "expected ';' after %s", after);
  p->ahead[1] = p->ahead[0];
  p->ahead[0] = p->tok;
  p->ahead_count++;
  p->tok = (struct kiln_token){.kind = KILN_TOKEN_SEMICOLON, .location = p->last_end, .data = ";"};
}

static void add_tag(struct kiln_parser *p, struct kiln_specs *specs) {
  const char *word = kiln_token_kind_text((enum kiln_token_kind)p->tok.kind);
  bool has_body = kiln_parse_peek(p, 1)->kind == KILN_TOKEN_LBRACE ||
                  (p->ahead[0].kind == KILN_TOKEN_IDENTIFIER && kiln_parse_peek(p, 2)->kind == KILN_TOKEN_LBRACE);
  specs->declares_tag = true;
  if (p->tok.kind == KILN_TOKEN_KW_ENUM)
    add_type(p, specs, kiln_plain(kiln_parse_enum(p)));
  else
    add_type(p, specs, kiln_plain(kiln_parse_record(p)));
  if (has_body && !p->sema.fn)
    kiln_sema_tell_unkept(&p->sema);
  if (has_body && !p->sema.stop && misses_semicolon(p))
    insert_semicolon(p, word);
}

// Stands for a type until the initialiser is known: kiln_parse_declare.
static void add_auto_type(struct kiln_parser *p, struct kiln_specs *specs) {
  specs->is_auto = true;
  specs->type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  kiln_parse_advance(p);
}

static void add_named_type(struct kiln_parser *p, struct kiln_specs *specs, const struct kiln_symbol *symbol) {
  if (symbol->kind == KILN_SYMBOL_TYPE) {
    static const char *const names[] = {"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"};
    add_type(p, specs, kiln_plain(symbol->type));
    for (unsigned i = 0; i < sizeof names / sizeof *names && symbol->name->size >= 6; i++)
      if (strcmp(symbol->name->text, names[i]) == 0)
        specs->host_name = names[i];
  } else {
    add_type(p, specs, symbol->decl->type);
    specs->host_name = symbol->decl->host_name;
    if (symbol->decl->align > specs->attrs.align)
      specs->attrs.align = symbol->decl->align;
  }
}

// An identifier stands where a type is needed. Complains and takes it for one when it looks like a type.
static void unknown_type(struct kiln_parser *p, struct kiln_specs *specs, bool any) {
  struct kiln_token tok = p->tok;
  enum kiln_token_kind next = (enum kiln_token_kind)kiln_parse_peek(p, 1)->kind;
  const struct kiln_ctype *error = kiln_ctype_scalar(KILN_CT_ERROR);
  const char *near;
  bool missing = kiln_parse_not_supported(p, &tok, true) || kiln_parse_foreign(p, &tok);
  if (next == KILN_TOKEN_IDENTIFIER || next == KILN_TOKEN_STAR || !any || missing) {
    if (missing)
      ; // told
    else if ((near = kiln_scope_nearest(&p->sema, tok.name->text, true)))
      kiln_parse_error(p, &tok, "unknown type name '%s'; did you mean '%s'?", tok.name->text, near);
    else
      kiln_parse_error(p, &tok, "unknown type name '%s'", tok.name->text);
    if (next == KILN_TOKEN_IDENTIFIER || next == KILN_TOKEN_STAR || missing)
      kiln_parse_advance(p);
    if (missing && class_of(p->tok.kind) == SPEC_BASE) { // of what a pipe is
      struct kiln_specs rest;
      kiln_parse_specs(p, &rest);
    }
    specs->type.type = error;
    return;
  }
  kiln_parse_error(p, &tok, "type specifier missing, and there is no implicit 'int'");
  specs->type.type = error;
}

// No type was read; any: but something else of a declaration.
static void lack_type(struct kiln_parser *p, struct kiln_specs *specs, bool any) {
  if (p->tok.kind == KILN_TOKEN_IDENTIFIER) {
    unknown_type(p, specs, any);
  } else if (any) {
    kiln_parse_error(p, &p->tok, "expected a type");
    specs->type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  }
}

static void check_supported(struct kiln_parser *p, struct kiln_specs *specs) {
  const struct kiln_ctype *type = specs->type.type;
  if (type && type->kind == KILN_CT_ATOMIC && type->size == 8 && !p->sema.lang->options->int64_atomics &&
      !p->sema.in_library) {
    kiln_sema_error(&p->sema, specs->location, specs->end,
                    "use of type '%s' requires cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support",
                    kiln_sema_type_text(&p->sema, type));
    specs->type.type = kiln_ctype_scalar(KILN_CT_ERROR);
    return;
  }
  if (type && type->kind == KILN_CT_ATOMIC)
    type = type->base.type;
  if (type && kiln_ctype_element(type)->kind == KILN_CT_DOUBLE && !p->sema.lang->options->fp64 && !p->sema.in_library) {
    kiln_sema_error(&p->sema, specs->location, specs->end, "use of type 'double' requires cl_khr_fp64 support");
    specs->type.type = kiln_ctype_scalar(KILN_CT_ERROR);
  }
}

static void check_restrict(struct kiln_parser *p, const struct kiln_ctype *type, kiln_location location) {
  if (type && type->kind != KILN_CT_POINTER && type->kind != KILN_CT_ERROR)
    kiln_sema_error(&p->sema, location, 0, "restrict requires a pointer or reference ('%s' is invalid)",
                    kiln_sema_type_text(&p->sema, type));
}

// After a type, "kernel", "global" and the like may be meant as a name.
static void note_word(const struct kiln_parser *p, struct kiln_specs *specs, enum spec_class class) {
  const char *text = kiln_token_kind_text((enum kiln_token_kind)p->tok.kind);
  if ((class != SPEC_SPACE && class != SPEC_ACCESS && p->tok.kind != KILN_TOKEN_KW_KERNEL) || text[0] == '_')
    return;
  specs->word = text;
  specs->word_location = p->tok.location;
}

void kiln_parse_specs(struct kiln_parser *p, struct kiln_specs *specs) {
  *specs = (struct kiln_specs){.type.space = KILN_SPACE_NONE, .location = p->tok.location};
  if (p->leading_attrs)
    specs->attrs = *p->leading_attrs;
  p->leading_attrs = NULL;
  struct base_words words = {0};
  bool has_words = false, any = false, by_name = false;
  uint8_t written_quals = 0;    // others come with the names of types
  const char *type_word = NULL; // struct, union, enum, …: of the type that is not made of words
  kiln_location restrict_location = 0;
  for (;; any = true) {
    const struct kiln_symbol *symbol;
    enum spec_class class = class_of(p->tok.kind);
    if (has_words || specs->type.type)
      note_word(p, specs, class);
    if (class == SPEC_BASE) {
      if (specs->type.type)
        complain_combination(p, type_word);
      has_words = true;
      add_base_word(p, &words);
    } else if (class == SPEC_QUALIFIER) {
      uint8_t qualifier = qualifier_of(p->tok.kind);
      if (written_quals & qualifier)
        warn_duplicate(p);
      written_quals |= qualifier;
      specs->type.quals |= qualifier;
      if (qualifier == KILN_QUAL_RESTRICT)
        restrict_location = p->tok.location;
      kiln_parse_advance(p);
    } else if (class == SPEC_SPACE) {
      add_space(p, specs);
    } else if (class == SPEC_STORAGE) {
      add_storage(p, specs);
    } else if (class == SPEC_FUNCTION) {
      bool is_kernel = p->tok.kind == KILN_TOKEN_KW_KERNEL || p->tok.kind == KILN_TOKEN_KW_KERNEL_;
      specs->is_kernel |= is_kernel;
      specs->is_inline |= !is_kernel && p->tok.kind != KILN_TOKEN_KW_NORETURN;
      if (is_kernel)
        specs->kernel_location = p->tok.location;
      kiln_parse_advance(p);
    } else if (class == SPEC_ACCESS) {
      add_access(p, specs);
    } else if (class == SPEC_TAG || class == SPEC_TYPEOF || class == SPEC_AUTO_TYPE) {
      if (has_words || specs->type.type)
        complain_combination(p, has_words ? words.last : type_word);
      type_word = kiln_token_kind_text((enum kiln_token_kind)p->tok.kind);
      if (class == SPEC_TAG)
        add_tag(p, specs);
      else if (class == SPEC_TYPEOF)
        add_type(p, specs, parse_typeof(p));
      else
        add_auto_type(p, specs);
    } else if (class == SPEC_ALIGNAS) {
      parse_alignas(p, &specs->attrs);
    } else if (kiln_at_attribute(p)) {
      kiln_parse_attributes(p, &specs->attrs);
    } else if (!has_words && !specs->type.type && (symbol = type_symbol(p, &p->tok))) {
      add_named_type(p, specs, symbol);
      by_name = symbol->kind == KILN_SYMBOL_DECL;
      kiln_parse_advance(p);
    } else if (kiln_is_foreign_specifier(p, &p->tok)) {
      kiln_parse_foreign_specifier(p);
    } else {
      break;
    }
  }
  specs->end = p->last_end;
  if (has_words && !specs->type.type)
    specs->type.type = kiln_ctype_scalar(base_kind(&words));
  else if (!specs->type.type)
    lack_type(p, specs, any);
  if (specs->type.type)
    specs->type = kiln_parse_vector_type(p, &specs->attrs, specs->type, specs->location, specs->end);
  apply_access(p, specs, by_name);
  check_supported(p, specs);
  if (restrict_location)
    check_restrict(p, specs->type.type, restrict_location);
  if (specs->type.type && specs->type.type->kind == KILN_CT_ARRAY) // of a typedef: its elements have them too
    specs->type = kiln_ctype_with_quals(p->sema.types, specs->type, specs->type.quals);
}
