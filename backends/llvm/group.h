// What regions.c finds out about a kernel with barriers and barrier.c emits.
//
// Nodes that contain a barrier are run by the group as a whole ("group nodes"); what lies between barriers in their
// regions is a segment: it runs for one work-item after another. Work-items that leave a group node by themselves
// (a return or break under a condition of their own) carry an exit code until control of the group is where they
// wait: at the end of the node (BREAK), or at its next round (CONTINUE).
#ifndef KILN_BACKENDS_LLVM_GROUP_H
#define KILN_BACKENDS_LLVM_GROUP_H

#include "backends/llvm/emit.h"

#define KILN_LL_ORDER_TERMS 4

// The order of the warps in a segment: from the last one down if the sum of constant and factors times terms, values that
// are uniform, is positive as a number of 32 bits; else upwards.
struct kiln_ll_order {
  uint32_t constant, count;
  kiln_value terms[KILN_LL_ORDER_TERMS];
  uint32_t factors[KILN_LL_ORDER_TERMS];
};

struct kiln_ll_group {
  // by node
  bool *is_group;  // run by the group
  bool *breaks;    // work-items leave it by themselves
  bool *continues; // work-items go to its next round by themselves
  // by value
  bool *uniform;       // computed once for the group
  bool *recomputed;    // a few cheap operations on ids and uniform values, or loads that give the same again: computed
                       // anew in each segment
  uint32_t *segment;   // that computes it; 0: none (phis of group nodes, values that belong to the function)
  uint32_t *slot;      // place in the item block, in bytes per work-item before it; UINT32_MAX: none
  uint32_t *slot_size; // bytes
  kiln_value *home;    // whose slot it has: a phi of a loop; 0: its own
  struct kiln_ll_order **joined; // of a barrier that ends no segment: the order of the one that it is in; else NULL
  uint32_t segment_count;
  uint32_t exit_slot; // of the exit codes; UINT32_MAX: no work-item leaves by itself
  uint32_t item_bytes;

  // While emitting.
  uint32_t current; // serial number of the segment being emitted; 0: at group level
  uint32_t serial;
  uint32_t *valid;            // by value: the segment being emitted in which values[] holds
  LLVMBasicBlockRef preamble; // of the segment: dominates all of it
  LLVMBasicBlockRef *agains;  // by node: where a round of a loop ends
  kiln_value taken;           // IF whose condition holds for every work-item that the segment runs for; 0: none
  uint32_t exits;             // enclosing nodes that work-items leave by themselves
  LLVMBasicBlockRef group_end;
};

static inline uint32_t kiln_ll_break_code(uint32_t node) { return 2 * node + 2; }
static inline uint32_t kiln_ll_continue_code(uint32_t node) { return 2 * node + 1; }

// Whether the region is walked by the group.
static inline bool kiln_ll_group_region(const struct kiln_function *fn, const struct kiln_ll_group *g,
                                        uint32_t region) {
  kiln_value owner = fn->regions[region].owner;
  return !owner || g->is_group[fn->insts[owner].node];
}
static inline bool kiln_ll_is_node(const struct kiln_inst *inst) {
  return inst->op == KILN_OP_BLOCK || inst->op == KILN_OP_IF || inst->op == KILN_OP_LOOP || inst->op == KILN_OP_SWITCH;
}
// What ends a segment: a barrier that is not joined, a group node or the jump at the end of the region.
static inline bool kiln_ll_ends_segment(const struct kiln_function *fn, const struct kiln_ll_group *g,
                                        kiln_value value) {
  const struct kiln_inst *inst = &fn->insts[value];
  return (inst->op == KILN_OP_BARRIER && !g->joined[value]) || fn->regions[inst->region].last == value ||
         (kiln_ll_is_node(inst) && g->is_group[inst->node]);
}

// Ids that differ between the work-items of a group: computed anew wherever they are wanted.
static inline bool kiln_ll_is_item_id(enum kiln_op op) {
  return op == KILN_OP_GLOBAL_ID || op == KILN_OP_LOCAL_ID || op == KILN_OP_SUB_GROUP_SIZE ||
         op == KILN_OP_SUB_GROUP_ID || op == KILN_OP_SUB_GROUP_LOCAL_ID;
}

// How a jump at the end of a region of the group goes: with all work-items at once (true), or by exit codes because
// some wait at a node that it leaves.
bool kiln_ll_group_direct(const struct kiln_function *fn, const struct kiln_ll_group *g, kiln_value jump);

// ---- barrier.c
// Whether v is the number of the work-item in its row, of lane 0 where there are many.
bool kiln_ll_is_row_id(struct kiln_ll_fn *f, kiln_value v);

// ---- join.c
// Decides which barriers are joined.
void kiln_ll_group_join(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g);
// Finds loads that are recomputed, in the segment behind the one that they stand in. Requires numbers of segments.
void kiln_ll_group_reload(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g);

// ---- slots.c
// Decides which values share a slot. Requires sizes of slots.
void kiln_ll_group_share(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g);

#endif
