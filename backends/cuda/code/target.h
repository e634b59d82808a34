// Targets of the cuda backend: "sm_80", parsed from our own table (cuda.def).
#ifndef KILN_BACKENDS_CUDA_CODE_TARGET_H
#define KILN_BACKENDS_CUDA_CODE_TARGET_H

#include "kiln/backend.h"

struct kiln_cuda_model {
  const char *name;                   // LLVM's as well
  uint32_t number;                    // 90 for sm_90
  bool features;                      // code that runs on this architecture alone
  uint32_t version;                   // of PTX: 60 is 6.0
  uint32_t warps, groups, shared_kib; // that a multiprocessor holds at a time
  const char *description;
};
extern const struct kiln_cuda_model kiln_cuda_models[];
extern const uint32_t kiln_cuda_model_count;

#define KILN_CUDA_WARP 32
#define KILN_CUDA_MAX_GROUP 1024
#define KILN_CUDA_COMMON_GROUP 256 // of kernels that do not say, until a launch wants more

// The code that an architecture gets: the last row for one that is newer than all of them. NULL: it is unknown.
const struct kiln_cuda_model *kiln_cuda_find_model(const char *name);
const struct kiln_cuda_model *kiln_cuda_model_of(const struct kiln_target *target);
// The code that a device of this compute capability gets. NULL: it is older than all rows.
const struct kiln_cuda_model *kiln_cuda_model_for(uint32_t major, uint32_t minor);
void kiln_cuda_to_target(const struct kiln_cuda_model *model, struct kiln_target *out);
// Most bytes that the parameters of an entry have, and the .version that they need.
uint32_t kiln_cuda_max_parameters(const struct kiln_cuda_model *model);
uint32_t kiln_cuda_version_for(const struct kiln_cuda_model *model, uint32_t parameter_bytes, bool debug);

// How many warps of groups of so many work-items a multiprocessor holds at a time, from the registers of a work-item
// and the bytes of static shared memory of a group. 0: not even one group.
uint32_t kiln_cuda_occupancy(const struct kiln_cuda_model *model, uint32_t group_size, uint32_t registers,
                             uint32_t shared_bytes);

// The slots of the backend.
enum kiln_status kiln_cuda_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report);
bool kiln_cuda_supports_target(const struct kiln_target *target);
void kiln_cuda_list_targets(kiln_name_fn *fn, void *user);
bool kiln_cuda_compatible_target(const struct kiln_target *target, uint32_t index, struct kiln_target *out);
void kiln_cuda_caps(const struct kiln_target *target, struct kiln_caps *out);

#endif
