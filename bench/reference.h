// The hand-written versions of kernels, and the targets that they are compiled for.
#ifndef KILN_BENCH_REFERENCE_H
#define KILN_BENCH_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

// Does one of parts threads' share. Argument k is the buffer, or the address of the scalar.
typedef void bench_part_fn(void *const *args, size_t part, size_t parts);

struct bench_reference {
  const char *name; // of the kernel; NULL ends a table
  bench_part_fn *run;
};

// reference.c, once per row: the same functions for different instructions.
extern const struct bench_reference bench_reference_native[];
#ifdef BENCH_X86_64
extern const struct bench_reference bench_reference_x86_64_v2[], bench_reference_x86_64_v3[];
#endif

#endif
