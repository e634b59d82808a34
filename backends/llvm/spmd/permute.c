// Contiguous accesses whose elements belong to the lanes in another order: reversed (x[n - i]), or with bits of the
// lane number flipped (x[i ^ j] with a uniform j, as in sorting networks and transforms). Lane l accesses element l ^
// flip, so a contiguous access and one permutation replace a gather or scatter.
#include "backends/llvm/spmd/group.h"
#include "backends/llvm/spmd/spmd.h"

bool kiln_ll_has_operands(struct kiln_ll_fn *f, kiln_value inst, kiln_value v) {
  const struct kiln_ll_group *g = f->group;
  return kiln_inst(f->fn, v)->region && (!g || g->recomputed[v] || g->item_region[v] == g->item_region[inst]);
}

static LLVMValueRef reversed_address(struct kiln_ll_fn *f, kiln_value pointer, unsigned bytes) {
  LLVMValueRef offset = LLVMConstInt(f->ll->i64, -(uint64_t)bytes * (f->spmd->lanes - 1), false);
  return LLVMBuildGEP2(f->ll->b, f->ll->i8, kiln_ll_held(f, pointer), &offset, 1, "");
}

// pointer = base + (x ^ flip) * bytes, where x increases by one from lane to lane. If x is a multiple of the lanes in
// lane 0, the low bits of flip permute the lanes and the others select the vector.
static bool find_flipped(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer, unsigned bytes,
                         struct kiln_ll_permuted *out) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_spmd *s = f->spmd;
  const struct kiln_inst *add = kiln_inst(f->fn, pointer);
  if (s->mask || add->op != KILN_OP_PADD || add->imm != bytes || s->element[pointer] ||
      !kiln_ll_has_operands(f, inst, pointer))
    return false;
  kiln_value base = kiln_operands(f->fn, pointer)[0], index = kiln_operands(f->fn, pointer)[1], flips = index;
  enum kiln_op extension = (enum kiln_op)kiln_inst(f->fn, index)->op;
  if ((extension == KILN_OP_ZEXT || extension == KILN_OP_SEXT) && kiln_ll_has_operands(f, inst, index))
    flips = kiln_operands(f->fn, index)[0];
  if (s->shapes[base].kind != KILN_SHAPE_UNIFORM || kiln_inst(f->fn, flips)->op != KILN_OP_XOR ||
      kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, flips))) < 32 || !kiln_ll_has_operands(f, inst, flips))
    return false;
  kiln_value x = kiln_operands(f->fn, flips)[0], flip = kiln_operands(f->fn, flips)[1];
  if (s->shapes[x].kind == KILN_SHAPE_UNIFORM) {
    x = flip;
    flip = kiln_operands(f->fn, flips)[0];
  }
  if (s->shapes[x].kind != KILN_SHAPE_LINEAR || s->shapes[x].stride != 1 || s->tainted[x] ||
      s->shapes[flip].kind != KILN_SHAPE_UNIFORM)
    return false;
  LLVMValueRef first = kiln_ll_held(f, x), bits = kiln_ll_held(f, flip);
  LLVMTypeRef type = LLVMTypeOf(first);
  LLVMValueRef low = LLVMConstInt(type, s->lanes - 1, false);
  LLVMValueRef first_element = LLVMBuildXor(ll->b, first, LLVMBuildAnd(ll->b, bits, LLVMConstNot(low), ""), "");
  if (flips != index)
    first_element = extension == KILN_OP_ZEXT ? LLVMBuildZExt(ll->b, first_element, ll->i64, "")
                                              : LLVMBuildSExt(ll->b, first_element, ll->i64, "");
  out->address = kiln_ll_pointer_add(ll, kiln_ll_held(f, base), first_element, bytes);
  out->flip = LLVMBuildTrunc(ll->b, LLVMBuildAnd(ll->b, bits, low, ""), ll->i32, "");
  out->guard = LLVMBuildICmp(ll->b, LLVMIntEQ, LLVMBuildAnd(ll->b, first, low, ""), LLVMConstNull(type), "aligned");
  return true;
}

bool kiln_ll_find_permuted(struct kiln_ll_fn *f, kiln_value inst, kiln_value pointer, kiln_type type,
                           struct kiln_ll_permuted *out) {
  struct kiln_shape shape = kiln_ll_shape(f, pointer);
  unsigned bytes = kiln_kind_bits(kiln_type_kind(type)) / 8;
  if (kiln_type_lanes(type) > 1 || f->spmd->element[pointer])
    return false;
  if (shape.kind != KILN_SHAPE_LINEAR)
    return find_flipped(f, inst, pointer, bytes, out);
  if (shape.stride != -(int64_t)bytes)
    return false;
  out->address = reversed_address(f, pointer, bytes);
  out->flip = LLVMConstInt(f->ll->i32, f->spmd->lanes - 1, false);
  out->guard = f->spmd->tainted[pointer] ? f->spmd->guards[pointer] : NULL;
  return true;
}

static LLVMValueRef shuffle(struct kiln_ll_fn *f, LLVMValueRef value, unsigned flip) {
  LLVMValueRef list[KILN_LL_MAX_LANES];
  for (unsigned i = 0; i < f->spmd->lanes; i++)
    list[i] = LLVMConstInt(f->ll->i32, i ^ flip, false);
  return LLVMBuildShuffleVector(f->ll->b, value, LLVMGetPoison(LLVMTypeOf(value)),
                                LLVMConstVector(list, f->spmd->lanes), "");
}

// One instruction with AVX-512.
static LLVMValueRef permute_words(struct kiln_ll_fn *f, LLVMValueRef value, LLVMValueRef flip) {
  struct kiln_ll *ll = f->ll;
  LLVMTypeRef type = LLVMTypeOf(value), words = LLVMVectorType(ll->i32, 16);
  LLVMValueRef order = LLVMBuildXor(ll->b, kiln_ll_broadcast(f, flip), kiln_ll_iota(f, ll->i32, 1), "");
  LLVMValueRef args[2] = {LLVMBuildBitCast(ll->b, value, words, ""), order};
  value = kiln_ll_intrinsic(ll, "llvm.x86.avx512.permvar.si.512", NULL, 0, args, 2);
  return LLVMBuildBitCast(ll->b, value, type, "");
}

LLVMValueRef kiln_ll_permute(struct kiln_ll_fn *f, const struct kiln_ll_permuted *order, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  unsigned lanes = f->spmd->lanes;
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  if (LLVMIsAConstantInt(order->flip))
    return shuffle(f, value, (unsigned)LLVMConstIntGetZExtValue(order->flip));
  bool is_word = element == ll->i32 || element == ll->f32;
  if (ll->machine->wide_vectors && lanes == 16 && is_word)
    return permute_words(f, value, order->flip);
  for (unsigned bit = 1; bit < lanes; bit *= 2) {
    LLVMValueRef is_set = LLVMBuildAnd(ll->b, order->flip, LLVMConstInt(ll->i32, bit, false), "");
    is_set = LLVMBuildICmp(ll->b, LLVMIntNE, is_set, LLVMConstNull(ll->i32), "");
    value = LLVMBuildSelect(ll->b, is_set, shuffle(f, value, bit), value, "");
  }
  return value;
}
