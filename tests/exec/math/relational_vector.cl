// Relational functions on vectors give 0 or -1; any, all, select, bitselect.
// run: -g 1 -p 0:i32 -p 1:f32 zero:i32:16 zero:f32:8
// expect: 0: -1 0 0 0 0 -1 0 0 1 0 1 0 10 2 30 4
// expect: 1: 1 2 3 -4 -2 -2 -3 5
kernel void k(global int4 *o, global float4 *f) {
  float4 a = (float4)(1, NAN, 3, -4), b = (float4)(2, 2, 3, -5);
  o[0] = isless(a, b);
  o[1] = isnan(a);
  o[2] = (int4)(any(isnan(a)), all(isnan(a)), all(isless(b, (float4)(9))), any((int2)(1, 2)));
  o[3] = select((int4)(1, 2, 3, 4), (int4)(10, 20, 30, 40), (int4)(-1, 0, 0x80000000, 1));
  f[0] = select(a, b, isnan(a));
  f[1] = bitselect(b, -b, as_float4((int4)(0x80000000)));
}
