// 256 bins per group in local memory, added up in global memory; 64 bytes per work-item.
kernel void histogram(global const uchar *in, global uint *bins) {
  local uint t[256];
  int l = get_local_id(0), base = get_group_id(0) * 256 * 64;
  t[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 64; i++)
    atomic_inc(&t[in[base + i * 256 + l]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], t[l]);
}
