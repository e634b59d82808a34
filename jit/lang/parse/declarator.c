// Declarators: pointers, arrays and functions around a name, also without one (type names, parameters).
//
// The steps of a declarator are collected from the name outwards on a stack, and the type is then built from the
// outermost step to the name.
#include "jit/lang/parse/parse.h"

static uint8_t default_pointee(const struct kiln_parser *p) {
  return p->sema.std >= 200 && p->sema.lang->options->generic_space && !p->sema.in_library ? KILN_GENERIC
                                                                                           : KILN_PRIVATE;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static void push_pointer(struct kiln_parser *p) {
  struct kiln_chunk chunk = {.kind = KILN_CHUNK_POINTER, .space = KILN_SPACE_NONE, .location = p->tok.location};
  kiln_parse_advance(p);
  for (;;) {
    uint8_t space;
    struct kiln_attrs ignored = {0};
    if (kiln_parse_space(p->tok.kind, &space)) {
      chunk.space = space;
      kiln_parse_advance(p);
    } else if (kiln_at_attribute(p)) {
      kiln_parse_attributes(p, &ignored);
    } else {
      uint8_t quals = kiln_parse_quals(p);
      if (!quals)
        break;
      chunk.quals |= quals;
    }
  }
  KILN_VEC_PUSH(p->sema.arena, &p->chunks, chunk);
}

static void push_array(struct kiln_parser *p) {
  struct kiln_chunk chunk = {.kind = KILN_CHUNK_ARRAY, .location = p->tok.location};
  kiln_parse_advance(p);
  while (p->tok.kind == KILN_TOKEN_KW_STATIC || kiln_parse_quals(p))
    kiln_parse_accept(p, KILN_TOKEN_KW_STATIC);
  if (p->tok.kind != KILN_TOKEN_RBRACKET) {
    kiln_location location = p->tok.location;
    struct kiln_expr *size = kiln_sema_value(&p->sema, kiln_parse_assignment(p));
    chunk.complete = true;
    chunk.count = 1;
    if (size->kind == KILN_EX_INT && kiln_ctype_is_integer(size->type.type)) {
      chunk.count = size->value;
      if (kiln_ctype_is_signed(size->type.type) && (int64_t)size->value < 0) {
        kiln_sema_error(&p->sema, location, p->last_end, "array has a negative size");
        chunk.count = 1;
      }
    } else if (!kiln_is_error(size)) {
      if (!kiln_ctype_is_integer(size->type.type))
        kiln_sema_error(&p->sema, location, p->last_end, "size of array has non-integer type '%s'",
                        kiln_sema_qtype_text(&p->sema, size->type));
      chunk.is_variable = true;
    }
    chunk.end = p->last_end;
  }
  kiln_parse_expect(p, KILN_TOKEN_RBRACKET, "", chunk.location);
  KILN_VEC_PUSH(p->sema.arena, &p->chunks, chunk);
}

static struct kiln_decl *new_param(struct kiln_parser *p, struct kiln_specs *specs, struct kiln_declarator *d,
                                   uint32_t index) {
  struct kiln_decl *param =
      kiln_decl_new(&p->sema, KILN_DECL_PARAM, d->name, d->type, d->name ? d->location : specs->location);
  param->host_name = d->type.type == specs->type.type ? specs->host_name : NULL;
  param->index = index;
  param->array = d->array;
  param->align = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align;
  struct kiln_qtype type = d->type;
  if (type.type->kind == KILN_CT_FUNCTION) {
    kiln_sema_error(&p->sema, param->location, d->end, "pointers to functions are not allowed");
    type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  } else if (type.type->kind == KILN_CT_VOID) {
    kiln_sema_error(&p->sema, param->location, d->end, "argument may not have 'void' type");
    type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  } else if (type.space != KILN_SPACE_NONE && type.space != KILN_PRIVATE && type.type->kind != KILN_CT_ERROR) {
    kiln_sema_error(&p->sema, param->location, d->end, "parameter may not be qualified with an address space");
  }
  if (specs->storage != KILN_STORAGE_NONE)
    kiln_sema_error(&p->sema, specs->storage_location, 0, "invalid storage class specifier in function declarator");
  type.space = KILN_PRIVATE;
  param->type = type;
  return param;
}

// ---- parameters that are declared after the parentheses ------------------------------------------------------------

static bool is_plain_name(struct kiln_parser *p, const struct kiln_token *tok) {
  return tok->kind == KILN_TOKEN_IDENTIFIER && !kiln_parse_is_type(p, tok);
}

// At the first token after "(": whether names without types follow. One alone may as well be a misspelt type: then the
// declaration after it decides.
static bool is_name_list(struct kiln_parser *p) {
  if (p->sema.in_library || p->sema.depth != p->sema.file_depth || !is_plain_name(p, &p->tok))
    return false;
  const struct kiln_token *next = kiln_parse_peek(p, 1), *after = kiln_parse_peek(p, 2);
  return next->kind == KILN_TOKEN_COMMA ? is_plain_name(p, after)
                                        : next->kind == KILN_TOKEN_RPAREN && kiln_parse_is_type(p, after);
}

static struct kiln_decl *find_param(struct kiln_decl *const *params, uint32_t count, const struct kiln_name *name) {
  for (uint32_t i = 0; i < count; i++)
    if (params[i]->name == name)
      return params[i];
  return NULL;
}

// "int a, *b;" after the parentheses: parameters by name.
static void read_param_declaration(struct kiln_parser *p, struct kiln_decl **params, uint32_t count) {
  struct kiln_specs specs;
  kiln_parse_specs(p, &specs);
  while (specs.type.type) {
    struct kiln_declarator d;
    kiln_parse_declarator(p, &specs, KILN_DECLARATOR_PARAM, &d);
    struct kiln_decl *param = find_param(params, count, d.name);
    if (!d.name)
      kiln_sema_error(&p->sema, d.location, d.end, "expected identifier or '('");
    else if (!param)
      kiln_sema_error(&p->sema, d.location, d.end, "parameter named '%s' is missing", d.name->text);
    else if (param->type.type)
      kiln_sema_error(&p->sema, d.location, d.end, "redefinition of parameter '%s'", d.name->text);
    else
      *param = *new_param(p, &specs, &d, param->index);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  if (kiln_parse_expect(p, KILN_TOKEN_SEMICOLON, "at end of declaration", 0))
    return;
  kiln_parse_skip_past(p, KILN_TOKEN_SEMICOLON);
}

// "f(a, b) int a, b; { … }": from the first name to the "{".
static void push_old_function(struct kiln_parser *p, kiln_location open) {
  struct kiln_chunk chunk = {.kind = KILN_CHUNK_FUNCTION, .location = open};
  KILN_VEC(struct kiln_decl *) params = {0};
  do {
    if (!is_plain_name(p, &p->tok)) {
      kiln_parse_error(p, &p->tok, "expected identifier");
      break;
    }
    struct kiln_decl *param = KILN_NEW(p->sema.arena, struct kiln_decl);
    param->name = p->tok.name;
    param->location = p->tok.location;
    param->index = params.count;
    if (find_param(params.items, params.count, param->name))
      kiln_sema_error(&p->sema, param->location, kiln_sema_token_end(&p->tok), "redefinition of parameter '%s'",
                      param->name->text);
    else
      KILN_VEC_PUSH(p->sema.arena, &params, param);
    kiln_parse_advance(p);
  } while (kiln_parse_accept(p, KILN_TOKEN_COMMA));
  kiln_parse_close(p, KILN_TOKEN_RPAREN, open);
  chunk.end = p->last_end;
  while (kiln_parse_is_type(p, &p->tok))
    read_param_declaration(p, params.items, params.count);
  bool defines = p->tok.kind == KILN_TOKEN_LBRACE;
  if (defines)
    kiln_sema_warning(&p->sema, KILN_W_DEPRECATED_NON_PROTOTYPE, open, 0,
                      "a function definition without a prototype is deprecated in all versions of C and is not "
                      "supported in C23");
  else
    kiln_sema_error(&p->sema, open, 0, "a parameter list without types is only allowed in a function definition");
  for (uint32_t i = 0; i < params.count; i++) {
    struct kiln_decl *param = params.items[i];
    if (param->type.type)
      continue;
    if (defines)
      kiln_sema_error(&p->sema, param->location,
                      param->location & KILN_LOCATION_MACRO ? 0 : param->location + param->name->size,
                      "parameter '%s' was not declared", param->name->text);
    param->kind = KILN_DECL_PARAM;
    param->type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  chunk.params = params.items;
  chunk.param_count = params.count;
  KILN_VEC_PUSH(p->sema.arena, &p->chunks, chunk);
}

static void push_function(struct kiln_parser *p) {
  struct kiln_chunk chunk = {.kind = KILN_CHUNK_FUNCTION, .location = p->tok.location};
  KILN_VEC(struct kiln_decl *) params = {0};
  kiln_parse_advance(p);
  if (is_name_list(p)) {
    push_old_function(p, chunk.location);
    return;
  }
  if (p->tok.kind == KILN_TOKEN_KW_VOID && kiln_parse_next_is(p, KILN_TOKEN_RPAREN))
    kiln_parse_advance(p);
  while (p->tok.kind != KILN_TOKEN_RPAREN && p->tok.kind != KILN_TOKEN_END) {
    if (p->tok.kind == KILN_TOKEN_ELLIPSIS) {
      kiln_parse_error(p, &p->tok, "invalid prototype, variadic arguments are not allowed in OpenCL");
      kiln_parse_advance(p);
      chunk.is_variadic = true;
      break;
    }
    struct kiln_specs specs;
    kiln_parse_specs(p, &specs);
    if (!specs.type.type) {
      kiln_parse_error(p, &p->tok, "expected parameter declarator");
      kiln_parse_skip_to(p, KILN_TOKEN_RPAREN);
      break;
    }
    struct kiln_declarator d;
    kiln_parse_declarator(p, &specs, KILN_DECLARATOR_PARAM, &d);
    struct kiln_decl *param = new_param(p, &specs, &d, params.count);
    KILN_VEC_PUSH(p->sema.arena, &params, param);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
    if (p->tok.kind == KILN_TOKEN_RPAREN)
      kiln_sema_error(&p->sema, p->tok.location, 0, "expected parameter declarator");
  }
  kiln_parse_close(p, KILN_TOKEN_RPAREN, chunk.location);
  chunk.params = params.items;
  chunk.param_count = params.count;
  chunk.end = p->last_end;
  KILN_VEC_PUSH(p->sema.arena, &p->chunks, chunk);
}

static void reverse(struct kiln_chunk *items, uint32_t count) {
  for (uint32_t i = 0; i + 1 < count - i; i++) {
    struct kiln_chunk swap = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = swap;
  }
}

// Whether the '(' here encloses a declarator rather than parameters.
static bool is_nested(struct kiln_parser *p, enum kiln_declarator_mode mode) {
  if (mode == KILN_DECLARATOR_NAMED || mode == KILN_DECLARATOR_MEMBER)
    return true;
  const struct kiln_token *next = kiln_parse_peek(p, 1);
  return next->kind != KILN_TOKEN_RPAREN && !kiln_parse_is_type(p, next);
}

// Where a name is missing: "int kernel", "int *kernel".
static void complain_name(struct kiln_parser *p, const struct kiln_specs *specs, enum kiln_declarator_mode mode) {
  const char *what = mode == KILN_DECLARATOR_PARAM ? "parameter name" : "name";
  if (specs->word) {
    kiln_sema_error(&p->sema, specs->word_location, specs->word_location + (kiln_location)strlen(specs->word),
                    "invalid %s: '%s' is a keyword", what, specs->word);
  } else if (p->tok.name) {
    kiln_parse_error(p, &p->tok, "invalid %s: '%s' is a keyword", what, p->tok.name->text);
    kiln_parse_advance(p);
  } else {
    kiln_parse_error(p, &p->tok, "expected identifier or '('");
  }
}

// Whether a parameter has a keyword for a name. "int global" has none: it has an address space.
static bool is_keyword_named(const struct kiln_parser *p, const struct kiln_specs *specs) {
  return specs->is_kernel || (p->tok.kind != KILN_TOKEN_IDENTIFIER && p->tok.name);
}

static void read_declarator(struct kiln_parser *p, const struct kiln_specs *specs, enum kiln_declarator_mode mode,
                            struct kiln_declarator *out) {
  if (!kiln_parse_enter(p))
    return;
  uint32_t base = p->chunks.count;
  while (p->tok.kind == KILN_TOKEN_STAR)
    push_pointer(p);
  uint32_t pointers = p->chunks.count - base;
  kiln_parse_attributes(p, &out->attrs);
  out->location = p->tok.location;
  out->end = kiln_sema_token_end(&p->tok);
  if (p->tok.kind == KILN_TOKEN_IDENTIFIER && mode != KILN_DECLARATOR_TYPE) {
    out->name = p->tok.name;
    kiln_parse_advance(p);
  } else if (p->tok.kind == KILN_TOKEN_LPAREN && is_nested(p, mode)) {
    kiln_location open = p->tok.location;
    kiln_parse_advance(p);
    read_declarator(p, specs, mode, out);
    kiln_parse_expect(p, KILN_TOKEN_RPAREN, "", open);
  } else if (mode == KILN_DECLARATOR_NAMED || mode == KILN_DECLARATOR_MEMBER ||
             (mode == KILN_DECLARATOR_PARAM && is_keyword_named(p, specs))) {
    complain_name(p, specs, mode);
  }
  while (p->tok.kind == KILN_TOKEN_LBRACKET || p->tok.kind == KILN_TOKEN_LPAREN) {
    if (p->tok.kind == KILN_TOKEN_LBRACKET)
      push_array(p);
    else
      push_function(p);
  }
  // pointers, inner steps, suffixes: to inner steps, suffixes, pointers from the last to the first
  if (p->chunks.count > base) {
    struct kiln_chunk *items = p->chunks.items + base;
    uint32_t others = p->chunks.count - base - pointers;
    reverse(items, pointers + others);
    reverse(items, others);
  }
  kiln_parse_leave(p);
}

// ---- building -------------------------------------------------------------------------------------------------------

static struct kiln_qtype build_pointer(struct kiln_parser *p, struct kiln_qtype type, const struct kiln_chunk *chunk) {
  if (type.type->kind == KILN_CT_FUNCTION) {
    kiln_sema_error(&p->sema, chunk->location, 0, "pointers to functions are not allowed");
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (type.type->kind == KILN_CT_ERROR)
    return type;
  if (kiln_ctype_is_opaque(type.type)) {
    kiln_sema_error(&p->sema, chunk->location, 0, "pointer to type '%s' is invalid in OpenCL",
                    kiln_sema_type_text(&p->sema, type.type));
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (type.space == KILN_SPACE_NONE)
    type = kiln_ctype_with_space(p->sema.types, type, default_pointee(p));
  return (struct kiln_qtype){kiln_ctype_pointer(p->sema.types, type), chunk->quals, chunk->space};
}

static struct kiln_qtype build_array(struct kiln_parser *p, struct kiln_qtype type, const struct kiln_chunk *chunk,
                                     bool is_param, struct kiln_declarator *d) {
  const struct kiln_ctype *element = type.type;
  const char *name = d->name ? d->name->text : "";
  if (element->kind == KILN_CT_ERROR)
    return type;
  if (element->kind == KILN_CT_FUNCTION) {
    kiln_sema_error(&p->sema, d->location, d->end, "'%s' declared as array of type '%s'", name,
                    kiln_sema_qtype_text(&p->sema, type));
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (kiln_ctype_is_opaque(element)) {
    kiln_sema_error(&p->sema, chunk->location, 0, "array of '%s' type is invalid in OpenCL",
                    kiln_sema_type_text(&p->sema, element));
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (!element->complete) {
    kiln_sema_error(&p->sema, d->location, d->end, "array has incomplete element type '%s'",
                    kiln_sema_qtype_text(&p->sema, type));
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (is_param) { // the outermost array of a parameter is a pointer
    if (type.space == KILN_SPACE_NONE)
      type = kiln_ctype_with_space(p->sema.types, type, default_pointee(p));
    d->array = kiln_ctype_array(p->sema.types, type, chunk->count, chunk->complete && !chunk->is_variable);
    return (struct kiln_qtype){.type = kiln_ctype_pointer(p->sema.types, type), .space = KILN_SPACE_NONE};
  }
  if (chunk->is_variable) {
    kiln_sema_error(&p->sema, chunk->location, chunk->end, "variable length arrays are not supported in OpenCL");
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (chunk->complete && element->size && chunk->count > KILN_MAX_OBJECT_SIZE / element->size) {
    kiln_sema_error(&p->sema, chunk->location, chunk->end, "array is too large (%llu elements)",
                    (unsigned long long)chunk->count);
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  struct kiln_qtype base = type;
  if (base.space == KILN_SPACE_NONE)
    base.space = KILN_PRIVATE;
  return (struct kiln_qtype){kiln_ctype_array(p->sema.types, base, chunk->count, chunk->complete), type.quals,
                             type.space};
}

static struct kiln_qtype build_function(struct kiln_parser *p, struct kiln_qtype type, const struct kiln_chunk *chunk,
                                        const struct kiln_declarator *d) {
  const char *fault = type.type->kind == KILN_CT_ARRAY      ? "function cannot return array type '%s'"
                      : type.type->kind == KILN_CT_FUNCTION ? "function cannot return function type '%s'"
                                                            : NULL;
  if (fault) {
    kiln_sema_error(&p->sema, d->location, d->end, fault, kiln_sema_qtype_text(&p->sema, type));
    type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  } else if (type.space != KILN_SPACE_NONE && type.space != KILN_PRIVATE && type.type->kind != KILN_CT_ERROR) {
    kiln_sema_error(&p->sema, d->location, d->end, "return type cannot be qualified with address space");
  }
  struct kiln_qtype *params = KILN_NEW_ARRAY(p->sema.arena, struct kiln_qtype, chunk->param_count);
  for (uint32_t i = 0; i < chunk->param_count; i++)
    params[i] = kiln_plain(chunk->params[i]->type.type);
  const struct kiln_ctype *function =
      kiln_ctype_function(p->sema.types, kiln_plain(type.type), params, chunk->param_count, chunk->is_variadic);
  return kiln_plain(function);
}

// How deep the type is already, through typedefs.
static uint32_t type_depth(const struct kiln_ctype *type) {
  uint32_t depth = 0;
  while ((type->kind == KILN_CT_POINTER || type->kind == KILN_CT_ARRAY) && depth < KILN_MAX_DECLARATORS) {
    type = type->base.type;
    depth++;
  }
  return depth;
}

void kiln_parse_declarator(struct kiln_parser *p, const struct kiln_specs *specs, enum kiln_declarator_mode mode,
                           struct kiln_declarator *out) {
  *out =
      (struct kiln_declarator){.type = specs->type, .location = p->tok.location, .end = kiln_sema_token_end(&p->tok)};
  uint32_t base = p->chunks.count;
  read_declarator(p, specs, mode, out);
  uint32_t count = p->chunks.count - base;
  if (count && count + type_depth(specs->type.type) > KILN_MAX_DECLARATORS) {
    kiln_sema_error(&p->sema, out->location, out->end, "type has more than %d levels of pointers, arrays and functions",
                    KILN_MAX_DECLARATORS);
    count = 0;
    out->type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (specs->is_auto && (count || mode != KILN_DECLARATOR_NAMED || specs->storage == KILN_STORAGE_TYPEDEF)) {
    kiln_sema_error(&p->sema, specs->location, specs->end,
                    "'__auto_type' is allowed for variables with an initializer only");
    count = 0;
  }
  for (uint32_t i = count; i-- > 0;) {
    struct kiln_chunk chunk = p->chunks.items[base + i];
    bool is_param = i == 0 && mode == KILN_DECLARATOR_PARAM;
    if (chunk.kind == KILN_CHUNK_POINTER)
      out->type = build_pointer(p, out->type, &chunk);
    else if (chunk.kind == KILN_CHUNK_ARRAY)
      out->type = build_array(p, out->type, &chunk, is_param, out);
    else
      out->type = build_function(p, out->type, &chunk, out);
    if (i == 0 && chunk.kind == KILN_CHUNK_FUNCTION) {
      out->is_function = true;
      out->params = chunk.params;
      out->param_count = chunk.param_count;
    }
  }
  p->chunks.count = base;
  if (!count && mode == KILN_DECLARATOR_PARAM && out->type.type->kind == KILN_CT_ARRAY) { // of a typedef
    struct kiln_qtype element = out->type.type->base;
    uint8_t space = out->type.space == KILN_SPACE_NONE ? default_pointee(p) : out->type.space;
    element = kiln_ctype_with_space(p->sema.types, element, space);
    out->type = (struct kiln_qtype){.type = kiln_ctype_pointer(p->sema.types, element), .space = KILN_SPACE_NONE};
  }
  kiln_parse_attributes(p, &out->attrs);
  out->type = kiln_parse_vector_type(p, &out->attrs, out->type, out->location, out->end);
}

struct kiln_qtype kiln_parse_type_name(struct kiln_parser *p) {
  struct kiln_specs specs;
  kiln_parse_specs(p, &specs);
  if (!specs.type.type) {
    kiln_parse_error(p, &p->tok, "expected a type");
    return kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  }
  if (specs.storage != KILN_STORAGE_NONE)
    kiln_sema_error(&p->sema, specs.storage_location, 0, "type name does not allow storage class to be specified");
  struct kiln_declarator d;
  kiln_parse_declarator(p, &specs, KILN_DECLARATOR_TYPE, &d);
  if (d.type.space == KILN_SPACE_NONE)
    d.type = kiln_ctype_with_space(p->sema.types, d.type, KILN_PRIVATE);
  return d.type;
}
