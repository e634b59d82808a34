// options: std=200 no-int64-atomics
kernel void k(global long *a, global atomic_int *b, global atomic_ulong *c, local atomic_size_t *d) {
  atom_add(a, 1l);
  atomic_fetch_add(b, 1);
  atomic_fetch_add(c, 1ul);
}
kernel void l(global ulong *a, global int *b) {
  atom_inc(b);
  atom_cmpxchg(a, 1ul, 2ul);
}
// expect: 2:53: error: use of type 'atomic_ulong' requires cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support
// expect: 2:77: error: use of type 'atomic_ulong' requires cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support
// expect: 3:3: error: 64-bit atomic functions require cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support
// expect: 9:3: error: 64-bit atomic functions require cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support
