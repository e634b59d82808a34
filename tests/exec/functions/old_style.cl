// Functions and a kernel whose parameters are declared after the parentheses.
// run: -g 4 -l 4 -p 0:f32 zero:f32:8 i32=3 iota:i32:4
// expect: 0: 3.5 1 6.5 4 9.5 9 12.5 16
typedef int count;
static float mix3(factor, table, which, offset)
  const float factor, *table;
  count which;
  short offset[2];
{
  return factor * table[which] + offset[1];
}
int square(x) int x; { return x * x; }
kernel void k(o, factor, in)
  global float *restrict o;
  int factor;
  const global int in[];
{
  int i = get_global_id(0);
  float table[4] = {0.5f, 1.0f};
  short offset[2] = {1, 2};
  table[2] = in[i];
  o[2 * i] = mix3((float)factor, table, 2, offset) + (table[2] > 0 ? 1.5f : 1.5f);
  o[2 * i + 1] = square(in[i] + 1);
}
