// 64-bit arithmetic.
// run: -g 4 -p 1:i64 -p 2:u64 list:i64:1,-1,9223372036854775807,-5000000000 zero:i64:4 zero:u64:4
// expect: 1: 1000003 -1000004 9058668964767083379 -5000014910714286
// expect: 2: 256 157455 206599 157711
kernel void k(global const long *a, global long *o, global ulong *u) {
  size_t i = get_global_id(0);
  o[i] = (long)((ulong)a[i] * 1000003ul) + (a[i] >> 3) - a[i] / 7;
  u[i] = ((ulong)a[i] >> 60) | ((ulong)a[i] % 1000ul) << 8;
}
