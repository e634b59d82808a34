// Constant arrays declared inside a kernel, and const private arrays.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 29 34 51 70
kernel void k(global int *o) {
  constant int primes[] = {2, 3, 5, 7};
  const int squares[4] = {0, 1, 4, 9};
  int i = get_global_id(0);
  o[i] = primes[i] * 10 + squares[3 - i];
}
