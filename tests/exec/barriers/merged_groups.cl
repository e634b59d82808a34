// Groups of one column: several of them run as one. Pointers to local memory change places, vectors lie in it, and local
// memory is an argument; ids, sizes and numbers of groups are those of the caller. Expectations by a simulation in Python.
// run: -g 64,16 -l 1,8 zero:i32:4 iota:i32:1120 local:64 -p 0:i32
// expect: 0: 2240329 96871294 17984772 364544
// run: -g 70,16 -l 1,8 zero:i32:4 iota:i32:1120 local:64 -p 0:i32
// expect: 0: 2756309 130571584 21932712 425600
// run: -g 66,8,2 -l 1,8 --offset 5,3 zero:i32:4 iota:i32:1120 local:64 -p 0:i32
// expect: 0: 2358716 117674530 16342486 384384
kernel void k(global int *out, global const int *in, local int *t) {
  local short2 pair[8];
  int g = get_group_id(0), h = get_group_id(1), y = get_local_id(1), n = get_local_size(1);
  int x = get_global_id(0) - get_global_offset(0) - get_group_id(0) * get_local_size(0);
  local int *from = t, *to = t + n;
  from[y] = in[(h * n + y) * (int)get_num_groups(0) + g] % 97 + h * 3 + y * y + x;
  pair[y] = (short2)(g - y, g + 2 * y);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < n; d <<= 1) {
    to[y] = from[y] + (y >= d ? from[y - d] : 0);
    local int *other = from;
    from = to, to = other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  short2 p = pair[n - 1 - y];
  int v = from[y] * 3 + p.x * p.y + (int)get_local_id(0) * 1000;
  atomic_add(&out[0], v);
  atomic_add(&out[1], v * (int)(get_global_id(0) + 1));
  atomic_add(&out[2], v * (int)get_global_id(1) + (int)get_global_id(2));
  atomic_add(&out[3], (int)(get_num_groups(0) + get_local_size(0) * 100 + get_global_size(0) * 3));
}
