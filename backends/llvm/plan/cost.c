#include "backends/llvm/plan/cost.h"

#include <string.h>

enum { AVX512, ZEN, AVX, SSE, NEON };

static const struct kiln_ll_costs costs[] = {
#define KILN_COST(name, avx512, zen, avx, sse, neon, unit, text)                                                       \
  [AVX512].name = avx512, [ZEN].name = zen, [AVX].name = avx, [SSE].name = sse, [NEON].name = neon,
#include "backends/llvm/plan/cost.def"
};

const struct kiln_ll_costs *kiln_ll_costs(const struct kiln_llvm_machine *machine) {
  if (strncmp(machine->triple, "aarch64", 7) == 0)
    return &costs[NEON];
  if (machine->cpu.has_avx512)
    return &costs[strncmp(machine->processor, "znver", 5) == 0 ? ZEN : AVX512];
  return &costs[machine->cpu.mask_bytes <= 4 ? AVX : SSE];
}
