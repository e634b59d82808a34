// The right side of && and || runs only when it must.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 10300 30700 10710 20711
int bump(int *n, int r) { ++*n; return r; }
kernel void k(global int *o) {
  int i = get_global_id(0), n = 0;
  int a = (i & 1) && bump(&n, i > 2);
  int b = (i & 2) || bump(&n, 0);
  int c = i ? bump(&n, 7) : 3;
  o[i] = a + 10 * b + 100 * c + 10000 * n;
}
