// Conversion truncates toward zero; the saturating form clamps.
// run: -g 8 -p 1:i32 -p 2:u32 -p 3:i32 -p 4:i8 list:f32:1.9,-1.9,0.5,-0.5,1000000,255.99,127.5,2e9 zero:i32:8 zero:u32:8 zero:i32:8 zero:i8:8
// expect: 1: 1 -1 0 0 1000000 255 127 2000000000
// expect: 2: 1 1 0 0 1000000 255 127 2000000000
// expect: 3: 1900000 -1900000 500000 -500000 2147483647 255990000 127500000 2147483647
// expect: 4: 1 -1 0 0 127 127 127 127
kernel void k(global const float *a, global int *s, global uint *u, global int *sat, global char *c) {
  size_t i = get_global_id(0);
  s[i] = (int)a[i];
  u[i] = (uint)fabs(a[i]);
  sat[i] = convert_int_sat(a[i] * 1e6f);
  c[i] = convert_char_sat(a[i]);
}
