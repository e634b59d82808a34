// What work-items of a group or sub-group do together. The IR does so with scalars; vectors go component by component,
// bools as integers.
#include "jit/spirv/function.h"

static kiln_type i32(void) { return kiln_scalar_type(KILN_I32); }
static kiln_type i64(void) { return kiln_scalar_type(KILN_I64); }
static kiln_value word(struct kiln_spv_fn *f, uint64_t v) { return kiln_const(f->fn, i64(), v); }
static kiln_value small(struct kiln_spv_fn *f, uint64_t v) { return kiln_const(f->fn, i32(), v); }
static kiln_value self(struct kiln_spv_fn *f) { return kiln_spv_sub_group(f, KILN_OP_SUB_GROUP_LOCAL_ID); }
static kiln_value max_size(struct kiln_spv_fn *f) { return kiln_spv_sub_group(f, KILN_OP_MAX_SUB_GROUP_SIZE); }

static struct kiln_spv_value result_of(struct kiln_spv_fn *f, kiln_value v) {
  return kiln_spv_of(kiln_spv_result(f), v);
}

static enum kiln_scope group_scope(struct kiln_spv_fn *f) {
  enum kiln_scope scope = f->at->count ? kiln_spv_scope_of(f, f->at->operands[0]) : KILN_SCOPE_ITEM;
  if (scope != KILN_SCOPE_GROUP && scope != KILN_SCOPE_SUB_GROUP)
    kiln_spv_wrong(f, "it is of a work-group or sub-group");
  return scope;
}

static void only_sub_group(struct kiln_spv_fn *f) {
  if (group_scope(f) != KILN_SCOPE_SUB_GROUP)
    kiln_spv_wrong(f, "it is of a sub-group");
}

// The operation on each component, with what else it takes.
static kiln_value by_component(struct kiln_spv_fn *f, enum kiln_op op, kiln_value x, kiln_value other, uint64_t imm,
                               uint16_t flags) {
  kiln_type type = kiln_spv_ir(f, x);
  bool is_bool = kiln_type_kind(type) == KILN_BOOL && kiln_op_table[op].operands[0] != 'b';
  kiln_value out[16];
  for (unsigned i = 0; i < kiln_type_lanes(type); i++) {
    kiln_value v = kiln_spv_lane(f, x, i);
    if (is_bool)
      v = kiln_build1(f->b, KILN_OP_ZEXT, i32(), v);
    v = kiln_spv_build(f, op, kiln_spv_ir(f, v), (kiln_value[]){v, other}, other ? 2 : 1, imm, flags);
    out[i] = is_bool ? kiln_build2(f->b, KILN_OP_NE, v, small(f, 0)) : v;
  }
  return kiln_spv_join(f, type, out);
}

static kiln_value shuffled(struct kiln_spv_fn *f, kiln_value x, kiln_value from) {
  return by_component(f, KILN_OP_SUB_GROUP_SHUFFLE, x, from, 0, 0);
}

static kiln_value small_operand(struct kiln_spv_fn *f, uint32_t k) {
  return kiln_spv_resize(f, kiln_spv_int(f, k), KILN_I32, false);
}

static kiln_value bool_operand(struct kiln_spv_fn *f, uint32_t k) {
  kiln_value v = kiln_spv_plain(f, k);
  if (kiln_spv_ir(f, v) != kiln_scalar_type(KILN_BOOL))
    kiln_spv_wrong(f, "operand %u is no bool", k + 1);
  return v;
}

// ---- votes, reductions, broadcasts ---------------------------------------------------------------------------------

struct kiln_spv_value kiln_spv_vote(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                    const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value v = bool_operand(f, 1);
  return result_of(f, by_component(f, (enum kiln_op)how->op, v, 0, kiln_collective(group_scope(f), 0), 0));
}

// op: enum kiln_reduce. detail: 1 of bools, by an operation of bits.
struct kiln_spv_value kiln_spv_reduce(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  enum kiln_scope scope = group_scope(f);
  kiln_value x = kiln_spv_plain(f, 2);
  uint64_t cluster = 0;
  uint32_t operation = inst->operands[1];
  enum kiln_op op = operation == KILN_SPV_GroupOperation_InclusiveScan   ? KILN_OP_GROUP_SCAN_INCLUSIVE
                    : operation == KILN_SPV_GroupOperation_ExclusiveScan ? KILN_OP_GROUP_SCAN_EXCLUSIVE
                                                                         : KILN_OP_GROUP_REDUCE;
  if (operation > KILN_SPV_GroupOperation_ClusteredReduce)
    kiln_spv_wrong(f, "the group operation %u is not supported", operation);
  if (operation == KILN_SPV_GroupOperation_ClusteredReduce) {
    only_sub_group(f);
    if (inst->count < 4 || !kiln_spv_constant_bits(f->spv, inst->operands[3], &cluster) || !cluster ||
        (cluster & (cluster - 1)))
      kiln_spv_wrong(f, "the size of a cluster must be a constant power of two");
    cluster = cluster < KILN_MAX_WARP_SIZE ? cluster : KILN_MAX_WARP_SIZE;
  }
  enum kiln_kind kind = kiln_type_kind(kiln_spv_ir(f, x));
  if (kiln_kind_is_float(kind) != (how->op >= KILN_REDUCE_FADD) || (kind == KILN_BOOL) != how->detail)
    kiln_spv_wrong(f, "the operand has a type that does not fit");
  // Of bools, an exclusive scan by `and` begins with all ones, which are true as well.
  return result_of(f, by_component(f, op, x, 0, kiln_collective(scope, (unsigned)cluster), how->op));
}

// The number of the work-item that a local id of up to three dimensions names.
static kiln_value item_number(struct kiln_spv_fn *f, uint32_t k) {
  kiln_value id = kiln_spv_plain(f, k);
  unsigned dimensions = kiln_type_lanes(kiln_spv_ir(f, id));
  if (dimensions == 1)
    return small_operand(f, k);
  if (dimensions > 3)
    kiln_spv_wrong(f, "operand %u is no local id", k + 1);
  kiln_value v = 0;
  for (unsigned d = dimensions; d-- > 0;) {
    kiln_value at = kiln_spv_resize(f, kiln_spv_lane(f, id, d), KILN_I64, false);
    if (v)
      v = kiln_build2(f->b, KILN_OP_IMUL, v, kiln_spv_item(f, KILN_OP_LOCAL_SIZE, d));
    v = v ? kiln_build2(f->b, KILN_OP_IADD, v, at) : at;
  }
  return kiln_spv_resize(f, v, KILN_I32, false);
}

struct kiln_spv_value kiln_spv_broadcast(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                         const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value x = kiln_spv_plain(f, 1), from = item_number(f, 2);
  return result_of(f, by_component(f, KILN_OP_GROUP_BROADCAST, x, from, kiln_collective(group_scope(f), 0), 0));
}

static kiln_value ballot(struct kiln_spv_fn *f, kiln_value predicate) {
  return kiln_build(f->b, KILN_OP_SUB_GROUP_BALLOT, i64(), &predicate, 1, 0, 0, 0);
}

// The number of the first work-item of those that come here together.
static kiln_value first_item(struct kiln_spv_fn *f) {
  kiln_value all = ballot(f, kiln_const(f->fn, kiln_scalar_type(KILN_BOOL), 1));
  return kiln_build1(f->b, KILN_OP_TRUNC, i32(), kiln_build1(f->b, KILN_OP_CTZ, 0, all));
}

static kiln_value from_first(struct kiln_spv_fn *f, kiln_value x) {
  return by_component(f, KILN_OP_GROUP_BROADCAST, x, first_item(f), kiln_collective(KILN_SCOPE_SUB_GROUP, 0), 0);
}

struct kiln_spv_value kiln_spv_elect(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                     const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  only_sub_group(f);
  return result_of(f, kiln_build2(f->b, KILN_OP_EQ, self(f), first_item(f)));
}

struct kiln_spv_value kiln_spv_broadcast_first(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                               const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  only_sub_group(f);
  return result_of(f, from_first(f, kiln_spv_plain(f, 1)));
}

struct kiln_spv_value kiln_spv_all_equal(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                         const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  only_sub_group(f);
  kiln_value x = kiln_spv_plain(f, 1), first = from_first(f, x), is;
  enum kiln_kind kind = kiln_type_kind(kiln_spv_ir(f, x));
  if (kind == KILN_BOOL)
    is = kiln_spv_op1(f, KILN_OP_BNOT, 0, kiln_spv_op2(f, KILN_OP_BXOR, x, first));
  else
    is = kiln_spv_op2(f, kiln_kind_is_float(kind) ? KILN_OP_FEQ : KILN_OP_EQ, x, first);
  if (kiln_type_lanes(kiln_spv_ir(f, is)) > 1)
    is = kiln_spv_op1(f, KILN_OP_ALL, kiln_scalar_type(KILN_BOOL), is);
  return result_of(f, by_component(f, KILN_OP_GROUP_ALL, is, 0, kiln_collective(KILN_SCOPE_SUB_GROUP, 0), 0));
}

// ---- ballots: 128 bits, of which the first 64 are ever set ---------------------------------------------------------

// The 64 bits of a ballot, which is operand k.
static kiln_value bits_of(struct kiln_spv_fn *f, uint32_t k) {
  kiln_value v = kiln_spv_plain(f, k);
  if (kiln_spv_ir(f, v) != kiln_vec_type(KILN_I32, 4))
    kiln_spv_wrong(f, "operand %u is no ballot", k + 1);
  kiln_value low = kiln_spv_resize(f, kiln_spv_lane(f, v, 0), KILN_I64, false);
  kiln_value high = kiln_spv_resize(f, kiln_spv_lane(f, v, 1), KILN_I64, false);
  return kiln_build2(f->b, KILN_OP_OR, low, kiln_build2(f->b, KILN_OP_SHL, high, word(f, 32)));
}

struct kiln_spv_value kiln_spv_ballot(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  only_sub_group(f);
  kiln_value bits = ballot(f, bool_operand(f, 1)), high = kiln_build2(f->b, KILN_OP_LSHR, bits, word(f, 32));
  kiln_value lanes[] = {kiln_build1(f->b, KILN_OP_TRUNC, i32(), bits), kiln_build1(f->b, KILN_OP_TRUNC, i32(), high),
                        small(f, 0), small(f, 0)};
  return result_of(f, kiln_spv_join(f, kiln_vec_type(KILN_I32, 4), lanes));
}

// Bit of this work-item, or of the one that operand 2 names.
struct kiln_spv_value kiln_spv_ballot_bit(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)inst;
  only_sub_group(f);
  kiln_value bits = bits_of(f, 1), at = how->detail ? small_operand(f, 2) : self(f);
  kiln_value bit = kiln_build2(f->b, KILN_OP_LSHR, bits, kiln_spv_resize(f, at, KILN_I64, false));
  bit = kiln_build2(f->b, KILN_OP_AND, bit, word(f, 1));
  kiln_value is = kiln_build2(f->b, KILN_OP_NE, bit, word(f, 0));
  kiln_value there = kiln_build2(f->b, KILN_OP_ULT, at, small(f, KILN_MAX_WARP_SIZE)); // shifts count modulo 64
  return result_of(f, kiln_build2(f->b, KILN_OP_BAND, is, there));
}

// Bits of the work-items of a sub-group; before: of those before this one; including: and its own.
static kiln_value items(struct kiln_spv_fn *f, bool before, bool including) {
  kiln_value ones = word(f, ~UINT64_C(0)), size = kiln_spv_resize(f, max_size(f), KILN_I64, false);
  if (!before) {
    kiln_value shift = kiln_build2(f->b, KILN_OP_ISUB, word(f, 64), size);
    return kiln_build2(f->b, KILN_OP_LSHR, ones, shift);
  }
  kiln_value one = kiln_build2(f->b, KILN_OP_SHL, word(f, 1), kiln_spv_resize(f, self(f), KILN_I64, false));
  kiln_value mask = kiln_build2(f->b, KILN_OP_ISUB, one, word(f, 1));
  return including ? kiln_build2(f->b, KILN_OP_OR, mask, one) : mask;
}

static struct kiln_spv_value number(struct kiln_spv_fn *f, kiln_value v) {
  enum kiln_kind kind = kiln_type_kind(kiln_spv_result_ir(f));
  if (!kiln_kind_is_int(kind))
    kiln_spv_wrong(f, "the result is no integer");
  return result_of(f, kiln_spv_resize(f, v, kind, false));
}

struct kiln_spv_value kiln_spv_ballot_count(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                            const struct kiln_spv_lowering *how) {
  (void)how;
  only_sub_group(f);
  uint32_t operation = inst->operands[1];
  if (operation > KILN_SPV_GroupOperation_ExclusiveScan)
    kiln_spv_wrong(f, "the group operation %u is not supported", operation);
  kiln_value mask =
      items(f, operation != KILN_SPV_GroupOperation_Reduce, operation == KILN_SPV_GroupOperation_InclusiveScan);
  return number(f, kiln_build1(f->b, KILN_OP_POPCOUNT, 0, kiln_build2(f->b, KILN_OP_AND, bits_of(f, 2), mask)));
}

// op: CTZ of the first bit, CLZ of the last.
struct kiln_spv_value kiln_spv_ballot_find(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)inst;
  only_sub_group(f);
  kiln_value bits = kiln_build2(f->b, KILN_OP_AND, bits_of(f, 1), items(f, false, false));
  kiln_value v = kiln_build1(f->b, (enum kiln_op)how->op, 0, bits);
  return number(f, how->op == KILN_OP_CLZ ? kiln_build2(f->b, KILN_OP_ISUB, word(f, 63), v) : v);
}

// ---- shuffles ------------------------------------------------------------------------------------------------------

// op: how the number of this work-item and operand 2 make that of the source; CONST: operand 2 is it.
struct kiln_spv_value kiln_spv_shuffle_items(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)inst;
  only_sub_group(f);
  kiln_value x = kiln_spv_plain(f, 1), from = small_operand(f, 2);
  if (how->op != KILN_OP_CONST)
    from = kiln_build2(f->b, (enum kiln_op)how->op, self(f), from);
  return result_of(f, shuffled(f, x, from));
}

// Within the sub-group, or a part of it of as many work-items as operand 3 says.
struct kiln_spv_value kiln_spv_rotate(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                      const struct kiln_spv_lowering *how) {
  (void)how;
  only_sub_group(f);
  kiln_value x = kiln_spv_plain(f, 1), me = self(f);
  kiln_value size = inst->count > 3 ? small_operand(f, 3) : max_size(f);
  kiln_value mask = kiln_build2(f->b, KILN_OP_ISUB, size, small(f, 1));
  kiln_value outside = kiln_build2(f->b, KILN_OP_AND, me, kiln_build2(f->b, KILN_OP_XOR, mask, small(f, UINT32_MAX)));
  kiln_value inside = kiln_build2(f->b, KILN_OP_IADD, me, small_operand(f, 2));
  inside = kiln_build2(f->b, KILN_OP_AND, inside, mask);
  return result_of(f, shuffled(f, x, kiln_build2(f->b, KILN_OP_OR, outside, inside)));
}

// SPV_INTEL_subgroups. op: as of shuffle_items.
struct kiln_spv_value kiln_spv_intel_shuffle(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                             const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value x = kiln_spv_plain(f, 0), from = small_operand(f, 1);
  if (how->op != KILN_OP_CONST)
    from = kiln_build2(f->b, (enum kiln_op)how->op, self(f), from);
  return result_of(f, shuffled(f, x, from));
}

// Of two values as if those of the first, for each work-item, stood before those of the second. op: IADD where the
// source comes after this one in the first, ISUB where it comes before it in the second.
struct kiln_spv_value kiln_spv_intel_shuffle_two(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                 const struct kiln_spv_lowering *how) {
  (void)inst;
  kiln_value first = kiln_spv_plain(f, 0), second = kiln_spv_plain(f, 1), delta = small_operand(f, 2);
  bool is_up = how->op == KILN_OP_ISUB;
  if (kiln_spv_ir(f, first) != kiln_spv_ir(f, second))
    kiln_spv_wrong(f, "its operands have two types");
  kiln_value size = max_size(f), at = kiln_build2(f->b, (enum kiln_op)how->op, self(f), delta);
  kiln_value in_first = is_up ? kiln_build2(f->b, KILN_OP_IADD, at, size) : at;
  kiln_value in_second = is_up ? at : kiln_build2(f->b, KILN_OP_ISUB, at, size);
  kiln_value a = shuffled(f, first, in_first), b = shuffled(f, second, in_second);
  kiln_value is_first =
      is_up ? kiln_build2(f->b, KILN_OP_ULT, self(f), delta) : kiln_build2(f->b, KILN_OP_ULT, at, size);
  return result_of(f, kiln_spv_select(f, is_first, a, b));
}

// Component i of work-item k is element i * (size of a sub-group) + k.
static kiln_value block_address(struct kiln_spv_fn *f, kiln_value base, unsigned i, unsigned bytes) {
  kiln_value at = kiln_build2(f->b, KILN_OP_IMUL, max_size(f), small(f, i));
  at = kiln_build2(f->b, KILN_OP_IADD, at, self(f));
  return kiln_build_padd(f->b, base, kiln_spv_resize(f, at, KILN_I64, false), bytes);
}

struct kiln_spv_value kiln_spv_intel_block_read(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_type type = kiln_spv_result_ir(f), element = kiln_type_element(type);
  kiln_value base = kiln_spv_pointer(f, 0), lanes[16];
  unsigned bytes = kiln_type_bytes(element);
  for (unsigned i = 0; i < kiln_type_lanes(type); i++)
    lanes[i] = kiln_build_load(f->b, element, block_address(f, base, i, bytes), bytes, 0);
  return result_of(f, kiln_spv_join(f, type, lanes));
}

struct kiln_spv_value kiln_spv_intel_block_write(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                                 const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  kiln_value base = kiln_spv_pointer(f, 0), v = kiln_spv_plain(f, 1);
  kiln_type type = kiln_spv_ir(f, v);
  unsigned bytes = kiln_type_bytes(kiln_type_element(type));
  for (unsigned i = 0; i < kiln_type_lanes(type); i++)
    kiln_build_store(f->b, block_address(f, base, i, bytes), kiln_spv_lane(f, v, i), bytes, 0);
  return (struct kiln_spv_value){0};
}

// ---- copies by a group ---------------------------------------------------------------------------------------------

// for (i = local linear id; i < count; i += local size) to[i * one stride] = from[i * other stride];
static void copy_elements(struct kiln_spv_fn *f, kiln_value to, kiln_value from, const struct kiln_spv_type *type,
                          kiln_value count, kiln_value to_stride, kiln_value from_stride) {
  struct kiln_builder *b = f->b;
  uint32_t outer = b->region;
  kiln_value step = word(f, 1), start = kiln_spv_local_linear_id(f);
  for (unsigned d = 0; d < 3; d++)
    step = kiln_build2(b, KILN_OP_IMUL, step, kiln_spv_item(f, KILN_OP_LOCAL_SIZE, d));
  kiln_value loop = kiln_build_loop(b, &start, 1);
  if (!loop)
    kiln_spv_wrong(f, "no memory");
  kiln_value i = kiln_node(f->fn, loop)->header.items[0];
  uint32_t body = b->region = kiln_node(f->fn, loop)->region_first;
  kiln_value test = kiln_build_if(b, kiln_build2(b, KILN_OP_ULT, i, count));
  if (!test)
    kiln_spv_wrong(f, "no memory");
  b->region = kiln_node(f->fn, test)->region_first;
  kiln_value source = kiln_build2(b, KILN_OP_IMUL, i, from_stride), target = kiln_build2(b, KILN_OP_IMUL, i, to_stride);
  struct kiln_spv_value v =
      kiln_spv_load(f, type, kiln_build_padd(b, from, source, (int64_t)type->size), type->align, 0);
  kiln_spv_store(f, kiln_build_padd(b, to, target, (int64_t)type->size), &v, type->align, 0);
  kiln_build_yield(b, NULL, 0);
  b->region = kiln_node(f->fn, test)->region_first + 1;
  kiln_build_break(b, loop, NULL, 0);
  b->region = body;
  kiln_value next = kiln_build2(b, KILN_OP_IADD, i, step);
  kiln_build_continue(b, loop, &next, 1);
  b->region = outer;
}

// What a pointer leads to, which is no array: LLVM 22 gives the address of an array for that of its first element.
static const struct kiln_spv_type *copied_type(struct kiln_spv_fn *f, uint32_t k) {
  const struct kiln_spv_type *type = kiln_spv_pointee(f, k);
  while (type->kind == KILN_SPV_ARRAY)
    type = type->element;
  return type;
}

// The stride is that of what lies in global memory.
struct kiln_spv_value kiln_spv_async_copy(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                          const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  if (group_scope(f) != KILN_SCOPE_GROUP)
    kiln_spv_wrong(f, "it is of a work-group");
  kiln_value to = kiln_spv_pointer(f, 1), from = kiln_spv_pointer(f, 2), one = word(f, 1);
  kiln_value count = kiln_spv_resize(f, kiln_spv_int(f, 3), KILN_I64, false);
  kiln_value stride = kiln_spv_resize(f, kiln_spv_int(f, 4), KILN_I64, false);
  bool from_global = kiln_type_space(kiln_spv_ir(f, to)) == KILN_LOCAL;
  const struct kiln_spv_type *type = copied_type(f, 1);
  if (!kiln_spv_same_type(type, copied_type(f, 2)))
    kiln_spv_wrong(f, "its pointers lead to two types");
  copy_elements(f, to, from, type, count, from_global ? one : stride, from_global ? stride : one);
  return kiln_spv_operand(f, 5);
}

// All copies have been made where a work-item comes here; the others' are seen after a barrier.
struct kiln_spv_value kiln_spv_wait_events(struct kiln_spv_fn *f, const struct kiln_spv_inst *inst,
                                           const struct kiln_spv_lowering *how) {
  (void)inst;
  (void)how;
  if (group_scope(f) != KILN_SCOPE_GROUP)
    kiln_spv_wrong(f, "it is of a work-group");
  kiln_build(f->b, KILN_OP_BARRIER, KILN_VOID, NULL, 0, 0, KILN_FENCE_LOCAL | KILN_FENCE_GLOBAL, 0);
  return (struct kiln_spv_value){0};
}
