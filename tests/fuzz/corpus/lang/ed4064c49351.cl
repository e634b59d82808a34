// Special values of functions.
// run: -g 1 -p 0:f32 -p 1:i32 zero:f32:12 zero:i32:// Saturating addition and subtraction for all widths.
// run: -g 1 -p 0:i64 zero:i64:10
// expect: 0: 12
// expect: 0: 1 0 -inf -0 3 2 3.1415927 inf -512 5 -0 -0
// expect: 1: 1 1 1 1 1 0 1 1 0 1 1 1
kernel void k(global float *o, global int *n) {
  o[0] = pow(0.0f, 0.0f); o[1] = exp(-INFINITY); o[2] = log(0.0f); o[3] = sqrt(-0.0f); o[4] = fmin(NAN, 3.0f); o[5] = fmax(2.0f, NAN);
  o[6] = atan2(0.0f, -1.0f); o[7] = hypot(INFINITY, NAN); o127 -128 255 0 2147483647 -2147483648 error: 4294967295 9223[8] = pow(-8.0f, 3.0f); o[9] 372036854775