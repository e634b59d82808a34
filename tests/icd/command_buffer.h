// The calls of cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch, which the loader does not export, nor
// have all headers those of this version: by names that end with "_".
#ifndef KILN_TESTS_ICD_COMMAND_BUFFER_H
#define KILN_TESTS_ICD_COMMAND_BUFFER_H

#include "icd_test.h"

#include "../../icd/command_buffer.h"

#define ENTRY(result, name, parameters) static result(CL_API_CALL *name##_) parameters;
#include "../../icd/command_buffer.def"

static inline void command_buffer_find(cl_platform_id platform) {
#define ENTRY(result, name, parameters)                                                                                \
  CHECK((name##_ = (result(CL_API_CALL *) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name)) !=     \
        NULL);
#include "../../icd/command_buffer.def"
}

// The end of a call that records: no wait list, no synchronization point, no handle.
#define PLAIN 0, NULL, NULL, NULL

#endif
