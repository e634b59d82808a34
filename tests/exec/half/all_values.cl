// Every half as a float, bit by bit: subnormals, infinities, NaNs, which become quiet.
// run: -g 8 -p 0:u32:8 zero:u32:8
// skip: cuda the hardware has one NaN
// expect: 0: 2902458368 2812280832 3636461568 442499072 1543503872 2782920704 4022337536 966787072
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global uint *sums) {
  uint id = get_global_id(0), sum = 0;
  for (uint i = 0; i < 8192; i++)
    sum = sum * 31 + as_uint((float)as_half((ushort)(i * 8 + id)));
  sums[id] = sum;
}
