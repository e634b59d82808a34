// as_type keeps the bits.
// run: -g 4 -p 1:u32 -p 2:f32 -p 3:u16 list:f32:1,-2,0.5,3.14159 zero:u32:4 zero:f32:4 zero:u16:8
// expect: 1: 1065353216 3221225472 1056964608 1078530000
// expect: 2: -1 2 -0.5 -3.14159
// expect: 3: 0 16256 0 49152 0 16128 4048 16457
kernel void k(global const float *a, global uint *u, global float *f, global ushort2 *s) {
  size_t i = get_global_id(0);
  u[i] = as_uint(a[i]);
  f[i] = as_float(as_int(a[i]) ^ 0x80000000);
  s[i] = as_ushort2(a[i]);
}
