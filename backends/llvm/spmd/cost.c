#include "backends/llvm/spmd/cost.h"

#include <string.h>

static const struct kiln_ll_costs costs_avx512 = {
#define KILN_COST(name, avx512, avx, sse, neon, unit, text) .name = avx512,
#include "backends/llvm/spmd/cost.def"
};
static const struct kiln_ll_costs costs_avx = {
#define KILN_COST(name, avx512, avx, sse, neon, unit, text) .name = avx,
#include "backends/llvm/spmd/cost.def"
};
static const struct kiln_ll_costs costs_sse = {
#define KILN_COST(name, avx512, avx, sse, neon, unit, text) .name = sse,
#include "backends/llvm/spmd/cost.def"
};
static const struct kiln_ll_costs costs_neon = {
#define KILN_COST(name, avx512, avx, sse, neon, unit, text) .name = neon,
#include "backends/llvm/spmd/cost.def"
};

const struct kiln_ll_costs *kiln_ll_costs(const struct kiln_llvm_machine *machine) {
  if (strncmp(machine->triple, "aarch64", 7) == 0)
    return &costs_neon;
  return machine->wide_vectors ? &costs_avx512 : machine->mask_bytes <= 4 ? &costs_avx : &costs_sse;
}
