// A syntax error is a diagnostic with place.
// run: -g 4 zero:i32:4
// fails: error: expected
kernel void k(global int *o) { o[get_global_id(0)] = 1 }
