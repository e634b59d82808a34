// Old values of additions to one place, asked for by some lanes: each is there once, of uniform and of varying terms, of
// 32 and 64 bits, in global and in local memory.
// run: -g 96 -l 48 -p 0:i32 -p 1:i32 -p 2:i64 list:i32:0,1000,0 zero:i32:96 list:i64:10,0
// expect: 0: 64 904 144
// expect: 1: 2101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12101 12001 12001 12001 12001 12001 12001 12001 12001 12001 12001 12001 12001 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11111 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11110 11100 11100 11100 11100 11000 11000 11000 11000 11000 11000 11000 11000 11000 11000 11000 1000
// expect: 2: -2422361554934 0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global int *a, global int *o, global long *w) {
  int i = get_global_id(0), l = get_local_id(0);
  local int n;
  if (l == 0)
    n = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i % 3)
    atomic_add(&o[atomic_inc(&a[0])], 1);
  else
    atomic_add(&o[48 - (atomic_sub(&a[1], 3) - 1000) / 3], 10);
  if (l & 5)
    atomic_add(&o[get_group_id(0) * 48 + (atomic_add(&n, 2) - 5) / 2], 100);
  for (int j = 0, count = 3 - l % 4, at = atomic_add(&a[2], count); j < count; j++)
    atomic_add(&o[(at + j) % 96], 1000);
  if (i > 1)
    atomic_add(&o[1 - (atom_sub(&w[0], 3L << 33) >> 33) / 3], 10000);
}
