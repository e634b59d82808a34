// Scalars and elements of vectors in braces, more of them than needed, and none at all.
// run: -g 1 -p 0:f32 fill:f32:14:9
// expect: 0: 3 1.5 1 2 1 1 2 3 4 4 0 0 1 0
kernel void k(global float *o) {
  int a = {{3}};
  float b = {{{1.5f}}};
  int c[2] = {{1}, {{2}}};
  struct {
    int x;
    float4 v;
  } s = {{1}, {{1}, 2, 3, {{4}}}};
  float4 v = {{4}, 3, 2, {1}};
  int none = {};
  float nothing = {{}};
  global float *p = {};
  bool no = {};
  o[0] = a, o[1] = b, o[2] = c[0], o[3] = c[1], o[4] = s.x;
  vstore4(s.v, 0, o + 5);
  o[9] = v.x, o[10] = none, o[11] = nothing, o[12] = p == 0, o[13] = no;
}
