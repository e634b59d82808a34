// Values of every kind may be thrown away by a cast to void.
// run: -g 1 -p 0:i32 zero:i32:3
// expect: 0: 1 2 3
struct pair { int a, b; };
kernel void k(global int *o) {
  int r = 1, a[2] = {0, 0};
  int *p = &r;
  struct pair s = {2, 3};
  float4 v = (float4)(1);
  (void)p, (void)o, (void)a, (void)s, (void)v, (void)r, (void)&s.a, (void)0, (void)(o[2] = 3);
  o[0] ? (void)p : (void)v;
  o[0] = *p;
  o[1] = s.a;
}
