// A choice that is the same for all, made from ids that cross a barrier and so are held as vectors: what it gives, and
// what jumps out of it carry, follows it.
// run: -k choice -g 3 -l 3 -p 0:u32 zero:u32:4
// expect: 0: 2 3 4 0
// run: -k jump -g 3 -l 3 -p 0:u32 zero:u32:4 u32=0
// expect: 0: 11 1011 2011 0
// run: -k jump -g 3 -l 3 -p 0:u32 zero:u32:4 u32=1
// expect: 0: 159 1159 2159 0
kernel void choice(global uint *out) {
  uint gid = get_global_id(2) * (get_global_id(1) - 1) + get_global_id(0);
  local uint seen;
  switch ((uint)((ulong)gid << 52)) {
  case 0:
  case 3:
    out[gid] = gid + 1;
  }
  if (get_global_size(0) == 3) {
    seen = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += seen;
  }
}
kernel void jump(global uint *out, uint n) {
  uint gid = get_global_id(2) * (get_global_id(1) - 1) + get_global_id(0), x = 7;
  local uint seen;
  for (uint i = 0; i < 5; i++) {
    x = i * 2;
    out[gid] += 10;
    if ((uint)((ulong)gid << 52) == n)
      break;
    x += 100;
  }
  out[gid] += x;
  seen = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid] += seen + gid * 1000;
}
