// Versions: a sequence of instructions becomes "if (condition) { copy } else { sequence }", the copy with what the
// condition says of some values.
#ifndef KILN_JIT_PASS_VERSION_H
#define KILN_JIT_PASS_VERSION_H

#include "jit/pass/copy.h"

struct kiln_version {
  kiln_value first, end;                // of one region: the sequence is from first to before end
  kiln_value condition;                 // defined before first
  const kiln_value *values, *constants; // where the condition holds, each of these values is this constant
  uint32_t count;
};
// Returns the IF, which is marked as likely, and gives the results of the sequence to what comes after it; 0: memory is
// exhausted. What is computed before the sequence from the values is computed again in the copy, from the constants.
kiln_value kiln_version_build(struct kiln_function *fn, struct kiln_arena *arena, const struct kiln_version *version);

#endif
