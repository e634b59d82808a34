// Arrays of vectors, component writes at a varying index.
// run: -g 3 -p 0:f32 zero:f32:6
// expect: 0: 12 24 12 28 12 20
kernel void k(global float *o) {
  float2 a[3] = {(float2)(1, 2), (float2)(3, 4), (float2)(5, 6)};
  int n = get_global_id(0);
  a[n].y = 10;
  a[2 - n] += a[1];
  float2 r = a[0] + a[1] + a[2];
  o[2 * n] = r.x;
  o[2 * n + 1] = r.y;
}
