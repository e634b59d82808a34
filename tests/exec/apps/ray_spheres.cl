// Ray tracing with structs and early exits.
// run: -g 6,4 -p 0:i32 zero:i32:24
// stats: cpu:x86-64-v3 lanes 32, contiguous 1
// expect: 0: -1 -1 -1 -1 -1 -1 2039 2039 44 44 -1 -1 -1 -1 44 44 1052 -1 -1 -1 -1 -1 -1 -1
typedef struct { float3 o, d; } ray;
typedef struct { float3 c; float r; int id; } sphere;
constant float4 data[3] = {(float4)(0, 0, 5, 1), (float4)(1.5f, 0.5f, 6, 1.2f), (float4)(-2, -0.5f, 4, 0.7f)};
bool hit(const ray *r, const sphere *s, float *t) {
  float3 v = r->o - s->c;
  float b = dot(v, r->d), c = dot(v, v) - s->r * s->r, d = b * b - c;
  if (d < 0)
    return false;
  float n = -b - sqrt(d);
  if (n <= 0 || n >= *t)
    return false;
  *t = n;
  return true;
}
kernel void trace(global int *o) {
  int x = get_global_id(0), y = get_global_id(1);
  ray r;
  r.o = (float3)(0);
  r.d = normalize((float3)((x - 2.5f) / 4, (y - 1.5f) / 4, 1));
  float t = INFINITY;
  int id = -1;
  for (int i = 0; i < 3; i++) {
    sphere s;
    s.c = data[i].xyz; s.r = data[i].w; s.id = i;
    if (hit(&r, &s, &t)) id = s.id;
  }
  o[y * get_global_size(0) + x] = id < 0 ? -1 : id * 1000 + (int)(t * 10);
}
