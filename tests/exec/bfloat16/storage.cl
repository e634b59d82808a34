// __bf16 in memory of every kind, in structs and parameters, converted from and to numbers: at run time, by the
// compiler and in initialisers. From other numbers than float by way of float: 16777217 is 16777216 first.
// run: -g 1 -l 1 -p 0:u16 -p 2:f32 -p 3:i32 -p 4:u8 zero:u16:10 list:u16:16448,49280,17280 list:f32:0.1,0,0,0,0,0,0,0 list:i32:5,0,0,0,0,0,0 zero:u8:10 u16=16384
// expect: -4 3
// expect: 0: 16576 15821 15821 16544 19328 16384 16448 49280 16256 32640
// expect: 2: 0.1 -4 6 5 1 -4 -4 3
// expect: 3: 5 -4 256 2102 16448 1 -4
// expect: 4: 7 0 205 61 192 63 205 61 64 64
struct pair {
  uchar tag;
  __bf16 x, list[3];
};
constant __bf16 table[] = {1, -2.5f, 1.00390625, 3.0e38f, 0x1.ffp127f};
constant struct pair made = {7, 0.1f, {1.5f, (__bf16)2, 3L}};
__bf16 twice(__bf16 x) { return (float)x * 2; }
float plus(float x, __bf16 y) { return x + (float)y; }
kernel void k(global __bf16 *o, global const __bf16 *a, global float *f, global int *n, global struct pair *p,
              __bf16 s) {
  local __bf16 shared[4];
  __bf16 v = a[0], w[2] = {0.1f, (__bf16)(int)3};
  o[0] = twice(v);
  o[1] = f[0];
  o[2] = (double)0.1;
  o[3] = n[0];
  o[4] = n[0] + 16777212;
  o[5] = s;
  o[6] = n[0] > 0 ? v : w[0];
  f[1] = a[1];
  f[2] = plus(a[0], w[1]);
  f[3] = plus(a[0], 2);
  f[4] = table[2];
  n[1] = a[1];
  n[2] = (ushort)a[2];
  n[3] = sizeof(__bf16) + 10 * sizeof(struct pair) + 1000 * __alignof__(__bf16);
  n[4] = as_ushort(a[0]);
  n[5] = (bool)a[2];
  n[6] = convert_int(a[1]);
  f[5] = convert_float(a[1]);
  *p = made;
  p->list[1] = p->x;
  f[6] = ((float4)(a[0], a[1], 1, 2)).y;
  f[7] = ((float2)a[0]).y;
  shared[get_local_id(0)] = a[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[7] = shared[0];
  o[8] = __builtin_astype((ushort)0x3f80, __bf16);
  o[9] = table[4];
  printf("%g %g\n", a[1], v);
}
