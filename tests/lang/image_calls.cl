// options: images std=200
// Calls that no function of images is for.
float4 helper(read_only image2d_t image, sampler_t sampler) { return read_imagef(image, sampler, (int2)(0)); }
float4 writes(write_only image3d_t image) { return 0; }
kernel void k(read_only image2d_t in, write_only image2d_t out, read_write image2d_t both, image3d_t volume, sampler_t s,
              global float4 *o, int n) {
  o[0] = helper(out, s);
  o[0] = helper(both, s);
  o[0] = helper(volume, s);
  o[0] = helper(in, n);
  o[0] = helper(in, 1.0f);
  o[0] = helper(in);
  o[0] = helper(o, s);
  o[0] = writes(volume);
  o[0] = helper(s, in);
}
kernel void l(read_only image2d_t in, write_only image2d_t out, read_write image2d_t both, image1d_t line, sampler_t s,
              global float4 *o, int n) {
  o[0] = read_imagef(out, s, (int2)(0));
  write_imagef(in, (int2)(0), (float4)(0));
  o[0] = read_imagef(both, s, (int2)(0));
  o[0] = read_imagef(s, in, (int2)(0));
  o[0] = read_imagef(in, n, (int2)(0));
  o[0] = read_imagef(in, s, (uint2)(0));
  o[0] = read_imagef(in, s, 0);
  o[0] = read_imagef(in, (float2)(0));
  o[0] = read_imagef(in);
}
// expect: 7:17: error: passing '__write_only image2d_t' to parameter of incompatible type '__read_only image2d_t'
// expect: 3:35: note: passing argument to parameter 'image' here
// expect: 8:17: error: passing '__read_write image2d_t' to parameter of incompatible type '__read_only image2d_t'
// expect: 3:35: note: passing argument to parameter 'image' here
// expect: 9:17: error: passing '__read_only image3d_t' to parameter of incompatible type '__read_only image2d_t'
// expect: 3:35: note: passing argument to parameter 'image' here
// expect: 10:21: error: a parameter of type 'sampler_t' takes another one or a constant, not an expression of 'int'
// expect: 3:52: note: passing argument to parameter 'sampler' here
// expect: 11:21: error: passing 'float' to parameter of incompatible type 'sampler_t'
// expect: 3:52: note: passing argument to parameter 'sampler' here
// expect: 12:19: error: too few arguments to function call, expected 2, have 1
// expect: 3:8: note: 'helper' declared here
// expect: 13:17: error: passing '__global float4 *' to parameter of incompatible type '__read_only image2d_t'
// expect: 3:35: note: passing argument to parameter 'image' here
// expect: 14:17: error: passing '__read_only image3d_t' to parameter of incompatible type '__write_only image3d_t'
// expect: 4:36: note: passing argument to parameter 'image' here
// expect: 15:17: error: passing 'sampler_t' to parameter of incompatible type '__read_only image2d_t'
// expect: 3:35: note: passing argument to parameter 'image' here
// expect: 19:10: error: no matching function for call to 'read_imagef'
// expect: 19:22: note: it reads its image, and this one is '__write_only image2d_t'
// expect: 20:3: error: no matching function for call to 'write_imagef'
// expect: 20:16: note: it writes its image, and this one is '__read_only image2d_t'
// expect: 21:10: error: no matching function for call to 'read_imagef'
// expect: 21:10: note: candidate: 'float4 read_imagef(__read_write image2d_t, int2)'
// expect: 22:10: error: no matching function for call to 'read_imagef'
// expect: 22:22: note: its first argument is an image, not 'sampler_t'
// expect: 23:10: error: no matching function for call to 'read_imagef'
// expect: 23:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 23:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 23:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
// expect: 24:10: error: no matching function for call to 'read_imagef'
// expect: 24:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 24:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 24:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
// expect: 25:10: error: call to 'read_imagef' is ambiguous
// expect: 25:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 25:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 25:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
// expect: 26:10: error: no matching function for call to 'read_imagef'
// expect: 26:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 26:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 26:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
// expect: 27:10: error: no matching function for call to 'read_imagef'
// expect: 27:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 27:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 27:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
