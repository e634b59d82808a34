// # and ## operators.
// run: -g 1 -p 0:i32 zero:i32:4
// expect: 0: 40 7 1202 267
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define N 4
kernel void k(global int *o) {
  int var4 = 40, xN = 7;
  o[0] = XCAT(var, N);
  o[1] = CAT(x, N);
  o[2] = sizeof(STR(a  "b\n" + N)) * 100 + sizeof(XSTR(N));
  o[3] = CAT(0x, ff) + CAT(1, 2);
}
