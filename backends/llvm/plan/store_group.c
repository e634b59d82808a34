// Store groups: stores that together write consecutive elements, as o[3 * i] = r; o[3 * i + 1] = g; o[3 * i + 2] = b,
// the members of a struct, or two stores to local memory that fill each other's gaps. The group becomes contiguous
// stores, emitted at its last store. No operation between the stores may observe memory. Full warps only.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): stores.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/plan/find.h"

#define MAX_DISTANCE 64 // bytes

static bool is_plain_store(const struct kiln_inst *in) {
  return in->op == KILN_OP_STORE && !(in->flags & KILN_MEM_VOLATILE);
}

// Whether stores may be moved after the instruction.
static bool may_come_first(const struct kiln_function *fn, kiln_value v) {
  const struct kiln_inst *in = &fn->insts[v];
  if (in->op == KILN_OP_LOAD)
    return kiln_type_space(kiln_value_type(fn, kiln_operands(fn, v)[0])) == KILN_CONSTANT &&
           !(in->flags & KILN_MEM_VOLATILE);
  return kiln_op_table[in->op].effect == KILN_EFFECT_PURE;
}

// Finds the stores that form a group of count elements with inst.
static bool find_stores(const struct kiln_function *fn, kiln_value inst, unsigned bytes,
                        struct kiln_ll_store_group *out) {
  const kiln_value *x = kiln_operands(fn, inst);
  struct kiln_affine first, other;
  kiln_affine_of(fn, x[0], 0, &first);
  kiln_value stores[KILN_LL_GROUP_STORES] = {inst};
  int64_t at[KILN_LL_GROUP_STORES] = {0}, least = 0;
  unsigned found = 1;
  kiln_value v = fn->insts[inst].next;
  for (unsigned i = 0; v && found < out->count && i < KILN_COST_BETWEEN_STORES; i++, v = fn->insts[v].next) {
    if (is_plain_store(&fn->insts[v])) {
      const kiln_value *y = kiln_operands(fn, v);
      kiln_affine_of(fn, y[0], 0, &other);
      if (kiln_value_type(fn, y[1]) != kiln_value_type(fn, x[1]) || !kiln_affine_distance(&first, &other, &at[found]) ||
          at[found] <= -MAX_DISTANCE || at[found] >= MAX_DISTANCE)
        return false;
      stores[found] = v;
      least = at[found] < least ? at[found] : least;
      found++;
    } else if (!may_come_first(fn, v)) {
      return false;
    }
  }
  for (unsigned i = 0; i < found; i++) {
    int64_t element = (at[i] - least) / bytes;
    if ((at[i] - least) % bytes || element >= out->count || out->stores[element])
      return false;
    out->stores[element] = stores[i];
    uint32_t known = fn->insts[stores[i]].imm2;
    out->align = known && known < out->align ? known : out->align;
  }
  out->last = stores[found - 1];
  out->start = least;
  return found == out->count;
}

// Stores that a stride of several elements separates.
static const struct kiln_ll_store_group *find_interleaved(struct kiln_ll_fn *f, kiln_value store, const int64_t *at) {
  const struct kiln_function *fn = f->fn;
  kiln_type type = kiln_value_type(fn, kiln_operands(fn, store)[1]);
  unsigned bytes = kiln_type_bytes(type);
  int64_t size = at[1];
  if (kiln_type_lanes(type) > 1 || size % bytes || size / bytes < 2 || size / bytes > KILN_LL_GROUP_STORES)
    return NULL;
  for (unsigned i = 1; i < f->form->lanes; i++)
    if (at[i] != i * size)
      return NULL;
  struct kiln_ll_store_group *group = KILN_NEW(&f->ll->arena, struct kiln_ll_store_group);
  *group = (struct kiln_ll_store_group){
      .count = (uint32_t)(size / bytes), .first = store, .align = bytes, .interleaved = true};
  return find_stores(fn, store, bytes, group) ? group : NULL;
}

// ---- pairs

// The distance in bytes, if it is the same for all work-items. Local memory is smaller than 2^31 bytes, so 32 bits tell
// all addresses in it apart.
static bool find_distance(const struct kiln_function *fn, kiln_value from, kiln_value to, int64_t *out) {
  struct kiln_affine x, y;
  if (kiln_type_space(kiln_value_type(fn, from)) != KILN_LOCAL) {
    kiln_affine_of(fn, from, 0, &x);
    kiln_affine_of(fn, to, 0, &y);
    return kiln_affine_distance(&x, &y, out);
  }
  kiln_affine_of(fn, from, KILN_AFFINE_MAY_WRAP, &x);
  kiln_affine_of(fn, to, KILN_AFFINE_MAY_WRAP, &y);
  if (x.exact_bits < 32 || y.exact_bits < 32 || !kiln_affine_distance(&x, &y, out))
    return false;
  *out = (int32_t)*out;
  return true;
}

// The next store, with only pure operations before it; 0: none.
static kiln_value next_store(const struct kiln_function *fn, kiln_value inst) {
  kiln_value v = fn->insts[inst].next;
  for (unsigned i = 0; v && i < KILN_COST_BETWEEN_STORES; i++, v = fn->insts[v].next) {
    if (is_plain_store(&fn->insts[v]))
      return v;
    if (kiln_op_table[fn->insts[v].op].effect != KILN_EFFECT_PURE)
      return 0;
  }
  return 0;
}

// Finds which lane writes which element; the second store wins. False: elements are left out, or there are too many.
static bool fill_vectors(struct kiln_ll_store_group *pair, int *writer, const int64_t *at, int64_t distance,
                         unsigned lanes, unsigned bytes, unsigned n) {
  int64_t first = at[0], last = at[0];
  for (unsigned i = 0; i < 2 * lanes; i++) {
    int64_t here = at[i % lanes] + (i < lanes ? 0 : distance);
    first = here < first ? here : first;
    last = here > last ? here : last;
  }
  int64_t count = (last - first) / bytes + n;
  if (count > KILN_COST_SHUFFLED * (int64_t)lanes || count % lanes)
    return false;
  pair->start = first;
  pair->vectors = (unsigned)count / lanes;
  for (int64_t j = 0; j < count; j++)
    writer[j] = -1;
  for (unsigned i = 0; i < 2 * lanes; i++) {
    int64_t here = at[i % lanes] + (i < lanes ? 0 : distance) - first;
    if (here % bytes)
      return false;
    for (unsigned c = 0; c < n; c++)
      writer[here / bytes + c] = (int)((i < lanes ? 0 : n * lanes) + c * lanes + i % lanes);
  }
  for (int64_t j = 0; j < count; j++)
    if (writer[j] < 0)
      return false;
  return true;
}

static const struct kiln_ll_store_group *find_pair(struct kiln_ll_fn *f, kiln_value store, const int64_t *at) {
  const struct kiln_function *fn = f->fn;
  const kiln_value *x = kiln_operands(fn, store);
  kiln_type type = kiln_value_type(fn, x[1]);
  unsigned n = kiln_type_lanes(type), bytes = kiln_type_bytes(type) / n;
  // Without AVX-512 two stores to local memory cost no more than the shuffles that join them.
  bool gains = f->ll->machine->cpu.has_avx512 || kiln_type_space(kiln_value_type(fn, x[0])) != KILN_LOCAL;
  kiln_value second = gains ? next_store(fn, store) : 0;
  int64_t distance;
  if (!second || kiln_value_type(fn, kiln_operands(fn, second)[1]) != type ||
      !find_distance(fn, x[0], kiln_operands(fn, second)[0], &distance))
    return NULL;
  struct kiln_ll_store_group *pair = KILN_NEW(&f->ll->arena, struct kiln_ll_store_group);
  *pair = (struct kiln_ll_store_group){
      .stores = {store, second}, .count = 2, .first = store, .last = second, .align = bytes};
  int *writer = KILN_NEW_ARRAY(&f->ll->arena, int, KILN_COST_SHUFFLED * f->form->lanes);
  if (!fill_vectors(pair, writer, at, distance, f->form->lanes, bytes, n))
    return NULL;
  for (unsigned i = 0; i < 2; i++) {
    uint32_t known = kiln_inst(fn, pair->stores[i])->imm2;
    pair->align = known && known < pair->align ? known : pair->align;
  }
  pair->writer = writer;
  return pair;
}

const struct kiln_ll_store_group *kiln_ll_find_store_group(struct kiln_ll_fn *f, kiln_value store, const int64_t *at) {
  if (!is_plain_store(kiln_inst(f->fn, store)) || f->form->conditional[kiln_operands(f->fn, store)[0]])
    return NULL;
  const struct kiln_ll_store_group *pair = find_pair(f, store, at);
  return pair ? pair : find_interleaved(f, store, at);
}
