// Targets of the rocm backend: "gfx90a:sramecc+:xnack-", parsed from our own table (rocm.def).
//
// A target id is canonical: features in the order cumode, sramecc, wavefrontsize64, xnack, each at most once. sramecc
// and xnack are three-valued: '+', '-', or not named, which is code that runs with either setting. The others are
// named only where they differ from what the processor does by itself.
#ifndef KILN_BACKENDS_ROCM_CODE_TARGET_H
#define KILN_BACKENDS_ROCM_CODE_TARGET_H

#include "kiln/backend.h"

enum kiln_rocm_flags {
  KILN_ROCM_XNACK = 1 << 0,
  KILN_ROCM_SRAMECC = 1 << 1,
  KILN_ROCM_WAVE32 = 1 << 2,
  KILN_ROCM_GENERIC = 1 << 3,
  KILN_ROCM_AGPRS = 1 << 4,
  KILN_ROCM_UNIFIED = 1 << 5,
  KILN_ROCM_LARGE_FILE = 1 << 6,
  KILN_ROCM_DOTS = 1 << 7,
  KILN_ROCM_MIXED_DOTS = 1 << 8,
};

struct kiln_rocm_model {
  const char *name; // LLVM's as well
  uint32_t mach, isa, flags;
  const char *description;
};
extern const struct kiln_rocm_model kiln_rocm_models[];
extern const uint32_t kiln_rocm_model_count;

enum kiln_rocm_setting { KILN_ROCM_ANY, KILN_ROCM_OFF, KILN_ROCM_ON };

// An arch string, understood.
struct kiln_rocm_target {
  const struct kiln_rocm_model *model;
  enum kiln_rocm_setting sramecc, xnack; // ANY where the processor has no such thing
  bool cumode;                           // of processors with WAVE32
  bool wave64;
};

enum kiln_status kiln_rocm_parse(const char *arch, struct kiln_rocm_target *out, struct kiln_report *report);
enum kiln_status kiln_rocm_from_target(const struct kiln_target *target, struct kiln_rocm_target *out,
                                       struct kiln_report *report);
// Features as LLVM takes them; size 128 is enough.
void kiln_rocm_llvm_features(const struct kiln_rocm_target *target, char *out, size_t size);
// The target id in code objects and of agents: "amdgcn-amd-amdhsa--gfx90a:sramecc+"; size 96 is enough.
void kiln_rocm_isa_name(const struct kiln_rocm_target *target, char *out, size_t size);
// Whether code for target runs on an agent whose ISA has this name.
bool kiln_rocm_runs_on(const struct kiln_rocm_target *target, const char *isa_name);

// The slots of the backend.
enum kiln_status kiln_rocm_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report);
enum kiln_status kiln_rocm_detect_target(struct kiln_target *out, struct kiln_report *report);
bool kiln_rocm_supports_target(const struct kiln_target *target);
void kiln_rocm_list_targets(kiln_name_fn *fn, void *user);
void kiln_rocm_caps(const struct kiln_target *target, struct kiln_caps *out);

#endif
