// Code for a warp: what a function that is emitted at many lanes has in addition to struct kiln_ll_fn. docs/spmd.md
// explains the terms.
//
// kiln_ll_fn.values holds a value in the form of its shape: a uniform one as a scalar, a linear one as the scalar of
// lane 0, a varying one as a vector. A varying value whose type is itself a vector is one flat vector, component by
// component: lane l of component c is element c * lanes + l. So arithmetic needs no other code than at one lane.
//
// Code runs only while at least one lane is on: after anything that may turn off the last lane comes a test. So uniform
// loads, scalar stores and loops need no test of their own.
#ifndef KILN_BACKENDS_LLVM_SPMD_H
#define KILN_BACKENDS_LLVM_SPMD_H

#include "backends/llvm/core/emit.h"
#include "backends/llvm/plan/plan.h"
#include "backends/llvm/plan/width.h"

// A node whose lanes take different paths.
struct kiln_ll_frame {
  struct kiln_ll_frame *up;
  uint32_t node;
  bool flat;                // a region that is emitted without blocks: it has no jumps
  bool continued;           // LOOP: lanes may wait for the next iteration
  LLVMBasicBlockRef resume; // where control goes when no lane is left; of a LOOP, its end
  LLVMBasicBlockRef header, latch;
  LLVMValueRef waiting; // LOOP: slot of the mask of lanes that wait for the next iteration
};

// The place where the value is computed, or given to the phi, in the order in which it is held.
static inline struct kiln_ll_fn kiln_ll_in_order_of(const struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll_fn copy = *f;
  copy.at.in_memory_order = f->form->ordered[v];
  return copy;
}

// ---- spmd.c
// kiln_ll_compute at many lanes; the vector of a value.
LLVMValueRef kiln_ll_spmd_compute(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_compute_wide(const struct kiln_ll_fn *f, kiln_value inst);

// ---- value.c
// kiln_ll_get at many lanes.
LLVMValueRef kiln_ll_spmd_get(struct kiln_ll_fn *f, kiln_value value);
// The vector form of a value, or of held in the form of the value's shape.
LLVMValueRef kiln_ll_wide(struct kiln_ll_fn *f, kiln_value value);
LLVMValueRef kiln_ll_widen(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef held);
// Converts a vector to the form of the value's shape; a uniform value is that of the first lane that is on.
LLVMValueRef kiln_ll_hold(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef wide);
// A value in the form of the phi's shape.
LLVMValueRef kiln_ll_slot_value(struct kiln_ll_fn *f, kiln_value phi, kiln_value value);
LLVMTypeRef kiln_ll_held_type(struct kiln_ll_fn *f, kiln_value value);
// base, and from lane to lane stride more: of a pointer in bytes.
LLVMValueRef kiln_ll_linear_vector(struct kiln_ll_fn *f, LLVMValueRef base, int64_t stride);

// ---- vector.c
// Broadcasts a scalar or vector to all lanes.
LLVMValueRef kiln_ll_broadcast(struct kiln_ll_fn *f, LLVMValueRef value);
LLVMValueRef kiln_ll_iota(struct kiln_ll_fn *f, LLVMTypeRef element, uint64_t step);
// Component c of a flat vector.
LLVMValueRef kiln_ll_component(struct kiln_ll_fn *f, LLVMValueRef value, unsigned c);
LLVMValueRef kiln_ll_join_components(struct kiln_ll_fn *f, LLVMValueRef *parts, unsigned count);
// A flat vector each of whose n components is value.
LLVMValueRef kiln_ll_repeat(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n);
// The value of one lane.
LLVMValueRef kiln_ll_of_lane(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef wide, LLVMValueRef lane);

// ---- order.c
// Conversions between component-by-component and lane-by-lane order. n components, padded to room.
LLVMValueRef kiln_ll_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
LLVMValueRef kiln_ll_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
// Takes words of n elements each apart: out[i] is element i of all lanes.
void kiln_ll_split_words(struct kiln_ll_fn *f, LLVMValueRef words, LLVMTypeRef element, unsigned n, LLVMValueRef *out);
// Whether conversions of elements of so many bytes are transpositions: several shuffles, which LLVM does not find
// itself.
bool kiln_ll_shuffles_by_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned room);
// Concatenates the chunks of lanes first, first + n, and so on.
LLVMValueRef kiln_ll_concatenate_chunks(struct kiln_ll *ll, LLVMValueRef *chunks, unsigned first, unsigned n,
                                        unsigned lanes);
// Vector k has chunks of lanes k, k + n, and so on, of n elements each; out[c] gets element c of all lanes. The
// function is its own inverse.
void kiln_ll_transpose_chunks(struct kiln_ll *ll, LLVMValueRef *vectors, unsigned n, LLVMValueRef *out);

// ---- guard.c
// A condition of the launch without which the assumptions of f->form hold for no warp: that divisors are not smaller
// than a warp. NULL: they may hold in any launch.
LLVMValueRef kiln_ll_assumptions_may_hold(struct kiln_ll_fn *f);
// For how many work-items from the current ids on the assumptions of f->form hold; at most remainder, which is not 0.
// Sets values of f.
LLVMValueRef kiln_ll_assumed_items(struct kiln_ll_fn *f, LLVMValueRef remainder);
// The condition under which inst has its shape (kiln_ll_has_condition), over all lanes of the warp.
LLVMValueRef kiln_ll_emit_condition(struct kiln_ll_fn *f, kiln_value inst);

// ---- address.c
// The linear operand that an assumed minimum or maximum equals; 0: v is neither.
kiln_value kiln_ll_clamped(const struct kiln_ll_fn *f, kiln_value v);
// The 64-bit id in lane 0 whose lower 32 bits are narrow, if the lower bits hold all of it. NULL: narrow is not the
// lower half of an id.
LLVMValueRef kiln_ll_whole_id(struct kiln_ll_fn *f, kiln_value narrow);
// An extension that is linear by the terms of its sum; NULL: it is not.
LLVMValueRef kiln_ll_sum_extension(struct kiln_ll_fn *f, kiln_value inst);
// The result of a linear padd, summed from the terms of its index. NULL: the index has no terms that can be added
// separately.
LLVMValueRef kiln_ll_sum_address(struct kiln_ll_fn *f, kiln_value inst);
// The value in lane 0 of an address that has known distances.
LLVMValueRef kiln_ll_first_lane_value(struct kiln_ll_fn *f, kiln_value v);

// ---- edge.c
LLVMValueRef kiln_ll_load_at_edge(struct kiln_ll_fn *f, kiln_value load, const struct kiln_ll_edge *edge);

// ---- checked.c
// The condition that the lanes of a full warp have neighbouring addresses.
LLVMValueRef kiln_ll_check_access(struct kiln_ll_fn *f, kiln_value access);

// ---- strided.c
// Loads from the same records take their elements from the same vectors (plan.h: kiln_ll_record).
LLVMValueRef kiln_ll_load_strided(struct kiln_ll_fn *f, kiln_value load, LLVMValueRef base, unsigned align);
void kiln_ll_store_strided(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef base,
                           const int64_t *at, unsigned align);

// ---- store_group.c
// Emits a group of stores at the last store of the group, and nothing at its other stores. Returns NULL.
LLVMValueRef kiln_ll_store_group(struct kiln_ll_fn *f, kiln_value store);

// ---- nontemporal.c
void kiln_ll_store_nontemporal(struct kiln_ll_fn *f, kiln_value store, LLVMValueRef value, unsigned align);

// ---- private.c
LLVMValueRef kiln_ll_private_array(struct kiln_ll_fn *f, kiln_value var);
LLVMValueRef kiln_ll_load_array(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_store_array(struct kiln_ll_fn *f, kiln_value inst); // NULL

// ---- shared_sets.c
// Whether one of the strides is a multiple of the sets' bytes. Emitted before the work-items.
LLVMValueRef kiln_ll_strides_share_sets(struct kiln_ll_fn *f, const struct kiln_ll_shared_sets *sets);

// ---- mask.c
LLVMTypeRef kiln_ll_mask_type(const struct kiln_ll_fn *f);
LLVMValueRef kiln_ll_mask(struct kiln_ll_fn *f);                                                // never NULL
LLVMValueRef kiln_ll_mask_and(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef condition); // mask may be NULL
LLVMValueRef kiln_ll_any(struct kiln_ll_fn *f, LLVMValueRef mask);
LLVMValueRef kiln_ll_mask_bits(struct kiln_ll_fn *f, LLVMValueRef mask); // as i64
LLVMValueRef kiln_ll_first_lane(struct kiln_ll_fn *f);                   // the first lane that is on, as i32
LLVMValueRef kiln_ll_last_lane(struct kiln_ll_fn *f);

// ---- flow.c
extern const struct kiln_ll_lane_hooks kiln_ll_spmd_hooks;
extern const struct kiln_ll_walker kiln_ll_lanes_walker;
void kiln_ll_no_lane(struct kiln_ll_fn *f); // jumps to where lanes may still be on

// ---- uniform_loop.c
// Whether the operand of the extension cannot wrap, since all lanes have passed the IF of the uniform-loop version
// (f->at.uniform_test).
bool kiln_ll_uniform_loop_fits(const struct kiln_ll_fn *f, kiln_value extension);
// Continues here while all lanes stay in the loop that the IF ends, else at f->at.remainder.
void kiln_ll_uniform_loop_test(struct kiln_ll_fn *f, kiln_value test);

// ---- divide.c
// A quotient or remainder of integers.
LLVMValueRef kiln_ll_divide_longs(struct kiln_ll_fn *f, kiln_value inst);

// ---- memory.c
LLVMValueRef kiln_ll_spmd_memory(struct kiln_ll_fn *f, kiln_value inst);
// Whether a load may run under a mask without lanes, and costs about as much as an arithmetic operation.
bool kiln_ll_is_cheap_load(struct kiln_ll_fn *f, kiln_value inst);

// ---- by_lane.c
// Runs an instruction lane by lane: calls, atomics, copies, functions of the C library.
LLVMValueRef kiln_ll_by_lane(struct kiln_ll_fn *f, kiln_value inst);

// ---- gather.c
LLVMValueRef kiln_ll_gather(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);
void kiln_ll_scatter(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef pointers, unsigned align);

// ---- contiguous.c
// Contiguous accesses of n (room) elements per lane, for the lanes of mask only (NULL: all). own: no other thread
// accesses the surrounding memory: local memory, the item block or private variables.
LLVMValueRef kiln_ll_load_contiguous(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, unsigned room,
                                     LLVMValueRef address, unsigned align, LLVMValueRef mask, bool own);
void kiln_ll_store_contiguous(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, LLVMValueRef address,
                              unsigned align, LLVMValueRef mask, bool own);

// ---- atomic.c
// One atomic operation for all lanes. Its result is arbitrary if it is unused. NULL: the operation must run lane by
// lane.
LLVMValueRef kiln_ll_spmd_atomic(struct kiln_ll_fn *f, kiln_value inst);

// ---- scalar.c
// Whether gathers and scatters go lane by lane.
bool kiln_ll_gathers_by_lane(const struct kiln_ll_fn *f);
// n adjacent elements per lane, component by component.
LLVMValueRef kiln_ll_load_by_lane(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned n, LLVMValueRef pointers,
                                  unsigned align);
// The address of each lane as a scalar; lanes that are off get that of the first lane that is on.
void kiln_ll_lane_addresses(struct kiln_ll_fn *f, LLVMValueRef pointers, LLVMValueRef *out);
void kiln_ll_store_by_lane(struct kiln_ll_fn *f, LLVMValueRef values, unsigned n, LLVMValueRef pointers,
                           unsigned align);
// A contiguous store under a mask without a branch: n (room) elements of so many bytes per lane.
void kiln_ll_store_contiguous_by_lane(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room,
                                      unsigned bytes, LLVMValueRef address, unsigned align, LLVMValueRef mask);

// ---- transpose.c
LLVMValueRef kiln_ll_load_transposed(struct kiln_ll_fn *f, kiln_value load);
// Gathers vectors of a multiple of 16 bytes; NULL for any other type.
LLVMValueRef kiln_ll_gather_transposed(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);

// ---- group.c
LLVMValueRef kiln_ll_group_op(struct kiln_ll_fn *f, kiln_value inst);

// ---- permute.c
// A contiguous access in which lane l has element l ^ flip.
struct kiln_ll_permuted {
  LLVMValueRef address; // of its first element
  LLVMValueRef flip;    // uniform, below the lanes, as i32
  LLVMValueRef guard;   // the condition under which the access is contiguous; NULL: it always is
};
void kiln_ll_begin_permuted(struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_permuted *out);
// Brings elements to their lanes, or values of lanes to their elements.
LLVMValueRef kiln_ll_permute(struct kiln_ll_fn *f, const struct kiln_ll_permuted *order, LLVMValueRef value);

// ---- shuffle.c
// Elements of x and y by their numbers; y may be NULL. -1: an arbitrary element.
LLVMValueRef kiln_ll_shuffle(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, const int *list, unsigned count);
// flip_lanes: each lane gets the value of the lane whose number differs by the bits of flip. shift_lanes: each lane
// gets the value of the lane distance before it, and lanes for which there is no such lane get first.
LLVMValueRef kiln_ll_flip_lanes(struct kiln_ll *ll, LLVMValueRef x, unsigned flip);
LLVMValueRef kiln_ll_shift_lanes(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef first, unsigned distance);
// Elements from the given one on, one as a scalar; those beyond x are arbitrary.
LLVMValueRef kiln_ll_slice(struct kiln_ll *ll, LLVMValueRef x, unsigned from, unsigned count);
// A power of two of vectors, one after another; the list is overwritten.
LLVMValueRef kiln_ll_concatenate(struct kiln_ll *ll, LLVMValueRef *parts, unsigned count);

#endif
