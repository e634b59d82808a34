// Products by strides that may be one when a kernel is launched.
#ifndef KILN_JIT_PASS_UNIT_STRIDES_H
#define KILN_JIT_PASS_UNIT_STRIDES_H

#include "jit/pass/common.h"

enum kiln_unit_side { KILN_UNIT_NONE, KILN_UNIT_FIRST, KILN_UNIT_SECOND };

struct kiln_unit_strides {
  const uint8_t *sides; // by value: which operand of a product is a stride that may be one (enum kiln_unit_side)
  const bool *params;   // by value: a parameter that is a stride
  bool any;             // whether there are products
};
struct kiln_unit_strides kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena);

// The other factor of a product by a stride that may be one: what the product equals where the stride is one. 0: v is
// no such product.
static inline kiln_value kiln_unit_product(const struct kiln_function *fn, const struct kiln_unit_strides *strides,
                                           kiln_value v) {
  return strides->sides[v] ? kiln_operands(fn, v)[strides->sides[v] == KILN_UNIT_FIRST] : 0;
}
// The integer parameter that a value is, whatever its width; 0: it is no parameter.
kiln_value kiln_integer_param_of(const struct kiln_function *fn, kiln_value v);

#endif
