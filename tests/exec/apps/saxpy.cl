// The first program of everybody.
// run: -g 16 -p 2:f32 f32=2 iota:f32:16 fill:f32:16:1
// stats: cpu:x86-64-v3 lanes 8, contiguous 3
// expect: 2: 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
