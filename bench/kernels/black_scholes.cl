float cnd(float d) {
  float k = 1 / (1 + 0.2316419f * fabs(d));
  float poly = 0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)));
  float c = 0.39894228f * exp(-0.5f * d * d) * k * poly;
  return d > 0 ? 1 - c : c;
}
kernel void black_scholes(global const float *s, global const float *x, global const float *t, global float *call,
                          global float *put) {
  int i = get_global_id(0);
  const float r = 0.02f, v = 0.3f;
  float q = sqrt(t[i]), d1 = (log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * q), d2 = d1 - v * q;
  float e = x[i] * exp(-r * t[i]);
  call[i] = s[i] * cnd(d1) - e * cnd(d2);
  put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}
