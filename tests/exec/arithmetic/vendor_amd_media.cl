// cl_amd_media_ops and cl_amd_media_ops2 by the formulas of these extensions.
// run: -g 4 -p 3:u32 -p 4:u64 -p 5:i32 -p 6:f32 list:u32:2675342405,1097127993,3185950873,1539898300 list:u32:3415330359,2952797952,4484074,3614262064 list:u32:37,8,3961355680,2276503845 zero:u32:46 zero:u64:8 zero:i32:16 zero:f32:13
// expect: 3: 777817713 1170969038 3045303614 204 10944549 204 32306 739987991 260046848 30 967835679 2952797952 2016574236 461 29687816 304 75741 1855669967 33554431 57 4484074 4484074 1586861761 3961356196 3995172256 3961356007 3961425904 2847855183 4294966272 0 3871042073 3168234819 2577047414 2276504384 2311827749 2276504384 2276582742 55900313 4294901760 8 1712 16716232 0 1 167 454
// expect: 4: 13860041450570776780 13860041450570776780 6749767128344691149 6701351997812965680 11550744531400556452 11520063471173140199 4774617323098256192 4774617323098256192
// expect: 5: -2 -1619624891 37 -879636937 57 -1342169344 1097127993 8 0 -1109016423 4484074 -333611616 8 -2018463451 1539898300 -680705232
// expect: 6: 69 124 118 159 -2 3 1.5 18 52 255 0 2 8
#pragma OPENCL EXTENSION cl_amd_media_ops : enable
#pragma OPENCL EXTENSION cl_amd_media_ops2 : enable
kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *u, global ulong *l,
              global int *s, global float *f) {
  int i = get_global_id(0);
  uint x = a[i], y = b[i], z = c[i];
  global uint *o = u + 10 * i;
  o[0] = amd_bitalign(x, y, z);
  o[1] = amd_bytealign(x, y, z);
  o[2] = amd_lerp(x, y, z);
  o[3] = amd_sad(x, y, z);
  o[4] = amd_sadhi(x, y, z);
  o[5] = amd_msad(x, y, z);
  o[6] = amd_sadw(x, y, z);
  o[7] = amd_sadd(x, y, z);
  o[8] = amd_bfm(x, y);
  o[9] = amd_bfe(x, y, z);
  ulong wide = (ulong)b[(i + 1) & 3] << 32 | x, sum = (ulong)a[(i + 2) & 3] << 32 | z;
  l[2 * i] = amd_qsad(wide, y, sum);
  l[2 * i + 1] = amd_mqsad(wide, y, sum);
  int p = (int)x, q = (int)y, r = (int)z;
  s[4 * i] = amd_bfe(p, y, z);
  s[4 * i + 1] = amd_min3(p, q, r);
  s[4 * i + 2] = amd_max3(p, q, r);
  s[4 * i + 3] = amd_median3(p, q, r);
  if (i)
    return;
  u[40] = amd_sad4(vload4(0, a), vload4(0, b), c[0]);
  u[41] = amd_pack((float4)(200.0f, 17.75f, 255.0f, 0.5f));
  uint4 v = amd_bitalign(vload4(0, a), vload4(0, b), vload4(0, c)) - (uint4)(u[0], 0, 0, 0);
  u[42] = v.x;
  u[43] = amd_max3(x, 5u, y) == max(x, y);
  vstore2(amd_sad((uint2)(x, a[1]), (uint2)(y, b[1]), (uint2)(0, 1)), 0, u + 44);
  f[0] = amd_unpack0(x);
  f[1] = amd_unpack1(x);
  f[2] = amd_unpack2(x);
  f[3] = amd_unpack3(x);
  f[4] = amd_min3(1.5f, -2.0f, 3.0f);
  f[5] = amd_max3(1.5f, -2.0f, 3.0f);
  f[6] = amd_median3(1.5f, -2.0f, 3.0f);
  vstore4(amd_unpack1((uint4)(0x1200, 0x3400, 0xff00, 0xff)), 0, f + 7);
  vstore2(amd_median3((float2)(1, 9), (float2)(2, 8), (float2)(3, 7)), 0, f + 11);
}
