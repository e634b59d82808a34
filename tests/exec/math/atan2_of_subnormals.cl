// Of two subnormal numbers atan2 depends on their ratio as of any others.
// run: -g 6 -p 2:i32 list:u64:2,4,1,3,5,4503599627370495 list:u64:4,2,1,8,12,4503599627370494 zero:i32:6
// expect: 2: 1 1 1 1 1 1
kernel void k(global const ulong *y, global const ulong *x, global int *o) {
  int i = get_global_id(0);
  double right = atan2((double)y[i], (double)x[i]);
  o[i] = fabs(atan2(as_double(y[i]), as_double(x[i])) - right) <= 4e-16;
}
