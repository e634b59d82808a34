// Special values of functions.
// run: -g 1 -p 0:f32 -p 1:i32 zero:f32:12 zero:i32:12
// expect: 0: 1 0 -inf -0 3 2 3.1415927 inf -512 5 -0 -0
// expect: 1: 1 1 1 1 1 0 1 1 0 1 1 1
kernel void k(global float *o, global int *n) {
  o[0] = pow(0.0f, 0.0f); o[1] = exp(-INFINITY); o[2] = log(0.0f); o[3] = sqrt(-0.0f); o[4] = fmin(NAN, 3.0f); o[5] = fmax(2.0f, NAN);
  o[6] = atan2(0.0f, -1.0f); o[7] = hypot(INFINITY, NAN); o[8] = pow(-8.0f, 3.0f); o[9] = fmod(5.0f, INFINITY); o[10] = copysign(0.0f, -1.0f); o[11] = rint(-0.3f);
  n[0] = isnan(log(-1.0f)); n[1] = isinf(1.0f / 0.0f); n[2] = isnan(sqrt(-1.0f)); n[3] = signbit(-0.0f); n[4] = isfinite(FLT_MAX); n[5] = isnormal(1e-40f);
  n[6] = ilogb(0.0f) == FP_ILOGB0; n[7] = isnan(fmod(1.0f, 0.0f)); n[8] = isequal(NAN, NAN); n[9] = isunordered(NAN, 1.0f); n[10] = islessgreater(1.0f, 2.0f); n[11] = isordered(1.0f, 2.0f);
}
