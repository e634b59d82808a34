// y = a * x + y. Try it:
//   kiln run examples/saxpy.cl -g 1024 -p 2:f32:4 f32=2 iota:f32:1024 fill:f32:1024:1
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
