// Where the local memory of work-groups lies.
#include "cpu_test.h"

// Stores across two pages take several times as long.
Test(cpu_local, small_memory_lies_in_one_page) {
  static const char text[] = "kiln_ir 1\n"
                             "global $0 \"tile\" local size 3584 align 4\n"
                             "kernel @where(%first: ptr.global) {\n"
                             "  %id = group_id 0 : i64\n"
                             "  %at = padd %first, %id * 8\n"
                             "  %tile = ptoi $0 : i64\n"
                             "  store %at, %tile, align 8\n"
                             "  return\n"
                             "}\n";
  struct machine m;
  cr_assert(machine_open(&m, "cpu", NULL));
  struct kiln_program *program = machine_program(&m, text, NULL);
  uint64_t first[64] = {0};
  void *before[20]; // so that the memory of each run begins elsewhere
  for (int i = 0; i < 20; i++) {
    cr_assert(before[i] = malloc(500));
    machine_run(&m, program, NULL, (uint64_t[3]){64 * 8}, (uint64_t[3]){8}, (void *[]){first}, (size_t[]){sizeof first},
                1);
    for (int k = 0; k < 64; k++)
      cr_assert_eq(first[k] / 4096, (first[k] + 3583) / 4096, "group %d: %#llx", k, (unsigned long long)first[k]);
  }
  for (int i = 0; i < 20; i++)
    free(before[i]);
  kiln_program_release(program);
  machine_close(&m);
}
