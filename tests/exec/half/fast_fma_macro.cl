// FP_FAST_FMA_HALF is there where products and sums of half are fused, and not where they are computed in float.
// run: -g 1 -p 1:i32 list:f16:1.0078125,1.0078125,-1.015625 zero:i32:1
// expect: 1: 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifdef FP_FAST_FMA_HALF
#define FUSED 1
#else
#define FUSED 0
#endif
kernel void k(global const half *p, global int *o) { o[0] = (p[0] * p[1] + p[2] != 0) == FUSED; }
