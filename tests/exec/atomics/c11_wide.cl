// 64-bit atomic types, and fetch-and-modify of floating-point numbers (cl_ext_float_atomics).
// run: -g 64 -p 0:i64 -p 1:u64 -p 2:f32 -p 3:f64 --options -cl-std=CL3.0 list:i64:0,100000000000,0 list:u64:1,0,18446744073709551615 list:f32:0,10,100,-100 list:f64:0,10,100,-100
// skip: text sequentially consistent atomics are of OpenCL C 2.0
// expect: 0: 270582939648 36 -1
// expect: 1: 64 4611686018427387904 5
// expect: 2: 2016 -54 -3.5 60
// expect: 3: 1008 -2006 -3.5 60.5
kernel void k(global atomic_long *a, global atomic_ulong *u, global atomic_float *f, global atomic_double *d) {
  long i = get_global_id(0);
  atomic_fetch_add(&a[0], i << 27);
  atomic_fetch_min(&a[1], 36 + i);
  atomic_fetch_or((global atomic_intptr_t *)&a[2], (long)1 << i);
  ulong was = atomic_load((global atomic_size_t *)&u[0]);
  while (!atomic_compare_exchange_weak(&u[0], &was, was == 1 ? 2ul : was + 1))
    ;
  if (i == 63)
    atomic_fetch_sub(&u[0], 1ul);
  atomic_fetch_max(&u[1], i == 7 ? 0x4000000000000000ul : 0ul);
  atomic_fetch_min_explicit(&u[2], (ulong)i + 5, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add(&f[0], (float)i);
  atomic_fetch_sub_explicit(&f[1], 1.0f, memory_order_relaxed);
  atomic_fetch_min_explicit(&f[2], (float)i - 3.5f, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max(&f[3], 60.0f - (float)i);
  atomic_fetch_add_explicit(&d[0], (double)i * 0.5, memory_order_acq_rel);
  atomic_fetch_sub(&d[1], (double)i);
  atomic_fetch_min(&d[2], (double)i - 3.5);
  atomic_fetch_max(&d[3], 60.5 - (double)i);
}
