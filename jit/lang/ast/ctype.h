// Types of the kernel language. Unqualified types are unique: equal types have the same pointer.
#ifndef KILN_JIT_LANG_CTYPE_H
#define KILN_JIT_LANG_CTYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/source.h"
#include "base/str.h"
#include "kiln/ir.h"

enum kiln_ctype_kind {
  KILN_CT_VOID,
  KILN_CT_BOOL,
  KILN_CT_CHAR, // signed
  KILN_CT_UCHAR,
  KILN_CT_SHORT,
  KILN_CT_USHORT,
  KILN_CT_INT,
  KILN_CT_UINT,
  KILN_CT_LONG, // 64 bits
  KILN_CT_ULONG,
  KILN_CT_HALF,
  KILN_CT_FLOAT,
  KILN_CT_DOUBLE,
  KILN_CT_BFLOAT, // __bf16: 16 bits in memory, for conversions only
  KILN_CT_VECTOR,
  KILN_CT_POINTER,
  KILN_CT_ARRAY,
  KILN_CT_RECORD, // struct or union
  KILN_CT_ENUM,   // compatible with its integer type (base)
  KILN_CT_FUNCTION,
  KILN_CT_EVENT,   // event_t: an 8-byte handle
  KILN_CT_SAMPLER, // sampler_t: 32 bits
  KILN_CT_IMAGE,   // of parameters alone
  KILN_CT_ATOMIC,  // atomic_int and the like: what base is, for the atomic functions only
  KILN_CT_ERROR,   // of an expression that was already complained about: accepted everywhere, silently
};

enum kiln_quals { KILN_QUAL_CONST = 1, KILN_QUAL_VOLATILE = 2, KILN_QUAL_RESTRICT = 4 };

struct kiln_ctype;

// A type with what may stand before it: of a variable, a member, or what a pointer points to.
struct kiln_qtype {
  const struct kiln_ctype *type;
  uint8_t quals; // enum kiln_quals
  uint8_t space; // enum kiln_space
};

static inline struct kiln_qtype kiln_plain(const struct kiln_ctype *type) { return (struct kiln_qtype){.type = type}; }

struct kiln_member {
  struct kiln_name *name; // NULL: anonymous struct or union
  struct kiln_qtype type;
  uint64_t offset;
  kiln_location location;
};

struct kiln_ctype {
  enum kiln_ctype_kind kind;
  uint32_t lanes;            // VECTOR
  uint8_t dimension, access; // IMAGE: enum kiln_image_dimension, enum kiln_access
  uint32_t align;            // bytes
  bool complete;             // false: incomplete record, array of unknown size
  bool is_union;             // RECORD
  bool has_pointer;          // RECORD: somewhere inside; ARRAY: in its elements; POINTER
  bool is_variadic;          // FUNCTION
  uint64_t size;             // bytes; 3-vectors have the size of 4-vectors
  uint64_t count;            // ARRAY
  struct kiln_qtype
      base; // element (VECTOR, ARRAY), pointee (POINTER), result (FUNCTION), integer type (ENUM), value (ATOMIC)
  struct kiln_name *tag;       // RECORD, ENUM; NULL: none
  struct kiln_name *alias;     // RECORD, ENUM without a tag: its first typedef; NULL: none
  struct kiln_member *members; // RECORD; ENUM: the enumerators, offset being the value
  uint32_t member_count;
  struct kiln_qtype *params; // FUNCTION
  uint32_t param_count;
  const char *not_for_kernels; // RECORD: a type inside that no kernel parameter may have
  uint64_t serial;             // RECORD, ENUM: each declaration is a type of its own
};

struct kiln_ctypes; // the table of unique types

struct kiln_ctypes *kiln_ctypes_new(struct kiln_arena *arena);
extern const struct kiln_ctype kiln_ctype_scalars[KILN_CT_ERROR + 1];
static inline const struct kiln_ctype *kiln_ctype_scalar(enum kiln_ctype_kind kind) {
  return &kiln_ctype_scalars[kind];
}
static inline const struct kiln_ctype *kiln_ctype_integer(uint64_t bytes, bool is_signed) {
  enum kiln_ctype_kind kind = bytes == 1   ? KILN_CT_CHAR
                              : bytes == 2 ? KILN_CT_SHORT
                              : bytes == 4 ? KILN_CT_INT
                                           : KILN_CT_LONG;
  return &kiln_ctype_scalars[kind + !is_signed];
}
const struct kiln_ctype *kiln_ctype_image(enum kiln_image_dimension dimension, enum kiln_access access);
const char *kiln_ctype_image_name(const struct kiln_ctype *image); // "image2d_t", whatever the access
// Of int, uint, long, ulong, float or double.
const struct kiln_ctype *kiln_ctype_atomic(enum kiln_ctype_kind kind);
const struct kiln_ctype *kiln_ctype_vector(const struct kiln_ctype *element, unsigned lanes);
const struct kiln_ctype *kiln_ctype_pointer(struct kiln_ctypes *types, struct kiln_qtype pointee);
const struct kiln_ctype *kiln_ctype_array(struct kiln_ctypes *types, struct kiln_qtype element, uint64_t count,
                                          bool complete);
const struct kiln_ctype *kiln_ctype_function(struct kiln_ctypes *types, struct kiln_qtype result,
                                             const struct kiln_qtype *params, uint32_t count, bool variadic);

static inline bool kiln_ctype_is_integer(const struct kiln_ctype *t) {
  return (t->kind >= KILN_CT_BOOL && t->kind <= KILN_CT_ULONG) || t->kind == KILN_CT_ENUM;
}
static inline bool kiln_ctype_is_float(const struct kiln_ctype *t) {
  return t->kind >= KILN_CT_HALF && t->kind <= KILN_CT_DOUBLE;
}
static inline bool kiln_ctype_is_scalar_number(const struct kiln_ctype *t) {
  return kiln_ctype_is_integer(t) || kiln_ctype_is_float(t);
}
// Whether it converts to and from numbers: these, and __bf16, which no operator takes.
static inline bool kiln_ctype_is_convertible(const struct kiln_ctype *t) {
  return kiln_ctype_is_scalar_number(t) || t->kind == KILN_CT_BFLOAT;
}
static inline bool kiln_ctype_is_signed(const struct kiln_ctype *t) { // of an integer scalar, or of a vector's elements
  enum kiln_ctype_kind kind = t->kind;
  if (kind == KILN_CT_VECTOR || kind == KILN_CT_ENUM)
    kind = t->base.type->kind;
  return kind == KILN_CT_CHAR || kind == KILN_CT_SHORT || kind == KILN_CT_INT || kind == KILN_CT_LONG;
}
// Whether values of the type are for functions alone: no operator takes them, and no object holds an image.
static inline bool kiln_ctype_is_opaque(const struct kiln_ctype *t) {
  return t->kind == KILN_CT_IMAGE || t->kind == KILN_CT_SAMPLER;
}
// The element of a vector; any other type itself.
static inline const struct kiln_ctype *kiln_ctype_element(const struct kiln_ctype *t) {
  return t->kind == KILN_CT_VECTOR ? t->base.type : t;
}
// What arrays of arrays hold in the end; any other type itself.
static inline const struct kiln_ctype *kiln_ctype_innermost(const struct kiln_ctype *t) {
  while (t->kind == KILN_CT_ARRAY)
    t = t->base.type;
  return t;
}
// Whether C promotes values of one scalar type to the other, so that a call prefers it to other conversions.
static inline bool kiln_ctype_promotes(const struct kiln_ctype *from, const struct kiln_ctype *to) {
  return (from->kind < KILN_CT_INT && to->kind == KILN_CT_INT) ||
         (from->kind == KILN_CT_FLOAT && to->kind == KILN_CT_DOUBLE) ||
         (from->kind == KILN_CT_ENUM && from->base.type == to);
}
static inline unsigned kiln_ctype_lanes(const struct kiln_ctype *t) { return t->kind == KILN_CT_VECTOR ? t->lanes : 1; }

// The IR type of a value of this type: scalars (bool is I8 in memory, BOOL as a condition), vectors, pointers, enums,
// events, images, samplers. KILN_VOID for void, records and arrays.
kiln_type kiln_ctype_ir(const struct kiln_ctype *t);
// As OpenCL C writes it ("__global float *" is shown as such); in the arena.
const char *kiln_ctype_text(struct kiln_arena *arena, struct kiln_qtype type);

// The type, or the element of an array, in that address space, or with those qualifiers too.
struct kiln_qtype kiln_ctype_with_space(struct kiln_ctypes *types, struct kiln_qtype type, uint8_t space);
struct kiln_qtype kiln_ctype_with_quals(struct kiln_ctypes *types, struct kiln_qtype type, uint8_t quals);

enum { KILN_MAX_MEMBER_PATH = 256 }; // records within each other
struct kiln_member_path {
  const struct kiln_member *members[KILN_MAX_MEMBER_PATH];
  uint32_t count; // from the outermost: anonymous records, then the member
};
bool kiln_find_member(const struct kiln_ctype *record, const struct kiln_name *name, struct kiln_member_path *out);

#endif
