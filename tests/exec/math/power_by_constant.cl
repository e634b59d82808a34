// Powers by a constant are products; they are as near to the power, and treat special values alike.
// run: -k single -g 10 -p 1:i32 list:f32:-inf,-3.5,-1,-0,0,1e-30,0.37,5.25,1e19,inf zero:i32:10
// expect: 1: 1 1 1 1 1 1 1 1 1 1
// run: -k twofold -g 10 -p 1:i32 list:f64:-inf,-3.5,-1,-0,0,1e-150,0.37,5.25,1e150,inf zero:i32:10
// expect: 1: 1 1 1 1 1 1 1 1 1 1
// run: -k vectors -g 1 -p 0:f32 zero:f32:4
// expect: 0: 30 123 348 795
#define NEAR(a, b) ((isnan(a) && isnan(b)) || ((a) == (b) && signbit(a) == signbit(b)) || fabs((a) / (b) - 1) < 4e-6f)
#define ALL(root)                                                                                                      \
  NEAR(pow(x, -1), pow(x, e[0])) && NEAR(pow(x, 0), pow(x, e[1])) && NEAR(pow(x, root), pow(x, e[2])) &&               \
      NEAR(pow(x, 1), pow(x, e[3])) && NEAR(pow(x, 2), pow(x, e[4])) && NEAR(pow(x, 3), pow(x, e[5])) &&               \
      NEAR(pow(x, 4), pow(x, e[6])) && NEAR(pow(x, 5), pow(x, e[7])) && NEAR(pow(x, 6), pow(x, e[8])) &&               \
      NEAR(pow(x, 7), pow(x, e[9])) && NEAR(pow(x, 8), pow(x, e[10]))

kernel void single(global const float *in, global int *out) {
  volatile float e[] = {-1, 0, 0.5f, 1, 2, 3, 4, 5, 6, 7, 8};
  float x = in[get_global_id(0)];
  out[get_global_id(0)] = ALL(0.5f) && pow(NAN, 0.0f) == 1 && isnan(pow(x + NAN, 2.0f));
}

kernel void twofold(global const double *in, global int *out) {
  volatile double e[] = {-1, 0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8};
  double x = in[get_global_id(0)];
  out[get_global_id(0)] = ALL(0.5);
}

kernel void vectors(global float4 *out) {
  float4 x = (float4)(2, 3, 4, 5) + *out;
  *out = pow(x, (float4)(2.0f)) + pown(x, (int4)(3)) + pow(x, 4.0f) / native_powr(x, 2.0f) + pown(x, 5) / x - x;
}
