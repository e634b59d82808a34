// Accesses whose lanes lie at known distances from one another: a stride other than the element's size (struct members,
// columns), or bit operations with constants on local ids (i & 7, 2 * i - (i & 3)), whose value in the first lane of a
// full warp is a multiple of the lanes. Such an access is a few vector accesses and a shuffle, or one scalar access per
// lane, instead of a gather or scatter. Full warps only.
#include "backends/llvm/spmd/group.h"
#include "backends/llvm/spmd/spmd.h"

#define MAX_CHAIN 16           // dependent operations that compute an address
#define MAX_DISTANCE (1 << 20) // bytes
#define MAX_ONE_BY_ONE 16      // lanes
#define MAX_VECTORS 4          // registers that a shuffle takes its elements from
#define MAX_COMPONENTS 8       // of a vector of the language of up to 8 bytes

// Lane l has base + at[l]. base is a multiple of 2^zeros.
struct pattern {
  LLVMValueRef base; // while emitting
  int64_t at[KILN_LL_MAX_LANES];
  unsigned zeros;
};

struct search {
  struct kiln_ll_fn *f;
  kiln_value access;
  bool emit; // false: only computes the distances
};

static bool find(const struct search *s, kiln_value v, unsigned depth, bool in_bounds, struct pattern *out);

static bool constant(const struct search *s, kiln_value v, int64_t *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  if (in->op != KILN_OP_CONST || !kiln_kind_is_int(kiln_type_kind(in->type)))
    return false;
  unsigned unused = 64 - kiln_kind_bits(kiln_type_kind(in->type));
  *out = (int64_t)(in->imm << unused) >> unused;
  return true;
}

static unsigned zeros_of(int64_t bits) { return bits ? (unsigned)__builtin_ctzll((uint64_t)bits) : 62; }

// Whether adding the distance changes no bit of the base.
static bool is_packed(const struct search *s, const struct pattern *p, unsigned zeros) {
  for (unsigned i = 0; i < s->f->spmd->lanes; i++)
    if (p->at[i] < 0 || p->at[i] >> zeros)
      return false;
  return true;
}

static bool row_id_value(const struct search *s, kiln_value v) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  return in->op == KILN_OP_LOCAL_ID && in->imm == 0 && kiln_ll_shape(s->f, v).kind == KILN_SHAPE_LINEAR;
}

// The largest known k such that the value in the first lane is a multiple of 2^k, if phi is a multiple of 2^of_phi.
static unsigned known_zeros(const struct search *s, kiln_value v, kiln_value phi, unsigned of_phi, unsigned depth) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  int64_t bits;
  if (v == phi)
    return of_phi;
  if (constant(s, v, &bits))
    return zeros_of(bits);
  if (row_id_value(s, v))
    return zeros_of(s->f->spmd->lanes);
  if (depth == MAX_CHAIN || kiln_type_lanes(in->type) > 1)
    return 0;
  depth++;
  if (in->op == KILN_OP_TRUNC || in->op == KILN_OP_ZEXT || in->op == KILN_OP_SEXT)
    return known_zeros(s, x[0], phi, of_phi, depth);
  if (in->op != KILN_OP_IADD && in->op != KILN_OP_ISUB)
    return 0;
  unsigned a = known_zeros(s, x[0], phi, of_phi, depth), b = known_zeros(s, x[1], phi, of_phi, depth);
  return a < b ? a : b;
}

// The same for a loop counter in the uniform-loop version. The loop has one continue, at its end.
static unsigned counted_zeros(const struct search *s, kiln_value v) {
  const struct kiln_function *fn = s->f->fn;
  const struct kiln_inst *in = kiln_inst(fn, v);
  kiln_value test = s->f->spmd->uniform_test, loop = test ? fn->regions[kiln_inst(fn, test)->region].owner : 0;
  if (in->op != KILN_OP_PHI || !loop || (kiln_value)in->imm != loop)
    return 0;
  const struct kiln_node *node = &fn->nodes[kiln_inst(fn, loop)->node];
  kiln_value next = fn->regions[node->region_first].last;
  for (uint32_t i = 0; i < node->header.count; i++) {
    if (node->header.items[i] != v)
      continue;
    unsigned zeros = known_zeros(s, kiln_operands(fn, loop)[i], 0, 0, 0), step;
    while ((step = known_zeros(s, kiln_operands(fn, next)[i], v, zeros, 0)) < zeros)
      zeros = step;
    return zeros;
  }
  return 0; // a result of the loop
}

static bool leaf(const struct search *s, kiln_value v, int64_t stride, struct pattern *out) {
  int64_t bits;
  out->base = s->emit ? kiln_ll_held(s->f, v) : NULL;
  out->zeros = constant(s, v, &bits) ? zeros_of(bits) : counted_zeros(s, v);
  for (unsigned i = 0; i < s->f->spmd->lanes; i++)
    out->at[i] = i * stride;
  return stride < MAX_DISTANCE && stride > -MAX_DISTANCE;
}

static bool row_id(const struct search *s, struct pattern *out) {
  out->base = s->f->cpu.local_id[0];
  out->zeros = zeros_of(s->f->spmd->lanes);
  for (unsigned i = 0; i < s->f->spmd->lanes; i++)
    out->at[i] = i;
  return true;
}

static bool extend(const struct search *s, kiln_value v, unsigned depth, bool in_bounds, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  LLVMBuilderRef b = s->f->ll->b;
  if (!find(s, kiln_operands(s->f->fn, v)[0], depth, false, out))
    return false;
  if (!is_packed(s, out, out->zeros)) {
    // All lanes access one object, so they differ by no more than its size, and the extension of lane 0 gives that of
    // the others.
    if (!in_bounds)
      return false;
    int64_t first = out->at[0];
    if (s->emit)
      out->base = LLVMBuildAdd(b, out->base, LLVMConstInt(LLVMTypeOf(out->base), (uint64_t)first, true), "");
    for (unsigned i = 0; i < s->f->spmd->lanes; i++)
      out->at[i] -= first;
    out->zeros = 0;
  }
  if (s->emit) {
    LLVMTypeRef type = kiln_ll_type(s->f->ll, in->type);
    out->base = in->op == KILN_OP_SEXT ? LLVMBuildSExt(b, out->base, type, "") : LLVMBuildZExt(b, out->base, type, "");
  }
  return true;
}

static bool with_constant(const struct search *s, enum kiln_op op, int64_t number, unsigned bits, struct pattern *p) {
  LLVMBuilderRef b = s->f->ll->b;
  bool packed = is_packed(s, p, p->zeros);
  unsigned lanes = s->f->spmd->lanes, shift = (unsigned)number % bits;
  LLVMValueRef count = s->emit ? LLVMConstInt(LLVMTypeOf(p->base),
                                              op == KILN_OP_SHL || op == KILN_OP_LSHR ? shift : (uint64_t)number, true)
                               : NULL;
  if (op == KILN_OP_AND) {
    if (!packed)
      return false;
    for (unsigned i = 0; i < lanes; i++)
      p->at[i] &= number;
    p->base = s->emit ? LLVMBuildAnd(b, p->base, count, "") : NULL;
    if (number >= 0 && number >> p->zeros == 0) {
      p->base = s->emit ? LLVMConstNull(LLVMTypeOf(count)) : NULL;
      p->zeros = 62;
    }
    return true;
  }
  if (op == KILN_OP_LSHR) {
    if (!packed || p->zeros < shift)
      return false;
    for (unsigned i = 0; i < lanes; i++)
      p->at[i] >>= shift;
    p->base = s->emit ? LLVMBuildLShr(b, p->base, count, "") : NULL;
    p->zeros -= shift;
    return true;
  }
  if (op == KILN_OP_SHL)
    number = shift < 20 ? (int64_t)1 << shift : MAX_DISTANCE;
  if (number >= MAX_DISTANCE || number <= -MAX_DISTANCE)
    return false;
  for (unsigned i = 0; i < lanes; i++) {
    p->at[i] *= number;
    if (p->at[i] >= MAX_DISTANCE || p->at[i] <= -MAX_DISTANCE)
      return false;
  }
  if (s->emit)
    p->base = op == KILN_OP_SHL ? LLVMBuildShl(b, p->base, count, "") : LLVMBuildMul(b, p->base, count, "");
  p->zeros = p->zeros + zeros_of(number) > 62 ? 62 : p->zeros + zeros_of(number);
  return true;
}

static bool combine(const struct search *s, enum kiln_op op, struct pattern *x, const struct pattern *y) {
  LLVMBuilderRef b = s->f->ll->b;
  unsigned zeros = x->zeros < y->zeros ? x->zeros : y->zeros;
  bool bitwise = op == KILN_OP_OR || op == KILN_OP_XOR;
  if (bitwise && (!is_packed(s, x, zeros) || !is_packed(s, y, zeros)))
    return false;
  for (unsigned i = 0; i < s->f->spmd->lanes; i++)
    x->at[i] = op == KILN_OP_IADD   ? x->at[i] + y->at[i]
               : op == KILN_OP_ISUB ? x->at[i] - y->at[i]
               : op == KILN_OP_OR   ? x->at[i] | y->at[i]
                                    : x->at[i] ^ y->at[i];
  x->zeros = zeros;
  if (s->emit)
    x->base = op == KILN_OP_IADD   ? LLVMBuildAdd(b, x->base, y->base, "")
              : op == KILN_OP_ISUB ? LLVMBuildSub(b, x->base, y->base, "")
              : op == KILN_OP_OR   ? LLVMBuildOr(b, x->base, y->base, "")
                                   : LLVMBuildXor(b, x->base, y->base, "");
  return true;
}

static bool pointer(const struct search *s, kiln_value v, unsigned depth, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  struct pattern index;
  int64_t stride = (int64_t)in->imm;
  bool is_local = kiln_type_space(in->type) == KILN_LOCAL && kiln_ll_shape(s->f, x[0]).kind == KILN_SHAPE_UNIFORM;
  if (stride >= MAX_DISTANCE || stride <= -MAX_DISTANCE || !find(s, x[0], depth, false, out) ||
      !find(s, x[1], depth, is_local, &index))
    return false;
  for (unsigned i = 0; i < s->f->spmd->lanes; i++) {
    out->at[i] += index.at[i] * stride;
    if (out->at[i] >= MAX_DISTANCE || out->at[i] <= -MAX_DISTANCE)
      return false;
  }
  out->zeros = 0;
  out->base = s->emit ? kiln_ll_pointer_add(s->f->ll, out->base, index.base, stride) : NULL;
  return true;
}

static bool from_operands(const struct search *s, kiln_value v, unsigned depth, bool in_bounds, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  enum kiln_op op = (enum kiln_op)in->op;
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  struct pattern other;
  int64_t number;
  if (depth == MAX_CHAIN || !kiln_ll_has_operands(s->f, s->access, v) || kiln_type_lanes(in->type) > 1)
    return false;
  depth++;
  if (op == KILN_OP_PADD)
    return pointer(s, v, depth, out);
  if (bits < 32)
    return false;
  switch (in->op) {
  case KILN_OP_ZEXT:
  case KILN_OP_SEXT:
    return kiln_kind_bits(kiln_type_kind(kiln_value_type(s->f->fn, x[0]))) >= 32 && extend(s, v, depth, in_bounds, out);
  case KILN_OP_TRUNC:
    if (!find(s, x[0], depth, false, out))
      return false;
    out->base = s->emit ? LLVMBuildTrunc(s->f->ll->b, out->base, kiln_ll_type(s->f->ll, in->type), "") : NULL;
    return true;
  case KILN_OP_AND:
  case KILN_OP_SHL:
  case KILN_OP_LSHR:
  case KILN_OP_IMUL:
    return constant(s, x[1], &number) && find(s, x[0], depth, false, out) && with_constant(s, op, number, bits, out);
  case KILN_OP_IADD:
  case KILN_OP_ISUB:
  case KILN_OP_OR:
  case KILN_OP_XOR:
    return find(s, x[0], depth, false, out) && find(s, x[1], depth, false, &other) && combine(s, op, out, &other);
  }
  return false;
}

static bool find(const struct search *s, kiln_value v, unsigned depth, bool in_bounds, struct pattern *out) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  struct kiln_shape shape = kiln_ll_shape(s->f, v);
  if (shape.kind == KILN_SHAPE_UNIFORM)
    return leaf(s, v, 0, out);
  if (in->op == KILN_OP_LOCAL_ID)
    return row_id_value(s, v) && row_id(s, out);
  if (from_operands(s, v, depth, in_bounds, out))
    return true;
  return shape.kind == KILN_SHAPE_LINEAR && !s->f->spmd->tainted[v] && leaf(s, v, shape.stride, out);
}

// ---- emission

struct window { // elements from the first to the last one accessed
  int64_t first;
  unsigned count;
  unsigned at[KILN_LL_MAX_LANES]; // by lane
};

static bool find_window(const struct kiln_ll_pattern *p, unsigned lanes, unsigned bytes, unsigned n,
                        struct window *out) {
  int64_t first = p->at[0], last = p->at[0];
  for (unsigned i = 1; i < lanes; i++) {
    first = p->at[i] < first ? p->at[i] : first;
    last = p->at[i] > last ? p->at[i] : last;
  }
  out->first = first;
  out->count = (unsigned)((last - first) / bytes) + n;
  for (unsigned i = 0; i < lanes; i++) {
    if ((p->at[i] - first) % bytes)
      return false;
    out->at[i] = (unsigned)((p->at[i] - first) / bytes);
  }
  return out->count <= MAX_VECTORS * lanes;
}

static bool is_scalar_size(unsigned bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

bool kiln_ll_find_pattern(struct kiln_ll_fn *f, kiln_value inst, kiln_value address, kiln_type type,
                          struct kiln_ll_pattern *out) {
  struct kiln_ll_spmd *s = f->spmd;
  struct kiln_shape shape = kiln_ll_shape(f, address);
  struct search search = {f, inst, false};
  struct pattern pattern;
  unsigned n = kiln_type_lanes(type);
  bool is_linear = shape.kind == KILN_SHAPE_LINEAR;
  if (s->mask || s->element[address] || n == 3 || !is_scalar_size(kiln_type_bytes(type)) ||
      !(is_linear ? leaf(&search, address, shape.stride, &pattern) : find(&search, address, 0, false, &pattern)))
    return false;
  search.emit = true;
  if (is_linear)
    leaf(&search, address, shape.stride, &pattern);
  else
    find(&search, address, 0, false, &pattern);
  out->base = pattern.base;
  struct window window;
  for (unsigned i = 0; i < s->lanes; i++)
    out->at[i] = pattern.at[i];
  if (s->lanes > MAX_ONE_BY_ONE && !find_window(out, s->lanes, kiln_type_bytes(type) / n, n, &window))
    return false;
  out->guard = is_linear && s->tainted[address] ? s->guards[address] : NULL;
  return true;
}

static LLVMValueRef address_at(struct kiln_ll_fn *f, LLVMValueRef base, int64_t offset) {
  LLVMValueRef index = LLVMConstInt(f->ll->i64, (uint64_t)offset, true);
  return offset ? LLVMBuildGEP2(f->ll->b, f->ll->i8, base, &index, 1, "") : base;
}

static LLVMValueRef pick(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef y, const int *list, unsigned count) {
  LLVMValueRef numbers[MAX_COMPONENTS * KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < count; i++)
    numbers[i] = list[i] < 0 ? LLVMGetPoison(f->ll->i32) : LLVMConstInt(f->ll->i32, (unsigned)list[i], false);
  return LLVMBuildShuffleVector(f->ll->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(numbers, count), "");
}

// One word per lane that holds all components; to_flat and back convert between it and the flat form.
static LLVMTypeRef whole_type(struct kiln_ll_fn *f, kiln_type type) {
  unsigned n = kiln_type_lanes(type);
  return n == 1 ? kiln_ll_type(f->ll, type) : kiln_ll_int(f->ll, kiln_type_bytes(type) * 8);
}

static LLVMValueRef load_one_by_one(struct kiln_ll_fn *f, kiln_type type, const struct kiln_ll_pattern *p,
                                    unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes, n = kiln_type_lanes(type);
  LLVMTypeRef whole = whole_type(f, type);
  LLVMValueRef values[KILN_LL_MAX_LANES], result = LLVMGetPoison(LLVMVectorType(whole, lanes));
  for (unsigned i = 0; i < lanes; i++) {
    values[i] = NULL;
    for (unsigned k = 0; k < i && !values[i]; k++)
      values[i] = p->at[k] == p->at[i] ? values[k] : NULL;
    if (!values[i]) {
      values[i] = LLVMBuildLoad2(ll->b, whole, address_at(f, p->base, p->at[i]), "");
      LLVMSetAlignment(values[i], align);
    }
    result = LLVMBuildInsertElement(ll->b, result, values[i], LLVMConstInt(ll->i32, i, false), "");
  }
  if (n == 1)
    return result;
  result = LLVMBuildBitCast(ll->b, result, LLVMVectorType(kiln_ll_type(ll, kiln_type_element(type)), n * lanes), "");
  return kiln_ll_from_lanes(f, result, n, n);
}

// Loads the window vector by vector. The last vector ends with the window.
static LLVMValueRef load_window(struct kiln_ll_fn *f, kiln_type type, const struct kiln_ll_pattern *p,
                                const struct window *w, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes, n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  unsigned length = w->count < lanes ? w->count : lanes, vectors = (w->count + lanes - 1) / lanes;
  LLVMTypeRef element = kiln_ll_type(ll, kiln_type_element(type));
  LLVMValueRef vector[MAX_VECTORS] = {NULL};
  int list[MAX_COMPONENTS * KILN_LL_MAX_LANES];
  unsigned last = vectors > 1 ? w->count - lanes : 0;
  for (unsigned r = 0; r < vectors; r++) {
    unsigned at = r + 1 < vectors ? r * lanes : last;
    vector[r] = LLVMBuildLoad2(ll->b, LLVMVectorType(element, length),
                               address_at(f, p->base, w->first + (int64_t)at * bytes), "");
    LLVMSetAlignment(vector[r], align < bytes ? align : bytes);
  }
  if (vectors > 2) {
    for (unsigned i = 0; i < 2 * lanes; i++)
      list[i] = (int)i;
    vector[0] = pick(f, vector[0], vector[1], list, 2 * lanes);
    vector[1] = pick(f, vector[2], vectors > 3 ? vector[3] : NULL, list, 2 * lanes);
  }
  for (unsigned c = 0; c < n; c++)
    for (unsigned i = 0; i < lanes; i++) {
      unsigned j = w->at[i] + c, r = j / lanes < vectors ? j / lanes : vectors - 1;
      if (r + 1 == vectors && vectors > 1)
        j = r * lanes + j - last;
      list[c * lanes + i] = (int)j;
    }
  return pick(f, vector[0], vectors > 1 ? vector[1] : NULL, list, n * lanes);
}

LLVMValueRef kiln_ll_load_pattern(struct kiln_ll_fn *f, kiln_type type, const struct kiln_ll_pattern *p,
                                  unsigned align) {
  struct window window;
  unsigned n = kiln_type_lanes(type), lanes = f->spmd->lanes;
  bool near = find_window(p, lanes, kiln_type_bytes(type) / n, n, &window);
  if (near && (window.count >= lanes || !(window.count & (window.count - 1))) && window.count > 1)
    return load_window(f, type, p, &window, align);
  return load_one_by_one(f, type, p, align);
}

static void store_one_by_one(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, const struct kiln_ll_pattern *p,
                             unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes, n = kiln_type_lanes(type);
  if (n > 1)
    value = LLVMBuildBitCast(ll->b, kiln_ll_to_lanes(f, value, n, n), LLVMVectorType(whole_type(f, type), lanes), "");
  for (unsigned i = 0; i < lanes; i++) {
    LLVMValueRef one = LLVMBuildExtractElement(ll->b, value, LLVMConstInt(ll->i32, i, false), "");
    LLVMSetAlignment(LLVMBuildStore(ll->b, one, address_at(f, p->base, p->at[i])), align);
  }
}

// Stores the window vector by vector, under a mask of the elements that are written.
static void store_window(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, const struct kiln_ll_pattern *p,
                         const struct window *w, unsigned align) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes, n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  int writer[MAX_VECTORS * KILN_LL_MAX_LANES];
  for (unsigned j = 0; j < MAX_VECTORS * lanes; j++)
    writer[j] = -1;
  for (unsigned i = 0; i < lanes; i++) // the last lane stays
    for (unsigned c = 0; c < n; c++)
      writer[w->at[i] + c] = (int)(c * lanes + i);
  for (unsigned r = 0; r * lanes < w->count; r++) {
    LLVMValueRef mask[KILN_LL_MAX_LANES];
    unsigned written = 0;
    for (unsigned i = 0; i < lanes; i++) {
      mask[i] = LLVMConstInt(ll->i1, writer[r * lanes + i] >= 0, false);
      written += writer[r * lanes + i] >= 0;
    }
    if (written)
      kiln_ll_store_contiguous(f, pick(f, value, NULL, writer + r * lanes, lanes), 1, 1,
                               address_at(f, p->base, w->first + (int64_t)(r * lanes) * bytes),
                               align < bytes ? align : bytes, written < lanes ? LLVMConstVector(mask, lanes) : NULL,
                               false);
  }
}

void kiln_ll_store_pattern(struct kiln_ll_fn *f, kiln_type type, LLVMValueRef value, const struct kiln_ll_pattern *p,
                           unsigned align) {
  struct window window;
  unsigned n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  if (f->ll->machine->wide_vectors && bytes >= 4 && find_window(p, f->spmd->lanes, bytes, n, &window))
    store_window(f, type, value, p, &window, align);
  else
    store_one_by_one(f, type, value, p, align);
}

// ---- store pairs: two stores that fill vectors together

#define MAX_BETWEEN 32 // instructions

struct kiln_ll_store_pair {
  kiln_value first, second;
  LLVMValueRef base;
  int64_t start; // of the vectors, in bytes from base
  unsigned vectors;
  int writer[MAX_VECTORS * KILN_LL_MAX_LANES]; // by element: index into the values of both stores
};

static bool is_plain_store(const struct kiln_inst *in) {
  return in->op == KILN_OP_STORE && !(in->flags & KILN_MEM_VOLATILE);
}

// The index without its extension. Local memory is smaller than 2^32 bytes, so 32 bits distinguish all addresses in it.
static kiln_value number_of(const struct kiln_function *fn, kiln_value index) {
  const struct kiln_inst *in = &fn->insts[index];
  bool extends = in->op == KILN_OP_ZEXT || in->op == KILN_OP_SEXT;
  kiln_value x = extends ? kiln_operands(fn, index)[0] : index;
  return kiln_kind_bits(kiln_type_kind(fn->insts[x].type)) >= 32 ? x : index;
}

// Whether y is x plus a constant.
static bool differs_by_constant(const struct kiln_function *fn, kiln_value x, kiln_value y, int64_t *distance) {
  const struct kiln_inst *in = &fn->insts[y];
  const kiln_value *operands = kiln_operands(fn, y);
  if (in->op != KILN_OP_IADD || operands[0] != x || fn->insts[operands[1]].op != KILN_OP_CONST)
    return false;
  *distance = (int32_t)fn->insts[operands[1]].imm;
  return *distance > -MAX_DISTANCE && *distance < MAX_DISTANCE;
}

// The distance in bytes between two addresses in local memory, if it is the same for all work-items.
static bool find_distance(const struct kiln_function *fn, kiln_value from, kiln_value to, int64_t *out) {
  const struct kiln_inst *a = &fn->insts[from], *b = &fn->insts[to];
  const kiln_value *x = kiln_operands(fn, from), *y = kiln_operands(fn, to);
  if (a->op != KILN_OP_PADD || b->op != KILN_OP_PADD || x[0] != y[0] || a->imm != b->imm ||
      kiln_type_space(a->type) != KILN_LOCAL)
    return false;
  int64_t distance, stride = (int64_t)a->imm;
  kiln_value i = number_of(fn, x[1]), j = number_of(fn, y[1]);
  if (stride <= 0 || stride > MAX_DISTANCE)
    return false;
  if (differs_by_constant(fn, i, j, &distance))
    *out = distance * stride;
  else if (differs_by_constant(fn, j, i, &distance))
    *out = -distance * stride;
  else
    return false;
  return true;
}

// The next store, with only pure operations before it; 0: none.
static kiln_value next_store(const struct kiln_function *fn, kiln_value inst) {
  kiln_value v = fn->insts[inst].next;
  for (unsigned i = 0; v && i < MAX_BETWEEN; i++, v = fn->insts[v].next) {
    if (is_plain_store(&fn->insts[v]))
      return v;
    if (kiln_op_table[fn->insts[v].op].effect != KILN_EFFECT_PURE)
      return 0;
  }
  return 0;
}

// Finds which lane writes which element; the second store wins. False: elements are left out, or there are too many.
static bool fill_vectors(struct kiln_ll_store_pair *pair, const struct kiln_ll_pattern *p, int64_t distance,
                         unsigned lanes, unsigned bytes, unsigned n) {
  int64_t first = p->at[0], last = p->at[0];
  for (unsigned i = 0; i < 2 * lanes; i++) {
    int64_t at = p->at[i % lanes] + (i < lanes ? 0 : distance);
    first = at < first ? at : first;
    last = at > last ? at : last;
  }
  int64_t count = (last - first) / bytes + n;
  if (count > MAX_VECTORS * (int64_t)lanes || count % lanes)
    return false;
  pair->start = first;
  pair->vectors = (unsigned)count / lanes;
  for (int64_t j = 0; j < count; j++)
    pair->writer[j] = -1;
  for (unsigned i = 0; i < 2 * lanes; i++) {
    int64_t at = p->at[i % lanes] + (i < lanes ? 0 : distance) - first;
    if (at % bytes)
      return false;
    for (unsigned c = 0; c < n; c++)
      pair->writer[at / bytes + c] = (int)((i < lanes ? 0 : n * lanes) + c * lanes + i % lanes);
  }
  for (int64_t j = 0; j < count; j++)
    if (pair->writer[j] < 0)
      return false;
  return true;
}

bool kiln_ll_begin_store_pair(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_ll_pattern *p) {
  const struct kiln_function *fn = f->fn;
  const kiln_value *x = kiln_operands(fn, inst);
  kiln_type type = kiln_value_type(fn, x[1]);
  unsigned n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  bool plain =
      f->ll->machine->wide_vectors && is_plain_store(&fn->insts[inst]); // on other machines shuffles cost as much
  kiln_value second = plain ? next_store(fn, inst) : 0;
  int64_t distance;
  if (!second || f->spmd->store_pair || kiln_value_type(fn, kiln_operands(fn, second)[1]) != type ||
      !find_distance(fn, x[0], kiln_operands(fn, second)[0], &distance))
    return false;
  struct kiln_ll_store_pair pair = {.first = inst, .second = second, .base = p->base};
  if (!fill_vectors(&pair, p, distance, f->spmd->lanes, bytes, n))
    return false;
  f->spmd->store_pair = KILN_NEW(&f->ll->arena, struct kiln_ll_store_pair);
  *f->spmd->store_pair = pair;
  return true;
}

bool kiln_ll_end_store_pair(struct kiln_ll_fn *f, kiln_value inst) {
  const struct kiln_ll_store_pair *pair = f->spmd->store_pair;
  if (!pair || pair->second != inst)
    return false;
  unsigned lanes = f->spmd->lanes;
  kiln_type type = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1]);
  unsigned bytes = kiln_type_bytes(type) / kiln_type_lanes(type), align = bytes;
  kiln_value stores[2] = {pair->first, inst};
  LLVMValueRef values[2];
  for (unsigned i = 0; i < 2; i++) {
    uint32_t known = kiln_inst(f->fn, stores[i])->imm2;
    values[i] = kiln_ll_wide(f, kiln_operands(f->fn, stores[i])[1]);
    align = known && known < align ? known : align;
  }
  for (unsigned r = 0; r < pair->vectors; r++) {
    LLVMValueRef vector = pick(f, values[0], values[1], pair->writer + r * lanes, lanes);
    kiln_ll_store_contiguous(f, vector, 1, 1, address_at(f, pair->base, pair->start + (int64_t)(r * lanes) * bytes),
                             align, NULL, true);
  }
  f->spmd->store_pair = NULL;
  return true;
}
