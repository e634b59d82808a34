// Structs passed to and returned from functions.
// run: -g 3 -p 0:f32 zero:f32:3
// expect: 0: 28120 30131 32142
typedef struct { float x, y, z; } vec;
vec make(float x) { vec v = {x, x + 1, x + 2}; return v; }
vec add(vec a, vec b) { a.x += b.x; a.y += b.y; a.z += b.z; return a; }
kernel void k(global float *o) {
  int n = get_global_id(0);
  vec a = make(n), b = add(a, make(10));
  o[n] = a.x + b.y * 10 + add(b, b).z * 1000;
}
