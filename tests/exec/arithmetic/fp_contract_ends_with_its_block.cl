// At the end of a block FP_CONTRACT is what it was before.
// run: -g 1 -p 1:i32 list:f32:1.000244140625,1.000244140625,-1.00048828125 zero:i32:4
// expect: 1: 1 1 1 1
#pragma OPENCL FP_CONTRACT OFF
float after_on(float a, float b, float c) {
  {
#pragma OPENCL FP_CONTRACT ON
    a += 0;
  }
  return a * b + c;
}
float in_statements(float a, float b, float c) {
  a = ({
#pragma OPENCL FP_CONTRACT ON
    a;
  });
  return a * b + c;
}
float on_in_function(float a, float b, float c) {
#pragma OPENCL FP_CONTRACT ON
  for (int i = 0; i < 1; i++) {
#pragma OPENCL FP_CONTRACT OFF
    if (a * b + c != 0)
      return 2;
  }
  return a * b + c;
}
kernel void k(global const float *p, global int *o) {
#ifdef FP_FAST_FMAF
  bool fused = true;
#else
  bool fused = false;
#endif
  o[0] = after_on(p[0], p[1], p[2]) == 0;
  o[1] = in_statements(p[0], p[1], p[2]) == 0;
  float on = on_in_function(p[0], p[1], p[2]);
  o[2] = (on != 0) == fused && on != 2;
  o[3] = p[0] * p[1] + p[2] == 0;
}
