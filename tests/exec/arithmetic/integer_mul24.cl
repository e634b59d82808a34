// 24-bit multiplication.
// run: -g 3 -p 1:i32 list:i32:1000,-1000,8388607 zero:i32:6
// expect: 1: 3000 2005 -3000 -1995 25165821 16777219
kernel void k(global const int *a, global int *o) {
  size_t i = get_global_id(0);
  o[2 * i] = mul24(a[i], 3);
  o[2 * i + 1] = mad24(a[i], 2, 5);
}
