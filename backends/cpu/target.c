// Parsing, printing and detecting CPU targets.
//
// A target is canonical: its features are the difference to what the named CPU has, without what others imply, in the
// order of features.def. So "znver4+avx2" is znver4, and two machines of equal features have equal targets.
#include "backends/cpu/target.h"

#include <stdio.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "base/str.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/platform/x86.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

const struct kiln_cpu_feature kiln_cpu_features[KILN_CPU_FEATURE_COUNT] = {
#define KILN_CPU_FEATURE(NAME, arch, text, implies, leaf, subleaf, reg, bit, state)                                    \
  {text, KILN_CPU_##arch, implies, leaf, subleaf, reg, bit, state},
#include "backends/cpu/features.def"
};

const struct kiln_cpu_model kiln_cpu_models[] = {
#define KILN_CPU(text, llvm, arch, features, description) {text, llvm, KILN_CPU_##arch, features, description},
#include "backends/cpu/cpu.def"
};
const uint32_t kiln_cpu_model_count = sizeof kiln_cpu_models / sizeof *kiln_cpu_models;

_Static_assert(KILN_CPU_FEATURE_COUNT <= 64, "features are kept in 64 bits");

// Implied features have lower numbers, so one pass from the top is enough.
uint64_t kiln_cpu_close(uint64_t features) {
  for (int i = KILN_CPU_FEATURE_COUNT - 1; i >= 0; i--)
    if (features >> i & 1)
      features |= kiln_cpu_features[i].implies;
  return features;
}

// features without feature and without all that imply it.
static uint64_t without(uint64_t features, unsigned feature) {
  for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (kiln_cpu_close(UINT64_C(1) << i) >> feature & 1)
      features &= ~(UINT64_C(1) << i);
  return features;
}

static const struct kiln_cpu_model *find_model(const char *name, size_t size) {
  for (uint32_t i = 0; i < kiln_cpu_model_count; i++)
    if (strlen(kiln_cpu_models[i].name) == size && !memcmp(kiln_cpu_models[i].name, name, size))
      return &kiln_cpu_models[i];
  return NULL;
}

static int find_feature(enum kiln_cpu_arch arch, const char *name, size_t size) {
  for (int i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (kiln_cpu_features[i].arch == arch && strlen(kiln_cpu_features[i].name) == size &&
        !memcmp(kiln_cpu_features[i].name, name, size))
      return i;
  return -1;
}

static const struct {
  const char *name, *llvm, *runs;
} newer[] = {
#define KILN_NEWER_CPU(text, llvm, runs) {text, llvm, runs},
#include "backends/cpu/newer.def"
};

static enum kiln_status unknown_model(struct kiln_report *report, const char *name, size_t size) {
  char wrong[64];
  kiln_quote_name(wrong, name, size);
  for (size_t i = 0; i < sizeof newer / sizeof *newer; i++)
    if (strcmp(newer[i].name, wrong) == 0)
      return kiln_fail(report, KILN_ERR_NOT_FOUND,
                       "CPU '%s' needs %s, and Kiln uses LLVM 19; the nearest CPU whose code it runs is %s", wrong,
                       newer[i].llvm, newer[i].runs);
  struct kiln_near_names nearest = {0};
  kiln_near_names_offer(&nearest, wrong, "native");
  for (uint32_t i = 0; i < kiln_cpu_model_count; i++)
    kiln_near_names_offer(&nearest, wrong, kiln_cpu_models[i].name);
  return kiln_fail(report, KILN_ERR_NOT_FOUND, "the cpu backend knows no CPU '%s'; the nearest names are %s, %s and %s",
                   wrong, nearest.name[0], nearest.name[1], nearest.name[2]);
}

static enum kiln_status unknown_feature(struct kiln_report *report, const struct kiln_cpu_model *model,
                                        const char *name, size_t size) {
  char wrong[64];
  kiln_quote_name(wrong, name, size);
  struct kiln_near_names nearest = {0};
  for (int i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (kiln_cpu_features[i].arch == model->arch)
      kiln_near_names_offer(&nearest, wrong, kiln_cpu_features[i].name);
  return kiln_fail(report, KILN_ERR_NOT_FOUND,
                   "the cpu backend knows no feature '%s' of %s; the nearest names are %s, %s and %s", wrong,
                   model->name, nearest.name[0], nearest.name[1], nearest.name[2]);
}

// Where the next "+feature" or "-feature" begins. Names hold '-' and digits themselves ("x86-64-v2"), so a '-' begins
// a feature only when a feature's name stands after it, up to the next sign or the end.
static size_t name_length(const char *text) {
  size_t i = 0;
  for (; text[i]; i++) {
    if (text[i] == '+')
      break;
    if (text[i] != '-' || i == 0)
      continue;
    size_t size = strcspn(text + i + 1, "+-");
    if (find_feature(KILN_CPU_X86_64, text + i + 1, size) >= 0 ||
        find_feature(KILN_CPU_AARCH64, text + i + 1, size) >= 0)
      break;
  }
  return i;
}

// Parses "name" or "name+feature-feature". NOT_FOUND with the nearest names; "native" is the machine's own.
static enum kiln_status parse(const char *arch, struct kiln_cpu *out, struct kiln_report *report) {
  struct kiln_cpu cpu = {0};
  size_t size = name_length(arch);
  if (size == 6 && !memcmp(arch, "native", 6)) {
    enum kiln_status status = kiln_cpu_native(&cpu, report);
    if (status)
      return status;
  } else {
    cpu.model = find_model(arch, size);
    if (!cpu.model)
      return unknown_model(report, arch, size);
    cpu.features = kiln_cpu_close(cpu.model->features);
  }
  for (const char *text = arch + size; *text; text += size) {
    bool add = *text++ == '+';
    size = name_length(text);
    int feature = find_feature(cpu.model->arch, text, size);
    if (feature < 0)
      return unknown_feature(report, cpu.model, text, size);
    cpu.features =
        add ? kiln_cpu_close(cpu.features | UINT64_C(1) << feature) : without(cpu.features, (unsigned)feature);
  }
  *out = cpu;
  return KILN_OK;
}

static uint32_t warp_size(const struct kiln_cpu *cpu) {
  if (kiln_cpu_has(cpu, KILN_CPU_AVX512F))
    return 16;
  return kiln_cpu_has(cpu, KILN_CPU_AVX2) ? 8 : 4;
}

static void to_target(const struct kiln_cpu *cpu, struct kiln_target *out) {
  memset(out, 0, sizeof *out);
  snprintf(out->backend, sizeof out->backend, "cpu");
  snprintf(out->arch, sizeof out->arch, "%s", cpu->model->name);
  out->warp_size = warp_size(cpu);
  uint64_t base = kiln_cpu_close(cpu->model->features);
  uint64_t added = cpu->features & ~base, removed = base & ~cpu->features;
  // What others bring or take with them need not be named.
  uint64_t named_added = added, named_removed = removed;
  for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++) {
    uint64_t bit = UINT64_C(1) << i;
    if (added & bit)
      named_added &= ~(kiln_cpu_close(bit) & ~bit);
    if (removed & bit)
      named_removed &= ~(removed & ~without(removed, i) & ~bit);
  }
  size_t used = 0;
  for (int pass = 0; pass < 2; pass++)
    for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
      if ((pass ? named_added : named_removed) >> i & 1 && used + 1 < sizeof out->features)
        used += (size_t)snprintf(out->features + used, sizeof out->features - used, "%c%s", pass ? '+' : '-',
                                 kiln_cpu_features[i].name);
}

enum kiln_status kiln_cpu_from_target(const struct kiln_target *target, struct kiln_cpu *out,
                                      struct kiln_report *report) {
  char arch[sizeof target->arch + sizeof target->features];
  snprintf(arch, sizeof arch, "%.*s%.*s", (int)sizeof target->arch - 1, target->arch, (int)sizeof target->features - 1,
           target->features);
  return parse(arch, out, report);
}

void kiln_cpu_llvm_features(const struct kiln_cpu *cpu, char *out, size_t size) {
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (kiln_cpu_features[i].arch == cpu->model->arch && used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%c%s", used ? "," : "", cpu->features >> i & 1 ? '+' : '-',
                               kiln_cpu_features[i].name);
  if (cpu->model->arch == KILN_CPU_X86_64 && used < size) // LLVM's switch for 512-bit registers
    snprintf(out + used, size - used, ",%cevex512", kiln_cpu_has(cpu, KILN_CPU_AVX512F) ? '+' : '-');
}

// ---- detection ------------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
// The registers of a leaf of cpuid, NULL for one that is not known here. The C library has read them when the process
// began; a hypervisor handles each cpuid itself, which takes thousands of cycles.
static const unsigned *read_leaf(unsigned leaf, unsigned subleaf) {
  static const struct {
    unsigned leaf, subleaf, index;
  } leaves[] = {
      {1, 0, CPUID_INDEX_1}, {7, 0, CPUID_INDEX_7}, {7, 1, CPUID_INDEX_7_ECX_1}, {0x80000001, 0, CPUID_INDEX_80000001}};
  for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++)
    if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf)
      return __x86_get_cpuid_feature_leaf(leaves[i].index)->cpuid_array;
  return NULL;
}

// 0: only SSE state is saved by the operating system, 1: YMM as well, 2: ZMM as well.
static unsigned saved_state(void) {
  const unsigned *regs = read_leaf(1, 0);
  if (!regs || !(regs[2] >> 27 & 1))
    return 0;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6) != 6)
    return 0;
  return (low & 0xe0) == 0xe0 ? 2 : 1;
}

static uint64_t detect_features(void) {
  uint64_t features = 0;
  unsigned state = saved_state();
  for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++) {
    const struct kiln_cpu_feature *feature = &kiln_cpu_features[i];
    if (feature->arch != KILN_CPU_X86_64 || feature->state > state)
      continue;
    const unsigned *regs = read_leaf(feature->leaf, feature->subleaf);
    if (regs && regs[feature->reg] >> feature->bit & 1)
      features |= UINT64_C(1) << i;
  }
  return features;
}
#define NATIVE_ARCH KILN_CPU_X86_64

#elif defined(__aarch64__)
static uint64_t detect_features(void) {
  uint64_t features = 0, capabilities = getauxval(AT_HWCAP);
  for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (kiln_cpu_features[i].arch == KILN_CPU_AARCH64 && capabilities >> kiln_cpu_features[i].bit & 1)
      features |= UINT64_C(1) << i;
  return features;
}
#define NATIVE_ARCH KILN_CPU_AARCH64
#endif

// The family that the processor tells, of which AMD's from Zen on have numbers of their own. 0: none.
enum { AMD_ZEN_3 = 0x19 }; // and Zen 4; later ones have higher numbers
static unsigned family(void) {
#if defined(__x86_64__)
  const unsigned *regs = read_leaf(1, 0);
  return regs ? (regs[0] >> 8 & 15) + (regs[0] >> 20 & 255) : 0;
#else
  return 0;
#endif
}

// A set of features that many processors have. Levels are listed from low to high.
static bool is_level(const struct kiln_cpu_model *model) {
  return !strncmp(model->name, "x86-64", 6) || !strcmp(model->name, "aarch64");
}

const struct kiln_cpu_model *kiln_cpu_best_model(enum kiln_cpu_arch arch, uint64_t features, unsigned family) {
  const struct kiln_cpu_model *best = NULL;
  uint64_t avx512 = UINT64_C(1) << KILN_CPU_AVX512F;
  for (uint32_t i = 0; i < kiln_cpu_model_count; i++) {
    const struct kiln_cpu_model *model = &kiln_cpu_models[i];
    bool is_zen = family >= AMD_ZEN_3 && model->features & avx512 && !strncmp(model->name, "znver", 5);
    if (model->arch == arch && (is_level(model) || is_zen) && !(kiln_cpu_close(model->features) & ~features))
      best = model;
  }
  return best;
}

// The best model for what is there, plus what is there beyond it. A feature counts only with all that it implies (a
// hypervisor may hide some).
enum kiln_status kiln_cpu_native(struct kiln_cpu *out, struct kiln_report *report) {
#if defined(NATIVE_ARCH)
  uint64_t found = detect_features(), features = 0;
  for (unsigned i = 0; i < KILN_CPU_FEATURE_COUNT; i++)
    if (found >> i & 1 && !(kiln_cpu_close(UINT64_C(1) << i) & ~found))
      features |= UINT64_C(1) << i;
  (void)report;
  const struct kiln_cpu_model *best = kiln_cpu_best_model(NATIVE_ARCH, features, family());
  if (!best)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "this CPU lacks the features that every target of Kiln needs");
  out->model = best;
  out->features = features;
  return KILN_OK;
#else
  (void)out;
  return kiln_fail(report, KILN_ERR_UNAVAILABLE, "Kiln generates no code for this machine's processor");
#endif
}

uint64_t kiln_cpu_largest_cache(void) {
  uint64_t most = 0;
#if defined(__x86_64__)
  static const unsigned leaves[2] = {0x8000001du, 4}; // of AMD, of others: the same form
  for (unsigned i = 0; i < 2 && !most; i++) {
    bool is_there = (unsigned)__get_cpuid_max(leaves[i] & 0x80000000u, NULL) >= leaves[i];
    for (unsigned n = 0; is_there && n < 16; n++) {
      unsigned a, b, c, d;
      __cpuid_count(leaves[i], n, a, b, c, d);
      uint64_t ways = (b >> 22) + 1, parts = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
      uint64_t size = ways * parts * line * ((uint64_t)c + 1);
      is_there = a & 31; // the type: 0 after the last cache
      if (is_there && size > most)
        most = size;
    }
  }
#endif
  return most;
}

// ---- slots ----------------------------------------------------------------------------------------------------------

enum kiln_status kiln_cpu_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  struct kiln_cpu cpu;
  enum kiln_status status = parse(arch, &cpu, report);
  if (!status)
    to_target(&cpu, out);
  return status;
}

enum kiln_status kiln_cpu_detect_target(struct kiln_target *out, struct kiln_report *report) {
  struct kiln_cpu cpu;
  enum kiln_status status = kiln_cpu_native(&cpu, report);
  if (!status)
    to_target(&cpu, out);
  return status;
}

bool kiln_cpu_supports_target(const struct kiln_target *target) {
  struct kiln_cpu cpu;
  struct kiln_target again;
  if (strcmp(target->backend, "cpu") || kiln_cpu_from_target(target, &cpu, NULL))
    return false;
  to_target(&cpu, &again);
  return !strcmp(again.arch, target->arch) && !strcmp(again.features, target->features);
}

bool kiln_cpu_compatible_target(const struct kiln_target *target, uint32_t index, struct kiln_target *out) {
  struct kiln_cpu cpu;
  if (kiln_cpu_from_target(target, &cpu, NULL))
    return false;
  for (uint32_t i = kiln_cpu_model_count; i-- > 0;) {
    struct kiln_cpu level = {&kiln_cpu_models[i], kiln_cpu_close(kiln_cpu_models[i].features)};
    bool runs = level.model->arch == cpu.model->arch && is_level(level.model) && !(level.features & ~cpu.features);
    if (!runs || (level.model == cpu.model && level.features == cpu.features) || index--)
      continue;
    to_target(&level, out);
    return true;
  }
  return false;
}

void kiln_cpu_list_targets(kiln_name_fn *fn, void *user) {
  fn(user, "native", "this machine's own processor");
  for (uint32_t i = 0; i < kiln_cpu_model_count; i++)
    fn(user, kiln_cpu_models[i].name, kiln_cpu_models[i].description);
}

bool kiln_cpu_has_bfloat_pairs(const struct kiln_cpu *cpu) {
  return kiln_cpu_has(cpu, KILN_CPU_AVX512BF16) && !strncmp(cpu->model->name, "znver", 5);
}

void kiln_cpu_caps(const struct kiln_target *target, struct kiln_caps *out) {
  struct kiln_cpu cpu = {0};
  memset(out, 0, sizeof *out);
  if (kiln_cpu_from_target(target, &cpu, NULL))
    return;
  out->fma = cpu.model->arch == KILN_CPU_AARCH64 || kiln_cpu_has(&cpu, KILN_CPU_FMA);
  out->fp16 = true; // by way of float, rounded after every operation
  out->fp64 = true;
  out->int64_atomics = true;
  out->generic_space = true;
  out->keep_calls = true;
  out->partial_groups = true;
  out->scalarise = true;
  out->analyse = true;
  out->unroll = true;
  out->narrow = true;
  out->unroll_transpose = true;
  out->scalar_replacement = true;
  out->small_ids = true;
  out->widen = true;
  out->small_masks = target->warp_size;
  out->unit_versions = true;
  out->may_merge = true;
  out->merged_groups = target->warp_size; // where the option shape asks for it
  out->inline_math = true;
  out->bfloat_pairs = kiln_cpu_has_bfloat_pairs(&cpu);
  out->sub_groups = KILN_SUB_GROUPS_NATIVE;
  out->max_sub_groups = KILN_CPU_MAX_GROUP / target->warp_size;
}
