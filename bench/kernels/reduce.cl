// Sums of groups of 256 by a tree in local memory.
kernel void reduce(global const float *in, global float *out) {
  local float t[256];
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 128; step > 0; step >>= 1) {
    if (l < step)
      t[l] += t[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = t[0];
}
