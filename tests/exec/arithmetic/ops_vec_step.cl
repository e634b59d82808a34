// vec_step of types and expressions: the number of components, 4 for three, 1 for scalars and void; nothing is
// evaluated.
// run: -g 1 -p 0:i32 zero:i32:18
// expect: 0: 1 2 4 4 8 16 1 4 4 2 8 16 1 1 2 4 0 4
kernel void k(global int *o) {
  int calls = 0;
  double3 d = 0;
  typedef uint3 renamed;
  o[0] = vec_step(char), o[1] = vec_step(uchar2), o[2] = vec_step(short3), o[3] = vec_step(float4);
  o[4] = vec_step(ulong8), o[5] = vec_step(double16), o[6] = vec_step(void), o[7] = vec_step(d), o[8] = vec_step(d.xyz);
  o[9] = vec_step(d.lo), o[10] = vec_step((int8)(1) + 1), o[11] = vec_step(convert_float16((int16)(2)));
  o[12] = vec_step(calls), o[13] = vec_step(d.x), o[14] = vec_step((long2)(calls++, 1)), o[15] = vec_step(renamed);
  o[16] = calls;
  o[17] = vec_step(const int4);
}
