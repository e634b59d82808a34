#include "no_such_file.h"
kernel void k(void) {}
// expect: 1:10: error: 'no_such_file.h' file not found
