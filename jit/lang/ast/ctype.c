// Types: scalars and vectors are constants of the program, all others are made once per compilation and found again
// through a hash table.
#include "jit/lang/ast/ctype.h"

struct kiln_ctypes {
  struct kiln_arena *arena;
  const struct kiln_ctype **slots; // open addressing; capacity is a power of two
  uint32_t count, capacity;
};

#define SCALAR(KIND, bytes) [KILN_CT_##KIND] = {.kind = KILN_CT_##KIND, .align = bytes, .size = bytes, .complete = true}
const struct kiln_ctype kiln_ctype_scalars[KILN_CT_ERROR + 1] = {
    [KILN_CT_VOID] = {.kind = KILN_CT_VOID, .align = 1, .size = 1}, // the size that arithmetic on void pointers uses
    SCALAR(BOOL, 1),
    SCALAR(CHAR, 1),
    SCALAR(UCHAR, 1),
    SCALAR(SHORT, 2),
    SCALAR(USHORT, 2),
    SCALAR(INT, 4),
    SCALAR(UINT, 4),
    SCALAR(LONG, 8),
    SCALAR(ULONG, 8),
    SCALAR(HALF, 2),
    SCALAR(FLOAT, 4),
    SCALAR(DOUBLE, 8),
    SCALAR(BFLOAT, 2),
    SCALAR(EVENT, 8),
    SCALAR(SAMPLER, 4),
    SCALAR(ERROR, 1),
};

#define ATOMIC(KIND, bytes)                                                                                            \
  [KILN_CT_##KIND] = {.kind = KILN_CT_ATOMIC,                                                                          \
                      .align = bytes,                                                                                  \
                      .size = bytes,                                                                                   \
                      .complete = true,                                                                                \
                      .base = {.type = &kiln_ctype_scalars[KILN_CT_##KIND]}}
static const struct kiln_ctype atomics[KILN_CT_DOUBLE + 1] = {
    ATOMIC(INT, 4), ATOMIC(UINT, 4), ATOMIC(LONG, 8), ATOMIC(ULONG, 8), ATOMIC(FLOAT, 4), ATOMIC(DOUBLE, 8),
};

#define VECTOR(KIND, bytes, n, storage)                                                                                \
  {                                                                                                                    \
    .kind = KILN_CT_VECTOR, .lanes = n, .align = (bytes) * (storage), .size = (bytes) * (storage), .complete = true,   \
    .base = {                                                                                                          \
      .type = &kiln_ctype_scalars[KILN_CT_##KIND]                                                                      \
    }                                                                                                                  \
  }
#define VECTORS(KIND, bytes)                                                                                           \
  [KILN_CT_##KIND] = {VECTOR(KIND, bytes, 2, 2), VECTOR(KIND, bytes, 3, 4), VECTOR(KIND, bytes, 4, 4),                 \
                      VECTOR(KIND, bytes, 8, 8), VECTOR(KIND, bytes, 16, 16)}
static const struct kiln_ctype vectors[KILN_CT_DOUBLE + 1][5] = {
    VECTORS(BOOL, 1), VECTORS(CHAR, 1), VECTORS(UCHAR, 1), VECTORS(SHORT, 2), VECTORS(USHORT, 2), VECTORS(INT, 4),
    VECTORS(UINT, 4), VECTORS(LONG, 8), VECTORS(ULONG, 8), VECTORS(HALF, 2),  VECTORS(FLOAT, 4),  VECTORS(DOUBLE, 8),
};

#define IMAGE(DIMENSION, ACCESS)                                                                                       \
  [KILN_ACCESS_##ACCESS] = {.kind = KILN_CT_IMAGE,                                                                     \
                            .align = 8,                                                                                \
                            .size = 8,                                                                                 \
                            .complete = true,                                                                          \
                            .dimension = KILN_IMAGE_##DIMENSION,                                                       \
                            .access = KILN_ACCESS_##ACCESS}
static const struct kiln_ctype images[][KILN_ACCESS_READ_WRITE + 1] = {
#define KILN_IMAGE_NAME(text, DIMENSION)                                                                               \
  [KILN_IMAGE_##DIMENSION] = {IMAGE(DIMENSION, READ), IMAGE(DIMENSION, WRITE), IMAGE(DIMENSION, READ_WRITE)},
#include "jit/lang/ast/types.def"
};
static const char *const image_names[] = {
#define KILN_IMAGE_NAME(text, DIMENSION) [KILN_IMAGE_##DIMENSION] = text,
#include "jit/lang/ast/types.def"
};

struct kiln_ctypes *kiln_ctypes_new(struct kiln_arena *arena) {
  struct kiln_ctypes *types = KILN_NEW(arena, struct kiln_ctypes);
  types->arena = arena;
  types->capacity = 64;
  types->slots = KILN_NEW_ARRAY(arena, const struct kiln_ctype *, types->capacity);
  return types;
}

const struct kiln_ctype *kiln_ctype_atomic(enum kiln_ctype_kind kind) { return &atomics[kind]; }

const struct kiln_ctype *kiln_ctype_image(enum kiln_image_dimension dimension, enum kiln_access access) {
  return &images[dimension][access];
}

const char *kiln_ctype_image_name(const struct kiln_ctype *image) { return image_names[image->dimension]; }

const struct kiln_ctype *kiln_ctype_vector(const struct kiln_ctype *element, unsigned lanes) {
  if (lanes == 1)
    return element;
  unsigned column = lanes == 2 ? 0 : lanes == 3 ? 1 : lanes == 4 ? 2 : lanes == 8 ? 3 : 4;
  return &vectors[element->kind][column];
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_qtype(uint64_t hash, struct kiln_qtype q) {
  return mix(mix(hash, (uintptr_t)q.type), q.quals | (uint64_t)q.space << 8);
}

static bool same_qtype(struct kiln_qtype a, struct kiln_qtype b) {
  return a.type == b.type && a.quals == b.quals && a.space == b.space;
}

static uint64_t hash_type(const struct kiln_ctype *t) {
  uint64_t hash = mix_qtype(t->kind, t->base);
  hash = mix(hash, t->count << 2 | (unsigned)t->complete << 1 | t->is_variadic);
  for (uint32_t i = 0; i < t->param_count; i++)
    hash = mix_qtype(hash, t->params[i]);
  return hash;
}

static bool same_type(const struct kiln_ctype *a, const struct kiln_ctype *b) {
  if (a->kind != b->kind || !same_qtype(a->base, b->base) || a->count != b->count || a->complete != b->complete ||
      a->is_variadic != b->is_variadic || a->param_count != b->param_count)
    return false;
  for (uint32_t i = 0; i < a->param_count; i++)
    if (!same_qtype(a->params[i], b->params[i]))
      return false;
  return true;
}

static void grow(struct kiln_ctypes *types) {
  const struct kiln_ctype **old = types->slots;
  uint32_t old_capacity = types->capacity;
  types->capacity *= 2;
  types->slots = KILN_NEW_ARRAY(types->arena, const struct kiln_ctype *, types->capacity);
  for (uint32_t i = 0; i < old_capacity; i++) {
    if (!old[i])
      continue;
    uint32_t slot = (uint32_t)hash_type(old[i]) & (types->capacity - 1);
    while (types->slots[slot])
      slot = (slot + 1) & (types->capacity - 1);
    types->slots[slot] = old[i];
  }
}

// The unique type that equals key; key->params are copied when it is new.
static const struct kiln_ctype *unique(struct kiln_ctypes *types, const struct kiln_ctype *key) {
  uint32_t slot = (uint32_t)hash_type(key) & (types->capacity - 1);
  for (; types->slots[slot]; slot = (slot + 1) & (types->capacity - 1))
    if (same_type(types->slots[slot], key))
      return types->slots[slot];
  struct kiln_ctype *made = KILN_NEW(types->arena, struct kiln_ctype);
  *made = *key;
  if (key->param_count) {
    made->params = KILN_NEW_ARRAY(types->arena, struct kiln_qtype, key->param_count);
    memcpy(made->params, key->params, key->param_count * sizeof *key->params);
  }
  types->slots[slot] = made;
  if (++types->count * 2 > types->capacity)
    grow(types);
  return made;
}

const struct kiln_ctype *kiln_ctype_pointer(struct kiln_ctypes *types, struct kiln_qtype pointee) {
  struct kiln_ctype key = {
      .kind = KILN_CT_POINTER, .align = 8, .size = 8, .complete = true, .has_pointer = true, .base = pointee};
  return unique(types, &key);
}

const struct kiln_ctype *kiln_ctype_array(struct kiln_ctypes *types, struct kiln_qtype element, uint64_t count,
                                          bool complete) {
  struct kiln_ctype key = {.kind = KILN_CT_ARRAY,
                           .align = element.type->align,
                           .size = complete ? element.type->size * count : 0,
                           .complete = complete,
                           .count = complete ? count : 0,
                           .has_pointer = element.type->has_pointer,
                           .base = element};
  return unique(types, &key);
}

const struct kiln_ctype *kiln_ctype_function(struct kiln_ctypes *types, struct kiln_qtype result,
                                             const struct kiln_qtype *params, uint32_t count, bool variadic) {
  struct kiln_ctype key = {.kind = KILN_CT_FUNCTION,
                           .align = 1,
                           .size = 1,
                           .complete = true,
                           .base = result,
                           .params = (struct kiln_qtype *)params,
                           .param_count = count,
                           .is_variadic = variadic};
  return unique(types, &key);
}

kiln_type kiln_ctype_ir(const struct kiln_ctype *t) {
  static const uint8_t kinds[KILN_CT_ERROR + 1] = {
      [KILN_CT_VOID] = KILN_VOID,     [KILN_CT_BOOL] = KILN_I8,    [KILN_CT_CHAR] = KILN_I8,
      [KILN_CT_UCHAR] = KILN_I8,      [KILN_CT_SHORT] = KILN_I16,  [KILN_CT_USHORT] = KILN_I16,
      [KILN_CT_INT] = KILN_I32,       [KILN_CT_UINT] = KILN_I32,   [KILN_CT_LONG] = KILN_I64,
      [KILN_CT_ULONG] = KILN_I64,     [KILN_CT_EVENT] = KILN_I64,  [KILN_CT_SAMPLER] = KILN_I32,
      [KILN_CT_HALF] = KILN_F16,      [KILN_CT_FLOAT] = KILN_F32,  [KILN_CT_DOUBLE] = KILN_F64,
      [KILN_CT_BFLOAT] = KILN_I16,    [KILN_CT_ARRAY] = KILN_VOID, [KILN_CT_RECORD] = KILN_VOID,
      [KILN_CT_FUNCTION] = KILN_VOID, [KILN_CT_ERROR] = KILN_VOID};
  if (t->kind == KILN_CT_VECTOR)
    return kiln_type_with_lanes(kiln_ctype_ir(t->base.type), t->lanes);
  if (t->kind == KILN_CT_ENUM || t->kind == KILN_CT_ATOMIC)
    return kiln_ctype_ir(t->base.type);
  if (t->kind == KILN_CT_POINTER)
    return kiln_ptr_type((enum kiln_space)t->base.space);
  if (t->kind == KILN_CT_IMAGE)
    return kiln_image_type((enum kiln_image_dimension)t->dimension, (enum kiln_access)t->access);
  return kiln_scalar_type((enum kiln_kind)kinds[t->kind]);
}

// ---- text -----------------------------------------------------------------------------------------------------------

static const char *scalar_text(enum kiln_ctype_kind kind) {
  static const char *const texts[KILN_CT_ERROR + 1] = {
      [KILN_CT_VOID] = "void",         [KILN_CT_BOOL] = "bool",       [KILN_CT_CHAR] = "char",
      [KILN_CT_UCHAR] = "uchar",       [KILN_CT_SHORT] = "short",     [KILN_CT_USHORT] = "ushort",
      [KILN_CT_INT] = "int",           [KILN_CT_UINT] = "uint",       [KILN_CT_LONG] = "long",
      [KILN_CT_ULONG] = "ulong",       [KILN_CT_HALF] = "half",       [KILN_CT_FLOAT] = "float",
      [KILN_CT_DOUBLE] = "double",     [KILN_CT_BFLOAT] = "__bf16",   [KILN_CT_EVENT] = "event_t",
      [KILN_CT_SAMPLER] = "sampler_t", [KILN_CT_ERROR] = "<invalid>",
  };
  return texts[kind];
}

static const char *quals_text(uint8_t quals) {
  static const char *const texts[8] = {
      "",          "const ",          "volatile ",          "const volatile ",
      "restrict ", "const restrict ", "volatile restrict ", "const volatile restrict ",
  };
  return texts[quals & 7];
}

static const char *space_text(uint8_t space) {
  static const char *const texts[] = {"", "__global ", "__constant ", "__local ", "__generic "};
  return space < sizeof texts / sizeof *texts ? texts[space] : "";
}

static const char *base_text(struct kiln_arena *arena, const struct kiln_ctype *t) {
  if (t->kind == KILN_CT_VECTOR)
    return kiln_arena_printf(arena, "%s%u", scalar_text(t->base.type->kind), t->lanes);
  if (t->kind == KILN_CT_RECORD || t->kind == KILN_CT_ENUM) {
    const char *word = t->kind == KILN_CT_ENUM ? "enum" : t->is_union ? "union" : "struct";
    return t->tag     ? kiln_arena_printf(arena, "%s %s", word, t->tag->text)
           : t->alias ? t->alias->text
                      : kiln_arena_printf(arena, "%s (unnamed)", word);
  }
  if (t->kind == KILN_CT_ATOMIC)
    return kiln_arena_printf(arena, "atomic_%s", scalar_text(t->base.type->kind));
  if (t->kind == KILN_CT_IMAGE) {
    static const char *const words[] = {"", "__read_only ", "__write_only ", "__read_write "};
    return kiln_arena_printf(arena, "%s%s", words[t->access], image_names[t->dimension]);
  }
  return scalar_text(t->kind);
}

static const char *params_text(struct kiln_arena *arena, const struct kiln_ctype *t) {
  const char *text = "";
  for (uint32_t i = 0; i < t->param_count && i < 64; i++)
    text = kiln_arena_printf(arena, "%s%s%s", text, i ? ", " : "", kiln_ctype_text(arena, t->params[i]));
  if (t->is_variadic)
    text = kiln_arena_printf(arena, "%s%s...", text, t->param_count ? ", " : "");
  return *text ? text : "void";
}

const char *kiln_ctype_text(struct kiln_arena *arena, struct kiln_qtype type) {
  const char *inner = ""; // the declarator, grown from the inside
  for (unsigned depth = 0; depth < 64; depth++) {
    const struct kiln_ctype *t = type.type;
    if (t->kind == KILN_CT_POINTER) {
      const char *quals = quals_text(type.quals);
      bool wrap = t->base.type->kind == KILN_CT_ARRAY || t->base.type->kind == KILN_CT_FUNCTION;
      inner = kiln_arena_printf(arena, wrap ? "(*%s%s)" : "*%s%s", quals, inner);
      size_t size = strlen(inner);
      if (!wrap && size && inner[size - 1] == ' ') // "*const "
        inner = kiln_arena_strndup(arena, inner, size - 1);
    } else if (t->kind == KILN_CT_ARRAY) {
      inner = t->complete ? kiln_arena_printf(arena, "%s[%llu]", inner, (unsigned long long)t->count)
                          : kiln_arena_printf(arena, "%s[]", inner);
    } else if (t->kind == KILN_CT_FUNCTION) {
      inner = kiln_arena_printf(arena, "%s(%s)", inner, params_text(arena, t));
    } else {
      const char *gap = *inner == '*' || *inner == '(' ? " " : "";
      return kiln_arena_printf(arena, "%s%s%s%s%s", space_text(type.space), quals_text(type.quals), base_text(arena, t),
                               gap, inner);
    }
    type = t->base;
  }
  return kiln_arena_printf(arena, "... %s", inner);
}

struct kiln_qtype kiln_ctype_with_space(struct kiln_ctypes *types, struct kiln_qtype type, uint8_t space) {
  if (type.type->kind == KILN_CT_ARRAY && type.type->base.space != space) {
    struct kiln_qtype element = kiln_ctype_with_space(types, type.type->base, space);
    type.type = kiln_ctype_array(types, element, type.type->count, type.type->complete);
  }
  type.space = space;
  return type;
}

struct kiln_qtype kiln_ctype_with_quals(struct kiln_ctypes *types, struct kiln_qtype type, uint8_t quals) {
  if (type.type->kind == KILN_CT_ARRAY && (type.type->base.quals | quals) != type.type->base.quals) {
    struct kiln_qtype element = kiln_ctype_with_quals(types, type.type->base, quals);
    type.type = kiln_ctype_array(types, element, type.type->count, type.type->complete);
  }
  type.quals |= quals;
  return type;
}

bool kiln_find_member(const struct kiln_ctype *record, const struct kiln_name *name, struct kiln_member_path *out) {
  for (uint32_t i = 0; i < record->member_count; i++) {
    const struct kiln_member *member = &record->members[i];
    if (member->name == name) {
      out->members[out->count++] = member;
      return true;
    }
    if (!member->name && member->type.type->kind == KILN_CT_RECORD && out->count + 1 < KILN_MAX_MEMBER_PATH) {
      out->members[out->count++] = member;
      if (kiln_find_member(member->type.type, name, out))
        return true;
      out->count--;
    }
  }
  return false;
}
