// How the loader finds the driver (cl_khr_icd): two exported functions and the dispatch table of all calls.
#include <string.h>

#include "icd/icd.h"

// An entry that exists on Windows alone, whatever its arguments are.
static cl_int none(void) { return CL_INVALID_OPERATION; }

const cl_icd_dispatch icd_dispatch = {
#define ENTRY(name) .name = name,
#define NONE(name) .name = (void *)none,
#include "icd/dispatch.def"
};

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
    {"clGetKernelSubGroupInfoKHR", (void *)clGetKernelSubGroupInfoKHR},
    {"clCreateProgramWithILKHR", (void *)clCreateProgramWithIL},
#define ENTRY(name) {#name, (void *)name},
#include "icd/usm.def"
#define ENTRY(result, name, parameters) {#name, (void *)icd_##name},
#include "icd/command_buffer.def"
#define ENTRY(name) {#name, (void *)name},
#define NONE(name)
#include "icd/dispatch.def"
};

ICD_EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms) {
  return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

// By a name of its own: the driver's exported function is the loader's inside of a program that is linked to the
// loader.
static void *function_of(const char *name) {
  for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].function;
  return NULL;
}

ICD_EXPORT void *clGetExtensionFunctionAddress(const char *name) { return function_of(name); }

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  return icd_is(platform, ICD_PLATFORM) ? function_of(name) : NULL;
}
