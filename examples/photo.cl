// From a camera's mosaic to a finished picture, with images: for photo.c and photo.py.

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Each pixel of the mosaic has one colour: red and green in even rows, green and blue in odd ones. The other two are
// means of the pixels around it that have them; beyond the edge the mosaic is mirrored, which keeps its colours.
kernel void demosaic(read_only image2d_t mosaic, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = x > 0 ? x - 1 : 1, right = x < get_image_width(mosaic) - 1 ? x + 1 : x - 1;
  int up = y > 0 ? y - 1 : 1, down = y < get_image_height(mosaic) - 1 ? y + 1 : y - 1;
  float here = read_imagef(mosaic, (int2)(x, y)).x;
  float row = (read_imagef(mosaic, (int2)(left, y)).x + read_imagef(mosaic, (int2)(right, y)).x) / 2;
  float column = (read_imagef(mosaic, (int2)(x, up)).x + read_imagef(mosaic, (int2)(x, down)).x) / 2;
  float corners = (read_imagef(mosaic, (int2)(left, up)).x + read_imagef(mosaic, (int2)(right, up)).x +
                   read_imagef(mosaic, (int2)(left, down)).x + read_imagef(mosaic, (int2)(right, down)).x) / 4;
  float3 colour;
  if ((x ^ y) & 1) // green
    colour = y & 1 ? (float3)(column, here, row) : (float3)(row, here, column);
  else
    colour = y & 1 ? (float3)(corners, (row + column) / 2, here) : (float3)(here, (row + column) / 2, corners);
  write_imagef(out, (int2)(x, y), (float4)(colour, 1));
}

// The mean of the pixels around, of which those count little that are far away, or of another colour.
kernel void denoise(read_only image2d_t in, write_only image2d_t out, float strictness) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float3 centre = read_imagef(in, edge, p).xyz, sum = 0;
  float weights = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float3 colour = read_imagef(in, edge, p + (int2)(dx, dy)).xyz, difference = colour - centre;
      float weight = exp(-0.25f * (dx * dx + dy * dy) - strictness * dot(difference, difference));
      sum += weight * colour;
      weights += weight;
    }
  write_imagef(out, p, (float4)(sum / weights, 1));
}

// What a table has for each colour, between its entries: red along x, green along y, blue along z.
kernel void grade(read_only image2d_t in, read_only image3d_t table, sampler_t between, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float3 colour = read_imagef(in, p).xyz;
  float3 at = colour * (float)(get_image_width(table) - 1) + 0.5f;
  write_imagef(out, p, read_imagef(table, between, (float4)(at, 0)));
}

// To the size of out. Coordinates of the sampler go from 0 to 1.
kernel void resize(read_only image2d_t in, sampler_t between, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out));
  write_imagef(out, p, read_imagef(in, between, at));
}
