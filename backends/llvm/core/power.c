// Which integers are powers of two, or zero: 1 << n, and what a loop makes from such a number by doubling or halving.
// Divisions by them are shifts.
#include "backends/llvm/core/emit.h"

#define MAX_DEPTH 6

struct search {
  const struct kiln_function *fn;
  kiln_value assumed[MAX_DEPTH]; // phis that are powers if the rest of the search succeeds
  unsigned assumed_count;
};

static bool is_power(struct search *s, kiln_value v, unsigned depth);

// Whether a loop starts with a power and every iteration continues with one.
static bool is_power_phi(struct search *s, kiln_value phi, unsigned depth) {
  const struct kiln_function *fn = s->fn;
  uint32_t index;
  kiln_value loop = kiln_ll_header_of(fn, phi, &index);
  for (unsigned i = 0; i < s->assumed_count; i++)
    if (s->assumed[i] == phi)
      return true;
  if (!loop || s->assumed_count == MAX_DEPTH)
    return false;
  s->assumed[s->assumed_count++] = phi;
  if (!is_power(s, kiln_operands(fn, loop)[index], depth + 1))
    return false;
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));)
    if (!is_power(s, kiln_operands(fn, jump)[index], depth + 1))
      return false;
  return true;
}

static bool is_power(struct search *s, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = &s->fn->insts[v];
  const kiln_value *x = kiln_operands(s->fn, v);
  if (depth > MAX_DEPTH || kiln_type_lanes(in->type) > 1)
    return false;
  switch (in->op) {
  case KILN_OP_CONST:
    return (in->imm & (in->imm - 1)) == 0;
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_ZEXT:
  case KILN_OP_TRUNC:
    return is_power(s, x[0], depth + 1);
  case KILN_OP_IMUL:
  case KILN_OP_UDIV:
    return is_power(s, x[0], depth + 1) && is_power(s, x[1], depth + 1);
  case KILN_OP_PHI:
    return is_power_phi(s, v, depth);
  }
  return false;
}

bool kiln_ll_is_power(const struct kiln_function *fn, kiln_value value) {
  struct search s = {.fn = fn};
  return kiln_kind_is_int(kiln_type_kind(fn->insts[value].type)) && is_power(&s, value, 0);
}

LLVMValueRef kiln_ll_divide_by_power(struct kiln_ll *ll, enum kiln_op op, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMValueRef zero = kiln_ll_splat(type, 0), top = kiln_ll_splat(type, kiln_ll_bits(type) - 1);
  LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
  LLVMValueRef rest = LLVMBuildSelect(b, bad, zero, LLVMBuildSub(b, y, kiln_ll_splat(type, 1), ""), "");
  if (op == KILN_OP_UREM)
    return LLVMBuildAnd(b, x, rest, "");
  LLVMValueRef sign = LLVMBuildAShr(b, x, top, "");
  if (op == KILN_OP_SREM) { // of the absolute value, with the sign of x; the smallest integer is a power, too
    LLVMValueRef size = LLVMBuildSub(b, LLVMBuildXor(b, x, sign, ""), sign, "");
    return LLVMBuildSub(b, LLVMBuildXor(b, LLVMBuildAnd(b, size, rest, ""), sign, ""), sign, "");
  }
  LLVMValueRef args[2] = {y, kiln_ll_i1(ll, false)};
  LLVMValueRef count = LLVMBuildAnd(b, kiln_ll_intrinsic(ll, "llvm.cttz", &type, 1, args, 2), top, "");
  if (op == KILN_OP_UDIV)
    return LLVMBuildSelect(b, bad, zero, LLVMBuildLShr(b, x, count, ""), "");
  // Rounds toward zero. A quotient by the smallest integer, which is negative, has the opposite sign.
  LLVMValueRef up = LLVMBuildAdd(b, x, LLVMBuildAnd(b, sign, rest, ""), ""), turned = LLVMBuildAShr(b, y, top, "");
  LLVMValueRef q = LLVMBuildAShr(b, up, count, "");
  return LLVMBuildSelect(b, bad, zero, LLVMBuildSub(b, LLVMBuildXor(b, q, turned, ""), turned, ""), "");
}
