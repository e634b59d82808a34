// Scan of vectors, in a window after the other: vectors are loaded and stored under masks, and what is stored is needed in
// several blocks of the code, as whole registers.
// run: -g 64 -l 32 -p 1:f32 iota:f32:320 zero:f32:320 i32=40 local:256
// formula: -k scan_formula -D FORMULA
kernel void scan(global const float4 *x, global float4 *y, int n, local float *t) {
  int l = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * n, stop = first + n, i = first + l;
  float seed = 0;
  for (int window = first; window < stop; window += size) {
    float4 v = 0;
    if (i < stop)
      v = x[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    t[l] = 0;
    t[l + size] = v.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
      float before = t[l + size - d];
      barrier(CLK_LOCAL_MEM_FENCE);
      t[l + size] += before;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = t[l + size - 1] + seed;
    if (i < stop)
      y[i] = v + sum;
    seed += t[2 * size - 1];
    i += size;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

#ifdef FORMULA // One running sum for each group, by the first work-item alone.
kernel void scan_formula(global const float *x, global float *y, int n, local float *t) {
  if (get_global_id(0))
    return;
  float sum = 0;
  for (int i = 0; i < 4 * n * get_num_groups(0); i++)
    y[i] = sum = i % (4 * n) ? sum + x[i] : x[i];
}
#endif
