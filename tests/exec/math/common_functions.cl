// degrees, radians, mix, step, smoothstep, sign, clamp.
// run: -g 4 -p 1:f32 list:f32:-0.5,0.25,0.75,2 zero:f32:32
// tolerance: 1e-6
// expect: 1: 0 -28.64789 -0.87266463 5 0 0 -1 -0.19999999 0.25 14.323945 0.43633232 12.5 0 0.15625 1 0.4 0.75 42.971836 1.3089969 17.5 1 0.84375 1 0.85 1 114.59156 3.4906585 30 1 1 1 2.1
kernel void k(global const float *a, global float *o) {
  size_t i = get_global_id(0);
  float x = a[i];
  o += 8 * i;
  o[0] = clamp(x, 0.0f, 1.0f); o[1] = degrees(x); o[2] = radians(x * 100); o[3] = mix(10.0f, 20.0f, x); o[4] = step(0.5f, x);
  o[5] = smoothstep(0.0f, 1.0f, x); o[6] = sign(x); o[7] = max(x, 0.3f) + min(x, 0.1f);
}
