// Shared by the passes that version or unroll loops.
#ifndef KILN_JIT_PASS_LOOPS_H
#define KILN_JIT_PASS_LOOPS_H

#include "base/worklist.h"
#include "jit/pass/copy.h"

// The only exit of a loop: "if (condition) yield else break loop" in its own region, with nothing else in the two
// sides.
struct kiln_loop_test {
  kiln_value node;    // the if
  uint32_t exit_side; // 0: the loop is left where the condition holds, 1: where it does not
};

// Finds the first exit of the form of kiln_loop_test. The caller checks that there is no other exit.
bool kiln_loop_find_test(const struct kiln_function *fn, kiln_value loop, struct kiln_loop_test *out);

// What a header phi becomes at the end of the loop's region; 0: phi is no header phi of the loop.
kiln_value kiln_loop_next(const struct kiln_function *fn, kiln_value loop, kiln_value phi);

// Calls visit for every loop, inner ones first. It may add instructions, and nodes before and inside of the loop.
void kiln_loops_visit(struct kiln_function *fn, void (*visit)(void *user, kiln_value loop), void *user);

// Scratch memory that a pass reuses for each loop: the set of the loop's values, and maps for copies.
struct kiln_loop_room {
  struct kiln_arena *arena;
  uint32_t capacity;
  uint32_t *marks;     // by value: those of the current loop have its mark, or one more if they are the same in all
                       // iterations
  uint32_t mark;       // even
  kiln_value *maps[2]; // of copies; empty between loops
  struct kiln_worklist work;
};

// Empties the set, for the next loop.
void kiln_loop_room_begin(struct kiln_loop_room *room, const struct kiln_function *fn);
static inline bool kiln_loop_has(const struct kiln_loop_room *room, kiln_value value) {
  return value < room->capacity && room->marks[value] >= room->mark;
}
// Adds an instruction, after its operands. To be called again if its operands have been taken out of the loop.
void kiln_loop_add(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value value);
static inline void kiln_loop_take(struct kiln_loop_room *room, kiln_value value) { room->marks[value] = 0; }
void kiln_loop_add_phis(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value node);

// Whether a value is the same in all iterations: it comes from outside of the loop, or is made of such values by
// operations without effects.
static inline bool kiln_loop_invariant(const struct kiln_loop_room *room, kiln_value value) {
  return !kiln_loop_has(room, value) || room->marks[value] > room->mark;
}

// A header phi to which each iteration adds the same constant, and which a test compares with a limit that is the same
// in all iterations.
struct kiln_loop_counter {
  kiln_value phi, limit;
  enum kiln_op order; // the loop goes on while "phi order limit", of a counter that goes down while "limit order phi"
  int64_t step;       // not 0; at most KILN_LOOP_MAX_STEP up or down, of less than 32 bits 1
};
#define KILN_LOOP_MAX_STEP 4096
// False: the loop has no counter. Requires that the room has the values of the loop.
bool kiln_loop_find_counter(const struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value loop,
                            const struct kiln_loop_test *test, struct kiln_loop_counter *out);

// A loop that runs factor iterations of another loop in each of its own.
struct kiln_loop_unrolled {
  kiln_value loop, counter, limit; // copies of the values that the test of the original loop compares
  uint32_t factor;
  kiln_value condition; // without which the loop runs no iteration; 0: there is no such condition
};
// Exits the unrolled loop, with the values of its header phis, where fewer than factor iterations remain.
void kiln_loop_build_test(struct kiln_function *fn, const struct kiln_loop_counter *counter,
                          const struct kiln_loop_unrolled *unrolled, struct kiln_builder *b);

// A copy into the function itself with the map of this number; values without an entry stay what they are.
struct kiln_copy kiln_loop_copy(struct kiln_loop_room *room, struct kiln_function *fn, unsigned number);
// Empties the map of what copies of the loop have entered.
void kiln_loop_forget(struct kiln_loop_room *room, const struct kiln_function *fn, kiln_value loop, unsigned number);

// Header phis of a copied loop: names, entries of the map, and a result of the copy for each.
void kiln_loop_copy_header(struct kiln_copy *copy, kiln_value loop, kiln_value to);

// Copies a value and its operands to the builder, as far as they are in the set of the loop's values. Header phis have
// entries in the map.
kiln_value kiln_loop_copy_tree(struct kiln_copy *copy, const struct kiln_loop_room *room, kiln_value value,
                               struct kiln_builder *b);

#endif
