// Of a large function that is cut, LLVM sees later than its cutter that a part never runs: the function that the part
// became has no caller any more, which crashed LLVM's code generator.
//
// check gfx90a/--kiln-cut=100 s k +s_endpgm
// check gfx1100/--kiln-cut=100 s k +s_endpgm
#define STEP(i)                                                                                                        \
  x = x * 1664525u + p[i];                                                                                             \
  x ^= x >> 7;                                                                                                         \
  p[i] = x;
#define STEPS(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3) STEP(i + 4) STEP(i + 5) STEP(i + 6) STEP(i + 7)
kernel void k(global uint *p, uint n) {
  uint x = p[get_global_id(0)];
  STEPS(0)
  int few = n & 63, more = few + 64;
  if (more < 64) {
    if (x & 3) {
      STEPS(16)
    }
    STEPS(24)
    if (x & 5) {
      STEPS(16)
    }
    x += p[n];
  }
  STEPS(32)
}
