// AMD GPUs as a backend: kernels become native code objects, run through libhsa-runtime64.
#include "backends/common/llvm.h"
#include "backends/rocm/code/target.h"
#include "backends/rocm/compile.h"
#ifndef KILN_NO_HSA
#include "backends/rocm/driver/exports.h"
#endif

static const char *const start_stages[] = {"ll", NULL};

extern const struct kiln_base_backend kiln_rocm_backend;
const struct kiln_base_backend kiln_rocm_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "rocm",
    .description = "code objects for AMD GPUs, run through libhsa-runtime64",
    .tags = "",
    .artifact_extension = "hsaco",
    .preference = 300,
    .make_target = kiln_rocm_make_target,
    .detect_target = kiln_rocm_detect_target,
    .supports_target = kiln_rocm_supports_target,
    .list_targets = kiln_rocm_list_targets,
    .caps = kiln_rocm_caps,
    .pipeline_fragments = kiln_rocm_pipeline_fragments,
    .runtime_libs = kiln_rocm_runtime_libs,
    .options = kiln_rocm_options,
    .option_count = KILN_ROCM_OPTION_COUNT,
    .describe_compiler = kiln_llvm_describe,
    .hash = kiln_rocm_hash,
    .compile = kiln_rocm_compile,
    .start_stages = start_stages,
#ifndef KILN_NO_HSA
    .driver = &kiln_rocm_driver,
#endif
};
