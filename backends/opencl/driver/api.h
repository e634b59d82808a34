// libOpenCL, opened at run time. Nothing links it: a machine without it can still load the library.
#ifndef KILN_BACKENDS_OPENCL_API_H
#define KILN_BACKENDS_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "kiln/backend.h"

#define KILN_CL_LIBRARY "libOpenCL.so.1"

struct cl_api {
#define CL_SYMBOL(name) __typeof__(&name) name;
#include "backends/opencl/print/symbols.def"
};

// Opens the library, which then stays: drivers do not survive being unloaded. UNAVAILABLE says what is missing.
enum kiln_status kiln_cl_api_open(struct cl_api *api, const char *library, struct kiln_report *report);

// A sentence for an error code; static lifetime.
enum kiln_status kiln_cl_error_status(cl_int code);
// Reports "WHAT: sentence (CL_NAME, -5)" and returns the status that fits the code.
enum kiln_status kiln_cl_report(struct kiln_report *report, cl_int code, const char *what);

#endif
