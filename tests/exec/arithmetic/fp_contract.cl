// FP_CONTRACT OFF rounds products before they are added; with fma or ON either result may come.
// run: -g 1 -p 1:f32 -p 2:i32 list:f32:1.00024414,-1.00048828125 zero:f32:3 zero:i32:2
// expect: 1: 0 5.9604645e-08 0
// expect: 2: 1 1
float rounded(float a, float c) {
#pragma OPENCL FP_CONTRACT OFF
  return a * a + c;
}
kernel void k(global const float *a, global float *o, global int *t) {
  o[0] = rounded(a[0], a[1]);
  o[1] = fma(a[0], a[0], a[1]);
  float free = a[0] * a[0] + a[1];
  t[0] = free == 0 || free == o[1];
  {
#pragma OPENCL FP_CONTRACT OFF
    float p = a[0] * a[0];
    o[2] = p + a[1];
  }
  float after = a[0] * a[0] + a[1];
  t[1] = after == 0 || after == o[1];
}
