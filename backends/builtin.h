// The backends that are linked into the library, in the order of listings; ends with NULL.
#ifndef KILN_BACKENDS_BUILTIN_H
#define KILN_BACKENDS_BUILTIN_H

#include "kiln/backend.h"

extern const struct kiln_base_backend *const kiln_builtin_backends[];

#endif
