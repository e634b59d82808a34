// The list of built-in backends. The build defines KILN_HAVE_… for those that it has.
#include "backends/builtin.h"

#include "backends/interp/table.h"
#ifdef KILN_HAVE_OPENCL
#include "backends/opencl/table.h"
#endif

#ifdef KILN_HAVE_CPU
extern const struct kiln_base_backend kiln_cpu_backend;
#endif
#ifdef KILN_HAVE_ROCM
extern const struct kiln_base_backend kiln_rocm_backend;
#endif
#ifdef KILN_HAVE_CUDA
extern const struct kiln_base_backend kiln_cuda_backend;
#endif

const struct kiln_base_backend *const kiln_builtin_backends[] = {
#ifdef KILN_HAVE_CPU
    &kiln_cpu_backend,
#endif
#ifdef KILN_HAVE_ROCM
    &kiln_rocm_backend,
#endif
#ifdef KILN_HAVE_CUDA
    &kiln_cuda_backend,
#endif
#ifdef KILN_HAVE_OPENCL
    &kiln_opencl_backend,
#endif
    &kiln_interp_backend, NULL,
};
