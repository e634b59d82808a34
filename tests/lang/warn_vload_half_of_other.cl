kernel void k(global float *o, global int *i, global short *s, global half *h, global const void *v, global uint *u) {
  o[0] = vload_half(0, h) + vload_half(0, v);
  o[1] = vload_half(0, i);
  o[2] = vloada_half4(0, s).x;
  vstore_half(o[3], 0, i);
  vstorea_half4_rtz((float4)1, 0, s);
  vstore4((int4)1, 0, u);
  vstore2((int2)1, 0, o);
}
kernel void l(global float *o, global float4 *p, constant int *c) {
  o[0] = vload4(0, p).x;
  vstore_half(o[0], 0, c);
}
// expect: 3:24: warning: incompatible pointer types passing '__global int *' to parameter of type '__global half *' [-Wincompatible-pointer-types]
// expect: 4:26: warning: incompatible pointer types passing '__global short *' to parameter of type '__global half *' [-Wincompatible-pointer-types]
// expect: 5:24: warning: incompatible pointer types passing '__global int *' to parameter of type '__global half *' [-Wincompatible-pointer-types]
// expect: 6:35: warning: incompatible pointer types passing '__global short *' to parameter of type '__global half *' [-Wincompatible-pointer-types]
// expect: 7:23: warning: passing '__global uint *' to parameter of type '__global int *' converts between pointers to integer types with different sign [-Wpointer-sign]
// expect: 8:23: warning: incompatible pointer types passing '__global float *' to parameter of type '__global int *' [-Wincompatible-pointer-types]
// expect: 11:10: error: no matching function for call to 'vload4'
// expect: 11:10: note: candidate: 'gentype vload4(ulong, scalar *)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double vectors
// expect: 12:3: error: no matching function for call to 'vstore_half'
// expect: 12:3: note: candidate: 'void vstore_half(gentype, ulong, half *)', gentype being float, double
