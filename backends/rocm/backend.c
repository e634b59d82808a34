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
    .launch_variant = kiln_rocm_variant,
    .stream_deadline = kiln_rocm_stream_deadline,
    .stream_cancel = kiln_rocm_stream_cancel,
    .stream_lost = kiln_rocm_stream_lost,
    .runtime = KILN_RUNTIME_HSA,
    .native_target = kiln_rocm_native_target,
    .open_native = kiln_rocm_open_native,
    .device_native = kiln_rocm_device_native,
    .wrap_memory = kiln_rocm_wrap_memory,
    .memory_native = kiln_rocm_memory_native,
    .stream_native = kiln_rocm_stream_native,
    .takes_pointer = kiln_rocm_takes_pointer,
    .event_create = kiln_rocm_event_create,
    .event_signal = kiln_rocm_event_signal,
    .event_state = kiln_rocm_event_state,
    .device_traits = kiln_rocm_device_traits,
#endif
};
