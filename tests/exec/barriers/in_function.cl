// A barrier inside a helper function that is called twice.
// run: -g 8 -l 8 -p 0:i32 iota:i32:8
// expect: 0: 13 24 35 46 57 60 71 2
int rotate_by(local int *t, int v, int n) {
  int l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  return t[(l + n) % get_local_size(0)];
}
kernel void k(global int *a) {
  local int t[8];
  int x = rotate_by(t, a[get_global_id(0)], 1);
  a[get_global_id(0)] = x * 10 + rotate_by(t, x, 2);
}
