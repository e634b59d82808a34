// Products by strides that may be those of contiguous accesses when a kernel is launched.
#ifndef KILN_JIT_PASS_UNIT_STRIDES_H
#define KILN_JIT_PASS_UNIT_STRIDES_H

#include "jit/pass/common.h"

enum kiln_unit_side { KILN_UNIT_NONE, KILN_UNIT_FIRST, KILN_UNIT_SECOND };

struct kiln_unit_strides {
  const uint8_t *sides; // by value: which operand of a product is a stride (enum kiln_unit_side)
  const uint8_t *units; // by value: of a parameter that is a stride, the number with which accesses are contiguous
  bool any;             // whether there are products
};
struct kiln_unit_strides kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena);

// The integer parameter that a value is, whatever its width; 0: it is no parameter.
kiln_value kiln_integer_param_of(const struct kiln_function *fn, kiln_value v);
// What a header phi is in the first iteration; another value is itself.
kiln_value kiln_first_of_phi(const struct kiln_function *fn, kiln_value v);

// The other factor of a product by a stride: the product is that, times the stride's unit, where the stride is its
// unit. 0: v is no such product.
static inline kiln_value kiln_unit_product(const struct kiln_function *fn, const struct kiln_unit_strides *strides,
                                           kiln_value v) {
  return strides->sides[v] ? kiln_operands(fn, v)[strides->sides[v] == KILN_UNIT_FIRST] : 0;
}
static inline unsigned kiln_unit_of_product(const struct kiln_function *fn, const struct kiln_unit_strides *strides,
                                            kiln_value v) {
  return strides->units[kiln_integer_param_of(fn, kiln_operands(fn, v)[strides->sides[v] == KILN_UNIT_SECOND])];
}

#endif
