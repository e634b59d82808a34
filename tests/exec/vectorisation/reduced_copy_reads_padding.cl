// A copied struct takes its padding along, which nobody initialises; that is no use of an uninitialised value.
// run: -g 4 -p 0:u32 zero:u32:4
// stats: cpu:x86-64-v3 lanes 8, gathered 20, transposed 1, contiguous 1
// expect: 0: 4294967290 4294967292 4294967290 4294967292
struct S0 { int f0; int f1[2]; uint f2; uint f3; uint4 f4; };
struct S0 tr(struct S0 s, int z) { return s; }
kernel void k(global uint *o) {
  uint g = get_global_id(0);
  struct S0 s = {1, {2, 3}, g, g ^ 5u, (uint4)(g)};
  s = tr(s, 1);
  s.f1[g & 1] = 4;
  o[g] = ~s.f3 + s.f4.s3;
}
