// The difference of two ids is the same in all lanes, also when one of them is kept across a barrier as a vector: the
// branch on it is uniform, and so is what it gives.
// run: -g 14 -l 7 -p 0:i32 zero:i32:14
// expect: 0: -8 1 1 1 1 1 1 1 1 1 1 1 1 1
kernel void k(global int *o) {
  const uint gid = get_global_id(0) - get_global_offset(0) + get_global_id(1) * get_global_size(0);
  const uint lid = get_local_id(0);
  local uint l[7];
  uint v = 1;
  switch (gid) {
  case 0:
    v = lid - gid == 0 ? convert_int(get_local_size(0)) : 1;
    o[gid] = ~v;
  }
  l[lid] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gid)
    o[gid] = l[0] ? 1 : 2;
}
