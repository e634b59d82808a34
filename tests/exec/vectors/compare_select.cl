// Vector comparisons give -1 or 0 per component; ?: chooses per component.
// run: -g 1 -p 2:i32 -p 3:f32 list:f32:1,2,3,nan list:f32:2,2,1,1 zero:i32:24 zero:f32:4
// expect: 2: -1 0 0 0 0 -1 0 0 -1 0 -1 -1 0 -1 -1 0 -1 -1 0 -1 -1 -1 0 0
// expect: 3: 1 2 1 1
kernel void k(global const float4 *a, global const float4 *b, global int4 *o, global float4 *f) {
  o[0] = a[0] < b[0];
  o[1] = a[0] == b[0];
  o[2] = a[0] != b[0];
  o[3] = a[0] >= b[0];
  o[4] = !(a[0] > b[0]);
  o[5] = (a[0] < b[0]) || (a[0] == b[0]);
  f[0] = (a[0] < b[0]) ? a[0] : b[0];
}
