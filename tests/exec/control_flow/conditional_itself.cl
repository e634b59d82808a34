// a ?: b of GNU C: a is computed once; its value, or b when it is zero.
// run: -g 3 -p 0:i32 -p 1:f32 -p 2:i32 iota:i32:3 zero:f32:6 zero:i32:12
// expect: 0: 100 2 4
// expect: 1: 2.5 45 1 -5 2 -15
// expect: 2: -1 1 -2 7999 7 1 -1 5128 1 1 1 1999
int calls(private int *counter, int result) {
  ++*counter;
  return result;
}
kernel void k(global int *io, global float *f, global int *o) {
  int i = get_global_id(0), counter = 0;
  o[i * 4] = calls(&counter, i - 1) ?: 7;
  o[i * 4 + 1] = counter;
  o[i * 4 + 2] = i - 2 ?: i - 1 ?: 9;
  uchar c = i * 128;
  int shared = 0;
  for (int j = 0; j < 3; j++)
    shared += j - i ?: 5;
  o[i * 4 + 3] = (c ?: -1L) + shared * 1000;
  f[i * 2] = i ?: 2.5f;
  int2 v = (int2)(-i, i) ?: (int2)(4, 5);
  f[i * 2 + 1] = v.x * 10 + v.y;
  global int *p = i == 1 ? 0 : io + i;
  io[i] = *(p ?: io + 1) + (io[i] ?: 100);
}
