// A kernel called as an ordinary function.
// run: -k outer -g 4 -p 0:i32 zero:i32:4
// expect: 0: 5 12 19 26
kernel void inner(global int *o, int v) { o[get_global_id(0)] += v; }
kernel void outer(global int *o) {
  inner(o, 5);
  inner(o, 7 * (int)get_global_id(0));
}
