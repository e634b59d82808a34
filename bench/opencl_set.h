// The kernel set of the benchmark, as it is and as Kiln prints it, in the same driver.
#ifndef KILN_BENCH_OPENCL_SET_H
#define KILN_BENCH_OPENCL_SET_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

struct kiln_context;

// Prints a line for each kernel and the mean. now: the clock in seconds. False: something failed, and was told.
_Bool bench_opencl_set(cl_context context, cl_device_id device, cl_command_queue queue, struct kiln_context *ctx,
                       int rounds, double (*now)(void));

#endif
