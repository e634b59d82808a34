// Whether a kernel walks along columns of memory: work-items side by side in dimension 0 access places far apart, those
// in dimension 1 places side by side. The driver then runs a flat launch in tiles rather than long rows, so that what
// one row brings into the cache is used by the next one. Only speed depends on the answer.
#include "backends/llvm/spmd.h"

#define MAX_STEPS 64      // values that an address is followed through
#define NEAR 64           // bytes: about a cache line
#define UNKNOWN INT64_MAX // a distance that is no constant, or of a place that depends on memory

static int64_t plus(int64_t a, int64_t b, int sign) {
  int64_t result;
  if (a == UNKNOWN || b == UNKNOWN || __builtin_mul_overflow(b, (int64_t)sign, &b) ||
      __builtin_add_overflow(a, b, &result))
    return UNKNOWN;
  return result;
}

static int64_t times(int64_t a, int64_t factor) {
  int64_t result;
  return a == UNKNOWN || __builtin_mul_overflow(a, factor, &result) ? UNKNOWN : result;
}

// How far a value moves from one work-item to the next in dimension 1. What changes from round to round of a loop
// counts as the same for all. Takes as many steps as there are left.
static int64_t distance(const struct kiln_function *fn, kiln_value v, unsigned *steps) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  const kiln_value *x = kiln_operands(fn, v);
  if (*steps == 0)
    return UNKNOWN;
  --*steps;
  switch ((int)in->op) {
  case KILN_OP_GLOBAL_ID:
    return in->imm == 1;
  case KILN_OP_CONST:
  case KILN_OP_PARAM:
  case KILN_OP_PHI:
  case KILN_OP_GLOBAL_SIZE:
  case KILN_OP_GLOBAL_OFFSET:
    return 0;
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
  case KILN_OP_TRUNC:
    return distance(fn, x[0], steps);
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
    return plus(distance(fn, x[0], steps), distance(fn, x[1], steps), in->op == KILN_OP_IADD ? 1 : -1);
  case KILN_OP_PADD:
    return plus(distance(fn, x[0], steps), times(distance(fn, x[1], steps), (int64_t)in->imm), 1);
  case KILN_OP_IMUL: {
    int64_t a = distance(fn, x[0], steps), b = distance(fn, x[1], steps);
    const struct kiln_inst *factor = kiln_inst(fn, x[1]);
    return factor->op == KILN_OP_CONST ? times(a, (int64_t)factor->imm) : a == 0 && b == 0 ? 0 : UNKNOWN;
  }
  }
  return UNKNOWN; // whatever else moves addresses is not followed
}

bool kiln_ll_walks_columns(const struct kiln_function *fn) {
  for (kiln_value v = 1; fn->shapes && v < fn->inst_count; v++) {
    const struct kiln_inst *in = kiln_inst(fn, v);
    if (!in->region || (in->op != KILN_OP_LOAD && in->op != KILN_OP_STORE))
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    struct kiln_shape shape = fn->shapes[pointer];
    bool is_far = shape.kind == KILN_SHAPE_VARYING ||
                  (shape.kind == KILN_SHAPE_LINEAR && (shape.stride > NEAR || shape.stride < -NEAR));
    unsigned steps = MAX_STEPS;
    int64_t step = is_far ? distance(fn, pointer, &steps) : UNKNOWN;
    if (step && step >= -NEAR && step <= NEAR)
      return true;
  }
  return false;
}
