// Integer functions on vectors, scalar second operands.
// run: -g 1 -p 0:i32 zero:i32:16
// expect: 0: -3 5 10 -10 0 5 100 0 3 5 100 100 -5 20 800 -1585
kernel void k(global int4 *o) {
  int4 v = (int4)(-3, 5, 100, -100);
  o[0] = clamp(v, -10, 10);
  o[1] = max(v, 0);
  o[2] = convert_int4(abs(v));
  o[3] = rotate(v, (int4)(1, 2, 3, 4));
}
