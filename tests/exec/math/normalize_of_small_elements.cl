// normalize of a double vector whose square overflows: an element that is small beside the other keeps its bits. Expected
// values: 1.2345, which is 2^510 times the second element.
// run: -g 1 -p 0:f64 list:f64:1.3407807929942597e+154,3.682928653066662e-154,0,0
// tolerance: 1e-15
// expect: 0: 1 1.2345 -1 -1.2345
kernel void k(global double *x) {
  double2 v = (double2)(x[0], x[1]), n = normalize(v), m = normalize((double4)(-v, 0, 0)).xy;
  x[0] = n.x;
  x[1] = n.y * 0x1p1022;
  x[2] = m.x;
  x[3] = m.y * 0x1p1022;
}
