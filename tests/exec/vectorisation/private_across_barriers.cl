// A pass of a radix sort: each work-item counts digits in an array of its own, which lives across barriers, and the
// group adds the arrays up. The array is one of lanes, so that elements at an index that lanes share lie side by side,
// and several registers overlap what waits for stores to it. Expectation by the same formula in Python.
// run: -g 128 -l 64 -p 0:u32 zero:u32:32 i32=600 local:256
// stats: cpu:x86-64-v4 lanes 32, array 19
// stats: cpu:x86-64-v3 lanes 16, array 19
// expect: 0: 18 20 18 19 19 20 20 17 18 18 18 19 19 20 18 20 19 17 20 17 19 19 18 20 18 20 19 18 20 17 19 19
// run: -g 60 -l 20 -p 0:u32 zero:u32:48 i32=600 local:80
// expect: 0: 9 11 10 9 10 10 11 10 11 11 9 10 10 10 9 9 10 10 9 12 10 11 9 11 10 9 10 11 10 9 10 10 10 8 12 10 10 9 11 11 9 10 11 10 9 10 10 10
kernel void count(global uint *sums, int n, local uint *l) {
  int t = get_local_id(0), size = get_local_size(0), digits[16] = {0};
  int region = n / (int)get_num_groups(0), begin = (int)get_group_id(0) * region, end = begin + region;
  for (int i = begin + t; i < end; i += size)
    digits[((uint)i * 2654435761u >> 13) & 15]++;
  for (int d = 0; d < 16; d++) {
    l[t] = digits[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
      if (t < s)
        l[t] += l[t + s];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
      sums[d * get_num_groups(0) + get_group_id(0)] = l[0];
  }
}
