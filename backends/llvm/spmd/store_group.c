// Store groups: stores that together write consecutive elements, as o[3 * i] = r; o[3 * i + 1] = g; o[3 * i + 2] = b,
// or the members of a struct. The group becomes contiguous stores, emitted at its last store. No operation between the
// stores may observe memory. Full warps only.
#include "backends/llvm/spmd/spmd.h"

#define MAX_BETWEEN 64  // instructions
#define MAX_ELEMENTS 4  // of a group
#define MAX_DEPTH 8     // of additions of constants to a pointer
#define MAX_DISTANCE 64 // bytes

struct kiln_ll_store_group {
  kiln_value stores[MAX_ELEMENTS]; // by element
  kiln_value last;
  unsigned count, align;
  LLVMValueRef start;
};

// base + extension(index) * stride + bytes
struct address {
  kiln_value base, index;
  int64_t stride, bytes;
  enum kiln_op extension; // of the index; KILN_OP_CONST: none
};

static bool constant(const struct kiln_function *fn, kiln_value v, int64_t *out) {
  const struct kiln_inst *in = &fn->insts[v];
  if (in->op != KILN_OP_CONST || !kiln_kind_is_int(kiln_type_kind(in->type)))
    return false;
  unsigned unused = 64 - kiln_kind_bits(kiln_type_kind(in->type));
  *out = (int64_t)(in->imm << unused) >> unused;
  return *out > -MAX_DISTANCE && *out < MAX_DISTANCE;
}

// Whether x + bits cannot wrap, since the low bits of x are zero.
static bool has_room(const struct kiln_function *fn, kiln_value x, int64_t bits) {
  const struct kiln_inst *in = &fn->insts[x];
  int64_t by;
  if ((in->op != KILN_OP_IMUL && in->op != KILN_OP_SHL) || bits < 0 || !constant(fn, kiln_operands(fn, x)[1], &by))
    return false;
  return in->op == KILN_OP_SHL ? by >= 0 && by < 8 && bits < INT64_C(1) << by : by > 0 && bits < (by & -by);
}

static void decompose(const struct kiln_function *fn, kiln_value pointer, struct address *out) {
  int64_t c;
  *out = (struct address){.base = pointer};
  for (unsigned i = 0; i < MAX_DEPTH && fn->insts[out->base].op == KILN_OP_PADD; i++) {
    const kiln_value *x = kiln_operands(fn, out->base);
    int64_t stride = (int64_t)fn->insts[out->base].imm;
    if (stride <= 0 || stride > MAX_DISTANCE)
      return;
    if (!constant(fn, x[1], &c)) {
      out->base = x[0], out->index = x[1], out->stride = stride;
      break;
    }
    out->base = x[0], out->bytes += c * stride;
  }
  if (!out->index)
    return;
  const struct kiln_inst *index = &fn->insts[out->index];
  out->extension = (enum kiln_op)index->op;
  bool extends = index->op == KILN_OP_SEXT || index->op == KILN_OP_ZEXT;
  kiln_value number = extends ? kiln_operands(fn, out->index)[0] : out->index;
  const struct kiln_inst *sum = &fn->insts[number];
  if (extends)
    out->index = number;
  else
    out->extension = KILN_OP_CONST;
  if (sum->op != KILN_OP_IADD || !constant(fn, kiln_operands(fn, number)[1], &c))
    return;
  kiln_value x = kiln_operands(fn, number)[0];
  if (!extends || (index->op == KILN_OP_SEXT && sum->flags & KILN_INT_NSW) || has_room(fn, x, c))
    out->index = x, out->bytes += c * out->stride;
}

static bool is_same(const struct address *a, const struct address *b) {
  return a->base == b->base && a->index == b->index &&
         (!a->index || (a->stride == b->stride && a->extension == b->extension));
}

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
  struct address first, other;
  decompose(fn, x[0], &first);
  kiln_value stores[MAX_ELEMENTS] = {inst};
  int64_t at[MAX_ELEMENTS] = {0}, least = 0;
  unsigned found = 1;
  kiln_value v = fn->insts[inst].next;
  for (unsigned i = 0; v && found < out->count && i < MAX_BETWEEN; i++, v = fn->insts[v].next) {
    if (is_plain_store(&fn->insts[v])) {
      const kiln_value *y = kiln_operands(fn, v);
      decompose(fn, y[0], &other);
      if (kiln_value_type(fn, y[1]) != kiln_value_type(fn, x[1]) || !is_same(&first, &other))
        return false;
      stores[found] = v;
      at[found] = other.bytes - first.bytes;
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
