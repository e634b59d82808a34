int get(private int *p) { return *p; }
kernel void k(global int *o, int n, float4 w) {
  int a;
  o[0] = a;
  int b, c = b + 1;
  int d;
  d++;
  int e;
  e += 2;
  float4 v;
  o[1] = (v * 2.0f).x + c + d + e;
  int *p;
  *p = 3;
  int f;
  if (n && f > 3)
    o[2] = f;
  int g = n ? o[3] : 1, h;
  if (n) {
    int i;
    o[4] = i + g;
  } else {
    h = 1;
  }
  while (n < 3) {
    int j;
    n += j;
  }
  switch (n) {
    int l;
  case 1:
    l = 2;
    break;
  case 2:
    l++;
  }
  int m = ({ int q; q; });
  int r;
  return;
  o[0] = r + h + m;
}
// What may have been written is left alone.
kernel void fine(global int *o, int n) {
  int a, b, c, d, e, f, g[4], h, i, j;
  float4 v;
  if (n)
    a = 1;
  for (int k = 0; k < n; k++) {
    if (k)
      o[0] = b;
    b = k;
    int inner;
    if (k & 1)
      inner = 3;
    o[7] = inner;
  }
  c = d = 3;
  o[1] = a + b + c + d + get(&e) + e + g[1];
  v.x = 1;
  v.y = v.x;
  o[2] = v.y + sizeof(f);
  (void)f;
  if (0)
    o[3] = f;
  int self = self;
  n > 3 && (h = 3) && o[h];
  o[4] = (i = 4, i);
  goto in;
back:
  o[5] = j + self;
  return;
in:
  j = 5;
  goto back;
}
// expect: 4:10: warning: variable 'a' is uninitialized when used here [-Wuninitialized]
// expect: 3:8: note: initialize the variable 'a' to silence this warning
// expect: 5:14: warning: variable 'b' is uninitialized when used here [-Wuninitialized]
// expect: 5:8: note: initialize the variable 'b' to silence this warning
// expect: 7:3: warning: variable 'd' is uninitialized when used here [-Wuninitialized]
// expect: 6:8: note: initialize the variable 'd' to silence this warning
// expect: 9:3: warning: variable 'e' is uninitialized when used here [-Wuninitialized]
// expect: 8:8: note: initialize the variable 'e' to silence this warning
// expect: 11:11: warning: variable 'v' is uninitialized when used here [-Wuninitialized]
// expect: 10:11: note: initialize the variable 'v' to silence this warning
// expect: 13:4: warning: variable 'p' is uninitialized when used here [-Wuninitialized]
// expect: 12:9: note: initialize the variable 'p' to silence this warning
// expect: 15:12: warning: variable 'f' is uninitialized when used here [-Wuninitialized]
// expect: 14:8: note: initialize the variable 'f' to silence this warning
// expect: 20:12: warning: variable 'i' is uninitialized when used here [-Wuninitialized]
// expect: 19:10: note: initialize the variable 'i' to silence this warning
// expect: 26:10: warning: variable 'j' is uninitialized when used here [-Wuninitialized]
// expect: 25:10: note: initialize the variable 'j' to silence this warning
// expect: 29:9: warning: variable 'l' set but not used [-Wunused-but-set-variable]
// expect: 36:21: warning: variable 'q' is uninitialized when used here [-Wuninitialized]
// expect: 36:19: note: initialize the variable 'q' to silence this warning
// expect: 52:9: warning: variable 'inner' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 54:12: note: uninitialized use occurs here
// expect: 51:14: note: initialize the variable 'inner' to silence this warning
