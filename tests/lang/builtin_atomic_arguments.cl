// options: std=200
kernel void k(global int *plain, global atomic_int *a, constant int *c) {
  int i = 0;
  atomic_fetch_add(plain, 1);
  atomic_add(a, 1);
  atomic_compare_exchange_strong(a, c, 1);
  atomic_fetch_or(a);
  atomic_flag_clear(&i);
}
// expect: 4:3: error: no matching function for call to 'atomic_fetch_add'
// expect: 4:3: note: candidate: 'gentype atomic_fetch_add(atomic_gentype *, gentype)', gentype being int, uint, long, ulong
// expect: 4:3: note: candidate: 'gentype atomic_fetch_add(atomic_gentype *, gentype)', gentype being float, double
// expect: 5:3: error: no matching function for call to 'atomic_add'
// expect: 5:3: note: candidate: 'gentype atomic_add(gentype *, gentype)', gentype being int, uint
// expect: 6:3: error: no matching function for call to 'atomic_compare_exchange_strong'
// expect: 6:3: note: candidate: 'bool atomic_compare_exchange_strong(atomic_gentype *, gentype *, gentype)', gentype being int, uint, long, ulong, float, double
// expect: 7:3: error: too few arguments to function call, expected 2, have 1
// expect: 7:3: note: candidate: 'gentype atomic_fetch_or(atomic_gentype *, gentype)', gentype being int, uint, long, ulong
// expect: 8:3: error: no matching function for call to 'atomic_flag_clear'
// expect: 8:3: note: candidate: 'void atomic_flag_clear(atomic_gentype *)', gentype being int
