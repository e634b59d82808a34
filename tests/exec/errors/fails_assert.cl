// An assertion that fails makes the launch fail, with line and text. In functions and between barriers, too.
// run: -k k -g 256 -l 64 zero:i32:256 i32=50
// fails: fails_assert.cl:16:3:
// run: -k k -g 256 -l 64 -D NDEBUG -p 0:i32:6 zero:i32:256 i32=50
// expect: 0: 2 3 4 5 6 7
// run: -k k -g 256 -l 64 -p 0:i32:6 zero:i32:256 i32=64
// expect: 0: 2 3 4 5 6 7
// run: -k f -g 256 -l 64 zero:i32:256 i32=250
// fails: assert(x <= limit && "50 % of \"it\"")
kernel void k(global int *o, int n) {
  local int tile[64];
  int l = get_local_id(0);
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int next = tile[(l + 1) % 64];
  assert(next < n);
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] = next + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = tile[l];
}
int checked(int x, int limit) {
  assert(x <= limit && "50 % of \"it\"");
  return x;
}
kernel void f(global int *o, int n) { o[get_global_id(0)] = checked(get_global_id(0), n); }
