// Sub-groups: queries, which follow the linear local id, and operations between their work-items.
#include "backends/llvm/gpu/gpu.h"
#include "kiln/op_cases.h"

// ---- values as words of 32 bits

struct kiln_ll_gpu_words kiln_ll_gpu_split(struct kiln_ll *ll, LLVMValueRef value) {
  unsigned bits = kiln_ll_bits(LLVMTypeOf(value));
  struct kiln_ll_gpu_words out = {.count = bits == 64 ? 2 : 1};
  value = LLVMBuildBitCast(ll->b, value, kiln_ll_int(ll, bits), "");
  if (bits < 64) {
    out.w[0] = LLVMBuildZExt(ll->b, value, ll->i32, "");
    return out;
  }
  out.w[0] = LLVMBuildTrunc(ll->b, value, ll->i32, "");
  out.w[1] = LLVMBuildTrunc(ll->b, LLVMBuildLShr(ll->b, value, kiln_ll_i64(ll, 32), ""), ll->i32, "");
  return out;
}

LLVMValueRef kiln_ll_gpu_join(struct kiln_ll *ll, struct kiln_ll_gpu_words words, LLVMTypeRef type) {
  unsigned bits = kiln_ll_bits(type);
  LLVMValueRef value = words.w[0];
  if (bits < 32)
    value = LLVMBuildTrunc(ll->b, value, kiln_ll_int(ll, bits), "");
  if (bits == 64) {
    LLVMValueRef high = LLVMBuildZExt(ll->b, words.w[1], ll->i64, "");
    high = LLVMBuildShl(ll->b, high, kiln_ll_i64(ll, 32), "");
    value = LLVMBuildOr(ll->b, LLVMBuildZExt(ll->b, value, ll->i64, ""), high, "");
  }
  return LLVMBuildBitCast(ll->b, value, type, "");
}

// ---- queries

static LLVMValueRef narrow_item(struct kiln_ll_fn *f, enum kiln_op op, unsigned d) {
  return LLVMBuildTrunc(f->ll->b, f->ll->hooks->item(f, op, d), f->ll->i32, "");
}

static LLVMValueRef group_size(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef plane =
      LLVMBuildMul(b, narrow_item(f, KILN_OP_LOCAL_SIZE, 0), narrow_item(f, KILN_OP_LOCAL_SIZE, 1), "");
  return LLVMBuildMul(b, plane, narrow_item(f, KILN_OP_LOCAL_SIZE, 2), "");
}

static LLVMValueRef linear_id(struct kiln_ll_fn *f) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef id = LLVMBuildMul(b, narrow_item(f, KILN_OP_LOCAL_ID, 2), narrow_item(f, KILN_OP_LOCAL_SIZE, 1), "");
  id = LLVMBuildAdd(b, id, narrow_item(f, KILN_OP_LOCAL_ID, 1), "");
  id = LLVMBuildMul(b, id, narrow_item(f, KILN_OP_LOCAL_SIZE, 0), "");
  return LLVMBuildAdd(b, id, narrow_item(f, KILN_OP_LOCAL_ID, 0), "");
}

static LLVMValueRef sub_group_number(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_gpu_hooks *gpu = ll->hooks->gpu;
  LLVMValueRef number = LLVMBuildLShr(ll->b, linear_id(f), kiln_ll_i32(ll, gpu->sub_group_log(ll)), "");
  return gpu->uniform ? gpu->uniform(ll, number) : number;
}

LLVMValueRef kiln_ll_gpu_sub_group_size(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef most = kiln_ll_i32(ll, 1u << ll->hooks->gpu->sub_group_log(ll));
  LLVMValueRef before = LLVMBuildMul(ll->b, sub_group_number(f), most, "");
  LLVMValueRef sizes[2] = {LLVMBuildSub(ll->b, group_size(f), before, ""), most};
  return kiln_ll_intrinsic_same(ll, "llvm.umin", sizes, 2);
}

LLVMValueRef kiln_ll_gpu_sub_group_item(struct kiln_ll_fn *f, enum kiln_op op) {
  struct kiln_ll *ll = f->ll;
  unsigned most = 1u << ll->hooks->gpu->sub_group_log(ll);
  if (op == KILN_OP_SUB_GROUP_SIZE)
    return kiln_ll_gpu_sub_group_size(f);
  if (op == KILN_OP_NUM_SUB_GROUPS) {
    LLVMValueRef rounded = LLVMBuildAdd(ll->b, group_size(f), kiln_ll_i32(ll, most - 1), "");
    return LLVMBuildUDiv(ll->b, rounded, kiln_ll_i32(ll, most), "");
  }
  if (op == KILN_OP_SUB_GROUP_ID)
    return sub_group_number(f);
  return op == KILN_OP_SUB_GROUP_LOCAL_ID ? ll->hooks->gpu->lane_id(ll) : kiln_ll_i32(ll, most); // MAX_SUB_GROUP_SIZE
}

// ---- reductions and scans

LLVMValueRef kiln_ll_gpu_identity(struct kiln_ll *ll, const struct kiln_inst *in, LLVMTypeRef type) {
  enum kiln_reduce reduce = (enum kiln_reduce)in->flags;
  // A sum of negative zeros stays negative. Minima and maxima begin with an infinity.
  bool is_start = in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE || reduce != KILN_REDUCE_FADD;
  uint64_t bits = kiln_ll_neutral(reduce, kiln_type_kind(in->type), is_start);
  return LLVMConstBitCast(LLVMConstInt(kiln_ll_int(ll, kiln_ll_bits(type)), bits, false), type);
}

LLVMValueRef kiln_ll_gpu_combine(struct kiln_ll *ll, enum kiln_reduce reduce, LLVMValueRef x, LLVMValueRef y) {
  if (reduce != KILN_REDUCE_FMIN && reduce != KILN_REDUCE_FMAX)
    return kiln_ll_plain(ll, kiln_reduce_op(reduce), x, y);
  const char *name = reduce == KILN_REDUCE_FMIN ? "llvm.minnum" : "llvm.maxnum";
  if (kiln_ll_is_float(LLVMTypeOf(x)))
    return kiln_ll_intrinsic_same(ll, name, (LLVMValueRef[]){x, y}, 2);
  LLVMValueRef both[2] = {kiln_ll_half_to_float(ll, x), kiln_ll_half_to_float(ll, y)}; // no arithmetic on halves
  return kiln_ll_float_to_half(ll, kiln_ll_intrinsic_same(ll, name, both, 2));
}

// ----

LLVMValueRef kiln_ll_gpu_group(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_ll_gpu_hooks *gpu = ll->hooks->gpu;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = (enum kiln_op)in->op;
  if (kiln_inst_is_barrier(in)) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: operation '%s' of a whole group is left", kiln_op_table[op].name);
    return NULL;
  }
  switch (op) {
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
    return gpu->vote(f, kiln_ll_operand(f, inst, 0), op == KILN_OP_GROUP_ALL);
  case KILN_OP_SUB_GROUP_BALLOT:
    return gpu->ballot(f, kiln_ll_operand(f, inst, 0));
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_SUB_GROUP_SHUFFLE: {
    LLVMValueRef x = kiln_ll_operand(f, inst, 0), lane = kiln_ll_operand(f, inst, 1);
    lane = LLVMBuildZExtOrBitCast(ll->b, lane, ll->i32, "");
    struct kiln_ll_gpu_words words = kiln_ll_gpu_split(ll, x);
    words = op == KILN_OP_GROUP_BROADCAST ? gpu->broadcast(f, words, lane) : gpu->shuffle(f, words, lane);
    return kiln_ll_gpu_join(ll, words, LLVMTypeOf(x));
  }
  case KILN_OP_GROUP_REDUCE:
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return gpu->collective(f, inst);
  case KILN_OP_SUB_GROUP_BARRIER:
    gpu->sub_group_barrier(f, in->imm2 != 0);
    return NULL;
  case KILN_OP_BARRIER:
    KILN_CASES_BUT_GROUP break;
  }
  return NULL;
}
