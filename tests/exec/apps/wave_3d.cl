// A tile with halo of three dimensions, in groups of odd sizes.
// run: -g 9,10,6 -l 3,5,2 -p 1:f32:30 -p 2:f32:30 rand:f32:540:1:-1:1 rand:f32:540:2:-1:1 zero:f32:1620 f32=0.2
// stats: cpu:x86-64-v3 lanes 16, gathered 2, contiguous 28, uniform 1
// tolerance: 0.0001
// expect: 1: 0.2988636 0.2011524 0.8064683 -0.301624 0.3390899 0.790466 0.5188609 -0.14581332 -0.1492089 0.21131745 0.5720241 0.29623368 -0.24407543 0.21451978 -1.0566448 0.19946922 0.6910702 0.7367854 1.0587597 1.0713578 0.19579194 -1.0678092 0.011472991 -0.47682515 -1.6863939 -1.4977891 0.12543534 0.12899934 0.5322318 1.106098
// expect: 2: 0.43750456 -0.7385865 0.176469 -0.6191424 -3.0053387 2.4441135 1.3033069 0.2063675 -0.12484518 -1.9706537 4.1732597 -2.331522 -0.095811605 -1.6401881 1.0414424 0.7143827 -3.8057106 2.6537898 -4.1763253 1.6803104 0.46987417 -0.5493444 4.143608 -2.74019 4.4156528 0.6426253 -1.8957599 2.788051 1.3685021 -1.5955796
kernel void wave(global const float *p, global float *q, global float *v, float c) {
  int3 s = (int3)(get_global_size(0), get_global_size(1), get_global_size(2)),
       x = (int3)(get_global_id(0), get_global_id(1), get_global_id(2));
  local float t[2 + 2][5 + 2][3 + 2];
  int3 l = (int3)(get_local_id(0), get_local_id(1), get_local_id(2)) + 1,
       ls = (int3)(get_local_size(0), get_local_size(1), get_local_size(2));
#define AT(X) ((X.z * s.y + X.y) * s.x + X.x)
  t[l.z][l.y][l.x] = p[AT(x)];
  int3 lo = max(x - 1, 0), hi = min(x + 1, s - 1);
  if (l.x == 1)
    t[l.z][l.y][0] = p[(x.z * s.y + x.y) * s.x + lo.x];
  if (l.x == ls.x)
    t[l.z][l.y][l.x + 1] = p[(x.z * s.y + x.y) * s.x + hi.x];
  if (l.y == 1)
    t[l.z][0][l.x] = p[(x.z * s.y + lo.y) * s.x + x.x];
  if (l.y == ls.y)
    t[l.z][l.y + 1][l.x] = p[(x.z * s.y + hi.y) * s.x + x.x];
  if (l.z == 1)
    t[0][l.y][l.x] = p[(lo.z * s.y + x.y) * s.x + x.x];
  if (l.z == ls.z)
    t[l.z + 1][l.y][l.x] = p[(hi.z * s.y + x.y) * s.x + x.x];
  barrier(CLK_LOCAL_MEM_FENCE);
  float3 g = (float3)(t[l.z][l.y][l.x + 1] - t[l.z][l.y][l.x - 1], t[l.z][l.y + 1][l.x] - t[l.z][l.y - 1][l.x],
                      t[l.z + 1][l.y][l.x] - t[l.z - 1][l.y][l.x]);
  float lap = t[l.z][l.y][l.x + 1] + t[l.z][l.y][l.x - 1] + t[l.z][l.y + 1][l.x] + t[l.z][l.y - 1][l.x] +
              t[l.z + 1][l.y][l.x] + t[l.z - 1][l.y][l.x] - 6 * t[l.z][l.y][l.x];

  int3 face = (x == 0) | (x == s - 1);
  q[AT(x)] = (2 * t[l.z][l.y][l.x] - q[AT(x)] + c * lap) * (any(face) ? 0.9f : 1.0f);
  vstore3(cross(g, (float3)(1, 2, 3)) - c * g * convert_float3(-face), AT(x), v);
}
