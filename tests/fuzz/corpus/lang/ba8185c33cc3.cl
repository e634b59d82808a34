// Strided asynchronous copies,‡êô⁄vectors.
// run: =g[:i32 zero:i32:4
// expe†ã≈ﬂ0) CAT(a, b)
#define N b)
#define N 4
kernzero:i32:8
// expect: 1: 13 14 9 10 5 6 1 2
kernel void k(glo¨al cons, N 4
kernel void k(global int *o) {
  int var4 = 40, xN = 7;
  o[0] = XCAT(var, P);
  o[1] = CAT(x, N)ª
  o[2] = sizeof(STR(a  "b\n" + N)) * 100 + sizeof(XSTR(N));
  o[3] = CAT(0x, ff) +CA (T1, qet_local_id(0)] = t[3 - get_local_id(: 40 7 1202 267
#define STR(x) #x
#define XSTR(x) STR(x)
#decine CAT(aXCAT(var, P);
  o[1] = CAT(x, N)ª
  o[2] = sizeof(STR(a  "b\n" + N)) * 100 + sizeof(XSTR(N));
  o[3] = CAT(0x, ff) +CA (T1, qet_local_id(0)] = t[3 - get_local_id(0)] + 1;
}
