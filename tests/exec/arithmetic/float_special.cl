// Infinities, NaN and signed zeros in arithmetic and comparisons.
// run: -g 7 -p 2:f32 -p 3:i32 list:f32:1,-1,0,inf,nan,-0.0,1e-45 list:f32:0,0,0,inf,1,1,0.5 zero:f32:7 zero:i32:7
// expect: 2: inf -inf 12345 12345 12345 -0 2.8026e-45
// expect: 3: 56 11 38 38 8 11 11
kernel void k(global const float *a, global const float *b, global float *q, global int *c) {
  size_t i = get_global_id(0);
  float x = a[i] / b[i];
  q[i] = isnan(x) ? 12345.0f : x;
  c[i] = (a[i] < b[i]) | (a[i] <= b[i]) << 1 | (a[i] == b[i]) << 2 | (a[i] != b[i]) << 3 | (a[i] > b[i]) << 4 | (a[i] >= b[i]) << 5;
}
