// Integers to float round to nearest even; unsigned and 64-bit too.
// run: -g 5 -p 1:f32 -p 2:f32 -p 3:f64 list:i64:16777217,-16777219,4294967295,-1,9007199254740993 zero:f32:5 zero:f32:5 zero:f64:5
// expect: 1: 16777216 -1.677722e+07 -1 -1 1
// expect: 2: 16777216 4.27819e+09 4.2949673e+09 4.2949673e+09 1
// expect: 3: 33554434 1.8446744073675997e+19 8.58993459e+09 1.8446744073709552e+19 18014398509481984
kernel void k(global const long *a, global float *s, global float *u, global double *d) {
  size_t i = get_global_id(0);
  s[i] = (float)(int)a[i];
  u[i] = (float)(uint)a[i];
  d[i] = (double)a[i] + (double)(ulong)a[i];
}
