// What kernels of the CPU call: mathematical functions of the C library, and the driver's function that prints.
#include <string.h>

#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/launch.h"

// By operation: the names for f32 and f64.
static const char *const libm_names[KILN_OP_COUNT][2] = {
#define KILN_LIBM(OP, f32, since32, f64, since64) [KILN_OP_##OP] = {f32, f64},
#include "backends/llvm/core/math.def"
};

// Declared so that LLVM neither folds the call with its own functions nor rewrites it into others: the result must be
// that of the C library, bit by bit. The function accesses no memory that the program sees, so equal calls may be
// merged.
static LLVMValueRef libm_function(struct kiln_ll *ll, const char *name, LLVMTypeRef type, bool is_pure) {
  LLVMValueRef function = LLVMGetNamedFunction(ll->module, name);
  if (function)
    return function;
  function = LLVMAddFunction(ll->module, name, type);
  unsigned here = (unsigned)LLVMAttributeFunctionIndex;
  kiln_ll_attribute(ll->context, function, here, "nobuiltin", 0);
  kiln_ll_attribute(ll->context, function, here, "nounwind", 0);
  kiln_ll_attribute(ll->context, function, here, "willreturn", 0);
  if (is_pure)
    kiln_ll_attribute(ll->context, function, here, "memory", 0); // memory(none)
  return function;
}

LLVMValueRef kiln_ll_cpu_math(struct kiln_ll_fn *f, enum kiln_op op, enum kiln_kind kind, const LLVMValueRef *operands,
                              uint32_t count) {
  struct kiln_ll *ll = f->ll;
  const char *name = libm_names[op][kind == KILN_F64];
  LLVMTypeRef type = kind == KILN_F64 ? ll->f64 : ll->f32, types[3] = {type, type};
  LLVMValueRef args[3] = {NULL};
  if (!name) {
    kiln_ll_fail(ll, KILN_ERR_INTERNAL, "emitter: no function for operation '%s'", kiln_op_table[op].name);
    return LLVMConstNull(type);
  }
  memcpy(args, operands, count * sizeof *args);
  bool is_pure = op != KILN_OP_LGAMMA;
  if (!is_pure) { // the sign of the result, which is unused
    args[count] = kiln_ll_alloca(f, ll->i32, 4, "sign");
    types[count++] = ll->ptr;
  }
  LLVMTypeRef function_type = LLVMFunctionType(type, types, count, false);
  return LLVMBuildCall2(ll->b, function_type, libm_function(ll, name, function_type, is_pure), args, count, "");
}

// Stores types and values in a block on the stack, laid out as backends/common/printf.h requires.
LLVMValueRef kiln_ll_cpu_print(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t count = in->operand_count, bytes = 0;
  if (in->flags & KILN_PRINT_FAIL) {
    kiln_ll_leave_group(f, ll->globals[in->imm]);
    return LLVMConstNull(ll->i32);
  }
  LLVMValueRef *types = kiln_arena_alloc(&ll->arena, (count + 1) * sizeof *types, 8);
  for (uint32_t i = 0; i < count; i++) {
    kiln_type type = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[i]);
    types[i] = kiln_ll_i32(ll, type);
    bytes += (kiln_type_bytes(type) + 7) / 8 * 8;
  }
  LLVMValueRef block = kiln_ll_alloca(f, LLVMArrayType2(ll->i8, bytes ? bytes : 8), 16, "print");
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    LLVMValueRef store = LLVMBuildStore(ll->b, kiln_ll_operand(f, inst, i), kiln_ll_address_at(ll, block, at));
    LLVMSetAlignment(store, 8);
    at += (kiln_type_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[i])) + 7) / 8 * 8;
  }
  LLVMTypeRef array = LLVMArrayType2(ll->i32, count);
  LLVMValueRef list = LLVMAddGlobal(ll->module, array, "print.types");
  LLVMSetInitializer(list, LLVMConstArray2(ll->i32, types, count));
  LLVMSetGlobalConstant(list, true);
  LLVMSetLinkage(list, LLVMPrivateLinkage);
  LLVMTypeRef arg_types[5] = {ll->ptr, ll->ptr, ll->ptr, ll->i32, ll->ptr};
  LLVMTypeRef type = LLVMFunctionType(ll->i32, arg_types, 5, false);
  LLVMValueRef hook = kiln_ll_word(f, KILN_LL_PRINT), user = kiln_ll_word(f, KILN_LL_PRINT_USER);
  LLVMValueRef args[5] = {user, ll->globals[in->imm], list, kiln_ll_i32(ll, count), block};
  return LLVMBuildCall2(ll->b, type, hook, args, 5, "");
}
