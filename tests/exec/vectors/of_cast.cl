// A cast after a cast to a vector is no vector literal.
// run: -g 1 -p 0:i32 zero:i32:20 i32=7 f32=2.75
// expect: 0: 2 2 2 2 7 7 7 7 2 7 3 4 7 7 2 2 -4 -4 -4 -4
kernel void k(global int4 *o, int x, float f) {
  o[0] = (int4)(int)f;
  o[1] = (int4)(x);
  o[2] = (int4)((int)f, x, 3, 4);
  o[3] = (int4)(x, 2, 3, 4).xxyy;
  o[4] = (int4)(char)(x + 245) - convert_int4((float4)(float)0);
}
