kernel void k(global float *out, global const int *in, int n) {
  int x = 0;
  out[0] = atomic_add(&x, 1);
}
// expect: 3:12: error: no matching function for call to 'atomic_add'
// expect: 3:12: note: candidate: 'gentype atomic_add(gentype *, gentype)', gentype being int, uint
