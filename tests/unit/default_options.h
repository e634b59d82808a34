// Build options as a program without any has them, for tests that call the CPU backend itself.
#ifndef KILN_TESTS_UNIT_DEFAULT_OPTIONS_H
#define KILN_TESTS_UNIT_DEFAULT_OPTIONS_H

#include <criterion/criterion.h>

#include "backends/cpu/cpu.h"

extern const struct kiln_base_backend kiln_cpu_backend;

// Options with the default of every row of the backend's table. values is theirs.
static struct kiln_options default_options(uint32_t optimize, const char *values[32]) {
  cr_assert_leq(kiln_cpu_backend.option_count, 32);
  for (uint32_t i = 0; i < kiln_cpu_backend.option_count; i++)
    values[i] = kiln_cpu_backend.options[i].default_value;
  return (struct kiln_options){.optimize = optimize, .values = values};
}

#endif
