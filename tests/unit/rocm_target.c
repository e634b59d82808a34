// Targets of the rocm backend: canonical forms, errors, and the table against LLVM's own.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/llvm.h"
#include "backends/rocm/code/target.h"
#include "backends/rocm/compile.h"
#include "jit/report.h"

static const struct {
  const char *arch, *name, *features;
  uint32_t warp;
} good[] = {
    {"gfx900", "gfx900", "", 64},
    {"gfx90a", "gfx90a", "", 64},
    {"gfx90a:xnack-:sramecc+", "gfx90a", ":sramecc+:xnack-", 64},
    {"gfx90a:sramecc-", "gfx90a", ":sramecc-", 64},
    {"gfx90a:wavefrontsize64+", "gfx90a", "", 64},
    {"gfx942:xnack+:xnack-", "gfx942", ":xnack-", 64},
    {"gfx1100", "gfx1100", "", 32},
    {"gfx1100:wavefrontsize32+", "gfx1100", "", 32},
    {"gfx1100:wavefrontsize64+", "gfx1100", ":wavefrontsize64+", 64},
    {"gfx1100:wavefrontsize32-", "gfx1100", ":wavefrontsize64+", 64},
    {"gfx1030:cumode-", "gfx1030", "", 32},
    {"gfx1010:xnack-:wavefrontsize64+:cumode+", "gfx1010", ":cumode+:wavefrontsize64+:xnack-", 64},
    {"gfx9-generic:xnack+", "gfx9-generic", ":xnack+", 64},
    {"gfx12-generic", "gfx12-generic", "", 32},
};

Test(rocm_target, canonical) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++, count++) {
    struct kiln_target target, again;
    struct kiln_report report = {0};
    cr_assert_eq(kiln_rocm_make_target(good[i].arch, &target, &report), KILN_OK, "%s: %s", good[i].arch,
                 kiln_report_text(&report));
    cr_assert_str_eq(target.backend, "rocm", "%s", good[i].arch);
    cr_assert_str_eq(target.arch, good[i].name, "%s: %s", good[i].arch, target.arch);
    cr_assert_str_eq(target.features, good[i].features, "%s: %s", good[i].arch, target.features);
    cr_assert_eq(target.warp_size, good[i].warp, "%s: %u", good[i].arch, target.warp_size);
    cr_assert(kiln_rocm_supports_target(&target), "%s", good[i].arch);
    char arch[400];
    snprintf(arch, sizeof arch, "%s%s", target.arch, target.features);
    cr_assert_eq(kiln_rocm_make_target(arch, &again, &report), KILN_OK, "%s: %s", arch, kiln_report_text(&report));
    cr_assert_eq(memcmp(&target, &again, sizeof target), 0, "%s is not canonical", arch);
    kiln_report_free(&report);
  }
  cr_assert_eq(count, 14);
}

static const struct {
  const char *arch, *says;
} bad[] = {
    {"gfx", "knows no processor 'gfx'"},
    {"gfx803", "the nearest names are"},
    {"gfx943", "gfx942"},
    {"GFX90A", "knows no processor"},
    {"gfx90a:", "knows no feature ''"},
    {"gfx90a:xnack", "knows no feature 'xnack'"},
    {"gfx90a:xnack*", "knows no feature 'xnack*'"},
    {"gfx90a:cumode+", "it takes sramecc, wavefrontsize64, xnack"},
    {"gfx1100:xnack-", "it takes cumode, wavefrontsize32, wavefrontsize64"},
    {"gfx90a:wavefrontsize64-", "waves of 64"},
    {"gfx90a:wavefrontsize32+", "knows no feature 'wavefrontsize32+'"},
    {"native", "knows no processor 'native'"},
    {"gfx950", "'gfx950' needs LLVM 20, and Kiln uses LLVM 19; it runs code of no processor"},
    {"gfx1153", "whose code it runs is gfx11-generic"},
};

Test(rocm_target, errors) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++, count++) {
    struct kiln_target target;
    struct kiln_report report = {0};
    cr_assert_eq(kiln_rocm_make_target(bad[i].arch, &target, &report), KILN_ERR_NOT_FOUND, "%s", bad[i].arch);
    cr_assert(strstr(kiln_report_text(&report), bad[i].says), "%s: %s", bad[i].arch, kiln_report_text(&report));
    kiln_report_free(&report);
  }
  cr_assert_eq(count, 14);
}

static const struct {
  const char *target, *isa;
  bool runs;
} pairs[] = {
    {"gfx90a", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", true},
    {"gfx90a:xnack-", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", true},
    {"gfx90a:xnack+", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", false},
    {"gfx90a:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", true},
    {"gfx908", "amdgcn-amd-amdhsa--gfx90a", false},
    {"gfx1100", "amdgcn-amd-amdhsa--gfx1100", true},
    {"gfx1100", "gfx1100", false},
    {"gfx9-generic", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", true},
    {"gfx9-generic", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", false},
    {"gfx9-generic:xnack-", "amdgcn-amd-amdhsa--gfx900:xnack+", false},
    {"gfx10-1-generic", "amdgcn-amd-amdhsa--gfx1012:xnack-", true},
    {"gfx10-1-generic", "amdgcn-amd-amdhsa--gfx1030", false},
    {"gfx10-3-generic", "amdgcn-amd-amdhsa--gfx1036", true},
    {"gfx11-generic", "amdgcn-amd-amdhsa--gfx1151", true},
    {"gfx11-generic", "amdgcn-amd-amdhsa--gfx1200", false},
    {"gfx12-generic", "amdgcn-amd-amdhsa--gfx1201", true},
};

Test(rocm_target, runs_on) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++, count++) {
    struct kiln_rocm_target target;
    cr_assert_eq(kiln_rocm_parse(pairs[i].target, &target, NULL), KILN_OK, "%s", pairs[i].target);
    cr_assert_eq(kiln_rocm_runs_on(&target, pairs[i].isa), pairs[i].runs, "%s on %s", pairs[i].target, pairs[i].isa);
  }
  cr_assert_eq(count, 16);
}

// Where there is no kernel driver, the reason is told without touching HSA.
Test(rocm_target, detection) {
  struct kiln_target target;
  struct kiln_report report = {0};
  enum kiln_status status = kiln_rocm_detect_target(&target, &report);
  cr_assert(status == KILN_OK || status == KILN_ERR_UNAVAILABLE, "%s", kiln_status_name(status));
  if (status)
    cr_assert(strstr(kiln_report_text(&report), "/dev/kfd") || strstr(kiln_report_text(&report), "GPU"), "%s",
              kiln_report_text(&report));
  kiln_report_free(&report);
}

// Every processor of LLVM from gfx900 on is a row, with the same number and features, and no row is more.
Test(rocm_target, table_is_llvms) {
  const struct kiln_llvm_api *api;
  struct kiln_report report = {0};
  if (kiln_llvm_load(&api, &report) == KILN_ERR_UNAVAILABLE)
    cr_skip_test("%s", kiln_report_text(&report));
  char *names = api->cpu_features("amdgcn-amd-amdhsa", "");
  cr_assert(names);
  uint32_t found = 0;
  for (char *save, *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
    char *line = api->cpu_features("amdgcn-amd-amdhsa", name);
    cr_assert(line, "%s", name);
    unsigned isa = (unsigned)atoi(line);
    // Old names ("tahiti") are aliases of numbers below gfx900.
    if (isa >= 9000) {
      struct kiln_rocm_target target;
      cr_assert_eq(kiln_rocm_parse(name, &target, NULL), KILN_OK, "%s is not in rocm.def", name);
      const struct kiln_rocm_model *model = target.model;
      cr_assert_eq(model->isa, isa, "%s: %u, LLVM: %u", name, model->isa, isa);
      cr_assert_eq(!(model->flags & KILN_ROCM_XNACK), !strstr(line, "xnack"), "%s: xnack, LLVM: %s", name, line);
      cr_assert_eq(!(model->flags & KILN_ROCM_SRAMECC), !strstr(line, "sramecc"), "%s: sramecc, LLVM: %s", name, line);
      cr_assert_eq(!(model->flags & KILN_ROCM_WAVE32), !strstr(line, "wavefrontsize32"), "%s: wave32, LLVM: %s", name,
                   line);
      cr_assert_eq(!(model->flags & KILN_ROCM_DOTS), !strstr(line, "dot7-insts"), "%s: dots, LLVM: %s", name, line);
      cr_assert_eq(!(model->flags & KILN_ROCM_MIXED_DOTS), !strstr(line, "dot8-insts"), "%s: dots, LLVM: %s", name,
                   line);
      found++;
    }
    free(line);
  }
  free(names);
  cr_assert_eq(found, kiln_rocm_model_count, "LLVM knows %u of %u", found, kiln_rocm_model_count);
  kiln_report_free(&report);
}
