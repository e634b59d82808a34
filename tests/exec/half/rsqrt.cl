// rsqrt of half is within 1 ulp: roots of these, rounded to half first, give results that are further off.
// run: -g 2 -p 1:u16 list:u16:293,9365,15700,31743,1,1024,15360,22000 zero:u16:8
// expect: 1: 23418 18298 15086 7168 27648 22528 15360 11921
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half4 *x, global half4 *y) { y[get_global_id(0)] = rsqrt(x[get_global_id(0)]); }
