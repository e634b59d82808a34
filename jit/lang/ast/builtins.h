// Built-in functions: which there are (builtins.def), which overload a call means, and how it is carried out.
//
// A built-in is either an operation (the call becomes a KILN_EX_BUILTIN node, which lowering turns into IR), or a
// function of the built-in library, written in the kernel language (prelude/*.cl) as a template over types: the parser
// then parses that text once per choice of types, in a scope where the template's type names are bound, and the call
// becomes an ordinary KILN_EX_CALL. Nothing of the library is parsed that the program does not call.
#ifndef KILN_JIT_LANG_BUILTINS_H
#define KILN_JIT_LANG_BUILTINS_H

#include "base/diag.h"
#include "jit/lang/ast/ast.h"

struct kiln_builtin; // a row of the table

// NULL: no built-in function of this language version has this name. as_T and convert_T… are found as well.
// images: the target has them.
const struct kiln_builtin *kiln_builtin_find(const char *name, size_t size, uint32_t std, bool images);

struct kiln_builtin_binding { // a type name of the template: T, S, I, …
  const char *name;
  const struct kiln_ctype *type;
};

struct kiln_builtin_overload {
  struct kiln_qtype params[18]; // what the arguments are converted to
  uint32_t param_count;         // arguments after these get the default promotions (printf)
  struct kiln_qtype result;
  struct kiln_builtin_call *call; // not NULL: make a KILN_EX_BUILTIN node with this
  // else a library function:
  const char *instance; // unique per choice of types: "clamp(float4)"
  const char *text;     // its definition; its name in the text is the built-in's own
  size_t text_size;
  const char *defines; // the function's name in the text; NULL: the built-in's own
  bool exact;          // the text means what it says, whatever the build options permit, and is always inlined
  struct kiln_builtin_binding bindings[8];
  uint32_t binding_count;
};

struct kiln_builtin_env {
  struct kiln_arena *arena;
  struct kiln_ctypes *types;
  struct kiln_diags *diags;
  uint32_t std; // 100, 110, 120, 200, 300
  bool fp64, fp16, int64_atomics, generic_space;
  bool sub_groups;
  bool inline_math, hardware_math; // of the options
  uint16_t fp_flags;               // enum kiln_fp_flags in force
};

// Chooses the overload for arguments that have had lvalue, array and function conversions. On failure reports at
// location, with notes on the candidates, and returns false.
bool kiln_builtin_resolve(const struct kiln_builtin_env *env, const struct kiln_builtin *builtin,
                          kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t arg_count,
                          struct kiln_builtin_overload *out);

// The name of the library function for the operation on an image that a call is (jit/ir/images.h). False: the call does
// nothing with an image.
bool kiln_builtin_image_name(const struct kiln_builtin_overload *overload, char *out, size_t size);
// The library function of this name, whose pointers all lead to global memory. False: the library has no such function.
bool kiln_builtin_image_library(const struct kiln_builtin_env *env, const char *name,
                                struct kiln_builtin_overload *out);

// The name of the built-in that is nearest to a misspelt one; NULL: none is near.
const char *kiln_builtin_nearest(const char *name, uint32_t std, bool images);

// The number, from 1, of the row of forms.def for a name as __builtin_offsetof; 0: there is none.
unsigned kiln_builtin_form(const char *name);

#endif
