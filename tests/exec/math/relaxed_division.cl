// Division with relaxed accuracy is right to 2.5 ulp. The first pair is one where an estimate refined once is not.
// run: -g 8 -p 2:i32 --options -cl-fast-relaxed-math list:f32:-0x1.09ce42p-38,-0x1.09ce42p-38,1.99,1,3,-5,1e30,0x1.09ce42p0 list:f32:-0x1.0b2ffap-44,-0x1.0b2ffap-44,1,3,7,1.5,1e-3,0x1.0b2ffap0 zero:i32:8
// skip: opencl the quotients of PoCL 3.1 are off by more
// expect: 2: 1 1 1 1 1 1 1 1
kernel void k(global const float *x, global const float *y, global int *o) {
  int i = get_global_id(0);
  double right = (double)x[i] / (double)y[i];
  o[i] = fabs(x[i] / y[i] - right) <= 2.5 * ldexp(1.0, ilogb(right) - 23);
}
