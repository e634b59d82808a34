// Slices of each work-item's own, of any length, reduced by one work-item after another.
// run: -k sums -g 5 -p 0:u32:5 zero:u32:5 iota:u32:1000 u32=197
// expect: 0: 19306 58115 96924 135733 174542
// stats: cpu:x86-64-v4 lanes 1
// stats: cpu:x86-64-v3 lanes 1
// run: -k sums -g 40 -p 0:u32:40 zero:u32:40 iota:u32:1000 u32=3
// expect: 0: 3 12 21 30 39 48 57 66 75 84 93 102 111 120 129 138 147 156 165 174 183 192 201 210 219 228 237 246 255 264 273 282 291 300 309 318 327 336 345 354
// run: -k sums -g 3 -p 0:u32:3 zero:u32:3 iota:u32:1000 u32=0
// expect: 0: 0 0 0
// run: -k extremes -g 4 -p 0:i32:4 zero:i32:4 iota:i32:1000 i32=249
// expect: 0: 248 497 746 995
// stats: cpu:x86-64-v4 lanes 1
// run: -k floats -g 4 -p 0:f32:4 zero:f32:4 iota:f32:1000 i32=10
// expect: 0: 45 145 245 345
// stats: cpu:x86-64-v4 transposed 1
kernel void sums(global uint *out, global const uint *in, uint n) {
  uint sum = 0, i = get_global_id(0);
  for (uint k = i * n; k < (i + 1) * n; k++)
    sum += in[k];
  out[i] = sum;
}
kernel void extremes(global int *out, global const int *in, int n) {
  int i = get_global_id(0), most = INT_MIN;
  for (int k = i * n; k < (i + 1) * n; k++)
    most = max(most, in[k]);
  out[i] = most;
}
kernel void floats(global float *out, global const float *in, int n) { // whose sums have an order
  int i = get_global_id(0);
  float sum = 0;
  for (int k = i * n; k < (i + 1) * n; k++)
    sum += in[k];
  out[i] = sum;
}
