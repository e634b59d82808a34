// Pointer arithmetic, differences and comparisons.
// run: -g 1 -p 0:i32 iota:i32:16
// expect: 0: 7 1 12 3 4 5 6 7 8 9 10 6 1 12 5 2
kernel void k(global int *a) {
  global int *p = a + 3, *q = &a[10];
  a[0] = (int)(q - p);
  a[1] = p < q;
  a[2] = *(p + 2) + p[-1] + 2[p];
  q -= 4;
  a[11] = *q;
  a[12] = p == a + 3;
  a[13] = (int)((global char *)q - (global char *)p);
  global const int *r = 0;
  a[14] = r == 0 ? 5 : 6;
  a[15] = !r + (p && q);
}
