// What LLVM 19's code generator for NVIDIA GPUs would end the process over, or take for something else: found before it
// runs, so that the compile fails with a name. Kernels from the emitter pass; LLVM IR that a compile starts from may
// hold anything.
#include "backends/llvm/gpu/nvptx.h"

#include <stdio.h>
#include <string.h>

// Intrinsics that are selected, by the beginning of their name.
static const char *const known[] = {
#define KILN_NVPTX_KNOWN(name) name,
#include "backends/llvm/gpu/nvptx_known.def"
};

static bool is_known(const char *name, size_t size) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i]);
    if (size >= length && !memcmp(name, known[i], length) && (size == length || name[length] == '.'))
      return true;
  }
  return false;
}

// Types of values of one element that have registers, and integers up to 128 bits, which become several.
static bool has_type(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMIntegerTypeKind)
    return LLVMGetIntTypeWidth(type) <= 128;
  if (kind == LLVMVectorTypeKind)
    return has_type(LLVMGetElementType(type));
  bool is_float = kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
  bool is_whole = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind; // only between instructions
  return is_float || is_whole || kind == LLVMPointerTypeKind || kind == LLVMVoidTypeKind;
}

static bool is_wide_division(LLVMValueRef in) {
  LLVMOpcode op = LLVMGetInstructionOpcode(in);
  bool divides = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
  return divides && kiln_ll_bits(LLVMTypeOf(in)) > 64;
}

static const char *refused_call(LLVMValueRef in, char *text, size_t size) {
  LLVMValueRef callee = LLVMGetCalledValue(in);
  if (LLVMIsAInlineAsm(callee))
    return NULL;
  if (!LLVMIsAFunction(callee))
    return "a call by a pointer";
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  if (!LLVMIsDeclaration(callee) || is_known(name, length))
    return NULL;
  snprintf(text, size, "%.*s", (int)length, name);
  return text;
}

// What is wrong with an instruction; NULL: nothing.
static const char *refused(LLVMValueRef in, char *text, size_t size) {
  if (!has_type(LLVMTypeOf(in)))
    return "a value of a type without registers";
  LLVMOpcode op = LLVMGetInstructionOpcode(in);
  if (op == LLVMCall)
    return refused_call(in, text, size);
  if (op == LLVMFRem)
    return "frem";
  if (op == LLVMFence)
    return "fence";
  if (is_wide_division(in))
    return "a division of 128 bits";
  if ((op == LLVMLoad || op == LLVMStore) && LLVMGetOrdering(in) > LLVMAtomicOrderingMonotonic)
    return "a load or store that orders others";
  if (op == LLVMAtomicRMW && LLVMGetOrdering(in) > LLVMAtomicOrderingMonotonic)
    return "an atomicrmw that orders others";
  if (op == LLVMAtomicCmpXchg && (LLVMGetCmpXchgSuccessOrdering(in) > LLVMAtomicOrderingMonotonic ||
                                  LLVMGetCmpXchgFailureOrdering(in) > LLVMAtomicOrderingMonotonic))
    return "a cmpxchg that orders others";
  bool jumps = op == LLVMIndirectBr || op == LLVMInvoke || op == LLVMCallBr || op == LLVMVAArg || op == LLVMResume;
  return jumps ? "an instruction that PTX does not have" : NULL;
}

enum kiln_status kiln_ll_nvptx_check(const struct kiln_ll *ll, LLVMModuleRef module) {
  char text[200];
  for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
        const char *what = refused(in, text, sizeof text);
        if (what)
          return kiln_fail(ll->report, KILN_ERR_UNSUPPORTED,
                           "'%s' uses %s, for which LLVM 19 has no code on NVIDIA GPUs", LLVMGetValueName(fn), what);
      }
  return KILN_OK;
}
