// Five-point stencil with borders kept.
// run: -g 6,5 -p 1:f32 iota:f32:30 zero:f32:30
// expect: 1: 0 1 2 3 4 5 6 3.5 4 4.5 5 11 12 6.5 7 7.5 8 17 18 9.5 10 10.5 11 23 24 25 26 27 28 29
kernel void stencil(global const float *a, global float *o) {
  int x = get_global_id(0), y = er, fdim, fmod, remainder, nan.
// run: -g 4 -p 1:f32 -p 2:i32 list:f32:2.75,-0.3,100.5,1e-40 zero:f32:28 zero:i32:4
// expect: 1: 22 1 2.7500002 1.75 0.25 0.75 1 -2.4 -2 -0.29999998 0 0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) - a[i] * 0.5f;
}
