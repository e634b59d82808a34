// The access plan: how each load and store of a warp is made. It is decided before anything is emitted, for each form
// of a warp, from the shapes of addresses and what the machine has; memory.c then only does what it says.
#ifndef KILN_BACKENDS_LLVM_PLAN_H
#define KILN_BACKENDS_LLVM_PLAN_H

#include "backends/llvm/core/tally.h"
#include "backends/llvm/plan/form.h"

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

// Records that lie side by side, one per lane. bytes: the size of a record; 0: it is unknown, or the memory between the
// elements may not be read. offset: of the element in its record.
struct kiln_ll_record {
  unsigned bytes, offset;
};

// The term of an address by whose growth from lane to lane the elements lie side by side.
struct kiln_ll_neighbours {
  struct kiln_term term;
  int64_t stride;
};

// A term of an address that is a clamped position. position: the value before it is clamped; 0: the address has no
// clamped term.
struct kiln_ll_edge {
  struct kiln_term term; // in elements
  kiln_value position;   // exact in all lanes
};

// A term x ^ flip of an address, where x increases by one from lane to lane. x: 0: the elements are reversed.
struct kiln_ll_flipped {
  kiln_value x, flip;
};

struct kiln_ll_access {
  enum kiln_ll_way full, masked; // where all lanes are on, and under a mask
  // The code tests a condition. Where it fails, the access is a gather, a scatter or a load at an edge.
  bool conditional;
  struct kiln_ll_edge edge;                // AT_EDGE; CONTIGUOUS, where a clamp acts
  const int64_t *at;                       // STRIDED, of lane l: bytes from the address of lane 0
  struct kiln_ll_record record;            // STRIDED, of a load: what else of memory may be read
  struct kiln_ll_neighbours neighbours;    // CHECKED
  struct kiln_ll_flipped flipped;          // PERMUTED
  const struct kiln_ll_store_group *group; // GROUPED: shared by the stores of the group
};

// Makes kiln_ll_form.plan. Requires all that is known of the form, and the item regions of kernels with barriers.
struct kiln_ll_access **kiln_ll_plan_accesses(struct kiln_ll_fn *f);
// Before the form is emitted: takes what its conditional accesses need from the budget of versions. Accesses
// for which the budget has no room become gathers and scatters.
void kiln_ll_plan_conditions(const struct kiln_ll_fn *f, struct kiln_ll_form *form);

// Whether the kernel may grow by so many instructions for one more version, which is then taken from its budget. Only
// where the other version alone is right, too.
bool kiln_ll_may_version(const struct kiln_ll_fn *f, unsigned instructions);

// ---- strided.c
struct kiln_ll_window { // elements from the first to the last one accessed
  int64_t first;
  unsigned count;
  unsigned at[KILN_LL_MAX_LANES]; // by lane
};
// The window of accesses of n elements of so many bytes each. False: it is too long for shuffles.
bool kiln_ll_find_window(const int64_t *at, unsigned lanes, unsigned bytes, unsigned n, struct kiln_ll_window *out);

// ---- transpose.c
#define KILN_LL_CHUNK 16 // bytes: the part of a register within which x86 shuffles elements
// The bytes that transpositions of elements of so many bytes move as one.
unsigned kiln_ll_word_bytes(unsigned bytes);
// Whether n components are transposed by chunks.
bool kiln_ll_has_chunks(const struct kiln_ll_fn *f, unsigned bytes, unsigned n);
// Whether the type is a vector of a multiple of 16 bytes, which lanes access one by one and by chunks of 16 bytes.
bool kiln_ll_is_transposed_vector(const struct kiln_ll_fn *f, kiln_type type);

// ---- nontemporal.c
// Bytes of each vector that a full warp stores: of a register, or less.
unsigned kiln_ll_stored_bytes(const struct kiln_ll_fn *f, kiln_value store);

#endif
