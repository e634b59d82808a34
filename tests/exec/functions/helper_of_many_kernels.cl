// A helper that many kernels call a few times each is inlined: a call runs once per lane.
// run: -g 21 -k k5 -p 0:u32 zero:u32:21 iota:u32:63
// stats: cpu:x86-64-v3 lanes 32, strided 3, contiguous 1
// expect: 0: 2894982231 1663269673 1023159694 390373468 2969570344 3679862330 1900559632 2119942367 1608198362 4069027362 2280469431 373933560 2611265746 1313294264 3439600082 129170546 4208127852 1920641630 1242374544 2421763249 3613394596
uint mix(uint x) {
  uint y = x * 0x9e3779b9u;
  if (x & 1)
    y = rotate(y ^ x, 7u) * 0x85ebca6bu + (y >> 13);
  if (y & 2)
    y = (rotate(y, 3u) ^ x) * 0x27d4eb2fu + (x >> 15);
  return rotate(y + x, 11u) ^ (y >> 16) * 0xc2b2ae35u;
}

#define KERNEL(n)                                                                                                      \
  kernel void k##n(global uint *out, global const uint *in) {                                                          \
    uint i = get_global_id(0);                                                                                         \
    out[i] = mix(in[3 * i] + n) ^ mix(in[3 * i + 1]) ^ mix(in[3 * i + 2]);                                             \
  }
KERNEL(0) KERNEL(1) KERNEL(2) KERNEL(3) KERNEL(4) KERNEL(5) KERNEL(6) KERNEL(7) KERNEL(8) KERNEL(9) KERNEL(10)
