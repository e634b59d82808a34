// Barriers in an inner loop.
// run: -g 4 -l 4 -p 0:i32 iota:i32:4
// expect: 0: 86 86 86 86
kernel void k(global int *a) {
  local int t[4];
  int l = get_local_id(0), acc = a[l];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      t[l] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      acc += t[(l + j + 1) & 3];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc -= i;
  }
  a[l] = acc;
}
