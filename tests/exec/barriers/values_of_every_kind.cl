// Values of every kind that live across barriers in a loop; work-items that leave behind it.
// run: -g 14 -l 7 -p 1:i32 -p 2:f32 rand:i32:14:1:-50:50 zero:i32:14 zero:f32:14
// expect: 1: -41 -80 9996 10029 10096 10051 -15 10220 -38 -101 -178 -106 10054 17
// expect: 2: -807.5625 -815.5625 -5572.5625 -5250.875 -1203.375 175.6875 -3425.5 -244.6875 -4717.5625 -882.375 -179.625 -922.1875 -2244.625 -221.1875
// run: -g 8,3 -l 4,3 -p 1:i32 -p 2:f32 rand:i32:24:1:-50:50 zero:i32:24 zero:f32:24
// expect: 1: -144 39 10084 10147 10034 10078 -60 10104 -11 -92 34 -50 10002 112 10031 0 9957 -1 0 10037 10091 10131 28 0
// expect: 2: -807.5625 -815.5625 -5572.5625 -5250.875 -3620.125 -931.8125 -1519.25 264.125 -3214.75 -2281.625 -1159.3125 -972 -2239.5 -2.25 -59 0 151 -110 -3114.625 -6353.3125 -603.1875 -138.8125 -3.6875 0
typedef struct {
  short a;
  float3 v;
  bool f;
} st;
kernel void segs(global const int *in, global int *out, global float *fo) {
  local int t[32], u[32];
  local float3 fv[32];
  int l = get_local_id(1) * get_local_size(0) + get_local_id(0), n = get_local_size(0) * get_local_size(1),
      g = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * n + l;
  int v = in[g];
  bool odd = v & 1;
  char c = v;
  st s = {v, (float3)(v, v + 1, l), v > 0};
  t[l] = v;
  u[l] = -v;
  fv[l] = s.v;
  local int *mine = odd ? t : u;
  barrier(CLK_LOCAL_MEM_FENCE);
  int acc = mine[(l + 1) % n];
  for (int k = 0; k < 3; k++) {
    int x = mine[(l * 5 + k) % n];
    s.v = s.v.zxy + fv[(l + k) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k == 1 && odd)
      mine[l] = x + c;
    if (s.f != odd) {
      acc += x * k;
      c++;
    }
    fv[l] = s.v * 0.5f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (acc > 1000)
      s.f = false;
  }
  if (v < -40)
    return;
  s.a += t[n - 1 - l] ^ u[l];
  out[g] = acc + s.a + (s.f ? 10000 : 0) + c;
  fo[g] = s.v.x - s.v.y * s.v.z;
}
