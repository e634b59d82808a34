// Conversions in all widths: numbers at and beside ties, the greatest ones, which become infinity, subnormals,
// infinities, NaNs whose upper half would be an infinity or wrap around, both zeros.
// run: -g 1 -p 0:u16 -p 1:u32 zero:u16:33 zero:u32:33 list:u32:1065353216,1065385984,1065451520,1065385985,3212935167,2139062271,2139062272,4286578687,1,2147516416,32769,8355840,2139095040,4286578689,2147483647,2147483648 list:u16:0,32768,1,32895,128,16256,49225,32639,32640,65408,32641,65535,16384,16656,48896,16043
// expect: 0: 16256 16256 16256 16256 16258 16256 16256 16258 16257 16256 16256 16258 16257 49025 32639 32640 65408 16256 16256 16258 16257 49025 32639 32640 65408 0 32768 1 128 32640 65472 32767 32768
// expect: 1: 0 2147483648 0 2147483648 65536 0 2147483648 65536 2155806720 0 2147483648 65536 2155806720 8388608 1065353216 3226009600 2139029504 0 2147483648 65536 2155806720 8388608 1065353216 3226009600 2139029504 2139095040 4286578688 2139160576 4294901760 1073741824 1091567616 3204448256 1051394048
kernel void k(global ushort *o, global uint *u, global const float *x, global const ushort *h) {
  vstore2(intel_convert_bfloat162_as_ushort2(vload2(0, x)), 0, o);
  vstore3(intel_convert_bfloat163_as_ushort3(vload3(0, x)), 0, o + 2);
  vstore4(intel_convert_bfloat164_as_ushort4(vload4(0, x)), 0, o + 5);
  vstore8(intel_convert_bfloat168_as_ushort8(vload8(0, x)), 0, o + 9);
  vstore16(intel_convert_bfloat1616_as_ushort16(vload16(0, x)), 0, o + 17);
  vstore2(as_uint2(intel_convert_as_bfloat162_float2(vload2(0, h))), 0, u);
  vstore3(as_uint3(intel_convert_as_bfloat163_float3(vload3(0, h))), 0, u + 2);
  vstore4(as_uint4(intel_convert_as_bfloat164_float4(vload4(0, h))), 0, u + 5);
  vstore8(as_uint8(intel_convert_as_bfloat168_float8(vload8(0, h))), 0, u + 9);
  vstore16(as_uint16(intel_convert_as_bfloat1616_float16(vload16(0, h))), 0, u + 17);
}
