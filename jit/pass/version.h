// Versions: a sequence of instructions moves into one side of an IF or SWITCH, and the other sides get copies of it,
// with what the condition says of some values.
#ifndef KILN_JIT_PASS_VERSION_H
#define KILN_JIT_PASS_VERSION_H

#include "jit/pass/copy.h"

// One side: where it runs, each of these values is this constant.
struct kiln_version {
  const kiln_value *values, *constants;
  uint32_t count; // 0: the side gets the sequence itself
};

// Fills the empty sides of a new node, which lies before the sequence from first to before end, all in one region.
// There is one version for each side, and one of them gets the sequence. The node gives the results of the sequence to
// what comes after it. What is computed before the sequence from the values is computed again in the copies, from the
// constants.
void kiln_versions_build(struct kiln_function *fn, struct kiln_arena *arena, kiln_value node, kiln_value end,
                         const struct kiln_version *versions);

#endif
