// Operations between the work-items of a sub-group, which is a wave. Queries follow the linear local id, by which
// hardware forms waves. Votes and ballots see the lanes that are on; so do shuffles, whose sources are otherwise
// undefined.
//
// Reductions and scans run in whole-wave mode: lanes that are off take part with the identity of the operation, so that
// the pattern of exchanges does not depend on the mask. Rows of 16 lanes (AMD's term) exchange by DPP controls, which
// all processors from gfx900 on have, pairs of rows by ds_swizzle, and the remaining steps go through scalar registers.
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/gpu/amdgpu.h"
#include "kiln/op_cases.h"

// Controls of DPP, and of ds_swizzle: the lane whose number differs in bit 4, of each 32.
enum {
  QUAD_1032 = 0xb1,
  QUAD_2301 = 0x4e,
  ROW_SHIFT = 0x110,
  ROW_MIRROR = 0x140,
  HALF_MIRROR = 0x141,
  SWAP_16 = 0x401f
};
enum { ROW = 16, MAX_WORDS = 2 };

static unsigned wave_size(const struct kiln_ll *ll) { return ll->machine->amdgpu.wave64 ? 64 : 32; }

// Whether the intrinsic is overloaded depends on the version of LLVM.
static LLVMValueRef word_intrinsic(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count) {
  return kiln_ll_intrinsic(ll, name, &ll->i32, 1, args, count);
}

// ---- values as words of 32 bits

struct words {
  LLVMValueRef w[MAX_WORDS];
  uint32_t count;
};

static struct words split(struct kiln_ll *ll, LLVMValueRef value, unsigned bits) {
  struct words out = {.count = bits == 64 ? 2 : 1};
  value = LLVMBuildBitCast(ll->b, value, kiln_ll_int(ll, bits), "");
  if (bits < 64) {
    out.w[0] = LLVMBuildZExt(ll->b, value, ll->i32, "");
    return out;
  }
  out.w[0] = LLVMBuildTrunc(ll->b, value, ll->i32, "");
  out.w[1] = LLVMBuildTrunc(ll->b, LLVMBuildLShr(ll->b, value, kiln_ll_i64(ll, 32), ""), ll->i32, "");
  return out;
}

static LLVMValueRef join(struct kiln_ll *ll, struct words words, unsigned bits, LLVMTypeRef type) {
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

static LLVMValueRef first_lane(struct kiln_ll *ll, LLVMValueRef value) {
  return word_intrinsic(ll, "llvm.amdgcn.readfirstlane", &value, 1);
}

static LLVMValueRef wave_number(struct kiln_ll_fn *f) { // the same in all lanes
  struct kiln_ll *ll = f->ll;
  return first_lane(ll, LLVMBuildLShr(ll->b, linear_id(f), kiln_ll_i32(ll, ll->machine->amdgpu.wave64 ? 6 : 5), ""));
}

static LLVMValueRef lane_id(struct kiln_ll *ll) {
  LLVMValueRef low[2] = {kiln_ll_i32(ll, UINT32_MAX), kiln_ll_i32(ll, 0)};
  LLVMValueRef id = kiln_ll_intrinsic(ll, "llvm.amdgcn.mbcnt.lo", NULL, 0, low, 2);
  if (!ll->machine->amdgpu.wave64)
    return id;
  return kiln_ll_intrinsic(ll, "llvm.amdgcn.mbcnt.hi", NULL, 0, (LLVMValueRef[]){kiln_ll_i32(ll, UINT32_MAX), id}, 2);
}

LLVMValueRef kiln_ll_amdgpu_sub_group_item(struct kiln_ll_fn *f, enum kiln_op op) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  unsigned size = wave_size(ll);
  if (op == KILN_OP_SUB_GROUP_SIZE) { // the remainder of the group, if it is smaller
    LLVMValueRef before = LLVMBuildMul(b, wave_number(f), kiln_ll_i32(ll, size), "");
    return kiln_ll_intrinsic_same(
        ll, "llvm.umin", (LLVMValueRef[]){LLVMBuildSub(b, group_size(f), before, ""), kiln_ll_i32(ll, size)}, 2);
  }
  if (op == KILN_OP_NUM_SUB_GROUPS)
    return LLVMBuildUDiv(b, LLVMBuildAdd(b, group_size(f), kiln_ll_i32(ll, size - 1), ""), kiln_ll_i32(ll, size), "");
  if (op == KILN_OP_SUB_GROUP_ID)
    return wave_number(f);
  return op == KILN_OP_SUB_GROUP_LOCAL_ID ? lane_id(ll) : kiln_ll_i32(ll, size); // MAX_SUB_GROUP_SIZE
}

// ---- votes, broadcasts, shuffles

static LLVMValueRef ballot(struct kiln_ll *ll, LLVMValueRef value) {
  LLVMTypeRef type = ll->machine->amdgpu.wave64 ? ll->i64 : ll->i32;
  return kiln_ll_intrinsic(ll, "llvm.amdgcn.ballot", &type, 1, &value, 1);
}

static LLVMValueRef vote(struct kiln_ll *ll, LLVMValueRef value, bool all) {
  LLVMValueRef lanes = ballot(ll, all ? LLVMBuildNot(ll->b, value, "") : value);
  return LLVMBuildICmp(ll->b, all ? LLVMIntEQ : LLVMIntNE, lanes, LLVMConstNull(LLVMTypeOf(lanes)), "");
}

static LLVMValueRef read_lane(struct kiln_ll *ll, LLVMValueRef value, LLVMValueRef lane) {
  return word_intrinsic(ll, "llvm.amdgcn.readlane", (LLVMValueRef[]){value, lane}, 2);
}

static struct words read_lanes(struct kiln_ll *ll, struct words value, LLVMValueRef lane) {
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = read_lane(ll, value.w[i], lane);
  return value;
}

// ds_bpermute reaches all lanes, but with waves of 64 on gfx10 and later only those of the same half.
static bool permutes_all(const struct kiln_ll *ll) {
  return !ll->machine->amdgpu.wave64 || ll->machine->amdgpu.isa < 10000;
}

// A waterfall loop: one iteration for each distinct source lane; all lanes that read from the first one's source take
// it.
static struct words shuffle_by_waterfall(struct kiln_ll_fn *f, struct words value, LLVMValueRef lane) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef iteration = kiln_ll_block(f, "round"), done = kiln_ll_block(f, "shuffled");
  LLVMBuildBr(ll->b, iteration);
  LLVMPositionBuilderAtEnd(ll->b, iteration);
  LLVMValueRef source = first_lane(ll, lane);
  value = read_lanes(ll, value, source);
  LLVMBuildCondBr(ll->b, LLVMBuildICmp(ll->b, LLVMIntEQ, source, lane, ""), done, iteration);
  LLVMPositionBuilderAtEnd(ll->b, done);
  return value;
}

static struct words shuffle(struct kiln_ll_fn *f, struct words value, LLVMValueRef lane) {
  struct kiln_ll *ll = f->ll;
  if (!permutes_all(ll))
    return shuffle_by_waterfall(f, value, lane);
  LLVMValueRef address = LLVMBuildShl(ll->b, lane, kiln_ll_i32(ll, 2), "");
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = kiln_ll_intrinsic(ll, "llvm.amdgcn.ds.bpermute", NULL, 0, (LLVMValueRef[]){address, value.w[i]}, 2);
  return value;
}

// ---- reductions and scans

struct collective {
  struct kiln_ll *ll;
  enum kiln_reduce reduce;
  unsigned bits;
  LLVMTypeRef type;
  struct words identity;
  LLVMValueRef lane;
};

static LLVMValueRef combine_values(struct kiln_ll *ll, enum kiln_reduce reduce, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef both[2] = {x, y};
  if (reduce == KILN_REDUCE_FMIN || reduce == KILN_REDUCE_FMAX)
    return kiln_ll_intrinsic_same(ll, reduce == KILN_REDUCE_FMIN ? "llvm.minnum" : "llvm.maxnum", both, 2);
  return kiln_ll_plain(ll, kiln_reduce_op(reduce), x, y);
}

static struct words combine(const struct collective *c, struct words x, struct words y) {
  LLVMValueRef a = join(c->ll, x, c->bits, c->type), b = join(c->ll, y, c->bits, c->type);
  return split(c->ll, combine_values(c->ll, c->reduce, a, b), c->bits);
}

// The value of the lane that the control names. all: every lane has a source, so that the move becomes part of the next
// operation; else lanes without a source get the identity.
static struct words move(const struct collective *c, struct words value, unsigned control, bool all) {
  struct kiln_ll *ll = c->ll;
  for (uint32_t i = 0; i < value.count; i++) {
    LLVMValueRef otherwise = all ? LLVMGetPoison(ll->i32) : c->identity.w[i];
    LLVMValueRef args[6] = {
        otherwise,          value.w[i], kiln_ll_i32(ll, control), kiln_ll_i32(ll, 0xf), kiln_ll_i32(ll, 0xf),
        kiln_ll_i1(ll, all)};
    value.w[i] = word_intrinsic(ll, "llvm.amdgcn.update.dpp", args, 6);
  }
  return value;
}

static struct words swap_rows(const struct collective *c, struct words value) {
  struct kiln_ll *ll = c->ll;
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = kiln_ll_intrinsic(ll, "llvm.amdgcn.ds.swizzle", NULL, 0,
                                   (LLVMValueRef[]){value.w[i], kiln_ll_i32(ll, SWAP_16)}, 2);
  return value;
}

static struct words choose(struct kiln_ll *ll, LLVMValueRef condition, struct words x, struct words y) {
  for (uint32_t i = 0; i < x.count; i++)
    x.w[i] = LLVMBuildSelect(ll->b, condition, x.w[i], y.w[i], "");
  return x;
}

// Clusters of size lanes: first neighbours, then pairs of equal halves. Within 8 or 16 lanes each half already holds
// equal values, so a mirror reaches the other half.
static struct words reduce_clusters(const struct collective *c, struct words value, unsigned size) {
  static const unsigned controls[4] = {QUAD_1032, QUAD_2301, HALF_MIRROR, ROW_MIRROR};
  for (unsigned i = 0; i < 4 && 2u << i <= size; i++)
    value = combine(c, value, move(c, value, controls[i], true));
  if (size >= 32)
    value = combine(c, value, swap_rows(c, value));
  if (size < 64)
    return value;
  return combine(c, read_lanes(c->ll, value, kiln_ll_i32(c->ll, 31)), read_lanes(c->ll, value, kiln_ll_i32(c->ll, 63)));
}

// An inclusive scan.
static struct words scan(const struct collective *c, struct words value) {
  struct kiln_ll *ll = c->ll;
  for (unsigned distance = 1; distance < ROW; distance *= 2)
    value = combine(c, move(c, value, ROW_SHIFT + distance, false), value);
  // The total of the rows before the lane's row: totals of rows are uniform.
  struct words before = c->identity, totals = c->identity;
  for (unsigned row = 1; row < wave_size(ll) / ROW; row++) {
    struct words last = read_lanes(ll, value, kiln_ll_i32(ll, row * ROW - 1));
    totals = row == 1 ? last : combine(c, totals, last);
    LLVMValueRef reached = LLVMBuildICmp(ll->b, LLVMIntUGE, c->lane, kiln_ll_i32(ll, row * ROW), "");
    before = choose(ll, reached, totals, before);
  }
  return combine(c, before, value);
}

// The value of the previous lane; the identity in lane 0.
static struct words shift(const struct collective *c, struct words value) {
  struct kiln_ll *ll = c->ll;
  struct words result = move(c, value, ROW_SHIFT + 1, false);
  for (unsigned row = 1; row < wave_size(ll) / ROW; row++) {
    LLVMValueRef first = LLVMBuildICmp(ll->b, LLVMIntEQ, c->lane, kiln_ll_i32(ll, row * ROW), "");
    result = choose(ll, first, read_lanes(ll, value, kiln_ll_i32(ll, row * ROW - 1)), result);
  }
  return result;
}

static LLVMValueRef collective(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type)), size = wave_size(ll);
  unsigned cluster = kiln_collective_cluster(in->imm);
  struct collective c = {.ll = ll, .reduce = (enum kiln_reduce)in->flags, .bits = bits, .type = LLVMTypeOf(x)};
  // A sum of negative zeros stays negative. Minima and maxima begin with an infinity.
  bool is_start = in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE || c.reduce != KILN_REDUCE_FADD;
  uint64_t identity = kiln_ll_neutral(c.reduce, kiln_type_kind(in->type), is_start);
  c.identity = split(ll, LLVMConstInt(kiln_ll_int(ll, bits), identity, false), bits);
  c.lane = lane_id(ll);
  struct words value = split(ll, x, bits);
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = word_intrinsic(ll, "llvm.amdgcn.set.inactive", (LLVMValueRef[]){value.w[i], c.identity.w[i]}, 2);
  if (in->op == KILN_OP_GROUP_REDUCE)
    value = reduce_clusters(&c, value, cluster && cluster < size ? cluster : size);
  else
    value = scan(&c, in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE ? shift(&c, value) : value);
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = word_intrinsic(ll, "llvm.amdgcn.strict.wwm", &value.w[i], 1);
  return join(ll, value, bits, c.type);
}

// ----

static void barrier(struct kiln_ll *ll, bool fences) {
  if (fences)
    kiln_ll_set_scope(LLVMBuildFence(ll->b, LLVMAtomicOrderingRelease, false, ""), "wavefront");
  kiln_ll_intrinsic(ll, "llvm.amdgcn.wave.barrier", NULL, 0, NULL, 0);
  if (fences)
    kiln_ll_set_scope(LLVMBuildFence(ll->b, LLVMAtomicOrderingAcquire, false, ""), "wavefront");
}

LLVMValueRef kiln_ll_amdgpu_group(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  enum kiln_op op = (enum kiln_op)in->op;
  if (kiln_inst_is_barrier(in)) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: operation '%s' of a whole group is left", kiln_op_table[op].name);
    return NULL;
  }
  unsigned bits = kiln_kind_bits(kiln_type_kind(in->type));
  switch (op) {
  case KILN_OP_GROUP_ALL:
  case KILN_OP_GROUP_ANY:
    return vote(ll, kiln_ll_operand(f, inst, 0), op == KILN_OP_GROUP_ALL);
  case KILN_OP_SUB_GROUP_BALLOT: {
    LLVMValueRef lanes = ballot(ll, kiln_ll_operand(f, inst, 0));
    return ll->machine->amdgpu.wave64 ? lanes : LLVMBuildZExt(ll->b, lanes, ll->i64, "");
  }
  case KILN_OP_GROUP_BROADCAST:
  case KILN_OP_SUB_GROUP_SHUFFLE: {
    LLVMValueRef x = kiln_ll_operand(f, inst, 0), lane = kiln_ll_operand(f, inst, 1);
    lane = LLVMBuildZExtOrBitCast(ll->b, lane, ll->i32, "");
    struct words words = split(ll, x, bits);
    words = op == KILN_OP_GROUP_BROADCAST ? read_lanes(ll, words, first_lane(ll, lane)) : shuffle(f, words, lane);
    return join(ll, words, bits, LLVMTypeOf(x));
  }
  case KILN_OP_GROUP_REDUCE:
  case KILN_OP_GROUP_SCAN_INCLUSIVE:
  case KILN_OP_GROUP_SCAN_EXCLUSIVE:
    return collective(f, inst);
  case KILN_OP_SUB_GROUP_BARRIER:
    barrier(ll, in->imm2 != 0);
    return NULL;
  case KILN_OP_BARRIER:
    KILN_CASES_BUT_GROUP break;
  }
  return NULL;
}
