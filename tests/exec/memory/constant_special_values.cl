// Infinities, NaNs with a payload, negative zero, subnormals and the ends of the integers in constants of every shape:
// scalars, arrays, vectors, structs, case labels. The bits arrive as they are.
// run: -k bits -g 1 -p 0:u64 zero:u64:37
// expect: 0: 9218868437227405312 9223372036854775808 9218868437227405312 18442240474082181120 1 9218868437227405311 9221120237041090560 18444492273895866368 9218868437227405313 2147483648 2139095040 4286578688 2143289344 1 2139095039 9223372038993870848 4575657223551713280 18442240474082181120 9221120237041090560 9218868437227405312 2143289344 18446744071562067968 4611686022713966592 9221120237041090560 4286578688 18446744073709551615 0 9223372036854775808 9223372036854775807 18446744073709551615 9223372036854775807 9223372034707292160 2139095040 4286578688 2143289344 2147483648 0
// run: -k labels -g 8 -p 0:i32 zero:i32:8 list:i64:-9223372036854775808,9223372036854775807,-1,-2147483648,2147483647,2147483648,4294967295,0
// expect: 0: 201 32 130 13 20 10 34 0
constant double scalar = INFINITY;
constant double doubles[5] = {-0.0, INFINITY, -INFINITY, 0x0.0000000000001p-1022, DBL_MAX};
constant double nans[2] = {NAN, -NAN};
constant ulong payload[1] = {0x7ff0000000000001ul}; // a NaN, read as double below
constant float floats[6] = {-0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, FLT_MAX};
constant float2 vectors[2] = {(float2)(INFINITY, -0.0f), (float2)(NAN, 1.0f)};
constant double2 wide[1] = {(double2)(-INFINITY, NAN)};
struct mixed {
  double d;
  float f;
  int i;
  float2 v;
};
constant struct mixed records[2] = {{INFINITY, NAN, INT_MIN, (float2)(-INFINITY, 2.0f)}, {NAN, -INFINITY, -1}};
constant long longs[3] = {LONG_MIN, LONG_MAX, -1};
constant ulong ulongs[2] = {ULONG_MAX, 1ul << 63};
constant int ints[2] = {INT_MIN, INT_MAX};
constant half halves[4] = {INFINITY, -INFINITY, NAN, -0.0f};

kernel void bits(global ulong *o) {
  int n = 0;
  o[n++] = as_ulong(scalar);
  for (int i = 0; i < 5; i++)
    o[n++] = as_ulong(doubles[i]);
  for (int i = 0; i < 2; i++)
    o[n++] = as_ulong(nans[i]);
  o[n++] = as_ulong(*(constant double *)payload);
  for (int i = 0; i < 6; i++)
    o[n++] = as_uint(floats[i]);
  for (int i = 0; i < 2; i++)
    o[n++] = as_ulong(vectors[i]);
  o[n++] = as_ulong(wide[0].x), o[n++] = as_ulong(wide[0].y);
  for (int i = 0; i < 2; i++) {
    o[n++] = as_ulong(records[i].d), o[n++] = as_uint(records[i].f);
    o[n++] = (ulong)records[i].i;
    o[n++] = as_ulong(records[i].v);
  }
  for (int i = 0; i < 3; i++)
    o[n++] = (ulong)longs[i];
  o[n++] = ulongs[0] ^ ulongs[1];
  o[n++] = as_ulong((int2)(ints[0], ints[1]));
  for (int i = 0; i < 4; i++)
    o[n++] = as_uint(vload_half(i, halves));
}

kernel void labels(global int *o, global const long *in) {
  int i = get_global_id(0);
  switch (in[i]) {
  case LONG_MIN: o[i] = 1; break;
  case LONG_MAX: o[i] = 2; break;
  case INT_MIN: o[i] = 3; break;
  case UINT_MAX: o[i] = 4; break;
  }
  switch ((int)in[i]) {
  case INT_MIN: o[i] += 10; break;
  case INT_MAX: o[i] += 20; break;
  case -1: o[i] += 30; break;
  }
  switch ((ulong)in[i]) {
  case ULONG_MAX: o[i] += 100; break;
  case 1ul << 63: o[i] += 200; break;
  }
}
