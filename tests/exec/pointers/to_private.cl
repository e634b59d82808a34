// Pointers to private variables passed to functions.
// run: -g 4 -p 0:i32 zero:i32:8
// expect: 0: 0 67 111 16 220 18 331 20
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i * i; }
kernel void k(global int *o) {
  int i = get_global_id(0), x = i, y = 10 * i;
  swap(&x, &y);
  int a[6];
  fill(a + 1, 5);
  a[0] = 50;
  int *p = i & 1 ? &x : &a[i];
  *p += 1;
  o[2 * i] = x + 100 * y;
  o[2 * i + 1] = a[i] + a[5];
}
