// Unions share their bytes.
// run: -g 2 -p 0:u32 zero:u32:6
// expect: 0: 1065353216 1065353387 305397931 1073741824 1073741995 305397931
typedef union { float f; uint u; uchar b[4]; ushort2 s; } word;
kernel void k(global uint *o) {
  int n = get_global_id(0);
  word w;
  w.f = 1.0f + n;
  o[3 * n] = w.u;
  w.b[0] = 0xab;
  o[3 * n + 1] = w.u;
  w.s.y = 0x1234;
  o[3 * n + 2] = w.u;
}
