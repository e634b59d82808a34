#include "no_such_file.h"
kernel void k(global missing_type *p) { p[0] = MISSING; }
// expect: 1:10: fatal error: 'no_such_file.h' file not found
