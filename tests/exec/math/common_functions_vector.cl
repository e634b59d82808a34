// Common functions on vectors with scalar edges.
// run: -g 1 -p 0:f32 zero:f32:16
// tolerance: 1e-6
// expect: 0: 0 0.25 0.5 1 4.5 5.125 5.25 6.5 0 0.15625 0.5 1 -10 10 11 11
kernel void k(global float4 *o) {
  float4 v = (float4)(-1, 0.25f, 0.5f, 3);
  o[0] = clamp(v, 0.0f, 1.0f);
  o[1] = mix(v, (float4)(10), 0.5f);
  o[2] = smoothstep(0.0f, 1.0f, v);
  o[3] = step(0.3f, v) + sign(v) * 10;
}
