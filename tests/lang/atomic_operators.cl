// options: std=200
struct s {
  atomic_int count;
};
kernel void k(global atomic_int *a, global struct s *s, global int *out, int n) {
  *a = 1;
  a[1] += n;
  a[2]++;
  out[0] = a[3] + 1;
  if (a[4])
    s->count = 5;
  atomic_int copy;
  atomic_init(&copy, 1);
  out[1] = -copy;
}
// expect: 6:3: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 7:3: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 8:3: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 9:12: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 10:7: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 11:8: error: operators do not apply to 'atomic_int': use the atomic functions
// expect: 13:3: error: no matching function for call to 'atomic_init'
// expect: 13:3: note: candidate: 'void atomic_init(atomic_gentype *, gentype)', gentype being int, uint, long, ulong, float, double
// expect: 14:13: error: operators do not apply to 'atomic_int': use the atomic functions
