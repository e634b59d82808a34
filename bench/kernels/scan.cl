// Inclusive prefix sums of groups of 256 (Hillis and Steele).
kernel void scan(global const int *in, global int *out) {
  local int t[256];
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < 256; step <<= 1) {
    int left = l >= step ? t[l - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = t[l];
}
