// Waves that fit on a SIMD at a time, from what the code object says of a kernel. The sizes of the register files are
// those of LLVM's description of the processors; a test compares the result with what LLVM writes into its assembly.
#include "backends/rocm/code/occupancy.h"

// What a SIMD has, in registers of one lane.
struct file {
  uint32_t total, granule;
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static uint32_t most_waves(const struct kiln_rocm_target *target) {
  if (target->model->flags & KILN_ROCM_UNIFIED)
    return 8;
  if (target->model->isa < 10000)
    return 10;
  return target->model->isa < 10300 ? 20 : 16;
}

static struct file vector_file(const struct kiln_rocm_target *target) {
  uint32_t flags = target->model->flags, scale = target->wave64 ? 1 : 2;
  if (flags & KILN_ROCM_UNIFIED)
    return (struct file){512, 8};
  if (target->model->isa < 10000)
    return (struct file){256, 4};
  if (flags & KILN_ROCM_LARGE_FILE)
    return (struct file){768 * scale, 12 * scale};
  return (struct file){512 * scale, (target->model->isa < 10300 ? 4 : 8) * scale};
}

static uint32_t waves_by_vectors(const struct kiln_rocm_target *target, const struct kiln_rocm_kernel *kernel) {
  struct file file = vector_file(target);
  uint32_t used = kernel->vgprs;
  if (!(target->model->flags & KILN_ROCM_UNIFIED) && kernel->agprs > used) // a file of their own, of the same size
    used = kernel->agprs;
  if (used < file.granule)
    return most_waves(target);
  return file.total / (divide_up(used, file.granule) * file.granule);
}

static uint32_t waves_by_scalars(const struct kiln_rocm_target *target, const struct kiln_rocm_kernel *kernel) {
  if (target->model->isa >= 10000 || kernel->sgprs <= 80) // every wave has all of them
    return most_waves(target);
  return kernel->sgprs <= 88 ? 9 : kernel->sgprs <= 100 ? 8 : 7;
}

// By local memory and by the number of groups that a compute unit (or a pair of them) holds.
static uint32_t waves_by_groups(const struct kiln_rocm_target *target, const struct kiln_rocm_kernel *kernel) {
  bool is_pair = target->model->flags & KILN_ROCM_WAVE32 && !target->cumode;
  uint32_t simds = target->model->flags & KILN_ROCM_WAVE32 && target->cumode ? 2 : 4;
  uint32_t local = is_pair ? 128 * 1024 : 64 * 1024, most = most_waves(target) * simds;
  uint32_t waves = divide_up(kernel->max_group_size ? kernel->max_group_size : 1024, target->wave64 ? 64 : 32);
  uint32_t groups = waves == 1 ? most : least(most / waves, is_pair ? 32 : 16);
  if (kernel->local_bytes)
    groups = least(groups, local / kernel->local_bytes);
  return groups ? divide_up(groups * waves, simds) : 1;
}

uint32_t kiln_rocm_occupancy(const struct kiln_rocm_target *target, const struct kiln_rocm_kernel *kernel) {
  uint32_t waves = least(most_waves(target), waves_by_vectors(target, kernel));
  waves = least(waves, waves_by_scalars(target, kernel));
  waves = least(waves, waves_by_groups(target, kernel));
  return waves ? waves : 1;
}
