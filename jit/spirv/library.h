// Built-in functions that are more than one operation of the IR: calls of functions in OpenCL C.
#ifndef KILN_JIT_SPIRV_LIBRARY_H
#define KILN_JIT_SPIRV_LIBRARY_H

#include "jit/spirv/module.h"
#include "jit/spirv/text.h"

// Looks through the instructions of all functions for extended instructions of OpenCL.std and for calls of imports,
// checks the types of their operands, and writes each function that they need once, for example
//   float4 __kiln_spv3(float4 p0, private int4 *p1) { return frexp(p0, p1); }
// compiles the text and leaves its module in spv->module, for globals.c and function.c to go on with: the names of the
// functions in it are taken. Without need of any, spv->module is a new one. Fails for operands of other types than a
// function takes, and for imports that are no built-in function, unless an object is made, which may have them.
void kiln_spv_make_library(struct kiln_spv *spv);

// How an extended instruction of OpenCL.std or a call of an import is made. args are ids of values, without literals.
// In a call, a bool is an integer of 8 bits, as in memory (kiln_spv_type.stored), among arguments and as the result.
struct kiln_spv_builtin {
  bool is_import; // the function is no built-in one: another object has it
  bool is_call;   // of the function of this index in spv->module, with the args in order
  uint32_t function;
  uint16_t op;      // else this operation of the IR on the args in order: enum kiln_op
  uint16_t flags;   // enum kiln_fp_flags that the operation has more than others: KILN_FP_NATIVE, KILN_FP_HALF
  uint16_t without; // those that it must not have: KILN_FP_CONTRACT of fma
  uint64_t imm;     // of the operation
  bool by_one;      // the number 1 follows the args
  bool with_sign;   // integers of odd widths are taken with their sign
  bool is_apart;    // op is FMA, but the target multiplies and adds faster, which is all that mad asks for
  const uint32_t *args;
  uint32_t arg_count;
};
// inst is an OpExtInst of OpenCL.std, or an OpFunctionCall of an import. Takes constant time.
struct kiln_spv_builtin kiln_spv_builtin_of(struct kiln_spv *spv, const struct kiln_spv_inst *inst);

void kiln_spv_put_type(struct kiln_spv_text *text, kiln_type type, bool is_signed); // "uint4"

// image.c: the function of an image call, as library.c writes functions: its result, NUL, and what comes after its
// name.
void kiln_spv_write_image(struct kiln_spv *spv, const struct kiln_spv_inst *inst, struct kiln_spv_text *text);
// Whether it moves integers, and only the format of the image says whether they have a sign.
bool kiln_spv_image_has_no_sign(const struct kiln_spv *spv, const struct kiln_spv_inst *inst);

#endif
