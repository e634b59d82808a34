// The local size that a launch gets where the host gives none.
#include "backends/common/local_size.h"

#include <criterion/criterion.h>

Test(local_size, rows_first_and_within_all_limits) {
  static const struct {
    uint64_t global[3], limit, most[3], local[3];
  } cases[] = {
      {{1024, 1, 1}, 256, {256, 256, 256}, {256, 1, 1}},       {{1000, 1, 1}, 256, {256, 256, 256}, {250, 1, 1}},
      {{16, 16, 16}, 256, {256, 256, 256}, {16, 16, 1}},       {{16, 16, 16}, 256, {1024, 1024, 64}, {16, 16, 1}},
      {{1, 1, 1024}, 256, {1024, 1024, 64}, {1, 1, 64}},       {{1, 1, 1000}, 256, {1024, 1024, 64}, {1, 1, 50}},
      {{257, 8, 1}, 256, {256, 256, 256}, {1, 8, 1}},          {{3, 5, 7}, 1, {1, 1, 1}, {1, 1, 1}},
      {{1ull << 40, 2, 2}, 256, {256, 256, 256}, {256, 1, 1}},
  };
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    uint64_t local[3];
    kiln_choose_local_size(cases[i].global, cases[i].limit, cases[i].most, local);
    for (int d = 0; d < 3; d++)
      cr_expect_eq(local[d], cases[i].local[d], "case %zu, dimension %d: %llu", i, d, (unsigned long long)local[d]);
  }
  cr_assert_eq(ran, 9);
}
