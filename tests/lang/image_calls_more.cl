// options: images std=200
kernel void k(read_only image2d_t in, write_only image2d_t out, image1d_buffer_t buffer, image1d_t line, sampler_t s,
              image2d_depth_t depth, write_only image2d_depth_t to_depth, global float4 *o, int n) {
  o[0] = read_imagef();
  o[0] = read_imagef(buffer, s, 0);
  o[0] = read_imagei(depth, (int2)(0)).x;
  write_imagef(out, (int2)(0), (int4)(0));
  write_imagef(to_depth, (int2)(0), (float4)(0));
  write_imagef(out, (int2)(0), 0, (float4)(0));
  o[0] = read_imagef(in, s, (float2)(0), 0.0f);
  o[0] = read_imagef(line, s, n * 1.0);
  o[0] = get_image_height(line);
  o[0] = get_image_depth(in);
  n = get_image_array_size(in);
  n = get_image_dim(line).x;
  n = get_image_width(n);
  n = get_image_width(in, n);
  n = get_image_num_mip_levels(in);
  n = get_image_widht(in);
  n = undeclared(in);
}
void samples(read_only image2d_msaa_t image);
void misspelt(image2D_t image);
// expect: 4:10: error: no matching function for call to 'read_imagef'
// expect: 4:10: note: its first argument is an image
// expect: 5:10: error: no matching function for call to 'read_imagef'
// expect: 5:10: note: candidate: 'float4 read_imagef(__read_only image1d_buffer_t, int)'
// expect: 6:10: error: no matching function for call to 'read_imagei'
// expect: 6:22: note: there is none for '__read_only image2d_depth_t'
// expect: 7:3: error: no matching function for call to 'write_imagef'
// expect: 7:3: note: candidate: 'void write_imagef(__write_only image2d_t, int2, float4)'
// expect: 8:3: error: no matching function for call to 'write_imagef'
// expect: 8:3: note: candidate: 'void write_imagef(__write_only image2d_depth_t, int2, float)'
// expect: 9:3: error: no matching function for call to 'write_imagef'
// expect: 9:3: note: candidate: 'void write_imagef(__write_only image2d_t, int2, float4)'
// expect: 10:10: error: no matching function for call to 'read_imagef'
// expect: 10:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, int2)'
// expect: 10:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, int2)'
// expect: 10:10: note: candidate: 'float4 read_imagef(__read_only image2d_t, sampler_t, float2)'
// expect: 11:10: error: call to 'read_imagef' is ambiguous
// expect: 11:10: note: candidate: 'float4 read_imagef(__read_only image1d_t, int)'
// expect: 11:10: note: candidate: 'float4 read_imagef(__read_only image1d_t, sampler_t, int)'
// expect: 11:10: note: candidate: 'float4 read_imagef(__read_only image1d_t, sampler_t, float)'
// expect: 12:10: error: no matching function for call to 'get_image_height'
// expect: 12:27: note: there is none for '__read_only image1d_t'
// expect: 13:10: error: no matching function for call to 'get_image_depth'
// expect: 13:26: note: there is none for '__read_only image2d_t'
// expect: 14:7: error: no matching function for call to 'get_image_array_size'
// expect: 14:28: note: there is none for '__read_only image2d_t'
// expect: 15:7: error: no matching function for call to 'get_image_dim'
// expect: 15:21: note: there is none for '__read_only image1d_t'
// expect: 16:7: error: no matching function for call to 'get_image_width'
// expect: 16:23: note: its first argument is an image, not 'int'
// expect: 17:7: error: no matching function for call to 'get_image_width'
// expect: 17:7: note: candidate: 'int get_image_width(__read_only image2d_t)'
// expect: 18:7: error: function 'get_image_num_mip_levels' is not supported: there are no mipmaps
// expect: 19:7: error: implicit declaration of function 'get_image_widht' is invalid in OpenCL; did you mean 'get_image_width'?
// expect: 20:7: error: implicit declaration of function 'undeclared' is invalid in OpenCL
// expect: 22:24: error: type 'image2d_msaa_t' is not supported: there are no images of several samples per pixel
// expect: 23:15: error: unknown type name 'image2D_t'; did you mean 'image2d_t'?
