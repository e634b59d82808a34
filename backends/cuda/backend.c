// NVIDIA GPUs as a backend: kernels become PTX text.
#include "backends/common/llvm.h"
#include "backends/cuda/code/target.h"
#include "backends/cuda/compile.h"
#include "backends/cuda/driver/exports.h"
#include "backends/cuda/tool.h"

static const char *const start_stages[] = {"ll", "ptx", NULL};

extern const struct kiln_base_backend kiln_cuda_backend;
const struct kiln_base_backend kiln_cuda_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "cuda",
    .description = "PTX for NVIDIA GPUs, run through libcuda",
    .tags = "",
    .artifact_extension = "ptx",
    .preference = 310,
    .make_target = kiln_cuda_make_target,
    .detect_target = kiln_cuda_detect_target,
    .detect_automatic = kiln_cuda_detect_automatic,
    .supports_target = kiln_cuda_supports_target,
    .list_targets = kiln_cuda_list_targets,
    .compatible_target = kiln_cuda_compatible_target,
    .caps = kiln_cuda_caps,
    .pipeline_fragments = kiln_cuda_pipeline_fragments,
    .runtime_libs = kiln_cuda_runtime_libs,
    .options = kiln_cuda_options,
    .option_count = KILN_CUDA_OPTION_COUNT,
    .describe_compiler = kiln_llvm_describe,
    .hash = kiln_cuda_hash,
    .compile = kiln_cuda_compile,
    .start_stages = start_stages,
    .driver = &kiln_cuda_driver,
    .device_identity = kiln_cuda_device_identity,
    .device_code = kiln_cuda_device_code,
};
