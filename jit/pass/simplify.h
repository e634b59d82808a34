// Between the parts of simplification: simplify.c walks the tree and finds common values, rules.c looks into the table
// of identities, rules.def, and simplify_vectors.c follows chains of instructions.
#ifndef KILN_JIT_PASS_SIMPLIFY_H
#define KILN_JIT_PASS_SIMPLIFY_H

#include "base/vec.h"
#include "jit/pass/common.h"

struct kiln_simplify_entry { // of the table of visible values
  kiln_value value;
  uint32_t hash, next; // next: index + 1
};

struct kiln_simplify {
  struct kiln_function *fn;
  struct kiln_arena *arena;
  struct kiln_jumps jumps;
  struct kiln_replaced replaced;
  uint32_t *position; // by value: order of visit, for phis that lie outside of a node
  uint32_t clock;
  uint32_t *heads, head_count; // of the table; head_count is a power of two
  KILN_VEC(struct kiln_simplify_entry) entries;
  bool changed;
  bool late; // something was replaced whose uses had been visited
};

void kiln_simplify_begin(struct kiln_simplify *s, struct kiln_function *fn, struct kiln_arena *arena);
// Another value that is the same as the instruction; 0: no such value is known. Operands are resolved.
kiln_value kiln_simplify_algebra(struct kiln_simplify *s, kiln_value inst);
// Another value that is the same as the instruction, for what rules cannot say (simplify_vectors.c).
kiln_value kiln_simplify_chain(struct kiln_simplify *s, kiln_value inst);
// Builds an operation before inst and simplifies it in turn.
kiln_value kiln_simplify_make(struct kiln_simplify *s, kiln_value inst, enum kiln_op op, kiln_type type,
                              const kiln_value *operands, uint32_t count, uint64_t imm, uint16_t flags);
bool kiln_op_is_commutative(enum kiln_op op);

#endif
