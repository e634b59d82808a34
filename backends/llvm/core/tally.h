// What was chosen for a kernel's loads, stores, loops and barriers: the stage "plan", which --stats prints.
#ifndef KILN_BACKENDS_LLVM_TALLY_H
#define KILN_BACKENDS_LLVM_TALLY_H

#include "backends/llvm/core/emit.h"

// A kernel is emitted in several forms (full warps, masked ones): of what is chosen in them for an instruction, the
// last in this order counts.
enum kiln_ll_choice {
  KILN_LL_UNTOLD,
  KILN_LL_GATHERED,           // loads and stores of the lanes: each lane's address for itself
  KILN_LL_OF_ARRAY,           // a private array, interleaved by lane
  KILN_LL_FROM_TABLE,         // permutations of a constant table in registers
  KILN_LL_STRIDED,            // at distances that the compiler knows
  KILN_LL_TRANSPOSED,         // four elements of each lane's own, transposed in registers
  KILN_LL_PERMUTED,           // contiguous in another order
  KILN_LL_CONTIGUOUS,         // one vector access
  KILN_LL_NONTEMPORAL,        // one that goes around the cache where the launch writes much
  KILN_LL_GROUPED,            // stores that fill vectors together
  KILN_LL_UNIFORM,            // one scalar access
  KILN_LL_REMAINDER_LOOP,     // loops: a pass has put a faster one before it
  KILN_LL_UNIFORM_LOOP,       // runs without masks as long as all lanes stay in it
  KILN_LL_ELIMINATED_BARRIER, // barriers that end no loop over the work-items
  KILN_LL_CHOICE_COUNT
};

// Starts with a kernel; ends with it, and adds a line to ll->told.
void kiln_ll_tally_begin(struct kiln_ll *ll, const struct kiln_function *fn);
void kiln_ll_tally_end(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes);
void kiln_ll_tally(struct kiln_ll_fn *f, kiln_value inst, enum kiln_ll_choice choice);

#endif
