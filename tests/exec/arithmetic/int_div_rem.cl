// Signed and unsigned division and remainder, rounding toward zero.
// run: -g 8 -p 2:i32 -p 3:i32 -p 4:u32 -p 5:u32 list:i32:7,-7,7,-7,100,0,-2147483648,2147483647 list:i32:2,2,-2,-2,7,5,3,-1 zero:i32:8 zero:i32:8 zero:u32:8 zero:u32:8
// expect: 2: 3 -3 -3 3 14 0 -715827882 -2147483647
// expect: 3: 1 -1 1 -1 2 0 -2 0
// expect: 4: 3 2147483644 0 0 14 0 715827882 0
// expect: 5: 1 1 7 4294967289 2 0 2 2147483647
kernel void k(global const int *a, global const int *b, global int *q, global int *r, global uint *uq, global uint *ur) {
  size_t i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
  uq[i] = (uint)a[i] / (uint)b[i];
  ur[i] = (uint)a[i] % (uint)b[i];
}
