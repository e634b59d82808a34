// Pointers held in a private struct.
// run: -g 4 -p 0:i32 -p 1:i32 iota:i32:4 zero:i32:4
// expect: 0: 0 1 2 3
// expect: 1: 0 3 6 9
typedef struct { global int *in, *out; int n; } view;
void run(view v) { v.out[v.n] = v.in[v.n] * v.in[3]; }
kernel void k(global int *a, global int *b) {
  view v;
  v.in = a;
  v.out = b;
  v.n = get_global_id(0);
  run(v);
}
