// Scopes: every name knows its innermost meaning, so that looking up costs one array access. Predefined names (types,
// constants, built-in functions) are found on the first miss.
#include "jit/lang/sema/sema.h"

struct kiln_name_entry *kiln_scope_entry(struct kiln_sema *S, const struct kiln_name *name) {
  if (name->id >= S->entry_count) {
    uint32_t count = S->entry_count ? S->entry_count * 2 : 256;
    while (count <= name->id)
      count *= 2;
    S->entries = kiln_arena_grow(S->arena, S->entries, S->entry_count * sizeof *S->entries, count * sizeof *S->entries,
                                 _Alignof(struct kiln_name_entry));
    memset(S->entries + S->entry_count, 0, (count - S->entry_count) * sizeof *S->entries);
    S->entry_count = count;
  }
  return &S->entries[name->id];
}

void kiln_scope_push(struct kiln_sema *S) {
  S->depth++;
  if (S->depth >= S->scope_capacity) {
    uint32_t capacity = S->scope_capacity ? S->scope_capacity * 2 : 32;
    S->scopes = kiln_arena_grow(S->arena, S->scopes, S->scope_capacity * sizeof *S->scopes,
                                capacity * sizeof *S->scopes, _Alignof(struct kiln_symbol *));
    S->scope_capacity = capacity;
  }
  S->scopes[S->depth] = NULL;
}

void kiln_scope_pop(struct kiln_sema *S) {
  if (S->scopes[S->depth])
    kiln_warn_unused_variables(S, S->scopes[S->depth]);
  for (struct kiln_symbol *s = S->scopes[S->depth]; s; s = s->next) {
    struct kiln_name_entry *entry = &S->entries[s->name->id];
    if (s->kind == KILN_SYMBOL_TAG)
      entry->tag = s->outer;
    else
      entry->ordinary = s->outer;
  }
  S->depth--;
}

static const struct {
  const char *text;
  enum kiln_ctype_kind kind;
  bool vectors, atomic;
  uint32_t std;
} type_names[] = {
#define KILN_TYPE_NAME(text, KIND, vectors, std) {text, KILN_CT_##KIND, vectors, false, std},
#define KILN_ATOMIC_NAME(text, KIND, std) {text, KILN_CT_##KIND, false, true, std},
#include "jit/lang/ast/types.def"
};

static const struct {
  const char *text;
  enum kiln_image_dimension dimension;
} image_names[] = {
#define KILN_IMAGE_NAME(text, DIMENSION) {text, KILN_IMAGE_##DIMENSION},
#include "jit/lang/ast/types.def"
};

static const struct {
  const char *text;
  int value;
  uint32_t std;
} constant_names[] = {
#define KILN_CONSTANT_NAME(text, value, std) {text, value, std},
#include "jit/lang/ast/types.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct kiln_ctype *find_image(const struct kiln_name *name) {
  for (size_t i = 0; i < COUNT(image_names) && strncmp(name->text, "image", 5) == 0; i++)
    if (strcmp(image_names[i].text, name->text) == 0)
      return kiln_ctype_image(image_names[i].dimension, KILN_ACCESS_READ);
  return NULL;
}

// Whether the target has a type of a row.
static bool has_type(const struct kiln_sema *S, enum kiln_ctype_kind kind) {
  return kind != KILN_CT_SAMPLER || S->lang->options->images;
}

static const struct kiln_ctype *find_type(struct kiln_sema *S, const struct kiln_name *name) {
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
    if ((lanes && !type_names[i].vectors) || !has_type(S, type_names[i].kind) ||
        (S->std < type_names[i].std && !S->in_library))
      return NULL;
    if (type_names[i].atomic)
      return kiln_ctype_atomic(type_names[i].kind);
    const struct kiln_ctype *type = kiln_ctype_scalar(type_names[i].kind);
    return lanes ? kiln_ctype_vector(type, lanes) : type;
  }
  return S->lang->options->images ? find_image(name) : NULL;
}

static struct kiln_decl *find_constant(struct kiln_sema *S, struct kiln_name *name) {
  if (strncmp(name->text, "memory_", 7) != 0 && strncmp(name->text, "CLK_", 4) != 0)
    return NULL;
  for (size_t i = 0; i < COUNT(constant_names); i++) {
    if (strcmp(constant_names[i].text, name->text) != 0 || (S->std < constant_names[i].std && !S->in_library))
      continue;
    struct kiln_qtype type = kiln_plain(kiln_ctype_scalar(KILN_CT_INT));
    struct kiln_decl *decl = kiln_decl_new(S, KILN_DECL_ENUMERATOR, name, type, 0);
    decl->value = constant_names[i].value;
    return decl;
  }
  return NULL;
}

static struct kiln_symbol *find_predefined(struct kiln_sema *S, struct kiln_name_entry *entry, struct kiln_name *name) {
  entry->asked = !S->in_library; // the library sees names of later language versions, which the program may not
  struct kiln_symbol found = {.name = name};
  const struct kiln_builtin *builtin;
  if ((found.type = find_type(S, name))) {
    found.kind = KILN_SYMBOL_TYPE;
  } else if ((builtin = kiln_builtin_find(name->text, name->size, kiln_std_in_force(S), S->lang->options->images))) {
    found.kind = KILN_SYMBOL_BUILTIN;
    found.builtin = builtin;
  } else if ((found.decl = find_constant(S, name))) {
    found.kind = KILN_SYMBOL_DECL;
  } else {
    return NULL;
  }
  struct kiln_symbol *symbol = KILN_NEW(S->arena, struct kiln_symbol);
  *symbol = found;
  entry->predefined = entry->asked ? symbol : NULL;
  return symbol;
}

struct kiln_symbol *kiln_scope_find_slowly(struct kiln_sema *S, struct kiln_name *name) {
  struct kiln_name_entry *entry = kiln_scope_entry(S, name);
  if (entry->ordinary && entry->ordinary->depth >= S->floor)
    return entry->ordinary;
  if (entry->asked && (entry->predefined || !S->in_library)) // what the program may not see, the library may
    return entry->predefined;
  return find_predefined(S, entry, name);
}

struct kiln_symbol *kiln_scope_find_here(struct kiln_sema *S, struct kiln_name *name) {
  struct kiln_symbol *symbol = kiln_scope_entry(S, name)->ordinary;
  return symbol && symbol->depth == S->depth ? symbol : NULL;
}

struct kiln_symbol *kiln_scope_find_tag(struct kiln_sema *S, struct kiln_name *name, bool here) {
  struct kiln_symbol *symbol = kiln_scope_entry(S, name)->tag;
  return symbol && symbol->depth >= (here ? S->depth : S->floor) ? symbol : NULL;
}

struct kiln_symbol *kiln_scope_add(struct kiln_sema *S, enum kiln_symbol_kind kind, struct kiln_name *name,
                                   kiln_location location) {
  struct kiln_name_entry *entry = kiln_scope_entry(S, name);
  struct kiln_symbol *symbol = KILN_NEW(S->arena, struct kiln_symbol);
  symbol->kind = kind;
  symbol->depth = S->depth;
  symbol->name = name;
  symbol->location = location;
  struct kiln_symbol **slot = kind == KILN_SYMBOL_TAG ? &entry->tag : &entry->ordinary;
  symbol->outer = *slot;
  *slot = symbol;
  symbol->next = S->scopes[S->depth];
  S->scopes[S->depth] = symbol;
  return symbol;
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

const char *kiln_scope_nearest(struct kiln_sema *S, const char *name, bool types) {
  size_t size = strlen(name);
  const char *own = own_name(name);
  if (own)
    return own;
  if (size < 2 || size > 100)
    return NULL;
  unsigned best = (unsigned)(size + 2) / 3 + 1;
  const char *found = NULL;
  const struct kiln_names *names = S->lang->names;
  for (uint32_t i = 0; i < names->capacity; i++) {
    const struct kiln_name *candidate = names->slots[i];
    if (!candidate || candidate->id >= S->entry_count || candidate->size > size + best || candidate->size + best < size)
      continue;
    const struct kiln_symbol *symbol = S->entries[candidate->id].ordinary;
    if (!symbol || kiln_names_type(symbol) != types || strcmp(candidate->text, name) == 0)
      continue;
    unsigned distance = kiln_edit_distance(name, candidate->text, best);
    if (distance < best || (distance == best && found && strcmp(candidate->text, found) < 0)) {
      best = distance;
      found = candidate->text;
    }
  }
  for (size_t i = 0; types && i < COUNT(type_names); i++) {
    if (type_names[i].std > S->std || !has_type(S, type_names[i].kind))
      continue;
    unsigned distance = kiln_edit_distance(name, type_names[i].text, best);
    if (distance < best) {
      best = distance;
      found = type_names[i].text;
    }
  }
  for (size_t i = 0; types && S->lang->options->images && i < COUNT(image_names); i++) {
    unsigned distance = kiln_edit_distance(name, image_names[i].text, best);
    if (distance < best) {
      best = distance;
      found = image_names[i].text;
    }
  }
  if (found || types)
    return found;
  return kiln_builtin_nearest(name, S->std, S->lang->options->images);
}
