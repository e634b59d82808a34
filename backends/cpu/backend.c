// The CPU as a backend: kernels become shared objects of machine code, run by a pool of threads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/llvm.h"
#include "backends/cpu/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const struct kiln_host_ops host_ops = {kiln_cpu_run, kiln_cpu_launch_free, kiln_cpu_interrupt_run};

// Name and vendor of the processor, for people. (Each cpuid costs microseconds in a virtual machine.)
static void describe(struct kiln_drv *drv) {
  snprintf(drv->name, sizeof drv->name, "CPU");
  snprintf(drv->vendor, sizeof drv->vendor, "unknown");
#if defined(__x86_64__)
  unsigned regs[12], highest;
  __cpuid(0, highest, regs[0], regs[2], regs[1]);
  snprintf(drv->vendor, sizeof drv->vendor, "%.12s", (const char *)regs);
  for (unsigned i = 0; i < 3; i++)
    __cpuid(0x80000002u + i, regs[4 * i], regs[4 * i + 1], regs[4 * i + 2], regs[4 * i + 3]);
  const char *text = (const char *)regs;
  size_t skip = strspn(text, " ");
  if (skip < 47 && text[skip])
    snprintf(drv->name, sizeof drv->name, "%.*s", (int)(48 - skip), text + skip);
#endif
}

// Whether this machine can run code for the target.
static enum kiln_status check_machine(const struct kiln_target *target, struct kiln_report *report) {
  struct kiln_cpu wanted, native;
  enum kiln_status status = kiln_cpu_from_target(target, &wanted, report);
  if (!status)
    status = kiln_cpu_native(&native, report);
  if (status)
    return status;
  if (wanted.model->arch != native.model->arch)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "this machine cannot run code for '%s': its processor is %s",
                     target->arch, native.model->arch == KILN_CPU_X86_64 ? "x86-64" : "AArch64");
  uint64_t missing = wanted.features & ~native.features;
  if (missing)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "this machine cannot run code for '%s%s': it lacks %s", target->arch,
                     target->features, kiln_cpu_features[__builtin_ctzll(missing)].name);
  return KILN_OK;
}

static enum kiln_status open_driver(const struct kiln_driver_config *config, struct kiln_drv **out,
                                    struct kiln_report *report) {
  enum kiln_status status = check_machine(&config->target, report);
  if (status)
    return status;
  struct kiln_drv *drv = calloc(1, sizeof *drv);
  if (!drv)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the CPU driver");
  describe(drv);
  status = kiln_host_init(&drv->host, &host_ops, config, report);
  if (status) {
    free(drv);
    return status;
  }
  *out = drv;
  return KILN_OK;
}

static void report_faults(struct kiln_drv *drv) {
  pthread_mutex_init(&drv->runs_lock, NULL); // which cannot fail on Linux
  drv->report_faults = true;
  kiln_cpu_faults_acquire();
}

static void close_driver(struct kiln_drv *drv) {
  kiln_host_fini(&drv->host);
  if (drv->report_faults) { // the handlers go when no thread of the pool is left that an interrupt could still reach
    kiln_cpu_faults_release();
    pthread_mutex_destroy(&drv->runs_lock);
  }
  kiln_cpu_stacks_free(&drv->stacks);
  free(drv);
}

static void device_info(struct kiln_drv *drv, uint32_t device, struct kiln_device_info *out) {
  (void)device;
  *out = (struct kiln_device_info){
      .name = drv->name,
      .vendor = drv->vendor,
      .driver = kiln_version(),
      .memory_bytes = kiln_host_memory_bytes(),
      .local_bytes = KILN_CPU_LOCAL_BYTES,
      .max_group_size = KILN_CPU_MAX_GROUP,
      .compute_units = kiln_pool_size(drv->host.pool),
      .warp_size = drv->host.config.target.warp_size,
      .host_memory = true,
  };
}

// A warp has as many work-items as a register has elements of 32 bits.
static void device_traits(struct kiln_drv *drv, uint32_t device, struct kiln_device_traits *out) {
  kiln_host_device_traits(drv, device, out);
  out->register_bytes = drv->host.config.target.warp_size * 4;
}

static const struct kiln_driver driver = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_driver),
    KILN_HOST_DRIVER_SLOTS,
    .open = open_driver,
    .close = close_driver,
    .report_faults = report_faults,
    .device_info = device_info,
    .device_traits = device_traits,
    .load = kiln_cpu_load,
    .unload = kiln_cpu_unload,
    .kernel = kiln_cpu_kernel,
    .launch_variant = kiln_cpu_variant,
    .prepare = kiln_cpu_prepare,
};

static const struct kiln_option options[KILN_CPU_OPTION_COUNT] = {
    [KILN_CPU_LANES] = {"lanes", KILN_OPTION_INT, "0",
                        "work-items that run in the lanes of a vector: 1, 4, 8, 16, 32, 64; 0: as the target has",
                        true},
    [KILN_CPU_REGISTERS] =
        {"registers", KILN_OPTION_INT, "0",
         "registers that a value of 32 bits takes: with lanes, which are those of all of them then; 0: as it comes out",
         true},
    [KILN_CPU_SHAPE] =
        {"shape", KILN_OPTION_STRING, "auto",
         "how work-items come into lanes: rows, each row of a group by itself; columns, along dimension 1 "
         "where the kernel cannot tell; packed, along the linear local id, for rows shorter than a "
         "vector; flattened, along the index over all dimensions, in kernels without barriers and local memory; "
         "single, for groups of one work-item each; merged, across groups of 1 x N with barriers; auto: columns where "
         "that is faster, else rows",
         true},
    [KILN_CPU_CUT] =
        {"cut", KILN_OPTION_INT, "40000",
         "functions of more instructions (LLVM's) are cut into several, so that they compile in time; 0: none", true},
    [KILN_CPU_IDS] = {"ids", KILN_OPTION_INT, "32",
                      "bits of global ids: 32, for ids below 2^31, or 64; launches that have larger ones get 64", true},
    [KILN_CPU_ROWS_OPTION] =
        {"rows", KILN_OPTION_STRING, "whole",
         "rows of groups in kernels with barriers: whole, multiples of the lanes, or any; launches "
         "that have others than whole ones get any",
         true},
    [KILN_CPU_STOP] = {"stop", KILN_OPTION_BOOL, "0",
                       "loops ask whether to stop; launches on streams with a deadline get that", true},
    [KILN_CPU_NO] = {"no", KILN_OPTION_STRING, "",
                     "ways of compiling that are left out, by the words of the stage plan, with commas in between: to "
                     "find the one that is at fault, or what it gains",
                     true},
    [KILN_CPU_ONE_KERNEL] = {"kernel", KILN_OPTION_STRING, "",
                             "the name of the only kernel that is compiled; launches of other shapes compile theirs so",
                             true},
};

static const char *const start_stages[] = {"ll", "s", NULL};

extern const struct kiln_base_backend kiln_cpu_backend;
const struct kiln_base_backend kiln_cpu_backend = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof(struct kiln_base_backend),
    .name = "cpu",
    .description = "machine code for this machine's processor, on all its cores",
    .tags = "",
    .artifact_extension = "so",
    .preference = 100,
    .make_target = kiln_cpu_make_target,
    .detect_target = kiln_cpu_detect_target,
    .supports_target = kiln_cpu_supports_target,
    .list_targets = kiln_cpu_list_targets,
    .caps = kiln_cpu_caps,
    .pipeline_fragments = kiln_cpu_pipeline_fragments,
    .runtime_libs = kiln_cpu_runtime_libs,
    .options = options,
    .option_count = KILN_CPU_OPTION_COUNT,
    .describe_compiler = kiln_llvm_describe,
    .hash = kiln_cpu_hash,
    .compile = kiln_cpu_compile,
    .driver = &driver,
    .start_stages = start_stages,
    .shipped_variant = kiln_cpu_shipped_variant,
    .compatible_target = kiln_cpu_compatible_target,
    .limit_caps = kiln_cpu_limit_caps,
};
