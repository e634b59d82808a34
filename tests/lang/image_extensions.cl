// options: images std=300
// What a target with images says of itself.
#if !defined(__IMAGE_SUPPORT__) || __IMAGE_SUPPORT__ != 1
#error
#endif
#if !defined(__opencl_c_images) || !defined(__opencl_c_3d_image_writes) || !defined(__opencl_c_read_write_images)
#error
#endif
#if !defined(cl_khr_3d_image_writes) || !defined(cl_khr_depth_images)
#error
#endif
#if !__has_builtin(read_imagef)
#error
#endif
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
_Static_assert(CLK_R == 0x10b0 && CLK_RGBA == 0x10b5 && CLK_DEPTH == 0x10bd && CLK_ABGR == 0x10c3, "orders");
_Static_assert(CLK_SNORM_INT8 == 0x10d0 && CLK_FLOAT == 0x10de && CLK_UNORM_INT_101010_2 == 0x10e0, "types");
kernel void k(write_only image3d_t image) { write_imagef(image, (int4)(0), (float4)(0)); }
// expect: none
