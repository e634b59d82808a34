// Initialisers: nested and elided braces, designators, strings, vectors, whole structures.
//
// A braced list becomes one flat list of offsets and values, which is applied in order to an object of zeros.
#include "jit/lang/parse/parse.h"

struct init_list {
  KILN_VEC(struct kiln_init) items;
  uint64_t end; // of what the items cover
  bool failed;
  bool said; // of this element, that it takes the place of an earlier one
};

static void init_element(struct kiln_parser *p, struct init_list *list, struct kiln_qtype type, uint64_t offset,
                         struct kiln_expr *first);

static bool is_char_array(const struct kiln_ctype *type) {
  return type->kind == KILN_CT_ARRAY &&
         (type->base.type->kind == KILN_CT_CHAR || type->base.type->kind == KILN_CT_UCHAR);
}

// A string literal, possibly in braces or parentheses, as value of a character array.
static struct kiln_expr *string_value(struct kiln_parser *p, struct kiln_expr *string, struct kiln_qtype *type) {
  if (!type->type->complete)
    type->type = kiln_ctype_array(p->sema.types, type->type->base, string->text_size + 1, true);
  struct kiln_expr *e = kiln_expr_new(&p->sema, KILN_EX_STRING, *type, string->location, string->end);
  e->text = string->text;
  e->text_size = string->text_size;
  if (e->text_size > type->type->count) {
    kiln_sema_warning(&p->sema, KILN_W_EXCESS_INITIALIZERS, string->location, string->end,
                      "initializer-string for char array is too long");
    e->text_size = (uint32_t)type->type->count;
  }
  return e;
}

// Something was initialised at old, and is again at location.
static void warn_override(struct kiln_parser *p, struct init_list *list, kiln_location location, kiln_location old) {
  if (list->said || (location | old) & KILN_LOCATION_MACRO || p->sema.in_library)
    return;
  list->said = true;
  kiln_sema_warning(&p->sema, KILN_W_INITIALIZER_OVERRIDES, location, 0,
                    "initializer overrides prior initialization of this subobject");
  kiln_sema_note(&p->sema, old, 0, "previous initialization is here");
}

static void check_override(struct kiln_parser *p, struct init_list *list, uint64_t offset,
                           const struct kiln_expr *value) {
  enum { MOST = 1024 };
  for (uint32_t i = 0; i < list->items.count && list->items.count <= MOST; i++)
    if (list->items.items[i].offset == offset)
      warn_override(p, list, value->location, list->items.items[i].value->location);
}

static void push(struct kiln_parser *p, struct init_list *list, uint64_t offset, struct kiln_expr *value) {
  if (kiln_is_error(value)) {
    list->failed = true;
    return;
  }
  if (offset < list->end)
    check_override(p, list, offset, value);
  KILN_VEC_PUSH(p->sema.arena, &list->items, (struct kiln_init){offset, value});
  uint64_t end = offset + value->type.type->size;
  list->end = end > list->end ? end : list->end;
}

// Braces around an array or record that was initialised before: nothing of that remains.
static void forget(struct kiln_parser *p, struct init_list *list, uint64_t offset, uint64_t size) {
  if (offset >= list->end)
    return;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->items.count; i++)
    if (list->items.items[i].offset < offset || list->items.items[i].offset - offset >= size)
      list->items.items[kept++] = list->items.items[i];
    else
      warn_override(p, list, p->tok.location, list->items.items[i].value->location);
  list->items.count = kept;
}

// "name:" is how GNU C wrote ".name =".
static bool at_designator(struct kiln_parser *p) {
  return p->tok.kind == KILN_TOKEN_DOT || p->tok.kind == KILN_TOKEN_LBRACKET ||
         (p->tok.kind == KILN_TOKEN_IDENTIFIER && kiln_parse_next_is(p, KILN_TOKEN_COLON));
}

// Whether another initialiser for the same aggregate follows without designator; moves to it.
static bool next_plain(struct kiln_parser *p) {
  if (p->tok.kind != KILN_TOKEN_COMMA)
    return false;
  enum kiln_token_kind next = (enum kiln_token_kind)kiln_parse_peek(p, 1)->kind;
  if (next == KILN_TOKEN_RBRACE || next == KILN_TOKEN_DOT || next == KILN_TOKEN_LBRACKET || next == KILN_TOKEN_END)
    return false;
  if (next == KILN_TOKEN_IDENTIFIER && kiln_parse_peek(p, 2)->kind == KILN_TOKEN_COLON)
    return false;
  kiln_parse_advance(p);
  return true;
}

// ---- braces ---------------------------------------------------------------------------------------------------------

// The aggregates that a designator goes through, and the element of each: what follows without designator goes on
// after these, from the innermost outwards.
struct level {
  const struct kiln_ctype *type;
  uint64_t offset, index;
};
struct range { // [first ... last]: the designated element is the last
  uint64_t stride, count;
};
struct designator {
  KILN_VEC(struct level) levels; // the first is the one that the braces are of
  KILN_VEC(struct range) ranges;
};

static uint64_t element_count(const struct kiln_ctype *t) {
  if (t->kind == KILN_CT_ARRAY)
    return t->complete ? t->count : UINT64_MAX;
  return t->is_union && t->member_count ? 1 : t->member_count;
}

// Sets the type and offset of an element.
static void enter_element(const struct level *level, struct kiln_qtype *type, uint64_t *offset) {
  const struct kiln_ctype *t = level->type;
  bool is_array = t->kind == KILN_CT_ARRAY;
  *type = is_array ? t->base : t->members[level->index].type;
  *offset = level->offset + (is_array ? level->index * t->base.type->size : t->members[level->index].offset);
}

static void elided(struct kiln_parser *p, struct init_list *list, struct kiln_qtype type, uint64_t offset,
                   struct kiln_expr *first) {
  struct level level = {.type = type.type, .offset = offset};
  if (!kiln_parse_enter(p))
    return;
  for (uint64_t count = element_count(type.type); level.index < count && !p->sema.stop; level.index++) {
    if (level.index && !next_plain(p))
      break;
    struct kiln_qtype part;
    uint64_t at;
    enter_element(&level, &part, &at);
    init_element(p, list, part, at, first);
    first = NULL;
  }
  kiln_parse_leave(p);
}

static void add_level(struct kiln_parser *p, struct designator *out, struct kiln_qtype *type, uint64_t *offset,
                      uint64_t index) {
  struct level level = {type->type, *offset, index};
  KILN_VEC_PUSH(p->sema.arena, &out->levels, level);
  enter_element(&level, type, offset);
}

// After the '[' at location: "index]" or "first ... last]".
static bool designate_element(struct kiln_parser *p, kiln_location location, struct kiln_qtype *type, uint64_t *offset,
                              struct designator *out) {
  const struct kiln_ctype *t = type->type;
  const char *what = "expression is not an integer constant expression";
  int64_t first, last;
  if (!kiln_parse_constant(p, what, &first, NULL))
    return false;
  last = first;
  bool is_range = kiln_parse_accept(p, KILN_TOKEN_ELLIPSIS);
  if (is_range && !kiln_parse_constant(p, what, &last, NULL))
    return false;
  if (!kiln_parse_expect(p, KILN_TOKEN_RBRACKET, "", location))
    return false;
  if (t->kind != KILN_CT_ARRAY) {
    kiln_sema_error(&p->sema, location, 0, "array designator cannot initialize non-array type '%s'",
                    kiln_sema_type_text(&p->sema, t));
    return false;
  }
  if (last < first) {
    kiln_sema_error(&p->sema, location, 0, "array designator range [%lld, %lld] is empty", (long long)first,
                    (long long)last);
    return false;
  }
  if (first < 0 || (t->complete && (uint64_t)last >= t->count) ||
      (uint64_t)last > KILN_MAX_OBJECT_SIZE / (t->base.type->size ? t->base.type->size : 1)) {
    kiln_sema_error(&p->sema, location, 0, "array designator index (%lld) exceeds array bounds (%llu)",
                    (long long)(first < 0 ? first : last), (unsigned long long)t->count);
    return false;
  }
  if (last > first)
    KILN_VEC_PUSH(p->sema.arena, &out->ranges, (struct range){t->base.type->size, (uint64_t)(last - first) + 1});
  add_level(p, out, type, offset, (uint64_t)last);
  return true;
}

static bool designate_member(struct kiln_parser *p, struct kiln_qtype *type, uint64_t *offset, struct designator *out) {
  const struct kiln_ctype *t = type->type;
  if (!p->tok.name || t->kind != KILN_CT_RECORD) {
    kiln_sema_error(&p->sema, p->tok.location, 0,
                    p->tok.name ? "field designator cannot initialize a non-struct, non-union type"
                                : "expected a field designator");
    return false;
  }
  struct kiln_member_path path = {.count = 0};
  if (!kiln_find_member(t, p->tok.name, &path)) {
    kiln_parse_error(p, &p->tok, "field designator '%s' does not refer to any field in type '%s'", p->tok.name->text,
                     kiln_sema_type_text(&p->sema, t));
    return false;
  }
  for (uint32_t i = 0; i < path.count; i++)
    add_level(p, out, type, offset, (uint64_t)(path.members[i] - type->type->members));
  kiln_parse_advance(p);
  return true;
}

// The '.name' and '[index]' of a designator. Sets the part of the object that is meant.
static bool parse_designator(struct kiln_parser *p, struct kiln_qtype *type, uint64_t *offset, struct designator *out) {
  if (p->tok.kind == KILN_TOKEN_IDENTIFIER) {
    kiln_sema_warning(&p->sema, KILN_W_GNU_DESIGNATOR, p->tok.location, kiln_sema_token_end(&p->tok),
                      "use of GNU old-style field designator extension");
    return designate_member(p, type, offset, out) && kiln_parse_accept(p, KILN_TOKEN_COLON);
  }
  while (p->tok.kind == KILN_TOKEN_DOT || p->tok.kind == KILN_TOKEN_LBRACKET) {
    kiln_location location = p->tok.location;
    bool is_member = p->tok.kind == KILN_TOKEN_DOT;
    kiln_parse_advance(p);
    if (!(is_member ? designate_member(p, type, offset, out) : designate_element(p, location, type, offset, out)))
      return false;
  }
  kiln_parse_accept(p, KILN_TOKEN_EQUAL);
  return true;
}

// Whether a value can be computed once for each element of a range instead of once.
static bool is_repeatable(const struct kiln_expr *e) {
  for (; e; e = e->left) {
    if (e->kind == KILN_EX_INT || e->kind == KILN_EX_FLOAT || e->kind == KILN_EX_STRING)
      return true;
    if (e->kind == KILN_EX_VAR)
      return !(e->type.quals & KILN_QUAL_VOLATILE);
    if (e->kind == KILN_EX_VECTOR) {
      for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_repeatable(e->args[i]))
          return false;
      return true;
    }
    if (e->kind == KILN_EX_COND && !is_repeatable(e->cond))
      return false;
    bool is_pure =
        e->kind == KILN_EX_CAST || e->kind == KILN_EX_COND || (e->kind >= KILN_EX_DEREF && e->kind <= KILN_EX_PTR_DIFF);
    if (!is_pure || e->type.quals & KILN_QUAL_VOLATILE || (e->right && !is_repeatable(e->right)))
      return false;
  }
  return true;
}

// Appends the items of the last element of each range, and those of all others. size: of an element that is in braces,
// which says everything about it; 0: it is not.
static void repeat_items(struct kiln_parser *p, struct init_list *list, const struct init_list *last,
                         const struct designator *designator, uint64_t offset, uint64_t size, kiln_location location) {
  uint64_t most = size ? 1 << 13 : 1 << 16, total = 1;
  for (uint32_t r = 0; r < designator->ranges.count && total <= most; r++)
    total *= designator->ranges.items[r].count < most ? designator->ranges.items[r].count : most + 1;
  const char *fault = total * (last->items.count + 1) > 2 * most ? "array designator range is too large" : NULL;
  for (uint32_t i = 0; i < last->items.count && !fault; i++)
    if (!is_repeatable(last->items.items[i].value))
      fault = "initializer of an array designator range has side effects or calls";
  list->failed |= last->failed || fault;
  if (fault)
    kiln_sema_error(&p->sema, location, 0, "%s", fault);
  for (uint64_t number = total; number-- > 0 && !list->failed;) {
    uint64_t back = 0, rest = number; // how far before the last
    for (uint32_t r = designator->ranges.count; r-- > 0;) {
      struct range range = designator->ranges.items[r];
      back += rest % range.count * range.stride;
      rest /= range.count;
    }
    forget(p, list, offset - back, size);
    for (uint32_t i = 0; i < last->items.count; i++)
      push(p, list, last->items.items[i].offset - back, last->items.items[i].value);
  }
}

static void excess(struct kiln_parser *p, const struct kiln_ctype *t) {
  kiln_sema_warning(&p->sema, KILN_W_EXCESS_INITIALIZERS, p->tok.location, 0, "excess elements in %s initializer",
                    t->kind == KILN_CT_ARRAY    ? "array"
                    : t->kind == KILN_CT_RECORD ? t->is_union ? "union" : "struct"
                                                : "scalar");
  while (p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END) {
    if (p->tok.kind == KILN_TOKEN_LBRACE) {
      kiln_parse_advance(p);
      kiln_parse_skip_block(p);
    } else {
      kiln_parse_assignment(p);
    }
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
}

// Plain initialisers after one with a designator: the elements after the designated one, level by level.
static void continue_designated(struct kiln_parser *p, struct init_list *list, struct designator *designator) {
  for (uint32_t l = designator->levels.count; l-- > 1;) {
    struct level *level = &designator->levels.items[l];
    for (uint64_t count = element_count(level->type); level->index + 1 < count;) {
      if (p->sema.stop || !next_plain(p))
        return;
      level->index++;
      struct kiln_qtype type;
      uint64_t offset;
      enter_element(level, &type, &offset);
      init_element(p, list, type, offset, NULL);
    }
  }
}

// The elements of an array or record, up to the '}'. An array of unknown size is completed.
static void braced_elements(struct kiln_parser *p, struct init_list *list, struct kiln_qtype *type, uint64_t base) {
  const struct kiln_ctype *t = type->type;
  bool is_array = t->kind == KILN_CT_ARRAY;
  uint64_t limit = element_count(t);
  uint64_t index = 0, end = 0;
  while (p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END && !p->sema.stop) {
    struct kiln_qtype part = *type;
    uint64_t offset = base;
    struct designator designator = {.levels = {0}};
    kiln_location location = p->tok.location;
    list->said = false;
    if (at_designator(p)) {
      if (!parse_designator(p, &part, &offset, &designator)) {
        list->failed = true;
        kiln_parse_skip_to(p, KILN_TOKEN_RBRACE);
        return;
      }
      index = designator.levels.items[0].index;
    } else if (index >= limit) {
      excess(p, t);
      return;
    } else {
      enter_element(&(struct level){t, base, index}, &part, &offset);
    }
    if (designator.ranges.count) {
      bool in_braces =
          p->tok.kind == KILN_TOKEN_LBRACE && (part.type->kind == KILN_CT_ARRAY || part.type->kind == KILN_CT_RECORD);
      struct init_list last = {0};
      init_element(p, &last, part, offset, NULL);
      repeat_items(p, list, &last, &designator, offset, in_braces ? part.type->size : 0, location);
    } else {
      init_element(p, list, part, offset, NULL);
    }
    continue_designated(p, list, &designator);
    index++;
    end = index > end ? index : end;
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  if (!is_array || t->complete)
    return;
  if (!end)
    kiln_sema_error(&p->sema, p->tok.location, 0, "zero size arrays are not supported");
  type->type = kiln_ctype_array(p->sema.types, t->base, end ? end : 1, true);
}

static struct kiln_expr *braced(struct kiln_parser *p, struct init_list *list, struct kiln_qtype *type,
                                uint64_t offset);

static struct kiln_expr *braced_vector(struct kiln_parser *p, struct init_list *list, const struct kiln_ctype *type,
                                       kiln_location open) {
  KILN_VEC(struct kiln_expr *) args = {0};
  struct kiln_qtype element = kiln_plain(type->base.type);
  while (p->tok.kind != KILN_TOKEN_RBRACE && p->tok.kind != KILN_TOKEN_END) {
    bool braces = p->tok.kind == KILN_TOKEN_LBRACE;
    if (braces)
      kiln_sema_warning(&p->sema, KILN_W_SCALAR_BRACES, p->tok.location, 0, "braces around scalar initializer");
    struct kiln_expr *e = braces ? braced(p, list, &element, 0) : kiln_parse_assignment(p);
    KILN_VEC_PUSH(p->sema.arena, &args, e);
    if (!kiln_parse_accept(p, KILN_TOKEN_COMMA))
      break;
  }
  return kiln_sema_vector(&p->sema, type, args.items, args.count, open, kiln_sema_token_end(&p->tok));
}

// From '{' to after '}'. The result is for an object of the type at offset; NULL when it is in list already.
static struct kiln_expr *braced(struct kiln_parser *p, struct init_list *list, struct kiln_qtype *type,
                                uint64_t offset) {
  kiln_location open = p->tok.location;
  const struct kiln_ctype *t = type->type;
  struct kiln_expr *e = NULL;
  if (!kiln_parse_enter(p))
    return kiln_expr_error(&p->sema, open, open);
  kiln_parse_advance(p);
  if (is_char_array(t) && p->tok.kind == KILN_TOKEN_STRING) {
    e = string_value(p, kiln_parse_string(p), type);
    kiln_parse_accept(p, KILN_TOKEN_COMMA);
  } else if (t->kind == KILN_CT_ARRAY || t->kind == KILN_CT_RECORD) {
    if (p->tok.kind == KILN_TOKEN_RBRACE && !t->complete)
      kiln_sema_error(&p->sema, open, 0, "zero size arrays are not supported");
    forget(p, list, offset, t->size);
    braced_elements(p, list, type, offset);
  } else if (t->kind == KILN_CT_VECTOR) {
    e = braced_vector(p, list, t, open);
  } else if (t->kind == KILN_CT_ERROR) {
    kiln_parse_skip_block(p);
    kiln_parse_leave(p);
    return kiln_expr_error(&p->sema, open, open);
  } else {
    if (p->tok.kind == KILN_TOKEN_RBRACE) { // as C23 has it
      e = kiln_expr_int(&p->sema, kiln_ctype_scalar(KILN_CT_INT), 0, open, open);
    } else if (p->tok.kind == KILN_TOKEN_LBRACE) {
      kiln_sema_warning(&p->sema, KILN_W_MANY_BRACES, p->tok.location, 0, "too many braces around scalar initializer");
      e = braced(p, list, type, offset);
    } else {
      e = kiln_parse_assignment(p);
    }
    e = kiln_sema_assign(&p->sema, e, *type, KILN_ASSIGN_INIT);
    if (kiln_parse_accept(p, KILN_TOKEN_COMMA) && p->tok.kind != KILN_TOKEN_RBRACE)
      excess(p, t);
  }
  kiln_parse_leave(p);
  if (!kiln_parse_expect(p, KILN_TOKEN_RBRACE, "", open)) {
    kiln_parse_skip_block(p);
    list->failed = true;
  }
  return e;
}

static void init_element(struct kiln_parser *p, struct init_list *list, struct kiln_qtype type, uint64_t offset,
                         struct kiln_expr *first) {
  const struct kiln_ctype *t = type.type;
  if (t->kind == KILN_CT_ARRAY && t->complete && !t->count) {
    kiln_sema_error(&p->sema, p->tok.location, 0, "initialization of flexible array member is not allowed");
    list->failed = true;
  }
  if (!first && p->tok.kind == KILN_TOKEN_LBRACE) {
    struct kiln_expr *e = braced(p, list, &type, offset);
    if (e)
      push(p, list, offset, e);
    return;
  }
  if (!first && is_char_array(t) && p->tok.kind == KILN_TOKEN_STRING) {
    push(p, list, offset, string_value(p, kiln_parse_string(p), &type));
    return;
  }
  struct kiln_expr *e = first ? first : kiln_sema_value(&p->sema, kiln_parse_assignment(p));
  if (kiln_is_error(e)) {
    list->failed = true;
    return;
  }
  bool aggregate = t->kind == KILN_CT_ARRAY || (t->kind == KILN_CT_RECORD && e->type.type != t);
  if (aggregate && (t->kind == KILN_CT_ARRAY || t->member_count))
    elided(p, list, type, offset, e);
  else // a scalar in the place of a vector becomes all of its components, as in an assignment
    push(p, list, offset, kiln_sema_assign(&p->sema, e, type, KILN_ASSIGN_INIT));
}

struct kiln_expr *kiln_parse_initializer(struct kiln_parser *p, struct kiln_qtype *type) {
  kiln_location location = p->tok.location;
  if (p->tok.kind == KILN_TOKEN_LBRACE) {
    struct init_list list = {0};
    struct kiln_expr *e = braced(p, &list, type, 0);
    if (list.failed || (e && kiln_is_error(e)))
      return kiln_expr_error(&p->sema, location, p->last_end);
    if (e)
      return e;
    e = kiln_expr_new(&p->sema, KILN_EX_INIT_LIST, kiln_plain(type->type), location, p->last_end);
    e->inits = list.items.items;
    e->init_count = list.items.count;
    return e;
  }
  if (is_char_array(type->type) && p->tok.kind == KILN_TOKEN_STRING)
    return string_value(p, kiln_parse_string(p), type);
  struct kiln_expr *e = kiln_parse_assignment(p);
  if (type->type->kind == KILN_CT_ARRAY && !kiln_is_error(e))
    return kiln_expr_invalid(&p->sema, e->location, e->end, "array initializer must be an initializer list%s",
                             is_char_array(type->type) ? " or string literal" : "");
  return kiln_sema_assign(&p->sema, e, *type, KILN_ASSIGN_INIT);
}
