// Operations between the work-items of a sub-group, which is a warp.
//
// Every exchange names the work-items that take part, in a mask; all of them must run it. kiln_ll_place.mask holds it
// (nvptx_flow.c); NULL: all of the warp that the group has. The last warp of a group may have fewer than 32: its first
// ones.
#include "backends/llvm/gpu/nvptx.h"

#include <stdio.h>

enum { WARP = 32 };

unsigned kiln_ll_nvptx_warp_log(const struct kiln_ll *ll) {
  (void)ll;
  return 5;
}

LLVMValueRef kiln_ll_nvptx_lane_id(struct kiln_ll *ll) { return kiln_ll_nvptx_register(ll, "laneid"); }

// ---- masks

// Whether all warps of the kernel's groups are full.
static bool has_full_warps(const struct kiln_ll_fn *f) {
  const uint32_t *required = f->fn->required_group_size;
  uint64_t items = (uint64_t)required[0] * required[1] * required[2];
  return items && items % WARP == 0 && !f->ll->machine->nvptx.any_launch;
}

LLVMValueRef kiln_ll_nvptx_mask(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  if (f->at.mask)
    return f->at.mask;
  if (has_full_warps(f))
    return kiln_ll_i32(ll, UINT32_MAX);
  LLVMValueRef unused = LLVMBuildSub(ll->b, kiln_ll_i32(ll, WARP), kiln_ll_gpu_sub_group_size(f), "");
  return LLVMBuildLShr(ll->b, kiln_ll_i32(ll, UINT32_MAX), unused, "");
}

LLVMValueRef kiln_ll_nvptx_ballot_of(struct kiln_ll *ll, LLVMValueRef mask, LLVMValueRef value) {
  return kiln_ll_intrinsic(ll, "llvm.nvvm.vote.ballot.sync", NULL, 0, (LLVMValueRef[]){mask, value}, 2);
}

// ---- votes and shuffles

LLVMValueRef kiln_ll_nvptx_vote(struct kiln_ll_fn *f, LLVMValueRef value, bool all) {
  LLVMValueRef args[2] = {kiln_ll_nvptx_mask(f), value};
  return kiln_ll_intrinsic(f->ll, all ? "llvm.nvvm.vote.all.sync" : "llvm.nvvm.vote.any.sync", NULL, 0, args, 2);
}

LLVMValueRef kiln_ll_nvptx_ballot(struct kiln_ll_fn *f, LLVMValueRef value) {
  struct kiln_ll *ll = f->ll;
  return LLVMBuildZExt(ll->b, kiln_ll_nvptx_ballot_of(ll, kiln_ll_nvptx_mask(f), value), ll->i64, "");
}

// The value of another work-item. way: "idx", "bfly" by a pattern of bits, or "up" and "down" by a distance.
static struct kiln_ll_gpu_words shuffle_words(struct kiln_ll *ll, LLVMValueRef mask, const char *way,
                                              struct kiln_ll_gpu_words words, LLVMValueRef lane) {
  char name[40];
  snprintf(name, sizeof name, "llvm.nvvm.shfl.sync.%s.i32", way);
  LLVMValueRef clamp = kiln_ll_i32(ll, way[0] == 'u' ? 0 : WARP - 1);
  for (uint32_t i = 0; i < words.count; i++)
    words.w[i] = kiln_ll_intrinsic(ll, name, NULL, 0, (LLVMValueRef[]){mask, words.w[i], lane, clamp}, 4);
  return words;
}

struct kiln_ll_gpu_words kiln_ll_nvptx_shuffle(struct kiln_ll_fn *f, struct kiln_ll_gpu_words value,
                                               LLVMValueRef lane) {
  return shuffle_words(f->ll, kiln_ll_nvptx_mask(f), "idx", value, lane);
}

void kiln_ll_nvptx_warp_barrier(struct kiln_ll_fn *f, bool fences) {
  (void)fences; // it is a fence of those who take part in any case
  LLVMValueRef mask = kiln_ll_nvptx_mask(f);
  kiln_ll_intrinsic(f->ll, "llvm.nvvm.bar.warp.sync", NULL, 0, &mask, 1);
}

static LLVMValueRef shuffle(struct kiln_ll *ll, LLVMValueRef mask, const char *way, LLVMValueRef value,
                            LLVMValueRef lane) {
  return kiln_ll_gpu_join(ll, shuffle_words(ll, mask, way, kiln_ll_gpu_split(ll, value), lane), LLVMTypeOf(value));
}

// ---- reductions and scans

struct collective {
  struct kiln_ll_fn *f;
  struct kiln_ll *ll;
  enum kiln_op op;
  enum kiln_reduce reduce;
  unsigned cluster;            // work-items that are reduced together
  LLVMValueRef mask, identity; // identity: of the operation; of a scan the value before the first
  LLVMValueRef lane;
};

static LLVMValueRef is_in(const struct collective *c, LLVMValueRef lane) {
  struct kiln_ll *ll = c->ll;
  LLVMValueRef bit = LLVMBuildAnd(ll->b, LLVMBuildLShr(ll->b, c->mask, lane, ""), kiln_ll_i32(ll, 1), "");
  return LLVMBuildICmp(ll->b, LLVMIntNE, bit, kiln_ll_i32(ll, 0), "");
}

// All of the warp take part: neighbours, then pairs of them, and so on.
static LLVMValueRef reduce_full(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  for (unsigned distance = 1; distance < c->cluster; distance *= 2)
    x = kiln_ll_gpu_combine(ll, c->reduce, x, shuffle(ll, c->mask, "bfly", x, kiln_ll_i32(ll, distance)));
  return x;
}

// The first ones of the warp take part. Each adds those after it, within its cluster, whose first one then has the sum.
static LLVMValueRef reduce_first(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef within = LLVMBuildAnd(b, c->lane, kiln_ll_i32(ll, c->cluster - 1), "");
  for (unsigned distance = 1; distance < c->cluster; distance *= 2) {
    LLVMValueRef from = LLVMBuildAdd(b, c->lane, kiln_ll_i32(ll, distance), "");
    LLVMValueRef other = shuffle(ll, c->mask, "down", x, kiln_ll_i32(ll, distance));
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildAdd(b, within, kiln_ll_i32(ll, distance), ""),
                                        kiln_ll_i32(ll, c->cluster), "");
    LLVMValueRef there = LLVMBuildAnd(b, inside, is_in(c, LLVMBuildAnd(b, from, kiln_ll_i32(ll, WARP - 1), "")), "");
    x = LLVMBuildSelect(b, there, kiln_ll_gpu_combine(ll, c->reduce, x, other), x, "");
  }
  return shuffle(ll, c->mask, "idx", x, LLVMBuildSub(b, c->lane, within, ""));
}

// As many take part as the mask begins with. An inclusive scan.
static LLVMValueRef scan_first(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  for (unsigned distance = 1; distance < WARP; distance *= 2) {
    LLVMValueRef other = shuffle(ll, c->mask, "up", x, kiln_ll_i32(ll, distance));
    LLVMValueRef there = LLVMBuildICmp(ll->b, LLVMIntUGE, c->lane, kiln_ll_i32(ll, distance), "");
    x = LLVMBuildSelect(ll->b, there, kiln_ll_gpu_combine(ll, c->reduce, other, x), x, "");
  }
  return x;
}

static LLVMValueRef first_ones(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  if (c->op == KILN_OP_GROUP_REDUCE)
    return reduce_first(c, x);
  if (c->op == KILN_OP_GROUP_SCAN_INCLUSIVE)
    return scan_first(c, x);
  LLVMValueRef before = shuffle(ll, c->mask, "up", x, kiln_ll_i32(ll, 1));
  LLVMValueRef is_first = LLVMBuildICmp(ll->b, LLVMIntEQ, c->lane, kiln_ll_i32(ll, 0), "");
  return scan_first(c, LLVMBuildSelect(ll->b, is_first, c->identity, before, ""));
}

// Any take part: one after another, from the lowest bit of the mask on, gives its value to the others.
static LLVMValueRef one_by_one(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef mask = c->mask;
  if (c->cluster < WARP) { // of its own cluster
    LLVMValueRef first = LLVMBuildAnd(b, c->lane, kiln_ll_i32(ll, (uint32_t) - (int)c->cluster), "");
    LLVMValueRef all = LLVMBuildShl(b, kiln_ll_i32(ll, (UINT64_C(1) << c->cluster) - 1), first, "");
    mask = LLVMBuildAnd(b, mask, all, "");
  }
  LLVMBasicBlockRef before = LLVMGetInsertBlock(b), done = kiln_ll_block(c->f, "combined");
  LLVMValueRef left = kiln_ll_begin_loop(c->f, "combine", mask, "left");
  LLVMBasicBlockRef body = LLVMGetInsertBlock(b);
  LLVMValueRef sum = LLVMBuildPhi(b, LLVMTypeOf(x), "sum");
  kiln_ll_add_incoming(sum, c->identity, before);
  LLVMValueRef lane = kiln_ll_intrinsic_same(ll, "llvm.cttz", (LLVMValueRef[]){left, kiln_ll_i1(ll, true)}, 2);
  LLVMValueRef other = shuffle(ll, mask, "idx", x, lane), next = kiln_ll_gpu_combine(ll, c->reduce, sum, other);
  if (c->op != KILN_OP_GROUP_REDUCE) {
    LLVMValueRef counts =
        LLVMBuildICmp(b, c->op == KILN_OP_GROUP_SCAN_INCLUSIVE ? LLVMIntULE : LLVMIntULT, lane, c->lane, "");
    next = LLVMBuildSelect(b, counts, next, sum, "");
  }
  LLVMValueRef rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, kiln_ll_i32(ll, 1), ""), "");
  kiln_ll_add_incoming(left, rest, body);
  kiln_ll_add_incoming(sum, next, body);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, kiln_ll_i32(ll, 0), ""), done, body);
  kiln_ll_continue_at(c->f, done);
  return next;
}

// One instruction for integers of up to 32 bits, of any who take part; NULL: the machine lacks it.
static LLVMValueRef reduce_at_once(const struct collective *c, LLVMValueRef x) {
  static const struct {
    const char *name;
    bool is_signed;
  } names[] = {
      [KILN_REDUCE_ADD] = {"add", false},   [KILN_REDUCE_AND] = {"and", false},   [KILN_REDUCE_OR] = {"or", false},
      [KILN_REDUCE_XOR] = {"xor", false},   [KILN_REDUCE_SMIN] = {"min", true},   [KILN_REDUCE_SMAX] = {"max", true},
      [KILN_REDUCE_UMIN] = {"umin", false}, [KILN_REDUCE_UMAX] = {"umax", false},
  };
  struct kiln_ll *ll = c->ll;
  LLVMTypeRef type = LLVMTypeOf(x);
  bool has = ll->machine->nvptx.sm >= 80 && c->op == KILN_OP_GROUP_REDUCE && c->cluster == WARP &&
             !kiln_ll_is_float(type) && kiln_ll_bits(type) <= 32;
  if (!has || (size_t)c->reduce >= sizeof names / sizeof *names || !names[c->reduce].name)
    return NULL;
  char name[40];
  snprintf(name, sizeof name, "llvm.nvvm.redux.sync.%s", names[c->reduce].name);
  if (type != ll->i32)
    x = names[c->reduce].is_signed ? LLVMBuildSExt(ll->b, x, ll->i32, "") : LLVMBuildZExt(ll->b, x, ll->i32, "");
  LLVMValueRef sum = kiln_ll_intrinsic(ll, name, NULL, 0, (LLVMValueRef[]){x, c->mask}, 2);
  return type == ll->i32 ? sum : LLVMBuildTrunc(ll->b, sum, type, "");
}

static LLVMValueRef either(const struct collective *c, LLVMValueRef x) {
  struct kiln_ll *ll = c->ll;
  LLVMBuilderRef b = ll->b;
  LLVMValueRef next = LLVMBuildAnd(b, c->mask, LLVMBuildAdd(b, c->mask, kiln_ll_i32(ll, 1), ""), "");
  LLVMValueRef begins = LLVMBuildICmp(b, LLVMIntEQ, next, kiln_ll_i32(ll, 0), "");
  LLVMBasicBlockRef first = kiln_ll_block(c->f, "first"), any = kiln_ll_block(c->f, "any"),
                    done = kiln_ll_block(c->f, "both");
  LLVMBuildCondBr(b, begins, first, any);
  kiln_ll_continue_at(c->f, first);
  LLVMValueRef of_first = first_ones(c, x);
  LLVMBasicBlockRef first_end = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  kiln_ll_continue_at(c->f, any);
  LLVMValueRef of_any = one_by_one(c, x);
  LLVMBasicBlockRef any_end = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, done);
  kiln_ll_continue_at(c->f, done);
  LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(x), "");
  kiln_ll_add_incoming(result, of_first, first_end);
  kiln_ll_add_incoming(result, of_any, any_end);
  return result;
}

LLVMValueRef kiln_ll_nvptx_collective(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  LLVMValueRef x = kiln_ll_operand(f, inst, 0);
  LLVMTypeRef type = LLVMTypeOf(x);
  unsigned cluster = kiln_collective_cluster(in->imm);
  struct collective c = {.f = f,
                         .ll = ll,
                         .op = kiln_op_of(in),
                         .reduce = (enum kiln_reduce)in->flags,
                         .cluster = cluster && cluster < WARP ? cluster : WARP,
                         .mask = kiln_ll_nvptx_mask(f)};
  // A sum of negative zeros stays negative, and a minimum of NaNs is one. Scans begin with +0, or an infinity.
  bool is_start = in->op == KILN_OP_GROUP_SCAN_EXCLUSIVE;
  uint64_t identity = kiln_ll_neutral(c.reduce, kiln_type_kind(in->type), is_start);
  c.identity = LLVMBuildBitCast(ll->b, LLVMConstInt(kiln_ll_int(ll, kiln_ll_bits(type)), identity, false), type, "");
  LLVMValueRef at_once = reduce_at_once(&c, x);
  if (at_once)
    return at_once;
  c.lane = kiln_ll_nvptx_lane_id(ll);
  if (f->at.mask)
    return either(&c, x);
  if (has_full_warps(f) && in->op == KILN_OP_GROUP_REDUCE)
    return reduce_full(&c, x);
  return first_ones(&c, x);
}
