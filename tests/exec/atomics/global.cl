// 32-bit atomics on global memory.
// run: -g 64 -p 0:i32 -p 1:u32 list:i32:0,100,0,1000,-1000,-1,0 list:u32:0,4294967295,0,5
// expect: 0: 2016 36 64 -5 63 -65536 255
// expect: 1: 0 9 63 4294967237
kernel void k(global int *a, global uint *u) {
  int i = get_global_id(0);
  atomic_add(&a[0], i);
  atomic_sub(&a[1], 1);
  atomic_inc(&a[2]);
  atomic_min(&a[3], i - 5);
  atomic_max(&a[4], i);
  atomic_and(&a[5], ~(1 << (i & 15)));
  atomic_or(&a[6], 1 << (i & 7));
  atomic_xor(&u[0], i);
  atomic_min(&u[1], (uint)i + 9);
  atomic_max(&u[2], (uint)i);
  atomic_dec(&u[3]);
}
