// options: std=200
kernel void k(global atomic_int *a, int n) {
  int e = 0;
  atomic_load_explicit(a, memory_order_release);
  atomic_store_explicit(a, n, memory_order_acquire);
  atomic_compare_exchange_strong_explicit(a, &e, n, memory_order_seq_cst, memory_order_acq_rel);
  atomic_fetch_add_explicit(a, n, (memory_order)7);
  atomic_fetch_add_explicit(a, n, memory_order_relaxed, (memory_scope)9);
  atomic_load_explicit(a, memory_order_acquire);
}
// expect: 4:27: warning: memory order argument to atomic operation is invalid [-Watomic-memory-ordering]
// expect: 5:31: warning: memory order argument to atomic operation is invalid [-Watomic-memory-ordering]
// expect: 6:75: warning: memory order argument to atomic operation is invalid [-Watomic-memory-ordering]
// expect: 7:49: warning: memory order argument to atomic operation is invalid [-Watomic-memory-ordering]
// expect: 8:71: warning: memory scope argument to atomic operation is invalid [-Watomic-memory-ordering]
