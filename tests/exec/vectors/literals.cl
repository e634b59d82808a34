// Vector literals from scalars and shorter vectors, and splats.
// run: -g 1 -p 0:f32 zero:f32:24
// expect: 0: 1 2 3 4 0.5 0.5 0.5 0.5 1 2 3 4 1 2 1 2 1 2 0.5 0.5 0.5 0.5 1 2
kernel void k(global float *o) {
  float2 a = (float2)(1, 2);
  float4 b = (float4)(a, 3, 4);
  float4 c = (float4)(0.5f);
  float8 d = (float8)(b, a, a);
  vstore4(b, 0, o);
  vstore4(c, 1, o);
  vstore8(d, 1, o);
  vstore8((float8)(b.lo, c, d.s67), 2, o);
}
