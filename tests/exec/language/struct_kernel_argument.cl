// A struct passed by value to a kernel.
// run: -g 2 -p 1:i32 bytes:0100000002000000030000000000000005000000 zero:i32:2
// expect: 1: 1253 2253
struct params { int a; short b, c; int d[3]; };
kernel void k(struct params p, global int *o) {
  p.a += get_global_id(0);
  o[get_global_id(0)] = p.a * 1000 + p.b * 100 + p.d[2] * 10 + p.d[0];
}
