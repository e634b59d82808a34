// Wrapping 32-bit arithmetic.
// run: -g 8 -p 2:i32 list:i32:1,-2,3,2147483647,-2147483648,7,-7,100000 list:i32:5,6,-7,1,-1,3,3,100000 zero:i32:8
// expect: 2: 4 8 8 0 0 20 -12 400000
kernel void k(global const int *a, global const int *b, global int *o) {
  size_t i = get_global_id(0);
  o[i] = (int)((uint)a[i] * 3u + (uint)b[i] - (uint)(a[i] ^ b[i]));
}
