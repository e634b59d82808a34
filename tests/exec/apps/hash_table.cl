// A table with open addressing, by 64-bit compare-and-exchange.
// run: -g 64 -l 64 -p 3:u32 rand:u64:64:3:1:40 zero:u64:128 zero:u32:128 zero:u32:64
// expect: 3: 1 1 3 1 2 2 3 3 3 3 2 3 2 2 2 2 3 4 3 4 2 2 2 2 2 1 2 4 3 3 3 3 4 3 2 2 1 3 1 3 2 3 2 1 3 1 1 2 2 1 2 3 1 3 3 2 3 2 2 2 3 3 3 1
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
uint hash(ulong k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdUL;
  k ^= k >> 29;
  return (uint)k & 127;
}
kernel void table(global const ulong *keys, volatile global ulong *slots, volatile global uint *counts,
                  global uint *out) {
  ulong k = keys[get_global_id(0)];
  uint h = hash(k);
  while (true) {
    ulong was = atom_cmpxchg(&slots[h], 0UL, k);
    if (was == 0 || was == k) {
      atomic_inc(&counts[h]);
      break;
    }
    h = (h + 1) & 127;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  h = hash(k);
  while (slots[h] != k)
    h = (h + 1) & 127;
  out[get_global_id(0)] = counts[h];
}
