// Metadata, above all of branches: which transformations of a loop LLVM may do, and which side is hardly ever taken.
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "backends/llvm/core/emit.h"

static LLVMMetadataRef text(LLVMContextRef context, const char *text) {
  return LLVMMDStringInContext2(context, text, strlen(text));
}

static LLVMMetadataRef number(LLVMTypeRef type, uint64_t value) {
  return LLVMValueAsMetadata(LLVMConstInt(type, value, false));
}

// Loops are distinguished by a node whose first operand is itself.
static LLVMMetadataRef loop_node(LLVMContextRef context, const LLVMMetadataRef *hints, size_t count) {
  LLVMMetadataRef parts[3] = {LLVMTemporaryMDNode(context, NULL, 0)};
  memcpy(parts + 1, hints, count * sizeof *hints);
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, count + 1);
  LLVMMetadataReplaceAllUsesWith(parts[0], node); // and frees it
  return node;
}

void kiln_ll_attach_node(LLVMContextRef context, LLVMValueRef inst, const char *kind, LLVMMetadataRef node) {
  LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind)),
                  LLVMMetadataAsValue(context, node));
}

void kiln_ll_attach(LLVMContextRef context, LLVMValueRef inst, const char *kind, LLVMMetadataRef *operands,
                    size_t count) {
  kiln_ll_attach_node(context, inst, kind, LLVMMDNodeInContext2(context, operands, count));
}

void kiln_ll_mark_loop(LLVMContextRef context, LLVMValueRef branch, LLVMMetadataRef access_group, bool mask_tail) {
  LLVMMetadataRef parallel[] = {text(context, "llvm.loop.parallel_accesses"), access_group};
  LLVMMetadataRef predicate[] = {text(context, "llvm.loop.vectorize.predicate.enable"),
                                 number(LLVMInt1TypeInContext(context), 1)};
  LLVMMetadataRef hints[] = {LLVMMDNodeInContext2(context, parallel, 2), LLVMMDNodeInContext2(context, predicate, 2)};
  kiln_ll_attach_node(context, branch, "llvm.loop", loop_node(context, hints, mask_tail ? 2 : 1));
}

LLVMMetadataRef kiln_ll_unroll_node(LLVMContextRef context, uint32_t factor) {
  bool none = factor == 1, fully = factor == UINT32_MAX;
  LLVMMetadataRef parts[] = {text(context, none    ? "llvm.loop.unroll.disable"
                                           : fully ? "llvm.loop.unroll.full"
                                                   : "llvm.loop.unroll.count"),
                             number(LLVMInt32TypeInContext(context), factor)};
  LLVMMetadataRef hint = LLVMMDNodeInContext2(context, parts, none || fully ? 1 : 2);
  return loop_node(context, &hint, 1);
}

void kiln_ll_never_unroll(LLVMContextRef context, LLVMValueRef branch) {
  kiln_ll_attach_node(context, branch, "llvm.loop", kiln_ll_unroll_node(context, 1));
}

void kiln_ll_never_hoist(LLVMContextRef context, LLVMValueRef branch) {
  LLVMMetadataRef unroll = text(context, "llvm.loop.unroll.disable"), hoist = text(context, "llvm.licm.disable");
  LLVMMetadataRef hints[] = {LLVMMDNodeInContext2(context, &unroll, 1), LLVMMDNodeInContext2(context, &hoist, 1)};
  kiln_ll_attach_node(context, branch, "llvm.loop", loop_node(context, hints, 2));
}

static void weigh(LLVMContextRef context, LLVMValueRef branch, uint32_t first, uint32_t second) {
  LLVMTypeRef type = LLVMInt32TypeInContext(context);
  LLVMMetadataRef weights[] = {text(context, "branch_weights"), number(type, first), number(type, second)};
  kiln_ll_attach(context, branch, "prof", weights, 3);
}

#define MOST ((1u << 20) - 1)

void kiln_ll_likely(LLVMContextRef context, LLVMValueRef branch) { weigh(context, branch, MOST, 1); }

void kiln_ll_unlikely(LLVMContextRef context, LLVMValueRef branch) { weigh(context, branch, 1, MOST); }
