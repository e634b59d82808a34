// Implicit arguments of a kernel that compiler and driver know by their offset, and LLVM by no name.
#ifndef KILN_BACKENDS_ROCM_CODE_IMPLICIT_H
#define KILN_BACKENDS_ROCM_CODE_IMPLICIT_H

#define KILN_ROCM_PRINT_ARGUMENT 72 // the address of the buffer of printf (backends/common/prints.h)

#endif
