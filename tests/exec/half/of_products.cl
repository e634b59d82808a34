// Products of float that are rounded to half keep the sign of a zero: of scalars, vectors, negated ones.
// run: -g 4 -p 1:u16 -p 2:u16 list:f32:-1e-30,-1,1e-30,0,1e-30,0,-3,2.5 zero:u16:8 zero:u16:4
// expect: 1: 32768 32768 32768 0 0 0 0 32768
// expect: 2: 32768 32768 32768 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const float *x, global half *y, global half *z) {
  int i = get_global_id(0);
  y[i] = (half)(x[i] * x[i + 4]);
  y[i + 4] = (half)-(x[i] * x[i + 4]);
  if (i == 0)
    vstore4(convert_half4(vload4(0, x) * vload4(1, x)), 0, z);
}
