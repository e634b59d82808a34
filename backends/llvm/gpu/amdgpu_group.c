// Operations between the work-items of a sub-group, which is a wave. Votes and ballots see the lanes that are on; so do
// shuffles, whose sources are otherwise undefined.
//
// Reductions and scans run in whole-wave mode: lanes that are off take part with the identity of the operation, so that
// the pattern of exchanges does not depend on the mask. Rows of 16 lanes (AMD's term) exchange by DPP controls, which
// all processors from gfx900 on have, pairs of rows by ds_swizzle, and the remaining steps go through scalar registers.
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/gpu/amdgpu.h"

// Controls of DPP, and of ds_swizzle: the lane whose number differs in bit 4, of each 32.
enum {
  QUAD_1032 = 0xb1,
  QUAD_2301 = 0x4e,
  ROW_SHIFT = 0x110,
  ROW_MIRROR = 0x140,
  HALF_MIRROR = 0x141,
  SWAP_16 = 0x401f
};
enum { ROW = 16 };

// Whether the intrinsic is overloaded depends on the version of LLVM.
static LLVMValueRef word_intrinsic(struct kiln_ll *ll, const char *name, LLVMValueRef *args, uint32_t count) {
  return kiln_ll_intrinsic(ll, name, &ll->i32, 1, args, count);
}

unsigned kiln_ll_amdgpu_wave_log(const struct kiln_ll *ll) { return ll->machine->amdgpu.wave64 ? 6 : 5; }

static unsigned wave_size(const struct kiln_ll *ll) { return 1u << kiln_ll_amdgpu_wave_log(ll); }

LLVMValueRef kiln_ll_amdgpu_first_lane(struct kiln_ll *ll, LLVMValueRef value) {
  return word_intrinsic(ll, "llvm.amdgcn.readfirstlane", &value, 1);
}

LLVMValueRef kiln_ll_amdgpu_lane_id(struct kiln_ll *ll) {
  LLVMValueRef low[2] = {kiln_ll_i32(ll, UINT32_MAX), kiln_ll_i32(ll, 0)};
  LLVMValueRef id = kiln_ll_intrinsic(ll, "llvm.amdgcn.mbcnt.lo", NULL, 0, low, 2);
  if (!ll->machine->amdgpu.wave64)
    return id;
  return kiln_ll_intrinsic(ll, "llvm.amdgcn.mbcnt.hi", NULL, 0, (LLVMValueRef[]){kiln_ll_i32(ll, UINT32_MAX), id}, 2);
}

// ---- votes, broadcasts, shuffles

static LLVMValueRef ballot(struct kiln_ll *ll, LLVMValueRef value) {
  LLVMTypeRef type = ll->machine->amdgpu.wave64 ? ll->i64 : ll->i32;
  return kiln_ll_intrinsic(ll, "llvm.amdgcn.ballot", &type, 1, &value, 1);
}

LLVMValueRef kiln_ll_amdgpu_vote(struct kiln_ll_fn *f, LLVMValueRef value, bool all) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef lanes = ballot(ll, all ? LLVMBuildNot(ll->b, value, "") : value);
  return LLVMBuildICmp(ll->b, all ? LLVMIntEQ : LLVMIntNE, lanes, LLVMConstNull(LLVMTypeOf(lanes)), "");
}

LLVMValueRef kiln_ll_amdgpu_ballot(struct kiln_ll_fn *f, LLVMValueRef value) {
  LLVMValueRef lanes = ballot(f->ll, value);
  return f->ll->machine->amdgpu.wave64 ? lanes : LLVMBuildZExt(f->ll->b, lanes, f->ll->i64, "");
}

static LLVMValueRef read_lane(struct kiln_ll *ll, LLVMValueRef value, LLVMValueRef lane) {
  return word_intrinsic(ll, "llvm.amdgcn.readlane", (LLVMValueRef[]){value, lane}, 2);
}

static struct kiln_ll_gpu_words read_lanes(struct kiln_ll *ll, struct kiln_ll_gpu_words value, LLVMValueRef lane) {
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
static struct kiln_ll_gpu_words shuffle_by_waterfall(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                                     LLVMValueRef lane) {
  struct kiln_ll *ll = f->ll;
  LLVMBasicBlockRef iteration = kiln_ll_block(f, "round"), done = kiln_ll_block(f, "shuffled");
  LLVMBuildBr(ll->b, iteration);
  LLVMPositionBuilderAtEnd(ll->b, iteration);
  LLVMValueRef source = kiln_ll_amdgpu_first_lane(ll, lane);
  value = read_lanes(ll, value, source);
  LLVMBuildCondBr(ll->b, LLVMBuildICmp(ll->b, LLVMIntEQ, source, lane, ""), done, iteration);
  LLVMPositionBuilderAtEnd(ll->b, done);
  return value;
}

struct kiln_ll_gpu_words kiln_ll_amdgpu_broadcast(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                                  LLVMValueRef lane) {
  return read_lanes(f->ll, value, kiln_ll_amdgpu_first_lane(f->ll, lane));
}

struct kiln_ll_gpu_words kiln_ll_amdgpu_shuffle(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                                LLVMValueRef lane) {
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
  LLVMTypeRef type;
  struct kiln_ll_gpu_words identity;
  LLVMValueRef lane;
};

static struct kiln_ll_gpu_words combine(const struct collective *c, struct kiln_ll_gpu_words x,
                                        struct kiln_ll_gpu_words y) {
  LLVMValueRef a = kiln_ll_gpu_join(c->ll, x, c->type), b = kiln_ll_gpu_join(c->ll, y, c->type);
  return kiln_ll_gpu_split(c->ll, kiln_ll_gpu_combine(c->ll, c->reduce, a, b));
}

// The value of the lane that the control names. all: every lane has a source, so that the move becomes part of the next
// operation; else lanes without a source get the identity.
static struct kiln_ll_gpu_words move(const struct collective *c, struct kiln_ll_gpu_words value, unsigned control,
                                     bool all) {
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

static struct kiln_ll_gpu_words swap_rows(const struct collective *c, struct kiln_ll_gpu_words value) {
  struct kiln_ll *ll = c->ll;
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = kiln_ll_intrinsic(ll, "llvm.amdgcn.ds.swizzle", NULL, 0,
                                   (LLVMValueRef[]){value.w[i], kiln_ll_i32(ll, SWAP_16)}, 2);
  return value;
}

static struct kiln_ll_gpu_words choose(struct kiln_ll *ll, LLVMValueRef condition, struct kiln_ll_gpu_words x,
                                       struct kiln_ll_gpu_words y) {
  for (uint32_t i = 0; i < x.count; i++)
    x.w[i] = LLVMBuildSelect(ll->b, condition, x.w[i], y.w[i], "");
  return x;
}

// Clusters of size lanes: first neighbours, then pairs of equal halves. Within 8 or 16 lanes each half already holds
// equal values, so a mirror reaches the other half.
static struct kiln_ll_gpu_words reduce_clusters(const struct collective *c, struct kiln_ll_gpu_words value,
                                                unsigned size) {
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
static struct kiln_ll_gpu_words scan(const struct collective *c, struct kiln_ll_gpu_words value) {
  struct kiln_ll *ll = c->ll;
  for (unsigned distance = 1; distance < ROW; distance *= 2)
    value = combine(c, move(c, value, ROW_SHIFT + distance, false), value);
  // The total of the rows before the lane's row: totals of rows are uniform.
  struct kiln_ll_gpu_words before = c->identity, totals = c->identity;
  for (unsigned row = 1; row < wave_size(ll) / ROW; row++) {
    struct kiln_ll_gpu_words last = read_lanes(ll, value, kiln_ll_i32(ll, row * ROW - 1));
    totals = row == 1 ? last : combine(c, totals, last);
    LLVMValueRef reached = LLVMBuildICmp(ll->b, LLVMIntUGE, c->lane, kiln_ll_i32(ll, row * ROW), "");
    before = choose(ll, reached, totals, before);
  }
  return combine(c, before, value);
}

// The value of the previous lane; the identity in lane 0.
static struct kiln_ll_gpu_words shift(const struct collective *c, struct kiln_ll_gpu_words value) {
  struct kiln_ll *ll = c->ll;
  struct kiln_ll_gpu_words result = move(c, value, ROW_SHIFT + 1, false);
  for (unsigned row = 1; row < wave_size(ll) / ROW; row++) {
    LLVMValueRef first = LLVMBuildICmp(ll->b, LLVMIntEQ, c->lane, kiln_ll_i32(ll, row * ROW), "");
    result = choose(ll, first, read_lanes(ll, value, kiln_ll_i32(ll, row * ROW - 1)), result);
  }
  return result;
}

LLVMValueRef kiln_ll_amdgpu_collective(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  unsigned size = wave_size(ll), cluster = kiln_collective_cluster(in->imm);
  struct collective c = {.ll = ll, .reduce = (enum kiln_reduce)in->flags, .type = LLVMTypeOf(x)};
  c.identity = kiln_ll_gpu_split(ll, kiln_ll_gpu_identity(ll, in, c.type));
  c.lane = kiln_ll_amdgpu_lane_id(ll);
  struct kiln_ll_gpu_words value = kiln_ll_gpu_split(ll, x);
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = word_intrinsic(ll, "llvm.amdgcn.set.inactive", (LLVMValueRef[]){value.w[i], c.identity.w[i]}, 2);
  if (in->op == KILN_OP_GROUP_REDUCE)
    value = reduce_clusters(&c, value, cluster && cluster < size ? cluster : size);
  else
    value = scan(&c, in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE ? shift(&c, value) : value);
  for (uint32_t i = 0; i < value.count; i++)
    value.w[i] = word_intrinsic(ll, "llvm.amdgcn.strict.wwm", &value.w[i], 1);
  return kiln_ll_gpu_join(ll, value, c.type);
}

void kiln_ll_amdgpu_wave_barrier(struct kiln_ll_fn *f, bool fences) {
  struct kiln_ll *ll = f->ll;
  if (fences)
    kiln_ll_set_scope(LLVMBuildFence(ll->b, LLVMAtomicOrderingRelease, false, ""), "wavefront");
  kiln_ll_intrinsic(ll, "llvm.amdgcn.wave.barrier", NULL, 0, NULL, 0);
  if (fences)
    kiln_ll_set_scope(LLVMBuildFence(ll->b, LLVMAtomicOrderingAcquire, false, ""), "wavefront");
}
