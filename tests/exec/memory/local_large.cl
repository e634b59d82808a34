// More local memory than what is static on an NVIDIA GPU, before local arguments, beside a kernel with little.
// run: -k large -g 8 -l 4 -p 0:i32 zero:i32:8 local:16 iota:i32:16
// skip: cuda:sm_60 it has 49152 bytes
// expect: 0: 50010 50210 50410 50610 54010 54210 54410 54610
// run: -k small -g 4 -l 4 -p 0:i32 iota:i32:4
// skip: cuda:sm_60 it has 49152 bytes
// expect: 0: 3 2 1 0
kernel void large(global int *a, local int *t, global const int *b) {
  local int x[12500];
  local double4 aligned;
  local char c;
  local short tail[1000];
  int l = get_local_id(0), g = get_group_id(0);
  for (int i = l; i < 12500; i += 4) x[i] = i + g;
  for (int i = l; i < 1000; i += 4) tail[i] = i;
  t[l] = b[l];
  if (l == 1) aligned = (double4)(1, 2, 3, 4), c = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0; // t is 0, 1, 2, 3 and ends behind the others
  if (x[12499] == 12499 + g && tail[999] == 999 && aligned.w == 4 && c == 5) sum = 50000 + 4000 * g;
  a[get_global_id(0)] = sum + 10 + 200 * t[l];
}
kernel void small(global int *a) {
  local int t[4];
  t[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[3 - get_local_id(0)];
}
