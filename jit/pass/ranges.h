// Ranges of integers, for passes that want to know whether an operation wraps.
#ifndef KILN_JIT_PASS_RANGES_H
#define KILN_JIT_PASS_RANGES_H

#include "jit/pass/common.h"

// Every value of an integer, read as signed, is in [low, high], in every work-item. A range that is not known is that
// of the type.
struct kiln_range {
  int64_t low, high;
};

// By value, of a verified function. small_ids: global ids are below 2^31. Near-linear. Kept, as facts are, until the
// function changes.
const struct kiln_range *kiln_ranges_find(struct kiln_function *fn, bool small_ids, struct kiln_arena *arena);

#endif
