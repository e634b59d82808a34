// Each group sorts 256 numbers in local memory.
kernel void bitonic(global const int *in, global int *out) {
  local int t[256];
  uint l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 256; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint p = l ^ j;
      int a = t[l], b = t[p];
      bool up = (l & k) == 0, low = l < p;
      barrier(CLK_LOCAL_MEM_FENCE);
      t[l] = up == low ? min(a, b) : max(a, b);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[get_global_id(0)] = t[l];
}
