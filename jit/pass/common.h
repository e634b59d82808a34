// What the passes share.
#ifndef KILN_JIT_PASS_COMMON_H
#define KILN_JIT_PASS_COMMON_H

#include "jit/facts/facts.h"
#include "jit/pass/pass.h"

// Runs a pass with memory of its own, which is freed after it. When memory is exhausted the module is marked as
// failed.
bool kiln_pass_scratch(struct kiln_module *module, void *subject, bool (*run)(void *subject, struct kiln_arena *arena));

// The bytes of vectors in memory that backends load and store at once, however far the vectors of neighbouring
// work-items are apart.
#define KILN_CHUNK_BYTES 16u

// Limits after kiln_pass_inline: instructions of all functions together, nesting of a function.
#define KILN_MAX_INLINED_SIZE 4000000u
#define KILN_MAX_INLINED_DEPTH 1000u
// Whether inlining would exceed a limit; message then says which.
bool kiln_inline_refuses(struct kiln_module *module, const struct kiln_caps *caps, char *message, size_t size);

// vectors.c: whether a function keeps its vectors although the backend wants scalars.
bool kiln_keeps_vectors(struct kiln_function *fn);
// Whether the operation is computed component by component even if vectors are held in registers as they are.
bool kiln_is_slow_on_vectors(enum kiln_op op);

// The jumps (BREAK, CONTINUE and YIELD) to each node, as lists.
struct kiln_jumps {
  kiln_value *first; // by value of the node
  kiln_value *next;  // by value of the jump
};
// Lists all jumps in regions. A jump that is removed later stays in its list, with region 0.
struct kiln_jumps kiln_jumps_find(const struct kiln_function *fn, struct kiln_arena *arena);
// The only CONTINUE of a loop; 0: it has none, or several.
kiln_value kiln_jumps_only_continue(const struct kiln_jumps *jumps, const struct kiln_function *fn, kiln_value loop);

// The phis that take the operands of a jump or a loop; NULL: the instruction gives its operands to no phi.
const struct kiln_value_list *kiln_phis_of(const struct kiln_function *fn, kiln_value inst);

// How often each value is an operand.
uint32_t *kiln_count_uses(const struct kiln_function *fn, struct kiln_arena *arena);

// Whether the operation may change memory, or wait for other work-items.
static inline bool kiln_op_writes_or_waits(enum kiln_op op) {
  enum kiln_op_effect effect = kiln_op_table[op].effect;
  return effect == KILN_EFFECT_WRITE || effect == KILN_EFFECT_SYNC || effect == KILN_EFFECT_CROSS;
}

// Whether a parameter is a pointer to memory of the space.
bool kiln_takes_pointer(const struct kiln_function *fn, enum kiln_space space);
// Whether the function has local memory of its own, or takes a pointer to some.
bool kiln_uses_local_memory(const struct kiln_function *fn);

// What has taken the place of values: by value, for the first count values. A replacement may have been replaced in
// turn; 0: the value has not been replaced.
struct kiln_replaced {
  kiln_value *by;
  uint32_t count;
};
struct kiln_replaced kiln_replaced_new(const struct kiln_function *fn, struct kiln_arena *arena);
// What is in the place of the value now.
kiln_value kiln_resolve(const struct kiln_replaced *replaced, kiln_value value);
// Puts the replacements into the operands of an instruction; of all instructions.
void kiln_resolve_operands(struct kiln_function *fn, kiln_value inst, const struct kiln_replaced *replaced);
void kiln_resolve_all(struct kiln_function *fn, const struct kiln_replaced *replaced);

// Before another analysis of a function that is the same as in the last one: its facts stay. Debug builds check that
// they hold.
void kiln_keep_facts(struct kiln_function *fn);

// Whether a function does the same in groups of all sizes: it has no local memory, and asks for no place in a group.
bool kiln_depends_on_no_groups(const struct kiln_function *fn);

uint32_t kiln_loop_size(const struct kiln_function *fn); // instructions of all loops
// Whether each of insts is an if without results, of so many instructions at most, that does nothing but store.
bool kiln_store_alone(const struct kiln_function *fn, const kiln_value *insts, uint32_t count, uint32_t most);

// Drops what kiln_function_analyse found, where a pass asks for shapes and then changes the function.
void kiln_forget_shapes(struct kiln_function *fn);

// Removes the functions that are not used (by index) from the module, and renumbers calls. False: all are used.
bool kiln_keep_functions(struct kiln_module *module, const bool *used, struct kiln_arena *arena);

// single_items.c: the value of a query in groups of one work-item in that dimension; 0: the query has the same value in
// other groups.
kiln_value kiln_query_of_one(struct kiln_function *fn, kiln_value query);

// Builds an IF, one side of which (0: where the condition holds) leaves a node with these values, while the other side
// goes on.
void kiln_build_exit(struct kiln_builder *b, kiln_value condition, uint32_t side, kiln_value node,
                     const kiln_value *values, uint32_t count);

// The leader of a value's set: leaders has for each value another one of its set, and for the leader the leader itself.
static inline kiln_value kiln_leader_of(kiln_value *leaders, kiln_value v) {
  while (leaders[v] != v)
    v = leaders[v] = leaders[leaders[v]];
  return v;
}

// Removes everything after an instruction in its region.
void kiln_remove_rest(struct kiln_function *fn, kiln_value inst);

#endif
