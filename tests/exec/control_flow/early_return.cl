// Returns from inside loops and conditions, in kernels and functions.
// run: -g 8 -p 0:i32 fill:i32:8:-5
// expect: 0: 1 2 2 -5 3 -5 66 3
int find(int n) {
  for (int i = 0; i < 10; i++) {
    if (i * i > n)
      return i;
    if (n == 5)
      return -n;
  }
  return 99;
}
kernel void k(global int *o) {
  int n = get_global_id(0);
  if (n == 3)
    return;
  for (int i = 0; i < 3; i++)
    if (n == 6 && i == 1) {
      o[n] = 66;
      return;
    }
  o[n] = find(n);
}
