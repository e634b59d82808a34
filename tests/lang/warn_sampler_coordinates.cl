// options: images
// Samplers for coordinates that are floats, with integers. A sampler that is a parameter is known at the launch only.
constant sampler_t normalized = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT;
constant sampler_t linear = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t right = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void k(image2d_t image, image1d_t line, image3d_t volume, sampler_t any, global float4 *o, global int4 *i) {
  const sampler_t here = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  o[0] = read_imagef(image, normalized, (int2)(1)) + read_imagef(line, linear, 1);
  o[1] = read_imagef(volume, CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR, (int4)(1));
  i[0] = read_imagei(image, here, (int2)(1));
  o[2] = read_imagef(image, normalized, (float2)(1)) + read_imagef(image, linear, (float2)(1));
  o[3] = read_imagef(image, right, (int2)(1)) + read_imagef(image, any, (int2)(1)) + read_imagef(image, (int2)(1));
}
// expect: 8:29: warning: a sampler with normalized coordinates needs floating-point ones, not 'int2' [-Wsampler-coordinates]
// expect: 8:72: warning: a sampler with CLK_FILTER_LINEAR needs floating-point coordinates, not 'int' [-Wsampler-coordinates]
// expect: 9:57: warning: a sampler with normalized coordinates needs floating-point ones, not 'int4' [-Wsampler-coordinates]
// expect: 10:29: warning: a sampler with CLK_FILTER_LINEAR needs floating-point coordinates, not 'int2' [-Wsampler-coordinates]
