// What a device's OpenCL C compiler can do, as it stands in a target's features.
#ifndef KILN_BACKENDS_OPENCL_FEATURES_H
#define KILN_BACKENDS_OPENCL_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

struct cl_features {
  unsigned version;    // of OpenCL C: 110, 120, 200, 300
  unsigned group_size; // work-items that a group may have, at least 1,024
#define CL_FEATURE(member, text, meaning) bool member;
#include "backends/opencl/print/features.def"
};

void kiln_cl_features_parse(const char *text, struct cl_features *out);
// The canonical text: the version, then what is there in the order of the table.
void kiln_cl_features_format(const struct cl_features *features, char *out, size_t size);

#endif
