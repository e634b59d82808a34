// Macros of the version of the language and of features follow -cl-std and the other options; those that name versions
// are always there, so that comparisons with them mean something.
// run: -g 1 -p 0:i32 zero:i32:9
// skip: text the text of one run has its macros only
// expect: 0: 120 100 110 120 200 300 0 0 1
// run: -g 1 -p 0:i32 --options "-cl-std=CL1.1 -cl-fast-relaxed-math" zero:i32:9
// expect: 0: 110 100 110 120 200 300 1 0 1
// run: -g 1 -p 0:i32 --options -cl-std=CL3.0 zero:i32:9
// expect: 0: 300 100 110 120 200 300 0 1 1
kernel void k(global int *o) {
  o[0] = __OPENCL_C_VERSION__;
  o[1] = CL_VERSION_1_0, o[2] = CL_VERSION_1_1, o[3] = CL_VERSION_1_2, o[4] = CL_VERSION_2_0, o[5] = CL_VERSION_3_0;
#ifdef __FAST_RELAXED_MATH__
  o[6] = __FAST_RELAXED_MATH__;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0 && defined(__opencl_c_fp64)
  o[7] = 1;
#endif
#if defined(cl_khr_global_int32_base_atomics) && defined(cl_khr_byte_addressable_store) && defined(__IMAGE_SUPPORT__)
  o[8] = 1;
#endif
}
