// Segments that only the first work-items of a row run, for each number of them: what is less than a warp runs by halves of
// it. Elements of 1, 2, 4 and 8 bytes, vectors, and a value that crosses barriers. Expectations by the same steps in Python.
// run: -g 37 -l 37 zero:i32:37 i32=37 -p 0:i32
// stats: cpu:x86-64-v3 lanes 16, strided 4, contiguous 17
// expect: 0: 5741958 5892698 5649445 5984199 5532960 6027728 5392503 6023285 5228074 5970870 5039673 5870483 4827300 5722124 4590955 5525793 4330638 5281490 4046349 4989215 3738088 4648968 3405855 4260749 3049650 3824558 2669473 3340395 2265324 2808260 1837203 2228153 1385110 1600074 909045 924023 409008
// run: -g 19 -l 19 zero:i32:19 i32=24 -p 0:i32
// expect: 0: 3826124 3785955 3655793 3721638 3461490 3609349 3243215 3449088 3000968 3240855 2734749 2984650 2444558 2680473 2130395 2328324 1792260 1928203 1430153
// run: -g 3 -l 3 zero:i32:3 i32=2 -p 0:i32
// expect: 0: 502023 308008 200000
kernel void k(global int *out, int limit) {
  local uchar b[64];
  local short s[64];
  local long d[64];
  local int2 f[64];
  int l = get_local_id(0), mine = l * 3 + 1 + out[get_global_id(0)];
  b[l] = 0, s[l] = 0, d[l] = 0, f[l] = (int2)(0, 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int c = limit; c >= 0; c--) {
    if (l < c)
      b[l]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < c)
      s[l] += b[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < c)
      d[l] += mine & 1 ? mine : 2 * mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < c)
      f[l] = (int2)(f[l].y, f[l].x + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = b[l] + s[l] * 7 + (int)d[l] * 1000 + (f[l].x + 2 * f[l].y) * 100000;
}
