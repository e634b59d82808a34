// A convolution of 1 by 1 in the layout of inference engines for phones: RGBA half, the channels in blocks of four,
// the blocks side by side. A work-item computes one block of four pixels. Outside of the image is a border of zeros.
#ifdef BUFFERS
kernel void conv1x1(global const half *restrict in, int in_width, int in_height, global const half *restrict weights,
                    int weight_width, int weight_height, global half *restrict out, int out_width, int out_height,
                    int width, int blocks) {
  int quads = (width + 3) / 4, at = get_global_id(0), y = get_global_id(1);
  int block = at / quads, x = at % quads * 4;
  float4 sum[4] = {0, 0, 0, 0};
  for (int b = 0; b < blocks; b++) {
    float4 w[4];
    for (int k = 0; k < 4; k++)
      w[k] = vload_half4(block * weight_width + b * 4 + k, weights);
    for (int i = 0; i < 4; i++) {
      int column = b * width + x + i;
      float4 pixel = column < in_width ? vload_half4(y * in_width + column, in) : (float4)0;
      sum[i] = mad(pixel.x, w[0], mad(pixel.y, w[1], mad(pixel.z, w[2], mad(pixel.w, w[3], sum[i]))));
    }
  }
  for (int i = 0; i < 4; i++)
    if (x + i < width)
      vstore_half4_rte(sum[i], y * out_width + block * width + x + i, out);
}
#else
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void conv1x1(read_only image2d_t in, read_only image2d_t weights, write_only image2d_t out, int width,
                    int blocks) {
  int quads = (width + 3) / 4, at = get_global_id(0), y = get_global_id(1);
  int block = at / quads, x = at % quads * 4;
  float4 sum[4] = {0, 0, 0, 0};
  for (int b = 0; b < blocks; b++) {
    float4 w[4];
    for (int k = 0; k < 4; k++)
      w[k] = read_imagef(weights, border, (int2)(b * 4 + k, block));
    for (int i = 0; i < 4; i++) {
      float4 pixel = read_imagef(in, border, (int2)(b * width + x + i, y));
      sum[i] = mad(pixel.x, w[0], mad(pixel.y, w[1], mad(pixel.z, w[2], mad(pixel.w, w[3], sum[i]))));
    }
  }
  for (int i = 0; i < 4; i++)
    if (x + i < width)
      write_imagef(out, (int2)(block * width + x + i, y), sum[i]);
}
#endif
