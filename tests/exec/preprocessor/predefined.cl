// Predefined macros.
// run: -g 1 -p 0:i32 zero:i32:8
// expect: 0: 1 1 120 1 1 1 0 1
kernel void k(global int *o) {
  o[0] = __OPENCL_VERSION__ >= 120;
  o[1] = __OPENCL_C_VERSION__ >= 120;
  o[2] = CL_VERSION_1_2;
  o[3] = __ENDIAN_LITTLE__;
  o[4] = sizeof(__FILE__) > 1;
#ifdef __IMAGE_SUPPORT__
  o[5] = 1;
#endif
#ifdef __FAST_RELAXED_MATH__
  o[6] = 1;
#endif
#ifdef cl_khr_fp64
  o[7] = 1;
#endif
}
