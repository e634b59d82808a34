// The parts of the NVPTX emitter: one work-item per value, every branch a branch. Inside of kiln-llvm.so.
//
// Address spaces are LLVM's: 1 global and constant, 3 local (shared memory), 0 generic and private. Pointers to local
// memory are its addresses in registers, where ~0 is null, since the first variable may be at 0; in memory and as
// integers they are the generic address of the same place, so that null is 0 there. docs/cuda.md fixes what the
// driver must know.
#ifndef KILN_BACKENDS_LLVM_NVPTX_H
#define KILN_BACKENDS_LLVM_NVPTX_H

#include "backends/cuda/code/meta.h"
#include "backends/llvm/gpu/gpu.h"

// Of the hidden parameter.
enum {
  KILN_LL_NVPTX_OFFSET = 0,
  KILN_LL_NVPTX_GROUP_BASE = 24,
  KILN_LL_NVPTX_NUM_GROUPS = 36,
  KILN_LL_NVPTX_FULL_SIZE = 48,
  KILN_LL_NVPTX_WORK_DIM = 60,
  KILN_LL_NVPTX_GLOBAL_SIZE = 64,
  KILN_LL_NVPTX_PRINTS = 88,
  KILN_LL_NVPTX_HIDDEN_BYTES = 96
};

// What the metadata will say.
struct kiln_ll_nvptx {
  struct kiln_cuda_meta_kernel *kernels;
  struct kiln_str *variables; // names
  struct kiln_cuda_meta_pointer *pointers;
  uint32_t kernel_count, variable_count, state_count, pointer_count;
  uint32_t *number_of;     // by module variable: 1 + its number among the variables; 0: it has no number
  LLVMValueRef table;      // of the addresses of state variables; NULL: kernels know them
  uint64_t *local_offsets; // by module variable: of local ones in kiln_dynamic; NULL: they are static shared memory
};

extern const struct kiln_ll_hooks kiln_ll_nvptx_hooks;

// ---- nvptx.c: of the family (core/family.h)
enum kiln_status kiln_ll_nvptx_finish(struct kiln_ll *ll);
void kiln_ll_nvptx_before_code(const struct kiln_ll *ll, LLVMModuleRef module);
enum kiln_status kiln_ll_nvptx_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                    struct kiln_artifact *out, struct kiln_report *report);
// A member of the hidden parameter.
LLVMValueRef kiln_ll_nvptx_hidden(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned offset);
// Reads a special register, such as "laneid".
LLVMValueRef kiln_ll_nvptx_register(struct kiln_ll *ll, const char *name);
// Code as assembly, with constraints as in LLVM IR. effects: it is more than a function of its operands.
LLVMValueRef kiln_ll_nvptx_assembly(struct kiln_ll *ll, const char *text, const char *constraints, LLVMTypeRef type,
                                    LLVMValueRef *args, uint32_t count, bool effects);

// ---- nvptx_check.c: of the family
enum kiln_status kiln_ll_nvptx_check(const struct kiln_ll *ll, LLVMModuleRef module);

// ---- nvptx_variables.c: module variables
void kiln_ll_nvptx_define_state(struct kiln_ll *ll);
LLVMValueRef kiln_ll_nvptx_state(struct kiln_ll_fn *f, uint32_t global);
// The name of a kernel in PTX.
const char *kiln_ll_nvptx_kernel_name(struct kiln_ll *ll, const char *name, uint32_t number);
// Gives all functions and variables of a module names that PTX can have.
void kiln_ll_nvptx_rename(LLVMModuleRef module);

// ---- nvptx_local.c: local variables
// The array of dynamic shared memory, where local arguments lie.
LLVMValueRef kiln_ll_nvptx_dynamic_memory(struct kiln_ll *ll);
// Decides where they lie; before the first kernel is emitted.
void kiln_ll_nvptx_place_local(struct kiln_ll *ll);
LLVMValueRef kiln_ll_nvptx_local(struct kiln_ll_fn *f, uint32_t index);
uint32_t kiln_ll_nvptx_local_bytes(struct kiln_ll *ll, const struct kiln_function *kernel); // of its local variables

// ---- nvptx_op.c: operations that this machine does its own way. False: the common way.
bool kiln_ll_nvptx_own(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);
LLVMValueRef kiln_ll_nvptx_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);

// ---- nvptx_atomic.c
LLVMValueRef kiln_ll_nvptx_atomic(struct kiln_ll_fn *f, kiln_value inst);

// ---- nvptx_math.c
bool kiln_ll_nvptx_math(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef *result);

// ---- nvptx_group.c: operations between the work-items of a warp (struct kiln_ll_gpu_hooks)
unsigned kiln_ll_nvptx_warp_log(const struct kiln_ll *ll);
LLVMValueRef kiln_ll_nvptx_lane_id(struct kiln_ll *ll);
LLVMValueRef kiln_ll_nvptx_vote(struct kiln_ll_fn *f, LLVMValueRef value, bool all);
LLVMValueRef kiln_ll_nvptx_ballot(struct kiln_ll_fn *f, LLVMValueRef value);
struct kiln_ll_gpu_words kiln_ll_nvptx_shuffle(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value, LLVMValueRef lane);
LLVMValueRef kiln_ll_nvptx_collective(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_nvptx_warp_barrier(struct kiln_ll_fn *f, bool fences);
// The work-items that take part in an exchange here, as i32, and those of a mask for which value holds.
LLVMValueRef kiln_ll_nvptx_mask(struct kiln_ll_fn *f);
LLVMValueRef kiln_ll_nvptx_ballot_of(struct kiln_ll *ll, LLVMValueRef mask, LLVMValueRef value);

// ---- nvptx_masks.c: which work-items of a warp run an exchange together
enum kiln_ll_meeting {
  KILN_LL_MEET_ALL,   // all that came to the node go on after it, or nothing after it asks
  KILN_LL_MEET_SIDES, // those that come from the side that is not left
  KILN_LL_MEET_VOTE   // those that do not go on to leave an outer node, too: they vote where the node ends
};
struct kiln_ll_nvptx_node {
  bool crosses, after;                   // it has an exchange inside; one comes after it
  bool parts;                            // some of those that run it jump out of outer nodes, and others do not
  bool diverges;                         // LOOP: work-items may leave it in different iterations
  bool votes;                            // LOOP: those of an iteration vote who runs the next one
  enum kiln_ll_meeting meeting;          // of those that go on after it
  LLVMValueRef mask;                     // of MEET_SIDES: a phi
  LLVMValueRef *sides;                   // by region, of those that run it; NULL: as before the node
  LLVMValueRef header;                   // LOOP: of those that run an iteration
  LLVMValueRef leaving[2];               // where each goes on from the node's end, and from an iteration's: a variable
  LLVMBasicBlockRef latch;               // of a LOOP that votes: where an iteration ends
  uint32_t *targets[2], target_count[2]; // what leaving is
};
struct kiln_ll_nvptx_masks {
  struct kiln_ll_nvptx_node *nodes; // by node number
  bool *varying;                    // by value: it may differ between work-items that run together
  LLVMValueRef *slots;              // by phi: what it gets from a jump that goes by way of votes
};
// Decides how the kernel's nodes are emitted; nothing, if there is no exchange.
void kiln_ll_nvptx_plan_masks(struct kiln_ll_fn *f);

// ---- nvptx_flow.c: emission of such a kernel
extern const struct kiln_ll_walker kiln_ll_nvptx_walker;

#endif
