// On the axis atan2pi is exactly a half.
// run: -g 4 -p 2:f32 list:f32:1,-1,3,-0x1p-149 list:f32:0,-0.0,-0.0,0 zero:f32:4
// expect: 2: 0.5 -0.5 0.5 -0.5
kernel void k(global const float *y, global const float *x, global float *o) {
  int i = get_global_id(0);
  o[i] = atan2pi(y[i], x[i]);
}
