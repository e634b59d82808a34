// A quarter turn, R float.
#ifdef BUFFERS
kernel void turn(global const float *restrict in, int width, int height, global float *restrict out,
                 int out_width, int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * out_width + x] = in[x * width + width - 1 - y];
}
#else
kernel void turn(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imagef(out, (int2)(x, y), read_imagef(in, (int2)(get_image_width(in) - 1 - y, x)));
}
#endif
