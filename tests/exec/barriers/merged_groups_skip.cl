// Groups of one column that run as one: in some iterations some of them skip what has barriers, and a value. Expectations
// by a simulation in Python.
// run: -g 70,8 -l 1,8 zero:i32:2 iota:i32:560 i32=6 -p 0:i32
// skip: opencl PoCL runs barriers under conditions wrongly (docs/peer-faults.md)
// expect: 0: 184030304 -126705456
// run: -g 64,8 -l 1,8 zero:i32:2 iota:i32:512 i32=3 -p 0:i32
// skip: opencl PoCL runs barriers under conditions wrongly (docs/peer-faults.md)
// expect: 0: 4463168 652930248
kernel void k(global int *out, global const int *in, int rounds) {
  local int t[8];
  int x = get_global_id(0), y = get_local_id(1), g = get_group_id(0), v = in[y * get_global_size(0) + x];
  t[y] = v;
  for (int r = 0; r < rounds; r++) {
    if ((g + r) % 3) {
      barrier(CLK_LOCAL_MEM_FENCE);
      v += t[(y + r + 1) & 7];
      if (v & 1)
        v ^= 5;
      barrier(CLK_LOCAL_MEM_FENCE);
      t[y] = v;
    }
    if (g == r * 2) {
    } else {
      barrier(CLK_LOCAL_MEM_FENCE);
      v ^= t[7 - y] << 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      t[y] = v + r;
    }
  }
  atomic_add(&out[0], v);
  atomic_add(&out[1], v * (x + 1) * (y + 1));
}
