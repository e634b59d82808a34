// Gathers and scatters on machines whose gather is no faster than scalar accesses: one scalar access per lane.
// Addresses are computed lane by lane from a scalar base and a varying offset, mostly of 32 bits: without AVX-512,
// vectors of 64-bit integers take twice the registers and have no cheap multiplication.
//
// Kernels aimed at its conditions (tests/gen/aimed.def): tables.
#include "backends/llvm/spmd/spmd.h"

#include <llvm-c/Target.h>

#include "backends/llvm/plan/cost.h"
#include "backends/llvm/spmd/version.h"

#define MAX_VARYING 8
// Operations that make an address and are repeated for each lane: a limit of cost. Addresses in tests/exec, bench and
// examples have fewer, but for that of distances_of_long_chain.cl, the result of 21 sums: its kernel has 266
// instructions of LLVM's IR for x86-64-v3 with the limit, and 367 without, since 16 sums of single lanes take the place
// of four of vectors.
#define MAX_DEPTH 8
#define SINK_BYTES 128 // the widest vector of the language
#define SINK_ALIGN 16

struct addresses {
  struct kiln_ll_fn *f;
  LLVMValueRef mask;                 // NULL: all lanes are on
  LLVMValueRef vectors[MAX_VARYING]; // that lanes are extracted from
  LLVMValueRef safe[MAX_VARYING];    // the same, with the first active lane's value in lanes that are off
  unsigned count;
  bool is_within; // wherever vectors point to is within a variable
};

// 16 accesses of single lanes that take no longer than one gather of 16 are better: they need no index vector.
bool kiln_ll_gathers_by_lane(const struct kiln_ll_fn *f) {
  bool gains = f->form->large_strides_by_lane || kiln_ll_costs(f->ll->machine)->gathered_lanes >= 16;
  return !f->ll->machine->cpu.has_avx512 || (gains && !f->at.mask);
}

static bool is_vector(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind; }

// The integer that v, a constant, has in all lanes.
static bool constant_of(LLVMValueRef v, uint64_t *out) {
  LLVMValueRef first = LLVMIsAConstant(v) && is_vector(v) ? LLVMGetAggregateElement(v, 0) : NULL;
  if (!first || !LLVMIsAConstantInt(first))
    return false;
  *out = LLVMConstIntGetZExtValue(first);
  return v == kiln_ll_splat(LLVMTypeOf(v), *out);
}

// Whether a vector of integers is made by an "and" with a constant, or a shift to the right by one.
static bool is_cut(LLVMValueRef vector, LLVMOpcode *opcode, uint64_t *constant) {
  *opcode = LLVMIsABinaryOperator(vector) ? LLVMGetInstructionOpcode(vector) : LLVMFreeze;
  if ((*opcode != LLVMAnd && *opcode != LLVMLShr) || !constant_of(LLVMGetOperand(vector, 1), constant))
    return false;
  return *opcode == LLVMAnd || *constant < kiln_ll_bits(LLVMTypeOf(vector));
}

// The largest value that the vector can have by the operation that makes it, and by its type.
static uint64_t largest_of(LLVMValueRef vector) {
  unsigned bits = kiln_ll_bits(LLVMTypeOf(vector));
  uint64_t largest = UINT64_MAX >> (64 - bits), constant;
  LLVMOpcode opcode;
  if (!is_cut(vector, &opcode, &constant))
    return largest;
  return opcode == LLVMAnd ? constant : largest >> constant;
}

// The vector with an arbitrary value, but none that is larger, in lanes in which it is poison.
static LLVMValueRef frozen(LLVMBuilderRef b, LLVMValueRef vector) {
  LLVMOpcode opcode;
  uint64_t constant;
  if (!is_cut(vector, &opcode, &constant))
    return LLVMBuildFreeze(b, vector, "");
  return LLVMBuildBinOp(b, opcode, LLVMBuildFreeze(b, LLVMGetOperand(vector, 0), ""), LLVMGetOperand(vector, 1), "");
}

// Lanes that are off have an arbitrary index. They load from where it leads if that is always within a variable, else
// from the address of the first lane that is on: at least one lane is on, and no other address is known to be valid.
static LLVMValueRef made_safe(struct addresses *a, LLVMValueRef vector) {
  if (!a->mask)
    return vector;
  for (unsigned i = 0; i < a->count; i++)
    if (a->vectors[i] == vector)
      return a->safe[i];
  LLVMBuilderRef b = a->f->ll->b;
  LLVMValueRef safe;
  if (a->is_within) {
    safe = frozen(b, vector);
  } else {
    LLVMValueRef first = LLVMBuildExtractElement(b, vector, kiln_ll_first_lane(a->f), "");
    safe = LLVMBuildSelect(b, a->mask, vector, kiln_ll_broadcast(a->f, first), "");
  }
  if (a->count < MAX_VARYING) {
    a->vectors[a->count] = vector;
    a->safe[a->count++] = safe;
  }
  return safe;
}

// Whether lanes of any value load within a variable: at an index that is small, from the variable's address.
static bool is_within_variable(const struct addresses *a, LLVMValueRef pointers, uint64_t bytes) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a->f->ll->module);
  if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2)
    return false;
  LLVMValueRef base = LLVMGetOperand(pointers, 0), index = LLVMGetOperand(pointers, 1);
  LLVMTypeRef type = LLVMIsAAllocaInst(base)       ? LLVMGetAllocatedType(base)
                     : LLVMIsAGlobalVariable(base) ? LLVMGlobalGetValueType(base)
                                                   : NULL;
  if (!type || !is_vector(index))
    return false;
  uint64_t factor = LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(pointers)), times;
  if (LLVMIsABinaryOperator(index) && LLVMGetInstructionOpcode(index) == LLVMMul &&
      constant_of(LLVMGetOperand(index, 1), &times)) {
    factor *= times;
    index = LLVMGetOperand(index, 0);
  }
  if (LLVMIsAZExtInst(index) || LLVMIsASExtInst(index)) {
    bool is_signed = LLVMIsASExtInst(index);
    index = LLVMGetOperand(index, 0);
    unsigned bits = kiln_ll_bits(LLVMTypeOf(index));
    if (is_signed && largest_of(index) >> (bits - 1))
      return false;
  }
  uint64_t size = LLVMABISizeOfType(layout, type), largest = largest_of(index);
  return factor && size >= bytes && largest <= (size - bytes) / factor && factor <= size;
}

static LLVMValueRef element(struct addresses *a, LLVMValueRef vector, unsigned lane) {
  return LLVMBuildExtractElement(a->f->ll->b, made_safe(a, vector), kiln_ll_i32(a->f->ll, lane), "");
}

// The scalar that v holds in all lanes; NULL: unknown.
static LLVMValueRef splat_of(LLVMValueRef v) {
  if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)))
    return NULL;
  for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
    if (LLVMGetMaskValue(v, i) != 0)
      return NULL;
  LLVMValueRef insert = LLVMGetOperand(v, 0), at = LLVMGetOperand(insert, 2);
  return LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == 0 ? LLVMGetOperand(insert, 1) : NULL;
}

// The word, hidden so that LLVM knows nothing of its bits: LLVM drops the mask of the lower half where it knows most
// bits of a word (tests/exec/atomics/index_of_known_bits.cl).
static LLVMValueRef unknown_word(struct kiln_ll *ll, LLVMValueRef word) {
  LLVMTypeRef type = LLVMFunctionType(ll->i64, &ll->i64, 1, false);
  LLVMValueRef same = LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef call = LLVMBuildCall2(ll->b, type, same, &word, 1, "");
  kiln_ll_call_attribute(ll, call, "nounwind");
  kiln_ll_call_attribute(ll, call, "memory"); // of none: equal calls are merged
  return call;
}

// A lane of a vector of narrow integers, extended to 64 bits. Words of 64 bits are moved out of the vector and taken
// apart there: a move of each lane takes two operations of the vector unit, a shift takes one of the others. An element
// of 8 bits that is bits 16 to 23 of its word is (word >> 16) & 255, or with its sign (word << 40) >> 56.
static LLVMValueRef extended(struct addresses *a, LLVMValueRef narrow, LLVMOpcode cast, unsigned lane) {
  struct kiln_ll *ll = a->f->ll;
  LLVMTypeRef type = LLVMTypeOf(narrow);
  unsigned bits = kiln_ll_bits(LLVMGetElementType(type)), lanes = LLVMGetVectorSize(type);
  if (bits < 8 || bits > 32 || lanes * bits % 64 != 0)
    return LLVMBuildCast(ll->b, cast, element(a, narrow, lane), ll->i64, "");
  LLVMTypeRef words = LLVMVectorType(ll->i64, lanes * bits / 64);
  LLVMValueRef word = LLVMBuildBitCast(ll->b, made_safe(a, narrow), words, "");
  word = unknown_word(ll, LLVMBuildExtractElement(ll->b, word, kiln_ll_i32(ll, lane * bits / 64), ""));
  unsigned below = lane * bits % 64, above = 64 - bits - below;
  if (cast == LLVMSExt) {
    word = LLVMBuildShl(ll->b, word, LLVMConstInt(ll->i64, above, false), "");
    return LLVMBuildAShr(ll->b, word, LLVMConstInt(ll->i64, 64 - bits, false), "");
  }
  word = LLVMBuildLShr(ll->b, word, LLVMConstInt(ll->i64, below, false), "");
  return LLVMBuildAnd(ll->b, word, LLVMConstInt(ll->i64, (UINT64_C(1) << bits) - 1, false), "");
}

// A lane of a vector of integers, computed through the 64-bit operations that made the vector.
static LLVMValueRef integer(struct addresses *a, LLVMValueRef v, unsigned lane, unsigned depth) {
  LLVMBuilderRef b = a->f->ll->b;
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(v));
  LLVMValueRef splat = splat_of(v);
  if (splat)
    return splat;
  if (!LLVMIsAInstruction(v) || kiln_ll_bits(type) <= 32 || depth == MAX_DEPTH)
    return element(a, v, lane);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
  bool is_cast = opcode == LLVMSExt || opcode == LLVMZExt;
  if (!is_cast && opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMMul)
    return element(a, v, lane);
  if (is_cast)
    return extended(a, LLVMGetOperand(v, 0), opcode, lane);
  LLVMValueRef x = integer(a, LLVMGetOperand(v, 0), lane, depth + 1);
  return LLVMBuildBinOp(b, opcode, x, integer(a, LLVMGetOperand(v, 1), lane, depth + 1), "");
}

static LLVMValueRef address(struct addresses *a, LLVMValueRef v, unsigned lane, unsigned depth) {
  LLVMValueRef splat = splat_of(v);
  if (splat)
    return splat;
  if (!LLVMIsAGetElementPtrInst(v) || LLVMGetNumOperands(v) != 2 || depth == MAX_DEPTH)
    return element(a, v, lane);
  LLVMValueRef base = LLVMGetOperand(v, 0), index = LLVMGetOperand(v, 1);
  if (is_vector(base))
    base = address(a, base, lane, depth + 1);
  if (is_vector(index))
    index = integer(a, index, lane, depth + 1);
  return LLVMBuildGEP2(a->f->ll->b, LLVMGetGEPSourceElementType(v), base, &index, 1, "");
}

static LLVMValueRef load_lanes(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned n, LLVMValueRef pointers,
                               unsigned align, LLVMValueRef mask) {
  struct kiln_ll *ll = f->ll;
  struct addresses a = {.f = f, .mask = mask};
  a.is_within = a.mask && is_within_variable(&a, pointers, (uint64_t)n * kiln_ll_bits(type) / 8);
  LLVMValueRef parts[KILN_LL_MAX_LANES], all = LLVMGetPoison(LLVMVectorType(type, f->form->lanes));
  for (unsigned i = 0; i < f->form->lanes; i++) {
    parts[i] = LLVMBuildLoad2(ll->b, kiln_ll_vector(type, n), address(&a, pointers, i, 0), "");
    LLVMSetAlignment(parts[i], align);
    if (n == 1)
      all = LLVMBuildInsertElement(ll->b, all, parts[i], kiln_ll_i32(ll, i), "");
  }
  return n == 1 ? all : kiln_ll_from_lanes(f, kiln_ll_concatenate(ll, parts, f->form->lanes), n, n);
}

// Under control flow most masks are full: then lanes need no safe address.
LLVMValueRef kiln_ll_load_by_lane(struct kiln_ll_fn *f, LLVMTypeRef type, unsigned n, LLVMValueRef pointers,
                                  unsigned align) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef mask = f->at.mask, values[2];
  if (!mask || f->at.base)
    return load_lanes(f, type, n, pointers, align, mask);
  struct kiln_ll_versions versions;
  LLVMValueRef all = LLVMConstInt(ll->i64, ~UINT64_C(0) >> (64 - f->form->lanes), false);
  kiln_ll_begin_versions(f, &versions, LLVMBuildICmp(ll->b, LLVMIntEQ, kiln_ll_mask_bits(f, mask), all, ""), "full");
  values[0] = load_lanes(f, type, n, pointers, align, NULL);
  kiln_ll_other_version(f, &versions);
  values[1] = load_lanes(f, type, n, pointers, align, mask);
  kiln_ll_end_versions(f, &versions);
  return kiln_ll_merge_versions(f, &versions, values);
}

void kiln_ll_lane_addresses(struct kiln_ll_fn *f, LLVMValueRef pointers, LLVMValueRef *out) {
  struct addresses a = {.f = f, .mask = f->at.mask};
  for (unsigned i = 0; i < f->form->lanes; i++)
    out[i] = address(&a, pointers, i, 0);
}

static void store_lane(struct addresses *a, LLVMValueRef values, LLVMValueRef target, unsigned lane, unsigned n,
                       unsigned align) {
  struct kiln_ll *ll = a->f->ll;
  LLVMValueRef value = kiln_ll_slice(ll, values, lane * n, n);
  LLVMSetAlignment(LLVMBuildStore(ll->b, value, target), align);
}

// The address that lanes which are off store to. A branch per lane would be mispredicted half of the time where masks
// come from data. An opaque operation hides the address, or LLVM would restore the branches.
static LLVMValueRef sink(struct kiln_ll_fn *f) {
  struct kiln_ll *ll = f->ll;
  if (f->made->sink)
    return f->made->sink;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(ll->b);
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(ll->b);
  f->made->sink = kiln_ll_alloca(f, LLVMArrayType2(ll->i8, SINK_BYTES), SINK_ALIGN, "sink");
  LLVMTypeRef type = LLVMFunctionType(ll->void_type, (LLVMTypeRef[]){ll->ptr}, 1, false);
  LLVMValueRef keep = LLVMGetInlineAsm(type, "", 0, "r", 1, true, false, LLVMInlineAsmDialectATT, false);
  LLVMPositionBuilderBefore(ll->b, LLVMGetNextInstruction(f->made->sink));
  LLVMBuildCall2(ll->b, type, keep, &f->made->sink, 1, "");
  LLVMPositionBuilderAtEnd(ll->b, here);
  LLVMSetCurrentDebugLocation2(ll->b, line);
  return f->made->sink;
}

// target if the bit of the lane is set, else the sink.
static LLVMValueRef target_or_sink(struct kiln_ll_fn *f, LLVMValueRef bits, unsigned lane, LLVMValueRef target) {
  LLVMBuilderRef b = f->ll->b;
  LLVMValueRef bit = LLVMBuildAnd(b, bits, LLVMConstInt(f->ll->i64, UINT64_C(1) << lane, false), "");
  bit = LLVMBuildICmp(b, LLVMIntNE, bit, LLVMConstNull(f->ll->i64), "");
  LLVMContextRef context = f->ll->context;
  LLVMValueRef select = LLVMBuildSelect(b, bit, target, sink(f), "");
  if (LLVMIsASelectInst(select)) // keeps LLVM from making it a branch
    LLVMSetMetadata(select, LLVMGetMDKindIDInContext(context, "unpredictable", 13),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
  return select;
}

void kiln_ll_store_contiguous_by_lane(struct kiln_ll_fn *f, LLVMValueRef value, unsigned n, unsigned room,
                                      unsigned bytes, LLVMValueRef address, unsigned align, LLVMValueRef mask) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef bits = kiln_ll_mask_bits(f, mask);
  for (unsigned lane = 0; lane < f->form->lanes; lane++) {
    LLVMValueRef offset = LLVMConstInt(ll->i64, (uint64_t)lane * room * bytes, false);
    LLVMValueRef part = kiln_ll_slice(ll, value, lane * room, n);
    LLVMValueRef target = LLVMBuildGEP2(ll->b, ll->i8, address, &offset, 1, "");
    target = target_or_sink(f, bits, lane, target);
    LLVMSetAlignment(LLVMBuildStore(ll->b, part, target), align < bytes ? align : bytes);
  }
}

// Stores only the lanes of bits.
static void store_some(struct addresses *a, LLVMValueRef bits, LLVMValueRef values, LLVMValueRef pointers, unsigned n,
                       unsigned align) {
  for (unsigned i = 0; i < a->f->form->lanes; i++) {
    LLVMValueRef target = target_or_sink(a->f, bits, i, address(a, pointers, i, 0));
    store_lane(a, values, target, i, n, align < SINK_ALIGN ? align : SINK_ALIGN);
  }
}

void kiln_ll_store_by_lane(struct kiln_ll_fn *f, LLVMValueRef values, unsigned n, LLVMValueRef pointers,
                           unsigned align) {
  struct kiln_ll *ll = f->ll;
  struct addresses a = {.f = f};
  LLVMValueRef bits = f->at.mask ? kiln_ll_mask_bits(f, f->at.mask) : NULL;
  bool tests = bits && !f->at.base; // under control flow most masks are full
  struct kiln_ll_versions versions;
  values = kiln_ll_to_lanes(f, values, n, n);
  if (tests) {
    LLVMValueRef all = LLVMConstInt(ll->i64, ~UINT64_C(0) >> (64 - f->form->lanes), false);
    kiln_ll_begin_versions(f, &versions, LLVMBuildICmp(ll->b, LLVMIntEQ, bits, all, ""), "full");
  }
  for (unsigned i = 0; (tests || !bits) && i < f->form->lanes; i++)
    store_lane(&a, values, address(&a, pointers, i, 0), i, n, align);
  if (tests)
    kiln_ll_other_version(f, &versions);
  if (bits)
    store_some(&a, bits, values, pointers, n, align);
  if (tests)
    kiln_ll_end_versions(f, &versions);
}
