// The estimate of occupancy beside what llc 19 writes into its assembly ("; Occupancy: N") of the same kernels.
#include <criterion/criterion.h>

#include "backends/rocm/code/occupancy.h"

static const struct {
  const char *arch;
  uint32_t vgprs, agprs, sgprs, local_bytes, group, waves;
} cases[] = {
    {"gfx900", 3, 0, 10, 40000, 256, 1},
    {"gfx900", 3, 0, 10, 4096, 1024, 8},
    {"gfx900", 3, 0, 10, 1280, 32, 10},
    {"gfx900", 124, 0, 12, 0, 256, 2},
    {"gfx900", 234, 0, 12, 0, 256, 1},
    {"gfx900", 226, 0, 14, 0, 256, 1},
    {"gfx900", 30, 0, 11, 0, 256, 8},
    {"gfx908", 3, 0, 10, 40000, 256, 1},
    {"gfx908", 3, 0, 10, 4096, 1024, 8},
    {"gfx908", 3, 0, 10, 1280, 32, 10},
    {"gfx908", 120, 0, 12, 0, 256, 2},
    {"gfx908", 234, 0, 12, 0, 256, 1},
    {"gfx908", 226, 0, 14, 0, 256, 1},
    {"gfx908", 30, 0, 11, 0, 256, 8},
    {"gfx90a", 3, 0, 10, 40000, 256, 1},
    {"gfx90a", 3, 0, 10, 4096, 1024, 8},
    {"gfx90a", 3, 0, 10, 1280, 32, 8},
    {"gfx90a", 138, 0, 12, 0, 256, 3},
    {"gfx90a", 224, 0, 12, 0, 256, 2},
    {"gfx90a", 258, 2, 14, 0, 256, 1},
    {"gfx90a", 59, 0, 11, 0, 256, 8},
    {"gfx942", 3, 0, 8, 40000, 256, 1},
    {"gfx942", 3, 0, 8, 4096, 1024, 8},
    {"gfx942", 3, 0, 8, 1280, 32, 8},
    {"gfx942", 144, 0, 14, 0, 256, 3},
    {"gfx942", 224, 0, 14, 0, 256, 2},
    {"gfx942", 258, 2, 18, 0, 256, 1},
    {"gfx942", 59, 0, 13, 0, 256, 8},
    {"gfx1010", 3, 0, 6, 40000, 256, 6},
    {"gfx1010", 3, 0, 6, 4096, 1024, 16},
    {"gfx1010", 3, 0, 6, 1280, 32, 20},
    {"gfx1010", 136, 0, 10, 0, 256, 7},
    {"gfx1010", 190, 0, 9, 0, 256, 5},
    {"gfx1010", 226, 0, 9, 0, 256, 4},
    {"gfx1010", 44, 0, 9, 0, 256, 20},
    {"gfx1030", 3, 0, 6, 40000, 256, 6},
    {"gfx1030", 3, 0, 6, 4096, 1024, 16},
    {"gfx1030", 3, 0, 6, 1280, 32, 16},
    {"gfx1030", 136, 0, 10, 0, 256, 7},
    {"gfx1030", 190, 0, 9, 0, 256, 5},
    {"gfx1030", 226, 0, 9, 0, 256, 4},
    {"gfx1030", 55, 0, 9, 0, 256, 16},
    {"gfx1100", 3, 0, 2, 40000, 256, 6},
    {"gfx1100", 3, 0, 2, 4096, 1024, 16},
    {"gfx1100", 3, 0, 2, 1280, 32, 16},
    {"gfx1100", 142, 0, 18, 0, 256, 10},
    {"gfx1100", 256, 0, 18, 0, 256, 5},
    {"gfx1100", 226, 0, 18, 0, 256, 6},
    {"gfx1100", 55, 0, 18, 0, 256, 16},
    {"gfx1102", 3, 0, 2, 40000, 256, 6},
    {"gfx1102", 3, 0, 2, 4096, 1024, 16},
    {"gfx1102", 3, 0, 2, 1280, 32, 16},
    {"gfx1102", 148, 0, 18, 0, 256, 6},
    {"gfx1102", 256, 0, 18, 0, 256, 4},
    {"gfx1102", 226, 0, 18, 0, 256, 4},
    {"gfx1102", 55, 0, 18, 0, 256, 16},
    {"gfx1201", 3, 0, 2, 40000, 256, 6},
    {"gfx1201", 3, 0, 2, 4096, 1024, 16},
    {"gfx1201", 3, 0, 2, 1280, 32, 16},
    {"gfx1201", 142, 0, 7, 0, 256, 10},
    {"gfx1201", 182, 0, 7, 0, 256, 8},
    {"gfx1201", 226, 0, 8, 0, 256, 6},
    {"gfx1201", 55, 0, 6, 0, 256, 16},
    {"gfx11-generic", 3, 0, 2, 40000, 256, 6},
    {"gfx11-generic", 3, 0, 2, 4096, 1024, 16},
    {"gfx11-generic", 3, 0, 2, 1280, 32, 16},
    {"gfx11-generic", 148, 0, 18, 0, 256, 6},
    {"gfx11-generic", 256, 0, 18, 0, 256, 4},
    {"gfx11-generic", 226, 0, 18, 0, 256, 4},
    {"gfx11-generic", 55, 0, 18, 0, 256, 16},
    {"gfx1030:wavefrontsize64+", 3, 0, 6, 40000, 256, 3},
    {"gfx1030:wavefrontsize64+", 3, 0, 6, 4096, 1024, 16},
    {"gfx1030:wavefrontsize64+", 3, 0, 6, 1280, 32, 16},
    {"gfx1030:wavefrontsize64+", 127, 0, 12, 0, 256, 4},
    {"gfx1030:wavefrontsize64+", 256, 0, 14, 0, 256, 2},
    {"gfx1030:wavefrontsize64+", 226, 0, 10, 0, 256, 2},
    {"gfx1030:wavefrontsize64+", 43, 0, 9, 0, 256, 10},
    {"gfx1100:wavefrontsize64+", 3, 0, 2, 40000, 256, 3},
    {"gfx1100:wavefrontsize64+", 3, 0, 2, 4096, 1024, 16},
    {"gfx1100:wavefrontsize64+", 3, 0, 2, 1280, 32, 16},
    {"gfx1100:wavefrontsize64+", 146, 0, 8, 0, 256, 4},
    {"gfx1100:wavefrontsize64+", 256, 0, 8, 0, 256, 2},
    {"gfx1100:wavefrontsize64+", 226, 0, 10, 0, 256, 3},
    {"gfx1100:wavefrontsize64+", 44, 0, 7, 0, 256, 16},
    {"gfx1100:cumode+", 3, 0, 2, 40000, 256, 4},
    {"gfx1100:cumode+", 3, 0, 2, 4096, 1024, 16},
    {"gfx1100:cumode+", 3, 0, 2, 1280, 32, 16},
    {"gfx1100:cumode+", 142, 0, 18, 0, 256, 10},
    {"gfx1100:cumode+", 256, 0, 18, 0, 256, 5},
    {"gfx1100:cumode+", 226, 0, 18, 0, 256, 6},
    {"gfx1100:cumode+", 55, 0, 18, 0, 256, 16},
    {"gfx1030:cumode+", 3, 0, 6, 40000, 256, 4},
    {"gfx1030:cumode+", 3, 0, 6, 4096, 1024, 16},
    {"gfx1030:cumode+", 3, 0, 6, 1280, 32, 16},
    {"gfx1030:cumode+", 136, 0, 10, 0, 256, 7},
    {"gfx1030:cumode+", 190, 0, 9, 0, 256, 5},
    {"gfx1030:cumode+", 226, 0, 9, 0, 256, 4},
    {"gfx1030:cumode+", 55, 0, 9, 0, 256, 16},
    {"gfx1201:wavefrontsize64+", 3, 0, 2, 40000, 256, 3},
    {"gfx1201:wavefrontsize64+", 3, 0, 2, 4096, 1024, 16},
    {"gfx1201:wavefrontsize64+", 3, 0, 2, 1280, 32, 16},
    {"gfx1201:wavefrontsize64+", 141, 0, 8, 0, 256, 5},
    {"gfx1201:wavefrontsize64+", 178, 0, 8, 0, 256, 4},
    {"gfx1201:wavefrontsize64+", 226, 0, 10, 0, 256, 3},
    {"gfx1201:wavefrontsize64+", 44, 0, 6, 0, 256, 16},
    {"gfx1010:wavefrontsize64+:cumode+", 3, 0, 6, 40000, 256, 2},
    {"gfx1010:wavefrontsize64+:cumode+", 3, 0, 6, 4096, 1024, 16},
    {"gfx1010:wavefrontsize64+:cumode+", 3, 0, 6, 1280, 32, 20},
    {"gfx1010:wavefrontsize64+:cumode+", 127, 0, 10, 0, 256, 4},
    {"gfx1010:wavefrontsize64+:cumode+", 256, 0, 14, 0, 256, 2},
    {"gfx1010:wavefrontsize64+:cumode+", 226, 0, 10, 0, 256, 2},
    {"gfx1010:wavefrontsize64+:cumode+", 51, 0, 9, 0, 256, 9},
};

Test(rocm_occupancy, as_llvm) {
  size_t count = sizeof cases / sizeof *cases;
  cr_assert_gt(count, 50);
  for (size_t i = 0; i < count; i++) {
    struct kiln_rocm_target target;
    cr_assert_eq(kiln_rocm_parse(cases[i].arch, &target, NULL), KILN_OK, "%s", cases[i].arch);
    struct kiln_rocm_kernel kernel = {.vgprs = cases[i].vgprs,
                                      .agprs = cases[i].agprs,
                                      .sgprs = cases[i].sgprs,
                                      .local_bytes = cases[i].local_bytes,
                                      .max_group_size = cases[i].group};
    uint32_t waves = kiln_rocm_occupancy(&target, &kernel);
    cr_assert_eq(waves, cases[i].waves, "case %zu, %s: %u waves, not %u", i, cases[i].arch, waves, cases[i].waves);
  }
}

Test(rocm_occupancy, never_none) {
  struct kiln_rocm_target target;
  cr_assert_eq(kiln_rocm_parse("gfx1030", &target, NULL), KILN_OK);
  struct kiln_rocm_kernel kernel = {.vgprs = 100000, .local_bytes = 1u << 30, .max_group_size = 1024};
  cr_assert_eq(kiln_rocm_occupancy(&target, &kernel), 1);
}
