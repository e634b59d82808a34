// Private to builtins.c, image_builtins.c and the lowering of built-ins: how a built-in is carried out.
#ifndef KILN_JIT_LANG_BUILTIN_CALL_H
#define KILN_JIT_LANG_BUILTIN_CALL_H

#include "jit/lang/ast/builtins.h"

enum kiln_builtin_how {
  KILN_HOW_OP,      // code: enum kiln_op, imm: enum kiln_fp_flags to add
  KILN_HOW_ITEM,    // code: enum kiln_op of a work-item query, imm: what other dimensions give
  KILN_HOW_SPECIAL, // code: enum kiln_special
  KILN_HOW_LIBRARY, // code: section of the library
};

enum kiln_special {
#define SPECIAL(NAME, LOWERING) KILN_SP_##NAME,
#include "jit/lang/ast/special.def"
};

enum { // of a COMPARE: the operation, its operands exchanged, "or the other way round"
  KILN_COMPARE_OP = 0xfff,
  KILN_COMPARE_SWAPPED = 0x1000,
  KILN_COMPARE_EITHER = 0x2000,
};

// An operation KILN_OP_GROUP_…, its scope, and what it combines by.
#define KILN_COLLECT(op, scope, reduce) (KILN_OP_GROUP_##op << 16 | KILN_SCOPE_##scope << 8 | KILN_REDUCE_##reduce)
#define KILN_COLLECT_OP(imm) ((imm) >> 16)
#define KILN_COLLECT_SCOPE(imm) ((imm) >> 8 & 0xff)
#define KILN_COLLECT_REDUCE(imm) ((imm)&0xff)

// imm of NUMBER: saturate in bit 0, rounding mode + 1 in the bits above (0: the default of the conversion).
static inline uint64_t kiln_convert(bool saturate, unsigned round_or_0) { return saturate | round_or_0 << 1; }

// How well an argument suits a parameter, the best first.
enum kiln_rank {
  KILN_RANK_EXACT,
  KILN_RANK_PROMOTION,
  KILN_RANK_CONVERSION,
  KILN_RANK_SPLAT,
  KILN_RANK_NONE,
};
enum kiln_rank kiln_builtin_rank(const struct kiln_ctype *from, const struct kiln_ctype *to);

// image_builtins.c: kiln_builtin_resolve for a function of images, which is chosen by the image.
struct kiln_image_function {
  const char *name;
  uint32_t code; // KILN_SP_IMAGE_…
  uint64_t imm;
};
bool kiln_image_resolve(const struct kiln_builtin_env *env, const struct kiln_image_function *function,
                        kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                        struct kiln_builtin_overload *out);

struct kiln_builtin_call {
  enum kiln_builtin_how how;
  uint32_t code;
  uint64_t imm;
};

#endif
