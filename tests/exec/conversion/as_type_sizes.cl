// as_type for values of 1, 2, 4, 8, 16, 32, 64 and 128 bytes, scalars and vectors, and of three components.
// run: -g 1 -p 0:u32 zero:u32:33
// expect: 0: 128 254 255 65280 65535 48896 67305985 1 2 770 1077936128 0 1072693248 2 3 1 1065353216 1073741824 1077936128 1082130432 5 6 7 770 3 771 6 1069547520 10 43 200 31 3
kernel void k(global uint *o) {
  o[0] = as_uchar((char)-128), o[1] = as_uchar((char)-2), o[2] = (uchar)as_char((uchar)255);
  o[3] = as_ushort((uchar2)(0, 255)), o[4] = as_ushort((short)-1), o[5] = (ushort)as_short2(-0.5f).y;
  o[6] = as_uint((uchar4)(1, 2, 3, 4)), o[7] = as_ushort2(0x00020001u).x, o[8] = as_ushort2(0x00020001u).y;
  o[9] = as_ushort2((uchar4)(1, 2, 2, 3)).y, o[10] = as_uint(3.0f);
  uint2 d = as_uint2(1.0);
  o[11] = d.x, o[12] = d.y;
  ulong l = as_ulong((int2)(2, 3));
  o[13] = (uint)l, o[14] = (uint)(l >> 32), o[15] = as_uchar8(l).s0 == 2 && as_double(as_long(1.5)) == 1.5;
  uint4 f = as_uint4((float4)(1, 2, 3, 4));
  o[16] = f.x, o[17] = f.y, o[18] = f.z, o[19] = f.w;
  int3 t = as_int3((uint3)(5, 6, 7));
  o[20] = t.x, o[21] = t.y, o[22] = as_uint3(as_float3(t)).z;
  o[23] = as_ushort8((uchar16)(0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0)).s3;
  o[24] = as_char3((uchar3)(1, 2, 3)).z;
  o[25] = as_ushort8((ulong2)(0x0303000000000000, 0)).s3;
  o[26] = as_int4((float3)(1, 2, as_float(6))).z;
  uint8 w = as_uint8((ulong4)(10, 0x3ff800000000002b, 0, 0));
  o[27] = as_uint(as_float8(w).s3) == 0x3ff80000 && as_double4(w).y > 1.5 ? 1069547520 : 0;
  o[28] = w.s0, o[29] = w.s2;
  uint16 x = as_uint16((long8)(0, 0, 0, 0, 0, 0, 0, 200));
  o[30] = as_float16(x).s0 == 0 ? x.sE : 1;
  o[31] = sizeof(as_double16((long16)(1))) == 128 ? (uint)as_ulong16(as_double16((long16)(31))).sf : 0;
  o[32] = as_short(as_ushort((short)3));
}
