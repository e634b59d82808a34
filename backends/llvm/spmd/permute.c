// Contiguous accesses whose elements belong to the lanes in another order: reversed (x[n - i]), or with bits of the
// lane number flipped (x[i ^ j] with a uniform j, as in sorting networks and transforms). Lane l accesses element l ^
// flip, so a contiguous access and one permutation replace a gather or scatter.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): strides, positions_falling.
#include "backends/llvm/spmd/group.h"
#include "backends/llvm/spmd/plan.h"

bool kiln_ll_has_operands(const struct kiln_ll_fn *f, kiln_value inst, kiln_value v) {
  const struct kiln_ll_group *g = f->group;
  return kiln_inst(f->fn, v)->region && (!g || g->recomputed[v] || g->item_region[v] == g->item_region[inst]);
}

// A term x ^ flip of an address, where x increases by one from lane to lane.
struct flipped {
  kiln_value x, flip;
};

// Whether the operations from an address down to its term have their operands at hand.
static bool has_chain(const struct kiln_ll_fn *f, kiln_value access, kiln_value v, kiln_value term) {
  const struct kiln_inst *in = kiln_inst(f->fn, v);
  if (kiln_ll_shape(f, v).kind != KILN_SHAPE_VARYING)
    return true;
  if (!kiln_ll_has_operands(f, access, v))
    return false;
  for (uint32_t i = 0; v != term && i < in->operand_count; i++)
    if (!has_chain(f, access, kiln_operands(f->fn, v)[i], term))
      return false;
  return true;
}

static bool find_flipped(const struct kiln_ll_fn *f, kiln_value access, unsigned bytes, struct flipped *out) {
  const struct kiln_ll_spmd *s = f->spmd;
  kiln_value pointer = kiln_operands(f->fn, access)[0], flips = 0;
  struct kiln_affine form;
  kiln_affine_of(f->fn, pointer, 0, &form);
  for (uint32_t i = 0; i < form.term_count; i++) {
    const struct kiln_term *term = &form.terms[i];
    if (s->shapes[term->value].kind == KILN_SHAPE_UNIFORM)
      continue;
    if (flips || term->factor != (int64_t)bytes || kiln_inst(f->fn, term->value)->op != KILN_OP_XOR)
      return false;
    flips = term->value;
  }
  if (!flips || s->shapes[form.base].kind != KILN_SHAPE_UNIFORM ||
      kiln_kind_bits(kiln_type_kind(kiln_value_type(f->fn, flips))) < 32 || !has_chain(f, access, pointer, flips))
    return false;
  const kiln_value *x = kiln_operands(f->fn, flips);
  bool second = s->shapes[x[0]].kind == KILN_SHAPE_UNIFORM;
  *out = (struct flipped){x[second], x[!second]};
  return s->shapes[out->x].kind == KILN_SHAPE_LINEAR && s->shapes[out->x].stride == 1 && !s->tainted[out->x] &&
         s->shapes[out->flip].kind == KILN_SHAPE_UNIFORM;
}

enum kiln_ll_order_of_lanes kiln_ll_find_order(const struct kiln_ll_fn *f, kiln_value access) {
  kiln_type type = kiln_access_type(f->fn, access);
  struct kiln_shape shape = kiln_ll_shape(f, kiln_operands(f->fn, access)[0]);
  unsigned bytes = kiln_ll_element_bytes(type);
  struct flipped flipped;
  if (kiln_type_lanes(type) > 1)
    return KILN_LL_OTHER_ORDER;
  if (shape.kind == KILN_SHAPE_LINEAR)
    return shape.stride == -(int64_t)bytes ? KILN_LL_REVERSED : KILN_LL_OTHER_ORDER;
  return find_flipped(f, access, bytes, &flipped) ? KILN_LL_FLIPPED : KILN_LL_OTHER_ORDER;
}

// The low bits of flip permute the lanes, and the others select the vector: it begins so many elements before that of
// lane 0.
static void begin_flipped(struct kiln_ll_fn *f, kiln_value access, unsigned bytes, struct kiln_ll_permuted *out) {
  struct kiln_ll *ll = f->ll;
  struct flipped flipped;
  find_flipped(f, access, bytes, &flipped);
  LLVMValueRef first = kiln_ll_held(f, flipped.x), bits = kiln_ll_held(f, flipped.flip);
  LLVMTypeRef type = LLVMTypeOf(first);
  LLVMValueRef low = LLVMConstInt(type, f->spmd->lanes - 1, false);
  out->flip = LLVMBuildTrunc(ll->b, LLVMBuildAnd(ll->b, bits, low, ""), ll->i32, "");
  out->address = kiln_ll_pointer_add(ll, kiln_ll_first_lane_value(f, kiln_operands(f->fn, access)[0]),
                                     LLVMBuildZExt(ll->b, out->flip, ll->i64, ""), -(int64_t)bytes);
  out->guard = LLVMBuildICmp(ll->b, LLVMIntEQ, LLVMBuildAnd(ll->b, first, low, ""), LLVMConstNull(type), "aligned");
}

void kiln_ll_begin_permuted(struct kiln_ll_fn *f, kiln_value access, struct kiln_ll_permuted *out) {
  kiln_value pointer = kiln_operands(f->fn, access)[0];
  unsigned bytes = kiln_ll_element_bytes(kiln_access_type(f->fn, access));
  if (kiln_ll_shape(f, pointer).kind != KILN_SHAPE_LINEAR) {
    begin_flipped(f, access, bytes, out);
    return;
  }
  out->address = kiln_ll_address_at(f->ll, kiln_ll_held(f, pointer), -(int64_t)bytes * (f->spmd->lanes - 1));
  out->flip = kiln_ll_i32(f->ll, f->spmd->lanes - 1);
  out->guard = f->spmd->tainted[pointer] ? f->spmd->made->guards[pointer] : NULL;
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
    return kiln_ll_flip_lanes(ll, value, (unsigned)LLVMConstIntGetZExtValue(order->flip));
  bool is_word = element == ll->i32 || element == ll->f32;
  if (ll->machine->wide_vectors && lanes == 16 && is_word)
    return permute_words(f, value, order->flip);
  for (unsigned bit = 1; bit < lanes; bit *= 2) {
    LLVMValueRef is_set = LLVMBuildAnd(ll->b, order->flip, kiln_ll_i32(ll, bit), "");
    is_set = LLVMBuildICmp(ll->b, LLVMIntNE, is_set, LLVMConstNull(ll->i32), "");
    value = LLVMBuildSelect(ll->b, is_set, kiln_ll_flip_lanes(ll, value, bit), value, "");
  }
  return value;
}
