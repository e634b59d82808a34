// Private values live across barriers.
// run: -g 8 -l 4 -p 0:i32 iota:i32:8
// expect: 0: 21000000 30011002 40022004 11033006 61044008 70055010 80066012 51077014
kernel void k(global int *a) {
  local int t[4];
  int l = get_local_id(0), x = a[get_global_id(0)], arr[3] = {x, x + 1, x + 2};
  float4 v = (float4)(x, 1, 2, 3);
  t[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int y = t[(l + 1) & 3];
  arr[l % 3] += 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = y * 2;
  v.y += y;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[(l + 3) & 3] + x * 1000 + arr[0] * 10000 + (int)v.y * 10000000;
}
