// OpenCL as a backend: the IR printed as OpenCL C, built and run by any platform that the ICD loader knows.
#include "backends/opencl/compile.h"
#include "backends/opencl/driver/driver.h"
#include "backends/opencl/table.h"

static uint32_t runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target, (void)out, (void)capacity; // the driver brings its own
  return 0;
}

static const char *const start_stages[] = {"cl", NULL};

const struct kiln_base_backend kiln_opencl_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "opencl",
    .description = "prints OpenCL C and runs it through an OpenCL driver; any device",
    .tags = "",
    .artifact_extension = "cl",
    .preference = 150, // above cpu: the automatic choice sees GPUs only
    .make_target = kiln_cl_make_target,
    .detect_target = kiln_cl_detect_target,
    .detect_automatic = kiln_cl_detect_gpu,
    .supports_target = kiln_cl_supports_target,
    .list_targets = kiln_cl_list_targets,
    .caps = kiln_cl_caps,
    .pipeline_fragments = kiln_cl_pipeline_fragments,
    .runtime_libs = runtime_libs,
    .options = kiln_cl_options,
    .option_count = KILN_CL_OPTION_COUNT,
    .hash = kiln_cl_hash,
    .describe_compiler = kiln_cl_describe_compiler,
    .compile = kiln_cl_compile,
    .driver = &kiln_cl_driver,
    .start_stages = start_stages,
    .asks_drivers = true,
    .device_identity = kiln_cl_device_identity,
    .device_code = kiln_cl_device_code,
};
