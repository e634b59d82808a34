// shuffle and shuffle2.
// run: -g 1 -p 0:i32 zero:i32:16
// expect: 0: 3 2 1 0 13 0 10 1 3 2 11 0 2 2 3 3
kernel void k(global int4 *o) {
  int4 a = (int4)(0, 1, 2, 3), b = (int4)(10, 11, 12, 13);
  uint4 m = (uint4)(3, 2, 5, 0);
  o[0] = shuffle(a, m);
  o[1] = shuffle2(a, b, (uint4)(7, 0, 4, 1));
  o[2] = shuffle2(a, b, m + (uint)get_global_id(0));
  int8 w = shuffle(a, (uint8)(0, 0, 1, 1, 2, 2, 3, 3));
  o[3] = w.hi;
}
