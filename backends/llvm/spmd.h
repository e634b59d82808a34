// Many lanes: what a function that is emitted for a warp of work-items has beyond struct kiln_ll_fn. docs/spmd.md has
// the terms.
//
// kiln_ll_fn.values holds a value in the form that its shape says: uniform as a scalar, linear as the scalar of lane 0,
// varying as a vector. A varying value of n lanes of the language is one flat vector, component by component: lane l of
// component c is element c * lanes + l. So arithmetic needs no other code than at one lane.
//
// Code runs only while at least one lane is on: whatever may turn the last one off is followed by a test. Therefore
// uniform loads, scalar stores and loops need no test of their own.
#ifndef KILN_BACKENDS_LLVM_SPMD_H
#define KILN_BACKENDS_LLVM_SPMD_H

#include "backends/llvm/emit.h"

#define KILN_LL_MAX_LANES 64

// A construct whose lanes take different ways.
struct kiln_ll_frame {
  struct kiln_ll_frame *up;
  uint32_t node;
  bool is_loop;
  bool flat;                // a region without blocks of its own: nothing jumps
  bool continued;           // LOOP: lanes may wait for the next round
  LLVMBasicBlockRef resume; // where control goes when no lane is left. LOOP: the end of the loop
  LLVMBasicBlockRef header, latch;
  LLVMValueRef waiting; // LOOP: slot of the mask of lanes that wait for the next round
};

struct kiln_ll_pair; // spmd_pattern.c: a store that waits for another one

struct kiln_ll_spmd {
  unsigned lanes;
  struct kiln_ll_pair *pair; // NULL: none waits
  struct kiln_ll_record *record; // likewise
  bool packed;             // warps follow the linear local id: rows may begin and end inside of one
  LLVMValueRef lane_id[3]; // packed: the local ids of the warp's lanes, as vectors
  struct kiln_shape *shapes; // by value
  bool *divergent;           // by node
  bool *loses;               // by node: lanes that enter it may not arrive behind it
  bool *gathers;             // by node, of loops: lanes come to the next round from several places, or at several times
  uint8_t *element;          // by pointer into an array of lanes: bytes of its elements; 0: a plain pointer
  bool *used;                // by value: an instruction takes it
  bool *prefetches;          // by pointer: the row shall be prefetched where it is loaded next; NULL: none
  uint32_t *streams;         // by pointer: 1 + the parameter that rows stored there belong to, if these may go around the
                             // cache; NULL: none may
  bool gathers_rows;         // kiln_ll_gathers_own_rows
  bool assumes;              // guards that are early hold: they were tested before the warp
  bool *tainted;             // by value: linear only if a guard holds that is tested where the value is used
  LLVMValueRef *guards;      // by value: the guard; NULL: holds
  LLVMValueRef *slots;       // by phi: its place while control flow decides
  LLVMValueRef *arrivals;    // by node: slot of the mask of lanes that arrive behind it
  LLVMValueRef *wide;        // by value: the vector form, as made in wide_block
  LLVMBasicBlockRef *wide_block;
  bool split_masks;  // masks are held a register's lanes at a time: parts of them cost nothing, one number of all does
  bool is_wide;      // operands are taken in vector form
  LLVMValueRef mask; // lanes that are on; NULL: all
  LLVMValueRef base; // the same at the start of the segment
  struct kiln_ll_frame *frame;
  kiln_value staying;     // IF that ends a loop, while rounds that all lanes take part in are emitted; 0: none
  kiln_value staying_id;  // the linear value that it tests, which then does not wrap
  bool staying_signed;    // as a signed number
  LLVMBasicBlockRef rest; // of that loop: where the rounds go on that not all lanes take part in
};

static inline struct kiln_shape kiln_ll_shape(const struct kiln_ll_fn *f, kiln_value v) { return f->spmd->shapes[v]; }

// ---- spmd_width.c
// Decides how many lanes the kernel gets, and why not more (*reason; NULL when it gets all). *per_register: how many
// work-items a register has room for.
unsigned kiln_ll_spmd_lanes(struct kiln_ll *ll, const struct kiln_function *fn, unsigned *per_register,
                            const char **reason);

// own_rows.c: whether this is a loop that a pass has left for what the loop that it put in front of it does not do. What
// it has inside does not count where lanes are chosen.
bool kiln_ll_is_rest(const struct kiln_function *fn, kiln_value v);
bool kiln_ll_is_in_rest(const struct kiln_function *fn, kiln_value v);
// Whether a loop accesses memory of each work-item's own, far from that of its neighbours. More work-items at a
// time then hold more lines of the cache, which, where the distance is a power of two, are all in the same few places.
bool kiln_ll_walks_own_rows(const struct kiln_function *fn);
// Whether such accesses in loops are loads from one buffer only.
bool kiln_ll_reads_one_own_row(const struct kiln_function *fn);
// Whether it does so an element at a time: 16 such rows, where the distance is a power of two, are more than the nearest
// cache has places for, and on AMD processors gathers of the machine take longer than as many scalar accesses.
bool kiln_ll_gathers_own_rows(const struct kiln_function *fn);
// Whether what the kernel's loops do is mostly to store elements of such rows one after another: that is faster work-item
// by work-item.
bool kiln_ll_fills_own_rows(const struct kiln_function *fn);

// columns.c
bool kiln_ll_walks_columns(const struct kiln_function *fn);
// Exchanges dimensions 0 and 1 of a flat kernel if that is asked for or faster, and finds its shapes anew. False: it is as
// it was.
bool kiln_ll_turn(const struct kiln_ll *ll, struct kiln_function *fn);
void kiln_ll_turn_back(struct kiln_function *fn);
bool kiln_ll_spmd_is_wordy(const struct kiln_function *fn);
uint32_t kiln_ll_spmd_size(const struct kiln_function *fn); // instructions
// ---- spmd.c
// Makes f->spmd. assumes: early guards hold.
void kiln_ll_spmd_begin(struct kiln_ll_fn *f, unsigned lanes, bool assumes);
// Results of kiln_ll_compute and kiln_ll_get at many lanes.
LLVMValueRef kiln_ll_spmd_compute(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_spmd_get(struct kiln_ll_fn *f, kiln_value value);
// The vector form of a value, or of held in the form of the value's shape.
LLVMValueRef kiln_ll_wide(struct kiln_ll_fn *f, kiln_value value);
LLVMValueRef kiln_ll_widen(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef held);
// A vector in the form of the value's shape: uniform ones from the first lane that is on.
LLVMValueRef kiln_ll_hold(struct kiln_ll_fn *f, kiln_value value, LLVMValueRef wide);
// A value for a phi: in the form of the phi's shape.
LLVMValueRef kiln_ll_slot_value(struct kiln_ll_fn *f, kiln_value phi, kiln_value value);
LLVMTypeRef kiln_ll_held_type(struct kiln_ll_fn *f, kiln_value value);
// A scalar or vector of the language in all lanes.
LLVMValueRef kiln_ll_broadcast(struct kiln_ll_fn *f, LLVMValueRef value);
LLVMValueRef kiln_ll_iota(struct kiln_ll_fn *f, LLVMTypeRef element, uint64_t step);
// Between component by component and lane by lane; n components, padded to room.
LLVMValueRef kiln_ll_to_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
LLVMValueRef kiln_ll_from_lanes(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room);
// Component c of a flat vector.
LLVMValueRef kiln_ll_component(struct kiln_ll_fn *f, LLVMValueRef value, unsigned c);
LLVMValueRef kiln_ll_join_components(struct kiln_ll_fn *f, LLVMValueRef *parts, unsigned count);

// ---- spmd_guard.c
// Whether the instruction itself has its shape only under a condition: an extension, a minimum or maximum, a comparison.
bool kiln_ll_spmd_is_root(const struct kiln_ll_fn *f, kiln_value inst);
bool kiln_ll_spmd_is_clamp(enum kiln_op op);
// Whether the condition is tested before the warp runs.
bool kiln_ll_spmd_is_assumed(const struct kiln_ll_fn *f, kiln_value inst);
// Whether there is anything that full warps may assume.
bool kiln_ll_spmd_may_assume(const struct kiln_function *fn);
// For how many work-items from the present ids on all holds that f->spmd assumes, at most rest, which is not 0. Sets
// values of f.
LLVMValueRef kiln_ll_spmd_run(struct kiln_ll_fn *f, LLVMValueRef rest);
// The condition of a root over all lanes of the warp.
LLVMValueRef kiln_ll_spmd_guard(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_spmd_find_taint(struct kiln_ll_fn *f);

// ---- spmd_address.c
#define KILN_LL_SUM_TERMS 8 // of a sum with a linear term that shapes look at
// The linear operand that an assumed minimum or maximum is equal to; 0: v is none.
kiln_value kiln_ll_spmd_clamped(const struct kiln_ll_fn *f, kiln_value v);
// The id, in 64 bits, that narrow is the lower 32 bits of and that fits them; of lane 0. NULL: there is none.
LLVMValueRef kiln_ll_spmd_whole_id(struct kiln_ll_fn *f, kiln_value narrow);
// An extension that is linear by the terms of its sum; NULL: inst is none.
LLVMValueRef kiln_ll_spmd_sum(struct kiln_ll_fn *f, kiln_value inst);
// The result of a linear padd, added up from the terms of its index. NULL: it has no such terms.
LLVMValueRef kiln_ll_spmd_sum_address(struct kiln_ll_fn *f, kiln_value inst);

// ---- spmd_private.c
// Finds private variables that can be arrays of lanes: element k of lane l at (k * lanes + l) times the element's size.
// Pointers into them are held as those of lane 0, so that an element of all lanes is a row.
void kiln_ll_spmd_find_arrays(struct kiln_ll_fn *f);
LLVMValueRef kiln_ll_spmd_array(struct kiln_ll_fn *f, kiln_value var);
LLVMValueRef kiln_ll_spmd_array_load(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_spmd_array_store(struct kiln_ll_fn *f, kiln_value inst);

// ---- masks (spmd_flow.c)
LLVMValueRef kiln_ll_mask(struct kiln_ll_fn *f);                                                // never NULL
LLVMValueRef kiln_ll_mask_and(struct kiln_ll_fn *f, LLVMValueRef mask, LLVMValueRef condition); // mask may be NULL
LLVMValueRef kiln_ll_any(struct kiln_ll_fn *f, LLVMValueRef mask);
LLVMValueRef kiln_ll_mask_bits(struct kiln_ll_fn *f, LLVMValueRef mask); // as i64
LLVMValueRef kiln_ll_first_lane(struct kiln_ll_fn *f);                   // that is on, as i32
LLVMValueRef kiln_ll_last_lane(struct kiln_ll_fn *f);

// ---- spmd_flow.c
void kiln_ll_spmd_node(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_spmd_jump(struct kiln_ll_fn *f, kiln_value inst);
void kiln_ll_spmd_no_lane(struct kiln_ll_fn *f); // a jump to where lanes may be left
void kiln_ll_spmd_find_losses(struct kiln_ll_fn *f);
void kiln_ll_spmd_find_rounds(struct kiln_ll_fn *f);

// ---- spmd_rounds.c
// The IF at whose end lanes leave the divergent loop, if rounds of all lanes are worth code of their own; else 0.
kiln_value kiln_ll_spmd_full_rounds(const struct kiln_ll_fn *f, kiln_value loop);
// Whether the operand of the extension is known not to wrap, since all lanes have passed that IF.
bool kiln_ll_spmd_stays(const struct kiln_ll_fn *f, kiln_value extension);
// Goes on here while all lanes stay in the loop that the IF ends, else at f->spmd->rest.
void kiln_ll_spmd_stay(struct kiln_ll_fn *f, kiln_value test);

// ---- spmd_memory.c
LLVMValueRef kiln_ll_spmd_memory(struct kiln_ll_fn *f, kiln_value inst);
// Rows of global memory, where the kernel does so much for each that it loads, but not loops of other things.
void kiln_ll_spmd_find_prefetches(struct kiln_ll_fn *f);
// Whether a load may run under a mask without lanes, and costs about as much as an operation.
bool kiln_ll_is_cheap_load(struct kiln_ll_fn *f, kiln_value inst);
LLVMValueRef kiln_ll_gather(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);
void kiln_ll_scatter(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef pointers, unsigned align);
// Something that runs lane by lane: calls, atomics, copies, functions of the C library.
LLVMValueRef kiln_ll_spmd_by_lane(struct kiln_ll_fn *f, kiln_value inst);
// Contiguous places of n (room) elements per lane, only for lanes of mask (NULL: all). own: no other thread looks at what
// lies around them, local memory, the item block or private variables.
LLVMValueRef kiln_ll_load_rows(struct kiln_ll_fn *f, LLVMTypeRef element, unsigned n, unsigned room,
                               LLVMValueRef address, unsigned align, LLVMValueRef mask, bool own);
void kiln_ll_store_rows(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, LLVMValueRef address,
                        unsigned align, LLVMValueRef mask, bool own);

// ---- spmd_stream.c
void kiln_ll_spmd_find_streams(struct kiln_ll_fn *f);
// Stores a row around the cache where the launch writes much, else as any other. False: it may not, nothing was done.
bool kiln_ll_stream_row(struct kiln_ll_fn *f, kiln_value pointer, kiln_type type, LLVMValueRef value, unsigned align);

// ---- spmd_atomic.c
// An atomic operation for all lanes at once; its result, which is arbitrary where nobody looks at it. NULL: it runs lane
// by lane.
LLVMValueRef kiln_ll_spmd_atomic(struct kiln_ll_fn *f, kiln_value inst);

// ---- spmd_scalar.c
// Whether gathers and scatters go lane by lane.
bool kiln_ll_is_by_lane(const struct kiln_ll_fn *f);
// n elements side by side per lane; component by component.
LLVMValueRef kiln_ll_load_by_lane(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned n, LLVMValueRef pointers,
                                  unsigned align);
// The address of each lane as a scalar; lanes that are off have that of the first one that is on.
void kiln_ll_lane_addresses(struct kiln_ll_fn *f, LLVMValueRef pointers, LLVMValueRef *out);
void kiln_ll_store_by_lane(struct kiln_ll_fn *f, LLVMValueRef values, unsigned n, LLVMValueRef pointers,
                           unsigned align);
// A row under a mask, without a branch: n (room) elements of so many bytes per lane.
void kiln_ll_store_row_by_lane(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room, unsigned bytes,
                               LLVMValueRef address, unsigned align, LLVMValueRef mask);

// ---- spmd_quads.c
bool kiln_ll_is_quads(struct kiln_ll_fn *f, kiln_value load);
LLVMValueRef kiln_ll_load_quads(struct kiln_ll_fn *f, kiln_value load);
// Vectors of the language of 16 bytes, or several times that, from anywhere. NULL: the type is no such.
LLVMValueRef kiln_ll_gather_quads(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef pointers, unsigned align);

// ---- spmd_table.c
// A load from a small constant table, by permutations of it; NULL: it is none, or the machine has none.
LLVMValueRef kiln_ll_load_table(struct kiln_ll_fn *f, kiln_value load);
// Whether there are such loads of elements of less than 32 bits.
bool kiln_ll_takes_narrow_tables(const struct kiln_ll_fn *f);

// ---- spmd_group.c
LLVMValueRef kiln_ll_spmd_group_op(struct kiln_ll_fn *f, kiln_value inst);

// ---- spmd_permute.c
// Whether what v is computed from is there where inst is emitted, not only v itself.
bool kiln_ll_has_operands(struct kiln_ll_fn *f, kiln_value inst, kiln_value v);
// A row whose element l ^ flip is that of lane l.
struct kiln_ll_permuted {
  LLVMValueRef row;   // address of its first element
  LLVMValueRef flip;  // uniform, below the lanes, as i32
  LLVMValueRef guard; // under which it is one; NULL: always
};
// Whether the pointer of the load or store inst of type is such a row.
bool kiln_ll_find_permuted(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer, kiln_type type,
                           struct kiln_ll_permuted *out);
// From elements to lanes, or back.
LLVMValueRef kiln_ll_permute(struct kiln_ll_fn *f, const struct kiln_ll_permuted *order, LLVMValueRef value);

// ---- spmd_pattern.c
// Lanes at known distances, all of them on.
struct kiln_ll_pattern {
  LLVMValueRef base;             // lane l is at base + at[l]
  int64_t at[KILN_LL_MAX_LANES]; // bytes
  LLVMValueRef guard;            // under which it is so; NULL: always
};
bool kiln_ll_find_pattern(struct kiln_ll_fn *f, kiln_value inst, kiln_value address, kiln_type type,
                          struct kiln_ll_pattern *out);
LLVMValueRef kiln_ll_load_pattern(struct kiln_ll_fn *f, kiln_type type, const struct kiln_ll_pattern *p,
                                  unsigned align);
void kiln_ll_store_pattern(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, const struct kiln_ll_pattern *p,
                           unsigned align);
// Whether a store to the pattern is left to one that follows at once and fills the places between: it then does both.
bool kiln_ll_store_waits(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_ll_pattern *p);
// Emits a store that another one waits for, with that one. False: none does.
bool kiln_ll_store_both(struct kiln_ll_fn *f, kiln_value inst);

// ---- spmd_records.c
// Whether a store to the pattern is left to those that follow and fill rows with it: the last does it for all.
bool kiln_ll_record_waits(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_ll_pattern *p);
// Whether the store is one that others wait for or that waits itself: nothing else is to be done for it.
bool kiln_ll_store_record(struct kiln_ll_fn *f, kiln_value inst);

#endif
