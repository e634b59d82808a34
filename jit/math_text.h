// Mathematical operations of modules that are no OpenCL C, for targets whose backend has no code for them.
#ifndef KILN_JIT_MATH_TEXT_H
#define KILN_JIT_MATH_TEXT_H

#include "jit/lang/lang.h"

// Makes calls of library functions of the operations that a backend with kiln_caps.hardware_math does not take.
// *module is replaced if there are any. options: of the front end for the target. The message is kiln_last_error's.
enum kiln_status kiln_math_to_text(struct kiln_module **module, const struct kiln_lang_options *options);

#endif
