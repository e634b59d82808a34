// What the parts of flow.c share: the graph with its analyses, and the layout of the regions.
//
// Nodes are the blocks, then the end of the function (which is block_count), then a dispatch for each irreducible part.
// The edges of the graph keep their numbers; those of dispatches follow.
#ifndef KILN_JIT_SPIRV_FLOW_GRAPH_H
#define KILN_JIT_SPIRV_FLOW_GRAPH_H

#include "base/vec.h"
#include "jit/spirv/flow.h"

#define KILN_FLOW_NONE UINT32_MAX

enum kiln_flow_step_kind {
  KILN_FLOW_CONTENT,  // of the node
  KILN_FLOW_BRANCH,   // the node's choice among its edges
  KILN_FLOW_ARM,      // what is done on edge number `node` of the innermost branch
  KILN_FLOW_JOIN,     // after the innermost branch
  KILN_FLOW_EDGE,     // what is done on the edge
  KILN_FLOW_OPEN,     // a block that ends where the node begins
  KILN_FLOW_LOOP,     // a loop of which the node is the head
  KILN_FLOW_CLOSE,    // after the innermost block or loop
  KILN_FLOW_YIELD,    // out of the innermost block or branch
  KILN_FLOW_BREAK,    // to the node, which comes after a block or a loop
  KILN_FLOW_CONTINUE, // the loop of which the node is the head
  KILN_FLOW_UNREACHABLE,
};
struct kiln_flow_step {
  enum kiln_flow_step_kind kind;
  uint32_t node; // or edge
};

struct kiln_flow {
  struct kiln_arena *arena;
  const struct kiln_flow_graph *graph;
  uint32_t leave; // the node that is the end of the function
  uint32_t node_count, edge_count, node_capacity;
  uint32_t *first, *end; // of a node: its edges are first to end - 1
  uint32_t *to;          // of an edge
  uint32_t *entry;       // of an edge to a dispatch: which of the dispatch's edges is taken from there

  // Of the nodes that are reached: by rank, which is their number in reverse postorder, and the other way round.
  uint32_t *order, *rank, reached;
  uint32_t *pred_first, *pred;      // where the edges to a node come from
  uint32_t *idom;                   // the immediate dominator
  uint32_t *dom_number, *dom_size;  // a node dominates those with dom_number + 0 to dom_size - 1
  uint32_t *old_number, *old_size;  // the same of the graph as it was given
  bool *is_head;                    // of a loop
  uint32_t *outer;                  // the head of the innermost loop around a node, other than the node's own
  uint32_t *forward;                // number of edges to a node that do not close a loop
  uint32_t *site;                   // the node after whose content, or after whose loop, the node stands
  bool *is_exit;                    // it stands after the loop
  bool *is_arm;                     // it stands where its only edge is
  uint32_t *merge, *exit, *sibling; // lists of nodes with a site, the last in order first, linked by sibling
  uint32_t *left_to;    // of a head: a node outside of the loop to which an edge of the loop leads; NONE: none
  uint32_t *scratch[6]; // node_capacity long

  KILN_VEC(struct kiln_flow_step) steps;
  uint32_t *loop_end;    // of a head: the node that a BREAK to it leaves the loop for; NONE: none
  bool *needs_block;     // a node is the target of a BREAK; blocks that end elsewhere are left out
  uint32_t *at, *region; // of a node: the step of its content, the number of its region
  uint32_t *region_end;  // the step at which the region is closed
  uint32_t depth;
};

static inline bool kiln_flow_is_in(const uint32_t *number, const uint32_t *size, uint32_t a, uint32_t b) {
  return number[b] - number[a] < size[a];
}

// Everything from order to sibling; splits the irreducible parts.
void kiln_flow_analyse(struct kiln_flow *flow);
// Everything from steps on.
void kiln_flow_lay_out(struct kiln_flow *flow);

#endif
