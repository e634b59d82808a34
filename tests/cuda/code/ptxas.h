// NVIDIA's assembler, where there is one: KILN_PTXAS names it, or it is in PATH.
#ifndef KILN_TESTS_CUDA_CODE_PTXAS_H
#define KILN_TESTS_CUDA_CODE_PTXAS_H

#include <stddef.h>

// Its name, if it has code for the target; else, and where no device has the number, NULL.
const char *find_ptxas(const char *arch);
// Its exit status; -1: it did not run. What it writes goes to log, cut to its size.
int run_ptxas(const char *ptxas, const char *arch, const char *text, size_t size, char *log, size_t log_size);

#endif
