// From a graph of basic blocks to structured control flow. Knows nothing of SPIR-V, so that another front end may use
// it (docs/spirv.md, "Regions").
#ifndef KILN_JIT_SPIRV_FLOW_H
#define KILN_JIT_SPIRV_FLOW_H

#include "base/arena.h"
#include "kiln/ir.h"

#define KILN_FLOW_RETURN UINT32_MAX // as the target of an edge: the end of the function

struct kiln_flow_graph {
  uint32_t block_count;  // block 0 is the entry, to which no edge leads
  const uint32_t *first; // block_count + 1: edges of block b are first[b] to first[b + 1] - 1; a block without edges
                         // ends in what is never reached
  const uint32_t *to;    // target of each edge
  // Of a block: it does nothing but return, or go to a block of that kind, so that an edge to it is an early return,
  // which a break becomes, as in OpenCL C. Barriers may come after it, for which work-items that have returned count as
  // arrived; after a branch around the barriers they would not. NULL: no block does.
  const bool *returns;
};

struct kiln_flow;

// Dominators, loops, and the regions that blocks will stand in. Memory is the arena's. Time is near-linear in blocks
// and edges. The graph stays the caller's and must outlive the result.
struct kiln_flow *kiln_flow_of_graph(struct kiln_arena *arena, const struct kiln_flow_graph *graph);
// Whether the entry reaches the block. Blocks that it does not reach are not emitted.
bool kiln_flow_reached(const struct kiln_flow *flow, uint32_t block);
// In the graph as it was given. Both blocks are reached.
bool kiln_flow_dominates(const struct kiln_flow *flow, uint32_t a, uint32_t b);
// Whether a value of block a can be used in block b, after it, without a variable: a's region is open where b stands.
// Both blocks are reached; true of a block and itself. Loops, and parts that are irreducible, hide values that
// dominate.
bool kiln_flow_is_visible(const struct kiln_flow *flow, uint32_t a, uint32_t b);
// Whether the end of the function is reached. If not, leave is never called.
bool kiln_flow_returns(const struct kiln_flow *flow);
// Of the nodes that kiln_flow_emit makes: at most KILN_IR_MAX_DEPTH will do.
uint32_t kiln_flow_depth(const struct kiln_flow *flow);

// What kiln_flow_emit asks for; user is the first argument of each.
struct kiln_flow_maker {
  // The instructions of a block, all but its jump.
  void (*block)(void *user, struct kiln_builder *b, uint32_t block);
  // What happens on an edge, before the jump: the stores to the variables of phis. Once for each edge, where all values
  // that are visible in its block are visible.
  void (*edge)(void *user, struct kiln_builder *b, uint32_t edge);
  // Of a block with several edges: what chooses, right after the block's instructions. A bool takes the first of two
  // edges where it is true. An integer takes edge k + 1 where it equals (*cases)[k], else edge 0; the cases are copied
  // before the next call.
  kiln_value (*choose)(void *user, struct kiln_builder *b, uint32_t block, const int64_t **cases);
  // The end of the function, once, at the end of its body.
  void (*leave)(void *user, struct kiln_builder *b);
};
// Fills the body of a function that has at most variables in it. Variables of its own are made at the start.
void kiln_flow_emit(struct kiln_flow *flow, struct kiln_function *fn, const struct kiln_flow_maker *maker, void *user);

#endif
