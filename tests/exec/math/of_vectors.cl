// Math functions work component by component.
// run: -g 1 -p 1:f32 list:f32:0.25,1,4,9 zero:f32:20
// tolerance: 1e-6
// expect: 1: 0.5 1 2 3 2 1 0.5 0.33333334 0.5 1 2 3 2 2 4 9 0.8408964 0.5 0.0625 0.001953125
kernel void k(global const float4 *a, global float4 *o) {
  float4 v = a[0];
  o[0] = sqrt(v); o[1] = rsqrt(v); o[2] = pow(v, (float4)(0.5f)); o[3] = fmax(v, 2.0f); o[4] = exp2(-v);
}
