// Names of functions that a module imports: mangled names of OpenCL C's functions, and intrinsic functions of LLVM,
// both of which writers of SPIR-V leave where they know no instruction for them.
#ifndef KILN_JIT_SPIRV_NAMES_H
#define KILN_JIT_SPIRV_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/ir.h"

// A type of OpenCL C, as far as parameters of built-in functions have it.
struct kiln_spv_ctype {
  uint8_t base;  // row of a table in names.c
  uint8_t lanes; // 1: no vector
  uint8_t quals; // const, volatile, restrict; of what the pointer points to
  uint8_t space; // enum kiln_space; of what the pointer points to
  bool is_atomic, is_pointer;
  uint8_t dimension, access; // of an image
};

#define KILN_SPV_MAX_PARAMS 16
#define KILN_SPV_MAX_NAME 64
struct kiln_spv_prototype {
  char name[KILN_SPV_MAX_NAME];
  uint32_t param_count;
  struct kiln_spv_ctype params[KILN_SPV_MAX_PARAMS];
};

// Of an Itanium-mangled name, such as _Z10atomic_incPU3AS3Vj. False: it is no mangled name, or has types that no
// built-in function has.
bool kiln_spv_demangle(const char *mangled, struct kiln_spv_prototype *out);
// "volatile local uint *", at most so long, with the NUL.
#define KILN_SPV_CTYPE_TEXT 64
void kiln_spv_ctype_text(const struct kiln_spv_ctype *type, char out[KILN_SPV_CTYPE_TEXT]);
// What the IR has for it in memory and in calls: bool is i8. KILN_VOID: it has no value that a call could pass.
kiln_type kiln_spv_ctype_ir(const struct kiln_spv_ctype *type);
// Whether it is memory_order, memory_scope or sampler_t, whose values should be known where the function is compiled.
bool kiln_spv_ctype_is_enum(const struct kiln_spv_ctype *type);

// Of an atomic function of OpenCL 1.x on integers of 32 bits, such as atomic_inc(volatile local uint *): what it does
// to the number, enum kiln_rmw, and whether by one. False: it is another function.
bool kiln_spv_find_change(const struct kiln_spv_prototype *prototype, uint16_t *rmw, bool *by_one);

// An intrinsic function (intrinsics.def).
struct kiln_spv_intrinsic {
  const char *name, *signature, *text;
};
bool kiln_spv_find_intrinsic(const char *name, struct kiln_spv_intrinsic *out); // false: it is none of them

#endif
