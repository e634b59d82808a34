// Float arithmetic without contraction into an FMA.
// run: -g 6 -p 2:f32 -p 3:f32 list:f32:1,2.5,-3,1e30,0.1,7 list:f32:3,0.5,7,1e30,0.2,-2 zero:f32:6 zero:f32:6
// expect: 2: 1 3.25 -31 inf -0.08 -5
// expect: 3: -0.33333334 -5 0.42857143 -1 -0.5 3.5
kernel void k(global const float *a, global const float *b, global float *o, global float *q) {
#pragma OPENCL FP_CONTRACT OFF
  size_t i = get_global_id(0);
  o[i] = a[i] * b[i] + a[i] - b[i];
  q[i] = -a[i] / b[i];
}
