// Arm's names of the dot products of bytes: alone, with a sum that wraps, with one that saturates.
// run: -g 6 -p 3:u32 -p 4:i32 list:u32:16909060,4286578815,4294967295,2155905152,124576495,4293951872 list:u32:84281096,2164195711,4294967295,2155905152,3609267711,2164227969 list:u32:10,4294967290,4294800000,0,1999834075,2147483647 zero:u32:18 zero:i32:18
// expect: 3: 70 80 80 81409 81403 4294967295 260100 92804 4294967295 65536 65536 65536 68952 1999903027 1999903027 126735 2147610382 2147610382
// expect: 4: 70 80 80 16385 16379 16379 4 -167292 -167292 65536 65536 65536 2904 1999836979 1999836979 271 -2147483378 2147483647
#if !defined cl_arm_integer_dot_product_int8 || !defined cl_arm_integer_dot_product_accumulate_int8 ||                 \
    !defined cl_arm_integer_dot_product_accumulate_saturate_int8
#error
#endif
#pragma OPENCL EXTENSION cl_arm_integer_dot_product_int8 : enable
kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *u, global int *s) {
  int i = get_global_id(0);
  uchar4 x = as_uchar4(a[i]), y = as_uchar4(b[i]);
  char4 v = as_char4(x), w = as_char4(y);
  u[3 * i] = arm_dot(x, y);
  u[3 * i + 1] = arm_dot_acc(x, y, c[i]);
  u[3 * i + 2] = arm_dot_acc_sat(x, y, c[i]);
  s[3 * i] = arm_dot(v, w);
  s[3 * i + 1] = arm_dot_acc(v, w, (int)c[i]);
  s[3 * i + 2] = arm_dot_acc_sat(v, w, (int)c[i]);
}
