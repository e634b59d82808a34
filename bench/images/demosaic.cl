// Of a camera's mosaic, red and green in even rows, green and blue in odd ones, the two colours that a pixel lacks:
// R16 to RGBA float. Beyond the edge the nearest pixel counts.
#ifdef BUFFERS
kernel void demosaic(global const ushort *restrict mosaic, int width, int height, global float4 *restrict out,
                     int out_width, int out_height) {
  int x = get_global_id(0), y = get_global_id(1);
  float at[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      at[j][i] = mosaic[clamp(y + j - 1, 0, height - 1) * width + clamp(x + i - 1, 0, width - 1)] * (1 / 65535.0f);
  float row = (at[1][0] + at[1][2]) * 0.5f, column = (at[0][1] + at[2][1]) * 0.5f;
  float corners = (at[0][0] + at[0][2] + at[2][0] + at[2][2]) * 0.25f, cross = (row + column) * 0.5f;
  float3 colour;
  if ((x ^ y) & 1)
    colour = y & 1 ? (float3)(column, at[1][1], row) : (float3)(row, at[1][1], column);
  else
    colour = y & 1 ? (float3)(corners, cross, at[1][1]) : (float3)(at[1][1], cross, corners);
  out[y * out_width + x] = (float4)(colour, 1);
}
#else
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void demosaic(read_only image2d_t mosaic, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  float at[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      at[j][i] = read_imagef(mosaic, edge, (int2)(x + i - 1, y + j - 1)).x;
  float row = (at[1][0] + at[1][2]) * 0.5f, column = (at[0][1] + at[2][1]) * 0.5f;
  float corners = (at[0][0] + at[0][2] + at[2][0] + at[2][2]) * 0.25f, cross = (row + column) * 0.5f;
  float3 colour;
  if ((x ^ y) & 1)
    colour = y & 1 ? (float3)(column, at[1][1], row) : (float3)(row, at[1][1], column);
  else
    colour = y & 1 ? (float3)(corners, cross, at[1][1]) : (float3)(at[1][1], cross, corners);
  write_imagef(out, (int2)(x, y), (float4)(colour, 1));
}
#endif
