// The schedule of a kernel, and the list of schedules that its launches may want.
#ifndef KILN_BACKENDS_LLVM_CPU_SCHEDULE_H
#define KILN_BACKENDS_LLVM_CPU_SCHEDULE_H

#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/plan/width.h"
#include "backends/llvm/spmd/spmd.h"

// What has been found out about launches of a kernel.
struct kiln_ll_launches {
  // What it is compiled for.
  bool packed;               // warps follow the linear local id
  bool one_plane, one_row;   // groups of one plane; of one row of it
  bool small_ids;            // global ids below 2^31
  bool full_groups, aligned; // no partial groups; offsets in dimension 0 that are multiples of the lanes
  // Kinds of launches that would gain from another schedule.
  bool merging;         // groups of 1 x N, if several run as one
  bool single;          // groups of one work-item, in code for these
  bool columns;         // groups of long columns, in lanes along dimension 1
  bool interchange;     // groups of 1 x N with barriers, likewise
  bool fewer_lanes;     // short rows
  bool flattening;      // short rows, along the flattened index
  bool flat_uses_ids;   // flattened code computes ids of single dimensions for each lane,
  bool flat_tests_rows; // tests in each warp conditions on ids that rows share,
  bool flat_gathers;    // or gathers what rows share or have side by side
};

// Fills in what follows from the kernel as it has been arranged (single, columns, interchange); from its lanes
// (fewer_lanes, flat…). rearranged: warps are not those of rows. flags: enum kiln_cpu_kernel_flags.
void kiln_ll_find_launches(struct kiln_ll *ll, const struct kiln_function *fn, bool rearranged, uint32_t flags,
                           struct kiln_ll_launches *launches);
void kiln_ll_find_flattening(struct kiln_ll *ll, const struct kiln_function *fn, unsigned lanes,
                             struct kiln_ll_launches *launches);

// Fills in schedule and rules of the metadata, the rest of which is complete.
void kiln_ll_schedule(struct kiln_ll *ll, const struct kiln_function *fn, const struct kiln_ll_launches *launches,
                      struct kiln_ll_width width, struct kiln_cpu_meta_kernel *meta);
// Adds both to the stage "plan", if that is asked for.
void kiln_ll_tell_schedule(struct kiln_ll *ll, const struct kiln_cpu_meta_kernel *meta);

#endif
