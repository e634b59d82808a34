// options: no-warnings
static int never(int x) { return x; }
kernel void k(global int *o, int n) {
  int a;
  if (n) if (n > 1) o[0] = a; else o[0] = 2147483647 + 1;
label:;
  switch ((uchar)n) { case 300: o[0] = n && n || o[1]; }
}
// expect: none
