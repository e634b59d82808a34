// Kernels with barriers: the result of their analysis (regions.c), for their emission (barrier.c).
//
// Nodes that contain a barrier are run by the group as a whole ("group nodes"). A work-item region is a stretch of a
// group node's region between two barriers: it runs for one work-item after another, as a loop over warps. A work-item
// that leaves a group node by itself (a return or break under a varying condition) stores an exit code until the group
// reaches the end of the node (BREAK) or the node's next iteration (CONTINUE).
#ifndef KILN_BACKENDS_LLVM_GROUP_H
#define KILN_BACKENDS_LLVM_GROUP_H

#include "backends/llvm/core/emit.h"

// Analyses the kernel.
const struct kiln_ll_group *kiln_ll_group_analyse(struct kiln_ll *ll, const struct kiln_function *fn);
// barrier.c: analyses the kernel of f, and makes room for what is made of it.
void kiln_ll_begin_group(struct kiln_ll_fn *f);
void kiln_ll_group_body(const struct kiln_ll_fn *f);
extern const struct kiln_ll_group_hooks kiln_ll_barrier_hooks;

struct kiln_ll_group {
  // by node
  bool *is_group;  // run by the group
  bool *breaks;    // some work-items leave it by themselves
  bool *continues; // some work-items go to its next iteration by themselves
  // by value
  bool *uniform;         // computed once for the group
  bool *recomputed;      // by each item region that uses it: made of ids, uniform values and constants
  uint32_t *item_region; // that computes it; 0: none (phis of group nodes, values of the function)
  uint32_t *slot;        // in the item block: bytes per work-item before it; UINT32_MAX: none
  uint32_t *slot_size;   // bytes
  kiln_value *home;      // the loop phi whose slot it shares; 0: it has its own
  uint32_t item_region_count;
  uint32_t exit_slot;  // of the exit codes; UINT32_MAX: there are none
  uint32_t item_bytes; // of the item block per work-item
};

// What has been emitted of a kernel with barriers so far.
struct kiln_ll_group_made {
  uint32_t serial;            // of the last item region
  uint32_t *valid;            // by value: the item region in whose emission values[] holds
  LLVMBasicBlockRef *latches; // by loop node
  LLVMValueRef **next;        // by loop node: the phis of the latch, values for the next iteration by header phi
};

// An item region ends at a barrier, a group node, or the jump at the end of the region.
static inline bool kiln_ll_ends_item_region(const struct kiln_function *fn, const struct kiln_ll_group *g,
                                            kiln_value value) {
  const struct kiln_inst *inst = &fn->insts[value];
  return inst->op == KILN_OP_BARRIER || fn->regions[inst->region].last == value ||
         (kiln_op_is_node(inst->op) && g->is_group[inst->node]);
}

// Whether a jump at the end of a group region takes all work-items at once. False: the jump uses exit codes, since some
// work-items wait at a node that it leaves.
bool kiln_ll_group_direct(const struct kiln_function *fn, const struct kiln_ll_group *g, kiln_value jump);

// ---- group_guards.c
// The conditions that a version of the kernel may do without, as kiln_ll_cpu_fn.decided has them; NULL: the kernel has
// no such version.
uint8_t *kiln_ll_find_group_guards(const struct kiln_ll_fn *f);
// Emits the test whether the conditions of f->cpu.decided hold in the group.
LLVMValueRef kiln_ll_group_guards_hold(struct kiln_ll_fn *f);
// Emits the version of the kernel for groups in which the conditions of f->cpu.decided hold.
void kiln_ll_guarded_group_body(const struct kiln_ll_fn *f);

// ---- slot_coalescing.c
// Decides which values share a slot. Requires the sizes of slots.
void kiln_ll_group_coalesce_slots(struct kiln_ll *ll, const struct kiln_function *fn, struct kiln_ll_group *g);

#endif
