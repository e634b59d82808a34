// What passes that put a loop in front of another share.
#ifndef KILN_JIT_PASS_LOOPS_H
#define KILN_JIT_PASS_LOOPS_H

#include "jit/pass/copy.h"

// "if (condition) yield else break loop" in a loop's own region, the one way out. Its sides have nothing else.
struct kiln_loop_test {
  kiln_value node;    // the if
  uint32_t exit_side; // 0: it leaves where the condition holds, 1: where it does not
};

// The first one of the loop. The caller sees to it that there is no other.
bool kiln_loop_find_test(const struct kiln_function *fn, kiln_value loop, struct kiln_loop_test *out);

// What a header phi becomes at the end of the loop's region; 0: phi is none.
kiln_value kiln_loop_next(const struct kiln_function *fn, kiln_value loop, kiln_value phi);

// Copies into the function itself; what has no entry stays what it is.
struct kiln_copy kiln_copy_in_place(struct kiln_function *fn, struct kiln_arena *arena);

// Header phis of a copied loop: names, entries of the map, and a result of the copy for each.
void kiln_loop_copy_header(struct kiln_copy *copy, kiln_value loop, kiln_value to);

// Copies an operation and what it is made of to the builder, as far as inside (by value, of count) says that it is of
// the loop. Header phis have entries in the map.
kiln_value kiln_copy_tree(struct kiln_copy *copy, const bool *inside, uint32_t count, kiln_value value,
                          struct kiln_builder *b);

#endif
