// Functions that return a second result through a pointer.
// run: -g 4 -p 1:f32 -p 2:i32 list:f32:2.75,-0.3,100.5,1e-3 zero:f32:24 zero:i32:8
// tolerance: 1e-6
// expect: 1: 0.75 2 20.75 0.6875 -8.861362 -0.049999952 0.7 -1 -0.3 -0.6 9.257845 -0.3 0.5 100 1000.5 0.78515625 9.964246 -0.29999828 0.001 0 0.001 0.512 10.000996 0.001
// expect: 2: 2 4 -1 0 7 0 -9 0
kernel void k(global const float *a, global float *o, global int *n) {
  size_t i = get_global_id(0);
  float x = a[i], t;
  int e, q;
  o += 6 * i;
  o[0] = fract(x, &t); o[1] = t;
  o[2] = modf(x, &t) + t * 10;
  o[3] = frexp(x, &e);
  o[4] = sincos(x, &t) + 10 * t;
  o[5] = remquo(x, 0.7f, &q);
  n[2 * i] = e;
  n[2 * i + 1] = q & 7;
}
