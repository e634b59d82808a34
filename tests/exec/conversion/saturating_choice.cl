// Conversions of what saturates: such a side of a choice is not undefined, so it may not be left out.
// run: -k to_int -g 4 -p 0:i32 zero:i32:4 list:f32:nan,inf,-inf,7.5
// expect: 0: 2147483647 2147483647 -2147483648 7
// run: -k to_uint -g 4 -p 0:u32 zero:u32:4 list:f32:nan,inf,-inf,7.5
// expect: 0: 4294967295 4294967295 0 7
kernel void to_int(global int *o, global const float *x) {
  int i = get_global_id(0);
  o[i] = convert_int_sat(isnan(x[i]) ? INFINITY : x[i]);
}
kernel void to_uint(global uint *o, global const float *x) {
  int i = get_global_id(0);
  o[i] = convert_uint_sat(isnan(x[i]) ? INFINITY : x[i]);
}
