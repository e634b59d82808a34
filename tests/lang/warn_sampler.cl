// options: images
// Samplers that repeat the image are for normalized coordinates.
constant sampler_t repeat = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_REPEAT;
const sampler_t mirrored = CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t right = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT;
float4 helper(image2d_t image, sampler_t sampler) { return read_imagef(image, sampler, (float2)(0)); }
kernel void k(image2d_t image, global float4 *o) {
  const sampler_t inside = CLK_ADDRESS_CLAMP;
  const sampler_t inside_repeat = CLK_ADDRESS_REPEAT;
  o[0] = read_imagef(image, CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST, (float2)(0));
  o[1] = helper(image, CLK_ADDRESS_MIRRORED_REPEAT);
  o[2] = helper(image, CLK_ADDRESS_MIRRORED_REPEAT | CLK_NORMALIZED_COORDS_TRUE);
  o[3] = helper(image, mirrored) + helper(image, repeat) + helper(image, right);
}
// expect: 3:57: warning: a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE [-Wsampler-address]
// expect: 4:56: warning: a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE [-Wsampler-address]
// expect: 9:35: warning: a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE [-Wsampler-address]
// expect: 10:48: warning: a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE [-Wsampler-address]
// expect: 11:24: warning: a sampler that repeats the image needs normalized coordinates: CLK_NORMALIZED_COORDS_TRUE [-Wsampler-address]
// expect: 8:19: warning: unused variable 'inside' [-Wunused-variable]
// expect: 9:19: warning: unused variable 'inside_repeat' [-Wunused-variable]
