// Anything not zero is true; bool is 0 or 1.
// run: -g 5 -p 1:i32 list:f32:0,-0.0,0.25,0.1,-3 zero:i32:5
// expect: 1: 100 100 11 1 11
kernel void k(global const float *a, global int *o) {
  size_t i = get_global_id(0);
  bool b = a[i];
  bool c = (int)(a[i] * 4);
  o[i] = b + 10 * c + 100 * !a[i];
}
