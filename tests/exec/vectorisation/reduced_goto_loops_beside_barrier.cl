// Two loops of backward gotos with a barrier between them: it is in neither, so that no work-item meets it twice.
// run: -g 16 -l 8 -p 0:u32 zero:u32:16
// expect: 0: 73 63 51 41 32 21 11 1 73 63 51 41 32 21 11 1
kernel void k(global uint *o) {
  local uint l[8];
  uint lid = get_local_id(0), n = 0, m = 0;
first:;
  n += lid;
  if (n & 1 && n < 12)
    goto first;
  l[lid] = lid;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint v = l[7 - lid];
second:;
  if (++m < 3 && (lid < 2 || (lid == 4 && m < 2)))
    goto second;
  o[get_global_id(0)] = v * 10 + m;
}
