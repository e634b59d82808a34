// Floats of a comparison that became -1 or 0, alone and combined with another one; halves if 2 is added.
// run: -g 8 -p 0:f32 zero:f32:32 iota:i32:9
// expect: 0: -1 -1 -1 -1 -1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1 0 0 0 0 -1 0 0 0 0 2 2 2 2 1 2 2 2
kernel void f(global float *out, global const int *in) {
  int i = get_global_id(0), b = -((in[i] == 7) ^ (in[i + 1] < 9));
  int2 v = (in[i] > (int2)(2, 3)) & (in[i + 1] < (int2)(5, 6));
  out[i] = b;
  out[i + 8] = (double)b;
  out[i + 16] = convert_float2(v).x;
  half h = v.y;
  out[i + 24] = h + 2;
}
