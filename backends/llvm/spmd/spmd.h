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

// A form of a warp: what is known of the kernel's values in it, and how its loads and stores are made. All of it is
// found before the form is emitted.
struct kiln_ll_spmd {
  unsigned lanes;
  bool full;                       // no warp but full ones runs this form
  bool assumes;                    // early guards hold: they were tested before the warp
  bool gathers_large_strides;      // kiln_ll_gathers_large_strides
  const struct kiln_shape *shapes; // by value
  const bool *divergent;           // by node
  const bool *loses;           // by node: a lane that enters it may leave an outer node or return, and then does not
                               // run what comes after the node
  const bool *gathers;         // by loop node: lanes enter the next iteration at different points or times
  const uint8_t *element;      // by pointer into an array of lanes: bytes of its elements; 0: a plain pointer
  const kiln_value *array;     // by pointer into a private array: the variable (private.c); 0: another pointer
  const bool *ordered;         // by vector of the language, or store of one: held in the order of memory, lane after
                               // lane, not component after component (memory_order.c)
  const bool *used;            // by value: an instruction takes it
  const bool *tainted;         // by value: linear only if a guard holds that is tested where the value is used
  const bool *prefetches;      // by pointer: prefetch the memory of a later warp when it is loaded; NULL: none
  const uint32_t *nontemporal; // by pointer: 1 + the parameter it points into, if stores to it may be non-temporal;
                               // NULL: none may
  struct kiln_ll_access *const *plan; // by load or store (plan.h)
  struct kiln_ll_spmd_made *made;
};

// What has been made of a form so far.
struct kiln_ll_spmd_made {
  LLVMValueRef *guards;   // by tainted value: the guard; NULL: holds
  LLVMValueRef *slots;    // by phi: its stack slot while control flow is emitted
  LLVMValueRef *arrivals; // by node: slot of the mask of lanes that arrive after it
  LLVMValueRef *wide;     // by value: the vector form, as made in wide_block
  LLVMBasicBlockRef *wide_block;
  bool *prefetched;            // by pointer
  kiln_value record_load;      // the last load from records, in record_block
  LLVMValueRef record_address; // of their first byte
  LLVMBasicBlockRef record_block;
};

// 1 + the region that all work-items of the group run; 0: unknown.
static inline unsigned kiln_ll_decided(const struct kiln_ll_fn *f, uint32_t node) {
  return f->cpu.decided ? f->cpu.decided[node] : 0;
}
// The place where the value is computed, or given to the phi, in the order in which it is held.
static inline struct kiln_ll_fn kiln_ll_in_order_of(const struct kiln_ll_fn *f, kiln_value v) {
  struct kiln_ll_fn copy = *f;
  copy.at.in_memory_order = f->spmd->ordered[v];
  return copy;
}
static inline struct kiln_shape kiln_ll_shape(const struct kiln_ll_fn *f, kiln_value v) { return f->spmd->shapes[v]; }

// ---- width.c
struct kiln_ll_width {
  unsigned lanes, per_register; // per_register: the work-items that fit one
  const char *reason;           // why there are no more, or no fewer
};
struct kiln_ll_width kiln_ll_spmd_width(struct kiln_ll *ll, const struct kiln_function *fn);
// The registers that a value of 32 bits takes.
uint32_t kiln_ll_spmd_registers(struct kiln_ll_width width);
// Whether that is what the options ask for, if they do.
bool kiln_ll_spmd_is_asked(const struct kiln_ll *ll, struct kiln_ll_width width);
// Whether warps of several sub-groups would be faster, and what the kernel does with sub-groups can be done in them.
bool kiln_ll_spmd_may_split_sub_groups(struct kiln_ll *ll, const struct kiln_function *fn);
// Has shapes found again for warps of no more lanes than this, if they are better: id >> 3 and id & 7 are uniform and
// linear in 8 lanes. Takes fewer lanes, for another reason, where accesses that those share make up for it.
void kiln_ll_spmd_align_width(const struct kiln_ll_fn *f, struct kiln_function *fn, struct kiln_ll_width *width);

// Whether most operations of the kernel, or of its largest loop, wait for one another, in chains that are longer than a
// processor looks ahead.
bool kiln_ll_spmd_waits(struct kiln_ll *ll, const struct kiln_function *fn);
uint32_t kiln_ll_spmd_size(const struct kiln_function *fn); // instructions
// Whether there is code for full warps beside that under a mask: in kernels of no more than small instructions, and
// where many accesses would be masked that need not be, and that is slow.
bool kiln_ll_spmd_is_twice(const struct kiln_ll *ll, const struct kiln_function *fn, uint32_t small);
// Whether all lanes only load, store and convert elements narrower than 32 bits.
bool kiln_ll_spmd_is_wordy(const struct kiln_function *fn);

// ---- loops.c
// The value of an integer constant, with its sign.
bool kiln_ll_constant(const struct kiln_function *fn, kiln_value v, int64_t *out);
bool kiln_ll_uses(const struct kiln_function *fn, enum kiln_op op);
bool kiln_ll_has_loop(const struct kiln_function *fn, uint32_t region);
// How often a value, or the body of a loop, is assumed to run.
uint64_t kiln_ll_iterations(const struct kiln_function *fn, kiln_value v);
// Whether the elements of the lanes, or of the group's work-items, lie side by side, if what guards the shape holds.
bool kiln_ll_is_contiguous(const struct kiln_function *fn, const struct kiln_shape *shapes, kiln_value access);
// In the order of the program: the instruction after v, in the region or inside of one in it; 0: v is the last.
kiln_value kiln_ll_next_within(const struct kiln_function *fn, uint32_t region, kiln_value v);
// The first instruction from v on that is more than a pure operation or a query.
kiln_value kiln_ll_first_effect(const struct kiln_function *fn, kiln_value v);
// By value: the private variable that it points into, by additions and conversions; 0: none.
kiln_value *kiln_ll_variables_of(struct kiln_ll *ll, const struct kiln_function *fn);
// Whether this is the remainder loop that a pass has left after a loop that it has made. Its body does not count when
// lanes are chosen.
bool kiln_ll_is_remainder(const struct kiln_function *fn, kiln_value v);
bool kiln_ll_is_in_remainder(const struct kiln_function *fn, kiln_value v);

// ---- large_stride.c
// Whether a loop accesses memory with a large stride between work-items. More work-items per warp then touch more cache
// lines, which all map to a few cache sets if the stride is a power of two.
bool kiln_ll_has_large_strides(const struct kiln_function *fn);
// Whether all such accesses in loops are loads from one buffer.
bool kiln_ll_loads_one_large_stride(const struct kiln_function *fn);
// Whether such accesses go element by element: 16 lines whose distance is a power of two exceed the associativity of
// the first-level cache, and on AMD processors a gather takes longer than scalar accesses.
bool kiln_ll_gathers_large_strides(const struct kiln_function *fn);
// The condition under which accesses of several arrays in loops have a stride between lanes that puts all of their
// lines into a few sets of the cache, so that fewer *lanes are faster. Emitted before the work-items. NULL: never.
LLVMValueRef kiln_ll_strides_share_sets(struct kiln_ll_fn *f, unsigned *lanes);
// Whether the kernel's loops mostly store consecutive elements with such a stride: scalar work-items are then faster.
bool kiln_ll_fills_large_strides(struct kiln_ll *ll, const struct kiln_function *fn);
// The bytes of an element, if a work-item accesses more elements at multiples of SET_BYTES than such sets of the cache
// hold, as in a[k * 1024 + id]: a line is gone when the next warp comes to it. Otherwise 0.
unsigned kiln_ll_bytes_that_share_sets(const struct kiln_function *fn);

// Whether an address or index grows from lane to lane by a factor that is unknown, or by so much or more.
bool kiln_ll_has_large_stride(const struct kiln_function *fn, kiln_value v, int64_t far);

// ---- stride.c
struct kiln_ll_stride {
  bool known;
  int64_t step; // of an address: in bytes
};
// How far a value moves from one work-item to the next, in most places: a guess, which only speed may depend on.
// shapes: those along dimension 0; NULL: the question is about dimension 1.
struct kiln_ll_stride kiln_ll_likely_stride(const struct kiln_function *fn, const struct kiln_shape *shapes,
                                            kiln_value v);

// ---- slices.c
// Whether all innermost loops reduce a slice of memory of each work-item's own: LLVM then vectorises those of one
// work-item at a time.
bool kiln_ll_reduces_slices(struct kiln_ll *ll, const struct kiln_function *fn);

// ---- interchange.c
// Whether tiles are faster than long rows, since some accesses are contiguous only along dimension 1.
bool kiln_ll_gains_by_tiles(const struct kiln_function *fn);
// Whether dimensions 0 and 1 of a kernel that is not flat can be interchanged.
bool kiln_ll_may_interchange_groups(const struct kiln_function *fn);
// Whether groups with long columns gain by it, where there are no barriers.
bool kiln_ll_gains_by_columns(const struct kiln_ll *ll, const struct kiln_function *fn);
// Whether launches in groups of 1 x N gain by merged groups. Analyses the kernel once more.
bool kiln_ll_gains_by_merging(const struct kiln_ll *ll, struct kiln_function *fn);
// Interchanges dimensions 0 and 1 of a flat kernel, and recomputes its shapes, if the machine asks for it or it is
// faster; of another kernel only if the machine asks. False: the kernel is unchanged.
bool kiln_ll_interchange(const struct kiln_ll *ll, struct kiln_function *fn);

// ---- spmd.c
// A form of the kernel. full: for full warps alone, which were tested for early guards where there are any.
struct kiln_ll_spmd *kiln_ll_spmd_begin(const struct kiln_ll_fn *f, unsigned lanes, bool full);
// Whether v is the work-item's position in its row (of lane 0, at many lanes).
bool kiln_ll_is_row_id(struct kiln_ll_fn *f, kiln_value v);
// kiln_ll_compute and kiln_ll_get at many lanes.
LLVMValueRef kiln_ll_spmd_compute(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_spmd_get(struct kiln_ll_fn *f, kiln_value value);
// The vector form of a value, or of held in the form of the value's shape.
LLVMValueRef kiln_ll_wide(struct kiln_ll_fn *f, kiln_value value);
LLVMValueRef kiln_ll_widen(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef held);
// The value of one lane.
LLVMValueRef kiln_ll_of_lane(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef wide, LLVMValueRef lane);
// Converts a vector to the form of the value's shape; a uniform value is that of the first lane that is on.
LLVMValueRef kiln_ll_hold(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef wide);
// A value in the form of the phi's shape.
LLVMValueRef kiln_ll_slot_value(struct kiln_ll_fn *f, kiln_value phi, kiln_value value);
LLVMTypeRef kiln_ll_held_type(struct kiln_ll_fn *f, kiln_value value);
// Broadcasts a scalar or vector to all lanes.
LLVMValueRef kiln_ll_broadcast(struct kiln_ll_fn *f, LLVMValueRef value);
LLVMValueRef kiln_ll_iota(struct kiln_ll_fn *f, LLVMTypeRef element, uint64_t step);
// Conversions between component-by-component and lane-by-lane order. n components, padded to room.
LLVMValueRef kiln_ll_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
LLVMValueRef kiln_ll_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
// Component c of a flat vector.
LLVMValueRef kiln_ll_component(struct kiln_ll_fn *f, LLVMValueRef value, unsigned c);
LLVMValueRef kiln_ll_join_components(struct kiln_ll_fn *f, LLVMValueRef *parts, unsigned count);
// A flat vector each of whose n components is value.
LLVMValueRef kiln_ll_repeat(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n);

// ---- guard.c
// Whether the instruction itself has its shape only under a condition: an extension, a minimum or maximum, a
// comparison.
bool kiln_ll_spmd_is_root(const struct kiln_ll_fn *f, kiln_value inst);
bool kiln_ll_spmd_is_clamp(enum kiln_op op);
// Whether the condition is tested before the warp runs.
bool kiln_ll_spmd_is_assumed(const struct kiln_ll_fn *f, kiln_value inst);
// Whether there is anything that full warps may assume.
bool kiln_ll_spmd_may_assume(const struct kiln_function *fn);
// Whether early guards hold for a prefix of each row: later work-items do nothing, or have a position that was clamped.
bool kiln_ll_spmd_assumes_ends_of_rows(const struct kiln_function *fn);
// Whether they assume that no multiple of a divisor is within the warp, which is never so if the divisor is small.
bool kiln_ll_spmd_assumes_divisions(const struct kiln_function *fn);
// A condition of the launch without which the assumptions of f->spmd hold for no warp: that divisors are not smaller
// than a warp. NULL: there is none.
LLVMValueRef kiln_ll_spmd_may_hold(struct kiln_ll_fn *f);
// For how many work-items from the current ids on the assumptions of f->spmd hold; at most rest, which is not 0. Sets
// values of f.
LLVMValueRef kiln_ll_spmd_run(struct kiln_ll_fn *f, LLVMValueRef remainder);
// The condition of a root over all lanes of the warp.
LLVMValueRef kiln_ll_spmd_guard(struct kiln_ll_fn *f, kiln_value inst);
// By value: kiln_ll_spmd.tainted.
const bool *kiln_ll_spmd_find_taint(const struct kiln_ll_fn *f);

// ---- address.c
// The linear operand that an assumed minimum or maximum equals; 0: v is neither.
kiln_value kiln_ll_spmd_clamped(const struct kiln_ll_fn *f, kiln_value v);
// The 64-bit id in lane 0 whose lower 32 bits are narrow, if these hold all of it. NULL: there is none.
LLVMValueRef kiln_ll_spmd_whole_id(struct kiln_ll_fn *f, kiln_value narrow);
// An extension that is linear by the terms of its sum; NULL: it is not.
LLVMValueRef kiln_ll_spmd_sum(struct kiln_ll_fn *f, kiln_value inst);
// The result of a linear padd, summed from the terms of its index. NULL: it has no such terms.
LLVMValueRef kiln_ll_spmd_sum_address(struct kiln_ll_fn *f, kiln_value inst);

// ---- memory_order.c
// Makes kiln_ll_spmd.ordered.
const bool *kiln_ll_find_memory_order(const struct kiln_ll_fn *f);

// ---- private.c
// Finds private variables that can be arrays of lanes: element k of lane l is at (k * lanes + l) times the element's
// size. A pointer into one is held as that of lane 0, so that accessing an element in all lanes is contiguous.
// Sets the sizes of their elements, and the shapes of pointers into them. Returns kiln_ll_spmd.array.
const kiln_value *kiln_ll_spmd_find_arrays(const struct kiln_ll_fn *f, uint8_t *element, struct kiln_shape *shapes);
// Has lanes share the arrays in which they all store the same values at the same places. Requires what
// kiln_ll_spmd_find_losses finds.
void kiln_ll_spmd_share_arrays(const struct kiln_ll_fn *f, uint8_t *element);
LLVMValueRef kiln_ll_spmd_array(struct kiln_ll_fn *f, kiln_value var);
LLVMValueRef kiln_ll_spmd_array_load(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_spmd_array_store(struct kiln_ll_fn *f, kiln_value inst); // NULL

// ---- flow.c
LLVMValueRef kiln_ll_mask(struct kiln_ll_fn *f);                                                // never NULL
LLVMValueRef kiln_ll_mask_and(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef condition); // mask may be NULL
LLVMValueRef kiln_ll_any(struct kiln_ll_fn *f, LLVMValueRef mask);
LLVMValueRef kiln_ll_mask_bits(struct kiln_ll_fn *f, LLVMValueRef mask); // as i64
LLVMValueRef kiln_ll_first_lane(struct kiln_ll_fn *f);                   // the first lane that is on, as i32
LLVMValueRef kiln_ll_last_lane(struct kiln_ll_fn *f);

extern const struct kiln_ll_lane_hooks kiln_ll_spmd_hooks;
void kiln_ll_spmd_no_lane(struct kiln_ll_fn *f); // jumps to where lanes may still be on
// Makes kiln_ll_spmd.loses; nodes that lanes leave become divergent.
const bool *kiln_ll_spmd_find_losses(const struct kiln_ll_fn *f, bool *divergent);
// Whether the region does not run in the version for groups in which the group's guards hold.
bool kiln_ll_is_guarded_off(const struct kiln_ll_fn *f, uint32_t region);
const bool *kiln_ll_spmd_find_merging_loops(const struct kiln_ll_fn *f); // kiln_ll_spmd.gathers

// ---- uniform_loop.c
// The IF by which lanes leave the divergent loop, if a uniform-loop version of it pays; else 0.
kiln_value kiln_ll_spmd_uniform_loop(const struct kiln_ll_fn *f, kiln_value loop);
// Whether the operand of the extension cannot wrap, since all lanes have passed that IF.
bool kiln_ll_spmd_uniform_loop_fits(const struct kiln_ll_fn *f, kiln_value extension);
// Continues here while all lanes stay in the loop that the IF ends, else at f->at.remainder.
void kiln_ll_spmd_uniform_loop_test(struct kiln_ll_fn *f, kiln_value test);

// ---- divide.c
// A quotient or remainder of integers.
LLVMValueRef kiln_ll_divide_longs(struct kiln_ll_fn *f, kiln_value inst);

// ---- memory.c
LLVMValueRef kiln_ll_spmd_memory(struct kiln_ll_fn *f, kiln_value inst);
// Finds contiguous loads of global memory to prefetch: in kernels with much work per load and no loops over other work.
const bool *kiln_ll_spmd_find_prefetches(const struct kiln_ll_fn *f);
// Whether a load may run under a mask without lanes, and costs about as much as an arithmetic operation.
bool kiln_ll_is_cheap_load(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_gather(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);
// Takes words of n elements each apart: out[i] is element i of all lanes.
void kiln_ll_split_words(struct kiln_ll_fn *f, LLVMValueRef words, LLVMTypeRef element, unsigned n, LLVMValueRef *out);
void kiln_ll_scatter(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef pointers, unsigned align);
// Runs an instruction lane by lane: calls, atomics, copies, functions of the C library.
LLVMValueRef kiln_ll_spmd_by_lane(struct kiln_ll_fn *f, kiln_value inst);
// Contiguous accesses of n (room) elements per lane, for the lanes of mask only (NULL: all). own: no other thread
// accesses the surrounding memory: local memory, the item block or private variables.
LLVMValueRef kiln_ll_load_contiguous(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, unsigned room,
                                     LLVMValueRef address, unsigned align, LLVMValueRef mask, bool own);
void kiln_ll_store_contiguous(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, LLVMValueRef address,
                              unsigned align, LLVMValueRef mask, bool own);

// ---- nontemporal.c
const uint32_t *kiln_ll_spmd_find_nontemporal(const struct kiln_ll_fn *f);

// ---- atomic.c
// One atomic operation for all lanes. Its result is arbitrary if it is unused. NULL: it runs lane by lane.
LLVMValueRef kiln_ll_spmd_atomic(struct kiln_ll_fn *f, kiln_value inst);

// ---- scalar.c
// Whether gathers and scatters go lane by lane.
bool kiln_ll_is_by_lane(const struct kiln_ll_fn *f);
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

// ---- rows.c
// The most work-items that can be in a row, as far as their stores tell; 0: these tell nothing.
uint64_t kiln_ll_row_of_stores(const struct kiln_function *fn);

// ---- transpose.c
// Whether it is a vector of a multiple of 16 bytes, which lanes access one by one and by chunks of 16 bytes.
bool kiln_ll_is_transposed_vector(const struct kiln_ll_fn *f, kiln_type type);
// Gathers vectors of that kind; NULL for any other type.
LLVMValueRef kiln_ll_gather_transposed(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);
// kiln_ll_to_lanes and kiln_ll_from_lanes where the first says so: of several shuffles, which LLVM does not find
// itself.
bool kiln_ll_has_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned room);
LLVMValueRef kiln_ll_chunks_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
LLVMValueRef kiln_ll_chunks_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);

// ---- group.c
LLVMValueRef kiln_ll_spmd_group_op(struct kiln_ll_fn *f, kiln_value inst);

// ---- permute.c
// Whether the operands that v is computed from, not only v itself, are available where inst is emitted.
bool kiln_ll_has_operands(const struct kiln_ll_fn *f, kiln_value inst, kiln_value v);
// A contiguous access in which lane l has element l ^ flip.
struct kiln_ll_permuted {
  LLVMValueRef address; // of its first element
  LLVMValueRef flip;    // uniform, below the lanes, as i32
  LLVMValueRef guard;   // the condition under which it is one; NULL: always
};
void kiln_ll_begin_permuted(struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_permuted *out);
// From elements to lanes, or back.
LLVMValueRef kiln_ll_permute(struct kiln_ll_fn *f, const struct kiln_ll_permuted *order, LLVMValueRef value);

// ---- shuffle.c
// Elements of x and y by their numbers; y may be NULL. -1: an arbitrary element.
LLVMValueRef kiln_ll_shuffle(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef y, const int *list, unsigned count);
// The value of each lane from the lane whose number differs by the bits of flip; from the lane so many before it, or of
// first where there is none.
LLVMValueRef kiln_ll_flip_lanes(struct kiln_ll *ll, LLVMValueRef x, unsigned flip);
LLVMValueRef kiln_ll_shift_lanes(struct kiln_ll *ll, LLVMValueRef x, LLVMValueRef first, unsigned distance);
// Elements from the given one on, one as a scalar; those beyond x are arbitrary.
LLVMValueRef kiln_ll_slice(struct kiln_ll *ll, LLVMValueRef x, unsigned from, unsigned count);
// A power of two of vectors, one after another; the list is overwritten.
LLVMValueRef kiln_ll_concatenate(struct kiln_ll *ll, LLVMValueRef *parts, unsigned count);

#endif
