// A NaN gets the sign, too: bit 0 of float, 1 of double, 2 of a vector's second element, 3 and 4 with constants.
// run: -g 4 -p 0:i32 zero:i32:4 list:f32:nan,nan,1,-2 list:f32:-1,1,-0.0,nan
// expect: 0: 23 16 23 16
kernel void f(global int *out, global const float *x, global const float *y) {
  int i = get_global_id(0);
  float2 pair = copysign((float2)(2, x[i]), (float2)(y[i], y[i]));
  out[i] = signbit(copysign(x[i], y[i])) | signbit(copysign((double)x[i], (double)y[i])) << 1 |
           (signbit(pair.y) & 1) << 2 | signbit(copysign(x[i], 1.0f)) << 3 | signbit(copysign(x[i], -1.0f)) << 4;
}
