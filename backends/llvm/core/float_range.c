// What values a float can have, from the operations that make it: enough to see that a conversion to an integer needs
// no saturation, as of a coordinate that was clamped.
#include "backends/llvm/core/float_range.h"

#include <math.h>
#include <string.h>

static const struct kiln_ll_float_range any = {-INFINITY, INFINITY, true};

static struct kiln_ll_float_range of_constant(kiln_type type, uint64_t bits) {
  double value;
  float narrow;
  uint32_t low = (uint32_t)bits;
  memcpy(&value, &bits, sizeof value);
  memcpy(&narrow, &low, sizeof narrow);
  if (kiln_type_kind(type) == KILN_F16)
    return any;
  value = kiln_type_kind(type) == KILN_F32 ? (double)narrow : value;
  return isnan(value) ? any : (struct kiln_ll_float_range){value, value, false};
}

// The range of an integer that becomes a float, which rounding may bring to the next power of two.
static struct kiln_ll_float_range of_integer(const struct kiln_function *fn, kiln_value v, bool is_signed) {
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(fn, v)));
  double end = ldexp(1, (int)(bits - is_signed));
  struct kiln_ll_float_range range = {is_signed ? -end : 0, end, false};
  const struct kiln_inst *limit = kiln_inst(fn, v)->op == KILN_OP_SMIN ? kiln_inst(fn, kiln_operands(fn, v)[1]) : NULL;
  if (is_signed && bits == 32 && limit && limit->op == KILN_OP_CONST)
    range.high = (double)(float)(int32_t)limit->imm;
  return range;
}

// The range of a constant, or of a value that comes before the value whose range is being found.
static struct kiln_ll_float_range known(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  return in->op == KILN_OP_CONST ? of_constant(in->type, in->imm) : in->region ? f->made->float_ranges[v] : any;
}

// The range of c < d ? d : c, and of c < d ? c : d. The second operand is taken where one is a NaN.
static struct kiln_ll_float_range of_select(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_function *fn = f->fn;
  const kiln_value *x = kiln_operands(fn, v), *compared = kiln_operands(fn, x[0]);
  bool is_less = kiln_inst(fn, x[0])->op == KILN_OP_FLT, is_min = is_less && compared[0] == x[1] && compared[1] == x[2];
  if (!is_min && !(is_less && compared[0] == x[2] && compared[1] == x[1]))
    return any;
  struct kiln_ll_float_range a = known(f, x[1]), b = known(f, x[2]), out = b;
  if (is_min) {
    out.low = fmin(a.low, b.low);
    out.high = a.nan ? b.high : fmin(a.high, b.high);
  } else {
    out.low = a.nan ? b.low : fmax(a.low, b.low);
    out.high = fmax(a.high, b.high);
  }
  return out;
}

static struct kiln_ll_float_range range_of(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  const kiln_value *x = kiln_operands(f->fn, v);
  if (in->op == KILN_OP_SELECT)
    return of_select(f, v);
  if ((in->op == KILN_OP_STOF || in->op == KILN_OP_UTOF) && kiln_type_kind(in->type) != KILN_F16)
    return of_integer(f->fn, x[0], in->op == KILN_OP_STOF);
  return any;
}

struct kiln_ll_float_range kiln_ll_float_range(const struct kiln_ll_fn *f, kiln_value v) {
  const struct kiln_function *fn = f->fn;
  if (!f->made->float_ranges) {
    f->made->float_ranges = KILN_NEW_ARRAY(&f->ll->arena, struct kiln_ll_float_range, fn->inst_count);
    for (kiln_value v = fn->regions[fn->body].first; v; v = kiln_ll_next_within(fn, fn->body, v))
      f->made->float_ranges[v] = range_of(f, v);
  }
  return known(f, v);
}
