// select and bitselect on scalars.
// run: -g 3 -p 0:i32 zero:i32:6
// expect: 0: 20 3855 10 3892 20 3637
kernel void k(global int *o) {
  int i = get_global_id(0);
  o[2 * i] = select(10, 20, i - 1);
  o[2 * i + 1] = bitselect(0x0f0f, 0x1234, i * 255);
}
