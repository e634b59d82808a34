#ifndef KILN_LLVM_FLOAT_RANGE_H
#define KILN_LLVM_FLOAT_RANGE_H

#include "backends/llvm/core/emit.h"

struct kiln_ll_float_range {
  double low, high; // inclusive, where the value is no NaN
  bool nan;         // the value may be a NaN
};
// The range of a scalar, or of each component of a vector, as far as it follows from the operations that make it.
struct kiln_ll_float_range kiln_ll_float_range(const struct kiln_ll_fn *f, kiln_value v);

#endif
