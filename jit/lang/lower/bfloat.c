// Numbers in bfloat16: the upper half of a float, in the bits of a 16-bit integer.
#include "jit/lang/lower/lower.h"

kiln_value kiln_lower_from_bfloat(struct kiln_lower *L, kiln_value v) {
  kiln_type wide = kiln_lower_lanes_like(L, KILN_I32, v);
  v = kiln_build1(&L->b, KILN_OP_ZEXT, wide, v);
  v = kiln_build2(&L->b, KILN_OP_SHL, v, kiln_const(L->fn, wide, 16));
  return kiln_build1(&L->b, KILN_OP_BITCAST, kiln_lower_lanes_like(L, KILN_F32, v), v);
}

// To the nearest, ties to even: what is added makes the upper half greater where the lower one is more than half of its
// unit, or just half and the upper one odd. An infinity stays what it is, as does the greatest number's sum, which is
// one. A NaN could become an infinity, or a zero; it is made quiet instead, since its upper half may be zero.
kiln_value kiln_lower_to_bfloat(struct kiln_lower *L, kiln_value v) {
  kiln_type wide = kiln_lower_lanes_like(L, KILN_I32, v);
  kiln_value bits = kiln_build1(&L->b, KILN_OP_BITCAST, wide, v);
  kiln_value upper = kiln_build2(&L->b, KILN_OP_LSHR, bits, kiln_const(L->fn, wide, 16));
  kiln_value odd = kiln_build2(&L->b, KILN_OP_AND, upper, kiln_const(L->fn, wide, 1));
  kiln_value sum = kiln_build2(&L->b, KILN_OP_IADD, bits, kiln_const(L->fn, wide, 0x7fff));
  sum = kiln_build2(&L->b, KILN_OP_IADD, sum, odd);
  kiln_value rounded = kiln_build2(&L->b, KILN_OP_LSHR, sum, kiln_const(L->fn, wide, 16));
  kiln_value quiet = kiln_build2(&L->b, KILN_OP_OR, upper, kiln_const(L->fn, wide, 0x40));
  // Compared as integers: options that say there are no NaN do not change what this gives.
  kiln_value magnitude = kiln_build2(&L->b, KILN_OP_AND, bits, kiln_const(L->fn, wide, 0x7fffffff));
  kiln_value is_nan = kiln_build2(&L->b, KILN_OP_SLT, kiln_const(L->fn, wide, 0x7f800000), magnitude);
  v = kiln_build3(&L->b, KILN_OP_SELECT, is_nan, quiet, rounded);
  return kiln_build1(&L->b, KILN_OP_TRUNC, kiln_lower_lanes_like(L, KILN_I16, v), v);
}
