// run: -k pixels -g 8,4 -p 4:i8 -p 5:u8 -p 6:u16 -p 7:i32 image:rgba:i8:8x4:rand image:rgba:u8:8x4:rand image:r:u32:8:rand image:depth:f32:8x4x2:rand image:rgba:i8:8x4 image:rgba:u8:8x4 image:rgba:u16:8x4:rand zero:i32:128 image:rg:f32:8x3:rand
// Integers with and without sign, which clang 22's modules do not tell apart; lines, depth and arrays.
constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void pixels(read_only image2d_t a, read_only image2d_t b, read_only image1d_buffer_t line,
                   read_only image2d_array_depth_t depths, write_only image2d_t out_a, write_only image2d_t out_b,
                   read_write image2d_t both, global int4 *sums, read_only image1d_array_t lines) {
  int x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;
  int2 at = (int2)(x, y);
  int4 v = read_imagei(a, at) + read_imagei(a, repeat, (float2)(x / 3.0f, y / 7.0f));
  uint4 w = read_imageui(b, at), l = read_imageui(line, x);
  float d = read_imagef(depths, edge, (float4)(x + 0.5f, y, 1, 0)) + read_imagef(depths, (int4)(x, y, 0, 0));
  float4 f = read_imagef(lines, edge, (float2)(x, 2)) + read_imagef(lines, (int2)(x, 1));
  sums[i] = v + as_int4(w) + as_int4(l) + convert_int4(f * 100) + (int)(d * 1000);
  for (int k = 1; k < 3; k++)
    if (x & 1)
      write_imagei(out_a, at, k * v);
    else
      write_imageui(out_b, at, 3 * w + k);
  write_imageui(both, at, read_imageui(both, at) + 300);
}
