#include "backends/llvm/spmd/cost.h"

#include <string.h>

enum { AVX512, AVX, SSE, NEON };

static const struct kiln_ll_costs costs[] = {
#define KILN_COST(name, avx512, avx, sse, neon, unit, text)                                                            \
  [AVX512].name = avx512, [AVX].name = avx, [SSE].name = sse, [NEON].name = neon,
#include "backends/llvm/spmd/cost.def"
};

const struct kiln_ll_costs *kiln_ll_costs(const struct kiln_llvm_machine *machine) {
  if (strncmp(machine->triple, "aarch64", 7) == 0)
    return &costs[NEON];
  return &costs[machine->wide_vectors ? AVX512 : machine->mask_bytes <= 4 ? AVX : SSE];
}
