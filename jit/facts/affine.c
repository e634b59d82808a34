// Affine forms: an address or index as a base, a constant and terms. The one place that takes sums apart.
#include "jit/ir/internal.h"

#define MAX_STEPS 64 // values that a form is made of
#define MAX_DEPTH 16
#define MAX_ZEROS_DEPTH 4

struct walk {
  const struct kiln_function *fn;
  struct kiln_affine *form;
  unsigned flags;
  kiln_value scale; // of what is added
  uint32_t steps;
};

static unsigned bits_of(const struct kiln_function *fn, kiln_value v) {
  return kiln_kind_bits(kiln_type_kind(fn->insts[v].type));
}

// By unsigned arithmetic: factors are numbers modulo 2^64.
static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static bool constant(const struct kiln_function *fn, kiln_value v, enum kiln_op extension, int64_t *out) {
  const struct kiln_inst *inst = &fn->insts[v];
  if (inst->op != KILN_OP_CONST || !kiln_kind_is_int(kiln_type_kind(inst->type)))
    return false;
  *out = extension == KILN_OP_ZEXT ? (int64_t)inst->imm : kiln_sign_extend(inst->imm, bits_of(fn, v));
  return true;
}

// How many low bits of an integer are known to be zero.
static unsigned low_zeros(const struct kiln_function *fn, kiln_value v, unsigned depth) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  int64_t number;
  if (constant(fn, v, KILN_OP_ZEXT, &number))
    return number ? (unsigned)__builtin_ctzll((uint64_t)number) : 64;
  if (depth == MAX_ZEROS_DEPTH)
    return 0;
  if (inst->op == KILN_OP_SHL && constant(fn, x[1], KILN_OP_ZEXT, &number))
    return (unsigned)number % bits_of(fn, v) + low_zeros(fn, x[0], depth + 1);
  if (inst->op == KILN_OP_IMUL)
    return low_zeros(fn, x[0], depth + 1) + low_zeros(fn, x[1], depth + 1);
  if (inst->op != KILN_OP_IADD)
    return 0;
  unsigned a = low_zeros(fn, x[0], depth + 1), b = low_zeros(fn, x[1], depth + 1);
  return a < b ? a : b;
}

// Whether a sum or disjunction with a constant sets bits that are zero: it is then a sum that cannot wrap.
static bool sets_zeros(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *inst = &fn->insts[v];
  const kiln_value *x = kiln_operands(fn, v);
  int64_t number;
  if ((inst->op != KILN_OP_IADD && inst->op != KILN_OP_OR) || !constant(fn, x[1], KILN_OP_SEXT, &number) || number < 0)
    return false;
  unsigned zeros = low_zeros(fn, x[0], 0);
  return zeros >= 63 || number >> zeros == 0;
}

// Whether a 32-bit id is a work-item's whole id.
static bool is_small_id(const struct kiln_function *fn, kiln_value truncation) {
  const struct kiln_inst *id = &fn->insts[kiln_operands(fn, truncation)[0]];
  return bits_of(fn, truncation) == 32 &&
         (id->op == KILN_OP_LOCAL_ID || (id->op == KILN_OP_GLOBAL_ID && fn->module->small_ids));
}

// Whether an operation may be split under the extension: it does not wrap, or that is noted.
static bool splits(struct walk *w, kiln_value v, enum kiln_op extension) {
  const struct kiln_inst *inst = &w->fn->insts[v];
  struct kiln_affine *form = w->form;
  if (extension == KILN_OP_CONST || (extension == KILN_OP_SEXT && inst->flags & KILN_INT_NSW) || sets_zeros(w->fn, v))
    return true;
  for (uint32_t i = 0; i < form->wrap_count; i++)
    if (form->wraps[i].value == v && form->wraps[i].extension == extension)
      return true;
  if (!(w->flags & KILN_AFFINE_MAY_WRAP) || form->wrap_count == KILN_AFFINE_WRAPS)
    return false;
  form->wraps[form->wrap_count].value = v;
  form->wraps[form->wrap_count++].extension = extension;
  unsigned bits = bits_of(w->fn, v);
  form->exact_bits = bits < form->exact_bits ? bits : form->exact_bits;
  return true;
}

static bool is_uniform(const struct kiln_function *fn, kiln_value v) {
  return v < fn->shape_count && fn->shapes[v].kind == KILN_SHAPE_UNIFORM;
}

static bool add_term(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension) {
  struct kiln_affine *form = w->form;
  uint32_t i = 0;
  while (i < form->term_count &&
         (form->terms[i].value != v || form->terms[i].scale != w->scale || form->terms[i].extension != extension))
    i++;
  if (i == KILN_AFFINE_TERMS)
    return false;
  if (i == form->term_count)
    form->terms[form->term_count++] = (struct kiln_term){v, w->scale, extension, 0};
  form->terms[i].factor = plus(form->terms[i].factor, factor);
  if (!form->terms[i].factor)
    form->terms[i] = form->terms[--form->term_count];
  return true;
}

static bool add(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension, unsigned depth);

// A constant times the scale, if there is one.
static bool add_constant(struct walk *w, int64_t number, int64_t factor, enum kiln_op extension) {
  kiln_value scale = w->scale;
  if (!scale) {
    w->form->constant = plus(w->form->constant, times(number, factor));
    return true;
  }
  w->scale = 0;
  bool added = times(number, factor) == 0 || add_term(w, scale, times(number, factor), extension);
  w->scale = scale;
  return added;
}

// Whether the load is of a record that is a parameter of the kernel, at a constant offset.
static bool is_field(const struct kiln_function *fn, kiln_value load) {
  kiln_value pointer = kiln_operands(fn, load)[0];
  uint64_t offset = 0, bytes = kiln_type_bytes(fn->insts[load].type);
  for (; fn->insts[pointer].op == KILN_OP_PADD; pointer = kiln_operands(fn, pointer)[0]) {
    const struct kiln_inst *index = &fn->insts[kiln_operands(fn, pointer)[1]];
    if (index->op != KILN_OP_CONST || index->imm > UINT32_MAX || fn->insts[pointer].imm > UINT32_MAX)
      return false;
    offset += index->imm * fn->insts[pointer].imm;
  }
  const struct kiln_inst *record = &fn->insts[pointer];
  uint64_t size = record->op == KILN_OP_PARAM && fn->is_kernel ? fn->params[record->imm].byval_bytes : 0;
  return bytes <= size && offset <= size - bytes && !(fn->insts[load].flags & KILN_MEM_VOLATILE);
}

enum kiln_op_effect kiln_effect_of(const struct kiln_function *fn, kiln_value v) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  return op == KILN_OP_LOAD && is_field(fn, v) ? KILN_EFFECT_PURE : (enum kiln_op_effect)kiln_op_table[op].effect;
}

bool kiln_is_of_launch(const struct kiln_function *fn, kiln_value v) {
  return !(kiln_depends_on(fn, v) & ~(uint32_t)KILN_ON_LAUNCH);
}

// Which operand of a product is its scale: one that is the same for the launch, what a loop does not change, or what is
// uniform. 2: none, since both are the same for the launch.
static unsigned scale_of(const struct kiln_function *fn, const kiln_value *x) {
  bool of_launch[2] = {kiln_is_of_launch(fn, x[0]), kiln_is_of_launch(fn, x[1])};
  if (of_launch[0] || of_launch[1])
    return of_launch[0] && of_launch[1] ? 2 : of_launch[1];
  if (fn->insts[x[0]].op == KILN_OP_PHI || fn->insts[x[1]].op == KILN_OP_PHI)
    return fn->insts[x[0]].op == KILN_OP_PHI;
  return is_uniform(fn, x[1]) || !is_uniform(fn, x[0]);
}

static bool add_sum(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension, unsigned depth) {
  const struct kiln_inst *inst = &w->fn->insts[v];
  const kiln_value *x = kiln_operands(w->fn, v);
  if ((inst->op == KILN_OP_OR && !sets_zeros(w->fn, v)) || !splits(w, v, extension))
    return add_term(w, v, factor, extension);
  return add(w, x[0], factor, extension, depth + 1) &&
         add(w, x[1], inst->op == KILN_OP_ISUB ? times(factor, -1) : factor, extension, depth + 1);
}

static bool add_product(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension, unsigned depth) {
  const kiln_value *x = kiln_operands(w->fn, v);
  int64_t number;
  for (unsigned i = 0; i < 2; i++)
    if (constant(w->fn, x[i], extension, &number))
      return splits(w, v, extension) ? add(w, x[!i], times(factor, number), extension, depth + 1)
                                     : add_term(w, v, factor, extension);
  unsigned side = w->flags & KILN_AFFINE_PRODUCTS && !w->scale ? scale_of(w->fn, x) : 2;
  if (side == 2 || !splits(w, v, extension))
    return add_term(w, v, factor, extension);
  w->scale = x[side];
  bool added = add(w, x[!side], factor, extension, depth + 1);
  w->scale = 0;
  return added;
}

static bool add_shift(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension, unsigned depth) {
  const kiln_value *x = kiln_operands(w->fn, v);
  int64_t count;
  if (!constant(w->fn, x[1], KILN_OP_ZEXT, &count) || !splits(w, v, extension))
    return add_term(w, v, factor, extension);
  count = (int64_t)((uint64_t)count % bits_of(w->fn, v));
  return add(w, x[0], times(factor, (int64_t)((uint64_t)1 << count)), extension, depth + 1);
}

// An extension to 64 bits, or of what is extended further: the inner one decides, unless that is signed and the outer
// one is not.
static bool add_extension(struct walk *w, kiln_value v, int64_t factor, enum kiln_op outer, unsigned depth) {
  enum kiln_op inner = kiln_op_of(&w->fn->insts[v]);
  kiln_value x = kiln_operands(w->fn, v)[0];
  if (!kiln_kind_is_int(kiln_type_kind(w->fn->insts[x].type)) || (inner == KILN_OP_SEXT && outer == KILN_OP_ZEXT) ||
      (w->scale && inner != outer && outer != KILN_OP_CONST))
    return add_term(w, v, factor, outer);
  return add(w, x, factor, inner, depth + 1);
}

static bool add(struct walk *w, kiln_value v, int64_t factor, enum kiln_op extension, unsigned depth) {
  const struct kiln_inst *inst = &w->fn->insts[v];
  const kiln_value *x = kiln_operands(w->fn, v);
  int64_t number;
  if (++w->steps > MAX_STEPS || depth == MAX_DEPTH || kiln_type_lanes(inst->type) > 1)
    return false;
  if (factor == 0)
    return true;
  if (constant(w->fn, v, extension, &number))
    return add_constant(w, number, factor, extension);
  if (w->flags & KILN_AFFINE_WHOLE && kiln_type_kind(inst->type) != KILN_PTR && is_uniform(w->fn, v))
    return add_term(w, v, factor, extension);
  switch (inst->op) {
  case KILN_OP_PADD:
    return add(w, x[0], factor, KILN_OP_CONST, depth + 1) &&
           add(w, x[1], times(factor, (int64_t)inst->imm), KILN_OP_CONST, depth + 1);
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_OR:
    return add_sum(w, v, factor, extension, depth);
  case KILN_OP_IMUL:
    return add_product(w, v, factor, extension, depth);
  case KILN_OP_SHL:
    return add_shift(w, v, factor, extension, depth);
  case KILN_OP_SEXT:
  case KILN_OP_ZEXT:
    return add_extension(w, v, factor, extension, depth);
  case KILN_OP_TRUNC:
    if (extension != KILN_OP_CONST && !w->scale && (is_small_id(w->fn, v) || splits(w, v, extension)))
      return add(w, x[0], factor, KILN_OP_CONST, depth + 1);
    break;
  }
  if (kiln_type_kind(inst->type) != KILN_PTR)
    return add_term(w, v, factor, extension);
  w->form->base = v;
  return factor == 1;
}

// ---- quotients and remainders

enum rounding { ROUNDS_UNSIGNED, ROUNDS_TO_ZERO, ROUNDS_DOWN };

// A quotient or remainder of a value and a constant.
struct division {
  kiln_value dividend;
  int64_t divisor;
  enum rounding rounding; // of the quotient; a mask belongs to both that are not rounded to zero
  bool is_quotient, is_mask;
};

static bool find_division(const struct kiln_function *fn, kiln_value v, struct division *out) {
  enum kiln_op op = kiln_op_of(&fn->insts[v]);
  bool shifts = op == KILN_OP_LSHR || op == KILN_OP_ASHR, is_quotient = kiln_op_is_quotient(op);
  *out = (struct division){.is_quotient = shifts || is_quotient, .is_mask = op == KILN_OP_AND};
  if (!out->is_quotient && !out->is_mask && !kiln_op_is_remainder(op))
    return false;
  out->rounding = kiln_op_is_signed_division(op) ? ROUNDS_TO_ZERO : op == KILN_OP_ASHR ? ROUNDS_DOWN : ROUNDS_UNSIGNED;
  out->dividend = kiln_operands(fn, v)[0];
  if (!constant(fn, kiln_operands(fn, v)[1], KILN_OP_SEXT, &out->divisor))
    return false;
  if (shifts)
    out->divisor = (int64_t)((uint64_t)1 << ((uint64_t)out->divisor % bits_of(fn, v)));
  out->divisor = plus(out->divisor, out->is_mask);
  return out->divisor > 1 && (!out->is_mask || (out->divisor & (out->divisor - 1)) == 0);
}

// Whether the terms are a quotient times the divisor, and the remainder. *extension: that of the dividend, their sum.
static bool is_dividend(const struct kiln_function *fn, const struct kiln_term *q, const struct kiln_term *r,
                        struct division *quotient, enum kiln_op *extension) {
  struct division remainder;
  if (q->scale != r->scale || q->extension != r->extension || !find_division(fn, q->value, quotient) ||
      !quotient->is_quotient || !find_division(fn, r->value, &remainder) || remainder.is_quotient ||
      quotient->dividend != remainder.dividend || quotient->divisor != remainder.divisor ||
      q->factor != times(r->factor, quotient->divisor))
    return false;
  *extension = r->extension;
  if (quotient->rounding == ROUNDS_UNSIGNED && *extension == KILN_OP_SEXT && !q->scale)
    *extension = KILN_OP_ZEXT; // both are positive
  bool is_signed = quotient->rounding != ROUNDS_UNSIGNED;
  return (remainder.is_mask ? quotient->rounding != ROUNDS_TO_ZERO : quotient->rounding == remainder.rounding) &&
         *extension != (is_signed ? KILN_OP_ZEXT : KILN_OP_SEXT);
}

// x / c * c + x % c -> x
static bool join_quotients(struct walk *w) {
  struct kiln_affine *form = w->form;
  struct division division;
  enum kiln_op extension;
  for (uint32_t q = 0; q < form->term_count; q++)
    for (uint32_t r = 0; r < form->term_count; r++) {
      struct kiln_term quotient = form->terms[q], remainder = form->terms[r];
      if (!is_dividend(w->fn, &quotient, &remainder, &division, &extension))
        continue;
      form->terms[q < r ? r : q] = form->terms[--form->term_count];
      form->terms[q < r ? q : r] = form->terms[--form->term_count];
      w->scale = quotient.scale;
      return add(w, division.dividend, remainder.factor, extension, 0) && join_quotients(w);
    }
  return true;
}

void kiln_affine_of(const struct kiln_function *fn, kiln_value value, unsigned flags, struct kiln_affine *out) {
  struct walk w = {.fn = fn, .form = out, .flags = flags};
  bool is_extended = flags & KILN_AFFINE_EXTENDED && bits_of(fn, value) < 64;
  enum kiln_op extension = is_extended ? KILN_OP_SEXT : KILN_OP_CONST;
  uint32_t exact_bits = is_extended ? 64 : bits_of(fn, value);
  *out = (struct kiln_affine){.exact_bits = exact_bits};
  if (add(&w, value, 1, extension, 0) && join_quotients(&w))
    return;
  *out = (struct kiln_affine){.exact_bits = exact_bits};
  if (kiln_type_kind(fn->insts[value].type) == KILN_PTR)
    out->base = value;
  else
    out->terms[out->term_count++] = (struct kiln_term){value, 0, extension, 1};
}

static bool has_term(const struct kiln_affine *form, const struct kiln_term *x) {
  for (uint32_t i = 0; i < form->term_count; i++) {
    const struct kiln_term *y = &form->terms[i];
    if (x->value == y->value && x->scale == y->scale && x->extension == y->extension && x->factor == y->factor)
      return true;
  }
  return false;
}

bool kiln_affine_distance(const struct kiln_affine *from, const struct kiln_affine *to, int64_t *distance) {
  if (from->base != to->base || from->term_count != to->term_count)
    return false;
  for (uint32_t i = 0; i < from->term_count; i++)
    if (!has_term(to, &from->terms[i]))
      return false;
  *distance = plus(to->constant, times(from->constant, -1));
  return true;
}

// Moves the terms that are in one form only to the front, and counts them.
static uint32_t difference(struct kiln_affine *x, const struct kiln_affine *y) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->term_count; i++) {
    const struct kiln_term term = x->terms[i];
    if (!has_term(y, &term)) {
      x->terms[i] = x->terms[count];
      x->terms[count++] = term;
    }
  }
  return count;
}

bool kiln_affine_disjoint(const struct kiln_function *fn, kiln_value a, uint32_t size_a, kiln_value b,
                          uint32_t size_b) {
  struct kiln_affine x, y, m, n;
  int64_t distance;
  kiln_affine_of(fn, a, 0, &x);
  kiln_affine_of(fn, b, 0, &y);
  if (kiln_affine_distance(&x, &y, &distance))
    return distance < 0 ? (uint64_t)0 - (uint64_t)distance >= size_b : (uint64_t)distance >= size_a;
  // base + extended(i + 1) * stride and base + extended(i) * stride differ by a stride at least, wrapped or not.
  struct kiln_affine only_x = x, only_y = y;
  if (x.base != y.base || x.constant != y.constant || difference(&only_x, &y) != 1 || difference(&only_y, &x) != 1)
    return false;
  const struct kiln_term *s = &only_x.terms[0], *t = &only_y.terms[0];
  uint64_t stride = s->factor < 0 ? (uint64_t)0 - (uint64_t)s->factor : (uint64_t)s->factor;
  if (s->factor != t->factor || s->extension != t->extension || s->scale || t->scale || stride >> 31 ||
      s->extension == KILN_OP_CONST || bits_of(fn, s->value) != bits_of(fn, t->value) || stride < size_a ||
      stride < size_b)
    return false;
  kiln_affine_of(fn, s->value, 0, &m);
  kiln_affine_of(fn, t->value, 0, &n);
  return kiln_affine_distance(&m, &n, &distance) && (uint64_t)distance & kiln_bits_mask(bits_of(fn, s->value));
}
