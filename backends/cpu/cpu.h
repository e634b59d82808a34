// The CPU backend's own data: compile side (compile.c), loaded programs (load.c), launches (launch.c).
#ifndef KILN_BACKENDS_CPU_CPU_H
#define KILN_BACKENDS_CPU_CPU_H

#include "backends/common/llvm.h"
#include "backends/cpu/abi.h"
#include "backends/cpu/fault.h"
#include "backends/cpu/stack.h"
#include "backends/cpu/target.h"
#include "backends/host/host.h"
#include "base/pool.h"

#define KILN_CPU_LOCAL_BYTES (1u << 20)

// Rows of the option table.
enum {
  KILN_CPU_LANES,
  KILN_CPU_REGISTERS,
  KILN_CPU_SHAPE,
  KILN_CPU_CUT,
  KILN_CPU_IDS,
  KILN_CPU_ROWS_OPTION,
  KILN_CPU_STOP,
  KILN_CPU_NO,
  KILN_CPU_ONE_KERNEL,
  KILN_CPU_OPTION_COUNT
};

// Launches that ran on their callers and followed each other without a pause (share.c). Members are atomic.
struct kiln_cpu_streak {
  uint64_t end; // of the last one
  uint64_t ns;  // that they took
};

struct kiln_drv {
  struct kiln_host_drv host; // first
  struct kiln_cpu_streak streak;
  uint64_t loads; // atomic: makes paths of libraries unique
  struct kiln_cpu_stacks stacks;
  // Bytes of a buffer that would take too much of the largest cache: atomic, 0 until a launch wants to know
  uint64_t cache_share;
  char name[64], vendor[16]; // of the processor
  bool report_faults;        // those inside of kernels are errors of their launches, which can be interrupted:
  pthread_mutex_t runs_lock;
  struct kiln_cpu_run *runs; // under way (launch.c); guarded by runs_lock
  pid_t runs_pid;            // the process that they belong to; guarded by runs_lock
};

struct kiln_drv_kernel {
  struct kiln_drv_module *module;
  const struct kiln_kernel_info *info;
  kiln_cpu_kernel_fn *run;
  struct kiln_cpu_meta_kernel meta;
  const uint32_t *arg_offsets;
  uint32_t asked;                             // conditions of its rules
  uint32_t needs;                             // conditions under which it cannot run a launch
  const char *options[KILN_CPU_MAX_RULES][2]; // of the variant that a rule names; of one that can be stopped
  uint32_t pace;                              // atomic: how long its work-items take (share.c)
  uint64_t slow_items; // atomic: work-items that it was asked to run and a variant would run faster (schedule.c)
};

struct kiln_drv_module {
  void *library;
  struct kiln_cpu_image *mapped; // in place of a library; else NULL
  void *image;                   // a copy of its file, for the lines of faults; NULL: none are reported
  size_t image_size;
  int file; // of the library, where it stays open; else -1
  uint32_t warp_size;
  uint32_t *arg_offsets;
  char *variant_options;          // what options of the kernels point into
  void *const *state;             // of KILN_CPU_HAS_STATE; else NULL
  struct kiln_drv_module *shared; // whose state that is; NULL: it is the library's own
  _Atomic uint32_t refs;          // the caller's, and one per module that shares its state
  uint32_t kernel_count;
  struct kiln_drv_kernel kernels[];
};

// compile.c
uint32_t kiln_cpu_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                     const struct kiln_fragment **out);
uint32_t kiln_cpu_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity);
enum kiln_status kiln_cpu_hash(const struct kiln_target *target, const struct kiln_options *options,
                               struct kiln_digest *out, struct kiln_report *report);
void kiln_cpu_limit_caps(const struct kiln_options *options, struct kiln_caps *caps);
enum kiln_status kiln_cpu_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                  struct kiln_report *report);

// load.c
// What says that a shared object and its metadata were made together; the check in the metadata counts for nothing.
uint64_t kiln_cpu_check(const void *code, size_t size, const void *meta, size_t meta_size);
const char *kiln_cpu_shipped_variant(const struct kiln_code *code);
enum kiln_status kiln_cpu_load(struct kiln_drv *drv, const struct kiln_code *code, struct kiln_drv_module **out,
                               struct kiln_report *report);
void kiln_cpu_unload(struct kiln_drv *drv, struct kiln_drv_module *module);
enum kiln_status kiln_cpu_kernel(struct kiln_drv *drv, struct kiln_drv_module *module, uint32_t index,
                                 struct kiln_drv_kernel **out, struct kiln_report *report);

// schedule.c
uint64_t kiln_cpu_product(const uint64_t size[3]); // saturates
// The size in dimension 0 of the groups that the kernel runs.
uint64_t kiln_cpu_row(const struct kiln_drv_kernel *kernel, const uint64_t local[3]);
// How many work-items a group may have, for their item block to be within its limit.
uint64_t kiln_cpu_most_items(const struct kiln_drv_kernel *kernel);
// Those conditions of the mask that hold. What is asked must suit the kernel (kiln_cpu_check_rules).
uint32_t kiln_cpu_conditions(const struct kiln_drv_launch_desc *desc, uint32_t mask);
// What a kernel is not compiled for that cannot run launches under the first of the conditions: "rows of this size".
const char *kiln_cpu_refusal(uint32_t conditions);
// The conditions of all rules; of those that are needs.
uint32_t kiln_cpu_asked(const struct kiln_cpu_meta_kernel *meta);
uint32_t kiln_cpu_needs(const struct kiln_cpu_meta_kernel *meta);
bool kiln_cpu_check_rules(const struct kiln_cpu_meta_kernel *meta);
// Fills in options of the module's kernels. False: out of memory.
bool kiln_cpu_write_options(struct kiln_drv_module *module);
struct kiln_variant kiln_cpu_variant(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc);

// launch.c
enum kiln_status kiln_cpu_prepare(struct kiln_drv *drv, const struct kiln_drv_launch_desc *desc,
                                  struct kiln_drv_launch **out, struct kiln_report *report);
enum kiln_status kiln_cpu_run(struct kiln_host_launch *launch, struct kiln_pool *pool,
                              const struct kiln_host_stop *stop, char *message, size_t message_size);
void kiln_cpu_interrupt_run(struct kiln_host_drv *drv, const struct kiln_host_stop *stop);
void kiln_cpu_launch_free(struct kiln_host_launch *launch);

// share.c: runs groups [0, count) of so many work-items each on as many threads as pay. pace: of the kernel.
void kiln_cpu_share(struct kiln_pool *pool, struct kiln_cpu_streak *streak, uint64_t count, uint64_t items,
                    uint32_t *pace, kiln_pool_fn *fn, void *user);

// fault_text.c: what happened, where in the source, and to which work-items.
void kiln_cpu_tell_fault(const struct kiln_drv_kernel *kernel, const struct kiln_cpu_fault *fault,
                         const struct kiln_cpu_group *group, uint32_t work_dim, char *message, size_t message_size);

#endif
