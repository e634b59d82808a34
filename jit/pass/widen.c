// Indices that are sums of 32 bits, which the source says to fit (nsw), become sums of 64 bits: the terms are extended
// instead of their sum. The index is then linear wherever its linear term does not wrap, and needs no guard.
//
//   sext(y * n + x) -> sext(y * n) + sext(x)
//
// Kernels with barriers only, where the terms may be in different work-item regions; for others the emitter does it.
// An index is used for addresses only, and has one linear term beside uniform ones; varying terms are cheaper in 32
// bits.
//
// Where the extension is uniform, a constant is added to it instead of to its operand, in all kernels. The instruction
// that accesses memory then adds the constant, and indices that differ by constants, as those of an unrolled loop do,
// share their extension.
//
//   sext(j * 64 + 3) -> sext(j * 64) + 3
//
// Addresses that vary, although none of their terms does, become sums of their terms, in all kernels: quotients and
// remainders that make up a linear value (kiln_affine_of), and terms that cancel.
//
//   a[(id / 28 + k) * 28 + id % 28] -> a[k * 28 + id]
//
// Requires shapes (kiln_function_analyse), which are invalid afterwards. Linear.
#include "jit/pass/common.h"

struct widen {
  struct kiln_function *fn;
  bool *is_index;   // by value: used as indices of PADD only
  bool *is_address; // by value: PADD that accesses use
  uint32_t count;   // of values before the pass
};

// The terms of a value, the linear one last. False: the value is no sum of one linear term and uniform terms.
static bool find_terms(const struct widen *w, kiln_value v, const struct kiln_shape *shapes, unsigned flags,
                       struct kiln_affine *sum) {
  uint32_t linear = UINT32_MAX;
  kiln_affine_of(w->fn, v, flags | KILN_AFFINE_WHOLE, sum);
  for (uint32_t i = 0; i < sum->term_count; i++) {
    const struct kiln_term *term = &sum->terms[i];
    uint8_t kind = shapes[term->value].kind;
    if (kind == KILN_SHAPE_VARYING || (kind == KILN_SHAPE_LINEAR && (linear != UINT32_MAX || term->scale)) ||
        (term->scale && shapes[term->scale].kind != KILN_SHAPE_UNIFORM))
      return false;
    linear = kind == KILN_SHAPE_LINEAR ? i : linear;
  }
  if (linear == UINT32_MAX || sum->terms[linear].value == v)
    return false;
  struct kiln_term last = sum->terms[linear];
  sum->terms[linear] = sum->terms[sum->term_count - 1];
  sum->terms[sum->term_count - 1] = last;
  return true;
}

static bool widens(const struct widen *w, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(w->fn, v);
  return in->op == KILN_OP_SEXT && in->region && w->is_index[v] && in->type == kiln_scalar_type(KILN_I64) &&
         w->fn->shapes[v].kind == KILN_SHAPE_LINEAR && w->fn->shapes[v].guarded &&
         kiln_value_type(w->fn, kiln_operands(w->fn, v)[0]) == kiln_scalar_type(KILN_I32);
}

static kiln_value extended(struct kiln_builder *b, kiln_value v, enum kiln_op extension) {
  kiln_type type = kiln_scalar_type(KILN_I64);
  return kiln_value_type(b->fn, v) == type ? v : kiln_build1(b, extension, type, v);
}

static kiln_value build_term(struct kiln_builder *b, const struct kiln_term *term, int64_t factor) {
  kiln_type type = kiln_scalar_type(KILN_I64);
  kiln_value wide = extended(b, term->value, term->extension);
  if (term->scale)
    wide = kiln_build2(b, KILN_OP_IMUL, wide, extended(b, term->scale, term->extension));
  return factor == 1 ? wide : kiln_build2(b, KILN_OP_IMUL, wide, kiln_const(b->fn, type, (uint64_t)factor));
}

// The extension becomes the last of the additions.
static bool widen(struct widen *w, kiln_value v) {
  struct kiln_affine sum;
  kiln_type type = kiln_scalar_type(KILN_I64);
  if (!find_terms(w, kiln_operands(w->fn, v)[0], w->fn->shapes, KILN_AFFINE_EXTENDED, &sum))
    return false;
  struct kiln_builder b = kiln_builder_before(w->fn, v);
  kiln_value total = sum.constant ? kiln_const(w->fn, type, (uint64_t)sum.constant) : 0, last = 0;
  for (uint32_t i = 0; i < sum.term_count; i++) {
    int64_t factor = sum.terms[i].factor;
    last = build_term(&b, &sum.terms[i], factor < 0 ? -factor : factor);
    if (!total && (factor < 0 || i + 1 == sum.term_count))
      total = kiln_const(w->fn, type, 0);
    if (i + 1 < sum.term_count)
      total = total ? kiln_build2(&b, factor < 0 ? KILN_OP_ISUB : KILN_OP_IADD, total, last) : last;
  }
  w->fn->insts[v].op = sum.terms[sum.term_count - 1].factor < 0 ? KILN_OP_ISUB : KILN_OP_IADD;
  kiln_set_operands(w->fn, v, (kiln_value[]){total, last}, 2);
  return true;
}

// Whether the value is a sum with a constant that fits.
static bool is_offset(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(fn, v);
  return in->op == KILN_OP_IADD && in->flags & KILN_INT_NSW && kiln_type_lanes(in->type) == 1 &&
         kiln_inst(fn, kiln_operands(fn, v)[1])->op == KILN_OP_CONST;
}

static bool separate_constant(struct widen *w, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(w->fn, v);
  if (in->op != KILN_OP_SEXT || !in->region || !w->is_index[v] || in->type != kiln_scalar_type(KILN_I64) ||
      w->fn->shapes[v].kind != KILN_SHAPE_UNIFORM)
    return false;
  kiln_value narrow = kiln_operands(w->fn, v)[0];
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(w->fn, narrow)));
  int64_t sum = 0;
  for (; is_offset(w->fn, narrow); narrow = kiln_operands(w->fn, narrow)[0])
    sum += kiln_sign_extend(kiln_inst(w->fn, kiln_operands(w->fn, narrow)[1])->imm, bits);
  if (narrow == kiln_operands(w->fn, v)[0])
    return false;
  struct kiln_builder b = kiln_builder_before(w->fn, v);
  kiln_value wide = extended(&b, narrow, KILN_OP_SEXT);
  kiln_value constant = kiln_const(w->fn, kiln_scalar_type(KILN_I64), (uint64_t)sum);
  w->fn->insts[v].op = KILN_OP_IADD;
  kiln_set_operands(w->fn, v, (kiln_value[]){wide, constant}, 2);
  return true;
}

// An address that varies, although none of its terms does, becomes the sum of its terms.
static bool rebuild(struct widen *w, kiln_value address) {
  const struct kiln_shape *shapes = w->fn->assumed_shapes ? w->fn->assumed_shapes : w->fn->shapes;
  struct kiln_affine sum;
  if (shapes[address].kind != KILN_SHAPE_VARYING || !find_terms(w, address, shapes, KILN_AFFINE_PRODUCTS, &sum) ||
      shapes[sum.base].kind != KILN_SHAPE_UNIFORM)
    return false;
  struct kiln_builder b = kiln_builder_before(w->fn, address);
  kiln_value total = sum.base;
  for (uint32_t i = 0; i < sum.term_count; i++)
    total = kiln_build_padd(&b, total, build_term(&b, &sum.terms[i], 1), sum.terms[i].factor);
  w->fn->insts[address].imm = (uint64_t)sum.constant;
  kiln_set_operands(w->fn, address, (kiln_value[]){total, kiln_const(w->fn, kiln_scalar_type(KILN_I64), 1)}, 2);
  return true;
}

static void find_indices(struct widen *w) {
  const struct kiln_function *fn = w->fn;
  for (kiln_value v = 1; v < w->count; v++)
    w->is_index[v] = true;
  for (kiln_value v = 1; v < w->count; v++)
    for (uint32_t i = 0; fn->insts[v].region && i < fn->insts[v].operand_count; i++) {
      kiln_value x = kiln_operands(fn, v)[i];
      w->is_index[x] &= fn->insts[v].op == KILN_OP_PADD && i == 1;
      w->is_address[x] |= kiln_op_is_access(fn->insts[v].op) && i == 0 && fn->insts[x].op == KILN_OP_PADD;
    }
}

static bool run(void *subject, struct kiln_arena *arena) {
  struct widen w = {.fn = subject};
  w.count = w.fn->inst_count;
  w.is_index = KILN_NEW_ARRAY(arena, bool, w.count);
  w.is_address = KILN_NEW_ARRAY(arena, bool, w.count);
  find_indices(&w);
  bool changed = false, has_items = w.fn->has_barrier;
  for (kiln_value v = 1; v < w.count; v++)
    if (has_items && widens(&w, v))
      changed |= widen(&w, v);
    else if (w.is_address[v])
      changed |= rebuild(&w, v);
    else
      changed |= separate_constant(&w, v);
  return changed;
}

bool kiln_pass_widen(struct kiln_function *fn) {
  if (!fn->is_kernel || !fn->shapes || fn->has_sub_groups)
    return false;
  return kiln_pass_scratch(fn->module, fn, run);
}
