// A scalar in the place of a vector, in the initialiser of an array or structure, becomes all of its components.
// run: -g 1 -p 0:f32 -p 1:i32 zero:f32:19 zero:i32:28
// expect: 0: 1 1 1 1 0 1 1 1 1 2 1 1 2 2 3 1 2 1 3
// expect: 1: 1 1 1 1 2 2 2 2 0 0 0 0 1 2 3 4 8 8 8 8 5 6 7 8 9 9 9 9
struct a {
  int i[3];
  float4 v;
  int z;
};
struct b {
  float2 p, q;
  float r;
};
kernel void k(global float *f, global int *o) {
  struct a a = {{1, 2, 3}, 1}, b = {1, 2, 3, 1, 2};
  struct b d = {1, 2, 3};
  int4 x[3] = {1, 2};
  vstore4(a.v, 0, f);
  f[4] = a.z;
  vstore4(b.v, 0, f + 5);
  f[9] = b.z;
  vstore2(d.p, 0, f + 10);
  vstore2(d.q, 0, f + 12);
  f[14] = d.r;
  struct a whole = {.v = {d.p.x, 2, d.p}, .z = 3};
  f[15] = whole.v.x, f[16] = whole.v.y, f[17] = whole.v.z, f[18] = whole.z;
  for (int i = 0; i < 3; i++)
    vstore4(x[i], i, o);
  int4 y[4] = {{1, 2, 3, 4}, 8, {(int2)(5, 6), 7, 8}, [3] = 9};
  for (int i = 0; i < 4; i++)
    vstore4(y[i], i + 3, o);
}
