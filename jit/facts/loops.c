// What ends a loop, in one form:
//
//   if (!(i < n)) break;   stays while i < n: low = i, high = n, is_strict
//   if (n >= i) ... else break;   stays while i <= n: low = i, high = n
#include "jit/facts/facts.h"

bool kiln_inequality_of(const struct kiln_function *fn, kiln_value condition, bool holds, struct kiln_inequality *out) {
  enum kiln_op op = kiln_op_of(&fn->insts[condition]);
  const kiln_value *x = kiln_operands(fn, condition);
  if (!kiln_op_is_order(op) || kiln_type_lanes(fn->insts[condition].type) > 1)
    return false;
  // !(x < y) is y <= x
  *out =
      (struct kiln_inequality){x[!holds], x[holds], kiln_op_is_strict_order(op) == holds, kiln_op_is_signed_order(op)};
  return true;
}
