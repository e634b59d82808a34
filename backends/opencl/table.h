// The backend's table, for the list of built-in backends.
#ifndef KILN_BACKENDS_OPENCL_TABLE_H
#define KILN_BACKENDS_OPENCL_TABLE_H

#include "kiln/backend.h"

extern const struct kiln_base_backend kiln_opencl_backend;

#endif
