// Too few arguments.
// run: -g 4 zero:i32:4
// fails: argument
kernel void k(global int *o, int n) { o[get_global_id(0)] = n; }
