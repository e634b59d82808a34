// C11 atomics (6.13.11 of OpenCL C 2.0): fetch-and-modify, with and without order and scope.
// run: -g 64 -l 16 -p 0:i32 -p 1:u32 --options -cl-std=CL2.0 list:i32:0,100,1000,-1000,-1,0,0 list:u32:7,9,4294967295,0
// skip: text sequentially consistent atomics are of OpenCL C 2.0
// expect: 0: 2016 36 -5 63 -65536 255 4032
// expect: 1: 7 9 0 63
kernel void k(global atomic_int *a, global atomic_uint *u) {
  int i = get_global_id(0);
  atomic_fetch_add(&a[0], i);
  atomic_fetch_sub_explicit(&a[1], 1, memory_order_relaxed);
  atomic_fetch_min_explicit(&a[2], i - 5, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max(&a[3], i);
  atomic_fetch_and_explicit(&a[4], ~(1 << (i & 15)), memory_order_release);
  atomic_fetch_or_explicit(&a[5], 1 << (i & 7), memory_order_acquire, memory_scope_all_svm_devices);
  atomic_fetch_xor(&u[0], (uint)i);
  atomic_fetch_min(&u[1], (uint)i + 9);
  atomic_fetch_min_explicit(&u[2], (uint)i, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_max(&u[3], (uint)i);
  local atomic_int sum;
  if (get_local_id(0) == 0)
    atomic_init(&sum, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&sum, 2 * i, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  if (get_local_id(0) == 15)
    atomic_fetch_add(&a[6], atomic_load_explicit(&sum, memory_order_acquire, memory_scope_work_group));
}
