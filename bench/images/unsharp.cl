// What a blurred picture lacks is added once more: R8, weights in a table, their number an argument.
#ifdef BUFFERS
kernel void unsharp(global const uchar *restrict in, int width, int height, global uchar *restrict out, int out_width,
                    int out_height, global const float *restrict weights, int columns, int rows, float amount) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      int from_x = clamp(x + i - columns / 2, 0, width - 1), from_y = clamp(y + j - rows / 2, 0, height - 1);
      sum += weights[j * columns + i] * (in[from_y * width + from_x] * (1 / 255.0f));
    }
  float here = in[y * width + x] * (1 / 255.0f);
  out[y * out_width + x] = convert_uchar_sat_rte((here + (here - sum) * amount) * 255.0f);
}
#else
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void unsharp(read_only image2d_t in, write_only image2d_t out, global const float *weights, int columns,
                    int rows, float amount) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), centre = (int2)(columns / 2, rows / 2);
  float4 sum = 0, here = read_imagef(in, edge, p);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++)
      sum += weights[j * columns + i] * read_imagef(in, edge, p + (int2)(i, j) - centre);
  write_imagef(out, p, here + (here - sum) * amount);
}
#endif
