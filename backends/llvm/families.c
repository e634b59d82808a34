// A row for each family of machines.
#include "backends/llvm/families.h"

#include <string.h>

#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/cxx/cxx.h"
#include "backends/llvm/gpu/amdgpu.h"
#include "backends/llvm/gpu/nvptx.h"

static const char *const cpu_pipelines[][4] = {
#define KILN_PIPELINE(level, text) [KILN_LL_ANY][level] = text,
#define KILN_PIPELINE_WIDE(level, text) [KILN_LL_WIDE][level] = text,
#define KILN_PIPELINE_STRAIGHT(level, text) [KILN_LL_STRAIGHT][level] = text,
#include "backends/common/cpu_pipelines.def"
};
static const char *const amdgpu_pipelines[][4] = {
#define KILN_PIPELINE(level, text) [KILN_LL_ANY][level] = text,
#include "backends/common/amdgpu_pipelines.def"
};
static const char *const nvptx_pipelines[][4] = {
#define KILN_PIPELINE(level, text) [KILN_LL_ANY][level] = text,
#include "backends/common/nvptx_pipelines.def"
};

static const struct kiln_ll_family families[] = {
    [KILN_LLVM_CPU] =
        {
            .hooks = &kiln_ll_cpu_hooks,
            .triples = {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"},
            .wide = true,
            .divides = true,
            .reuses_units = true,
            .shows_variables = true,
            .array_align = 16,
            .pipelines = cpu_pipelines,
            .cut_parts = 8,
            .before_code = kiln_ll_cpu_before_code,
            .assembly = "s",
            .comment = "#",
            .calls_library = true,
            .meta = kiln_ll_cpu_meta,
            .features = kiln_ll_cpu_features,
        },
    [KILN_LLVM_AMDGPU] =
        {
            .hooks = &kiln_ll_amdgpu_hooks,
            .triples = {"amdgcn-amd-amdhsa"},
            .begin = kiln_ll_amdgpu_begin,
            .finish = kiln_ll_amdgpu_finish,
            .pipelines = amdgpu_pipelines,
            .cut_parts = 20, // structurising a function is quadratic in its blocks
            .cuts_always = true,
            .barrier = "llvm.amdgcn.s.barrier",
            .after_passes = kiln_ll_amdgpu_after_passes,
            .before_code = kiln_ll_amdgpu_before_code,
            .assembly = "s",
            .comment = "#",
            .meta = kiln_ll_gpu_meta,
            .disassemble = kiln_ll_amdgpu_disassemble,
            .features = kiln_ll_amdgpu_features,
        },
    [KILN_LLVM_NVPTX] =
        {
            .hooks = &kiln_ll_nvptx_hooks,
            .triples = {"nvptx64-nvidia-cuda"},
            .reuses_units = true,
            .finish = kiln_ll_nvptx_finish,
            .pipelines = nvptx_pipelines,
            .cut_parts = 8,
            .barrier = "llvm.nvvm.barrier0",
            .check = kiln_ll_nvptx_check,
            .before_code = kiln_ll_nvptx_before_code,
            .assembly = "ptx",
            .comment = "//",
            .is_text = true,
            .meta = kiln_ll_nvptx_meta,
        },
};

const struct kiln_ll_family *kiln_ll_family(enum kiln_llvm_family family) { return &families[family]; }

const struct kiln_ll_family *kiln_ll_family_of_triple(const char *triple) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    for (const char *const *at = families[i].triples; *at; at++)
      if (!strcmp(*at, triple))
        return &families[i];
  return NULL;
}
