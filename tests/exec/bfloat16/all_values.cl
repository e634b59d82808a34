// Every bfloat16 as a float, and the floats around it: below, at and above the middle of the way to the next one, where
// the tie goes to the even one. The step after the greatest number is infinity; a NaN stays one, and becomes quiet.
// run: -g 16 -p 0:u32 zero:u32:16
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
#ifndef cl_intel_bfloat16_conversions
#error
#endif
#pragma OPENCL EXTENSION cl_intel_bfloat16_conversions : enable
ushort down(uint bits) { return intel_convert_bfloat16_as_ushort(as_float(bits)); }
kernel void k(global uint *wrong) {
  uint count = 0;
  for (uint i = get_global_id(0); i < 65536; i += 16) {
    uint bits = i << 16;
    count += as_uint(intel_convert_as_bfloat16_float((ushort)i)) != bits;
    if ((i & 0x7fff) >= 0x7f80) {
      count += down(bits) != ((i & 0x7f) ? i | 0x40 : i);
      count += down(bits | 1) != (i | 0x40);
      count += down(bits | 0x7fff) != (i | 0x40);
      count += down(bits | 0xffff) != (i | 0x40);
      continue;
    }
    count += down(bits) != i;
    count += down(bits | 1) != i;
    count += down(bits | 0x7fff) != i;
    count += down(bits | 0x8000) != i + (i & 1);
    count += down(bits | 0x8001) != i + 1;
    count += down(bits | 0xffff) != i + 1;
  }
  wrong[get_global_id(0)] = count;
}
