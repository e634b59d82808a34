// Structures, unions and enumerations.
#include "jit/lang/parse/parse.h"

enum { LINEAR_MEMBERS = 32 }; // up to so many, a repeated name is found by looking at all

struct record_builder {
  struct kiln_ctype *type;
  KILN_VEC(struct kiln_member) members;
  uint64_t end; // of the last member
  uint32_t align;
  bool failed;
};

// ---- members --------------------------------------------------------------------------------------------------------

static void check_repeated(struct kiln_parser *p, struct record_builder *b, struct kiln_name *name,
                           kiln_location location) {
  struct kiln_name_entry *entry = kiln_scope_entry(&p->sema, name);
  bool repeated = entry->member_of == b->type->serial;
  entry->member_of = b->type->serial;
  kiln_location old = 0;
  if (repeated || b->members.count < LINEAR_MEMBERS)
    for (uint32_t i = 0; i < b->members.count && !old; i++)
      if (b->members.items[i].name == name)
        old = b->members.items[i].location;
  if (!old)
    return;
  kiln_sema_error(&p->sema, location, location + name->size, "duplicate member '%s'", name->text);
  kiln_sema_note(&p->sema, old, 0, "previous declaration is here");
  b->failed = true;
}

// Members of a record get their offsets when it is finished, as "packed" may stand after it.
static void note_not_for_kernels(struct kiln_parser *p, struct kiln_ctype *record, const struct kiln_ctype *member,
                                 const struct kiln_specs *specs) {
  while (member->kind == KILN_CT_ARRAY && member != specs->type.type)
    member = member->base.type;
  if (specs->host_name && member == specs->type.type)
    record->not_for_kernels = specs->host_name;
  else if (kiln_sema_not_for_kernels(&p->sema, member))
    record->not_for_kernels = kiln_sema_type_text(&p->sema, member);
  else if (member->kind == KILN_CT_RECORD && member->not_for_kernels)
    record->not_for_kernels = member->not_for_kernels;
}

// A member without a size must be the last: it takes no room, and what is after the structure is its elements.
static struct kiln_qtype flexible_array(struct kiln_parser *p, const struct record_builder *b, struct kiln_qtype type,
                                        const struct kiln_declarator *d) {
  const char *name = d->name->text, *text = kiln_sema_qtype_text(&p->sema, type);
  bool is_last = p->tok.kind == KILN_TOKEN_SEMICOLON && kiln_parse_next_is(p, KILN_TOKEN_RBRACE);
  if (b->type->is_union)
    kiln_sema_error(&p->sema, d->location, d->end, "flexible array member '%s' in a union is not allowed", name);
  else if (!is_last)
    kiln_sema_error(&p->sema, d->location, d->end,
                    "flexible array member '%s' with type '%s' is not at the end of struct", name, text);
  type.type = kiln_ctype_array(p->sema.types, type.type->base, 0, true);
  return type;
}

static void add_member(struct kiln_parser *p, struct record_builder *b, const struct kiln_specs *specs,
                       struct kiln_declarator *d) {
  struct kiln_qtype type = d->type;
  if (type.space != KILN_SPACE_NONE && type.space != KILN_PRIVATE && type.type->kind != KILN_CT_ERROR)
    kiln_sema_error(&p->sema, specs->space_location ? specs->space_location : d->location, 0,
                    "field may not be qualified with an address space");
  type = kiln_ctype_with_space(p->sema.types, type, KILN_PRIVATE);
  if (specs->storage != KILN_STORAGE_NONE)
    kiln_sema_error(&p->sema, specs->storage_location, 0, "type name does not allow storage class to be specified");
  if (d->name)
    check_repeated(p, b, d->name, d->location);
  if (type.type->kind == KILN_CT_FUNCTION) {
    kiln_sema_error(&p->sema, d->location, d->end, "field '%s' declared as a function", d->name ? d->name->text : "");
    type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  } else if (type.type->kind == KILN_CT_ARRAY && !type.type->complete) {
    type = flexible_array(p, b, type, d);
  } else if (!type.type->complete) {
    kiln_sema_error(&p->sema, d->location, d->end, "field has incomplete type '%s'",
                    kiln_sema_qtype_text(&p->sema, type));
    type = kiln_plain(kiln_ctype_scalar(KILN_CT_ERROR));
  } else if (kiln_ctype_innermost(type.type)->kind == KILN_CT_EVENT || kiln_ctype_is_opaque(type.type)) {
    kiln_sema_error(&p->sema, d->location, d->end, "the '%s' type cannot be used to declare a structure or union field",
                    kiln_sema_type_text(&p->sema, kiln_ctype_innermost(type.type)));
  } else {
    kiln_sema_type_usable(&p->sema, type, d->location, d->end);
  }
  note_not_for_kernels(p, b->type, type.type, specs);
  struct kiln_member member = {.name = d->name, .type = type, .location = d->location};
  member.offset = d->attrs.align > specs->attrs.align ? d->attrs.align : specs->attrs.align; // until laid out
  if (d->attrs.packed || specs->attrs.packed)
    member.offset |= (uint64_t)1 << 63;
  KILN_VEC_PUSH(p->sema.arena, &b->members, member);
}

static void lay_out(struct kiln_parser *p, struct record_builder *b, const struct kiln_attrs *attrs) {
  struct kiln_ctype *t = b->type;
  uint64_t end = 0;
  uint32_t align = 1;
  for (uint32_t i = 0; i < b->members.count; i++) {
    struct kiln_member *member = &b->members.items[i];
    uint32_t asked = (uint32_t)(member->offset & UINT32_MAX);
    bool packed = attrs->packed || member->offset >> 63;
    uint32_t own = packed ? 1 : member->type.type->align;
    if (asked > own)
      own = asked;
    align = own > align ? own : align;
    uint64_t start = t->is_union ? 0 : (end + own - 1) / own * own;
    member->offset = start;
    t->has_pointer |= member->type.type->has_pointer;
    if (member->type.type->size > KILN_MAX_OBJECT_SIZE - start) {
      kiln_sema_error(&p->sema, member->location, 0, "type '%s' is too large", kiln_sema_type_text(&p->sema, t));
      b->failed = true;
      break;
    }
    uint64_t stop = start + member->type.type->size;
    end = stop > end ? stop : end;
  }
  if (attrs->align > align)
    align = attrs->align;
  t->align = align;
  t->size = (end + align - 1) / align * align;
  t->members = b->members.items;
  t->member_count = b->members.count;
  t->complete = true;
}

static void parse_members(struct kiln_parser *p, struct record_builder *b) {
  while (p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END) {
    if (kiln_parse_accept(p, KILN_TOKEN_SEMICOLON))
      continue;
    if (p->tok.kind == KILN_TOKEN_KW_STATIC_ASSERT) {
      kiln_parse_static_assert(p);
      continue;
    }
    kiln_location start = p->tok.location;
    uint64_t advanced = p->advanced;
    struct kiln_specs specs;
    kiln_parse_specs(p, &specs);
    if (!specs.type.type) {
      kiln_parse_error(p, &p->tok, "type name requires a specifier or qualifier");
      if (p->advanced == advanced)
        kiln_parse_advance(p);
      kiln_parse_skip_to(p, KILN_TOKEN_SEMICOLON);
      continue;
    }
    if (p->tok.kind == KILN_TOKEN_SEMICOLON) {
      struct kiln_declarator none = {.type = specs.type, .location = start, .end = specs.end};
      if (specs.type.type->kind == KILN_CT_RECORD && !specs.type.type->tag)
        add_member(p, b, &specs, &none);
      else if (specs.word)
        kiln_sema_error(&p->sema, specs.word_location, specs.end, "invalid name: '%s' is a keyword", specs.word);
      else if (!specs.declares_tag)
        kiln_sema_warning(&p->sema, KILN_W_MISSING_DECLARATIONS, start, specs.end,
                          "declaration does not declare anything");
      continue;
    }
    do {
      struct kiln_declarator d;
      if (p->tok.kind != KILN_TOKEN_COLON) {
        kiln_parse_declarator(p, &specs, KILN_DECLARATOR_MEMBER, &d);
        if (!d.name)
          break;
      }
      if (p->tok.kind == KILN_TOKEN_COLON) {
        kiln_sema_error(&p->sema, p->tok.location, 0, "bit-fields are not supported in OpenCL");
        kiln_parse_skip_to(p, KILN_TOKEN_COMMA);
        b->failed = true;
        continue;
      }
      add_member(p, b, &specs, &d);
    } while (kiln_parse_accept(p, KILN_TOKEN_COMMA));
    if (p->tok.kind == KILN_TOKEN_RBRACE) { // the last one may go without
      kiln_sema_warning(&p->sema, KILN_W_MISSING_SEMICOLON, p->last_end, 0, "expected ';' at end of declaration list");
    } else if (!kiln_parse_expect(p, KILN_TOKEN_SEMICOLON, "at end of declaration list", 0)) {
      kiln_parse_skip_past(p, KILN_TOKEN_SEMICOLON);
    }
  }
}

// ---- tags -----------------------------------------------------------------------------------------------------------

static struct kiln_ctype *new_tagged(struct kiln_parser *p, enum kiln_ctype_kind kind, bool is_union,
                                     struct kiln_name *tag, kiln_location location) {
  struct kiln_ctype *type = KILN_NEW(p->sema.arena, struct kiln_ctype);
  type->kind = kind;
  type->is_union = is_union;
  type->tag = tag;
  type->align = 1;
  type->serial = ++p->sema.serial;
  if (tag)
    kiln_scope_add(&p->sema, KILN_SYMBOL_TAG, tag, location)->type = type;
  return type;
}

// The type that "struct tag" means here; defining: a '{' follows, so a type of an outer scope does not count.
static struct kiln_ctype *find_tagged(struct kiln_parser *p, enum kiln_ctype_kind kind, bool is_union,
                                      struct kiln_name *tag, kiln_location location, bool defining) {
  struct kiln_symbol *symbol = tag ? kiln_scope_find_tag(&p->sema, tag, defining) : NULL;
  if (!symbol)
    return new_tagged(p, kind, is_union, tag, location);
  struct kiln_ctype *type = (struct kiln_ctype *)symbol->type; // made by new_tagged
  if (type->kind != kind || type->is_union != is_union) {
    kiln_sema_error(&p->sema, location, location + tag->size,
                    "use of '%s' with tag type that does not match previous declaration", tag->text);
    kiln_sema_note(&p->sema, symbol->location, 0, "previous use is here");
    return new_tagged(p, kind, is_union, NULL, location);
  }
  if (defining && type->complete) {
    kiln_sema_error(&p->sema, location, location + tag->size, "redefinition of '%s'", tag->text);
    kiln_sema_note(&p->sema, symbol->location, 0, "previous definition is here");
    return new_tagged(p, kind, is_union, NULL, location);
  }
  if (defining)
    symbol->location = location;
  return type;
}

// After "struct", "union" or "enum": attributes and the tag. NULL: there is none, and *location is that of the keyword.
static struct kiln_name *parse_tag(struct kiln_parser *p, struct kiln_attrs *attrs, kiln_location *location) {
  *location = p->tok.location;
  kiln_parse_advance(p);
  kiln_parse_attributes(p, attrs);
  if (p->tok.kind != KILN_TOKEN_IDENTIFIER)
    return NULL;
  struct kiln_name *tag = p->tok.name;
  *location = p->tok.location;
  kiln_parse_advance(p);
  return tag;
}

const struct kiln_ctype *kiln_parse_record(struct kiln_parser *p) {
  bool is_union = p->tok.kind == KILN_TOKEN_KW_UNION;
  kiln_location location;
  struct kiln_attrs attrs = {0};
  struct kiln_name *tag = parse_tag(p, &attrs, &location);
  if (tag)
    kiln_parse_attributes(p, &attrs);
  if (p->tok.kind != KILN_TOKEN_LBRACE) {
    if (!tag) {
      kiln_parse_error(p, &p->tok, "declaration of anonymous %s must be a definition", is_union ? "union" : "struct");
      return kiln_ctype_scalar(KILN_CT_ERROR);
    }
    // "struct S;" declares S anew in this scope.
    return find_tagged(p, KILN_CT_RECORD, is_union, tag, location,
                       p->tok.kind == KILN_TOKEN_SEMICOLON && !kiln_scope_find_tag(&p->sema, tag, true));
  }
  struct record_builder b = {.type = find_tagged(p, KILN_CT_RECORD, is_union, tag, location, true)};
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  if (kiln_parse_enter(p))
    parse_members(p, &b);
  kiln_parse_leave(p);
  kiln_parse_expect(p, KILN_TOKEN_RBRACE, "", open);
  kiln_parse_attributes(p, &attrs);
  lay_out(p, &b, &attrs);
  return b.type;
}

// ---- enumerations ---------------------------------------------------------------------------------------------------

static void add_enumerator(struct kiln_parser *p, struct kiln_name *name, kiln_location location, int64_t value,
                           const struct kiln_ctype *type) {
  struct kiln_symbol *old = kiln_scope_find_here(&p->sema, name);
  if (old) {
    kiln_sema_error(
        &p->sema, location, location + name->size, "redefinition of '%s'%s", name->text,
        old->kind == KILN_SYMBOL_DECL && old->decl->kind == KILN_DECL_ENUMERATOR ? "" : " as different kind of symbol");
    kiln_sema_note(&p->sema, old->location, 0, "previous definition is here");
    return;
  }
  struct kiln_decl *decl = kiln_decl_new(&p->sema, KILN_DECL_ENUMERATOR, name, kiln_plain(type), location);
  decl->value = value;
  kiln_scope_add(&p->sema, KILN_SYMBOL_DECL, name, location)->decl = decl;
}

static void parse_enumerators(struct kiln_parser *p, struct kiln_ctype *of, bool *negative, bool *wide) {
  const struct kiln_ctype *int_type = kiln_ctype_scalar(KILN_CT_INT);
  KILN_VEC(struct kiln_member) members = {0};
  int64_t next = 0;
  while (p->tok.kind == KILN_TOKEN_IDENTIFIER) {
    struct kiln_name *name = p->tok.name;
    kiln_location location = p->tok.location;
    kiln_parse_advance(p);
    struct kiln_attrs attrs = {0};
    kiln_parse_attributes(p, &attrs);
    const struct kiln_ctype *type = NULL;
    if (kiln_parse_accept(p, KILN_TOKEN_EQUAL))
      kiln_parse_constant(p, "expression is not an integer constant expression", &next, &type);
    *negative |= next < 0;
    *wide |= next > UINT32_MAX || next < INT32_MIN;
    if (next >= INT32_MIN && next <= INT32_MAX)
      type = int_type;
    else
      type = kiln_ctype_scalar(next >= 0 && next <= UINT32_MAX ? KILN_CT_UINT : KILN_CT_LONG);
    add_enumerator(p, name, location, next, type);
    KILN_VEC_PUSH(p->sema.arena, &members, (struct kiln_member){name, kiln_plain(type), (uint64_t)next, location});
    next = (int64_t)((uint64_t)next + 1);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  of->members = members.items;
  of->member_count = members.count;
}

const struct kiln_ctype *kiln_parse_enum(struct kiln_parser *p) {
  kiln_location location;
  struct kiln_attrs attrs = {0};
  struct kiln_name *tag = parse_tag(p, &attrs, &location);
  bool defining = p->tok.kind == KILN_TOKEN_LBRACE;
  const struct kiln_ctype *error = kiln_ctype_scalar(KILN_CT_ERROR);
  if (!defining && !tag) {
    kiln_parse_error(p, &p->tok, "expected identifier or '{'");
    return error;
  }
  struct kiln_ctype *type = find_tagged(p, KILN_CT_ENUM, false, tag, location, defining);
  if (!defining) {
    if (!type->complete) {
      kiln_sema_error(&p->sema, location, location + tag->size, "ISO C forbids forward references to 'enum' types");
      return error;
    }
    return type;
  }
  kiln_location open = p->tok.location;
  kiln_parse_advance(p);
  if (p->tok.kind == KILN_TOKEN_RBRACE)
    kiln_sema_error(&p->sema, p->tok.location, 0, "use of empty enum");
  bool negative = false, wide = false;
  parse_enumerators(p, type, &negative, &wide);
  kiln_parse_close(p, KILN_TOKEN_RBRACE, open);
  kiln_parse_attributes(p, &attrs);
  enum kiln_ctype_kind kind = wide ? KILN_CT_LONG : negative ? KILN_CT_INT : KILN_CT_UINT;
  type->base = kiln_plain(kiln_ctype_scalar(kind));
  type->size = type->align = wide ? 8 : 4;
  type->complete = true;
  return type;
}
