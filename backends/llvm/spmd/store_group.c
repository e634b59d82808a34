// Store groups: stores that together write consecutive elements, as o[3 * i] = r; o[3 * i + 1] = g; o[3 * i + 2] = b,
// or the members of a struct. The group becomes contiguous stores, emitted at its last store. No operation between the
// stores may observe memory. Full warps only.
#include "backends/llvm/spmd/spmd.h"

#define MAX_BETWEEN 64  // instructions
#define MAX_ELEMENTS 4  // of a group
#define MAX_DISTANCE 64 // bytes

struct kiln_ll_store_group {
  kiln_value stores[MAX_ELEMENTS]; // by element
  kiln_value last;
  unsigned count, align;
  LLVMValueRef start;
};

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

// Finds the stores that form a group of count elements with inst. *start: the offset of inst in the group, in bytes.
static bool find_stores(const struct kiln_function *fn, kiln_value inst, unsigned bytes,
                        struct kiln_ll_store_group *out, int64_t *start) {
  const kiln_value *x = kiln_operands(fn, inst);
  struct kiln_affine first, other;
  kiln_affine_of(fn, x[0], 0, &first);
  kiln_value stores[MAX_ELEMENTS] = {inst};
  int64_t at[MAX_ELEMENTS] = {0}, least = 0;
  unsigned found = 1;
  kiln_value v = fn->insts[inst].next;
  for (unsigned i = 0; v && found < out->count && i < MAX_BETWEEN; i++, v = fn->insts[v].next) {
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
  *start = -least;
  return found == out->count;
}

bool kiln_ll_begin_store_group(struct kiln_ll_fn *f, kiln_value inst, const struct kiln_ll_pattern *p) {
  const struct kiln_function *fn = f->fn;
  kiln_type type = kiln_value_type(fn, kiln_operands(fn, inst)[1]);
  unsigned bytes = kiln_type_bytes(type), lanes = f->spmd->lanes;
  int64_t size = p->at[1] - p->at[0], start;
  if (f->spmd->store_group || f->spmd->store_pair || !is_plain_store(&fn->insts[inst]) || kiln_type_lanes(type) > 1 ||
      (bytes > 2 && !f->ll->machine->wide_vectors) || size % bytes || size / bytes < 2 || size / bytes > MAX_ELEMENTS)
    return false;
  for (unsigned i = 1; i < lanes; i++)
    if (p->at[i] != p->at[0] + i * size)
      return false;
  struct kiln_ll_store_group group = {.count = (unsigned)(size / bytes), .align = bytes};
  if (!find_stores(fn, inst, bytes, &group, &start))
    return false;
  LLVMValueRef offset = LLVMConstInt(f->ll->i64, (uint64_t)(p->at[0] - start), true);
  group.start = LLVMBuildGEP2(f->ll->b, f->ll->i8, p->base, &offset, 1, "");
  f->spmd->store_group = KILN_NEW(&f->ll->arena, struct kiln_ll_store_group);
  *f->spmd->store_group = group;
  return true;
}

static LLVMValueRef shuffle(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef y, const unsigned *list,
                            unsigned count) {
  LLVMValueRef numbers[MAX_ELEMENTS * KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < count; i++)
    numbers[i] = LLVMConstInt(f->ll->i32, list[i], false);
  return LLVMBuildShuffleVector(f->ll->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(numbers, count), "");
}

// Elements of 1 or 2 bytes: a word per lane. A padding element of each word is removed.
static LLVMValueRef join_words(struct kiln_ll_fn *f, LLVMValueRef *values, unsigned count, unsigned bits) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes, room = count == 3 ? 4 : count, list[MAX_ELEMENTS * KILN_LL_MAX_LANES];
  LLVMTypeRef wide = kiln_ll_vector(kiln_ll_int(ll, room * bits), lanes), element = kiln_ll_int(ll, bits);
  LLVMValueRef words = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef part = LLVMBuildBitCast(ll->b, values[i], kiln_ll_vector(element, lanes), "");
    part = LLVMBuildShl(ll->b, LLVMBuildZExt(ll->b, part, wide, ""), kiln_ll_splat(wide, (uint64_t)i * bits), "");
    words = words ? LLVMBuildOr(ll->b, words, part, "") : part;
  }
  if (room == count)
    return words;
  for (unsigned i = 0; i < count * lanes; i++)
    list[i] = i / count * room + i % count;
  return shuffle(f, LLVMBuildBitCast(ll->b, words, kiln_ll_vector(element, room * lanes), ""), NULL, list,
                 count * lanes);
}

static LLVMValueRef interleave_values(struct kiln_ll_fn *f, LLVMValueRef *values, unsigned count) {
  unsigned lanes = f->spmd->lanes, list[MAX_ELEMENTS * KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < 2 * lanes; i++)
    list[i] = i;
  LLVMValueRef low = values[0], high = values[1];
  if (count > 2) {
    low = shuffle(f, values[0], values[1], list, 2 * lanes);
    high = shuffle(f, values[2], count > 3 ? values[3] : NULL, list, 2 * lanes);
  }
  for (unsigned i = 0; i < count * lanes; i++)
    list[i] = i % count * lanes + i / count;
  return shuffle(f, low, high, list, count * lanes);
}

bool kiln_ll_end_store_group(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll_store_group *group = f->spmd->store_group;
  bool belongs = false;
  for (unsigned i = 0; group && i < group->count; i++)
    belongs |= group->stores[i] == inst;
  if (!belongs || inst != group->last)
    return belongs;
  LLVMValueRef values[MAX_ELEMENTS];
  for (unsigned i = 0; i < group->count; i++)
    values[i] = kiln_ll_wide(f, kiln_operands(f->fn, group->stores[i])[1]);
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[1])));
  LLVMValueRef all = bits < 32 ? join_words(f, values, group->count, bits) : interleave_values(f, values, group->count);
  LLVMSetAlignment(LLVMBuildStore(f->ll->b, all, group->start), group->align);
  f->spmd->store_group = NULL;
  return true;
}
