// What a kernel does with the memory that each of its pointer parameters points to.
#ifndef KILN_JIT_ACCESS_H
#define KILN_JIT_ACCESS_H

#include "kiln/ir.h"

// Sets access of every pointer parameter of every function. Requires a verified module. has_stubs: kernels with images
// have lost their bodies (kiln_pass_image_stubs), and keep what was found before. False when memory is exhausted.
bool kiln_access_analyse(struct kiln_module *module, bool has_stubs);

#endif
