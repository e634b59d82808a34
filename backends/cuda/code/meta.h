// The metadata beside the PTX of a program (docs/cuda.md, "Artifact"): what the text does not say.
#ifndef KILN_BACKENDS_CUDA_CODE_META_H
#define KILN_BACKENDS_CUDA_CODE_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define KILN_CUDA_META_MAGIC 0x3155434bu // "KCU1"
#define KILN_CUDA_META_FEATURES 0x10000u // of the target: sm_90a rather than sm_90

enum kiln_cuda_meta_flags {
  KILN_CUDA_META_TABLE = 1 << 0, // kernels take the addresses of the state variables from kiln_variables[]
};

enum kiln_cuda_kernel_flags {
  KILN_CUDA_KERNEL_PRINTS = 1 << 0,  // it prints or can fail: it needs a print buffer
  KILN_CUDA_KERNEL_ANY = 1 << 1,     // it runs any launch, not only common ones
  KILN_CUDA_KERNEL_DYNAMIC = 1 << 2, // local_bytes are the first ones of the dynamic shared memory
};

struct kiln_cuda_meta_kernel {
  uint32_t flags;           // enum kiln_cuda_kernel_flags
  uint32_t local_bytes;     // of local variables; static shared memory, unless DYNAMIC is set
  uint32_t max_group_size;  // work-items; what .maxntid says
  uint32_t parameter_bytes; // with the hidden block
  struct kiln_str name;     // in the PTX
};

struct kiln_cuda_meta_pointer {
  uint32_t variable, target; // numbers of variables
  uint64_t offset, addend;   // bytes in the variable; added to the target's address
};

// Texts lie in the metadata.
struct kiln_cuda_meta {
  uint32_t target, version; // 90 for sm_90; 60 for .version 6.0
  uint32_t flags;           // enum kiln_cuda_meta_flags
  uint32_t kernel_count, variable_count, state_count, pointer_count;
  struct kiln_cuda_meta_kernel *kernels;
  struct kiln_str *variables; // names in the PTX; the first state_count are the state variables
  struct kiln_cuda_meta_pointer *pointers;
  const void *prints; // print places
  size_t prints_size;
};

// Reads what was written by kiln_cuda_meta_write; anything may be wrong with data. NULL, or what is wrong with it; out
// is to be freed either way.
const char *kiln_cuda_meta_read(const void *data, size_t size, struct kiln_cuda_meta *out);
void kiln_cuda_meta_free(struct kiln_cuda_meta *meta);
// Appends the metadata.
void kiln_cuda_meta_write(const struct kiln_cuda_meta *meta, struct kiln_strbuf *out);

#endif
