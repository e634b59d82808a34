// #include of a file beside the kernel.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 42 43
#include "include/offset.h"
#include "include/offset.h"
kernel void k(global int *o) { o[get_global_id(0)] = get_global_id(0) + OFFSET + helper(1); }
