// options: images
// Where images and samplers may not be.
image2d_t program;
constant image2d_t program_constant;
image3d_t result(image3d_t image);
sampler_t sampler_result(int x);
struct members {
  image2d_t image;
  sampler_t sampler;
};
union members_too {
  write_only image1d_t image;
};
typedef image2d_t named;
float4 pointers(image2d_t *a, named *b, sampler_t *c, const constant sampler_t *d);
float4 arrays(image2d_t a[2], sampler_t b[]);
kernel void k(image2d_t image, sampler_t sampler, int n) {
  image2d_t variable;
  write_only image1d_buffer_t other = image;
  image2d_t images[2];
  sampler_t samplers[2] = {0, 0};
  __auto_type automatic = image;
  local sampler_t shared;
}
// expect: 3:11: error: type '__read_only image2d_t' can only be used as a function parameter
// expect: 4:20: error: type '__read_only image2d_t' can only be used as a function parameter
// expect: 5:11: error: declaring function return value of type '__read_only image3d_t' is not allowed
// expect: 6:11: error: declaring function return value of type 'sampler_t' is not allowed
// expect: 8:13: error: the '__read_only image2d_t' type cannot be used to declare a structure or union field
// expect: 9:13: error: the 'sampler_t' type cannot be used to declare a structure or union field
// expect: 12:24: error: the '__write_only image1d_t' type cannot be used to declare a structure or union field
// expect: 15:27: error: pointer to type '__read_only image2d_t' is invalid in OpenCL
// expect: 15:37: error: pointer to type '__read_only image2d_t' is invalid in OpenCL
// expect: 15:51: error: pointer to type 'sampler_t' is invalid in OpenCL
// expect: 15:80: error: pointer to type 'sampler_t' is invalid in OpenCL
// expect: 16:26: error: array of '__read_only image2d_t' type is invalid in OpenCL
// expect: 16:42: error: array of 'sampler_t' type is invalid in OpenCL
// expect: 18:13: error: type '__read_only image2d_t' can only be used as a function parameter
// expect: 19:31: error: type '__write_only image1d_buffer_t' can only be used as a function parameter
// expect: 20:19: error: array of '__read_only image2d_t' type is invalid in OpenCL
// expect: 21:21: error: array of 'sampler_t' type is invalid in OpenCL
// expect: 22:15: error: type '__read_only image2d_t' can only be used as a function parameter
// expect: 23:19: error: sampler type cannot be used with the '__local' and '__global' address space qualifiers
