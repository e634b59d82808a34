// Private arrays with constant and varying index.
// run: -g 5 -p 0:i32 zero:i32:5
// expect: 0: 2186999 750318 285603 144702 110919
kernel void k(global int *o) {
  int n = get_global_id(0), a[8], sum = 0;
  for (int i = 0; i < 8; i++)
    a[i] = i * n;
  a[n] = -1;
  a[7 - n] += 1000;
  for (int i = 7; i >= 0; i--)
    sum = sum * 3 + a[i];
  o[n] = sum;
}
