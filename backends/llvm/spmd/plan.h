// The access plan: how each load and store of a warp is made. It is decided before anything is emitted, for each form
// of a warp, from the shapes of addresses and what the machine has; memory.c then only does what it says.
#ifndef KILN_BACKENDS_LLVM_PLAN_H
#define KILN_BACKENDS_LLVM_PLAN_H

#include "backends/llvm/core/tally.h"
#include "backends/llvm/spmd/spmd.h"

#define KILN_LL_GROUP_STORES 4

// Stores of one region that fill whole vectors together.
struct kiln_ll_store_group {
  kiln_value stores[KILN_LL_GROUP_STORES];
  uint32_t count;
  kiln_value first, last; // in the order of the program
  uint32_t align;
  int64_t start;    // of the vectors: bytes from the address of the first store in lane 0
  bool interleaved; // stores[k] writes element k of each lane's, element by element
  // Else: by element, the index into the values of all stores.
  const int *writer;
  uint32_t vectors;
};

// That each lane's element lies in a record of so many bytes, and records lie side by side. bytes: 0: that is unknown,
// or memory between the elements may not be read.
struct kiln_ll_record {
  unsigned bytes, offset;
};

// The term of an address by whose growth from lane to lane the elements lie side by side.
struct kiln_ll_neighbours {
  struct kiln_term term;
  int64_t stride;
};

// A term of an address that is a clamped position, and that position without its clamps. position: 0: no term is one.
struct kiln_ll_edge {
  struct kiln_term term; // in elements
  kiln_value position;   // exact in all lanes
};

struct kiln_ll_access {
  enum kiln_ll_choice full, masked; // where all lanes are on, and under a mask
  // Its shape holds under a condition, which is tested: a gather, a scatter or a load at an edge is beside the access.
  bool conditional;
  struct kiln_ll_edge edge;                // AT_EDGE; CONTIGUOUS, where a clamp acts
  const int64_t *at;                       // STRIDED, of lane l: bytes from the address of lane 0
  struct kiln_ll_record record;            // STRIDED, of a load from local memory
  struct kiln_ll_neighbours neighbours;    // CHECKED
  const struct kiln_ll_store_group *group; // GROUPED: shared by the stores of the group
};

// Makes kiln_ll_spmd.plan. Requires all that is known of the form, and the item regions of kernels with barriers.
struct kiln_ll_access **kiln_ll_plan_accesses(struct kiln_ll_fn *f);
// Before the form is emitted: takes what its conditional accesses need from the budget of versions. Accesses
// for which the budget has no room become gathers and scatters.
void kiln_ll_plan_conditions(const struct kiln_ll_fn *f, struct kiln_ll_spmd *form);

// ---- distances.c
// The distances of the lanes' addresses from that of lane 0, in bytes, if all of them are known in full warps.
bool kiln_ll_find_distances(const struct kiln_ll_fn *f, kiln_value access, int64_t at[KILN_LL_MAX_LANES]);
// The value in lane 0 of an address that has known distances.
LLVMValueRef kiln_ll_first_lane_value(struct kiln_ll_fn *f, kiln_value v);

// ---- edge.c
// Whether the position of a load is clamped and contiguous but for that.
bool kiln_ll_find_edge(const struct kiln_ll_fn *f, kiln_value load, struct kiln_ll_edge *out);
LLVMValueRef kiln_ll_load_at_edge(struct kiln_ll_fn *f, kiln_value load, const struct kiln_ll_edge *edge);

// ---- checked.c
// Whether the lanes of most full warps have neighbouring addresses, which a warp can find out.
bool kiln_ll_find_neighbours(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out);
// The condition that they have, in a full warp.
LLVMValueRef kiln_ll_check_access(struct kiln_ll_fn *f, kiln_value access);

// ---- strided.c
// Whether such accesses are faster than gathers and scatters.
bool kiln_ll_is_strided(const struct kiln_ll_fn *f, const int64_t *at, kiln_type type);
// With records, loads from the same ones take their elements from the same vectors.
LLVMValueRef kiln_ll_load_strided(struct kiln_ll_fn *f, kiln_value load, LLVMValueRef base, unsigned align);
void kiln_ll_store_strided(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, LLVMValueRef base,
                           const int64_t *at, unsigned align);

// ---- store_group.c
// The group of stores that begins with this strided one; NULL: there is none.
const struct kiln_ll_store_group *kiln_ll_find_store_group(struct kiln_ll_fn *f, kiln_value store, const int64_t *at);
// Emits the group of the store at its last one; nothing at the others. NULL.
LLVMValueRef kiln_ll_store_group(struct kiln_ll_fn *f, kiln_value store);

// ---- permute.c
enum kiln_ll_order_of_lanes { KILN_LL_OTHER_ORDER, KILN_LL_REVERSED, KILN_LL_FLIPPED };
// Whether the lanes' elements are contiguous, but reversed (x[n - i]), or flipped: lane l has element l ^ flip, in full
// warps, if the first one is a multiple of the lanes.
enum kiln_ll_order_of_lanes kiln_ll_find_order(const struct kiln_ll_fn *f, kiln_value access);

// ---- transpose.c
bool kiln_ll_is_transposed_load(const struct kiln_ll_fn *f, kiln_value load);
LLVMValueRef kiln_ll_load_transposed(struct kiln_ll_fn *f, kiln_value load);

// ---- nontemporal.c
// Whether a contiguous store of a full warp may be non-temporal.
bool kiln_ll_is_nontemporal(const struct kiln_ll_fn *f, kiln_value store);
void kiln_ll_store_nontemporal(struct kiln_ll_fn *f, kiln_value store, LLVMValueRef value, unsigned align);

#endif
