// Conditional and comma operators.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: -1 3 40 50
kernel void k(global int *o) {
  int i = get_global_id(0), j;
  int x = (j = i * 2, j + 1);
  o[i] = i < 2 ? i ? x : -x : (x > 5 ? 50 : 40);
}
