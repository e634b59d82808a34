// Vectors of 16 that stay vectors beside work-items: a digest.
// run: -g 21 -p 1:u32 iota:u32:21 zero:u32:21
// stats: cpu:x86-64-v3 vectors of the language fill the registers
// stats: cpu:x86-64-v3 lanes 4, contiguous 2
// expect: 1: 4017294912 1019228269 2265793433 1376612283 3971981727 3375629249 3932361592 4004412995 837577260 1298129807 3042689812 795862749 384178683 1725478679 531600687 1062028610 3909873024 2729580798 1588656949 3874928166 43624818
typedef uint16 v;
kernel void k(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  v a = (v)(in[i]) + (v)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), b = a ^ 0x9e3779b9u, c = ~a;
  for (int r = 0; r < 20; r++) {
    a += (b & c) | (~b & a);
    b = rotate(b, (v)(7)) ^ a;
    c = (c + b) * 5u - (a >> 3u);
  }
  a ^= b + c;
  uint8 x = a.lo ^ a.hi;
  uint4 y = x.lo ^ x.hi;
  out[i] = y.x ^ y.y ^ y.z ^ y.w;
}
