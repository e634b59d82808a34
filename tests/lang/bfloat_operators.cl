float take(float x);
float take(float x) { return x; }
struct s {
  __bf16 m, list[2];
};
__bf16 fine(global struct s *s, constant __bf16 *c, float x, int n) {
  __bf16 v = x, *p = &v;
  s->m = n;
  *p = c[0];
  s->list[1] = n ? v : s->m;
  float4 g = (float4)(v, 1, 2, 3);
  printf("%f", v);
  return take(v) + g.x + fma((float)v, x, (float)s->m);
}
kernel void k(global __bf16 *a, global float *out, __bf16 given, int n) {
  __bf16 v = given;
  out[0] = v + 1;
  out[1] = 2.0f * a[0];
  v += 1;
  a[1]++;
  out[2] = -v;
  if (v)
    out[3] = !a[2];
  out[4] = v < a[3];
  out[5] = n && v;
  out[6] = n ? v : 1.0f;
  out[n << v] = 0;
  float2 g = v * (float2)(1, 2);
  a[4] = given / given;
  unsigned __bf16 u;
  typedef __bf16 pair __attribute__((ext_vector_type(2)));
  switch (v) {
  }
}
// expect: 17:12: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 18:19: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 19:3: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 20:3: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 21:13: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 22:7: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 23:15: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 24:12: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 25:17: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 26:16: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 27:12: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 28:14: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 29:10: error: operators do not apply to '__bf16': convert to float: (float)x
// expect: 30:12: error: cannot combine with previous 'unsigned' declaration specifier
// expect: 31:18: error: invalid vector element type '__bf16'
// expect: 32:11: error: statement requires expression of integer type ('__bf16' invalid)
