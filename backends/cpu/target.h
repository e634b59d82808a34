// Targets of the CPU backend: names and features from our own tables, never by asking LLVM.
#ifndef KILN_BACKENDS_CPU_TARGET_H
#define KILN_BACKENDS_CPU_TARGET_H

#include "kiln/backend.h"

enum kiln_cpu_arch { KILN_CPU_X86_64, KILN_CPU_AARCH64 };

enum kiln_cpu_feature_id {
#define KILN_CPU_FEATURE(NAME, arch, text, implies, leaf, subleaf, reg, bit, state) KILN_CPU_##NAME,
#include "backends/cpu/features.def"
  KILN_CPU_FEATURE_COUNT
};

struct kiln_cpu_feature {
  const char *name;
  enum kiln_cpu_arch arch;
  uint64_t implies;
  uint32_t leaf, subleaf;
  uint8_t reg, bit, state;
};
extern const struct kiln_cpu_feature kiln_cpu_features[KILN_CPU_FEATURE_COUNT];

struct kiln_cpu_model {
  const char *name, *llvm_name;
  enum kiln_cpu_arch arch;
  uint64_t features; // not closed over what they imply
  const char *description;
};
extern const struct kiln_cpu_model kiln_cpu_models[];
extern const uint32_t kiln_cpu_model_count;

// An arch string, understood.
struct kiln_cpu {
  const struct kiln_cpu_model *model;
  uint64_t features; // bits by kiln_cpu_feature_id
};

static inline bool kiln_cpu_has(const struct kiln_cpu *cpu, enum kiln_cpu_feature_id feature) {
  return cpu->features >> feature & 1;
}

// features with all that they imply.
uint64_t kiln_cpu_close(uint64_t features);
// Bytes of the machine's largest cache; 0: not known. Takes microseconds in a virtual machine.
uint64_t kiln_cpu_largest_cache(void);
// Whether sums of two products of bfloat16 values (vdpbf16ps) are fast. On Intel's processors one takes four times as
// long as an FMA, with which both products are faster.
bool kiln_cpu_has_bfloat_pairs(const struct kiln_cpu *cpu);
// The machine's own CPU, by cpuid. UNAVAILABLE on a machine that Kiln has no code generator for.
// What a processor with these features is taken for: the highest level; with AVX-512 and a family of AMD's, the model,
// since what such a processor is slow at differs from others. NULL: it lacks what every target needs.
const struct kiln_cpu_model *kiln_cpu_best_model(enum kiln_cpu_arch arch, uint64_t features, unsigned family);
enum kiln_status kiln_cpu_native(struct kiln_cpu *out, struct kiln_report *report);
// The canonical target. Equal CPUs give equal targets however they were written.
enum kiln_status kiln_cpu_from_target(const struct kiln_target *target, struct kiln_cpu *out,
                                      struct kiln_report *report);
// Features as LLVM takes them ("+avx2,-avx512f,…"): every row of the arch is named. size 1024 is enough.
void kiln_cpu_llvm_features(const struct kiln_cpu *cpu, char *out, size_t size);

// The slots of the backend.
enum kiln_status kiln_cpu_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report);
enum kiln_status kiln_cpu_detect_target(struct kiln_target *out, struct kiln_report *report);
bool kiln_cpu_supports_target(const struct kiln_target *target);
void kiln_cpu_list_targets(kiln_name_fn *fn, void *user);
bool kiln_cpu_compatible_target(const struct kiln_target *target, uint32_t index, struct kiln_target *out);
void kiln_cpu_caps(const struct kiln_target *target, struct kiln_caps *out);

#endif
