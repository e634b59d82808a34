// Constant memory as a kernel argument.
// run: -g 4 -p 1:i32 list:i32:10,20,30,40 zero:i32:4
// expect: 1: 30 40 50 20
int look(constant int *t, int i) { return t[i & 3]; }
kernel void k(constant int *t, global int *o) {
  int i = get_global_id(0);
  o[i] = look(t, i + 1) + t[0];
}
