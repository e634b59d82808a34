// Nested conditions with and without else.
// run: -g 8 -p 1:i32 iota:i32:8 zero:i32:8
// expect: 1: 1 1 1 12 2 12 0 -1
kernel void k(global const int *a, global int *o) {
  int i = get_global_id(0), x = a[i], r = 0;
  if (x < 3)
    r = 1;
  else if (x < 6) {
    r = 2;
    if (x & 1)
      r += 10;
  }
  if (x == 7) r = -1;
  o[i] = r;
}
