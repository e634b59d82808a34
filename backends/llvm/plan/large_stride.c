// Kernels whose loops access memory with a large stride between work-items, such as a[id * n + k]: each work-item walks
// through memory of its own.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/width.h"

// What a header phi is in the first iteration; 0: v is no header phi.
static kiln_value first_value(const struct kiln_function *fn, kiln_value v) {
  uint32_t index;
  kiln_value loop = kiln_ll_header_of(fn, v, &index);
  return loop ? kiln_operands(fn, loop)[index] : 0;
}

// Whether a term of an address grows from lane to lane by a factor that is unknown or large.
static bool is_far(const struct kiln_function *fn, const struct kiln_term *term, int64_t far) {
  struct kiln_shape shape = fn->shapes[term->value];
  int64_t stride = (int64_t)((uint64_t)shape.stride * (uint64_t)term->factor);
  bool is_scaled = term->scale && fn->shapes[term->scale].kind == KILN_SHAPE_UNIFORM;
  return shape.kind == KILN_SHAPE_LINEAR && (is_scaled || stride >= far || stride <= -far);
}

// A value that a loop carries is as far apart in neighbouring lanes as in the first iteration.
bool kiln_ll_has_large_stride(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v, int64_t far) {
  struct kiln_worklist *work = kiln_ll_worklist(ll, fn, v);
  while (kiln_worklist_take(work, &v)) {
    struct kiln_affine form;
    struct kiln_shape shape = fn->shapes[v];
    kiln_value before = kiln_inst(fn, v)->op == KILN_OP_TRUNC ? kiln_operands(fn, v)[0] : first_value(fn, v);
    if (shape.kind == KILN_SHAPE_LINEAR && (shape.stride >= far || shape.stride <= -far))
      return true;
    if (shape.kind != KILN_SHAPE_VARYING)
      continue;
    if (before) {
      kiln_worklist_add(work, before);
      continue;
    }
    kiln_affine_of(fn, v, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
    for (uint32_t i = 0; i < form.term_count; i++) {
      if (is_far(fn, &form.terms[i], far))
        return true;
      kiln_worklist_add(work, form.terms[i].value);
    }
    if (form.base)
      kiln_worklist_add(work, form.base);
  }
  return false;
}

static bool is_access(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  return in->region && kiln_op_is_access(in->op) && !kiln_ll_is_fallback(fn, v);
}

// A sum of a product. It counts as one operation, as with FMA, so that the decision is the same on all machines.
static bool is_fused(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  if (in->op != KILN_OP_FADD && in->op != KILN_OP_FSUB)
    return false;
  const kiln_value *x = kiln_operands(fn, v);
  return fn->insts[x[0]].op == KILN_OP_FMUL || fn->insts[x[1]].op == KILN_OP_FMUL;
}

static bool is_operation(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  return kiln_op_table[in->op].effect == KILN_EFFECT_PURE && in->op != KILN_OP_PADD && in->op != KILN_OP_EXTRACT &&
         !is_fused(fn, v) && fn->shapes[v].kind == KILN_SHAPE_VARYING;
}

// The loop around an access with a large stride; 0: the instruction is no such access.
static kiln_value strided_loop(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v) {
  kiln_value loop = is_access(fn, v) ? kiln_ll_loop_of(fn, v) : 0;
  return loop && kiln_ll_has_large_stride(ll, fn, kiln_operands(fn, v)[0], KILN_COST_FAR) ? loop : 0;
}

bool kiln_ll_has_large_strides(struct kiln_ll *ll, const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++)
    if (strided_loop(ll, fn, v))
      return true;
  return false;
}

// The address in the first iteration of the loops that carry it.
static void start_of(const struct kiln_function *fn, kiln_value pointer, struct kiln_affine *form) {
  while (pointer) {
    kiln_affine_of(fn, pointer, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, form);
    pointer = form->base ? first_value(fn, form->base) : 0;
  }
}

static kiln_value root(const struct kiln_function *fn, kiln_value pointer) {
  struct kiln_affine form;
  start_of(fn, pointer, &form);
  return form.base;
}

bool kiln_ll_loads_one_large_stride(struct kiln_ll *ll, const struct kiln_function *fn) {
  kiln_value only = 0;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    if (!strided_loop(ll, fn, v))
      continue;
    kiln_value base = root(fn, kiln_operands(fn, v)[0]);
    if (fn->insts[v].op == KILN_OP_STORE || (only && only != base))
      return false;
    only = base;
  }
  return only != 0;
}

bool kiln_ll_large_strides_go_by_lane(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint64_t walks = 0, work = 0;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = fn->insts[v].region && !kiln_ll_is_fallback(fn, v) ? kiln_ll_loop_of(fn, v) : 0;
    if (!loop)
      continue;
    bool works =
        is_operation(fn, v) || (is_access(fn, v) && fn->shapes[kiln_operands(fn, v)[0]].kind != KILN_SHAPE_UNIFORM);
    if (strided_loop(ll, fn, v) && kiln_node(fn, loop)->unroll != 1) // 1: by unroll-and-transpose
      walks += kiln_ll_iterations(fn, v);
    else if (works)
      work += kiln_ll_iterations(fn, v);
  }
  return walks && work <= KILN_COST_SHARED_WORK * walks;
}

// ---- loops that store one element after another

// Whether the value is a phi of the loop that each iteration moves on by the same constant.
static bool is_counter(const struct kiln_function *fn, kiln_value loop, kiln_value v) {
  uint32_t index;
  struct kiln_affine now, next;
  int64_t distance;
  if (kiln_ll_header_of(fn, v, &index) != loop)
    return false;
  kiln_affine_of(fn, v, KILN_AFFINE_MAY_WRAP, &now);
  for (kiln_value jump = 0; (jump = kiln_ll_next_jump(fn, jump, KILN_OP_CONTINUE, loop));) {
    kiln_affine_of(fn, kiln_operands(fn, jump)[index], KILN_AFFINE_MAY_WRAP, &next);
    if (!kiln_affine_distance(&now, &next, &distance))
      return false;
  }
  return true;
}

// Whether a counter of the loop is a term of the address.
static bool counts(const struct kiln_function *fn, kiln_value loop, kiln_value address) {
  struct kiln_affine form;
  kiln_affine_of(fn, address, KILN_AFFINE_MAY_WRAP, &form);
  for (uint32_t i = 0; i < form.term_count; i++)
    if (is_counter(fn, loop, form.terms[i].value))
      return true;
  return form.base && is_counter(fn, loop, form.base);
}

static bool is_slow(enum kiln_op op) { return op == KILN_OP_FDIV || op == KILN_OP_SQRT || kiln_op_is_division(op); }

// Whether each lane carries an address or index of its own through a loop. Loops that carry an address step through
// pixels as often as through rows, and lanes make pixels up to three times as fast as scalar work-items do.
static bool is_carried(const struct kiln_function *fn, kiln_value address) {
  struct kiln_affine form;
  kiln_affine_of(fn, address, KILN_AFFINE_PRODUCTS | KILN_AFFINE_MAY_WRAP, &form);
  bool any = form.base && first_value(fn, form.base) && fn->shapes[form.base].kind == KILN_SHAPE_VARYING;
  for (uint32_t i = 0; i < form.term_count; i++)
    any |= first_value(fn, form.terms[i].value) && fn->shapes[form.terms[i].value].kind == KILN_SHAPE_VARYING;
  return any;
}

// The loop that, by the store v, writes element after element of memory of the work-item's own; 0: v is no store, or
// none of a loop that does so. Only innermost loops count: LLVM vectorises no others.
static kiln_value filled_loop(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v) {
  kiln_value loop = fn->insts[v].op == KILN_OP_STORE ? strided_loop(ll, fn, v) : 0;
  kiln_value pointer = loop ? kiln_operands(fn, v)[0] : 0;
  bool fills = loop && fn->insts[pointer].op == KILN_OP_PADD && counts(fn, loop, pointer) && !is_carried(fn, pointer) &&
               !kiln_ll_has_loop(fn, kiln_node(fn, loop)->region_first);
  return fills ? loop : 0;
}

// Whether a loop loads from the array that it stores to, at another address: the loads may then depend on earlier
// stores.
static bool depends_on_stores(struct kiln_ll *ll, const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = filled_loop(ll, fn, v);
    if (!loop)
      continue;
    kiln_value pointer = kiln_operands(fn, v)[0];
    for (kiln_value load = 1; load < fn->shape_count; load++) {
      if (fn->insts[load].op != KILN_OP_LOAD || !is_access(fn, load) || kiln_ll_loop_of(fn, load) != loop)
        continue;
      kiln_value from = kiln_operands(fn, load)[0];
      if (from != pointer && root(fn, from) == root(fn, pointer))
        return true;
    }
  }
  return false;
}

// For the values of an innermost loop: one more than the longest chain of floating-point operations from its phis; 0:
// the value does not depend on a phi.
static void find_chains(const struct kiln_function *fn, kiln_value loop, uint32_t *chains) {
  const struct kiln_node *node = kiln_node(fn, loop);
  for (uint32_t i = 0; i < node->header.count; i++)
    chains[node->header.items[i]] = 1;
  for (kiln_value v = fn->regions[node->region_first].first; v; v = kiln_ll_next_within(fn, node->region_first, v)) {
    const struct kiln_inst *in = &fn->insts[v];
    uint32_t longest = 0;
    for (uint32_t i = 0; i < in->operand_count && kiln_op_table[in->op].effect == KILN_EFFECT_PURE; i++) {
      uint32_t before = chains[kiln_operands(fn, v)[i]];
      longest = before > longest ? before : longest;
    }
    chains[v] = longest ? longest + kiln_kind_is_float(kiln_type_kind(in->type)) : 0;
  }
}

// Whether a loop that fills memory of the work-item's own has a dependence of two operations or more between
// iterations, as a recursive filter has. Other work-items can run while one waits for it.
static bool depends_on_iterations(struct kiln_ll *ll, const struct kiln_function *fn) {
  uint32_t *chains = KILN_NEW_ARRAY(&ll->arena, uint32_t, fn->inst_count);
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = filled_loop(ll, fn, v);
    if (loop)
      find_chains(fn, loop, chains);
    for (kiln_value next = 0; loop && (next = kiln_ll_next_jump(fn, next, KILN_OP_CONTINUE, loop));)
      for (uint32_t i = 0; i < fn->insts[next].operand_count; i++)
        if (chains[kiln_operands(fn, next)[i]] > KILN_COST_CHAIN)
          return true;
  }
  return false;
}

struct work { // of the kernel's loops
  uint64_t operations, fills;
  bool is_slow, shares; // shares: loads that neighbouring work-items share
};

static void look_at(struct kiln_ll *ll, const struct kiln_function *fn, kiln_value v, struct work *work) {
  const struct kiln_inst *in = &fn->insts[v];
  uint64_t iterations = kiln_ll_iterations(fn, v);
  work->operations += is_operation(fn, v) ? iterations : 0;
  work->is_slow |= is_slow((enum kiln_op)in->op);
  work->shares |= in->op == KILN_OP_LOAD && fn->shapes[kiln_operands(fn, v)[0]].kind == KILN_SHAPE_LINEAR;
  work->fills += filled_loop(ll, fn, v) ? iterations : 0;
}

bool kiln_ll_fills_large_strides(struct kiln_ll *ll, const struct kiln_function *fn) {
  struct work work = {0};
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    if (fn->insts[v].region && kiln_ll_loop_of(fn, v) && !kiln_ll_is_fallback(fn, v))
      look_at(ll, fn, v, &work);
  }
  return work.fills && !work.shares && work.operations <= KILN_COST_FILL_WORK * work.fills &&
         !(work.is_slow && depends_on_stores(ll, fn)) && !depends_on_iterations(ll, fn);
}

// ---- accesses at constant distances that share cache sets

struct streams {
  struct kiln_affine first;
  int64_t distances[KILN_COST_SET_LINES];
  unsigned count; // of distances from the first
};

// Adds an access to its streams. Returns whether there are more than the sets hold.
static bool add_stream(struct streams *streams, const struct kiln_affine *form) {
  int64_t distance;
  for (unsigned i = 0; i < KILN_LL_MAX_SHARED; i++) {
    struct streams *s = &streams[i];
    if (!s->first.base)
      s->first = *form;
    if (!kiln_affine_distance(&s->first, form, &distance) || distance % KILN_COST_SET_BYTES)
      continue;
    for (unsigned d = 0; d < s->count; d++)
      if (s->distances[d] == distance)
        return false;
    if (s->count == KILN_COST_SET_LINES)
      return true;
    s->distances[s->count++] = distance;
    return false;
  }
  return false;
}

unsigned kiln_ll_bytes_that_share_sets(const struct kiln_function *fn) {
  struct streams streams[KILN_LL_MAX_SHARED] = {0};
  struct kiln_affine form;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    if (!is_access(fn, v))
      continue;
    kiln_affine_of(fn, kiln_operands(fn, v)[0], 0, &form);
    if (kiln_ll_is_contiguous(fn, fn->shapes, v) && add_stream(streams, &form))
      return kiln_type_bytes(kiln_access_type(fn, v));
  }
  return 0;
}

// ---- the version of fewer lanes

// A stride of lanes that only the launch knows: a parameter times a constant.
static void add_stride(const struct kiln_function *fn, const struct kiln_term *term, struct kiln_ll_shared_sets *sets) {
  struct kiln_shape shape = fn->shapes[term->value];
  bool is_new = shape.kind == KILN_SHAPE_LINEAR && term->scale && kiln_inst(fn, term->scale)->op == KILN_OP_PARAM &&
                sets->count < KILN_LL_MAX_SHARED;
  for (unsigned i = 0; i < sets->count; i++)
    is_new &= sets->scales[i] != term->scale;
  if (!is_new)
    return;
  sets->scales[sets->count] = term->scale;
  sets->factors[sets->count++] = (uint64_t)term->factor * (uint64_t)shape.stride;
}

static void add_base(kiln_value *bases, unsigned *count, kiln_value base) {
  bool is_new = *count < KILN_LL_MAX_SHARED;
  for (unsigned i = 0; i < *count; i++)
    is_new &= bases[i] != base;
  if (is_new)
    bases[(*count)++] = base;
}

bool kiln_ll_find_shared_sets(const struct kiln_ll_fn *f, struct kiln_ll_shared_sets *out) {
  const struct kiln_function *fn = f->fn;
  kiln_value bases[KILN_LL_MAX_SHARED];
  unsigned base_count = 0;
  struct kiln_affine form;
  bool by_fours = true;
  out->count = 0;
  for (kiln_value v = 1; v < fn->shape_count; v++) {
    kiln_value loop = strided_loop(f->ll, fn, v);
    if (!loop)
      continue;
    by_fours &= kiln_node(fn, loop)->unroll == 1;
    start_of(fn, kiln_operands(fn, v)[0], &form);
    add_base(bases, &base_count, form.base);
    for (uint32_t i = 0; i < form.term_count; i++)
      add_stride(fn, &form.terms[i], out);
  }
  if (!out->count)
    return false;
  unsigned fit = KILN_COST_SET_LINES / (base_count ? base_count : 1);
  // Where iterations access one element at a time, scalar work-items are faster than 4 lanes, unless each element
  // depends on the previous one. Loops with that dependence use each line again in every iteration, so that the lines
  // of all lanes must fit one set: with a stride of 4 KiB they have no other.
  if (!by_fours && depends_on_iterations(f->ll, fn)) {
    out->lanes = fit >= 16 ? 8 : fit >= 8 ? 4 : fit >= 4 ? 2 : 1;
    return out->lanes < f->form->lanes;
  }
  out->lanes = fit < 4 || !by_fours ? 1 : fit < 8 ? 4 : 8;
  return fit < f->form->lanes;
}
