// Checked accesses: contiguous ones where the lanes of a warp turn out to have neighbouring addresses. Most warps do if
// the address is a clamped, mirrored or wrapped position, as at the border of an image, and the warp lies inside, or if
// it is made of bits of ids, as in a butterfly: ((t & ~(j - 1)) << 1) | (t & (j - 1)). The address is taken apart; its
// one term that varies is compared with that of lane 0.
#include "backends/llvm/spmd/cost.h"
#include "backends/llvm/spmd/plan.h"

#define MAX_DEPTH 16  // operations from an id to an address
#define MAX_STEPS 200 // in all
#define MIN_PERIOD 64 // the least constant divisor, or mask and one, within whose multiples most warps lie
#define MAX_FACTOR 1024

struct expected {
  bool known;
  int64_t stride;
};

struct search {
  const struct kiln_ll_fn *f;
  unsigned steps;
};

static const struct expected unknown = {false, 0};

static struct expected stride_of(struct search *s, kiln_value v, unsigned depth);

static struct expected sum(struct expected x, struct expected y, int64_t times_x, int64_t times_y) {
  uint64_t stride = (uint64_t)x.stride * (uint64_t)times_x + (uint64_t)y.stride * (uint64_t)times_y;
  return (struct expected){x.known && y.known, (int64_t)stride};
}

// Of two values between which each lane chooses: what moves is more likely than a bound, and upwards more likely than
// downwards, as in a mirror.
static struct expected either(struct expected x, struct expected y) {
  struct expected greater = x.stride > y.stride ? x : y, other = x.stride > y.stride ? y : x;
  return (struct expected){x.known && y.known, greater.stride ? greater.stride : other.stride};
}

// A period is a divisor, or a mask of low bits and one.
static bool is_long_period(struct search *s, kiln_value v, bool is_mask) {
  int64_t number;
  if (!kiln_ll_constant(s->f->fn, v, &number))
    return kiln_ll_shape(s->f, v).kind == KILN_SHAPE_UNIFORM;
  return is_mask ? number >= MIN_PERIOD - 1 && (((uint64_t)number + 1) & (uint64_t)number) == 0 : number >= MIN_PERIOD;
}

// ~y, which is a mask of high bits where y is one of low bits.
static bool is_inverted(struct search *s, kiln_value v) {
  int64_t number;
  return kiln_inst(s->f->fn, v)->op == KILN_OP_XOR &&
         kiln_ll_constant(s->f->fn, kiln_operands(s->f->fn, v)[1], &number) && number == -1;
}

static struct expected product(struct search *s, kiln_value v, unsigned depth) {
  const kiln_value *x = kiln_operands(s->f->fn, v);
  int64_t factor;
  if (!kiln_ll_constant(s->f->fn, x[1], &factor))
    return unknown;
  if (kiln_inst(s->f->fn, v)->op == KILN_OP_SHL)
    factor = factor >= 0 && factor < 32 ? (int64_t)1 << factor : INT64_MAX;
  if (factor < -MAX_FACTOR || factor > MAX_FACTOR)
    return unknown;
  return sum(stride_of(s, x[0], depth), (struct expected){true, 0}, factor, 0);
}

// Whether lanes choose by their positions, so that neighbours mostly choose alike, rather than by what they load.
static bool is_by_position(struct search *s, kiln_value condition, unsigned depth) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, condition);
  if (kiln_ll_shape(s->f, condition).kind == KILN_SHAPE_UNIFORM)
    return true;
  bool is_logic = in->op == KILN_OP_BAND || in->op == KILN_OP_BOR || in->op == KILN_OP_BNOT;
  bool known = is_logic || (in->op >= KILN_OP_EQ && in->op <= KILN_OP_ULE);
  for (uint32_t i = 0; known && i < in->operand_count; i++) {
    kiln_value x = kiln_operands(s->f->fn, condition)[i];
    known = depth < MAX_DEPTH && (is_logic ? is_by_position(s, x, depth + 1) : stride_of(s, x, depth + 1).known);
  }
  return known;
}

// The result of a node: of the values that its regions end with.
static struct expected result(struct search *s, kiln_value phi, unsigned depth) {
  const struct kiln_function *fn = s->f->fn;
  kiln_value node = (kiln_value)kiln_inst(fn, phi)->imm;
  const struct kiln_node *n = kiln_node(fn, node);
  uint32_t number = 0;
  if (kiln_inst(fn, node)->op != KILN_OP_IF || !is_by_position(s, kiln_operands(fn, node)[0], depth))
    return unknown;
  while (n->results.items[number] != phi)
    number++;
  struct expected all = {true, 0};
  for (uint32_t r = 0; r < n->region_count; r++) {
    kiln_value last = fn->regions[n->region_first + r].last;
    if (kiln_inst(fn, last)->op == KILN_OP_YIELD)
      all = either(all, stride_of(s, kiln_operands(fn, last)[number], depth));
  }
  return all;
}

// By how much a value grows from lane to lane in most warps.
static struct expected stride_of(struct search *s, kiln_value v, unsigned depth) {
  const struct kiln_inst *in = kiln_inst(s->f->fn, v);
  const kiln_value *x = kiln_operands(s->f->fn, v);
  struct kiln_shape shape = kiln_ll_shape(s->f, v);
  if (shape.kind != KILN_SHAPE_VARYING)
    return (struct expected){true, shape.kind == KILN_SHAPE_LINEAR ? shape.stride : 0};
  if (depth++ == MAX_DEPTH || s->steps++ >= MAX_STEPS || kiln_type_lanes(in->type) > 1)
    return unknown;
  enum kiln_op op = kiln_op_of(in);
  if (kiln_ll_spmd_is_clamp(op))
    return either(stride_of(s, x[0], depth), stride_of(s, x[1], depth));
  if (op == KILN_OP_SELECT && is_by_position(s, x[0], depth))
    return either(stride_of(s, x[1], depth), stride_of(s, x[2], depth));
  if (op == KILN_OP_PHI)
    return result(s, v, depth);
  if (op == KILN_OP_SEXT || op == KILN_OP_ZEXT || op == KILN_OP_TRUNC)
    return stride_of(s, x[0], depth);
  if (op == KILN_OP_IADD || op == KILN_OP_ISUB || op == KILN_OP_OR) // OR: of bits that the other one does not have
    return sum(stride_of(s, x[0], depth), stride_of(s, x[1], depth), 1, op == KILN_OP_ISUB ? -1 : 1);
  if (op == KILN_OP_IMUL || op == KILN_OP_SHL)
    return product(s, v, depth);
  if (op == KILN_OP_AND || kiln_op_is_division(op)) {
    bool is_quotient = op == KILN_OP_SDIV || op == KILN_OP_UDIV || (op == KILN_OP_AND && is_inverted(s, x[1]));
    struct expected dividend = stride_of(s, x[0], depth);
    dividend.known &= is_long_period(s, x[1], op == KILN_OP_AND);
    return is_quotient ? (struct expected){dividend.known, 0} : dividend;
  }
  return unknown;
}

// The one term of the address that varies, if the lanes have neighbouring elements when it grows by a stride.
static bool find_term(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  int64_t rest = kiln_type_bytes(kiln_access_type(f->fn, access));
  struct kiln_affine form;
  kiln_affine_of(f->fn, pointer, 0, &form);
  if (form.wrap_count || kiln_ll_shape(f, form.base).kind != KILN_SHAPE_UNIFORM)
    return false;
  struct kiln_term varying = {0};
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    struct kiln_shape shape = kiln_ll_shape(f, term->value);
    if (shape.kind == KILN_SHAPE_UNIFORM)
      continue;
    if (shape.kind == KILN_SHAPE_LINEAR || varying.value)
      return false;
    varying = *term;
  }
  if (!varying.value || rest % varying.factor)
    return false;
  int64_t stride = rest / varying.factor;
  *out = (struct kiln_ll_neighbours){varying, stride};
  uint64_t span = (uint64_t)(stride < 0 ? -stride : stride) * f->spmd->lanes;
  unsigned bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, varying.value)));
  return bits == 64 || span >> bits == 0;
}

bool kiln_ll_find_neighbours(const struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_neighbours *out) {
  // Of wide elements, a gather is a vector access for each lane: nearly as fast.
  if (f->spmd->lanes == 1 || kiln_type_bytes(kiln_access_type(f->fn, access)) >= KILN_COST_VECTOR_BYTES ||
      kiln_inst(f->fn, access)->flags & KILN_MEM_VOLATILE || !find_term(f, access, out))
    return false;
  struct search search = {f, 0};
  struct expected expected = stride_of(&search, out->term.value, 0);
  return expected.known && expected.stride == out->stride;
}

LLVMValueRef kiln_ll_check_access(struct kiln_ll_fn *f, kiln_value access) {
  LLVMBuilderRef b = f->ll->b;
  struct kiln_term term = f->spmd->plan[access]->neighbours->term;
  int64_t stride = f->spmd->plan[access]->neighbours->stride;
  LLVMValueRef value;
  if (f->group) { // only the address itself is sure to be at hand in an item region
    LLVMValueRef pointers = kiln_ll_wide(f, kiln_operands(f->fn, access)[0]);
    value = LLVMBuildPtrToInt(b, pointers, LLVMVectorType(f->ll->i64, f->spmd->lanes), "");
    stride = kiln_type_bytes(kiln_access_type(f->fn, access));
    term.extension = KILN_OP_CONST;
  } else {
    value = kiln_ll_wide(f, term.value);
  }
  LLVMTypeRef vector = LLVMTypeOf(value), type = LLVMGetElementType(vector);
  LLVMValueRef first = LLVMBuildExtractElement(b, value, kiln_ll_i32(f->ll, 0), "");
  LLVMValueRef wanted = LLVMBuildAdd(b, kiln_ll_broadcast(f, first), kiln_ll_iota(f, type, (uint64_t)stride), "");
  LLVMValueRef difference = LLVMBuildXor(b, value, wanted, "");
  difference = kiln_ll_intrinsic(f->ll, "llvm.vector.reduce.or", &vector, 1, &difference, 1);
  LLVMValueRef holds = LLVMBuildICmp(b, LLVMIntEQ, difference, LLVMConstNull(type), "");
  if (term.extension == KILN_OP_CONST)
    return holds;
  // The term does not wrap before it is extended.
  LLVMValueRef last = LLVMBuildExtractElement(b, value, kiln_ll_i32(f->ll, f->spmd->lanes - 1), "");
  bool is_signed = term.extension == KILN_OP_SEXT;
  LLVMIntPredicate grows = is_signed ? LLVMIntSLT : LLVMIntULT, falls = is_signed ? LLVMIntSGT : LLVMIntUGT;
  return LLVMBuildAnd(b, holds, LLVMBuildICmp(b, stride > 0 ? grows : falls, first, last, ""), "");
}
