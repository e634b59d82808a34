// Copying instructions with all that is inside of them, into another function or into the same one.
#ifndef KILN_JIT_PASS_COPY_H
#define KILN_JIT_PASS_COPY_H

#include "jit/pass/common.h"

struct kiln_copy {
  const struct kiln_function *from;
  struct kiln_function *to;
  struct kiln_arena *arena;
  kiln_value *map;    // by value of from: its copy, or of a node the target for copies of jumps to it; 0: no entry
  uint32_t map_count; // values of from that have an entry
  // What a value without an entry becomes. Jumps to a node without an entry stay jumps to that node.
  kiln_value (*outside)(struct kiln_copy *copy, kiln_value value);
  void *user;
};

// A copy into the function itself; values without an entry stay what they are.
struct kiln_copy kiln_copy_within(struct kiln_function *fn, struct kiln_arena *arena, kiln_value *map, uint32_t count);

kiln_value kiln_copy_value(struct kiln_copy *copy, kiln_value value);
// Copies of the operands, in the arena.
kiln_value *kiln_copy_operands(struct kiln_copy *copy, kiln_value inst);
// Appends a copy of the instruction at the builder and enters it into the map.
void kiln_copy_inst(struct kiln_copy *copy, kiln_value inst, struct kiln_builder *b);

#endif
