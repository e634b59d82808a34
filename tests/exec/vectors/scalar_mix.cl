// A scalar operand is widened to the vector.
// run: -g 1 -p 1:f32 list:f32:1,2,3,4 zero:f32:12
// expect: 1: 3 5 7 9 1 0.5 0.33333334 0.25 9.5 8.5 7.5 6.5
kernel void k(global const float4 *a, global float4 *o) {
  float4 v = a[0];
  o[0] = v * 2 + 1;
  o[1] = 1.0f / v;
  v -= 0.5f;
  o[2] = 10 - v;
}
