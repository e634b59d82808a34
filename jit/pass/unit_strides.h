// Products by strides that may be one when a kernel is launched.
#ifndef KILN_JIT_PASS_UNIT_STRIDES_H
#define KILN_JIT_PASS_UNIT_STRIDES_H

#include "jit/pass/common.h"

enum kiln_unit_stride { KILN_UNIT_NONE, KILN_UNIT_FIRST, KILN_UNIT_SECOND };

// By value: which operand of a product is a stride that may be one.
uint8_t *kiln_unit_strides_find(const struct kiln_function *fn, struct kiln_arena *arena);

// The other factor of a product by a stride that may be one: what the product equals where the stride is one. 0: v is
// no such product.
static inline kiln_value kiln_unit_product(const struct kiln_function *fn, const uint8_t *strides, kiln_value v) {
  return strides[v] ? kiln_operands(fn, v)[strides[v] == KILN_UNIT_FIRST] : 0;
}

#endif
