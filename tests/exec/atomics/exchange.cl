// Exchange and compare-and-exchange return the old value.
// run: -g 1 -p 0:i32 -p 1:f32 list:i32:5,6,7,0,0,0 list:f32:1.5,0
// expect: 0: 50 60 7 5 6 7
// expect: 1: 2.5 1.5
kernel void k(global int *a, global float *f) {
  a[3] = atomic_xchg(&a[0], 50);
  a[4] = atomic_cmpxchg(&a[1], 6, 60);
  a[5] = atomic_cmpxchg(&a[2], 8, 70);
  f[1] = atomic_xchg(&f[0], 2.5f);
}
