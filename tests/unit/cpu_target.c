// CPU targets: parsing, canonical forms, and our tables against LLVM's.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "jit/report.h"

static const char *canonical(const char *arch) {
  static char text[512];
  struct kiln_target target;
  struct kiln_report report = {0};
  enum kiln_status status = kiln_cpu_make_target(arch, &target, &report);
  if (status)
    snprintf(text, sizeof text, "error: %s", kiln_report_text(&report));
  else
    snprintf(text, sizeof text, "%s %s %u", target.arch, target.features, target.warp_size);
  kiln_report_free(&report);
  return text;
}

Test(cpu_target, canonical_forms) {
  static const struct {
    const char *arch, *want;
  } cases[] = {
      {"x86-64", "x86-64  4"},
      {"x86-64-v3", "x86-64-v3  8"},
      {"x86-64-v4", "x86-64-v4  16"},
      {"znver4+avx2", "znver4  16"},
      {"x86-64+avx2+fma", "x86-64 +fma+avx2 8"},
      {"x86-64+fma+avx2", "x86-64 +fma+avx2 8"},
      {"x86-64+avx2+avx", "x86-64 +avx2 8"},
      {"x86-64-v3-avx2", "x86-64-v3 -avx2 4"},
      {"x86-64-v4-avx512f", "x86-64-v4 -avx512f 8"},
      {"x86-64-v4-avx512f+avx512f", "x86-64-v4 -avx512cd-avx512bw-avx512dq-avx512vl 16"},
      {"haswell-fma", "haswell -fma 8"},
      {"x86-64-v2+f16c", "x86-64-v2 +f16c 4"},
      {"aarch64", "aarch64  4"},
      {"neoverse-n1-lse", "neoverse-n1 -lse 4"},
      {"aarch64+dotprod", "aarch64 +dotprod 4"},
  };
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++)
    cr_expect_str_eq(canonical(cases[i].arch), cases[i].want, "%s: %s, not %s", cases[i].arch, canonical(cases[i].arch),
                     cases[i].want);
  cr_assert_eq(ran, 15);
}

Test(cpu_target, errors_name_the_nearest) {
  static const struct {
    const char *arch, *want;
  } cases[] = {
      {"znver9", "znver1"},
      {"hasswell", "haswell"},
      {"x86_64", "x86-64"},
      {"x86-64+avx3", "avx"},
      {"aarch64+avx2", "no feature 'avx2' of aarch64"},
      {"neoverse-n9", "neoverse-n1"},
      {"natve", "native"},
      {"znver6", "the nearest CPU whose code it runs is znver5"},
      {"diamondrapids+avx", "'diamondrapids' needs LLVM 20"},
  };
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++)
    cr_expect(strstr(canonical(cases[i].arch), "error: ") && strstr(canonical(cases[i].arch), cases[i].want), "%s: %s",
              cases[i].arch, canonical(cases[i].arch));
  cr_assert_eq(ran, 9);
}

// Every subset of two features on every CPU is canonical after one round.
Test(cpu_target, canonical_is_a_fixed_point) {
  unsigned ran = 0;
  for (uint32_t m = 0; m < kiln_cpu_model_count; m++)
    for (unsigned a = 0; a < KILN_CPU_FEATURE_COUNT; a++)
      for (unsigned b = 0; b < KILN_CPU_FEATURE_COUNT; b++) {
        const struct kiln_cpu_model *model = &kiln_cpu_models[m];
        if (kiln_cpu_features[a].arch != model->arch || kiln_cpu_features[b].arch != model->arch)
          continue;
        char arch[128], again[512];
        snprintf(arch, sizeof arch, "%s-%s+%s", model->name, kiln_cpu_features[a].name, kiln_cpu_features[b].name);
        struct kiln_target target, second;
        struct kiln_report report = {0};
        cr_assert_eq(kiln_cpu_make_target(arch, &target, &report), KILN_OK, "%s", arch);
        cr_assert(kiln_cpu_supports_target(&target), "%s", arch);
        snprintf(again, sizeof again, "%s%s", target.arch, target.features);
        cr_assert_eq(kiln_cpu_make_target(again, &second, &report), KILN_OK, "%s", again);
        cr_assert_eq(memcmp(&target, &second, sizeof target), 0, "%s: %s then %s", arch, target.features,
                     second.features);
        ran++;
      }
  cr_assert_gt(ran, 20000);
}

// Processors of a family have costs of their own, which come by the model's name.
Test(cpu_target, families_of_amd_are_models) {
  static const struct {
    const char *features_of, *expect;
    unsigned family;
  } rows[] = {
      {"znver4", "znver4", 0x19},    {"znver5", "znver5", 0x1a},         {"znver4", "x86-64-v4", 6},
      {"znver3", "x86-64-v3", 0x19}, {"sapphirerapids", "x86-64-v4", 6}, {"x86-64-v4", "x86-64-v4", 0x19},
      {"x86-64", "x86-64", 0x17},    {"sapphirerapids", "znver5", 0x1a},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct kiln_target target;
    struct kiln_cpu cpu;
    cr_assert_eq(kiln_cpu_make_target(rows[i].features_of, &target, NULL), KILN_OK);
    cr_assert_eq(kiln_cpu_from_target(&target, &cpu, NULL), KILN_OK);
    const struct kiln_cpu_model *model = kiln_cpu_best_model(KILN_CPU_X86_64, cpu.features, rows[i].family);
    cr_expect_str_eq(model ? model->name : "none", rows[i].expect, "row %zu: %s", i, model ? model->name : "none");
  }
}

Test(cpu_target, native_is_resolved) {
  struct kiln_target native, detected;
  struct kiln_report report = {0};
  cr_assert_eq(kiln_cpu_make_target("native", &native, &report), KILN_OK);
  cr_assert_eq(kiln_cpu_detect_target(&detected, &report), KILN_OK);
  cr_expect_eq(memcmp(&native, &detected, sizeof native), 0);
  cr_expect_null(strstr(native.arch, "native"));
}

static bool listed(const char *list, const char *name) {
  size_t size = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at++)
    if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == 0))
      return true;
  return false;
}

// LLVM must know every name, and mean the same by it; otherwise it ends the process or generates other code.
Test(cpu_target, tables_agree_with_llvm) {
  const struct kiln_llvm_api *api;
  struct kiln_report report = {0};
  cr_assert_eq(kiln_llvm_load(&api, &report), KILN_OK, "%s", kiln_report_text(&report));
  unsigned ran = 0;
  for (uint32_t m = 0; m < kiln_cpu_model_count; m++) {
    const struct kiln_cpu_model *model = &kiln_cpu_models[m];
    bool x86 = model->arch == KILN_CPU_X86_64;
    if (!x86 && !strcmp(model->llvm_name, "generic"))
      continue; // LLVM's generic is not in its table of products
    char *features =
        api->cpu_features(x86 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu", model->llvm_name);
    cr_expect_not_null(features, "LLVM knows no '%s'", model->llvm_name);
    for (unsigned i = 0; features && i < KILN_CPU_FEATURE_COUNT; i++) {
      if (kiln_cpu_features[i].arch != model->arch)
        continue;
      bool ours = kiln_cpu_close(model->features) >> i & 1;
      const char *name = kiln_cpu_features[i].name;
      if (!strcmp(name, "avx512f") && !ours)
        continue;
      cr_expect_eq(ours, listed(features, name), "%s: %s is %s in our table; LLVM has %s", model->name, name,
                   ours ? "on" : "off", features);
      ran++;
    }
    free(features);
  }
  cr_assert_gt(ran, 700, "%u", ran);
}
