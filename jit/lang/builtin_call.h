// Private to builtins.c and lower_builtin.c: how a built-in is carried out.
#ifndef KILN_JIT_LANG_BUILTIN_CALL_H
#define KILN_JIT_LANG_BUILTIN_CALL_H

#include "jit/lang/builtins.h"

enum kiln_builtin_how {
  KILN_HOW_OP,      // code: enum kiln_op, imm: enum kiln_fp_flags to add
  KILN_HOW_ITEM,    // code: enum kiln_op of a work-item query, imm: what other dimensions give
  KILN_HOW_SPECIAL, // code: enum kiln_special
  KILN_HOW_LIBRARY, // code: section of the library
};

enum kiln_special {
  KILN_SP_WORK_DIM,
  KILN_SP_MAD,
  KILN_SP_FUSED,   // x * y + z, rounded once where the target does that as fast
  KILN_SP_HAS_FMA, // whether it does
  KILN_SP_FMAX,    // x < y ? y : x
  KILN_SP_FMIN,
  KILN_SP_ABS,
  KILN_SP_ABS_DIFF,
  KILN_SP_UPSAMPLE,
  KILN_SP_DOT,
  KILN_SP_ISEQUAL,
  KILN_SP_ISNOTEQUAL,
  KILN_SP_ISGREATER,
  KILN_SP_ISGREATEREQUAL,
  KILN_SP_ISLESS,
  KILN_SP_ISLESSEQUAL,
  KILN_SP_ISLESSGREATER,
  KILN_SP_ISORDERED,
  KILN_SP_ISUNORDERED,
  KILN_SP_ISFINITE,
  KILN_SP_ISINF,
  KILN_SP_ISNAN,
  KILN_SP_ISNORMAL,
  KILN_SP_SIGNBIT,
  KILN_SP_ANY,
  KILN_SP_ALL,
  KILN_SP_BITSELECT,
  KILN_SP_SELECT,
  KILN_SP_VLOAD,         // imm: step in elements
  KILN_SP_VLOAD_ALIGNED, // the same, at a multiple of the step
  KILN_SP_VSTORE,        // imm: step, enum kiln_round << 8
  KILN_SP_VSTORE_ALIGNED,
  KILN_SP_BARRIER,
  KILN_SP_FENCE,       // imm: enum kiln_order
  KILN_SP_ATOMIC,      // imm: enum kiln_rmw
  KILN_SP_ATOMIC_STEP, // the same, with 1
  KILN_SP_ATOMIC_CMPXCHG,
  KILN_SP_C11_INIT, // these carry order and scope: lower_atomic.c
  KILN_SP_C11_LOAD,
  KILN_SP_C11_STORE,
  KILN_SP_C11_RMW, // imm: enum kiln_rmw
  KILN_SP_C11_CAS,
  KILN_SP_FLAG_SET,
  KILN_SP_FLAG_CLEAR,
  KILN_SP_ITEM_FENCE,
  KILN_SP_TO_SPACE, // imm: enum kiln_space
  KILN_SP_GET_FENCE,
  KILN_SP_SHUFFLE,
  KILN_SP_SHUFFLE2,
  KILN_SP_PRINTF,
  KILN_SP_NOTHING,
  KILN_SP_FIRST, // the first argument
  KILN_SP_ASSUME,
  KILN_SP_UNREACHABLE,
  KILN_SP_BITCOUNT, // imm: enum kiln_op; the result as int
  KILN_SP_BITS,     // the bits of the first argument as the result's type
  KILN_SP_NUMBER,   // the first argument converted; imm: kiln_convert()
  KILN_SP_COLLECTIVE,         // these exchange values in groups: lower_group.c. imm: KILN_COLLECT
  KILN_SP_COLLECTIVE_LOGICAL, // on predicates
  KILN_SP_BALLOT,
  KILN_SP_SUB_GROUP_SHUFFLE,
  KILN_SP_SUB_GROUP_BARRIER,
  KILN_SP_BLOCK_READ,
  KILN_SP_BLOCK_WRITE,
};

// An operation KILN_OP_GROUP_…, its scope, and what it combines by.
#define KILN_COLLECT(op, scope, reduce) (KILN_OP_GROUP_##op << 16 | KILN_SCOPE_##scope << 8 | KILN_REDUCE_##reduce)
#define KILN_COLLECT_OP(imm) ((imm) >> 16)
#define KILN_COLLECT_SCOPE(imm) ((imm) >> 8 & 0xff)
#define KILN_COLLECT_REDUCE(imm) ((imm) & 0xff)

// imm of NUMBER: saturate in bit 0, rounding mode + 1 in the bits above (0: the default of the conversion).
static inline uint64_t kiln_convert(bool saturate, unsigned round_or_0) { return saturate | round_or_0 << 1; }

struct kiln_builtin_call {
  enum kiln_builtin_how how;
  uint32_t code;
  uint64_t imm;
};

#endif
