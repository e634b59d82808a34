// The families of machines.
#ifndef KILN_BACKENDS_LLVM_FAMILIES_H
#define KILN_BACKENDS_LLVM_FAMILIES_H

#include "backends/llvm/core/family.h"

const struct kiln_ll_family *kiln_ll_family(enum kiln_llvm_family family);
// NULL: no family has the triple.
const struct kiln_ll_family *kiln_ll_family_of_triple(const char *triple);

#endif
