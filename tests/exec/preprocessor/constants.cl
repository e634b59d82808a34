// Limits and mathematical constants.
// run: -g 1 -p 0:i64 -p 1:f32 -p 2:f64 zero:i64:8 zero:f32:6 zero:f64:2
// expect: 0: 8 -128 65535 -2147483648 4294967295 9223372036854775807 6 128
// expect: 1: 3.1415927 3.4028235e+38 1.1920929e-07 3.4028235e+38 inf 0.70710677
// expect: 2: 2.718281828459045 2.2250738585072014e-308
kernel void k(global long *o, global float *f, global double *d) {
  o[0] = CHAR_BIT; o[1] = SCHAR_MIN; o[2] = USHRT_MAX; o[3] = INT_MIN; o[4] = UINT_MAX; o[5] = LONG_MAX; o[6] = FLT_DIG; o[7] = FLT_MAX_EXP;
  f[0] = M_PI_F; f[1] = FLT_MAX; f[2] = FLT_EPSILON; f[3] = MAXFLOAT; f[4] = INFINITY; f[5] = M_SQRT1_2_F;
  d[0] = M_E; d[1] = DBL_MIN;
}
