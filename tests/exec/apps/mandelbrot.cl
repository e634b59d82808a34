// Escape counts of the Mandelbrot set.
// run: -g 8,4 -p 0:i32 zero:i32:32
// stats: cpu:x86-64-v3 lanes 32, contiguous 1
// expect: 0: 1 2 3 3 4 13 4 2 1 3 4 5 50 50 50 3 50 50 50 50 50 50 50 4 1 3 4 5 50 50 50 3
kernel void mandelbrot(global int *o) {
#pragma OPENCL FP_CONTRACT OFF
  float cx = -2.0f + get_global_id(0) * 0.375f, cy = -1.0f + get_global_id(1) * 0.5f, x = 0, y = 0;
  int n = 0;
  while (n < 50 && x * x + y * y <= 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    n++;
  }
  o[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}
