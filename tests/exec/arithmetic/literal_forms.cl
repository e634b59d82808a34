// Number and character literals in every notation.
// run: -g 1 -p 0:u64 -p 1:f32 zero:u64:10 zero:f32:8
// expect: 0: 31 15 4294967296 4294967295 10 65 10 127 0 18446744073709551615
// expect: 1: 1.5 1000 0.25 3 12 0.01 5 1.4013e-45
kernel void k(global ulong *o, global float *f) {
  o[0] = 0x1F; o[1] = 017; o[2] = 4294967296; o[3] = 0xFFFFFFFFu; o[4] = 10ul; o[5] = 'A'; o[6] = '\n'; o[7] = '\x7f';
  o[8] = '\0'; o[9] = 0xFFFFFFFFFFFFFFFF;
  f[0] = 1.5f; f[1] = 1e3f; f[2] = .25f; f[3] = 3.F; f[4] = 0x1.8p3f; f[5] = 1e-2; f[6] = 5; f[7] = 0x1p-149f;
}
