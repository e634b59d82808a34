// The quotient is right where it times the divisor is infinite.
// run: -g 3 -p 2:i32 list:f32:-0x1.bef9b6p+127,7.5,-0x1.fffffep+127 list:f32:0x1.1c12b6p+127,2,0x1.4p+127 zero:i32:3
// expect: 2: -2 4 -2
kernel void k(global const float *x, global const float *y, global int *o) {
  int i = get_global_id(0), quotient;
  remquo(x[i], y[i], &quotient);
  o[i] = quotient;
}
