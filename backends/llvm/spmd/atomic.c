// Atomic operations at many lanes that need no loop over the lanes: those on one address, and a few on local memory.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): atomic.
#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/spmd.h"

// Emits a reduction to one address whose old value is unused: one operation for all lanes.
static bool reduced_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const kiln_value *x = kiln_operands(f->fn, inst);
  if (f->form->used[inst] || kiln_ll_shape(f, x[0]).kind != KILN_SHAPE_UNIFORM)
    return false;
  uint64_t ones = UINT64_MAX;
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  const struct {
    const char *name; // NULL: none
    uint64_t neutral;
  } reductions[KILN_RMW_COUNT] =
      {
          [KILN_RMW_ADD] = {"llvm.vector.reduce.add", 0},
          [KILN_RMW_SUB] = {"llvm.vector.reduce.add", 0},
          [KILN_RMW_OR] = {"llvm.vector.reduce.or", 0},
          [KILN_RMW_XOR] = {"llvm.vector.reduce.xor", 0},
          [KILN_RMW_AND] = {"llvm.vector.reduce.and", ones},
          [KILN_RMW_UMIN] = {"llvm.vector.reduce.umin", ones},
          [KILN_RMW_UMAX] = {"llvm.vector.reduce.umax", 0},
          [KILN_RMW_SMIN] = {"llvm.vector.reduce.smin", ones >> (65 - bits)},
          [KILN_RMW_SMAX] = {"llvm.vector.reduce.smax", UINT64_C(1) << (bits - 1)},
      },
    *reduction = &reductions[in->flags];
  if (!reduction->name)
    return false;
  LLVMValueRef value = kiln_ll_wide(f, x[1]);
  if (f->at.mask)
    value = LLVMBuildSelect(ll->b, f->at.mask, value, kiln_ll_splat(LLVMTypeOf(value), reduction->neutral), "");
  value = kiln_ll_intrinsic_same(ll, reduction->name, &value, 1);
  kiln_ll_atomic_one(f, inst, kiln_ll_held(f, x[0]), value);
  return true;
}

// base + extension of a narrow index. The index is extracted from the vector in words that hold several lanes.
struct narrow_index {
  LLVMValueRef base, words;
  unsigned bits;
  bool is_signed;
  int64_t stride;
};

static bool find_narrow_index(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer, struct narrow_index *out) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *add = kiln_inst(f->fn, pointer);
  if (add->op != KILN_OP_PADD || f->form->element[pointer] || !kiln_ll_has_operands(f, inst, pointer))
    return false;
  kiln_value base = kiln_operands(f->fn, pointer)[0], index = kiln_operands(f->fn, pointer)[1];
  const struct kiln_inst *extension = kiln_inst(f->fn, index);
  if (kiln_ll_shape(f, base).kind != KILN_SHAPE_UNIFORM || kiln_ll_shape(f, index).kind != KILN_SHAPE_VARYING ||
      (extension->op != KILN_OP_ZEXT && extension->op != KILN_OP_SEXT) || !kiln_ll_has_operands(f, inst, index))
    return false;
  kiln_value narrow = kiln_operands(f->fn, index)[0];
  out->bits = kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, narrow)));
  // Elements of 32 bits are left out: LLVM 19 was seen to leave out `word & 0xffffffff` where it knows bits of the
  // lanes (SSE).
  if (out->bits < 8 || out->bits > 16 || out->bits * f->form->lanes < 64)
    return false;
  out->base = kiln_ll_held(f, base);
  out->words =
      LLVMBuildBitCast(ll->b, kiln_ll_wide(f, narrow), kiln_ll_vector(ll->i64, out->bits * f->form->lanes / 64), "");
  out->is_signed = extension->op == KILN_OP_SEXT;
  out->stride = (int64_t)add->imm;
  return true;
}

static LLVMValueRef narrow_address(struct kiln_ll_fn *f, const struct narrow_index *index, unsigned lane) {
  struct kiln_ll *ll = f->ll;
  unsigned bit = lane * index->bits;
  LLVMTypeRef type = kiln_ll_int(ll, index->bits);
  LLVMValueRef word = index->words;
  if (LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMVectorTypeKind)
    word = LLVMBuildExtractElement(ll->b, word, kiln_ll_i32(ll, bit / 64), "");
  word = LLVMBuildLShr(ll->b, word, kiln_ll_i64(ll, bit % 64), "");
  word = LLVMBuildTrunc(ll->b, word, type, "");
  word = index->is_signed ? LLVMBuildSExt(ll->b, word, ll->i64, "") : LLVMBuildZExt(ll->b, word, ll->i64, "");
  return kiln_ll_pointer_add(ll, index->base, word, index->stride);
}

// Operations on local memory whose old values are unused, with all lanes on: unrolled.
static bool unrolled_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  const kiln_value *x = kiln_operands(f->fn, inst);
  if (f->form->used[inst] || f->at.mask || f->form->lanes > KILN_COST_UNROLLED_ATOMIC)
    return false;
  struct narrow_index index = {0};
  bool is_narrow = find_narrow_index(f, inst, x[0], &index);
  LLVMValueRef addresses[KILN_LL_MAX_LANES], values = kiln_ll_wide(f, x[1]);
  if (!is_narrow)
    kiln_ll_lane_addresses(f, kiln_ll_wide(f, x[0]), addresses);
  for (unsigned i = 0; i < f->form->lanes; i++) {
    LLVMValueRef lane = kiln_ll_i32(f->ll, i);
    LLVMValueRef pointer = is_narrow ? narrow_address(f, &index, i) : addresses[i];
    kiln_ll_atomic_one(f, inst, pointer, LLVMBuildExtractElement(f->ll->b, values, lane, ""));
  }
  return true;
}

// ---- additions to one address whose old values are used

// For each lane, the sum of x over the lanes before it that are on. *all: the sum over all lanes that are on.
static LLVMValueRef sums_before(struct kiln_ll_fn *f, LLVMValueRef x, LLVMValueRef *all) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->form->lanes;
  LLVMValueRef none = LLVMConstNull(LLVMTypeOf(x));
  if (f->at.mask)
    x = LLVMBuildSelect(ll->b, f->at.mask, x, none, "");
  LLVMValueRef sum = x;
  for (unsigned distance = 1; distance < lanes; distance *= 2)
    sum = LLVMBuildAdd(ll->b, sum, kiln_ll_shift_lanes(ll, sum, none, distance), "");
  *all = LLVMBuildExtractElement(ll->b, sum, kiln_ll_i32(ll, lanes - 1), "");
  return LLVMBuildSub(ll->b, sum, x, "");
}

// For each lane, the number of lanes before it that are on, in elements of type.
static LLVMValueRef ranks(struct kiln_ll_fn *f, LLVMTypeRef type) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef all;
  LLVMTypeRef words = kiln_ll_vector(ll->i32, f->form->lanes);
  LLVMValueRef iota = kiln_ll_iota(f, ll->i32, 1), ranks = iota;
  if (f->at.mask && f->form->lanes == 16 && ll->machine->cpu.has_avx512) {
    LLVMValueRef args[3] = {iota, LLVMConstNull(words), f->at.mask};
    ranks = kiln_ll_intrinsic(ll, "llvm.x86.avx512.mask.expand", &words, 1, args, 3);
  } else if (f->at.mask) {
    ranks = sums_before(f, kiln_ll_splat(words, 1), &all);
  }
  return LLVMBuildIntCast2(ll->b, ranks, kiln_ll_like(ranks, LLVMGetElementType(type)), false, "");
}

// One operation for all lanes. Each lane gets the old value it would see if the lanes ran one after another.
static LLVMValueRef ranked_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const kiln_value *x = kiln_operands(f->fn, inst);
  bool adds = in->flags == KILN_RMW_ADD;
  if ((!adds && in->flags != KILN_RMW_SUB) || kiln_ll_shape(f, x[0]).kind != KILN_SHAPE_UNIFORM)
    return NULL;
  LLVMValueRef wide = kiln_ll_wide(f, x[1]), sum, before;
  if (kiln_ll_shape(f, x[1]).kind == KILN_SHAPE_UNIFORM) {
    LLVMValueRef bits = kiln_ll_mask_bits(f, f->at.mask), one = kiln_ll_held(f, x[1]);
    LLVMValueRef count = kiln_ll_intrinsic_same(ll, "llvm.ctpop", &bits, 1);
    sum = LLVMBuildMul(ll->b, LLVMBuildIntCast2(ll->b, count, LLVMTypeOf(one), false, ""), one, "");
    before = LLVMBuildMul(ll->b, ranks(f, LLVMTypeOf(wide)), wide, "");
  } else {
    before = sums_before(f, wide, &sum);
  }
  LLVMValueRef old = kiln_ll_broadcast(f, kiln_ll_atomic_one(f, inst, kiln_ll_held(f, x[0]), sum));
  LLVMValueRef result = adds ? LLVMBuildAdd(ll->b, old, before, "") : LLVMBuildSub(ll->b, old, before, "");
  return kiln_ll_hold(f, inst, result);
}

LLVMValueRef kiln_ll_spmd_atomic(struct kiln_ll_fn *f, kiln_value inst) {
  if (kiln_inst(f->fn, inst)->op != KILN_OP_ATOMIC_RMW)
    return NULL;
  if (reduced_atomic(f, inst) || unrolled_atomic(f, inst))
    return LLVMConstNull(kiln_ll_held_type(f, inst)); // unused
  return f->form->used[inst] ? ranked_atomic(f, inst) : NULL;
}
