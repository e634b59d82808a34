#define MIX(a, b, c) (a & b | c)
kernel void k(global int *o, int n, int m) {
  o[0] = n && m || o[1];
  o[0] = n || m && o[1] || o[2] && o[3];
  o[0] = n & m | o[1];
  o[0] = n | m & 0xff;
  // all fine
  o[0] = (n && m) || o[1];
  o[0] = (n & m) | (o[1] & 3);
  o[0] = MIX(n, m, 3) & 3;
  o[0] = 1 && 0 || n;
}
// expect: 3:12: warning: '&&' within '||' [-Wlogical-op-parentheses]
// expect: 3:12: note: place parentheses around the '&&' expression to silence this warning
// expect: 4:17: warning: '&&' within '||' [-Wlogical-op-parentheses]
// expect: 4:17: note: place parentheses around the '&&' expression to silence this warning
// expect: 4:33: warning: '&&' within '||' [-Wlogical-op-parentheses]
// expect: 4:33: note: place parentheses around the '&&' expression to silence this warning
// expect: 5:12: warning: '&' within '|' [-Wbitwise-op-parentheses]
// expect: 5:12: note: place parentheses around the '&' expression to silence this warning
// expect: 6:16: warning: '&' within '|' [-Wbitwise-op-parentheses]
// expect: 6:16: note: place parentheses around the '&' expression to silence this warning
