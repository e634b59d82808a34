// Built-in functions that are more than one operation of the IR: calls of functions in OpenCL C.
#ifndef KILN_JIT_SPIRV_LIBRARY_H
#define KILN_JIT_SPIRV_LIBRARY_H

#include "jit/spirv/module.h"

// Looks through the instructions of all functions for extended instructions and imports that need such functions,
// writes each once, for example
//   float4 spv3(float4 a, private int4 *b) { return frexp(a, b); }
// compiles the text and leaves its module in spv->module, for module.c and function.c to go on with. Without need of
// any, spv->module is a new one. Fails for imports that are no built-in function.
void kiln_spv_make_library(struct kiln_spv *spv);

// How an extended instruction of OpenCL.std or a call of an import is made.
struct kiln_spv_builtin {
  bool is_call; // of the function of this index in spv->module, with the value operands in order
  uint32_t function;
  uint16_t op;    // else this operation of the IR on the operands in order: enum kiln_op
  uint16_t flags; // KILN_FP_NATIVE, KILN_FP_HALF
};
// inst is an OpExtInst of OpenCL.std, or an OpFunctionCall of an import.
struct kiln_spv_builtin kiln_spv_builtin_of(struct kiln_spv *spv, const struct kiln_spv_inst *inst);

#endif
