// Dynamic local memory given at launch, two arguments.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8 local:16 local:32
// expect: 0: 10302 10203 10100 10001 10306 10207 10104 10005
kernel void k(global int *a, local int *s, local float2 *f) {
  int l = get_local_id(0);
  s[l] = a[get_global_id(0)];
  f[l] = (float2)(l, 10);
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = s[(l + 2) % 4] + (int)(f[3 - l].x * 100 + f[l].y * 1000);
}
