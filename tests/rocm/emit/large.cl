// A function above --kiln-cut becomes several, which cannot recurse: the kernel knows its stack. A switch of which LLVM
// knows that no other value comes has a default that is unreachable, and is cut around nevertheless.
//
// check gfx90a s choices -swappc
// check gfx90a/--kiln-cut=300 s choices +swappc
// check gfx90a/--kiln-cut=300 ll * +switch +define.internal.void.@choices.chunk.[0-9]
// check gfx90a/--kiln-cut=300 s * +uses_dynamic_stack.*0 -uses_dynamic_stack.*(1|true)
// check gfx1100/--kiln-cut=300 s * +uses_dynamic_stack.*0 -uses_dynamic_stack.*(1|true)

uint align_bytes(uint a, uint b, uint n) {
  switch (n & 3) {
  case 0: return b;
  case 1: return (a >> 24) | (b << 8);
  case 2: return (a >> 16) | (b << 16);
  case 3: return (a >> 8) | (b << 24);
  }
  return 0;
}

#define STEP(i) x##i = align_bytes(x##i, at[i + 1], n + get_global_id(0)), at[i] = x##i
#define LOAD(i) uint x##i = at[i]
#define ALL(what)                                                                                                      \
  what(0);                                                                                                             \
  what(1);                                                                                                             \
  what(2);                                                                                                             \
  what(3);                                                                                                             \
  what(4);                                                                                                             \
  what(5);                                                                                                             \
  what(6);                                                                                                             \
  what(7);                                                                                                             \
  what(8);                                                                                                             \
  what(9);                                                                                                             \
  what(10);                                                                                                            \
  what(11)

kernel void choices(global uint *x, uint n) {
  global uint *at = x + get_global_id(0);
  ALL(LOAD);
  ALL(STEP);
}
