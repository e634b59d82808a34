// The calls of cl_intel_unified_shared_memory, which the loader does not export: by names that end with "_".
#ifndef KILN_TESTS_ICD_USM_H
#define KILN_TESTS_ICD_USM_H

#include "icd_test.h"

#define ENTRY(name) static name##_fn name##_;
#include "../../icd/usm.def"

static inline void usm_find(cl_platform_id platform) {
#define ENTRY(name) CHECK((name##_ = (name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name)) != NULL);
#include "../../icd/usm.def"
}

#endif
