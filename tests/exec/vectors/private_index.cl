// A private vector reached through a pointer with a varying index.
// run: -g 4 -p 0:i32 zero:i32:4
// expect: 0: 113 14 15 16
kernel void k(global int *o) {
  int4 v = (int4)(5, 6, 7, 8);
  int *p = (int *)&v;
  int i = get_global_id(0);
  p[3 - i] += 100;
  o[i] = p[i] + v.w;
}
