// A value that the parameter's type does not hold is refused by name.
// run: -g 4 zero:i32:4 i64=5000000000
// fails: 'n'
kernel void k(global int *o, int n) { o[get_global_id(0)] = n; }
