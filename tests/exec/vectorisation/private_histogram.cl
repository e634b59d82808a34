// Each work-item counts in an array of its own. All lanes run almost the same iterations, so gathers from lanes that lie
// beside one another are faster than work-items one by one. Expectation by the same formula in Python.
// run: -g 48 -l 16 -p 0:u32 zero:u32:16 list:u32:0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12,12,6,10,8,0,2,14,4,4,14,2,0,8,10,6,12 u32=300
// stats: cpu:x86-64-v3 lanes 8, array 34, contiguous 1, uniform-loop 1
// expect: 0: 38 0 38 0 38 0 37 0 37 0 37 0 37 0 38 0
kernel void count(global uint *bins, global const uint *x, uint n) {
  uint own[16];
  for (int b = 0; b < 16; b++)
    own[b] = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    own[x[i] & 15]++;
  for (int b = 0; b < 16; b++)
    if (own[b])
      atomic_add(bins + b, own[b]);
}
