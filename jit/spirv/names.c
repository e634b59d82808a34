// Demangling, without recursion: a type in a mangled name is a row of prefixes (pointer, qualifiers, vector of) and a
// last part, so the prefixes wait in a list until the last part is known. Every list has a fixed length; what would not
// fit is no name of a built-in function.
#include "jit/spirv/names.h"

#include <stdio.h>
#include <string.h>

#include "jit/spirv/module.h"

// ---- tables --------------------------------------------------------------------------------------------------------

// Texts stand in their rows, here and in the tables below: a pointer would need a relocation.
static const struct base {
  char code[15], name[13]; // mangled; in OpenCL C
  bool has_atomic;         // there is an atomic type, whose name begins with atomic_
  uint8_t kind;            // enum kiln_kind
  bool is_number, is_enum;
} bases[] = {
    {"v", "void", false, KILN_VOID, false, false},
    {"b", "bool", false, KILN_I8, false, false},
    {"c", "char", false, KILN_I8, true, false},
    {"a", "char", false, KILN_I8, true, false},
    {"h", "uchar", false, KILN_I8, true, false},
    {"s", "short", false, KILN_I16, true, false},
    {"t", "ushort", false, KILN_I16, true, false},
    {"i", "int", true, KILN_I32, true, false},
    {"j", "uint", true, KILN_I32, true, false},
    {"l", "long", true, KILN_I64, true, false},
    {"m", "ulong", true, KILN_I64, true, false},
    {"x", "long", true, KILN_I64, true, false},
    {"y", "ulong", true, KILN_I64, true, false},
    {"Dh", "half", false, KILN_F16, true, false},
    {"DF16_", "half", false, KILN_F16, true, false},
    {"f", "float", true, KILN_F32, true, false},
    {"d", "double", true, KILN_F64, true, false},
    {"12memory_order", "memory_order", false, KILN_I32, false, true},
    {"12memory_scope", "memory_scope", false, KILN_I32, false, true},
    {"11ocl_sampler", "sampler_t", false, KILN_I32, false, true},
    {"", "", false, KILN_IMAGE, false, true}, // read_image
};
enum { BASES = sizeof bases / sizeof *bases, IMAGE = BASES - 1 };

// Of an address space: the number that SPIR targets give it, or clang's name where a target has one space for all.
static const struct space {
  char code[14];
  uint8_t space;
} spaces[] = {
    {"U3AS0", KILN_PRIVATE},       {"U3AS1", KILN_GLOBAL},           {"U3AS2", KILN_CONSTANT},
    {"U3AS3", KILN_LOCAL},         {"U3AS4", KILN_GENERIC},          {"U9CLprivate", KILN_PRIVATE},
    {"U8CLglobal", KILN_GLOBAL},   {"U10CLconstant", KILN_CONSTANT}, {"U7CLlocal", KILN_LOCAL},
    {"U9CLgeneric", KILN_GENERIC},
};
enum { SPACES = sizeof spaces / sizeof *spaces };

enum { CONST = 1, VOLATILE = 2, RESTRICT = 4 };

// Name, signature and text of each row, one after the other.
static const char intrinsics[] =
#define KILN_SPV_INTRINSIC(name, signature, text) name "\0" signature "\0" text "\0"
#include "jit/spirv/intrinsics.def"
    ;

// ---- reading -------------------------------------------------------------------------------------------------------

enum prefix_kind { POINTER, QUALIFIED, ATOMIC, VECTOR };
struct prefix {
  enum prefix_kind kind;
  uint8_t quals, space, lanes;
};

enum { MAX_PREFIXES = 8, MAX_PARTS = 48 };
struct reader {
  const char *at;
  struct kiln_spv_ctype parts[MAX_PARTS]; // that S_, S0_, … stand for
  uint32_t part_count;
};

static bool accept(struct reader *r, const char *text) {
  size_t size = strlen(text);
  if (strncmp(r->at, text, size) != 0)
    return false;
  r->at += size;
  return true;
}

// A number of at most three digits; 0: none.
static uint32_t number(struct reader *r) {
  uint32_t value = 0;
  for (unsigned i = 0; i < 3 && *r->at >= '0' && *r->at <= '9'; i++)
    value = 10 * value + (uint32_t)(*r->at++ - '0');
  return value;
}

// Address space and qualifiers in a row are one prefix. False: the name has no prefix here.
static bool read_quals(struct reader *r, struct prefix *out) {
  const char *before = r->at;
  *out = (struct prefix){.kind = QUALIFIED, .space = KILN_PRIVATE};
  for (unsigned i = 0; i < SPACES && r->at == before; i++)
    if (accept(r, spaces[i].code))
      out->space = spaces[i].space;
  out->quals |= accept(r, "r") ? RESTRICT : 0;
  out->quals |= accept(r, "V") ? VOLATILE : 0;
  out->quals |= accept(r, "K") ? CONST : 0;
  return r->at != before;
}

static bool read_prefix(struct reader *r, struct prefix *out) {
  if (accept(r, "P")) {
    *out = (struct prefix){.kind = POINTER};
    return true;
  }
  if (accept(r, "U7_Atomic")) {
    *out = (struct prefix){.kind = ATOMIC};
    return true;
  }
  const char *before = r->at;
  if (accept(r, "Dv")) {
    uint32_t lanes = number(r);
    *out = (struct prefix){.kind = VECTOR, .lanes = lanes <= 16 ? (uint8_t)lanes : 0};
    if (accept(r, "_"))
      return true;
    r->at = before;
    return false;
  }
  return read_quals(r, out);
}

// S_ is the first part that was noted, S0_ the second; the digits are of base 36.
static bool read_substitution(struct reader *r, struct kiln_spv_ctype *out) {
  if (!accept(r, "S"))
    return false;
  uint32_t index = 0;
  if (!accept(r, "_")) {
    for (unsigned i = 0; *r->at != '_'; i++, r->at++) {
      char c = *r->at;
      uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                       : c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') + 10
                                              : 36;
      if (digit == 36 || i == 2)
        return false;
      index = 36 * index + digit;
    }
    r->at++;
    index++;
  }
  if (index >= r->part_count)
    return false;
  *out = r->parts[index];
  return true;
}

static bool note(struct reader *r, const struct kiln_spv_ctype *type) {
  if (r->part_count == MAX_PARTS)
    return false;
  r->parts[r->part_count++] = *type;
  return true;
}

// "20ocl_image2d_array_ro"
static bool read_image(struct reader *r, struct kiln_spv_ctype *out) {
  static const char names[][20] = {"1d",       "1d_buffer", "1d_array", "2d",
                                   "2d_array", "3d",        "2d_depth", "2d_array_depth"}; // enum kiln_image_dimension
  static const char accesses[][4] = {
      [KILN_ACCESS_READ] = "_ro", [KILN_ACCESS_WRITE] = "_wo", [KILN_ACCESS_READ_WRITE] = "_rw"};
  uint32_t size = number(r);
  const char *end = r->at + size;
  if (!accept(r, "ocl_image"))
    return false;
  for (unsigned d = 0; d < sizeof names / sizeof *names; d++)
    for (unsigned a = KILN_ACCESS_READ; a <= KILN_ACCESS_READ_WRITE; a++) {
      size_t d_size = strlen(names[d]), a_size = strlen(accesses[a]);
      if (r->at + d_size + a_size != end || strncmp(r->at, names[d], d_size) != 0 ||
          strncmp(r->at + d_size, accesses[a], a_size) != 0)
        continue;
      *out = (struct kiln_spv_ctype){.base = IMAGE, .lanes = 1, .dimension = (uint8_t)d, .access = (uint8_t)a};
      r->at = end;
      return note(r, out);
    }
  return false;
}

static bool read_last(struct reader *r, struct kiln_spv_ctype *out) {
  if (*r->at == 'S')
    return read_substitution(r, out);
  for (unsigned i = 0; i < IMAGE; i++) {
    if (!accept(r, bases[i].code))
      continue;
    *out = (struct kiln_spv_ctype){.base = (uint8_t)i, .lanes = 1};
    return !bases[i].is_enum || note(r, out); // names are parts, letters are not
  }
  return *r->at >= '0' && *r->at <= '9' && read_image(r, out);
}

static bool is_plain(const struct kiln_spv_ctype *type) {
  return !type->is_pointer && !type->is_atomic && !type->quals && type->space == KILN_PRIVATE && type->lanes == 1;
}

static bool apply(const struct prefix *prefix, struct kiln_spv_ctype *type) {
  static const uint8_t lanes[] = {2, 3, 4, 8, 16};
  switch (prefix->kind) {
  case POINTER:
    if (type->is_pointer)
      return false; // to a pointer
    type->is_pointer = true;
    return true;
  case QUALIFIED:
    if (type->is_pointer || type->quals || type->space != KILN_PRIVATE)
      return false;
    type->quals = prefix->quals;
    type->space = prefix->space;
    return true;
  case ATOMIC:
    if (!is_plain(type) || !bases[type->base].has_atomic)
      return false;
    type->is_atomic = true;
    return true;
  case VECTOR:
    if (!is_plain(type) || !bases[type->base].is_number || !prefix->lanes ||
        !memchr(lanes, prefix->lanes, sizeof lanes))
      return false;
    type->lanes = prefix->lanes;
    return true;
  }
  return false;
}

static bool read_type(struct reader *r, struct kiln_spv_ctype *out) {
  struct prefix prefixes[MAX_PREFIXES];
  unsigned count = 0;
  while (count < MAX_PREFIXES && read_prefix(r, &prefixes[count]))
    count++;
  if (!read_last(r, out))
    return false;
  while (count-- > 0)
    if (!apply(&prefixes[count], out) || !note(r, out))
      return false;
  return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool read_name(struct reader *r, char out[KILN_SPV_MAX_NAME]) {
  uint32_t size = number(r);
  if (!size || size >= KILN_SPV_MAX_NAME || strnlen(r->at, size) < size || !is_letter(*r->at))
    return false;
  for (uint32_t i = 0; i < size; i++)
    if (!is_letter(r->at[i]) && !(r->at[i] >= '0' && r->at[i] <= '9'))
      return false;
  memcpy(out, r->at, size);
  out[size] = 0;
  r->at += size;
  return true;
}

bool kiln_spv_demangle(const char *mangled, struct kiln_spv_prototype *out) {
  struct reader r = {.at = mangled};
  *out = (struct kiln_spv_prototype){.param_count = 0};
  if (!accept(&r, "_Z") || !read_name(&r, out->name) || !*r.at)
    return false;
  if (strcmp(r.at, "v") == 0)
    return true;
  while (*r.at) {
    if (out->param_count == KILN_SPV_MAX_PARAMS || !read_type(&r, &out->params[out->param_count]))
      return false;
    const struct kiln_spv_ctype *type = &out->params[out->param_count++];
    if (!type->is_pointer &&
        (bases[type->base].kind == KILN_VOID || type->is_atomic || type->quals || type->space != KILN_PRIVATE))
      return false;
  }
  return true;
}

// ---- what the types are --------------------------------------------------------------------------------------------

void kiln_spv_ctype_text(const struct kiln_spv_ctype *type, char out[KILN_SPV_CTYPE_TEXT]) {
  static const char space_names[][9] = {
      [KILN_PRIVATE] = "private", [KILN_GLOBAL] = "global",   [KILN_CONSTANT] = "constant",
      [KILN_LOCAL] = "local",     [KILN_GENERIC] = "generic",
  };
  const struct base *base = &bases[type->base];
  char lanes[4] = "";
  if (type->lanes > 1)
    snprintf(lanes, sizeof lanes, "%u", type->lanes);
  const char *atomic = type->is_atomic ? "atomic_" : "", *name = base->name;
  if (type->base == IMAGE) {
    snprintf(out, KILN_SPV_CTYPE_TEXT, "%s %s",
             type->access == KILN_ACCESS_READ    ? "read_only"
             : type->access == KILN_ACCESS_WRITE ? "write_only"
                                                 : "read_write",
             kiln_spv_image_name(kiln_spv_ctype_ir(type)));
    return;
  }
  if (!type->is_pointer) { // whose own qualifiers do not matter
    snprintf(out, KILN_SPV_CTYPE_TEXT, "%s%s%s", atomic, name, lanes);
    return;
  }
  snprintf(out, KILN_SPV_CTYPE_TEXT, "%s%s%s %s%s%s *", type->quals & CONST ? "const " : "",
           type->quals & VOLATILE ? "volatile " : "", space_names[type->space], atomic, name, lanes);
}

kiln_type kiln_spv_ctype_ir(const struct kiln_spv_ctype *type) {
  if (type->is_pointer)
    return kiln_ptr_type((enum kiln_space)type->space);
  if (type->base == IMAGE)
    return kiln_image_type((enum kiln_image_dimension)type->dimension, (enum kiln_access)type->access);
  return kiln_vec_type((enum kiln_kind)bases[type->base].kind, type->lanes);
}

bool kiln_spv_ctype_is_enum(const struct kiln_spv_ctype *type) {
  return !type->is_pointer && bases[type->base].is_enum;
}

// ---- atomic functions of OpenCL 1.x ---------------------------------------------------------------------------------

bool kiln_spv_find_change(const struct kiln_spv_prototype *prototype, uint16_t *rmw, bool *by_one) {
  static const struct {
    char name[5];
    uint8_t rmw, of_unsigned, params;
  } changes[] = {
      {"add", KILN_RMW_ADD, KILN_RMW_ADD, 2},    {"and", KILN_RMW_AND, KILN_RMW_AND, 2},
      {"dec", KILN_RMW_SUB, KILN_RMW_SUB, 1},    {"inc", KILN_RMW_ADD, KILN_RMW_ADD, 1},
      {"max", KILN_RMW_SMAX, KILN_RMW_UMAX, 2},  {"min", KILN_RMW_SMIN, KILN_RMW_UMIN, 2},
      {"or", KILN_RMW_OR, KILN_RMW_OR, 2},       {"sub", KILN_RMW_SUB, KILN_RMW_SUB, 2},
      {"xchg", KILN_RMW_XCHG, KILN_RMW_XCHG, 2}, {"xor", KILN_RMW_XOR, KILN_RMW_XOR, 2},
  };
  const struct kiln_spv_ctype *to = &prototype->params[0];
  const struct base *base = &bases[to->base];
  if (strncmp(prototype->name, "atomic_", 7) != 0 || !prototype->param_count || !to->is_pointer || to->is_atomic ||
      to->lanes != 1 || base->kind != KILN_I32 || !base->is_number || to->quals & CONST ||
      (to->space != KILN_GLOBAL && to->space != KILN_LOCAL))
    return false;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (strcmp(prototype->name + 7, changes[i].name) != 0)
      continue;
    *rmw = base->name[0] == 'u' ? changes[i].of_unsigned : changes[i].rmw;
    *by_one = changes[i].params == 1;
    return prototype->param_count == changes[i].params &&
           (*by_one || kiln_spv_ctype_ir(&prototype->params[1]) == kiln_scalar_type(KILN_I32));
  }
  return false;
}

// ---- LLVM's intrinsic functions -------------------------------------------------------------------------------------

bool kiln_spv_find_intrinsic(const char *name, struct kiln_spv_intrinsic *out) {
  for (const char *at = intrinsics; *at; at = out->text + strlen(out->text) + 1) {
    out->name = at;
    out->signature = out->name + strlen(out->name) + 1;
    out->text = out->signature + strlen(out->signature) + 1;
    size_t size = strlen(out->name);
    if (strncmp(name, out->name, size) == 0 && (name[size] == 0 || name[size] == '.'))
      return true;
  }
  return false;
}
