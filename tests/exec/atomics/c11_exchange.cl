// Load, store, exchange, compare and exchange, flags: what they return and what they leave behind.
// run: -g 1 -p 0:i32 -p 1:i32 -p 2:f32 --options -cl-std=CL2.0 list:i32:5,6,7,8 fill:i32:14:-9 list:f32:1.5,2.5
// skip: text sequentially consistent atomics are of OpenCL C 2.0
// expect: 0: 50 60 7 80
// expect: 1: 5 6 1 7 0 7 1 8 0 1 0 7 -9 -9
// expect: 2: 4 8
struct pair {
  int before;
  atomic_int value;
};
kernel void k(global atomic_int *a, global int *out, global atomic_float *f) {
  out[0] = atomic_load(&a[0]);
  atomic_store(&a[0], 50);
  out[1] = atomic_exchange_explicit(&a[1], 60, memory_order_acq_rel, memory_scope_device);
  int expected = 7;
  out[2] = atomic_compare_exchange_strong(&a[2], &expected, 70);
  out[3] = expected; // still what it was
  expected = 7;
  out[4] = atomic_compare_exchange_strong_explicit(&a[2], &expected, 7, memory_order_acq_rel, memory_order_relaxed);
  atomic_store_explicit(&a[2], 7, memory_order_release);
  out[5] = atomic_load_explicit(&a[2], memory_order_acquire, memory_scope_device);
  expected = 8;
  while (!atomic_compare_exchange_weak_explicit(&a[3], &expected, 80, memory_order_seq_cst, memory_order_acquire,
                                                memory_scope_device))
    ;
  out[6] = 1;
  out[7] = expected;
  local atomic_flag flag;
  atomic_flag_clear(&flag);
  out[8] = atomic_flag_test_and_set(&flag);
  out[9] = atomic_flag_test_and_set_explicit(&flag, memory_order_acquire, memory_scope_work_group);
  atomic_flag_clear_explicit(&flag, memory_order_release);
  out[10] = atomic_flag_test_and_set(&flag);
  local struct pair p;
  atomic_init(&p.value, 3);
  atomic_fetch_add(&p.value, 4);
  out[11] = atomic_load(&p.value);
  float was = 1.0f;
  if (!atomic_compare_exchange_strong(&f[0], &was, 3.0f) && was == 1.5f)
    atomic_exchange(&f[0], 4.0f);
  if (atomic_compare_exchange_strong(&f[1], (float[]){2.5f}, 8.0f))
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
