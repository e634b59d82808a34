// options: werror
static int never(int x) { return x; }
kernel void k(global int *o, int n) {
  int a;
  if (n) if (n > 1) o[0] = a; else o[0] = 2147483647 + 1;
label:;
  switch ((uchar)n) { case 300: o[0] = n && n || o[1]; }
}
// expect: 5:54: error: overflow in expression; result is -2147483648 with type 'int' [-Werror,-Winteger-overflow]
// expect: 5:31: error: add explicit braces to avoid dangling else [-Werror,-Wdangling-else]
// expect: 7:28: error: overflow converting case value to switch condition type (300 to 44) [-Werror,-Wswitch]
// expect: 7:42: error: '&&' within '||' [-Werror,-Wlogical-op-parentheses]
// expect: 7:42: note: place parentheses around the '&&' expression to silence this warning
