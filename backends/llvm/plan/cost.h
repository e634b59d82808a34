// What plans cost on each kind of CPU (cost.def).
#ifndef KILN_BACKENDS_LLVM_COST_H
#define KILN_BACKENDS_LLVM_COST_H

#include "backends/common/llvm.h"

enum {
#define KILN_COST_ALL(NAME, number, unit, text) KILN_COST_##NAME = number,
#include "backends/llvm/plan/cost.def"
};

struct kiln_ll_costs {
#define KILN_COST(name, avx512, zen, avx, sse, neon, unit, text) uint16_t name;
#include "backends/llvm/plan/cost.def"
};

const struct kiln_ll_costs *kiln_ll_costs(const struct kiln_llvm_machine *machine);

#endif
