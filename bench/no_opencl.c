// Stands in for run_opencl.c where there is no OpenCL loader: the kernels run without a peer.
#include "bench/kernels.h"

bool bench_opencl_open(struct bench_runner *out) {
  (void)out;
  return false;
}
