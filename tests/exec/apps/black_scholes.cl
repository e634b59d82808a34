// Option prices.
// run: -g 4 -p 3:f32 -p 4:f32 list:f32:10,20,30,25 list:f32:11,18,30,50 list:f32:1,0.5,2,10 zero:f32:4 zero:f32:4
// stats: cpu:x86-64-v3 lanes 32, contiguous 6
// stats: cpu:x86-64-v4 lanes 64, contiguous 6
// tolerance: 1e-4
// expect: 3: 0.886415 2.9162834 5.5508394 5.4937763
// expect: 4: 1.6686001 0.7371799 4.3745227 21.430315
float cnd(float d) {
  float k = 1 / (1 + 0.2316419f * fabs(d));
  float c = 0.39894228f * exp(-0.5f * d * d) * k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1 - c : c;
}
kernel void price(global const float *s, global const float *x, global const float *t, global float *call, global float *put) {
  int i = get_global_id(0);
  const float r = 0.02f, v = 0.3f;
  float q = sqrt(t[i]), d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * q), d2 = d1 - v * q, e = x[i] * exp(-r * t[i]);
  call[i] = s[i] * cnd(d1) - e * cnd(d2);
  put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}
