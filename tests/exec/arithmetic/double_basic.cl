// Double arithmetic.
// run: -g 4 -p 1:f64 list:f64:1,2,0.1,1e300 zero:f64:4
// expect: 1: 0.3343333333333333 0.6686666666666666 0.033433333333333336 3.3433333333333335e+299
kernel void k(global const double *a, global double *o) {
#pragma OPENCL FP_CONTRACT OFF
  size_t i = get_global_id(0);
  o[i] = a[i] / 3.0 + a[i] * 1e-3;
}
