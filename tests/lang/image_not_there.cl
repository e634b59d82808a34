// options: std=300
// A target without images has none of their names, so that programs may have them.
#if defined(__IMAGE_SUPPORT__) || defined(__opencl_c_images) || defined(cl_khr_3d_image_writes) || \
    defined(__opencl_c_3d_image_writes) || defined(__opencl_c_read_write_images) || defined(cl_khr_depth_images)
#error
#endif
#if __has_builtin(read_imagef)
#error
#endif
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
typedef struct {
  int width;
} image2d_t;
typedef int sampler_t;
int get_image_width(read_only image2d_t image) { return image.width; }
kernel void k(global int *o) {
  image2d_t image = {5};
  sampler_t sampler = CLK_FILTER_LINEAR;
  o[0] = get_image_width(image) + sampler;
}
// expect: 10:9: warning: unsupported OpenCL extension 'cl_khr_3d_image_writes' - ignoring [-Wignored-pragmas]
