// A tree reduction in volatile local memory with a stride over the grid; its last steps share a row.
// run: -g 24 -l 8 -p 1:u32 iota:u32:103 zero:u32:3 u32=103 local:32
// expect: 1: 2837 3168 4192
kernel void reduce(global const uint *in, global uint *out, uint n, local volatile uint *s) {
  uint lid = get_local_id(0), size = get_local_size(0);
  s[lid] = 0;
  for (uint i = get_group_id(0) * size * 2 + lid; i < n; i += size * 2 * get_num_groups(0)) {
    s[lid] += in[i];
    if (i + size < n)
      s[lid] += in[i + size] * 3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = size / 2; k; k >>= 1) {
    if (lid < k)
      s[lid] += s[lid + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0)
    out[get_group_id(0)] = s[0];
}
