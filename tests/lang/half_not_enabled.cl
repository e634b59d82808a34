// options: no-fp16
half give(void);
void take(half h);
void fine(global half *p, half *q);
typedef half storage;
struct s {
  global half *p;
  half2 v;
};
kernel void k(global half *a, global float *out, local half4 *l) {
  float f = vload_half(0, a);
  vstore_half_rtz(f, 1, a);
  float4 g = vloada_half4(0, a);
  half h;
  half list[2];
  half3 v;
  out[0] = a[0];
  a[1] = out[1];
  out[2] = (half)f;
  out[3] = 1.0h;
  out[4] = *l == *l;
  out[5] = sizeof(half);
  storage *p = (storage *)0;
  out[6] = convert_half(f);
}
// expect: 2:6: error: declaring function return value of type 'half' is not allowed
// expect: 3:16: error: declaring function parameter of type 'half' is not allowed
// expect: 8:9: error: declaring variable of type 'half2' is not allowed
// expect: 14:8: error: declaring variable of type 'half' is not allowed
// expect: 15:8: error: declaring variable of type 'half[2]' is not allowed
// expect: 16:9: error: declaring variable of type 'half3' is not allowed
// expect: 17:12: error: loading directly from pointer to type 'half' requires fp16. Use vector data load builtin functions instead
// expect: 18:8: error: assigning directly to pointer to type 'half' requires fp16. Use vector data store builtin functions instead
// expect: 19:12: error: casting to type 'half' is not allowed
// expect: 20:12: error: half precision constant requires cl_khr_fp16
// expect: 21:12: error: loading directly from pointer to type 'half4' requires fp16. Use vector data load builtin functions instead
// expect: 21:18: error: loading directly from pointer to type 'half4' requires fp16. Use vector data load builtin functions instead
// expect: 24:12: error: conversion to 'half' requires cl_khr_fp16 support
