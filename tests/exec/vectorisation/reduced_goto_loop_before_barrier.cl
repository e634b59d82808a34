// A backward goto taken by some work-items only, with a barrier after it: the loop must end before the barrier.
// run: -g 8 -l 4 -p 0:u32 zero:u32:8
// expect: 0: 31 33 33 13 31 33 33 13
kernel void k(global uint *o) {
  local uint l[4];
  uint lid = get_local_id(0), n = 0;
again:;
  if (++n < 3u && lid)
    goto again;
  l[lid] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = l[3u - lid] * 10 + n;
}
