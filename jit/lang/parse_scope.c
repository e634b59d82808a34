// Scopes: every name knows its innermost meaning, so that looking up costs one array access. Predefined names (types,
// constants, built-in functions) are found on the first miss.
#include "jit/lang/parse.h"

struct kiln_name_entry *kiln_scope_entry(struct kiln_parser *p, const struct kiln_name *name) {
  if (name->id >= p->entry_count) {
    uint32_t count = p->entry_count ? p->entry_count * 2 : 256;
    while (count <= name->id)
      count *= 2;
    p->entries = kiln_arena_grow(p->arena, p->entries, p->entry_count * sizeof *p->entries, count * sizeof *p->entries,
                                 _Alignof(struct kiln_name_entry));
    memset(p->entries + p->entry_count, 0, (count - p->entry_count) * sizeof *p->entries);
    p->entry_count = count;
  }
  return &p->entries[name->id];
}

void kiln_scope_push(struct kiln_parser *p) {
  p->depth++;
  if (p->depth >= p->scope_capacity) {
    uint32_t capacity = p->scope_capacity ? p->scope_capacity * 2 : 32;
    p->scopes = kiln_arena_grow(p->arena, p->scopes, p->scope_capacity * sizeof *p->scopes,
                                capacity * sizeof *p->scopes, _Alignof(struct kiln_symbol *));
    p->scope_capacity = capacity;
  }
  p->scopes[p->depth] = NULL;
}

void kiln_scope_pop(struct kiln_parser *p) {
  if (p->scopes[p->depth])
    kiln_warn_unused_variables(p, p->scopes[p->depth]);
  for (struct kiln_symbol *s = p->scopes[p->depth]; s; s = s->next) {
    struct kiln_name_entry *entry = &p->entries[s->name->id];
    if (s->kind == KILN_SYMBOL_TAG)
      entry->tag = s->outer;
    else
      entry->ordinary = s->outer;
  }
  p->depth--;
}

static const struct {
  const char *text;
  enum kiln_ctype_kind kind;
  bool vectors, atomic;
  uint32_t std;
} type_names[] = {
#define KILN_TYPE_NAME(text, KIND, vectors, std) {text, KILN_CT_##KIND, vectors, false, std},
#define KILN_ATOMIC_NAME(text, KIND, std) {text, KILN_CT_##KIND, false, true, std},
#include "jit/lang/types.def"
};

static const struct {
  const char *text;
  int value;
  uint32_t std;
} constant_names[] = {
#define KILN_CONSTANT_NAME(text, value, std) {text, value, std},
#include "jit/lang/types.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct kiln_ctype *find_type(struct kiln_parser *p, const struct kiln_name *name) {
  uint32_t stem = name->size;
  unsigned lanes = 0, scale = 1;
  while (stem > 1 && name->size - stem < 2 && name->text[stem - 1] >= '0' && name->text[stem - 1] <= '9') {
    lanes += (unsigned)(name->text[--stem] - '0') * scale;
    scale *= 10;
  }
  bool is_vector = lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
  if (lanes && (!is_vector || name->text[stem] == '0'))
    return NULL;
  for (size_t i = 0; i < COUNT(type_names); i++) {
    if (type_names[i].text[0] != name->text[0] || strncmp(type_names[i].text, name->text, stem) != 0 ||
        type_names[i].text[stem] != 0)
      continue;
    if ((lanes && !type_names[i].vectors) || (p->std < type_names[i].std && !p->in_library))
      return NULL;
    if (type_names[i].atomic)
      return kiln_ctype_atomic(p->types, type_names[i].kind);
    const struct kiln_ctype *type = kiln_ctype_scalar(p->types, type_names[i].kind);
    return lanes ? kiln_ctype_vector(p->types, type, lanes) : type;
  }
  return NULL;
}

static struct kiln_decl *find_constant(struct kiln_parser *p, struct kiln_name *name) {
  if (strncmp(name->text, "memory_", 7) != 0 && strncmp(name->text, "CLK_", 4) != 0)
    return NULL;
  for (size_t i = 0; i < COUNT(constant_names); i++) {
    if (strcmp(constant_names[i].text, name->text) != 0 || (p->std < constant_names[i].std && !p->in_library))
      continue;
    struct kiln_decl *decl = KILN_NEW(p->arena, struct kiln_decl);
    decl->kind = KILN_DECL_ENUMERATOR;
    decl->name = name;
    decl->type = kiln_plain(kiln_ctype_scalar(p->types, KILN_CT_INT));
    decl->value = constant_names[i].value;
    return decl;
  }
  return NULL;
}

static struct kiln_symbol *find_predefined(struct kiln_parser *p, struct kiln_name_entry *entry,
                                           struct kiln_name *name) {
  entry->asked = !p->in_library; // the library sees names of later language versions, which the program may not
  struct kiln_symbol found = {.name = name};
  const struct kiln_builtin *builtin;
  if ((found.type = find_type(p, name))) {
    found.kind = KILN_SYMBOL_TYPE;
  } else if ((builtin = kiln_builtin_find(name->text, name->size, kiln_std_in_force(p)))) {
    found.kind = KILN_SYMBOL_BUILTIN;
    found.builtin = builtin;
  } else if ((found.decl = find_constant(p, name))) {
    found.kind = KILN_SYMBOL_DECL;
  } else {
    return NULL;
  }
  struct kiln_symbol *symbol = KILN_NEW(p->arena, struct kiln_symbol);
  *symbol = found;
  entry->predefined = entry->asked ? symbol : NULL;
  return symbol;
}

struct kiln_symbol *kiln_scope_find_slowly(struct kiln_parser *p, struct kiln_name *name) {
  struct kiln_name_entry *entry = kiln_scope_entry(p, name);
  if (entry->ordinary && entry->ordinary->depth >= p->floor)
    return entry->ordinary;
  if (entry->asked && (entry->predefined || !p->in_library)) // what the program may not see, the library may
    return entry->predefined;
  return find_predefined(p, entry, name);
}

struct kiln_symbol *kiln_scope_find_here(struct kiln_parser *p, struct kiln_name *name) {
  struct kiln_symbol *symbol = kiln_scope_entry(p, name)->ordinary;
  return symbol && symbol->depth == p->depth ? symbol : NULL;
}

struct kiln_symbol *kiln_scope_find_tag(struct kiln_parser *p, struct kiln_name *name, bool here) {
  struct kiln_symbol *symbol = kiln_scope_entry(p, name)->tag;
  return symbol && symbol->depth >= (here ? p->depth : p->floor) ? symbol : NULL;
}

struct kiln_symbol *kiln_scope_add(struct kiln_parser *p, enum kiln_symbol_kind kind, struct kiln_name *name,
                                   kiln_place place) {
  struct kiln_name_entry *entry = kiln_scope_entry(p, name);
  struct kiln_symbol *symbol = KILN_NEW(p->arena, struct kiln_symbol);
  symbol->kind = kind;
  symbol->depth = p->depth;
  symbol->name = name;
  symbol->place = place;
  struct kiln_symbol **slot = kind == KILN_SYMBOL_TAG ? &entry->tag : &entry->ordinary;
  symbol->outer = *slot;
  *slot = symbol;
  symbol->next = p->scopes[p->depth];
  p->scopes[p->depth] = symbol;
  return symbol;
}

bool kiln_parse_not_supported(struct kiln_parser *p, const struct kiln_token *tok, bool type) {
  static const struct {
    const char *prefix, *suffix; // of the name
    bool type;
    const char *reason;
    unsigned part; // of the language, told once for all its names; 0: each name
  } missing[] = {
      {"image", "_t", true, "there are no images", 1},
      {"sampler_t", "", true, "there are no images", 1},
      {"read_image", "", false, "there are no images", 1},
      {"write_image", "", false, "there are no images", 1},
      {"get_image_", "", false, "there are no images", 1},
      {"pipe", "", true, "there are no pipes", 2},
      {"reserve_id_t", "", true, "there are no pipes", 2},
      {"read_pipe", "", false, "there are no pipes", 2},
      {"write_pipe", "", false, "there are no pipes", 2},
      {"queue_t", "", true, "kernels cannot enqueue kernels", 3},
      {"clk_event_t", "", true, "kernels cannot enqueue kernels", 3},
      {"ndrange_t", "", true, "kernels cannot enqueue kernels", 3},
      {"enqueue_", "", false, "kernels cannot enqueue kernels", 3},
      {"get_default_queue", "", false, "kernels cannot enqueue kernels", 3},
      {"atomic_half", "", true, "there are no atomic operations of 16 bits", 0},
      {"__builtin_trap", "", false, "a kernel cannot end the program", 0},
      {"__builtin_alloca", "", false, "the size of a variable is constant", 0},
      {"_Complex", "", true, "there are no complex numbers", 0},
      {"__complex__", "", true, "there are no complex numbers", 0},
      {"_BitInt", "", true, "integers have 8, 16, 32 or 64 bits", 0},
      {"__int128", "", true, "integers have 8, 16, 32 or 64 bits", 0},
      {"__builtin_amdgcn_", "", false, "it is of one vendor's processors", 0},
      {"__nvvm_", "", false, "it is of one vendor's processors", 0},
  };
  const char *name = tok->name->text;
  size_t size = tok->name->size;
  for (size_t i = 0; i < COUNT(missing); i++) {
    size_t prefix = strlen(missing[i].prefix), suffix = strlen(missing[i].suffix);
    if (missing[i].type != type || size < prefix + suffix || strncmp(name, missing[i].prefix, prefix) != 0 ||
        strcmp(name + size - suffix, missing[i].suffix) != 0)
      continue;
    uint32_t bit = missing[i].part ? 1u << missing[i].part : 0;
    if (!(p->told_missing & bit))
      kiln_parse_error(p, tok->place, kiln_parse_end(tok), "%s '%s' is not supported: %s", type ? "type" : "function",
                       name, missing[i].reason);
    p->told_missing |= bit;
    return true;
  }
  return false;
}

static bool is_type_symbol(const struct kiln_symbol *symbol) {
  return symbol->kind == KILN_SYMBOL_TYPE ||
         (symbol->kind == KILN_SYMBOL_DECL && symbol->decl->kind == KILN_DECL_TYPEDEF);
}

// The types of C's <stdint.h>, which OpenCL C has under names of its own.
static const char *own_name(const char *name) {
  static const struct {
    const char *name, *own;
  } rows[] = {{"int8_t", "char"},   {"int16_t", "short"},   {"int32_t", "int"},   {"int64_t", "long"},
              {"uint8_t", "uchar"}, {"uint16_t", "ushort"}, {"uint32_t", "uint"}, {"uint64_t", "ulong"}};
  for (size_t i = 0; i < COUNT(rows); i++)
    if (strcmp(rows[i].name, name) == 0)
      return rows[i].own;
  return NULL;
}

const char *kiln_scope_nearest(struct kiln_parser *p, const char *name, bool types) {
  size_t size = strlen(name);
  const char *own = own_name(name);
  if (own)
    return own;
  if (size < 2 || size > 100)
    return NULL;
  unsigned best = (unsigned)(size + 2) / 3 + 1;
  const char *found = NULL;
  const struct kiln_names *names = p->lang->names;
  for (uint32_t i = 0; i < names->capacity; i++) {
    const struct kiln_name *candidate = names->slots[i];
    if (!candidate || candidate->id >= p->entry_count || candidate->size > size + best || candidate->size + best < size)
      continue;
    const struct kiln_symbol *symbol = p->entries[candidate->id].ordinary;
    if (!symbol || is_type_symbol(symbol) != types || strcmp(candidate->text, name) == 0)
      continue;
    unsigned distance = kiln_edit_distance(name, candidate->text, best);
    if (distance < best || (distance == best && found && strcmp(candidate->text, found) < 0)) {
      best = distance;
      found = candidate->text;
    }
  }
  for (size_t i = 0; types && i < COUNT(type_names); i++) {
    if (type_names[i].std > p->std)
      continue;
    unsigned distance = kiln_edit_distance(name, type_names[i].text, best);
    if (distance < best) {
      best = distance;
      found = type_names[i].text;
    }
  }
  if (found || types)
    return found;
  return kiln_builtin_nearest(name, p->std);
}
