// What the list of built-in backends needs of the interpreter.
#ifndef KILN_BACKENDS_INTERP_TABLE_H
#define KILN_BACKENDS_INTERP_TABLE_H

#include "kiln/backend.h"

extern const struct kiln_base_backend kiln_interp_backend;

#endif
