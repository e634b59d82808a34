// The interpreter as a backend: it executes the kernel IR, defines what each operation means, and finds faults of
// kernels.
#include <stdlib.h>

#include "backends/interp/compile.h"
#include "backends/interp/interp.h"
#include "backends/interp/table.h"

struct kiln_drv {
  struct kiln_host_drv host; // first
};

static const struct kiln_host_ops host_ops = {kiln_interp_run, kiln_interp_launch_free};

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  struct kiln_drv *drv = calloc(1, sizeof *drv);
  if (!drv)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the interpreter");
  enum kiln_status status = kiln_host_init(&drv->host, &host_ops, config, report);
  if (status) {
    free(drv);
    return status;
  }
  *out = drv;
  return KILN_OK;
}

static void close_driver(struct kiln_drv *drv) {
  kiln_host_fini(&drv->host);
  free(drv);
}

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  (void)device;
  *out = (struct kiln_device_info){
      .name = "Kiln interpreter",
      .vendor = "Kiln",
      .driver = kiln_version(),
      .memory_bytes = kiln_host_memory_bytes(),
      .local_bytes = 1 << 20,
      .max_group_size = INTERP_MAX_GROUP,
      .compute_units = kiln_pool_size(drv->host.pool),
      .warp_size = drv->host.config.target.warp_size,
      .host_memory = true,
  };
}

static const struct kiln_driver driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_driver),
    KILN_HOST_DRIVER_SLOTS,
    .open = open_driver,
    .close = close_driver,
    .device_info = device_info,
    .device_traits = kiln_host_device_traits,
    .load = kiln_interp_load,
    .unload = kiln_interp_unload,
    .kernel = kiln_interp_kernel,
    .prepare = kiln_interp_prepare,
};

const struct kiln_base_backend kiln_interp_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "interp",
    .description = "executes the kernel IR and checks every access; for tests and for finding faults in kernels",
    .tags = "debug",
    .artifact_extension = "kir",
    .preference = 0,
    .make_target = kiln_interp_make_target,
    .detect_target = kiln_interp_detect_target,
    .supports_target = kiln_interp_supports_target,
    .list_targets = kiln_interp_list_targets,
    .caps = kiln_interp_caps,
    .pipeline_fragments = kiln_interp_pipeline_fragments,
    .runtime_libs = kiln_interp_runtime_libs,
    .options = kiln_interp_options,
    .option_count = KILN_INTERP_OPTION_COUNT,
    .hash = kiln_interp_hash,
    .compile = kiln_interp_compile,
    .driver = &driver,
};
