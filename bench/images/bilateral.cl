// The mean of the pixels around, of which those count little that are far away, or of another colour: RGBA float.
#ifdef BUFFERS
kernel void bilateral(global const float4 *restrict in, int width, int height, global float4 *restrict out,
                      int out_width, int out_height, float strictness) {
  int x = get_global_id(0), y = get_global_id(1);
  float3 centre = in[y * width + x].xyz, sum = 0;
  float weights = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float3 colour = in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)].xyz;
      float3 difference = colour - centre;
      float weight = native_exp(-0.25f * (dx * dx + dy * dy) - strictness * dot(difference, difference));
      sum += weight * colour;
      weights += weight;
    }
  out[y * out_width + x] = (float4)(sum / weights, 1);
}
#else
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void bilateral(read_only image2d_t in, write_only image2d_t out, float strictness) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float3 centre = read_imagef(in, edge, p).xyz, sum = 0;
  float weights = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float3 colour = read_imagef(in, edge, p + (int2)(dx, dy)).xyz, difference = colour - centre;
      float weight = native_exp(-0.25f * (dx * dx + dy * dy) - strictness * dot(difference, difference));
      sum += weight * colour;
      weights += weight;
    }
  write_imagef(out, p, (float4)(sum / weights, 1));
}
#endif
