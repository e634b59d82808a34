// options: default-warnings
static int never(int x) { return x; }
kernel void k(global int *o, int n) {
  int unused, set = 1, some;
  set = n;
  if (n & 1 | 2)
    some = 1;
  if (n && o[0] || o[1])
    o[0] = some;
  n = n;
lab:
  if (o[2])
    o[2] = 0;
    o[3] = 1;
  o[0] == 2;
  o[1] = n / 0;
}
// expect: 15:8: warning: equality comparison result unused [-Wunused-comparison]
// expect: 15:8: note: use '=' to turn this equality comparison into an assignment
// expect: 16:14: warning: division by zero is undefined [-Wdivision-by-zero]
