// The reader of SPIR-V as one call: a module of the Kernel environment with 64-bit addresses to kernel IR
// (docs/spirv.md).
#ifndef KILN_JIT_SPIRV_SPIRV_H
#define KILN_JIT_SPIRV_SPIRV_H

#include "jit/lang/lang.h"
#include "kiln/ir.h"

struct kiln_spirv_input {
  const void *data;                 // the module, in either byte order; any alignment
  size_t size;                      // in bytes
  const char *name;                 // stands before messages
  struct kiln_lang_options options; // of the target and of the build, with the values of constants
  struct kiln_arena_pool *pool;     // as in struct kiln_lang_input
};

// KILN_OK, with a verified module that is the caller's. Else *log is a message, free(): KILN_ERR_COMPILE for a module
// that is wrong or needs what is not taken, KILN_ERR_UNSUPPORTED for a limit, KILN_ERR_INVALID for a constant of the
// options that the module does not have or that has another size, KILN_ERR_MEMORY.
enum kiln_status kiln_spirv_compile(const struct kiln_spirv_input *input, struct kiln_module **module, char **log);

// Bytes of the value of the specialisation constant of this SpecId. KILN_ERR_NOT_FOUND: the module has none of the id;
// *log as above.
enum kiln_status kiln_spirv_spec_size(const void *data, size_t size, uint32_t id, uint32_t *out, char **log);

#endif
