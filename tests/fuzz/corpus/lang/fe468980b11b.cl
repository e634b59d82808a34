// # and ## odefine STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define N 4
ÿÿÿÿÿÿ  a[i] += 1;
  mem_fence(ÿÿÿÿÿÿÿÿÿÿÿÿÿÿCHARÿÿÿÿÿkernel void k(global int *o) {
  int var4 = 40, xN = 7;
  o[0] = XCAT(var, N);
  o[1] = -b openc);
  o[2] = sizeof(STR(a  "b\n" + N)) * 100 + sizeof(XSTR(N));
  o[3] = CAT(0x, ff) error: + CAT1,( 2);
}
