// What a kernel does with the memory that each of its pointer parameters points to.
#ifndef KILN_JIT_ACCESS_H
#define KILN_JIT_ACCESS_H

#include "kiln/ir.h"

// Sets access of every pointer parameter of every function. Requires a verified module. False when memory is exhausted.
bool kiln_access_analyse(struct kiln_module *module);

#endif
