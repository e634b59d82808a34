// switch with default in the middle and separate cases.
// run: -g 8 -p 0:i32 zero:i32:8
// expect: 0: 100 -1 -1 34 34 -1 6 -1
kernel void k(global int *o) {
  int n = get_global_id(0), r;
  switch (n) {
  case 0: r = 100; break;
  case 3:
  case 4: r = 34; break;
  default: r = -1; break;
  case 6: r = 6; break;
  }
  o[n] = r;
}
