// fma rounds once.
// run: -g 2 -p 1:f32 list:f32:1.0000001,1.0000002 zero:f32:4
// expect: 1: 2.3841858e-07 3.0000002 4.768372e-07 3.0000005
kernel void k(global const float *a, global float *o) {
  size_t i = get_global_id(0);
  o[2 * i] = fma(a[i], a[i], -1.0f);
  o[2 * i + 1] = mad(2.0f, a[i], 1.0f);
}
