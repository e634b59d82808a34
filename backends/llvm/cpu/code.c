// What is changed in a module of the CPU before code is generated from it.
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/cxx/cxx.h"

#define BLOCK_PART 512 // instructions of the parts of blocks that are longer than two of them

void kiln_ll_cpu_before_code(const struct kiln_ll *ll, LLVMModuleRef module) {
  if (ll->job->options.optimize && ll->machine->cpu.x86 && !ll->machine->cpu.has_avx512)
    kiln_ll_choose_by_sign(module);
  kiln_ll_split_blocks(module, BLOCK_PART);
}
